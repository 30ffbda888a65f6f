//! Mode "normals", as the original published it: sums of the skin's normals.
//!
//! Each point of the posed skin adds its normal to its cell and, per axis, n·|n_axis| to the face neighbour toward
//! sign(n_axis). Three more numbers travel with the normal: its weight (so that the mean, not the vertex density,
//! counts), the offset of its plane (so that a boid knows how far the skin is), and its speed along the normal (so
//! that boids can yield). Empty cells then take the mean of their neighbours for a few layers, on both sides of
//! the skin.

use super::Shared;
use crate::gpu::buffer::STORAGE;
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};

/// Layers that can be asked for.
const MAX_DEPTH: usize = 8;

/// Kernels of the mode.
#[derive(Debug)]
pub(super) struct Normals {
    splat: ComputePass,
    average: ComputePass,
    dilate: ComputePass,
}

/// Its buffers, bound.
#[derive(Debug)]
pub(super) struct NormalsState {
    /// Read by kernels alone; kept so that their bytes stay accounted for.
    _scratch: [Buffer<i32>; 3],
    splat: Bound,
    average: Bound,
    dilate: [Bound; 2],
}

impl Normals {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass = |entry| ComputePass::new(gpu, shaders, "boids/field_normals", entry);
        Ok(Self { splat: pass("splat")?, average: pass("average")?, dilate: pass("dilate")? })
    }

    pub fn allocate(&self, gpu: &Gpu, shared: &Shared<'_>) -> Result<NormalsState, BuildError> {
        let count = shared.cells.len();
        let sums = Buffer::<i32>::new(gpu, "field/sums", count * 6, STORAGE);
        let [even, odd] = [(); 2].map(|()| Buffer::<i32>::new(gpu, "field/layers", count, STORAGE));
        let (layout, packed) = (("box", shared.layout.raw()), ("cells", shared.cells.raw()));
        let sum = ("sums", sums.raw());
        let splat = [("field", shared.uniform.raw()), ("places", shared.places.raw()), layout, sum];
        let dilate = |from: &Buffer<i32>, to: &Buffer<i32>| {
            let layers = [("layers", from.raw()), ("next_layers", to.raw())];
            self.dilate.bind(gpu, &[layout, layers[0], layers[1], packed])
        };
        Ok(NormalsState {
            splat: self.splat.bind(gpu, &splat)?,
            average: self.average.bind(gpu, &[layout, sum, ("next_layers", even.raw()), packed])?,
            // The passes take turns: what one writes is what the next reads.
            dilate: [dilate(&even, &odd)?, dilate(&odd, &even)?],
            _scratch: [sums, even, odd],
        })
    }

    /// Fills the cells from `point_count` posed points, `depth` layers deep.
    pub fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        state: &NormalsState,
        point_count: usize,
        depth: u32,
        per_cell: Groups<'_>,
    ) {
        self.splat.dispatch(pass, &state.splat, Groups::Items(point_count));
        self.average.dispatch(pass, &state.average, per_cell);
        for bound in state.dilate.iter().cycle().take((depth as usize).min(MAX_DEPTH)) {
            self.dilate.dispatch(pass, bound, per_cell);
        }
    }
}

/// Bits to drop from fractions of 15 bits so that the sum of `points` of them stays within 2³⁰: the scale is
/// 2^(30 − ⌈log2 points⌉), and never finer than the normals' own.
pub(super) fn overflow_shift(points: usize) -> u32 {
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
