//! The window: an event loop round a [`Viewer`](crate::viewer::Viewer) and the panel of [`ui`](crate::ui).
//!
//! [`shell`] holds the window and says what a frame of it is; [`surface`] is what it draws on, [`blit`] and
//! [`overlay`] put view and panel there. [`keys`] is the table of keys, [`input`] the mouse, [`dialog`] the file
//! dialog, [`automation`] the scripts that drive it all in tests.

mod act;
pub mod automation;
mod blit;
mod dialog;
pub mod input;
pub mod keys;
mod overlay;
mod script;
mod shell;
mod surface;
mod switches;
mod view;

use std::path::PathBuf;

use winit::application::ApplicationHandler;
use winit::event::{StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};
use winit::window::WindowId;

pub use automation::{Automation, ScriptError};
use shell::Shell;

use crate::gpu::{BuildError, GpuError};
use crate::params::ParamError;
use crate::viewer::{Setup, ViewerError};

/// What to open the window with.
#[derive(Debug)]
pub struct AppOptions {
    /// The character, and the state to begin with.
    pub setup: Setup,
    /// Where compiled pipelines are kept between runs, if they are.
    pub pipelines_folder: Option<PathBuf>,
    /// A script that drives the window.
    pub automation: Option<Automation>,
}

/// Why the window could not be opened or closed early.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// Nothing to show a window on.
    #[error(
        "there is no display to open a window on ({0}); `dryad render MODEL --out picture.png` draws a picture \
         without one"
    )]
    NoDisplay(String),
    /// The event loop broke.
    #[error("the window's event loop failed: {0}")]
    EventLoop(#[from] winit::error::EventLoopError),
    /// The system gave no window.
    #[error("no window could be opened: {0}")]
    Window(#[from] winit::error::OsError),
    /// No device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The viewer could not be made.
    #[error(transparent)]
    Viewer(#[from] ViewerError),
    /// A parameter given at the start does not fit.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A shader of the window is wrong.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The adapter has no picture format for the window.
    #[error(
        "the adapter {0} cannot show pictures in a window; another can be chosen with WGPU_BACKEND, and \
         `dryad render` needs no window"
    )]
    NoFormat(String),
    /// The driver gave up.
    #[error(
        "the graphics device was lost ({0}); start Dryad again, and look for a newer driver if it recurs"
    )]
    DeviceLost(String),
    /// The script failed.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The script's watchdog could not be started.
    #[error("the script's watchdog could not be started: {0}")]
    Watchdog(#[source] std::io::Error),
}

/// Stirs the event loop from other threads: an answer of the file dialog or the loss of the device.
#[derive(Debug, Clone, Copy)]
pub struct Wake;

/// Opens the window and returns when it is closed. Must be called on the main thread.
///
/// # Errors
/// When there is no display or device, the device is lost, or the script fails.
pub fn run(options: AppOptions) -> Result<(), AppError> {
    if let Some(cause) = missing_display(|name| std::env::var_os(name)) {
        return Err(AppError::NoDisplay(cause));
    }
    let watchdog = options.automation.as_ref().map(Automation::start_watchdog).transpose();
    let _watchdog = watchdog.map_err(AppError::Watchdog)?;
    let event_loop = EventLoop::<Wake>::with_user_event()
        .build()
        .map_err(|error| AppError::NoDisplay(error.to_string()))?;
    let wake = event_loop.create_proxy();
    let mut app = App { options: Some(options), wake, shell: None, failure: None };
    let ended = event_loop.run_app(&mut app);
    if let Some(failure) = app.failure {
        return Err(failure);
    }
    Ok(ended?)
}

/// What is missing for a window, where that can be told beforehand.
fn missing_display(lookup: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<String> {
    if cfg!(any(windows, target_os = "macos")) {
        return None;
    }
    let names = ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"];
    let set = names.iter().any(|name| lookup(name).is_some_and(|value| !value.is_empty()));
    (!set).then(|| "neither DISPLAY nor WAYLAND_DISPLAY is set".into())
}

/// What winit talks to: makes the shell when the system is ready, passes events on, and ends at a failure.
struct App {
    options: Option<AppOptions>,
    wake: EventLoopProxy<Wake>,
    shell: Option<Shell>,
    failure: Option<AppError>,
}

impl App {
    fn end_if_failed(&mut self, event_loop: &ActiveEventLoop, result: Result<(), AppError>) {
        if let Err(failure) = result {
            self.failure.get_or_insert(failure);
            event_loop.exit();
        }
    }
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let Some(options) = self.options.take() else { return };
        match Shell::new(event_loop, self.wake.clone(), options) {
            Ok(shell) => self.shell = Some(shell),
            Err(failure) => self.end_if_failed(event_loop, Err(failure)),
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if let (StartCause::ResumeTimeReached { .. }, Some(shell)) = (cause, &mut self.shell) {
            shell.request_frame();
        }
    }

    fn user_event(&mut self, _: &ActiveEventLoop, Wake: Wake) {
        if let Some(shell) = &mut self.shell {
            shell.request_frame();
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        if let Some(shell) = &self.shell {
            shell.keep_pipelines();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shell) = &mut self.shell else { return };
        if self.failure.is_some() {
            return;
        }
        let result = shell.event(event_loop, &event);
        self.end_if_failed(event_loop, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_display_is_told_and_what_to_do_instead() {
        if cfg!(any(windows, target_os = "macos")) {
            return;
        }
        let cause = missing_display(|name| (name == "DISPLAY").then(Default::default)).expect("no display");
        assert!(AppError::NoDisplay(cause).to_string().contains("dryad render"));
        assert_eq!(missing_display(|name| (name == "WAYLAND_DISPLAY").then(|| "wayland-0".into())), None);
        assert_eq!(missing_display(|name| (name == "DISPLAY").then(|| ":0".into())), None);
    }
}
