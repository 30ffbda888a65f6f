// A workgroup a node that aims or retires: finds the nearest of its attractors and makes a candidate of it, or
// gives it up.
//!include "common/growth.wgsl"
//!include "common/growth_best.wgsl"
//!include "common/growth_near.wgsl"

@group(0) @binding(0) var<storage, read> rule_in: GrowthUniform;
@group(0) @binding(1) var<storage, read> nodes: array<GrowthNode>;
@group(0) @binding(2) var<storage, read_write> attractors: array<GrowthAttractor>;
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<i32>>;
@group(0) @binding(4) var<storage, read_write> buckets: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> candidates: array<GrowthCandidate>;
@group(0) @binding(6) var<storage, read> lists: array<u32>;
@group(0) @binding(7) var<storage, read_write> state: GrowthState;

var<workgroup> total: u32;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    rule = rule_in;
    if local == 0u {
        total = atomicLoad(&state.aim_count);
    }
    let jobs = workgroupUniformLoad(&total);
    for (var job = group.x; job < jobs; job += STRIDE) {
        let slot = lists[rule.aim_list + job];
        nearest_owned(candidates[slot].node, candidates[slot].count, local);
        reduce_best(local);
        if local == 0u && best_attractor[0] < rule.attractor_count {
            decide(slot, best_attractor[0], best_distance2[0]);
        }
        workgroupBarrier();
    }
}

// This invocation's part of the search for the least (distance², id) among the attractors of a node.
fn nearest_owned(index: u32, count: u32, local: u32) {
    var distance = NONE;
    var attractor = NONE;
    let position = nodes[index].position;
    if count == 1u {
        // The sum of the ids of its attractors is its only one.
        attractor = u32(atomicLoad(&sums[5u * index + 3u]));
        if attractor < rule.attractor_count {
            distance = distance2(attractors[attractor].position, position);
        }
    } else {
        let cell = cell_of(position);
        for (var k = 0u; k < 27u; k++) {
            let neighbour = neighbour_cell(cell, k);
            if neighbour == NONE {
                continue;
            }
            let end = lists[rule.start_list + neighbour + 1u];
            for (var at = lists[rule.start_list + neighbour] + local; at < end; at += 64u) {
                let other = lists[rule.item_list + at];
                if attractors[other].owner != index {
                    continue;
                }
                let d2 = distance2(attractors[other].position, position);
                if d2 < distance || (d2 == distance && other < attractor) {
                    distance = d2;
                    attractor = other;
                }
            }
        }
    }
    best_distance2[local] = distance;
    best_attractor[local] = attractor;
}

fn decide(slot: u32, attractor: u32, d2: u32) {
    let index = candidates[slot].node;
    let origin = nodes[index].position;
    let goal = attractors[attractor].position;
    let q = unit_vector(goal - origin);
    if candidates[slot].kind == AIM {
        let child = select(origin + step_along(q), goal, d2 <= rule.growth2);
        if rule.body_aware == 0u || !node_within(child, rule.touch2) {
            candidates[slot].position = child;
            let bucket = bucket_of(bucket_cell(child));
            candidates[slot].next = atomicExchange(&buckets[2u * bucket + 1u], slot + 1u);
            return;
        }
        candidates[slot].kind = RETIRE;
    }
    attractors[attractor].owner = RETIRED;
    atomicAdd(&sums[5u * index], -q.x);
    atomicAdd(&sums[5u * index + 1u], -q.y);
    atomicAdd(&sums[5u * index + 2u], -q.z);
    atomicAdd(&sums[5u * index + 3u], -i32(attractor));
    atomicAdd(&sums[5u * index + 4u], -1);
    atomicSub(&state.alive, 1u);
    atomicAdd(&state.retired, 1u);
}
