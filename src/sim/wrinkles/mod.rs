//! Strain of the skin, and the folds it makes: a complex wrinkle field.
//!
//! Every pose: `metric` (the change of squared edge lengths round every field vertex makes its Green strain),
//! `steady` and `direction` (the axis of greatest compression, steadied by the neighbours' and in time, and the
//! height of folds that keep the skin's length), `edges` and `mask` (how the folds of neighbours meet), `scatter`
//! (back to the vertices of the surface). Every tick: `phase`, in which every vertex's wave follows its neighbours'.
//! Vertices are welded by rest position, so that texture seams do not show.
//!
//! Background: Rohmer et al. 2010, "Animation wrinkling"; Gillette et al. 2015, "Real-time dynamic wrinkling of
//! coarse animated cloth"; Knöppel et al. 2015, "Stripe patterns on surfaces"; Chen et al. 2023, "Complex wrinkle
//! field evolution". The metric is the discrete first fundamental form of a triangle, which is linear in its
//! squared edge lengths.

pub mod field;
pub mod params;
pub mod published;
pub mod tables;

pub use field::FoldField;
pub use params::{FoldMethod, WrinklesParams};
pub use published::{Published, PublishedVertex};

use crate::character::topology::Topology;
use crate::character::{RestShape, SkinnedSurface};
use crate::gpu::buffer::{STORAGE, UNIFORM};
use crate::gpu::hash::hash_text;
use crate::gpu::{
    Bound, Buffer, BuildError, ComputePass, Gpu, GpuStruct as _, Groups, Mirror, ShaderLibrary,
};
use field::{EdgeWave, FoldState, Heading};
use tables::{FieldTriangle, HalfEdgeGpu, Tables};

/// Phase steps of a tick; even, so that the last one ends where the first one began.
const TICK_STEPS: usize = 4;
/// Phase steps of a fresh start.
const START_STEPS: usize = 100;

crate::gpu_struct! {
    /// Strain at one vertex of the surface; coincident vertices hold equal values, and all values are finite.
    pub struct StrainVertex {
        /// Unit, world space, tangent to the rest surface: greatest compression's direction, followed over some ticks.
        pub rest_direction: [f32; 3],
        /// Greatest compression now: 1 − length now / length at rest; between 0 (none, or stretched) and 1.
        pub compression: f32,
        /// The same direction carried to the posed surface, unit, world space, square to the posed normal.
        pub direction: [f32; 3],
        /// Greatest stretch in any direction: length now / length at rest − 1, 0 when compressed all round.
        pub stretch: f32,
        /// The folds' wave, at most 1 long: its phase grows by 2π a wavelength along `rest_direction`.
        pub wave: [f32; 2],
        /// Half the height of folds from valley to crest, H.
        pub amplitude: f32,
        /// Padding.
        pub pad0: f32,
    }
}

/// What the renderer gets of the strain.
#[derive(Debug, Clone, Copy)]
pub struct Strain<'a> {
    /// Strain of every surface vertex.
    pub vertices: &'a Buffer<StrainVertex>,
    /// The folds, where there are any to draw.
    pub folds: Option<FoldField<'a>>,
}

crate::gpu_struct! {
    /// Sizes and settings that the kernels need.
    pub struct WrinklesUniform {
        /// Number of field vertices.
        pub field_count: u32,
        /// Number of half-edges.
        pub half_edge_count: u32,
        /// Number of surface vertices.
        pub surface_count: u32,
        /// 1 / H: turns metres into lengths of H.
        pub h_from_meters: f32,
        /// Distance from fold to fold, H.
        pub wavelength: f32,
        /// Compression at which folds begin.
        pub min_compression: f32,
        /// Compression at which folds have their full height.
        pub max_compression: f32,
        /// Padding.
        pub pad0: u32,
    }
}

/// Structs shared with the shaders.
#[must_use]
pub fn mirrors() -> Vec<Mirror> {
    vec![
        WrinklesUniform::mirror(),
        StrainVertex::mirror(),
        PublishedVertex::mirror(),
        Heading::mirror(),
        EdgeWave::mirror(),
        FoldState::mirror(),
        tables::FieldVertex::mirror(),
        tables::SpokeGpu::mirror(),
        tables::PosedFan::mirror(),
        HalfEdgeGpu::mirror(),
        FieldTriangle::mirror(),
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
    kernels: Kernels,
    state: Option<State>,
}

#[derive(Debug)]
struct Kernels {
    metric: ComputePass,
    steady: ComputePass,
    direction: ComputePass,
    edges: ComputePass,
    mask: ComputePass,
    scramble: ComputePass,
    step: ComputePass,
    scatter: ComputePass,
}

/// Buffers of one character.
#[derive(Debug)]
struct State {
    uniform: Buffer<WrinklesUniform>,
    vertices: Buffer<StrainVertex>,
    triangles: Buffer<FieldTriangle>,
    half_edges: Buffer<HalfEdgeGpu>,
    edges: Buffer<EdgeWave>,
    headings: Buffer<Heading>,
    states: Buffer<FoldState>,
    h_from_meters: f32,
    /// For every surface vertex the lowest at its place; kept for the report.
    representative: Vec<u32>,
    metric: Bound,
    /// From the deviators to their other copy and back: each adds a ring of neighbours.
    steady: [Bound; 2],
    direction: Bound,
    edge_pass: Bound,
    mask: Bound,
    scramble: Bound,
    /// From the states to their other copy and back.
    step: [Bound; 2],
    scatter: Bound,
    history: History,
}

/// What the buffers hold.
#[derive(Debug, Clone, Copy, Default)]
struct History {
    /// The pose and the settings that the strain was last measured for.
    measured: Option<(u64, WrinklesUniform)>,
    /// The last tick since the start; the next one starts afresh when there is none.
    last_tick: Option<u64>,
    /// Whether a picture has started the waves before the first tick.
    previewed: bool,
}

impl Wrinkles {
    /// The kernels, installed on nothing.
    ///
    /// # Errors
    /// When a shader does not build.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass = |file: &str, entry: &str| ComputePass::new(gpu, shaders, file, entry);
        Ok(Self {
            kernels: Kernels {
                metric: pass("wrinkles/metric", "main")?,
                steady: pass("wrinkles/steady", "main")?,
                direction: pass("wrinkles/direction", "main")?,
                edges: pass("wrinkles/edges", "main")?,
                mask: pass("wrinkles/mask", "main")?,
                scramble: pass("wrinkles/phase", "scramble")?,
                step: pass("wrinkles/phase", "step")?,
                scatter: pass("wrinkles/scatter", "main")?,
            },
            state: None,
        })
    }

    /// Takes on a character, in place of the one before. `topology` must be made of `rest` and `indices`, `rest` of
    /// what is on `surface`; where they are not, or are too large for the device, a log line says so and that is all.
    ///
    /// # Errors
    /// When the buffers do not fit the shaders.
    pub fn install(
        &mut self,
        gpu: &Gpu,
        surface: &SkinnedSurface,
        rest: &RestShape,
        topology: &Topology,
        indices: &[u32],
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
        self.state = Some(State::new(gpu, &self.kernels, surface, topology, indices)?);
        Ok(())
    }

    /// Lets the next tick start from hashed phases.
    pub fn restart(&mut self) {
        if let Some(state) = &mut self.state {
            state.history.last_tick = None;
            state.history.previewed = false;
        }
    }

    /// Records a tick: measures the strain of the pose that `surface` (the one installed) holds when the pass runs,
    /// and moves the waves on. Ticks that do not follow each other start afresh. `pose` numbers the poses.
    pub fn tick(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        tick: u64,
        pose: u64,
        params: &WrinklesParams,
    ) {
        let Self { kernels, state: Some(state) } = self else { return };
        state.adjust(gpu, params);
        let follows = tick.checked_sub(1).is_some_and(|before| state.history.last_tick == Some(before));
        kernels.advance(pass, state, !follows);
        state.history.last_tick = Some(tick);
        state.history.measured = Some((pose, state.uniform_of(params)));
    }

    /// Records what a picture needs: the strain of the pose on `surface`, under the waves of the last tick. A pose
    /// and settings already measured cost nothing. Before the first tick the waves are those that a tick would
    /// start with, if `with_folds`; the first tick does not see them.
    pub fn show(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        pose: u64,
        params: &WrinklesParams,
        with_folds: bool,
    ) {
        let Self { kernels, state: Some(state) } = self else { return };
        state.adjust(gpu, params);
        let starts = with_folds && state.history.last_tick.is_none() && !state.history.previewed;
        let now = Some((pose, state.uniform_of(params)));
        if starts {
            kernels.advance(pass, state, true);
            state.history.previewed = true;
        } else if state.history.measured != now {
            kernels.measure(pass, state);
            kernels.scatter(pass, state);
        }
        state.history.measured = now;
    }

    /// What the renderer reads; `None` before a character is installed.
    #[must_use]
    pub fn strain(&self) -> Option<Strain<'_>> {
        self.state.as_ref().map(|state| Strain {
            vertices: &state.vertices,
            folds: Some(FoldField {
                triangles: &state.triangles,
                half_edges: &state.half_edges,
                edges: &state.edges,
                headings: &state.headings,
                states: &state.states,
            }),
        })
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

impl Kernels {
    /// Strain, directions and how they meet.
    fn measure(&self, pass: &mut wgpu::ComputePass<'_>, state: &State) {
        let [vertices, half_edges] = [state.states.len(), state.half_edges.len()].map(Groups::Items);
        self.metric.dispatch(pass, &state.metric, vertices);
        for bound in &state.steady {
            self.steady.dispatch(pass, bound, vertices);
        }
        self.direction.dispatch(pass, &state.direction, vertices);
        self.edges.dispatch(pass, &state.edge_pass, half_edges);
        self.mask.dispatch(pass, &state.mask, vertices);
    }

    /// A tick, or a start and a tick.
    fn advance(&self, pass: &mut wgpu::ComputePass<'_>, state: &State, starts: bool) {
        let vertices = Groups::Items(state.states.len());
        if starts {
            self.scramble.dispatch(pass, &state.scramble, vertices);
        }
        self.measure(pass, state);
        for _ in 0..if starts { START_STEPS } else { TICK_STEPS } / 2 {
            for bound in &state.step {
                self.step.dispatch(pass, bound, vertices);
            }
        }
        self.scatter(pass, state);
    }

    fn scatter(&self, pass: &mut wgpu::ComputePass<'_>, state: &State) {
        self.scatter.dispatch(pass, &state.scatter, Groups::Items(state.vertices.len()));
    }
}

impl State {
    fn new(
        gpu: &Gpu,
        kernels: &Kernels,
        surface: &SkinnedSurface,
        topology: &Topology,
        indices: &[u32],
    ) -> Result<Self, BuildError> {
        let Tables { vertices: field, spokes, half_edges } = Tables::new(topology);
        let (count, edge_count) = (field.len(), half_edges.len());
        let uniform = Buffer::new(gpu, "wrinkles/uniform", 1, UNIFORM);
        let field = Buffer::from_slice(gpu, "wrinkles/field", &field, STORAGE);
        let spokes = Buffer::from_slice(gpu, "wrinkles/spokes", &spokes, STORAGE);
        let half_edges = Buffer::from_slice(gpu, "wrinkles/half_edges", &half_edges, STORAGE);
        let triangles = tables::field_triangles(topology, indices);
        let triangles = Buffer::from_slice(gpu, "wrinkles/triangles", &triangles, STORAGE);
        let map = Buffer::from_slice(gpu, "wrinkles/field_of_surface", &topology.fan_of_surface, STORAGE);
        let posed = Buffer::<tables::PosedFan>::new(gpu, "wrinkles/posed", count, STORAGE);
        let deviators = Buffer::<[f32; 2]>::new(gpu, "wrinkles/deviators", count, STORAGE);
        let other_deviators = Buffer::<[f32; 2]>::new(gpu, "wrinkles/other_deviators", count, STORAGE);
        let raw_headings = Buffer::<Heading>::new(gpu, "wrinkles/raw_headings", count, STORAGE);
        let edges = Buffer::<EdgeWave>::new(gpu, "wrinkles/edges", edge_count, STORAGE);
        let headings = Buffer::<Heading>::new(gpu, "wrinkles/headings", count, STORAGE);
        let states = Buffer::<FoldState>::new(gpu, "wrinkles/states", count, STORAGE);
        let other_states = Buffer::<FoldState>::new(gpu, "wrinkles/other_states", count, STORAGE);
        let vertices = Buffer::new(gpu, "wrinkles/vertices", surface.vertex_count, STORAGE);
        let settings = ("wrinkles", uniform.raw());
        let steady = |from: &Buffer<[f32; 2]>, to: &Buffer<[f32; 2]>| {
            kernels.steady.bind(
                gpu,
                &[
                    settings,
                    ("field", field.raw()),
                    ("half_edges", half_edges.raw()),
                    ("deviators", from.raw()),
                    ("steadied", to.raw()),
                ],
            )
        };
        let step = |from: &Buffer<FoldState>, to: &Buffer<FoldState>| {
            kernels.step.bind(
                gpu,
                &[
                    settings,
                    ("field", field.raw()),
                    ("half_edges", half_edges.raw()),
                    ("edges", edges.raw()),
                    ("masked", headings.raw()),
                    ("states", from.raw()),
                    ("next_states", to.raw()),
                ],
            )
        };
        Ok(Self {
            metric: kernels.metric.bind(
                gpu,
                &[
                    settings,
                    ("field", field.raw()),
                    ("spokes", spokes.raw()),
                    ("positions", surface.positions.raw()),
                    ("posed", posed.raw()),
                    ("deviators", deviators.raw()),
                ],
            )?,
            steady: [steady(&deviators, &other_deviators)?, steady(&other_deviators, &deviators)?],
            direction: kernels.direction.bind(
                gpu,
                &[
                    settings,
                    ("posed", posed.raw()),
                    ("deviators", deviators.raw()),
                    ("states", states.raw()),
                    ("headings", raw_headings.raw()),
                ],
            )?,
            edge_pass: kernels.edges.bind(
                gpu,
                &[
                    settings,
                    ("half_edges", half_edges.raw()),
                    ("headings", raw_headings.raw()),
                    ("edges", edges.raw()),
                ],
            )?,
            mask: kernels.mask.bind(
                gpu,
                &[
                    settings,
                    ("field", field.raw()),
                    ("half_edges", half_edges.raw()),
                    ("edges", edges.raw()),
                    ("headings", raw_headings.raw()),
                    ("masked", headings.raw()),
                ],
            )?,
            scramble: kernels.scramble.bind(gpu, &[settings, ("next_states", states.raw())])?,
            step: [step(&states, &other_states)?, step(&other_states, &states)?],
            scatter: kernels.scatter.bind(
                gpu,
                &[
                    settings,
                    ("field_of_surface", map.raw()),
                    ("field", field.raw()),
                    ("posed", posed.raw()),
                    ("normals", surface.normals.raw()),
                    ("masked", headings.raw()),
                    ("states", states.raw()),
                    ("vertices", vertices.raw()),
                ],
            )?,
            uniform,
            vertices,
            triangles,
            half_edges,
            edges,
            headings,
            states,
            h_from_meters: 1.0 / topology.extent,
            representative: topology.representative.clone(),
            history: History::default(),
        })
    }

    fn uniform_of(&self, params: &WrinklesParams) -> WrinklesUniform {
        WrinklesUniform {
            field_count: self.states.len() as u32,
            half_edge_count: self.half_edges.len() as u32,
            surface_count: self.vertices.len() as u32,
            h_from_meters: self.h_from_meters,
            wavelength: params.wavelength,
            min_compression: params.min_compression,
            max_compression: params.max_compression,
            pad0: 0,
        }
    }

    /// Puts settings into effect. Waves of one length say nothing about those of another, which start afresh.
    fn adjust(&mut self, gpu: &Gpu, params: &WrinklesParams) {
        let uniform = self.uniform_of(params);
        let before = self.history.measured.map(|(_, uniform)| uniform);
        if before == Some(uniform) {
            return;
        }
        self.uniform.write(gpu, 0, &[uniform]);
        if before.is_some_and(|before| before.wavelength != uniform.wavelength) {
            self.history = History::default();
        }
    }
}
