//! Clips to poses: samples channels at a time and multiplies transforms down the node forest.
//!
//! Interpolation follows glTF 2.0, Appendix C, in 64 bits: STEP, LINEAR (rotations along the short arc) and
//! CUBICSPLINE (tangents times the distance of the keys, rotations made unit afterwards). Before its first and
//! after its last key a channel holds still.

use glam::{DMat4, DQuat, DVec3, DVec4, Mat4, Vec3, Vec4};

use super::data::{
    Channel, ChannelValues, CharacterData, Interpolation, LocalTransform, Node, PaletteEntry, Pose, Trs,
};

/// Palette entries beyond this collapse to a point instead of overflowing in 32 bits.
const MAX_PALETTE_ENTRY: f64 = 1.0e9;
/// Quaternions shorter than this have no direction.
const MIN_QUATERNION: f64 = 1.0e-9;

/// The pose at rest: no clip, rest weights of morph targets.
#[must_use]
pub fn rest_pose(data: &CharacterData) -> Pose {
    pose(data, None, 0.0)
}

/// The pose of clip `clip` at `time_secs` from the clip's zero, clamped to its ends; at rest without a clip or
/// with one that does not exist.
#[must_use]
pub fn pose(data: &CharacterData, clip: Option<usize>, time_secs: f64) -> Pose {
    let mut poser = Poser::new(data);
    poser.pose(data, clip, time_secs);
    poser.pose
}

/// World matrices of all nodes at rest; the identity for nodes that `order` leaves out.
#[must_use]
pub fn rest_world(nodes: &[Node], order: &[u32]) -> Vec<DMat4> {
    let mut world = vec![DMat4::IDENTITY; nodes.len()];
    propagate(nodes, order, |index| nodes[index].local.matrix(), &mut world);
    world
}

/// Computes poses of one character again and again without allocating.
#[derive(Debug, Clone)]
pub struct Poser {
    /// Transforms of this pose, one a node.
    locals: Vec<LocalTransform>,
    pose: Pose,
}

impl Poser {
    /// A poser for `data`; every call of [`Poser::pose`] must bring the same one.
    #[must_use]
    pub fn new(data: &CharacterData) -> Self {
        Self {
            locals: data.nodes.iter().map(|node| node.local).collect(),
            pose: Pose {
                world_from_node: vec![DMat4::IDENTITY; data.nodes.len()],
                palette: vec![Mat4::IDENTITY; data.palette.len()],
                morph_weights: data.morph_weights.clone(),
            },
        }
    }

    /// As [`pose`], into memory of its own.
    pub fn pose(&mut self, data: &CharacterData, clip: Option<usize>, time_secs: f64) -> &Pose {
        for (local, node) in self.locals.iter_mut().zip(&data.nodes) {
            *local = node.local;
        }
        self.pose.morph_weights.copy_from_slice(&data.morph_weights);
        if let Some(clip) = clip.and_then(|index| data.clips.get(index)) {
            let time_secs = if time_secs.is_nan() { 0.0 } else { time_secs.clamp(0.0, clip.duration_secs) };
            for channel in &clip.channels {
                self.apply(data, channel, time_secs);
            }
        }
        let locals = &self.locals;
        propagate(
            &data.nodes,
            &data.node_order,
            |index| locals[index].matrix(),
            &mut self.pose.world_from_node,
        );
        for (matrix, entry) in self.pose.palette.iter_mut().zip(&data.palette) {
            *matrix = palette_matrix(&self.pose.world_from_node, entry);
        }
        &self.pose
    }

    fn apply(&mut self, data: &CharacterData, channel: &Channel, time_secs: f64) {
        let node = channel.node as usize;
        let Some(at) = locate(&channel.times_secs, channel.interpolation, time_secs) else { return };
        if let ChannelValues::Weights { width, values } = &channel.values {
            let Some((first, count)) = data.nodes[node].morph_weights else { return };
            let weights = &mut self.pose.morph_weights[first as usize..][..count as usize];
            for (target, weight) in weights.iter_mut().enumerate().take(*width) {
                *weight = at.sample(|entry| f64::from(values[entry * width + target])) as f32;
            }
            return;
        }
        let LocalTransform::Trs(trs) = &mut self.locals[node] else { return };
        match &channel.values {
            ChannelValues::Translation(values) => trs.translation = at.sample_vec3(values),
            ChannelValues::Scale(values) => trs.scale = at.sample_vec3(values),
            ChannelValues::Rotation(values) => trs.rotation = at.sample_rotation(values, trs),
            ChannelValues::Weights { .. } => {}
        }
    }
}

/// Multiplies local matrices down the forest. What overflows stays where its parent is.
fn propagate(nodes: &[Node], order: &[u32], local: impl Fn(usize) -> DMat4, world: &mut [DMat4]) {
    for &index in order {
        let index = index as usize;
        let parent = nodes[index].parent.map_or(DMat4::IDENTITY, |parent| world[parent as usize]);
        let matrix = parent * local(index);
        world[index] = if matrix.is_finite() { matrix } else { parent };
    }
}

fn palette_matrix(world_from_node: &[DMat4], entry: &PaletteEntry) -> Mat4 {
    let matrix = world_from_node[entry.node as usize] * entry.bind_inverse;
    let in_range = matrix.to_cols_array().iter().all(|value| value.abs() <= MAX_PALETTE_ENTRY);
    if in_range { matrix.as_mat4() } else { Mat4::from_cols(Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::W) }
}

/// A place between two keys, as indices of values: of a cubic spline's three values a key the first is the
/// in-tangent, the second the value, the third the out-tangent.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// Exactly one value.
    At(usize),
    /// `fraction` of the way from one value to another.
    Between { from: usize, to: usize, fraction: f64 },
    /// The same with tangents; `spacing_secs` scales them.
    Spline { from: usize, to: usize, fraction: f64, spacing_secs: f64 },
}

/// Finds the keys round `time_secs`. Of keys at the same time the last counts from that time on.
fn locate(times_secs: &[f32], interpolation: Interpolation, time_secs: f64) -> Option<Place> {
    let last = times_secs.len().checked_sub(1)?;
    let value = |key: usize| if interpolation == Interpolation::CubicSpline { 3 * key + 1 } else { key };
    let after = times_secs.partition_point(|key| f64::from(*key) <= time_secs);
    if after == 0 {
        return Some(Place::At(value(0)));
    }
    let key = after - 1;
    if key == last {
        return Some(Place::At(value(last)));
    }
    let [from_secs, to_secs] = [key, key + 1].map(|key| f64::from(times_secs[key]));
    let spacing_secs = to_secs - from_secs;
    let fraction = (time_secs - from_secs) / spacing_secs;
    let (from, to) = (value(key), value(key + 1));
    Some(match interpolation {
        Interpolation::Step => Place::At(from),
        Interpolation::Linear => Place::Between { from, to, fraction },
        Interpolation::CubicSpline => Place::Spline { from, to, fraction, spacing_secs },
    })
}

impl Place {
    /// Interpolates whatever can be added and scaled.
    fn sample<T>(self, value: impl Fn(usize) -> T) -> T
    where
        T: std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        match self {
            Self::At(index) => value(index),
            Self::Between { from, to, fraction } => value(from) * (1.0 - fraction) + value(to) * fraction,
            Self::Spline { from, to, fraction: t, spacing_secs } => {
                let (t2, t3) = (t * t, t * t * t);
                let out_tangent = value(from + 1) * (spacing_secs * (t3 - 2.0 * t2 + t));
                let in_tangent = value(to - 1) * (spacing_secs * (t3 - t2));
                value(from) * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + out_tangent
                    + value(to) * (3.0 * t2 - 2.0 * t3)
                    + in_tangent
            }
        }
    }

    fn sample_vec3(self, values: &[Vec3]) -> DVec3 {
        self.sample(|index| values[index].as_dvec3())
    }

    /// A unit quaternion; keys of no direction count as the rest rotation.
    fn sample_rotation(self, values: &[Vec4], rest: &Trs) -> DQuat {
        let unit = |q: DVec4| {
            let length = q.length();
            if length > MIN_QUATERNION { DQuat::from_vec4(q / length) } else { rest.rotation }
        };
        match self {
            Self::Between { from, to, fraction } => {
                slerp(unit(values[from].as_dvec4()), unit(values[to].as_dvec4()), fraction)
            }
            other => unit(other.sample(|index| values[index].as_dvec4())),
        }
    }
}

/// Along the shorter of the two great arcs between unit quaternions (Shoemake, SIGGRAPH 1985).
fn slerp(from: DQuat, to: DQuat, fraction: f64) -> DQuat {
    let dot = from.dot(to);
    let (to, dot) = if dot < 0.0 { (-to, -dot) } else { (to, dot) };
    if dot > 1.0 - 1e-9 {
        // The arc is straight here, and its sine too small to divide by.
        return (from * (1.0 - fraction) + to * fraction).normalize();
    }
    let angle = dot.acos();
    let blended = from * ((1.0 - fraction) * angle).sin() + to * (fraction * angle).sin();
    blended.normalize()
}
