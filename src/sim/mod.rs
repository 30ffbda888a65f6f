//! The simulations: fixed ticks over the skinned surface.

pub mod boids;
pub mod growth;
pub mod wrinkles;
