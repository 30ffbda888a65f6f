//! Shadows of the key light: thrown by body, branches, leaves and boids, and by nothing on itself.

mod common;
mod stage;

use dryad::character::CharacterData;
use dryad::gpu::Picture;
use dryad::render::Camera;
use dryad::sim::boids::Boid;
use dryad::sim::growth::BranchNode;
use glam::{DVec3, Vec3};
use stage::{Stage, linear, pixel, torus};

/// A horizontal plate of 2 m at height 0, and where wished a small one of 0.5 m hovering at 0.6 m over its middle.
fn plates(hovering: bool) -> CharacterData {
    let mut corners = Vec::new();
    let mut indices = Vec::new();
    for (half, y) in [(1.0, 0.0), (0.25, 0.6)].into_iter().take(1 + usize::from(hovering)) {
        let first = corners.len() as u32;
        let at = |x: f32, z: f32| Vec3::new(x * half, y, z * half);
        corners.extend([at(-1.0, 1.0), at(1.0, 1.0), at(1.0, -1.0), at(-1.0, -1.0)]);
        indices.extend([0, 1, 2, 0, 2, 3].map(|i| i + first));
    }
    let mut data = CharacterData::from_triangles("plates", corners, indices);
    data.materials[0].metallic = 0.0;
    data.materials[0].specular.factor = 0.0;
    data
}

/// Seen from the side and above, with the key light alone, straight from above.
fn stage_of(data: &CharacterData) -> Stage {
    let mut stage = Stage::at_rest(data);
    stage.params.light.tone_map = 3;
    stage.params.light.ambient = 0.0;
    stage.params.light.key = 2.0;
    stage.params.light.key_elevation = 90.0;
    stage.params.view.xray = 0.0;
    stage.camera = Camera::new(DVec3::new(0.0, 1.2, 2.2), DVec3::ZERO, 50.0);
    stage.size = [128, 128];
    stage
}

/// Brightness of the plate at the picture's middle, which is the world's origin, and off to its left.
fn middle_and_side(picture: &Picture) -> [f32; 2] {
    [[64, 64], [20, 64]].map(|[x, y]| linear(pixel(picture, x, y)[0]))
}

#[test]
fn what_hovers_over_the_plate_darkens_what_is_below_it_alone() {
    let bare = stage_of(&plates(false)).picture();
    let [middle, side] = middle_and_side(&bare);
    assert!((middle - side).abs() < 0.02 && middle > 0.3, "lit evenly: {middle}, {side}");

    let body = stage_of(&plates(true)).picture();
    let mut branches = stage_of(&plates(false));
    let node = |x: f32, parent: u32| BranchNode {
        position: [x, 0.6, 0.0],
        radius: 0.15,
        color: [1.0; 3],
        parent,
        ..Default::default()
    };
    branches.set_branches(&[node(-0.2, 0), node(0.2, 0)]);
    let branches = branches.picture();
    let mut blossom = stage_of(&plates(false));
    (blossom.params.growth.leaves, blossom.params.growth.leaf_size) = (2, 0.2);
    // A stem too thin for its shadow, upright, so that the blossom looks up.
    let foot = BranchNode { radius: 1e-4, ..node(0.0, 0) };
    let tip = BranchNode { position: [0.0, 0.61, 0.0], bud: 1.0, turn: 0x8000_ffff, ..foot };
    blossom.set_branches(&[foot, tip]);
    let blossom = blossom.picture();
    let mut boids = stage_of(&plates(false));
    boids.params.boids.size = 0.3;
    boids.set_boids(&[Boid { position: [0.0, 0.6, 0.0], velocity: [1.0, 0.0, 0.0], ..Default::default() }]);
    let boids = boids.picture();
    for (what, picture) in [("body", body), ("branches", branches), ("blossom", blossom), ("boids", boids)] {
        let [middle, side] = middle_and_side(&picture);
        // A boid is a thin dart: its shadow's edge is softened across it. A blossom's petals cover 86 % round its heart
        // and less further out, and the shadow is softened across the gaps.
        let dark = match what {
            "boids" => 0.6,
            "blossom" => 0.5,
            _ => 0.02,
        };
        assert!(middle < dark * side && side > 0.3, "{what}: middle {middle}, side {side}");
    }
}

#[test]
fn branches_darken_the_ground_where_the_body_is_hidden() {
    let ground = |body: bool, radius: f32| {
        let mut stage = stage_of(&plates(false));
        stage.params.light.shadows = 1;
        stage.params.view.body = body;
        stage.params.view.grid = true;
        let node =
            |x: f32| BranchNode { position: [x, 0.6, 0.0], radius, color: [1.0; 3], ..Default::default() };
        stage.set_branches(&[node(-0.5), node(0.5)]);
        middle_and_side(&stage.picture())
    };
    let [bare, _] = ground(false, 0.0);
    let [thick, _] = ground(false, 0.3);
    let [thin, _] = ground(false, 0.02);
    // The floor keeps 15 % of the key light in the deepest shadow, and the background shows through it a little.
    assert!(thick < 0.4 * bare, "a thick branch: {thick} of {bare}");
    // A branch much thinner than a texel (7 cm here) hides what it covers and no more.
    assert!(thin < 0.97 * bare && thin > 2.0 * thick, "a thin branch: {thin} of {bare}, {thick}");
}

#[test]
fn shadows_can_be_switched_off() {
    let mut stage = stage_of(&plates(true));
    stage.params.light.shadows = 2;
    let [middle, side] = middle_and_side(&stage.picture());
    assert!((middle - side).abs() < 0.02 && middle > 0.3, "{middle}, {side}");
}

#[test]
fn a_lit_surface_throws_no_shadow_on_itself() {
    for elevation in [10.0, 30.0, 50.0] {
        let mut stage = Stage::at_rest(&torus(96, 48));
        stage.params.view.xray = 0.0;
        stage.params.light.tone_map = 3;
        stage.params.light.key_elevation = elevation;
        stage.camera = Camera::frame(stage.rest.min, stage.rest.max, 1.0);
        stage.size = [160, 160];
        let with = stage.picture();
        stage.params.light.shadows = 2;
        let without = stage.picture();
        let bright = |p: &Picture, i: usize| p.rgba[4 * i];
        let lit: Vec<_> = (0..160 * 160).filter(|&i| bright(&without, i) > 150).collect();
        let changed = lit.iter().filter(|&&i| bright(&without, i).abs_diff(bright(&with, i)) > 4).count();
        assert!(lit.len() > 3000, "elevation {elevation}: {} pixels are bright", lit.len());
        // Nothing stands between them and the light. A few lie on the soft edge where the ring turns away.
        assert!(changed * 200 < lit.len(), "elevation {elevation}: {changed} of {} are speckled", lit.len());
    }
}
