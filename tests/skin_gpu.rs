//! Morphing and skinning on the GPU against the CPU twin, whose poses are held against another viewer's.

mod common;
#[path = "common/fixtures.rs"]
mod fixtures;

use dryad::character::Character;
use dryad::character::animate::pose;
use dryad::character::cpu_skin::{extent, skin};
use dryad::character::data::{CharacterData, Pose};
use dryad::character::load::{Progress, load};
use dryad::character::surface::SkinnedSurface;
use dryad::sim::wrinkles::{Wrinkles, WrinklesParams};
use fixtures::*;
use glam::Vec3;
use serde_json::json;

/// Fraction of the extent: the GPU sums eight matrices in 32 bits where the twin uses 64.
const TOLERANCE: f32 = 1e-5;

/// Positions and normals as the GPU leaves them.
fn on_gpu(data: &CharacterData, pose: &Pose) -> (Vec<Vec3>, Vec<Vec3>) {
    let surface =
        SkinnedSurface::new(common::gpu(), common::shaders(), data).expect("the skinning shader builds");
    surface.set_pose(common::gpu(), pose);
    common::compute(|pass| surface.skin(pass));
    let read = |buffer: &dryad::gpu::Buffer<glam::Vec4>| {
        buffer.read(common::gpu()).into_iter().map(|value| value.truncate()).collect::<Vec<_>>()
    };
    (read(&surface.positions), read(&surface.normals))
}

fn compare(data: &CharacterData, clip: Option<usize>, time_secs: f64, name: &str) {
    let pose = pose(data, clip, time_secs);
    let (positions, normals) = on_gpu(data, &pose);
    let twin = skin(data, &pose);
    let error = difference(&positions, &twin.positions) / extent(data);
    assert!(error <= TOLERANCE, "{name} clip {clip:?}: positions off by {error} of the extent");
    // Normals of collapsed or nearly singular vertices have no direction worth comparing.
    let off = normals.iter().zip(&twin.normals).filter(|(a, b)| a.dot(**b) < 0.999).count();
    assert!(off * 1000 <= normals.len(), "{name} clip {clip:?}: {off} of {} normals off", normals.len());
}

#[test]
fn mirrored_normals_point_outward() {
    for scale in [[-1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.5, -3.0, 2.0], [-1.0, -1.0, -1.0]] {
        let mut gltf = cube();
        gltf.json["nodes"][0]["scale"] = json!(scale);
        let data = gltf.loaded();
        let (positions, normals) = on_gpu(&data, &pose(&data, None, 0.0));
        for (position, normal) in positions.iter().zip(&normals) {
            assert!(position.dot(*normal) > 0.1, "{scale:?}: {normal} at {position}");
        }
        compare(&data, None, 0.0, "cube");
    }
}

#[test]
fn the_last_of_300_joints_moves_its_vertex() {
    let (mut gltf, points) = chain(300);
    compare(&gltf.loaded(), None, 0.0, "chain");
    gltf.json["nodes"][299]["translation"] = json!([5, 1, 0]);
    let data = gltf.loaded();
    compare(&data, None, 0.0, "chain");
    let moved = on_gpu(&data, &pose(&data, None, 0.0)).0;
    for (joint, (now, before)) in moved.iter().zip(&points).enumerate() {
        let wanted = if joint == 299 { Vec3::X * 5.0 } else { Vec3::ZERO };
        // As far from the origin as 300, differences of two f32 are right to 3e-5.
        assert!((*now - *before - wanted).length() < 1e-4, "joint {joint}: {before} is at {now}");
    }
}

/// Weights that do not sum to one must not look like a body that is squeezed or torn at rest.
#[test]
fn weights_of_any_sum_strain_nothing_at_rest() {
    let mut zeros = stick_weights();
    (zeros[3], zeros[8]) = ([0.0; 4], [0.0; 4]);
    let scaled = |by: f32| stick_weights().iter().map(|weights| weights.map(|w| w * by)).collect();
    for weights in [zeros, scaled(0.9), scaled(1.0e-3), scaled(7.0), vec![[0.0; 4]; 10]] {
        let mut gltf = stick();
        let accessor = gltf.floats(weights.as_flattened(), "VEC4");
        gltf.attributes(0, 0)["WEIGHTS_0"] = json!(accessor);
        let character = Character::new(gltf.loaded());
        let (data, rest) = (&character.data, &character.rest);
        let surface = SkinnedSurface::new(common::gpu(), common::shaders(), data).expect("it builds");
        let mut wrinkles = Wrinkles::new(common::gpu(), common::shaders()).expect("it builds");
        wrinkles
            .install(common::gpu(), &surface, rest, &character.topology, &data.indices)
            .expect("it binds");
        let mut strain = |clip, time_secs, number| {
            surface.set_pose(common::gpu(), &pose(data, clip, time_secs));
            wrinkles.restart();
            common::compute(|pass| {
                surface.skin(pass);
                wrinkles.tick(common::gpu(), pass, number, number, &WrinklesParams::default());
            });
            wrinkles.strain().expect("installed").vertices.read(common::gpu())
        };
        let at_rest = strain(None, 0.0, 1);
        assert_eq!(at_rest.len(), data.vertices.positions.len());
        for (vertex, v) in at_rest.iter().enumerate() {
            // Ratios of lengths near 1, each of a few operations in 32 bits.
            assert!(v.compression < 1e-5 && v.stretch < 1e-5, "{weights:?}, vertex {vertex}: {v:?}");
        }
        for (vertex, v) in strain(Some(0), 1.0, 2).iter().enumerate() {
            let finite = bytemuck::cast_ref::<_, [f32; 12]>(v).iter().all(|x| x.is_finite());
            assert!(finite && v.compression <= 1.0, "{weights:?}, vertex {vertex}: {v:?}");
        }
    }
}

#[test]
fn every_model_of_the_oracle_skins_like_the_twin() {
    let (Some(oracle), Some(models)) = (common::shared("oracle"), common::shared("models")) else { return };
    let index = std::fs::read(oracle.join("index.json")).expect("readable");
    let index: serde_json::Value = serde_json::from_slice(&index).expect("JSON");
    for entry in index["made"].as_array().expect("a list") {
        let name = entry["model"].as_str().expect("a path");
        if name.contains("draco") {
            continue;
        }
        let data = load(&models.join(name), &Progress::new()).unwrap_or_else(|error| panic!("{error}"));
        compare(&data, None, 0.0, name);
        for clip in 0..data.clips.len().min(2) {
            compare(&data, Some(clip), data.clips[clip].duration_secs * 0.37, name);
        }
    }
}

#[test]
fn more_vertices_than_the_device_binds_are_refused_with_the_number() {
    let mut small = common::gpu().clone();
    small.limits.max_storage_buffer_binding_size = 80 * 3;
    let corner = |i: u32| Vec3::new(i as f32, (i % 2) as f32, 0.0);
    let strip = |count: u32| {
        let indices = (2..count).flat_map(|i| [i - 2, i - 1, i]).collect();
        CharacterData::from_triangles("strip", (0..count).map(corner).collect(), indices)
    };
    let made = |count| SkinnedSurface::new(&small, common::shaders(), &strip(count));
    assert!(made(3).is_ok());
    let error = made(4).expect_err("four vertices are one too many").to_string();
    assert_eq!(error, "4 vertices are more than this device holds: max_storage_buffer_binding_size allows 3");
}

#[test]
fn morph_targets_turn_tangents_that_the_file_gives() {
    let mut gltf = cube();
    let tangents: Vec<f32> = (0..8).flat_map(|_| [1.0, 0.0, 0.0, -1.0]).collect();
    let tangents = gltf.floats(&tangents, "VEC4");
    let normals = gltf.vec3s(&[Vec3::Z; 8]);
    let attributes = gltf.attributes(0, 0);
    (attributes["TANGENT"], attributes["NORMAL"]) = (json!(tangents), json!(normals));
    let [still, up, back] = [Vec3::ZERO, Vec3::new(-1.0, 1.0, 0.0), Vec3::new(-1.0, 0.0, 1.0)]
        .map(|delta| gltf.vec3s(&[delta; 8]));
    gltf.json["meshes"][0]["primitives"][0]["targets"] = json!([
        {"POSITION": still},
        {"POSITION": still, "TANGENT": up},
        {"POSITION": still, "NORMAL": still, "TANGENT": back},
    ]);
    let skinned = |data: &CharacterData, weights: [f32; 3]| {
        let mut pose = pose(data, None, 0.0);
        pose.morph_weights.copy_from_slice(&weights);
        let surface = SkinnedSurface::new(common::gpu(), common::shaders(), data).expect("it builds");
        surface.set_pose(common::gpu(), &pose);
        common::compute(|pass| {
            surface.skin(pass);
            surface.skin_tangents(pass);
        });
        surface.tangents.read(common::gpu())
    };
    let data = gltf.loaded();
    assert_eq!(data.morph_tangents.len(), data.morph_deltas.len());
    for (weights, wanted) in [
        ([1.0, 0.0, 0.0], Vec3::X),
        ([0.0, 1.0, 0.0], Vec3::Y),
        ([0.0, 0.5, 0.0], Vec3::new(1.0, 1.0, 0.0).normalize_or_zero()),
        ([0.0, 0.5, 0.5], Vec3::new(0.0, 1.0, 1.0).normalize_or_zero()),
    ] {
        for tangent in skinned(&data, weights) {
            // A sum and a normalisation in 32 bits.
            assert!((tangent.truncate() - wanted).length() < 1e-5, "{weights:?}: {tangent}");
            assert_eq!(tangent.w, -1.0);
        }
    }
    // Without tangents of its own, the file's changes have nothing to change.
    gltf.attributes(0, 0).as_object_mut().expect("an object").remove("TANGENT");
    assert!(gltf.loaded().morph_tangents.is_empty());
}
