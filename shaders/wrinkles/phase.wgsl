// Phases of the folds: hashed ones to begin with, and a step in which every vertex follows its neighbours.
//!include "common/index.wgsl"
//!include "common/hash.wgsl"
//!include "common/fold_field.wgsl"
//!include "wrinkles/tables.wgsl"

const TAU: f32 = 6.28318530718;
// How fast waves grow where all agree; waves that cancel shrink.
const GAIN = 1.1;
// Weight of a vertex's own wave.
const INERTIA = 0.05;
// Weight of a neighbour without folds, so that phases are ready where compression begins.
const LEAST_WEIGHT = 0.001;

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field: array<FieldVertex>;
@group(0) @binding(2) var<storage, read> half_edges: array<HalfEdgeGpu>;
@group(0) @binding(3) var<storage, read> edges: array<EdgeWave>;
@group(0) @binding(4) var<storage, read> masked: array<Heading>;
@group(0) @binding(5) var<storage, read> states: array<FoldState>;
@group(0) @binding(6) var<storage, read_write> next_states: array<FoldState>;

@compute @workgroup_size(64)
fn scramble(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let phase = TAU * f32(hash_u32(index) >> 8u) / 16777216.0;
    next_states[index] = FoldState(vec2<f32>(0.0), vec2<f32>(0.0), vec2<f32>(cos(phase), sin(phase)));
}

@compute @workgroup_size(64)
fn step(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let vertex = field[index];
    var wave = states[index].wave;
    var sum = INERTIA * wave;
    var weights = INERTIA;
    for (var k = 0u; k < vertex.spoke_count; k++) {
        let at = vertex.first_spoke + k;
        let far = half_edges[at].far;
        let edge = edges[at];
        var theirs = states[far].wave;
        theirs.y *= edge.sign;
        let weight = masked[far].amplitude / wrinkles.wavelength + LEAST_WEIGHT;
        sum += weight * times(theirs, conjugate(edge.turn));
        weights += weight;
    }
    let size = length(sum);
    if size > 0.0 {
        wave = min(1.0, GAIN * size / weights) * sum / size;
    }
    next_states[index] = FoldState(masked[index].direction, masked[index].deviator, wave);
}
