//! What is wrong with a file is said in one sentence that names the file, the place and the remedy.

#[path = "common/fixtures.rs"]
mod fixtures;

use std::time::{Duration, Instant};

use dryad::character::load::{LoadError, Progress, load, load_bytes};
use fixtures::*;
use serde_json::{Value, json};

fn refuse_bytes(bytes: &[u8], name: &str) -> String {
    one_sentence(&load_bytes(bytes, name, &Progress::new()).expect_err(name))
}

#[test]
fn other_formats_are_named_with_a_remedy() {
    for (name, bytes, part) in [
        ("a.fbx", b"Kaydara FBX Binary  \x00".as_slice(), "FBX"),
        ("a.blend", b"BLENDER-v300", "Blender"),
        ("a.glb", b"", "empty"),
        ("a.glb", b"version https://git-lfs.github.com/spec/v1", "git lfs pull"),
        ("a.glb", b"PK\x03\x04....", "unpack"),
        ("a.png", b"\x89PNG\r\n", "picture"),
        ("a.bin", b"\x00\x01\x02\x03", "unknown kind"),
    ] {
        let sentence = refuse_bytes(bytes, name);
        assert!(sentence.contains(part) && sentence.contains(name), "{sentence}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chair.obj");
    std::fs::write(&path, "v 0 0 0\n").expect("written");
    let error = one_sentence(&load(&path, &Progress::new()).expect_err("OBJ"));
    assert!(
        error.contains("chair.obj") && error.contains("Wavefront") && error.contains("Blender"),
        "{error}"
    );
    // A VRM is a GLB under another name.
    let path = folder.path().join("avatar.vrm");
    std::fs::write(&path, stick().to_glb()).expect("written");
    assert_eq!(load(&path, &Progress::new()).expect("a VRM").name, "avatar");
    let error = one_sentence(&load(folder.path(), &Progress::new()).expect_err("a folder"));
    assert!(error.contains("not a plain file"), "{error}");
    let error = one_sentence(&load(&folder.path().join("none.glb"), &Progress::new()).expect_err("missing"));
    assert!(error.contains("none.glb"), "{error}");
}

#[test]
fn versions_and_containers() {
    let mut gltf = cube();
    gltf.json["asset"]["version"] = json!("1.0");
    assert!(sentence(&gltf).contains("1.0"));
    gltf.json["asset"]["version"] = json!("2.9");
    gltf.loaded();
    let mut glb = cube().to_glb();
    glb[4] = 1;
    assert!(refuse_bytes(&glb, "old.glb").contains("version 1"));
    let glb = cube().to_glb();
    assert!(refuse_bytes(&glb[..glb.len() - 8], "cut.glb").contains("cut off"));
    assert!(refuse_bytes(&glb[..10], "cut.glb").contains("cut off"));
    assert!(refuse_bytes(b"{\"asset\": ", "half.gltf").contains("does not parse"));
    let mut with_bom = b"\xef\xbb\xbf".to_vec();
    with_bom.extend(cube().to_gltf());
    load_bytes(&with_bom, "bom.gltf", &Progress::new()).expect("a byte order mark does no harm");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refuse_bytes(format!("{{\"x\": {deep}}}").as_bytes(), "deep.gltf").contains("does not parse"));
}

#[test]
fn external_files_stay_where_they_belong() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("models");
    std::fs::create_dir(&inner).expect("a folder");
    let write = |uri: &str| {
        let gltf = cube();
        let mut json = gltf.json.clone();
        json["buffers"] = json!([{"byteLength": gltf.bin.len(), "uri": uri}]);
        let path = inner.join("cube.gltf");
        std::fs::write(&path, serde_json::to_vec(&json).expect("serialisable")).expect("written");
        load(&path, &Progress::new())
    };
    std::fs::write(inner.join("a b.bin"), cube().bin).expect("written");
    std::fs::write(folder.path().join("up.bin"), cube().bin).expect("written");
    std::fs::write(inner.join("raw%20name.bin"), cube().bin).expect("written");
    std::fs::create_dir(inner.join("sub")).expect("a folder");
    std::fs::write(inner.join("sub/deep.bin"), cube().bin).expect("written");
    for uri in ["a%20b.bin", "a b.bin", "../up.bin", "raw%20name.bin", "./a b.bin", "sub\\deep.bin"] {
        let data = write(uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
        assert!(data.facts.bytes > cube().bin.len() as u64);
    }
    let absolute = inner.join("a b.bin");
    for (uri, part) in [
        ("missing.bin", "missing"),
        (absolute.to_str().expect("a name"), "absolute"),
        ("%2Fetc%2Fpasswd", "absolute"),
        ("C:\\a.bin", "absolute"),
        ("https://example.org/a.bin", "scheme"),
        ("file:///a.bin", "scheme"),
        ("sub", "plain file"),
        ("%ff.bin", "UTF-8"),
    ] {
        let error = one_sentence(&write(uri).expect_err(uri));
        assert!(error.contains(part) && error.contains("cube.gltf"), "{uri}: {error}");
    }
    let error = one_sentence(&write("data:application/octet-stream;base64,!!!!").expect_err("bad base64"));
    assert!(error.contains("base64"), "{error}");
    let mut gltf = cube();
    gltf.json["buffers"] = json!([{"byteLength": 4, "uri": "a.bin"}]);
    let error = refuse_bytes(&serde_json::to_vec(&gltf.json).expect("serialisable"), "memory");
    assert!(error.contains("a.bin"), "{error}");
}

#[test]
fn claims_that_the_bytes_do_not_justify() {
    let huge = [1u64 << 20, 1 << 28, 1 << 33, 1 << 62, u64::MAX];
    for count in huge {
        let mut gltf = cube();
        let bare = gltf.push("accessors", json!({"componentType": F32, "type": "VEC3", "count": count}));
        gltf.attributes(0, 0)["POSITION"] = json!(bare);
        let start = Instant::now();
        // A million zeros are within what any file may have.
        if count > 1 << 20 {
            let error = sentence(&gltf);
            assert!(error.contains("more memory") || error.contains("too many"), "{count}: {error}");
        }
        assert!(start.elapsed() < Duration::from_secs(1));
        gltf.json["accessors"][0]["count"] = json!(count);
        gltf.attributes(0, 0)["POSITION"] = json!(0);
        assert!(sentence(&gltf).contains("reaches past the end"), "{count}");
    }
    let mut gltf = cube();
    gltf.json["bufferViews"][0]["byteOffset"] = json!(u64::MAX);
    assert!(sentence(&gltf).contains("reaches past the end of buffer 0"));
    let mut gltf = cube();
    gltf.json["accessors"][0]["byteOffset"] = json!(u64::MAX - 3);
    assert!(sentence(&gltf).contains("accessor 0 reaches past"));

    // Ten thousand nodes that share one mesh of a thousand vertices: a few bytes each, a gigabyte together.
    let mut gltf = Gltf::new();
    let position = gltf.floats(&vec![0.0; 3000], "VEC3");
    gltf.push("meshes", json!({"primitives": vec![json!({"attributes": {"POSITION": position}}); 10]}));
    for node in 0..1000 {
        gltf.push("nodes", json!({"mesh": 0}));
        gltf.json["scenes"][0]["nodes"].as_array_mut().expect("a list").push(json!(node));
    }
    let start = Instant::now();
    assert!(sentence(&gltf).contains("more memory"));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn references_that_lead_nowhere() {
    let check = |part: &str, change: &dyn Fn(&mut Value)| {
        let mut gltf = stick();
        change(&mut gltf.json);
        let error = sentence(&gltf);
        assert!(error.contains(part), "{error}");
    };
    check("mesh 9", &|json| json["nodes"][0]["mesh"] = json!(9));
    check("skin 9", &|json| json["nodes"][0]["skin"] = json!(9));
    check("node 9", &|json| json["skins"][0]["joints"][0] = json!(9));
    check("node 9", &|json| json["nodes"][1]["children"][0] = json!(9));
    check("node 9", &|json| json["scenes"][0]["nodes"][0] = json!(9));
    check("accessor 99", &|json| json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(99));
    check("accessor 99", &|json| json["meshes"][0]["primitives"][0]["indices"] = json!(99));
    check("buffer view 99", &|json| json["accessors"][0]["bufferView"] = json!(99));
    check("buffer 5", &|json| json["bufferViews"][0]["buffer"] = json!(5));
    check("translation", &|json| json["nodes"][1]["translation"] = json!([1e30, 0, 0]));
    let mut gltf = stick();
    let indices = gltf.u16s(&[0, 1, 65_535], "SCALAR");
    gltf.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
    assert!(sentence(&gltf).contains("index 65535, but only 10 vertices"));
    let mut gltf = stick();
    let position = gltf.floats(&[f32::NAN; 30], "VEC3");
    gltf.attributes(0, 0)["POSITION"] = json!(position);
    assert!(sentence(&gltf).contains("element 0"));
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
    assert!(with_image(&bomb).warnings[0].contains("8192"), "{:?}", with_image(&bomb).warnings);
    for broken in [&png[..png.len() / 2], b"nothing".as_slice(), &[], &bomb] {
        let start = Instant::now();
        let data = with_image(broken);
        assert!(start.elapsed() < Duration::from_millis(500));
        assert_eq!(data.images[0].width, 8);
        assert!(
            data.warnings[0].contains("magenta") && data.warnings[0].contains("image 0"),
            "{:?}",
            data.warnings
        );
        assert!(!data.warnings[0].contains('\u{7}'));
    }
}

#[test]
fn loading_can_be_cancelled_and_tells_how_far_it_is() {
    let progress = Progress::new();
    load_bytes(&stick().to_glb(), "stick", &progress).expect("a stick");
    assert_eq!(progress.fraction(), 1.0);
    let progress = std::sync::Arc::new(Progress::new());
    progress.cancel();
    let worker = std::sync::Arc::clone(&progress);
    let result =
        std::thread::spawn(move || load_bytes(&stick().to_glb(), "stick", &worker)).join().expect("joined");
    assert_eq!(result.expect_err("cancelled"), LoadError::Cancelled);
}

#[test]
fn g19_required_extensions() {
    let require = |names: &[&str]| {
        let mut gltf = stick();
        gltf.json["extensionsRequired"] = json!(names);
        gltf.json["extensionsUsed"] = json!(names);
        gltf
    };
    let error = require(&["KHR_draco_mesh_compression"]).load().expect_err("Draco").to_string();
    assert!(error.contains("KHR_draco_mesh_compression") && error.contains("without Draco"), "{error}");

    let mut gltf = require(&["KHR_texture_basisu"]);
    gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
    gltf.push("textures", json!({"extensions": {"KHR_texture_basisu": {"source": 0}}}));
    gltf.push("images", json!({"uri": "data:image/ktx2;base64,q0tUWCAyMLs="}));
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let data = gltf.loaded();
    assert!(data.materials[0].base_color_image.is_none());
    assert!(has_warning(&data, "KHR_texture_basisu"), "{:?}", data.warnings);

    let data = require(&["KHR_materials_clearcoat"]).loaded();
    assert!(has_warning(&data, "KHR_materials_clearcoat"), "{:?}", data.warnings);

    let webp = require(&["EXT_texture_webp"]).loaded();
    assert!(webp.warnings.is_empty(), "{:?}", webp.warnings);
}
