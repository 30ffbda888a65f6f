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

type Corners = [DVec3; 3];

#[derive(Debug, Clone, Copy)]
struct Triangle {
    corners: Corners,
    /// Index in the list it came from.
    id: u32,
}

/// The surface point closest to somewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Index of its triangle in the list the tree was made from.
    pub triangle: u32,
    /// Weights of that triangle's corners, not negative, summing to 1.
    pub weights: [f64; 3],
    /// Squared distance to it.
    pub distance_squared: f64,
}

/// Where a ray meets the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Index of the triangle in the list the tree was made from.
    pub triangle: u32,
    /// Weights of that triangle's corners, not negative, summing to 1.
    pub weights: [f64; 3],
    /// Distance in lengths of the ray's direction.
    pub distance: f64,
}

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
            .enumerate()
            .filter_map(|(id, t)| {
                let corners = [corner(t[0])?, corner(t[1])?, corner(t[2])?];
                Some(Triangle { corners, id: id as u32 })
            })
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
        let key = |t: &Triangle| t.corners[0][axis] + t.corners[1][axis] + t.corners[2][axis];
        self.triangles[first..end]
            .select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.id.cmp(&b.id)));
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
                let triangles = &self.triangles[node.first..node.end];
                sum += triangles.iter().map(|t| solid_angle(&t.corners, point)).sum::<f64>();
            }
        }
        sum / (4.0 * PI)
    }

    /// How many queries at points like these cost no more than taking the solid angles of `triangles` triangles: a
    /// few hundred each for a body, all of them in a tangle of large ones. At least one.
    #[must_use]
    pub fn affordable_queries(&self, points: impl Iterator<Item = DVec3>, triangles: usize) -> usize {
        let (mut asked, mut cost) = (0, 0);
        for point in points {
            asked += 1;
            cost += self.cost(point);
        }
        triangles.saturating_mul(asked).checked_div(cost).map_or(usize::MAX, |queries| queries.max(1))
    }

    /// Triangles whose solid angles [`TriangleTree::winding`] takes.
    fn cost(&self, point: DVec3) -> usize {
        let mut cost = 0;
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            if node.middle.distance_squared(point) > (FAR_RADII * node.radius).powi(2) {
                cost += 1;
            } else if let Some(second) = node.second {
                stack.extend([index + 1, second]);
            } else {
                cost += node.end - node.first;
            }
        }
        cost
    }

    /// Whether `point` is inside, whichever way round the triangles are.
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        self.in_box(point) && self.winding(point).abs() > 0.5
    }

    /// Whether `point` is within the box round all triangles.
    #[must_use]
    pub fn in_box(&self, point: DVec3) -> bool {
        self.nodes.first().is_some_and(|root| root.distance_squared(point) == 0.0)
    }

    /// Distance from `point` to the nearest triangle; `None` without triangles.
    #[must_use]
    pub fn distance(&self, point: DVec3) -> Option<f64> {
        self.closest(point).map(|closest| closest.distance_squared.sqrt())
    }

    /// The surface point closest to `point`; `None` without triangles.
    #[must_use]
    pub fn closest(&self, point: DVec3) -> Option<Closest> {
        self.closest_of(point, usize::MAX)
    }

    /// The surface point closest to `point` among those of about `limit` triangles, likely ones first.
    #[must_use]
    pub fn closest_of(&self, point: DVec3, limit: usize) -> Option<Closest> {
        let mut left = limit;
        let mut best = Closest { triangle: 0, weights: [1.0, 0.0, 0.0], distance_squared: f64::INFINITY };
        let mut stack = Vec::with_capacity(64);
        stack.push((self.nodes.first()?.distance_squared(point), 0));
        while let Some((bound, index)) = stack.pop() {
            if bound >= best.distance_squared || left == 0 {
                continue;
            }
            let node = &self.nodes[index];
            if let Some(second) = node.second {
                let children =
                    [index + 1, second].map(|child| (self.nodes[child].distance_squared(point), child));
                let nearer = usize::from(children[1].0 < children[0].0);
                stack.extend([children[1 - nearer], children[nearer]]);
            } else {
                left = left.saturating_sub(node.end - node.first);
                for triangle in &self.triangles[node.first..node.end] {
                    let (weights, distance_squared) = closest_on_triangle(&triangle.corners, point);
                    if distance_squared < best.distance_squared {
                        best = Closest { triangle: triangle.id, weights, distance_squared };
                    }
                }
            }
        }
        best.distance_squared.is_finite().then_some(best)
    }

    /// The first triangle that a ray meets, from either side, among about `limit` triangles, near ones first; of
    /// several at the same distance the one of lowest index.
    #[must_use]
    pub fn first_hit(&self, origin: DVec3, direction: DVec3, limit: usize) -> Option<Hit> {
        let mut left = limit;
        let mut best: Option<Hit> = None;
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            let Some(entry) = node.entry(origin, direction) else { continue };
            if left == 0 || best.is_some_and(|best| entry > best.distance) {
                continue;
            }
            if let Some(second) = node.second {
                let entries = [index + 1, second].map(|child| self.nodes[child].entry(origin, direction));
                let second_first = matches!(entries, [Some(a), Some(b)] if b < a);
                stack.extend(if second_first { [index + 1, second] } else { [second, index + 1] });
                continue;
            }
            left = left.saturating_sub(node.end - node.first);
            for triangle in &self.triangles[node.first..node.end] {
                let Some((weights, distance)) = ray_meets(&triangle.corners, origin, direction) else {
                    continue;
                };
                if best.is_none_or(|best| (distance, triangle.id) < (best.distance, best.triangle)) {
                    best = Some(Hit { triangle: triangle.id, weights, distance });
                }
            }
        }
        best
    }
}

impl Node {
    fn new(triangles: &[Triangle], first: usize) -> Self {
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (mut area_sum, mut weighted, mut area_normal) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for Triangle { corners: [a, b, c], .. } in triangles {
            min = min.min(*a).min(*b).min(*c);
            max = max.max(*a).max(*b).max(*c);
            let normal = 0.5 * (b - a).cross(c - a);
            area_sum += normal.length();
            weighted += normal.length() * (a + b + c) / 3.0;
            area_normal += normal;
        }
        let middle = if area_sum > 0.0 { weighted / area_sum } else { 0.5 * (min + max) };
        let radius = triangles
            .iter()
            .flat_map(|t| t.corners)
            .map(|p| p.distance_squared(middle))
            .fold(0.0, f64::max)
            .sqrt();
        Self { min, max, middle, area_normal, radius, first, end: first + triangles.len(), second: None }
    }

    fn distance_squared(&self, point: DVec3) -> f64 {
        point.clamp(self.min, self.max).distance_squared(point)
    }

    /// How far along a ray, in lengths of its direction, the box begins; `None` where the ray misses it.
    fn entry(&self, origin: DVec3, direction: DVec3) -> Option<f64> {
        let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
        for axis in 0..3 {
            let (below, above) = (self.min[axis] - origin[axis], self.max[axis] - origin[axis]);
            if direction[axis] == 0.0 {
                if below > 0.0 || above < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (below / direction[axis], above / direction[axis]);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        // A flat box is as thin as the rounding of its distance.
        (enter <= leave * (1.0 + 1e-12)).then_some(enter)
    }
}

/// Signed solid angle of a triangle seen from `point` (Van Oosterom and Strackee 1983), positive from inside.
fn solid_angle(triangle: &Corners, point: DVec3) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - point);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * a.dot(b.cross(c)).atan2(denominator)
}

/// Weights of the corners where a ray meets a triangle, from either side, and the distance in lengths of `direction`
/// (Möller and Trumbore 1997). The rim belongs to the triangle and a hair beyond it too, so that no ray slips through
/// between two.
fn ray_meets(triangle: &Corners, origin: DVec3, direction: DVec3) -> Option<([f64; 3], f64)> {
    const RIM: f64 = 1e-9;
    let [a, b, c] = *triangle;
    let (u, v) = (b - a, c - a);
    let across = direction.cross(v);
    let determinant = u.dot(across);
    if determinant == 0.0 {
        return None;
    }
    let from = origin - a;
    let s = from.dot(across) / determinant;
    let upright = from.cross(u);
    let t = direction.dot(upright) / determinant;
    let distance = v.dot(upright) / determinant;
    let inside = s >= -RIM && t >= -RIM && s + t <= 1.0 + RIM && distance >= 0.0 && distance.is_finite();
    inside.then(|| {
        let (s, t) = (s.clamp(0.0, 1.0), t.clamp(0.0, 1.0));
        let beyond = (s + t).max(1.0);
        ([(1.0 - s - t).max(0.0), s / beyond, t / beyond], distance)
    })
}

/// Weights of the corners for the point of a triangle closest to `point`, and its squared distance.
fn closest_on_triangle(triangle: &Corners, point: DVec3) -> ([f64; 3], f64) {
    let [a, b, c] = *triangle;
    let (u, v, d) = (b - a, c - a, point - a);
    let (uu, uv, vv, ud, vd) = (u.dot(u), u.dot(v), v.dot(v), u.dot(d), v.dot(d));
    let determinant = uu * vv - uv * uv;
    if determinant > 0.0 {
        let (s, t) = ((vv * ud - uv * vd) / determinant, (uu * vd - uv * ud) / determinant);
        if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
            return ([1.0 - s - t, s, t], (d - s * u - t * v).length_squared());
        }
    }
    // Outside the prism over the triangle, or a sliver: the closest point lies on an edge.
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for (first, second) in [(0, 1), (1, 2), (2, 0)] {
        let edge = triangle[second] - triangle[first];
        let length_squared = edge.length_squared();
        let along = (point - triangle[first]).dot(edge);
        let t = if length_squared > 0.0 { (along / length_squared).clamp(0.0, 1.0) } else { 0.0 };
        let distance_squared = (triangle[first] + t * edge - point).length_squared();
        if distance_squared < best.1 {
            let mut weights = [0.0; 3];
            (weights[first], weights[second]) = (1.0 - t, t);
            best = (weights, distance_squared);
        }
    }
    best
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
            let plain: f64 = tree.triangles.iter().map(|t| solid_angle(&t.corners, point)).sum();
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
    fn the_closest_point_is_on_the_named_triangle_at_the_distance() {
        let (positions, indices) = ball(12, 18);
        let tree = TriangleTree::new(&positions, &indices);
        for k in 0..100 {
            let t = f64::from(k) * 0.618;
            let point = DVec3::new((t * 7.0).sin(), (t * 11.0).cos(), (t * 13.0).sin()) * 1.5;
            let closest = tree.closest(point).expect("it has triangles");
            let sum: f64 = closest.weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12 && closest.weights.iter().all(|&w| w >= 0.0));
            let corners = &indices[3 * closest.triangle as usize..][..3];
            let on: DVec3 =
                corners.iter().zip(closest.weights).map(|(&c, w)| positions[c as usize].as_dvec3() * w).sum();
            assert!((on.distance_squared(point) - closest.distance_squared).abs() < 1e-12);
            // No corner is closer.
            let nearest = positions.iter().map(|p| p.as_dvec3().distance_squared(point)).fold(9.0, f64::min);
            assert!(closest.distance_squared <= nearest);
        }
    }

    #[test]
    fn a_ray_meets_the_nearest_of_all_triangles() {
        let (positions, indices) = ball(12, 18);
        let tree = TriangleTree::new(&positions, &indices);
        let random = |t: f64| DVec3::new((t * 7.0).sin(), (t * 11.0).cos(), (t * 13.0).sin());
        for k in 0..200 {
            let (origin, direction) = (random(f64::from(k) * 0.618), random(f64::from(k) * 0.414 + 1.0));
            let all = tree.triangles.iter().filter_map(|t| super::ray_meets(&t.corners, origin, direction));
            let nearest = all.map(|(_, distance)| distance).reduce(f64::min);
            let hit = tree.first_hit(origin, direction, usize::MAX);
            assert_eq!(hit.map(|hit| hit.distance), nearest, "{origin} {direction}");
            // From inside, every ray gets out.
            assert!(hit.is_some() || !tree.contains(origin));
            if let Some(hit) = hit {
                let corners = &indices[3 * hit.triangle as usize..][..3];
                let on: DVec3 =
                    corners.iter().zip(hit.weights).map(|(&c, w)| positions[c as usize].as_dvec3() * w).sum();
                assert!((on - origin - direction * hit.distance).length() < 1e-9);
            }
        }
        // Along an axis, in the plane of edges, straight through a corner: where divisions by zero lurk.
        for (origin, direction, distance) in
            [(DVec3::ZERO, DVec3::Y, 1.0), (DVec3::Z * -2.0, DVec3::Z, 1.0), (DVec3::Y * 3.0, -DVec3::Y, 2.0)]
        {
            let hit = tree.first_hit(origin, direction, usize::MAX).expect("it points at the ball");
            // Sines of f32; the facets at the waist lie up to 4 % inside.
            assert!((hit.distance - distance).abs() < 0.04, "{origin}: {}", hit.distance);
        }
        assert_eq!(tree.first_hit(DVec3::Y * 3.0, DVec3::Y, usize::MAX), None);
        // No direction, no hit.
        assert_eq!(tree.first_hit(DVec3::ZERO, DVec3::ZERO, usize::MAX), None);
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
