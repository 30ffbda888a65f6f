//! Two-dimensional textures that account for their bytes.

use super::{Gpu, MemoryLedger};

/// What a texture is made of.
#[derive(Debug, Clone, Copy)]
pub struct TextureShape {
    /// Width and height in texels; each is raised to 1 and lowered to the device's limit.
    pub size: [u32; 2],
    /// Format of a texel.
    pub format: wgpu::TextureFormat,
    /// Mip levels.
    pub mips: u32,
    /// Samples a texel.
    pub samples: u32,
    /// What it is used for.
    pub usage: wgpu::TextureUsages,
}

impl TextureShape {
    /// One level, one sample, drawn into and sampled from.
    #[must_use]
    pub fn target(size: [u32; 2], format: wgpu::TextureFormat) -> Self {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        Self { size, format, mips: 1, samples: 1, usage }
    }
}

/// A texture with a view of all of it.
#[derive(Debug)]
pub struct Texture {
    raw: wgpu::Texture,
    view: wgpu::TextureView,
    label: String,
    bytes: i64,
    ledger: MemoryLedger,
}

impl Texture {
    /// A zeroed texture.
    #[must_use]
    pub fn new(gpu: &Gpu, label: &str, shape: TextureShape) -> Self {
        let [width, height] = shape.size.map(|side| side.clamp(1, gpu.limits.max_texture_dimension_2d));
        let raw = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: shape.mips.max(1),
            sample_count: shape.samples.max(1),
            dimension: wgpu::TextureDimension::D2,
            format: shape.format,
            usage: shape.usage,
            view_formats: &[],
        });
        let view = raw.create_view(&wgpu::TextureViewDescriptor::default());
        let texel_bytes = i64::from(shape.format.block_copy_size(None).unwrap_or(4));
        let bytes = (0..shape.mips.max(1))
            .map(|level| i64::from((width >> level).max(1)) * i64::from((height >> level).max(1)))
            .sum::<i64>()
            * texel_bytes
            * i64::from(shape.samples.max(1));
        gpu.memory.add(label, bytes);
        Self { raw, view, label: label.to_owned(), bytes, ledger: gpu.memory.clone() }
    }

    /// The wgpu texture.
    #[must_use]
    pub fn raw(&self) -> &wgpu::Texture {
        &self.raw
    }

    /// A view of all levels.
    #[must_use]
    pub fn view(&self) -> &wgpu::TextureView {
        &self.view
    }

    /// Width and height in texels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [self.raw.width(), self.raw.height()]
    }
}

impl Drop for Texture {
    fn drop(&mut self) {
        self.ledger.add(&self.label, -self.bytes);
    }
}
