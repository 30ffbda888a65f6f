// Exclusive prefix sum of u32 in three dispatches: sums of blocks, their prefix sums in one workgroup, then
// every block again from its own start. Integer sums: the same on every device.
//!include "common/index.wgsl"

struct ScanUniform {
    // Elements to scan.
    length: u32,
    // Blocks of 1,024 elements that hold them.
    block_count: u32,
    pad0: u32,
    pad1: u32,
}

@group(0) @binding(0) var<uniform> scan: ScanUniform;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@group(0) @binding(3) var<storage, read_write> block_sums: array<u32>;

const WIDTH = 256u;
const PER_THREAD = 4u;
const BLOCK = 1024u;

var<workgroup> partial: array<u32, 256>;

// Inclusive prefix sum over the workgroup of one number an invocation; leaves the total in partial[255].
fn scan_workgroup(local: u32, value: u32) -> u32 {
    partial[local] = value;
    workgroupBarrier();
    for (var step = 1u; step < WIDTH; step <<= 1u) {
        var lower = 0u;
        if local >= step {
            lower = partial[local - step];
        }
        workgroupBarrier();
        partial[local] += lower;
        workgroupBarrier();
    }
    return partial[local];
}

fn input_at(index: u32) -> u32 {
    if index < scan.length {
        return input[index];
    }
    return 0u;
}

@compute @workgroup_size(256)
fn reduce(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let block = linear_group(group);
    let first = block * BLOCK + local * PER_THREAD;
    var sum = 0u;
    for (var k = 0u; k < PER_THREAD; k++) {
        sum += input_at(first + k);
    }
    let inclusive = scan_workgroup(local, sum);
    if local == WIDTH - 1u && block < scan.block_count {
        block_sums[block] = inclusive;
    }
}

@compute @workgroup_size(256)
fn scan_sums(@builtin(local_invocation_index) local: u32) {
    var carry = 0u;
    // Uniform trip count: block_count / 256 at most, whatever the length.
    for (var base = 0u; base < scan.block_count; base += WIDTH) {
        let block = base + local;
        var sum = 0u;
        if block < scan.block_count {
            sum = block_sums[block];
        }
        let inclusive = scan_workgroup(local, sum);
        if block < scan.block_count {
            block_sums[block] = carry + inclusive - sum;
        }
        carry += partial[WIDTH - 1u];
        // The next round overwrites what all have just read.
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn spread(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let block = linear_group(group);
    let first = block * BLOCK + local * PER_THREAD;
    var values: array<u32, 4>;
    var sum = 0u;
    for (var k = 0u; k < PER_THREAD; k++) {
        values[k] = input_at(first + k);
        sum += values[k];
    }
    var running = scan_workgroup(local, sum) - sum;
    if block < scan.block_count {
        running += block_sums[block];
        for (var k = 0u; k < PER_THREAD; k++) {
            if first + k < scan.length {
                output[first + k] = running;
            }
            running += values[k];
        }
    }
}
