//! Strain of the skin, and the folds it makes.

pub mod params;

pub use params::WrinklesParams;

use crate::gpu::Buffer;

crate::gpu_struct! {
    /// Strain at one vertex of the surface; coincident vertices hold equal values, and all values are finite.
    ///
    /// # Drawing folds from it
    /// A fold's height at a vertex is `A · wave.x`, with `A` a length that grows with the compression:
    /// `A = depth · smoothstep(min_compression, max_compression, ε) · strength · L/π · √(ε·(1 − ε/4))`,
    /// `ε = min(compression, 0.5)`, L the wavelength in metres (`params.wavelength` · H). Crests and valleys
    /// lie *across* `rest_direction`. `wave` is the complex number `e^{iφ}` of the fold's phase φ, and φ grows
    /// by 2π a wavelength along `rest_direction`.
    ///
    /// `direction` is a line, not an arrow: `(rest_direction, wave)` and `(-rest_direction, conj(wave))` mean
    /// the same fold, so draw only what is the same for both (even profiles: functions of `Re`). Neighbours
    /// mostly agree in sign, yet not everywhere.
    ///
    /// - *Right on every mesh* (the corners of a triangle pulled by `vertex_index`, so that all three reach the
    ///   fragment flat; barycentric weights b): each corner n continues its own wave into the triangle,
    ///   `h = Σ b_n · A_n · Re(wave_n · e^{iψ_n})` with `ψ_n = 2π/L · dot(x − x_n, rest_direction_n)`, where x
    ///   is the interpolated and x_n the corner's *rest* position. It is continuous over edges, wherever the
    ///   signs flip, and keeps its wavelength when triangles are larger than folds.
    /// - *Simple* (an indexed draw, `wave` a varying; good while a wavelength spans three edges or more):
    ///   `h = A · Z.x / √(|Z|² + 0.02)` with Z the interpolated `wave`.
    ///
    /// The normal is `normalise(n − ∇h)`, ∇h the gradient of h over the posed surface (in the fragment:
    /// `g₁ = dpdx(position)`, `g₂ = dpdy(position)`, `N = g₁ × g₂`,
    /// `∇h = (dpdx(h)·(g₂ × N) + dpdy(h)·(N × g₁)) / |N|²`, guarded for N = 0).
    pub struct StrainVertex {
        /// Unit direction of greatest compression on the rest surface, world space, tangent to it.
        pub rest_direction: [f32; 3],
        /// Compression along it: 1 − length now / length at rest; between 0 (none, or stretched) and 1.
        pub compression: f32,
        /// The same direction carried to the posed surface, unit, world space, square to the posed normal.
        pub direction: [f32; 3],
        /// Greatest stretch in any direction: length now / length at rest − 1, 0 when compressed all round.
        pub stretch: f32,
        /// The fold's phase as a unit complex number (cosine, sine).
        pub wave: [f32; 2],
        /// How much the compression has a direction: 0 when alike all round (which folds nothing), 1 when clear.
        pub strength: f32,
        /// Padding.
        pub pad0: f32,
    }
}

/// What the renderer gets of the strain: one entry a surface vertex.
#[derive(Debug, Clone, Copy)]
pub struct Strain<'a> {
    /// Strain of every surface vertex.
    pub vertices: &'a Buffer<StrainVertex>,
}
