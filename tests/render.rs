//! Drawing: what arrives on the CPU is what was drawn, down to the byte where bytes can be known.

mod common;
mod stage;

use common::gpu;
use dryad::character::CharacterData;
use dryad::character::data::AlphaMode;
use dryad::gpu::Profiler;
use dryad::gpu::capture::{PendingCapture, Picture, capture};
use dryad::params::Params;
use dryad::render::{Camera, Renderer, STRAIN_COMPRESSED, STRAIN_NEUTRAL, STRAIN_STRETCHED, Targets};
use dryad::sim::boids::Boid;
use dryad::sim::growth::BranchNode;
use dryad::sim::wrinkles::StrainVertex;
use glam::{DVec3, Vec3, Vec4};
use stage::{Stage, differing, encoded, linear, pixel, square, torus};

fn no_tone_map(params: &mut Params) {
    params.light.tone_map = 3;
}

#[test]
fn a_colour_comes_back_in_every_pixel_at_every_size() {
    let mut params = Params::default();
    no_tone_map(&mut params);
    let wanted = [200, 100, 50];
    params.light.background_top = wanted.map(linear);
    params.light.background_bottom = params.light.background_top;
    let mut renderer = Renderer::new(gpu(), common::shaders()).expect("the shaders build");
    for [width, height] in [[1, 1], [63, 1], [64, 2], [65, 3], [853, 480]] {
        let mut targets = Targets::new(gpu(), width, height, 1);
        let mut encoder = gpu().encoder("test");
        let mut profiler = Profiler::new(gpu());
        renderer.clear(gpu(), &mut profiler, &mut encoder, &mut targets, &params).expect("it binds");
        gpu().submit(encoder);
        let picture = capture(gpu(), targets.picture().raw()).expect("it arrives");
        assert_eq!(gpu().take_errors(), Vec::<String>::new());
        assert_eq!(picture.rgba.len(), (width * height * 4) as usize);
        for at in picture.rgba.chunks_exact(4) {
            // One step: the dither may tip a value that stands between two bytes.
            let near = (0..3).all(|c| at[c].abs_diff(wanted[c]) <= 1);
            assert!(near && at[3] == 255, "{width} x {height}: {at:?}");
        }
    }
}

#[test]
fn captures_under_way_do_not_disturb_each_other() {
    let shape = dryad::gpu::texture::TextureShape {
        size: [3, 2],
        format: wgpu::TextureFormat::Rgba8Unorm,
        mips: 1,
        samples: 1,
        usage: wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
    };
    let texture = dryad::gpu::Texture::new(gpu(), "test", shape);
    let write = |first: u8| {
        let bytes: Vec<u8> = (0..24).map(|i| first + i).collect();
        let layout = wgpu::TexelCopyBufferLayout { bytes_per_row: Some(12), ..Default::default() };
        gpu().queue.write_texture(texture.raw().as_image_copy(), &bytes, layout, texture.raw().size());
        (bytes, PendingCapture::begin(gpu(), texture.raw()).expect("four bytes a texel"))
    };
    let pending = [write(0), write(100), write(200)];
    for (bytes, capture) in pending {
        assert_eq!(capture.finish(gpu()).expect("it arrives").rgba, bytes);
    }
}

#[test]
fn transparent_pictures_have_straight_alpha() {
    let mut data = square(1.0, 0.0);
    data.materials[0].unlit = true;
    data.materials[0].alpha = AlphaMode::Blend;
    data.materials[0].base_color = Vec4::new(linear(200), linear(100), linear(50), 0.5);
    let mut stage = Stage::at_rest(&data);
    no_tone_map(&mut stage.params);
    stage.params.view.xray = 0.0;
    stage.transparent = true;
    let picture = stage.picture();
    let middle = pixel(&picture, 32, 32);
    // Half floats hold 11 bits, so that a premultiplied value is right to half a byte's step.
    assert!((0..3).all(|c| middle[c].abs_diff([200, 100, 50][c]) <= 1), "no dark fringe: {middle:?}");
    assert!(middle[3].abs_diff(128) <= 1, "{middle:?}");
    assert_eq!(pixel(&picture, 0, 0)[3], 0);

    // Half of a white veil over black is the sRGB code of half the light, not half the code.
    data.materials[0].base_color = Vec4::new(1.0, 1.0, 1.0, 0.5);
    let mut stage = Stage::at_rest(&data);
    no_tone_map(&mut stage.params);
    stage.params.view.xray = 0.0;
    stage.params.light.background_top = [0.0; 3];
    stage.params.light.background_bottom = [0.0; 3];
    let middle = pixel(&stage.picture(), 32, 32);
    assert!(middle[0].abs_diff(encoded(0.5)) <= 1 && middle[3] == 255, "{middle:?}");
}

fn mask_of(data: &CharacterData, eye_z: f64) -> Picture {
    let mut stage = Stage::at_rest(data);
    stage.params.view.mode = 2;
    stage.camera = Camera::new(DVec3::new(0.0, 0.0, eye_z), DVec3::ZERO, 90.0);
    // What must not show, whatever it is set to.
    stage.params.view.grid = true;
    stage.samples = 4;
    stage.set_boids(&[Boid { velocity: [1.0, 0.0, 0.0], ..Default::default() }]);
    stage.picture()
}

#[test]
fn masks_are_white_on_black_and_sampled_at_pixel_centres() {
    let mask = mask_of(&square(0.625, 0.0), 2.0);
    for y in 0..64 {
        for x in 0..64 {
            let inside = (22..42).contains(&x) && (22..42).contains(&y);
            let wanted = if inside { [255; 4] } else { [0, 0, 0, 255] };
            assert_eq!(pixel(&mask, x, y), wanted, "at {x}, {y}");
        }
    }
}

#[test]
fn back_faces_are_culled_unless_the_material_shows_them() {
    let count = |picture: &Picture| picture.rgba.chunks_exact(4).filter(|p| p[0] == 255).count();
    let mut data = square(0.625, 0.0);
    assert_eq!(count(&mask_of(&data, -2.0)), 0);
    data.materials[0].double_sided = true;
    assert_eq!(count(&mask_of(&data, -2.0)), 400);
}

#[test]
fn back_faces_are_lit_as_seen() {
    let mut data = square(4.0, 0.0);
    data.materials[0].double_sided = true;
    data.materials[0].metallic = 0.0;
    let mut stage = Stage::at_rest(&data);
    stage.params.view.xray = 0.0;
    stage.params.light.ambient = 0.0;
    stage.params.light.key_azimuth = 0.0;
    stage.params.light.key_elevation = 0.0;
    let front = pixel(&stage.picture(), 32, 32);
    stage.camera = Camera::new(DVec3::new(0.0, 0.0, -2.0), DVec3::ZERO, 90.0);
    assert_eq!(pixel(&stage.picture(), 32, 32)[..3], [0, 0, 0], "the light is on the other side");
    stage.params.light.key_azimuth = 180.0;
    assert_eq!(pixel(&stage.picture(), 32, 32), front, "both sides are lit alike");
}

#[test]
fn cut_outs_are_absent_where_alpha_is_low() {
    let mut data = square(4.0, 0.0);
    data.materials[0].alpha = AlphaMode::Mask(0.5);
    data.materials[0].base_color.w = 0.4;
    for xray in [0.0, 0.75] {
        let mut stage = Stage::at_rest(&data);
        stage.params.view.xray = xray;
        stage.transparent = true;
        assert_eq!(pixel(&stage.picture(), 32, 32)[3], 0, "xray {xray}");
    }
    assert_eq!(pixel(&mask_of(&data, 2.0), 32, 32), [0, 0, 0, 255]);
    data.materials[0].base_color.w = 0.6;
    assert_eq!(pixel(&mask_of(&data, 2.0), 32, 32), [255; 4]);
}

#[test]
fn textures_reach_the_picture_with_their_colours() {
    let mut data = square(1.0, 0.0);
    let rgba = [200, 100, 50, 255].repeat(8 * 8);
    data.images.push(dryad::character::data::Image::new(
        8,
        8,
        rgba,
        dryad::character::data::ColorSpace::Srgb,
    ));
    data.materials[0].base_color_texture = Some(dryad::character::data::TextureSlot::new(0));
    data.materials[0].unlit = true;
    let mut stage = Stage::at_rest(&data);
    no_tone_map(&mut stage.params);
    stage.params.view.xray = 0.0;
    let middle = pixel(&stage.picture(), 32, 32);
    // Half floats between texture and picture: one step.
    assert!((0..3).all(|c| middle[c].abs_diff([200, 100, 50][c]) <= 1), "{middle:?}");
}

#[test]
fn the_heat_map_shows_strain_and_nothing_else() {
    let data = square(4.0, 0.0);
    let shown = |compression: f32, stretch: f32| {
        let mut stage = Stage::at_rest(&data);
        stage.params.view.mode = 1;
        stage.params.wrinkles.legend = 0.4;
        // What a data view must not follow.
        stage.params.light.exposure = 3.0;
        stage.params.light.key = 0.0;
        stage.params.light.ambient = 0.0;
        stage.params.view.xray = 1.0;
        stage.set_strain(&[StrainVertex { compression, stretch, ..Default::default() }; 4]);
        pixel(&stage.picture(), 32, 32)
    };
    // The legend is drawn with the same.
    let (grey, blue, orange) = (STRAIN_NEUTRAL, STRAIN_COMPRESSED, STRAIN_STRETCHED);
    let half = |a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|c| 0.5 * (a[c] + b[c]));
    for (at, wanted) in [
        (shown(0.0, 0.0), grey),
        (shown(0.4, 0.0), blue),
        (shown(0.9, 0.0), blue),
        (shown(0.0, 0.4), orange),
        (shown(0.2, 0.0), half(grey, blue)),
        (shown(0.0, 0.2), half(grey, orange)),
    ] {
        // Half floats lie between: one step.
        let near = (0..3).all(|c| at[c].abs_diff(encoded(wanted[c])) <= 1);
        assert!(near, "{at:?}, not {:?}", wanted.map(encoded));
    }
}

fn node(position: Vec3, radius: f32, parent: u32) -> BranchNode {
    let color = [1.0, 0.5, 0.2];
    BranchNode { position: position.to_array(), radius, color, glow: 1.0, parent, ..Default::default() }
}

/// Pixels covered by branches alone: from 2 m away at a right angle, 200 pixels span 4 m.
fn branch_pixels(nodes: &[BranchNode], eye: DVec3, up: DVec3) -> usize {
    let mut stage = Stage::at_rest(&square(1.0, 0.0));
    stage.params.view.body = false;
    stage.transparent = true;
    stage.size = [200, 200];
    stage.camera = Camera { up, ..Camera::new(eye, DVec3::ZERO, 90.0) };
    stage.set_branches(nodes);
    let picture = stage.picture();
    let lit = picture.rgba.chunks_exact(4).filter(|p| p[3] == 255);
    lit.inspect(|p| assert!(p[0] > 0, "drawn, but black: {p:?}")).count()
}

#[test]
fn capsules_are_whole_from_every_side_and_at_no_length() {
    let radius = 0.2;
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    // A disc of 10 pixels' radius, drawn as a square or finer (0.64 of it and up), as much wider as its sides stand
    // nearer by its radius: 2 / 1.8 = 1.11, and round its ends less.
    let disc = std::f64::consts::PI * 100.0;
    let is_disc = |pixels: usize| (0.68 * disc..1.3 * disc).contains(&(pixels as f64));
    for axis in axes {
        let up = if axis.y == 0.0 { DVec3::Y } else { DVec3::Z };
        let point = [node(Vec3::ZERO, radius, 0)];
        let pixels = branch_pixels(&point, 2.0 * axis, up);
        assert!(is_disc(pixels), "a root seen from {axis} covers {pixels} pixels");

        // Along the view: the disc of the nearer end. At 0.1 m nearer that grows by another 1.11.
        let tip = 0.1 * axis.as_vec3();
        let along = [node(Vec3::ZERO, radius, 0), node(tip, radius, 0)];
        let pixels = branch_pixels(&along, 2.0 * axis, up);
        assert!(is_disc(pixels), "an edge along the view from {axis} covers {pixels} pixels");

        // Across the view, 1 m long: a tube of 50 by 20 pixels with round ends, again standing forward.
        let across = axis.as_vec3().any_orthogonal_vector();
        let lying = [node(Vec3::ZERO, radius, 0), node(across, radius, 0)];
        let pixels = branch_pixels(&lying, 2.0 * axis, up) as f64;
        let wanted = 1000.0 + disc;
        assert!((0.9 * wanted..1.3 * wanted).contains(&pixels), "across {axis}: {pixels} pixels");
    }
}

#[test]
fn branches_end_where_the_count_ends_and_parents_out_of_range_do_no_harm() {
    let far = Vec3::new(0.9, 0.9, 0.0);
    let mut stage = Stage::at_rest(&square(1.0, 0.0));
    stage.params.view.body = false;
    stage.transparent = true;
    stage.set_branches(&[node(Vec3::ZERO, 0.2, 7), node(far, 0.2, u32::MAX)]);
    stage.branches.as_ref().expect("set").1.write(gpu(), 0, &[1]);
    let picture = stage.picture();
    assert_eq!(pixel(&picture, 32, 32)[3], 255);
    assert_eq!(pixel(&picture, 46, 18)[3], 0, "the second node is beyond the count");
    stage.branches.as_ref().expect("set").1.write(gpu(), 0, &[u32::MAX]);
    assert_eq!(pixel(&stage.picture(), 46, 18)[3], 255);
}

#[test]
fn boids_before_the_shell_hide_it_and_boids_behind_shine_through() {
    let boid = |z: f32| Boid { position: [0.0, 0.0, z], velocity: [0.0, 0.3, 0.0], ..Default::default() };
    let shot = |body: bool, boids: &[Boid]| {
        let mut stage = Stage::at_rest(&square(4.0, 0.0));
        stage.params.boids.size = 0.05;
        stage.params.light.bloom = 0.0;
        stage.params.view.body = body;
        stage.set_boids(boids);
        stage.picture()
    };
    let (bare, with_boid) = (shot(false, &[]), shot(false, &[boid(0.6)]));
    let covered: Vec<_> = (0..64 * 64)
        .map(|i| (i % 64, i / 64))
        .filter(|&(x, y)| pixel(&with_boid, x, y) != pixel(&bare, x, y))
        .collect();
    assert!(covered.len() > 20, "the boid covers {} pixels", covered.len());
    let before = shot(true, &[boid(0.6)]);
    for &(x, y) in &covered {
        assert_eq!(pixel(&before, x, y), pixel(&with_boid, x, y), "the shell lies over a boid before it");
    }
    let (body, behind) = (shot(true, &[]), shot(true, &[boid(-0.6)]));
    let seen = differing(&behind, &body, 8);
    assert!(seen > 8, "{seen} pixels show the boid behind");
    let veiled = shot(false, &[boid(-0.6)]);
    assert!(differing(&behind, &veiled, 8) > 64 * 60, "and the shell lies over it");
}

#[test]
fn only_the_front_layer_of_the_shell_is_seen() {
    let front = square(4.0, 0.0);
    // Behind it a second square, drawn after it and then before it.
    for first in [false, true] {
        let behind = square(4.0, -0.5);
        let mut positions = front.vertices.positions.clone();
        positions.extend(&behind.vertices.positions);
        let shifted: Vec<u32> = behind.indices.iter().map(|i| i + 4).collect();
        let indices = if first { [shifted, front.indices.clone()] } else { [front.indices.clone(), shifted] };
        let both = CharacterData::from_triangles("two", positions, indices.concat());
        assert_eq!(Stage::at_rest(&both).picture(), Stage::at_rest(&front).picture());
    }
}

#[test]
fn boids_are_sound_in_every_direction() {
    for velocity in [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [1e-12, 0.0, 0.0], [0.0; 3]] {
        let mut stage = Stage::at_rest(&square(1.0, 0.0));
        stage.params.view.body = false;
        stage.params.boids.size = 0.1;
        stage.transparent = true;
        stage.camera = Camera::new(DVec3::new(0.5, 0.4, 0.6), DVec3::ZERO, 60.0);
        stage.set_boids(&[Boid { velocity, ..Default::default() }]);
        let picture = stage.picture();
        let drawn = picture.rgba.chunks_exact(4).filter(|p| p[3] == 255 && p[2] > 0).count();
        assert!(drawn > 20, "{velocity:?}: {drawn} pixels");
    }
}

#[test]
fn folds_turn_the_light_only_where_skin_is_compressed() {
    let data = square(4.0, 0.0);
    let shot = |compression: f32, from_above: bool| {
        let mut stage = Stage::at_rest(&data);
        stage.params.view.xray = 0.0;
        stage.params.wrinkles.wavelength = 0.1;
        if from_above {
            stage.params.light.ambient = 0.0;
            stage.params.light.key_elevation = 90.0;
        }
        // The wave at each corner: its phase grows upwards by a turn a wavelength, a tenth of 8 m.
        let amplitude = 0.1 / std::f32::consts::PI * (compression * (1.0 - 0.25 * compression)).sqrt();
        stage.set_folds(&data, Vec3::Y, amplitude, |p| {
            let (sin, cos) = (p.y / 0.8 * std::f32::consts::TAU).sin_cos();
            [cos, sin]
        });
        stage.picture()
    };
    let (flat, folded) = (shot(0.0, false), shot(0.3, false));
    let columns: Vec<u8> = (0..64).map(|y| pixel(&folded, 32, y)[0]).collect();
    // 4 m are seen, five wavelengths of 12.8 pixels: brightness crosses its middle ten times.
    let mean = columns.iter().map(|&v| f32::from(v)).sum::<f32>() / 64.0;
    let crossings =
        columns.windows(2).filter(|w| (f32::from(w[0]) < mean) != (f32::from(w[1]) < mean)).count();
    assert!((9..=11).contains(&crossings), "{crossings} crossings: {columns:?}");
    let contrast = columns.iter().max().zip(columns.iter().min()).map_or(0, |(max, min)| max - min);
    for y in [3, 17, 40] {
        // Along a fold nothing changes but highlights, a fraction of what changes across it.
        let spread = pixel(&folded, 20, y)[0].abs_diff(pixel(&folded, 44, y)[0]);
        assert!(spread < contrast / 5, "row {y} varies by {spread}, across folds it is {contrast}");
    }
    // Crests lie at heights 0 and 0.8 m: light from above finds their upper slopes (0.2 m, row 28), never the
    // lower ones (-0.2 m, row 35).
    let above = shot(0.3, true);
    let [upper, lower] = [28, 35].map(|row| pixel(&above, 32, row)[0]);
    assert!(upper > 100 && lower < 8, "upper slope {upper}, lower slope {lower}");
    let spread = (0..63).map(|y| pixel(&flat, 32, y)[0].abs_diff(pixel(&flat, 32, y + 1)[0])).max();
    assert!(spread.unwrap_or(0) < 12, "uncompressed skin is smooth: {spread:?}");
}

/// A small scene with everything in it.
fn whole_scene() -> Stage {
    let mut stage = Stage::at_rest(&torus(48, 24));
    let ring = |i: u32, radius: f32| {
        let (sin, cos) = (i as f32 * 0.13).sin_cos();
        Vec3::new(radius * cos, 0.84 + radius * sin, 0.12 * (i as f32 * 1.7).sin())
    };
    let nodes: Vec<_> = (0..48)
        .map(|i| node(ring(i, 0.6), 0.02 - 0.0003 * i as f32, i.saturating_sub(1)))
        .chain((0..48).map(|i| node(ring(i, 0.74), 0.006, i)))
        .collect();
    let boids: Vec<_> = (0..40)
        .map(|i| {
            let (sin, cos) = (i as f32 * 0.7).sin_cos();
            let reach = 1.0 + 0.02 * i as f32;
            Boid {
                position: [reach * cos, 0.3 + 0.03 * i as f32, reach * sin],
                velocity: [-sin, 0.2, cos].map(|v| v * (0.4 + 0.015 * i as f32)),
                ..Default::default()
            }
        })
        .collect();
    stage.set_branches(&nodes);
    stage.set_boids(&boids);
    stage.params.boids.size = 0.05;
    stage.params.view.grid = true;
    stage.camera = Camera::frame(stage.rest.min, stage.rest.max, 1.0);
    stage.size = [256, 256];
    stage
}

#[test]
fn equal_scenes_give_equal_bytes() {
    let mut stage = whole_scene();
    let first = stage.picture();
    assert_eq!(first, stage.picture());
    assert_eq!(first, whole_scene().picture());
}

#[test]
fn the_whole_scene_looks_as_it_did() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures/scene.png");
    let picture = whole_scene().picture();
    if std::env::var_os("DRYAD_UPDATE_PICTURES").is_some() {
        image::save_buffer(&path, &picture.rgba, 256, 256, image::ColorType::Rgba8).expect("it is written");
    }
    let stored = image::open(&path).expect("the stored picture is there").to_rgba8();
    assert_eq!(stored.dimensions(), (256, 256));
    let stored = Picture { width: 256, height: 256, rgba: stored.into_raw() };
    // Devices round edges and floats differently: 2 % of the pixels may be off by more than 12 of 255, and
    // the mean by 0.5. A missing pass or a wrong light changes far more.
    let off = differing(&picture, &stored, 12);
    let sum: u64 = picture.rgba.iter().zip(&stored.rgba).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let mean = sum as f64 / picture.rgba.len() as f64;
    assert!(off < 256 * 256 / 50 && mean < 0.5, "{off} pixels are off, mean difference {mean:.3}");
}

#[test]
fn every_view_draws_at_any_size_and_sample_count() {
    for mode in 0..3 {
        for (size, samples) in [([1, 1], 1), ([1, 1], 4), ([7, 3], 4), ([130, 2], 1)] {
            let mut stage = whole_scene();
            stage.params.view.mode = mode;
            stage.size = size;
            stage.samples = samples;
            stage.picture();
        }
    }
}

#[test]
fn scale_and_place_do_not_change_the_picture() {
    let shot = |scale: f32| {
        let mut data = torus(48, 24);
        for position in &mut data.vertices.positions {
            *position *= scale;
        }
        let mut stage = Stage::at_rest(&data);
        // At powers of ten the grid's lines fall alike.
        stage.params.view.grid = true;
        stage.camera = Camera::frame(stage.rest.min, stage.rest.max, 1.0);
        stage.size = [128, 128];
        stage.set_branches(&[
            node(Vec3::new(0.6, 0.84, 0.0) * scale, 0.05 * scale, 0),
            node(Vec3::new(0.0, 1.44, 0.0) * scale, 0.02 * scale, 0),
        ]);
        stage.picture()
    };
    let one = shot(1.0);
    for scale in [1e-3, 1e3, 1e6] {
        // Single pixels on edges may fall to the other side when coordinates round differently.
        let off = differing(&shot(scale), &one, 6);
        assert!(off < 128 * 128 / 100, "at scale {scale}, {off} pixels differ");
    }
}
