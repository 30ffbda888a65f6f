//! What a file offers to choose from: variants of its materials, its cameras, its lights.

mod common;
#[path = "common/fixtures.rs"]
mod fixtures;

use std::path::{Path, PathBuf};

use dryad::gpu::capture::{Picture, capture};
use dryad::render::Targets;
use dryad::viewer::{Command, Notice, Pick, Setup, Source, Viewer};
use fixtures::{Gltf, cube};
use serde_json::json;

/// A red cube that is green in the variant "Grass" and stays red in "Rose", with two cameras: "Film" moves from
/// x = 0 to x = 0.5, 3 m before the cube; "Plan" looks straight down without perspective, its picture 4 m high.
fn box_of_choices() -> Gltf {
    let mut gltf = cube();
    for color in [[1, 0, 0, 1], [0, 1, 0, 1]] {
        gltf.push(
            "materials",
            json!({
                "pbrMetallicRoughness": {"baseColorFactor": color},
                "extensions": {"KHR_materials_unlit": {}},
            }),
        );
    }
    let primitive = &mut gltf.json["meshes"][0]["primitives"][0];
    primitive["material"] = json!(0);
    primitive["extensions"] =
        json!({"KHR_materials_variants": {"mappings": [{"material": 1, "variants": [1]}]}});
    gltf.json["extensions"] =
        json!({"KHR_materials_variants": {"variants": [{"name": "Rose"}, {"name": "Grass"}]}});
    gltf.json["cameras"] = json!([
        {"name": "Film", "type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.01}},
        {"name": "Plan", "type": "orthographic",
         "orthographic": {"xmag": 2, "ymag": 2, "znear": 0.1, "zfar": 9}},
    ]);
    gltf.push("nodes", json!({"camera": 0, "translation": [0, 0, 3]}));
    let down = std::f32::consts::FRAC_1_SQRT_2;
    gltf.push("nodes", json!({"camera": 1, "translation": [0, 3, 0], "rotation": [-down, 0, 0, down]}));
    gltf.json["scenes"][0]["nodes"] = json!([0, 1, 2]);
    let times = gltf.floats(&[0.0, 1.0], "SCALAR");
    let places = gltf.floats(&[0.0, 0.0, 3.0, 0.5, 0.0, 3.0], "VEC3");
    gltf.push(
        "animations",
        json!({
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
            "samplers": [{"input": times, "output": places}],
        }),
    );
    gltf
}

fn written(folder: &Path) -> PathBuf {
    let path = folder.join("choices.glb");
    std::fs::write(&path, box_of_choices().to_glb()).expect("written");
    path
}

/// A viewer that shows the file as the command line asks, without simulations and ground.
fn viewer(path: PathBuf, variant: Option<&str>, camera: Option<&str>) -> Viewer {
    let mut viewer = Viewer::new(common::gpu().clone()).expect("it builds");
    let off = ["growth.enabled", "boids.enabled", "wrinkles.enabled", "view.grid"];
    let mut set: Vec<_> = off.map(|path| (path.to_owned(), "false".to_owned())).to_vec();
    set.push(("view.xray".into(), "0".into()));
    set.push(("light.tone_map".into(), "none".into()));
    let pick = |text: Option<&str>| text.map(|text| text.parse::<Pick>().expect("any text"));
    let (variant, camera) = (pick(variant), pick(camera));
    let setup = Setup { source: Source::File(path.clone()), set, variant, camera, ..Default::default() };
    setup.apply(&mut viewer).expect("they fit");
    viewer.load_now(Source::File(path)).expect("it loads");
    viewer
}

fn picture(viewer: &mut Viewer) -> Picture {
    viewer.update(0.0);
    let mut targets = Targets::new(&viewer.gpu, 64, 64, 1);
    viewer.draw(&mut targets, true).expect("it draws");
    capture(&viewer.gpu, targets.picture().raw()).expect("it arrives")
}

fn middle(picture: &Picture) -> [u8; 3] {
    let at = ((32 * picture.width + 32) * 4) as usize;
    picture.rgba[at..at + 3].try_into().expect("three bytes")
}

/// Columns or rows of the picture that show something.
fn covered(picture: &Picture, across: bool) -> std::ops::RangeInclusive<u32> {
    let shown = |along: u32| {
        (0..64).any(|other| {
            let (x, y) = if across { (along, other) } else { (other, along) };
            picture.rgba[((y * 64 + x) * 4 + 3) as usize] > 0
        })
    };
    let first = (0..64).find(|&at| shown(at)).expect("something is shown");
    first..=(0..64).rev().find(|&at| shown(at)).expect("something is shown")
}

#[test]
fn a_variant_changes_the_materials_at_once_and_lives_in_the_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path());
    let mut viewer = viewer(path.clone(), None, None);
    assert_eq!(viewer.status().variants, ["Rose", "Grass"]);
    assert_eq!(middle(&picture(&mut viewer)), [255, 0, 0], "as it is");
    viewer.send(Command::ShowVariant(Some(1)));
    assert_eq!(middle(&picture(&mut viewer)), [0, 255, 0], "Grass");
    let session = viewer.session(true);
    assert_eq!(session.variant.as_deref(), Some("Grass"));
    viewer.send(Command::ShowVariant(Some(0)));
    assert_eq!(middle(&picture(&mut viewer)), [255, 0, 0], "Rose names no material");
    viewer.send(Command::ShowVariant(Some(9)));
    assert_eq!(middle(&picture(&mut viewer)), [255, 0, 0], "no such variant");
    assert_eq!(viewer.session(true).variant, None);

    let mut again = Viewer::new(common::gpu().clone()).expect("it builds");
    let setup = Setup { source: Source::File(path.clone()), session: Some(session), ..Default::default() };
    setup.apply(&mut again).expect("they fit");
    again.load_now(Source::File(path)).expect("it loads");
    assert_eq!(again.status().variant, Some(1));
    assert_eq!(middle(&picture(&mut again)), [0, 255, 0], "restored");
}

#[test]
fn the_command_line_chooses_by_name_or_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path());
    for wanted in ["Grass", "1"] {
        let mut viewer = viewer(path.clone(), Some(wanted), None);
        assert_eq!(middle(&picture(&mut viewer)), [0, 255, 0], "{wanted}");
    }
    let mut wrong = viewer(path, Some("Moss"), Some("7"));
    let told = wrong.take_notices();
    let names = |part: &str| told.iter().any(|n| matches!(n, Notice::Error(text) if text.contains(part)));
    assert!(names("Rose, Grass") && names("2 cameras"), "{told:?}");
}

#[test]
fn a_camera_of_the_file_follows_its_node_and_hands_over_to_a_drag() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut viewer = viewer(written(folder.path()), None, Some("Film"));
    viewer.send(Command::ToggleClip);
    // The near face, 1 m wide, lies 2.5 m away; 64 pixels span 2 * 2.5 * tan(0.5) m of its plane: 23.4 pixels.
    let start = picture(&mut viewer);
    assert_eq!(covered(&start, true), 20..=43);
    assert_eq!(covered(&start, false), 20..=43);
    viewer.send(Command::Seek(1.0));
    let moved = picture(&mut viewer);
    // Half a metre to the left in the near face's plane: 11.7 pixels.
    assert_eq!(covered(&moved, true), 9..=31);
    assert_eq!(covered(&moved, false), 20..=43, "its height stays");
    let session = viewer.session(true);
    assert_eq!(session.model_camera.as_deref(), Some("Film"));

    // A drag takes over from where the camera stands.
    viewer.look_freely();
    assert_eq!(viewer.status().camera, None);
    let free = picture(&mut viewer);
    assert_eq!(covered(&free, true), covered(&moved, true), "nothing jumps");
    viewer.send(Command::Seek(0.0));
    assert_eq!(covered(&picture(&mut viewer), true), covered(&moved, true), "it does not follow any more");
}

#[test]
fn a_camera_of_broken_numbers_shows_what_the_sound_one_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let seen = |more: serde_json::Value| {
        let mut gltf = box_of_choices();
        let lens = gltf.json["cameras"][0]["perspective"].as_object_mut().expect("an object");
        lens.extend(more.as_object().expect("an object").clone());
        let path = folder.path().join("broken.glb");
        std::fs::write(&path, gltf.to_glb()).expect("written");
        picture(&mut viewer(path, None, Some("Film"))).rgba
    };
    let sound = seen(json!({}));
    assert!(sound.iter().any(|&byte| byte > 0), "the cube is in the picture");
    for broken in [json!({"aspectRatio": 0}), json!({"aspectRatio": -2, "zfar": 0.001})] {
        assert!(seen(broken.clone()) == sound, "{broken}");
    }
}

#[test]
fn an_orthographic_camera_of_the_file_shows_its_box_in_true_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut viewer = viewer(written(folder.path()), None, Some("1"));
    // Four metres are 64 pixels: a metre is 16, whatever its distance.
    let plan = picture(&mut viewer);
    assert_eq!((covered(&plan, true), covered(&plan, false)), (24..=39, 24..=39));
    viewer.look_freely();
    assert_eq!(viewer.params.view.projection, 1);
    let free = picture(&mut viewer);
    // An orbit stays a thousandth of a radian from the pole.
    assert_eq!((covered(&free, true), covered(&free, false)), (24..=39, 24..=39));
}

#[test]
fn more_lights_than_are_drawn_are_told() {
    let mut gltf = cube();
    let lights: Vec<_> = (0..9).map(|i| json!({"type": "point", "intensity": i + 1})).collect();
    gltf.json["extensions"] = json!({"KHR_lights_punctual": {"lights": lights}});
    for light in 0..9 {
        let node = json!({"translation": [0, 0, 3], "extensions": {"KHR_lights_punctual": {"light": light}}});
        let node = gltf.push("nodes", node);
        gltf.json["scenes"][0]["nodes"].as_array_mut().expect("a list").push(json!(node));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lit.glb");
    std::fs::write(&path, gltf.to_glb()).expect("written");
    let mut viewer = viewer(path, None, None);
    let told = viewer.take_notices();
    let sentence = "the file has 9 lights; the 8 brightest are drawn";
    assert!(told.contains(&Notice::Info(sentence.into())), "{told:?}");
    viewer.send(Command::LookFrom(dryad::viewer::ViewDirection::Front));
    viewer.params.light.ambient = 0.0;
    viewer.params.light.key = 0.0;
    // Eight metal-free white lights on a white metal: bright, neither black nor blown out.
    let lit = middle(&picture(&mut viewer))[0];
    viewer.params.light.file_lights = false;
    assert_eq!(middle(&picture(&mut viewer)), [0, 0, 0], "switched off");
    assert!(lit > 60, "{lit}");
}
