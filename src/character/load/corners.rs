//! Attributes that belong to the corners of triangles rather than to vertices: flat normals and tangents. A vertex
//! whose corners disagree is copied, behind those of the accessor, so that these keep their order.

use std::collections::HashMap;
use std::hash::Hash;

use glam::{DVec3, Vec3};

/// No corner uses the vertex.
pub(super) const UNUSED: u32 = u32::MAX;

/// What came of [`part`].
pub(super) struct Parted {
    /// The triangles in terms of old and new vertices.
    pub triangles: Vec<u32>,
    /// For each new vertex the old one that it copies.
    pub sources: Vec<u32>,
    /// For each vertex, new ones included, a corner that uses it and has a key, or [`UNUSED`].
    pub corners: Vec<u32>,
}

/// Gives corners of unlike keys vertices of their own: the first key met keeps the vertex, each other one gets a
/// copy. Corners without a key go with any.
pub(super) fn part<K: Eq + Hash>(
    triangles: &[u32],
    vertex_count: usize,
    key: impl Fn(usize) -> Option<K>,
) -> Parted {
    let mut corners = vec![UNUSED; vertex_count];
    let mut copies: HashMap<(u32, K), u32> = HashMap::new();
    let mut sources = Vec::new();
    let mut parted = triangles.to_vec();
    for (corner, vertex) in parted.iter_mut().enumerate() {
        let Some(own) = key(corner) else { continue };
        let first = &mut corners[*vertex as usize];
        if *first == UNUSED {
            *first = corner as u32;
            continue;
        }
        if key(*first as usize).as_ref() == Some(&own) {
            continue;
        }
        *vertex = *copies.entry((*vertex, own)).or_insert_with(|| {
            sources.push(*vertex);
            corners.push(corner as u32);
            (corners.len() - 1) as u32
        });
    }
    Parted { triangles: parted, sources, corners }
}

/// A direction as a key: directions closer than rounding are mostly the same.
pub(super) fn direction_key(direction: Vec3) -> [i16; 3] {
    (direction * 8192.0).round().to_array().map(|component| component as i16)
}

/// The unit normal of each triangle, zero for those without area.
pub(super) fn face_normals(positions: &[Vec3], triangles: &[u32]) -> Vec<Vec3> {
    let normal = |triangle: &[u32]| {
        let [a, b, c] = [0, 1, 2].map(|corner| positions[triangle[corner] as usize].as_dvec3());
        (b - a).cross(c - a).try_normalize().unwrap_or(DVec3::ZERO).as_vec3()
    };
    triangles.chunks_exact(3).map(normal).collect()
}
