//! Poses on the CPU against those that three.js computed (`../shared/oracle`, whose README says how to compare).

use std::path::{Path, PathBuf};

use dryad::character::animate::Poser;
use dryad::character::cpu_skin::{Bounds, extent, skin};
use dryad::character::data::{CharacterData, Primitive};
use dryad::character::load::{Progress, load};
use glam::Vec3;
use serde_json::Value;

/// Fraction of the extent that the oracle's README asks for where a pose names none.
const TOLERANCE: f64 = 1e-4;

fn shared(below: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(below);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: ../shared/{below} is not there");
    None
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("JSON")
}

fn vec3(value: &Value) -> Vec3 {
    let number = |i: usize| value[i].as_f64().expect("a number") as f32;
    Vec3::new(number(0), number(1), number(2))
}

fn indices(value: &Value) -> Vec<usize> {
    value
        .as_array()
        .map(|list| list.iter().map(|i| i.as_u64().expect("an index") as usize).collect())
        .unwrap_or_default()
}

struct Expected<'a> {
    primitive: &'a Primitive,
    sample: Vec<usize>,
    /// Whether a vertex is left out of the boxes.
    excluded: Vec<bool>,
}

/// Pairs the oracle's primitives with ours, which must be the same in the same order.
fn pair<'a>(data: &'a CharacterData, oracle: &Value, name: &str) -> Vec<Expected<'a>> {
    let theirs = oracle["primitives"].as_array().expect("primitives");
    assert_eq!(data.primitives.len(), theirs.len(), "{name}: number of primitives");
    data.primitives
        .iter()
        .zip(theirs)
        .map(|(mine, theirs)| {
            let id = |key: &str| theirs[key].as_u64().expect("an index") as u32;
            let place = format!("{name} node {} primitive {}", mine.node, mine.primitive);
            assert_eq!(
                [mine.node, mine.mesh, mine.primitive],
                [id("node"), id("mesh"), id("primitive")],
                "{place}"
            );
            assert_eq!(mine.accessor_vertex_count, id("vertices"), "{place}");
            assert_eq!(mine.skinned, theirs["skinned"].as_bool().expect("a flag"), "{place}");
            assert_eq!(mine.target_count, id("morphTargets"), "{place}");
            let mut excluded = vec![false; mine.accessor_vertex_count as usize];
            let vertices = &theirs["excluded"]["vertices"];
            if vertices == "all" {
                excluded.fill(true);
            }
            for vertex in indices(vertices) {
                excluded[vertex] = true;
            }
            Expected { primitive: mine, sample: indices(&theirs["sample"]), excluded }
        })
        .collect()
}

/// Compares every pose; returns how many there were and the worst error as a fraction of the tolerance.
fn compare(models: &Path, oracle: &Value, name: &str) -> (usize, f64) {
    let model = models.join(oracle["model"].as_str().expect("a path"));
    let data = load(&model, &Progress::new()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = pair(&data, oracle, name);
    let clips = oracle["clips"].as_array().expect("clips");
    assert_eq!(data.clips.len(), clips.len(), "{name}: number of clips");
    for (mine, theirs) in data.clips.iter().zip(clips) {
        let duration = theirs["duration"].as_f64().expect("a duration");
        assert!((mine.duration_secs - duration).abs() <= 1e-6 * duration.max(1.0), "{name}: {}", mine.name);
    }
    let size = oracle["extent"].as_f64().expect("an extent");
    if !expected.iter().any(|one| one.excluded.contains(&true)) {
        // Both are rounded to 32 bits; the oracle to seven digits.
        assert!((f64::from(extent(&data)) - size).abs() <= 1e-5 * size, "{name}: extent {}", extent(&data));
    }

    let mut poser = Poser::new(&data);
    let mut worst = 0.0f64;
    let poses = oracle["poses"].as_array().expect("poses");
    for theirs in poses {
        let clip = theirs["clip"].as_u64().map(|clip| clip as usize);
        let time_secs = theirs["time"].as_f64().unwrap_or(0.0);
        let skinned = skin(&data, poser.pose(&data, clip, time_secs));
        let tolerance = theirs["tolerance"].as_f64().unwrap_or(TOLERANCE) * size;
        let mut check = |mine: Vec3, theirs: Vec3, what: &str| {
            let error = f64::from((mine - theirs).abs().max_element());
            assert!(
                error <= tolerance,
                "{name} clip {clip:?} at {time_secs} s, {what}: {mine} instead of {theirs}, {:.2e} of the extent",
                error / size
            );
            worst = worst.max(error / tolerance);
        };
        let mut all = Bounds::EMPTY;
        for (one, theirs) in expected.iter().zip(theirs["primitives"].as_array().expect("primitives")) {
            let first = one.primitive.first_vertex as usize;
            let positions = &skinned.positions[first..][..one.primitive.accessor_vertex_count as usize];
            let what = format!("node {} primitive {}", one.primitive.node, one.primitive.primitive);
            let numbers = theirs["positions"].as_array().map(Vec::as_slice).unwrap_or_default();
            assert_eq!(numbers.len(), one.sample.len() * 3, "{name} {what}");
            for (vertex, number) in one.sample.iter().zip(numbers.chunks_exact(3)) {
                let theirs =
                    Vec3::from_array([0, 1, 2].map(|i| number[i].as_f64().expect("a number") as f32));
                check(positions[*vertex], theirs, &format!("{what} vertex {vertex}"));
            }
            let mut bounds = Bounds::EMPTY;
            for (position, excluded) in positions.iter().zip(&one.excluded) {
                if !excluded {
                    bounds.add(*position);
                }
            }
            if !bounds.is_empty() {
                check(bounds.min, vec3(&theirs["min"]), &format!("{what} min"));
                check(bounds.max, vec3(&theirs["max"]), &format!("{what} max"));
                all.merge(&bounds);
            }
        }
        if !all.is_empty() {
            check(all.min, vec3(&theirs["min"]), "min");
            check(all.max, vec3(&theirs["max"]), "max");
        }
    }
    (poses.len(), worst)
}

#[test]
fn every_pose_of_the_oracle() {
    let (Some(oracle), Some(models)) = (shared("oracle"), shared("models")) else { return };
    let index = read_json(&oracle.join("index.json"));
    let made = index["made"].as_array().expect("a list");
    assert!(made.len() >= 20, "the oracle has {} files", made.len());
    for entry in made {
        let name = entry["oracle"].as_str().expect("a name");
        let (poses, worst) = compare(&models, &read_json(&oracle.join(name)), name);
        println!("{name}: {poses} poses, worst error {worst:.4} of the tolerance");
    }
}

/// A bound on how far a position may be off: half a step of `bits` bits over the extent, twice over, for the copy was
/// quantised in bind space and joints carry the error on, with weights of eight bits or more.
fn quantised(extent: f32, bits: u32) -> f32 {
    2.0 * extent / (2.0f32.powi(bits as i32) - 1.0)
}

/// The oracle leaves Draco out, since its vertices have another order: each is compared with the nearest of the plain
/// file, whose poses the oracle has.
#[test]
fn the_draco_copy_poses_like_the_plain_file() {
    let Some(models) = shared("models") else { return };
    let [plain, draco] = ["characters/RiggedFigure.glb", "derived/RiggedFigure_draco.glb"]
        .map(|name| load(&models.join(name), &Progress::new()).unwrap_or_else(|error| panic!("{error}")));
    assert_eq!(plain.indices.len(), draco.indices.len());
    assert_eq!(plain.clips.len(), draco.clips.len());
    // gltf-transform quantises positions to 14 bits by default.
    let tolerance = quantised(extent(&plain), 14);
    let far = |from: &[Vec3], to: &[Vec3]| {
        let nearest = |p: &Vec3| to.iter().map(|q| p.distance(*q)).fold(f32::INFINITY, f32::min);
        from.iter().map(nearest).fold(0.0, f32::max)
    };
    for clip in [None, Some(0)] {
        let duration_secs = clip.map_or(0.0, |clip| plain.clips[clip].duration_secs);
        for fraction in [0.0, 0.25, 0.37, 0.75, 1.0] {
            let [a, b] = [&plain, &draco].map(|data| {
                skin(data, Poser::new(data).pose(data, clip, duration_secs * fraction)).positions
            });
            let error = far(&a, &b).max(far(&b, &a));
            println!("clip {clip:?} at {fraction}: {error:.2e} of {tolerance:.2e}");
            assert!(error <= tolerance, "clip {clip:?} at {fraction} of its length: {error} > {tolerance}");
        }
    }
}
