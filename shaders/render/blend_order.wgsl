// Orders blended triangles from far to near: a bitonic sort (Batcher 1968) of keys that never tie, so that it gives
// the same order in every run. Blocks of 512 are sorted and merged within a workgroup.
//!include "common/index.wgsl"
//!include "common/frame.wgsl"

// Which step of the sort a pass does.
struct BlendStep {
    // Length of the runs that are being made, and how far apart the elements are that it compares.
    run: u32,
    apart: u32,
    // Triangles in all.
    count: u32,
    pad0: u32,
}

@group(0) @binding(1) var<uniform> sort: BlendStep;
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
// Triangles by number, over the surface's vertices and over those drawn.
@group(0) @binding(3) var<storage, read> corners: array<u32>;
@group(0) @binding(4) var<storage, read> drawn_corners: array<u32>;
// Number and group of each blended triangle.
@group(0) @binding(5) var<storage, read> blended: array<vec2<u32>>;
// Group, falling distance, place in `blended`.
@group(0) @binding(6) var<storage, read_write> keys: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> ordered: array<u32>;

const BLOCK = 512u;
const NOBODY = 0xffffffffu;

var<workgroup> block: array<vec4<u32>, BLOCK>;

// A number's bits in an order that falls as it rises.
fn falling(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return ~select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}

fn place_of(corner: u32) -> vec3<f32> {
    return positions[min(corners[min(corner, arrayLength(&corners) - 1u)], arrayLength(&positions) - 1u)].xyz;
}

@compute @workgroup_size(64)
fn measure(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= arrayLength(&keys) {
        return;
    }
    if index >= sort.count {
        keys[index] = vec4<u32>(NOBODY);
        return;
    }
    let triangle = blended[index];
    let first = 3u * triangle.x;
    let middle = (place_of(first) + place_of(first + 1u) + place_of(first + 2u)) / 3.0;
    keys[index] = vec4<u32>(triangle.y, falling(dot(middle - frame.eye, frame.forward)), index, 0u);
}

fn comes_after(a: vec4<u32>, b: vec4<u32>) -> bool {
    if a.x != b.x {
        return a.x > b.x;
    }
    if a.y != b.y {
        return a.y > b.y;
    }
    return a.z > b.z;
}

// Runs that are made rise and fall in turn.
fn rises(index: u32, run: u32) -> bool {
    return (index & run) == 0u;
}

// Lower element of pair `pair` of those `apart` from each other.
fn lower(pair: u32, apart: u32) -> u32 {
    return (pair / apart) * 2u * apart + pair % apart;
}

fn compare_in_block(first: u32, pair: u32, run: u32, apart: u32) {
    let low = lower(pair, apart);
    let a = block[low];
    let b = block[low + apart];
    if comes_after(a, b) == rises(first + low, run) {
        block[low] = b;
        block[low + apart] = a;
    }
}

// Sorts each block.
@compute @workgroup_size(256)
fn sort_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) pair: u32) {
    let first = linear_group(group) * BLOCK;
    let held = arrayLength(&keys);
    block[pair] = keys[min(first + pair, held - 1u)];
    block[pair + 256u] = keys[min(first + pair + 256u, held - 1u)];
    for (var run = 2u; run <= BLOCK; run *= 2u) {
        for (var apart = run / 2u; apart > 0u; apart /= 2u) {
            workgroupBarrier();
            compare_in_block(first, pair, run, apart);
        }
    }
    workgroupBarrier();
    if first + BLOCK <= held {
        keys[first + pair] = block[pair];
        keys[first + pair + 256u] = block[pair + 256u];
    }
}

// Compares elements farther apart than a block.
@compute @workgroup_size(64)
fn merge_far(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let pair = linear_index(global_id, 64u);
    let low = lower(pair, sort.apart);
    if low + sort.apart >= arrayLength(&keys) {
        return;
    }
    let a = keys[low];
    let b = keys[low + sort.apart];
    if comes_after(a, b) == rises(low, sort.run) {
        keys[low] = b;
        keys[low + sort.apart] = a;
    }
}

// Ends the merge within each block.
@compute @workgroup_size(256)
fn merge_near(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) pair: u32) {
    let first = linear_group(group) * BLOCK;
    let held = arrayLength(&keys);
    block[pair] = keys[min(first + pair, held - 1u)];
    block[pair + 256u] = keys[min(first + pair + 256u, held - 1u)];
    for (var apart = BLOCK / 2u; apart > 0u; apart /= 2u) {
        workgroupBarrier();
        compare_in_block(first, pair, sort.run, apart);
    }
    workgroupBarrier();
    if first + BLOCK <= held {
        keys[first + pair] = block[pair];
        keys[first + pair + 256u] = block[pair + 256u];
    }
}

@compute @workgroup_size(64)
fn emit(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= sort.count {
        return;
    }
    let triangle = blended[min(keys[index].z, sort.count - 1u)].x;
    for (var k = 0u; k < 3u; k++) {
        ordered[3u * index + k] = drawn_corners[min(3u * triangle + k, arrayLength(&drawn_corners) - 1u)];
    }
}
