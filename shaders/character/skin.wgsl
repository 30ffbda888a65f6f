// Morphs and skins every vertex of every primitive into world space.
//!include "common/index.wgsl"
//!include "common/bind_vertex.wgsl"
//!include "common/skinning.wgsl"
//!include "common/morph_range.wgsl"

struct MorphDeltaGpu {
    position: vec4<f32>,
    normal: vec4<f32>,
}

@group(0) @binding(0) var<uniform> skin: SkinUniform;
@group(0) @binding(1) var<storage, read> vertices: array<BindVertex>;
@group(0) @binding(2) var<storage, read> ranges: array<MorphRange>;
@group(0) @binding(3) var<storage, read> deltas: array<MorphDeltaGpu>;
@group(0) @binding(4) var<storage, read> morph_weights: array<f32>;
@group(0) @binding(5) var<storage, read> palette: array<mat4x4<f32>>;
@group(0) @binding(6) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> normals: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= skin.vertex_count {
        return;
    }
    let vertex = vertices[index];
    var position = vertex.position;
    var normal = vertex.normal;
    let range = ranges[vertex.primitive];
    for (var target_index = 0u; target_index < range.target_count; target_index++) {
        let weight = morph_weights[range.first_weight + target_index];
        if weight != 0.0 {
            let delta = deltas[range.first_delta + target_index * range.vertex_count + index - range.first_vertex];
            position += weight * delta.position.xyz;
            normal += weight * delta.normal.xyz;
        }
    }
    let world_from_bind = blended_matrix(vertex.joints, vertex.weights0, vertex.weights1, skin.palette_count);
    positions[index] = vec4<f32>((world_from_bind * vec4<f32>(position, 1.0)).xyz, 1.0);
    let posed = normal_matrix(world_from_bind) * normal;
    let length_squared = dot(posed, posed);
    // A collapsed limb has no normal; up is as good as any and keeps it finite.
    normals[index] = select(vec4<f32>(0.0, 1.0, 0.0, 0.0), vec4<f32>(posed * inverseSqrt(length_squared), 0.0), length_squared > 1e-30);
}
