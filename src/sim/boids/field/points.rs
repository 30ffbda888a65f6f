//! Which points of the skin make the field.

use std::collections::HashMap;

use glam::{DVec3, UVec4, Vec2, Vec3};

use crate::character::RestShape;
use crate::character::winding::TriangleTree;

/// Distance in H between the points that stand in for the inside of triangles too large for their vertices.
const SAMPLE_SPACING: f32 = 1.0 / 40.0;
/// The most of them; the spacing grows until they fit.
const MAX_SAMPLES: usize = 32_768;
/// The most parts that the edge of a triangle is cut into: weights are in 256ths.
const MAX_PARTS: u32 = 64;
/// How far off the skin, in H, a point looks for other parts of the body round it.
const LOOK: f32 = 0.003;
/// Winding number from which on it is buried in them: well above what the rim of an open sheet reads.
const BURIED: f64 = 0.75;
/// Solid angles that looking for buried points may take; a tangle that needs more keeps all its points.
const MAX_ANGLES: usize = 20_000_000;

/// Points of the skin: three vertices and, in 256ths, the barycentric weights of the second and third (16 bits
/// each). None lies buried in another part of the body at rest, which would turn boids inward: characters are
/// often put together from closed parts that reach into each other.
#[derive(Debug)]
pub(super) struct SkinPoints {
    pub points: Vec<UVec4>,
    /// Of all triangles at rest, square metres.
    pub area_m2: f32,
}

/// Every vertex that a triangle uses, and samples where triangles are larger than the spacing.
pub(super) fn by_vertex(indices: &[u32], rest: &RestShape) -> SkinPoints {
    let vertex_count = rest.positions.len();
    let triangles = triangles(indices, rest);
    let mut used = vec![false; vertex_count];
    for &index in triangles.iter().flatten() {
        used[index as usize] = true;
    }
    let vertices = (0u32..).zip(&used).filter(|&(_, &used)| used);
    let mut points: Vec<UVec4> = vertices.map(|(index, _)| UVec4::new(index, index, index, 0)).collect();
    add_samples(&mut points, &triangles, rest);
    finished(points, &triangles, rest)
}

/// `1 << bits` points that stand for equal shares of the skin, in an order of which every beginning is as evenly
/// spread as it can be: shares in bit-reversed order, and in each triangle after Basu and Owen, *Low discrepancy
/// constructions in the triangle* (2015).
pub(super) fn by_area(indices: &[u32], rest: &RestShape, bits: u32) -> SkinPoints {
    let triangles = triangles(indices, rest);
    let ends: Vec<f64> = triangles
        .iter()
        .scan(0.0, |sum, &corners| {
            *sum += area_m2(corners, rest);
            Some(*sum)
        })
        .collect();
    let total = ends.last().copied().unwrap_or(0.0);
    let mut counts = vec![0; triangles.len()];
    let mut points = Vec::new();
    // A skin without area has no points.
    for k in (0..1u32 << bits).filter(|_| total > 0.0) {
        let share = f64::from(k.reverse_bits() >> (32 - bits)) + 0.5;
        let place = share / f64::from(1u32 << bits) * total;
        let triangle = ends.partition_point(|&end| end <= place).min(triangles.len() - 1);
        points.push(in_triangle(triangles[triangle], counts[triangle]));
        counts[triangle] += 1;
    }
    finished(points, &triangles, rest)
}

/// The `k`th of the places in a triangle: each base-4 digit goes to one of the four quarters of what the last one
/// left.
fn in_triangle([a, b, c]: [u32; 3], mut k: u32) -> UVec4 {
    // Weights of the second and third corner of A, B and C.
    let mut corners = [Vec2::ZERO, Vec2::X, Vec2::Y];
    while k > 0 {
        let [p, q, r] = corners;
        let [qr, pr, pq] = [q.midpoint(r), p.midpoint(r), p.midpoint(q)];
        corners = match k % 4 {
            0 => [qr, pr, pq],
            1 => [p, pq, pr],
            2 => [pq, q, qr],
            _ => [pr, qr, r],
        };
        k /= 4;
    }
    let middle = (corners[0] + corners[1] + corners[2]) / 3.0 * 256.0;
    UVec4::new(a, b, c, middle.x as u32 | ((middle.y as u32) << 16))
}

fn area_m2(corners: [u32; 3], rest: &RestShape) -> f64 {
    let [a, b, c] = corners.map(|index| rest.positions[index as usize].as_dvec3());
    let area = 0.5 * (b - a).cross(c - a).length();
    if area.is_finite() { area } else { 0.0 }
}

fn triangles(indices: &[u32], rest: &RestShape) -> Vec<[u32; 3]> {
    let vertex_count = rest.positions.len();
    indices
        .chunks_exact(3)
        .map(|corners| [corners[0], corners[1], corners[2]])
        .filter(|corners| corners.iter().all(|&index| (index as usize) < vertex_count))
        .collect()
}

/// Leaves out what is buried, where that can be told in good time.
fn finished(mut points: Vec<UVec4>, triangles: &[[u32; 3]], rest: &RestShape) -> SkinPoints {
    let area_m2 = triangles.iter().map(|&corners| area_m2(corners, rest)).sum::<f64>() as f32;
    if has_parts(triangles, &rest.positions) {
        let body = TriangleTree::new(&rest.positions, triangles.as_flattened());
        let affordable = body.affordable_queries(
            points.iter().step_by(points.len() / 64 + 1).map(|&p| above_skin(p, rest)),
            MAX_ANGLES,
        );
        if points.len() <= affordable {
            let is_bare = |&point: &UVec4| body.winding(above_skin(point, rest)) < BURIED;
            let bare: Vec<UVec4> = points.iter().copied().filter(is_bare).collect();
            // A body wholly within another shell keeps its skin: better a doubtful field than none.
            if !bare.is_empty() {
                points = bare;
            }
        }
    }
    SkinPoints { points, area_m2 }
}

fn add_samples(points: &mut Vec<UVec4>, triangles: &[[u32; 3]], rest: &RestShape) {
    let longest_edge = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| rest.positions[index as usize]);
        a.distance(b).max(b.distance(c)).max(c.distance(a))
    };
    let parts = |edge: f32, spacing: f32| ((edge / spacing).ceil() as u32).clamp(1, MAX_PARTS);
    let edges: Vec<f32> = triangles.iter().map(longest_edge).collect();
    // A triangle cut into n parts an edge has (n + 1)(n + 2) / 2 points, three of them its corners.
    let samples = |spacing: f32| -> usize {
        edges.iter().map(|&edge| parts(edge, spacing) as usize).map(|n| (n + 1) * (n + 2) / 2 - 3).sum()
    };
    let mut spacing = SAMPLE_SPACING * rest.extent;
    while samples(spacing) > MAX_SAMPLES {
        spacing *= 1.25;
    }
    for (&[a, b, c], &edge) in triangles.iter().zip(&edges) {
        let n = parts(edge, spacing);
        for second in 0..=n {
            for third in 0..=n - second {
                if second == n || third == n || (second == 0 && third == 0) {
                    continue;
                }
                points.push(UVec4::new(a, b, c, (second * 256 / n) | ((third * 256 / n) << 16)));
            }
        }
    }
}

/// Whether the triangles, joined where corners coincide, fall into more than one piece.
fn has_parts(triangles: &[[u32; 3]], positions: &[Vec3]) -> bool {
    fn root(parents: &mut [u32], mut at: u32) -> u32 {
        while parents[at as usize] != at {
            parents[at as usize] = parents[parents[at as usize] as usize];
            at = parents[at as usize];
        }
        at
    }
    let mut first_at = HashMap::new();
    // Adding zero makes the two zeros one.
    let welded: Vec<u32> = (0u32..)
        .zip(positions)
        .map(|(index, p)| *first_at.entry((*p + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert(index))
        .collect();
    let mut parents: Vec<u32> = (0..positions.len() as u32).collect();
    for corners in triangles {
        let [a, b, c] = corners.map(|index| root(&mut parents, welded[index as usize]));
        parents[b as usize] = a;
        let c = root(&mut parents, c);
        parents[c as usize] = a;
    }
    let mut roots = triangles.iter().map(|corners| root(&mut parents, welded[corners[0] as usize]));
    let first = roots.next();
    roots.any(|other| Some(other) != first)
}

/// A place just off the skin at rest, world metres.
fn above_skin(point: UVec4, rest: &RestShape) -> DVec3 {
    let [second, third] = [point.w & 0xffff, point.w >> 16].map(|weight| weight as f32 / 256.0);
    let blend = |values: &[Vec3]| {
        let value = |index: u32| values.get(index as usize).copied().unwrap_or_default();
        (1.0 - second - third) * value(point.x) + second * value(point.y) + third * value(point.z)
    };
    (blend(&rest.positions) + LOOK * rest.extent * blend(&rest.normals)).as_dvec3()
}

#[cfg(test)]
mod tests {
    use glam::{UVec4, Vec3};

    use super::{MAX_SAMPLES, by_area, by_vertex};
    use crate::character::{CharacterData, RestShape};

    #[test]
    fn only_large_triangles_get_samples_and_unused_vertices_count_nowhere() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(9.0), Vec3::new(0.01, 1.0, 0.0)];
        let rest = RestShape { extent: 10.0, ..RestShape::new(positions, vec![]) };
        // One H is ten metres: the spacing is 0.25 m, the first triangle's longest edge √2 m, six parts.
        let points = by_vertex(&[0, 1, 2], &rest).points;
        assert_eq!(points.len(), 3 + 7 * 8 / 2 - 3);
        assert!(points.iter().all(|p| p.x != 3 && p.y != 3 && p.z != 3));
        assert!(points.iter().all(|p| (p.w & 0xffff) + (p.w >> 16) <= 256));
        assert_eq!(by_vertex(&[0, 1, 77], &rest).points, vec![], "an index out of range names no triangle");
    }

    #[test]
    fn every_beginning_is_evenly_spread() {
        // A unit square of one large triangle and sixteen small ones, in a plane.
        let mut positions = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0)];
        let mut indices = vec![0, 1, 2];
        for k in 0..16u32 {
            let at = |k: u32| Vec3::new(k as f32 / 16.0, 1.0, 0.0);
            positions.extend([Vec3::ZERO, at(k + 1), at(k)]);
            indices.extend([3 + 3 * k, 4 + 3 * k, 5 + 3 * k]);
        }
        let rest = RestShape::new(positions, vec![]);
        let skin = by_area(&indices, &rest, 12);
        assert_eq!(skin.points.len(), 4096);
        assert!((skin.area_m2 - 1.0).abs() < 1e-5);
        let place = |p: &UVec4| {
            let [second, third] = [p.w & 0xffff, p.w >> 16].map(|w| w as f32 / 256.0);
            let [a, b, c] = [p.x, p.y, p.z].map(|index| rest.positions[index as usize]);
            a + second * (b - a) + third * (c - a)
        };
        for count in [256, 700, 4096] {
            let side = 4u32;
            let mut counts = [0u32; 16];
            for p in skin.points[..count].iter().map(place) {
                let [x, y] = [p.x, p.y].map(|v| ((v * side as f32) as u32).min(side - 1));
                counts[(y * side + x) as usize] += 1;
            }
            let mean = count as f32 / 16.0;
            // Where thin triangles meet there may be more; of random points one square in four would hold less.
            assert!(counts.iter().all(|&n| n as f32 > 0.7 * mean), "{count}: {counts:?}");
        }
        assert_eq!(by_area(&[0, 1, 1], &rest, 12).points, vec![], "a line has no area");
    }

    #[test]
    fn the_number_of_samples_is_bounded() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let rest = RestShape::new(positions, vec![]);
        let indices = [0, 1, 2].repeat(10_000);
        assert!(by_vertex(&indices, &rest).points.len() <= MAX_SAMPLES + 3);
    }

    #[test]
    fn what_is_buried_in_another_part_is_left_out() {
        // Two octahedra of radius 1; the second one's tip at x = 0.4 lies within the first.
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let faces = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
        let middles = [Vec3::ZERO, Vec3::X * 1.4];
        let positions = middles.iter().flat_map(|&middle| axes.map(|axis| middle + axis)).collect();
        let indices: Vec<u32> = faces.iter().copied().chain(faces.iter().map(|index| index + 6)).collect();
        let data = CharacterData::from_triangles("two", positions, indices);
        let rest = RestShape::new(data.vertices.positions.clone(), data.vertices.normals.clone());
        let points = by_vertex(&data.indices, &rest).points;
        let vertices: Vec<u32> = points.iter().filter(|p| p.w == 0).map(|p| p.x).collect();
        // Each loses the tip that lies within the other: +x of the first, -x of the second.
        assert_eq!(vertices, [1, 2, 3, 4, 5, 6, 8, 9, 10, 11]);
        // One of them alone loses nothing.
        let alone = by_vertex(&data.indices[..24], &rest).points;
        assert_eq!(alone.iter().filter(|p| p.w == 0).count(), 6);
    }
}
