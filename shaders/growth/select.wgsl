// Of candidates that conflict, those of lower parents live; counts births and survivors of the frontier a block.
//!include "common/index.wgsl"
//!include "common/growth.wgsl"

@group(0) @binding(0) var<storage, read> rule_in: GrowthUniform;
@group(0) @binding(1) var<storage, read_write> buckets: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> candidates: array<GrowthCandidate>;
@group(0) @binding(3) var<storage, read_write> lists: array<u32>;
@group(0) @binding(4) var<storage, read_write> state: GrowthState;

var<workgroup> births: atomic<u32>;
var<workgroup> stays: atomic<u32>;

// Whether a candidate of a lower parent, blocked itself or not, is within the conflict distance. The frontier is
// in the order of ids, so a lower slot is a lower parent.
fn is_blocked(slot: u32, p: vec3<i32>) -> bool {
    let cell = bucket_cell(p - rule.conflict);
    for (var k = 0u; k < 8u; k++) {
        var link = atomicLoad(&buckets[2u * bucket_near(cell, k) + 1u]);
        while link != 0u {
            let other = link - 1u;
            if other < slot && is_within(candidates[other].position, p, rule.conflict2) {
                return true;
            }
            link = candidates[other].next;
        }
    }
    return false;
}

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) global_id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    rule = rule_in;
    if local == 0u {
        atomicStore(&births, 0u);
        atomicStore(&stays, 0u);
    }
    workgroupBarrier();
    let slot = linear_index(global_id, 256u);
    if slot < select(state.frontier1, state.frontier0, (rule.tick & 1u) == 0u) {
        let kind = candidates[slot].kind;
        var flags = candidates[slot].flags;
        if (kind == MEAN || kind == AIM) && !is_blocked(slot, candidates[slot].position) {
            flags |= 2u;
            candidates[slot].flags = flags;
        }
        atomicAdd(&stays, flags & 1u);
        atomicAdd(&births, flags >> 1u);
    }
    workgroupBarrier();
    if local == 0u {
        let block = rule.block_list + 2u * linear_group(group);
        lists[block] = atomicLoad(&births);
        lists[block + 1u] = atomicLoad(&stays);
    }
}
