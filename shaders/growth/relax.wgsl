// A workgroup a cell near new nodes: attractors too close to one die, others go to the nearest. And a workgroup a
// new node: finds the attractor whose joints carry it.
//!include "common/growth.wgsl"
//!include "common/growth_best.wgsl"
//!include "common/growth_volume.wgsl"

@group(0) @binding(0) var<storage, read> rule_in: GrowthUniform;
@group(0) @binding(1) var<storage, read_write> nodes: array<GrowthNode>;
@group(0) @binding(2) var<storage, read_write> attractors: array<GrowthAttractor>;
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<i32>>;
@group(0) @binding(4) var<storage, read_write> cells: array<GrowthCell>;
@group(0) @binding(5) var<storage, read> lists: array<u32>;
@group(0) @binding(6) var<storage, read> volume: array<u32>;
@group(0) @binding(7) var<storage, read_write> state: GrowthState;

var<workgroup> counts: vec2<u32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    rule = rule_in;
    if local == 0u {
        counts = vec2<u32>(atomicLoad(&state.dirty_count), state.new_count);
    }
    let jobs = workgroupUniformLoad(&counts);
    for (var job = group.x; job < jobs.x + jobs.y; job += STRIDE) {
        if job < jobs.x {
            relax_cell(lists[rule.dirty_list + job], local);
        } else {
            find_source(state.first_new + job - jobs.x, local);
            reduce_best(local);
            if local == 0u && best_attractor[0] < rule.attractor_count {
                let node = state.first_new + job - jobs.x;
                // Out of sight, it belongs to another limb; the parent's is right then.
                if can_see(nodes[node].position, attractors[best_attractor[0]].position) {
                    nodes[node].source = best_attractor[0];
                }
            }
            workgroupBarrier();
        }
    }
}

fn can_see(node: vec3<i32>, attractor: vec3<i32>) -> bool {
    return rule.body_aware == 0u || segment_inside(node, attractor);
}

fn relax_cell(cell: u32, local: u32) {
    let coordinates = vec3<i32>(vec3<u32>(
        cell % rule.cell_dims.x,
        cell / rule.cell_dims.x % rule.cell_dims.y,
        cell / rule.cell_dims.x / rule.cell_dims.y,
    ));
    let end = lists[rule.start_list + cell + 1u];
    for (var at = lists[rule.start_list + cell] + local; at < end; at += 64u) {
        let attractor = lists[rule.item_list + at];
        if attractors[attractor].owner < RETIRED {
            relax_attractor(attractor, coordinates);
        }
    }
}

fn relax_attractor(attractor: u32, cell: vec3<i32>) {
    let position = attractors[attractor].position;
    let owner = attractors[attractor].owner;
    var distance = rule.influence2;
    var nearest = NONE;
    if owner != FREE {
        distance = distance2(nodes[owner].position, position);
        nearest = owner;
    }
    for (var k = 0u; k < 27u; k++) {
        let neighbour = neighbour_cell(cell, k);
        if neighbour == NONE {
            continue;
        }
        // A cell's chain runs from new to old; it ends where the last tick's begins.
        var link = atomicLoad(&cells[neighbour].head);
        while link > state.first_new {
            let node = link - 1u;
            let d2 = distance2(nodes[node].position, position);
            if d2 < rule.kill2 {
                leave(attractor, owner, position);
                attractors[attractor].owner = DEAD;
                atomicSub(&state.alive, 1u);
                return;
            }
            if d2 < rule.influence2 && (d2 < distance || (d2 == distance && node < nearest))
                && can_see(nodes[node].position, position) {
                distance = d2;
                nearest = node;
            }
            link = nodes[node].next_cell;
        }
    }
    if nearest != owner && nearest != NONE {
        leave(attractor, owner, position);
        attractors[attractor].owner = nearest;
        account(attractor, nearest, position, 1);
    }
}

fn leave(attractor: u32, owner: u32, position: vec3<i32>) {
    if owner != FREE {
        account(attractor, owner, position, -1);
    }
}

fn account(attractor: u32, node: u32, position: vec3<i32>, sign: i32) {
    let q = unit_vector(position - nodes[node].position) * sign;
    atomicAdd(&sums[5u * node], q.x);
    atomicAdd(&sums[5u * node + 1u], q.y);
    atomicAdd(&sums[5u * node + 2u], q.z);
    atomicAdd(&sums[5u * node + 3u], i32(attractor) * sign);
    atomicAdd(&sums[5u * node + 4u], sign);
}

// This invocation's part of the search for the attractor nearest to a new node, dead ones too.
fn find_source(node: u32, local: u32) {
    var distance = rule.influence2;
    var attractor = NONE;
    let position = nodes[node].position;
    let cell = cell_of(position);
    for (var k = 0u; k < 27u; k++) {
        let neighbour = neighbour_cell(cell, k);
        if neighbour == NONE {
            continue;
        }
        let end = lists[rule.start_list + neighbour + 1u];
        for (var at = lists[rule.start_list + neighbour] + local; at < end; at += 64u) {
            let other = lists[rule.item_list + at];
            let d2 = distance2(attractors[other].position, position);
            if d2 < distance || (d2 == distance && other < attractor) {
                distance = d2;
                attractor = other;
            }
        }
    }
    best_distance2[local] = distance;
    best_attractor[local] = attractor;
}
