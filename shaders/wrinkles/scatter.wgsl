// Hands every vertex of the surface the strain of its field vertex.
//!include "common/index.wgsl"
//!include "wrinkles/tables.wgsl"
//!include "common/strain_vertex.wgsl"

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field_of_surface: array<u32>;
@group(0) @binding(2) var<storage, read> field_strain: array<StrainVertex>;
@group(0) @binding(3) var<storage, read_write> vertices: array<StrainVertex>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.surface_count {
        return;
    }
    let id = field_of_surface[index];
    if id >= wrinkles.field_count {
        // No triangle has this vertex: nothing strains it.
        vertices[index] = StrainVertex(vec3<f32>(1.0, 0.0, 0.0), 0.0, vec3<f32>(1.0, 0.0, 0.0), 0.0, vec2<f32>(1.0, 0.0), 0.0, 0.0);
        return;
    }
    vertices[index] = field_strain[id];
}
