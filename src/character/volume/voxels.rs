//! Which voxels of a triangle soup are inside.
//!
//! Along each axis, the signed crossings of a voxel's line with the surface are counted on both sides: both sums
//! non-zero say "inside", both zero "outside", anything else nothing. Two axes that agree and none that
//! contradicts decide; where axes disagree (open, overlapping or inverted shells), the generalized winding number
//! does. Crossings are exact: corners lie on the lattice and shared edges belong to one side only, so a closed
//! surface has no cracks.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{IVec3, UVec3};

use crate::character::winding::TriangleTree;

/// The most voxels in a volume.
pub const MAX_VOXELS: u64 = 1 << 24;
/// The most columns that all triangles may be tested against.
const MAX_COLUMN_TESTS: u64 = 1 << 28;
/// The most winding numbers taken, and the most triangles looked at for them; beyond, neighbouring voxels share one.
const MAX_WINDING_NUMBERS: usize = 1 << 15;
const MAX_TRIANGLES: usize = 1 << 24;

/// Voxels are at most 2 to this many lattice units wide; a body is 2¹⁷ at most.
const COARSEST: u32 = 17;

/// A set of cubes of the lattice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoxelVolume {
    /// Lattice point of the least corner of voxel (0, 0, 0).
    pub origin: IVec3,
    /// Binary logarithm of a voxel's edge in lattice units, at least 1: a voxel has a middle.
    pub shift: u32,
    /// Number of voxels on each axis.
    pub dims: UVec3,
    /// One bit a voxel, x fastest, lowest bit first.
    pub bits: Vec<u32>,
}

/// A volume, and how it was found.
#[derive(Debug, Clone)]
pub struct Voxelized {
    /// The voxels whose middles are inside.
    pub volume: VoxelVolume,
    /// Voxels on which the axes disagreed.
    pub disputed: usize,
}

impl VoxelVolume {
    /// An empty volume that holds all points with a voxel to spare on every side.
    #[must_use]
    pub fn around(points: &[IVec3], shift: u32) -> Self {
        let (min, max) = bounds(points);
        let edge = 1 << shift;
        let dims = ((max - min) / edge + 3).as_uvec3();
        let words = (dims.x as usize * dims.y as usize * dims.z as usize).div_ceil(32);
        Self { origin: min - edge, shift, dims, bits: vec![0; words] }
    }

    /// Edge of a voxel in lattice units.
    #[must_use]
    pub fn edge(&self) -> i32 {
        1 << self.shift
    }

    /// Number of voxels, set or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.dims.x as usize * self.dims.y as usize * self.dims.z as usize
    }

    /// Whether no voxel is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    /// Number of voxels set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Index of a voxel.
    #[must_use]
    pub fn index(&self, voxel: UVec3) -> usize {
        (voxel.z as usize * self.dims.y as usize + voxel.y as usize) * self.dims.x as usize + voxel.x as usize
    }

    /// Coordinates of the voxel with this index.
    #[must_use]
    pub fn voxel(&self, index: usize) -> UVec3 {
        let (x, y) = (self.dims.x as usize, self.dims.y as usize);
        UVec3::new((index % x) as u32, (index / x % y) as u32, (index / x / y) as u32)
    }

    /// Whether the voxel with this index is set.
    #[must_use]
    pub fn get(&self, index: usize) -> bool {
        self.bits[index / 32] >> (index % 32) & 1 != 0
    }

    /// Sets the voxel with this index.
    pub fn set(&mut self, index: usize) {
        self.bits[index / 32] |= 1 << (index % 32);
    }

    /// Indices of the voxels set, rising.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| Some(w & (w - 1)).filter(|w| *w != 0))
                .map(move |w| at * 32 + w.trailing_zeros() as usize)
        })
    }

    /// The voxel that holds a lattice point, if the grid reaches there.
    #[must_use]
    pub fn voxel_at(&self, point: IVec3) -> Option<UVec3> {
        let offset = point - self.origin;
        if offset.min_element() < 0 {
            return None;
        }
        let voxel = (offset >> self.shift).as_uvec3();
        voxel.cmplt(self.dims).all().then_some(voxel)
    }

    /// Whether the voxel that holds a lattice point is set.
    #[must_use]
    pub fn contains(&self, point: IVec3) -> bool {
        self.voxel_at(point).is_some_and(|voxel| self.get(self.index(voxel)))
    }

    /// Whether a segment stays inside: points less than a voxel apart are tested, the end with them and the
    /// start not. The kernels test the same points in the same integers.
    #[must_use]
    pub fn segment_inside(&self, from: IVec3, to: IVec3) -> bool {
        let span = to - from;
        let voxels = (span.abs().max_element() as u32) >> self.shift;
        // The least power of two above that many.
        let doublings = u32::BITS - voxels.leading_zeros();
        (1..=1 << doublings).all(|i| self.contains(from + ((span * i) >> doublings)))
    }

    /// Whether a voxel and its 26 neighbours are all set.
    #[must_use]
    pub fn is_deep(&self, voxel: UVec3) -> bool {
        neighbours(voxel, self.dims).all(|n| n.is_some_and(|n| self.get(self.index(n))))
    }

    /// The volume grown by all neighbours of its voxels.
    #[must_use]
    pub fn dilated(&self) -> Self {
        let mut grown = self.clone();
        for index in self.iter() {
            for neighbour in neighbours(self.voxel(index), self.dims).flatten() {
                grown.set(self.index(neighbour));
            }
        }
        grown
    }
}

/// A voxel and its 26 neighbours; `None` for those beyond the grid.
fn neighbours(voxel: UVec3, dims: UVec3) -> impl Iterator<Item = Option<UVec3>> {
    (0..27).map(move |k| {
        let n = voxel.as_ivec3() + IVec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        (n.min_element() >= 0 && n.as_uvec3().cmplt(dims).all()).then(|| n.as_uvec3())
    })
}

/// Least and greatest coordinates; zero without points.
pub(super) fn bounds(points: &[IVec3]) -> (IVec3, IVec3) {
    points
        .iter()
        .fold(None, |box_, &p| {
            Some(box_.map_or((p, p), |(min, max): (IVec3, IVec3)| (min.min(p), max.max(p))))
        })
        .unwrap_or((IVec3::ZERO, IVec3::ZERO))
}

/// The size of voxels (see [`VoxelVolume::shift`]) for points `spacing` lattice units apart: two and a half to five
/// in a spacing, fewer where the grid or the work would outgrow their budgets.
#[must_use]
pub fn voxel_shift(points: &[IVec3], indices: &[u32], spacing: i32) -> u32 {
    let (min, max) = bounds(points);
    let size = (max - min).as_i64vec3();
    let fits = |shift: u32| {
        let dims = (size >> shift) + 3;
        let voxels = (dims.x as u64).saturating_mul(dims.y as u64).saturating_mul(dims.z as u64);
        let mut tests = 0u64;
        for corners in triangles(points, indices) {
            let (low, high) = bounds(&corners);
            let spans = ((high - low).as_i64vec3() >> shift) + 1;
            tests += (spans.x * spans.y + spans.y * spans.z + spans.z * spans.x) as u64;
        }
        voxels <= MAX_VOXELS && tests <= MAX_COLUMN_TESTS
    };
    let finest = (spacing * 2 / 5).max(2).ilog2();
    (finest..COARSEST).find(|&shift| fits(shift)).unwrap_or(COARSEST)
}

fn triangles<'a>(points: &'a [IVec3], indices: &'a [u32]) -> impl Iterator<Item = [IVec3; 3]> + 'a {
    indices.chunks_exact(3).filter_map(|t| {
        let corner = |k: usize| points.get(t[k] as usize).copied();
        Some([corner(0)?, corner(1)?, corner(2)?])
    })
}

const INSIDE: u8 = 1;
const OUTSIDE: u8 = 1 << 4;

/// Finds the voxels whose middles are inside, or `None` once `cancel` is set.
///
/// `points` and `tree` describe the same triangles on the lattice; see [`voxel_shift`] for a fitting size.
#[must_use]
pub fn voxelize(
    points: &[IVec3],
    indices: &[u32],
    tree: &TriangleTree,
    shift: u32,
    cancel: &AtomicBool,
) -> Option<Voxelized> {
    let mut volume = VoxelVolume::around(points, shift);
    let mut votes = vec![0u8; volume.len()];
    for axis in 0..3 {
        vote(&volume, points, indices, axis, &mut votes, cancel)?;
    }
    let mut disputed = Vec::new();
    for (index, &vote) in votes.iter().enumerate() {
        let (inside, outside) = (vote % OUTSIDE, vote / OUTSIDE);
        if inside >= 2 && outside == 0 {
            volume.set(index);
        } else if !(outside >= 2 && inside == 0) {
            disputed.push(index);
        }
    }
    settle(&mut volume, &disputed, tree, cancel)?;
    Some(Voxelized { volume, disputed: disputed.len() })
}

/// Decides the disputed voxels by the winding number at their middles, one for each block of voxels when there
/// are too many.
fn settle(
    volume: &mut VoxelVolume,
    disputed: &[usize],
    tree: &TriangleTree,
    cancel: &AtomicBool,
) -> Option<()> {
    let middle =
        |index: usize| volume.origin + volume.voxel(index).as_ivec3() * volume.edge() + volume.edge() / 2;
    let some = disputed.iter().step_by(disputed.len() / 64 + 1).map(|&index| middle(index).as_dvec3());
    let queries = tree.affordable_queries(some, MAX_TRIANGLES).min(MAX_WINDING_NUMBERS);
    let mut block = 1;
    while disputed.len() / (block * block * block) > queries {
        block += 1;
    }
    let block = block as u32;
    let mut decided = std::collections::HashMap::new();
    for (at, &index) in disputed.iter().enumerate() {
        if at % 64 == 0 && cancel.load(Ordering::Relaxed) {
            return None;
        }
        let voxel = volume.voxel(index);
        let middle = volume.origin + voxel.as_ivec3() * volume.edge() + volume.edge() / 2;
        let inside = if block == 1 {
            tree.contains(middle.as_dvec3())
        } else {
            *decided.entry(voxel / block).or_insert_with(|| tree.contains(middle.as_dvec3()))
        };
        if inside {
            volume.set(index);
        }
    }
    Some(())
}

/// One axis' vote on every voxel.
fn vote(
    volume: &VoxelVolume,
    points: &[IVec3],
    indices: &[u32],
    axis: usize,
    votes: &mut [u8],
    cancel: &AtomicBool,
) -> Option<()> {
    let (u, v, w) = ((axis + 1) % 3, (axis + 2) % 3, axis);
    let dims = [0, 1, 2].map(|k| volume.dims[k] as usize);
    let edge = i64::from(volume.edge());
    let first_middle = (volume.origin + volume.edge() / 2).as_i64vec3();
    let layers = dims[w] + 1;
    // crossings[column][k]: signed crossings between the middles of voxels k − 1 and k.
    let mut crossings = vec![0i16; dims[u] * dims[v] * layers];
    for (at, corners) in triangles(points, indices).enumerate() {
        if at % 1024 == 0 && cancel.load(Ordering::Relaxed) {
            return None;
        }
        // Relative to the first middle, so that column (i, j) stands at (i, j) · edge.
        let mut c = corners.map(|corner| {
            let p = corner.as_i64vec3() - first_middle;
            [p[u], p[v], p[w]]
        });
        let cross = |a: [i64; 3], b: [i64; 3], p: [i64; 2]| {
            (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
        };
        let mut area = cross(c[0], c[1], [c[2][0], c[2][1]]);
        if area == 0 {
            continue;
        }
        let sign = if area > 0 { 1 } else { -1 };
        if area < 0 {
            c.swap(1, 2);
            area = -area;
        }
        // Of the two triangles at an edge, the one for which it points this way owns the points on it.
        let bias = [0, 1, 2].map(|k| {
            let (a, b) = (c[k], c[(k + 1) % 3]);
            let owns = b[1] < a[1] || (b[1] == a[1] && b[0] > a[0]);
            i64::from(!owns)
        });
        let range = |k: usize, count: usize| {
            let low = c.iter().map(|p| p[k]).min().unwrap_or(0);
            let high = c.iter().map(|p| p[k]).max().unwrap_or(-1);
            let first = (low + edge - 1).div_euclid(edge).max(0);
            first..high.div_euclid(edge).min(count as i64 - 1) + 1
        };
        for j in range(1, dims[v]) {
            for i in range(0, dims[u]) {
                let p = [i * edge, j * edge];
                // Weight of corner k: twice the area of the triangle of the point and the opposite edge.
                let e = [cross(c[1], c[2], p), cross(c[2], c[0], p), cross(c[0], c[1], p)];
                if e[0] < bias[1] || e[1] < bias[2] || e[2] < bias[0] {
                    continue;
                }
                // First middle at or above the crossing: ceil(height / edge) with height = Σ e·w / area.
                let height = e[0] * c[0][2] + e[1] * c[1][2] + e[2] * c[2][2];
                let above = -(-height).div_euclid(area * edge);
                let layer = above.clamp(0, layers as i64 - 1) as usize;
                let slot = &mut crossings[(j as usize * dims[u] + i as usize) * layers + layer];
                *slot = slot.saturating_add(sign);
            }
        }
    }
    for j in 0..dims[v] {
        for i in 0..dims[u] {
            let column = &crossings[(j * dims[u] + i) * layers..][..layers];
            let total: i32 = column.iter().map(|&s| i32::from(s)).sum();
            let mut below = 0;
            for (k, &s) in column[..dims[w]].iter().enumerate() {
                below += i32::from(s);
                let mut voxel = UVec3::ZERO;
                (voxel[u], voxel[v], voxel[w]) = (i as u32, j as u32, k as u32);
                votes[volume.index(voxel)] += match (below != 0, total - below != 0) {
                    (true, true) => INSIDE,
                    (false, false) => OUTSIDE,
                    _ => 0,
                };
            }
        }
    }
    Some(())
}
