//! The character: loading, posing and skinning, and the geometry that simulations ask about.

pub mod animate;
pub mod cpu_skin;
pub mod data;
pub mod info;
pub mod load;
pub mod surface;
pub mod topology;
pub mod volume;
