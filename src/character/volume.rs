//! The volume of a body: what is inside, which parts hang together, and points that fill it evenly.
//!
//! Bodies come as triangle soups: open, overlapping, inside out, of several parts. All decisions are taken on an
//! integer lattice, in integers or in a fixed order of operations, so that the same file gives the same points
//! everywhere. The work is bounded whatever the soup looks like: grids are coarsened until they fit a budget.

pub mod components;
pub mod parts;
pub mod sample;
pub mod shell;
pub mod surface_points;
pub mod voxels;

pub use components::Components;
pub use parts::{Part, Parts};
pub use sample::{Candidates, poisson_select};
pub use shell::{Shell, ShellVoxels};
pub use voxels::{VoxelVolume, Voxelized, voxelize};

use glam::{DVec3, IVec3, Vec3};

use super::RestShape;
use super::winding::TriangleTree;

/// Where the least corner of the body lies on the lattice, on each axis. Leaves room below, so that every
/// coordinate near the body is positive and integer division rounds down.
pub const LATTICE_MARGIN: i32 = 32_768;

/// An integer lattice over the rest pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// World position of the lattice point (0, 0, 0), metres.
    pub origin: DVec3,
    /// Distance of neighbouring lattice points in metres.
    pub unit_m: f64,
}

impl Lattice {
    /// The lattice with `units_per_extent` steps to H.
    #[must_use]
    pub fn new(rest: &RestShape, units_per_extent: f64) -> Self {
        let unit_m = f64::from(rest.extent) / units_per_extent;
        Self { origin: rest.min.as_dvec3() - DVec3::splat(f64::from(LATTICE_MARGIN) * unit_m), unit_m }
    }

    /// The lattice point nearest to a world position.
    #[must_use]
    pub fn from_world(&self, world: Vec3) -> IVec3 {
        ((world.as_dvec3() - self.origin) / self.unit_m).round().as_ivec3()
    }

    /// World position of a lattice point, metres.
    #[must_use]
    pub fn to_world(&self, point: IVec3) -> DVec3 {
        self.origin + point.as_dvec3() * self.unit_m
    }
}

/// The tree over triangles whose corners lie on the lattice; it answers in lattice units. Lattice coordinates are
/// whole numbers below 2²⁴, so that nothing is rounded.
#[must_use]
pub fn lattice_tree(points: &[IVec3], indices: &[u32]) -> TriangleTree {
    let points: Vec<Vec3> = points.iter().map(|p| p.as_vec3()).collect();
    TriangleTree::new(&points, indices)
}

/// A 32-bit hash in which every input bit moves every output bit (the finaliser of MurmurHash3).
#[must_use]
pub fn hash(value: u32) -> u32 {
    let mut x = value;
    x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
    x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

/// Hash of a seed and two stable numbers.
#[must_use]
pub fn hash3(seed: u32, a: u32, b: u32) -> u32 {
    hash(hash(hash(seed ^ 0x9e37_79b9).wrapping_add(a)).wrapping_add(b))
}
