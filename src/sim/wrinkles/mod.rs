//! Strain of the skin, and the folds it makes.

pub mod params;

pub use params::WrinklesParams;

use crate::gpu::Buffer;

crate::gpu_struct! {
    /// Strain at one vertex of the surface; coincident vertices hold equal values.
    pub struct StrainVertex {
        /// Unit direction of greatest compression on the rest surface, world space.
        pub rest_direction: [f32; 3],
        /// Compression along it: 1 - length now / length at rest, 0 when stretched.
        pub compression: f32,
        /// The same direction carried to the posed surface, unit, world space.
        pub direction: [f32; 3],
        /// Greatest stretch: length now / length at rest - 1, 0 when compressed all round.
        pub stretch: f32,
    }
}

/// What the renderer gets of the strain: one entry a surface vertex.
#[derive(Debug, Clone, Copy)]
pub struct Strain<'a> {
    /// Strain of every surface vertex.
    pub vertices: &'a Buffer<StrainVertex>,
}
