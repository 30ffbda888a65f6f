//! Dryad opens an animated glTF character and lets three GPU simulations live on it: branches that grow
//! inside the body, a flock that flows round it, and folds where its skin is compressed.
//!
//! Where to look:
//! - [`character`]: files → data → poses → skinned vertices on the GPU, the one surface that everything reads.
//! - [`sim`]: the simulations, in fixed ticks; they see the surface and nothing else.
//! - [`render`]: draws the character and what the simulations produced.
//! - [`gpu`]: device, shader library, buffers, passes bound by name, timing, readback.
//! - [`params`]: the one table of parameters that the panel, sessions, [`presets`] and the command line share.
//! - [`viewer`]: owns all of it but the window; [`frame`] says what a frame is.
//! - [`app`] and [`ui`]: the window; [`cli`]: the command line; [`record`]: pictures and sequences; [`export`]: branches
//!   as a skinned mesh in the character's own file; [`bench`]: what it all costs, beside the originals.

pub mod app;
pub mod bench;
pub mod character;
pub mod cli;
pub mod export;
pub mod folders;
pub mod frame;
pub mod gpu;
pub mod params;
pub mod presets;
pub mod record;
pub mod render;
pub mod session;
pub mod sim;
pub mod ui;
pub mod viewer;

/// Every Rust struct that mirrors a WGSL one; a test compares them with the shaders.
#[must_use]
pub fn mirrors() -> Vec<gpu::Mirror> {
    use gpu::GpuStruct as _;
    let mut mirrors = vec![
        gpu::scan::ScanUniform::mirror(),
        character::surface::SkinUniform::mirror(),
        character::surface::BindVertex::mirror(),
        character::surface::MorphRange::mirror(),
        character::surface::MorphDeltaGpu::mirror(),
    ];
    mirrors.extend(sim::growth::mirrors());
    mirrors.extend(sim::wrinkles::mirrors());
    mirrors.extend(sim::boids::mirrors());
    mirrors.extend(render::mirrors());
    mirrors.extend(bench::mirrors());
    mirrors
}
