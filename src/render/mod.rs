//! Draws the character and what the simulations produced.

pub mod params;
