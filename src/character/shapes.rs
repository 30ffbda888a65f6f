//! Closed bodies without joints or clips, made by the program: to let simulations live in and round plain shapes.

use glam::Vec3;
use serde_json::json;

use super::load::join_glb;

/// A shape one metre across that stands on the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A ball.
    Sphere,
    /// A cube.
    Box,
}

/// Columns and rows of the ball's facets: their middles lie up to 0.1 % of its radius within it.
const COLUMNS: u32 = 96;
const ROWS: u32 = 64;

/// Half an edge of the box, and the ball's radius, in metres.
const HALF: f32 = 0.5;

#[derive(Debug, Default)]
struct Mesh {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    indices: Vec<u32>,
}

impl Shape {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Sphere, Self::Box];

    /// What it is called, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Box => "box",
        }
    }

    /// A binary glTF file of it.
    #[must_use]
    pub fn glb(self) -> Vec<u8> {
        let mesh = match self {
            Self::Sphere => ball(),
            Self::Box => cube(),
        };
        let vectors =
            |list: &[Vec3]| list.iter().flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes).collect();
        let positions: Vec<u8> = vectors(&mesh.positions);
        let normals: Vec<u8> = vectors(&mesh.normals);
        let indices = mesh.indices.iter().flat_map(|index| index.to_le_bytes());
        let [first, second] = [positions.len(), positions.len() + normals.len()];
        let bin: Vec<u8> = positions.into_iter().chain(normals).chain(indices).collect();
        let min = mesh.positions.iter().fold(Vec3::INFINITY, |min, &p| min.min(p)).to_array();
        let max = mesh.positions.iter().fold(Vec3::NEG_INFINITY, |max, &p| max.max(p)).to_array();
        let (vertices, corners) = (mesh.positions.len(), mesh.indices.len());
        let json = json!({
            "asset": {"version": "2.0", "generator": "Dryad"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"name": self.name(), "mesh": 0}],
            "meshes": [{"name": self.name(), "primitives": [
                {"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2, "material": 0}
            ]}],
            "materials": [{"name": "clay", "pbrMetallicRoughness":
                {"baseColorFactor": [0.62, 0.56, 0.5, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6}
            }],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": vertices, "type": "VEC3", "min": min, "max": max},
                {"bufferView": 1, "componentType": 5126, "count": vertices, "type": "VEC3"},
                {"bufferView": 2, "componentType": 5125, "count": corners, "type": "SCALAR"},
            ],
            "bufferViews": [
                {"buffer": 0, "byteOffset": 0, "byteLength": first, "target": 34962},
                {"buffer": 0, "byteOffset": first, "byteLength": second - first, "target": 34962},
                {"buffer": 0, "byteOffset": second, "byteLength": bin.len() - second, "target": 34963},
            ],
            "buffers": [{"byteLength": bin.len()}],
        });
        join_glb(json.to_string().into_bytes(), &bin).unwrap_or_default()
    }
}

fn ball() -> Mesh {
    let mut mesh = Mesh { normals: vec![Vec3::Y, Vec3::NEG_Y], ..Default::default() };
    for row in 1..ROWS {
        let (ring, height) = (std::f32::consts::PI * row as f32 / ROWS as f32).sin_cos();
        for column in 0..COLUMNS {
            let (z, x) = (std::f32::consts::TAU * column as f32 / COLUMNS as f32).sin_cos();
            mesh.normals.push(Vec3::new(ring * x, height, ring * z));
        }
    }
    mesh.positions = mesh.normals.iter().map(|&n| HALF * (n + Vec3::Y)).collect();
    let at = |row: u32, column: u32| 2 + (row - 1) * COLUMNS + column % COLUMNS;
    for column in 0..COLUMNS {
        mesh.indices.extend([0, at(1, column + 1), at(1, column)]);
        mesh.indices.extend([1, at(ROWS - 1, column), at(ROWS - 1, column + 1)]);
        for row in 1..ROWS - 1 {
            let [a, b] = [at(row, column), at(row, column + 1)];
            let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
            mesh.indices.extend([a, b, c, b, d, c]);
        }
    }
    mesh
}

fn cube() -> Mesh {
    let mut mesh = Mesh::default();
    for normal in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
        let across = Vec3::new(normal.y, normal.z, normal.x);
        let up = normal.cross(across);
        let first = mesh.positions.len() as u32;
        for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            mesh.positions.push(HALF * (normal + s * across + t * up + Vec3::Y));
            mesh.normals.push(normal);
        }
        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|k| first + k));
    }
    mesh
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{ball, cube};

    #[test]
    fn facets_look_outwards_and_hold_the_volume() {
        for (mesh, volume) in [(ball(), std::f32::consts::PI / 6.0), (cube(), 1.0)] {
            let mut sum = 0.0;
            for corner in mesh.indices.chunks_exact(3) {
                let [a, b, c] = [0, 1, 2].map(|k| mesh.positions[corner[k] as usize] - Vec3::Y * 0.5);
                assert!((b - a).cross(c - a).dot(mesh.normals[corner[0] as usize]) > 0.0);
                sum += a.dot(b.cross(c)) / 6.0;
            }
            // The facets of the ball cut off 0.2 % of it.
            assert!((sum / volume - 1.0).abs() < 0.003, "{sum}");
        }
    }
}
