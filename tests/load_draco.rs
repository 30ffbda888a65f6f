//! KHR_draco_mesh_compression: streams made by the encoder, and what becomes of bad ones.

#[path = "common/fixtures.rs"]
mod fixtures;

use std::time::{Duration, Instant};

use draco_core::draco_types::DataType;
use draco_core::{EncoderBuffer, EncoderOptions, GeometryAttributeType, Mesh, MeshEncoder, PointAttribute};
use dryad::character::load::LoadError;
use fixtures::*;
use glam::Vec3;
use serde_json::json;

/// Positions are quantised to 14 bits of an extent of 2: half a step, and some rounding.
const QUANTISED: f32 = 2.0 / 16383.0;

/// An attribute of `width` components, little-endian bytes as they come.
fn attribute(kind: GeometryAttributeType, width: u8, data_type: DataType, bytes: &[u8]) -> PointAttribute {
    let count = bytes.len() / (usize::from(width) * data_type.byte_length());
    let mut attribute = PointAttribute::new();
    attribute.init(kind, width, data_type, false, count);
    attribute.buffer_mut().data_mut().copy_from_slice(bytes);
    attribute
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A stream of the stick: its positions, joints as bytes and weights, in the order of the attributes.
fn stick_stream() -> Vec<u8> {
    stream(DataType::Float32, &bytes_of(stick_weights().as_flattened()))
}

/// The same with weights of any kind.
fn stream(weight: DataType, weights: &[u8]) -> Vec<u8> {
    let mut mesh = Mesh::new();
    mesh.set_num_points(10);
    let positions: Vec<f32> = stick_positions().iter().flat_map(|p| p.to_array()).collect();
    mesh.add_attribute(attribute(
        GeometryAttributeType::Position,
        3,
        DataType::Float32,
        &bytes_of(&positions),
    ));
    mesh.add_attribute(attribute(
        GeometryAttributeType::Generic,
        4,
        DataType::Uint8,
        &[0, 1, 0, 0].repeat(10),
    ));
    mesh.add_attribute(attribute(GeometryAttributeType::Generic, 4, weight, weights));
    let indices = stick_indices();
    mesh.set_num_faces(indices.len() / 3);
    for (face, corners) in indices.chunks_exact(3).enumerate() {
        mesh.set_face_from_indices(face, [0, 1, 2].map(|i| u32::from(corners[i])));
    }
    let mut options = EncoderOptions::new();
    options.set_attribute_int(0, "quantization_bits", 14);
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut out = EncoderBuffer::new();
    encoder.encode(&options, &mut out).expect("encoded");
    out.data().to_vec()
}

/// The stick with its mesh in a Draco stream alone.
fn draco_stick(stream: &[u8]) -> Gltf {
    let mut gltf = stick();
    let view = gltf.view(stream, None);
    gltf.json["meshes"][0]["primitives"][0]["extensions"] = json!({"KHR_draco_mesh_compression": {
        "bufferView": view, "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
    }});
    let primitive = gltf.json["meshes"][0]["primitives"][0].clone();
    let indices = [primitive["indices"].clone()];
    for accessor in primitive["attributes"].as_object().expect("attributes").values().chain(&indices) {
        let accessor = accessor.as_u64().expect("an index") as usize;
        gltf.json["accessors"][accessor].as_object_mut().expect("an object").remove("bufferView");
    }
    gltf.json["accessors"][primitive["attributes"]["JOINTS_0"].as_u64().expect("one") as usize]["componentType"] =
        json!(U8);
    gltf.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    gltf
}

/// For each point the nearest of the others; Draco keeps no order.
fn nearest(from: &[Vec3], to: &[Vec3]) -> f32 {
    let distance = |p: &Vec3| to.iter().map(|q| p.distance(*q)).fold(f32::INFINITY, f32::min);
    from.iter().map(distance).fold(0.0, f32::max)
}

#[test]
fn a_skinned_stream_poses_like_the_plain_mesh() {
    let draco = draco_stick(&stick_stream()).loaded();
    let plain = stick().loaded();
    assert!(draco.warnings.is_empty(), "{:?}", draco.warnings);
    assert_eq!(draco.indices.len(), plain.indices.len());
    assert!(draco.primitives[0].skinned);
    for time_secs in [0.0, 0.5, 1.0] {
        let (a, b) = (positions(&draco, Some(0), time_secs), positions(&plain, Some(0), time_secs));
        let error = nearest(&a, &b).max(nearest(&b, &a));
        assert!(error <= QUANTISED, "{error} at {time_secs} s");
    }
    // Nodes that share the mesh share the stream.
    let mut gltf = draco_stick(&stick_stream());
    gltf.push("nodes", json!({"mesh": 0, "skin": 0}));
    gltf.json["scenes"][0]["nodes"] = json!([0, 1, 3]);
    assert_eq!(gltf.loaded().vertices.positions.len(), 2 * draco.vertices.positions.len());
}

#[test]
fn normalised_integers_in_a_stream_are_divided_as_in_an_accessor() {
    // Quarters of 252, whose sums need renormalising to one.
    let bytes: Vec<u8> = stick_weights().as_flattened().iter().map(|weight| (weight * 252.0) as u8).collect();
    let mut gltf = draco_stick(&stream(DataType::Uint8, &bytes));
    let weights = gltf.attributes(0, 0)["WEIGHTS_0"].as_u64().expect("an accessor") as usize;
    gltf.json["accessors"][weights]["componentType"] = json!(U8);
    gltf.json["accessors"][weights]["normalized"] = json!(true);
    let data = gltf.loaded();
    // 252 / 255 is told of by no one; 252, were it not divided, would be.
    assert!(data.warnings.is_empty(), "{:?}", data.warnings);
    let (a, b) = (positions(&data, Some(0), 1.0), positions(&stick().loaded(), Some(0), 1.0));
    assert!(nearest(&a, &b).max(nearest(&b, &a)) <= QUANTISED);
}

#[test]
fn the_points_of_the_stream_count_and_not_the_accessors() {
    let mut gltf = draco_stick(&stick_stream());
    for count in [3, 4_000_000_000u32] {
        for accessor in 0..3 {
            gltf.json["accessors"][accessor]["count"] = json!(count);
        }
        let start = Instant::now();
        assert_eq!(gltf.loaded().primitives[0].accessor_vertex_count, 10);
        assert!(start.elapsed() < Duration::from_secs(1));
    }
}

#[test]
fn bad_streams_are_told_of_or_done_without() {
    let stream = stick_stream();
    for (what, broken) in
        [("cut", &stream[..stream.len() / 2]), ("noise", b"DRACOnothing".as_slice()), ("none", &[])]
    {
        let error = draco_stick(broken).load().expect_err(what);
        assert!(matches!(error, LoadError::Broken { .. }), "{what}: {error}");
        assert!(one_sentence(&error).contains("Draco"), "{what}: {error}");
    }
    let mut gltf = draco_stick(&stream);
    let extension = &mut gltf.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"];
    extension["attributes"]["JOINTS_0"] = json!(77);
    assert!(sentence(&gltf).contains("JOINTS_0"));
    let extension = &mut gltf.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"];
    *extension = json!({"bufferView": 99, "attributes": {}});
    assert!(sentence(&gltf).contains("buffer view 99"));
    *gltf.json.pointer_mut("/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression").expect("one") =
        json!([]);
    assert!(sentence(&gltf).contains("no buffer view"));

    // An uncompressed copy beside a bad stream.
    let mut gltf = stick();
    let view = gltf.view(b"DRACOnothing", None);
    gltf.json["meshes"][0]["primitives"][0]["extensions"] = json!({"KHR_draco_mesh_compression": {
        "bufferView": view, "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
    }});
    let data = gltf.loaded();
    assert!(has_warning(&data, "uncompressed copy"), "{:?}", data.warnings);
    assert_same_poses(&data, &stick().loaded(), 0.0, "the copy");
}

/// A constant attribute costs nothing in a stream, however many points have it: a small file must not make millions.
#[test]
fn a_stream_makes_no_more_than_its_file_can_justify() {
    let side = 1200;
    let mut mesh = Mesh::new();
    let points = side * side;
    mesh.set_num_points(points);
    let flat: Vec<f32> = (0..points).flat_map(|i| [(i % side) as f32, (i / side) as f32, 0.0]).collect();
    mesh.add_attribute(attribute(GeometryAttributeType::Position, 3, DataType::Float32, &bytes_of(&flat)));
    mesh.set_num_faces((side - 1) * (side - 1) * 2);
    for y in 0..side - 1 {
        for x in 0..side - 1 {
            let a = (y * side + x) as u32;
            let (b, s) = (a + 1, side as u32);
            let face = (y * (side - 1) + x) * 2;
            mesh.set_face_from_indices(face, [a, b, a + s]);
            mesh.set_face_from_indices(face + 1, [b, b + s, a + s]);
        }
    }
    let mut options = EncoderOptions::new();
    options.set_attribute_int(0, "quantization_bits", 11);
    options.set_compression_level(10);
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut out = EncoderBuffer::new();
    encoder.encode(&options, &mut out).expect("encoded");
    let mut gltf = Gltf::new();
    let view = gltf.view(out.data(), None);
    let position = gltf.push("accessors", json!({"componentType": F32, "type": "VEC3", "count": points}));
    gltf.push(
        "meshes",
        json!({"primitives": [{"attributes": {"POSITION": position}, "extensions": {
            "KHR_draco_mesh_compression": {"bufferView": view, "attributes": {"POSITION": 0}},
        }}]}),
    );
    gltf.push("nodes", json!({"mesh": 0}));
    gltf.json["scenes"][0]["nodes"] = json!([0]);
    let start = Instant::now();
    let error = gltf.load().expect_err("three million triangles");
    assert!(matches!(error, LoadError::TooLarge { .. }), "{} bytes: {error}", out.data().len());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
