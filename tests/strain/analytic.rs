//! Deformations whose strain is known on paper.

use dryad::sim::wrinkles::StrainVertex;
use glam::{Quat, Vec2, Vec3};

use super::meshes::{self, Mesh};
use super::{Body, assert_sound, off_line, strain_of};

/// Positions are f32: in a body of size 1 they are wrong by 3e-8 each, so an edge of 1/40 changes by 3e-6 of
/// its length, and the extremes over a thousand vertices lie at about twice that.
const ROUNDING: f32 = 1e-5;

const SCALES: [f32; 3] = [1e-3, 1.0, 1e3];

fn tessellations() -> [Mesh; 3] {
    [meshes::sheet(3, 3, 0.2, 1), meshes::sheet(10, 14, 0.35, 2), meshes::sheet(40, 31, 0.3, 3)]
}

fn solids() -> [(&'static str, Mesh); 5] {
    [
        ("sheet", meshes::sheet(12, 9, 0.35, 4)),
        ("tube", meshes::tube(24, 8)),
        ("cube", meshes::cube(4)),
        ("sphere", meshes::sphere(6)),
        ("single triangle", Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], indices: vec![0, 1, 2] }),
    ]
}

/// All vertices have this compression and stretch.
fn assert_amounts(case: &str, strain: &[StrainVertex], compression: f32, stretch: f32, tolerance: f32) {
    assert_sound(strain);
    for (i, v) in strain.iter().enumerate() {
        let off = (v.compression - compression).abs().max((v.stretch - stretch).abs());
        assert!(off <= tolerance, "{case}, vertex {i}: {v:?} instead of {compression} and {stretch}");
    }
}

#[test]
fn rest_and_rigid_motion_are_no_strain() {
    for (name, mesh) in solids() {
        for scale in SCALES {
            let mesh = mesh.map(|p| p * scale);
            let mut body = Body::new(&mesh);
            let rest = body.pose(&mesh);
            // Only the order of sums differs between the kernel and what was stored.
            assert_amounts(name, &rest, 0.0, 0.0, 1e-6);
            let turn = Quat::from_axis_angle(Vec3::new(0.48, 0.6, 0.64), 2.1);
            let moved = body.pose(&mesh.map(|p| turn * p + scale * Vec3::new(0.3, -0.2, 0.1)));
            // Turned, the body of size up to 2 reaches to 2, where positions are half as fine.
            assert_amounts(name, &moved, 0.0, 0.0, ROUNDING);
        }
    }
}

#[test]
fn uniform_scale_reads_alike_everywhere() {
    for (name, mesh) in solids() {
        let mut body = Body::new(&mesh);
        for s in [0.5_f32, 0.8, 0.99, 1.01, 1.2, 3.0] {
            let strain = body.pose(&mesh.map(|p| s * p));
            assert_amounts(name, &strain, (1.0 - s).max(0.0), (s - 1.0).max(0.0), ROUNDING * s.max(1.0));
            assert!(s > 0.95 || strain.iter().all(|v| v.amplitude == 0.0), "no direction, no folds");
        }
    }
}

/// A map of the plane, the compression and stretch along its principal axes, and the compressed axis.
type PlaneMap = (&'static str, fn(Vec3) -> Vec3, f32, f32, Vec3);

fn plane_maps() -> Vec<PlaneMap> {
    let diagonal = Vec3::new(1.0, 1.0, 0.0) / 2.0_f32.sqrt();
    // A shear x + y: C = [[1, 1], [1, 2]], eigenvalues (3 ± √5)/2, the lesser's axis (−φ, 1).
    let golden = (1.0 + 5.0_f32.sqrt()) / 2.0;
    let sheared = Vec3::new(-golden, 1.0, 0.0).try_normalize().expect("not zero");
    vec![
        ("squeeze in u", |p| p * Vec3::new(0.8, 1.0, 1.0), 0.2, 0.0, Vec3::X),
        ("squeeze in v", |p| p * Vec3::new(1.0, 0.8, 1.0), 0.2, 0.0, Vec3::Y),
        (
            "squeeze along the diagonal",
            |p| p - 0.2 * 0.5 * (p.x + p.y) * Vec3::new(1.0, 1.0, 0.0),
            0.2,
            0.0,
            diagonal,
        ),
        ("shear", |p| p + p.y * Vec3::X, 1.0 - 1.0 / golden, golden - 1.0, sheared),
        ("squeeze in u, stretch in v", |p| p * Vec3::new(0.8, 1.2, 1.0), 0.2, 0.2, Vec3::X),
        ("squeeze to a tenth", |p| p * Vec3::new(0.1, 1.0, 1.0), 0.9, 0.0, Vec3::X),
    ]
}

#[test]
fn squeezes_read_alike_in_every_direction_tessellation_and_size() {
    for mesh in tessellations() {
        for scale in SCALES {
            let rest = mesh.map(|p| scale * p);
            let mut body = Body::new(&rest);
            for (name, map, compression, stretch, axis) in plane_maps() {
                let strain = body.pose(&mesh.map(|p| scale * map(p)));
                assert_amounts(name, &strain, compression, stretch, 2.0 * ROUNDING);
                for v in &strain {
                    // The axis of a strain of 0.2 turns by its rounding, a few 1e-5, over 0.2.
                    assert!(off_line(v.rest_direction, axis) < 5e-4, "{name}: {v:?}");
                    // Lines of the plane are carried by the map itself.
                    let image = (map(axis) - map(Vec3::ZERO)).try_normalize();
                    assert!(image.is_none_or(|image| off_line(v.direction, image) < 5e-4), "{name}: {v:?}");
                }
            }
        }
    }
}

#[test]
fn stretch_alone_compresses_nothing() {
    for mesh in tessellations() {
        let strain = strain_of(&mesh, |p| p * Vec3::new(1.2, 1.0, 1.0));
        assert_amounts("stretch", &strain, 0.0, 0.2, 2.0 * ROUNDING);
    }
}

#[test]
fn a_squeezed_tube_reads_alike_on_both_sides_of_its_seam() {
    let mesh = meshes::tube(40, 12);
    let mut body = Body::new(&mesh);
    // Twisted and squeezed, so that no symmetry makes the copies equal by luck.
    let strain =
        body.pose(&mesh.map(|p| Quat::from_rotation_y(0.7 * p.y * p.y) * (p * Vec3::new(1.0, 0.8, 1.0))));
    for row in 0..13 {
        let (first, last) = (row * 41, row * 41 + 40);
        assert_eq!(strain[first], strain[last], "row {row}");
    }
    let report = body.report();
    assert_eq!((report.vertices, report.seam_mismatch, report.non_finite), (41 * 13, 0, 0));
    // Squeezed alone, it reads 0.2 along its axis, up to how the wedges of its rings lie: the diagonals of a
    // tube of 40 sides turn 4.5 degrees out of the tangent plane.
    let strain = body.pose(&mesh.map(|p| p * Vec3::new(1.0, 0.8, 1.0)));
    for v in &strain {
        assert!((v.compression - 0.2).abs() < 2e-3 && v.stretch < 2e-3, "{v:?}");
        assert!(off_line(v.rest_direction, Vec3::Y) < 0.02, "{v:?}");
    }
}

#[test]
fn bending_a_strip_shows_next_to_nothing() {
    let mesh = meshes::sheet(20, 6, 0.0, 7);
    for degrees in [5.0_f32, 10.0, 15.0, 20.0] {
        let theta = degrees.to_radians();
        // Rolled up, every vertex on the arc: chords are shorter than arcs by θ²/24.
        let radius = 1.0 / 20.0 / theta;
        let rolled = strain_of(&mesh, |p| {
            let angle = p.x / radius;
            Vec3::new(radius * angle.sin(), p.y, radius * (1.0 - angle.cos()))
        });
        let chord = 1.0 - (0.5 * theta).sin() / (0.5 * theta);
        assert!(chord < theta * theta / 24.0);
        assert_amounts("rolled", &rolled, chord, 0.0, 2.0 * ROUNDING);
        // Creased, every edge keeping its length: nothing at all.
        let creased = strain_of(&mesh, |p| {
            let columns = (p.x * 20.0).round() as usize;
            let step = |k: usize| Vec2::from_angle(k as f32 * theta) / 20.0;
            let end: Vec2 = (0..columns).map(step).sum();
            Vec3::new(end.x, p.y, end.y)
        });
        assert_amounts("creased", &creased, 0.0, 0.0, 2.0 * ROUNDING);
    }
}

/// What others met: strain that jumps, or hangs on the model's size (here a ramp from 0 to 5 % in 300 frames).
#[test]
fn a_slow_squeeze_rises_smoothly_at_every_size() {
    for scale in SCALES {
        let mesh = meshes::sheet(12, 12, 0.35, 8).map(|p| scale * p);
        let mut body = Body::new(&mesh);
        let mut last = vec![0.0_f32; mesh.positions.len()];
        for frame in (0..=300).step_by(6) {
            let amount = 0.05 * frame as f32 / 300.0;
            let strain = body.pose(&mesh.map(|p| p * Vec3::new(1.0 - amount, 1.0, 1.0)));
            for (v, last) in strain.iter().zip(&mut last) {
                assert!((v.compression - amount).abs() < ROUNDING, "{} instead of {amount}", v.compression);
                assert!(v.compression - *last < 1.2e-3, "a step of 1e-3 reads {}", v.compression - *last);
                *last = v.compression;
            }
        }
    }
}
