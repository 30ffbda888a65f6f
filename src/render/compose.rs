//! Makes the picture of the scene's light.

use super::bloom::{Bloom, Pyramid};
use super::targets::{PICTURE_FORMAT, Targets};
use super::{CLEAR, Frame, color_attachment};
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, Profiler, ShaderLibrary};

/// Exposure, tone map, background and sRGB.
#[derive(Debug)]
pub(super) struct Compose {
    shader: DrawShader,
    plain: wgpu::RenderPipeline,
    glowing: wgpu::RenderPipeline,
    bloom: Bloom,
}

impl Compose {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/compose", &["screen", "main"])?;
        let pipeline = |has_bloom| {
            let state = DrawState {
                vertex: "screen",
                fragment: Some("main"),
                color: Some(PICTURE_FORMAT.into()),
                constants: &[("has_bloom", has_bloom)],
                ..DrawState::default()
            };
            shader.pipeline(gpu, &state)
        };
        let (plain, glowing) = (pipeline(0.0), pipeline(1.0));
        Ok(Self { plain, glowing, bloom: Bloom::new(gpu, shaders)?, shader })
    }

    /// Records the passes from light to picture, with a glow where wished.
    pub fn draw(
        &self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Buffer<Frame>,
        targets: &mut Targets,
        with_bloom: bool,
    ) -> Result<(), BuildError> {
        if with_bloom {
            targets.make_bloom(gpu);
        }
        let targets = &*targets;
        let pyramid = targets.bloom().filter(|_| with_bloom);
        if let Some(pyramid) = pyramid {
            self.bloom.draw(gpu, profiler, encoder, frame, &targets.hdr, pyramid)?;
        }
        // Without a glow the scene itself stands in for it, unread.
        let glow = pyramid.map_or(targets.hdr.view(), Pyramid::sum);
        let group = self.shader.bind(
            gpu,
            0,
            &[
                ("frame", frame.raw().as_entire_binding()),
                ("scene", wgpu::BindingResource::TextureView(targets.hdr.view())),
                ("glow", wgpu::BindingResource::TextureView(glow)),
                ("glow_sampler", wgpu::BindingResource::Sampler(self.bloom.sampler())),
            ],
        )?;
        let target = [Some(color_attachment(targets.picture.view(), None, CLEAR))];
        let mut pass = profiler.render_pass(encoder, "render/compose", &target, None);
        pass.set_pipeline(if pyramid.is_some() { &self.glowing } else { &self.plain });
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
        Ok(())
    }
}
