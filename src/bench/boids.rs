//! A flock's step at rising sizes and equal density, and beside brute force.

use serde::Serialize;

use glam::Vec3;

use super::timing::{Pair, Times, millis, pair, slope, submit};
use crate::character::{CharacterData, RestShape, SkinnedSurface, animate};
use crate::gpu::buffer::STORAGE;
use crate::gpu::{Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};
use crate::sim::boids::{Boid, Boids, BoidsParams, SpeciesParams};
use crate::sim::{SimInputs, TICKS_PER_SECOND};

/// Boids a cell of the grid when the flock begins.
const DENSITY: f64 = 4.0;
/// Steps before anything is measured.
const WARM_UP: usize = 10;

/// A flock of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BoidsSize {
    /// Boids.
    pub boids: usize,
    /// Boids each one looks at, itself included.
    pub candidates_a_boid: f64,
    /// A step.
    pub times: Times,
    /// The same beside every boid looking at every other, where that is bearable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brute_force: Option<Pair>,
}

/// Flocks of all sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoidsBench {
    /// By rising size.
    pub sizes: Vec<BoidsSize>,
    /// Of log time over log boids.
    pub slope: f64,
}

impl BoidsBench {
    pub(super) fn describe(&self, lines: &mut Vec<String>) {
        lines.push("boids, plain rules".into());
        for size in &self.sizes {
            let brute = size.brute_force.map_or(String::new(), |pair| {
                format!(", brute force {:.1} ms, {:.1} times", pair.baseline.median_ms, pair.ratio)
            });
            lines.push(format!(
                "  {:>8} boids: {:>8.3} ms ({:.3}..{:.3}), {:.0} candidates a boid{brute}",
                size.boids,
                size.times.median_ms,
                size.times.p10_ms,
                size.times.p90_ms,
                size.candidates_a_boid
            ));
        }
        lines.push(format!("  slope {:.2}", self.slope));
    }
}

/// Measures flocks.
pub(super) fn run(
    gpu: &Gpu,
    shaders: &ShaderLibrary,
    quick: bool,
    tell: &dyn Fn(&str),
) -> Result<BoidsBench, BuildError> {
    let software = gpu.is_software();
    let sizes: Vec<u32> = match (quick, software) {
        (true, _) => vec![1 << 10, 1 << 11, 1 << 12],
        (false, true) => (10..=17).map(|bits| 1 << bits).collect(),
        (false, false) => (12..=20).map(|bits| 1 << bits).collect(),
    };
    let bearable = if quick {
        1 << 12
    } else if software {
        1 << 14
    } else {
        1 << 18
    };
    let rounds = if quick { 3 } else { 30 };
    let mut measured = Vec::new();
    for count in sizes {
        tell(&format!("boids, {count}"));
        measured.push(size(gpu, shaders, count, rounds, count <= bearable)?);
    }
    let points: Vec<(f64, f64)> =
        measured.iter().map(|size| (size.boids as f64, size.times.median_ms)).collect();
    // Small flocks are bound by the number of dispatches and would flatter the slope.
    let points = &points[points.len() / 2..];
    Ok(BoidsBench { slope: slope(points), sizes: measured })
}

/// The distance that decides the edge of a cell, in H.
fn reach(params: &BoidsParams) -> f64 {
    let reach = params.cohesion_distance.max(params.separation_distance).max(params.alignment_distance);
    f64::from(reach)
}

fn size(
    gpu: &Gpu,
    shaders: &ShaderLibrary,
    count: u32,
    rounds: usize,
    with_brute_force: bool,
) -> Result<BoidsSize, BuildError> {
    let mut params = BoidsParams {
        count,
        avoid: 0.0,
        orbit: 0.0,
        wander: 0.0,
        homing: 0.0,
        field_resolution: 16,
        field_depth: 1,
        field_points: 1024,
        ..Default::default()
    };
    let volume = f64::from(count) / DENSITY * reach(&params).powi(3);
    params.boundary = (volume * 3.0 / (4.0 * std::f64::consts::PI)).cbrt() as f32;

    // A body of one small triangle: its field costs next to nothing.
    let corners = vec![Vec3::ZERO, Vec3::X * 1e-3, Vec3::Y * 1e-3];
    let data = CharacterData::from_triangles("bench", corners, vec![0, 1, 2]);
    let rest = RestShape::new(data.vertices.positions.clone(), data.vertices.normals.clone());
    let surface = SkinnedSurface::new(gpu, shaders, &data)?;
    surface.set_pose(gpu, &animate::rest_pose(&data));
    submit(gpu, |pass| surface.skin(pass));
    let mut boids = Boids::new(gpu, shaders)?;
    boids.install(gpu, &surface, &data, &rest)?;
    let mut tick = 0;
    let mut step = |boids: &mut Boids| -> Result<(), BuildError> {
        let inputs = SimInputs {
            surface: &surface,
            tick,
            dt_secs: 1.0 / TICKS_PER_SECOND as f32,
            seed: 1,
            extent_m: 1.0,
            center: Vec3::ZERO,
            goal: None,
        };
        tick += 1;
        let mut outcome = Ok(());
        submit(gpu, |pass| outcome = boids.tick(gpu, pass, &inputs, &params, &SpeciesParams::default()));
        outcome
    };
    for _ in 0..WARM_UP {
        step(&mut boids)?;
    }
    let mut ours = |boids: &mut Boids| {
        millis(gpu, || {
            if let Err(error) = step(boids) {
                log::error!("bench: {error}");
            }
        })
    };
    let (times, brute_force) = if with_brute_force {
        let pass = ComputePass::new(gpu, shaders, "bench/boids_brute", "main")?;
        let next = Buffer::<Boid>::new(gpu, "bench/next", count as usize, STORAGE);
        let Some(flock) = boids.flock() else { return Ok(nothing(count)) };
        let uniform = ("boids", boids.uniform().raw());
        let bound = pass.bind(gpu, &[uniform, ("current", flock.current.raw()), ("next", next.raw())])?;
        let compared = pair(
            rounds,
            || ours(&mut boids),
            || {
                millis(gpu, || {
                    submit(gpu, |recorder| pass.dispatch(recorder, &bound, Groups::Items(count as usize)));
                })
            },
        );
        (compared.ours, Some(compared))
    } else {
        (Times::new((0..rounds).map(|_| ours(&mut boids)).collect()), None)
    };
    let candidates_a_boid = candidates(&boids.read_cell_starts(gpu));
    Ok(BoidsSize { boids: count as usize, candidates_a_boid, times, brute_force })
}

fn nothing(count: u32) -> BoidsSize {
    let times = Times::new(Vec::new());
    BoidsSize { boids: count as usize, candidates_a_boid: 0.0, times, brute_force: None }
}

/// Boids in the 27 cells round each boid, on average; from the grid's first entries.
fn candidates(starts: &[u32]) -> f64 {
    let cells = starts.len().saturating_sub(1);
    let side = (cells as f64).cbrt().round() as usize;
    let held = |cell: usize| u64::from(starts[cell + 1] - starts[cell]);
    let near = |at: usize| at.saturating_sub(1)..(at + 2).min(side);
    let (mut pairs, mut boids) = (0, 0);
    for cell in (0..side.pow(3).min(cells)).filter(|&cell| held(cell) > 0) {
        let [x, y, z] = [cell % side, cell / side % side, cell / side / side];
        let around: u64 = near(z)
            .flat_map(|z| near(y).map(move |y| (z * side + y) * side))
            .flat_map(|row| near(x).map(move |x| row + x))
            .map(held)
            .sum();
        pairs += held(cell) * around;
        boids += held(cell);
    }
    pairs as f64 / boids.max(1) as f64
}
