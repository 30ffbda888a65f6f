//! Runs the steps of a script on the window.

use std::path::Path;

use winit::dpi::PhysicalSize;
use winit::event_loop::ActiveEventLoop;

use super::automation::{Next, Seen, Step};
use super::shell::{Shell, compose};
use super::{AppError, ScriptError, view};
use crate::gpu::capture::capture;
use crate::record::image;

impl Shell {
    fn script_failure(&self, fault: impl Into<String>) -> AppError {
        let fault = fault.into();
        match &self.automation {
            Some(script) => AppError::Script(script.failure(fault)),
            None => AppError::Script(ScriptError { line: 0, text: String::new(), fault }),
        }
    }

    /// Does what the script wants in this frame.
    pub(super) fn run_script(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let Some(script) = &mut self.automation else { return Ok(()) };
        let status = self.viewer.status();
        let seen = Seen {
            loaded: status.loading.is_none() && !status.character.is_empty(),
            error: self.unexpected.first().map(String::as_str),
        };
        let step = match script.advance(seen)? {
            Next::Draw => return Ok(()),
            Next::ForgetErrors => {
                self.unexpected.clear();
                return Ok(());
            }
            Next::Do(step) => step,
        };
        match step {
            Step::Open(path) => self.interface.enter_path(path),
            Step::Set(path, value) => {
                let set = self.viewer.params.set_text(&path, &value);
                set.map_err(|error| self.script_failure(error.to_string()))?;
            }
            Step::Expect(path, value) => {
                let params = &self.viewer.params;
                let found = params.info(&path).and_then(|info| Ok(info.kind.format(&params.get(&path)?)));
                match found {
                    Ok(found) if found == value => {}
                    Ok(found) => return Err(self.script_failure(format!("it is {found}"))),
                    Err(error) => return Err(self.script_failure(error.to_string())),
                }
            }
            Step::Key(binding) => self.act(binding.action.clone()),
            Step::Root(x, y) => self.add_root([f64::from(x), f64::from(y)]),
            Step::Resize(width, height) => {
                if let Some(size) = self.window.request_inner_size(PhysicalSize::new(width, height)) {
                    self.surface.resize(&self.viewer.gpu, size.width, size.height);
                }
            }
            Step::Screenshot(file) => {
                let saved = view::screenshot(&mut self.viewer, &self.view, false, Some(&file));
                saved.map_err(|fault| self.script_failure(fault))?;
            }
            Step::Window(file) => self.capture_to = Some(file),
            Step::LoseDevice => self.viewer.gpu.device.destroy(),
            Step::WaitLoaded | Step::WaitError | Step::Frames(_) => {}
            Step::Quit => event_loop.exit(),
        }
        Ok(())
    }

    /// Draws the window once more into a texture that can be read back.
    pub(super) fn capture_window(&mut self, path: &Path) -> Result<(), AppError> {
        let gpu = &self.viewer.gpu;
        let [width, height] = self.surface.size();
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("window capture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.surface.format(),
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let target = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = gpu.encoder("window capture");
        let before = self.overlay.upload(gpu, &mut encoder);
        compose(&mut encoder, &self.blit, &self.view, self.view_rect, &self.overlay, &target);
        gpu.queue.submit(before.into_iter().chain([encoder.finish()]));
        let mut picture = capture(gpu, &texture).map_err(|error| self.script_failure(error.to_string()))?;
        if texture.format().remove_srgb_suffix() == wgpu::TextureFormat::Bgra8Unorm {
            picture.rgba.chunks_exact_mut(4).for_each(|texel| texel.swap(0, 2));
        }
        picture.rgba.chunks_exact_mut(4).for_each(|texel| texel[3] = 255);
        image::save(path, &picture, None).map_err(|error| self.script_failure(error.to_string()))
    }
}
