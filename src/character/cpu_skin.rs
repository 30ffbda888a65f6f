//! Morphing and skinning on the CPU: the twin of the GPU's, and the measure of a character's size.

use glam::{DMat3, DMat4, DVec3, Mat4, Vec3};

use super::animate::{Poser, rest_pose};
use super::data::{CharacterData, Pose};

/// Vertices in world space, parallel to [`CharacterData::vertices`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skinned {
    /// World-space positions.
    pub positions: Vec<Vec3>,
    /// Unit world-space normals.
    pub normals: Vec<Vec3>,
}

/// An axis-aligned box; empty when `min` exceeds `max`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

impl Bounds {
    /// Holds nothing.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Grows to hold `point`.
    pub fn add(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// Grows to hold `other`.
    pub fn merge(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    /// Edge lengths; zero when empty.
    #[must_use]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// The middle; the origin when empty.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.min + (self.max - self.min) * 0.5 }
    }
}

/// Moves every vertex, those that no triangle uses included: morph targets first, then the palette.
///
/// Normals are moved by the inverse transpose of the blended matrix, so that they stay upright on the surface
/// under uneven scales and point outward under mirroring ones.
///
/// # Panics
/// If `pose` was not made from `data`.
#[must_use]
pub fn skin(data: &CharacterData, pose: &Pose) -> Skinned {
    let vertices = &data.vertices;
    let mut skinned = Skinned {
        positions: Vec::with_capacity(vertices.positions.len()),
        normals: Vec::with_capacity(vertices.positions.len()),
    };
    for_each_blend(data, pose, |blend, position, normal| {
        skinned.positions.push(blend.transform_point3(position).as_vec3());
        let moved = inverse_transpose_direction(&DMat3::from_mat4(*blend)) * normal();
        skinned.normals.push(moved.try_normalize().unwrap_or(DVec3::Y).as_vec3());
    });
    skinned
}

/// The box of all vertices in a pose.
///
/// # Panics
/// If `pose` was not made from `data`.
#[must_use]
pub fn bounds(data: &CharacterData, pose: &Pose) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for_each_blend(data, pose, |blend, position, _| bounds.add(blend.transform_point3(position).as_vec3()));
    bounds
}

/// The box of all vertices over a clip, looked at in `samples` evenly spread poses and at both ends; at rest
/// without a clip.
#[must_use]
pub fn posed_bounds_over_clip(data: &CharacterData, clip: Option<usize>, samples: usize) -> Bounds {
    let mut poser = Poser::new(data);
    let duration_secs = clip.and_then(|index| data.clips.get(index)).map_or(0.0, |clip| clip.duration_secs);
    let steps = if duration_secs > 0.0 { samples.max(2) - 1 } else { 0 };
    let mut all = Bounds::EMPTY;
    for step in 0..=steps {
        let time_secs = duration_secs * step as f64 / steps.max(1) as f64;
        all.merge(&bounds(data, poser.pose(data, clip, time_secs)));
    }
    all
}

/// The character's size: the largest edge of the box of the rest pose, of all vertices. It is 1 where there is
/// none (no vertices, or all at one point), so that lengths may be divided by it.
#[must_use]
pub fn extent(data: &CharacterData) -> f32 {
    let edge = bounds(data, &rest_pose(data)).size().max_element();
    if edge > 0.0 && edge.is_finite() { edge } else { 1.0 }
}

/// Calls `visit` with every vertex's blended matrix, morphed position and a function that makes its morphed normal.
fn for_each_blend(
    data: &CharacterData,
    pose: &Pose,
    mut visit: impl FnMut(&DMat4, DVec3, &dyn Fn() -> DVec3),
) {
    let palette: Vec<DMat4> = pose.palette.iter().map(Mat4::as_dmat4).collect();
    let vertices = &data.vertices;
    for primitive in &data.primitives {
        let targets = primitive.target_count as usize;
        let weights = &pose.morph_weights[primitive.first_morph_weight as usize..][..targets];
        let count = primitive.vertex_count as usize;
        for local in 0..count {
            let vertex = primitive.first_vertex as usize + local;
            let delta = |target: usize| {
                &data.morph_deltas[primitive.first_morph_delta as usize + target * count + local]
            };
            let active = || weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
            let mut position = vertices.positions[vertex].as_dvec3();
            for (target, weight) in active() {
                position += delta(target).position.as_dvec3() * f64::from(*weight);
            }
            let normal = || {
                let base = vertices.normals[vertex].as_dvec3();
                active().fold(base, |sum, (target, weight)| {
                    sum + delta(target).normal.as_dvec3() * f64::from(*weight)
                })
            };
            let influences = &vertices.influences[vertex];
            let mut blend = DMat4::ZERO;
            for (joint, weight) in influences.joints.iter().zip(influences.weights) {
                if weight > 0.0 {
                    blend += palette[*joint as usize] * f64::from(weight);
                }
            }
            visit(&blend, position, &normal);
        }
    }
}

/// The inverse transpose up to a positive factor, for singular matrices too: cofactors, with the determinant's sign.
fn inverse_transpose_direction(matrix: &DMat3) -> DMat3 {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(y.cross(z)) < 0.0 { cofactors * -1.0 } else { cofactors }
}
