// Carries tangents into world space beside the skinned normals; only characters with normal maps ask for it.
//!include "common/index.wgsl"
//!include "common/bind_vertex.wgsl"
//!include "common/skinning.wgsl"
//!include "common/morph_range.wgsl"

@group(0) @binding(0) var<uniform> skin: SkinUniform;
@group(0) @binding(1) var<storage, read> vertices: array<BindVertex>;
@group(0) @binding(2) var<storage, read> bind_tangents: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> ranges: array<MorphRange>;
// What morph targets add; zero beyond its end.
@group(0) @binding(4) var<storage, read> tangent_deltas: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> morph_weights: array<f32>;
@group(0) @binding(5) var<storage, read> palette: array<mat4x4<f32>>;
@group(0) @binding(6) var<storage, read_write> tangents: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= skin.vertex_count {
        return;
    }
    let vertex = vertices[index];
    let bind = bind_tangents[index];
    let m = blended_matrix(vertex.joints, vertex.weights0, vertex.weights1, skin.palette_count);
    var tangent = bind.xyz;
    if skin.tangent_delta_count > 0u {
        let range = ranges[vertex.primitive];
        for (var target_index = 0u; target_index < range.target_count; target_index++) {
            let delta = range.first_delta + target_index * range.vertex_count + index - range.first_vertex;
            if delta < min(skin.tangent_delta_count, arrayLength(&tangent_deltas)) {
                tangent += morph_weights[range.first_weight + target_index] * tangent_deltas[delta].xyz;
            }
        }
    }
    let posed = (m * vec4<f32>(tangent, 0.0)).xyz;
    let length_squared = dot(posed, posed);
    // A mirroring matrix turns the bitangent's sense round.
    let sense = bind.w * select(1.0, -1.0, dot(m[0].xyz, cross(m[1].xyz, m[2].xyz)) < 0.0);
    tangents[index] = select(vec4<f32>(0.0, 0.0, 0.0, sense), vec4<f32>(posed * inverseSqrt(length_squared), sense), length_squared > 1e-30);
}
