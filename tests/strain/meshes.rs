//! Small meshes whose strain is known on paper.
#![allow(dead_code, reason = "each test program uses a part")]

use glam::Vec3;

/// A triangle list.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    pub positions: Vec<Vec3>,
    pub indices: Vec<u32>,
}

impl Mesh {
    /// The same triangles elsewhere.
    pub fn map(&self, f: impl Fn(Vec3) -> Vec3) -> Mesh {
        Mesh { positions: self.positions.iter().map(|&p| f(p)).collect(), indices: self.indices.clone() }
    }

    /// Area-weighted unit normals.
    pub fn normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for t in self.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|k| self.positions[t[k] as usize]);
            for &i in t {
                normals[i as usize] += (b - a).cross(c - a);
            }
        }
        normals.into_iter().map(|n| n.try_normalize().unwrap_or(Vec3::Y)).collect()
    }

    /// The longest edge of the box.
    pub fn extent(&self) -> f32 {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &p in &self.positions {
            (min, max) = (min.min(p), max.max(p));
        }
        let extent = (max - min).max_element();
        if extent > 0.0 { extent } else { 1.0 }
    }
}

/// Numbers in [0, 1) that are the same everywhere (a PCG step).
pub struct Random(pub u32);

impl Random {
    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((self.0 >> ((self.0 >> 28) + 4)) ^ self.0).wrapping_mul(277_803_737);
        ((word >> 22) ^ word) as f32 / 4_294_967_296.0
    }
}

/// The unit square in XY, `columns` by `rows` cells; inner vertices moved by up to `jitter` of a cell, and
/// diagonals chosen by `seed`.
pub fn sheet(columns: u32, rows: u32, jitter: f32, seed: u32) -> Mesh {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let inner = column > 0 && column < columns && row > 0 && row < rows;
            let mut shift = || if inner { jitter * (2.0 * random.next() - 1.0) } else { 0.0 };
            let x = (column as f32 + shift()) / columns as f32;
            let y = (row as f32 + shift()) / rows as f32;
            mesh.positions.push(Vec3::new(x, y, 0.0));
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column;
            let [b, c, d] = [a + 1, a + columns + 1, a + columns + 2];
            if random.next() < 0.5 {
                mesh.indices.extend([a, b, d, a, d, c]);
            } else {
                mesh.indices.extend([a, b, c, b, d, c]);
            }
        }
    }
    mesh
}

/// A tube round Y of radius 0.3 and height 1. The first and last columns lie at the same place: a texture seam.
pub fn tube(columns: u32, rows: u32) -> Mesh {
    let mut mesh = sheet(columns, rows, 0.0, 5);
    for (i, p) in mesh.positions.iter_mut().enumerate() {
        let column = i as u32 % (columns + 1) % columns;
        let angle = std::f32::consts::TAU * column as f32 / columns as f32;
        *p = Vec3::new(-0.3 * angle.cos(), p.y, 0.3 * angle.sin());
    }
    mesh
}

/// A cube with its own four vertices a side, `n` by `n` cells each.
pub fn cube(n: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for axis in 0..3 {
        for side in [-1.0_f32, 1.0] {
            let first = mesh.positions.len() as u32;
            let face = sheet(n, n, 0.0, 1);
            mesh.positions.extend(face.positions.iter().map(|p| {
                let (u, v) = (2.0 * p.x - 1.0, side * (2.0 * p.y - 1.0));
                match axis {
                    0 => Vec3::new(side, u, v),
                    1 => Vec3::new(v, side, u),
                    _ => Vec3::new(u, v, side),
                }
            }));
            mesh.indices.extend(face.indices.iter().map(|i| first + i));
        }
    }
    mesh
}

/// A unit sphere: a cube blown up.
pub fn sphere(n: u32) -> Mesh {
    cube(n).map(|p| p.try_normalize().unwrap_or(Vec3::Y))
}
