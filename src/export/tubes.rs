//! Tubes round strands of branches, at rest.
//!
//! A strand follows its thickest child from node to node; every other child begins a strand of its own, inside the
//! tube it leaves. So each strand is one closed surface without a seam, and no gap shows where they meet.
//!
//! Between nodes a strand follows the Hermite curve through them, and its rings turn as little as they can
//! (parallel transport), so that no tube is twisted.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use glam::DVec3;

use super::grow::Twig;

/// How finely tubes are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TubeShape {
    /// Corners of a ring, at least 3.
    pub sides: u32,
    /// Rings a segment, at least 1.
    pub rings: u32,
}

/// Vertices round one place of a strand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ring {
    /// First vertex.
    pub first_vertex: u32,
    /// Number of vertices: those of a full ring, or 1 at an end.
    pub vertex_count: u32,
    /// The node at or before this place.
    pub from: u32,
    /// The node at or behind this place; the same at a node.
    pub to: u32,
    /// How far it is from the one to the other, 0 to 1.
    pub fraction: f32,
    /// Whether its vertices stand evenly round the place itself, in the strand's full width.
    pub full: bool,
}

/// A vertex of a tube, at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TubeVertex {
    /// World position, metres.
    pub position: DVec3,
    /// Unit world normal.
    pub normal: DVec3,
    /// Radius of the branch here, metres.
    pub radius: f32,
    /// Seconds since this place was reached.
    pub age_secs: f32,
    /// Steps from the root.
    pub depth: f32,
    /// Horton-Strahler order of the segment.
    pub order: f32,
    /// Linear colour.
    pub color: [f32; 3],
}

/// All tubes as one mesh.
#[derive(Debug, Clone, Default)]
pub struct TubeMesh {
    /// Vertices, ring after ring.
    pub vertices: Vec<TubeVertex>,
    /// Triangles, counter-clockwise outside.
    pub indices: Vec<u32>,
    /// Which vertices belong where; every vertex belongs to one ring.
    pub rings: Vec<Ring>,
}

/// Horton-Strahler orders: 1 at tips, one more where two children of the highest order meet (Strahler 1957).
#[must_use]
pub fn strahler_orders(twigs: &[Twig]) -> Vec<u32> {
    // Highest order among the children, and how many have it.
    let mut highest = vec![(0u32, 0u32); twigs.len()];
    let mut orders = vec![1; twigs.len()];
    for node in (0..twigs.len()).rev() {
        let (highest_child, count) = highest[node];
        let order = if highest_child == 0 { 1 } else { highest_child + u32::from(count > 1) };
        orders[node] = order;
        let parent = twigs[node].parent;
        if parent < node {
            let (best, count) = &mut highest[parent];
            if order > *best {
                (*best, *count) = (order, 1);
            } else if order == *best {
                *count += 1;
            }
        }
    }
    orders
}

/// The child that a strand goes on with: the thickest, of equals the first.
fn main_children(twigs: &[Twig]) -> Vec<Option<usize>> {
    let mut main: Vec<Option<usize>> = vec![None; twigs.len()];
    for (child, twig) in twigs.iter().enumerate().filter(|(child, twig)| twig.parent < *child) {
        let best = &mut main[twig.parent];
        if best.is_none_or(|known| twig.radius > twigs[known].radius) {
            *best = Some(child);
        }
    }
    main
}

/// Makes the tubes of all strands.
#[must_use]
pub fn tubes(twigs: &[Twig], shape: TubeShape) -> TubeMesh {
    let main = main_children(twigs);
    let orders = strahler_orders(twigs);
    let mut mesh = TubeMesh::default();
    for (node, twig) in twigs.iter().enumerate() {
        let is_root = twig.parent >= node;
        if !is_root && main[twig.parent] == Some(node) {
            continue;
        }
        let mut strand = if is_root { vec![node] } else { vec![twig.parent, node] };
        let mut last = node;
        while let Some(next) = main[last] {
            strand.push(next);
            last = next;
        }
        Strand::new(twigs, &orders, &strand, is_root).sweep(&mut mesh, shape);
    }
    mesh
}

/// A curve through nodes.
struct Strand<'a> {
    twigs: &'a [Twig],
    orders: &'a [u32],
    nodes: &'a [usize],
    is_root: bool,
    /// Unit directions at the nodes.
    directions: Vec<DVec3>,
    radii: Vec<f64>,
}

/// A place on a strand.
#[derive(Clone, Copy)]
struct Station {
    from: usize,
    to: usize,
    fraction: f64,
    position: DVec3,
    /// Unit direction of the strand.
    direction: DVec3,
    radius: f64,
    /// Change of radius a metre.
    slope: f64,
}

impl<'a> Strand<'a> {
    fn new(twigs: &'a [Twig], orders: &'a [u32], nodes: &'a [usize], is_root: bool) -> Self {
        let at = |index: usize| twigs[nodes[index]].position;
        let last = nodes.len() - 1;
        let toward = |index: usize| (at(index + 1) - at(index)).normalize_or_zero();
        let directions = (0..nodes.len())
            .map(|index| {
                let before = if index > 0 { toward(index - 1) } else { DVec3::ZERO };
                let behind = if index < last { toward(index) } else { DVec3::ZERO };
                (before + behind).try_normalize().or_else(|| before.try_normalize()).unwrap_or(DVec3::Y)
            })
            .collect();
        let mut radii: Vec<f64> = nodes.iter().map(|&node| twigs[node].radius).collect();
        if !is_root {
            // It widens towards what it leaves, so that the fork has no sharp corner, and stays within.
            radii[0] = radii[1] + 0.6 * (radii[0] - radii[1]).max(0.0);
        }
        Self { twigs, orders, nodes, is_root, directions, radii }
    }

    fn station(&self, segment: usize, fraction: f64) -> Station {
        let last = self.nodes.len() - 1;
        if segment >= last || fraction <= 0.0 {
            let index = segment.min(last);
            let node = self.nodes[index];
            return Station {
                from: node,
                to: node,
                fraction: 0.0,
                position: self.twigs[node].position,
                direction: self.directions[index],
                radius: self.radii[index],
                slope: self.slope(index.saturating_sub(1), (index + 1).min(last)),
            };
        }
        let [p, q] = [segment, segment + 1].map(|index| self.twigs[self.nodes[index]].position);
        let length = p.distance(q);
        let [m, n] = [segment, segment + 1].map(|index| self.directions[index] * length);
        let u = fraction;
        let position = p * (1.0 + u * u * (2.0 * u - 3.0))
            + m * (u * (1.0 + u * (u - 2.0)))
            + q * (u * u * (3.0 - 2.0 * u))
            + n * (u * u * (u - 1.0));
        let velocity =
            (q - p) * (6.0 * u * (1.0 - u)) + m * (1.0 + u * (3.0 * u - 4.0)) + n * (u * (3.0 * u - 2.0));
        Station {
            from: self.nodes[segment],
            to: self.nodes[segment + 1],
            fraction,
            position,
            direction: velocity.try_normalize().unwrap_or(self.directions[segment]),
            radius: self.radii[segment] + (self.radii[segment + 1] - self.radii[segment]) * u,
            slope: self.slope(segment, segment + 1),
        }
    }

    /// How steeply the radius changes between two nodes of the strand; no steeper than 45 degrees.
    fn slope(&self, a: usize, b: usize) -> f64 {
        let length: f64 = (a..b)
            .map(|index| {
                self.twigs[self.nodes[index]].position.distance(self.twigs[self.nodes[index + 1]].position)
            })
            .sum();
        let slope = (self.radii[b] - self.radii[a]) / length;
        if slope.is_finite() { slope.clamp(-1.0, 1.0) } else { 0.0 }
    }

    /// Adds the closed tube round this strand.
    fn sweep(&self, mesh: &mut TubeMesh, shape: TubeShape) {
        let last = self.nodes.len() - 1;
        let mut stations: Vec<Station> = (0..last)
            .flat_map(|segment| (0..shape.rings).map(move |k| (segment, k)))
            .map(|(segment, k)| self.station(segment, f64::from(k) / f64::from(shape.rings)))
            .collect();
        stations.push(self.station(last, 0.0));

        let mut across = stations[0].direction.any_orthonormal_vector();
        let first = stations[0];
        let mut previous = None;
        if self.is_root {
            let tip = self.point(mesh, first, -1.0);
            let ring = self.ring(mesh, first, across, shape, [-FRAC_1_SQRT_2, FRAC_1_SQRT_2]);
            fan(mesh, tip, ring, shape.sides, false);
            previous = Some(ring);
        }
        for station in &stations {
            // The part of the last ring's direction that is square on this one.
            let square = across - station.direction * across.dot(station.direction);
            across = square.try_normalize().unwrap_or_else(|| station.direction.any_orthonormal_vector());
            let ring = self.ring(mesh, *station, across, shape, [0.0, 1.0]);
            match previous {
                Some(before) => band(mesh, before, ring, shape.sides),
                None => {
                    let middle = self.point(mesh, first, 0.0);
                    fan(mesh, middle, ring, shape.sides, false);
                }
            }
            previous = Some(ring);
        }
        let (Some(before), Some(&end)) = (previous, stations.last()) else { return };
        let ring = self.ring(mesh, end, across, shape, [FRAC_1_SQRT_2, FRAC_1_SQRT_2]);
        band(mesh, before, ring, shape.sides);
        let tip = self.point(mesh, end, 1.0);
        fan(mesh, tip, ring, shape.sides, true);
    }

    /// A ring, moved along the strand and shrunk by parts of the radius; the first vertex.
    fn ring(
        &self,
        mesh: &mut TubeMesh,
        station: Station,
        across: DVec3,
        shape: TubeShape,
        [along, width]: [f64; 2],
    ) -> u32 {
        let first_vertex = mesh.vertices.len() as u32;
        let up = station.direction.cross(across);
        let full = along == 0.0;
        for side in 0..shape.sides {
            let (sin, cos) = (TAU * f64::from(side) / f64::from(shape.sides)).sin_cos();
            let out = across * cos + up * sin;
            let position = station.position + (out * width + station.direction * along) * station.radius;
            let normal = if full {
                out - station.direction * station.slope
            } else {
                out * width + station.direction * along
            };
            mesh.vertices.push(self.vertex(station, position, normal));
        }
        self.note(mesh, station, first_vertex, shape.sides, full);
        first_vertex
    }

    /// A single vertex on the axis, so many radii along; its index.
    fn point(&self, mesh: &mut TubeMesh, station: Station, along: f64) -> u32 {
        let first_vertex = mesh.vertices.len() as u32;
        let normal = if along < 0.5 { -station.direction } else { station.direction };
        let position = station.position + station.direction * (along * station.radius);
        mesh.vertices.push(self.vertex(station, position, normal));
        self.note(mesh, station, first_vertex, 1, false);
        first_vertex
    }

    fn note(&self, mesh: &mut TubeMesh, station: Station, first_vertex: u32, vertex_count: u32, full: bool) {
        let [from, to] = [station.from, station.to].map(|node| node as u32);
        let fraction = station.fraction as f32;
        mesh.rings.push(Ring { first_vertex, vertex_count, from, to, fraction, full });
    }

    fn vertex(&self, station: Station, position: DVec3, normal: DVec3) -> TubeVertex {
        let [a, b] = [station.from, station.to].map(|node| &self.twigs[node]);
        let u = station.fraction as f32;
        let mix = |a: f32, b: f32| a + (b - a) * u;
        TubeVertex {
            position,
            normal: normal.try_normalize().unwrap_or(DVec3::Y),
            radius: station.radius as f32,
            age_secs: mix(a.age_secs, b.age_secs),
            depth: mix(a.depth as f32, b.depth as f32),
            order: self.orders[station.to] as f32,
            color: std::array::from_fn(|k| mix(a.color[k], b.color[k])),
        }
    }
}

/// Triangles between two rings.
fn band(mesh: &mut TubeMesh, before: u32, behind: u32, sides: u32) {
    for side in 0..sides {
        let next = (side + 1) % sides;
        let [a, b, c, d] = [before + side, before + next, behind + side, behind + next];
        mesh.indices.extend([a, b, d, a, d, c]);
    }
}

/// Triangles between a ring and a point, behind it or before it.
fn fan(mesh: &mut TubeMesh, point: u32, ring: u32, sides: u32, behind: bool) {
    for side in 0..sides {
        let [a, b] = [ring + side, ring + (side + 1) % sides];
        mesh.indices.extend(if behind { [a, b, point] } else { [b, a, point] });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twig(position: [f64; 3], radius: f64, parent: usize) -> Twig {
        let position = DVec3::from_array(position);
        Twig { position, radius, parent, depth: 0, age_secs: 1.0, color: [1.0; 3] }
    }

    /// A trunk that forks, one arm of which forks again; and a lone root.
    fn tree() -> Vec<Twig> {
        vec![
            twig([0.0, 0.0, 0.0], 0.3, 0),
            twig([5.0, 0.0, 0.0], 0.1, 1),
            twig([0.0, 1.0, 0.0], 0.25, 0),
            twig([-0.5, 2.0, 0.0], 0.12, 2),
            twig([0.6, 2.0, 0.1], 0.2, 2),
            twig([0.9, 3.0, 0.0], 0.1, 4),
            twig([1.4, 2.4, 0.0], 0.1, 4),
        ]
    }

    #[test]
    fn orders_rise_where_equals_meet() {
        assert_eq!(strahler_orders(&tree()), [2, 1, 2, 1, 2, 1, 1]);
    }

    /// Every edge of the mesh has one triangle on either side, each the right way round, and outside is outside.
    #[test]
    fn every_strand_is_closed_and_turned_outward() {
        for shape in [TubeShape { sides: 3, rings: 1 }, TubeShape { sides: 8, rings: 3 }] {
            let mesh = tubes(&tree(), shape);
            let mut edges = std::collections::HashMap::new();
            for corner in mesh.indices.chunks_exact(3) {
                for k in 0..3 {
                    let edge = (corner[k], corner[(k + 1) % 3]);
                    assert!(edges.insert(edge, ()).is_none(), "{edge:?} is walked twice the same way");
                }
            }
            assert!(edges.keys().all(|&(a, b)| edges.contains_key(&(b, a))), "a crack");
            let at = |index: u32| mesh.vertices[index as usize].position;
            let volume: f64 =
                mesh.indices.chunks_exact(3).map(|c| at(c[0]).dot(at(c[1]).cross(at(c[2]))) / 6.0).sum();
            assert!(volume > 0.1, "inside out: {volume}");
            // Every node is the middle of some full ring, and rings cover all vertices once.
            for (node, twig) in tree().iter().enumerate() {
                let found = mesh.rings.iter().any(|ring| {
                    let run = ring.first_vertex as usize..(ring.first_vertex + ring.vertex_count) as usize;
                    let middle = mesh.vertices[run].iter().map(|v| v.position).sum::<DVec3>()
                        / f64::from(ring.vertex_count);
                    let here = ring.from as usize == node && ring.to as usize == node;
                    here && ring.full && middle.distance(twig.position) < 1e-12
                });
                assert!(found, "node {node}");
            }
            let counted: u32 = mesh.rings.iter().map(|ring| ring.vertex_count).sum();
            assert_eq!(counted as usize, mesh.vertices.len());
        }
    }

    #[test]
    fn coincident_and_folded_nodes_stay_finite() {
        let twigs = [
            twig([0.0; 3], 0.1, 0),
            twig([0.0; 3], 0.1, 0),
            twig([1.0, 0.0, 0.0], 0.1, 1),
            twig([0.0; 3], 0.0, 2),
        ];
        let mesh = tubes(&twigs, TubeShape { sides: 5, rings: 2 });
        for vertex in &mesh.vertices {
            assert!(vertex.position.is_finite() && (vertex.normal.length() - 1.0).abs() < 1e-9);
        }
    }
}
