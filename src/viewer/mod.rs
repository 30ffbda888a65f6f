//! Owns everything but the window; the window, the command line and tests are thin shells around it.

pub mod command;
mod draw;
mod export;
mod history;
pub mod jobs;
mod loading;
mod offline;
mod pick;
mod places;
mod scene;
mod setup;
pub mod status;
pub mod transport;

pub use crate::render::camera::ViewDirection;
pub use command::{Command, LightSource, Source};
pub(crate) use jobs::built_in;
pub use offline::{GROWN_LIMIT, Take, WarmUp};
pub use pick::Pick;
pub use setup::Setup;
pub use status::{Notice, Status};
pub use transport::{LoopMode, SimClock};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;

use crate::character::load::LoadError;
use crate::character::{Character, SkinnedSurface};
use crate::export::{ExportError, ExportSummary};
use crate::frame::{self, TickInputs};
use crate::gpu::{BuildError, Gpu, Profiler, ShaderLibrary};
use crate::params::Params;
use crate::render::Renderer;
use crate::render::camera::Orbit;
use crate::render::environment::{EnvironmentError, EnvironmentPicture};
use crate::session::{self, Session};
use crate::sim::growth::GrowthPlan;
use crate::sim::{Simulations, TICKS_PER_SECOND};
use history::History;
use jobs::Job;
use scene::Stage;

/// Why the viewer could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// The file cannot be shown.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The picture gives no light.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A pass does not build: a fault of the program.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A worker thread died: a fault of the program.
    #[error("{0} failed unexpectedly; please report the file that did it")]
    Worker(String),
    /// Growth did not come to an end.
    #[error("growth has not finished after {0} ticks; try a larger step or a larger kill distance")]
    NotGrown(u64),
    /// The device reported errors.
    #[error("the graphics device reported: {0}")]
    Device(String),
}

/// The program without its window.
#[derive(Debug)]
pub struct Viewer {
    /// The device.
    pub gpu: Gpu,
    /// All parameters; change them at will, they act on the next frame.
    pub params: Params,
    /// The camera.
    pub camera: Orbit,
    /// Clip speed, 0.05 to 4.
    pub speed: f64,
    /// How the clip goes on at its end.
    pub loop_mode: LoopMode,
    shaders: ShaderLibrary,
    profiler: Profiler,
    simulations: Simulations,
    renderer: Renderer,
    stage: Option<Stage>,
    restore: Option<setup::Restore>,
    /// Width over height of the last picture, which decides how far a framed camera stands.
    aspect: f64,
    loading: Option<(Source, Job<Result<Character, LoadError>>)>,
    /// The light in use, and the one that is on its way.
    light: LightSource,
    light_loading: Option<(PathBuf, Job<Result<EnvironmentPicture, EnvironmentError>>)>,
    planning: Option<Job<Option<GrowthPlan>>>,
    exporting: Option<(PathBuf, Job<Result<ExportSummary, ExportError>>)>,
    clock: SimClock,
    interpolation: f32,
    /// Where the pointer is over the character, world metres.
    pointer: Option<Vec3>,
    /// The joint that was last said to be missing.
    goal_missed: Option<Arc<str>>,
    clip_playing: bool,
    simulations_running: bool,
    seed: u32,
    history: History,
    commands: Vec<Command>,
    notices: Vec<Notice>,
}

/// Defaults that suit the adapter: software draws and computes on the CPU and gets less to do.
#[must_use]
pub fn defaults_for(gpu: &Gpu) -> Params {
    let mut params = Params::default();
    if gpu.is_software() {
        params.boids.count = 2048;
        params.boids.size = 0.014;
        params.boids.shape = 0;
        params.boids.field_resolution = 20;
        params.boids.field_depth = 3;
        params.boids.field_points = 4096;
        params.view.msaa = 0;
        params.light.shadows = 1;
        params.light.bloom = 0.0;
    }
    params
}

/// Seed of a fresh start.
pub const DEFAULT_SEED: u32 = 1;

impl Viewer {
    /// A viewer without a character; send [`Command::Open`] to have one.
    ///
    /// # Errors
    /// When a shader does not build.
    pub fn new(gpu: Gpu) -> Result<Self, ViewerError> {
        let shaders = ShaderLibrary::embedded();
        let params = defaults_for(&gpu);
        Ok(Self {
            profiler: Profiler::new(&gpu),
            simulations: Simulations::new(&gpu, &shaders)?,
            renderer: Renderer::new(&gpu, &shaders)?,
            history: History::new(&params, DEFAULT_SEED),
            params,
            camera: Orbit::default(),
            aspect: 16.0 / 9.0,
            speed: 1.0,
            loop_mode: LoopMode::Loop,
            shaders,
            stage: None,
            restore: None,
            loading: None,
            light: LightSource::Studio,
            light_loading: None,
            planning: None,
            exporting: None,
            clock: SimClock::default(),
            interpolation: 1.0,
            pointer: None,
            goal_missed: None,
            clip_playing: true,
            simulations_running: true,
            seed: DEFAULT_SEED,
            commands: Vec::new(),
            notices: Vec::new(),
            gpu,
        })
    }

    /// The character on show.
    #[must_use]
    pub fn character(&self) -> Option<&Arc<Character>> {
        self.stage.as_ref().map(|stage| &stage.character)
    }

    /// The simulations, for reports.
    #[must_use]
    pub fn simulations(&self) -> &Simulations {
        &self.simulations
    }

    /// The posed surface, for reports.
    #[must_use]
    pub fn surface(&self) -> Option<&SkinnedSurface> {
        self.stage.as_ref().map(|stage| &stage.surface)
    }

    /// The seed in use.
    #[must_use]
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Uses another seed for whatever starts next.
    pub fn set_seed(&mut self, seed: u32) {
        self.seed = seed;
    }

    /// Puts the camera where the whole character is seen over a clip.
    pub fn frame_clip(&mut self, clip: Option<usize>) {
        if let Some(stage) = &self.stage {
            let bounds = stage.character.bounds(clip);
            self.camera.frame(bounds.min, bounds.max);
        }
    }

    /// Mean GPU milliseconds a pass, where the adapter can tell.
    #[must_use]
    pub fn mean_gpu_ms(&self) -> std::collections::BTreeMap<String, f64> {
        self.profiler.mean_ms()
    }

    /// Queues a request for the start of the next frame.
    pub fn send(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Whether a frame without user input would differ from the last one, or work is on its way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.clip_playing && self.stage.as_ref().is_some_and(|stage| stage.clip.is_some())
            || self.simulations_running && (self.params.growth.enabled || self.params.boids.enabled)
            || self.loading.is_some()
            || self.light_loading.is_some()
            || self.planning.is_some()
            || self.exporting.is_some()
            || !self.commands.is_empty()
    }

    /// Carries out commands, finishes loads, and runs the ticks that `dt_secs` owes. Waits for nothing.
    pub fn update(&mut self, dt_secs: f64) {
        for command in std::mem::take(&mut self.commands) {
            if let Err(error) = self.carry_out(command) {
                self.notices.push(Notice::Error(error.to_string()));
            }
        }
        self.history.record(&self.params, self.seed);
        self.finish_load();
        self.finish_light();
        self.finish_plan();
        self.finish_export();
        let dt_secs = if dt_secs.is_finite() { dt_secs.clamp(0.0, 1.0) } else { 0.0 };
        let Some(stage) = &mut self.stage else { return };
        let clip_before = stage.elapsed_secs;
        if self.clip_playing {
            stage.elapsed_secs += dt_secs * self.speed;
        }
        let clip_after = stage.elapsed_secs;
        if self.simulations_running && dt_secs > 0.0 {
            // A software adapter that cannot keep up shows slower simulations, not slower frames.
            let cap = if self.gpu.is_software() { 2 } else { 8 };
            let due = self.clock.advance(dt_secs, cap);
            self.interpolation = due.interpolation;
            let first = self.clock.ticks_done() - u64::from(due.ticks);
            for k in 0..due.ticks {
                let part = f64::from(k + 1) / f64::from(due.ticks);
                let elapsed = clip_before + (clip_after - clip_before) * part;
                self.try_tick(first + u64::from(k), elapsed);
            }
        }
        self.simulations.growth.poll(&self.gpu);
        let news = self.simulations.growth.take_news();
        self.notices.extend(news.into_iter().map(Notice::Info));
        self.gpu.poll();
        for error in self.gpu.take_errors() {
            self.notices.push(Notice::Error(format!("the graphics device reported: {error}")));
        }
    }

    /// Runs one tick with the clip at `elapsed_secs`.
    fn tick(&mut self, tick: u64, elapsed_secs: f64) -> Result<(), BuildError> {
        let goal_joint = self.goal_joint();
        let Some(stage) = &mut self.stage else { return Ok(()) };
        let pose = stage.poser.pose(
            &stage.character.data,
            stage.clip,
            transport::clip_time(elapsed_secs, stage.clip_duration_secs(), self.loop_mode),
        );
        let inputs = TickInputs {
            pose,
            tick,
            seed: self.seed,
            extent_m: stage.character.rest.extent,
            center: stage.bounds.center(),
            pointer: self.pointer,
            goal_joint,
        };
        frame::record_tick(
            &self.gpu,
            &mut self.profiler,
            &mut self.simulations,
            &stage.surface,
            &self.params,
            &inputs,
        )
    }

    /// A tick of the window: a failure is told once and holds the simulations.
    fn try_tick(&mut self, tick: u64, elapsed_secs: f64) {
        if let Err(error) = self.tick(tick, elapsed_secs) {
            self.notices.push(Notice::Error(error.to_string()));
            self.simulations_running = false;
        }
    }

    /// Starts growth, flock and folds again. A new seed needs a new plan, which [`Viewer::finish_plan`] asks for.
    fn restart(&mut self) -> Result<(), BuildError> {
        self.clock.restart();
        self.interpolation = 1.0;
        self.simulations.boids.reset(self.seed);
        self.simulations.wrinkles.restart();
        self.simulations.growth.restart(&self.gpu, &self.params.growth)
    }

    fn carry_out(&mut self, command: Command) -> Result<(), BuildError> {
        match command {
            Command::Open(source) => self.loading = Some((source.clone(), jobs::load(source))),
            Command::CancelOpen => self.loading = None,
            Command::Light(LightSource::Studio) => self.use_studio(),
            Command::Light(LightSource::File(path)) => {
                self.light_loading = Some((path.clone(), jobs::load_light(path)));
            }
            Command::Export(path) => self.start_export(path),
            Command::CancelExport => self.exporting = None,
            Command::PlayClip(clip) => {
                if let Some(stage) = &mut self.stage {
                    stage.play(clip);
                    self.simulations.wrinkles.restart();
                }
            }
            Command::ShowVariant(variant) => {
                if let Some(mut stage) = self.stage.take() {
                    stage.variant = variant.filter(|&index| index < stage.character.data.variants.len());
                    let outcome = self.show_variant(&stage);
                    self.stage = Some(stage);
                    return outcome;
                }
            }
            Command::LookThrough(None) => self.look_freely(),
            Command::LookThrough(camera) => {
                if let Some(stage) = &mut self.stage {
                    stage.camera = camera.filter(|&index| index < stage.character.data.cameras.len());
                }
            }
            Command::Seek(secs) => {
                if let Some(stage) = &mut self.stage {
                    stage.elapsed_secs = secs.clamp(0.0, stage.clip_duration_secs());
                    self.simulations.wrinkles.restart();
                }
            }
            Command::StepClip(ticks) => {
                self.clip_playing = false;
                if let Some(stage) = &mut self.stage {
                    let step_secs = f64::from(ticks) / f64::from(TICKS_PER_SECOND);
                    let duration = stage.clip_duration_secs();
                    let now = transport::clip_time(stage.elapsed_secs, duration, self.loop_mode);
                    stage.elapsed_secs = transport::clip_time(now + step_secs, duration, LoopMode::Loop);
                }
            }
            Command::ToggleClip => self.clip_playing = !self.clip_playing,
            Command::ToggleSimulations => self.simulations_running = !self.simulations_running,
            Command::StepSimulations => {
                self.simulations_running = false;
                if let Some(elapsed) = self.stage.as_ref().map(|stage| stage.elapsed_secs) {
                    self.clock.step();
                    self.interpolation = 1.0;
                    self.try_tick(self.clock.ticks_done() - 1, elapsed);
                }
            }
            Command::Restart { new_seed } => {
                if new_seed {
                    self.seed = next_seed(self.seed);
                }
                return self.restart();
            }
            Command::SetSeed(seed) => {
                self.seed = seed;
                return self.restart();
            }
            Command::FrameCharacter => {
                if let Some(stage) = &mut self.stage {
                    stage.camera = None;
                    self.camera.frame(stage.bounds.min, stage.bounds.max);
                }
            }
            Command::LookFrom(direction) => {
                self.look_freely();
                self.camera.look_from(direction);
            }
            Command::Undo => {
                if let Some((params, seed)) = self.history.undo(&self.params, self.seed) {
                    return self.apply_state(params, seed);
                }
            }
            Command::Redo => {
                if let Some((params, seed)) = self.history.redo() {
                    return self.apply_state(params, seed);
                }
            }
            Command::Preset(preset) => {
                let defaults = defaults_for(&self.gpu);
                let left_out = preset.apply(&mut self.params, &defaults);
                self.notices.extend(left_out.into_iter().map(Notice::Info));
            }
            Command::RootAt { place_px, picture_px } => self.add_root(place_px, picture_px),
            Command::ClearRoots => self.params.growth.root_points = "".into(),
            Command::ResetParams => self.params = defaults_for(&self.gpu),
        }
        Ok(())
    }

    fn apply_state(&mut self, params: Params, seed: u32) -> Result<(), BuildError> {
        self.params = params;
        if seed == self.seed {
            return Ok(());
        }
        self.seed = seed;
        self.restart()
    }

    /// What the panel shows.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut status = Status {
            adapter: self.gpu.adapter_line(),
            software: self.gpu.is_software(),
            loading: self.loading.as_ref().map(|(source, job)| (source.describe(), job.progress.fraction())),
            light: self.light.path().map(|path| path.display().to_string()),
            light_loading: self.light_loading.as_ref().map(|(path, _)| path.display().to_string()),
            exporting: self.exporting.as_ref().map(|(path, job)| (name_of(path), job.progress.fraction())),
            clip_playing: self.clip_playing,
            simulations_running: self.simulations_running,
            tick: self.clock.ticks_done(),
            seed: self.seed,
            gpu_ms: self.profiler.last_ms(),
            gpu_bytes: self.gpu.memory.total(),
            can_undo: self.history.can_undo(),
            can_redo: self.history.can_redo(),
            ..Status::default()
        };
        if let Some(stage) = &self.stage {
            stage.describe(&mut status, self.loop_mode);
            status.growth = status::growth_line(self.planning.is_some(), &self.simulations.growth.status());
            status.boids = self
                .simulations
                .boids
                .flock()
                .map_or_else(String::new, |flock| format!("{} boids", flock.count));
            status.wrinkles = format!("{} field vertices", stage.character.topology.fans.len());
        }
        status
    }

    /// What the user should be told, once.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// The present state as a session. `with_model` names the files of model and light; pictures leave them out.
    #[must_use]
    pub fn session(&self, with_model: bool) -> Session {
        let stage = self.stage.as_ref();
        Session {
            version: session::VERSION,
            model: stage.filter(|_| with_model).and_then(|stage| stage.source.name()),
            environment: self.light.path().filter(|_| with_model).cloned(),
            clip: stage.and_then(|stage| Some(stage.character.data.clips.get(stage.clip?)?.name.clone())),
            variant: stage.and_then(|stage| stage.character.data.variants.get(stage.variant?).cloned()),
            model_camera: stage
                .and_then(|stage| Some(stage.character.data.cameras.get(stage.camera?)?.name.clone())),
            time: stage.map_or(0.0, |stage| {
                transport::clip_time(stage.elapsed_secs, stage.clip_duration_secs(), self.loop_mode)
            }),
            seed: self.seed,
            camera: Some(self.camera.state(self.aspect)),
            params: session::params_to_toml(&self.params),
        }
    }
}

/// A path's last part.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Another seed, from the last one: drawing seeds needs no clock.
fn next_seed(seed: u32) -> u32 {
    let mut x = seed.wrapping_add(0x9e37_79b9);
    x = (x ^ (x >> 16)).wrapping_mul(0x21f0_aaad);
    x = (x ^ (x >> 15)).wrapping_mul(0x735a_2d97);
    (x ^ (x >> 15)) % 1_000_000
}
