//! Primitive modes to triangle lists, and normals for those who have none.

use glam::{DVec3, Vec3};
use gltf::json::mesh::Mode;

/// Turns the vertices `corners`, drawn in `mode`, into a triangle list; `None` for points and lines.
/// What does not fill a last triangle is dropped.
pub(super) fn to_list(mode: Mode, mut corners: Vec<u32>) -> Option<Vec<u32>> {
    let strip = |odd: usize, i: usize| [i, i + 1 + odd, i + 2 - odd];
    match mode {
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => None,
        Mode::Triangles => {
            corners.truncate(corners.len() / 3 * 3);
            Some(corners)
        }
        Mode::TriangleStrip => {
            let triangles = corners.len().saturating_sub(2);
            Some((0..triangles).flat_map(|i| strip(i % 2, i)).map(|at| corners[at]).collect())
        }
        Mode::TriangleFan => {
            let triangles = corners.len().saturating_sub(2);
            Some((0..triangles).flat_map(|i| [i + 1, i + 2, 0]).map(|at| corners[at]).collect())
        }
    }
}

/// Area-weighted normals: on vertices of one triangle this is the flat normal that glTF asks for, on shared
/// vertices the mean of the flat normals. Vertices without area point up.
pub(super) fn normals(positions: &[Vec3], triangles: &[u32]) -> Vec<Vec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for triangle in triangles.chunks_exact(3) {
        let [a, b, c] = [triangle[0], triangle[1], triangle[2]].map(|i| positions[i as usize].as_dvec3());
        let doubled_area = (b - a).cross(c - a);
        for corner in triangle {
            sums[*corner as usize] += doubled_area;
        }
    }
    sums.into_iter().map(|sum| sum.try_normalize().unwrap_or(DVec3::Y).as_vec3()).collect()
}
