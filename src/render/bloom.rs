//! The glow round bright light: a pyramid of pictures, each half the size of the one above.

use super::targets::HDR_FORMAT;
use super::{CLEAR, Frame, color_attachment};
use crate::gpu::texture::TextureShape;
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, Profiler, ShaderLibrary, Texture};

/// The most pictures; the smallest is a 64th of the first.
const LEVELS: usize = 6;

/// The pictures for one size of [`super::Targets`], largest first.
#[derive(Debug)]
pub(super) struct Pyramid(Vec<Texture>);

impl Pyramid {
    /// For a scene of a size in pixels.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        let level = |k: usize| {
            let half = size.map(|side| (side >> (k + 1)).max(1));
            Texture::new(gpu, "bloom", TextureShape::target(half, HDR_FORMAT))
        };
        // The smallest still has a few texels along its shorter side.
        let useful = size[0].min(size[1]).max(1).ilog2().saturating_sub(1).max(1) as usize;
        Self((0..LEVELS.min(useful)).map(level).collect())
    }

    /// The sum of all, half the scene's size.
    pub fn sum(&self) -> &wgpu::TextureView {
        self.0[0].view()
    }
}

/// Makes glow.
#[derive(Debug)]
pub(super) struct Bloom {
    shader: DrawShader,
    bright: wgpu::RenderPipeline,
    halve: wgpu::RenderPipeline,
    spread: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
}

impl Bloom {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/bloom", &["screen", "bright", "halve", "spread"])?;
        let pipeline = |fragment, blend| {
            let write_mask = wgpu::ColorWrites::ALL;
            let color = Some(wgpu::ColorTargetState { format: HDR_FORMAT, blend, write_mask });
            let state =
                DrawState { vertex: "screen", fragment: Some(fragment), color, ..DrawState::default() };
            shader.pipeline(gpu, &state)
        };
        let added = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::One,
            dst_factor: wgpu::BlendFactor::One,
            operation: wgpu::BlendOperation::Add,
        };
        Ok(Self {
            bright: pipeline("bright", None),
            halve: pipeline("halve", None),
            spread: pipeline("spread", Some(wgpu::BlendState { color: added, alpha: added })),
            sampler: gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("bloom"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
            shader,
        })
    }

    /// What reads the sum between its texels.
    pub fn sampler(&self) -> &wgpu::Sampler {
        &self.sampler
    }

    /// Records the glow of `scene` into `pyramid`.
    pub fn draw(
        &self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Buffer<Frame>,
        scene: &Texture,
        pyramid: &Pyramid,
    ) -> Result<(), BuildError> {
        let mut record = |pipeline, source: &wgpu::TextureView, target: &wgpu::TextureView, load| {
            let group = self.shader.bind(
                gpu,
                0,
                &[
                    ("frame", frame.raw().as_entire_binding()),
                    ("source", wgpu::BindingResource::TextureView(source)),
                    ("source_sampler", wgpu::BindingResource::Sampler(&self.sampler)),
                ],
            )?;
            let color = [Some(color_attachment(target, None, load))];
            let mut pass = profiler.render_pass(encoder, "render/bloom", &color, None);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
            Ok::<_, BuildError>(())
        };
        let levels = &pyramid.0;
        record(&self.bright, scene.view(), levels[0].view(), CLEAR)?;
        for pair in levels.windows(2) {
            record(&self.halve, pair[0].view(), pair[1].view(), CLEAR)?;
        }
        for pair in levels.windows(2).rev() {
            record(&self.spread, pair[1].view(), pair[0].view(), wgpu::LoadOp::Load)?;
        }
        Ok(())
    }
}
