//! Buffer views under EXT_meshopt_compression and KHR_meshopt_compression.
#![cfg(feature = "meshopt")]

#[path = "common/fixtures.rs"]
mod fixtures;

use fixtures::*;
use serde_json::{Value, json};

#[test]
fn meshopt_fields_are_checked_before_the_decoder_sees_them() {
    let good = json!({"buffer": 0, "byteOffset": 0, "byteLength": 64, "byteStride": 12, "count": 8, "mode": "ATTRIBUTES"});
    for (key, value, part) in [
        ("byteStride", json!(6), "stride"),
        ("byteStride", json!(0), "stride"),
        ("byteStride", json!(260), "stride"),
        ("count", json!(u64::MAX), "more than its"),
        ("count", json!(1_000_000), "more than its"),
        ("mode", json!("TRIANGLES"), "stride"),
        ("mode", json!("LINES"), "mode"),
        ("filter", json!("OCTAHEDRAL"), "stride"),
        ("filter", json!("QUATERNION"), "stride"),
        ("filter", json!("NOISE"), "filter"),
        ("buffer", json!(7), "buffer 7"),
        ("byteOffset", json!(u64::MAX), "reaches past"),
        ("byteLength", json!(null), "byteLength"),
        ("count", json!(8), "does not decode"),
    ] {
        for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
            let mut gltf = cube();
            let mut extension = good.clone();
            extension[key] = value.clone();
            let view = &mut gltf.json["bufferViews"][0];
            view["extensions"] = json!({});
            view["extensions"][name] = extension;
            let error = sentence(&gltf);
            assert!(error.contains(part) && error.contains("buffer view 0"), "{key} = {value}: {error}");
        }
    }
    let mut gltf = cube();
    let view = &mut gltf.json["bufferViews"][1];
    view["extensions"] = json!({"EXT_meshopt_compression":
        {"buffer": 0, "byteLength": 64, "byteStride": 2, "count": 35, "mode": "TRIANGLES"}});
    assert!(sentence(&gltf).contains("multiple of three"));
}

/// Positions as the accessor holds them.
fn positions_of(gltf: &Gltf) -> Vec<glam::Vec3> {
    let data = gltf.loaded();
    stored(&data, &data.vertices.positions)
}

/// A cube whose attribute `name` and, where given, indices are replaced by what lies compressed in a view.
fn with_compressed(
    name: &str,
    accessor: Value,
    encoded: &[u8],
    mut extension: Value,
    decoded_bytes: usize,
) -> Gltf {
    let mut gltf = cube();
    let source = gltf.view(encoded, None);
    let source = gltf.json["bufferViews"][source].clone();
    extension["buffer"] = json!(0);
    extension["byteOffset"] = source["byteOffset"].clone();
    extension["byteLength"] = source["byteLength"].clone();
    // The fallback buffer, which need not exist.
    let mut view = json!({"buffer": 1, "byteLength": decoded_bytes, "extensions": {}});
    view["extensions"]["KHR_meshopt_compression"] = extension;
    let view = gltf.push("bufferViews", view);
    let mut accessor = accessor;
    accessor["bufferView"] = json!(view);
    let accessor = gltf.push("accessors", accessor);
    if name == "indices" {
        gltf.json["meshes"][0]["primitives"][0]["indices"] = json!(accessor);
    } else {
        gltf.attributes(0, 0)[name] = json!(accessor);
    }
    gltf
}

#[test]
fn every_mode_and_filter_decodes_to_what_was_encoded() {
    use meshopt::{encode_filter_color, encode_filter_exp, encode_filter_oct, encode_filter_quat};
    let positions: Vec<[f32; 3]> = cube_positions().iter().map(|position| position.to_array()).collect();
    let attributes = |stride: usize, filter: &str| json!({"byteStride": stride, "count": 8, "mode": "ATTRIBUTES", "filter": filter});

    let encoded = meshopt::encode_vertex_buffer(&positions).expect("encoded");
    let accessor = json!({"componentType": F32, "type": "VEC3", "count": 8});
    let gltf = with_compressed("POSITION", accessor.clone(), &encoded, attributes(12, "NONE"), 96);
    assert_eq!(positions_of(&gltf), cube_positions());

    let bits = encode_filter_exp::<3>(&positions, 16, meshopt::EncodeExpMode::Separate);
    let encoded = meshopt::encode_vertex_buffer(&bits).expect("encoded");
    let gltf = with_compressed("POSITION", accessor, &encoded, attributes(12, "EXPONENTIAL"), 96);
    assert_eq!(positions_of(&gltf), cube_positions(), "halves are exact in sixteen bits");

    let normals: Vec<glam::Vec3> =
        cube_positions().iter().map(|position| position.normalize_or_zero()).collect();
    let wide: Vec<[f32; 4]> = normals.iter().map(|normal| normal.extend(0.0).to_array()).collect();
    let octahedral = |component: u32, stride: usize, encoded: &[u8], tolerance: f32| {
        let accessor = json!({"componentType": component, "normalized": true, "type": "VEC3", "count": 8});
        let gltf = with_compressed("NORMAL", accessor, encoded, attributes(stride, "OCTAHEDRAL"), stride * 8);
        let error = difference(&gltf.loaded().vertices.normals, &normals);
        assert!(error < tolerance, "{stride}: {error}");
    };
    // Half a step of the components' last bit, and the octahedron's distortion.
    let encoded = meshopt::encode_vertex_buffer(&encode_filter_oct::<i8>(&wide, 8)).expect("encoded");
    octahedral(I8, 4, &encoded, 0.02);
    let encoded = meshopt::encode_vertex_buffer(&encode_filter_oct::<i16>(&wide, 16)).expect("encoded");
    octahedral(I16, 8, &encoded, 1e-4);

    let colors: Vec<[f32; 4]> = (0..8).map(|i| [i as f32 / 7.0, 0.5, 1.0 - i as f32 / 7.0, 1.0]).collect();
    let encoded = meshopt::encode_vertex_buffer(&encode_filter_color::<u16>(&colors, 16)).expect("encoded");
    let accessor = json!({"componentType": U16, "normalized": true, "type": "VEC4", "count": 8});
    let loaded = with_compressed("COLOR_0", accessor, &encoded, attributes(8, "COLOR"), 64).loaded();
    for (mine, theirs) in loaded.vertices.colors.iter().zip(&colors) {
        assert!(
            (*mine - glam::Vec4::from_array(*theirs)).abs().max_element() < 1e-3,
            "{mine} is not {theirs:?}"
        );
    }

    // Rotations as keys of the stick's clip.
    let turns = [about_z(0.0), about_z(90.0)];
    let encoded = meshopt::encode_vertex_buffer(&encode_filter_quat(&turns, 16)).expect("encoded");
    let accessor = json!({"componentType": I16, "normalized": true, "type": "VEC4", "count": 2});
    let mut extension = attributes(8, "QUATERNION");
    extension["count"] = json!(2);
    let compressed = with_compressed("_TURNS", accessor, &encoded, extension, 16);
    let mut gltf = stick();
    let offset = gltf.bin.len();
    gltf.bin.extend(&compressed.bin);
    let mut view = compressed.json["bufferViews"].as_array().expect("a list").last().expect("a view").clone();
    let start = &mut view["extensions"]["KHR_meshopt_compression"]["byteOffset"];
    *start = json!(start.as_u64().expect("an offset") + offset as u64);
    let view = gltf.push("bufferViews", view);
    let mut accessor = compressed.json["accessors"].as_array().expect("a list").last().expect("one").clone();
    accessor["bufferView"] = json!(view);
    let accessor = gltf.push("accessors", accessor);
    gltf.json["animations"][0]["samplers"][0]["output"] = json!(accessor);
    assert_same_poses(&gltf.loaded(), &stick().loaded(), 1e-3, "quaternions");

    let indices: Vec<u32> = cube_indices().iter().map(|index| u32::from(*index)).collect();
    let triangles = meshopt::encode_index_buffer(&indices, 8).expect("encoded");
    let sequence = meshopt::encode_index_sequence(&indices, 8).expect("encoded");
    let sorted = |indices: &[u32]| {
        // The codec may turn a triangle's corners round, never its sense.
        let mut triangles: Vec<_> = indices
            .chunks_exact(3)
            .map(|t| {
                let least = (0..3).min_by_key(|i| t[*i]).expect("three");
                [t[least], t[(least + 1) % 3], t[(least + 2) % 3]]
            })
            .collect();
        triangles.sort_unstable();
        triangles
    };
    for (mode, encoded) in [("TRIANGLES", &triangles), ("INDICES", &sequence)] {
        for (component, stride) in [(U16, 2), (U32, 4)] {
            let accessor = json!({"componentType": component, "type": "SCALAR", "count": 36});
            let extension = json!({"byteStride": stride, "count": 36, "mode": mode});
            let mut gltf = with_compressed("indices", accessor, encoded, extension, 36 * stride);
            // Normals of the file, so that no vertex parts.
            let normals = gltf.vec3s(&cube_positions());
            gltf.attributes(0, 0)["NORMAL"] = json!(normals);
            assert_eq!(sorted(&gltf.loaded().indices), sorted(&indices), "{mode} of {stride} bytes");
        }
    }
}
