//! Mutants of sound files, and broken files with every object in reach: nothing panics, hangs or yields NaN.

#[path = "common/fixtures.rs"]
mod fixtures;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dryad::character::animate::Poser;
use dryad::character::cpu_skin::skin;
use dryad::character::info;
use dryad::character::load::{Progress, load_bytes};
use fixtures::*;
use serde_json::{Value, json};

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
