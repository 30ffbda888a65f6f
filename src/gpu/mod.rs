//! Device, shaders, buffers and passes: everything that knows wgpu and nothing that knows Dryad.

pub mod buffer;
pub mod capture;
pub mod draw;
pub mod hash;
pub mod layout;
pub mod pass;
pub mod pipelines;
pub mod profile;
pub mod scan;
pub mod shader;
pub mod texture;

pub use buffer::Buffer;
pub use capture::{PendingCapture, Picture};
pub use draw::{DrawShader, DrawState};
pub use layout::{Field, GpuStruct, Mirror, Scalar};
pub use pass::{BindError, Bound, ComputePass, Groups, dispatch_size};
pub use pipelines::KeptPipelines;
pub use profile::Profiler;
pub use shader::{Shader, ShaderError, ShaderLibrary};
pub use texture::Texture;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Why no device could be had.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter at all.
    #[error(
        "no graphics adapter was found ({0}); install a Vulkan driver, for instance `mesa-vulkan-drivers` on \
         Debian or Ubuntu, which also works without a graphics card"
    )]
    NoAdapter(String),
    /// The adapter cannot run compute shaders or lacks a needed limit.
    #[error("the adapter {adapter} cannot run Dryad: {what}")]
    Unsuitable {
        /// The adapter's name.
        adapter: String,
        /// What it lacks.
        what: String,
    },
    /// The device could not be created.
    #[error("the adapter {adapter} gave no device: {source}")]
    Device {
        /// The adapter's name.
        adapter: String,
        /// wgpu's reason.
        source: wgpu::RequestDeviceError,
    },
    /// The window gave no drawing surface.
    #[error("the window gave no drawing surface: {0}")]
    Surface(#[from] wgpu::CreateSurfaceError),
}

/// Why a pass could not be built: a fault of the program, or a wish beyond the device; never of a file.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The shader is missing or wrong.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// The resources do not fit the shader.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// More was asked for than the device can hold.
    #[error("{asked} {what} are more than this device holds: {limit_name} allows {limit}")]
    Limit {
        /// What was asked for, in the plural.
        what: &'static str,
        /// How many.
        asked: u64,
        /// The limit that stands in the way.
        limit_name: &'static str,
        /// How many it allows.
        limit: u64,
    },
}

/// Bytes of GPU memory by label, kept by the buffers and textures themselves.
#[derive(Debug, Clone, Default)]
pub struct MemoryLedger(Arc<Mutex<BTreeMap<String, i64>>>);

impl MemoryLedger {
    fn add(&self, label: &str, bytes: i64) {
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = map.entry(label.to_owned()).or_insert(0);
        *entry += bytes;
        if *entry == 0 {
            map.remove(label);
        }
    }

    /// Bytes held by everything with this label.
    #[must_use]
    pub fn by_label(&self) -> BTreeMap<String, i64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All bytes held.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.by_label().values().sum()
    }
}

/// The device and what was learned about it. Cheap to clone; clones share the device.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// wgpu's entry point, kept for making surfaces.
    pub instance: wgpu::Instance,
    /// The adapter in use.
    pub adapter: wgpu::Adapter,
    /// The device.
    pub device: wgpu::Device,
    /// Its only queue.
    pub queue: wgpu::Queue,
    /// Name, driver and kind of the adapter.
    pub info: wgpu::AdapterInfo,
    /// Limits the device was created with.
    pub limits: wgpu::Limits,
    /// Whether passes can be timed.
    pub has_timestamps: bool,
    /// Bytes held, by label.
    pub memory: MemoryLedger,
    /// Compiled pipelines of earlier runs; none until [`Self::keep_pipelines`].
    pub pipelines: KeptPipelines,
    errors: Arc<Mutex<Vec<String>>>,
}

impl Gpu {
    /// An instance for windows and headless work alike. `WGPU_BACKEND` chooses the backend.
    #[must_use]
    pub fn instance(display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>) -> wgpu::Instance {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY);
        // Indirect arguments are written by our own kernels alone; checking them costs more than the
        // dispatches they start.
        descriptor.flags = wgpu::InstanceFlags::empty().with_env();
        descriptor.display = display;
        wgpu::Instance::new(descriptor)
    }

    /// A device without a window.
    ///
    /// # Errors
    /// When there is no adapter, it is unsuitable, or it gives no device.
    pub fn headless() -> Result<Self, GpuError> {
        Self::request(Self::instance(None), None)
    }

    /// A device that can present to `surface`.
    ///
    /// # Errors
    /// When there is no adapter, it is unsuitable, or it gives no device.
    pub fn request(instance: wgpu::Instance, surface: Option<&wgpu::Surface<'_>>) -> Result<Self, GpuError> {
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        }))
        .map_err(|error| GpuError::NoAdapter(error.to_string()))?;
        let info = adapter.get_info();
        let unsuitable = |what: &str| GpuError::Unsuitable { adapter: info.name.clone(), what: what.into() };
        if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            return Err(unsuitable("it has no compute shaders"));
        }
        let offered = adapter.limits();
        let wanted = wgpu::Limits::default();
        if offered.max_storage_buffers_per_shader_stage < wanted.max_storage_buffers_per_shader_stage {
            return Err(unsuitable("it binds fewer than eight storage buffers a stage"));
        }
        // The guaranteed limits, but as much memory and as large pictures as the adapter has.
        let limits = wgpu::Limits {
            // Kernels on the CPU bind their uniforms as storage too.
            max_storage_buffers_per_shader_stage: if info.device_type == wgpu::DeviceType::Cpu {
                offered.max_storage_buffers_per_shader_stage
            } else {
                wanted.max_storage_buffers_per_shader_stage
            },
            max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
            max_buffer_size: offered.max_buffer_size,
            max_texture_dimension_2d: offered.max_texture_dimension_2d,
            max_texture_dimension_3d: offered.max_texture_dimension_3d.min(2048),
            ..wanted.or_worse_values_from(&offered)
        };
        let useful = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::PIPELINE_CACHE;
        let required_features = adapter.features() & useful;
        let has_timestamps = required_features.contains(wgpu::Features::TIMESTAMP_QUERY);
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("dryad"),
            required_features,
            required_limits: limits.clone(),
            ..Default::default()
        }))
        .map_err(|source| GpuError::Device { adapter: info.name.clone(), source })?;
        let errors = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&errors);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            log::error!("{error}");
            sink.lock().unwrap_or_else(PoisonError::into_inner).push(error.to_string());
        }));
        log::info!("{} ({:?}, {})", info.name, info.backend, info.driver_info);
        Ok(Self {
            instance,
            adapter,
            device,
            queue,
            info,
            limits,
            has_timestamps,
            memory: MemoryLedger::default(),
            pipelines: KeptPipelines::default(),
            errors,
        })
    }

    /// Whether kernels can bind `count` elements of `T` in one buffer. `what` names them, in the plural.
    ///
    /// # Errors
    /// When they cannot, with the limit.
    pub fn check_binding<T>(&self, what: &'static str, count: usize) -> Result<(), BuildError> {
        let bytes = self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size);
        let limit = bytes / size_of::<T>() as u64;
        if count as u64 <= limit {
            return Ok(());
        }
        let limit_name = "max_storage_buffer_binding_size";
        Err(BuildError::Limit { what, asked: count as u64, limit_name, limit })
    }

    /// Makes pipelines with those that an earlier run left in `folder`. To be called before any pass is built.
    #[must_use]
    pub fn keep_pipelines(mut self, folder: Option<&std::path::Path>) -> Self {
        self.pipelines = folder.map(|folder| KeptPipelines::open(&self, folder)).unwrap_or_default();
        self
    }

    /// Whether the adapter computes on the CPU, where defaults are scaled down.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Name, backend and driver on one line.
    #[must_use]
    pub fn adapter_line(&self) -> String {
        format!(
            "{} ({:?}, {} {})",
            self.info.name, self.info.backend, self.info.driver, self.info.driver_info
        )
    }

    /// Takes the device errors reported since the last call; a healthy run has none.
    #[must_use]
    pub fn take_errors(&self) -> Vec<String> {
        std::mem::take(&mut *self.errors.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A command encoder.
    #[must_use]
    pub fn encoder(&self, label: &str) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) })
    }

    /// Submits one encoder. `queue.write_buffer` calls made before it happen before it, on the GPU too.
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> wgpu::SubmissionIndex {
        self.queue.submit([encoder.finish()])
    }

    /// Waits until the GPU has done all that was submitted. For tests, readbacks and the end of takes; never
    /// within a frame.
    pub fn wait(&self) {
        if let Err(error) = self.device.poll(wgpu::PollType::wait_indefinitely()) {
            log::error!("waiting for the GPU: {error}");
        }
    }

    /// Lets finished readbacks call back, without waiting.
    pub fn poll(&self) {
        if let Err(error) = self.device.poll(wgpu::PollType::Poll) {
            log::error!("polling the GPU: {error}");
        }
    }
}
