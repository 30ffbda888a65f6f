//! The skinned surface over a clip: posed points, their strain from the rest shape, and winding numbers.

use super::glb::{Glb, joint_frames, joint_name};
use glam::{DMat2, DQuat, DVec2, DVec3};
use std::collections::BTreeMap;

/// The welded surface and how joints carry it.
pub struct Skin {
    pub rest: Vec<DVec3>,
    pub triangles: Vec<[usize; 3]>,
    /// Joint and weight, four a point.
    pub influences: Vec<[(usize, f64); 4]>,
    /// Places of the joints at rest.
    pub bind: Vec<DVec3>,
}

impl Skin {
    pub fn new(glb: &Glb) -> Self {
        let (points, triangles) = glb.welded();
        let (joints, weights) = (glb.attribute::<4>("JOINTS_0"), glb.attribute::<4>("WEIGHTS_0"));
        let mut first = BTreeMap::new();
        for (v, p) in glb.attribute::<3>("POSITION").into_iter().enumerate() {
            first.entry(p.map(f32::to_bits)).or_insert(v);
        }
        let influences = points
            .iter()
            .map(|p| {
                let v = first[&p.map(f32::to_bits)];
                std::array::from_fn(|k| (joints[v][k] as usize, f64::from(weights[v][k])))
            })
            .collect();
        let binds = glb.read::<16>(glb.number("/skins/0/inverseBindMatrices"));
        Self {
            rest: points.iter().map(|p| DVec3::from(p.map(f64::from))).collect(),
            triangles,
            influences,
            bind: binds.iter().map(|m| -DVec3::new(m[12].into(), m[13].into(), m[14].into())).collect(),
        }
    }

    /// The points under world places and turns of the joints.
    pub fn posed(&self, frames: &[(DVec3, DQuat)]) -> Vec<DVec3> {
        let carry = |p: DVec3, (j, w): (usize, f64)| (frames[j].0 + frames[j].1 * (p - self.bind[j])) * w;
        self.rest
            .iter()
            .zip(&self.influences)
            .map(|(&p, row)| row.iter().map(|&share| carry(p, share)).sum())
            .collect()
    }

    /// How often the surface in this shape goes round `from` (van Oosterom and Strackee's solid angles).
    pub fn winding(&self, points: &[DVec3], from: DVec3) -> f64 {
        let angle = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|v| points[v] - from);
            let (x, y, z) = (a.length(), b.length(), c.length());
            2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
        };
        self.triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    /// Every point's largest stretch and compression in the given shapes, as shares of length.
    ///
    /// At a point the fan of triangles is unrolled flat at rest and each triangle's Green strain follows from the
    /// squared lengths of its edges; the fan's mean is weighted by area, slivers little.
    pub fn worst_strain(&self, shapes: &[Vec<DVec3>]) -> Vec<(f64, f64)> {
        let mut next = vec![BTreeMap::new(); self.rest.len()];
        for t in &self.triangles {
            for k in 0..3 {
                next[t[k]].insert(t[(k + 1) % 3], t[(k + 2) % 3]);
            }
        }
        let point = |(v, ring): (usize, &BTreeMap<usize, usize>)| {
            let mut worst = (0.0f64, 0.0f64);
            let fan = self.fan(v, ring);
            for shape in shapes {
                let length = |a: usize, b: usize| (shape[a] - shape[b]).length_squared();
                let strain: DMat2 = fan.iter().fold(DMat2::ZERO, |sum, side| {
                    sum + side.matrix * (length(side.from, side.to) - side.rest)
                });
                let c = DMat2::IDENTITY + strain;
                let mean = 0.5 * (c.x_axis.x + c.y_axis.y);
                let apart = (0.25 * (c.x_axis.x - c.y_axis.y).powi(2) + c.x_axis.y * c.x_axis.y).sqrt();
                worst.0 = worst.0.max((mean + apart).sqrt() - 1.0);
                worst.1 = worst.1.max(1.0 - (mean - apart).max(0.0).sqrt());
            }
            worst
        };
        next.iter().enumerate().map(point).collect()
    }

    fn fan(&self, v: usize, ring: &BTreeMap<usize, usize>) -> Vec<Side> {
        let mut order = vec![*ring.keys().next().expect("a fan")];
        while order.len() < ring.len() {
            order.push(ring[order.last().expect("a start")]);
        }
        let spoke = |k: usize| self.rest[order[k % order.len()]] - self.rest[v];
        let corner: Vec<f64> = (0..order.len()).map(|k| spoke(k).angle_between(spoke(k + 1))).collect();
        let scale = std::f64::consts::TAU / corner.iter().sum::<f64>();
        let (mut angle, mut total, mut sides) = (0.0, 0.0, Vec::new());
        for (k, &own) in corner.iter().enumerate() {
            let middle = angle + 0.5 * scale * own;
            angle += scale * own;
            let here = spoke(k).length() * DVec2::from_angle(middle - 0.5 * own);
            let there = spoke(k + 1).length() * DVec2::from_angle(middle + 0.5 * own);
            let edges = [here, there - here, -there];
            let area = 0.5 * here.perp_dot(there);
            let longest = edges.iter().map(|e| e.length_squared()).fold(0.0, f64::max);
            let shape = (area / longest / 1e-2).powi(2);
            let weight = area * shape / (1.0 + shape);
            total += weight;
            let (a, b) = (order[k], order[(k + 1) % order.len()]);
            for (e, (from, to)) in [(v, a), (a, b), (b, v)].into_iter().enumerate() {
                let (p, q) = (edges[(e + 1) % 3].perp(), edges[(e + 2) % 3].perp());
                let both = DMat2::from_cols(p * q.x + q * p.x, p * q.y + q * p.y);
                let matrix = both * (-weight / (8.0 * area * area));
                sides.push(Side {
                    from,
                    to,
                    rest: (self.rest[from] - self.rest[to]).length_squared(),
                    matrix,
                });
            }
        }
        for side in &mut sides {
            side.matrix *= 1.0 / total;
        }
        sides
    }
}

/// An edge of a fan and what a change of its squared length adds to the fan's metric.
struct Side {
    from: usize,
    to: usize,
    rest: f64,
    matrix: DMat2,
}

/// Every `step`th key of a clip.
pub fn shapes(glb: &Glb, skin: &Skin, clip: &str, step: usize) -> Vec<Vec<DVec3>> {
    joint_frames(glb, clip).iter().step_by(step).map(|frames| skin.posed(frames)).collect()
}

/// Area that the plane through `at` across `axis` cuts out of the triangles in `part`.
pub fn section(points: &[DVec3], part: &[[usize; 3]], at: DVec3, axis: DVec3) -> f64 {
    let height = |v: usize| (points[v] - at).dot(axis);
    let mut area = 0.0;
    for t in part {
        let mut ends = [None; 2];
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            let (h, i) = (height(a), height(b));
            if (h < 0.0) != (i < 0.0) {
                // One edge goes up through the plane and one down: that gives the cut its direction.
                ends[usize::from(h < 0.0)] = Some(points[a].lerp(points[b], h / (h - i)) - at);
            }
        }
        if let [Some(a), Some(b)] = ends {
            area += 0.5 * a.cross(b).dot(axis);
        }
    }
    area.abs()
}

pub fn volume(points: &[DVec3], triangles: &[[usize; 3]]) -> f64 {
    triangles.iter().map(|t| points[t[0]].dot(points[t[1]].cross(points[t[2]])) / 6.0).sum()
}

/// Where a joint rests.
pub fn bind_place(glb: &Glb, skin: &Skin, name: &str) -> DVec3 {
    skin.bind[(0..skin.bind.len()).find(|&j| joint_name(glb, j) == name).expect("the joint")]
}
