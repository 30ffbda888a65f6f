//! Exported branches, read back as anyone would read them: the character as it came, and rings that go where the
//! nodes go.

mod common;
#[path = "common/fixtures.rs"]
mod fixtures;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::{compute, gpu, shaders};
use dryad::character::animate::{pose, rest_pose};
use dryad::character::cpu_skin::skin;
use dryad::character::data::{CharacterData, Pose};
use dryad::character::load::{Package, Progress, load, load_bytes};
use dryad::character::{Character, SkinnedSurface};
use dryad::export::{ExportOptions, ExportRequest, Grown, grow};
use dryad::sim::SimInputs;
use dryad::sim::growth::{Growth, GrowthParams};
use dryad::viewer::Source;
use fixtures::difference;
use glam::{DVec3, Vec3};
use serde_json::{Value, json};

/// Parameters under which a body of H takes a second to grow.
fn coarse() -> GrowthParams {
    GrowthParams { spacing: 0.04, influence: 0.12, growth: 0.04, kill: 0.028, ..Default::default() }
}

fn request(source: Source, data: CharacterData, options: ExportOptions) -> ExportRequest {
    ExportRequest { source, character: Arc::new(Character::new(data)), params: coarse(), seed: 3, options }
}

fn file(path: &Path) -> ExportRequest {
    let data = load(path, &Progress::new()).expect("it loads");
    request(Source::File(path.to_path_buf()), data, ExportOptions::default())
}

fn dancer(options: ExportOptions) -> ExportRequest {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/dancer.glb");
    let data = load(&path, &Progress::new()).expect("it loads");
    request(Source::BuiltIn, data, options)
}

/// World positions of the nodes in a pose, skinned linearly by what carries them.
fn linear(grown: &Grown, pose: &Pose) -> Vec<Vec3> {
    let posed = |node: usize| {
        let (influences, bind_from_world) = grown.carrier(node);
        let bind = bind_from_world.transform_point3(grown.twigs[node].position);
        let joints = influences.joints.iter().zip(influences.weights);
        let moved = joints.map(|(&joint, weight)| {
            pose.palette[usize::from(joint)].as_dmat4().transform_point3(bind) * f64::from(weight)
        });
        moved.sum::<DVec3>().as_vec3()
    };
    (0..grown.nodes.len()).map(posed).collect()
}

/// World positions of the nodes as Dryad draws them at rest, with everything grown.
fn drawn_at_rest(request: &ExportRequest, grown: &Grown) -> Vec<Vec3> {
    let (data, extent) = (&request.character.data, request.character.rest.extent);
    let surface = SkinnedSurface::new(gpu(), shaders(), data).expect("it builds");
    let mut growth = Growth::new(gpu(), shaders()).expect("it builds");
    growth.install(gpu(), grown.plan.clone(), &request.params).expect("it installs");
    let inputs = SimInputs {
        surface: &surface,
        tick: 0,
        dt_secs: 1.0 / 60.0,
        seed: request.seed,
        extent_m: extent,
        center: Vec3::ZERO,
        goal: None,
    };
    // Long after the last node was born, so that all are ripe.
    let last = grown.nodes.iter().map(|node| node.birth).max().expect("nodes") + 60;
    while growth.ticks() < last {
        compute(|pass| growth.tick(gpu(), pass, &inputs, &request.params));
    }
    surface.set_pose(gpu(), &rest_pose(data));
    compute(|pass| {
        surface.skin(pass);
        growth.pose(gpu(), pass, &surface, f64::from(last), extent, &request.params).expect("it binds");
    });
    let branches = growth.branches().expect("installed");
    let nodes = branches.nodes.read_range(gpu(), 0..branches.count.read(gpu())[0] as usize);
    assert_eq!(nodes.len(), grown.nodes.len());
    nodes.iter().map(|node| Vec3::from(node.position)).collect()
}

/// Exports, reads the file back and compares the middles of all rings at nodes with the nodes' own way by the same
/// weights, at three times of the first clip. Returns what was read back.
fn assert_follows(request: &ExportRequest) -> CharacterData {
    let grown =
        grow(gpu(), &request.character, &request.params, request.seed, &Progress::new()).expect("it grows");
    let (glb, summary) = request.pack(&grown, &Progress::new()).expect("it packs");
    let mesh = request.mesh(&grown);
    let name = &request.character.data.name;
    let back = load_bytes(&glb, "back", &Progress::new()).expect("Dryad reads what it writes");
    let primitive = back.primitives.last().expect("branches");
    assert_eq!(back.nodes[primitive.node as usize].name, "branches");
    assert_eq!(primitive.accessor_vertex_count as usize, mesh.vertices.len());
    assert_eq!(summary.nodes, grown.nodes.len());

    let clip = (!back.clips.is_empty()).then_some(0);
    let duration = clip.map_or(0.0, |clip| back.clips[clip].duration_secs);
    // One part in ten thousand of H, as promised; f32 positions of bodies metres from the origin are ten times
    // better than that.
    let tolerance = 1e-4 * request.character.rest.extent;
    let times = [0.0, 0.37, 0.9].map(|part| part * duration);
    let drawn = drawn_at_rest(request, &grown);
    let rest = linear(&grown, &rest_pose(&request.character.data));
    let worst = difference(&drawn, &rest);
    assert!(worst <= tolerance, "{name}: at rest, nodes are drawn {worst} off");
    for time_secs in times {
        let expected = linear(&grown, &pose(&request.character.data, clip, time_secs));
        let skinned = skin(&back, &pose(&back, clip, time_secs)).positions;
        let branches = &skinned[primitive.first_vertex as usize..];
        let mut seen = vec![false; expected.len()];
        for bound in mesh.rings.iter().filter(|bound| bound.ring.full && bound.ring.from == bound.ring.to) {
            let ring = &bound.ring;
            let run = &branches[ring.first_vertex as usize..][..ring.vertex_count as usize];
            let middle = run.iter().sum::<Vec3>() / run.len() as f32;
            let node = ring.from as usize;
            let off = middle.distance(expected[node]);
            assert!(off <= tolerance, "{name}: node {node} is {off} off at {time_secs} s");
            seen[node] = true;
        }
        assert!(seen.iter().all(|seen| *seen), "{name}: every node has a ring");
        // The character itself goes where it went.
        if !request.options.branches_only {
            let before =
                skin(&request.character.data, &pose(&request.character.data, clip, time_secs)).positions;
            assert_eq!(before.len(), primitive.first_vertex as usize, "{name}");
            let worst = difference(&before, &skinned[..before.len()]);
            assert!(worst <= 1e-6 * request.character.rest.extent, "{name}: the body is {worst} off");
        }
    }
    back
}

#[test]
fn the_dancers_branches_follow_its_clips() {
    let request = dancer(ExportOptions { sides: 5, rings: 3, branches_only: false });
    let back = assert_follows(&request);
    let data = &request.character.data;
    assert_eq!(back.clips.len(), data.clips.len());
    assert_eq!(back.materials.len(), data.materials.len() + 1);
}

/// Skeleton and clips without the character: nothing of its meshes is left, and all nodes keep their places.
#[test]
fn branches_alone_keep_the_skeleton_and_its_clips() {
    let request = dancer(ExportOptions { branches_only: true, ..ExportOptions::default() });
    let back = assert_follows(&request);
    assert_eq!(back.primitives.len(), 1);
    assert_eq!(back.clips.len(), request.character.data.clips.len());
    assert!(back.images.is_empty());
}

/// Props on joints, several skins, strange scales: strangers' characters.
#[test]
fn strangers_characters_keep_their_branches() {
    let Some(models) = common::shared("models") else { return };
    for name in ["CesiumMan.glb", "Fox.glb", "KayKit_Knight.glb"] {
        let mut request = file(&models.join("characters").join(name));
        request.params.spacing = 0.06;
        request.params.growth = 0.06;
        request.params.kill = 0.04;
        assert_follows(&request);
    }
}

/// A cube on a node, and the stick on its skin, whose first joint the cube's node is too: no skin can name that node
/// twice, so the cube's branches get a node beside it; and both have roots of their own.
#[test]
fn parts_that_share_a_joint_but_not_their_binding_and_have_two_roots() {
    let mut gltf = fixtures::cube();
    let positions: Vec<Vec3> = fixtures::cube_positions().iter().map(|p| *p * 0.5 + Vec3::Y * 4.0).collect();
    let position = gltf.vec3s(&positions);
    let indices = gltf.u16s(&fixtures::cube_indices(), "SCALAR");
    let joints = gltf.u16s(&[[0, 1, 0, 0]; 8].concat(), "VEC4");
    let weights = gltf.floats(&[[0.5, 0.5, 0.0, 0.0]; 8].concat(), "VEC4");
    let inverse = |m: glam::Mat4| m.inverse().to_cols_array();
    let inverses = gltf.floats(
        &[inverse(glam::Mat4::from_translation(Vec3::X)), inverse(glam::Mat4::from_translation(Vec3::Y))]
            .concat(),
        "MAT4",
    );
    let times = gltf.floats(&[0.0, 1.0], "SCALAR");
    let turns = gltf.floats(&[fixtures::about_z(0.0), fixtures::about_z(70.0)].concat(), "VEC4");
    let mesh = gltf.push(
        "meshes",
        json!({"primitives": [{
            "attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights},
            "indices": indices,
        }]}),
    );
    gltf.push("skins", json!({"joints": [0, 1], "inverseBindMatrices": inverses}));
    let joint = gltf.push("nodes", json!({"translation": [0, 1, 0]}));
    let skinned = gltf.push("nodes", json!({"mesh": mesh, "skin": 0}));
    assert_eq!(joint, 1);
    gltf.json["scenes"][0]["nodes"] = json!([0, joint, skinned]);
    gltf.push(
        "animations",
        json!({
            "channels": [
                {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
                {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
            ],
            "samplers": [{"input": times, "output": turns}],
        }),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("parts.glb");
    std::fs::write(&path, gltf.to_glb()).expect("written");
    let request = file(&path);
    assert_follows(&request);
    let (glb, _) = request.run(&Progress::new()).expect("it exports");
    let json = Package::from_bytes(&glb, "back", &Progress::new()).expect("a package").json;
    let skin = json["skins"].as_array().and_then(|skins| skins.last()).expect("a skin");
    let mut joints: Vec<u64> =
        skin["joints"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    assert_eq!(joints.len(), 3);
    joints.dedup();
    assert_eq!(joints.len(), 3, "every joint is named once");
    // One root for all joints.
    let roots = json["scenes"][0]["nodes"].as_array().expect("roots");
    assert_eq!(roots.len(), 2, "the wrapped scene and the branches");
}

/// Buffers and images beside a `.gltf`, and whatever else its JSON holds.
#[test]
fn external_files_are_embedded_and_foreign_json_is_kept() {
    let mut gltf = fixtures::cube();
    gltf.push("images", json!({"uri": "a%20b.png"}));
    gltf.push("textures", json!({"source": 0}));
    gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    gltf.json["extras"] = json!({"author": "someone", "numbers": [0.1, 1e-3]});
    gltf.json["extensionsUsed"] = json!(["VENDOR_thing"]);
    gltf.json["nodes"][0]["extensions"] = json!({"VENDOR_thing": {"key": 7}});
    let mut json = gltf.json.clone();
    json["buffers"] = json!([{"byteLength": gltf.bin.len(), "uri": "cube.bin"}]);
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("cube.gltf"), json.to_string()).expect("written");
    std::fs::write(at("cube.bin"), &gltf.bin).expect("written");
    let image = b"\x89PNG\r\n\x1a\nnot a picture, but kept as it is";
    std::fs::write(at("a b.png"), image).expect("written");

    let (glb, _) = file(&at("cube.gltf")).run(&Progress::new()).expect("it exports");
    let package = Package::from_bytes(&glb, "back", &Progress::new()).expect("a package");
    let back = &package.json;
    assert_eq!(back["extras"], json["extras"]);
    assert_eq!(back["extensionsUsed"], json["extensionsUsed"]);
    assert_eq!(back["nodes"][0], json["nodes"][0]);
    assert_eq!(back["meshes"][0], json["meshes"][0]);
    assert_eq!(back["images"][0]["mimeType"], "image/png");
    assert!(back["images"][0].get("uri").is_none() && back["buffers"][0].get("uri").is_none());
    let view = &back["bufferViews"][back["images"][0]["bufferView"].as_u64().expect("a view") as usize];
    let offset = view["byteOffset"].as_u64().expect("an offset") as usize;
    assert_eq!(&package.bin[offset..offset + image.len()], image);
    assert_eq!(&package.bin[..gltf.bin.len()], gltf.bin);
}

/// The format's own rules for what Dryad adds.
#[test]
fn attributes_keep_the_rules_of_the_format() {
    let request = dancer(ExportOptions { sides: 3, rings: 1, branches_only: true });
    let (glb, summary) = request.run(&Progress::new()).expect("it exports");
    let package = Package::from_bytes(&glb, "back", &Progress::new()).expect("a package");
    let json = &package.json;
    let primitive = &json["meshes"][0]["primitives"][0];
    let names: Vec<&String> = primitive["attributes"].as_object().expect("attributes").keys().collect();
    for name in
        ["POSITION", "NORMAL", "COLOR_0", "JOINTS_0", "WEIGHTS_0", "_RADIUS", "_AGE", "_DEPTH", "_ORDER"]
    {
        assert!(names.iter().any(|known| *known == name), "{name} is missing in {names:?}");
    }
    let floats = |accessor: &Value| -> Vec<f32> {
        let accessor = &json["accessors"][accessor.as_u64().expect("an index") as usize];
        let width = if accessor["type"] == "SCALAR" {
            1
        } else if accessor["type"] == "VEC3" {
            3
        } else {
            4
        };
        let count = accessor["count"].as_u64().expect("a count") as usize * width;
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().expect("a view") as usize];
        let offset = view["byteOffset"].as_u64().expect("an offset") as usize;
        let bytes = package.bin[offset..offset + 4 * count].chunks_exact(4);
        bytes.map(|b| f32::from_le_bytes(b.try_into().expect("four"))).collect()
    };
    let attribute = |name: &str| floats(&primitive["attributes"][name]);
    let sums: Vec<f32> = (0..2)
        .filter(|set| names.iter().any(|name| **name == format!("WEIGHTS_{set}")))
        .map(|set| attribute(&format!("WEIGHTS_{set}")))
        .fold(vec![0.0; summary.vertices], |sums, weights| {
            sums.iter().zip(weights.chunks_exact(4)).map(|(sum, w)| sum + w.iter().sum::<f32>()).collect()
        });
    // The validator's own threshold for eight floats.
    assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 2e-6), "weights add up to one");
    let normals = attribute("NORMAL");
    assert!(normals.chunks_exact(3).all(|n| (Vec3::from_slice(n).length() - 1.0).abs() < 1e-5));
    let extent = request.character.rest.extent;
    assert!(
        attribute("_RADIUS").iter().all(|r| *r > 0.0 && *r <= request.params.max_radius * extent * 1.001)
    );
    assert!(attribute("_AGE").iter().all(|age| *age > 0.0 && *age < 600.0));
    // Trees of some hundred tips have forks of forks.
    assert!(attribute("_ORDER").iter().any(|order| *order >= 3.0));
}

#[test]
fn the_command_writes_a_file_and_never_over_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let model: PathBuf = folder.path().join("model.glb");
    std::fs::write(&model, fixtures::cube().to_glb()).expect("written");
    let dryad = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_dryad"))
            .arg("export")
            .args(args)
            .output()
            .expect("the program starts")
    };
    let text = model.to_string_lossy();
    let out = folder.path().join("out.glb");
    let out = out.to_string_lossy();
    let coarse = ["--set", "growth.spacing=0.1", "--set", "growth.growth=0.1", "--quiet"];
    assert_eq!(dryad(&[&text, "--out", &text]).status.code(), Some(2), "over the model");
    assert_eq!(dryad(&[&text, "--out", "x.gltf"]).status.code(), Some(2), "only GLB is written");
    assert_eq!(dryad(&[&text, "--out", &out, "--sides", "2"]).status.code(), Some(2));
    let done = dryad(&[&[&text, "--out", &out, "--seed", "5"], &coarse[..]].concat());
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let once = std::fs::read(&*out).expect("written");
    assert_eq!(dryad(&[&[&text, "--out", &out, "--seed", "5"], &coarse[..]].concat()).status.code(), Some(0));
    assert_eq!(std::fs::read(&*out).expect("written"), once, "the same bytes again");
    assert_eq!(std::fs::read(&model).expect("there"), fixtures::cube().to_glb());
}
