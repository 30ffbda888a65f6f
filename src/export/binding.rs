//! Hangs tubes on the joints that carry the nodes.

use glam::{DMat3, DMat4, Vec3};

use super::carriers::{Blend, bind_from_world, bind_spaces};
use super::grow::Grown;
use super::tubes::{Ring, TubeMesh};
use crate::character::CharacterData;
use crate::character::animate::rest_pose;
use crate::character::data::Influences;

/// A ring and what carries it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundRing {
    /// Which vertices, between which nodes.
    pub ring: Ring,
    /// Palette entries and weights of all its vertices.
    pub influences: Influences,
}

/// A vertex as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundVertex {
    /// Position in bind space.
    pub position: Vec3,
    /// Unit normal in bind space.
    pub normal: Vec3,
    /// Radius of the branch, metres of the world at rest.
    pub radius: f32,
    /// Seconds since this place was reached.
    pub age_secs: f32,
    /// Steps from the root.
    pub depth: f32,
    /// Horton-Strahler order.
    pub order: f32,
    /// Linear colour.
    pub color: [f32; 3],
}

/// Tubes in bind space.
#[derive(Debug, Clone, Default)]
pub struct BoundMesh {
    /// Vertices, ring after ring.
    pub vertices: Vec<BoundVertex>,
    /// Triangles, counter-clockwise outside in the world at rest.
    pub indices: Vec<u32>,
    /// What carries the vertices.
    pub rings: Vec<BoundRing>,
}

/// Binds tubes made of `grown`'s nodes, so that they stand where they are while the character rests.
#[must_use]
pub fn bind(data: &CharacterData, grown: &Grown, tubes: &TubeMesh) -> BoundMesh {
    let rest: Vec<DMat4> = rest_pose(data).palette.iter().map(|matrix| matrix.as_dmat4()).collect();
    let spaces = bind_spaces(data);
    let mut mesh = BoundMesh { indices: tubes.indices.clone(), ..BoundMesh::default() };
    mesh.vertices.reserve(tubes.vertices.len());
    for &ring in &tubes.rings {
        let (influences, bind_from_world) = carrier(grown, &ring, &spaces, &rest);
        mesh.rings.push(BoundRing { ring, influences });
        // Normals go the other way: what the skinning's inverse transpose will undo.
        let mut world_from_bind = DMat3::ZERO;
        for (&joint, &weight) in influences.joints.iter().zip(&influences.weights) {
            let matrix = rest.get(usize::from(joint)).copied().unwrap_or(DMat4::IDENTITY);
            world_from_bind += DMat3::from_mat4(matrix) * f64::from(weight);
        }
        let to_bind = world_from_bind.transpose();
        for vertex in &tubes.vertices[ring.first_vertex as usize..][..ring.vertex_count as usize] {
            let normal = (to_bind * vertex.normal).try_normalize().unwrap_or(vertex.normal);
            mesh.vertices.push(BoundVertex {
                position: bind_from_world.transform_point3(vertex.position).as_vec3(),
                normal: normal.as_vec3(),
                radius: vertex.radius,
                age_secs: vertex.age_secs,
                depth: vertex.depth,
                order: vertex.order,
                color: vertex.color,
            });
        }
    }
    mesh
}

/// What carries a ring, and the map from the world at rest into its bind space. Between nodes, the carriers of both
/// are blended; where that cannot be, the nearer one carries.
fn carrier(grown: &Grown, ring: &Ring, spaces: &[u16], rest: &[DMat4]) -> (Influences, DMat4) {
    let nearer = if ring.fraction < 0.5 { ring.from } else { ring.to };
    if ring.from == ring.to {
        return grown.carrier(nearer as usize);
    }
    let [a, b] = [ring.from, ring.to].map(|node| grown.carrier(node as usize).0);
    let space = |influences: &Influences| spaces.get(usize::from(influences.joints[0]));
    if space(&a) == space(&b) {
        let mut blend = Blend::default();
        blend.add(&a, 1.0 - ring.fraction);
        blend.add(&b, ring.fraction);
        let influences = blend.finish();
        if let Some(bind_from_world) = bind_from_world(&influences, rest) {
            return (influences, bind_from_world);
        }
    }
    grown.carrier(nearer as usize)
}
