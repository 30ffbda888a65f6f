//! What `CharacterData` promises to whoever reads it.

use dryad::character::animate::Poser;
use dryad::character::cpu_skin::skin;
use dryad::character::data::{CharacterData, ColorSpace};
use glam::Vec4;

/// Everything that `CharacterData` promises to its readers.
pub fn check_invariants(data: &CharacterData, name: &str) {
    let vertices = &data.vertices;
    let count = vertices.positions.len();
    for length in [
        vertices.normals.len(),
        vertices.tangents.len(),
        vertices.uvs.len(),
        vertices.uvs1.len(),
        vertices.colors.len(),
        vertices.influences.len(),
    ] {
        assert_eq!(length, count, "{name}: attribute lengths");
    }
    assert_eq!(vertices.primitive.len(), count, "{name}");
    let mut seen = vec![false; data.nodes.len()];
    for &index in &data.node_order {
        if let Some(parent) = data.nodes[index as usize].parent {
            assert!(seen[parent as usize], "{name}: node {index} before its parent {parent}");
        }
        assert!(!std::mem::replace(&mut seen[index as usize], true), "{name}: node {index} twice");
    }
    for entry in &data.palette {
        assert!(
            seen[entry.node as usize],
            "{name}: palette entry of node {}, which is never posed",
            entry.node
        );
        assert!(entry.bind_inverse.is_finite(), "{name}");
    }
    for (vertex, influences) in vertices.influences.iter().enumerate() {
        let sum: f32 = influences.weights.iter().sum();
        // Eight roundings to 24 bits.
        assert!((sum - 1.0).abs() < 1e-6, "{name}: vertex {vertex} has weights that sum to {sum}");
        assert!(influences.weights.is_sorted_by(|a, b| a >= b), "{name}: vertex {vertex}");
        assert!(influences.joints.iter().all(|joint| usize::from(*joint) < data.palette.len()), "{name}");
    }
    for normal in &vertices.normals {
        assert!((normal.length() - 1.0).abs() < 1e-5, "{name}: normal {normal}");
    }
    assert!(vertices.positions.iter().all(|position| position.is_finite()), "{name}");
    assert!(vertices.uvs.iter().chain(&vertices.uvs1).all(|uv| uv.is_finite()), "{name}");
    for tangent in vertices.tangents.iter().filter(|tangent| **tangent != Vec4::ZERO) {
        assert!((tangent.truncate().length() - 1.0).abs() < 1e-5, "{name}: tangent {tangent}");
        assert!(tangent.w.abs() == 1.0, "{name}: tangent {tangent}");
    }
    assert!(vertices.colors.iter().all(|color| color.is_finite()), "{name}");
    let (mut next_vertex, mut next_index) = (0, 0);
    for (number, primitive) in data.primitives.iter().enumerate() {
        assert_eq!(primitive.first_vertex, next_vertex, "{name}");
        assert_eq!(primitive.first_index, next_index, "{name}");
        next_vertex += primitive.vertex_count;
        next_index += primitive.index_count;
        assert_eq!(primitive.index_count % 3, 0, "{name}");
        let range = primitive.first_vertex..next_vertex;
        let indices = &data.indices[primitive.first_index as usize..next_index as usize];
        assert!(indices.iter().all(|index| range.contains(index)), "{name}: primitive {number}");
        assert!(
            vertices.primitive[range.start as usize..range.end as usize]
                .iter()
                .all(|p| *p as usize == number)
        );
        assert!((primitive.material as usize) < data.materials.len(), "{name}");
        assert!(primitive.accessor_vertex_count <= primitive.vertex_count, "{name}");
        for (variant, material) in &primitive.variant_materials {
            assert!((*variant as usize) < data.variants.len(), "{name}");
            assert!((*material as usize) < data.materials.len(), "{name}");
        }
        let deltas = primitive.first_morph_delta + primitive.target_count * primitive.vertex_count;
        assert!(deltas as usize <= data.morph_deltas.len(), "{name}");
        let weights = primitive.first_morph_weight + primitive.target_count;
        assert!(weights as usize <= data.morph_weights.len(), "{name}");
        // Copies stand where what they copy stands.
        if primitive.accessor_vertex_count == primitive.vertex_count {
            continue;
        }
        let own = &vertices.positions[range.start as usize..][..primitive.accessor_vertex_count as usize];
        let own: std::collections::HashSet<_> =
            own.iter().map(|position| position.to_array().map(f32::to_bits)).collect();
        let copies = range.start + primitive.accessor_vertex_count..range.end;
        for copy in copies {
            let position = vertices.positions[copy as usize].to_array().map(f32::to_bits);
            assert!(own.contains(&position), "{name}: vertex {copy}");
        }
    }
    assert_eq!(next_vertex as usize, count, "{name}");
    assert_eq!(next_index as usize, data.indices.len(), "{name}");
    assert_eq!(data.morph_names.len(), data.morph_weights.len(), "{name}");
    for material in &data.materials {
        for (what, slot) in material.textures() {
            let image = &data.images[slot.image as usize];
            let colour = ["base colour", "emissive", "specular colour", "sheen colour"].contains(&what);
            assert_eq!(image.color_space == ColorSpace::Srgb, colour, "{name}: {what}");
            assert!(slot.uv_set < 2 && slot.uv_transform.is_finite() && slot.strength.is_finite(), "{name}");
        }
    }
    for image in &data.images {
        assert_eq!(image.rgba.len() as u64, u64::from(image.width) * u64::from(image.height) * 4, "{name}");
    }
    for node in data.lights.iter().map(|light| light.node).chain(data.cameras.iter().map(|c| c.node)) {
        assert!(seen[node as usize], "{name}: a light or camera on node {node}, which is never posed");
    }
    let mut poser = Poser::new(data);
    for clip in (0..data.clips.len().min(6)).map(Some).chain([None]) {
        let duration_secs = clip.map_or(0.0, |clip| data.clips[clip].duration_secs);
        assert!(duration_secs.is_finite(), "{name}");
        for fraction in [0.0, 0.43, 1.0] {
            let pose = poser.pose(data, clip, duration_secs * fraction);
            assert!(pose.palette.iter().all(|matrix| matrix.is_finite()), "{name}");
            assert!(pose.morph_weights.iter().all(|weight| weight.is_finite()), "{name}");
        }
    }
    let rest = skin(data, poser.pose(data, None, 0.0));
    assert!(rest.positions.iter().all(|position| position.is_finite()), "{name}");
    assert!(rest.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5), "{name}");
}
