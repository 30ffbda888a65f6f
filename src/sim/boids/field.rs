//! The vector field round the body: what the flock is steered by.
//!
//! Mode "normals": each point of the posed skin adds its normal to its cell and, per axis, n·|n_axis| to the face
//! neighbour toward sign(n_axis). Three more numbers travel with the normal: its weight (so that the mean, not
//! the vertex density, counts), the offset of its plane (so that a boid knows how far the skin is), and its speed
//! along the normal (so that boids can yield). Empty cells then take the mean of their neighbours for a few
//! layers, on both sides of the skin. All of it is whole numbers on a lattice of H / 2²⁰ and the sums are atomic,
//! so that the result is the same in every run and on every device.

use glam::{IVec4, UVec4};

use super::BoidsParams;
use super::skin::skin_points;
use crate::character::{CharacterData, RestShape, SkinnedSurface};
use crate::gpu::buffer::{INDIRECT, STORAGE, UNIFORM};
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};
use crate::sim::SimInputs;

/// Lattice units a H.
pub const QUANTA: f32 = 1_048_576.0;
/// Layers that can be asked for.
const MAX_DEPTH: usize = 8;

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
        /// Whether the last tick's points are known.
        pub moving: u32,
        /// One point in so many takes part.
        pub stride: u32,
    }
}

crate::gpu_struct! {
    /// Which layer a pass fills.
    pub struct FieldLayer {
        /// From 1.
        pub layer: i32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
        /// Padding.
        pub pad2: u32,
    }
}

crate::gpu_struct! {
    /// Where the field's cells lie.
    pub struct FieldBox {
        /// Lower corner, in quanta from the middle of the boundary sphere.
        pub origin: [i32; 3],
        /// Edge of a cell in quanta.
        pub cell: i32,
        /// Cells along each axis; zero when there is no body.
        pub size: [u32; 3],
        /// Their product.
        pub cell_count: u32,
    }
}

/// A finished cell, unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldCell {
    /// Mean normal with 14 fractional bits: short where normals disagree.
    pub normal: [i32; 3],
    /// Passes from the skin: 0 is the skin's own cell or its face neighbour; `None` is an empty cell.
    pub layer: Option<u32>,
    /// Mean of n·(p − middle of the cell), 14 fractional bits of a cell's edge.
    pub offset: i32,
    /// Mean speed of the skin along its normal, 16 fractional bits of H a tick.
    pub normal_speed: i32,
}

impl FieldCell {
    /// Reads the four words that kernels store.
    #[must_use]
    pub fn unpack(packed: IVec4) -> Self {
        Self {
            normal: [(packed.x << 16) >> 16, packed.x >> 16, (packed.y << 16) >> 16],
            layer: u32::try_from((packed.y >> 16) - 1).ok(),
            offset: packed.z,
            normal_speed: packed.w,
        }
    }
}

/// The field as others may read it.
#[derive(Debug, Clone, Copy)]
pub struct FieldView<'a> {
    /// One element: where the cells lie, x fastest.
    pub layout: &'a Buffer<FieldBox>,
    /// Packed cells; see [`FieldCell::unpack`].
    pub cells: &'a Buffer<IVec4>,
    /// Points of the skin: three vertices and, in 256ths, the weights of the second and third (16 bits each).
    pub points: &'a Buffer<UVec4>,
}

/// Kernels of the field.
#[derive(Debug)]
pub(super) struct Field {
    measure: ComputePass,
    prepare: ComputePass,
    splat: ComputePass,
    average: ComputePass,
    dilate: ComputePass,
    uniform: Buffer<FieldUniform>,
    layers: Vec<Buffer<FieldLayer>>,
    skin: Option<Skin>,
}

/// The skin of one character.
#[derive(Debug)]
struct Skin {
    points: Buffer<UVec4>,
    previous: Buffer<IVec4>,
    layout: Buffer<FieldBox>,
    dispatch: Buffer<u32>,
    vertex_count: u32,
    measure: Bound,
    prepare: Bound,
    cells: Option<Cells>,
    /// What `previous` belongs to.
    last: Option<Instant>,
}

/// A tick, and what quantises it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Instant {
    tick: u64,
    center: [f32; 3],
    extent_m: f32,
    stride: usize,
}

/// Cells for up to `resolution`³.
#[derive(Debug)]
struct Cells {
    resolution: u32,
    cells: Buffer<IVec4>,
    /// Read by kernels alone; kept so that their bytes stay accounted for.
    _scratch: [Buffer<i32>; 3],
    splat: Bound,
    average: Bound,
    dilate: Vec<Bound>,
}

impl Field {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass = |file, entry| ComputePass::new(gpu, shaders, file, entry);
        let layer = |k: usize| FieldLayer { layer: k as i32 + 1, ..Default::default() };
        Ok(Self {
            measure: pass("boids/field", "measure")?,
            prepare: pass("boids/field", "prepare")?,
            splat: pass("boids/field", "splat")?,
            average: pass("boids/cells", "average")?,
            dilate: pass("boids/cells", "dilate")?,
            uniform: Buffer::new(gpu, "field/uniform", 1, UNIFORM),
            layers: (0..MAX_DEPTH)
                .map(|k| Buffer::from_slice(gpu, "field/layer", &[layer(k)], UNIFORM))
                .collect(),
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
        let points = skin_points(&data.indices, rest);
        let points = Buffer::from_slice(gpu, "field/points", &points, STORAGE);
        let bounds = [i32::MAX, i32::MAX, i32::MAX, i32::MIN, i32::MIN, i32::MIN];
        let bounds = Buffer::from_slice(gpu, "field/bounds", &bounds, STORAGE);
        let layout = Buffer::new(gpu, "field/box", 1, STORAGE);
        let dispatch = Buffer::new(gpu, "field/dispatch", 3, INDIRECT);
        let field = ("field", self.uniform.raw());
        self.skin = Some(Skin {
            measure: self.measure.bind(
                gpu,
                &[
                    field,
                    ("positions", surface.positions.raw()),
                    ("points", points.raw()),
                    ("bounds", bounds.raw()),
                ],
            )?,
            prepare: self.prepare.bind(
                gpu,
                &[field, ("bounds", bounds.raw()), ("box", layout.raw()), ("dispatch", dispatch.raw())],
            )?,
            previous: Buffer::new(gpu, "field/previous", points.len(), STORAGE),
            points,
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
        let resolution = params.field_resolution.max(1);
        if skin.cells.as_ref().is_none_or(|cells| cells.resolution < resolution) {
            skin.cells = Some(self.allocate(gpu, inputs.surface, &skin, resolution)?);
        }
        let stride = skin.points.len().div_ceil(params.field_points.max(1) as usize).max(1);
        let point_count = skin.points.len().div_ceil(stride);
        let now = Instant {
            tick: inputs.tick,
            center: inputs.center.to_array(),
            extent_m: inputs.extent_m,
            stride,
        };
        let moving = skin.last == Some(Instant { tick: inputs.tick.wrapping_sub(1), ..now });
        skin.last = Some(now);
        let uniform = FieldUniform {
            center: now.center,
            quanta_per_m: QUANTA / inputs.extent_m,
            point_count: point_count as u32,
            vertex_count: skin.vertex_count,
            resolution,
            margin: (params.field_margin * QUANTA) as i32,
            limit: (params.boundary + 1.0) * QUANTA,
            shift: overflow_shift(point_count),
            moving: moving.into(),
            stride: stride as u32,
        };
        self.uniform.write(gpu, 0, &[uniform]);
        if let Some(cells) = &skin.cells {
            let per_cell = Groups::Indirect(skin.dispatch.raw(), 0);
            let measure_groups = Groups::Exact(crate::gpu::dispatch_size(point_count.div_ceil(1024), 1));
            if point_count > 0 {
                self.measure.dispatch(pass, &skin.measure, measure_groups);
            }
            self.prepare.dispatch(pass, &skin.prepare, Groups::Exact([1, 1, 1]));
            self.splat.dispatch(pass, &cells.splat, Groups::Items(point_count));
            self.average.dispatch(pass, &cells.average, per_cell);
            for bound in cells.dilate.iter().take(params.field_depth as usize) {
                self.dilate.dispatch(pass, bound, per_cell);
            }
        }
        self.skin = Some(skin);
        Ok(())
    }

    fn allocate(
        &self,
        gpu: &Gpu,
        surface: &SkinnedSurface,
        skin: &Skin,
        resolution: u32,
    ) -> Result<Cells, BuildError> {
        let count = (resolution as usize).pow(3);
        let cells = Buffer::new(gpu, "field/cells", count, STORAGE);
        let sums = Buffer::<i32>::new(gpu, "field/sums", count * 6, STORAGE);
        let [even, odd] = [(); 2].map(|()| Buffer::<i32>::new(gpu, "field/layers", count, STORAGE));
        let field = ("field", self.uniform.raw());
        let layout = ("box", skin.layout.raw());
        let splat = self.splat.bind(
            gpu,
            &[
                field,
                ("positions", surface.positions.raw()),
                ("normals", surface.normals.raw()),
                ("points", skin.points.raw()),
                ("previous", skin.previous.raw()),
                layout,
                ("sums", sums.raw()),
            ],
        )?;
        let packed = ("cells", cells.raw());
        let average =
            self.average.bind(gpu, &[layout, ("sums", sums.raw()), ("next_layers", even.raw()), packed])?;
        // The passes take turns: what one writes is what the next reads.
        let turns = [[&even, &odd], [&odd, &even]].into_iter().cycle();
        let dilate = self
            .layers
            .iter()
            .zip(turns)
            .map(|(filling, [from, to])| {
                let layers = [("layers", from.raw()), ("next_layers", to.raw())];
                self.dilate.bind(gpu, &[("filling", filling.raw()), layout, layers[0], layers[1], packed])
            })
            .collect::<Result<_, _>>()?;
        Ok(Cells { resolution, cells, _scratch: [sums, even, odd], splat, average, dilate })
    }

    /// What others read; `None` before the first tick.
    pub fn view(&self) -> Option<FieldView<'_>> {
        let skin = self.skin.as_ref()?;
        Some(FieldView { layout: &skin.layout, cells: &skin.cells.as_ref()?.cells, points: &skin.points })
    }
}

/// Bits to drop from fractions of 15 bits so that the sum of `points` of them stays within 2³⁰: the scale is
/// 2^(30 − ⌈log2 points⌉), and never finer than the normals' own.
fn overflow_shift(points: usize) -> u32 {
    points.next_power_of_two().trailing_zeros().saturating_sub(15).min(15)
}

#[cfg(test)]
mod tests {
    use super::overflow_shift;

    #[test]
    fn the_scale_leaves_room_for_all_points() {
        for points in [0, 1, 2, 32_768, 32_769, 1 << 20, 1 << 30] {
            let shift = overflow_shift(points);
            assert!((points as u64) << (15 - shift) <= 1 << 30, "{points} points");
        }
        assert_eq!(overflow_shift(20_000), 0);
        assert_eq!(overflow_shift(1_000_000), 5);
    }
}
