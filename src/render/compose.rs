//! Makes the picture of the scene's light.

use super::targets::{PICTURE_FORMAT, Targets};
use super::{CLEAR, Frame, color_attachment};
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, Profiler, ShaderLibrary};

/// Exposure, tone map, background and sRGB.
#[derive(Debug)]
pub(super) struct Compose {
    shader: DrawShader,
    pipeline: wgpu::RenderPipeline,
}

impl Compose {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/compose", &["screen", "main"])?;
        let pipeline = shader.pipeline(
            gpu,
            &DrawState {
                vertex: "screen",
                fragment: Some("main"),
                color: Some(PICTURE_FORMAT.into()),
                ..DrawState::default()
            },
        );
        Ok(Self { shader, pipeline })
    }

    /// Records the pass from light to picture.
    pub fn draw(
        &self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Buffer<Frame>,
        targets: &Targets,
    ) -> Result<(), BuildError> {
        let group = self.shader.bind(
            gpu,
            0,
            &[
                ("frame", frame.raw().as_entire_binding()),
                ("scene", wgpu::BindingResource::TextureView(targets.hdr.view())),
            ],
        )?;
        let target = [Some(color_attachment(targets.picture.view(), None, CLEAR))];
        let mut pass = profiler.render_pass(encoder, "render/compose", &target, None);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
        Ok(())
    }
}
