//! Poses from the GPU's skinning against those that another implementation computed, for every model of
//! `../shared/oracle` (those that need Draco excepted).

mod common;

use dryad::character::animate::Poser;
use dryad::character::{SkinnedSurface, load};
use serde_json::Value;

fn floats(value: &Value) -> Vec<f32> {
    value.as_array().into_iter().flatten().map(|v| v.as_f64().expect("a number") as f32).collect()
}

#[test]
fn poses_equal_those_of_another_implementation() {
    let (Some(oracle), Some(models)) = (common::shared("oracle"), common::shared("models")) else { return };
    let gpu = common::gpu();
    let mut poses = 0;
    let mut worst = (0.0f32, String::new());
    let mut files: Vec<_> = std::fs::read_dir(&oracle)
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "json") && !path.ends_with("index.json"))
        .collect();
    files.sort();
    assert!(files.len() >= 15, "the oracle has lost files");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let model = expected["model"].as_str().expect("a path");
        let data = match load::load(&models.join(model), &load::Progress::new()) {
            Ok(data) => data,
            Err(error) if error.to_string().contains("KHR_draco_mesh_compression") => continue,
            Err(error) => panic!("{model}: {error}"),
        };
        let surface = SkinnedSurface::new(gpu, common::shaders(), &data).expect("it builds");
        let mut poser = Poser::new(&data);
        let extent = expected["extent"].as_f64().expect("a number") as f32;
        for pose in expected["poses"].as_array().expect("poses") {
            let clip = pose["clip"].as_u64().map(|n| n as usize);
            let time_secs = pose["time"].as_f64().unwrap_or(0.0);
            // The oracle's own statement; float noise of right code is a hundredth of it.
            let tolerance = pose["tolerance"].as_f64().unwrap_or(1e-4) as f32 * extent;
            surface.set_pose(gpu, poser.pose(&data, clip, time_secs));
            common::compute(|pass| surface.skin(pass));
            let positions = surface.positions.read(gpu);
            for (k, wanted) in pose["primitives"].as_array().expect("primitives").iter().enumerate() {
                let meta = &expected["primitives"][k];
                let id = |name: &str| meta[name].as_u64().expect("an index") as u32;
                let primitive = data
                    .primitives
                    .iter()
                    .find(|p| (p.node, p.mesh, p.primitive) == (id("node"), id("mesh"), id("primitive")))
                    .unwrap_or_else(|| panic!("{model}: primitive {k} is missing"));
                let sample = meta["sample"].as_array().expect("indices");
                let theirs = floats(&wanted["positions"]);
                for (index, theirs) in sample.iter().zip(theirs.chunks_exact(3)) {
                    let vertex = primitive.first_vertex as usize + index.as_u64().expect("an index") as usize;
                    let ours = positions[vertex];
                    for axis in 0..3 {
                        let off = (ours[axis] - theirs[axis]).abs();
                        if off / extent > worst.0 {
                            worst = (off / extent, format!("{model} clip {clip:?} at {time_secs}"));
                        }
                        assert!(
                            off <= tolerance,
                            "{model} clip {clip:?} at {time_secs} s, primitive {k}, vertex {index}: {ours} is not {theirs:?}"
                        );
                    }
                }
            }
            poses += 1;
        }
    }
    println!("{poses} poses compared; the worst is off by {:e} of the extent, in {}", worst.0, worst.1);
    assert!(poses > 150, "only {poses} poses compared");
}
