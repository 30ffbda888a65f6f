//! The phase that the renderer draws folds with.

use glam::{Vec2, Vec3};

use super::meshes;
use super::{Body, assert_sound};

#[test]
fn a_squeezed_sheet_folds_across_the_squeeze_at_the_wavelength() {
    let mesh = meshes::sheet(60, 60, 0.3, 1);
    let mut body = Body::new(&mesh);
    body.params.wavelength = 0.1;
    let strain = body.pose(&mesh.map(|p| p * Vec3::new(0.8, 1.0, 1.0)));
    assert_sound(&strain);
    // Along every edge the phase must advance by 2π a wavelength along the direction. Both ends may have
    // either sign; anchors disagree about where a crest lies, so the local wavelength wanders about the right.
    let mut advance = Vec::new();
    for t in mesh.indices.chunks_exact(3) {
        for (&a, &b) in t.iter().zip(&t[1..]) {
            let (v, w) = (&strain[a as usize], &strain[b as usize]);
            let way = mesh.positions[b as usize] - mesh.positions[a as usize];
            let along = Vec3::from(v.rest_direction).dot(way);
            let agree = Vec3::from(v.rest_direction).dot(Vec3::from(w.rest_direction)).signum();
            let (z, y) = (Vec2::from(v.wave), Vec2::new(w.wave[0], w.wave[1] * agree));
            let turn = z.perp_dot(y).atan2(z.dot(y));
            if along.abs() > 0.01 {
                advance.push(turn / along * body.params.wavelength / std::f32::consts::TAU);
            }
        }
    }
    advance.sort_by(f32::total_cmp);
    let [low, middle, high] = [0.1, 0.5, 0.9].map(|q| advance[(q * advance.len() as f32) as usize]);
    println!("waves a wavelength: 10 % {low}, median {middle}, 90 % {high}");
    assert!((middle - 1.0).abs() < 0.1, "the folds' wavelength is {middle} of what was asked");
    assert!(low > 0.5 && high < 1.5, "and wanders between {low} and {high}");
}

#[test]
fn the_phase_is_the_same_at_every_size_and_place() {
    let mesh = meshes::sphere(12);
    let squeeze = |p: Vec3| p * Vec3::new(1.0, 0.8, 1.0);
    let here = Body::new(&mesh).pose(&mesh.map(squeeze));
    let away = mesh.map(|p| 100.0 * (p + Vec3::new(2.0, 0.0, 1.0)));
    let there = Body::new(&away).pose(&mesh.map(|p| 100.0 * (squeeze(p) + Vec3::new(2.0, 0.0, 1.0))));
    let agree = here.iter().zip(&there).filter(|(a, b)| {
        // Phases are differences of positions of size 3 in wavelengths of 0.04: 1e-5 of a turn.
        Vec2::from(a.wave).distance(Vec2::from(b.wave)) < 0.01
    });
    // Where the compression has no direction (the poles), rounding chooses one.
    assert!(agree.count() * 100 > here.len() * 95);
}

#[test]
fn equal_poses_give_equal_bits() {
    let mesh = meshes::tube(24, 20);
    let squeeze = |p: Vec3| p * Vec3::new(1.0, 0.7 + 0.1 * p.x, 1.0);
    let body = Body::new(&mesh);
    let first = body.pose(&mesh.map(squeeze));
    let hash = body.report().hash;
    // Another pose between them leaves no trace: scrubbing back shows what was shown.
    let other = body.pose(&mesh.map(|p| 0.5 * p));
    assert_ne!(first, other);
    assert_ne!(body.report().hash, hash);
    assert_eq!(body.pose(&mesh.map(squeeze)), first);
    assert_eq!(body.report().hash, hash);
    assert_eq!(Body::new(&mesh).pose(&mesh.map(squeeze)), first);
}
