//! Frame-exact rendering without a window: ticks follow the frame's number, never a clock.

use super::{LightSource, LoopMode, Source, Viewer, ViewerError, jobs};
use crate::render::Targets;
use crate::sim::TICKS_PER_SECOND;

/// Ticks after which growth is given up on.
pub const GROWN_LIMIT: u64 = 36_000;

/// Ticks a flock needs to settle, where no growth tells how long to wait.
const SETTLE_TICKS: u64 = 240;

/// How many growth ticks run between two looks at whether it has finished.
const GROWN_STRIDE: u64 = 30;

/// What runs before frame 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUp {
    /// So many ticks.
    Ticks(u64),
    /// Until growth has finished.
    Grown,
}

/// A take: what stands at frame 0, and how fast frames follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Take {
    /// The clip; none shows the rest pose.
    pub clip: Option<usize>,
    /// Clip time of frame 0, clamped to the clip's ends.
    pub time_secs: f64,
    /// Frames a second.
    pub fps: f64,
    /// What runs before frame 0.
    pub warm_up: WarmUp,
}

/// A take under way.
#[derive(Debug)]
pub struct TakeState {
    take: Take,
    warm_up_ticks: u64,
    ticks_done: u64,
    growth_ticks_done: u64,
}

impl TakeState {
    /// Ticks run so far, warm-up included.
    #[must_use]
    pub fn ticks_done(&self) -> u64 {
        self.ticks_done
    }
}

impl Viewer {
    /// Loads a character and plans its growth, waiting for both.
    ///
    /// # Errors
    /// When the file cannot be shown.
    pub fn load_now(&mut self, source: Source) -> Result<(), ViewerError> {
        let character = jobs::load(source.clone())
            .wait()
            .ok_or_else(|| ViewerError::Worker(format!("loading {}", source.describe())))??;
        self.install(source, character)
    }

    /// Lights the scene, waiting for the file to be read.
    ///
    /// # Errors
    /// When the file gives no light; the present light stays.
    pub fn light_now(&mut self, light: &LightSource) -> Result<(), ViewerError> {
        let Some(path) = light.path() else {
            self.use_studio();
            return Ok(());
        };
        let picture = jobs::load_light(path.clone())
            .wait()
            .ok_or_else(|| ViewerError::Worker(format!("reading {}", path.display())))??;
        self.install_light(path.clone(), &picture)
    }

    /// Plans growth for the present parameters, waiting for the plan.
    fn plan_now(&mut self) -> Result<(), ViewerError> {
        let Some(stage) = &self.stage else { return Ok(()) };
        if !self.params.growth.enabled {
            return Ok(());
        }
        let job = jobs::plan(std::sync::Arc::clone(&stage.character), &self.params, self.seed);
        match job.wait() {
            Some(Some(plan)) => self.install_plan(plan),
            _ => Err(ViewerError::Worker("planning growth".into())),
        }
    }

    /// Starts a take from tick 0 and runs its warm-up. `progress` is told the ticks done.
    ///
    /// # Errors
    /// When growth does not finish, a kernel does not bind, or the device reports errors.
    pub fn begin_take(&mut self, take: Take, progress: &dyn Fn(u64)) -> Result<TakeState, ViewerError> {
        self.loop_mode = LoopMode::Loop;
        if let Some(stage) = &mut self.stage {
            stage.play(take.clip);
        }
        self.plan_now()?;
        self.restart()?;
        let duration_secs = self.stage.as_ref().map_or(0.0, super::scene::Stage::clip_duration_secs);
        let take = Take { time_secs: take.time_secs.clamp(0.0, duration_secs), ..take };
        let mut state = TakeState { take, warm_up_ticks: 0, ticks_done: 0, growth_ticks_done: 0 };
        state.warm_up_ticks = match take.warm_up {
            WarmUp::Ticks(ticks) => ticks,
            WarmUp::Grown if self.params.growth.enabled => self.grow_to_the_end(&mut state, progress)?,
            WarmUp::Grown if self.params.boids.enabled => SETTLE_TICKS,
            WarmUp::Grown => 0,
        };
        let warm_up_ticks = state.warm_up_ticks;
        self.run_ticks_to(&mut state, warm_up_ticks, progress)?;
        // Milliseconds a frame must not count a warm-up of hundreds of ticks.
        self.profiler.discard();
        Ok(state)
    }

    /// Growth knows nothing of poses or the flock, so it may run ahead; the flock then follows with the right
    /// poses, which depend on how long growth took.
    fn grow_to_the_end(&mut self, state: &mut TakeState, progress: &dyn Fn(u64)) -> Result<u64, ViewerError> {
        let boids_enabled = std::mem::replace(&mut self.params.boids.enabled, false);
        let wrinkles_enabled = std::mem::replace(&mut self.params.wrinkles.enabled, false);
        // A cycle that is too short to grow up in would never end.
        let continuous = std::mem::replace(&mut self.params.growth.continuous, false);
        let outcome = loop {
            if self.simulations.growth.is_finished(&self.gpu) {
                break Ok(state.growth_ticks_done);
            }
            if state.growth_ticks_done >= GROWN_LIMIT {
                break Err(ViewerError::NotGrown(GROWN_LIMIT));
            }
            for _ in 0..GROWN_STRIDE {
                if let Err(error) = self.tick(state.growth_ticks_done, state.take.time_secs) {
                    self.params.boids.enabled = boids_enabled;
                    self.params.wrinkles.enabled = wrinkles_enabled;
                    self.params.growth.continuous = continuous;
                    return Err(error.into());
                }
                state.growth_ticks_done += 1;
            }
            progress(state.growth_ticks_done);
        };
        self.params.boids.enabled = boids_enabled;
        self.params.wrinkles.enabled = wrinkles_enabled;
        self.params.growth.continuous = continuous;
        outcome
    }

    fn run_ticks_to(
        &mut self,
        state: &mut TakeState,
        target: u64,
        progress: &dyn Fn(u64),
    ) -> Result<(), ViewerError> {
        let growth_enabled = self.params.growth.enabled;
        let wrinkles_enabled = self.params.wrinkles.enabled;
        while state.ticks_done < target {
            let tick = state.ticks_done;
            // The state after this tick stands at the tick's end.
            let since_frame_0 = (tick + 1) as f64 - state.warm_up_ticks as f64;
            let elapsed = state.take.time_secs + since_frame_0 / f64::from(TICKS_PER_SECOND);
            self.params.growth.enabled = growth_enabled && tick >= state.growth_ticks_done;
            // Folds start afresh with their first tick, so that all before the last of a warm-up would be in vain.
            self.params.wrinkles.enabled = wrinkles_enabled && tick + 1 >= state.warm_up_ticks;
            let outcome = self.tick(tick, elapsed);
            self.params.growth.enabled = growth_enabled;
            self.params.wrinkles.enabled = wrinkles_enabled;
            outcome?;
            state.ticks_done += 1;
            state.growth_ticks_done = state.growth_ticks_done.max(state.ticks_done);
            if state.ticks_done.is_multiple_of(16) {
                progress(state.ticks_done);
            }
        }
        self.check_device()
    }

    /// Runs the ticks up to a frame without drawing it.
    ///
    /// # Errors
    /// When the device reports errors.
    pub fn simulate_frame(&mut self, state: &mut TakeState, frame: u64) -> Result<(), ViewerError> {
        let in_ticks = frame as f64 * f64::from(TICKS_PER_SECOND) / state.take.fps;
        // A frame that falls on a tick must not owe the next one for want of the last bit.
        let whole = (in_ticks - 1e-6).ceil().max(0.0);
        let target = state.warm_up_ticks + whole as u64;
        self.run_ticks_to(state, target, &|_| ())?;
        self.interpolation =
            if whole > 0.0 { (1.0 - (whole - in_ticks)).clamp(0.0, 1.0) as f32 } else { 1.0 };
        self.clock.set_ticks_done(state.ticks_done);
        if let Some(stage) = &mut self.stage {
            let elapsed = state.take.time_secs + frame as f64 / state.take.fps;
            stage.elapsed_secs = if frame == 0 { state.take.time_secs } else { elapsed };
        }
        Ok(())
    }

    /// Draws a frame that [`Viewer::simulate_frame`] has reached.
    ///
    /// # Errors
    /// When the device reports errors.
    pub fn draw_frame(&mut self, targets: &mut Targets, transparent: bool) -> Result<(), ViewerError> {
        self.draw_fine(targets, transparent)?;
        self.gpu.poll();
        self.check_device()
    }

    fn check_device(&mut self) -> Result<(), ViewerError> {
        match self.gpu.take_errors().into_iter().next() {
            Some(error) => Err(ViewerError::Device(error)),
            None => Ok(()),
        }
    }
}
