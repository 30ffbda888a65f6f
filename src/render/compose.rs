//! Makes the picture of the scene's light.

use std::collections::HashMap;

use super::bloom::{Bloom, Pyramid};
use super::targets::{PICTURE_FORMAT, Targets};
use super::{CLEAR, Environment, Frame, color_attachment};
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, Profiler, ShaderLibrary};

/// Exposure, tone map, background and sRGB.
#[derive(Debug)]
pub(super) struct Compose {
    shader: DrawShader,
    /// By whether there is a glow, and whether the environment stands behind the scene.
    pipelines: HashMap<[bool; 2], wgpu::RenderPipeline>,
    bloom: Bloom,
}

impl Compose {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/compose", &["screen", "main"])?;
        Ok(Self { pipelines: HashMap::new(), bloom: Bloom::new(gpu, shaders)?, shader })
    }

    /// Records the passes from light to picture, with a glow and before the environment where wished.
    #[expect(clippy::too_many_arguments, reason = "a frame's parts, each borrowed apart")]
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Buffer<Frame>,
        environment: &Environment,
        targets: &mut Targets,
        with_bloom: bool,
        with_environment: bool,
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
        let [map, map_sampler] = environment.map();
        let group = self.shader.bind(
            gpu,
            0,
            &[
                ("frame", frame.raw().as_entire_binding()),
                environment.irradiance(),
                map,
                map_sampler,
                ("scene", wgpu::BindingResource::TextureView(targets.hdr.view())),
                ("glow", wgpu::BindingResource::TextureView(glow)),
                ("glow_sampler", wgpu::BindingResource::Sampler(self.bloom.sampler())),
            ],
        )?;
        let target = [Some(color_attachment(targets.picture.view(), None, CLEAR))];
        let mut pass = profiler.render_pass(encoder, "render/compose", &target, None);
        let Self { shader, pipelines, .. } = self;
        let wanted = [pyramid.is_some(), with_environment];
        let pipeline = pipelines.entry(wanted).or_insert_with(|| {
            let [has_bloom, has_environment] = wanted.map(f64::from);
            shader.pipeline(
                gpu,
                &DrawState {
                    vertex: "screen",
                    fragment: Some("main"),
                    color: Some(PICTURE_FORMAT.into()),
                    constants: &[("has_bloom", has_bloom), ("has_environment", has_environment)],
                    ..DrawState::default()
                },
            )
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
        Ok(())
    }
}
