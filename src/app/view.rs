//! The places where the window meets the renderer: the picture of the view, the camera, saved pictures.

use std::path::{Path, PathBuf};

use glam::DVec2;

use super::blit::Blit;
use super::input::CameraMove;
use crate::gpu::capture::capture;
use crate::gpu::{BindError, BuildError, Gpu};
use crate::record::image;
use crate::render::Targets;
use crate::viewer::Viewer;

/// The picture of the view, as large as its part of the window.
#[derive(Debug)]
pub struct View {
    targets: Targets,
    /// The picture, bound for copying into the window.
    pub bound: wgpu::BindGroup,
}

impl View {
    /// A picture of this size in physical pixels, both at least 1, with so many samples a pixel.
    ///
    /// # Errors
    /// When the copying shader does not fit.
    pub fn new(gpu: &Gpu, blit: &Blit, [width, height]: [u32; 2], samples: u32) -> Result<Self, BindError> {
        let targets = Targets::new(gpu, width, height, samples);
        let bound = blit.bind(gpu, targets.picture().view())?;
        Ok(Self { targets, bound })
    }

    /// Size in physical pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.targets.size()
    }

    /// Samples a pixel.
    #[must_use]
    pub fn samples(&self) -> u32 {
        self.targets.samples()
    }

    /// Draws the scene into the picture and submits it.
    ///
    /// # Errors
    /// When a pass cannot be bound: a fault of the program.
    pub fn draw(&mut self, viewer: &mut Viewer) -> Result<(), BuildError> {
        viewer.draw(&mut self.targets, false)
    }
}

/// Moves the camera of a view of this size in physical pixels.
pub fn move_camera(viewer: &mut Viewer, [width, height]: [u32; 2], by: CameraMove) {
    viewer.look_freely();
    let picture_px = DVec2::new(f64::from(width), f64::from(height));
    let pixels = |by: [f32; 2]| DVec2::new(f64::from(by[0]), f64::from(by[1]));
    match by {
        CameraMove::Orbit(by) => viewer.camera.orbit(pixels(by), picture_px),
        CameraMove::Pan(by) => viewer.camera.pan(pixels(by), picture_px),
        CameraMove::Zoom { notches, at } => viewer.camera.zoom(f64::from(notches), pixels(at), picture_px),
    }
}

/// Where pictures go: the user's pictures, else the folder the program was started in.
fn pictures_folder() -> PathBuf {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let pictures = home.map(|home| PathBuf::from(home).join("Pictures")).filter(|folder| folder.is_dir());
    pictures.or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}

/// Saves the view without the interface, to `path` or else under a fresh name; returns where.
///
/// # Errors
/// When it could not be drawn or written; the sentence says why.
pub fn screenshot(
    viewer: &mut Viewer,
    view: &View,
    transparent: bool,
    path: Option<&Path>,
) -> Result<PathBuf, String> {
    let [width, height] = view.size();
    let mut targets = Targets::new(&viewer.gpu, width, height, view.samples());
    viewer.draw_fine(&mut targets, transparent).map_err(|error| error.to_string())?;
    let picture = capture(&viewer.gpu, targets.picture().raw()).map_err(|error| error.to_string())?;
    let name = viewer.character().map_or("dryad", |character| character.data.name.as_str());
    let path = path.map_or_else(|| image::fresh_path(&pictures_folder(), name), Path::to_path_buf);
    let session = viewer.session(false).to_text();
    image::save(&path, &picture, Some(&session)).map_err(|error| error.to_string())?;
    Ok(path)
}
