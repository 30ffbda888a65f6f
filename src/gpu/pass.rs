//! Compute passes bound by the names in the shader.

use std::sync::OnceLock;

use super::{Gpu, KeptPipelines, ShaderError, ShaderLibrary, shader::Resource};

/// Rows of a folded dispatch: see [`dispatch_size`].
pub const ROW_GROUPS: u32 = 32_768;

/// How many workgroups to start for `items` items, one an invocation.
///
/// A dimension holds at most 65,535 groups; more are folded into rows of [`ROW_GROUPS`]. Shaders rebuild the
/// index with `linear_index` of `common/index.wgsl`, and must check it against their count.
#[must_use]
pub fn dispatch_size(items: usize, workgroup: u32) -> [u32; 3] {
    let groups = u32::try_from(items.div_ceil(workgroup as usize)).unwrap_or(u32::MAX);
    if groups <= ROW_GROUPS { [groups, 1, 1] } else { [ROW_GROUPS, groups.div_ceil(ROW_GROUPS), 1] }
}

/// How much work a dispatch does.
#[derive(Debug, Clone, Copy)]
pub enum Groups<'a> {
    /// One invocation an item, folded when there are many.
    Items(usize),
    /// As many workgroups as said.
    Exact([u32; 3]),
    /// From a buffer that kernels wrote, at a byte offset.
    Indirect(&'a wgpu::Buffer, u64),
}

/// Why resources could not be bound.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The shader wants something that was not given.
    #[error("{pass} needs a resource named {name}")]
    Missing {
        /// The pass.
        pass: String,
        /// The variable's name.
        name: String,
    },
    /// Something was given that the shader does not use.
    #[error("{pass} has no resource named {name}")]
    Extra {
        /// The pass.
        pass: String,
        /// The name given.
        name: String,
    },
}

/// A compute pipeline and what it binds, all in group 0.
///
/// The pipeline itself is made at the first dispatch: making all of them was most of the time that Dryad took to
/// start, and what is switched off needs none.
#[derive(Debug)]
pub struct ComputePass {
    label: String,
    entry: String,
    device: wgpu::Device,
    kept: KeptPipelines,
    module: wgpu::ShaderModule,
    pipeline: OnceLock<wgpu::ComputePipeline>,
    layout: wgpu::BindGroupLayout,
    resources: Vec<Resource>,
    workgroup: u32,
}

/// A pass with its resources: ready to dispatch.
#[derive(Debug)]
pub struct Bound {
    group: wgpu::BindGroup,
}

impl ComputePass {
    /// The entry point `entry` of `shaders/FILE.wgsl`; its label is `FILE:entry`, or `FILE` when that is `main`.
    ///
    /// # Errors
    /// When the shader is missing, invalid, or has no such entry point.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary, file: &str, entry: &str) -> Result<Self, ShaderError> {
        let mut passes = Self::family(gpu, shaders, file, &[entry])?;
        passes.pop().ok_or_else(|| ShaderError::Entry { shader: file.into(), entry: entry.into() })
    }

    /// Several entry points of one file, parsed and handed to the device once; in the order asked for.
    ///
    /// # Errors
    /// When the shader is missing, invalid, or lacks one of the entry points.
    pub fn family(
        gpu: &Gpu,
        shaders: &ShaderLibrary,
        file: &str,
        entries: &[&str],
    ) -> Result<Vec<Self>, ShaderError> {
        let mut shader = shaders.load(file)?;
        if gpu.is_software() {
            shader.uniforms_as_storage();
        }
        let module = shader.create(gpu);
        entries
            .iter()
            .map(|&entry| {
                let label = if entry == "main" { file.to_owned() } else { format!("{file}:{entry}") };
                let resources = shader.resources(&[entry])?;
                let layout = bind_group_layout(gpu, &label, &resources, 0, wgpu::ShaderStages::COMPUTE);
                let workgroup = shader.workgroup_size(entry)?.iter().product();
                Ok(Self {
                    label,
                    entry: entry.to_owned(),
                    device: gpu.device.clone(),
                    kept: gpu.pipelines.clone(),
                    module: module.clone(),
                    pipeline: OnceLock::new(),
                    layout,
                    resources,
                    workgroup,
                })
            })
            .collect()
    }

    fn pipeline(&self) -> &wgpu::ComputePipeline {
        self.pipeline.get_or_init(|| {
            let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(&self.label),
                bind_group_layouts: &[Some(&self.layout)],
                immediate_size: 0,
            });
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&self.label),
                layout: Some(&layout),
                module: &self.module,
                entry_point: Some(&self.entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Workgroup memory is written before it is read everywhere in Dryad.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: self.kept.cache(),
            })
        })
    }

    /// The label that profiles show.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Invocations a workgroup.
    #[must_use]
    pub fn workgroup(&self) -> u32 {
        self.workgroup
    }

    /// Binds buffers by the names in the shader. Names the entry point does not use are an error, so that a
    /// call site never lies about what a pass reads.
    ///
    /// # Errors
    /// When a resource is missing or superfluous.
    pub fn bind(&self, gpu: &Gpu, given: &[(&str, &wgpu::Buffer)]) -> Result<Bound, BindError> {
        let given: Vec<_> = given.iter().map(|&(name, buffer)| (name, buffer.as_entire_binding())).collect();
        self.bind_resources(gpu, &given)
    }

    /// [`ComputePass::bind`] for passes that read textures, too.
    ///
    /// # Errors
    /// When a resource is missing or superfluous.
    pub fn bind_resources(
        &self,
        gpu: &Gpu,
        given: &[(&str, wgpu::BindingResource<'_>)],
    ) -> Result<Bound, BindError> {
        Ok(Bound { group: bind_by_name(gpu, &self.label, &self.layout, &self.resources, 0, given)? })
    }

    /// Whether the entry point reads or writes a resource of this name.
    #[must_use]
    pub fn reads(&self, name: &str) -> bool {
        self.resources.iter().any(|resource| resource.name == name)
    }

    /// Records the dispatch into an open compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, bound: &Bound, groups: Groups<'_>) {
        pass.push_debug_group(&self.label);
        pass.set_pipeline(self.pipeline());
        pass.set_bind_group(0, &bound.group, &[]);
        match groups {
            Groups::Items(items) => {
                let [x, y, z] = dispatch_size(items, self.workgroup);
                if x > 0 {
                    pass.dispatch_workgroups(x, y, z);
                }
            }
            Groups::Exact([x, y, z]) => pass.dispatch_workgroups(x, y, z),
            Groups::Indirect(buffer, offset) => pass.dispatch_workgroups_indirect(buffer, offset),
        }
        pass.pop_debug_group();
    }
}

/// The bind group layout of one group of some resources.
#[must_use]
pub fn bind_group_layout(
    gpu: &Gpu,
    label: &str,
    resources: &[Resource],
    group: u32,
    visibility: wgpu::ShaderStages,
) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = resources
        .iter()
        .filter(|resource| resource.group == group)
        .map(|resource| wgpu::BindGroupLayoutEntry {
            binding: resource.binding,
            visibility,
            ty: resource.ty,
            count: None,
        })
        .collect();
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

/// A bind group made by name; see [`ComputePass::bind`].
///
/// # Errors
/// When a resource is missing or superfluous.
pub fn bind_by_name(
    gpu: &Gpu,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: &[Resource],
    group: u32,
    given: &[(&str, wgpu::BindingResource<'_>)],
) -> Result<wgpu::BindGroup, BindError> {
    let wanted = || resources.iter().filter(|resource| resource.group == group);
    if let Some((name, _)) = given.iter().find(|(name, _)| !wanted().any(|resource| resource.name == *name)) {
        return Err(BindError::Extra { pass: label.into(), name: (*name).into() });
    }
    let entries = wanted()
        .map(|resource| {
            let (_, binding) = given
                .iter()
                .find(|(name, _)| resource.name == *name)
                .ok_or_else(|| BindError::Missing { pass: label.into(), name: resource.name.clone() })?;
            Ok(wgpu::BindGroupEntry { binding: resource.binding, resource: binding.clone() })
        })
        .collect::<Result<Vec<_>, BindError>>()?;
    Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    }))
}
