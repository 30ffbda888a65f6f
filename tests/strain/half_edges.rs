//! The table of half-edges on surfaces that lie flat: there transport is plain geometry.

use dryad::character::topology::{NO_SPOKE, Topology};
use dryad::sim::wrinkles::tables::{NO_RIM, Tables};
use glam::{Vec2, Vec3};

use super::meshes::{self, Mesh};

fn tables(mesh: &Mesh) -> (Topology, Tables) {
    let topology = Topology::new(&mesh.positions, &mesh.indices, mesh.extent());
    let tables = Tables::new(&topology);
    (topology, tables)
}

/// The product of two numbers as complex ones.
fn times(a: [f32; 2], b: [f32; 2]) -> Vec2 {
    Vec2::new(a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0])
}

/// What holds on every surface that can be laid flat.
fn assert_developable(mesh: &Mesh) {
    let (topology, tables) = tables(mesh);
    assert_eq!(tables.half_edges.len(), topology.spokes.len());
    let mut triangles = 0;
    for (index, here) in (0u32..).zip(&tables.half_edges) {
        let back = &tables.half_edges[here.reverse as usize];
        assert_eq!((back.reverse, back.near, back.far), (index, here.far, here.near));
        // Lengths and turns are at most 1, in f32.
        assert!((Vec2::from(here.arm).length() - Vec2::from(back.arm).length()).abs() < 1e-6);
        // Seen from the far end and brought here, the way back is the way there, reversed.
        assert!((times(here.turn, back.arm) + Vec2::from(here.arm)).length() < 1e-6, "{here:?} {back:?}");
        assert!(times(here.turn, back.turn).distance(Vec2::X) < 1e-6);
        if here.rim == NO_RIM {
            continue;
        }
        triangles += 1;
        let fan = &topology.fans[here.near as usize];
        let next = if index + 1 == fan.first_spoke + fan.spoke_count { fan.first_spoke } else { index + 1 };
        let (rim, next) = (&tables.half_edges[here.rim as usize], &tables.half_edges[next as usize]);
        assert_eq!((rim.near, rim.far), (here.far, next.far));
        let around = Vec2::from(here.arm) + times(here.turn, rim.arm) - Vec2::from(next.arm);
        assert!(around.length() < 2e-6, "a triangle of {index} does not close: {around}");
    }
    assert_eq!(triangles, mesh.indices.len(), "three a triangle");
    for (t, spokes) in mesh.indices.chunks_exact(3).zip(&topology.triangle_spokes) {
        for n in 0..3 {
            let half_edge = &tables.half_edges[spokes[n] as usize];
            let ends = [half_edge.near, half_edge.far].map(|fan| topology.fans[fan as usize].surface);
            assert_eq!(ends, [t[n], t[(n + 1) % 3]].map(|corner| topology.representative[corner as usize]));
        }
    }
}

#[test]
fn transport_is_exact_on_a_sheet_and_on_a_cylinder() {
    assert_developable(&meshes::sheet(9, 7, 0.4, 1));
    assert_developable(&meshes::tube(16, 5));
}

#[test]
fn arms_on_a_sheet_are_its_edges() {
    let mesh = meshes::sheet(6, 5, 0.3, 2);
    let (topology, tables) = tables(&mesh);
    for half_edge in &tables.half_edges {
        let [near, far] = [half_edge.near, half_edge.far].map(|fan| &topology.fans[fan as usize]);
        let edge = mesh.positions[far.surface as usize] - mesh.positions[near.surface as usize];
        let [x, y] = half_edge.arm;
        assert!((x * near.axis_x + y * near.axis_y).distance(edge) < 1e-6);
        // One direction in space keeps its bearing from frame to frame.
        let bearing = |axes: &[Vec3; 2]| axes.map(|axis| axis.dot(Vec3::X));
        let (here, there) = (bearing(&[near.axis_x, near.axis_y]), bearing(&[far.axis_x, far.axis_y]));
        assert!(times(half_edge.turn, there).distance(Vec2::from(here)) < 1e-6);
    }
}

#[test]
fn both_sides_of_a_sheet_given_twice_share_their_half_edges() {
    let mut mesh = meshes::sheet(2, 2, 0.0, 3);
    let back: Vec<u32> = mesh.indices.chunks_exact(3).flat_map(|t| [t[0], t[2], t[1]]).collect();
    let count = mesh.indices.len() / 3;
    mesh.indices.extend(back);
    mesh.indices.extend([0, 0, 1]);
    let (topology, _) = tables(&mesh);
    assert_eq!(topology.dropped_triangles, count + 1);
    for (t, spokes) in mesh.indices.chunks_exact(3).zip(&topology.triangle_spokes).take(2 * count) {
        for n in 0..3 {
            let spoke = topology.spokes[spokes[n] as usize];
            let back = topology.spokes[spoke.reverse as usize];
            assert_eq!([back.surface, spoke.surface], [t[n], t[(n + 1) % 3]]);
        }
    }
    assert_eq!(topology.triangle_spokes.last(), Some(&[NO_SPOKE; 3]));
}
