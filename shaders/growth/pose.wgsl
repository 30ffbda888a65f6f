// Carries the nodes with the posed body and makes branches to draw of them, as they were at a moment of growth.
//!include "common/branch.wgsl"
//!include "common/index.wgsl"
//!include "common/growth.wgsl"
//!include "common/growth_pose.wgsl"

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

fn posed(node: u32) -> vec3<f32> {
    let lattice = vec4<f32>(vec3<f32>(nodes[node].position), 1.0);
    let row = 3u * nodes[node].source;
    return vec3<f32>(dot(carried[row], lattice), dot(carried[row + 1u], lattice), dot(carried[row + 2u], lattice));
}

// A saturated colour for every root, the golden ratio apart.
fn root_color(root: u32) -> vec3<f32> {
    let hue = fract(f32(root) * 0.618034);
    let rgb = clamp(abs(fract(hue + vec3<f32>(0.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0) - 1.0, vec3<f32>(0.0), vec3<f32>(1.0));
    return mix(vec3<f32>(0.25), rgb, 0.75);
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
    branch.radius = kept * min(pose.tip_radius * pow(max(max(grown, brought), 1e-3), pose.pipe_power), pose.max_radius);
    var youth = f32(node.depth) / max(levels - 1.0, 1.0);
    if pose.color_by == 1u {
        youth = exp(-age / 240.0);
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
    branches[index] = branch;
}
