//! The separate shells of a mesh, each with a tree of its own: which of them holds a point.

use std::collections::HashMap;

use glam::{DVec3, IVec3};

use super::lattice_tree;
use crate::character::winding::TriangleTree;

/// The most shells told apart; the smallest of more are one.
const MAX_PARTS: usize = 256;
/// The most shells round one point that are compared.
const MAX_ROUND: usize = 8;
/// A point round which a shell winds this often is well within it, not in the mouth of a hole.
const WELL_INSIDE: f64 = 0.9;

/// Triangles that hang together.
#[derive(Debug)]
pub struct Part {
    /// The tree over them, in lattice units.
    pub tree: TriangleTree,
    /// For each triangle of the tree its index in the mesh.
    pub triangles: Vec<u32>,
}

/// The shells of a mesh on the lattice. Corners at the same lattice point hang together.
#[derive(Debug, Default)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// Sorts triangles into shells. Corners out of range leave their triangles out.
    #[must_use]
    pub fn new(points: &[IVec3], indices: &[u32]) -> Self {
        let mut first_at = HashMap::new();
        let mut parents: Vec<u32> = (0..points.len() as u32)
            .map(|vertex| *first_at.entry(points[vertex as usize]).or_insert(vertex))
            .collect();
        let usable = |t: &&[u32]| t.iter().all(|&corner| (corner as usize) < points.len());
        for t in indices.chunks_exact(3).filter(usable) {
            for &corner in &t[1..] {
                let (a, b) = (find(&mut parents, t[0]), find(&mut parents, corner));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
        let mut part_of_root = HashMap::new();
        let mut lists: Vec<Vec<u32>> = Vec::new();
        for (id, t) in indices.chunks_exact(3).enumerate().filter(|(_, t)| usable(t)) {
            let part = *part_of_root.entry(find(&mut parents, t[0])).or_insert(lists.len());
            if part == lists.len() {
                lists.push(Vec::new());
            }
            lists[part].push(id as u32);
        }
        // Stable, so that shells of equal size stay in the order of the mesh.
        lists.sort_by_key(|list| std::cmp::Reverse(list.len()));
        if lists.len() > MAX_PARTS {
            let rest = lists.split_off(MAX_PARTS - 1);
            lists.push(rest.into_iter().flatten().collect());
        }
        let part = |triangles: Vec<u32>| {
            let corners: Vec<u32> =
                triangles.iter().flat_map(|&t| &indices[3 * t as usize..][..3]).copied().collect();
            Part { tree: lattice_tree(points, &corners), triangles }
        };
        Self(lists.into_iter().map(part).collect())
    }

    /// Number of shells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no triangles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The shell that holds a point: of those well round it the one whose surface is closest, else the one that
    /// winds round it most. Looks for surfaces among about `limit` triangles a shell.
    #[must_use]
    pub fn holding(&self, point: DVec3, limit: usize) -> Option<&Part> {
        // Well inside comes first, then by distance; else by winding.
        let rank = |part: &Part| {
            let winding = if part.tree.in_box(point) { part.tree.winding(point).abs() } else { 0.0 };
            let nearest = || part.tree.closest_of(point, limit).map_or(f64::INFINITY, |c| c.distance_squared);
            (winding > 0.5).then(|| if winding > WELL_INSIDE { (0, nearest()) } else { (1, -winding) })
        };
        let ranked = self.0.iter().filter_map(|part| Some((rank(part)?, part))).take(MAX_ROUND);
        ranked.min_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|(_, part)| part)
    }
}

fn find(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        parents[vertex as usize] = parents[parents[vertex as usize] as usize];
        vertex = parents[vertex as usize];
    }
    vertex
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, IVec3};

    use super::Parts;

    /// A box with outward triangles; without its lid where asked.
    fn add_box(points: &mut Vec<IVec3>, indices: &mut Vec<u32>, min: IVec3, edge: i32, lid: bool) {
        let first = points.len() as u32;
        points.extend((0..8).map(|k| min + IVec3::new(k & 1, k >> 1 & 1, k >> 2) * edge));
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [0, 2, 3, 1], [4, 5, 7, 6], [2, 6, 7, 3]];
        for [a, b, c, d] in &quads[..if lid { 6 } else { 5 }] {
            indices.extend([a, b, c, a, c, d].map(|&k| first + k));
        }
    }

    #[test]
    fn a_point_is_held_by_the_shell_well_round_it_whose_skin_is_closest() {
        let (mut points, mut indices) = (Vec::new(), Vec::new());
        add_box(&mut points, &mut indices, IVec3::ZERO, 1000, true);
        add_box(&mut points, &mut indices, IVec3::splat(700), 1000, true);
        // A pot without a lid round both.
        add_box(&mut points, &mut indices, IVec3::splat(-2000), 8000, false);
        let parts = Parts::new(&points, &indices);
        assert_eq!(parts.len(), 3);
        let held_by = |x: f64| {
            let part = parts.holding(DVec3::splat(x), usize::MAX)?;
            part.triangles.first().map(|first| first / 12)
        };
        assert_eq!([100.0, 740.0, 960.0, 1600.0].map(held_by), [0, 1, 0, 1].map(Some));
        // In the pot, and outside of all.
        assert_eq!((held_by(2500.0), held_by(-2500.0)), (Some(2), None));
        assert_eq!(parts.holding(DVec3::splat(740.0), usize::MAX).map(|part| part.triangles.len()), Some(12));
    }

    #[test]
    fn many_shells_and_broken_corners_are_no_trouble() {
        let points: Vec<IVec3> = (0..3000).map(|k| IVec3::new(k, k % 7, k % 5)).collect();
        let mut indices: Vec<u32> = (0..3000).collect();
        indices.extend([0, 1, 9000]);
        let parts = Parts::new(&points, &indices);
        assert_eq!(parts.len(), super::MAX_PARTS);
        assert_eq!(parts.0.iter().map(|part| part.triangles.len()).sum::<usize>(), 1000);
        assert!(Parts::new(&[], &[]).is_empty());
    }
}
