// Steadies the direction: the neighbours' deviators, brought here by parallel transport, are added to a vertex's own.
//!include "common/index.wgsl"
//!include "common/fold_field.wgsl"
//!include "wrinkles/tables.wgsl"

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field: array<FieldVertex>;
@group(0) @binding(2) var<storage, read> half_edges: array<HalfEdgeGpu>;
@group(0) @binding(3) var<storage, read> deviators: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read_write> steadied: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let vertex = field[index];
    var sum = deviators[index];
    for (var k = 0u; k < vertex.spoke_count; k++) {
        let at = vertex.first_spoke + k;
        let turn = half_edges[at].turn;
        // A deviator turns twice as fast as its axis.
        sum += times(times(turn, turn), deviators[half_edges[at].far]);
    }
    steadied[index] = sum;
}
