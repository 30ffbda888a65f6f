//! Places of a body at rest that people name: joints, and points of its skin.

use std::fmt;

use glam::{DMat3, DVec3, IVec3};

use super::params::GrowthParams;
use super::rule::{RootPlace, Rule, tropism};
use crate::character::animate::rest_world;
use crate::character::volume::Lattice;
use crate::character::{CharacterData, joints};

/// The most places that roots are asked for at.
pub const MAX_PLACES: usize = 64;

/// Farther from the lattice's origin than this, places are brought nearer, so that squares fit 64 bits.
const FARTHEST: i32 = 1 << 28;

/// A point of the skin that goes along with it: written `triangle:b:c`, with the weights of the second and third
/// corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinPoint {
    /// Index of a triangle of the character.
    pub triangle: u32,
    /// Weights of its corners, not negative, summing to 1.
    pub weights: [f64; 3],
}

impl fmt::Display for SkinPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:.3}:{:.3}", self.triangle, self.weights[1], self.weights[2])
    }
}

impl SkinPoint {
    /// Reads what [`SkinPoint`] writes; weights are brought within the triangle.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':').map(str::trim);
        let triangle = parts.next()?.parse().ok()?;
        let mut weight = || parts.next()?.parse().ok().filter(|w: &f64| (0.0..=1.0).contains(w));
        let (b, c) = (weight()?, weight()?);
        let sum = (b + c).max(1.0);
        let (b, c) = (b / sum, c / sum);
        parts.next().is_none().then_some(Self { triangle, weights: [(1.0 - b - c).max(0.0), b, c] })
    }
}

/// `list`, a value of `growth.root_points`, with one point more; `None` where it is full.
#[must_use]
pub fn with_point(list: &str, point: SkinPoint) -> Option<String> {
    if words(list).count() >= MAX_PLACES {
        return None;
    }
    let all: Vec<String> = words(list).map(str::to_owned).chain([point.to_string()]).collect();
    Some(all.join(", "))
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// A node of the file at rest.
#[derive(Debug, Clone)]
struct Joint {
    name: String,
    /// Where it is on the lattice.
    at: IVec3,
    /// Its axes in the world, each of length one.
    axes: DMat3,
}

/// The nodes and the skin of a body at rest.
#[derive(Debug, Clone, Default)]
pub struct Places {
    joints: Vec<Joint>,
    /// Vertices on the lattice.
    points: Vec<IVec3>,
    /// Their triangles.
    indices: Vec<u32>,
}

impl Places {
    /// The places of a character whose vertices lie at `points` of the lattice.
    #[must_use]
    pub fn new(data: &CharacterData, lattice: &Lattice, points: Vec<IVec3>) -> Self {
        let world = rest_world(&data.nodes, &data.node_order);
        let joints = data.nodes.iter().zip(world).map(|(node, world_from_node)| {
            let at = lattice.from_world(world_from_node.w_axis.truncate().as_vec3());
            let axis = |axis: DVec3, instead: DVec3| axis.normalize_or(instead);
            let axes = DMat3::from_mat4(world_from_node);
            Joint {
                name: node.name.clone(),
                at: at.clamp(IVec3::splat(-FARTHEST), IVec3::splat(FARTHEST)),
                axes: DMat3::from_cols(
                    axis(axes.x_axis, DVec3::X),
                    axis(axes.y_axis, DVec3::Y),
                    axis(axes.z_axis, DVec3::Z),
                ),
            }
        });
        Self { joints: joints.collect(), points, indices: data.indices.clone() }
    }

    fn joint(&self, wanted: &str, param: &str) -> Result<&Joint, String> {
        let names = || self.joints.iter().map(|joint| joint.name.as_str());
        joints::find(names(), wanted)
            .map(|index| &self.joints[index])
            .ok_or_else(|| joints::missing(names(), wanted, param))
    }

    /// The vertices at rest on the lattice.
    #[must_use]
    pub fn points(&self) -> &[IVec3] {
        &self.points
    }

    /// Where on the lattice a point of the skin is at rest; `None` when there is no such triangle.
    #[must_use]
    pub fn at(&self, point: &SkinPoint) -> Option<IVec3> {
        let first = point.triangle as usize * 3;
        let corners = self.indices.get(first..first + 3)?;
        let mut sum = DVec3::ZERO;
        for (&corner, weight) in corners.iter().zip(point.weights) {
            sum += self.points.get(corner as usize)?.as_dvec3() * weight;
        }
        Some(sum.round().as_ivec3())
    }

    /// The rule that the parameters ask for in this body, and what they name that is not there, a sentence each.
    #[must_use]
    pub fn rule(&self, params: &GrowthParams) -> (Rule, Vec<String>) {
        let mut problems = Vec::new();
        let mut rule = Rule::new(params);
        let frame = params.tropism_joint.trim();
        if !frame.is_empty() {
            match self.joint(frame, "growth.tropism_joint") {
                Ok(joint) => rule.tropism = tropism(params, &joint.axes),
                Err(problem) => problems.push(problem),
            }
        }
        for name in words(&params.roots_at) {
            match self.joint(name, "growth.roots_at") {
                Ok(joint) => rule.roots_at.push(RootPlace { at: joint.at, count: rule.roots }),
                Err(problem) => problems.push(problem),
            }
        }
        for word in words(&params.root_points) {
            match SkinPoint::parse(word).and_then(|point| self.at(&point)) {
                Some(at) => rule.roots_at.push(RootPlace { at, count: 1 }),
                None => problems.push(format!("growth.root_points: {word} is no point of this skin")),
            }
        }
        if rule.roots_at.len() > MAX_PLACES {
            rule.roots_at.truncate(MAX_PLACES);
            problems.push(format!("roots are asked for at too many places; the first {MAX_PLACES} count"));
        }
        (rule, problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_the_skin_are_read_as_written() {
        let point = SkinPoint { triangle: 12, weights: [0.5, 0.125, 0.375] };
        assert_eq!(SkinPoint::parse(&point.to_string()), Some(point));
        for wrong in ["", "1", "1:0.2", "1:0.2:0.3:0", "-1:0:0", "1:nan:0", "1:2:0", "a:0:0"] {
            assert_eq!(SkinPoint::parse(wrong), None, "{wrong}");
        }
        // Rounding may lead a little outside.
        assert_eq!(SkinPoint::parse("0:0.6:0.6").map(|p| p.weights), Some([0.0, 0.5, 0.5]));
        let mut list = String::new();
        for _ in 0..MAX_PLACES {
            list = with_point(&list, point).expect("there is room");
        }
        assert_eq!(words(&list).count(), MAX_PLACES);
        assert!(list.len() <= crate::params::MAX_TEXT);
        assert_eq!(with_point(&list, point), None);
    }
}
