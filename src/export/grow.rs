//! Growth to its end, without a window, and what of it becomes a mesh.

use glam::{DMat4, DVec3};

use super::ExportError;
use super::carriers::{GrowthCarrier, carriers};
use crate::character::animate::rest_pose;
use crate::character::data::Influences;
use crate::character::load::Progress;
use crate::character::{Character, SkinnedSurface};
use crate::gpu::{Gpu, ShaderLibrary};
use crate::sim::growth::rule::ripening;
use crate::sim::growth::{self, BranchNode, Growth, GrowthNode, GrowthParams, GrowthPlan};
use crate::sim::{SimInputs, TICKS_PER_SECOND};
use crate::viewer::GROWN_LIMIT;

/// Ticks between two looks at whether growth has finished.
const STRIDE: u64 = 30;

/// A branch point that has grown, at rest.
#[derive(Debug, Clone, Copy)]
pub struct Twig {
    /// World position, metres.
    pub position: DVec3,
    /// Metres.
    pub radius: f64,
    /// Index of the parent, which comes before; a root's is its own.
    pub parent: usize,
    /// Steps from the root.
    pub depth: u32,
    /// Seconds from its birth to the end of growth.
    pub age_secs: f32,
    /// Linear colour.
    pub color: [f32; 3],
}

/// Branches that have grown.
#[derive(Debug, Clone)]
pub struct Grown {
    /// What they grew from.
    pub plan: GrowthPlan,
    /// The joints that carry each of its attractors and the nodes near it.
    pub carriers: Vec<GrowthCarrier>,
    /// The nodes as simulated.
    pub nodes: Vec<GrowthNode>,
    /// The same nodes at rest, as drawn.
    pub twigs: Vec<Twig>,
    /// What growth did otherwise than asked, a sentence each.
    pub warnings: Vec<String>,
}

impl Grown {
    /// What carries a node: palette entries and weights, and the map from the world at rest into bind space.
    #[must_use]
    pub fn carrier(&self, node: usize) -> (Influences, DMat4) {
        let carrier = &self.carriers[self.nodes[node].source as usize];
        let lattice = &self.plan.lattice;
        let lattice_from_world =
            DMat4::from_scale(DVec3::splat(1.0 / lattice.unit_m)) * DMat4::from_translation(-lattice.origin);
        (carrier.influences(), carrier.bind_from_lattice() * lattice_from_world)
    }
}

/// Grows branches in a character at rest until nothing moves any more.
///
/// # Errors
/// When a kernel does not build, growth does not end or leaves nothing, or someone cancels.
pub fn grow(
    gpu: &Gpu,
    character: &Character,
    params: &GrowthParams,
    seed: u32,
    progress: &Progress,
) -> Result<Grown, ExportError> {
    let (data, rest) = (&character.data, &character.rest);
    // All of it, whatever moment is on show.
    let params = &GrowthParams { timeline: 1.0, erase: 0.0, continuous: false, ..params.clone() };
    let plan =
        growth::plan(data, rest, params, seed, progress.cancel_flag()).ok_or(ExportError::Cancelled)?;
    let carriers = carriers(data, &plan, progress.cancel_flag()).ok_or(ExportError::Cancelled)?;
    progress.set(0.2);
    let shaders = ShaderLibrary::embedded();
    let surface = SkinnedSurface::new(gpu, &shaders, data)?;
    surface.set_pose(gpu, &rest_pose(data));
    let mut growth = Growth::new(gpu, &shaders)?;
    growth.install(gpu, plan.clone(), params)?;
    let dt_secs = 1.0 / TICKS_PER_SECOND as f32;
    let tick = |growth: &mut Growth| {
        let inputs = SimInputs {
            surface: &surface,
            tick: u64::from(growth.ticks()),
            dt_secs,
            seed,
            extent_m: rest.extent,
            center: rest.center(),
            goal: None,
        };
        let mut encoder = gpu.encoder("export/tick");
        growth.tick(
            gpu,
            &mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()),
            &inputs,
            params,
        );
        gpu.submit(encoder);
    };
    let points = plan.attractors.len().max(1) as f32;
    while let Some(counters) = growth.counters(gpu).filter(|_| !growth.is_finished(gpu)) {
        if u64::from(growth.ticks()) >= GROWN_LIMIT {
            return Err(ExportError::NotGrown);
        }
        if progress.is_cancelled() {
            return Err(ExportError::Cancelled);
        }
        progress.set(0.2 + 0.6 * (1.0 - counters.alive as f32 / points));
        for _ in 0..STRIDE {
            tick(&mut growth);
        }
    }
    // The last nodes ripen, and what flows through them reaches the roots, one node a tick.
    let deepest = growth.counters(gpu).map_or(0, |counters| counters.max_depth);
    for settling in 0..ripening(params, dt_secs)[0] + deepest + 2 {
        if settling % STRIDE as u32 == 0 && progress.is_cancelled() {
            return Err(ExportError::Cancelled);
        }
        tick(&mut growth);
    }
    let branches = at_rest(gpu, &mut growth, &surface, rest.extent, params)?;
    let nodes = growth.read_nodes(gpu);
    progress.set(0.8);
    if nodes.is_empty() || branches.len() != nodes.len() {
        return Err(ExportError::NothingGrew(data.name.clone()));
    }
    let ticks = growth.ticks();
    let twigs = nodes.iter().zip(&branches).map(|(node, branch)| twig(&plan, node, branch, ticks)).collect();
    let warnings = growth.warnings().map(str::to_owned).collect();
    Ok(Grown { plan, carriers, nodes, twigs, warnings })
}

fn twig(plan: &GrowthPlan, node: &GrowthNode, branch: &BranchNode, ticks: u32) -> Twig {
    Twig {
        position: plan.lattice.to_world(node.position),
        radius: f64::from(branch.radius),
        parent: node.parent as usize,
        depth: node.depth,
        age_secs: ticks.saturating_sub(node.birth) as f32 / TICKS_PER_SECOND as f32,
        color: branch.color,
    }
}

/// The branches as drawn on the surface's pose.
fn at_rest(
    gpu: &Gpu,
    growth: &mut Growth,
    surface: &SkinnedSurface,
    extent_m: f32,
    params: &GrowthParams,
) -> Result<Vec<BranchNode>, ExportError> {
    let mut encoder = gpu.encoder("export/pose");
    let ticks = f64::from(growth.ticks());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    surface.skin(&mut pass);
    growth.pose(gpu, &mut pass, surface, ticks, extent_m, params)?;
    drop(pass);
    gpu.submit(encoder);
    let Some(branches) = growth.branches() else { return Ok(Vec::new()) };
    let count = branches.count.read(gpu).first().copied().unwrap_or(0) as usize;
    Ok(branches.nodes.read_range(gpu, 0..count.min(branches.nodes.len())))
}
