//! The glow: round what is too bright, on all sides alike, fading outwards, and nowhere else.

mod common;
mod stage;

use glam::{DVec3, Vec3};
use stage::{Stage, linear, pixel, square};

/// A small plate that glows by itself, on black, seen from 2 m.
fn lamp(light: f32, bloom: f32) -> Stage {
    let mut data = square(0.1, 0.0);
    data.materials[0].base_color = glam::Vec4::new(0.0, 0.0, 0.0, 1.0);
    data.materials[0].emissive = Vec3::splat(light);
    data.materials[0].specular.factor = 0.0;
    let mut stage = Stage::at_rest(&data);
    stage.camera = dryad::render::Camera::new(DVec3::new(0.0, 0.0, 1.0), DVec3::ZERO, 60.0);
    stage.size = [128, 128];
    stage.params.view.xray = 0.0;
    stage.params.light.tone_map = 3;
    stage.params.light.key = 0.0;
    stage.params.light.ambient = 0.0;
    stage.params.light.background_top = [0.0; 3];
    stage.params.light.background_bottom = [0.0; 3];
    stage.params.light.bloom = bloom;
    stage
}

#[test]
fn a_lamp_glows_alike_on_all_sides_and_less_farther_out() {
    let picture = lamp(8.0, 0.2).picture();
    let at = |x: u32, y: u32| linear(pixel(&picture, x, y)[0]);
    // The plate covers about 22 pixels about the middle.
    let mut last = f32::MAX;
    for away in [16, 24, 36, 52] {
        let sides = [at(64 + away, 64), at(63 - away, 64), at(64, 64 + away), at(64, 63 - away)];
        let (least, most) = sides.iter().fold((f32::MAX, 0f32), |(a, b), &x| (a.min(x), b.max(x)));
        // Pictures of odd halves are read between texels; a byte's rounding on top.
        assert!(most - least < 0.08 * most + 0.004, "{away} pixels away: {sides:?}");
        assert!(most < last, "{away} pixels away it is not darker: {most} after {last}");
        last = most;
    }
    assert!(at(64 + 16, 64) > 0.02, "near the lamp: {}", at(80, 64));
}

#[test]
fn what_the_picture_can_show_does_not_glow_and_none_is_none() {
    for (light, bloom) in [(0.4, 0.5), (8.0, 0.0)] {
        let picture = lamp(light, bloom).picture();
        for (x, y) in [(64 + 13, 64), (64, 63 - 13), (64 + 16, 64), (8, 8)] {
            // The dither may tip black by one.
            assert!(pixel(&picture, x, y)[0] <= 1, "light {light}, bloom {bloom}, at {x}, {y}");
        }
    }
}

#[test]
fn over_nothing_a_glow_covers_as_it_shines_and_sizes_do_no_harm() {
    let mut stage = lamp(8.0, 0.2);
    stage.transparent = true;
    let picture = stage.picture();
    let [near, far] = [pixel(&picture, 64 + 16, 64), pixel(&picture, 2, 2)];
    assert!(near[3] > far[3] && near[3] > 5, "alpha {near:?} near, {far:?} far");
    for size in [[1, 1], [3, 2], [2, 130], [63, 65]] {
        stage.size = size;
        stage.picture();
    }
    // Data views know no glow.
    let mut view = lamp(8.0, 1.0);
    view.params.view.mode = 1;
    let with = view.picture();
    view.params.light.bloom = 0.0;
    assert_eq!(with, view.picture());
}
