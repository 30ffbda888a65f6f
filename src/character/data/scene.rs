//! Lights and cameras that hang on nodes, so that clips move them.

use glam::Vec3;

/// A light of KHR_lights_punctual on one node. It stands at the node's origin and shines along its −z axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Light {
    /// The file's name for it, else that of its node.
    pub name: String,
    /// Index into [`super::CharacterData::nodes`]; scale and shear of its world matrix do not count.
    pub node: u32,
    /// Linear colour, at least 0.
    pub color: Vec3,
    /// Lux for directional lights, candela for the others; at least 0.
    pub intensity: f32,
    /// Metres beyond which it is dark; `None` for no end. Directional lights have none.
    pub range: Option<f32>,
    /// How it shines.
    pub kind: LightKind,
}

/// How a light shines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LightKind {
    /// Parallel, from infinitely far.
    Directional,
    /// In all directions.
    Point,
    /// In a cone.
    Spot {
        /// Radians from the axis to where it begins to fade, at least 0, less than the outer angle.
        inner_angle: f32,
        /// Radians from the axis to where it is dark, at most π/2.
        outer_angle: f32,
    },
}

/// A camera of the file on one node. It stands at the node's origin, looks along its −z axis, y up.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneCamera {
    /// The file's name for it, else that of its node.
    pub name: String,
    /// Index into [`super::CharacterData::nodes`]; scale and shear of its world matrix do not count.
    pub node: u32,
    /// What it sees.
    pub projection: Projection,
}

/// What a camera of the file sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Projection {
    /// A pyramid.
    Perspective {
        /// Vertical field of view in radians, between 0 and π.
        y_fov: f32,
        /// Width over height as meant by the author; `None` leaves it to the window.
        aspect: Option<f32>,
        /// Distance of the near plane, above 0.
        near: f32,
        /// Distance of the far plane, above the near one; `None` for none.
        far: Option<f32>,
    },
    /// A box.
    Orthographic {
        /// Half the width, not 0.
        x_mag: f32,
        /// Half the height, not 0.
        y_mag: f32,
        /// Distance of the near plane, at least 0.
        near: f32,
        /// Distance of the far plane, above the near one.
        far: f32,
    },
}
