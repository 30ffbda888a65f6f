// Makes leaves of the nodes that bear one: marked, numbered by a prefix sum in the order of the nodes, and gathered.
//!include "common/branch.wgsl"
//!include "common/hash.wgsl"
//!include "common/index.wgsl"
//!include "common/frame.wgsl"
//!include "common/leaf_look.wgsl"
//!include "common/octahedron.wgsl"

struct LeafArgs {
    vertex_count: u32,
    instance_count: u32,
    first_vertex: u32,
    first_instance: u32,
}

struct LeafInstance {
    // Where it is fixed, relative to the eye, and its size in metres.
    base: vec4<f32>,
    // Unit: from its base to its end, and square on its upper side.
    ahead: vec4<f32>,
    up: vec4<f32>,
    // Linear.
    color: vec4<f32>,
}

@group(0) @binding(1) var<storage, read> nodes: array<BranchNode>;
@group(0) @binding(2) var<storage, read> count: array<u32>;
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;
// Prefix sums of the marks; the one after the last node's is their number.
@group(0) @binding(4) var<storage, read> places: array<u32>;
@group(0) @binding(5) var<storage, read_write> draw_args: LeafArgs;
@group(0) @binding(6) var<storage, read_write> instances: array<LeafInstance>;
@group(0) @binding(7) var<uniform> look: LeafLook;

const AUTUMN = 2.0 / 3.0;

fn node_count() -> u32 {
    return min(count[0], arrayLength(&nodes));
}

// From 0 to 1, one for each node and purpose.
fn drawn(node: u32, purpose: u32) -> f32 {
    return f32(hash_u32(hash_u32(node) ^ purpose) >> 8u) / 16777216.0;
}

fn bears(node: u32) -> bool {
    if node >= node_count() || !(nodes[node].bud > 0.0) || !(nodes[node].radius > 0.0) {
        return false;
    }
    // After autumn they fall, one here, one there, until none is left.
    let fallen = (look.season - AUTUMN) / (1.0 - AUTUMN);
    return drawn(node, 1u) >= fallen;
}

@compute @workgroup_size(64)
fn mark(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index < arrayLength(&marks) {
        marks[index] = u32(bears(index));
    }
}

@compute @workgroup_size(1)
fn arguments() {
    // Buffers of single numbers are rounded up in length; that of the nodes is exact.
    let total = places[min(arrayLength(&nodes), arrayLength(&places) - 1u)];
    draw_args.instance_count = min(total, arrayLength(&instances));
}

// Between the colours of three seasons, by where in the year a leaf is: each is a little early or late.
fn through_year(spring: vec3<f32>, summer: vec3<f32>, autumn: vec3<f32>, node: u32) -> vec3<f32> {
    let year = clamp(look.season * 3.0 + 0.5 * (drawn(node, 2u) - 0.5), 0.0, 2.0);
    return mix(mix(spring, summer, min(year, 1.0)), autumn, max(year - 1.0, 0.0));
}

fn color_of(node: u32) -> vec3<f32> {
    let shade = 0.75 + 0.5 * drawn(node, 3u);
    let kind = drawn(node, 4u);
    if look.kind == 2u {
        let spring = mix(vec3<f32>(0.90, 0.34, 0.46), vec3<f32>(0.92, 0.66, 0.70), kind);
        let summer = mix(vec3<f32>(0.88, 0.82, 0.78), vec3<f32>(0.90, 0.62, 0.66), kind);
        let withered = mix(vec3<f32>(0.36, 0.16, 0.08), vec3<f32>(0.48, 0.26, 0.18), kind);
        return mix(0.85, 1.0, shade) * through_year(spring, summer, withered, node);
    }
    // Yellow, orange or red.
    let gold = mix(vec3<f32>(0.80, 0.42, 0.03), vec3<f32>(0.72, 0.19, 0.02), min(2.0 * kind, 1.0));
    let autumn = mix(gold, vec3<f32>(0.46, 0.035, 0.015), max(2.0 * kind - 1.0, 0.0));
    return shade * through_year(vec3<f32>(0.32, 0.55, 0.07), vec3<f32>(0.07, 0.24, 0.035), autumn, node);
}

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= node_count() || index + 1u >= arrayLength(&places) {
        return;
    }
    let place = places[index];
    if places[index + 1u] == place || place >= arrayLength(&instances) {
        return;
    }
    let own = nodes[index];
    let branch = unit_or(own.position - nodes[min(own.parent, node_count() - 1u)].position, vec3<f32>(0.0, 1.0, 0.0));
    // Square on the branch, turned as the node's own direction says; along the branch that says nothing.
    let turn = from_octahedral(unpack2x16unorm(own.turn));
    let square = vec3<f32>(branch.z, 0.0, -branch.x);
    let side = unit_or(turn - branch * dot(turn, branch), unit_or(square, vec3<f32>(1.0, 0.0, 0.0)));
    // Leaves lean out more than blossoms.
    let lean = (0.3 + 0.9 * drawn(index, 5u)) * select(1.0, 0.6, look.kind == 2u);
    let along = branch * cos(lean) + side * sin(lean);
    let across = branch * sin(lean) - side * cos(lean);

    var leaf: LeafInstance;
    // Young leaves are small; blossoms are at their largest at once.
    let young = select(mix(0.6, 1.0, clamp(3.0 * look.season, 0.0, 1.0)), 1.0, look.kind == 2u);
    let size = look.size_m * own.bud * young * (0.7 + 0.6 * drawn(index, 6u));
    leaf.base = vec4<f32>(own.position - frame.eye, size);
    // A blossom looks where a leaf points.
    leaf.ahead = vec4<f32>(select(along, across, look.kind == 2u), 0.0);
    leaf.up = vec4<f32>(select(across, along, look.kind == 2u), 0.0);
    leaf.color = vec4<f32>(color_of(index), 1.0);
    instances[place] = leaf;
}
