//! GPU memory: opening one file after another, broken ones among them, fifty times over, leaves it flat.

mod common;
#[path = "common/fixtures.rs"]
mod fixtures;

use std::path::PathBuf;

use dryad::gpu::Gpu;
use dryad::render::Targets;
use dryad::viewer::{Command, Notice, Setup, Source, Viewer};
use fixtures::{cube, stick, textured};
use serde_json::json;

/// Opens a file, waits until it is there or has failed, and lets it run and be drawn; says whether it failed.
fn opened(viewer: &mut Viewer, targets: &mut Targets, path: PathBuf) -> bool {
    viewer.send(Command::Open(Source::File(path)));
    viewer.update(0.0);
    while viewer.status().loading.is_some() {
        std::thread::sleep(std::time::Duration::from_millis(1));
        viewer.update(0.0);
    }
    viewer.update(1.0 / 60.0);
    viewer.draw(targets, false).expect("it draws");
    viewer.take_notices().iter().any(|notice| matches!(notice, Notice::Error(_)))
}

#[test]
fn fifty_rounds_of_opening_leave_memory_flat() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    };
    // A picture with many levels, a skin that moves, blended triangles: each kind of resource.
    let mut image = std::io::Cursor::new(Vec::new());
    image::RgbaImage::from_pixel(64, 64, image::Rgba([200, 100, 50, 255]))
        .write_to(&mut image, image::ImageFormat::Png)
        .expect("encodes");
    let a = write("a.glb", textured(&image.into_inner()).to_glb());
    let b = write("b.glb", stick().to_glb());
    let mut blended = cube();
    blended.push("materials", json!({"alphaMode": "BLEND"}));
    blended.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let c = write("c.glb", blended.to_glb());
    let broken = write("broken.glb", b"glTF but not really".to_vec());

    // A device of its own, so that nothing but this test is counted.
    let gpu = Gpu::headless().expect("tests need an adapter");
    let mut viewer = Viewer::new(gpu.clone()).expect("it builds");
    // Growth waits for a plan, which comes when it comes; the rest of a character's share is there at once.
    let set = [("growth.enabled", "false"), ("boids.count", "64"), ("boids.field_resolution", "16")];
    let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
    let setup = Setup { set, ..Default::default() };
    setup.apply(&mut viewer).expect("they fit");
    let mut targets = Targets::new(&gpu, 16, 16, 1);
    // What Dryad counts, and what the driver's allocator does, where there is one that tells.
    let mut held = Vec::new();
    for round in 0..50 {
        for (path, fails) in [(&a, false), (&b, false), (&broken, true), (&a, false), (&c, false)] {
            assert_eq!(opened(&mut viewer, &mut targets, path.clone()), fails, "{}", path.display());
        }
        gpu.wait();
        let allocated = gpu.device.generate_allocator_report().map(|report| report.total_allocated_bytes);
        held.push((viewer.status().gpu_bytes, allocated));
        assert!(round < 3 || held[round].0 == held[2].0, "round {round}: {held:?}");
    }
    // The allocator may keep a staging buffer more or less; a leak of one character a round is a hundred times that.
    let late: Vec<u64> = held[10..].iter().filter_map(|(_, allocated)| *allocated).collect();
    if let (Some(least), Some(most)) = (late.iter().min(), late.iter().max()) {
        assert!(most - least <= 1 << 20, "{late:?}");
    }
}
