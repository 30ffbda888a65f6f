//! Vertex formats, modes, normals, mirroring and morph targets, one thing changed at a time.

#[path = "common/fixtures.rs"]
mod fixtures;

use dryad::character::animate::rest_pose;
use dryad::character::cpu_skin::skin;
use dryad::character::data::CharacterData;
use fixtures::*;
use glam::Vec3;
use serde_json::json;

/// Rounding of a few 32-bit operations on lengths of about 1.
const ROUNDING: f32 = 1e-6;

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

    // Joints as u16 before weights of whole numbers, sixteen bytes a vertex: with padding, and without.
    for component in [U8, U16] {
        let of_vertex = |weights: [f32; 4]| match component {
            U8 => weights_u8(weights).to_vec(),
            _ => weights_u16(weights).into_iter().flat_map(u16::to_le_bytes).collect(),
        };
        let whole = |gltf: &mut Gltf, accessor: usize| {
            gltf.json["accessors"][accessor]["normalized"] = json!(true);
            gltf.attributes(0, 0)["WEIGHTS_0"] = json!(accessor);
        };
        let mut apart = stick();
        let bytes: Vec<u8> = stick_weights().into_iter().flat_map(of_vertex).collect();
        let weights = apart.accessor(&bytes, component, "VEC4", 10);
        whole(&mut apart, weights);

        let mut gltf = stick();
        let mut bytes = Vec::new();
        for (vertex, weights) in stick_weights().into_iter().enumerate() {
            bytes.extend([0u16, 1, 0, 0].into_iter().flat_map(u16::to_le_bytes));
            bytes.extend(of_vertex(weights));
            bytes.resize(16 * (vertex + 1), 0xEE);
        }
        let view = gltf.view(&bytes, Some(16));
        let accessor = |offset: usize, component: u32| json!({"bufferView": view, "byteOffset": offset, "componentType": component, "type": "VEC4", "count": 10});
        let joints = gltf.push("accessors", accessor(0, U16));
        gltf.attributes(0, 0)["JOINTS_0"] = json!(joints);
        let weights = gltf.push("accessors", accessor(8, component));
        whole(&mut gltf, weights);
        assert_eq!(gltf.loaded().vertices.influences, apart.loaded().vertices.influences, "{component}");
        assert_same_poses(&gltf.loaded(), &plain, 1.0 / 255.0, "sixteen bytes a vertex");
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

    // (b) shared corners: each face's own normal, the accessor's vertices first, copies behind them.
    let data = cube().loaded();
    assert_eq!(data.vertices.positions[..8], cube_positions());
    assert_eq!([data.primitives[0].accessor_vertex_count, data.primitives[0].vertex_count], [8, 24]);
    assert!(flat(&data, 0));

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
    assert_eq!(data.vertices.positions.len(), 24 + 36 + 8 + 8);
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
    let volume = signed_volume(&plain, &all_positions(&plain, None, 0.0));
    assert!((volume - 6.0).abs() < 1e-5);

    let mut gltf = cube();
    gltf.json["nodes"][0]["scale"] = json!([-1, 1, 1]);
    let data = gltf.loaded();
    assert!(data.primitives[0].mirrored && !plain.primitives[0].mirrored);
    let skinned = skin(&data, &rest_pose(&data));
    assert!((signed_volume(&data, &skinned.positions) - 6.0).abs() < 1e-5, "outside stays counter-clockwise");
    for (normal, position) in skinned.normals.iter().zip(&skinned.positions) {
        assert!((normal.dot(*position) - 0.5).abs() < ROUNDING, "normals stay outward");
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
    assert!((signed_volume(&data, &all_positions(&data, None, 0.0)) - 6.0).abs() < 1e-5);
}

#[test]
fn g09_a_mirroring_joint_turns_what_follows_it() {
    // The stick is a flat strip that looks along +z: its lower half must go on doing so, and the upper half, which
    // the joint mirrors, must show its turned triangles along its turned normals.
    for double_sided in [false, true] {
        let mut gltf = stick();
        gltf.json["nodes"][2]["scale"] = json!([-1, -1, -1]);
        gltf.push("materials", json!({"doubleSided": double_sided}));
        gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
        let data = gltf.loaded();
        assert_eq!(data.materials[0].double_sided, double_sided);
        let skinned = skin(&data, &rest_pose(&data));
        let mut checked = 0;
        for (number, triangle) in data.indices.chunks_exact(3).enumerate() {
            let [a, b, c] = [0, 1, 2].map(|i| skinned.positions[triangle[i] as usize]);
            let facing = (b - a).cross(c - a);
            // Where both joints weigh the same the strip shrinks to a point without any normal.
            let middle = |vertex: &u32| data.vertices.positions[*vertex as usize].y == 1.0;
            if triangle.iter().any(middle) {
                continue;
            }
            checked += 1;
            let normal = skinned.normals[triangle[0] as usize];
            assert!(
                facing.normalize_or_zero().dot(normal) > 0.99,
                "triangle {number}: {facing} against {normal}"
            );
        }
        assert_eq!(checked, 4, "the lowest and the highest square");
    }
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
fn fans_keep_their_sense() {
    let mut gltf = cube();
    let fan = gltf.u16s(&[0, 4, 6, 2], "SCALAR");
    gltf.json["meshes"][0]["primitives"][0]["indices"] = json!(fan);
    gltf.json["meshes"][0]["primitives"][0]["mode"] = json!(6);
    let data = gltf.loaded();
    assert_eq!(data.indices, [4, 6, 0, 6, 2, 0]);
    assert!((data.vertices.normals[4] + Vec3::X).length() < ROUNDING, "the face x = -0.5 looks outward");
}
