//! A tree over triangles that answers two questions: how often does the surface wind round a point, and which
//! surface point is closest.
//!
//! The generalized winding number of a triangle soup is the sum of the triangles' signed solid angles over 4π
//! (Jacobson, Kavan, Sorkine-Hornung 2013). Far clusters count as one dipole (Barill, Dickson, Schmidt, Levin,
//! Jacobson 2018), which makes a query logarithmic.

use glam::{DVec3, IVec3};

/// Triangles in a leaf.
const LEAF: usize = 4;
/// A cluster is a dipole for points farther than this many of its radii: errs by less than a hundredth.
const FAR: f64 = 3.0;

#[derive(Debug, Clone)]
struct Node {
    min: DVec3,
    max: DVec3,
    /// Area-weighted middle, and the greatest distance from it to a corner.
    centroid: DVec3,
    radius: f64,
    /// Sum of the triangles' area vectors.
    area_normal: DVec3,
    /// Leaf: first triangle and count. Else: `count` is 0, the children are the next node and node `first`.
    first: u32,
    count: u32,
}

/// A bounding-volume tree over the triangles of a soup, in lattice units.
#[derive(Debug, Clone)]
pub struct TriangleTree {
    nodes: Vec<Node>,
    /// Corners of the triangles in the order of the leaves.
    corners: Vec<[IVec3; 3]>,
    /// Index of each in the triangle list it was built from.
    ids: Vec<u32>,
}

/// The surface point closest to somewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Index of the triangle.
    pub triangle: u32,
    /// Weights of its corners, summing to 1.
    pub weights: [f64; 3],
    /// Squared distance, lattice units.
    pub distance_squared: f64,
}

impl TriangleTree {
    /// Builds the tree. Indices beyond the points, and what is left of the last triangle, are passed over.
    #[must_use]
    pub fn new(points: &[IVec3], indices: &[u32]) -> Self {
        let mut items: Vec<(u32, [IVec3; 3])> = indices
            .chunks_exact(3)
            .enumerate()
            .filter_map(|(id, t)| {
                let corner = |k: usize| points.get(t[k] as usize).copied();
                Some((id as u32, [corner(0)?, corner(1)?, corner(2)?]))
            })
            .collect();
        let mut nodes = Vec::with_capacity(2 * items.len() / LEAF + 1);
        if !items.is_empty() {
            build(&mut nodes, &mut items, 0);
        }
        Self {
            nodes,
            corners: items.iter().map(|(_, corners)| *corners).collect(),
            ids: items.iter().map(|(id, _)| *id).collect(),
        }
    }

    /// How often the surface winds round `point`: 1 inside a closed surface, 0 outside, −1 inside one whose
    /// triangles face inward, and in between near the holes of an open one.
    #[must_use]
    pub fn winding_number(&self, point: DVec3) -> f64 {
        let mut turns = 0.0;
        let mut stack = Vec::with_capacity(64);
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            let offset = node.centroid - point;
            let distance_squared = offset.length_squared();
            if distance_squared > (FAR * node.radius).powi(2) && distance_squared > 0.0 {
                turns += node.area_normal.dot(offset) / (distance_squared * distance_squared.sqrt());
            } else if node.count == 0 {
                stack.push(node.first as usize);
                stack.push(index + 1);
            } else {
                for corners in &self.corners[node.first as usize..][..node.count as usize] {
                    turns += solid_angle(corners.map(|c| c.as_dvec3() - point));
                }
            }
        }
        turns / (4.0 * std::f64::consts::PI)
    }

    /// Whether the surface winds round `point` at least half a time, either way round.
    #[must_use]
    pub fn is_inside(&self, point: DVec3) -> bool {
        self.winding_number(point).abs() >= 0.5
    }

    /// The closest surface point, or `None` without triangles.
    #[must_use]
    pub fn closest(&self, point: DVec3) -> Option<Closest> {
        let mut best: Option<Closest> = None;
        let mut stack = Vec::with_capacity(64);
        if !self.nodes.is_empty() {
            stack.push((0, self.nodes[0].distance_squared(point)));
        }
        while let Some((index, distance_squared)) = stack.pop() {
            if best.is_some_and(|b| distance_squared >= b.distance_squared) {
                continue;
            }
            let node = &self.nodes[index];
            if node.count == 0 {
                let near = (index + 1, self.nodes[index + 1].distance_squared(point));
                let far = (node.first as usize, self.nodes[node.first as usize].distance_squared(point));
                let (near, far) = if far.1 < near.1 { (far, near) } else { (near, far) };
                stack.push(far);
                stack.push(near);
                continue;
            }
            for at in node.first as usize..(node.first + node.count) as usize {
                let (weights, distance_squared) =
                    closest_on_triangle(self.corners[at].map(|c| c.as_dvec3()), point);
                if best.is_none_or(|b| distance_squared < b.distance_squared) {
                    best = Some(Closest { triangle: self.ids[at], weights, distance_squared });
                }
            }
        }
        best
    }
}

impl Node {
    fn distance_squared(&self, point: DVec3) -> f64 {
        (point - point.clamp(self.min, self.max)).length_squared()
    }
}

/// Appends the node over `items` and, after it, all nodes below it; `items` end up in the order of the leaves.
fn build(nodes: &mut Vec<Node>, items: &mut [(u32, [IVec3; 3])], first: usize) {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (mut middle_min, mut middle_max) = (IVec3::MAX, IVec3::MIN);
    let (mut area_normal, mut weighted, mut area) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for (_, corners) in items.iter() {
        let [a, b, c] = corners.map(|c| c.as_dvec3());
        min = min.min(a).min(b).min(c);
        max = max.max(a).max(b).max(c);
        let middle = triple_middle(corners);
        middle_min = middle_min.min(middle);
        middle_max = middle_max.max(middle);
        let normal = 0.5 * (b - a).cross(c - a);
        area_normal += normal;
        area += normal.length();
        weighted += normal.length() * (a + b + c) / 3.0;
    }
    let centroid = if area > 0.0 { weighted / area } else { 0.5 * (min + max) };
    let radius = (max - centroid).max(centroid - min).length();
    let index = nodes.len();
    let count = if items.len() <= LEAF { items.len() } else { 0 };
    nodes.push(Node { min, max, centroid, radius, area_normal, first: first as u32, count: count as u32 });
    if count > 0 {
        return;
    }
    let size = middle_max - middle_min;
    let axis = (0..3).max_by_key(|&axis| (size[axis], 2 - axis)).unwrap_or(0);
    let half = items.len() / 2;
    items.select_nth_unstable_by_key(half, |(id, corners)| (triple_middle(corners)[axis], *id));
    let (low, high) = items.split_at_mut(half);
    build(nodes, low, first);
    nodes[index].first = nodes.len() as u32;
    build(nodes, high, first + half);
}

/// Three times a triangle's middle.
fn triple_middle(corners: &[IVec3; 3]) -> IVec3 {
    corners[0] + corners[1] + corners[2]
}

/// Signed solid angle of a triangle seen from the origin (van Oosterom and Strackee 1983).
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if volume == 0.0 { 0.0 } else { 2.0 * volume.atan2(denominator) }
}

/// Weights of the corners for the point of a triangle closest to `point`, and its squared distance.
fn closest_on_triangle([a, b, c]: [DVec3; 3], point: DVec3) -> ([f64; 3], f64) {
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
    let corners = [a, b, c];
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let edge = corners[to] - corners[from];
        let length_squared = edge.length_squared();
        let along = (point - corners[from]).dot(edge);
        let t = if length_squared > 0.0 { (along / length_squared).clamp(0.0, 1.0) } else { 0.0 };
        let distance_squared = (corners[from] + t * edge - point).length_squared();
        if distance_squared < best.1 {
            let mut weights = [0.0; 3];
            weights[from] = 1.0 - t;
            weights[to] = t;
            best = (weights, distance_squared);
        }
    }
    best
}
