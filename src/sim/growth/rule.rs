//! The numbers of the growth rule: integers in lattice units, made from parameters once.

use glam::{DMat3, IVec3};

use super::cells::CellGrid;
use super::params::{GrowthParams, MAX_INFLUENCE};
use crate::character::volume::VoxelVolume;

/// Lattice units of the largest influence distance: squares of shorter ones fit 28 bits.
pub const LARGEST_INFLUENCE: i32 = 16_384;
/// Lattice units to H.
pub const UNITS_PER_EXTENT: f64 = LARGEST_INFLUENCE as f64 / MAX_INFLUENCE as f64;
/// The most attractors in reach of a node, so that the sum of their unit vectors fits 31 bits.
pub const MAX_OWNED: usize = 131_071;
/// A unit vector's length in the kernels.
const UNIT: f64 = 16_384.0;
/// The shortest growth step in lattice units.
const SHORTEST_GROWTH: i32 = 64;

crate::gpu_struct! {
    /// Sizes, radii and places of lists that the kernels need; lengths are lattice units.
    pub struct GrowthUniform {
        /// Least corner of the cells.
        pub cell_origin: glam::IVec3,
        /// Edge of a cell: the influence distance.
        pub cell_edge: i32,
        /// Cells on each axis.
        pub cell_dims: glam::UVec3,
        /// Cells in all.
        pub cell_count: u32,
        /// Least corner of the voxels.
        pub voxel_origin: glam::IVec3,
        /// Binary logarithm of a voxel's edge.
        pub voxel_shift: u32,
        /// Voxels on each axis.
        pub voxel_dims: glam::UVec3,
        /// 1 when influence and steps stay inside the volume.
        pub body_aware: u32,
        /// Square of the influence distance.
        pub influence2: u32,
        /// Square of the kill distance.
        pub kill2: u32,
        /// Square of the growth step.
        pub growth2: u32,
        /// Square of the conflict distance.
        pub conflict2: u32,
        /// The growth step.
        pub growth: i32,
        /// Candidates closer than this conflict: a quarter of the growth step.
        pub conflict: i32,
        /// Square of how near a node blocks the child of an aim, with the volume test.
        pub touch2: u32,
        /// Nodes there is room for.
        pub pool: u32,
        /// Number of hash buckets less one.
        pub bucket_mask: u32,
        /// Attractors in all.
        pub attractor_count: u32,
        /// Seed of the masses.
        pub seed: u32,
        /// Number of this tick since growth began.
        pub tick: u32,
        /// First entry of the list of aiming nodes.
        pub aim_list: u32,
        /// First entry of the list of cells to relax.
        pub dirty_list: u32,
        /// First entry of the blocks' counts.
        pub block_list: u32,
        /// First entry of where cells' attractors begin.
        pub start_list: u32,
        /// First entry of the cells' attractors.
        pub item_list: u32,
        /// Ticks in which the slowest node ripens.
        pub slowest_ripening: u32,
        /// 1 when every step by the mean is a whole one.
        pub normalised: u32,
        /// 1 when points out of reach at the end become roots.
        pub reseed: u32,
        /// Added to the mean of unit vectors, in 1/16384.
        pub tropism: glam::IVec3,
        /// Length of what is added in a node's own direction, in 1/16384.
        pub noise: i32,
    }
}

/// Everything that, with the points and the seed, decides the topology, and how long nodes ripen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Attractors closer than this pull a node.
    pub influence: i32,
    /// Length of a step.
    pub growth: i32,
    /// Attractors closer than this to a node are reached.
    pub kill: i32,
    /// Whether influence and steps stay inside the volume.
    pub body_aware: bool,
    /// Roots wanted.
    pub roots: u32,
    /// Where they are.
    pub roots_by: RootsBy,
    /// Where they are instead, unless empty.
    pub roots_at: Vec<RootPlace>,
    /// Whether parts of the volume that have none get one more each.
    pub root_every_part: bool,
    /// Added to the mean of unit vectors, in 1/16384.
    pub tropism: IVec3,
    /// Length of what is added in a node's own direction, in 1/16384.
    pub noise: i32,
    /// Whether every step by the mean is a whole one.
    pub normalised: bool,
    /// Whether points out of reach at the end become roots.
    pub reseed: bool,
}

/// A place asked for roots: they are the points nearest to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootPlace {
    /// On the lattice.
    pub at: IVec3,
    /// Roots wanted there.
    pub count: u32,
}

/// Where the first roots are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootsBy {
    /// Anywhere.
    Random,
    /// As low as they can.
    Lowest,
    /// As high as they can.
    Highest,
    /// As near to the middle of all points as they can.
    Centre,
}

impl Rule {
    /// The parameters in lattice units, brought within the bounds under which the rule is proven to end. What names
    /// joints or points of the skin needs a body: [`Places::rule`](super::places::Places::rule).
    #[must_use]
    pub fn new(params: &GrowthParams) -> Self {
        let units = |length: f32| (f64::from(length) * UNITS_PER_EXTENT).round() as i32;
        let influence = units(params.influence).clamp(SHORTEST_GROWTH * 2, LARGEST_INFLUENCE);
        let growth = units(params.growth).clamp(SHORTEST_GROWTH, influence);
        let kill = units(params.kill).clamp((growth + 7) / 8, growth).min(influence * 9 / 10);
        Self {
            influence,
            growth,
            kill,
            body_aware: params.body_aware,
            roots: params.roots.max(1),
            roots_by: match params.roots_by {
                1 => RootsBy::Lowest,
                2 => RootsBy::Highest,
                3 => RootsBy::Centre,
                _ => RootsBy::Random,
            },
            roots_at: Vec::new(),
            root_every_part: params.root_every_part,
            tropism: tropism(params, &DMat3::IDENTITY),
            noise: unit_parts(f64::from(params.noise)),
            normalised: params.step_mode == 1,
            reseed: params.leftovers == 1,
        }
    }

    /// Whether steps are other than the plain mean.
    #[must_use]
    pub fn is_steered(&self) -> bool {
        self.tropism != IVec3::ZERO || self.noise != 0 || self.normalised
    }

    /// The least distance of roots in lattice units.
    #[must_use]
    pub fn apart(&self) -> i32 {
        self.touch().max((self.growth + 7) / 8)
    }

    /// Candidates closer than this conflict; no node is repeated within it.
    #[must_use]
    pub fn conflict(&self) -> i32 {
        self.growth / 4
    }

    /// With the volume test, a node this near blocks the child of an aim.
    #[must_use]
    pub fn touch(&self) -> i32 {
        self.kill.min(self.conflict() / 2)
    }

    /// Shortens the influence until no node can own more attractors than its sums can hold; says whether it did.
    pub fn fit(&mut self, attractors: &[glam::IVec3]) -> (CellGrid, bool) {
        let wanted = self.influence;
        loop {
            let grid = CellGrid::new(attractors, self.influence);
            if attractors.len() <= MAX_OWNED || grid.most_in_reach() <= MAX_OWNED {
                return (grid, self.influence < wanted);
            }
            self.influence = (self.influence * 4 / 5).max(SHORTEST_GROWTH * 2);
            self.growth = self.growth.min(self.influence);
            self.kill = self.kill.min(self.growth).min(self.influence * 9 / 10);
            if self.influence == SHORTEST_GROWTH * 2 {
                return (CellGrid::new(attractors, self.influence), true);
            }
        }
    }

    /// How many nodes to make room for: more than were ever seen to grow from so many attractors. Steered steps miss
    /// more of them.
    #[must_use]
    pub fn pool(&self, attractors: usize, spacing: i32, roots: usize) -> usize {
        let crowding = 1.0 + 1.1 * f64::from(spacing) / f64::from(self.growth);
        let each = if self.is_steered() { 2.0 } else { 1.25 };
        (each * attractors as f64 * crowding) as usize + roots + 64
    }

    /// The uniform for these grids; places of lists, pool, seed and tick are left at zero.
    #[must_use]
    pub fn uniform(&self, cells: &CellGrid, volume: &VoxelVolume) -> GrowthUniform {
        let square = |length: i32| (length * length) as u32;
        GrowthUniform {
            cell_origin: cells.origin,
            cell_edge: cells.edge,
            cell_dims: cells.dims,
            cell_count: cells.cell_count() as u32,
            voxel_origin: volume.origin,
            voxel_shift: volume.shift,
            voxel_dims: volume.dims,
            body_aware: u32::from(self.body_aware),
            influence2: square(self.influence),
            kill2: square(self.kill),
            growth2: square(self.growth),
            conflict2: square(self.conflict()),
            growth: self.growth,
            conflict: self.conflict(),
            touch2: square(self.touch()),
            normalised: u32::from(self.normalised),
            reseed: u32::from(self.reseed),
            tropism: self.tropism,
            noise: self.noise,
            ..Default::default()
        }
    }
}

/// A length in steps as parts of a unit vector; at most a few units, so that the kernels' sums stay small.
fn unit_parts(steps: f64) -> i32 {
    (steps.clamp(-4.0, 4.0) * UNIT).round() as i32
}

/// Tropism along its direction, which is turned by `axes`; none without a direction. Square root, quotient and rounding are exact to the bit
/// on every machine.
pub(super) fn tropism(params: &GrowthParams, axes: &DMat3) -> IVec3 {
    let direction = *axes * glam::Vec3::from_array(params.tropism_direction).as_dvec3();
    let length = direction.length_squared().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return IVec3::ZERO;
    }
    let strength = f64::from(params.tropism);
    IVec3::from_array(direction.to_array().map(|part| unit_parts(strength * part / length)))
}

/// Ticks until a node of each 8-bit mass may emit: the whole number of ticks after which `dt · speed · mass` has
/// summed to one.
#[must_use]
pub fn ripening(params: &GrowthParams, dt_secs: f32) -> [u32; 256] {
    std::array::from_fn(|mass| {
        let (least, most) = (f64::from(params.mass_min), f64::from(params.mass_max));
        let mass = least + (most - least) * mass as f64 / 255.0;
        let ticks = (1.0 / (f64::from(dt_secs) * f64::from(params.speed) * mass)).ceil();
        // Rounding must not turn "never" or "at once" into a number the kernels stumble over.
        if ticks.is_finite() { ticks.clamp(1.0, 1e6) as u32 } else { 1_000_000 }
    })
}
