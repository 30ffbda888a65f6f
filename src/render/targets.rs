//! The textures a frame is drawn into.

use super::ViewMode;
use super::accumulate::Sums;
use super::bloom::Pyramid;
use crate::gpu::draw::DEPTH_FORMAT;
use crate::gpu::texture::TextureShape;
use crate::gpu::{Gpu, Texture};
use crate::params::Params;

/// Format of the scene's linear light.
pub const HDR_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Format of the finished picture, which holds sRGB-encoded bytes.
pub const PICTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Everything drawn into at one size: linear light, depth, and the finished picture.
#[derive(Debug)]
pub struct Targets {
    samples: u32,
    /// Linear premultiplied light, one sample.
    pub(super) hdr: Texture,
    /// The same with several samples, resolved into `hdr`.
    pub(super) hdr_multisampled: Option<Texture>,
    /// Depth with as many samples as the light.
    pub(super) depth: Texture,
    /// One-sample depth for the mask, made when first needed.
    mask_depth: Option<Texture>,
    /// Made when something first glows.
    bloom: Option<Pyramid>,
    /// Made when a picture is first drawn in parts.
    sums: Option<Sums>,
    /// sRGB-encoded bytes; straight alpha where the scene is transparent, else opaque.
    pub(super) picture: Texture,
}

impl Targets {
    /// Targets of a size in pixels, at least 1 × 1 and at most what the device holds. `samples` is 1 or 4,
    /// the counts that every device has; other numbers mean 1.
    #[must_use]
    pub fn new(gpu: &Gpu, width: u32, height: u32, samples: u32) -> Self {
        let size = [width, height].map(|side| side.clamp(1, gpu.limits.max_texture_dimension_2d));
        let samples = if samples == 4 { 4 } else { 1 };
        let target = |label, format| Texture::new(gpu, label, TextureShape::target(size, format));
        let multisampled = |label, format| {
            let usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
            Texture::new(gpu, label, TextureShape { samples, usage, ..TextureShape::target(size, format) })
        };
        let picture = TextureShape::target(size, PICTURE_FORMAT);
        let usage = picture.usage | wgpu::TextureUsages::COPY_SRC;
        Self {
            samples,
            hdr: target("targets/light", HDR_FORMAT),
            hdr_multisampled: (samples > 1).then(|| multisampled("targets/light, multisampled", HDR_FORMAT)),
            depth: multisampled("targets/depth", DEPTH_FORMAT),
            mask_depth: None,
            bloom: None,
            sums: None,
            picture: Texture::new(gpu, "targets/picture", TextureShape { usage, ..picture }),
        }
    }

    /// How many samples a pixel the parameters ask for.
    #[must_use]
    pub fn wanted_samples(params: &Params) -> u32 {
        if params.view.msaa == 0 { 1 } else { 4 }
    }

    /// How many parts of [`Targets::wanted_samples`] each a saved picture or a take's frame is drawn in.
    #[must_use]
    pub fn wanted_parts(params: &Params) -> u32 {
        if ViewMode::of(params) == ViewMode::Mask {
            1
        } else {
            1 << params.view.msaa.saturating_sub(1).min(4)
        }
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.picture.size()
    }

    /// Width over height.
    #[must_use]
    pub fn aspect(&self) -> f64 {
        let [width, height] = self.size();
        f64::from(width) / f64::from(height)
    }

    /// Samples a pixel.
    #[must_use]
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// The finished picture: `Rgba8Unorm` texels that hold sRGB-encoded bytes, to be shown or captured.
    #[must_use]
    pub fn picture(&self) -> &Texture {
        &self.picture
    }

    /// Makes what a glow is drawn into, if it is not there yet.
    pub(super) fn make_bloom(&mut self, gpu: &Gpu) {
        let size = self.size();
        self.bloom.get_or_insert_with(|| Pyramid::new(gpu, size));
    }

    /// What [`Targets::make_bloom`] made.
    pub(super) fn bloom(&self) -> Option<&Pyramid> {
        self.bloom.as_ref()
    }

    /// Makes what parts are added up in, if it is not there yet.
    pub(super) fn make_sums(&mut self, gpu: &Gpu) {
        let size = self.size();
        self.sums.get_or_insert_with(|| Sums::new(gpu, size));
    }

    /// What [`Targets::make_sums`] made.
    pub(super) fn sums(&self) -> Option<&Sums> {
        self.sums.as_ref()
    }

    pub(super) fn mask_depth(&mut self, gpu: &Gpu) -> wgpu::TextureView {
        let size = self.size();
        let made = self.mask_depth.get_or_insert_with(|| {
            let usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
            let shape = TextureShape { usage, ..TextureShape::target(size, DEPTH_FORMAT) };
            Texture::new(gpu, "targets/mask depth", shape)
        });
        made.view().clone()
    }
}
