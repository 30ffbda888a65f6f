//! Mode "surface": the closest point of the skin.
//!
//! The skin is known by points that stand for equal shares of its area, so that the size of triangles counts
//! nowhere. Each cell begins with the closest of the points in and round it; then closest points spread from cell to
//! cell in steps of falling powers of two, after Rong and Tan, *Jump Flooding in GPU with Applications to Voronoi
//! Diagram and Distance Transform* (2006), until every cell has one: the inside of the body too, however deep. A
//! cell then holds the way out, the signed distance to a disc of skin round its point, and the point's velocity.

use super::Shared;
use crate::gpu::buffer::{STORAGE, UNIFORM};
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};

/// Two to this power is the number of points: what a key has room for, but for the last, which means none.
pub(super) const POINT_BITS: u32 = 15;
/// Powers of two that a pass may look, up to half of 128 cells.
const REACHES: usize = 7;

crate::gpu_struct! {
    /// How far a pass looks.
    pub struct FieldReach {
        /// Cells.
        pub reach: i32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
        /// Padding.
        pub pad2: u32,
    }
}

/// Kernels of the mode.
#[derive(Debug)]
pub(super) struct Surface {
    nearest: ComputePass,
    spread: ComputePass,
    finish: ComputePass,
    /// One a power of two.
    reaches: Vec<Buffer<FieldReach>>,
}

/// Its buffers, bound.
#[derive(Debug)]
pub(super) struct SurfaceState {
    /// Read by kernels alone; kept so that their bytes stay accounted for.
    _scratch: [Buffer<u32>; 3],
    nearest: Bound,
    /// By power: from the keys, from the first owners to the second, and back.
    spread: Vec<[Bound; 3]>,
    /// From the first owners and from the second.
    finish: [Bound; 2],
}

impl Surface {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass = |entry| ComputePass::new(gpu, shaders, "boids/field_surface", entry);
        let reach = |power: usize| FieldReach { reach: 1 << power, ..Default::default() };
        let reaches = (0..REACHES)
            .map(|power| Buffer::from_slice(gpu, "field/reach", &[reach(power)], UNIFORM))
            .collect();
        Ok(Self { nearest: pass("nearest")?, spread: pass("spread")?, finish: pass("finish")?, reaches })
    }

    pub fn allocate(&self, gpu: &Gpu, shared: &Shared<'_>) -> Result<SurfaceState, BuildError> {
        let count = shared.cells.len();
        let keys = Buffer::from_slice(gpu, "field/keys", &vec![u32::MAX; count], STORAGE);
        let [even, odd] = [(); 2].map(|()| Buffer::<u32>::new(gpu, "field/owners", count, STORAGE));
        let field = ("field", shared.uniform.raw());
        let places = ("places", shared.places.raw());
        let layout = ("box", shared.layout.raw());
        let spread = |reach: &Buffer<FieldReach>, from: &Buffer<u32>, to: &Buffer<u32>| {
            let owners = [("owners", from.raw()), ("next_owners", to.raw())];
            self.spread.bind(gpu, &[("spreading", reach.raw()), places, layout, owners[0], owners[1]])
        };
        let finish = |owners: &Buffer<u32>| {
            let cells = ("cells", shared.cells.raw());
            self.finish
                .bind(gpu, &[field, places, layout, ("keys", keys.raw()), ("owners", owners.raw()), cells])
        };
        Ok(SurfaceState {
            nearest: self.nearest.bind(gpu, &[field, places, layout, ("keys", keys.raw())])?,
            spread: self
                .reaches
                .iter()
                .map(|reach| {
                    Ok([
                        spread(reach, &keys, &even)?,
                        spread(reach, &even, &odd)?,
                        spread(reach, &odd, &even)?,
                    ])
                })
                .collect::<Result<_, BuildError>>()?,
            finish: [finish(&even)?, finish(&odd)?],
            _scratch: [keys, even, odd],
        })
    }

    /// Fills the cells, at most `resolution` along a side, from `point_count` posed points.
    pub fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        state: &SurfaceState,
        point_count: usize,
        resolution: u32,
        per_cell: Groups<'_>,
    ) {
        self.nearest.dispatch(pass, &state.nearest, Groups::Items(point_count));
        let mut from = 0;
        for power in reaches(resolution) {
            self.spread.dispatch(pass, &state.spread[power][from], per_cell);
            from = if from == 1 { 2 } else { 1 };
        }
        self.finish.dispatch(pass, &state.finish[from - 1], per_cell);
    }
}

/// Powers of two that reach across `resolution` cells, falling. Never none.
fn reaches(resolution: u32) -> impl Iterator<Item = usize> {
    let top = resolution.div_ceil(2).next_power_of_two().trailing_zeros() as usize;
    (0..=top.min(REACHES - 1)).rev()
}

#[cfg(test)]
mod tests {
    use super::reaches;

    #[test]
    fn reaches_cross_the_box_and_end_with_one() {
        for resolution in [1, 2, 3, 16, 24, 100, 128] {
            let steps: Vec<u32> = reaches(resolution).map(|power| 1 << power).collect();
            assert!(steps.iter().sum::<u32>() + 1 >= resolution, "{resolution}: {steps:?}");
            assert_eq!(steps.last(), Some(&1));
        }
        assert_eq!(reaches(24).map(|power| 1 << power).collect::<Vec<u32>>(), [16, 8, 4, 2, 1]);
    }
}
