//! Points sorted into the cells of a dense grid.

use glam::{IVec3, UVec3};

/// Empty cells kept on every side: one for points that stray a cell's edge beyond the others, one more for the
/// neighbours of theirs.
const MARGIN: i32 = 2;

/// A grid over points, with the points of each cell in rising order.
#[derive(Debug, Clone, Default)]
pub struct CellGrid {
    /// Lattice position of the least corner of cell (0, 0, 0).
    pub origin: IVec3,
    /// Edge of a cell in lattice units.
    pub edge: i32,
    /// Number of cells on each axis.
    pub dims: UVec3,
    /// Where each cell's points begin in `items`, x fastest; one more entry ends the last.
    pub starts: Vec<u32>,
    /// Indices of the points, cell after cell.
    pub items: Vec<u32>,
}

impl CellGrid {
    /// Sorts points into cells of this edge.
    #[must_use]
    pub fn new(points: &[IVec3], edge: i32) -> Self {
        let edge = edge.max(1);
        let (mut min, mut max) = (IVec3::ZERO, IVec3::ZERO);
        if let Some(&first) = points.first() {
            (min, max) = points.iter().fold((first, first), |(min, max), &p| (min.min(p), max.max(p)));
        }
        let origin = min - MARGIN * edge;
        let dims = ((max - min) / edge + 1 + 2 * MARGIN).as_uvec3();
        let mut grid = Self { origin, edge, dims, starts: Vec::new(), items: vec![0; points.len()] };
        let cells = dims.as_usizevec3().element_product();
        let mut ends = vec![0u32; cells + 1];
        for &point in points {
            ends[grid.index(grid.cell_of(point)) + 1] += 1;
        }
        for cell in 0..cells {
            ends[cell + 1] += ends[cell];
        }
        grid.starts.clone_from(&ends);
        for (index, &point) in points.iter().enumerate() {
            let end = &mut ends[grid.index(grid.cell_of(point))];
            grid.items[*end as usize] = index as u32;
            *end += 1;
        }
        grid
    }

    /// Number of cells.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The cell of a position, or the nearest one.
    #[must_use]
    pub fn cell_of(&self, point: IVec3) -> UVec3 {
        ((point - self.origin) / self.edge).clamp(IVec3::ZERO, self.dims.as_ivec3() - 1).as_uvec3()
    }

    /// Index of a cell.
    #[must_use]
    pub fn index(&self, cell: UVec3) -> usize {
        (cell.z as usize * self.dims.y as usize + cell.y as usize) * self.dims.x as usize + cell.x as usize
    }

    /// The 27 cells round and with `cell`, those beyond the grid left out.
    pub fn neighbours(&self, cell: UVec3) -> impl Iterator<Item = usize> + '_ {
        (0..27).filter_map(move |k| {
            let n = cell.as_ivec3() + IVec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            let n = (n.min_element() >= 0).then(|| n.as_uvec3())?;
            n.cmplt(self.dims).all().then(|| self.index(n))
        })
    }

    /// The points of a cell.
    #[must_use]
    pub fn points(&self, cell: usize) -> &[u32] {
        &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The most points in any 27 cells round a cell that has some: no more than these lie within an edge of
    /// anything.
    #[must_use]
    pub fn most_in_reach(&self) -> usize {
        let neighbourhood =
            |cell| self.neighbours(self.cell(cell)).map(|n| self.points(n).len()).sum::<usize>();
        (0..self.cell_count()).filter(|&c| !self.points(c).is_empty()).map(neighbourhood).max().unwrap_or(0)
    }

    fn cell(&self, index: usize) -> UVec3 {
        let (x, y) = (self.dims.x as usize, self.dims.y as usize);
        UVec3::new((index % x) as u32, (index / x % y) as u32, (index / x / y) as u32)
    }
}
