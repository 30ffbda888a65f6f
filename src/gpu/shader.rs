//! The shader library: WGSL files embedded at build time, includes resolved, parsed once through naga.

use std::borrow::Cow;
use std::collections::BTreeMap;

use wgpu::naga;

use super::Gpu;

include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// Why a shader could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ShaderError {
    /// No such file.
    #[error("there is no shader {0}")]
    Missing(String),
    /// An include names a missing file or includes itself.
    #[error("shader {shader} includes {include}, which {what}")]
    Include {
        /// The including file.
        shader: String,
        /// The included file.
        include: String,
        /// `does not exist` or `includes itself`.
        what: &'static str,
    },
    /// It does not parse.
    #[error("shader {shader} does not parse:\n{message}")]
    Parse {
        /// The file.
        shader: String,
        /// naga's message with the line.
        message: String,
    },
    /// It parses but is not valid.
    #[error("shader {shader} is not valid:\n{message}")]
    Invalid {
        /// The file.
        shader: String,
        /// naga's message with the line.
        message: String,
    },
    /// It has no such entry point.
    #[error("shader {shader} has no entry point {entry}")]
    Entry {
        /// The file.
        shader: String,
        /// The entry point asked for.
        entry: String,
    },
}

/// A parsed and validated shader file.
#[derive(Debug)]
pub struct Shader {
    /// Its path below `shaders/` without the ending: `growth/relax`.
    pub name: String,
    /// The text with its includes.
    pub source: String,
    /// naga's module.
    pub module: naga::Module,
    /// naga's findings, such as which entry point uses which variable.
    pub info: naga::valid::ModuleInfo,
}

/// All shader files of the program.
#[derive(Debug, Clone)]
pub struct ShaderLibrary {
    files: BTreeMap<Cow<'static, str>, Cow<'static, str>>,
}

impl Default for ShaderLibrary {
    fn default() -> Self {
        Self::embedded()
    }
}

impl ShaderLibrary {
    /// The files under `shaders/` as they were at build time.
    #[must_use]
    pub fn embedded() -> Self {
        Self { files: SHADERS.iter().map(|&(name, text)| (name.into(), text.into())).collect() }
    }

    /// The library with one more file; for tests.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.files.insert(name.to_owned().into(), text.to_owned().into());
        self
    }

    /// Names of all files that have an entry point of their own, includes left out.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(AsRef::as_ref).filter(|name| !name.starts_with("common/"))
    }

    /// Loads `shaders/NAME.wgsl`.
    ///
    /// # Errors
    /// When it or an include is missing, or it does not parse or validate.
    pub fn load(&self, name: &str) -> Result<Shader, ShaderError> {
        let mut included = Vec::new();
        let source = self.expand(name, &mut included)?;
        let module = naga::front::wgsl::parse_str(&source).map_err(|error| ShaderError::Parse {
            shader: name.into(),
            message: error.emit_to_string_with_path(&source, name),
        })?;
        let info = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        )
        .validate(&module)
        .map_err(|error| ShaderError::Invalid {
            shader: name.into(),
            message: error.emit_to_string_with_path(&source, name),
        })?;
        Ok(Shader { name: name.into(), source, module, info })
    }

    /// Replaces each `//!include "file.wgsl"` line by the file, once a shader.
    fn expand(&self, name: &str, included: &mut Vec<String>) -> Result<String, ShaderError> {
        let text = self.files.get(name).ok_or_else(|| ShaderError::Missing(name.into()))?;
        let mut out = String::with_capacity(text.len());
        for line in text.lines() {
            let Some(rest) = line.trim().strip_prefix("//!include ") else {
                out.push_str(line);
                out.push('\n');
                continue;
            };
            let include = rest.trim().trim_matches('"').trim_end_matches(".wgsl");
            let fault = |what| ShaderError::Include { shader: name.into(), include: include.into(), what };
            if include == name {
                return Err(fault("includes itself"));
            }
            if !self.files.contains_key(include) {
                return Err(fault("does not exist"));
            }
            if !included.iter().any(|done| done == include) {
                included.push(include.into());
                out.push_str(&self.expand(include, included)?);
            }
        }
        Ok(out)
    }
}

/// One resource an entry point uses.
#[derive(Debug, Clone)]
pub struct Resource {
    /// The variable's name: what callers bind by.
    pub name: String,
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// How it is bound.
    pub ty: wgpu::BindingType,
}

impl Shader {
    /// Binds what is declared uniform as read-only storage. An adapter that computes on the CPU may build a kernel
    /// anew for the values of its uniforms at every dispatch (Mesa's lavapipe does, wherever they decide a branch
    /// or bound a loop: milliseconds each); it does not look into storage.
    pub fn uniforms_as_storage(&mut self) {
        for (_, variable) in self.module.global_variables.iter_mut() {
            if variable.space == naga::AddressSpace::Uniform {
                variable.space = naga::AddressSpace::Storage { access: naga::StorageAccess::LOAD };
            }
        }
    }

    /// Hands the parsed module to the device.
    #[must_use]
    pub fn create(&self, gpu: &Gpu) -> wgpu::ShaderModule {
        gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(&self.name),
            source: wgpu::ShaderSource::Naga(Cow::Owned(self.module.clone())),
        })
    }

    fn entry_index(&self, entry: &str) -> Result<usize, ShaderError> {
        self.module
            .entry_points
            .iter()
            .position(|point| point.name == entry)
            .ok_or_else(|| ShaderError::Entry { shader: self.name.clone(), entry: entry.into() })
    }

    /// Workgroup size of a compute entry point.
    ///
    /// # Errors
    /// When there is no such entry point.
    pub fn workgroup_size(&self, entry: &str) -> Result<[u32; 3], ShaderError> {
        Ok(self.module.entry_points[self.entry_index(entry)?].workgroup_size)
    }

    /// The resources that the named entry points use between them, ordered by group and binding.
    ///
    /// # Errors
    /// When there is no such entry point.
    pub fn resources(&self, entries: &[&str]) -> Result<Vec<Resource>, ShaderError> {
        let mut used: Vec<&naga::valid::FunctionInfo> = Vec::new();
        for entry in entries {
            used.push(self.info.get_entry_point(self.entry_index(entry)?));
        }
        let mut resources: Vec<Resource> = self
            .module
            .global_variables
            .iter()
            .filter(|(handle, _)| used.iter().any(|info| !info[*handle].is_empty()))
            .filter_map(|(handle, variable)| {
                let binding = variable.binding?;
                Some(Resource {
                    name: variable.name.clone().unwrap_or_default(),
                    group: binding.group,
                    binding: binding.binding,
                    ty: match binding_type(&self.module, variable)? {
                        // What is only loaded may hold texels that a device cannot filter.
                        wgpu::BindingType::Texture {
                            sample_type: wgpu::TextureSampleType::Float { .. },
                            view_dimension,
                            multisampled,
                        } if !used
                            .iter()
                            .any(|info| info.sampling_set.iter().any(|key| key.image == handle)) =>
                        {
                            let sample_type = wgpu::TextureSampleType::Float { filterable: false };
                            wgpu::BindingType::Texture { sample_type, view_dimension, multisampled }
                        }
                        ty => ty,
                    },
                })
            })
            .collect();
        resources.sort_by_key(|resource| (resource.group, resource.binding));
        Ok(resources)
    }
}

fn binding_type(module: &naga::Module, variable: &naga::GlobalVariable) -> Option<wgpu::BindingType> {
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    match variable.space {
        naga::AddressSpace::Uniform => Some(buffer(wgpu::BufferBindingType::Uniform)),
        naga::AddressSpace::Storage { access } => Some(buffer(wgpu::BufferBindingType::Storage {
            read_only: !access.contains(naga::StorageAccess::STORE),
        })),
        naga::AddressSpace::Handle => match module.types[variable.ty].inner {
            naga::TypeInner::Sampler { comparison } => Some(wgpu::BindingType::Sampler(if comparison {
                wgpu::SamplerBindingType::Comparison
            } else {
                wgpu::SamplerBindingType::Filtering
            })),
            naga::TypeInner::Image { dim, arrayed, class } => image_type(dim, arrayed, class),
            _ => None,
        },
        _ => None,
    }
}

fn image_type(
    dim: naga::ImageDimension,
    arrayed: bool,
    class: naga::ImageClass,
) -> Option<wgpu::BindingType> {
    let view_dimension = match (dim, arrayed) {
        (naga::ImageDimension::D1, _) => wgpu::TextureViewDimension::D1,
        (naga::ImageDimension::D2, false) => wgpu::TextureViewDimension::D2,
        (naga::ImageDimension::D2, true) => wgpu::TextureViewDimension::D2Array,
        (naga::ImageDimension::D3, _) => wgpu::TextureViewDimension::D3,
        (naga::ImageDimension::Cube, false) => wgpu::TextureViewDimension::Cube,
        (naga::ImageDimension::Cube, true) => wgpu::TextureViewDimension::CubeArray,
    };
    let texture =
        |sample_type, multisampled| wgpu::BindingType::Texture { sample_type, view_dimension, multisampled };
    match class {
        naga::ImageClass::Sampled { kind, multi } => Some(texture(
            match kind {
                naga::ScalarKind::Uint => wgpu::TextureSampleType::Uint,
                naga::ScalarKind::Sint => wgpu::TextureSampleType::Sint,
                _ => wgpu::TextureSampleType::Float { filterable: !multi },
            },
            multi,
        )),
        naga::ImageClass::Depth { multi } => Some(texture(wgpu::TextureSampleType::Depth, multi)),
        naga::ImageClass::Storage { .. } | naga::ImageClass::External => None,
    }
}
