//! Skins, weights and the node graph, one thing changed at a time.

#[path = "common/fixtures.rs"]
mod fixtures;

use dryad::character::animate::{pose, rest_pose};
use dryad::character::cpu_skin::{bounds, extent, skin};
use dryad::character::data::Influences;
use fixtures::*;
use glam::Vec3;
use serde_json::json;

/// Rounding of a few 32-bit operations on lengths of about 1.
const ROUNDING: f32 = 1e-6;

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
        let offset = gltf.vec3s(&cube_positions());
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
    let data = with_weights(stick_weights().iter().map(|weights| weights.map(|weight| -weight)).collect());
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
fn g06_many_joints_wrong_joints_and_joints_without_a_skin() {
    let (mut gltf, points) = chain(300);
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

#[test]
fn g14_models_in_other_units_and_with_z_up_pose_alike() {
    let plain = stick().loaded();
    let shape = bounds(&plain, &rest_pose(&plain));
    for scale in [0.001, 1000.0] {
        let mut gltf = stick();
        let scaled: Vec<Vec3> = stick_positions().iter().map(|position| *position * scale).collect();
        let position = gltf.vec3s(&scaled);
        gltf.attributes(0, 0)["POSITION"] = json!(position);
        let inverse = |y: f32| glam::Mat4::from_translation(Vec3::new(0.0, y, 0.0)).to_cols_array();
        let inverses = gltf.floats(&[inverse(0.0), inverse(-scale)].concat(), "MAT4");
        gltf.json["skins"][0]["inverseBindMatrices"] = json!(inverses);
        gltf.json["nodes"][2]["translation"] = json!([0, scale, 0]);
        let data = gltf.loaded();
        let mine = bounds(&data, &rest_pose(&data));
        // f32 of numbers that are no powers of two.
        let off = (mine.min / scale - shape.min).length() + (mine.max / scale - shape.max).length();
        assert!(off < 1e-5, "{scale}: {mine:?}");
    }
    // Z up: turned about x by a quarter under the root, the stick lies along -z before it stands.
    let mut gltf = stick();
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    gltf.json["nodes"][1]["rotation"] = json!([-quarter, 0, 0, quarter]);
    let data = gltf.loaded();
    let turned = bounds(&data, &rest_pose(&data));
    let about_x = |v: Vec3| Vec3::new(v.x, v.z, -v.y);
    let (low, high) =
        (about_x(shape.min).min(about_x(shape.max)), about_x(shape.min).max(about_x(shape.max)));
    assert!((turned.min - low).length() + (turned.max - high).length() < 1e-5, "{turned:?}");
}

#[test]
fn a_joint_named_twice_counts_once_with_both_weights() {
    let mut gltf = stick();
    let joints = gltf.u16s(&[[0, 1, 1, 0]; 10].concat(), "VEC4");
    let split = stick_weights()
        .iter()
        .flat_map(|[lower, upper, ..]| [*lower, upper * 0.5, upper * 0.5, 0.0])
        .collect::<Vec<_>>();
    let weights = gltf.floats(&split, "VEC4");
    gltf.attributes(0, 0)["JOINTS_0"] = json!(joints);
    gltf.attributes(0, 0)["WEIGHTS_0"] = json!(weights);
    let data = gltf.loaded();
    assert_eq!(data.vertices.influences, stick().loaded().vertices.influences);
}
