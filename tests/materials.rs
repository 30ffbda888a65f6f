//! Materials as drawn: each texture reaches its own property, by its own set, transform and strength.

mod common;
mod stage;

use dryad::character::CharacterData;
use dryad::character::data::{ColorSpace, Image, Material, TextureSlot};
use glam::{Affine2, Vec2, Vec3, Vec4};
use stage::{Stage, encoded, pixel, square};

/// A square that faces the eye, dark but for what a test lights, with one image.
fn plate(image: Image) -> CharacterData {
    let mut data = square(4.0, 0.0);
    data.images.push(image);
    data.vertices.tangents.fill(Vec4::new(1.0, 0.0, 0.0, 1.0));
    let material = &mut data.materials[0];
    material.metallic = 0.0;
    material.specular.factor = 0.0;
    data
}

fn one_texel(rgb: [u8; 3], color_space: ColorSpace) -> Image {
    Image::new(1, 1, vec![rgb[0], rgb[1], rgb[2], 255], color_space)
}

/// The middle of the picture, with the key light alone from a side or the light around alone.
fn middle(data: &CharacterData, key: Option<f32>) -> [u8; 4] {
    let mut stage = Stage::at_rest(data);
    stage.params.light.tone_map = 3;
    stage.params.view.xray = 0.0;
    stage.params.light.key_elevation = 0.0;
    match key {
        Some(azimuth) => {
            stage.params.light.key_azimuth = azimuth;
            stage.params.light.ambient = 0.0;
        }
        None => stage.params.light.key = 0.0,
    }
    pixel(&stage.picture(), 32, 32)
}

#[test]
fn a_normal_map_turns_the_light_along_the_tangent() {
    // Tilted by 45 degrees towards +u.
    let tilted = one_texel([218, 128, 218], ColorSpace::Linear);
    let mut data = plate(tilted);
    // Without the map, light from the side only grazes.
    assert!(middle(&data, Some(90.0))[0] < 8, "a flat plate in grazing light");
    data.materials[0].normal_texture = Some(TextureSlot::new(0));
    let (right, left) = (middle(&data, Some(90.0))[0], middle(&data, Some(-90.0))[0]);
    assert!(right > 120 && left < 8, "right {right}, left {left}");
    // At strength 0 the map is flat.
    data.materials[0].normal_texture = Some(TextureSlot { strength: 0.0, ..TextureSlot::new(0) });
    assert!(middle(&data, Some(90.0))[0] < 8, "strength 0");
    // A mirrored tangent turns it round; the bitangent's sense does not matter along u.
    data.materials[0].normal_texture = Some(TextureSlot::new(0));
    data.vertices.tangents.fill(Vec4::new(-1.0, 0.0, 0.0, -1.0));
    let (right, left) = (middle(&data, Some(90.0))[0], middle(&data, Some(-90.0))[0]);
    assert!(left > 120 && right < 8, "mirrored: right {right}, left {left}");
    // Without tangents it is left out.
    data.vertices.tangents.fill(Vec4::ZERO);
    assert!(middle(&data, Some(90.0))[0] < 8, "without tangents");
}

#[test]
fn a_normal_maps_green_points_up_the_bitangent() {
    let mut data = plate(one_texel([128, 218, 218], ColorSpace::Linear));
    data.materials[0].normal_texture = Some(TextureSlot::new(0));
    let lit = |data: &CharacterData, elevation: f32| {
        let mut stage = Stage::at_rest(data);
        stage.params.light.tone_map = 3;
        stage.params.view.xray = 0.0;
        stage.params.light.ambient = 0.0;
        stage.params.light.key_elevation = elevation;
        pixel(&stage.picture(), 32, 32)[0]
    };
    // The normal is +Z, the tangent +X: their cross product is +Y.
    assert!(lit(&data, 90.0) > 120 && lit(&data, -90.0) < 8);
    data.vertices.tangents.fill(Vec4::new(1.0, 0.0, 0.0, -1.0));
    assert!(lit(&data, 90.0) < 8 && lit(&data, -90.0) > 120, "turned by the fourth number");
}

#[test]
fn every_slot_reads_its_own_set_by_its_own_transform() {
    let halves = Image::new(2, 1, vec![255, 0, 0, 255, 0, 255, 0, 255], ColorSpace::Srgb);
    let mut data = plate(halves);
    data.materials[0].unlit = true;
    data.vertices.uvs.fill(Vec2::new(0.25, 0.5));
    data.vertices.uvs1.fill(Vec2::new(0.75, 0.5));
    let mut slot = TextureSlot::new(0);
    let mut shown = |slot| {
        data.materials[0].base_color_texture = Some(slot);
        let [r, g, ..] = middle(&data, None);
        [r > 200, g > 200]
    };
    assert_eq!(shown(slot), [true, false], "set 0 lies in the red half");
    slot.uv_set = 1;
    assert_eq!(shown(slot), [false, true], "set 1 lies in the green half");
    slot.uv_transform = Affine2::from_translation(Vec2::new(0.5, 0.0));
    assert_eq!(shown(slot), [true, false], "half a turn on, the texture tiles");
    slot.uv_set = 0;
    slot.uv_transform = Affine2::from_scale(Vec2::new(3.0, 1.0));
    assert_eq!(shown(slot), [false, true], "three times a quarter is in the green half");
}

#[test]
fn occlusion_closes_the_light_around_and_leaves_the_key() {
    let mut data = plate(one_texel([0, 255, 255], ColorSpace::Linear));
    let open = middle(&data, None)[0];
    let key = middle(&data, Some(0.0));
    data.materials[0].occlusion_texture = Some(TextureSlot::new(0));
    assert_eq!(middle(&data, None)[0], 0, "nothing around arrives");
    assert_eq!(middle(&data, Some(0.0)), key, "the key light does not care");
    data.materials[0].occlusion_texture = Some(TextureSlot { strength: 0.5, ..TextureSlot::new(0) });
    let half = middle(&data, None)[0];
    // Half of the light: 255 codes of sRGB, one step for rounding.
    let wanted = encoded(stage::linear(open) * 0.5);
    assert!(half.abs_diff(wanted) <= 1, "{open} halves to {half}, not {wanted}");
}

#[test]
fn what_glows_adds_its_colour_times_its_strength() {
    let mut data = plate(one_texel([255, 0, 255], ColorSpace::Srgb));
    data.materials[0].emissive = Vec3::new(0.125, 0.5, 0.25);
    data.materials[0].emissive_strength = 2.0;
    data.materials[0].emissive_texture = Some(TextureSlot::new(0));
    // From behind the key does not arrive; nothing but the glow is seen.
    let [r, g, b, _] = middle(&data, Some(180.0));
    let wanted = [0.25, 0.0, 0.5].map(encoded);
    assert!([r, g, b].iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 1), "{:?}", [r, g, b]);
}

#[test]
fn metalness_comes_from_blue_and_roughness_from_green() {
    let mut data = plate(one_texel([255, 255, 0], ColorSpace::Linear));
    data.materials[0].base_color = Vec4::new(1.0, 0.0, 0.0, 1.0);
    let dielectric = middle(&data, Some(0.0));
    data.materials[0].metallic = 1.0;
    let metal = middle(&data, Some(0.0));
    assert_ne!(dielectric, metal);
    data.materials[0].metallic_roughness_texture = Some(TextureSlot::new(0));
    assert_eq!(middle(&data, Some(0.0)), dielectric, "no blue, no metal");
    // Lit from aside, rough metal shines where smooth metal mirrors past the eye.
    data.images[0] = one_texel([0, 255, 255], ColorSpace::Linear);
    let rough = middle(&data, Some(60.0))[0];
    data.images[0] = one_texel([0, 0, 255], ColorSpace::Linear);
    let smooth = middle(&data, Some(60.0))[0];
    assert!(rough > smooth + 40, "rough {rough}, smooth {smooth}");
}

/// Every texture of a layer counts as its factor does: a texel scales it, by its own channel alone.
#[test]
fn textures_of_layers_scale_their_factors_by_their_own_channels() {
    type Change = fn(&mut Material, f32, Option<TextureSlot>);
    // What is changed, the channel that counts, whether its texels are sRGB colours, and the rest of the material.
    let cases: [(&str, &[usize], ColorSpace, Change, Change); 7] = [
        (
            "clearcoat",
            &[0],
            ColorSpace::Linear,
            |_, _, _| (),
            |m, factor, slot| {
                (m.clearcoat.factor, m.clearcoat.roughness, m.clearcoat.texture) = (factor, 0.3, slot);
            },
        ),
        (
            "clearcoat roughness",
            &[1],
            ColorSpace::Linear,
            |m, _, _| m.clearcoat.factor = 1.0,
            |m, factor, slot| {
                (m.clearcoat.roughness, m.clearcoat.roughness_texture) = (factor, slot);
            },
        ),
        (
            "sheen colour",
            &[0, 1, 2],
            ColorSpace::Srgb,
            |m, _, _| (m.sheen.roughness, m.base_color) = (0.6, Vec4::W),
            |m, factor, slot| {
                (m.sheen.color, m.sheen.color_texture) = (Vec3::splat(factor), slot);
            },
        ),
        (
            "sheen roughness",
            &[3],
            ColorSpace::Linear,
            |m, _, _| (m.sheen.color, m.base_color) = (Vec3::ONE, Vec4::W),
            |m, factor, slot| {
                (m.sheen.roughness, m.sheen.roughness_texture) = (factor, slot);
            },
        ),
        (
            "specular",
            &[3],
            ColorSpace::Linear,
            |m, _, _| m.roughness = 0.3,
            |m, factor, slot| {
                (m.specular.factor, m.specular.texture) = (factor, slot);
            },
        ),
        (
            "specular colour",
            &[0, 1, 2],
            ColorSpace::Srgb,
            |m, _, _| (m.specular.factor, m.roughness) = (1.0, 0.3),
            |m, factor, slot| {
                (m.specular.color, m.specular.color_texture) = (Vec3::splat(factor), slot);
            },
        ),
        (
            "transmission",
            &[0],
            ColorSpace::Linear,
            |m, _, _| m.base_color = Vec4::ONE,
            |m, factor, slot| {
                (m.transmission.factor, m.transmission.texture) = (factor, slot);
            },
        ),
    ];
    for (what, channels, color_space, prepare, change) in cases {
        let texel = |value: u8, others: u8| {
            let rgba = (0..4).map(|c| if channels.contains(&c) { value } else { others }).collect();
            Image::new(1, 1, rgba, color_space)
        };
        let shown = |image: Image, factor: f32, slot: Option<TextureSlot>| {
            let mut data = plate(image);
            data.materials[0].base_color = Vec4::new(0.2, 0.2, 0.2, 1.0);
            prepare(&mut data.materials[0], 0.0, None);
            change(&mut data.materials[0], factor, slot);
            middle(&data, Some(20.0))[0]
        };
        let (value, scaled) = match color_space {
            ColorSpace::Linear => (102, 0.4),
            ColorSpace::Srgb => (102, stage::linear(102)),
        };
        let by_factor = shown(texel(255, 255), scaled, None);
        let full = shown(texel(255, 255), 1.0, None);
        assert!(
            by_factor.abs_diff(full) > 3,
            "{what}: the factor changes the picture, {by_factor} and {full}"
        );
        let by_texel = shown(texel(value, 0), 1.0, Some(TextureSlot::new(0)));
        // A texel of an sRGB format is linear within a step of its own.
        assert!(by_texel.abs_diff(by_factor) <= 1, "{what}: {by_texel} by texel, {by_factor} by factor");
    }
}

#[test]
fn the_clear_layer_has_a_normal_map_of_its_own() {
    // The key light stands at 60 degrees to the side: a coat tilted by 30 degrees mirrors it into the eye.
    let half = |x: f32| (x * 127.5 + 127.5).round() as u8;
    let tilted = one_texel([half(0.5), 128, half(0.866)], ColorSpace::Linear);
    let mut data = plate(tilted);
    data.materials[0].base_color = Vec4::new(0.0, 0.0, 0.0, 1.0);
    data.materials[0].clearcoat.factor = 1.0;
    data.materials[0].clearcoat.roughness = 0.2;
    assert!(middle(&data, Some(60.0))[0] < 20, "a flat coat mirrors it away");
    data.materials[0].clearcoat.normal_texture = Some(TextureSlot::new(0));
    assert!(middle(&data, Some(60.0))[0] > 200 && middle(&data, Some(-60.0))[0] < 20);
    // What lies below keeps its own normal: without the coat nothing is lit from there.
    data.materials[0].clearcoat.factor = 0.0;
    assert!(middle(&data, Some(60.0))[0] < 8);
}
