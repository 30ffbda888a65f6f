//! Copies the viewer's picture into the window.

use crate::gpu::draw::{DrawShader, DrawState};
use crate::gpu::{BindError, BuildError, Gpu, ShaderLibrary};

/// The pipeline of `shaders/app/blit.wgsl`.
#[derive(Debug)]
pub struct Blit {
    shader: DrawShader,
    pipeline: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
}

/// A rectangle of the window in physical pixels: left, top, width, height.
pub type PixelRect = [u32; 4];

impl Blit {
    /// A pipeline that draws into attachments of `format`, which must not encode sRGB: the picture already is.
    ///
    /// # Errors
    /// When the shader is wrong.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, &ShaderLibrary::embedded(), "app/blit", &["screen", "copy"])?;
        let state = DrawState {
            vertex: "screen",
            fragment: Some("copy"),
            color: Some(format.into()),
            ..DrawState::default()
        };
        let pipeline = shader.pipeline(gpu, &state);
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor::default());
        Ok(Self { shader, pipeline, sampler })
    }

    /// Binds a picture.
    ///
    /// # Errors
    /// When the shader wants something else than a picture and a sampler.
    pub fn bind(&self, gpu: &Gpu, picture: &wgpu::TextureView) -> Result<wgpu::BindGroup, BindError> {
        let given = [
            ("picture", wgpu::BindingResource::TextureView(picture)),
            ("nearest", wgpu::BindingResource::Sampler(&self.sampler)),
        ];
        self.shader.bind(gpu, 0, &given)
    }

    /// Draws a bound picture into `rect`.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, picture: &wgpu::BindGroup, rect: PixelRect) {
        let [left, top, width, height] = rect.map(|v| v as f32);
        pass.set_viewport(left, top, width, height, 0.0, 1.0);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.draw(0..3, 0..1);
    }
}
