// How the folds at the two ends of every edge meet: whether their directions agree, and by how much the phase grows
// from the near end to the far one.
//!include "common/index.wgsl"
//!include "common/fold_field.wgsl"
//!include "wrinkles/tables.wgsl"

const TAU: f32 = 6.28318530718;

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> half_edges: array<HalfEdgeGpu>;
@group(0) @binding(2) var<storage, read> headings: array<Heading>;
@group(0) @binding(3) var<storage, read_write> edges: array<EdgeWave>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.half_edge_count {
        return;
    }
    let here = half_edges[index];
    let back = half_edges[here.reverse];
    // One of the two half-edges decides for both: rounding must not tell them different signs.
    let one = half_edges[min(index, here.reverse)];
    let agreement = dot(times(one.turn, headings[one.far].direction), headings[one.near].direction);
    let sign = select(-1.0, 1.0, agreement >= 0.0);
    let steps = dot(here.arm, headings[here.near].direction) - sign * dot(back.arm, headings[here.far].direction);
    let phase = 0.5 * TAU / wrinkles.wavelength * steps;
    edges[index] = EdgeWave(vec2<f32>(cos(phase), sin(phase)), sign, 0.0);
}
