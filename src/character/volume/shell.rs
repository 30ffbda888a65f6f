//! Which part of a volume lies at a given depth below the skin.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{DVec3, IVec3, UVec3};

use super::VoxelVolume;
use crate::character::winding::TriangleTree;

/// The most triangles looked at for all depths but [`LEAST_LIMIT`] for each.
const MAX_TRIANGLES: usize = 1 << 27;
/// The least number of triangles that the search for one depth may look at.
const LEAST_LIMIT: usize = 2048;
/// Voxels of whose depths the greatest is told when a range holds none.
const SOUNDINGS: usize = 1024;

/// A range of depths below the skin: distances to the nearest triangle, in lattice units. Triangles of one shell of the
/// mesh within another are skin too.
///
/// Depths are distances between lattice points and triangles whose corners were rounded to the lattice, so they are
/// off by less than a lattice unit. A search ends after some thousands of triangles, which only points far from
/// everything in a mesh of very many triangles need; the depth may be too great there, never too small.
#[derive(Debug, Clone, Copy)]
pub struct Shell<'a> {
    tree: &'a TriangleTree,
    from: f64,
    to: f64,
    limit: usize,
}

/// The voxels that reach into a [`Shell`].
#[derive(Debug, Clone)]
pub struct ShellVoxels {
    /// Those of the volume that hold a depth in the range.
    pub volume: VoxelVolume,
    /// Those of them that lie wholly in the range.
    whole: VoxelVolume,
    /// How many voxels' worth of space is in the range, about.
    pub amount: f64,
}

impl<'a> Shell<'a> {
    /// Depths from `from` to `to`, in lattice units, in a volume of about `voxels` voxels below the triangles of
    /// `tree`.
    #[must_use]
    pub fn new(tree: &'a TriangleTree, from: f64, to: f64, voxels: usize) -> Self {
        Self { tree, from, to, limit: (MAX_TRIANGLES / voxels.max(1)).max(LEAST_LIMIT) }
    }

    /// Whether the depth of a lattice point is in the range.
    #[must_use]
    pub fn holds(&self, point: IVec3) -> bool {
        (self.from..=self.to).contains(&self.depth(point.as_dvec3()))
    }

    /// Points that a voxel's worth of the range holds beyond those of a volume, times the squared spacing, in squared
    /// edges of a voxel: along a surface at most 0.9 find room in a square of the spacing, by trial on balls and boxes.
    #[must_use]
    pub fn rim(&self, edge: i32) -> f64 {
        0.9 * f64::from(edge) / (self.to - self.from).max(1.0)
    }

    fn depth(&self, point: DVec3) -> f64 {
        self.tree.closest_of(point, self.limit).map_or(f64::INFINITY, |c| c.distance_squared.sqrt())
    }

    /// The depth of the deepest of some voxels of the volume.
    #[must_use]
    pub fn deepest(&self, volume: &VoxelVolume) -> f64 {
        let step = volume.count() / SOUNDINGS + 1;
        let middle = |index| block_middle(volume, volume.voxel(index), 1);
        volume.iter().step_by(step).map(|index| self.depth(middle(index))).fold(0.0, f64::max)
    }

    /// Finds the voxels of `volume` that reach into the range, or `None` once `cancel` is set.
    ///
    /// Depth changes by no more than the way gone, so that one search settles a whole block of voxels unless the
    /// range begins or ends in it; such blocks are halved.
    #[must_use]
    pub fn voxels(&self, volume: &VoxelVolume, cancel: &AtomicBool) -> Option<ShellVoxels> {
        let mut none = volume.clone();
        none.bits.fill(0);
        let mut found = ShellVoxels { volume: none.clone(), whole: none, amount: 0.0 };
        let side = volume.dims.max_element().next_power_of_two();
        let mut stack = vec![(UVec3::ZERO, side)];
        while let Some((corner, side)) = stack.pop() {
            if corner.cmpge(volume.dims).any() {
                continue;
            }
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            if side == 1 && !volume.get(volume.index(corner)) {
                continue;
            }
            let depth = self.depth(block_middle(volume, corner, side));
            let reach = 0.5 * 3f64.sqrt() * f64::from(side) * f64::from(volume.edge());
            if depth + reach < self.from || depth - reach > self.to {
                continue;
            }
            let is_whole = depth - reach >= self.from && depth + reach <= self.to;
            if side > 1 && !is_whole {
                let half = side / 2;
                stack.extend((0..8).map(|k| (corner + UVec3::new(k & 1, k >> 1 & 1, k >> 2) * half, half)));
                continue;
            }
            // Of a voxel at the rim about as much is in the range as of its extent across the skin.
            let across = 0.5 * f64::from(volume.edge());
            let part = (self.to.min(depth + across) - self.from.max(depth - across)) / (2.0 * across);
            for index in voxels_of(volume, corner, side).filter(|&index| volume.get(index)) {
                found.volume.set(index);
                if is_whole {
                    found.whole.set(index);
                }
                found.amount += if is_whole { 1.0 } else { part.clamp(0.0, 1.0) };
            }
        }
        Some(found)
    }
}

impl ShellVoxels {
    /// Whether a lattice point is in the range; searches only near the range's ends.
    #[must_use]
    pub fn holds(&self, shell: &Shell<'_>, point: IVec3) -> bool {
        self.whole.contains(point) || (self.volume.contains(point) && shell.holds(point))
    }
}

fn block_middle(volume: &VoxelVolume, corner: UVec3, side: u32) -> DVec3 {
    let edge = f64::from(volume.edge());
    volume.origin.as_dvec3() + corner.as_dvec3() * edge + DVec3::splat(0.5 * f64::from(side) * edge)
}

/// Indices of the voxels of a block, as far as the grid reaches.
fn voxels_of(volume: &VoxelVolume, corner: UVec3, side: u32) -> impl Iterator<Item = usize> + '_ {
    let end = (corner + side).min(volume.dims);
    (corner.z..end.z).flat_map(move |z| {
        (corner.y..end.y).flat_map(move |y| (corner.x..end.x).map(move |x| volume.index(UVec3::new(x, y, z))))
    })
}
