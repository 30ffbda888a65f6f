//! What a tick is, and what a frame is: every pass, top to bottom.
//!
//! A tick is a submission of its own: whatever is uploaded before it is in effect on the GPU within it. Neither
//! function waits for anything.

use glam::Vec3;

use crate::character::SkinnedSurface;
use crate::character::data::Pose;
use crate::gpu::{BuildError, Gpu, Profiler};
use crate::params::Params;
use crate::render::camera::Camera;
use crate::render::lights::FileLights;
use crate::render::{Part, Renderer, Scene, Targets, ViewMode};
use crate::sim::boids::params::Goal;
use crate::sim::wrinkles::FoldMethod;
use crate::sim::{SimInputs, Simulations, TICKS_PER_SECOND};

/// What a tick is about.
#[derive(Debug, Clone, Copy)]
pub struct TickInputs<'a> {
    /// The character's pose at the tick's own time.
    pub pose: &'a Pose,
    /// Number of the tick, from 0.
    pub tick: u64,
    /// Seed of all randomness.
    pub seed: u32,
    /// H in metres.
    pub extent_m: f32,
    /// Middle of the character over its clip, world metres.
    pub center: Vec3,
    /// Where the pointer is, world metres.
    pub pointer: Option<Vec3>,
    /// The node that `boids.goal_joint` names.
    pub goal_joint: Option<usize>,
}

/// Runs one tick of the simulations that are switched on.
///
/// # Errors
/// When a kernel cannot be bound to buffers that changed size.
pub fn record_tick(
    gpu: &Gpu,
    profiler: &mut Profiler,
    simulations: &mut Simulations,
    surface: &SkinnedSurface,
    params: &Params,
    tick: &TickInputs<'_>,
) -> Result<(), BuildError> {
    let inputs = SimInputs {
        surface,
        tick: tick.tick,
        dt_secs: 1.0 / TICKS_PER_SECOND as f32,
        seed: tick.seed,
        extent_m: tick.extent_m,
        center: tick.center,
        goal: goal(params, tick),
    };
    let mut encoder = gpu.encoder("tick");
    if params.growth.enabled {
        let mut pass = profiler.compute_pass(&mut encoder, "growth");
        simulations.growth.tick(gpu, &mut pass, &inputs, &params.growth);
    }
    if params.boids.enabled || params.wrinkles.enabled {
        let pose = simulations.skin(gpu, profiler, &mut encoder, surface, tick.pose);
        if params.boids.enabled {
            let mut pass = profiler.compute_pass(&mut encoder, "boids");
            simulations.boids.tick(gpu, &mut pass, &inputs, &params.boids, &params.species)?;
        }
        if params.wrinkles.enabled {
            let mut pass = profiler.compute_pass(&mut encoder, "wrinkles");
            simulations.wrinkles.tick(gpu, &mut pass, tick.tick, pose, &params.wrinkles);
        }
    }
    gpu.submit(encoder);
    Ok(())
}

/// Where the flock is drawn, where that is a thing of the scene.
fn goal(params: &Params, tick: &TickInputs<'_>) -> Option<Vec3> {
    match Goal::of(&params.boids) {
        Goal::None | Goal::Path => None,
        Goal::Pointer => tick.pointer,
        Goal::Joint => {
            let node = tick.pose.world_from_node.get(tick.goal_joint?)?;
            Some(node.w_axis.truncate().as_vec3())
        }
    }
}

/// What a frame shows.
#[derive(Debug, Clone, Copy)]
pub struct FrameInputs<'a> {
    /// The character's pose at the frame's time.
    pub pose: &'a Pose,
    /// Where between the last two ticks the frame stands: 0 before the last one, 1 after it.
    pub interpolation: f32,
    /// The camera.
    pub camera: &'a Camera,
    /// H in metres.
    pub extent_m: f32,
    /// Middle of the character over its clip, world metres.
    pub center: Vec3,
    /// Height of the ground in metres.
    pub ground_y: f32,
    /// The file's own lights, where they shine.
    pub lights: Option<&'a FileLights>,
    /// Whether the background is left out.
    pub transparent: bool,
    /// What of the picture is drawn.
    pub part: Part,
}

/// Draws one frame, or one part of it, into `targets`.
///
/// # Errors
/// When a kernel cannot be bound to buffers that changed size.
#[expect(clippy::too_many_arguments, reason = "a frame needs all that the viewer owns, each borrowed apart")]
pub fn record_frame(
    gpu: &Gpu,
    profiler: &mut Profiler,
    simulations: &mut Simulations,
    renderer: &mut Renderer,
    surface: &SkinnedSurface,
    params: &Params,
    targets: &mut Targets,
    frame: &FrameInputs<'_>,
) -> Result<(), BuildError> {
    let mut encoder = gpu.encoder("frame");
    let pose = simulations.skin(gpu, profiler, &mut encoder, surface, frame.pose);
    surface.skin_tangents(&mut profiler.compute_pass(&mut encoder, "skin tangents"));
    if params.growth.enabled {
        let mut pass = profiler.compute_pass(&mut encoder, "growth pose");
        let ticks = f64::from(simulations.growth.ticks()) - 1.0 + f64::from(frame.interpolation);
        simulations.growth.pose(gpu, &mut pass, surface, ticks, frame.extent_m, &params.growth)?;
    }
    // The heat map needs the strain even without folds.
    let wants_strain = params.wrinkles.enabled || ViewMode::of(params) == ViewMode::Strain;
    if wants_strain {
        let mut pass = profiler.compute_pass(&mut encoder, "wrinkles");
        let with_folds = params.wrinkles.enabled;
        simulations.wrinkles.show(gpu, &mut pass, pose, &params.wrinkles, with_folds);
    }
    let shows_published = params.wrinkles.enabled && FoldMethod::of(&params.wrinkles).shows_published();
    if shows_published {
        let mut pass = profiler.compute_pass(&mut encoder, "wrinkles as published");
        simulations.published.show(&mut pass, pose);
    }
    let scene = Scene {
        camera: frame.camera,
        surface,
        branches: params.growth.enabled.then(|| simulations.growth.branches()).flatten(),
        flock: params.boids.enabled.then(|| simulations.boids.flock()).flatten(),
        strain: wants_strain.then(|| simulations.wrinkles.strain()).flatten(),
        published: shows_published.then(|| simulations.published.vertices()).flatten(),
        lights: frame.lights,
        params,
        interpolation: frame.interpolation,
        extent_m: frame.extent_m,
        center: frame.center,
        ground_y: frame.ground_y,
        transparent: frame.transparent,
        field: params.boids.enabled.then(|| simulations.boids.field()).flatten(),
        part: frame.part,
    };
    renderer.draw(gpu, profiler, &mut encoder, targets, &scene)?;
    let batch = profiler.resolve(gpu, &mut encoder);
    gpu.submit(encoder);
    profiler.collect(batch);
    Ok(())
}
