//! Images in every encoding, and how the slots of a material share them (G21).

#[path = "common/fixtures.rs"]
mod fixtures;

use std::sync::Arc;
use std::time::{Duration, Instant};

use dryad::character::data::{CharacterData, ColorSpace, ImageFormat};
use fixtures::*;
use glam::{Vec2, Vec3};
use serde_json::{Value, json};

fn pixel(data: &CharacterData, index: usize) -> [u8; 4] {
    data.images[0].rgba[index * 4..][..4].try_into().expect("four bytes")
}

/// A PNG of one row in any colour type and depth.
fn png(
    width: u32,
    color: png::ColorType,
    depth: png::BitDepth,
    palette: Option<(&[u8], &[u8])>,
    row: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, 1);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if let Some((colors, alpha)) = palette {
        encoder.set_palette(colors);
        encoder.set_trns(alpha);
    }
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(row).expect("a row");
    writer.finish().expect("an end");
    bytes
}

#[test]
fn g21_png_of_every_colour_type_and_depth() {
    use png::BitDepth::{Eight, Four, One, Sixteen, Two};
    use png::ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
    let gray = |value: u8| [value, value, value, 255];
    let colors: &[u8] = &[10, 20, 30, 200, 100, 50];
    let palette = Some((colors, &[255u8, 128] as &[u8]));
    let cases: [(png::ColorType, png::BitDepth, &[u8], [u8; 4]); 15] = [
        (Grayscale, One, &[0b0100_0000], gray(255)),
        (Grayscale, Two, &[0b0010_0000], gray(170)),
        (Grayscale, Four, &[0x0A], gray(170)),
        (Grayscale, Eight, &[0, 77], gray(77)),
        (Grayscale, Sixteen, &[0, 0, 0x4D, 0x4D], gray(77)),
        (GrayscaleAlpha, Eight, &[0, 0, 77, 99], [77, 77, 77, 99]),
        (GrayscaleAlpha, Sixteen, &[0, 0, 0, 0, 0x4D, 0x4D, 0x63, 0x63], [77, 77, 77, 99]),
        (Rgb, Eight, &[0, 0, 0, 1, 2, 3], [1, 2, 3, 255]),
        (Rgb, Sixteen, &[0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3], [1, 2, 3, 255]),
        (Rgba, Eight, &[0, 0, 0, 0, 1, 2, 3, 4], [1, 2, 3, 4]),
        (Rgba, Sixteen, &[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4], [1, 2, 3, 4]),
        (Indexed, One, &[0b0100_0000], [200, 100, 50, 128]),
        (Indexed, Two, &[0b0001_0000], [200, 100, 50, 128]),
        (Indexed, Four, &[0x01], [200, 100, 50, 128]),
        (Indexed, Eight, &[0, 1], [200, 100, 50, 128]),
    ];
    for (color, depth, row, expected) in cases {
        let palette = palette.filter(|_| color == Indexed);
        let data = textured(&png(2, color, depth, palette, row)).loaded();
        let what = format!("{color:?} of {depth:?}");
        assert!(data.warnings.is_empty(), "{what}: {:?}", data.warnings);
        assert_eq!((data.images[0].width, data.images[0].height), (2, 1), "{what}");
        assert_eq!(pixel(&data, 1), expected, "{what}");
        assert_eq!((data.images[0].format, data.images[0].color_space), (ImageFormat::Png, ColorSpace::Srgb));
    }
}

/// A baseline JPEG of 8 × 8 pixels of one value in each of `components` channels (1: grey, 3: YCbCr, 4: CMYK as
/// Adobe stores it, inverted).
fn flat_jpeg(components: &[u8]) -> Vec<u8> {
    let segment = |marker: u8, body: &[u8]| {
        let mut bytes = vec![0xFF, marker];
        bytes.extend((body.len() as u16 + 2).to_be_bytes());
        bytes.extend(body);
        bytes
    };
    let mut jpeg = vec![0xFF, 0xD8];
    if components.len() == 4 {
        jpeg.extend(segment(0xEE, b"Adobe\0\x64\0\0\0\0\0"));
    }
    // Every step of quantisation is 1: a value v has the DC coefficient 8 (v - 128).
    jpeg.extend(segment(0xDB, &[&[0u8][..], &[1; 64]].concat()));
    let mut frame = vec![8, 0, 8, 0, 8, components.len() as u8];
    for id in 1..=components.len() as u8 {
        frame.extend([id, 0x11, 0]);
    }
    jpeg.extend(segment(0xC0, &frame));
    // DC: categories 0 to 11 in codes of four bits; AC: the end of the block in one bit.
    let mut dc = vec![0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    dc.extend(0..12);
    jpeg.extend(segment(0xC4, &dc));
    let mut ac = vec![0x10, 1];
    ac.extend([0; 15]);
    ac.push(0);
    jpeg.extend(segment(0xC4, &ac));
    let mut scan = vec![components.len() as u8];
    for id in 1..=components.len() as u8 {
        scan.extend([id, 0x00]);
    }
    scan.extend([0, 63, 0]);
    jpeg.extend(segment(0xDA, &scan));
    let mut bits = String::new();
    for value in components {
        let coefficient = 8 * (i32::from(*value) - 128);
        let category = (32 - coefficient.unsigned_abs().leading_zeros()) as usize;
        bits += &format!("{category:04b}");
        if category > 0 {
            let stored = if coefficient < 0 { coefficient + (1 << category) - 1 } else { coefficient };
            bits += &format!("{stored:0category$b}");
        }
        bits.push('0');
    }
    while !bits.len().is_multiple_of(8) {
        bits.push('1');
    }
    for chunk in bits.as_bytes().chunks(8) {
        let byte = chunk.iter().fold(0u8, |byte, bit| byte << 1 | (bit - b'0'));
        jpeg.push(byte);
        if byte == 0xFF {
            jpeg.push(0);
        }
    }
    jpeg.extend([0xFF, 0xD9]);
    jpeg
}

#[test]
fn g21_jpeg_in_grey_ycbcr_and_cmyk() {
    // CMYK (0.2, 0.4, 0.6, 0.2), inverted: red is 255 · 0.8 · 0.8.
    let cmyk = [204u8, 153, 102, 204];
    for (what, components, expected) in [
        ("grey", &[90u8][..], [90, 90, 90]),
        ("YCbCr", &[100, 128, 128], [100, 100, 100]),
        ("CMYK", &cmyk, [163, 122, 82]),
    ] {
        let data = textured(&flat_jpeg(components)).loaded();
        assert!(data.warnings.is_empty(), "{what}: {:?}", data.warnings);
        assert_eq!(data.images[0].format, ImageFormat::Jpeg);
        for index in [0, 27, 63] {
            let [r, g, b, a] = pixel(&data, index);
            // Decoders may round each of two products.
            let error = [r, g, b].iter().zip(expected).map(|(a, b): (&u8, u8)| a.abs_diff(b)).max();
            assert!(error <= Some(2) && a == 255, "{what}: {:?}", [r, g, b, a]);
        }
    }
}

#[test]
fn g21_a_jpeg_that_is_not_supported_is_a_placeholder_with_a_warning() {
    let flat = flat_jpeg(&[90]);
    // SOF0 (baseline) becomes SOF9 (arithmetic coding), which no common decoder reads; then one cut in half.
    let start = flat.windows(2).position(|w| w == [0xff, 0xc0]).expect("a frame header");
    let mut arithmetic = flat.clone();
    arithmetic[start + 1] = 0xc9;
    for (what, bytes) in [("arithmetic coding", arithmetic), ("cut", flat[..flat.len() / 2].to_vec())] {
        let data = textured(&bytes).loaded();
        assert_eq!(data.images.len(), 1, "{what}");
        assert_eq!(data.warnings.len(), 1, "{what}: {:?}", data.warnings);
    }
}

#[test]
fn g19_a_texture_whose_only_source_is_webp_is_read() {
    let mut bytes = Vec::new();
    image::codecs::webp::WebPEncoder::new_lossless(&mut bytes)
        .encode(&[200, 100, 50].repeat(12), 4, 3, image::ExtendedColorType::Rgb8)
        .expect("it is written");
    let mut gltf = textured(&bytes);
    gltf.json["textures"][0] = json!({"extensions": {"EXT_texture_webp": {"source": 0}}});
    gltf.json["extensionsRequired"] = json!(["EXT_texture_webp"]);
    let data = gltf.loaded();
    assert!(data.warnings.is_empty(), "{:?}", data.warnings);
    assert_eq!((data.images[0].width, data.images[0].height), (4, 3));
    assert_eq!(pixel(&data, 11), [200, 100, 50, 255]);
}

#[test]
fn basis_textures_decode_and_bad_ones_are_placeholders() {
    let with = |bytes: &[u8]| {
        let mut gltf = textured(bytes);
        gltf.json["textures"][0] = json!({"extensions": {"KHR_texture_basisu": {"source": 0}}});
        gltf.json["extensionsRequired"] = json!(["KHR_texture_basisu"]);
        gltf.loaded()
    };
    let sound = ktx2(3, 4, [200, 100, 50, 255]);
    let data = with(&sound);
    assert!(data.warnings.is_empty(), "{:?}", data.warnings);
    assert_eq!(
        (data.images[0].width, data.images[0].height, data.images[0].format),
        (3, 4, ImageFormat::Ktx2)
    );
    assert_eq!(pixel(&data, 11), [200, 100, 50, 255]);

    let patched = |at: usize, value: u32| {
        let mut bytes = sound.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    for (what, bytes) in [
        ("cut off", sound[..sound.len() - 1].to_vec()),
        ("no more than a magic number", sound[..20].to_vec()),
        ("a huge width", patched(20, u32::MAX)),
        ("a wide claim", patched(20, 30_000)),
        ("no height", patched(24, 0)),
        ("layers", patched(32, 1000)),
        ("faces", patched(36, 6)),
        ("levels", patched(40, 31)),
        ("a compression that it is not in", patched(44, 2)),
        ("a format of its own", patched(12, 37)),
        ("a claim of length", patched(96, u32::MAX)),
        ("a .basis header", b"sB\x13\0\x4d\0rest".to_vec()),
    ] {
        let start = Instant::now();
        let data = with(&bytes);
        assert_eq!(data.images[0].format, ImageFormat::Placeholder, "{what}");
        assert!(has_warning(&data, "image 0"), "{what}: {:?}", data.warnings);
        assert!(start.elapsed() < Duration::from_secs(1), "{what}");
    }
}

#[test]
fn the_better_format_goes_before_the_plain_one() {
    let mut gltf = textured(&ktx2(4, 4, [1, 2, 3, 255]));
    gltf.push("images", json!({"uri": "data:,none"}));
    gltf.json["textures"][0] = json!({"source": 1, "extensions": {"KHR_texture_basisu": {"source": 0}}});
    let data = gltf.loaded();
    assert_eq!((data.images.len(), pixel(&data, 0)), (1, [1, 2, 3, 255]));
}

#[test]
fn slots_share_pixels_and_know_their_colour_space() {
    let row = [0, 0, 0, 9, 8, 7];
    let mut gltf = textured(&png(2, png::ColorType::Rgb, png::BitDepth::Eight, None, &row));
    gltf.json["materials"][0] = json!({
        "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicRoughnessTexture": {"index": 0}},
        "normalTexture": {"index": 0, "scale": -0.5}, "emissiveFactor": [0.5, 0.0, 0.0],
        "occlusionTexture": {"index": 0, "strength": 0.25, "texCoord": 1},
        "emissiveTexture": {"index": 0, "extensions": {"KHR_texture_transform": {
            "offset": [0.5, 0.0], "scale": [2.0, 4.0], "texCoord": 1}}},
        "extensions": {
            "KHR_materials_specular": {"specularTexture": {"index": 0}, "specularColorTexture": {"index": 0}},
            "KHR_materials_sheen": {"sheenColorFactor": [0.0, 0.0, 0.1], "sheenRoughnessTexture": {"index": 0}, "sheenColorTexture": {"index": 0}},
            "KHR_materials_clearcoat": {"clearcoatFactor": 0.1, "clearcoatTexture": {"index": 0},
                "clearcoatRoughnessTexture": {"index": 0}, "clearcoatNormalTexture": {"index": 0, "scale": 2.0}},
            "KHR_materials_transmission": {"transmissionFactor": 0.1, "transmissionTexture": {"index": 0}},
        },
    });
    let data = gltf.loaded();
    let material = &data.materials[0];
    assert_eq!(material.textures().count(), 13, "every slot");
    assert_eq!(data.images.len(), 2, "one image for colour, one for numbers");
    assert!(Arc::ptr_eq(&data.images[0].rgba, &data.images[1].rgba), "decoded once");
    let spaces = |what: &str| {
        let (_, slot) = material.textures().find(|(name, _)| *name == what).expect(what);
        data.images[slot.image as usize].color_space
    };
    for colour in ["base colour", "emissive", "specular colour", "sheen colour"] {
        assert_eq!(spaces(colour), ColorSpace::Srgb, "{colour}");
    }
    for numbers in ["metallic-roughness", "normal", "occlusion", "specular", "clearcoat", "transmission"] {
        assert_eq!(spaces(numbers), ColorSpace::Linear, "{numbers}");
    }
    assert_eq!(material.normal_texture.expect("a slot").strength, -0.5);
    let occlusion = material.occlusion_texture.expect("a slot");
    assert_eq!((occlusion.strength, occlusion.uv_set), (0.25, 1));
    assert_eq!(material.clearcoat.normal_texture.expect("a slot").strength, 2.0);
    let emissive = material.emissive_texture.expect("a slot");
    assert_eq!(emissive.uv_set, 1, "the extension's set goes before the slot's");
    assert_eq!(emissive.uv([Vec2::ZERO, Vec2::new(0.25, 0.5)]), Vec2::new(1.0, 2.0));
    assert_eq!(emissive.strength, 1.0);

    // Nothing shines under a factor of zero, and no light meets an unlit surface.
    let material = &mut gltf.json["materials"][0];
    material["emissiveFactor"] = json!([0.0, 0.0, 0.0]);
    for (extension, factor) in [
        ("KHR_materials_sheen", "sheenColorFactor"),
        ("KHR_materials_clearcoat", "clearcoatFactor"),
        ("KHR_materials_transmission", "transmissionFactor"),
    ] {
        material["extensions"][extension].as_object_mut().expect("an object").remove(factor);
    }
    assert_eq!(gltf.loaded().materials[0].textures().count(), 6);
    gltf.json["materials"][0]["extensions"]["KHR_materials_unlit"] = json!({});
    let data = gltf.loaded();
    assert_eq!((data.materials[0].textures().count(), data.images.len()), (1, 1));
}

#[test]
fn images_that_nothing_draws_are_not_decoded() {
    let mut gltf = textured(b"no picture at all");
    gltf.push("materials", json!({}));
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(1);
    let data = gltf.loaded();
    assert!(data.images.is_empty() && data.warnings.is_empty(), "{:?}", data.warnings);
    assert!(data.materials[0].base_color_texture.is_none());
    // A variant draws it.
    gltf.json["extensions"] = json!({"KHR_materials_variants": {"variants": [{"name": "worn"}]}});
    gltf.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_materials_variants": {"mappings": [{"material": 0, "variants": [0]}]}});
    assert_eq!(gltf.loaded().images[0].format, ImageFormat::Placeholder);
}

#[test]
fn images_beyond_the_limit_are_scaled_down() {
    let wide = image::RgbImage::from_pixel(10_000, 20, image::Rgb([10, 200, 30]));
    let mut bytes = Vec::new();
    wide.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).expect("encoded");
    let data = textured(&bytes).loaded();
    let image = &data.images[0];
    assert_eq!((image.width, image.height, image.stored_size), (8192, 16, [10_000, 20]));
    assert_eq!(image.rgba.len(), 8192 * 16 * 4);
    assert_eq!(pixel(&data, 77), [10, 200, 30, 255]);
    assert!(has_warning(&data, "scaled down to 8192 × 16"), "{:?}", data.warnings);
}

#[test]
fn extensions_of_materials_as_written_and_clamped() {
    let with = |extensions: Value| {
        let mut gltf = cube();
        gltf.push("materials", json!({"extensions": extensions}));
        let data = gltf.loaded();
        assert!(data.warnings.iter().all(|warning| warning.contains("approximated")), "{:?}", data.warnings);
        data.materials[0].clone()
    };
    let plain = with(json!({}));
    assert_eq!((plain.ior, plain.specular.factor, plain.specular.color), (1.5, 1.0, Vec3::ONE));
    assert_eq!(
        (plain.clearcoat.factor, plain.sheen.color, plain.transmission.factor),
        (0.0, Vec3::ZERO, 0.0)
    );
    let rich = with(json!({
        "KHR_materials_ior": {"ior": 1.33},
        "KHR_materials_specular": {"specularFactor": 0.5, "specularColorFactor": [2.0, 0.5, 0.25]},
        "KHR_materials_clearcoat": {"clearcoatFactor": 3.0, "clearcoatRoughnessFactor": 0.1},
        "KHR_materials_sheen": {"sheenColorFactor": [0.5, 0.25, 7.0], "sheenRoughnessFactor": 0.3},
        "KHR_materials_transmission": {"transmissionFactor": 0.75},
    }));
    assert_eq!(rich.ior, 1.33);
    assert_eq!((rich.specular.factor, rich.specular.color), (0.5, Vec3::new(2.0, 0.5, 0.25)));
    assert_eq!((rich.clearcoat.factor, rich.clearcoat.roughness), (1.0, 0.1));
    assert_eq!((rich.sheen.color, rich.sheen.roughness), (Vec3::new(0.5, 0.25, 1.0), 0.3));
    assert_eq!(rich.transmission.factor, 0.75);
    let broken = with(json!({
        "KHR_materials_ior": {"ior": -4}, "KHR_materials_specular": 7, "KHR_materials_sheen": {"sheenColorFactor": [1]},
        "KHR_materials_clearcoat": {"clearcoatFactor": "much"},
    }));
    assert_eq!((broken.ior, broken.sheen.color, broken.clearcoat.factor), (1000000.0, Vec3::ZERO, 0.0));

    // The older model: a shiny blue dielectric of reflectance 0.08.
    let glossy = with(json!({"KHR_materials_pbrSpecularGlossiness": {
        "diffuseFactor": [0.0, 0.0, 1.0, 0.5], "specularFactor": [0.08, 0.08, 0.08], "glossinessFactor": 0.75,
    }}));
    assert_eq!(
        (glossy.base_color.z, glossy.base_color.w, glossy.metallic, glossy.roughness),
        (1.0, 0.5, 0.0, 0.25)
    );
    assert!((glossy.specular.color - Vec3::splat(2.0)).length() < 1e-5, "{}", glossy.specular.color);
}

/// A `.basis` file (ETC1S) that others made, beside the PNG that its glTF file names as a fallback.
#[test]
fn basis_files_of_others_decode() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models/extensions/image-basis.gltf");
    let Ok(bytes) = std::fs::read(path) else {
        println!("../shared/models is not here: this test read nothing and proved nothing");
        return;
    };
    let json: Value = serde_json::from_slice(&bytes).expect("JSON");
    let mut pictures = json["images"].as_array().expect("images").iter().map(|image| {
        let mut gltf = textured(&[]);
        gltf.json["images"][0] = image.clone();
        let data = gltf.loaded();
        assert!(data.warnings.is_empty(), "{:?}", data.warnings);
        data.images[0].clone()
    });
    let (Some(png), Some(basis)) = (pictures.next(), pictures.next()) else { panic!("two pictures") };
    assert_eq!((png.format, basis.format), (ImageFormat::Png, ImageFormat::Basis));
    assert_eq!([(png.width, png.height), (basis.width, basis.height)], [(5, 3); 2]);
    let worst = png.rgba.iter().zip(basis.rgba.iter()).map(|(a, b)| a.abs_diff(*b)).max();
    // ETC1S holds 4 × 4 texels in a colour and three steps; upside down the rows would differ by 40.
    assert!(worst <= Some(12), "{worst:?}");
}
