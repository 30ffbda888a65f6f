//! The file dialogs, on a thread of its own so that the window goes on drawing.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use winit::event_loop::EventLoopProxy;
use winit::window::Window;

use super::Wake;

/// A dialog that gives nothing back within this time was never shown.
const FASTER_THAN_A_PERSON: Duration = Duration::from_millis(300);

const USE_THE_FIELD: &str = "type or paste the path into the field at the top of the panel and press Enter";
const USE_THE_COMMAND: &str = "run `dryad export MODEL --out FILE.glb`";

/// What a dialog asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A character to open.
    Open,
    /// A picture of light.
    Light,
    /// A file to write the character with its branches to.
    Export,
}

impl Purpose {
    /// What to do where no dialog can be shown.
    fn instead(self) -> &'static str {
        match self {
            Self::Open | Self::Light => USE_THE_FIELD,
            Self::Export => USE_THE_COMMAND,
        }
    }
}

type Answer = (Purpose, Option<PathBuf>);

/// Shows one file dialog at a time.
#[derive(Debug)]
pub struct FileDialog {
    opened: Option<Instant>,
    folder: Option<PathBuf>,
    sender: Sender<Answer>,
    answers: Receiver<Answer>,
    wake: EventLoopProxy<Wake>,
}

impl FileDialog {
    /// A closed dialog; `wake` stirs the event loop when an answer is there.
    #[must_use]
    pub fn new(wake: EventLoopProxy<Wake>) -> Self {
        let (sender, answers) = channel();
        Self { opened: None, folder: None, sender, answers, wake }
    }

    /// Whether a dialog is on the screen.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.opened.is_some()
    }

    /// Where the next dialog starts: beside the file that was opened last, however it was opened.
    pub fn remember(&mut self, file: &std::path::Path) {
        let folder = file.parent().filter(|folder| folder.is_dir());
        if let Some(folder) = folder.and_then(|folder| folder.canonicalize().ok()) {
            self.folder = Some(folder);
        }
    }

    /// Shows the dialog. Must be called on the main thread, where macOS wants it made. `name` is proposed for a file
    /// to write.
    ///
    /// # Errors
    /// When one is open already, or the desktop has none; the sentence says what to do instead.
    pub fn show(&mut self, window: &Arc<Window>, purpose: Purpose, name: &str) -> Result<(), String> {
        let instead = purpose.instead();
        if self.is_open() {
            return Err(format!("A file dialog is open already; if it cannot be seen, {instead}."));
        }
        if !has_backend() {
            return Err(format!(
                "This desktop has no file dialog (neither a portal nor zenity was found): {instead}, or install \
                 zenity."
            ));
        }
        let mut dialog = rfd::AsyncFileDialog::new().set_parent(window.as_ref());
        if let Some(folder) = &self.folder {
            dialog = dialog.set_directory(folder);
        }
        let answer: Pin<Box<dyn Future<Output = Option<rfd::FileHandle>> + Send>> = match purpose {
            Purpose::Open => Box::pin(
                dialog
                    .set_title("Open a character")
                    .add_filter("glTF", &["glb", "gltf", "vrm"])
                    .add_filter("All files", &["*"])
                    .pick_file(),
            ),
            Purpose::Light => Box::pin(
                dialog
                    .set_title("Open light")
                    .add_filter("Pictures of light", &["hdr", "exr"])
                    .add_filter("All files", &["*"])
                    .pick_file(),
            ),
            Purpose::Export => Box::pin(
                dialog
                    .set_title("Export the character with its branches")
                    .add_filter("glTF binary", &["glb"])
                    .set_file_name(name)
                    .save_file(),
            ),
        };
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        std::thread::Builder::new()
            .name("file dialog".into())
            .spawn(move || {
                let path = pollster::block_on(answer).map(|file| file.path().to_path_buf());
                // Both fail only when the window has closed meanwhile.
                if sender.send((purpose, path)).is_ok() {
                    wake.send_event(Wake).ok();
                }
            })
            .map_err(|error| format!("The file dialog could not be started ({error}): {instead}."))?;
        self.opened = Some(Instant::now());
        Ok(())
    }

    /// The file that was chosen since the last call, if any.
    ///
    /// # Errors
    /// When the dialog failed to show; the sentence says what to do instead.
    pub fn poll(&mut self) -> Result<Option<(Purpose, PathBuf)>, String> {
        let Ok((purpose, answer)) = self.answers.try_recv() else { return Ok(None) };
        let opened = self.opened.take();
        match answer {
            Some(path) => Ok(Some((purpose, path))),
            None if opened.is_some_and(|at| at.elapsed() < FASTER_THAN_A_PERSON) => {
                Err(format!("The desktop's file dialog did not show: {}.", purpose.instead()))
            }
            None => Ok(None),
        }
    }
}

/// Whether a dialog can be shown: elsewhere than on Linux and its kin the system has one.
fn has_backend() -> bool {
    if cfg!(any(windows, target_os = "macos")) {
        return true;
    }
    let lookup = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    has_portal(lookup) || has_zenity(lookup)
}

/// A session bus, and a portal that it can start.
fn has_portal(lookup: impl Fn(&str) -> Option<std::ffi::OsString>) -> bool {
    let bus = lookup("DBUS_SESSION_BUS_ADDRESS").is_some()
        || lookup("XDG_RUNTIME_DIR").is_some_and(|folder| PathBuf::from(folder).join("bus").exists());
    if !bus {
        return false;
    }
    // Within Flatpak the portal is there, but not its description.
    if std::path::Path::new("/.flatpak-info").exists() {
        return true;
    }
    let shared = lookup("XDG_DATA_DIRS").unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    let own = lookup("XDG_DATA_HOME").map(PathBuf::from);
    std::env::split_paths(&shared)
        .chain(own)
        .any(|folder| folder.join("dbus-1/services/org.freedesktop.portal.Desktop.service").is_file())
}

fn has_zenity(lookup: impl Fn(&str) -> Option<std::ffi::OsString>) -> bool {
    lookup("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("zenity").is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn a_portal_needs_a_bus_and_a_description() {
        let data = tempfile::tempdir().expect("a folder");
        let folder = data.path().join("dbus-1/services");
        std::fs::create_dir_all(&folder).expect("a folder");
        let environment = |bus: Option<&'static str>| {
            let data = data.path().as_os_str().to_owned();
            move |name: &str| match name {
                "DBUS_SESSION_BUS_ADDRESS" => bus.map(OsString::from),
                "XDG_DATA_DIRS" => Some(data.clone()),
                _ => None,
            }
        };
        assert!(!has_portal(environment(Some("unix:path=/x"))));
        std::fs::write(folder.join("org.freedesktop.portal.Desktop.service"), "").expect("a file");
        assert!(has_portal(environment(Some("unix:path=/x"))));
        assert!(!has_portal(environment(None)));
    }

    #[test]
    fn zenity_is_looked_for_on_the_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().as_os_str().to_owned();
        let environment = move |name: &str| (name == "PATH").then(|| path.clone());
        assert!(!has_zenity(&environment));
        std::fs::write(folder.path().join("zenity"), "").expect("a file");
        assert!(has_zenity(&environment));
    }
}
