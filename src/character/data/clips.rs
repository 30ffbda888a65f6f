//! Animation clips.

use glam::{Vec3, Vec4};

/// An animation.
#[derive(Debug, Clone, Default)]
pub struct Clip {
    /// The file's name for it, else `clip N`.
    pub name: String,
    /// Last key time of any channel, in seconds; clips start at 0 even if their first key is later.
    pub duration_secs: f64,
    /// What moves.
    pub channels: Vec<Channel>,
}

/// How values between keys are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The earlier key's value.
    Step,
    /// Straight, rotations along the short arc.
    Linear,
    /// Hermite: each key is in-tangent, value, out-tangent.
    CubicSpline,
}

/// One animated property of one node.
#[derive(Debug, Clone)]
pub struct Channel {
    /// Index into [`super::CharacterData::nodes`].
    pub node: u32,
    /// Key times in seconds, rising (equal neighbours allowed).
    pub times_secs: Vec<f32>,
    /// How to interpolate.
    pub interpolation: Interpolation,
    /// The property and its keyed values.
    pub values: ChannelValues,
}

/// Keyed values; for cubic splines three entries a key (in-tangent, value, out-tangent).
#[derive(Debug, Clone)]
pub enum ChannelValues {
    /// Metres.
    Translation(Vec<Vec3>),
    /// Quaternions x, y, z, w, as stored.
    Rotation(Vec<Vec4>),
    /// Factors.
    Scale(Vec<Vec3>),
    /// `width` weights a key (three times that for cubic splines).
    Weights {
        /// Morph targets a key.
        width: usize,
        /// All weights, key after key.
        values: Vec<f32>,
    },
}
