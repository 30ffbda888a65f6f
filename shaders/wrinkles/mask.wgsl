// Flattens the folds round triangles whose directions cannot be made to agree: folds are then continuous everywhere.
//!include "common/index.wgsl"
//!include "common/fold_field.wgsl"
//!include "wrinkles/tables.wgsl"

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field: array<FieldVertex>;
@group(0) @binding(2) var<storage, read> half_edges: array<HalfEdgeGpu>;
@group(0) @binding(3) var<storage, read> edges: array<EdgeWave>;
@group(0) @binding(4) var<storage, read> headings: array<Heading>;
@group(0) @binding(5) var<storage, read_write> masked: array<Heading>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let vertex = field[index];
    var heading = headings[index];
    for (var k = 0u; k < vertex.spoke_count; k++) {
        let at = vertex.first_spoke + k;
        let rim = half_edges[at].rim;
        if rim == NO_RIM {
            continue;
        }
        let next = select(at + 1u, vertex.first_spoke, k + 1u == vertex.spoke_count);
        if edges[at].sign * edges[rim].sign * edges[next].sign < 0.0 {
            heading.amplitude = 0.0;
        }
    }
    masked[index] = heading;
}
