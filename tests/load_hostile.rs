//! Files that lie: every failure is one sentence, and nothing panics, hangs or takes memory without cause.

#[path = "common/fixtures.rs"]
mod fixtures;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dryad::character::animate::Poser;
use dryad::character::cpu_skin::skin;
use dryad::character::info;
use dryad::character::load::{LoadError, Progress, load, load_bytes};
use fixtures::*;
use serde_json::{Value, json};

/// The error's sentence, after checks that hold for all of them.
fn sentence(gltf: &Gltf) -> String {
    one_sentence(&gltf.load().expect_err("must fail"))
}

fn one_sentence(error: &LoadError) -> String {
    let sentence = error.to_string();
    assert!(!sentence.contains('\n') && sentence.len() > 20, "{sentence:?}");
    sentence
}

fn refuse_bytes(bytes: &[u8], name: &str) -> String {
    one_sentence(&load_bytes(bytes, name, &Progress::new()).expect_err(name))
}

/// A generator of our own (splitmix64), so that a failing round can be named by its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Does with a file whatever the viewer does before the GPU; says whether it loaded. Panics name the round.
fn exercise(bytes: &[u8], what: &str) -> bool {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| match load_bytes(bytes, "mutant", &Progress::new()) {
        Ok(data) => {
            let mut poser = Poser::new(&data);
            let clips = data.clips.len().min(3);
            for clip in (0..clips).map(Some).chain([None]) {
                let duration_secs = clip.map_or(0.0, |clip| data.clips[clip].duration_secs);
                for fraction in [0.0, 0.5, 1.0] {
                    let skinned = skin(&data, poser.pose(&data, clip, duration_secs * fraction));
                    assert!(skinned.positions.iter().all(|position| position.is_finite()), "a position");
                    assert!(skinned.normals.iter().all(|normal| normal.is_finite()), "a normal");
                }
            }
            info::text(&data).len() + info::json(&data).to_string().len() > 0
        }
        Err(error) => one_sentence(&error).is_empty(),
    }));
    let took = start.elapsed();
    assert!(took < Duration::from_secs(5), "{what} took {took:?}");
    outcome.unwrap_or_else(|_| panic!("{what} panicked"))
}

/// Flips, overwrites, cuts and doubles bytes.
fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    // Cuts and shifts end most files at the door: they are rare, so that most mutants get further.
    for _ in 0..=random.below(4) {
        let at = random.below(mutant.len());
        match random.below(40) {
            0..=15 => mutant[at] ^= 1 << random.below(8),
            16..=25 => mutant[at] = random.next() as u8,
            26..=31 => mutant[at] = [0, 0xFF, 0x7F, 0x80, b'9', b'-'][random.below(6)],
            32..=37 => {
                let end = (at + 4).min(mutant.len());
                mutant[at..end].fill([0, 0xFF][random.below(2)]);
            }
            38 => {
                let end = (at + random.below(16)).min(mutant.len());
                mutant.drain(at..end);
            }
            _ => mutant.truncate(at.max(1)),
        }
        if mutant.is_empty() {
            mutant.push(0);
        }
    }
    mutant
}

/// Replaces one random number or string anywhere in a JSON document.
fn mutate_json(value: &mut Value, random: &mut Random) {
    let mut at = value;
    loop {
        let children = match at {
            Value::Object(map) => map.len(),
            Value::Array(list) => list.len(),
            _ => 0,
        };
        if children == 0 || random.below(12) == 0 {
            break;
        }
        let pick = random.below(children);
        at = match at {
            Value::Object(map) => map.iter_mut().nth(pick).expect("a child").1,
            Value::Array(list) => &mut list[pick],
            _ => break,
        };
    }
    *at = match random.below(14) {
        0 => json!(0),
        1 => json!(-1),
        2 => json!(1),
        3 => json!(3),
        4 => json!(255),
        5 => json!(65_535),
        6 => json!(u32::MAX),
        7 => json!(u64::MAX),
        8 => json!(1e38),
        9 => json!(5123),
        10 => json!("VEC3"),
        11 => json!([]),
        12 => json!({}),
        _ => Value::Null,
    };
}

fn shared_models() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    if path.exists() {
        return Some(path);
    }
    println!("skipped in part: ../shared/models is not there");
    None
}

/// A stick with everything a file can have: texture, morph targets, sparse accessors, strided views.
fn rich_stick() -> Gltf {
    let mut gltf = stick();
    let deltas = gltf.vec3s(&stick_positions());
    gltf.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": deltas, "NORMAL": deltas}]);
    gltf.json["meshes"][0]["weights"] = json!([0.5]);
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let indices = gltf.view(&[0u8, 5], None);
    let values = gltf.view(&[0u8; 16], None);
    let uv = gltf.push(
        "accessors",
        json!({"componentType": F32, "type": "VEC2", "count": 10, "sparse": {
            "count": 2,
            "indices": {"bufferView": indices, "componentType": U8},
            "values": {"bufferView": values},
        }}),
    );
    gltf.attributes(0, 0)["TEXCOORD_0"] = json!(uv);
    let mut png = Vec::new();
    let pixels = image::RgbaImage::from_pixel(4, 3, image::Rgba([200, 100, 50, 255]));
    pixels.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).expect("a PNG");
    let view = gltf.view(&png, None);
    gltf.push("images", json!({"bufferView": view, "mimeType": "image/png"}));
    gltf.push("textures", json!({"source": 0}));
    gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
    let times = gltf.floats(&[0.0, 1.0], "SCALAR");
    let weights = gltf.floats(&[0.0, 1.0], "SCALAR");
    let animation = &mut gltf.json["animations"][0];
    animation["samplers"].as_array_mut().expect("a list").push(json!({"input": times, "output": weights}));
    let channel = json!({"sampler": 1, "target": {"node": 0, "path": "weights"}});
    animation["channels"].as_array_mut().expect("a list").push(channel);
    gltf
}

#[test]
fn the_rich_stick_is_sound() {
    let data = rich_stick().loaded();
    assert!(data.warnings.is_empty(), "{:?}", data.warnings);
    assert_eq!((data.images[0].width, data.images[0].height), (4, 3));
    assert_eq!(&data.images[0].rgba[..4], &[200, 100, 50, 255]);
    let data = load_bytes(&rich_stick().to_glb(), "fixture", &Progress::new()).expect("a GLB");
    assert_eq!(data.clips[0].channels.len(), 2);
}

#[test]
fn mutated_files_never_panic_or_hang() {
    let mut sources = vec![("stick.glb".to_owned(), rich_stick().to_glb(), 4000)];
    if let Some(models) = shared_models() {
        for (name, rounds) in [
            ("characters/Greenman.glb", 200),
            ("characters/SimpleSkin.gltf", 2000),
            ("conformance/AnimatedMorphCube.glb", 2000),
            ("extensions/BoxMeshopt.glb", 3000),
            ("derived/Fox_gltfpack.glb", 100),
            ("derived/CesiumMan_webp.glb", 40),
        ] {
            sources.push((name.to_owned(), std::fs::read(models.join(name)).expect(name), rounds));
        }
    }
    for (name, bytes, rounds) in sources {
        // The second half leaves a GLB's header and text alone, so that the numbers are what is wrong.
        let numbers = bytes.windows(4).position(|window| window == b"BIN\0").map_or(0, |at| at + 4);
        let loaded = (0..rounds)
            .filter(|seed| {
                let kept = if seed * 2 < rounds { 0 } else { numbers };
                let mut mutant = bytes[..kept].to_vec();
                mutant.extend(mutate(&bytes[kept..], &mut Random(*seed)));
                exercise(&mutant, &format!("{name} under seed {seed}"))
            })
            .count();
        println!("{name}: {loaded} of {rounds} mutants loaded");
        assert!(loaded > 0, "{name}: no mutant got as far as posing");
    }
}

#[test]
fn mutated_json_never_panics_or_hangs() {
    let mut sources = vec![("stick".to_owned(), rich_stick().json.clone(), rich_stick().bin, 6000)];
    if let Some(models) = shared_models() {
        for name in ["characters/SimpleSkin.gltf", "conformance/SimpleMorph.gltf"] {
            let bytes = std::fs::read(models.join(name)).expect(name);
            let json: Value = serde_json::from_slice(&bytes).expect("JSON");
            sources.push((name.to_owned(), json, Vec::new(), 1500));
        }
    }
    for (name, json, bin, rounds) in sources {
        let mut loaded = 0;
        for seed in 0..rounds {
            let mut random = Random(seed ^ 0x5EED);
            let mut gltf = Gltf { json: json.clone(), bin: bin.clone() };
            for _ in 0..=random.below(3) {
                mutate_json(&mut gltf.json, &mut random);
            }
            let bytes = if name == "stick" && gltf.json.is_object() {
                gltf.to_glb()
            } else {
                serde_json::to_vec(&gltf.json).expect("serialisable")
            };
            loaded += usize::from(exercise(&bytes, &format!("the JSON of {name} under seed {seed}")));
        }
        println!("the JSON of {name}: {loaded} of {rounds} mutants loaded");
        assert!(loaded > 0, "{name}: no mutant got as far as posing");
    }
}

/// Many files for validators test one object and show no scene: here every mesh is put on a node, with every skin.
#[test]
fn broken_files_with_everything_reachable_never_panic() {
    let Some(models) = shared_models() else { return };
    let index: Value =
        serde_json::from_slice(&std::fs::read(models.join("index.json")).expect("readable")).expect("JSON");
    let mut count = 0;
    for entry in index.as_array().expect("a list") {
        let name = entry["file"].as_str().expect("a path");
        let bytes = std::fs::read(models.join(name)).expect("readable");
        let Ok(mut json) = serde_json::from_slice::<Value>(&bytes) else { continue };
        let length = |json: &Value, key: &str| json[key].as_array().map_or(0, Vec::len);
        let (meshes, skins) = (length(&json, "meshes"), length(&json, "skins"));
        let Some(root) = json.as_object_mut() else { continue };
        let nodes = root.entry("nodes").or_insert_with(|| json!([]));
        let Some(nodes) = nodes.as_array_mut() else { continue };
        for mesh in 0..meshes {
            nodes.push(json!({"mesh": mesh}));
            nodes.extend((0..skins).map(|skin| json!({"mesh": mesh, "skin": skin})));
        }
        root.remove("scene");
        root.remove("scenes");
        exercise(&serde_json::to_vec(&json).expect("serialisable"), name);
        count += 1;
    }
    assert!(count > 100, "only {count} files");
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
fn meshopt_fields_are_checked_before_the_decoder_sees_them() {
    let good = json!({"buffer": 0, "byteOffset": 0, "byteLength": 64, "byteStride": 12, "count": 8, "mode": "ATTRIBUTES"});
    for (key, value, part) in [
        ("byteStride", json!(6), "stride"),
        ("byteStride", json!(0), "stride"),
        ("byteStride", json!(260), "stride"),
        ("count", json!(u64::MAX), "more than its"),
        ("count", json!(1_000_000), "more than its"),
        ("mode", json!("TRIANGLES"), "stride"),
        ("mode", json!("LINES"), "mode"),
        ("filter", json!("OCTAHEDRAL"), "stride"),
        ("filter", json!("QUATERNION"), "stride"),
        ("filter", json!("NOISE"), "filter"),
        ("buffer", json!(7), "buffer 7"),
        ("byteOffset", json!(u64::MAX), "reaches past"),
        ("byteLength", json!(null), "byteLength"),
        ("count", json!(8), "does not decode"),
    ] {
        for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
            let mut gltf = cube();
            let mut extension = good.clone();
            extension[key] = value.clone();
            let view = &mut gltf.json["bufferViews"][0];
            view["extensions"] = json!({});
            view["extensions"][name] = extension;
            let error = sentence(&gltf);
            assert!(error.contains(part) && error.contains("buffer view 0"), "{key} = {value}: {error}");
        }
    }
    let mut gltf = cube();
    let view = &mut gltf.json["bufferViews"][1];
    view["extensions"] = json!({"EXT_meshopt_compression":
        {"buffer": 0, "byteLength": 64, "byteStride": 2, "count": 35, "mode": "TRIANGLES"}});
    assert!(sentence(&gltf).contains("multiple of three"));
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
    assert_eq!(result.expect_err("cancelled"), LoadError::Cancelled { file: "stick".to_owned() });
}
