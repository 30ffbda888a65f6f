//! The program from outside: exit codes, sentences and files.

mod common;

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn dryad(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dryad")).args(args).output().expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn files_below(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|e| e == "glb" || e == "gltf") {
            found.push(path);
        }
    }
}

/// Broken files end in time, with exit 0 or 1 and, when they fail, one sentence.
#[test]
fn info_survives_every_broken_file() {
    let Some(models) = common::shared("models") else { return };
    let mut files = Vec::new();
    for folder in ["invalid", "quirks"] {
        files_below(&models.join(folder), &mut files);
    }
    assert!(files.len() > 60, "only {} files", files.len());
    for file in files {
        let started = Instant::now();
        let output = dryad(&["info", &file.to_string_lossy()]);
        let code = output.status.code();
        let text = stderr(&output);
        assert!(started.elapsed() < Duration::from_secs(5), "{} took too long", file.display());
        assert!(matches!(code, Some(0 | 1)), "{}: {code:?} {text}", file.display());
        assert!(!text.contains("panicked"), "{}: {text}", file.display());
        if code == Some(1) {
            assert!(text.starts_with("dryad: ") && text.trim().len() > 20, "{}: {text}", file.display());
            assert_eq!(text.trim().lines().count(), 1, "{}: {text}", file.display());
        } else {
            assert!(!output.stdout.is_empty(), "{} says nothing", file.display());
        }
    }
}

#[test]
fn wrong_use_ends_with_2_and_failure_with_1() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("x.png");
    let out = out.to_string_lossy();
    assert_eq!(dryad(&["render"]).status.code(), Some(2), "no --out");
    assert_eq!(dryad(&["--nonsense"]).status.code(), Some(2));
    for wanted in ["--variant", "--camera", "--clip"] {
        let output = dryad(&["render", "--out", &out, "--quiet", wanted, "Moss"]);
        assert_eq!(output.status.code(), Some(2), "{wanted}: {}", stderr(&output));
        assert!(stderr(&output).contains("named Moss"), "{wanted}: {}", stderr(&output));
    }
    let unknown = dryad(&["render", "--out", &out, "--set", "growth.influense=0.1"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("growth.influence"), "{}", stderr(&unknown));
    assert_eq!(dryad(&["render", "--out", &out, "--set", "growth.influence=nan"]).status.code(), Some(2));
    assert_eq!(dryad(&["render", "--out", "x.mp4"]).status.code(), Some(2));
    let missing = dryad(&["info", "no/such/file.glb"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("file.glb"), "{}", stderr(&missing));
    let missing = dryad(&["render", "no/such/file.glb", "--out", &out]);
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 0, "nothing half is left");
}

#[test]
fn params_are_listed_in_three_forms() {
    let text = dryad(&["params"]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("growth.influence"));
    let json = dryad(&["params", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let all = json.as_array().expect("a list");
    assert!(all.iter().all(|p| p["path"].is_string() && p["help"].is_string() && !p["default"].is_null()));
    let toml_text = dryad(&["params", "--toml"]);
    let table: toml::Table = String::from_utf8_lossy(&toml_text.stdout).parse().expect("TOML");
    let count: usize = table["params"]
        .as_table()
        .expect("a table")
        .values()
        .map(|section| section.as_table().map_or(0, toml::Table::len))
        .sum();
    assert_eq!(count, all.len());
}

#[test]
fn pose_prints_every_vertex_at_each_time() {
    let Some(models) = common::shared("models") else { return };
    let file = models.join("characters/SimpleSkin.gltf");
    let output =
        dryad(&["pose", &file.to_string_lossy(), "--clip", "0", "--time", "0", "--time", "2.5", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let poses = json["poses"].as_array().expect("poses");
    assert_eq!(poses.len(), 2);
    for pose in poses {
        let primitive = &pose["primitives"][0];
        assert_eq!(primitive["vertices"], 10);
        assert_eq!(primitive["positions"].as_array().map(Vec::len), Some(30));
    }
    assert_eq!(dryad(&["pose", &file.to_string_lossy(), "--clip", "9"]).status.code(), Some(2));
}

/// Times mean nothing on a busy machine; that everything was measured, and that nothing grows out of proportion, does.
#[test]
fn bench_measures_everything_as_json() {
    let output = dryad(&["bench", "--quick", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let number = |pointer: &str| json.pointer(pointer).and_then(serde_json::Value::as_f64).expect(pointer);
    assert!(json["adapter"].as_str().is_some_and(|adapter| !adapter.is_empty()));
    for what in ["dispatch_us", "copy_gb_per_s", "fma_gflop_per_s", "atomics_m_per_s"] {
        assert!(number(&format!("/calibration/{what}")) > 0.0, "{what}");
    }
    // Twice the points take about twice as long, and so do boids; brute force would have a slope of two.
    for slope in [number("/growth/slope"), number("/boids/slope")] {
        assert!((-0.5..1.9).contains(&slope), "{slope}");
    }
    let sizes = json["growth"]["sizes"].as_array().expect("sizes");
    for size in sizes {
        // Counted, not timed: the same on every machine.
        let tests = size["tests_a_node"].as_f64().expect("a number");
        assert!((50.0..250.0).contains(&tests), "{size}");
        assert!(size["nodes"].as_u64() >= size["attractors"].as_u64(), "{size}");
    }
    for size in json["boids"]["sizes"].as_array().expect("sizes") {
        let candidates = size["candidates_a_boid"].as_f64().expect("a number");
        assert!((20.0..400.0).contains(&candidates), "{size}");
    }
    assert!(number("/wrinkles/published/ratio") > 0.0 && number("/growth/brute_force/ratio") > 0.0);
}
