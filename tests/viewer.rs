//! The viewer as the window drives it: loads that fail, loads that follow each other, rates of display, undo.

mod common;

use std::path::PathBuf;

use dryad::character::animate::pose;
use dryad::character::cpu_skin::skin;
use dryad::gpu::Gpu;
use dryad::gpu::capture::capture;
use dryad::render::Targets;
use dryad::viewer::{Command, Notice, Setup, Source, Take, Viewer, WarmUp};
use glam::{DVec2, DVec3};

/// A viewer with little to do.
fn viewer() -> Viewer {
    viewer_on(common::gpu().clone())
}

fn viewer_on(gpu: Gpu) -> Viewer {
    let mut viewer = Viewer::new(gpu).expect("it builds");
    let set = [("boids.count", "128"), ("growth.spacing", "0.05"), ("growth.growth", "0.03")];
    let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
    let setup = Setup { set, ..Default::default() };
    assert_eq!(setup.apply(&mut viewer).expect("they fit"), Vec::<String>::new());
    viewer
}

/// Updates until a load has ended; returns what the user was told.
fn settle(viewer: &mut Viewer) -> Vec<Notice> {
    let mut notices = Vec::new();
    for _ in 0..3000 {
        viewer.update(0.0);
        notices.extend(viewer.take_notices());
        if viewer.status().loading.is_none() {
            return notices;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("loading does not end");
}

fn errors(notices: &[Notice]) -> Vec<&String> {
    notices.iter().filter_map(|n| if let Notice::Error(text) = n { Some(text) } else { None }).collect()
}

#[test]
fn a_failed_load_leaves_the_old_scene_running() {
    let mut viewer = viewer();
    viewer.send(Command::Open(Source::BuiltIn));
    assert_eq!(errors(&settle(&mut viewer)), Vec::<&String>::new());
    assert_eq!(viewer.status().character, "dancer");
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken.glb");
    std::fs::write(&broken, b"glTF but not really").expect("written");
    for path in [broken, PathBuf::from("no/such/file.glb")] {
        let name = path.file_name().expect("named").to_string_lossy().into_owned();
        viewer.send(Command::Open(Source::File(path)));
        let notices = settle(&mut viewer);
        let told = errors(&notices);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains(&name), "{told:?}");
        assert_eq!(viewer.status().character, "dancer");
        let tick = viewer.status().tick;
        viewer.update(0.1);
        assert!(viewer.status().tick > tick, "the simulations go on");
        viewer.draw(&mut Targets::new(&viewer.gpu.clone(), 32, 32, 1), false).expect("it draws");
    }
}

/// Frames of a take are those of an undisturbed one when a file that does not load is opened between them, also
/// while another load is on its way.
#[test]
fn a_failed_load_leaves_a_take_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken.glb");
    std::fs::write(&broken, b"glTF but not really").expect("written");
    let frames = |disturbed: bool| {
        let mut viewer = viewer();
        viewer.load_now(Source::BuiltIn).expect("it loads");
        let take = Take { clip: Some(0), time_secs: 0.25, fps: 24.0, warm_up: WarmUp::Ticks(6) };
        let mut state = viewer.begin_take(take, &|_| ()).expect("it begins");
        let mut targets = Targets::new(&viewer.gpu.clone(), 48, 48, 1);
        let mut frames = Vec::new();
        for frame in 0..4 {
            if disturbed && frame > 0 {
                if frame == 2 {
                    viewer.send(Command::Open(Source::BuiltIn));
                }
                viewer.send(Command::Open(Source::File(broken.clone())));
                let notices = settle(&mut viewer);
                assert_eq!(errors(&notices).len(), 1, "{notices:?}");
            }
            viewer.simulate_frame(&mut state, frame).expect("it runs");
            viewer.draw_frame(&mut targets, false).expect("it draws");
            frames.push(capture(&viewer.gpu, targets.picture().raw()).expect("it arrives").rgba);
        }
        assert_eq!(viewer.status().character, "dancer");
        (frames, viewer.status().tick)
    };
    let (plain, disturbed) = (frames(false), frames(true));
    assert!(plain.0[0] != plain.0[3], "something moves");
    assert_eq!(plain.1, disturbed.1, "ticks");
    for (frame, (a, b)) in plain.0.iter().zip(&disturbed.0).enumerate() {
        assert!(a == b, "frame {frame} differs");
    }
}

/// The shown file opened once more is a fresh start of the same, in the same memory.
#[test]
fn the_shown_file_opened_again_starts_afresh() {
    let gpu = Gpu::headless().expect("tests need an adapter");
    let mut viewer = viewer_on(gpu.clone());
    viewer.params.growth.enabled = false;
    let mut targets = Targets::new(&gpu, 32, 32, 1);
    let mut seen = Vec::new();
    for _ in 0..3 {
        viewer.send(Command::Open(Source::BuiltIn));
        assert_eq!(errors(&settle(&mut viewer)), Vec::<&String>::new());
        let started = viewer.status();
        assert_eq!((started.tick, started.clip_secs), (0, 0.0));
        for _ in 0..4 {
            viewer.update(1.0 / 60.0);
        }
        viewer.draw(&mut targets, false).expect("it draws");
        gpu.wait();
        seen.push((viewer.status().tick, viewer.status().gpu_bytes));
    }
    assert!(seen[0].0 > 0, "{seen:?}");
    assert_eq!(seen[1], seen[0]);
    assert_eq!(seen[2], seen[1]);
}

/// GPU memory is the same each time the same file comes back.
#[test]
fn opening_again_and_again_leaks_nothing() {
    let Some(models) = common::shared("models/characters") else { return };
    // A device of its own, so that the ledger counts this test alone.
    let gpu = Gpu::headless().expect("tests need an adapter");
    let mut viewer = viewer_on(gpu.clone());
    let mut targets = Targets::new(&gpu, 64, 64, 1);
    let mut bytes = Vec::new();
    for _ in 0..4 {
        for name in ["RiggedFigure.glb", "SimpleSkin.gltf"] {
            viewer.send(Command::Open(Source::File(models.join(name))));
            assert_eq!(errors(&settle(&mut viewer)), Vec::<&String>::new());
            // Until growth has been planned for the new body.
            for _ in 0..400 {
                viewer.update(1.0 / 60.0);
                if viewer.simulations().growth.branches().is_some() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            viewer.update(1.0 / 60.0);
            viewer.draw(&mut targets, false).expect("it draws");
        }
        gpu.wait();
        bytes.push(viewer.status().gpu_bytes);
    }
    assert_eq!(bytes[1], bytes[2], "{bytes:?}");
    assert_eq!(bytes[2], bytes[3], "{bytes:?}");
}

#[test]
fn pausing_holds_what_it_says_and_a_hitch_is_not_made_up_for() {
    let mut viewer = viewer();
    viewer.params.growth.enabled = false;
    viewer.send(Command::Open(Source::BuiltIn));
    settle(&mut viewer);
    viewer.send(Command::ToggleSimulations);
    viewer.update(0.1);
    let held = viewer.status();
    assert!(!held.simulations_running && held.clip_playing);
    viewer.update(0.1);
    assert_eq!(viewer.status().tick, held.tick);
    assert!(viewer.status().clip_secs > held.clip_secs);
    viewer.send(Command::ToggleClip);
    viewer.send(Command::StepSimulations);
    viewer.update(0.1);
    let stepped = viewer.status();
    assert_eq!(stepped.tick, held.tick + 1);
    viewer.update(5.0);
    assert_eq!(viewer.status().clip_secs, stepped.clip_secs);
    viewer.send(Command::ToggleSimulations);
    viewer.update(5.0);
    assert!(viewer.status().tick <= stepped.tick + 8, "a five-second hitch runs eight ticks at most");
}

#[test]
fn commands_reach_clip_seed_and_parameters() {
    let mut viewer = viewer();
    viewer.send(Command::Open(Source::BuiltIn));
    settle(&mut viewer);
    viewer.send(Command::ToggleClip);
    viewer.send(Command::Seek(1.25));
    viewer.update(0.0);
    assert_eq!(viewer.status().clip_secs, 1.25);
    viewer.send(Command::StepClip(-1));
    viewer.update(0.0);
    // One tick back, up to the rounding of one sixtieth.
    assert!((viewer.status().clip_secs - (1.25 - 1.0 / 60.0)).abs() < 1e-12);
    viewer.send(Command::PlayClip(Some(1)));
    viewer.update(0.0);
    assert_eq!(viewer.status().clip, Some(1));
    viewer.send(Command::PlayClip(Some(999)));
    viewer.update(0.0);
    assert_eq!(viewer.status().clip, None, "a clip that is not there shows the rest pose");
    assert!(!viewer.status().can_undo, "what the start asked for is no change");
    let before = viewer.params.clone();
    viewer.params.view.xray = 0.125;
    viewer.update(0.0);
    viewer.send(Command::Undo);
    viewer.update(0.0);
    assert_eq!(viewer.params, before);
    viewer.send(Command::Redo);
    viewer.send(Command::SetSeed(77));
    viewer.update(0.0);
    assert_eq!((viewer.params.view.xray, viewer.status().seed), (0.125, 77));
}

/// A root clicked onto the posed skin is a point of that skin, which sessions keep, undo takes back and a button clears.
#[test]
fn a_click_on_the_skin_puts_a_root_there() {
    let mut viewer = viewer();
    viewer.send(Command::Open(Source::BuiltIn));
    settle(&mut viewer);
    viewer.send(Command::ToggleClip);
    viewer.send(Command::Seek(0.7));
    let picture_px = DVec2::new(160.0, 200.0);
    let click = |viewer: &mut Viewer, place_px| {
        viewer.send(Command::RootAt { place_px, picture_px });
        viewer.update(0.0);
        viewer.params.growth.root_points.to_string()
    };
    assert_eq!(click(&mut viewer, DVec2::new(2.0, 2.0)), "", "nothing is in the corner");
    assert!(
        viewer.take_notices().iter().any(|n| matches!(n, Notice::Info(text) if text.contains("no skin")))
    );
    // The camera looks at the middle of the character; somewhere on the picture's upright middle line there is skin.
    let places = (20..180).step_by(4).map(|y| DVec2::new(80.0, f64::from(y)));
    let on_skin: Vec<DVec2> = places.filter(|&place| !click(&mut viewer, place).is_empty()).take(1).collect();
    let place = *on_skin.first().expect("the character is in the picture");
    let one = viewer.params.growth.root_points.to_string();
    assert_eq!(one.split(',').count(), 1);
    let two = click(&mut viewer, place + DVec2::new(0.0, 4.0));
    assert!(two.starts_with(&format!("{one}, ")), "{two}");

    // What was clicked is seen where it was clicked.
    let parts: Vec<f64> = one.split(':').map(|part| part.parse().expect("a number")).collect();
    let weights = [1.0 - parts[1] - parts[2], parts[1], parts[2]];
    let data = &viewer.character().expect("loaded").data;
    let posed = skin(data, &pose(data, Some(0), 0.7));
    let corners = &data.indices[parts[0] as usize * 3..][..3];
    let point: DVec3 = (0..3).map(|k| posed.positions[corners[k] as usize].as_dvec3() * weights[k]).sum();
    let camera = viewer.camera.camera(picture_px.x / picture_px.y);
    let met = camera.ray(place, picture_px).nearest_to(point).expect("it is ahead");
    // Weights are written to three digits of triangles of a few centimetres.
    assert!(met.distance(point) < 1e-4, "{met} is not {point}");

    let mut other = self::viewer();
    let setup = Setup { session: Some(viewer.session(false)), ..Default::default() };
    assert_eq!(setup.apply(&mut other).expect("it fits"), Vec::<String>::new());
    assert_eq!(other.params.growth.root_points, viewer.params.growth.root_points);
    viewer.send(Command::Undo);
    viewer.update(0.0);
    assert_eq!(viewer.params.growth.root_points.as_ref(), "");
    viewer.send(Command::Redo);
    viewer.send(Command::ClearRoots);
    viewer.update(0.0);
    assert_eq!(viewer.params.growth.root_points.as_ref(), "");
}

#[test]
fn a_goal_joint_that_is_missing_is_said_once() {
    let mut viewer = viewer();
    viewer.params.growth.enabled = false;
    viewer.params.set_text("boids.goal", "joint").expect("a choice");
    viewer.send(Command::Open(Source::BuiltIn));
    settle(&mut viewer);
    let told = |viewer: &mut Viewer, name: &str| {
        viewer.params.set_text("boids.goal_joint", name).expect("a text");
        viewer.take_notices();
        (0..4).for_each(|_| viewer.update(0.05));
        viewer.take_notices().iter().filter(|n| format!("{n:?}").contains("boids.goal_joint")).count()
    };
    let known = viewer.character().expect("loaded").data.nodes.iter().map(|node| node.name.clone());
    let known = known.rev().find(|name| !name.is_empty()).expect("a name");
    assert_eq!(told(&mut viewer, &known), 0);
    assert_eq!(told(&mut viewer, "no such joint"), 1);
    assert_eq!(told(&mut viewer, "0"), 0);
    assert_eq!(told(&mut viewer, "99999"), 1);
}
