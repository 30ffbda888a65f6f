// Takes nodes that grew under another rule into this one: they keep their places, parents and births, forget what
// they last tried, and are sorted into new cells and buckets. Points that were reached stay so; all others are free
// again, for `relax` to give to their nearest nodes. In this order: begin, points, nodes, sprout.
//!include "common/index.wgsl"
//!include "common/growth.wgsl"
//!include "common/growth_add.wgsl"
//!include "common/growth_near.wgsl"
//!include "common/growth_frontier.wgsl"

@group(0) @binding(0) var<uniform> rule_in: GrowthUniform;
@group(0) @binding(1) var<storage, read_write> nodes: array<GrowthNode>;
@group(0) @binding(2) var<storage, read_write> attractors: array<GrowthAttractor>;
@group(0) @binding(3) var<storage, read_write> buckets: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> lists: array<u32>;
@group(0) @binding(5) var<storage, read_write> cells: array<GrowthCell>;
@group(0) @binding(6) var<storage, read_write> state: GrowthState;
@group(0) @binding(7) var<storage, read_write> frontier_args: array<u32>;
@group(0) @binding(8) var<storage, read_write> work_args: array<atomic<u32>>;

// The rule as it was a tick ago: what this tick's kernels set up for the next one, this sets up for them.
fn read_rule() {
    rule = rule_in;
    rule.tick -= 1u;
}

@compute @workgroup_size(1)
fn begin() {
    state.first_new = 0u;
    state.new_count = state.node_count;
    atomicStore(&state.aim_count, 0u);
    atomicStore(&state.dirty_count, 0u);
    atomicStore(&state.alive, 0u);
    atomicStore(&state.retired, 0u);
    state.pool_full = 0u;
    state.finished_tick = NONE;
    state.reseeding = 0u;
    atomicStore(&work_args[0], 0u);
}

@compute @workgroup_size(64)
fn points(@builtin(global_invocation_id) global_id: vec3<u32>) {
    read_rule();
    let attractor = linear_index(global_id, 64u);
    if attractor >= rule.attractor_count || attractors[attractor].owner == DEAD {
        return;
    }
    attractors[attractor].owner = FREE;
    atomicAdd(&state.alive, 1u);
}

@compute @workgroup_size(64)
fn adopt(@builtin(global_invocation_id) global_id: vec3<u32>) {
    read_rule();
    let index = linear_index(global_id, 64u);
    if index >= state.new_count {
        return;
    }
    var node = nodes[index];
    node.last = 0u;
    node.mass_and_aimed &= 0xffu;
    add_node(node, index);
    lists[next_frontier_base() + index] = index;
}

// One invocation: roots of the rule that no node is near, in order; then the frontier, which is all nodes.
@compute @workgroup_size(1)
fn sprout() {
    read_rule();
    // The list of aims is not in use yet: it holds how many roots are wanted, and on which points.
    let wanted = min(lists[rule.aim_list], rule.pool - 1u);
    for (var k = 1u; k <= wanted; k++) {
        let attractor = lists[rule.aim_list + k];
        let id = state.node_count;
        if attractor >= rule.attractor_count || attractors[attractor].owner == DEAD || id >= rule.pool
            || node_within(attractors[attractor].position, rule.conflict2) {
            continue;
        }
        var node = GrowthNode();
        node.position = attractors[attractor].position;
        node.parent = id;
        node.birth = rule.tick + 1u;
        node.source = attractor;
        node.root = id;
        node.mass_and_aimed = hash2(rule.seed, id) & 0xffu;
        add_node(node, id);
        lists[next_frontier_base() + id] = id;
        state.node_count = id + 1u;
        state.new_count = id + 1u;
    }
    set_frontier(state.node_count);
    set_args(12u, (state.node_count + 63u) / 64u);
    atomicStore(&work_args[3], min(state.new_count + atomicLoad(&state.dirty_count), STRIDE));
}
