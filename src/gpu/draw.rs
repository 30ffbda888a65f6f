//! Draw pipelines bound by the names in the shader.

use super::pass::{bind_by_name, bind_group_layout};
use super::shader::Resource;
use super::{BindError, Gpu, ShaderError, ShaderLibrary};

/// The depth format of every pass. Depth is reversed: near 1, far 0, nearer is greater.
pub const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// A shader file for drawing: its module, and one layout for all its entry points, so that what is bound once
/// serves every pipeline of the file.
#[derive(Debug)]
pub struct DrawShader {
    label: String,
    module: wgpu::ShaderModule,
    resources: Vec<Resource>,
    groups: Vec<wgpu::BindGroupLayout>,
    layout: wgpu::PipelineLayout,
}

/// What one pipeline of a [`DrawShader`] does.
#[derive(Debug, Clone)]
pub struct DrawState<'a> {
    /// Vertex entry point.
    pub vertex: &'a str,
    /// Fragment entry point; none for depth alone.
    pub fragment: Option<&'a str>,
    /// Vertex buffers.
    pub buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    /// How vertices form triangles.
    pub topology: wgpu::PrimitiveTopology,
    /// Which side is not drawn.
    pub cull: Option<wgpu::Face>,
    /// Comparison and whether depth is written; none without a depth buffer.
    pub depth: Option<(wgpu::CompareFunction, bool)>,
    /// The colour target; none for depth alone.
    pub color: Option<wgpu::ColorTargetState>,
    /// How far depth is moved a unit of slope; negative moves it away from the eye.
    pub slope_bias: f32,
    /// Samples a pixel.
    pub samples: u32,
    /// Values of the shader's `override` constants by name; false is 0 and true is 1.
    pub constants: &'a [(&'a str, f64)],
}

impl Default for DrawState<'_> {
    fn default() -> Self {
        Self {
            vertex: "main",
            fragment: None,
            buffers: &[],
            topology: wgpu::PrimitiveTopology::TriangleList,
            cull: None,
            depth: None,
            color: None,
            slope_bias: 0.0,
            samples: 1,
            constants: &[],
        }
    }
}

impl DrawShader {
    /// Loads `shaders/FILE.wgsl` for the entry points named.
    ///
    /// # Errors
    /// When the shader is missing, invalid, or lacks an entry point.
    pub fn new(
        gpu: &Gpu,
        shaders: &ShaderLibrary,
        file: &str,
        entries: &[&str],
    ) -> Result<Self, ShaderError> {
        let shader = shaders.load(file)?;
        let module = shader.create(gpu);
        let resources = shader.resources(entries)?;
        let group_count = resources.iter().map(|resource| resource.group + 1).max().unwrap_or(0);
        let visibility = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let groups: Vec<_> = (0..group_count)
            .map(|group| bind_group_layout(gpu, file, &resources, group, visibility))
            .collect();
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(file),
            bind_group_layouts: &groups.iter().map(Some).collect::<Vec<_>>(),
            immediate_size: 0,
        });
        Ok(Self { label: file.to_owned(), module, resources, groups, layout })
    }

    /// A bind group of this file by the names in the shader.
    ///
    /// # Errors
    /// When a resource is missing or superfluous, or there is no such group.
    pub fn bind(
        &self,
        gpu: &Gpu,
        group: u32,
        given: &[(&str, wgpu::BindingResource<'_>)],
    ) -> Result<wgpu::BindGroup, BindError> {
        let missing = || BindError::Missing { pass: self.label.clone(), name: format!("group {group}") };
        let layout = self.groups.get(group as usize).ok_or_else(missing)?;
        bind_by_name(gpu, &self.label, layout, &self.resources, group, given)
    }

    /// Makes a pipeline.
    #[must_use]
    pub fn pipeline(&self, gpu: &Gpu, state: &DrawState<'_>) -> wgpu::RenderPipeline {
        let targets = [state.color.clone()];
        let compilation_options = wgpu::PipelineCompilationOptions {
            constants: state.constants,
            ..wgpu::PipelineCompilationOptions::default()
        };
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(&format!("{}:{}", self.label, state.fragment.unwrap_or(state.vertex))),
            layout: Some(&self.layout),
            vertex: wgpu::VertexState {
                module: &self.module,
                entry_point: Some(state.vertex),
                compilation_options: compilation_options.clone(),
                buffers: state.buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: state.topology,
                cull_mode: state.cull,
                ..Default::default()
            },
            depth_stencil: state.depth.map(|(compare, write)| wgpu::DepthStencilState {
                format: DEPTH_FORMAT,
                depth_write_enabled: Some(write),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState { constant: 0, slope_scale: state.slope_bias, clamp: 0.0 },
            }),
            multisample: wgpu::MultisampleState { count: state.samples, ..Default::default() },
            fragment: state.fragment.map(|entry| wgpu::FragmentState {
                module: &self.module,
                entry_point: Some(entry),
                compilation_options: compilation_options.clone(),
                targets: if state.color.is_some() { &targets } else { &[] },
            }),
            multiview_mask: None,
            cache: gpu.pipelines.cache(),
        })
    }
}
