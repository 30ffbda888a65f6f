// Green strain of every field vertex in its tangent frame: E = (C − I)/2, C linear in squared edge lengths.
//!include "common/index.wgsl"
//!include "common/finite.wgsl"
//!include "wrinkles/tables.wgsl"

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field: array<FieldVertex>;
@group(0) @binding(2) var<storage, read> spokes: array<SpokeGpu>;
@group(0) @binding(3) var<storage, read> positions: array<vec4<f32>>;
// E as (xx, xy, yy), and how far it is to be trusted.
@group(0) @binding(4) var<storage, read_write> strain: array<vec4<f32>>;

// Half of what an edge adds to C: its squared length against rest, times its constant matrix.
fn edge_strain(edge_m: vec3<f32>, rest_squared: f32, metric: array<f32, 3>) -> vec3<f32> {
    let edge = edge_m * wrinkles.h_from_meters;
    return 0.5 * (dot(edge, edge) - rest_squared) * vec3<f32>(metric[0], metric[1], metric[2]);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let vertex = field[index];
    let center = positions[vertex.surface].xyz;
    let first = positions[spokes[vertex.first_spoke].surface].xyz;
    var here = first;
    var e = vec3<f32>(0.0);
    for (var k = 0u; k < vertex.spoke_count; k++) {
        let spoke = spokes[vertex.first_spoke + k];
        var next = first;
        if k + 1u < vertex.spoke_count {
            next = positions[spokes[vertex.first_spoke + k + 1u].surface].xyz;
        }
        e += edge_strain(here - center, spoke.spoke_squared, spoke.spoke_metric);
        e += edge_strain(next - here, spoke.rim_squared, spoke.rim_metric);
        here = next;
    }
    // A vertex thrown to infinity has no strain; a thousandfold stretch is as good as any greater one.
    if !is_finite3(e) {
        e = vec3<f32>(0.0);
    }
    strain[index] = vec4<f32>(clamp(e, vec3<f32>(-1e6), vec3<f32>(1e6)), vertex.trust);
}
