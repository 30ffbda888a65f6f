//! An even mesh of near-equilateral triangles by incremental remeshing: split long edges, collapse short ones, flip
//! towards valence six, slide points along the surface, project back onto it (Botsch and Kobbelt, 2004).
//!
//! Every step keeps the surface closed and manifold.

use super::maths::unit;
use super::shape::Shape;
use glam::DVec3;

/// A closed triangle mesh that can be edited; faces name points counter-clockwise from outside.
pub struct Mesh {
    pub points: Vec<DVec3>,
    pub faces: Vec<[u32; 3]>,
    /// Faces around each point, unordered.
    around: Vec<Vec<u32>>,
    spacing: Vec<f64>,
}

const DEAD: [u32; 3] = [u32::MAX; 3];
const ROUNDS: usize = 9;

/// Remeshes a closed surface to the figure's own spacing.
pub fn even(shape: &Shape, points: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Mesh {
    let mut mesh = Mesh::new(points, faces);
    mesh.spacing = mesh.points.iter().map(|&p| shape.spacing(p)).collect();
    for round in 0..ROUNDS {
        mesh.split_long();
        mesh.collapse_short();
        mesh.flip_to_valence_six();
        mesh.slide(shape, if round + 1 == ROUNDS { 6 } else { 2 }, &[]);
    }
    mesh.compact();
    mesh
}

impl Mesh {
    pub fn new(points: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Self {
        let mut around = vec![Vec::new(); points.len()];
        for (f, face) in faces.iter().enumerate() {
            for &v in face {
                around[v as usize].push(f as u32);
            }
        }
        Self { spacing: vec![0.0; points.len()], points, faces, around }
    }

    /// The points joined to `v` by an edge, in ascending order.
    pub fn neighbours(&self, v: u32) -> Vec<u32> {
        let mut ring: Vec<u32> = self.around[v as usize]
            .iter()
            .flat_map(|&f| self.faces[f as usize])
            .filter(|&w| w != v)
            .collect();
        ring.sort_unstable();
        ring.dedup();
        ring
    }

    /// The two faces at an edge, or fewer if it is gone.
    pub fn faces_at(&self, a: u32, b: u32) -> Vec<u32> {
        self.around[a as usize].iter().copied().filter(|&f| self.faces[f as usize].contains(&b)).collect()
    }

    fn length(&self, a: u32, b: u32) -> f64 {
        (self.points[a as usize] - self.points[b as usize]).length()
    }

    /// Edge length over the wanted one.
    fn stretch(&self, a: u32, b: u32) -> f64 {
        self.length(a, b) * 2.0 / (self.spacing[a as usize] + self.spacing[b as usize])
    }

    fn face_normal(&self, face: [u32; 3]) -> DVec3 {
        let [a, b, c] = face.map(|v| self.points[v as usize]);
        (b - a).cross(c - a)
    }

    /// Area-weighted outward normal at a point, unit.
    pub fn normal(&self, v: u32) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for &f in &self.around[v as usize] {
            sum += self.face_normal(self.faces[f as usize]);
        }
        unit(sum)
    }

    fn corner_opposite(&self, face: u32, a: u32, b: u32) -> u32 {
        let f = self.faces[face as usize];
        f.into_iter().find(|&v| v != a && v != b).unwrap_or(a)
    }

    /// Every edge once, as (lower, higher), in the order of the faces.
    pub fn edges(&self) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        for face in &self.faces {
            if *face == DEAD {
                continue;
            }
            for k in 0..3 {
                let (a, b) = (face[k], face[(k + 1) % 3]);
                if a < b {
                    edges.push((a, b));
                }
            }
        }
        edges
    }

    fn split_long(&mut self) {
        for (a, b) in self.edges() {
            if self.stretch(a, b) < 4.0 / 3.0 {
                continue;
            }
            let sides = self.faces_at(a, b);
            let middle = self.points.len() as u32;
            self.points.push((self.points[a as usize] + self.points[b as usize]) * 0.5);
            self.spacing.push((self.spacing[a as usize] + self.spacing[b as usize]) * 0.5);
            self.around.push(Vec::new());
            for f in sides {
                let opposite = self.corner_opposite(f, a, b);
                let old = self.faces[f as usize];
                let fresh = self.faces.len() as u32;
                self.faces.push(old.map(|v| if v == a { middle } else { v }));
                self.faces[f as usize] = old.map(|v| if v == b { middle } else { v });
                self.around[b as usize].retain(|&g| g != f);
                self.around[b as usize].push(fresh);
                self.around[opposite as usize].push(fresh);
                self.around[middle as usize].extend([f, fresh]);
            }
        }
    }

    fn collapse_short(&mut self) {
        for (a, b) in self.edges() {
            let alive = !self.around[a as usize].is_empty() && !self.around[b as usize].is_empty();
            if alive && self.stretch(a, b) < 0.8 {
                self.try_collapse(a, b);
            }
        }
    }

    /// Merges `b` into `a` at their middle if the surface stays manifold, unfolded and fine enough.
    fn try_collapse(&mut self, a: u32, b: u32) {
        let sides = self.faces_at(a, b);
        let (ring_a, ring_b) = (self.neighbours(a), self.neighbours(b));
        let shared = ring_a.iter().filter(|v| ring_b.contains(v)).count();
        // The link condition: only the two opposite corners may neighbour both ends.
        if sides.len() != 2 || shared != 2 {
            return;
        }
        if sides.iter().any(|&f| self.around[self.corner_opposite(f, a, b) as usize].len() <= 3) {
            return;
        }
        let middle = (self.points[a as usize] + self.points[b as usize]) * 0.5;
        let spacing = (self.spacing[a as usize] + self.spacing[b as usize]) * 0.5;
        for &v in ring_a.iter().chain(&ring_b) {
            let wanted = (spacing + self.spacing[v as usize]) * 0.5;
            if v != a && v != b && (self.points[v as usize] - middle).length() > wanted * 4.0 / 3.0 {
                return;
            }
        }
        for end in [a, b] {
            for &f in &self.around[end as usize] {
                if sides.contains(&f) {
                    continue;
                }
                let face = self.faces[f as usize];
                let [p, q, r] = face.map(|v| if v == end { middle } else { self.points[v as usize] });
                let (before, after) = (self.face_normal(face), (q - p).cross(r - p));
                if unit(before).dot(unit(after)) < 0.4 {
                    return;
                }
            }
        }
        for &f in &sides {
            for v in self.faces[f as usize] {
                self.around[v as usize].retain(|&g| g != f);
            }
            self.faces[f as usize] = DEAD;
        }
        let moved = std::mem::take(&mut self.around[b as usize]);
        for &f in &moved {
            self.faces[f as usize] = self.faces[f as usize].map(|v| if v == b { a } else { v });
        }
        self.around[a as usize].extend(moved);
        self.points[a as usize] = middle;
        self.spacing[a as usize] = spacing;
    }

    fn flip_to_valence_six(&mut self) {
        for (a, b) in self.edges() {
            let Some((sides, c, d)) = self.flippable(a, b) else {
                continue;
            };
            let off = |v: u32, change: i64| (self.around[v as usize].len() as i64 + change - 6).pow(2);
            let before = off(a, 0) + off(b, 0) + off(c, 0) + off(d, 0);
            let after = off(a, -1) + off(b, -1) + off(c, 1) + off(d, 1);
            if after < before {
                self.flip((a, b), sides, (c, d), 0.7);
            }
        }
    }

    /// Flips the long edges of slivers where that makes the worse triangle of the two better.
    fn flip_slivers(&mut self) {
        for (a, b) in self.edges() {
            let Some((sides, c, d)) = self.flippable(a, b) else {
                continue;
            };
            let worst = |pair: [[u32; 3]; 2]| pair.map(|f| self.roundness(f)).into_iter().fold(1.0, f64::min);
            let before = worst(sides.map(|f| self.faces[f as usize]));
            if before < 0.45 && worst([[a, d, c], [b, c, d]]) > before {
                self.flip((a, b), sides, (c, d), 0.5);
            }
        }
    }

    /// 1 for an equilateral triangle, 0 for a flat one.
    fn roundness(&self, face: [u32; 3]) -> f64 {
        let [a, b, c] = face;
        let sides = [self.length(a, b), self.length(b, c), self.length(c, a)];
        let square: f64 = sides.iter().map(|s| s * s).sum();
        self.face_normal(face).length() * 2.0 * 1.732_050_807_568_877_2 / square.max(1e-30)
    }

    /// The two faces at an edge and their far corners, if the edge may be flipped and stay manifold.
    fn flippable(&self, a: u32, b: u32) -> Option<([u32; 2], u32, u32)> {
        let &[f, g] = &self.faces_at(a, b)[..] else {
            return None;
        };
        let (c, d) = (self.corner_opposite(f, a, b), self.corner_opposite(g, a, b));
        let enough = self.around[a as usize].len() > 3 && self.around[b as usize].len() > 3;
        (enough && self.faces_at(c, d).is_empty()).then_some(([f, g], c, d))
    }

    /// Replaces edge a-b by c-d unless a new face would lean from the old ones by more than the cosine `least`.
    fn flip(&mut self, (a, b): (u32, u32), sides: [u32; 2], (c, d): (u32, u32), least: f64) {
        // Keep the winding: in the first face the edge runs a to b or b to a.
        let first = self.faces[sides[0] as usize];
        let at_a = (0..3).find(|&k| first[k] == a).unwrap_or(0);
        let (from, to) = if first[(at_a + 1) % 3] == b { (a, b) } else { (b, a) };
        let fresh = [[from, d, c], [to, c, d]];
        let mean = unit(sides.map(|f| self.face_normal(self.faces[f as usize])).into_iter().sum());
        if fresh.iter().any(|&f| unit(self.face_normal(f)).dot(mean) < least) {
            return;
        }
        for (&f, face) in sides.iter().zip(fresh) {
            self.faces[f as usize] = face;
        }
        self.around[from as usize].retain(|&g| g != sides[1]);
        self.around[to as usize].retain(|&g| g != sides[0]);
        self.around[c as usize].push(sides[1]);
        self.around[d as usize].push(sides[0]);
    }

    /// Evens out the mesh again after some points have been moved to where they must stay.
    pub fn tidy(&mut self, shape: &Shape, fixed: &[bool]) {
        for _ in 0..3 {
            self.flip_slivers();
            self.slide(shape, 1, fixed);
        }
        self.flip_slivers();
    }

    /// Moves points within the surface towards the middle of their neighbours, then back onto it.
    fn slide(&mut self, shape: &Shape, times: usize, fixed: &[bool]) {
        for _ in 0..times {
            let mut fresh = self.points.clone();
            for v in 0..self.points.len() as u32 {
                let ring = self.neighbours(v);
                if ring.is_empty() || fixed.get(v as usize) == Some(&true) {
                    continue;
                }
                let p = self.points[v as usize];
                let mut sum = DVec3::ZERO;
                for &w in &ring {
                    sum += self.points[w as usize];
                }
                let pull = sum / ring.len() as f64 - p;
                let normal = self.normal(v);
                fresh[v as usize] = shape.project(p + (pull - normal * pull.dot(normal)) * 0.7);
            }
            self.points = fresh;
        }
        for v in 0..self.points.len() {
            if !self.around[v].is_empty() {
                self.spacing[v] = shape.spacing(self.points[v]);
            }
        }
    }

    /// Drops what has been collapsed away and numbers the rest in order.
    fn compact(&mut self) {
        let mut name = vec![u32::MAX; self.points.len()];
        let mut points = Vec::new();
        for (v, ring) in self.around.iter().enumerate() {
            if !ring.is_empty() {
                name[v] = points.len() as u32;
                points.push(self.points[v]);
            }
        }
        let faces = self.faces.iter().filter(|f| **f != DEAD).map(|f| f.map(|v| name[v as usize])).collect();
        let spacing =
            self.around.iter().zip(&self.spacing).filter(|(r, _)| !r.is_empty()).map(|(_, s)| *s).collect();
        *self = Self { spacing, ..Self::new(points, faces) };
    }
}
