//! Copies the viewer's picture into the window.

use crate::gpu::pass::{bind_by_name, bind_group_layout};
use crate::gpu::shader::Resource;
use crate::gpu::{BindError, BuildError, Gpu, ShaderLibrary};

/// The pipeline of `shaders/app/blit.wgsl`.
#[derive(Debug)]
pub struct Blit {
    pipeline: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    resources: Vec<Resource>,
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
        let label = "app/blit";
        let shader = ShaderLibrary::embedded().load(label)?;
        let resources = shader.resources(&["cover", "copy"])?;
        let layout = bind_group_layout(gpu, label, &resources, 0, wgpu::ShaderStages::FRAGMENT);
        let module = shader.create(gpu);
        let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(label),
            layout: Some(&pipeline_layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("cover"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("copy"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor::default());
        Ok(Self { pipeline, layout, resources, sampler })
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
        bind_by_name(gpu, "app/blit", &self.layout, &self.resources, 0, &given)
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
