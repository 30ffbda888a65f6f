//! Draws the flock's trails.

use std::collections::HashMap;

use super::BoidLook;
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, ShaderLibrary};
use crate::render::shadow::Purpose;
use crate::render::targets::HDR_FORMAT;
use crate::render::{Frame, Lights, PREMULTIPLIED};
use crate::sim::boids::Flock;
use crate::sim::boids::trails::POINTS;

/// Corners of a segment, two triangles.
const CORNERS: u32 = 6;

/// Draws trails.
#[derive(Debug)]
pub(super) struct TrailRenderer {
    shader: DrawShader,
    pipelines: HashMap<Purpose, wgpu::RenderPipeline>,
}

impl TrailRenderer {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/trails", &["ribbon", "shade"])?;
        Ok(Self { shader, pipelines: HashMap::new() })
    }

    /// Records the draw; trails let light through and hide nothing, so they come after what is solid.
    #[expect(clippy::too_many_arguments, reason = "what a draw binds, each borrowed apart")]
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Buffer<Frame>,
        light: Lights<'_>,
        look: &Buffer<BoidLook>,
        flock: &Flock<'_>,
        purpose: Purpose,
    ) -> Result<(), BuildError> {
        let Some(trails) = flock.trails else { return Ok(()) };
        let group = self.shader.bind(
            gpu,
            0,
            &[
                ("frame", frame.raw().as_entire_binding()),
                light.environment.irradiance(),
                ("previous", flock.previous.raw().as_entire_binding()),
                ("current", flock.current.raw().as_entire_binding()),
                ("places", trails.places.raw().as_entire_binding()),
                ("look", look.raw().as_entire_binding()),
            ],
        )?;
        let Self { shader, pipelines } = self;
        let pipeline = pipelines.entry(purpose).or_insert_with(|| {
            shader.pipeline(
                gpu,
                &DrawState {
                    vertex: "ribbon",
                    fragment: Some("shade"),
                    color: Some(wgpu::ColorTargetState {
                        format: HDR_FORMAT,
                        blend: Some(PREMULTIPLIED),
                        write_mask: wgpu::ColorWrites::ALL,
                    }),
                    depth: Some((wgpu::CompareFunction::Greater, false)),
                    ..purpose.state()
                },
            )
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..CORNERS * POINTS * trails.count.min(flock.count), 0..1);
        Ok(())
    }
}
