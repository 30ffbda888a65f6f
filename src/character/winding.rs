//! Inside tests and distances against a triangle soup, through a tree of boxes.
//!
//! The generalized winding number (Jacobson et al. 2013) tells inside from outside even where a mesh has holes or
//! overlaps. Far parts of the tree stand in as dipoles, after Barill et al., *Fast Winding Numbers for Soups and
//! Clouds* (2018), so that a query costs the logarithm of the number of triangles rather than the number.

use std::f64::consts::PI;

use glam::{DVec3, Vec3};

/// Triangles a leaf holds.
const LEAF: usize = 8;
/// A node farther than this many of its radii is a dipole; the error of the sum is then below a hundredth.
const FAR_RADII: f64 = 3.0;

type Triangle = [DVec3; 3];

/// Triangles sorted into a tree of boxes.
#[derive(Debug)]
pub struct TriangleTree {
    triangles: Vec<Triangle>,
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    min: DVec3,
    max: DVec3,
    /// Area-weighted middle, sum of area normals, and radius round the middle.
    middle: DVec3,
    area_normal: DVec3,
    radius: f64,
    first: usize,
    end: usize,
    /// Index of the second child; the first follows its parent. `None` for a leaf.
    second: Option<usize>,
}

impl TriangleTree {
    /// Builds the tree. Triangles with corners out of range or not finite are left out.
    #[must_use]
    pub fn new(positions: &[Vec3], indices: &[u32]) -> Self {
        let corner =
            |index: u32| positions.get(index as usize).filter(|p| p.is_finite()).map(|p| p.as_dvec3());
        let triangles = indices
            .chunks_exact(3)
            .filter_map(|t| Some([corner(t[0])?, corner(t[1])?, corner(t[2])?]))
            .collect();
        let mut tree = Self { triangles, nodes: Vec::new() };
        if !tree.triangles.is_empty() {
            tree.split(0, tree.triangles.len());
        }
        tree
    }

    /// Makes the node of `triangles[first..end]` and its children; depth is the logarithm of their number.
    fn split(&mut self, first: usize, end: usize) {
        let index = self.nodes.len();
        self.nodes.push(Node::new(&self.triangles[first..end], first));
        if end - first <= LEAF {
            return;
        }
        let size = self.nodes[index].max - self.nodes[index].min;
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let half = (end - first) / 2;
        let key = |t: &Triangle| t[0][axis] + t[1][axis] + t[2][axis];
        self.triangles[first..end].select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)));
        self.split(first, first + half);
        self.nodes[index].second = Some(self.nodes.len());
        self.split(first + half, end);
    }

    /// How often the triangles wind round `point`: 1 inside a closed mesh, 0 outside, in between near holes.
    #[must_use]
    pub fn winding(&self, point: DVec3) -> f64 {
        let mut sum = 0.0;
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            let away = node.middle - point;
            let distance_squared = away.length_squared();
            if distance_squared > (FAR_RADII * node.radius).powi(2) && distance_squared > 0.0 {
                sum += node.area_normal.dot(away) / (distance_squared * distance_squared.sqrt());
            } else if let Some(second) = node.second {
                stack.extend([index + 1, second]);
            } else {
                sum +=
                    self.triangles[node.first..node.end].iter().map(|t| solid_angle(t, point)).sum::<f64>();
            }
        }
        sum / (4.0 * PI)
    }

    /// Whether `point` is inside, whichever way round the triangles are.
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        let in_box = self.nodes.first().is_some_and(|root| root.distance_squared(point) == 0.0);
        in_box && self.winding(point).abs() > 0.5
    }

    /// Distance from `point` to the nearest triangle; `None` without triangles.
    #[must_use]
    pub fn distance(&self, point: DVec3) -> Option<f64> {
        let mut best = f64::INFINITY;
        let mut stack = Vec::with_capacity(64);
        stack.push((self.nodes.first()?.distance_squared(point), 0));
        while let Some((bound, index)) = stack.pop() {
            if bound >= best {
                continue;
            }
            let node = &self.nodes[index];
            if let Some(second) = node.second {
                let children =
                    [index + 1, second].map(|child| (self.nodes[child].distance_squared(point), child));
                let nearer = usize::from(children[1].0 < children[0].0);
                stack.extend([children[1 - nearer], children[nearer]]);
            } else {
                for triangle in &self.triangles[node.first..node.end] {
                    best = best.min(closest_point(triangle, point).distance_squared(point));
                }
            }
        }
        Some(best.sqrt())
    }
}

impl Node {
    fn new(triangles: &[Triangle], first: usize) -> Self {
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (mut area_sum, mut weighted, mut area_normal) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for [a, b, c] in triangles {
            min = min.min(*a).min(*b).min(*c);
            max = max.max(*a).max(*b).max(*c);
            let normal = 0.5 * (b - a).cross(c - a);
            area_sum += normal.length();
            weighted += normal.length() * (a + b + c) / 3.0;
            area_normal += normal;
        }
        let middle = if area_sum > 0.0 { weighted / area_sum } else { 0.5 * (min + max) };
        let radius =
            triangles.iter().flatten().map(|p| p.distance_squared(middle)).fold(0.0, f64::max).sqrt();
        Self { min, max, middle, area_normal, radius, first, end: first + triangles.len(), second: None }
    }

    fn distance_squared(&self, point: DVec3) -> f64 {
        point.clamp(self.min, self.max).distance_squared(point)
    }
}

/// Signed solid angle of a triangle seen from `point` (Van Oosterom and Strackee 1983), positive from inside.
fn solid_angle(triangle: &Triangle, point: DVec3) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - point);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * a.dot(b.cross(c)).atan2(denominator)
}

/// The point of a triangle nearest to `point` (Ericson, *Real-Time Collision Detection*, 5.1.5).
fn closest_point(triangle: &Triangle, point: DVec3) -> DVec3 {
    let [a, b, c] = *triangle;
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    let (from_b, from_c) = (d4 - d3, d5 - d6);
    if va <= 0.0 && from_b >= 0.0 && from_c >= 0.0 && from_b + from_c > 0.0 {
        return b + (c - b) * (from_b / (from_b + from_c));
    }
    let sum = va + vb + vc;
    if sum <= 0.0 {
        return a;
    }
    a + ab * (vb / sum) + ac * (vc / sum)
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::{TriangleTree, solid_angle};

    /// A ball of radius 1 with outward triangles.
    fn ball(rings: u32, sectors: u32) -> (Vec<Vec3>, Vec<u32>) {
        let mut positions = Vec::new();
        let mut indices = Vec::new();
        for ring in 0..=rings {
            for sector in 0..sectors {
                let (polar, around) = (
                    std::f32::consts::PI * ring as f32 / rings as f32,
                    std::f32::consts::TAU * sector as f32 / sectors as f32,
                );
                positions.push(Vec3::new(
                    polar.sin() * around.cos(),
                    polar.cos(),
                    polar.sin() * around.sin(),
                ));
                if ring < rings {
                    let next = (sector + 1) % sectors;
                    let (a, b) = (ring * sectors + sector, ring * sectors + next);
                    indices.extend([a, b, a + sectors, b, b + sectors, a + sectors]);
                }
            }
        }
        (positions, indices)
    }

    #[test]
    fn tells_inside_from_outside_and_agrees_with_the_plain_sum() {
        let (positions, indices) = ball(40, 60);
        let tree = TriangleTree::new(&positions, &indices);
        assert!(tree.contains(DVec3::ZERO));
        for k in 0..200 {
            let t = f64::from(k) * 0.618;
            let point = DVec3::new((t * 7.0).sin(), (t * 11.0).cos(), (t * 13.0).sin()) * 1.2;
            let plain: f64 = tree.triangles.iter().map(|t| solid_angle(t, point)).sum();
            let plain = plain / (4.0 * std::f64::consts::PI);
            // Dipoles beyond three radii: below a hundredth, fifty times less than what decides.
            assert!((tree.winding(point) - plain).abs() < 0.01, "{point}: {} {plain}", tree.winding(point));
            // The facets lie up to 0.4 % inside the ball.
            if (point.length() - 1.0).abs() > 0.005 {
                assert_eq!(tree.contains(point), point.length() < 1.0, "{point}");
            }
        }
    }

    #[test]
    fn turned_inside_out_it_still_contains() {
        let (positions, mut indices) = ball(12, 18);
        for triangle in indices.chunks_exact_mut(3) {
            triangle.swap(1, 2);
        }
        let tree = TriangleTree::new(&positions, &indices);
        assert!(tree.contains(DVec3::ZERO) && !tree.contains(DVec3::splat(0.9)));
    }

    #[test]
    fn distances_equal_those_to_the_ball() {
        let (positions, indices) = ball(60, 90);
        let tree = TriangleTree::new(&positions, &indices);
        for (point, expected) in
            [(DVec3::ZERO, 1.0), (DVec3::X * 3.0, 2.0), (DVec3::splat(1.0), 3f64.sqrt() - 1.0)]
        {
            // The facets of 60 rings lie up to 1 - cos(3 degrees / 2) < 0.2 % inside the ball.
            assert!((tree.distance(point).expect("it has triangles") - expected).abs() < 2e-3);
        }
    }

    #[test]
    fn nothing_and_nonsense_are_outside() {
        assert!(!TriangleTree::new(&[], &[]).contains(DVec3::ZERO));
        assert_eq!(TriangleTree::new(&[], &[]).distance(DVec3::ZERO), None);
        let broken = TriangleTree::new(&[Vec3::NAN, Vec3::X, Vec3::Y], &[0, 1, 2, 1, 2, 9]);
        assert_eq!(broken.distance(DVec3::ZERO), None);
        let flat = TriangleTree::new(&[Vec3::ZERO, Vec3::X, Vec3::X], &[0, 1, 2]);
        assert_eq!(flat.distance(DVec3::Y), Some(1.0));
    }
}
