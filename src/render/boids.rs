//! Draws the flock: one dart a boid.

use std::collections::HashMap;

use super::lights::ShiningLights;
use super::shadow::Purpose;
use super::{Frame, Lights};
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, ShaderLibrary};
use crate::sim::boids::Flock;

/// Corners of a dart, four triangles; `CORNERS` in the shader.
const CORNERS: u32 = 12;

/// Draws flocks.
#[derive(Debug)]
pub(super) struct BoidRenderer {
    shader: DrawShader,
    pipelines: HashMap<(Purpose, bool), wgpu::RenderPipeline>,
}

impl BoidRenderer {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/boids", &["dart", "shade"])?;
        Ok(Self { shader, pipelines: HashMap::new() })
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
            ],
        )?;
        let Self { shader, pipelines } = self;
        let lit_by_file = light.of_file.shine();
        let pipeline = pipelines.entry((purpose, lit_by_file)).or_insert_with(|| {
            shader.pipeline(
                gpu,
                &DrawState {
                    vertex: "dart",
                    fragment: (purpose != Purpose::Cast).then_some("shade"),
                    constants: &[purpose.is_cast(), ShiningLights::constant(lit_by_file)],
                    ..purpose.state()
                },
            )
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        let held = flock.previous.len().min(flock.current.len());
        let count = flock.count.min(u32::try_from(held).unwrap_or(u32::MAX)).min(u32::MAX / CORNERS);
        pass.draw(0..CORNERS * count, 0..1);
        Ok(())
    }
}
