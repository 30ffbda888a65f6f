//! The flock, and the field by which the body steers it.

pub mod params;

pub use params::BoidsParams;

use crate::gpu::Buffer;

crate::gpu_struct! {
    /// One boid.
    pub struct Boid {
        /// World position in metres.
        pub position: [f32; 3],
        /// Padding.
        pub pad0: f32,
        /// Metres a second; never zero, so that it always has a heading.
        pub velocity: [f32; 3],
        /// Padding.
        pub pad1: f32,
    }
}

/// What the renderer gets of the flock: drawing interpolates from `previous` to `current`.
#[derive(Debug, Clone, Copy)]
pub struct Flock<'a> {
    /// States a tick ago, in the order of ids.
    pub previous: &'a Buffer<Boid>,
    /// States now, in the order of ids.
    pub current: &'a Buffer<Boid>,
    /// Number of boids.
    pub count: u32,
}
