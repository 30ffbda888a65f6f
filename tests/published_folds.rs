//! Folds as first published beside those of the wrinkle field.

mod common;
mod stage;

use dryad::character::CharacterData;
use dryad::gpu::buffer::STORAGE;
use dryad::gpu::{Buffer, Picture};
use dryad::sim::wrinkles::PublishedVertex;
use glam::Vec3;
use stage::{Stage, differing};

use common::gpu;

const SIDE: u32 = 128;

/// A square metre that faces +Z.
fn square() -> CharacterData {
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, y]| Vec3::new(x, y, 0.0));
    CharacterData::from_triangles("square", corners.to_vec(), vec![0, 1, 2, 0, 2, 3])
}

/// Both kinds of folds: the field's across x, those as published across y, in 3 × 12 cm.
fn stage(method: &str, divider: f32) -> Stage {
    let data = square();
    let mut stage = Stage::at_rest(&data);
    stage.size = [SIDE; 2];
    stage.params.view.xray = 0.0;
    // A glow would reach over the divider.
    stage.params.light.bloom = 0.0;
    stage.params.wrinkles.wavelength = 0.12;
    stage.params.wrinkles.divider = divider;
    stage.params.set_text("wrinkles.method", method).expect("a choice");
    stage.set_folds(&data, Vec3::X, 0.008, |place| {
        let phase = std::f32::consts::TAU / 0.12 * place.x;
        [phase.cos(), phase.sin()]
    });
    let strain = PublishedVertex { direction: [0.0, 1.0, 0.0], strain: -0.5 };
    stage.published = Some(Buffer::from_slice(gpu(), "test/published", &[strain; 4], STORAGE));
    stage
}

/// Places along a line of pixels where it turns from darker to brighter.
fn ridges(picture: &Picture, along_x: bool) -> usize {
    let value = |k: u32| {
        let (x, y) = if along_x { (k, SIDE / 2) } else { (SIDE / 2, k) };
        i32::from(stage::pixel(picture, x, y)[1])
    };
    // The square fills the middle half of the picture.
    let steps: Vec<i32> = (36..92).map(|k| value(k + 1) - value(k)).filter(|step| step.abs() > 1).collect();
    steps.windows(2).filter(|pair| pair[0] < 0 && pair[1] > 0).count()
}

#[test]
fn the_published_sine_runs_along_its_direction_at_the_wavelength() {
    let picture = stage("published", 0.5).picture();
    // 56 of 64 pixels of a metre hold 0.875 m: seven waves of 12 cm, of which the ends may hide one.
    let waves = ridges(&picture, false);
    assert!((6..=8).contains(&waves), "{waves}");
    assert_eq!(ridges(&picture, true), 0);
    let mut shallow = stage("published", 0.5);
    // Green's strain at which they begin: none are left.
    (shallow.params.wrinkles.min_compression, shallow.params.wrinkles.max_compression) = (0.6, 0.7);
    assert_eq!(ridges(&shallow.picture(), false), 0);
}

#[test]
fn the_divider_parts_two_whole_pictures() {
    let [field, published] = ["field", "published"].map(|method| stage(method, 0.3).picture());
    assert!(differing(&field, &published, 8) > 500);
    let both = stage("both", 0.3).picture();
    let parted = (0.3 * SIDE as f32).round() as usize;
    for (at, rgba) in both.rgba.chunks_exact(4).enumerate() {
        let whole = if at % (SIDE as usize) < parted { &field } else { &published };
        assert_eq!(rgba, &whole.rgba[4 * at..][..4], "pixel {at}");
    }
}
