//! Lights, cameras, variants, and animation of what is neither.

#[path = "common/fixtures.rs"]
mod fixtures;

use dryad::character::animate::pose;
use dryad::character::data::{LightKind, Projection};
use dryad::character::info;
use dryad::character::load::{Progress, load_bytes};
use fixtures::*;
use glam::{DVec3, Vec3};
use serde_json::json;

#[test]
fn lights_hang_on_nodes_and_move_with_them() {
    let mut gltf = stick();
    gltf.json["extensions"] = json!({"KHR_lights_punctual": {"lights": [
        {"name": "key", "type": "directional", "color": [1, 0.5, 0.25], "intensity": 3, "range": 9},
        {"type": "point", "range": 4.5},
        {"type": "spot", "spot": {"innerConeAngle": 0.2, "outerConeAngle": 0.6}, "intensity": -5},
        {"type": "spot", "spot": {"innerConeAngle": 9, "outerConeAngle": 9}, "range": -1, "color": [-1, "x"]},
        {"type": "area"},
    ]}});
    let light = |index: u32| json!({"KHR_lights_punctual": {"light": index}});
    gltf.json["nodes"][2]["extensions"] = light(0);
    gltf.json["nodes"][1]["extensions"] = light(1);
    gltf.json["nodes"][0]["extensions"] = light(2);
    for (index, name) in [(3, "odd"), (4, "unknown"), (5, "absent"), (0, "hidden")] {
        gltf.push("nodes", json!({"name": name, "extensions": light(index)}));
    }
    gltf.json["scenes"][0]["nodes"] = json!([0, 1, 3, 4, 5]);
    let data = gltf.loaded();
    let nodes: Vec<_> = data.lights.iter().map(|light| light.node).collect();
    assert_eq!(nodes, [0, 1, 2, 3], "in the order of nodes, without those outside the scene");
    let [spot, point, key, odd] = &data.lights[..] else { panic!("four lights") };
    assert_eq!((spot.name.as_str(), spot.intensity), ("node 0", 0.0));
    assert_eq!(spot.kind, LightKind::Spot { inner_angle: 0.2, outer_angle: 0.6 });
    assert_eq!((point.kind, point.range, point.intensity), (LightKind::Point, Some(4.5), 1.0));
    assert_eq!((key.name.as_str(), key.kind, key.range), ("key", LightKind::Directional, None));
    assert_eq!((key.color, key.intensity), (Vec3::new(1.0, 0.5, 0.25), 3.0));
    let LightKind::Spot { inner_angle, outer_angle } = odd.kind else { panic!("a spot") };
    assert!(inner_angle < outer_angle && outer_angle <= std::f32::consts::FRAC_PI_2);
    assert_eq!((odd.range, odd.color), (None, Vec3::new(0.0, 1.0, 1.0)));
    assert!(has_warning(&data, "light 4 is left out"), "{:?}", data.warnings);
    assert!(has_warning(&data, "names light 5"), "{:?}", data.warnings);
    // The clip turns node 2 by 90 degrees about z: its light's x axis points up then.
    let world = pose(&data, Some(0), 1.0).world_from_node[key.node as usize];
    assert!((world.transform_vector3(DVec3::X) - DVec3::Y).length() < 1e-6);
    assert!(info::text(&data).contains("key, directional, 3 lx"), "{}", info::text(&data));
    assert_eq!(info::json(&data)["lights"][2]["type"], "directional");
}

#[test]
fn cameras_as_written_and_malformed() {
    let mut gltf = cube();
    gltf.json["cameras"] = json!([
        {"name": "front", "type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1, "zfar": 50, "aspectRatio": 2}},
        {"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.2, "zfar": 0.1}},
        {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 1, "znear": 0, "zfar": 10}},
        {"type": "perspective", "perspective": {"yfov": 4.0, "znear": 0.1}},
        {"type": "perspective"}, "nothing", {"type": "fisheye", "fisheye": {}},
    ]);
    for camera in 0..8 {
        gltf.push("nodes", json!({"camera": camera, "name": format!("stand {camera}")}));
    }
    gltf.json["scenes"][0]["nodes"] = json!([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let data = gltf.loaded();
    let seen: Vec<_> = data.cameras.iter().map(|camera| (camera.name.as_str(), camera.node)).collect();
    assert_eq!(seen, [("front", 1), ("stand 1", 2), ("stand 2", 3)]);
    assert_eq!(
        data.cameras[0].projection,
        Projection::Perspective { y_fov: 0.5, aspect: Some(2.0), near: 0.1, far: Some(50.0) }
    );
    assert_eq!(
        data.cameras[1].projection,
        Projection::Perspective { y_fov: 1.0, aspect: None, near: 0.2, far: None },
        "a far plane before the near one is none"
    );
    assert_eq!(
        data.cameras[2].projection,
        Projection::Orthographic { x_mag: 2.0, y_mag: 1.0, near: 0.0, far: 10.0 }
    );
    for camera in 3..7 {
        assert!(has_warning(&data, &format!("camera {camera} is malformed")), "{:?}", data.warnings);
    }
    assert!(has_warning(&data, "camera 7, which does not exist"), "{:?}", data.warnings);
    assert!(info::text(&data).contains("front, perspective, 28.6°, on stand 0"), "{}", info::text(&data));
}

/// Each camera differs from a good one in one value. What a camera needs takes it off the list; what it may leave out
/// is left out. Either way the file's author reads which camera and which value.
#[test]
fn a_camera_of_broken_numbers_is_told_and_the_others_keep_their_order() {
    let perspective = |key: &str, value: serde_json::Value| {
        let mut lens = json!({"yfov": 0.8, "znear": 0.1, "zfar": 9, "aspectRatio": 2});
        lens[key] = value;
        json!({"type": "perspective", "perspective": lens})
    };
    let orthographic = |key: &str, value: serde_json::Value| {
        let mut lens = json!({"xmag": 2, "ymag": 1, "znear": 0, "zfar": 9});
        lens[key] = value;
        json!({"type": "orthographic", "orthographic": lens})
    };
    // JSON has no NaN: writers put it as text, as nothing, or as a number that no f32 holds.
    let rows = [
        (perspective("yfov", json!(0.8)), true, ""),
        (perspective("yfov", json!(0)), false, "yfov"),
        (perspective("aspectRatio", json!(0)), true, "aspectRatio"),
        (perspective("yfov", json!(3.2)), false, "yfov"),
        (perspective("aspectRatio", json!(-1.5)), true, "aspectRatio"),
        (perspective("yfov", json!("NaN")), false, "yfov"),
        (perspective("aspectRatio", json!("NaN")), true, "aspectRatio"),
        (perspective("aspectRatio", json!(null)), true, "aspectRatio"),
        (perspective("znear", json!(0)), false, "znear"),
        (perspective("znear", json!(-0.1)), false, "znear"),
        (perspective("zfar", json!(0.05)), true, "zfar"),
        (perspective("zfar", json!(1e300)), true, "zfar"),
        (json!({"type": "perspective"}), false, "does not say what it shows"),
        (json!({"type": "perspective", "perspective": 7}), false, "does not say what it shows"),
        (json!({"perspective": {"yfov": 0.8, "znear": 0.1}}), false, "type"),
        (orthographic("xmag", json!(0)), false, "xmag"),
        (orthographic("ymag", json!("NaN")), false, "ymag"),
        (orthographic("znear", json!(-1)), false, "znear"),
        (orthographic("zfar", json!(0)), false, "zfar"),
        (orthographic("xmag", json!(-2)), true, ""),
    ];
    let mut gltf = cube();
    gltf.json["cameras"] = rows.iter().map(|(camera, ..)| camera.clone()).collect();
    let stands: Vec<_> = (0..rows.len())
        .map(|camera| gltf.push("nodes", json!({"camera": camera, "name": format!("{camera}")})))
        .collect();
    gltf.json["scenes"][0]["nodes"]
        .as_array_mut()
        .expect("a list")
        .extend(stands.into_iter().map(|n| json!(n)));
    let data = gltf.loaded();
    let listed: Vec<_> = data.cameras.iter().map(|camera| camera.name.clone()).collect();
    let sound = rows.iter().enumerate().filter(|(_, row)| row.1).map(|(camera, _)| camera.to_string());
    assert_eq!(listed, sound.collect::<Vec<_>>());
    for (camera, (_, kept, part)) in rows.iter().enumerate() {
        let starts = [format!("camera {camera}:"), format!("camera {camera} ")];
        let of_this = |warning: &&String| starts.iter().any(|start| warning.starts_with(start));
        let told: Vec<_> = data.warnings.iter().filter(of_this).collect();
        assert_eq!(told.len(), usize::from(!part.is_empty()), "camera {camera}: {told:?}");
        assert!(told.iter().all(|warning| warning.contains(part)), "camera {camera}, {part}: {told:?}");
        assert!(told.iter().all(|warning| warning.contains("left out") != *kept), "{told:?}");
    }
    for camera in &data.cameras {
        if let Projection::Perspective { aspect, far, near, .. } = camera.projection {
            assert!(
                aspect.is_none_or(|aspect| aspect == 2.0) && far.is_none_or(|far| far > near),
                "{camera:?}"
            );
        }
    }
    // A NaN written bare is no JSON at all.
    let text = String::from_utf8(cube().to_gltf()).expect("text");
    let text =
        text.replacen('{', r#"{"cameras": [{"type": "perspective", "perspective": {"yfov": NaN}}],"#, 1);
    let error = load_bytes(text.as_bytes(), "bare", &Progress::new()).expect_err("no JSON");
    assert!(one_sentence(&error).contains("JSON"), "{error}");
}

#[test]
fn variants_name_a_material_for_each_primitive() {
    let mut gltf = cube();
    for name in ["plain", "red", "blue"] {
        gltf.push("materials", json!({"name": name}));
    }
    gltf.json["extensions"] =
        json!({"KHR_materials_variants": {"variants": [{"name": "day"}, {}, {"name": "night"}]}});
    let primitive = &mut gltf.json["meshes"][0]["primitives"][0];
    primitive["material"] = json!(0);
    primitive["extensions"] = json!({"KHR_materials_variants": {"mappings": [
        {"material": 2, "variants": [2, 9]},
        {"material": 1, "variants": [0, 2]},
        {"material": 7, "variants": [1]},
        {"variants": [1]},
    ]}});
    let data = gltf.loaded();
    assert_eq!(data.variants, ["day", "variant 1", "night"]);
    let taken: Vec<_> = [None, Some(0), Some(1), Some(2), Some(77)]
        .into_iter()
        .map(|variant| data.materials[data.material_of(0, variant) as usize].name.as_str())
        .collect();
    assert_eq!(taken, ["plain", "red", "plain", "blue", "plain"]);
    assert!(has_warning(&data, "variants that do not exist"), "{:?}", data.warnings);
    assert!(has_warning(&data, "variant without a material"), "{:?}", data.warnings);
    assert!(info::text(&data).contains("day, variant 1, night"));
}

#[test]
fn pointers_that_are_not_understood_are_set_aside() {
    let mut gltf = stick();
    let pointer = json!({"pointer": "/materials/0/pbrMetallicRoughness/baseColorFactor"});
    let target = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": pointer}});
    let channels = gltf.json["animations"][0]["channels"].as_array_mut().expect("a list");
    channels.push(json!({"sampler": 0, "target": target}));
    let mut with_node = target.clone();
    with_node["node"] = json!(2);
    channels.push(json!({"sampler": 0, "target": with_node}));
    gltf.json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    gltf.json["extensionsRequired"] = json!(["KHR_animation_pointer"]);
    let data = gltf.loaded();
    assert_eq!(data.clips[0].channels.len(), 1, "what moves joints stays");
    assert!(has_warning(&data, "without a target node"), "{:?}", data.warnings);
    assert!(has_warning(&data, "unknown property"), "{:?}", data.warnings);
    assert_same_poses(&data, &stick().loaded(), 0.0, "the rest of the clip");
}
