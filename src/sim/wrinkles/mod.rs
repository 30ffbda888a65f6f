//! Strain of the skin, and the folds it makes.
//!
//! Three kernels, whatever the pose: `metric` (the change of squared edge lengths round every field vertex makes
//! its Green strain), `direction` (the axis of greatest compression, steadied by the neighbours', how much there
//! is, and the folds' phase), `scatter` (back to the vertices of the surface). Vertices are welded by
//! rest position, so that texture seams do not show.
//!
//! Background: Rohmer et al. 2010, "Animation wrinkling"; Gillette et al. 2015, "Real-time dynamic wrinkling of
//! coarse animated cloth"; the metric is the discrete first fundamental form of a triangle, which is linear
//! in its squared edge lengths.

pub mod params;
pub mod tables;

pub use params::WrinklesParams;

use std::f32::consts::TAU;

use crate::character::topology::Topology;
use crate::character::{RestShape, SkinnedSurface};
use crate::gpu::buffer::{STORAGE, UNIFORM};
use crate::gpu::hash::hash_text;
use crate::gpu::{
    Bound, Buffer, BuildError, ComputePass, Gpu, GpuStruct as _, Groups, Mirror, ShaderError, ShaderLibrary,
};
use tables::Tables;

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
        /// The fold's phase as a unit complex number (cosine, sine); 1 where nothing is compressed.
        pub wave: [f32; 2],
        /// From 0 to 1: how much the compression has a direction (alike all round it folds nothing) and how
        /// certain the phase is (folds end where waves cancel).
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

crate::gpu_struct! {
    /// Sizes and settings that the kernels need.
    pub struct WrinklesUniform {
        /// Number of field vertices.
        pub field_count: u32,
        /// Number of surface vertices.
        pub surface_count: u32,
        /// 1 / H: turns metres into lengths of H.
        pub h_from_meters: f32,
        /// 2π by the wavelength, 1/H.
        pub wave_number: f32,
    }
}

/// Structs shared with the shaders.
#[must_use]
pub fn mirrors() -> Vec<Mirror> {
    vec![
        WrinklesUniform::mirror(),
        StrainVertex::mirror(),
        tables::FieldVertex::mirror(),
        tables::SpokeGpu::mirror(),
        tables::PosedFan::mirror(),
    ]
}

/// Facts about the strain of the present pose, as `--report` prints them.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct WrinklesReport {
    /// Vertices of the surface.
    pub vertices: usize,
    /// Greatest [`StrainVertex::compression`].
    pub max_compression: f32,
    /// Greatest [`StrainVertex::stretch`].
    pub max_stretch: f32,
    /// Vertices with a value that is infinite or not a number.
    pub non_finite: usize,
    /// Vertices whose values differ from those of the lowest vertex at the same place.
    pub seam_mismatch: usize,
    /// FNV-1a over the values of all vertices in order.
    pub hash: String,
}

/// The kernels, and the state of the character they are installed on.
#[derive(Debug)]
pub struct Wrinkles {
    metric: ComputePass,
    direction: ComputePass,
    scatter: ComputePass,
    state: Option<State>,
}

/// Buffers of one character.
#[derive(Debug)]
struct State {
    uniform: Buffer<WrinklesUniform>,
    vertices: Buffer<StrainVertex>,
    field_count: usize,
    h_from_meters: f32,
    /// For every surface vertex the lowest at its place; kept for the report.
    representative: Vec<u32>,
    metric: Bound,
    direction: Bound,
    scatter: Bound,
}

impl Wrinkles {
    /// The kernels, installed on nothing.
    ///
    /// # Errors
    /// When a shader does not build.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass =
            |file: &str| -> Result<ComputePass, ShaderError> { ComputePass::new(gpu, shaders, file, "main") };
        Ok(Self {
            metric: pass("wrinkles/metric")?,
            direction: pass("wrinkles/direction")?,
            scatter: pass("wrinkles/scatter")?,
            state: None,
        })
    }

    /// Takes on a character, in place of the one before. `topology` must be made of `rest`, and `rest` of the
    /// character on `surface`; where they are not, or are too large for the device, nothing is installed and a
    /// log line says so.
    ///
    /// # Errors
    /// When the buffers do not fit the shaders.
    pub fn install(
        &mut self,
        gpu: &Gpu,
        surface: &SkinnedSurface,
        rest: &RestShape,
        topology: &Topology,
    ) -> Result<(), BuildError> {
        self.state = None;
        let counts = [rest.positions.len(), topology.representative.len()];
        if counts != [surface.vertex_count; 2] {
            log::error!("wrinkles: a surface of {} vertices, but {counts:?} at rest", surface.vertex_count);
            return Ok(());
        }
        let bytes = (topology.spokes.len() * size_of::<tables::SpokeGpu>()) as u64;
        if bytes > gpu.limits.max_storage_buffer_binding_size {
            log::error!("wrinkles: {bytes} bytes of neighbours are more than this adapter binds; no folds");
            return Ok(());
        }
        let Tables { vertices: field, spokes } = Tables::new(rest, topology);
        let field_count = field.len();
        let uniform = Buffer::new(gpu, "wrinkles/uniform", 1, UNIFORM);
        let field = Buffer::from_slice(gpu, "wrinkles/field", &field, STORAGE);
        let spokes = Buffer::from_slice(gpu, "wrinkles/spokes", &spokes, STORAGE);
        let map = Buffer::from_slice(gpu, "wrinkles/field_of_surface", &topology.fan_of_surface, STORAGE);
        let posed = Buffer::<tables::PosedFan>::new(gpu, "wrinkles/posed", field_count, STORAGE);
        let field_strain = Buffer::<StrainVertex>::new(gpu, "wrinkles/field_strain", field_count, STORAGE);
        let vertices = Buffer::new(gpu, "wrinkles/vertices", surface.vertex_count, STORAGE);
        let metric = self.metric.bind(
            gpu,
            &[
                ("wrinkles", uniform.raw()),
                ("field", field.raw()),
                ("spokes", spokes.raw()),
                ("positions", surface.positions.raw()),
                ("posed", posed.raw()),
            ],
        )?;
        let direction = self.direction.bind(
            gpu,
            &[
                ("wrinkles", uniform.raw()),
                ("field", field.raw()),
                ("spokes", spokes.raw()),
                ("posed", posed.raw()),
                ("normals", surface.normals.raw()),
                ("field_strain", field_strain.raw()),
            ],
        )?;
        let scatter = self.scatter.bind(
            gpu,
            &[
                ("wrinkles", uniform.raw()),
                ("field_of_surface", map.raw()),
                ("field_strain", field_strain.raw()),
                ("vertices", vertices.raw()),
            ],
        )?;
        self.state = Some(State {
            uniform,
            vertices,
            field_count,
            h_from_meters: 1.0 / topology.extent,
            representative: topology.representative.clone(),
            metric,
            direction,
            scatter,
        });
        Ok(())
    }

    /// Records the strain of the pose that `surface` (the one installed) holds when the pass runs.
    ///
    /// Depends on that pose and `params` alone, not on what was drawn before.
    pub fn update(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        surface: &SkinnedSurface,
        params: &WrinklesParams,
    ) {
        let Some(state) = &self.state else { return };
        let uniform = WrinklesUniform {
            field_count: state.field_count as u32,
            surface_count: surface.vertex_count.min(state.vertices.len()) as u32,
            h_from_meters: state.h_from_meters,
            wave_number: TAU / params.wavelength,
        };
        state.uniform.write(gpu, 0, &[uniform]);
        self.metric.dispatch(pass, &state.metric, Groups::Items(state.field_count));
        self.direction.dispatch(pass, &state.direction, Groups::Items(state.field_count));
        self.scatter.dispatch(pass, &state.scatter, Groups::Items(state.vertices.len()));
    }

    /// What the renderer reads; `None` before a character is installed.
    #[must_use]
    pub fn strain(&self) -> Option<Strain<'_>> {
        self.state.as_ref().map(|state| Strain { vertices: &state.vertices })
    }

    /// Reads the strain back and sums it up, waiting for the GPU.
    #[must_use]
    pub fn report(&self, gpu: &Gpu) -> WrinklesReport {
        let Some(state) = &self.state else { return WrinklesReport::default() };
        let vertices = state.vertices.read(gpu);
        let finite =
            |vertex: &StrainVertex| bytemuck::cast_ref::<_, [f32; 12]>(vertex).iter().all(|x| x.is_finite());
        let differs = |(vertex, &lowest): (&StrainVertex, &u32)| {
            bytemuck::bytes_of(vertex) != bytemuck::bytes_of(&vertices[lowest as usize])
        };
        WrinklesReport {
            vertices: vertices.len(),
            max_compression: vertices.iter().map(|v| v.compression).fold(0.0, f32::max),
            max_stretch: vertices.iter().map(|v| v.stretch).fold(0.0, f32::max),
            non_finite: vertices.iter().filter(|v| !finite(v)).count(),
            seam_mismatch: vertices.iter().zip(&state.representative).filter(|&pair| differs(pair)).count(),
            hash: hash_text(&vertices),
        }
    }
}
