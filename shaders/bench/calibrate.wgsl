// What the device can do at best: nothing at all, copies, multiplications with additions, atomics.
//!include "common/index.wgsl"
//!include "common/bench.wgsl"

@group(0) @binding(0) var<uniform> bench: BenchUniform;
@group(0) @binding(1) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> sink: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> tally: array<atomic<u32>>;

@compute @workgroup_size(64)
fn nothing(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index == 0u && bench.count == 0u {
        sink[0] = vec4<f32>();
    }
}

@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index < bench.count {
        sink[index] = source[index];
    }
}

// 256 dependent steps of four lanes, two operations each.
@compute @workgroup_size(64)
fn multiply(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= bench.count {
        return;
    }
    let factor = source[index] * 1e-3 + 0.5;
    var sum = source[index];
    for (var k = 0u; k < 256u; k++) {
        sum = fma(sum, factor, factor);
    }
    sink[index] = sum;
}

// Sixteen additions to scattered places.
@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= bench.count {
        return;
    }
    for (var k = 0u; k < 16u; k++) {
        let place = (index * 2654435761u + k * 40503u) % arrayLength(&tally);
        atomicAdd(&tally[place], 1u);
    }
}
