//! The vector field round the body: what the flock is steered by.
//!
//! A cubic grid over the posed body. Every cell holds the way out of the body, how far the skin is along it
//! (negative inside) and how fast the skin moves; readers blend the planes of the eight cells round them. Mode
//! [`surface`] asks for the closest point of the skin, mode [`normals`] sums normals as the original did. Places
//! are whole numbers on a lattice of H / 2²⁰ and what decides is atomic minima and sums, so that the result is the
//! same in every run.

mod cell;
mod normals;
mod points;
mod surface;

pub use cell::{FieldBox, FieldCell};
pub use surface::FieldReach;

use glam::{IVec3, IVec4, UVec4, Vec3};

use super::BoidsParams;
use crate::character::{CharacterData, RestShape, SkinnedSurface};
use crate::gpu::buffer::{INDIRECT, STORAGE, UNIFORM};
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};
use crate::sim::SimInputs;
use normals::{Normals, NormalsState};
use points::SkinPoints;
use surface::{Surface, SurfaceState};

/// Lattice units a H.
pub const QUANTA: f32 = 1_048_576.0;
/// The disc that a point stands for is so many times as wide as its share of the skin, to cover the gaps.
const PATCH: f32 = 1.5;

crate::gpu_struct! {
    /// What the field's kernels need to know.
    pub struct FieldUniform {
        /// Middle of the boundary sphere, world metres.
        pub center: [f32; 3],
        /// 2²⁰ / H.
        pub quanta_per_m: f32,
        /// Points of the skin that take part.
        pub point_count: u32,
        /// Vertices of the surface.
        pub vertex_count: u32,
        /// Cells along the longest side.
        pub resolution: u32,
        /// Room round the body, in quanta.
        pub margin: i32,
        /// Points farther than this from the middle on any axis are ignored, in quanta.
        pub limit: f32,
        /// Bits dropped from 15-bit fractions so that no sum over all points overflows.
        pub shift: u32,
        /// Whether the places of a tick ago are known.
        pub moving: u32,
        /// One point in so many takes part.
        pub stride: u32,
        /// Lower corner of cells that stay where they are, in quanta.
        pub fixed_origin: [i32; 3],
        /// Their edge in quanta; 0 lets the cells follow the body.
        pub fixed_cell: i32,
        /// Radius of the skin round a point that it stands for, in quanta.
        pub patch_radius: f32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
        /// Padding.
        pub pad2: u32,
    }
}

crate::gpu_struct! {
    /// A point of the skin as it is posed.
    pub struct SkinPlace {
        /// Quanta from the middle of the boundary sphere.
        pub position: [i32; 3],
        /// 1 where the position is known.
        pub valid: i32,
        /// Way since the last tick in quanta.
        pub step: [i32; 3],
        /// Padding.
        pub pad0: u32,
        /// 15 fractional bits; about a unit.
        pub normal: [i32; 3],
        /// Padding.
        pub pad1: u32,
    }
}

/// The field as others may read it.
#[derive(Debug, Clone, Copy)]
pub struct FieldView<'a> {
    /// World place of the lattice's zero, metres.
    pub center: Vec3,
    /// [`QUANTA`] in metres.
    pub extent_m: f32,
    /// One element: where the cells lie, x fastest.
    pub layout: &'a Buffer<FieldBox>,
    /// Packed cells; see [`FieldCell::unpack`].
    pub cells: &'a Buffer<IVec4>,
    /// Points of the skin: three vertices and, in 256ths, the weights of the second and third (16 bits each).
    pub points: &'a Buffer<UVec4>,
    /// Those that take part, as they are posed.
    pub places: &'a Buffer<SkinPlace>,
}

/// How the cells are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Surface,
    Normals,
}

impl Mode {
    fn of(params: &BoidsParams) -> Self {
        if params.field == 0 { Self::Surface } else { Self::Normals }
    }
}

/// Kernels of the field.
#[derive(Debug)]
pub(super) struct Field {
    measure: ComputePass,
    prepare: ComputePass,
    normals: Normals,
    surface: Surface,
    uniform: Buffer<FieldUniform>,
    skin: Option<Skin>,
}

/// The skin of one character.
#[derive(Debug)]
struct Skin {
    /// By mode.
    surface_points: PointSet,
    normals_points: PointSet,
    layout: Buffer<FieldBox>,
    dispatch: Buffer<u32>,
    vertex_count: u32,
    prepare: Bound,
    cells: Option<Cells>,
    /// What the places belong to.
    last: Option<Instant>,
}

/// Points of the skin, and where they are.
#[derive(Debug)]
struct PointSet {
    points: Buffer<UVec4>,
    places: Buffer<SkinPlace>,
    /// Of the skin, in square H.
    area: f32,
    measure: Bound,
}

/// A tick, and what quantises it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Instant {
    tick: u64,
    center: [f32; 3],
    extent_m: f32,
    point_count: usize,
    mode: Mode,
}

/// Cells for up to `resolution`³, and what either mode needs beside them, once it has been asked for.
#[derive(Debug)]
struct Cells {
    resolution: u32,
    cells: Buffer<IVec4>,
    normals: Option<NormalsState>,
    surface: Option<SurfaceState>,
}

/// What a mode's kernels bind.
#[derive(Debug)]
struct Shared<'a> {
    uniform: &'a Buffer<FieldUniform>,
    places: &'a Buffer<SkinPlace>,
    layout: &'a Buffer<FieldBox>,
    cells: &'a Buffer<IVec4>,
}

impl Skin {
    fn points(&self, mode: Mode) -> &PointSet {
        match mode {
            Mode::Surface => &self.surface_points,
            Mode::Normals => &self.normals_points,
        }
    }
}

impl Field {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass = |entry| ComputePass::new(gpu, shaders, "boids/field", entry);
        Ok(Self {
            measure: pass("measure")?,
            prepare: pass("prepare")?,
            normals: Normals::new(gpu, shaders)?,
            surface: Surface::new(gpu, shaders)?,
            uniform: Buffer::new(gpu, "field/uniform", 1, UNIFORM),
            skin: None,
        })
    }

    /// Takes a new character; the field is empty until the next tick.
    pub fn install(
        &mut self,
        gpu: &Gpu,
        surface: &SkinnedSurface,
        data: &CharacterData,
        rest: &RestShape,
    ) -> Result<(), BuildError> {
        let bounds = [i32::MAX, i32::MAX, i32::MAX, i32::MIN, i32::MIN, i32::MIN];
        let bounds = Buffer::from_slice(gpu, "field/bounds", &bounds, STORAGE);
        let layout = Buffer::new(gpu, "field/box", 1, STORAGE);
        let dispatch = Buffer::new(gpu, "field/dispatch", 3, INDIRECT);
        let field = ("field", self.uniform.raw());
        let point_set = |skin: SkinPoints| {
            let points = Buffer::from_slice(gpu, "field/points", &skin.points, STORAGE);
            let places = Buffer::new(gpu, "field/places", skin.points.len(), STORAGE);
            let measure = self.measure.bind(
                gpu,
                &[
                    field,
                    ("positions", surface.positions.raw()),
                    ("normals", surface.normals.raw()),
                    ("points", points.raw()),
                    ("places", places.raw()),
                    ("bounds", bounds.raw()),
                ],
            )?;
            let area = skin.area_m2 / (rest.extent * rest.extent);
            Ok::<_, BuildError>(PointSet { points, places, area, measure })
        };
        self.skin = Some(Skin {
            surface_points: point_set(points::by_area(&data.indices, rest, surface::POINT_BITS))?,
            normals_points: point_set(points::by_vertex(&data.indices, rest))?,
            prepare: self.prepare.bind(
                gpu,
                &[field, ("bounds", bounds.raw()), ("box", layout.raw()), ("dispatch", dispatch.raw())],
            )?,
            layout,
            dispatch,
            vertex_count: surface.vertex_count as u32,
            cells: None,
            last: None,
        });
        Ok(())
    }

    /// Records one tick of the field, posed as the surface is.
    pub fn tick(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        inputs: &SimInputs<'_>,
        params: &BoidsParams,
    ) -> Result<(), BuildError> {
        let Some(mut skin) = self.skin.take() else { return Ok(()) };
        let recorded = self.record(gpu, pass, inputs, params, &mut skin);
        self.skin = Some(skin);
        recorded
    }

    fn record(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        inputs: &SimInputs<'_>,
        params: &BoidsParams,
        skin: &mut Skin,
    ) -> Result<(), BuildError> {
        let mode = Mode::of(params);
        let resolution = params.field_resolution.max(1);
        let cells = self.prepare_cells(gpu, skin, resolution, mode)?;
        let set = skin.points(mode);
        let most = params.field_points.max(1) as usize;
        let (point_count, stride) = match mode {
            // Every beginning of these is evenly spread.
            Mode::Surface => (set.points.len().min(most), 1),
            Mode::Normals => {
                let stride = set.points.len().div_ceil(most).max(1);
                (set.points.len().div_ceil(stride), stride)
            }
        };
        let now = Instant {
            tick: inputs.tick,
            center: inputs.center.to_array(),
            extent_m: inputs.extent_m,
            point_count,
            mode,
        };
        let moving = skin.last == Some(Instant { tick: inputs.tick.wrapping_sub(1), ..now });
        let fixed = FixedBox::of(params);
        let uniform = FieldUniform {
            center: now.center,
            quanta_per_m: QUANTA / inputs.extent_m,
            point_count: point_count as u32,
            vertex_count: skin.vertex_count,
            resolution,
            margin: (params.field_margin * QUANTA) as i32,
            limit: (params.boundary + 1.0) * QUANTA,
            shift: normals::overflow_shift(point_count),
            moving: moving.into(),
            stride: stride as u32,
            fixed_origin: fixed.origin.to_array(),
            fixed_cell: fixed.cell,
            patch_radius: patch_radius(set.area, point_count),
            ..Default::default()
        };
        self.uniform.write(gpu, 0, &[uniform]);
        let per_cell = Groups::Indirect(skin.dispatch.raw(), 0);
        if point_count > 0 {
            let groups = Groups::Exact(crate::gpu::dispatch_size(point_count.div_ceil(1024), 1));
            self.measure.dispatch(pass, &set.measure, groups);
        }
        self.prepare.dispatch(pass, &skin.prepare, Groups::Exact([1, 1, 1]));
        match (mode, &cells.normals, &cells.surface) {
            (Mode::Normals, Some(state), _) => {
                self.normals.record(pass, state, point_count, params.field_depth, per_cell);
            }
            (Mode::Surface, _, Some(state)) => {
                self.surface.record(pass, state, point_count, resolution, per_cell);
            }
            _ => {}
        }
        skin.cells = Some(cells);
        skin.last = Some(now);
        Ok(())
    }

    /// Cells for a resolution and what a mode needs beside them: those that are there, where they do.
    fn prepare_cells(
        &self,
        gpu: &Gpu,
        skin: &mut Skin,
        resolution: u32,
        mode: Mode,
    ) -> Result<Cells, BuildError> {
        let mut cells =
            skin.cells.take().filter(|cells| cells.resolution >= resolution).unwrap_or_else(|| {
                let cells = Buffer::new(gpu, "field/cells", (resolution as usize).pow(3), STORAGE);
                Cells { resolution, cells, normals: None, surface: None }
            });
        let shared = Shared {
            uniform: &self.uniform,
            places: &skin.points(mode).places,
            layout: &skin.layout,
            cells: &cells.cells,
        };
        match mode {
            Mode::Normals if cells.normals.is_none() => {
                cells.normals = Some(self.normals.allocate(gpu, &shared)?);
            }
            Mode::Surface if cells.surface.is_none() => {
                cells.surface = Some(self.surface.allocate(gpu, &shared)?);
            }
            _ => {}
        }
        Ok(cells)
    }

    /// What others read; `None` before the first tick.
    pub fn view(&self) -> Option<FieldView<'_>> {
        let skin = self.skin.as_ref()?;
        let last = skin.last?;
        let set = skin.points(last.mode);
        Some(FieldView {
            center: Vec3::from(last.center),
            extent_m: last.extent_m,
            layout: &skin.layout,
            cells: &skin.cells.as_ref()?.cells,
            points: &set.points,
            places: &set.places,
        })
    }
}

/// Of the disc that each of so many points stands for on a skin of so many square H, in quanta.
fn patch_radius(area: f32, point_count: usize) -> f32 {
    PATCH * (area / point_count.max(1) as f32 / std::f32::consts::PI).sqrt() * QUANTA
}

/// Cells that stay where they are, as the original's did.
#[derive(Debug, Clone, Copy)]
struct FixedBox {
    origin: IVec3,
    /// 0 lets the cells follow the body.
    cell: i32,
}

impl FixedBox {
    fn of(params: &BoidsParams) -> Self {
        if params.field_box == 0 {
            return Self { origin: IVec3::ZERO, cell: 0 };
        }
        let side = params.field_cell * params.field_resolution.max(1) as f32;
        let corner = Vec3::from(params.field_center) - 0.5 * side;
        Self { origin: (corner * QUANTA).as_ivec3(), cell: ((params.field_cell * QUANTA) as i32).max(1) }
    }
}
