//! Draws the flock: one small shape a boid.

pub(super) mod shapes;
mod trails;

use std::collections::HashMap;

use glam::Vec4;

use super::lights::ShiningLights;
use super::shadow::Purpose;
use super::{Frame, Lights, Scene};
use crate::gpu::buffer::{STORAGE, UNIFORM};
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, ShaderLibrary};
use crate::sim::TICKS_PER_SECOND;
use crate::sim::boids::Flock;
use shapes::{Motion, Shape};
use trails::TrailRenderer;

crate::gpu_struct! {
    /// How the flock looks.
    pub struct BoidLook {
        /// Linear colour of a slow boid of the first species.
        pub slow_color: [f32; 3],
        /// Length of a boid in metres.
        pub size_m: f32,
        /// Linear colour of a fast one.
        pub fast_color: [f32; 3],
        /// 0 to 1 in [`CLOCK_SECS`], then again.
        pub clock: f32,
        /// Linear colour of a hunter.
        pub predator_color: [f32; 3],
        /// Corners of the shape.
        pub corner_count: u32,
        /// Colour of all but the first species, and size in sizes of the first.
        pub species: [Vec4; 4],
        /// Shown in the slow colour, metres a second.
        pub min_speed: f32,
        /// Shown in the fast colour, metres a second.
        pub max_speed: f32,
        /// 0 speed, 1 direction, 2 species, 3 crowd.
        pub color_by: u32,
        /// 0 none, 1 wings, 2 a wave.
        pub motion: u32,
        /// Two bits a boid, by the lowest four bits of its id.
        pub species_pattern: u32,
        /// The first boids hunt the others.
        pub predator_count: u32,
        /// Beats of wings or tail in a turn of the clock.
        pub beats_low: u32,
        /// Over how many more they are spread.
        pub beats_spread: u32,
        /// Half a trail's width at the boid, metres.
        pub trail_half_m: f32,
        /// The newest place of its ring.
        pub trail_newest: u32,
        /// How far the next one is due, 0 to 1.
        pub trail_due: f32,
        /// Padding.
        pub pad0: f32,
    }
}

crate::gpu_struct! {
    /// One corner of a shape about one long: x right, y up, z ahead.
    pub struct ShapeCorner {
        /// Where it is.
        pub position: [f32; 3],
        /// How far it moves.
        pub swing: f32,
        /// Unit.
        pub normal: [f32; 3],
        /// Padding.
        pub pad0: f32,
        /// Factor on the boid's colour.
        pub tint: [f32; 3],
        /// Padding.
        pub pad1: f32,
    }
}

/// After so long the clock of wings and tails starts again; each beats a whole number of times meanwhile.
const CLOCK_SECS: u64 = 64;

/// Draws flocks.
#[derive(Debug)]
pub(super) struct BoidRenderer {
    shader: DrawShader,
    pipelines: HashMap<(Purpose, bool), wgpu::RenderPipeline>,
    look: Buffer<BoidLook>,
    shape: Buffer<ShapeCorner>,
    motion: Motion,
    trails: TrailRenderer,
    /// The choice that `shape` was made for.
    shape_choice: u32,
}

impl BoidRenderer {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/boids", &["winged", "shade"])?;
        let Shape { corners, motion } = Shape::of(0);
        Ok(Self {
            shader,
            pipelines: HashMap::new(),
            look: Buffer::new(gpu, "boids/look", 1, UNIFORM),
            shape: Buffer::from_slice(gpu, "boids/shape", &corners, STORAGE),
            motion,
            trails: TrailRenderer::new(gpu, shaders)?,
            shape_choice: 0,
        })
    }

    /// Takes the look of the frame to come.
    pub fn set(&mut self, gpu: &Gpu, scene: &Scene<'_>, flock: &Flock<'_>) {
        let (params, species) = (&scene.params.boids, &scene.params.species);
        if params.shape != self.shape_choice {
            let Shape { corners, motion } = Shape::of(params.shape);
            self.shape = Buffer::from_slice(gpu, "boids/shape", &corners, STORAGE);
            (self.motion, self.shape_choice) = (motion, params.shape);
        }
        let period_ticks = CLOCK_SECS * u64::from(TICKS_PER_SECOND);
        let ticks = (flock.tick % period_ticks) as f64 + f64::from(scene.interpolation);
        let [b, c, d] = species.colors();
        let sizes = species.sizes();
        let [beats_low, beats_spread] = match self.motion {
            Motion::None => [0, 1],
            Motion::Wings => [CLOCK_SECS as u32 * 4, CLOCK_SECS as u32 * 2],
            Motion::Wave => [CLOCK_SECS as u32 * 2, CLOCK_SECS as u32],
        };
        let look = BoidLook {
            slow_color: params.slow_color,
            size_m: params.size * scene.extent_m,
            fast_color: params.fast_color,
            clock: (ticks / period_ticks as f64).fract() as f32,
            predator_color: params.predator_color,
            corner_count: self.shape.len() as u32,
            species: [Vec4::splat(sizes[0]), b.extend(sizes[1]), c.extend(sizes[2]), d.extend(sizes[3])],
            min_speed: params.min_speed * scene.extent_m,
            max_speed: params.max_speed * scene.extent_m,
            color_by: params.color_by,
            motion: self.motion as u32,
            species_pattern: species.pattern(),
            predator_count: params.predators,
            beats_low,
            beats_spread,
            trail_half_m: 0.5 * params.trail_width * params.size * scene.extent_m,
            trail_newest: flock.trails.map_or(0, |trails| trails.newest),
            trail_due: flock.trails.map_or(0.0, |trails| {
                let since = flock.tick.saturating_sub(trails.newest_tick) as f32 + scene.interpolation;
                (since / trails.stride_ticks as f32).clamp(0.0, 1.0)
            }),
            pad0: 0.0,
        };
        self.look.write(gpu, 0, &[look]);
    }

    /// Records the draw.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Buffer<Frame>,
        light: Lights<'_>,
        flock: &Flock<'_>,
        purpose: Purpose,
    ) -> Result<(), BuildError> {
        let group = self.shader.bind(
            gpu,
            0,
            &[
                ("frame", frame.raw().as_entire_binding()),
                light.environment.irradiance(),
                light.of_file.binding(),
                ("previous", flock.previous.raw().as_entire_binding()),
                ("current", flock.current.raw().as_entire_binding()),
                ("shape", self.shape.raw().as_entire_binding()),
                ("look", self.look.raw().as_entire_binding()),
            ],
        )?;
        let Self { shader, pipelines, .. } = self;
        let lit_by_file = light.of_file.shine();
        let pipeline = pipelines.entry((purpose, lit_by_file)).or_insert_with(|| {
            shader.pipeline(
                gpu,
                &DrawState {
                    vertex: "winged",
                    fragment: (purpose != Purpose::Cast).then_some("shade"),
                    constants: &[purpose.is_cast(), ShiningLights::constant(lit_by_file)],
                    ..purpose.state()
                },
            )
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        let corners = self.shape.len().max(1) as u32;
        let held = flock.previous.len().min(flock.current.len());
        let count = flock.count.min(u32::try_from(held).unwrap_or(u32::MAX)).min(u32::MAX / corners);
        pass.draw(0..corners * count, 0..1);
        Ok(())
    }

    /// Records what lets light through, after all that is solid.
    pub fn draw_trails(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Buffer<Frame>,
        light: Lights<'_>,
        flock: &Flock<'_>,
        purpose: Purpose,
    ) -> Result<(), BuildError> {
        self.trails.draw(gpu, pass, frame, light, &self.look, flock, purpose)
    }
}
