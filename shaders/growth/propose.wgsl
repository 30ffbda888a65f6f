// What each node of the frontier would do: step along the mean of its attractors, aim at one, or retire one.
//!include "common/index.wgsl"
//!include "common/growth.wgsl"
//!include "common/growth_volume.wgsl"
//!include "common/growth_near.wgsl"
//!include "common/growth_steer.wgsl"

@group(0) @binding(0) var<uniform> rule_in: GrowthUniform;
@group(0) @binding(1) var<uniform> ripening: array<vec4<u32>, 64>;
@group(0) @binding(2) var<storage, read> nodes: array<GrowthNode>;
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<i32>>;
@group(0) @binding(4) var<storage, read_write> buckets: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> candidates: array<GrowthCandidate>;
@group(0) @binding(6) var<storage, read_write> lists: array<u32>;
@group(0) @binding(7) var<storage, read> volume: array<u32>;
@group(0) @binding(8) var<storage, read_write> state: GrowthState;
@group(0) @binding(9) var<storage, read_write> work_args: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    rule = rule_in;
    let slot = linear_index(global_id, 64u);
    if slot >= select(state.frontier1, state.frontier0, (rule.tick & 1u) == 0u) {
        return;
    }
    let index = lists[frontier_base() + slot];
    let node = nodes[index];
    let count = u32(atomicLoad(&sums[5u * index + 4u]));
    let mass = node.mass_and_aimed & 0xffu;
    let ripe = rule.tick >= node.birth + ripening[mass / 4u][mass % 4u];

    var candidate = GrowthCandidate(node.position, IDLE, index, count, 0u, select(0u, 1u, count > 0u));
    if ripe && count > 0u {
        let fruitless = count == node.last;
        if fruitless && (node.mass_and_aimed & AIMED) != 0u {
            candidate.kind = RETIRE;
        } else if fruitless || count == 1u {
            candidate.kind = AIM;
        } else {
            let sum = vec3<i32>(
                atomicLoad(&sums[5u * index]),
                atomicLoad(&sums[5u * index + 1u]),
                atomicLoad(&sums[5u * index + 2u]),
            );
            candidate.position = node.position + step_along(steered(sum / i32(count), index));
            candidate.kind = MEAN;
            if node_within(candidate.position, rule.conflict2)
                || (rule.body_aware != 0u && !segment_inside(node.position, candidate.position)) {
                candidate.kind = AIM;
            }
        }
    }
    if candidate.kind == MEAN {
        let bucket = bucket_of(bucket_cell(candidate.position));
        candidate.next = atomicExchange(&buckets[2u * bucket + 1u], slot + 1u);
    } else if candidate.kind != IDLE {
        let at = atomicAdd(&state.aim_count, 1u);
        lists[rule.aim_list + at] = slot;
        atomicMax(&work_args[0], min(at + 1u, STRIDE));
    }
    candidates[slot] = candidate;
}
