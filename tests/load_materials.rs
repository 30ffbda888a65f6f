//! Materials, texture coordinates and images.

#[path = "common/fixtures.rs"]
mod fixtures;

use std::time::{Duration, Instant};

use dryad::character::data::{self, AlphaMode, Filter, TextureSampler, Wrap};
use fixtures::*;
use glam::{Vec2, Vec3, Vec4};
use serde_json::json;

/// Rounding of a few 32-bit operations on lengths of about 1.
const ROUNDING: f32 = 1e-6;

#[test]
fn materials_as_written_and_by_default() {
    let mut gltf = cube();
    gltf.push("images", json!({"uri": "data:,none"}));
    gltf.push("textures", json!({"source": 0, "sampler": 0}));
    gltf.json["samplers"] = json!([{"wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9985}]);
    gltf.push(
        "materials",
        json!({
            "name": "glass",
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.5, 0.25, 1.0, 0.125], "metallicFactor": 0.25, "roughnessFactor": 0.75,
                "baseColorTexture": {"index": 0},
            },
            "emissiveFactor": [1.0, 0.5, 0.0],
            "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
            "extensions": {"KHR_materials_unlit": {}, "KHR_materials_emissive_strength": {"emissiveStrength": 4.0}},
        }),
    );
    gltf.push("materials", json!({"alphaMode": "BLEND"}));
    gltf.push(
        "materials",
        json!({"pbrMetallicRoughness": {"metallicFactor": 1e39, "roughnessFactor": -3.0}}),
    );
    gltf.push("materials", json!("not a material"));
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let data = gltf.loaded();
    assert_eq!(data.materials.len(), 5, "four and the default one");
    let glass = &data.materials[0];
    assert_eq!(glass.name, "glass");
    assert_eq!(glass.base_color, Vec4::new(0.5, 0.25, 1.0, 0.125));
    assert_eq!([glass.metallic, glass.roughness], [0.25, 0.75]);
    assert_eq!((glass.emissive, glass.emissive_strength), (Vec3::new(1.0, 0.5, 0.0), 4.0));
    assert_eq!(glass.alpha, AlphaMode::Mask(0.25));
    assert!(glass.double_sided && glass.unlit);
    let slot = glass.base_color_texture.expect("a texture");
    let sampler = TextureSampler {
        wrap: [Wrap::Clamp, Wrap::Mirror],
        magnify: Filter::Nearest,
        minify: Filter::Linear,
        mip: Some(Filter::Nearest),
    };
    assert_eq!((slot.image, slot.sampler), (0, sampler));
    let plain = &data.materials[1];
    assert_eq!(plain.alpha, AlphaMode::Blend);
    assert_eq!([plain.metallic, plain.roughness], [1.0, 1.0]);
    assert!(!plain.double_sided && !plain.unlit && plain.base_color_texture.is_none());
    assert_eq!(
        [data.materials[2].metallic, data.materials[2].roughness],
        [1.0, 0.0],
        "factors stay in range"
    );
    assert!(has_warning(&data, "material 3 is malformed"), "{:?}", data.warnings);
    assert_eq!(data.primitives[0].material, 0);

    gltf.json["meshes"][0]["primitives"][0].as_object_mut().expect("an object").remove("material");
    assert_eq!(gltf.loaded().primitives[0].material, 4, "no material is the default one, which stands last");
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(77);
    let data = gltf.loaded();
    assert_eq!(data.primitives[0].material, 4);
    assert!(has_warning(&data, "material 77"), "{:?}", data.warnings);
}

#[test]
fn more_layer_textures_than_are_drawn_are_told() {
    // The last of five is read both as a colour and as numbers, which makes two.
    for (count, told) in [(5, 0), (8, 1)] {
        let mut gltf = cube();
        for _ in 0..8 {
            gltf.push("images", json!({"uri": "data:,none"}));
        }
        for index in 0..8 {
            gltf.push("textures", json!({"source": index.min(count - 1)}));
        }
        let texture = |index: usize| json!({"index": index});
        gltf.push(
            "materials",
            json!({"extensions": {
                "KHR_materials_clearcoat": {
                    "clearcoatFactor": 1.0, "clearcoatTexture": texture(0),
                    "clearcoatRoughnessTexture": texture(1), "clearcoatNormalTexture": texture(2),
                },
                "KHR_materials_sheen": {
                    "sheenColorFactor": [1, 1, 1], "sheenColorTexture": texture(3), "sheenRoughnessTexture": texture(4),
                },
                "KHR_materials_specular": {"specularTexture": texture(5), "specularColorTexture": texture(6)},
                "KHR_materials_transmission": {"transmissionFactor": 1.0, "transmissionTexture": texture(7)},
            }}),
        );
        gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
        let data = gltf.loaded();
        let warnings = data.warnings.iter().filter(|text| text.contains("different textures in its layers"));
        assert_eq!(warnings.count(), told, "{count} textures: {:?}", data.warnings);
    }
}

#[test]
fn vertex_colours_in_bytes_and_floats() {
    let mut gltf = cube();
    let colors = gltf.accessor(&[[255u8, 51, 0, 9]; 8].concat(), U8, "VEC3", 8);
    // Three bytes and one of padding.
    let view = gltf.json["accessors"][colors]["bufferView"].as_u64().expect("an index") as usize;
    gltf.json["bufferViews"][view]["byteStride"] = json!(4);
    gltf.json["accessors"][colors]["normalized"] = json!(true);
    gltf.attributes(0, 0)["COLOR_0"] = json!(colors);
    assert_eq!(gltf.loaded().vertices.colors[7], Vec4::new(1.0, 0.2, 0.0, 1.0));
    let colors = gltf.floats(&[0.5f32, f32::NAN, 7.0, 0.25].repeat(8), "VEC4");
    gltf.attributes(0, 0)["COLOR_0"] = json!(colors);
    assert_eq!(gltf.loaded().vertices.colors[0], Vec4::new(0.5, 0.0, 1.0, 0.25));
    let short = gltf.floats(&[0.5f32; 12], "VEC4");
    gltf.attributes(0, 0)["COLOR_0"] = json!(short);
    let data = gltf.loaded();
    assert_eq!(data.vertices.colors[0], Vec4::ONE);
    assert!(has_warning(&data, "COLOR_0 of another length"), "{:?}", data.warnings);
}

#[test]
fn texture_coordinates_follow_the_material() {
    let mut gltf = cube();
    let first = gltf.floats(&[0.25f32, 0.5].repeat(8), "VEC2");
    let second = gltf.floats(&[0.5f32, 0.0].repeat(8), "VEC2");
    gltf.attributes(0, 0)["TEXCOORD_0"] = json!(first);
    gltf.attributes(0, 0)["TEXCOORD_1"] = json!(second);
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    gltf.push("textures", json!({"source": 0}));
    gltf.push("images", json!({"uri": "data:,none"}));
    let with = |info: serde_json::Value| {
        let mut gltf = gltf.clone();
        gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": info}}));
        let data = gltf.loaded();
        let slot = data.materials[0].base_color_texture.expect("a texture");
        slot.uv([data.vertices.uvs[0], data.vertices.uvs1[0]])
    };
    assert_eq!(with(json!({"index": 0})), Vec2::new(0.25, 0.5));
    assert_eq!(with(json!({"index": 0, "texCoord": 1})), Vec2::new(0.5, 0.0));
    // A quarter turn by the formula of KHR_texture_transform: (u, v) to (v, -u), after scaling, before moving.
    let transform =
        json!({"offset": [0.0, 1.0], "rotation": std::f64::consts::FRAC_PI_2, "scale": [2.0, 1.0]});
    let moved = with(json!({"index": 0, "extensions": {"KHR_texture_transform": transform}}));
    assert!((moved - Vec2::new(0.5, 0.5)).length() < ROUNDING, "{moved}");
}

/// The checksum of PNG chunks, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & 0u32.wrapping_sub(crc & 1)))
    })
}

#[test]
fn images_of_every_kind_and_broken_ones() {
    use image::{DynamicImage, ImageFormat};
    let with_image = |bytes: &[u8]| {
        let mut gltf = cube();
        let view = gltf.view(bytes, None);
        gltf.push("images", json!({"bufferView": view, "name": "skin\u{7}"}));
        gltf.push("textures", json!({"source": 0}));
        gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
        gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
        gltf.loaded()
    };
    let gray = image::GrayImage::from_pixel(17, 5, image::Luma([128]));
    let gray = DynamicImage::ImageLuma8(gray);
    let kinds = [
        gray.clone(),
        DynamicImage::ImageLumaA8(gray.to_luma_alpha8()),
        DynamicImage::ImageRgb8(gray.to_rgb8()),
        DynamicImage::ImageRgb16(gray.to_rgb16()),
        DynamicImage::ImageRgba16(gray.to_rgba16()),
        DynamicImage::ImageRgba8(gray.to_rgba8()),
    ];
    for (kind, format) in kinds.iter().map(|kind| (kind, ImageFormat::Png)).chain([
        (&kinds[0], ImageFormat::Jpeg),
        (&kinds[2], ImageFormat::Jpeg),
        (&kinds[5], ImageFormat::WebP),
    ]) {
        let mut bytes = Vec::new();
        kind.write_to(&mut std::io::Cursor::new(&mut bytes), format).expect("encoded");
        let data = with_image(&bytes);
        assert!(data.warnings.is_empty(), "{:?}", data.warnings);
        assert_eq!((data.images[0].width, data.images[0].height), (17, 5));
        // JPEG may miss a flat grey by one.
        assert!(data.images[0].rgba.chunks_exact(4).all(|p| p[0].abs_diff(128) <= 1 && p[3] == 255));
    }

    let mut png = Vec::new();
    gray.write_to(&mut std::io::Cursor::new(&mut png), ImageFormat::Png).expect("encoded");
    let mut bomb = png.clone();
    // A sound header of 16000 × 16000 pixels before data for 17 × 5.
    bomb[16..24].copy_from_slice(&[0, 0, 0x3E, 0x80, 0, 0, 0x3E, 0x80]);
    let checksum = crc32(&bomb[12..29]).to_be_bytes();
    bomb[29..33].copy_from_slice(&checksum);
    assert!(with_image(&bomb).warnings[0].contains("justify"), "{:?}", with_image(&bomb).warnings);
    for broken in [&png[..png.len() / 2], b"nothing".as_slice(), &[], &bomb] {
        let start = Instant::now();
        let data = with_image(broken);
        assert!(start.elapsed() < Duration::from_secs(3));
        assert_eq!((data.images[0].width, data.images[0].format), (8, data::ImageFormat::Placeholder));
        assert!(
            data.warnings[0].contains("magenta") && data.warnings[0].contains("image 0"),
            "{:?}",
            data.warnings
        );
        assert!(!data.warnings[0].contains('\u{7}'));
    }
}

#[test]
fn images_that_fail_cost_their_share_all_the_same() {
    // A thousand images over one picture whose data breaks off: without a limit each would be decoded in vain.
    let side = 4096;
    let mut png = Vec::new();
    let pixels = image::GrayImage::new(side, side);
    pixels.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).expect("encoded");
    png.truncate(png.len() - 40);
    let mut gltf = cube();
    let view = gltf.view(&png, None);
    for index in 0..1000 {
        gltf.push("images", json!({"bufferView": view}));
        gltf.push("textures", json!({"source": index}));
        gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": index}}}));
        let primitive = gltf.json["meshes"][0]["primitives"][0].clone();
        let primitives = gltf.json["meshes"][0]["primitives"].as_array_mut().expect("a list");
        primitives.push(primitive);
        primitives[index]["material"] = json!(index);
    }
    let start = Instant::now();
    let data = gltf.loaded();
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(has_warning(&data, "already take all the memory"), "{:?}", data.warnings.last());
}
