//! The flock in a uniform grid, sorted the same way every time.
//!
//! Clear, histogram (each boid takes a place in its cell by an atomic), prefix sum, scatter, and a rank pass that
//! puts the places of a cell into the order of ids: what others see, and the order in which they add it up,
//! depends on nothing but the state. After the counting-sort grids of Green, *Particle Simulation using CUDA*
//! (2010).

use super::{BoidsUniform, Candidate, FlockState};
use crate::gpu::buffer::STORAGE;
use crate::gpu::scan::{Scan, ScanBound};
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};

/// The most boids of one cell that others look at, those of the lowest ids: keeps the worst case, everyone in one
/// cell, at 27 times this many tests a boid. `CELL_CAP` in WGSL.
pub const GRID_CELL_CAP: u32 = 128;

/// Cells are never more than this, whatever the parameters.
const MAX_CELLS: u32 = 1 << 20;

/// Where the cells lie: a cube of `side`³ cells round the middle of the boundary sphere. Boids beyond it count
/// for its outermost cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridShape {
    /// Cells along each side.
    pub side: u32,
    /// Lower corner on every axis, in H from the middle.
    pub origin: f32,
    /// Cells a H.
    pub cells_per_extent: f32,
}

impl GridShape {
    /// The finest grid whose cells are at least as large as the `reach` (H) of the rules and at most about four
    /// a boid; it covers `half_width` (H) on each side of the middle.
    #[must_use]
    pub fn new(reach: f32, half_width: f32, count: u32) -> Self {
        let most_cells = count.saturating_mul(4).clamp(4096, MAX_CELLS);
        let most_a_side = f64::from(most_cells).cbrt().floor();
        // A hair more than the reach, so that rounding never puts neighbours two cells apart.
        let wanted = 2.0 * f64::from(half_width) / (f64::from(reach) * 1.001);
        let side = wanted.floor().clamp(1.0, most_a_side);
        Self {
            side: side as u32,
            origin: -half_width,
            cells_per_extent: (side / (2.0 * f64::from(half_width))) as f32,
        }
    }

    /// Number of cells.
    #[must_use]
    pub fn cell_count(&self) -> u32 {
        self.side.pow(3)
    }
}

/// Kernels and buffers of the grid.
#[derive(Debug)]
pub(super) struct Grid {
    clear: ComputePass,
    histogram: ComputePass,
    scatter: ComputePass,
    rank: ComputePass,
    scan: Scan,
}

/// Buffers of the grid for one capacity of boids and cells.
#[derive(Debug)]
pub(super) struct GridState {
    /// First entry of each cell, and the number of boids behind the last.
    pub starts: Buffer<u32>,
    /// Id and cell of every boid, by cell.
    pub members: Buffer<[u32; 2]>,
    /// What neighbours see, by cell and id.
    pub candidates: Buffer<Candidate>,
    /// Read by kernels alone; kept so that their bytes stay accounted for.
    _scratch: (Buffer<u32>, Buffer<[u32; 2]>),
    cells: usize,
    clear: Bound,
    scan: ScanBound,
    /// By which of the two state buffers is current.
    histogram: [Bound; 2],
    scatter: Bound,
    rank: [Bound; 2],
}

impl Grid {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let [clear, histogram, scatter, rank] = ["clear", "histogram", "scatter", "rank"]
            .map(|entry| ComputePass::new(gpu, shaders, "boids/grid", entry));
        Ok(Self {
            clear: clear?,
            histogram: histogram?,
            scatter: scatter?,
            rank: rank?,
            scan: Scan::new(gpu, shaders)?,
        })
    }

    /// Allocates for as many boids as `flock` can hold and at least `cells` cells.
    pub fn allocate(
        &self,
        gpu: &Gpu,
        uniform: &Buffer<BoidsUniform>,
        flock: &FlockState,
        cells: u32,
    ) -> Result<GridState, BuildError> {
        let boids = flock.capacity();
        let counts = Buffer::<u32>::new(gpu, "boids/cell counts", cells as usize + 1, STORAGE);
        let starts = Buffer::<u32>::new(gpu, "boids/cell starts", cells as usize + 1, STORAGE);
        let places = Buffer::<[u32; 2]>::new(gpu, "boids/places", boids, STORAGE);
        let members = Buffer::<[u32; 2]>::new(gpu, "boids/members", boids, STORAGE);
        let candidates = Buffer::<Candidate>::new(gpu, "boids/candidates", boids, STORAGE);
        let boids_uniform = ("boids", uniform.raw());
        let histogram = |current: &Buffer<super::Boid>| {
            self.histogram.bind(
                gpu,
                &[
                    boids_uniform,
                    ("current", current.raw()),
                    ("counts", counts.raw()),
                    ("places", places.raw()),
                ],
            )
        };
        let rank = |current: &Buffer<super::Boid>| {
            self.rank.bind(
                gpu,
                &[
                    boids_uniform,
                    ("current", current.raw()),
                    ("starts", starts.raw()),
                    ("members", members.raw()),
                    ("candidates", candidates.raw()),
                ],
            )
        };
        let [even, odd] = &flock.states;
        Ok(GridState {
            cells: 0,
            clear: self.clear.bind(gpu, &[boids_uniform, ("counts", counts.raw())])?,
            scan: self.scan.bind(gpu, "boids/cells", &counts, &starts)?,
            histogram: [histogram(even)?, histogram(odd)?],
            scatter: self.scatter.bind(
                gpu,
                &[
                    boids_uniform,
                    ("places", places.raw()),
                    ("starts", starts.raw()),
                    ("members", members.raw()),
                ],
            )?,
            rank: [rank(even)?, rank(odd)?],
            starts,
            members,
            candidates,
            _scratch: (counts, places),
        })
    }

    /// Records the sort of `count` boids from the state buffer `current`.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, state: &GridState, tick: &SortTick) {
        let boids = Groups::Items(tick.boid_count as usize);
        self.clear.dispatch(pass, &state.clear, Groups::Items(tick.cell_count as usize + 1));
        self.histogram.dispatch(pass, &state.histogram[tick.current], boids);
        self.scan.record(pass, &state.scan);
        self.scatter.dispatch(pass, &state.scatter, boids);
        self.rank.dispatch(pass, &state.rank[tick.current], boids);
    }
}

/// Sizes of one tick's sort.
#[derive(Debug)]
pub(super) struct SortTick {
    pub boid_count: u32,
    pub cell_count: u32,
    /// Which of the two state buffers to sort.
    pub current: usize,
}

impl GridState {
    /// Tells the prefix sum how many cells this tick has.
    pub fn set_cells(&mut self, gpu: &Gpu, cells: u32) {
        self.cells = cells as usize;
        self.scan.set_length(gpu, self.cells + 1);
    }

    /// First entries of the last tick's cells, and the number of boids behind the last.
    pub fn read_starts(&self, gpu: &Gpu) -> Vec<u32> {
        self.starts.read_range(gpu, 0..self.cells + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{GridShape, MAX_CELLS};

    #[test]
    fn cells_cover_the_reach_and_stay_bounded() {
        for count in [0, 1, 500, 8192, 1 << 20, u32::MAX] {
            for reach in [0.001, 0.07, 0.3] {
                for half_width in [0.125, 0.94, 6.25] {
                    let shape = GridShape::new(reach, half_width, count);
                    assert!(shape.side >= 1 && shape.cell_count() <= MAX_CELLS, "{shape:?}");
                    assert!(shape.side == 1 || shape.cells_per_extent * reach < 1.0, "{shape:?}");
                    let covered = shape.side as f32 / shape.cells_per_extent;
                    assert!((covered - 2.0 * half_width).abs() < 1e-3 * half_width, "{shape:?}");
                }
            }
        }
    }
}
