//! Mutants of sound files, and broken files with every object in reach: nothing panics, hangs or yields NaN.

#[path = "common/fixtures.rs"]
mod fixtures;
#[path = "common/mutants.rs"]
mod mutants;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dryad::character::animate::Poser;
use dryad::character::cpu_skin::skin;
use dryad::character::info;
use dryad::character::load::{Progress, load_bytes};
use fixtures::*;
use mutants::{Random, mutate, mutate_json, rich_stick};
use serde_json::{Value, json};

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

fn shared_models() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    if path.exists() {
        return Some(path);
    }
    println!("skipped in part: ../shared/models is not there");
    None
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
            ("derived/RiggedFigure_draco.glb", 1000),
            ("extensions/Box_Draco.glb", 3000),
            ("extensions/agi_ktx2.glb", 60),
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
