//! Branches by space colonization, in rest space, carried by the posed body.
//!
//! After Runions, Lane, Prusinkiewicz 2007, as an exact incremental algorithm in integers. *Attractors* fill the
//! body ([`plan`]). Each is owned by the nearest node within the influence distance. In a tick ([`Growth::tick`]),
//! every ripe node that owns some steps along the mean of the unit vectors to them; a new node closer than the
//! kill distance to an attractor reaches it. Where the mean leads nowhere (it repeats, leaves the body, or comes
//! close to a node), the node *aims* at its nearest attractor, and gives that one up if even an aim gained nothing.
//! Of steps that end within a quarter of a step of each other, the one of the lowest parent is taken. A node's
//! count of attractors only falls after its birth, and each fruitless emission costs it one, so growth ends.
//!
//! Steps along the mean may be *steered*: drawn toward a direction, made to stray, or made whole. Aims are not, and
//! the argument above asks nothing of where a mean leads, so steered growth reaches as much and ends as well.
//!
//! A tick is seven dispatches without a readback: *propose*, *aim*, *select*, *scan*, *emit*, *relax*, *flow*; an
//! eighth, *reseed* before *relax*, where points out of reach at the end are to become roots. Four more, *adopt*, come
//! first in a tick whose rule is another than the last one's. Nothing depends on the order within one, on the pose or
//! on the display; a twin on the CPU gives the same bits.

pub mod cells;
mod kernels;
pub mod params;
pub mod places;
pub mod plan;
mod report;
pub mod rule;
pub mod state;
pub mod ties;

pub use params::GrowthParams;
pub use plan::{GrowthPlan, plan};
pub use report::{GrowthReport, GrowthStatus};
pub use state::{GrowthNode, GrowthState};

use std::sync::Arc;

use kernels::Kernels;
use report::StatusReader;
use rule::{GrowthUniform, Rule, ripening};
use state::{Lasting, State};

use super::SimInputs;
use crate::character::{RestShape, SkinnedSurface};
use crate::gpu::buffer::UNIFORM;
use crate::gpu::{Bound, Buffer, BuildError, Gpu, GpuStruct as _, Groups, Mirror, ShaderLibrary};

crate::gpu_struct! {
    /// A posed branch node, ready to draw: the branch runs from its parent's position to its own.
    pub struct BranchNode {
        /// World position; on its way from the parent while the segment grows.
        pub position: [f32; 3],
        /// Radius in metres.
        pub radius: f32,
        /// Linear colour.
        pub color: [f32; 3],
        /// Light given off, 0 for old wood.
        pub glow: f32,
        /// Index of the parent; a root's is its own.
        pub parent: u32,
        /// 1 when the branch is as wide at its parent as here, 0 when as wide there as the parent.
        pub is_even: u32,
        /// How far its leaf is open, up to 1; 0 where none stands.
        pub bud: f32,
        /// A direction carried with the body that sets the leaf's turn: two 16-bit places on the octahedron's square.
        pub turn: u32,
    }
}

crate::gpu_struct! {
    /// How branches are drawn.
    pub struct GrowthPose {
        /// Whole ticks of growth to show.
        pub ticks: u32,
        /// Part of the next tick.
        pub fraction: f32,
        /// Attractors in all.
        pub attractor_count: u32,
        /// 0 by depth, 1 by age, 2 by root, 3 by order.
        pub color_by: u32,
        /// Radius of the thinnest branch, metres.
        pub tip_radius: f32,
        /// Radius that no branch exceeds, metres.
        pub max_radius: f32,
        /// 1 / exponent of the pipe model.
        pub pipe_power: f32,
        /// Light that a fresh branch gives off.
        pub tip_glow: f32,
        /// Linear colour of old or low branches.
        pub base_color: [f32; 3],
        /// Part of the levels of the tree that is erased.
        pub erase: f32,
        /// Linear colour of young or high branches.
        pub tip_color: [f32; 3],
        /// 0 erases from the tips on, 1 from the roots.
        pub erase_from: u32,
        /// World position of the lattice point (0, 0, 0).
        pub lattice_origin: [f32; 3],
        /// Metres a lattice unit.
        pub lattice_unit: f32,
        /// 1 when a past moment is shown.
        pub is_past: u32,
        /// 0 tubes, 1 capsules, 2 lines.
        pub look: u32,
        /// Leaves a tip; above 1 also a point of a twig. 0 for none.
        pub leaf_density: f32,
        /// Ticks in which a leaf opens.
        pub opening_ticks: f32,
    }
}

/// What the renderer gets of growth.
#[derive(Debug, Clone, Copy)]
pub struct Branches<'a> {
    /// Posed nodes; one instance of the capsule mesh each.
    pub nodes: &'a Buffer<BranchNode>,
    /// One u32: the number of nodes, written by the kernels.
    pub count: &'a Buffer<u32>,
}

/// The structs of growth that mirror WGSL ones.
#[must_use]
pub fn mirrors() -> Vec<Mirror> {
    vec![
        GrowthUniform::mirror(),
        GrowthNode::mirror(),
        state::GrowthAttractor::mirror(),
        state::GrowthCandidate::mirror(),
        state::GrowthCell::mirror(),
        GrowthState::mirror(),
        GrowthPose::mirror(),
        ties::GrowthAnchor::mirror(),
        BranchNode::mirror(),
    ]
}

/// Growth: kernels, and the buffers of what grows now.
#[derive(Debug)]
pub struct Growth {
    kernels: Kernels,
    pose_uniform: Buffer<GrowthPose>,
    plan: Option<Arc<GrowthPlan>>,
    state: Option<State>,
    /// Bind group of the carrying kernel, and the posed positions it was made with.
    carry_bound: Option<(wgpu::Buffer, Bound)>,
    /// Ticks since growth began.
    ticks: u32,
    /// Length of a tick.
    dt_secs: f32,
    /// How often it began anew by itself.
    generation: u32,
    status: StatusReader,
    /// The parameters whose rule is in force.
    ruled_by: GrowthParams,
    /// What happened to branches that had grown, until somebody asks.
    news: Vec<String>,
    /// The tick at which branches that had grown were last given another rule, until that is said.
    adopted: Option<u32>,
}

/// Branches younger than this are not missed when growth starts over, as it does all the time under a dragged slider.
const MISSED_TICKS: u32 = 60;
/// Ticks for which a rule must stay before it is said that branches go on by it.
const SETTLED_TICKS: u32 = 30;

impl Growth {
    /// Makes the kernels; nothing grows before [`Growth::install`].
    ///
    /// # Errors
    /// When a shader does not build.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        Ok(Self {
            kernels: Kernels::new(gpu, shaders)?,
            pose_uniform: Buffer::new(gpu, "growth/pose", 1, UNIFORM),
            plan: None,
            state: None,
            carry_bound: None,
            ticks: 0,
            dt_secs: 1.0 / super::TICKS_PER_SECOND as f32,
            generation: 0,
            status: StatusReader::default(),
            ruled_by: GrowthParams::default(),
            news: Vec::new(),
            adopted: None,
        })
    }

    /// Takes a new set of points and starts growing at tick 0.
    ///
    /// # Errors
    /// When buffers do not fit the shaders, a fault of the program.
    pub fn install(
        &mut self,
        gpu: &Gpu,
        plan: impl Into<Arc<GrowthPlan>>,
        params: &GrowthParams,
    ) -> Result<(), BuildError> {
        self.miss("growth starts over in other points");
        self.plan = Some(plan.into());
        self.restart(gpu, params)
    }

    fn miss(&mut self, why: &str) {
        if self.state.is_some() && self.ticks >= MISSED_TICKS {
            self.news.push(why.into());
        }
    }

    /// What happened to growth without anyone telling it to, a sentence each, once: that it started over where branches
    /// may be missed, that it goes on by another rule, that places which parameters name are not there.
    pub fn take_news(&mut self) -> Vec<String> {
        if self.adopted.is_some_and(|tick| self.ticks >= tick + SETTLED_TICKS) {
            self.adopted = None;
            self.news.push(
                "growth goes on by the changed rule; what has grown stays until it is restarted".into(),
            );
        }
        std::mem::take(&mut self.news)
    }

    /// Forgets points and branches, which belonged to another character.
    pub fn clear(&mut self) {
        self.plan = None;
        self.state = None;
        self.carry_bound = None;
        self.ticks = 0;
        self.adopted = None;
        self.status.reset();
    }

    /// Starts over with the same points.
    ///
    /// # Errors
    /// When buffers do not fit the shaders, a fault of the program.
    pub fn restart(&mut self, gpu: &Gpu, params: &GrowthParams) -> Result<(), BuildError> {
        self.generation = 0;
        self.begin(gpu, params)
    }

    fn begin(&mut self, gpu: &Gpu, params: &GrowthParams) -> Result<(), BuildError> {
        self.state = None;
        self.carry_bound = None;
        self.ticks = 0;
        self.adopted = None;
        self.status.reset();
        self.ruled_by = params.clone();
        let Some(plan) = &self.plan else { return Ok(()) };
        let (rule, problems) = plan.places.rule(params);
        self.state = Some(self.make_state(gpu, plan, rule, problems, None)?);
        Ok(())
    }

    fn make_state(
        &self,
        gpu: &Gpu,
        plan: &GrowthPlan,
        rule: Rule,
        problems: Vec<String>,
        kept: Option<Lasting>,
    ) -> Result<State, BuildError> {
        let seed = plan.seed_of(self.generation);
        let mut state = State::new(gpu, &self.kernels, plan, seed, rule, self.pose_uniform.raw(), kept)?;
        state.warnings.extend(problems);
        Ok(state)
    }

    /// At the end of a cycle of growing and dissolving, begins the next one.
    fn begin_next_cycle(&mut self, gpu: &Gpu, params: &GrowthParams) -> Result<(), BuildError> {
        if self.ticks < params.cycle_ticks(f64::from(self.dt_secs)) {
            return Ok(());
        }
        self.generation = if params.regrow == 1 { self.generation.wrapping_add(1) } else { 0 };
        self.begin(gpu, params)
    }

    /// Goes over to another rule: starts over where the length of steps or the places of roots change, or nothing has
    /// grown yet; else keeps all nodes, and says that they are to be adopted.
    fn change_rule(&mut self, gpu: &Gpu, params: &GrowthParams) -> Result<bool, BuildError> {
        let (Some(plan), Some(state)) = (self.plan.clone(), &self.state) else { return Ok(false) };
        if self.ruled_by == *params {
            return Ok(false);
        }
        let names = |params: &GrowthParams| {
            [&params.roots_at, &params.root_points, &params.tropism_joint].map(Arc::clone)
        };
        let named_otherwise = names(&self.ruled_by) != names(params);
        self.ruled_by = params.clone();
        let (wanted, problems) = plan.places.rule(params);
        if named_otherwise {
            self.news.extend(problems.iter().cloned());
        }
        if state.asked == wanted {
            return Ok(false);
        }
        let other_steps = state.asked.growth != wanted.growth;
        if self.ticks == 0 || other_steps || state.asked.roots_at != wanted.roots_at {
            let why = if other_steps { "its steps have another length" } else { "its roots are elsewhere" };
            self.miss(&format!("growth starts over: {why}"));
            self.restart(gpu, params)?;
            return Ok(false);
        }
        let kept = self.state.take().map(|state| state.lasting);
        self.state = Some(self.make_state(gpu, &plan, wanted, problems, kept)?);
        if self.ticks >= MISSED_TICKS {
            self.adopted = Some(self.ticks);
        }
        Ok(true)
    }

    /// Whether these parameters and this seed need a new [`plan`].
    #[must_use]
    pub fn needs_plan(&self, params: &GrowthParams, seed: u32) -> bool {
        self.plan.as_ref().is_none_or(|plan| plan.differs(params, seed))
    }

    /// What was done otherwise than asked, a sentence each.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let of_plan = self.plan.iter().flat_map(|plan| &plan.warnings);
        of_plan.chain(self.state.iter().flat_map(|state| &state.warnings)).map(String::as_str)
    }

    /// Ticks since growth began.
    #[must_use]
    pub fn ticks(&self) -> u32 {
        self.ticks
    }

    /// Records one tick. Each tick must be submitted before the next is recorded, since its number is uploaded.
    ///
    /// A changed length of steps, or other places named for roots, start growth over. Other rules keep the nodes: all
    /// are sorted and points given to them anew, once, and roots sprout where more are wanted. Speed and masses take
    /// effect at once.
    pub fn tick(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        inputs: &SimInputs<'_>,
        params: &GrowthParams,
    ) {
        self.dt_secs = inputs.dt_secs;
        let begun = self.begin_next_cycle(gpu, params);
        let adopts = begun.and_then(|()| self.change_rule(gpu, params)).unwrap_or_else(|error| {
            log::error!("growth: {error}");
            false
        });
        let Some(state) = &mut self.state else { return };
        let table = ripening(params, inputs.dt_secs);
        state.ripening.write(gpu, 0, &[table]);
        state.uniform.tick = self.ticks;
        state.uniform.slowest_ripening = table[0];
        state.uniform_buffer.write(gpu, 0, &[state.uniform]);

        let (kernels, bound) = (&self.kernels, &state.bound);
        let parity = (self.ticks & 1) as usize;
        let by_64 = Groups::Indirect(state.frontier_args.raw(), state::BY_64[parity]);
        let by_256 = Groups::Indirect(state.frontier_args.raw(), state::BY_256[parity]);
        let aim = Groups::Indirect(state.work_args.raw(), state::AIM);
        let relax = Groups::Indirect(state.work_args.raw(), state::RELAX);
        if adopts {
            let sizes = [1, state.lasting.attractors.len(), state.lasting.pool, 1];
            for ((kernel, bound), items) in kernels.adopt.iter().zip(&bound.adopt).zip(sizes) {
                kernel.dispatch(pass, bound, Groups::Items(items));
            }
        }
        if self.ticks == 0 || adopts {
            // The roots reach and gather attractors before anything grows.
            kernels.relax.dispatch(pass, &bound.relax, relax);
        }
        kernels.propose.dispatch(pass, &bound.propose, by_64);
        kernels.aim.dispatch(pass, &bound.aim, aim);
        kernels.select.dispatch(pass, &bound.select, by_256);
        kernels.scan.dispatch(pass, &bound.scan, Groups::Exact([1, 1, 1]));
        kernels.emit.dispatch(pass, &bound.emit, by_256);
        if state.rule.reseed {
            kernels.reseed.dispatch(pass, &bound.reseed, Groups::Exact([1, 1, 1]));
        }
        kernels.relax.dispatch(pass, &bound.relax, relax);
        kernels.flow.dispatch(pass, &bound.flow, Groups::Indirect(state.frontier_args.raw(), state::FLOW));
        self.ticks += 1;
    }

    /// Records the making of [`Branches`] as they were after `ticks` ticks of growth, fractions included, or at the part
    /// of them that `growth.timeline` says; carried by the posed vertices of `surface`, which must have been skinned
    /// before. `extent_m` is H in metres.
    ///
    /// # Errors
    /// When buffers do not fit the shader, a fault of the program.
    pub fn pose(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        surface: &SkinnedSurface,
        ticks: f64,
        extent_m: f32,
        params: &GrowthParams,
    ) -> Result<(), BuildError> {
        let (Some(plan), Some(state)) = (&self.plan, &self.state) else { return Ok(()) };
        let is_past = params.timeline < 1.0;
        let ticks = ticks.clamp(0.0, f64::from(self.ticks)) * f64::from(params.timeline.clamp(0.0, 1.0));
        let dissolved = params.dissolved(ticks, f64::from(self.dt_secs));
        let uniform = GrowthPose {
            ticks: ticks as u32,
            fraction: ticks.fract() as f32,
            attractor_count: plan.attractors.len() as u32,
            color_by: params.color_by,
            tip_radius: params.tip_radius * extent_m,
            max_radius: params.max_radius * extent_m,
            pipe_power: 1.0 / params.pipe_exponent.max(0.1),
            tip_glow: params.tip_glow,
            base_color: params.base_color,
            tip_color: params.tip_color,
            erase: params.erase.max(dissolved),
            erase_from: params.erase_from,
            is_past: u32::from(is_past),
            look: params.look,
            leaf_density: if params.leaves == 0 { 0.0 } else { params.leaf_density },
            opening_ticks: params.leaf_opening / self.dt_secs,
            lattice_origin: plan.lattice.origin.as_vec3().to_array(),
            lattice_unit: plan.lattice.unit_m as f32,
        };
        self.pose_uniform.write(gpu, 0, &[uniform]);
        if self.carry_bound.as_ref().is_none_or(|(positions, _)| positions != surface.positions.raw()) {
            let bound = self.kernels.carry.bind(
                gpu,
                &[
                    ("pose", self.pose_uniform.raw()),
                    ("anchors", state.lasting.anchors.raw()),
                    ("chord_ends", state.lasting.chord_ends.raw()),
                    ("chord_pulls", state.lasting.chord_pulls.raw()),
                    ("indices", surface.indices.raw()),
                    ("positions", surface.positions.raw()),
                    ("carried", state.lasting.carried.raw()),
                ],
            )?;
            self.carry_bound = Some((surface.positions.raw().clone(), bound));
        }
        if let Some((_, bound)) = &self.carry_bound {
            self.kernels.carry.dispatch(pass, bound, Groups::Items(plan.attractors.len()));
        }
        self.kernels.count.dispatch(pass, &state.bound.count, Groups::Exact([1, 1, 1]));
        if is_past {
            self.kernels.past.dispatch(pass, &state.bound.past, Groups::Exact([1, 1, 1]));
        }
        let groups = Groups::Indirect(state.frontier_args.raw(), state::POSE);
        self.kernels.pose.dispatch(pass, &state.bound.pose, groups);
        Ok(())
    }

    /// What to draw, once there are points.
    #[must_use]
    pub fn branches(&self) -> Option<Branches<'_>> {
        self.state
            .as_ref()
            .map(|state| Branches { nodes: &state.lasting.branches, count: &state.lasting.branch_count })
    }

    /// Asks for the counters and takes those that came; once a frame, outside of any pass.
    pub fn poll(&mut self, gpu: &Gpu) {
        if let Some(state) = &self.state {
            self.status.poll(gpu, &state.lasting.counters);
        }
    }

    /// The counts that [`Growth::poll`] brought last.
    #[must_use]
    pub fn status(&self) -> GrowthStatus {
        self.status.status()
    }

    /// The counters, waiting for the GPU.
    #[must_use]
    pub fn counters(&self, gpu: &Gpu) -> Option<GrowthState> {
        self.state.as_ref().and_then(|state| state.lasting.counters.read(gpu).first().copied())
    }

    /// Whether nothing more will grow, waiting for the GPU. True without anything to grow.
    #[must_use]
    pub fn is_finished(&self, gpu: &Gpu) -> bool {
        self.counters(gpu).is_none_or(|counters| GrowthStatus::from(counters).finished)
    }

    /// All nodes in the order of their ids, waiting for the GPU.
    #[must_use]
    pub fn read_nodes(&self, gpu: &Gpu) -> Vec<GrowthNode> {
        let (Some(state), Some(counters)) = (&self.state, self.counters(gpu)) else { return Vec::new() };
        state.lasting.nodes.read_range(gpu, 0..counters.node_count as usize)
    }

    /// Owners of the attractors: a node, or one of [`state::FREE`], [`state::RETIRED`], [`state::DEAD`]. Waits for
    /// the GPU.
    #[must_use]
    pub fn read_owners(&self, gpu: &Gpu) -> Vec<u32> {
        let attractors = self.state.as_ref().map(|state| state.lasting.attractors.read(gpu));
        attractors.into_iter().flatten().map(|attractor| attractor.owner).collect()
    }

    /// A full account against the rest surface, waiting for the GPU; `None` before [`Growth::install`].
    /// `indices` are the triangles over the rest positions.
    #[must_use]
    pub fn report(&self, gpu: &Gpu, rest: &RestShape, indices: &[u32]) -> Option<GrowthReport> {
        let (plan, state) = (self.plan.as_ref()?, self.state.as_ref()?);
        let counters = self.counters(gpu)?;
        let nodes = self.read_nodes(gpu);
        Some(report::report(plan, rest, indices, &counters, &nodes, state.rule.growth))
    }
}
