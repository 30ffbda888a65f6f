//! Which joints carry a point of the volume, for formats whose skins are blended linearly.
//!
//! The viewer itself carries points by the posed skin (`ties`), which joints approximate.
//!
//! Every attractor takes the joints of the closest point of the rest surface, blended over its triangle. Deep
//! inside, where that point may jump from one side of a limb to the other, neighbours are averaged, so that
//! branches do not tear there; on the surface the skin's own weights stay.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{DMat4, DVec3, IVec3, UVec4, Vec4};

use crate::character::CharacterData;
use crate::character::animate::rest_pose;
use crate::character::data::{Influences, MAX_INFLUENCES};
use crate::character::surface::pack_influences;
use crate::character::volume::{VoxelVolume, lattice_tree};
use crate::sim::growth::GrowthPlan;
use crate::sim::growth::cells::CellGrid;

/// The joints that carry an attractor and the nodes near it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GrowthCarrier {
    /// Palette indices, two 16-bit numbers a word.
    pub joints: UVec4,
    /// Weights of the first four, falling.
    pub weights0: Vec4,
    /// Weights of the last four, falling.
    pub weights1: Vec4,
    /// First row of the map from lattice positions into bind space.
    pub bind_x: Vec4,
    /// Second row.
    pub bind_y: Vec4,
    /// Third row.
    pub bind_z: Vec4,
}

impl GrowthCarrier {
    /// What carries, unpacked.
    #[must_use]
    pub fn influences(&self) -> Influences {
        let words = self.joints.to_array();
        Influences {
            joints: std::array::from_fn(|k| (words[k / 2] >> (16 * (k % 2))) as u16),
            weights: std::array::from_fn(|k| if k < 4 { self.weights0[k] } else { self.weights1[k - 4] }),
        }
    }

    /// The map from lattice positions into bind space.
    #[must_use]
    pub fn bind_from_lattice(&self) -> DMat4 {
        let rows = [self.bind_x, self.bind_y, self.bind_z, Vec4::W].map(|row| row.as_dvec4());
        DMat4::from_cols_array_2d(&rows.map(|row| row.to_array())).transpose()
    }
}

/// The most triangles looked at for closest points: a few hundred each for a million points, which a body needs not.
const MAX_TRIANGLES: usize = 1 << 28;
/// A blend of matrices with less than this part of their volume is flat: its inverse would throw points far away.
const FLAT: f64 = 1e-3;
/// How often neighbours are averaged.
const ROUNDS: usize = 2;

/// The carriers of a plan's attractors; `None` once `cancel` is set. Neighbours count where the volume lets them see
/// each other.
#[must_use]
pub fn carriers(data: &CharacterData, plan: &GrowthPlan, cancel: &AtomicBool) -> Option<Vec<GrowthCarrier>> {
    let GrowthPlan { lattice, volume, attractors: points, spacing, .. } = plan;
    let spacing = *spacing;
    let tree = lattice_tree(plan.places.points(), &data.indices);
    let limit = MAX_TRIANGLES / points.len().max(1);
    let mut influences = Vec::with_capacity(points.len());
    let mut bind_points = Vec::with_capacity(points.len());
    let mut depths = Vec::with_capacity(points.len());
    for (at, point) in points.iter().enumerate() {
        if at % 256 == 0 && cancel.load(Ordering::Relaxed) {
            return None;
        }
        let Some(closest) = tree.closest_of(point.as_dvec3(), limit) else {
            influences.push(Influences::rigid(0));
            bind_points.push(DVec3::ZERO);
            depths.push(0.0);
            continue;
        };
        let corners = [0, 1, 2].map(|k| data.indices[closest.triangle as usize * 3 + k] as usize);
        let mut blend = Blend::default();
        let mut bind_point = DVec3::ZERO;
        for (corner, weight) in corners.into_iter().zip(closest.weights) {
            blend.add(&data.vertices.influences[corner], weight as f32);
            bind_point += data.vertices.positions[corner].as_dvec3() * weight;
        }
        influences.push(blend.finish());
        bind_points.push(bind_point);
        // What was on the surface may lie beside it by the rounding to the lattice.
        let depth = (closest.distance_squared.sqrt() - 2.0) / f64::from(spacing);
        depths.push(depth.clamp(0.0, 1.0) as f32);
    }
    let spaces = bind_spaces(data);
    let own_space: Vec<u16> = influences.iter().map(|i| spaces[i.joints[0] as usize]).collect();
    let smoothed = smooth(&influences, &own_space, &depths, volume, points, spacing, cancel)?;
    let rest: Vec<DMat4> = rest_pose(data).palette.iter().map(|matrix| matrix.as_dmat4()).collect();
    let world_from_lattice =
        DMat4::from_translation(lattice.origin) * DMat4::from_scale(DVec3::splat(lattice.unit_m));
    let carrier = |at: usize| {
        for influences in [&smoothed[at], &influences[at]] {
            if let Some(bind_from_world) = bind_from_world(influences, &rest) {
                return pack(influences, bind_from_world * world_from_lattice);
            }
        }
        // A limb flattened at rest has no inverse; the branch stays at the skin.
        let zero = DVec3::ZERO.extend(0.0);
        pack(&influences[at], DMat4::from_cols(zero, zero, zero, bind_points[at].extend(1.0)))
    };
    Some((0..points.len()).map(carrier).collect())
}

/// Numbers palette entries by the space their vertices are bound in: entries that move a common vertex share one.
/// A blend across spaces would be of matrices that have nothing to do with each other.
pub(crate) fn bind_spaces(data: &CharacterData) -> Vec<u16> {
    fn root(spaces: &mut [u16], mut entry: u16) -> u16 {
        while spaces[entry as usize] != entry {
            spaces[entry as usize] = spaces[spaces[entry as usize] as usize];
            entry = spaces[entry as usize];
        }
        entry
    }
    // At least one, for the carrier of points without a surface.
    let mut spaces: Vec<u16> = (0..=u16::MAX).take(data.palette.len().max(1)).collect();
    for influences in &data.vertices.influences {
        let first = root(&mut spaces, influences.joints[0]);
        for (&joint, &weight) in influences.joints.iter().zip(&influences.weights) {
            if weight > 0.0 {
                let other = root(&mut spaces, joint);
                let first = root(&mut spaces, first);
                spaces[first.max(other) as usize] = first.min(other);
            }
        }
    }
    for entry in 0..spaces.len() {
        spaces[entry] = root(&mut spaces, entry as u16);
    }
    spaces
}

/// The inverse of the blended rest matrix; `None` when the blend is flat, compared with what it blends.
pub(crate) fn bind_from_world(influences: &Influences, rest: &[DMat4]) -> Option<DMat4> {
    let (mut blended, mut size) = (DMat4::ZERO, 0.0);
    for (&joint, &weight) in influences.joints.iter().zip(&influences.weights) {
        if weight > 0.0 {
            let matrix = rest.get(joint as usize).copied().unwrap_or(DMat4::IDENTITY);
            blended += matrix * f64::from(weight);
            let longest = (0..3).map(|k| matrix.col(k).truncate().length()).fold(0.0, f64::max);
            size += f64::from(weight) * longest.powi(3);
        }
    }
    (blended.determinant().abs() > FLAT * size).then(|| blended.inverse())
}

fn pack(influences: &Influences, bind_from_lattice: DMat4) -> GrowthCarrier {
    let (joints, weights0, weights1) = pack_influences(influences);
    let [bind_x, bind_y, bind_z] = [0, 1, 2].map(|k| bind_from_lattice.row(k).as_vec4());
    GrowthCarrier { joints, weights0, weights1, bind_x, bind_y, bind_z }
}

/// Averages influences with those of neighbours that can be seen within the volume and are bound in the same space,
/// the more the deeper a point lies.
fn smooth(
    influences: &[Influences],
    spaces: &[u16],
    depths: &[f32],
    volume: &VoxelVolume,
    points: &[IVec3],
    spacing: i32,
    cancel: &AtomicBool,
) -> Option<Vec<Influences>> {
    let reach = spacing + spacing / 2;
    let mut influences = influences.to_vec();
    let grid = CellGrid::new(points, reach);
    let reach_squared = i64::from(reach).pow(2);
    for _ in 0..ROUNDS {
        let mut smoothed = Vec::with_capacity(influences.len());
        for (at, &point) in points.iter().enumerate() {
            if at % 256 == 0 && cancel.load(Ordering::Relaxed) {
                return None;
            }
            let mut mean = Blend::default();
            let mut count = 0.0;
            for cell in grid.neighbours(grid.cell_of(point)) {
                for &other in grid.points(cell) {
                    let position = points[other as usize];
                    let near = spaces[at] == spaces[other as usize]
                        && (position - point).as_i64vec3().length_squared() < reach_squared;
                    if near && (other as usize == at || volume.segment_inside(point, position)) {
                        mean.add(&influences[other as usize], 1.0);
                        count += 1.0;
                    }
                }
            }
            let mut blend = Blend::default();
            blend.add(&influences[at], 1.0 - depths[at]);
            blend.add(&mean.finish(), if count > 0.0 { depths[at] } else { 0.0 });
            smoothed.push(blend.finish());
        }
        influences = smoothed;
    }
    Some(influences)
}

/// A weighted sum of influences.
#[derive(Debug, Default)]
pub(crate) struct Blend(Vec<(u16, f32)>);

impl Blend {
    pub fn add(&mut self, influences: &Influences, factor: f32) {
        for (&joint, &weight) in influences.joints.iter().zip(&influences.weights) {
            if weight * factor <= 0.0 {
                continue;
            }
            match self.0.iter_mut().find(|(known, _)| *known == joint) {
                Some((_, sum)) => *sum += weight * factor,
                None => self.0.push((joint, weight * factor)),
            }
        }
    }

    /// The eight largest, falling, with a sum of one.
    pub fn finish(mut self) -> Influences {
        self.0.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.0.truncate(MAX_INFLUENCES);
        let sum: f32 = self.0.iter().map(|(_, weight)| weight).sum();
        if sum <= 0.0 {
            return Influences::rigid(0);
        }
        let mut out = Influences { joints: [0; MAX_INFLUENCES], weights: [0.0; MAX_INFLUENCES] };
        for (at, (joint, weight)) in self.0.into_iter().enumerate() {
            out.joints[at] = joint;
            out.weights[at] = weight / sum;
        }
        out
    }
}
