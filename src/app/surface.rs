//! The window's drawing surface: configured to its size, mended when it is outdated or lost, left alone while
//! it has no area.

use std::sync::Arc;

use winit::window::Window;

use super::AppError;
use crate::gpu::Gpu;

/// What asking for the next frame of the window gave.
#[derive(Debug)]
pub enum Acquired {
    /// Draw into the view, then present the texture.
    Frame(wgpu::SurfaceTexture, wgpu::TextureView),
    /// Nothing this time; worth asking again at once.
    Again,
    /// Nothing to draw on for now: minimised, covered or without area.
    Hidden,
}

/// The surface and how it is configured.
#[derive(Debug)]
pub struct WindowSurface {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    /// The format frames are drawn in: never one that encodes sRGB, as pictures and panel already are.
    view_format: wgpu::TextureFormat,
    stale: bool,
}

impl WindowSurface {
    /// Chooses format and modes for a surface of `window`.
    ///
    /// # Errors
    /// When the adapter cannot show anything on it.
    pub fn new(gpu: &Gpu, window: Arc<Window>, surface: wgpu::Surface<'static>) -> Result<Self, AppError> {
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let preferred = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Rgba8Unorm];
        let eight_bit = |format: &&wgpu::TextureFormat| preferred.contains(&format.remove_srgb_suffix());
        let format = *capabilities
            .formats
            .iter()
            .find(|format| preferred.contains(format))
            .or_else(|| capabilities.formats.iter().find(eight_bit))
            .ok_or_else(|| AppError::NoFormat(gpu.info.name.clone()))?;
        let view_format = format.remove_srgb_suffix();
        let alpha_mode = if capabilities.alpha_modes.contains(&wgpu::CompositeAlphaMode::Opaque) {
            wgpu::CompositeAlphaMode::Opaque
        } else {
            wgpu::CompositeAlphaMode::Auto
        };
        let config = wgpu::SurfaceConfiguration {
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            format,
            color_space: wgpu::SurfaceColorSpace::Auto,
            width: 0,
            height: 0,
            present_mode: wgpu::PresentMode::AutoVsync,
            desired_maximum_frame_latency: 2,
            alpha_mode,
            view_formats: if view_format == format { vec![] } else { vec![view_format] },
        };
        let size = window.inner_size();
        let mut this = Self { window, surface, config, view_format, stale: true };
        this.resize(gpu, size.width, size.height);
        Ok(this)
    }

    /// Format of the views to draw into.
    #[must_use]
    pub fn format(&self) -> wgpu::TextureFormat {
        self.view_format
    }

    /// Size in physical pixels; zero while there is no area.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [self.config.width, self.config.height]
    }

    /// Takes note of a new size in physical pixels. Nothing is configured before the next frame, so a burst of
    /// sizes costs nothing and no size of zero reaches the device.
    pub fn resize(&mut self, gpu: &Gpu, width: u32, height: u32) {
        let largest = gpu.limits.max_texture_dimension_2d;
        let size = (width.min(largest), height.min(largest));
        self.stale |= size != (self.config.width, self.config.height);
        (self.config.width, self.config.height) = size;
    }

    /// The next frame to draw. An outdated surface is configured again and asked once more; a lost one is made
    /// anew from the window.
    pub fn acquire(&mut self, gpu: &Gpu) -> Acquired {
        if self.config.width == 0 || self.config.height == 0 {
            return Acquired::Hidden;
        }
        for _ in 0..2 {
            if std::mem::take(&mut self.stale) {
                self.surface.configure(&gpu.device, &self.config);
            }
            match self.surface.get_current_texture() {
                wgpu::CurrentSurfaceTexture::Success(texture) => return self.frame(texture),
                wgpu::CurrentSurfaceTexture::Suboptimal(texture) => {
                    self.stale = true;
                    return self.frame(texture);
                }
                wgpu::CurrentSurfaceTexture::Timeout => return Acquired::Again,
                wgpu::CurrentSurfaceTexture::Occluded => return Acquired::Hidden,
                wgpu::CurrentSurfaceTexture::Outdated => {
                    let size = self.window.inner_size();
                    self.resize(gpu, size.width, size.height);
                    if size.width == 0 || size.height == 0 {
                        return Acquired::Hidden;
                    }
                    self.stale = true;
                }
                wgpu::CurrentSurfaceTexture::Lost => {
                    match gpu.instance.create_surface(Arc::clone(&self.window)) {
                        Ok(surface) => self.surface = surface,
                        Err(error) => {
                            log::error!("the window's surface was lost and cannot be made again: {error}");
                            return Acquired::Hidden;
                        }
                    }
                    self.stale = true;
                }
                // The cause went to the device's error handler, which the error strip shows.
                wgpu::CurrentSurfaceTexture::Validation => {
                    self.stale = true;
                    return Acquired::Hidden;
                }
            }
        }
        Acquired::Again
    }

    fn frame(&self, texture: wgpu::SurfaceTexture) -> Acquired {
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor {
            label: Some("window"),
            format: Some(self.view_format),
            ..Default::default()
        });
        Acquired::Frame(texture, view)
    }
}
