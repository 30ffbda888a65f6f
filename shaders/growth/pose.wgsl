// Carries the nodes with the posed body and makes branches to draw of them, as they were at a moment of growth.
//!include "common/branch.wgsl"
//!include "common/index.wgsl"
//!include "common/growth.wgsl"
//!include "common/growth_pose.wgsl"
//!include "common/hash.wgsl"
//!include "common/octahedron.wgsl"

@group(0) @binding(0) var<storage, read> rule_in: GrowthUniform;
@group(0) @binding(1) var<uniform> ripening: array<vec4<u32>, 64>;
@group(0) @binding(2) var<uniform> pose: GrowthPose;
@group(0) @binding(3) var<storage, read> nodes: array<GrowthNode>;
@group(0) @binding(4) var<storage, read_write> state: GrowthState;
@group(0) @binding(5) var<storage, read> flow: array<u32>;
// Rows of the maps from the lattice into the posed world, three an attractor.
@group(0) @binding(6) var<storage, read> carried: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> branches: array<BranchNode>;
@group(0) @binding(8) var<storage, read_write> branch_count: array<u32>;
@group(0) @binding(9) var<storage, read_write> frontier_args: array<u32>;

// Counts the nodes born by now, which are the first ones, and sets up the dispatch over them.
@compute @workgroup_size(1)
fn count() {
    var low = 0u;
    var high = state.node_count;
    while low < high {
        let middle = (low + high) / 2u;
        if nodes[middle].birth <= pose.ticks {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    branch_count[0] = low;
    let groups = (low + 63u) / 64u;
    frontier_args[15] = min(groups, STRIDE);
    frontier_args[16] = max((groups + STRIDE - 1u) / STRIDE, 1u);
    frontier_args[17] = 1u;
}

// Values of GrowthPose.look.
const LOOK_CAPSULE = 1u;
const LOOK_LINE = 2u;

// Where the body that carries a node brings a place (w = 1) or a direction (w = 0) of the lattice.
fn carried_along(node: u32, lattice: vec4<f32>) -> vec3<f32> {
    let row = 3u * nodes[node].source;
    return vec3<f32>(dot(carried[row], lattice), dot(carried[row + 1u], lattice), dot(carried[row + 2u], lattice));
}

fn posed(node: u32) -> vec3<f32> {
    return carried_along(node, vec4<f32>(vec3<f32>(nodes[node].position), 1.0));
}

// How far a leaf on a node is open, `ripe` ticks after it is grown. A tip that branches on folds its leaf; twigs, which
// bear one tip, keep those that the density gives them beyond one a tip.
fn bud_of(node: u32, brought: f32, ripe: f32) -> f32 {
    let draw = f32(hash_u32(node ^ 0x1eafu) >> 8u) / 16777216.0;
    let at_tip = select(0.0, max(1.0 - 2.0 * brought, 0.0), draw < pose.leaf_density);
    let on_twig = select(0.0, 1.0, draw < pose.leaf_density - 1.0 && brought <= 1.0);
    let opening = clamp(ripe / max(pose.opening_ticks, 1.0), 0.0, 1.0);
    return max(at_tip, on_twig) * opening * opening * (3.0 - 2.0 * opening);
}

// A saturated colour for every root, the golden ratio apart.
fn root_color(root: u32) -> vec3<f32> {
    let hue = fract(f32(root) * 0.618034);
    let rgb = clamp(abs(fract(hue + vec3<f32>(0.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0) - 1.0, vec3<f32>(0.0), vec3<f32>(1.0));
    return mix(vec3<f32>(0.25), rgb, 0.75);
}

// How many tips, those still growing in part, a node bears: 1 at a tip.
fn tips_of(node: u32, copy: u32) -> f32 {
    return max(f32(flow[copy * rule.pool + node]) / 256.0, 1.0);
}

// The order of a branch as levels of forks: each doubling of the tips is one, as in Strahler's order of a tree that
// forks evenly, which is never more. Tips are counted after Shreve 1966, Statistical Law of Stream Numbers.
fn order_of(tips: f32) -> f32 {
    // Sound at the powers of two, where the logarithm may fall short.
    return floor(log2(tips) + 1e-4);
}

// What the eraser, which travels over the levels of the tree, has left of a node: 1 all, 0 nothing.
fn left_over(depth: f32, levels: f32) -> f32 {
    if pose.erase_from == 1u {
        return clamp(depth + 1.0 - pose.erase * levels, 0.0, 1.0);
    }
    return clamp((1.0 - pose.erase) * levels - depth, 0.0, 1.0);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    rule = rule_in;
    let index = linear_index(global_id, 64u);
    if index >= branch_count[0] {
        return;
    }
    let node = nodes[index];
    let mass = node.mass_and_aimed & 0xffu;
    let ripe_after = f32(max(ripening[mass / 4u][mass % 4u], 1u));
    let age = f32(pose.ticks - node.birth) + pose.fraction;
    let grown = clamp(age / ripe_after, 0.0, 1.0);
    let copy = select((state.flow_phase + 1u) % 3u, 3u, pose.is_past != 0u);
    let brought = f32(flow[copy * rule.pool + index]) / 256.0;

    var branch: BranchNode;
    branch.parent = node.parent;
    let levels = f32(atomicLoad(&state.max_depth)) + 1.0;
    let kept = left_over(f32(node.depth), levels);
    // A tip that is erased draws back as it grew.
    let reach = grown * select(kept, 1.0, pose.erase_from == 1u);
    branch.position = mix(posed(node.parent), posed(index), reach);
    let pipe = select(max(grown, brought), grown, pose.look == LOOK_LINE);
    branch.radius = kept * min(pose.tip_radius * pow(max(pipe, 1e-3), pose.pipe_power), pose.max_radius);
    branch.is_even = u32(pose.look == LOOK_CAPSULE);
    var youth = f32(node.depth) / max(levels - 1.0, 1.0);
    if pose.color_by == 1u {
        youth = exp(-age / 240.0);
    }
    if pose.color_by == 3u {
        youth = 1.0 - order_of(tips_of(index, copy)) / max(order_of(tips_of(node.root, copy)), 1.0);
    }
    branch.color = mix(pose.base_color, pose.tip_color, clamp(youth, 0.0, 1.0));
    if pose.color_by == 2u {
        branch.color = root_color(node.root);
    }
    // A fresh branch glows for a second or so; an end that nothing grew from keeps a spark.
    let spark = select(0.0, 0.2, brought == 0.0);
    // Where branches are being erased, they glow once more.
    let front = 4.0 * kept * (1.0 - kept);
    branch.glow = pose.tip_glow * (kept * (0.8 * exp(-age / 40.0) + spark) + front);
    branch.bud = kept * bud_of(index, brought, age - ripe_after);
    let turn = carried_along(index, vec4<f32>(hash_direction(index), 0.0));
    branch.turn = pack2x16unorm(octahedral(turn));
    branches[index] = branch;
}
