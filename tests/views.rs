//! Data views: what their colours mean, to the byte, whatever light, exposure and tone map.

mod common;
mod stage;

use dryad::character::data::{Influences, PaletteEntry};
use dryad::gpu::capture::Picture;
use dryad::params::Params;
use dryad::render::environment::baked::Baked;
use dryad::render::lights::{FileLight, FileLights};
use dryad::render::{Camera, Targets};
use dryad::viewer::{Setup, Source, Viewer};
use glam::{DMat4, DVec3, Vec3, Vec4};
use stage::{Stage, differing, encoded, pixel, square, torus};

/// Light that must not matter.
fn glare(params: &mut Params) {
    params.light.exposure = 4.0;
    params.light.tone_map = 2;
    params.light.bloom = 1.0;
    params.light.key = 20.0;
}

#[test]
fn no_light_changes_a_view_of_data() {
    let day =
        Baked { sides: vec![4], levels: vec![vec![Vec3::splat(7.0); 16]], irradiance: [Vec3::splat(7.0); 9] };
    let mut lights = FileLights { count: 1, ..Default::default() };
    lights.lights[0] =
        FileLight { direction: [0.0, 0.0, -1.0], light: [9.0; 3], is_parallel: 1, ..Default::default() };
    let data = torus(24, 12);
    for (mode, name) in
        [(0, "shaded"), (1, "strain"), (2, "mask"), (3, "field"), (4, "weights"), (5, "normals")]
    {
        let mut stage = Stage::at_rest(&data);
        stage.camera = Camera::new(DVec3::new(0.0, 0.84, 2.0), DVec3::new(0.0, 0.84, 0.0), 60.0);
        stage.params.view.mode = mode;
        let plain = stage.picture();
        assert!(
            differing(&plain, &Picture { rgba: vec![plain.rgba[0]; plain.rgba.len()], ..plain }, 0) > 500
        );
        glare(&mut stage.params);
        stage.params.light.ambient = 3.0;
        stage.params.view.background = 1;
        stage.renderer.environment.use_baked(common::gpu(), &day);
        stage.lights = Some(lights);
        let changed = differing(&plain, &stage.picture(), 0);
        assert_eq!(changed > 0, mode == 0, "{name}: {changed} pixels change");
    }
}

#[test]
fn normals_are_codes_of_their_parts() {
    for (normal, wanted) in [
        (Vec3::Z, [128, 128, 255]),
        (Vec3::new(-1.0, 0.0, 0.0), [0, 128, 128]),
        (Vec3::new(0.6, -0.8, 0.0), [204, 26, 128]),
    ] {
        let mut data = square(4.0, 0.0);
        data.vertices.normals.fill(normal);
        let mut stage = Stage::at_rest(&data);
        stage.params.view.mode = 5;
        glare(&mut stage.params);
        let [r, g, b, _] = pixel(&stage.picture(), 32, 32);
        // Half floats and the fit of sRGB.
        assert!([r, g, b].iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 1), "{normal}: {:?}", [r, g, b]);
    }
}

#[test]
fn weights_mix_a_colour_a_joint() {
    let mut data = square(4.0, 0.0);
    for node in 1..3 {
        data.nodes.push(data.nodes[0].clone());
        data.node_order.push(node);
        data.palette.push(PaletteEntry { node, bind_inverse: DMat4::IDENTITY });
    }
    let mut influences = Influences::rigid(1);
    (influences.joints[1], influences.weights[0], influences.weights[1]) = (2, 0.75, 0.25);
    let mut shown = |influences: Influences| {
        data.vertices.influences.fill(influences);
        let mut stage = Stage::at_rest(&data);
        stage.params.view.mode = 4;
        glare(&mut stage.params);
        let [r, g, b, _] = pixel(&stage.picture(), 32, 32);
        [r, g, b]
    };
    let [one, two, mixed] = [Influences::rigid(1), Influences::rigid(2), influences].map(&mut shown);
    let apart = one.iter().zip(two).map(|(a, b)| a.abs_diff(b)).max();
    assert!(apart > Some(60), "joints differ: {one:?}, {two:?}");
    for part in 0..3 {
        let wanted = encoded(0.75 * stage::linear(one[part]) + 0.25 * stage::linear(two[part]));
        // Ten bits a part, half floats.
        assert!(mixed[part].abs_diff(wanted) <= 2, "{mixed:?} of {one:?} and {two:?}");
    }
}

#[test]
fn the_field_shows_boxes_coloured_by_their_vectors() {
    let mut viewer = Viewer::new(common::gpu().clone()).expect("it builds");
    let set = [
        ("growth.enabled", "false"),
        ("boids.count", "16"),
        ("boids.field_resolution", "24"),
        ("view.mode", "field"),
    ];
    let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
    let setup = Setup { set, ..Default::default() };
    setup.apply(&mut viewer).expect("they fit");
    glare(&mut viewer.params);
    viewer.params.view.grid = false;
    viewer.load_now(Source::BuiltIn).expect("it loads");
    let picture = |viewer: &mut Viewer| {
        let mut targets = Targets::new(&viewer.gpu, 128, 128, 1);
        viewer.draw(&mut targets, true).expect("it draws");
        dryad::gpu::capture::capture(&viewer.gpu, targets.picture().raw()).expect("it arrives")
    };
    let colors = |picture: &dryad::gpu::capture::Picture| {
        let mut colors: Vec<[u8; 4]> =
            picture.rgba.chunks_exact(4).filter(|p| p[3] == 255).map(|p| [p[0], p[1], p[2], p[3]]).collect();
        colors.sort_unstable();
        colors.dedup();
        colors.len()
    };
    assert_eq!(colors(&picture(&mut viewer)), 1, "before the first tick the body stands there in one grey");
    viewer.update(1.0 / 30.0);
    let shown = picture(&mut viewer);
    assert!(colors(&shown) > 100, "{} colours", colors(&shown));
    viewer.params.view.field_slice = 3;
    let slice = picture(&mut viewer);
    assert!((20..colors(&shown)).contains(&colors(&slice)), "a slice shows {} colours", colors(&slice));
    viewer.params.view.field_slice_at = 0.1;
    assert_ne!(picture(&mut viewer).rgba, slice.rgba, "the slice moves");
    viewer.params.view.field_look = 1;
    viewer.params.view.field_slice = 0;
    let arrows = picture(&mut viewer);
    assert!(colors(&arrows) > 100 && arrows.rgba != shown.rgba, "arrows are other shapes");
    // Boxes reach out of the body to both sides, and those at the right (+x) are redder than those at the left.
    let mean_red = |from: u32, to: u32| {
        let mut sum = Vec4::ZERO;
        for y in 0..128 {
            for x in from..to {
                let [r, _, _, a] = pixel(&shown, x, y);
                sum += Vec4::new(f32::from(r), 0.0, 0.0, 1.0) * f32::from(u8::from(a == 255));
            }
        }
        sum.x / sum.w
    };
    let (left, right) = (mean_red(0, 60), mean_red(68, 128));
    assert!(right > left + 20.0, "left {left}, right {right}");
}
