//! The clip's time and the simulations' clock: what runs, how fast, and how many ticks a frame owes.

use crate::sim::TICKS_PER_SECOND;

/// How a clip goes on at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LoopMode {
    /// From the start again.
    #[default]
    Loop,
    /// Stays at the end.
    Once,
    /// Back and forth.
    PingPong,
}

/// Where in a clip of `duration_secs` one is after playing for `elapsed_secs` (may be negative while warming
/// up). Exactly one duration is the clip's end, not its start, so that a seek to the end shows the end.
#[must_use]
pub fn clip_time(elapsed_secs: f64, duration_secs: f64, mode: LoopMode) -> f64 {
    if duration_secs.is_nan() || duration_secs <= 0.0 || !elapsed_secs.is_finite() {
        return 0.0;
    }
    match mode {
        LoopMode::Once => elapsed_secs.clamp(0.0, duration_secs),
        LoopMode::Loop => {
            if elapsed_secs == duration_secs {
                duration_secs
            } else {
                elapsed_secs.rem_euclid(duration_secs)
            }
        }
        LoopMode::PingPong => {
            let phase = elapsed_secs.rem_euclid(2.0 * duration_secs);
            if phase <= duration_secs { phase } else { 2.0 * duration_secs - phase }
        }
    }
}

/// The ticks of one frame, and where between the last two of them the frame stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DueTicks {
    /// Ticks to run now.
    pub ticks: u32,
    /// 0 shows the state before the last tick, 1 the state after it.
    pub interpolation: f32,
}

/// Turns time that passes into fixed ticks. Ticks run to the end of the tick the frame falls into, and the
/// frame is drawn between the last two, so that nothing lags, repeats or depends on the display's rate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SimClock {
    time_secs: f64,
    ticks_done: u64,
}

impl SimClock {
    /// Ticks run since the start.
    #[must_use]
    pub fn ticks_done(&self) -> u64 {
        self.ticks_done
    }

    /// Lets time pass. At most `cap` ticks are owed; what a hitch lost beyond that is dropped, not made up for.
    pub fn advance(&mut self, dt_secs: f64, cap: u32) -> DueTicks {
        if dt_secs.is_finite() && dt_secs > 0.0 {
            self.time_secs += dt_secs;
        }
        let rate = f64::from(TICKS_PER_SECOND);
        // A frame that falls on a tick must not owe the next one for want of the last bit.
        let wanted = (self.time_secs * rate - 1e-6).ceil().max(0.0) as u64;
        let owed = wanted.saturating_sub(self.ticks_done);
        if owed > u64::from(cap) {
            self.time_secs = (self.ticks_done + u64::from(cap)) as f64 / rate;
        }
        let ticks = owed.min(u64::from(cap)) as u32;
        self.ticks_done += u64::from(ticks);
        let behind = self.ticks_done as f64 - self.time_secs * rate;
        DueTicks { ticks, interpolation: (1.0 - behind).clamp(0.0, 1.0) as f32 }
    }

    /// Runs exactly one tick, whatever the time.
    pub fn step(&mut self) {
        self.ticks_done += 1;
        self.time_secs = self.ticks_done as f64 / f64::from(TICKS_PER_SECOND);
    }

    /// Stands right at the end of tick `ticks`; for takes, whose ticks follow frame numbers.
    pub fn set_ticks_done(&mut self, ticks: u64) {
        self.ticks_done = ticks;
        self.time_secs = ticks as f64 / f64::from(TICKS_PER_SECOND);
    }

    /// Back to tick 0.
    pub fn restart(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_clip_is_its_end_and_beyond_it_is_its_start() {
        assert_eq!(clip_time(2.0, 2.0, LoopMode::Loop), 2.0);
        assert_eq!(clip_time(2.5, 2.0, LoopMode::Loop), 0.5);
        assert_eq!(clip_time(-0.5, 2.0, LoopMode::Loop), 1.5);
        assert_eq!(clip_time(2.5, 2.0, LoopMode::Once), 2.0);
        assert_eq!(clip_time(2.5, 2.0, LoopMode::PingPong), 1.5);
        assert_eq!(clip_time(1.0, 0.0, LoopMode::Loop), 0.0);
        assert_eq!(clip_time(f64::NAN, 1.0, LoopMode::Loop), 0.0);
    }

    /// Ten seconds at any rate are 600 ticks, and each frame stands between the last two.
    #[test]
    fn ticks_do_not_depend_on_the_display() {
        for rate in [24.0, 30.0, 60.0, 144.0] {
            let mut clock = SimClock::default();
            for frame in 1..=(10.0 * rate) as u32 {
                let due = clock.advance(1.0 / rate, 8);
                let stands = clock.ticks_done() as f64 - 1.0 + f64::from(due.interpolation);
                // Within 1e-4 of a tick: f32 interpolation and a sum of 1,440 f64 steps.
                assert!((stands - f64::from(frame) * 60.0 / rate).abs() < 1e-4);
            }
            assert_eq!(clock.ticks_done(), 600);
        }
    }

    #[test]
    fn a_hitch_is_capped() {
        let mut clock = SimClock::default();
        assert_eq!(clock.advance(5.0, 8).ticks, 8);
        assert_eq!(clock.advance(1.0 / 60.0, 8).ticks, 1);
        assert_eq!(clock.advance(f64::NAN, 8).ticks, 0);
    }
}
