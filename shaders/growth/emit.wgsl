// Survivors become nodes in the order of their parents; the frontier is compacted; the cells round new nodes are
// listed.
//!include "common/index.wgsl"
//!include "common/growth.wgsl"
//!include "common/growth_prefix.wgsl"
//!include "common/growth_add.wgsl"

@group(0) @binding(0) var<storage, read> rule_in: GrowthUniform;
@group(0) @binding(1) var<storage, read_write> nodes: array<GrowthNode>;
@group(0) @binding(2) var<storage, read_write> buckets: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> candidates: array<GrowthCandidate>;
@group(0) @binding(4) var<storage, read_write> lists: array<u32>;
@group(0) @binding(5) var<storage, read_write> cells: array<GrowthCell>;
@group(0) @binding(6) var<storage, read_write> state: GrowthState;
@group(0) @binding(7) var<storage, read_write> work_args: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) global_id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    rule = rule_in;
    let slot = linear_index(global_id, 256u);
    var candidate = GrowthCandidate();
    if slot < select(state.frontier1, state.frontier0, (rule.tick & 1u) == 0u) {
        candidate = candidates[slot];
    }
    let own = vec2<u32>(candidate.flags >> 1u, candidate.flags & 1u);
    let up_to_here = prefix_sum(own, local);
    let block = rule.block_list + 2u * linear_group(group);
    let rank = vec2<u32>(lists[block], lists[block + 1u]) + up_to_here - own;

    if candidate.kind == MEAN || candidate.kind == AIM {
        // The bucket is empty again for the next tick.
        atomicStore(&buckets[2u * bucket_of(bucket_cell(candidate.position)) + 1u], 0u);
    }
    if own.y != 0u {
        lists[next_frontier_base() + rank.y] = candidate.node;
    }
    if own.x != 0u && rank.x < state.new_count {
        give_birth(candidate, state.first_new + rank.x);
        // The frontier is what stayed and after it what is new.
        let stayed = select(state.frontier0, state.frontier1, (rule.tick & 1u) == 0u) - state.new_count;
        lists[next_frontier_base() + stayed + rank.x] = state.first_new + rank.x;
    }
}

fn give_birth(candidate: GrowthCandidate, id: u32) {
    let mother = nodes[candidate.node];
    let aimed = select(0u, AIMED, candidate.kind == AIM);
    nodes[candidate.node].last = candidate.count;
    nodes[candidate.node].mass_and_aimed = (mother.mass_and_aimed & 0xffu) | aimed;

    var node = GrowthNode();
    node.position = candidate.position;
    node.parent = candidate.node;
    node.depth = mother.depth + 1u;
    node.birth = rule.tick + 1u;
    node.source = mother.source;
    node.root = mother.root;
    node.mass_and_aimed = hash2(rule.seed, id) & 0xffu;
    add_node(node, id);
    atomicMax(&state.max_depth, node.depth);
}
