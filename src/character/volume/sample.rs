//! Points that fill a volume evenly: hashed candidates, the best of which are kept so that no two are close.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{IVec3, UVec3};

use super::{VoxelVolume, hash3, voxels::bounds};

/// Candidates for each cube of the wanted spacing: enough that little room for another point is left.
const CANDIDATES_A_CELL: f64 = 54.0;
/// The most candidates in all.
const MAX_CANDIDATES: usize = 1 << 23;
/// The least distance of points as a fraction of the spacing.
pub const RADIUS_OF_SPACING: f64 = 0.83;
/// Points that then find room in a cube of the spacing, by trial on bodies of all shapes.
pub const POINTS_A_CUBE: f64 = 1.15;

/// Where points may go, in order of preference.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// Lattice positions.
    pub positions: Vec<IVec3>,
    /// The lower, the sooner taken; the index decides between equals.
    pub priorities: Vec<u32>,
}

impl Candidates {
    /// Hashed candidates in every set voxel. `jitter` 1 takes them in random order and place; 0 prefers the
    /// middles of a cubic grid of cells with edge `spacing`, in lattice units.
    #[must_use]
    pub fn in_volume(volume: &VoxelVolume, spacing: i32, jitter: f32, seed: u32) -> Self {
        let voxels = volume.count().max(1);
        let ratio = f64::from(volume.edge()) / f64::from(spacing);
        let wanted = (CANDIDATES_A_CELL * ratio.powi(3)).round() as usize;
        let each = wanted.clamp(1, 64).min((MAX_CANDIDATES / voxels).max(1)) as u32;
        let mut candidates = Self::default();
        for index in volume.iter() {
            let corner = volume.origin + volume.voxel(index).as_ivec3() * volume.edge();
            for k in 0..each {
                let random = |salt: u32| hash3(seed ^ salt, index as u32, k);
                let offset = UVec3::new(random(1), random(2), random(3));
                let edge = volume.edge() as u64;
                let place =
                    IVec3::from_array(offset.to_array().map(|r| ((u64::from(r) * edge) >> 32) as i32));
                let position = corner + mix(volume.edge() / 2, place, jitter);
                candidates.push(position, random(4), spacing, jitter);
            }
        }
        candidates
    }

    /// Adds a candidate with a random number that orders it among others.
    pub fn push(&mut self, position: IVec3, random: u32, spacing: i32, jitter: f32) {
        let from_middle = (position.rem_euclid(IVec3::splat(spacing)) - spacing / 2).as_i64vec3();
        // At most 3/4 of the squared edge; scaled to 32 bits.
        let off = (from_middle.length_squared() << 32) / i64::from(spacing).pow(2);
        let jitter = jitter_bits(jitter);
        let priority = ((65_536 - jitter) * (off as u64) + jitter * u64::from(random)) >> 16;
        self.positions.push(position);
        self.priorities.push(u32::try_from(priority).unwrap_or(u32::MAX));
    }
}

fn jitter_bits(jitter: f32) -> u64 {
    (jitter.clamp(0.0, 1.0) * 65_536.0) as u64
}

fn mix(middle: i32, place: IVec3, jitter: f32) -> IVec3 {
    let jitter = jitter_bits(jitter) as i64;
    IVec3::from_array(
        place.to_array().map(|p| (i64::from(middle) + ((i64::from(p - middle) * jitter) >> 16)) as i32),
    )
}

/// Takes candidates in order of priority, each unless one already taken is closer than `radius` lattice units or
/// `admit` turns it down; stops at `limit`. Returns their indices in the order taken, or `None` once `cancel` is
/// set.
///
/// Keeping a candidate when no undecided or kept neighbour has better priority, round after round, gives the same
/// set; on one thread the plain order is the quickest way there.
#[must_use]
pub fn poisson_select(
    candidates: &Candidates,
    radius: i32,
    limit: usize,
    mut admit: impl FnMut(IVec3) -> bool,
    cancel: &AtomicBool,
) -> Option<Vec<u32>> {
    let positions = &candidates.positions;
    let mut order: Vec<u64> = candidates
        .priorities
        .iter()
        .enumerate()
        .map(|(index, &priority)| u64::from(priority) << 32 | index as u64)
        .collect();
    order.sort_unstable();
    let (min, max) = bounds(positions);
    let mut cell_edge = radius.max(1);
    let dims = |edge: i32| ((max - min) / edge + 1).as_u64vec3();
    while dims(cell_edge).element_product() > super::voxels::MAX_VOXELS {
        cell_edge *= 2;
    }
    let dims = dims(cell_edge).as_ivec3();
    // Taken points by cell, as chains: index into `taken` plus one.
    let mut heads = vec![0u32; dims.as_usizevec3().element_product()];
    let mut chain: Vec<u32> = Vec::new();
    let mut taken: Vec<u32> = Vec::new();
    let radius_squared = i64::from(radius).pow(2);
    for (at, &key) in order.iter().enumerate() {
        if at % 4096 == 0 && cancel.load(Ordering::Relaxed) {
            return None;
        }
        let index = key as u32;
        let position = positions[index as usize];
        let cell = (position - min) / cell_edge;
        let (low, high) = ((cell - 1).max(IVec3::ZERO), (cell + 1).min(dims - 1));
        let cell_index = |x: i32, y: i32, z: i32| {
            ((i64::from(z) * i64::from(dims.y) + i64::from(y)) * i64::from(dims.x) + i64::from(x)) as usize
        };
        let mut free = true;
        'search: for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let mut link = heads[cell_index(x, y, z)];
                    while link != 0 {
                        let other = positions[taken[link as usize - 1] as usize];
                        if (other - position).as_i64vec3().length_squared() < radius_squared {
                            free = false;
                            break 'search;
                        }
                        link = chain[link as usize - 1];
                    }
                }
            }
        }
        if !free || !admit(position) {
            continue;
        }
        let head = &mut heads[cell_index(cell.x, cell.y, cell.z)];
        taken.push(index);
        chain.push(*head);
        *head = taken.len() as u32;
        if taken.len() >= limit {
            break;
        }
    }
    Some(taken)
}
