//! What keys, buttons and scripts do.

use std::path::{Path, PathBuf};

use glam::DVec2;
use winit::event::{ElementState, WindowEvent};
use winit::window::Fullscreen;

use super::dialog::Purpose;
use super::keys::{self, Action};
use super::shell::Shell;
use super::{switches, view};
use crate::render::environment::picture::is_environment;
use crate::viewer::{Command, LightSource, Notice, Source};

impl Shell {
    /// Acts on a pressed key of the table; everything else is the interface's.
    pub(super) fn key_was_ours(&mut self, event: &WindowEvent) -> bool {
        let WindowEvent::KeyboardInput { event: key, is_synthetic: false, .. } = event else { return false };
        let Some(binding) = keys::find(&key.logical_key, key.physical_key, self.modifiers) else {
            return false;
        };
        let typing = self.overlay.context.text_edit_focused();
        if typing && !binding.works_while_typing() {
            return false;
        }
        if key.state == ElementState::Pressed && (!key.repeat || binding.repeats()) {
            self.act(binding.action.clone());
        }
        true
    }

    /// Does what a key, a button or a script asks.
    pub(super) fn act(&mut self, action: Action) {
        let params = &mut self.viewer.params;
        let changed = match action {
            Action::Toggle(path) => switches::toggle(params, path),
            Action::Cycle(path) => switches::cycle(params, path),
            Action::Mute(path) => self.muted.toggle(params, &self.defaults, path),
            Action::Solo(section) => switches::solo(params, section),
            Action::Send(command) => {
                self.viewer.send(command);
                Ok(())
            }
            Action::OpenDialog | Action::OpenLightDialog => {
                let purpose = if action == Action::OpenDialog { Purpose::Open } else { Purpose::Light };
                if let Err(sentence) = self.dialog.show(&self.window, purpose, "") {
                    self.interface.focus_path_field();
                    self.tell(Notice::Error(sentence));
                }
                Ok(())
            }
            Action::ExportDialog => {
                let name = self.viewer.character().map_or("character", |character| &character.data.name);
                let name = format!("{name} with branches.glb");
                if let Err(sentence) = self.dialog.show(&self.window, Purpose::Export, &name) {
                    self.tell(Notice::Error(sentence));
                }
                Ok(())
            }
            Action::OpenPath(text) => {
                if let Some(path) = path_from_text(&text) {
                    self.open(path);
                }
                Ok(())
            }
            Action::Screenshot { transparent } => {
                match view::screenshot(&mut self.viewer, &self.view, transparent, None) {
                    Ok(path) => self.interface.saved(&path),
                    Err(sentence) => self.tell(Notice::Error(sentence)),
                }
                Ok(())
            }
            Action::ToggleKeys => {
                self.interface.keys_shown = !self.interface.keys_shown;
                Ok(())
            }
            Action::ToggleInterface => {
                self.interface.shown = !self.interface.shown;
                Ok(())
            }
            Action::ToggleFullScreen => {
                let now = self.window.fullscreen();
                self.window.set_fullscreen(now.is_none().then_some(Fullscreen::Borderless(None)));
                Ok(())
            }
            Action::Leave => {
                if !std::mem::take(&mut self.interface.keys_shown) {
                    self.window.set_fullscreen(None);
                }
                Ok(())
            }
            Action::Scale(step) => {
                let now = self.overlay.context.zoom_factor();
                let scale = if step == 0 { 1.0 } else { now + 0.1 * f32::from(step) };
                self.overlay.context.set_zoom_factor(scale.clamp(0.6, 3.0));
                Ok(())
            }
            Action::ShowFolder(path) => {
                if let Err(sentence) = show_folder(&path) {
                    self.tell(Notice::Error(sentence));
                }
                Ok(())
            }
        };
        if let Err(error) = changed {
            self.tell(Notice::Error(error.to_string()));
        }
    }

    /// Asks for a root at a place of the view, in pixels from its top left corner.
    pub(super) fn add_root(&mut self, [x, y]: [f64; 2]) {
        let [_, _, width, height] = self.view_rect.map(f64::from);
        let (place_px, picture_px) = (DVec2::new(x, y), DVec2::new(width, height));
        self.viewer.send(Command::RootAt { place_px, picture_px });
    }

    /// Opens a file, however it was named: a picture of light as light, all else as a character.
    pub(super) fn open(&mut self, path: PathBuf) {
        self.dialog.remember(&path);
        if is_environment(&path) {
            self.viewer.send(Command::Light(LightSource::File(path)));
            return;
        }
        self.interface.opened(&path);
        self.viewer.send(Command::Open(Source::named(path)));
    }

    pub(super) fn tell(&mut self, notice: Notice) {
        if let (Notice::Error(error), Some(_)) = (&notice, &self.automation) {
            self.unexpected.push(error.clone());
        }
        self.interface.tell(notice);
    }
}

/// A path as people paste it: with spaces or quotes round it, `~` for the home folder, or as a `file://` URL.
fn path_from_text(text: &str) -> Option<PathBuf> {
    let text = text.trim();
    let text = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .or_else(|| text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')))
        .unwrap_or(text);
    if text.is_empty() {
        return None;
    }
    if let Some(url) = text.strip_prefix("file://") {
        return Some(PathBuf::from(percent_encoding::percent_decode_str(url).decode_utf8_lossy().as_ref()));
    }
    if let Some(rest) = text.strip_prefix("~/")
        && let Some(home) = std::env::home_dir()
    {
        return Some(home.join(rest));
    }
    Some(PathBuf::from(text))
}

/// Asks the desktop to show the folder of a file.
fn show_folder(file: &Path) -> Result<(), String> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let program = if cfg!(windows) {
        "explorer"
    } else if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let started = std::process::Command::new(program).arg(folder).spawn();
    let mut child =
        started.map_err(|error| format!("{program} could not show {}: {error}", folder.display()))?;
    // The file manager outlives its starter; only the starter must be waited for, by someone.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_people_paste_them() {
        let read = |text: &str| path_from_text(text).map(|path| path.display().to_string());
        assert_eq!(read("  /a b/c.glb\n").as_deref(), Some("/a b/c.glb"));
        assert_eq!(read("\"/a b/c.glb\"").as_deref(), Some("/a b/c.glb"));
        assert_eq!(read("'c.glb'").as_deref(), Some("c.glb"));
        assert_eq!(read("file:///a%20b.glb").as_deref(), Some("/a b.glb"));
        assert_eq!(read("   "), None);
        assert_eq!(read("\"").as_deref(), Some("\""));
        assert!(read("~/x.glb").is_some_and(|path| path.ends_with("x.glb") && !path.contains('~')));
    }
}
