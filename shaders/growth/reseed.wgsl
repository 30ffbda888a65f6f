// One workgroup, in a tick in which nothing serves any attractor: every live attractor without a live one of lower
// id within the influence distance becomes a root.
//!include "common/growth.wgsl"
//!include "common/growth_prefix.wgsl"
//!include "common/growth_add.wgsl"
//!include "common/growth_frontier.wgsl"

@group(0) @binding(0) var<uniform> rule_in: GrowthUniform;
@group(0) @binding(1) var<storage, read_write> nodes: array<GrowthNode>;
@group(0) @binding(2) var<storage, read> attractors: array<GrowthAttractor>;
@group(0) @binding(3) var<storage, read_write> buckets: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> lists: array<u32>;
@group(0) @binding(5) var<storage, read_write> cells: array<GrowthCell>;
@group(0) @binding(6) var<storage, read_write> state: GrowthState;
@group(0) @binding(7) var<storage, read_write> frontier_args: array<u32>;
@group(0) @binding(8) var<storage, read_write> work_args: array<atomic<u32>>;

var<workgroup> reseeding: u32;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32) {
    rule = rule_in;
    if local == 0u {
        reseeding = state.reseeding;
    }
    if workgroupUniformLoad(&reseeding) == 0u {
        return;
    }
    let room = rule.pool - state.first_new;
    let frontier = next_frontier_base();
    var found = 0u;
    for (var base = 0u; base < rule.attractor_count; base += 256u) {
        let attractor = base + local;
        var own = vec2<u32>(0u);
        if attractor < rule.attractor_count && is_first(attractor) {
            own.x = 1u;
        }
        let rank = found + prefix_sum(own, local).x - own.x;
        if own.x != 0u && rank < room {
            let id = state.first_new + rank;
            lists[frontier + rank] = id;
            add_node(root_at(attractor, id), id);
        }
        found += sums_so_far[255].x;
        workgroupBarrier();
    }
    if local == 0u {
        finish(min(found, room), found > room);
    }
}

// Whether an attractor is in nobody's reach, and no such one of lower id is near.
fn is_first(attractor: u32) -> bool {
    if attractors[attractor].owner != FREE {
        return false;
    }
    let position = attractors[attractor].position;
    let cell = cell_of(position);
    for (var k = 0u; k < 27u; k++) {
        let neighbour = neighbour_cell(cell, k);
        if neighbour == NONE {
            continue;
        }
        let end = lists[rule.start_list + neighbour + 1u];
        for (var at = lists[rule.start_list + neighbour]; at < end; at++) {
            // A cell's ids rise: most find a lower neighbour among its first, and the lowest stop at themselves.
            let other = lists[rule.item_list + at];
            if other >= attractor {
                break;
            }
            if attractors[other].owner == FREE
                && distance2(attractors[other].position, position) < rule.influence2 {
                return false;
            }
        }
    }
    return true;
}

fn root_at(attractor: u32, id: u32) -> GrowthNode {
    var node = GrowthNode();
    node.position = attractors[attractor].position;
    node.parent = id;
    node.birth = rule.tick + 1u;
    node.source = attractor;
    node.root = id;
    node.mass_and_aimed = hash2(rule.seed, id) & 0xffu;
    return node;
}

// The new roots are all of the next frontier.
fn finish(created: u32, is_full: bool) {
    state.new_count = created;
    state.node_count = state.first_new + created;
    if is_full {
        state.pool_full = 1u;
    }
    set_frontier(created);
    set_args(12u, (state.node_count + 63u) / 64u);
    // The dirty cells and the new nodes.
    atomicStore(&work_args[3], min(created + atomicLoad(&state.dirty_count), STRIDE));
}
