//! Files that say in their pictures what is right, written by others: looked at once by eye, and pinned where a
//! fault would show.

mod common;
mod stage;

use dryad::character::CharacterData;
use dryad::character::load::{Progress, load};
use dryad::gpu::capture::Picture;
use dryad::render::Camera;
use glam::{DVec3, Vec3};
use stage::{Stage, differing, encoded, pixel};

const SIDE: u32 = 256;

fn model(path: &str) -> Option<CharacterData> {
    let models = common::shared("models")?;
    Some(load(&models.join(path), &Progress::new()).unwrap_or_else(|error| panic!("{error}")))
}

/// A picture from +z without perspective, `half_m` metres to each side of the origin; colours are not mapped.
fn front(data: &CharacterData, half_m: f64) -> Picture {
    let mut stage = Stage::at_rest(data);
    stage.size = [SIDE; 2];
    // At a right angle, the plane through the target reaches as far as it is away.
    stage.camera =
        Camera::new(DVec3::new(0.0, 0.0, half_m), DVec3::ZERO, 90.0).without_perspective(10.0 * half_m);
    stage.params.view.xray = 0.0;
    stage.params.light.tone_map = 3;
    stage.params.light.bloom = 0.0;
    stage.picture()
}

/// The colour at a place in metres in a picture by [`front`].
fn at(picture: &Picture, half_m: f64, x: f64, y: f64) -> [u8; 3] {
    let place = |v: f64| ((0.5 + 0.5 * v / half_m) * f64::from(SIDE)) as u32;
    let [r, g, b, _] = pixel(picture, place(x), place(-y));
    [r, g, b]
}

/// Shows textures and factors as they are.
fn unlit(mut data: CharacterData) -> CharacterData {
    data.materials.iter_mut().for_each(|material| material.unlit = true);
    data
}

#[test]
fn unlit_colours_are_the_files_own() {
    let Some(data) = model("extensions/UnlitTest/UnlitTest.gltf") else { return };
    let picture = front(&data, 2.5);
    let middle = encoded(0.217_637_64);
    for (x, wanted) in [(-1.2, [255, middle, 0]), (1.2, [0, middle, 255])] {
        for y in [-0.6, 0.0, 0.6] {
            let shown = at(&picture, 2.5, x, y);
            // Half floats, the fit of sRGB, dither.
            assert!(shown.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 1), "{x}, {y}: {shown:?}");
        }
    }
}

#[test]
fn vertex_colours_scale_the_factor_in_linear_light() {
    let Some(data) = model("conformance/BoxVertexColors.glb") else { return };
    let data = unlit(data);
    let picture = front(&data, 0.6);
    // The front face's corners, a hundredth of its edge inwards.
    let mut seen = 0;
    for (index, position) in data.vertices.positions.iter().enumerate() {
        if data.vertices.normals[index].z < 0.9 {
            continue;
        }
        let inwards = Vec3::new(position.x, position.y, 0.0) * 0.98;
        let shown = at(&picture, 0.6, f64::from(inwards.x), f64::from(inwards.y));
        let wanted =
            data.vertices.colors[index] * data.materials[data.primitives[0].material as usize].base_color;
        for part in 0..3 {
            let off = stage::linear(shown[part]) - wanted[part];
            // Two hundredths of the way to the corners beside.
            assert!(off.abs() < 0.04, "corner {position}: {shown:?}, not {wanted}");
        }
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn texture_transforms_end_where_the_file_says_correct() {
    for path in ["TextureTransformTest", "TextureTransformTestWithRequired"] {
        let Some(data) = model(&format!("extensions/{path}/{path}.gltf")) else { return };
        let half_m = 1.7;
        let picture = front(&unlit(data), half_m);
        // Offsets choose the cell of the texture that praises them: green for u, blue for v, cyan for both.
        let strong = |x: f64| at(&picture, half_m, x - 0.4, 0.95).map(|part| part > 100);
        assert_eq!(
            [strong(-1.1), strong(0.0), strong(1.1)],
            [[false, true, false], [false, false, true], [false, true, true],]
        );
        // Under rotation, scale and both, the arrow's dark tip lies beside the green mark, and there is light
        // at the side of it that no arrow crosses.
        let marks = [
            ("rotation", (-1.179, -1.066), (-0.065, 0.17)),
            ("scale", (0.0185, -0.5685), (-0.11, 0.12)),
            ("both", (1.03, -0.8), (-0.04, 0.13)),
        ];
        for (what, (x, y), (dx, dy)) in marks {
            let tip = at(&picture, half_m, x + dx, y + dy);
            assert!(tip.iter().all(|&part| part < 90), "{path}, {what}: no arrow at the mark: {tip:?}");
            let beside = at(&picture, half_m, x - dx + 0.03, y + dy);
            assert!(beside.iter().all(|&part| part > 150), "{path}, {what}: {beside:?}");
        }
    }
}

#[test]
fn both_sets_of_coordinates_are_read() {
    let Some(data) = model("conformance/MultiUVTest/MultiUVTest.gltf") else { return };
    let picture = front(&data, 1.1);
    // The letters glow green where the second set is read; with the first, white words stand there.
    let logo = (0..SIDE * SIDE)
        .filter(|i| {
            let [r, g, b, _] = pixel(&picture, i % SIDE, i / SIDE);
            g > 200 && b < 150 && r < 240
        })
        .count();
    assert!(logo > 4000, "{logo} pixels of the logo");
}

#[test]
fn tangents_that_are_made_shade_like_those_that_are_given() {
    let (Some(given), Some(made)) = (
        model("conformance/sphere_tangents/sphere.gltf"),
        model("conformance/sphere_no_tangents/sphere_no_tangents.gltf"),
    ) else {
        return;
    };
    let half_m = f64::from(Stage::at_rest(&given).rest.extent) * 0.6;
    let [given, made] = [given, made].map(|data| front(&data, half_m));
    let off = differing(&given, &made, 12);
    // The exporter's tangents differ from MikkTSpace's at the poles.
    assert!(off < (SIDE * SIDE / 50) as usize, "{off} pixels differ");
}

#[test]
fn clear_coats_lie_where_their_textures_put_them() {
    let Some(data) = model("extensions/ClearCoatTest/ClearCoatTest.gltf") else { return };
    // Without the layer's textures the picture is another one, and without the layers a third.
    let mut plain = data.clone();
    for material in &mut plain.materials {
        material.clearcoat.texture = None;
        material.clearcoat.roughness_texture = None;
        material.clearcoat.normal_texture = None;
    }
    let mut bare = data.clone();
    bare.materials.iter_mut().for_each(|material| material.clearcoat.factor = 0.0);
    let half_m = f64::from(Stage::at_rest(&data).rest.extent) * 0.5;
    let [all, plain, bare] = [&data, &plain, &bare].map(|data| front(data, half_m));
    assert!(differing(&all, &plain, 8) > 300, "textures: {} pixels", differing(&all, &plain, 8));
    assert!(differing(&all, &bare, 8) > 1500, "layers: {} pixels", differing(&all, &bare, 8));
}
