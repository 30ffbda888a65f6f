//! Skins, weights, vertex formats, modes, normals, morph targets and node graphs, one thing changed at a time.

#[path = "common/fixtures.rs"]
mod fixtures;

use dryad::character::animate::{pose, rest_pose};
use dryad::character::cpu_skin::{bounds, extent, skin};
use dryad::character::data::{CharacterData, Influences};
use fixtures::*;
use glam::{Vec2, Vec3};
use serde_json::json;

/// Rounding of a few 32-bit operations on lengths of about 1.
const ROUNDING: f32 = 1e-6;

fn has_warning(data: &CharacterData, part: &str) -> bool {
    data.warnings.iter().any(|warning| warning.contains(part))
}

/// Asserts that two files pose alike at the start, the middle and the end of the clip.
fn assert_same_poses(a: &CharacterData, b: &CharacterData, tolerance: f32, what: &str) {
    for time_secs in [0.0, 0.5, 1.0] {
        let error = difference(&positions(a, Some(0), time_secs), &positions(b, Some(0), time_secs));
        assert!(error <= tolerance, "{what} at {time_secs} s: {error}");
    }
}

#[test]
fn the_stick_bends_as_computed_by_hand() {
    let data = stick().loaded();
    assert_eq!(difference(&positions(&data, None, 0.0), &stick_positions()), 0.0);
    // At 90 degrees the upper joint takes (x, 1 + y) to (-y, 1 + x); the top follows it wholly.
    let end = positions(&data, Some(0), 1.0);
    assert!((end[8] - Vec3::new(-1.0, 0.5, 0.0)).length() < ROUNDING, "{}", end[8]);
    assert!((end[9] - Vec3::new(-1.0, 1.5, 0.0)).length() < ROUNDING, "{}", end[9]);
    // A vertex of the middle row is halfway between staying and turning.
    assert!((end[4] - Vec3::new(-0.25, 0.75, 0.0)).length() < ROUNDING, "{}", end[4]);
    assert!((extent(&data) - 2.0).abs() < ROUNDING);
    let normals = skin(&data, &pose(&data, Some(0), 1.0)).normals;
    assert!(normals.iter().all(|normal| (*normal - Vec3::Z).length() < ROUNDING));
}

#[test]
fn g01_a_skinned_mesh_ignores_its_own_node() {
    let plain = stick().loaded();
    let moved = |scale: [f32; 3]| {
        let mut gltf = stick();
        gltf.json["nodes"][0]["translation"] = json!([0, 1, 0]);
        gltf.json["nodes"][0]["scale"] = json!(scale);
        let child_mesh = cube();
        let offset = gltf.vec3s(&cube_positions());
        drop(child_mesh);
        let mesh =
            gltf.push("meshes", json!({"primitives": [{"attributes": {"POSITION": offset}, "mode": 0}]}));
        let child = gltf.push("nodes", json!({"mesh": mesh}));
        gltf.json["nodes"][0]["children"] = json!([child]);
        let parent = gltf.push("nodes", json!({"translation": [1, 0, 0], "children": [0]}));
        gltf.json["scenes"][0]["nodes"] = json!([parent, 1]);
        let times = gltf.floats(&[0.0, 1.0], "SCALAR");
        let steps = gltf.floats(&[0.0, 1.0, 0.0, 0.0, 1.0, 7.0], "VEC3");
        let animation = &mut gltf.json["animations"][0];
        animation["samplers"].as_array_mut().expect("a list").push(json!({"input": times, "output": steps}));
        let channel = json!({"sampler": 1, "target": {"node": 0, "path": "translation"}});
        animation["channels"].as_array_mut().expect("a list").push(channel);
        gltf.loaded()
    };
    for scale in [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]] {
        let data = moved(scale);
        for time_secs in [0.0, 0.5, 1.0] {
            let mine = positions(&data, Some(0), time_secs);
            assert_eq!(difference(&mine[..10], &positions(&plain, Some(0), time_secs)), 0.0, "{scale:?}");
        }
        if scale[0] > 0.0 {
            let child = positions(&data, Some(0), 1.0)[10];
            let expected = cube_positions()[0] + Vec3::new(1.0, 1.0, 7.0);
            assert!((child - expected).length() < ROUNDING, "the unskinned child is at {child}");
        }
    }
}

#[test]
fn g02_a_skin_without_inverse_bind_matrices() {
    let mut gltf = stick();
    gltf.json["skins"][0].as_object_mut().expect("an object").remove("inverseBindMatrices");
    let data = gltf.loaded();
    assert!(data.palette.iter().all(|entry| entry.bind_inverse == glam::DMat4::IDENTITY));
    // The upper joint stands at y = 1, and nothing takes that back.
    assert!((positions(&data, None, 0.0)[8] - Vec3::new(-0.5, 3.0, 0.0)).length() < ROUNDING);
}

#[test]
fn too_few_inverse_bind_matrices_are_an_error_and_more_are_not() {
    let mut gltf = stick();
    let accessor = gltf.json["skins"][0]["inverseBindMatrices"].as_u64().expect("an index") as usize;
    gltf.json["accessors"][accessor]["count"] = json!(1);
    let error = gltf.load().expect_err("too few").to_string();
    assert!(error.contains("skin 0") && error.contains("only 1"), "{error}");

    let mut gltf = stick();
    let three = gltf.floats(&[glam::Mat4::IDENTITY.to_cols_array(); 3].concat(), "MAT4");
    gltf.json["skins"][0]["inverseBindMatrices"] = json!(three);
    assert!(has_warning(&gltf.loaded(), "3 inverse bind matrices"));
}

#[test]
fn g03_weights_that_do_not_sum_to_one() {
    let with_weights = |weights: Vec<[f32; 4]>| {
        let mut gltf = stick();
        let accessor = gltf.floats(weights.as_flattened(), "VEC4");
        gltf.attributes(0, 0)["WEIGHTS_0"] = json!(accessor);
        gltf.loaded()
    };
    let mut zeros = stick_weights();
    zeros[8] = [0.0; 4];
    zeros[9] = [0.0; 4];
    let data = with_weights(zeros);
    assert!(has_warning(&data, "2 vertices whose weights sum to zero"), "{:?}", data.warnings);
    assert_eq!(data.vertices.influences[8], Influences::rigid(0));
    assert_eq!(positions(&data, Some(0), 1.0)[8], stick_positions()[8]);

    let data =
        with_weights(stick_weights().iter().map(|weights| weights.map(|weight| weight * 0.9)).collect());
    assert_same_poses(&data, &stick().loaded(), ROUNDING, "sums of 0.9");
    let data =
        with_weights(stick_weights().iter().map(|weights| weights.map(|weight| weight * -1.0)).collect());
    assert!(has_warning(&data, "negative"), "{:?}", data.warnings);

    let mut gltf = stick();
    let bytes = [[128u8, 128, 0, 0]; 10].concat();
    let accessor = gltf.accessor(&bytes, U8, "VEC4", 10);
    gltf.json["accessors"][accessor]["normalized"] = json!(true);
    gltf.attributes(0, 0)["WEIGHTS_0"] = json!(accessor);
    let data = gltf.loaded();
    assert!(data.vertices.influences.iter().all(|one| one.weights[..3] == [0.5, 0.5, 0.0]));
    // A rigid half-and-half: no vertex of a row moves against its neighbour.
    let end = positions(&data, Some(0), 1.0);
    let edge = |positions: &[Vec3], row: usize| (positions[2 * row + 1] - positions[2 * row]).length();
    for row in 1..5 {
        assert!((edge(&end, row) - edge(&end, 0)).abs() < ROUNDING);
    }
}

#[test]
fn g04_joints_weights_and_indices_in_every_format() {
    let plain = stick().loaded();
    let weights_u8 = |weights: [f32; 4]| weights.map(|weight| (weight * 255.0).round() as u8);
    let weights_u16 = |weights: [f32; 4]| weights.map(|weight| (weight * 65535.0).round() as u16);

    let mut gltf = stick();
    let joints = gltf.accessor(&[[0u8, 1, 0, 0]; 10].concat(), U8, "VEC4", 10);
    gltf.attributes(0, 0)["JOINTS_0"] = json!(joints);
    assert_same_poses(&gltf.loaded(), &plain, 0.0, "joints as u8");

    let mut gltf = stick();
    let joints = gltf.floats(&[[0.0, 1.0, 0.0, 0.0]; 10].concat(), "VEC4");
    gltf.attributes(0, 0)["JOINTS_0"] = json!(joints);
    assert_same_poses(&gltf.loaded(), &plain, 0.0, "joints as f32");

    for stride in [20, 28] {
        // Weights, then joints, then padding.
        let mut gltf = stick();
        let mut bytes = Vec::new();
        for weights in stick_weights() {
            let start = bytes.len();
            bytes.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
            bytes.extend([0u8, 1, 0, 0]);
            bytes.resize(start + stride, 0xEE);
        }
        let view = gltf.view(&bytes, Some(stride));
        let accessor = |offset: usize, component: u32| json!({"bufferView": view, "byteOffset": offset, "componentType": component, "type": "VEC4", "count": 10});
        let weights = gltf.push("accessors", accessor(0, F32));
        let joints = gltf.push("accessors", accessor(16, U8));
        gltf.attributes(0, 0)["JOINTS_0"] = json!(joints);
        gltf.attributes(0, 0)["WEIGHTS_0"] = json!(weights);
        assert_same_poses(&gltf.loaded(), &plain, 0.0, "interleaved");
    }

    let mut gltf = stick();
    let bytes: Vec<u8> = stick_weights().into_iter().flat_map(weights_u8).collect();
    let weights = gltf.accessor(&bytes, U8, "VEC4", 10);
    gltf.json["accessors"][weights]["normalized"] = json!(true);
    gltf.attributes(0, 0)["WEIGHTS_0"] = json!(weights);
    assert_same_poses(&gltf.loaded(), &plain, 1.0 / 255.0, "weights as u8");

    let mut gltf = stick();
    let bytes: Vec<u8> =
        stick_weights().into_iter().flat_map(weights_u16).flat_map(u16::to_le_bytes).collect();
    let weights = gltf.accessor(&bytes, U16, "VEC4", 10);
    gltf.json["accessors"][weights]["normalized"] = json!(true);
    gltf.attributes(0, 0)["WEIGHTS_0"] = json!(weights);
    assert_same_poses(&gltf.loaded(), &plain, 2.0 / 65535.0, "weights as u16");

    for component in [U8, U32] {
        let mut gltf = stick();
        let bytes: Vec<u8> = match component {
            U8 => stick_indices().iter().map(|index| *index as u8).collect(),
            _ => stick_indices().iter().flat_map(|index| u32::from(*index).to_le_bytes()).collect(),
        };
        let indices = gltf.accessor(&bytes, component, "SCALAR", stick_indices().len());
        gltf.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
        assert_eq!(gltf.loaded().indices, plain.indices);
    }
}

#[test]
fn quantised_positions_and_sparse_ones_read_like_floats() {
    // Positions in 16-bit steps of 1/1000, undone by the node.
    let mut gltf = cube();
    let bytes: Vec<u8> = cube_positions()
        .iter()
        .flat_map(|position| position.to_array().map(|c| (c * 1000.0) as i16).into_iter().chain([0]))
        .flat_map(i16::to_le_bytes)
        .collect();
    let view = gltf.view(&bytes, Some(8));
    let accessor =
        gltf.push("accessors", json!({"bufferView": view, "componentType": I16, "type": "VEC3", "count": 8}));
    gltf.attributes(0, 0)["POSITION"] = json!(accessor);
    gltf.json["nodes"][0]["scale"] = json!([0.001, 0.001, 0.001]);
    gltf.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    assert!(difference(&positions(&gltf.loaded(), None, 0.0), &cube_positions()) < ROUNDING);

    // Normalised bytes: 127 is 1, -128 is -1 too.
    let mut gltf = cube();
    let bytes: Vec<u8> = (0..8).flat_map(|_| [127i8, -128, 64, 0]).map(|c| c as u8).collect();
    let view = gltf.view(&bytes, Some(4));
    let accessor = gltf.push(
        "accessors",
        json!({"bufferView": view, "componentType": I8, "normalized": true, "type": "VEC3", "count": 8}),
    );
    gltf.attributes(0, 0)["POSITION"] = json!(accessor);
    assert!(
        (positions(&gltf.loaded(), None, 0.0)[0] - Vec3::new(1.0, -1.0, 64.0 / 127.0)).length() < ROUNDING
    );

    // Zeros but for two corners.
    let mut gltf = cube();
    let indices = gltf.view(&[1u8, 7], None);
    let moved: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|c| c.to_le_bytes()).collect();
    let values = gltf.view(&moved, None);
    let accessor = gltf.push(
        "accessors",
        json!({"componentType": F32, "type": "VEC3", "count": 8, "sparse": {
            "count": 2,
            "indices": {"bufferView": indices, "componentType": U8},
            "values": {"bufferView": values},
        }}),
    );
    gltf.attributes(0, 0)["POSITION"] = json!(accessor);
    let sparse = positions(&gltf.loaded(), None, 0.0);
    assert_eq!(
        [sparse[0], sparse[1], sparse[7]],
        [Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]
    );
}

#[test]
fn g06_many_joints_wrong_joints_and_joints_without_a_skin() {
    // A chain of 300 joints along y; one vertex a joint.
    let mut gltf = Gltf::new();
    let points: Vec<Vec3> = (0..300).map(|i| Vec3::new(0.0, i as f32, 0.0)).collect();
    let position = gltf.vec3s(&points);
    let joints = gltf.u16s(&(0..300u16).flat_map(|i| [i, 0, 0, 0]).collect::<Vec<_>>(), "VEC4");
    let weights = gltf.floats(&[[1.0, 0.0, 0.0, 0.0]; 300].concat(), "VEC4");
    let inverses: Vec<f32> =
        points.iter().flat_map(|point| glam::Mat4::from_translation(-*point).to_cols_array()).collect();
    let inverses = gltf.floats(&inverses, "MAT4");
    let attributes = json!({"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights});
    gltf.push("meshes", json!({"primitives": [{"attributes": attributes, "mode": 0}]}));
    for i in 0..300 {
        let mut node = json!({"translation": [0, if i == 0 { 0 } else { 1 }, 0]});
        if i < 299 {
            node["children"] = json!([i + 1]);
        }
        gltf.push("nodes", node);
    }
    gltf.push("nodes", json!({"mesh": 0, "skin": 0}));
    gltf.push("skins", json!({"joints": (0..300).collect::<Vec<_>>(), "inverseBindMatrices": inverses}));
    gltf.json["scenes"][0]["nodes"] = json!([0, 300]);
    assert!(difference(&positions(&gltf.loaded(), None, 0.0), &points) < 1e-4, "rest");
    gltf.json["nodes"][0]["translation"] = json!([5, 0, 0]);
    let moved = positions(&gltf.loaded(), None, 0.0);
    // 300 sums of numbers up to 300.
    assert!(
        moved.iter().zip(&points).all(|(a, b)| (*a - *b - Vec3::X * 5.0).length() < 1e-3),
        "all rings move"
    );

    let mut gltf = stick();
    let joints = gltf.u16s(&[[0, 7, 0, 0]; 10].concat(), "VEC4");
    gltf.attributes(0, 0)["JOINTS_0"] = json!(joints);
    let data = gltf.loaded();
    assert!(has_warning(&data, "joints which the skin does not have"), "{:?}", data.warnings);
    assert!(data.vertices.influences.iter().all(|one| *one == Influences::rigid(0)));

    let mut gltf = stick();
    gltf.json["nodes"][0].as_object_mut().expect("an object").remove("skin");
    gltf.json["nodes"][0]["translation"] = json!([0, 0, 3]);
    let data = gltf.loaded();
    assert!(!data.primitives[0].skinned);
    assert_eq!(positions(&data, Some(0), 1.0)[8], stick_positions()[8] + Vec3::Z * 3.0);
}

#[test]
fn g07_missing_indices_and_normals_and_other_modes() {
    let unshared: Vec<Vec3> = cube_indices().iter().map(|index| cube_positions()[*index as usize]).collect();
    let flat = |data: &CharacterData, first: usize| {
        data.indices[first..first + 36].chunks_exact(3).all(|t| {
            let [a, b, c] = [t[0], t[1], t[2]].map(|i| data.vertices.positions[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            t.iter().all(|i| (data.vertices.normals[*i as usize] - normal).length() < ROUNDING)
        })
    };

    // (a) no indices: the flat normal of each triangle, in the accessor's order.
    let mut gltf = cube();
    let position = gltf.vec3s(&unshared);
    gltf.json["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": position}});
    let data = gltf.loaded();
    assert_eq!(data.vertices.positions, unshared);
    assert!(flat(&data, 0));

    // (b) shared corners: the mean of the faces', which points outward.
    let data = cube().loaded();
    assert_eq!(data.vertices.positions, cube_positions());
    for (normal, position) in data.vertices.normals.iter().zip(&data.vertices.positions) {
        assert!(normal.dot(*position) > 0.5, "{normal} at {position}");
    }

    // (c) tangents without normals change nothing.
    let mut gltf = cube();
    let tangents = gltf.floats(&[[1.0, 0.0, 0.0, 1.0]; 8].concat(), "VEC4");
    gltf.attributes(0, 0)["TANGENT"] = json!(tangents);
    assert_eq!(gltf.loaded().vertices.normals, data.vertices.normals);

    // (e) and (f): without indices beside with them, a strip and lines beside it.
    let mut gltf = cube();
    let position = gltf.vec3s(&unshared);
    let shared_position = gltf.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    let strip = gltf.u16s(&[0, 1, 2, 3], "SCALAR");
    let primitives = gltf.json["meshes"][0]["primitives"].as_array_mut().expect("a list");
    primitives.push(json!({"attributes": {"POSITION": position}}));
    primitives.push(json!({"attributes": {"POSITION": shared_position}, "indices": strip, "mode": 5}));
    primitives.push(json!({"attributes": {"POSITION": shared_position}, "mode": 1}));
    let data = gltf.loaded();
    let counts: Vec<_> = data.primitives.iter().map(|primitive| primitive.index_count).collect();
    assert_eq!(counts, [36, 36, 6, 0]);
    assert!(flat(&data, 36));
    let first = data.primitives[2].first_vertex;
    assert_eq!(
        data.indices[72..78].iter().map(|index| index - first).collect::<Vec<_>>(),
        [0, 1, 2, 1, 3, 2]
    );
    assert!(has_warning(&data, "points or lines"));
    assert_eq!(data.vertices.positions.len(), 8 + 36 + 8 + 8);
}

#[test]
fn broken_normals_are_mended() {
    let mut gltf = cube();
    let mut normals = cube_positions();
    normals[3] = Vec3::ZERO;
    normals[4] = Vec3::NAN;
    let accessor = gltf.vec3s(&normals);
    gltf.attributes(0, 0)["NORMAL"] = json!(accessor);
    let data = gltf.loaded();
    assert!(has_warning(&data, "2 normals without a direction"), "{:?}", data.warnings);
    assert!(data.vertices.normals.iter().zip(cube_positions()).all(|(n, p)| n.dot(p) > 0.5));
}

#[test]
fn mirrored_meshes_are_turned_round() {
    let plain = cube().loaded();
    let volume = signed_volume(&plain, &positions(&plain, None, 0.0));
    assert!((volume - 6.0).abs() < 1e-5);

    let mut gltf = cube();
    gltf.json["nodes"][0]["scale"] = json!([-1, 1, 1]);
    let data = gltf.loaded();
    assert!(data.primitives[0].mirrored && !plain.primitives[0].mirrored);
    let skinned = skin(&data, &rest_pose(&data));
    assert!((signed_volume(&data, &skinned.positions) - 6.0).abs() < 1e-5, "outside stays counter-clockwise");
    for (normal, position) in skinned.normals.iter().zip(&skinned.positions) {
        assert!(normal.dot(*position) > 0.5, "normals stay outward");
    }

    // A skin whose joint mirrors, the node being innocent.
    let mut gltf = cube();
    let joints = gltf.u16s(&[[0, 0, 0, 0]; 8].concat(), "VEC4");
    let weights = gltf.floats(&[[1.0, 0.0, 0.0, 0.0]; 8].concat(), "VEC4");
    gltf.attributes(0, 0)["JOINTS_0"] = json!(joints);
    gltf.attributes(0, 0)["WEIGHTS_0"] = json!(weights);
    gltf.json["nodes"][0]["skin"] = json!(0);
    gltf.push("nodes", json!({"scale": [1, -1, 1]}));
    gltf.push("skins", json!({"joints": [1]}));
    gltf.json["scenes"][0]["nodes"] = json!([0, 1]);
    let data = gltf.loaded();
    assert!(data.primitives[0].mirrored);
    assert!((signed_volume(&data, &positions(&data, None, 0.0)) - 6.0).abs() < 1e-5);
}

#[test]
fn g16_morph_weights_of_mesh_and_node_and_many_targets() {
    let with_targets = |count: usize| {
        let mut gltf = cube();
        let targets: Vec<_> = (0..count)
            .map(|target| {
                let delta = gltf.vec3s(&[Vec3::X * (target + 1) as f32; 8]);
                json!({"POSITION": delta})
            })
            .collect();
        gltf.json["meshes"][0]["primitives"][0]["targets"] = json!(targets);
        gltf
    };
    let mut gltf = with_targets(2);
    gltf.json["meshes"][0]["weights"] = json!([0.5, 0.5]);
    gltf.json["meshes"][0]["extras"] = json!({"targetNames": ["smile"]});
    gltf.push("nodes", json!({"mesh": 0, "weights": [1, 0]}));
    gltf.json["scenes"][0]["nodes"] = json!([0, 1]);
    let times = gltf.floats(&[0.0, 1.0], "SCALAR");
    let keys = gltf.floats(&[0.0, 0.0, 0.0, 1.0], "SCALAR");
    gltf.push(
        "animations",
        json!({
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "weights"}}],
            "samplers": [{"input": times, "output": keys}],
        }),
    );
    let data = gltf.loaded();
    assert_eq!(data.morph_weights, [0.5, 0.5, 1.0, 0.0]);
    assert_eq!(data.morph_names, ["smile", "target 1", "smile", "target 1"]);
    let shift = |clip, time_secs, vertex: usize| {
        positions(&data, clip, time_secs)[vertex].x - cube_positions()[vertex % 8].x
    };
    // The targets move by 1 and 2: half of both is 1.5.
    assert!((shift(None, 0.0, 0) - 1.5).abs() < ROUNDING);
    assert!((shift(None, 0.0, 8) - 1.0).abs() < ROUNDING);
    assert!((shift(Some(0), 0.0, 8) - 0.0).abs() < ROUNDING, "the clip overrides the node");
    assert!((shift(Some(0), 0.5, 8) - 1.0).abs() < ROUNDING);
    assert!((shift(Some(0), 1.0, 8) - 2.0).abs() < ROUNDING);
    assert!((shift(Some(0), 1.0, 0) - 1.5).abs() < ROUNDING, "the other instance keeps its own");

    let mut gltf = with_targets(80);
    gltf.json["meshes"][0]["weights"] = json!([vec![0.0; 79], vec![1.0]].concat());
    let data = gltf.loaded();
    assert_eq!(data.primitives[0].target_count, 80);
    assert!((positions(&data, None, 0.0)[0].x - cube_positions()[0].x - 80.0).abs() < 1e-4);
    let data = with_targets(300).loaded();
    assert_eq!(data.primitives[0].target_count, 256);
    assert!(has_warning(&data, "300 morph targets"));
}

#[test]
fn g17_cycles_depth_and_missing_scenes() {
    let mut gltf = cube();
    gltf.json["nodes"] = json!([{"mesh": 0, "children": [1]}, {"children": [0]}]);
    let error = gltf.load().expect_err("a cycle").to_string();
    assert!(error.contains("cycle") && error.contains("fixture"), "{error}");
    gltf.json["nodes"] = json!([{"mesh": 0, "children": [0]}]);
    assert!(gltf.load().expect_err("a cycle").to_string().contains("cycle"));

    let mut gltf = cube();
    let deep = 20_000;
    let nodes: Vec<_> = (0..deep)
        .map(|i| match i + 1 < deep {
            true => json!({"children": [i + 1], "translation": [0, 0.5, 0]}),
            false => json!({"mesh": 0}),
        })
        .collect();
    gltf.json["nodes"] = json!(nodes);
    let top = positions(&gltf.loaded(), None, 0.0)[0].y;
    assert!((top - (9999.5 - 0.5)).abs() < 0.01, "{top}");

    let mut gltf = cube();
    gltf.push("nodes", json!({"mesh": 0, "translation": [9, 0, 0]}));
    let drawn =
        |gltf: &Gltf| gltf.loaded().primitives.iter().map(|primitive| primitive.node).collect::<Vec<_>>();
    gltf.json["scenes"] = json!([{"nodes": [0]}, {"nodes": [1]}]);
    gltf.json["scene"] = json!(1);
    assert_eq!(drawn(&gltf), [1], "the default scene");
    gltf.json.as_object_mut().expect("an object").remove("scene");
    assert_eq!(drawn(&gltf), [0], "else the first");
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    assert_eq!(drawn(&gltf), [0, 1], "else all parentless nodes");
}

#[test]
fn children_before_parents_and_joints_outside_the_scene() {
    let mut gltf = stick();
    // The mesh node alone in the scene; its joints are found all the same.
    gltf.json["scenes"][0]["nodes"] = json!([0]);
    assert_same_poses(&gltf.loaded(), &stick().loaded(), 0.0, "joints outside the scene");
    let mut gltf = stick();
    // Reversed: joint 1 is node 0, joint 0 is node 1, the mesh is node 2.
    gltf.json["nodes"] = json!([{"translation": [0, 1, 0]}, {"children": [0]}, {"mesh": 0, "skin": 0}]);
    gltf.json["skins"][0]["joints"] = json!([1, 0]);
    gltf.json["animations"][0]["channels"][0]["target"]["node"] = json!(0);
    gltf.json["scenes"][0]["nodes"] = json!([2, 1]);
    assert_same_poses(&gltf.loaded(), &stick().loaded(), 0.0, "reversed nodes");
}

#[test]
fn g19_required_extensions() {
    let require = |names: &[&str]| {
        let mut gltf = stick();
        gltf.json["extensionsRequired"] = json!(names);
        gltf.json["extensionsUsed"] = json!(names);
        gltf
    };
    let error = require(&["KHR_draco_mesh_compression"]).load().expect_err("Draco").to_string();
    assert!(error.contains("KHR_draco_mesh_compression") && error.contains("without Draco"), "{error}");

    let mut gltf = require(&["KHR_texture_basisu"]);
    gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
    gltf.push("textures", json!({"extensions": {"KHR_texture_basisu": {"source": 0}}}));
    gltf.push("images", json!({"uri": "data:image/ktx2;base64,q0tUWCAyMLs="}));
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let data = gltf.loaded();
    assert!(data.materials[0].base_color_image.is_none());
    assert!(has_warning(&data, "KHR_texture_basisu"), "{:?}", data.warnings);

    let data = require(&["KHR_materials_clearcoat"]).loaded();
    assert!(has_warning(&data, "KHR_materials_clearcoat"), "{:?}", data.warnings);

    let webp = require(&["EXT_texture_webp"]).loaded();
    assert!(webp.warnings.is_empty(), "{:?}", webp.warnings);
}

#[test]
fn texture_coordinates_follow_the_material() {
    let mut gltf = cube();
    let first = gltf.floats(&[0.25f32, 0.5].repeat(8), "VEC2");
    let second = gltf.floats(&[0.5f32, 0.0].repeat(8), "VEC2");
    gltf.attributes(0, 0)["TEXCOORD_0"] = json!(first);
    gltf.attributes(0, 0)["TEXCOORD_1"] = json!(second);
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    gltf.push("textures", json!({"source": 0}));
    gltf.push("images", json!({"uri": "data:,none"}));
    let with = |info: serde_json::Value| {
        let mut gltf = gltf.clone();
        gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": info}}));
        gltf.loaded().vertices.uvs[0]
    };
    assert_eq!(with(json!({"index": 0})), Vec2::new(0.25, 0.5));
    assert_eq!(with(json!({"index": 0, "texCoord": 1})), Vec2::new(0.5, 0.0));
    // A quarter turn by the formula of KHR_texture_transform: (u, v) to (v, -u), after scaling, before moving.
    let transform =
        json!({"offset": [0.0, 1.0], "rotation": std::f64::consts::FRAC_PI_2, "scale": [2.0, 1.0]});
    let moved = with(json!({"index": 0, "extensions": {"KHR_texture_transform": transform}}));
    assert!((moved - Vec2::new(0.5, 0.5)).length() < ROUNDING, "{moved}");
}

#[test]
fn g14_extreme_scales_have_the_same_bounds() {
    let plain = stick().loaded();
    let mut gltf = stick();
    let scaled: Vec<Vec3> = stick_positions().iter().map(|position| *position * 100.0).collect();
    let position = gltf.vec3s(&scaled);
    gltf.attributes(0, 0)["POSITION"] = json!(position);
    let inverse = |y: f32| glam::Mat4::from_translation(Vec3::new(0.0, y, 0.0)).to_cols_array();
    let inverses = gltf.floats(&[inverse(0.0), inverse(-100.0)].concat(), "MAT4");
    gltf.json["skins"][0]["inverseBindMatrices"] = json!(inverses);
    gltf.json["nodes"][2]["translation"] = json!([0, 100, 0]);
    gltf.json["nodes"][1]["scale"] = json!([0.01, 0.01, 0.01]);
    let data = gltf.loaded();
    assert_same_poses(&data, &plain, 1e-5, "centimetres under a scale of 0.01");
    let [mine, theirs] = [&data, &plain].map(|data| bounds(data, &rest_pose(data)));
    assert!((mine.min - theirs.min).length() + (mine.max - theirs.max).length() < 1e-5);
}
