//! Key frames: interpolation, short arcs, single, late and coincident keys, clamping, and what is set aside.

#[path = "common/fixtures.rs"]
mod fixtures;

use dryad::character::animate::{Poser, pose, rest_pose};
use dryad::character::data::CharacterData;
use fixtures::*;
use glam::{DQuat, DVec3, Vec3};
use serde_json::json;

/// Rounding of a few 32-bit operations on lengths of about 1.
const ROUNDING: f32 = 1e-6;

/// The stick with other keys on its upper joint.
fn with_keys(path: &str, interpolation: &str, times: &[f32], values: &[f32]) -> CharacterData {
    let mut gltf = stick();
    let input = gltf.floats(times, "SCALAR");
    let output = gltf.floats(values, if path == "rotation" { "VEC4" } else { "VEC3" });
    gltf.json["animations"][0] = json!({
        "channels": [{"sampler": 0, "target": {"node": 2, "path": path}}],
        "samplers": [{"input": input, "output": output, "interpolation": interpolation}],
    });
    gltf.loaded()
}

/// The world rotation of the upper joint.
fn rotation(data: &CharacterData, time_secs: f64) -> DQuat {
    DQuat::from_mat4(&pose(data, Some(0), time_secs).world_from_node[2])
}

fn translation(data: &CharacterData, time_secs: f64) -> DVec3 {
    pose(data, Some(0), time_secs).world_from_node[2].w_axis.truncate()
}

/// Degrees that a rotation about z turns.
fn degrees(rotation: DQuat) -> f64 {
    let x = rotation * DVec3::X;
    x.y.atan2(x.x).to_degrees()
}

#[test]
fn g11_single_late_and_coincident_keys() {
    for time in [0.0, 1.5] {
        for interpolation in ["STEP", "LINEAR"] {
            let data = with_keys("rotation", interpolation, &[time], &about_z(30.0));
            assert_eq!(data.clips[0].duration_secs, f64::from(time));
            for time_secs in [-1.0, 0.0, 1.0, 1.5, 9.0, f64::NAN] {
                assert!((degrees(rotation(&data, time_secs)) - 30.0).abs() < 1e-4, "one key at {time}");
            }
        }
        let tangents = [[9.0; 4], about_z(30.0), [9.0; 4]].concat();
        let data = with_keys("rotation", "CUBICSPLINE", &[time], &tangents);
        assert!((degrees(rotation(&data, 0.7)) - 30.0).abs() < 1e-4, "one cubic key at {time}");
    }

    let data = with_keys("rotation", "LINEAR", &[0.0, 1.0], &[about_z(0.0), about_z(90.0)].concat());
    let eps = 1e-9;
    for (time_secs, expected) in [(0.0, 0.0), (1.0 - eps, 90.0), (1.0, 90.0), (1.0 + eps, 90.0)] {
        assert!((degrees(rotation(&data, time_secs)) - expected).abs() < 1e-4, "{time_secs}");
    }

    // Before a late first key the first value holds; the clip still begins at zero.
    let data = with_keys("translation", "LINEAR", &[1.0, 2.0], &[1.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
    assert_eq!(translation(&data, 0.0).x, 1.0);
    assert!((translation(&data, 1.5).x - 2.0).abs() < 1e-12);

    // Two keys at one time: a jump, the later one from then on.
    let data = with_keys(
        "translation",
        "LINEAR",
        &[0.0, 1.0, 1.0, 2.0],
        &[0., 0., 0., 1., 0., 0., 5., 0., 0., 6., 0., 0.],
    );
    assert!((translation(&data, 1.0 - eps).x - 1.0).abs() < 1e-6);
    assert_eq!(translation(&data, 1.0).x, 5.0);
    assert!((translation(&data, 1.5).x - 5.5).abs() < 1e-12);
    let data = with_keys("translation", "LINEAR", &[1.0, 1.0], &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    assert_eq!(translation(&data, 1.0).x, 2.0);
}

#[test]
fn g13_short_arcs_and_unit_rotations() {
    // (a) 20 degrees apart, the second with the opposite sign.
    let flipped = about_z(60.0).map(|c| -c);
    let data = with_keys("rotation", "LINEAR", &[0.0, 1.0], &[about_z(40.0), flipped].concat());
    assert!((degrees(rotation(&data, 0.5)) - 50.0).abs() < 1e-4);

    // (b) equal but for the sign: no motion.
    let flipped = about_z(40.0).map(|c| -c);
    let data = with_keys("rotation", "LINEAR", &[0.0, 1.0], &[about_z(40.0), flipped].concat());
    for step in 0..=10 {
        assert!((degrees(rotation(&data, f64::from(step) / 10.0)) - 40.0).abs() < 1e-4);
    }

    // (c) a cubic spline with tangents, three seconds between its keys.
    let [q0, q1] = [about_z(0.0), about_z(170.0)];
    let tangent = [0.0, 0.0, 0.9, -0.4];
    let keys = [[0.0; 4], q0, tangent, tangent, q1, [0.0; 4]].concat();
    let data = with_keys("rotation", "CUBICSPLINE", &[0.0, 3.0], &keys);
    let t = 0.25f64;
    let [h00, h10, h01, h11] = [
        2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0,
        t.powi(3) - 2.0 * t.powi(2) + t,
        -2.0 * t.powi(3) + 3.0 * t.powi(2),
        t.powi(3) - t.powi(2),
    ];
    let blended = [2, 3].map(|i| {
        let [a, b, m] = [q0[i], q1[i], tangent[i]].map(f64::from);
        h00 * a + 3.0 * h10 * m + h01 * b + 3.0 * h11 * m
    });
    let expected = 2.0 * blended[0].atan2(blended[1]).to_degrees();
    assert!(
        (degrees(rotation(&data, 0.75)) - expected).abs() < 1e-4,
        "tangents are scaled by the key spacing"
    );
    let edge = |positions: &[Vec3]| (positions[9] - positions[8]).length();
    for step in 0..=30 {
        let positions = positions(&data, Some(0), f64::from(step) / 10.0);
        assert!((edge(&positions) - 1.0).abs() < ROUNDING, "the top edge keeps its length");
    }

    // (d) STEP holds until the next key.
    let data = with_keys("rotation", "STEP", &[0.0, 1.0], &[about_z(0.0), about_z(90.0)].concat());
    assert_eq!(degrees(rotation(&data, 0.999)), 0.0);
    assert!((degrees(rotation(&data, 1.0)) - 90.0).abs() < 1e-4);

    // (e) a quaternion of length 0.98 scales nothing.
    let short = about_z(90.0).map(|c| c * 0.98);
    for interpolation in ["LINEAR", "STEP"] {
        let data = with_keys("rotation", interpolation, &[0.0, 1.0], &[short, short].concat());
        assert!((edge(&positions(&data, Some(0), 0.5)) - 1.0).abs() < ROUNDING);
    }
    // A quaternion of length zero has no direction: the rest rotation stands.
    let data = with_keys("rotation", "LINEAR", &[0.0, 1.0], &[[0.0; 4], [0.0; 4]].concat());
    assert_eq!(positions(&data, Some(0), 0.5), positions(&data, None, 0.0));
}

#[test]
fn linear_rotation_moves_evenly() {
    let data = with_keys("rotation", "LINEAR", &[0.0, 1.0], &[about_z(0.0), about_z(150.0)].concat());
    for step in 0..=10 {
        let expected = 15.0 * f64::from(step);
        assert!((degrees(rotation(&data, f64::from(step) / 10.0)) - expected).abs() < 1e-4, "step {step}");
    }
}

#[test]
fn cubic_translation_passes_its_keys_and_obeys_its_tangents() {
    // Out-tangent 6 at the start, none at the end, two seconds apart: x(t) = 12·(t³ − 2t² + t) of the way.
    let zero = [0.0; 3];
    let keys = [zero, zero, [6.0, 0.0, 0.0], zero, zero, zero].concat();
    let data = with_keys("translation", "CUBICSPLINE", &[0.0, 2.0], &keys);
    for (time_secs, expected) in [(0.0, 0.0), (0.5, 12.0 * 0.140_625), (1.0, 12.0 * 0.125), (2.0, 0.0)] {
        assert!((translation(&data, time_secs).x - expected).abs() < 1e-12, "{time_secs}");
    }
}

#[test]
fn normalised_integer_keys() {
    let mut gltf = stick();
    let bytes: Vec<u8> = [about_z(0.0), about_z(90.0)]
        .concat()
        .iter()
        .flat_map(|c| ((c * 32767.0).round() as i16).to_le_bytes())
        .collect();
    let output = gltf.accessor(&bytes, I16, "VEC4", 2);
    gltf.json["accessors"][output]["normalized"] = json!(true);
    gltf.json["animations"][0]["samplers"][0]["output"] = json!(output);
    // Half a step of 1/32767 in a half angle.
    assert!((degrees(rotation(&gltf.loaded(), 1.0)) - 90.0).abs() < 0.01);
}

#[test]
fn what_is_not_animated_rests_and_no_clip_is_the_rest_pose() {
    let data = stick().loaded();
    assert_eq!(pose(&data, None, 0.7), rest_pose(&data));
    assert_eq!(pose(&data, Some(99), 0.7), rest_pose(&data));
    let mut poser = Poser::new(&data);
    poser.pose(&data, Some(0), 1.0);
    assert_eq!(*poser.pose(&data, None, 0.0), rest_pose(&data), "nothing is left of the pose before");
    assert_eq!(*poser.pose(&data, Some(0), 0.3), pose(&data, Some(0), 0.3));
}

#[test]
fn broken_channels_are_set_aside_with_a_warning() {
    let warnings = |change: fn(&mut Gltf)| {
        let mut gltf = stick();
        change(&mut gltf);
        let data = gltf.loaded();
        assert_eq!(data.clips.len(), 1, "clips keep their numbers");
        assert!(positions(&data, Some(0), 0.5).iter().all(|position| position.is_finite()));
        (data.clips[0].channels.len(), data.warnings.join("; "))
    };
    let check = |(channels, warnings): (usize, String), expected: usize, part: &str| {
        assert_eq!(channels, expected, "{warnings}");
        assert!(warnings.contains(part), "{warnings:?} does not say {part:?}");
    };
    check(warnings(|g| g.json["animations"][0]["channels"][0]["target"]["node"] = json!(77)), 0, "node 77");
    check(warnings(|g| g.json["animations"][0]["channels"][0]["sampler"] = json!(7)), 0, "sampler 7");
    check(warnings(|g| g.json["animations"][0]["samplers"][0]["output"] = json!(70)), 0, "accessor 70");
    check(
        warnings(|g| g.json["animations"][0]["channels"][0]["target"]["path"] = json!("colour")),
        0,
        "unknown property",
    );
    check(
        warnings(|g| g.json["animations"][0]["channels"][0]["target"]["path"] = json!("weights")),
        0,
        "morph weights",
    );
    check(
        warnings(|g| {
            let channel = &mut g.json["animations"][0]["channels"][0];
            channel["target"].as_object_mut().expect("an object").remove("node");
        }),
        0,
        "without a target node",
    );
    check(
        warnings(|g| {
            let times = g.floats(&[1.0, 0.0], "SCALAR");
            g.json["animations"][0]["samplers"][0]["input"] = json!(times);
        }),
        0,
        "run backwards",
    );
    check(
        warnings(|g| {
            let times = g.floats(&[0.0, f32::NAN], "SCALAR");
            g.json["animations"][0]["samplers"][0]["input"] = json!(times);
        }),
        0,
        "not numbers",
    );
    check(
        warnings(|g| {
            let turns = g.floats(&[f32::INFINITY; 8], "VEC4");
            g.json["animations"][0]["samplers"][0]["output"] = json!(turns);
        }),
        0,
        "no usable numbers",
    );
    check(
        warnings(|g| {
            let times = g.floats(&[0.0, 1.0, 2.0], "SCALAR");
            g.json["animations"][0]["samplers"][0]["input"] = json!(times);
        }),
        1,
        "2 keys are used",
    );
    check(
        warnings(|g| {
            g.json["nodes"][2] = json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]});
        }),
        1,
        "taken apart",
    );
}

#[test]
fn scales_that_overflow_never_reach_the_palette() {
    let mut gltf = stick();
    gltf.json["animations"] = json!([]);
    // Each scale is legal; a chain of forty overflows even 64 bits, but only while the clip plays.
    let times = gltf.floats(&[0.0, 1.0], "SCALAR");
    let scales = gltf.floats(&[1.0, 1.0, 1.0, 1e9, 1e9, 1e9], "VEC3");
    let mut channels = Vec::new();
    let first = 3;
    for i in 0..40 {
        gltf.push("nodes", json!({"children": if i < 39 { vec![first + i + 1] } else { vec![1] }}));
        channels.push(json!({"sampler": 0, "target": {"node": first + i, "path": "scale"}}));
    }
    gltf.push("animations", json!({"channels": channels, "samplers": [{"input": times, "output": scales}]}));
    gltf.json["scenes"][0]["nodes"] = json!([0, first]);
    let data = gltf.loaded();
    assert_eq!(positions(&data, Some(0), 0.0), stick_positions());
    for time_secs in [0.1, 0.9, 1.0] {
        let pose = pose(&data, Some(0), time_secs);
        assert!(pose.world_from_node.iter().all(|matrix| matrix.is_finite()), "{time_secs}");
        assert!(pose.palette.iter().all(|matrix| matrix.is_finite()), "{time_secs}");
        assert!(positions(&data, Some(0), time_secs).iter().all(|position| position.is_finite()));
    }
}
