//! Tangents for normal maps: those of the file, else those of MikkTSpace (M. S. Mikkelsen, "Simulation of Wrinkled
//! Surfaces Revisited", 2008), which the makers of normal maps use too.

use std::collections::HashMap;

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use glam::{Vec2, Vec3, Vec4};

/// Triangles round one vertex that the generator is given: it spends the square of their number in time and their
/// number in stack.
const MAX_VALENCE: u32 = 256;

/// Unit tangents of the file, made from `stored` (x, y, z, handedness); the second number counts those that had no
/// direction and got some one.
pub(super) fn sound(stored: Vec<[f32; 4]>, normals: &[Vec3]) -> (Vec<Vec4>, usize) {
    let mut mended = 0;
    let tangents = stored.into_iter().zip(normals).map(|([x, y, z, w], normal)| {
        let handedness = if w < 0.0 { -1.0 } else { 1.0 };
        match Vec3::new(x, y, z).as_dvec3().try_normalize() {
            Some(tangent) => tangent.as_vec3().extend(handedness),
            None => {
                mended += 1;
                some_tangent(*normal)
            }
        }
    });
    let tangents = tangents.collect();
    (tangents, mended)
}

/// A tangent where the surface prefers none.
pub(super) fn some_tangent(normal: Vec3) -> Vec4 {
    normal.any_orthonormal_vector().extend(1.0)
}

/// What MikkTSpace reads and writes. Triangles without area or at crowded vertices are kept from it.
struct Mesh<'a> {
    positions: &'a [Vec3],
    normals: &'a [Vec3],
    uvs: &'a [Vec2],
    triangles: &'a [u32],
    /// The triangles that take part.
    taken: Vec<u32>,
    corners: Vec<Option<Vec4>>,
}

impl Mesh<'_> {
    fn corner(&self, face: usize, corner: usize) -> usize {
        self.taken[face] as usize * 3 + corner
    }

    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.triangles[self.corner(face, corner)] as usize
    }
}

impl Geometry for Mesh<'_> {
    fn num_faces(&self) -> usize {
        self.taken.len()
    }

    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }

    fn position(&self, face: usize, vert: usize) -> [f32; 3] {
        self.positions[self.vertex(face, vert)].to_array()
    }

    fn normal(&self, face: usize, vert: usize) -> [f32; 3] {
        self.normals[self.vertex(face, vert)].to_array()
    }

    fn tex_coord(&self, face: usize, vert: usize) -> [f32; 2] {
        self.uvs[self.vertex(face, vert)].to_array()
    }

    fn set_tangent(&mut self, tangent_space: Option<TangentSpace>, face: usize, vert: usize) {
        let Some(space) = tangent_space else { return };
        let [x, y, z, handedness] = space.tangent_encoded();
        let tangent = Vec3::new(x, y, z);
        let corner = self.corner(face, vert);
        // glTF's bitangent points where v falls, MikkTSpace's where it rises.
        let sound = (tangent.length_squared() - 1.0).abs() < 1e-2;
        self.corners[corner] = sound.then(|| tangent.normalize_or_zero().extend(-handedness));
    }
}

/// The tangent of each corner of `triangles`; `None` where the texture has no direction. All slices but the last
/// are by vertex.
pub(super) fn mikktspace(
    positions: &[Vec3],
    normals: &[Vec3],
    uvs: &[Vec2],
    triangles: &[u32],
) -> Vec<Option<Vec4>> {
    // Vertices weld as in the generator: by all that it reads.
    let key = |vertex: u32| {
        let [p, n, uv] = [
            positions[vertex as usize].extend(0.0),
            normals[vertex as usize].extend(0.0),
            uvs[vertex as usize].extend(0.0).extend(0.0),
        ];
        [p.x, p.y, p.z, n.x, n.y, n.z, uv.x, uv.y].map(f32::to_bits)
    };
    let mut welded: HashMap<[u32; 8], u32> = HashMap::new();
    let ids: Vec<u32> = (0..positions.len() as u32)
        .map(|vertex| {
            let next = welded.len() as u32;
            *welded.entry(key(vertex)).or_insert(next)
        })
        .collect();
    let mut valence = vec![0u32; welded.len()];
    drop(welded);
    let taken = triangles.chunks_exact(3).enumerate().filter_map(|(face, triangle)| {
        let [a, b, c] = [0, 1, 2].map(|corner| positions[triangle[corner] as usize]);
        let corners = [0, 1, 2].map(|corner| ids[triangle[corner] as usize] as usize);
        let full = corners.iter().any(|&corner| valence[corner] >= MAX_VALENCE);
        if a == b || b == c || c == a || full {
            return None;
        }
        corners.iter().for_each(|&corner| valence[corner] += 1);
        Some(face as u32)
    });
    let taken = taken.collect();
    let mut mesh = Mesh { positions, normals, uvs, triangles, taken, corners: vec![None; triangles.len()] };
    // Its error has no cases.
    let _ = generate_tangents(&mut mesh);
    mesh.corners
}
