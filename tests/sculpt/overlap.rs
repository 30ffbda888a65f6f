//! The body does not pass through itself in any clip.

use super::glb::{parse, shipped};
use super::skin::{Skin, shapes};
use glam::DVec3;

/// Triangles by the squares of the ground, two centimetres wide, that they lie over in some shape.
struct Columns<'a> {
    points: &'a [DVec3],
    low: [i32; 2],
    size: [usize; 2],
    over: Vec<Vec<[usize; 3]>>,
}

impl<'a> Columns<'a> {
    fn new(points: &'a [DVec3], triangles: &[[usize; 3]]) -> Self {
        let square = |p: DVec3| [p.x, p.z].map(|c| (c / 0.02).floor() as i32);
        let (low, high) = points.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), &p| (l.min(p), h.max(p)));
        let (low, high) = (square(low), square(high));
        let size = [0, 1].map(|c| (high[c] - low[c] + 1) as usize);
        let mut columns = Self { points, low, size, over: vec![Vec::new(); size[0] * size[1]] };
        for t in triangles {
            let corners = t.map(|v| square(points[v]));
            let ends = |c: usize| {
                let of = corners.map(|s| s[c] - low[c]);
                of[0].min(of[1]).min(of[2])..=of[0].max(of[1]).max(of[2])
            };
            for x in ends(0) {
                for z in ends(1) {
                    columns.over[x as usize * size[1] + z as usize].push(*t);
                }
            }
        }
        columns
    }

    /// How often the surface goes round `p`: the signed count of faces above it.
    fn winding(&self, p: DVec3) -> i32 {
        let square = [p.x, p.z].map(|c| (c / 0.02).floor() as i32);
        let [x, z] = [0, 1].map(|c| usize::try_from(square[c] - self.low[c]).unwrap_or(usize::MAX));
        if x >= self.size[0] || z >= self.size[1] {
            return 0;
        }
        let mut layers = 0;
        for t in &self.over[x * self.size[1] + z] {
            let [a, b, c] = t.map(|v| self.points[v] - p);
            let side = |a: DVec3, b: DVec3| a.x * b.z - a.z * b.x;
            let (u, v, w) = (side(a, b), side(b, c), side(c, a));
            let down = u > 0.0 && v > 0.0 && w > 0.0;
            let up = u < 0.0 && v < 0.0 && w < 0.0;
            if (down || up) && (a.y * v + b.y * w + c.y * u) / (u + v + w) > 0.0 {
                layers += if down { -1 } else { 1 };
            }
        }
        layers
    }
}

/// How deep the surface lies in itself: the largest distance of a doubly enclosed point (of every `step`th) to the
/// nearest point that faces it, metres, and where that lies at rest.
fn overlap(skin: &Skin, points: &[DVec3], step: usize) -> (f64, DVec3) {
    let mut normals = vec![DVec3::ZERO; points.len()];
    for t in &skin.triangles {
        let normal = (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]);
        t.iter().for_each(|&v| normals[v] += normal);
    }
    let columns = Columns::new(points, &skin.triangles);
    let mut deepest = (0.0, DVec3::ZERO);
    for v in (0..points.len()).step_by(step) {
        // A millimetre inside, so that the point's own faces enclose it once.
        if columns.winding(points[v] - normals[v].normalize_or_zero() * 1e-3) >= 2 {
            let facing = (0..points.len()).filter(|&w| normals[v].dot(normals[w]) < 0.0);
            let depth = facing.map(|w| points[v].distance(points[w])).fold(f64::MAX, f64::min);
            if depth > deepest.0 {
                deepest = (depth, skin.rest[v]);
            }
        }
    }
    deepest
}

#[test]
fn no_clip_passes_through_the_body() {
    let glb = parse(&shipped());
    let skin = Skin::new(&glb);
    // Every so many keys, a sixtieth of a second each: nothing goes deep in and out again between two of them.
    for (clip, step) in [("walk", 6), ("dance", 20), ("breathe", 40), ("stretch", 40)] {
        for (k, shape) in shapes(&glb, &skin, clip, step).iter().enumerate() {
            let (depth, place) = overlap(&skin, shape, 4);
            // One hundredth of the height.
            assert!(depth < 0.0175, "{clip}, key {}: {depth} m deep at {place}", k * step);
        }
    }
}
