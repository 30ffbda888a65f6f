//! The metric's constants, the twin, and what it costs.

use dryad::character::RestShape;
use dryad::character::topology::Topology;
use dryad::sim::wrinkles::tables::Tables;
use glam::{Quat, Vec3};
use proptest::prelude::*;

use super::common::{compute, gpu};
use super::meshes::{self, Mesh};
use super::{Body, assert_sound, twin};

/// C of every fan at rest from the stored f32 constants, minus I, relative to the size of what was summed.
fn worst_rest_metric(mesh: &Mesh) -> f64 {
    let rest = RestShape::new(mesh.positions.clone(), mesh.normals());
    let topology = Topology::new(&rest.positions, &mesh.indices, rest.extent);
    let tables = Tables::new(&topology);
    let mut worst = 0.0_f64;
    for vertex in &tables.vertices {
        let (mut c, mut size) = ([0.0_f64; 3], 1.0);
        let range = vertex.first_spoke as usize..(vertex.first_spoke + vertex.spoke_count) as usize;
        for spoke in &tables.spokes[range] {
            for axis in 0..3 {
                let terms =
                    [(spoke.spoke_squared, spoke.spoke_metric), (spoke.rim_squared, spoke.rim_metric)];
                for (squared, metric) in terms {
                    let term = f64::from(squared) * f64::from(metric[axis]);
                    c[axis] += term;
                    size += term.abs();
                }
            }
        }
        for (is, should) in c.iter().zip([1.0, 0.0, 1.0]) {
            worst = worst.max((is - should).abs() / size);
        }
    }
    worst
}

/// Rounding a factor to f32 is an error of 6e-8 of the term; a term has two factors.
const STORED: f64 = 1.5e-7;

#[test]
fn the_metric_is_the_identity_at_rest() {
    let shapes = [
        meshes::sheet(9, 7, 0.4, 1),
        meshes::tube(16, 5),
        meshes::sphere(5),
        meshes::cube(1),
        meshes::cube(3),
        Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], indices: vec![0, 1, 2] },
    ];
    for mesh in &shapes {
        for scale in [1e-12_f32, 1e-3, 1.0, 1e3, 1e12] {
            let worst = worst_rest_metric(&mesh.map(|p| scale * p));
            assert!(worst < STORED, "{worst}");
        }
    }
}

proptest! {
    /// Jagged surfaces of all kinds: slivers, peaks, overhangs.
    #[test]
    fn the_metric_is_the_identity_on_any_triangulation(
        seed in 0..u32::MAX, columns in 1..9_u32, rows in 1..9_u32, jitter in 0.0..0.49_f32, height in 0.0..2.0_f32,
    ) {
        let mut random = meshes::Random(seed ^ 0x9e37_79b9);
        let mut mesh = meshes::sheet(columns, rows, jitter, seed);
        for p in &mut mesh.positions {
            p.z = height * random.next();
        }
        let worst = worst_rest_metric(&mesh);
        prop_assert!(worst < STORED, "{worst}");
    }
}

#[test]
fn the_kernels_equal_the_twin() {
    let mut random = meshes::Random(77);
    let bumpy = meshes::sheet(30, 24, 0.4, 11)
        .map(|p| Vec3::new(p.x, p.y, 0.2 * (5.0 * p.x).sin() * (4.0 * p.y).cos()));
    for mesh in [bumpy, meshes::sphere(7), meshes::cube(5), meshes::tube(20, 9)] {
        let mut body = Body::new(&mesh);
        let mut posed = mesh.map(|p| {
            let bend = Quat::from_rotation_x(1.2 * p.y) * Quat::from_rotation_y(0.9 * p.x * p.y);
            bend * (p * Vec3::new(0.9, 0.75, 1.1))
                + 0.03 * Vec3::new((7.0 * p.y).sin(), 0.0, (9.0 * p.x).cos())
        });
        // Every place a little off, the same for all vertices there.
        let shifts: Vec<Vec3> = (0..posed.positions.len())
            .map(|_| 0.01 * Vec3::new(random.next(), random.next(), random.next()))
            .collect();
        for (p, &place) in posed.positions.iter_mut().zip(&body.topology.representative) {
            *p += shifts[place as usize];
        }
        let strain = body.pose(&posed);
        assert_sound(&strain);
        let twin = twin::strain(&body.topology, &mesh.positions, &posed.positions, &posed.normals());
        let mut worst = [0.0_f64; 4];
        let mut compressed = 0;
        for (v, twin) in strain.iter().zip(twin::of_surface(&body.topology, &twin)) {
            let twin = twin.expect("every vertex has triangles");
            // A direction is as good as it is certain, and its sign flips where it is square to the frame.
            let line =
                |a: [f32; 3], b: glam::DVec3| Vec3::from(a).as_dvec3().cross(b).length() * twin.certainty;
            let off = [
                (f64::from(v.compression) - twin.compression).abs(),
                (f64::from(v.stretch) - twin.stretch).abs(),
                line(v.rest_direction, twin.rest_direction),
                line(v.direction, twin.direction),
            ];
            compressed += usize::from(v.compression > 0.05);
            for (worst, off) in worst.iter_mut().zip(off) {
                *worst = worst.max(off);
            }
        }
        println!("worst {worst:?}, {compressed} of {} compressed", strain.len());
        assert!(compressed * 4 > strain.len(), "the case compresses too little to say much");
        // Strain is a sum of some ten terms of size up to 10, each rounded to 6e-8 of itself.
        assert!(worst[0] < 1e-5 && worst[1] < 1e-5, "{worst:?}");
        // Directions divide by the certainty what was rounded over the ring, seven such sums.
        assert!(worst[2] < 1e-4 && worst[3] < 1e-4, "{worst:?}");
    }
}

/// Not a benchmark: says what a frame's strain takes here.
#[test]
fn twenty_thousand_vertices() {
    let mesh = meshes::sphere(58);
    let start = std::time::Instant::now();
    let mut body = Body::new(&mesh);
    println!("installing {} vertices: {:.0} ms", mesh.positions.len(), start.elapsed().as_secs_f64() * 1e3);
    let posed = mesh.map(|p| p * Vec3::new(1.0, 0.8, 1.0));
    assert_sound(&body.pose(&posed));
    let start = std::time::Instant::now();
    let times = 20;
    for tick in 1..=times {
        let tick = body.ticks + tick;
        compute(|pass| body.wrinkles.tick(gpu(), pass, tick, tick, &body.params));
    }
    println!("a tick: {:.2} ms", start.elapsed().as_secs_f64() * 1e3 / times as f64);
}
