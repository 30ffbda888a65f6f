//! Welding, fans and rings.

#[path = "strain/meshes.rs"]
mod meshes;

use std::f64::consts::{PI, TAU};

use dryad::character::topology::{NO_FAN, Topology};
use glam::Vec3;
use meshes::Mesh;
use proptest::prelude::*;

fn topology(mesh: &Mesh) -> Topology {
    Topology::new(&mesh.positions, &mesh.indices, mesh.extent())
}

/// What holds for any input whatever.
fn check(topology: &Topology, positions: &[Vec3], indices: &[u32]) {
    assert_eq!(topology.representative.len(), positions.len());
    assert_eq!(topology.fan_of_surface.len(), positions.len());
    for (i, &r) in topology.representative.iter().enumerate() {
        assert!(r as usize <= i && topology.representative[r as usize] == r, "{i} stands for {r}");
        assert_eq!(topology.fan_of_surface[i], topology.fan_of_surface[r as usize]);
    }
    let mut spokes = 0;
    for (id, fan) in topology.fans.iter().enumerate() {
        assert_eq!(fan.first_spoke as usize, spokes, "fans follow one another");
        spokes += fan.spoke_count as usize;
        assert_eq!(topology.representative[fan.surface as usize], fan.surface);
        for axis in [fan.normal, fan.axis_x, fan.axis_y] {
            assert!((axis.length() - 1.0).abs() < 1e-5, "{axis:?} of {fan:?}");
        }
        assert!((fan.axis_x.cross(fan.axis_y) - fan.normal).length() < 1e-5);
        let ring = topology.ring(fan);
        for (k, spoke) in ring.iter().enumerate() {
            let own = fan.first_spoke + k as u32;
            let back = topology.spokes[spoke.reverse as usize];
            assert_eq!(back.reverse, own, "the way back from the way back");
            assert_eq!((back.fan, back.surface), (id as u32, fan.surface), "the way back ends here");
            assert_eq!(topology.fans[spoke.fan as usize].surface, spoke.surface);
            assert!(spoke.angle.is_finite() && spoke.length > 0.0);
            assert_eq!(spoke.corner.is_none(), fan.is_border && k + 1 == ring.len());
        }
    }
    assert_eq!(spokes, topology.spokes.len());
    let corners: usize = topology.spokes.iter().filter(|s| s.corner.is_some()).count();
    assert_eq!(corners + 3 * topology.dropped_triangles, indices.len() / 3 * 3, "each corner is in one fan");
}

#[test]
fn a_sheet_has_rings_in_order() {
    let mesh = meshes::sheet(6, 5, 0.3, 1);
    let topology = topology(&mesh);
    check(&topology, &mesh.positions, &mesh.indices);
    assert_eq!(topology.fans.len(), 7 * 6);
    assert_eq!(topology.fans.iter().filter(|f| f.is_border).count(), 2 * (6 + 5));
    for fan in &topology.fans {
        assert!((fan.normal - Vec3::Z).length() < 1e-6);
        assert!((fan.angle_scale - 1.0).abs() < 1e-6, "a plane needs no scaling");
        let ring = topology.ring(fan);
        for spoke in ring {
            // On a plane the log map is the plane: the bearing points at the neighbour.
            let bearing =
                fan.axis_x.as_dvec3() * spoke.angle.cos() + fan.axis_y.as_dvec3() * spoke.angle.sin();
            let arm = mesh.positions[spoke.surface as usize] - mesh.positions[fan.surface as usize];
            assert!((bearing * spoke.length - arm.as_dvec3()).length() < 1e-6);
            // And nothing turns when it is carried along an edge.
            let rho = spoke.angle - topology.spokes[spoke.reverse as usize].angle + PI;
            assert!(rho.sin().abs() < 1e-6 && rho.cos() > 0.0, "{rho}");
        }
    }
}

#[test]
fn a_tube_is_whole_across_its_seam() {
    let mesh = meshes::tube(12, 4);
    let topology = topology(&mesh);
    check(&topology, &mesh.positions, &mesh.indices);
    assert_eq!(topology.fans.len(), 12 * 5);
    assert_eq!(topology.fans.iter().filter(|f| f.is_border).count(), 12 * 2);
    for row in 0..5 {
        let (first, last) = (row * 13, row * 13 + 12);
        assert_eq!(topology.representative[last], first as u32);
        assert_eq!(topology.fan_of_surface[last], topology.fan_of_surface[first]);
    }
}

#[test]
fn the_corners_of_a_cube_make_a_full_turn() {
    let mesh = meshes::cube(2);
    let topology = topology(&mesh);
    check(&topology, &mesh.positions, &mesh.indices);
    assert_eq!(topology.fans.len(), 26, "3x3x3 without the middle");
    for fan in &topology.fans {
        assert!(!fan.is_border);
        let corners: f64 = topology.ring(fan).iter().filter_map(|s| s.corner).sum();
        assert!((corners * fan.angle_scale - TAU).abs() < 1e-9);
        let outward = mesh.positions[fan.surface as usize].normalize_or_zero();
        assert!(fan.normal.dot(outward) > 0.5);
        if mesh.positions[fan.surface as usize].abs().min_element() > 0.5 {
            assert!((corners - 1.5 * PI).abs() < 1e-6, "three right angles meet in a corner");
        }
    }
}

#[test]
fn sheets_that_meet_in_an_edge_or_a_point_are_cut_there() {
    // Three triangles at the edge 0-1.
    let positions = vec![
        Vec3::ZERO,
        Vec3::X,
        Vec3::Y,
        Vec3::Z,
        Vec3::NEG_Y,
        Vec3::splat(-1.0),
        Vec3::new(-1.0, 0.0, -1.0),
    ];
    for indices in [[0, 1, 2, 0, 1, 3, 1, 0, 4], [0, 1, 2, 1, 0, 4, 0, 1, 3], [1, 0, 4, 0, 1, 2, 0, 1, 3]] {
        let topology = Topology::new(&positions, &indices, 2.0);
        check(&topology, &positions, &indices);
        assert_eq!(topology.fans.len(), 9);
        assert_eq!(topology.fan_of_surface[5], NO_FAN);
    }
    // Two triangles that touch in the point 0.
    let indices = vec![0, 1, 2, 0, 5, 6];
    let topology = Topology::new(&positions, &indices, 2.0);
    check(&topology, &positions, &indices);
    assert_eq!(topology.fans.iter().filter(|f| f.surface == 0).count(), 2);
    // Two neighbours that disagree which side is outside.
    let indices = vec![0, 1, 2, 0, 1, 4];
    let topology = Topology::new(&positions, &indices, 2.0);
    check(&topology, &positions, &indices);
    assert_eq!(topology.fans.len(), 6);
}

#[test]
fn a_point_of_two_fans_takes_the_larger_for_all_its_vertices() {
    // A lone triangle first, then a sheet whose inner vertex 6 (as 14 with its own copy) touches it.
    let mut mesh = meshes::sheet(3, 3, 0.0, 2);
    let touching = mesh.positions[5];
    let first = mesh.positions.len() as u32;
    mesh.positions.extend([touching, touching + Vec3::Z, touching + Vec3::new(0.1, 0.0, 1.0)]);
    mesh.indices.splice(0..0, [first, first + 1, first + 2]);
    let topology = topology(&mesh);
    check(&topology, &mesh.positions, &mesh.indices);
    let fan = &topology.fans[topology.fan_of_surface[first as usize] as usize];
    assert!(!fan.is_border && fan.surface == 5);
    assert_eq!(topology.fan_of_surface[first as usize], topology.fan_of_surface[5]);
}

#[test]
fn repeated_and_collapsed_triangles_are_dropped() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1e-8, 0.0), Vec3::NAN, Vec3::INFINITY];
    let indices = vec![
        0,
        1,
        2,
        1,
        2,
        0,
        0,
        2,
        1,
        0,
        0,
        1,
        0,
        3,
        1,
        0,
        3,
        2,
        0,
        1,
        4,
        0,
        1,
        5,
        0,
        1,
        77,
        0,
        u32::MAX,
        1,
        2,
    ];
    let topology = Topology::new(&positions, &indices, 1.0);
    check(&topology, &positions, &indices);
    assert_eq!(topology.fans.len(), 3);
    assert_eq!(topology.dropped_triangles, 9);
}

#[test]
fn close_vertices_weld_by_the_size_of_the_model_and_chains_do_not_collapse() {
    for scale in [1e-3_f32, 1.0, 1e3] {
        // A chain with steps of 0.8 tolerance: each is compared with representatives only.
        let positions: Vec<Vec3> =
            (0..7).map(|i| Vec3::new(i as f32 * 0.8e-6 * scale, 0.0, 0.0)).chain([Vec3::X * scale]).collect();
        let topology = Topology::new(&positions, &[], scale);
        assert_eq!(topology.representative, [0, 0, 2, 2, 4, 4, 6, 7], "at scale {scale}");
    }
}

#[test]
fn nothing_is_a_mesh_too() {
    for (positions, indices) in
        [(vec![], vec![]), (vec![Vec3::ZERO; 3], vec![0, 1, 2]), (vec![Vec3::ONE], vec![0, 0])]
    {
        for extent in [0.0, 1.0, f32::NAN, f32::INFINITY] {
            let topology = Topology::new(&positions, &indices, extent);
            check(&topology, &positions, &indices);
            assert!(topology.fans.is_empty() && topology.extent == 1.0);
        }
    }
}

/// Not a benchmark: says what it takes, and fails when it stops being linear.
#[test]
fn a_hundred_thousand_vertices_take_less_than_a_second() {
    let mesh = meshes::sheet(316, 316, 0.3, 9);
    let start = std::time::Instant::now();
    let topology = topology(&mesh);
    let spent = start.elapsed();
    println!("Topology::new of {} vertices: {:.0} ms", mesh.positions.len(), spent.as_secs_f64() * 1e3);
    assert_eq!(topology.fans.len(), mesh.positions.len());
    // Ten times the target: other programs may be running beside the test.
    assert!(spent.as_secs_f64() < 10.0);
}

proptest! {
    /// Whatever triangles on few places: cut and ordered without panic, every corner in one fan.
    #[test]
    fn any_soup_becomes_fans(
        places in prop::collection::vec((0..3_i8, 0..3_i8, 0..2_i8), 1..14),
        indices in prop::collection::vec(0..16_u32, 0..90),
    ) {
        let positions: Vec<Vec3> =
            places.iter().map(|&(x, y, z)| Vec3::new(f32::from(x), f32::from(y), f32::from(z))).collect();
        let topology = Topology::new(&positions, &indices, 2.0);
        check(&topology, &positions, &indices);
        prop_assert_eq!(&topology, &Topology::new(&positions, &indices, 2.0));
    }
}
