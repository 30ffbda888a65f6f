//! The simulations: fixed ticks over the skinned surface.
//!
//! Each simulation has kernels (made once) and state (buffers). A simulation sees the surface, the tick's
//! number and its own parameters; never another simulation nor the renderer. What it hands out is buffers.

pub mod boids;
pub mod growth;
pub mod wrinkles;

use glam::Vec3;

use crate::character::SkinnedSurface;

/// Ticks a second, whatever the display does.
pub const TICKS_PER_SECOND: u32 = 60;

/// What every simulation may read in a tick.
#[derive(Debug, Clone, Copy)]
pub struct SimInputs<'a> {
    /// The skin and joint matrices, posed at this tick's own time.
    pub surface: &'a SkinnedSurface,
    /// Number of this tick, from 0.
    pub tick: u64,
    /// Length of a tick in seconds.
    pub dt_secs: f32,
    /// Seed of all randomness.
    pub seed: u32,
    /// H in metres: all length parameters are fractions of it.
    pub extent_m: f32,
    /// Middle of the character over its clip, world metres: where the flock's boundary stands.
    pub center: Vec3,
}
