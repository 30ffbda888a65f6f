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
        assert!(start.elapsed() < Duration::from_secs(3));
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
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
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
    // A codec that no primitive needs.
    assert!(require(&["KHR_draco_mesh_compression"]).loaded().warnings.is_empty());
    let error = require(&["EXT_mesh_gpu_instancing"]).load().expect_err("instances").to_string();
    assert!(error.contains("EXT_mesh_gpu_instancing") && error.contains("separate nodes"), "{error}");

    let mut gltf = require(&["KHR_texture_basisu"]);
    gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
    gltf.push("textures", json!({"extensions": {"KHR_texture_basisu": {"source": 0}}}));
    gltf.push("images", json!({"uri": "data:image/ktx2;base64,q0tUWCAyMLs="}));
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let data = gltf.loaded();
    assert_eq!(data.images[0].format, dryad::character::data::ImageFormat::Placeholder);
    assert!(has_warning(&data, "image 0"), "{:?}", data.warnings);

    assert!(require(&["KHR_materials_clearcoat"]).loaded().warnings.is_empty());
    let data = require(&["KHR_materials_iridescence"]).loaded();
    assert!(has_warning(&data, "KHR_materials_iridescence"), "{:?}", data.warnings);

    let webp = require(&["EXT_texture_webp"]).loaded();
    assert!(webp.warnings.is_empty(), "{:?}", webp.warnings);
}

#[test]
fn sharing_multiplies_nothing_without_limit() {
    let within = |gltf: &Gltf, limit_secs: u64, what: &str| {
        let start = Instant::now();
        let result = gltf.load();
        assert!(start.elapsed() < Duration::from_secs(limit_secs), "{what}: {:?}", start.elapsed());
        result
    };
    // Five thousand nodes that share a mesh of five thousand empty primitives.
    let mut gltf = Gltf::new();
    let position = gltf.push("accessors", json!({"componentType": F32, "type": "VEC3", "count": 0}));
    let primitive = json!({"attributes": {"POSITION": position}, "targets": [{"POSITION": position}]});
    gltf.push("meshes", json!({"primitives": vec![primitive; 5000]}));
    gltf.json["nodes"] = json!(vec![json!({"mesh": 0}); 5000]);
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    let error = within(&gltf, 10, "empty primitives").expect_err("too many").to_string();
    assert!(error.contains("more memory"), "{error}");

    // A hundred thousand nodes that share a skin of as many joints.
    let mut gltf = stick();
    gltf.json["skins"][0] = json!({"joints": vec![1; 100_000]});
    gltf.json["meshes"][0]["primitives"] = json!([]);
    gltf.json["nodes"].as_array_mut().expect("a list").extend(vec![json!({"mesh": 0, "skin": 0}); 100_000]);
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    within(&gltf, 10, "shared skin").expect("slow to write, quick to read");

    // Many variants without any material on a mesh of many nodes.
    let mut gltf = cube();
    gltf.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_materials_variants": {"mappings": vec![json!({}); 100_000]}});
    gltf.json["nodes"] = json!(vec![json!({"mesh": 0}); 20_000]);
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    assert!(within(&gltf, 10, "variants").expect_err("too much").to_string().contains("more memory"));

    // A long target name on a mesh of many nodes.
    let mut gltf = cube();
    let delta = gltf.vec3s(&cube_positions());
    gltf.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": delta}]);
    gltf.json["meshes"][0]["extras"] = json!({"targetNames": ["n".repeat(1_000_000)]});
    gltf.json["nodes"] = json!(vec![json!({"mesh": 0}); 20_000]);
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    assert!(within(&gltf, 10, "names").expect_err("too much").to_string().contains("more memory"));

    // More sparse elements than elements.
    let mut gltf = cube();
    let indices = gltf.view(&[0u8; 100], None);
    let values = gltf.view(&[0u8; 1200], None);
    gltf.json["accessors"][0]["sparse"] = json!({"count": 100,
        "indices": {"bufferView": indices, "componentType": U8}, "values": {"bufferView": values}});
    assert!(within(&gltf, 10, "sparse").expect_err("too many").to_string().contains("more sparse elements"));
}
