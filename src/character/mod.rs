//! The character: loading, posing and skinning, and the geometry that simulations ask about.

pub mod animate;
pub mod cpu_skin;
pub mod data;
pub mod info;
pub mod joints;
pub mod load;
pub mod shapes;
pub mod surface;
pub mod topology;
pub mod volume;
pub mod winding;

pub use data::CharacterData;
pub use surface::SkinnedSurface;

use glam::Vec3;

use cpu_skin::Bounds;
use topology::Topology;

/// The rest pose in world space: node defaults, no clip, through the same morphing and skinning.
///
/// The reference of strain, the space in which branches grow, and the origin of the unit of length.
#[derive(Debug, Clone, Default)]
pub struct RestShape {
    /// World positions of all vertices.
    pub positions: Vec<Vec3>,
    /// Unit world normals of all vertices.
    pub normals: Vec<Vec3>,
    /// Least corner of the box round all vertices.
    pub min: Vec3,
    /// Greatest corner of the box round all vertices.
    pub max: Vec3,
    /// H: the longest edge of that box; every length parameter is a fraction of it. Never zero.
    pub extent: f32,
}

impl RestShape {
    /// Measures a posed shape.
    #[must_use]
    pub fn new(positions: Vec<Vec3>, normals: Vec<Vec3>) -> Self {
        let (mut min, mut max) = (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY));
        for &p in &positions {
            min = min.min(p);
            max = max.max(p);
        }
        if positions.is_empty() {
            (min, max) = (Vec3::ZERO, Vec3::ZERO);
        }
        let extent = (max - min).max_element();
        // A single point has no size; one metre keeps every length finite.
        let extent = if extent > f32::MIN_POSITIVE { extent } else { 1.0 };
        Self { positions, normals, min, max, extent }
    }

    /// Middle of the box.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }
}

/// A character with what is derived from it once: rest shape and welded topology. CPU only, made off the frame.
#[derive(Debug, Clone)]
pub struct Character {
    /// The file's contents.
    pub data: CharacterData,
    /// The rest pose.
    pub rest: RestShape,
    /// Welded vertices and their rings.
    pub topology: Topology,
}

/// Poses sampled over a clip when its bounds are taken.
const BOUNDS_SAMPLES: usize = 9;

impl Character {
    /// Derives rest shape and topology.
    #[must_use]
    pub fn new(data: CharacterData) -> Self {
        let skinned = cpu_skin::skin(&data, &animate::rest_pose(&data));
        let rest = RestShape::new(skinned.positions, skinned.normals);
        let topology = Topology::new(&rest.positions, &data.indices, rest.extent);
        Self { data, rest, topology }
    }

    /// The box round the posed vertices over a clip, or at rest.
    #[must_use]
    pub fn bounds(&self, clip: Option<usize>) -> Bounds {
        match clip {
            Some(_) => cpu_skin::posed_bounds_over_clip(&self.data, clip, BOUNDS_SAMPLES),
            None => Bounds { min: self.rest.min, max: self.rest.max },
        }
    }
}
