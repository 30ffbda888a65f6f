//! Tangents: those of the file, those of MikkTSpace, and vertices that part because of them (G07, G10).

#[path = "common/fixtures.rs"]
mod fixtures;

use std::path::Path;
use std::time::{Duration, Instant};

use dryad::character::data::CharacterData;
use dryad::character::load::{Progress, load};
use fixtures::*;
use glam::{Vec2, Vec3, Vec4};
use serde_json::{Value, json};

/// Rounding of a few 32-bit operations on unit vectors.
const ROUNDING: f32 = 1e-5;

/// A mesh in the plane z = 0 that looks along +z, with a normal map.
fn plane(points: &[(f32, f32)], uvs: &[(f32, f32)], indices: &[u16]) -> Gltf {
    let mut gltf = Gltf::new();
    let position = gltf.vec3s(&points.iter().map(|(x, y)| Vec3::new(*x, *y, 0.0)).collect::<Vec<_>>());
    let normal = gltf.vec3s(&vec![Vec3::Z; points.len()]);
    let uv = gltf.floats(&uvs.iter().flat_map(|(u, v)| [*u, *v]).collect::<Vec<_>>(), "VEC2");
    let indices = gltf.u16s(indices, "SCALAR");
    gltf.push(
        "meshes",
        json!({"primitives": [{
            "attributes": {"POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv},
            "indices": indices, "material": 0,
        }]}),
    );
    gltf.push("nodes", json!({"mesh": 0}));
    gltf.json["scenes"][0]["nodes"] = json!([0]);
    gltf.push("images", json!({"uri": "data:,none"}));
    gltf.push("textures", json!({"source": 0}));
    gltf.push("materials", json!({"normalTexture": {"index": 0}}));
    gltf
}

/// A unit square with u to the right and v down, as glTF's pictures lie.
fn square() -> Gltf {
    plane(
        &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
        &[(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)],
        &[0, 1, 2, 0, 2, 3],
    )
}

/// Tangent and bitangent of a vertex.
fn frame(data: &CharacterData, vertex: usize) -> (Vec3, Vec3) {
    let tangent = data.vertices.tangents[vertex];
    let bitangent = data.vertices.normals[vertex].cross(tangent.truncate()) * tangent.w;
    (tangent.truncate(), bitangent)
}

fn assert_near(a: Vec3, b: Vec3) {
    assert!((a - b).length() < ROUNDING, "{a} is not {b}");
}

#[test]
fn the_tangent_follows_u_and_the_bitangent_falling_v() {
    let data = square().loaded();
    assert_eq!(data.primitives[0].vertex_count, 4, "nothing parts");
    for vertex in 0..4 {
        let (tangent, bitangent) = frame(&data, vertex);
        assert_near(tangent, Vec3::X);
        assert_near(bitangent, Vec3::Y);
    }
    // A texture that is turned by a quarter turns its frame: what is read along u now lies along y.
    let mut gltf = square();
    gltf.json["materials"][0]["normalTexture"]["extensions"] =
        json!({"KHR_texture_transform": {"rotation": std::f64::consts::FRAC_PI_2}});
    let data = gltf.loaded();
    let slot = data.materials[0].normal_texture.expect("a normal map");
    let (tangent, bitangent) = frame(&data, 0);
    // The texture coordinate must grow by u alone along the tangent, by falling v along the bitangent.
    let uv = |p: Vec3| slot.uv([Vec2::new(p.x, 1.0 - p.y); 2]);
    assert!((uv(tangent) - uv(Vec3::ZERO) - Vec2::X).length() < ROUNDING);
    assert!((uv(bitangent) - uv(Vec3::ZERO) + Vec2::Y).length() < ROUNDING);
}

#[test]
fn g10_mirrored_halves_keep_their_handedness() {
    // Two squares side by side; u runs to the middle from both sides. The middle vertices are shared.
    let points = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 1.0)];
    let uvs = [(0.0, 1.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0), (0.0, 0.0)];
    let indices = [0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4];
    let data = plane(&points, &uvs, &indices).loaded();
    let primitive = &data.primitives[0];
    assert_eq!([primitive.accessor_vertex_count, primitive.vertex_count], [6, 8], "the middle parts");
    assert_eq!(data.vertices.positions[..6], points.map(|(x, y)| Vec3::new(x, y, 0.0)), "the order stays");
    for triangle in data.indices.chunks_exact(3) {
        let left = triangle.iter().all(|i| data.vertices.positions[*i as usize].x <= 1.0);
        for vertex in triangle {
            let (tangent, bitangent) = frame(&data, *vertex as usize);
            assert_near(tangent, if left { Vec3::X } else { -Vec3::X });
            assert_near(bitangent, Vec3::Y);
            assert_eq!(data.vertices.tangents[*vertex as usize].w, if left { 1.0 } else { -1.0 });
        }
    }
    // Everything of a copy is that of its original.
    for copy in 6..8usize {
        let original = (0..6).find(|i| data.vertices.positions[*i] == data.vertices.positions[copy]);
        let original = original.expect("an original");
        assert_eq!(data.vertices.uvs[copy], data.vertices.uvs[original]);
        assert_eq!(data.vertices.influences[copy], data.vertices.influences[original]);
    }

    // As written: w = -1 survives.
    let mut gltf = plane(&points, &uvs, &indices);
    let stored = gltf.floats(&[2.0, 0.0, 0.0, -1.0].repeat(6), "VEC4");
    gltf.attributes(0, 0)["TANGENT"] = json!(stored);
    let data = gltf.loaded();
    assert_eq!(data.vertices.tangents, vec![Vec4::new(1.0, 0.0, 0.0, -1.0); 6]);
    assert!(data.warnings.iter().all(|warning| warning.contains("magenta")), "{:?}", data.warnings);
}

#[test]
fn g07_tangents_and_normals_that_are_missing_or_broken() {
    // (c) tangents without normals are ignored.
    let mut gltf = square();
    let stored = gltf.floats(&[0.0, 0.0, 1.0, -1.0].repeat(4), "VEC4");
    gltf.attributes(0, 0)["TANGENT"] = json!(stored);
    gltf.attributes(0, 0).as_object_mut().expect("an object").remove("NORMAL");
    let data = gltf.loaded();
    let (tangent, bitangent) = frame(&data, 0);
    assert_near(tangent, Vec3::X);
    assert_near(bitangent, Vec3::Y);
    // Tangents without a direction, of another length, of another type.
    let mut gltf = square();
    let stored =
        gltf.floats(&[[1.0, 0.0, 0.0, 1.0], [0.0; 4], [f32::NAN; 4], [1.0, 0.0, 0.0, 0.0]].concat(), "VEC4");
    gltf.attributes(0, 0)["TANGENT"] = json!(stored);
    let data = gltf.loaded();
    assert!(has_warning(&data, "2 tangents without a direction"), "{:?}", data.warnings);
    assert!(data.vertices.tangents.iter().all(|t| t.w == 1.0 && t.truncate().dot(Vec3::Z).abs() < ROUNDING));
    for (values, kind, what) in [(12, "VEC3", "VEC4"), (8, "VEC4", "another length")] {
        let mut gltf = square();
        let stored = gltf.floats(&vec![1.0; values], kind);
        gltf.attributes(0, 0)["TANGENT"] = json!(stored);
        let data = gltf.loaded();
        assert!(has_warning(&data, what), "{:?}", data.warnings);
        assert_near(frame(&data, 0).0, Vec3::X);
    }
    // Without texture coordinates there is no frame, and without a normal map none is needed.
    let mut gltf = square();
    gltf.attributes(0, 0).as_object_mut().expect("an object").remove("TEXCOORD_0");
    let data = gltf.loaded();
    assert!(has_warning(&data, "no texture coordinates"), "{:?}", data.warnings);
    assert_eq!(data.vertices.tangents, [Vec4::ZERO; 4]);
    let mut gltf = square();
    gltf.json["materials"][0] = json!({});
    assert_eq!(gltf.loaded().vertices.tangents, [Vec4::ZERO; 4]);
}

#[test]
fn degenerate_and_crowded_meshes_end_soon_and_stay_sound() {
    let sound = |data: &CharacterData| {
        let tangents = &data.vertices.tangents;
        assert!(tangents.iter().all(|t| (t.truncate().length() - 1.0).abs() < ROUNDING && t.w.abs() == 1.0));
    };
    // No area in space, none in the texture, coordinates that are no numbers.
    sound(&plane(&[(0.0, 0.0); 3], &[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], &[0, 1, 2]).loaded());
    sound(&plane(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], &[(0.5, 0.5); 3], &[0, 1, 2]).loaded());
    let nowhere = [(f32::NAN, 0.0), (f32::INFINITY, 1.0), (1e30, -1e30)];
    sound(&plane(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], &nowhere, &[0, 1, 2]).loaded());
    // A fan of fifty thousand triangles round one vertex.
    let rim = 50_000u16;
    let around = |i: u16| f32::from(i) / f32::from(rim) * std::f32::consts::TAU;
    let mut points = vec![(0.0, 0.0)];
    points.extend((0..rim).map(|i| (around(i).cos(), around(i).sin())));
    let indices: Vec<u16> = (0..rim - 1).flat_map(|i| [0, i + 1, i + 2]).collect();
    let uvs = points.clone();
    let gltf = plane(&points, &uvs, &indices);
    let start = Instant::now();
    let data = std::thread::scope(|scope| {
        // What a worker thread has, so that deep recursion would show.
        let builder = std::thread::Builder::new().stack_size(1 << 20);
        let worker = builder.spawn_scoped(scope, || gltf.loaded()).expect("a thread");
        worker.join().expect("no overflow")
    });
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    sound(&data);
}

/// What exporters wrote is what comes out when their tangents are taken away.
#[test]
fn generated_tangents_agree_with_those_of_others() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    if !models.exists() {
        println!("../shared/models is not here: this test read nothing and proved nothing");
        return;
    }
    for name in ["conformance/sphere_tangents/sphere.gltf", "extensions/sphere_lights/sphere_lights.gltf"] {
        let source = models.join(name);
        let stored = load(&source, &Progress::new()).expect(name);
        let folder = tempfile::tempdir().expect("a folder");
        for entry in std::fs::read_dir(source.parent().expect("a folder")).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                std::fs::copy(&path, folder.path().join(path.file_name().expect("a name"))).expect("copied");
            }
        }
        let mut json: Value = serde_json::from_slice(&std::fs::read(&source).expect(name)).expect("JSON");
        let attributes =
            json["meshes"][0]["primitives"][0]["attributes"].as_object_mut().expect("attributes");
        attributes.remove("TANGENT").expect("tangents");
        if json["materials"][0]["normalTexture"].is_null() {
            json["images"] = json!([{"uri": "data:,none"}]);
            json["textures"] = json!([{"source": 0}]);
            json["materials"] = json!([{"normalTexture": {"index": 0}}]);
            json["meshes"][0]["primitives"][0]["material"] = json!(0);
        }
        let path = folder.path().join("stripped.gltf");
        std::fs::write(&path, serde_json::to_vec(&json).expect("JSON")).expect("written");
        let made = load(&path, &Progress::new()).expect(name);
        let count = stored.primitives[0].accessor_vertex_count as usize;
        let mut agree = 0;
        for vertex in 0..count {
            let [a, b] = [&stored, &made].map(|data| data.vertices.tangents[vertex]);
            agree += usize::from(a.w == b.w && a.truncate().dot(b.truncate()) > 0.95);
        }
        println!(
            "{name}: {agree} of {count} tangents agree, {} copies",
            made.vertices.tangents.len() - count
        );
        // At the poles of a sphere every triangle has a direction of its own, and exporters differ.
        assert!(agree * 10 >= count * 8, "{name}: only {agree} of {count} agree");
    }
}
