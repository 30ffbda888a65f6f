// Prepares the draw of branches on the GPU: how many there are, and for each what the vertex shader needs of its
// node and of its node's parent side by side, so that it is looked up once a branch and not once a corner.
//!include "common/branch.wgsl"
//!include "common/index.wgsl"
//!include "common/frame.wgsl"

struct DrawArgs {
    index_count: u32,
    instance_count: u32,
    first_index: u32,
    base_vertex: i32,
    first_instance: u32,
}

struct DispatchArgs {
    x: u32,
    y: u32,
    z: u32,
}

struct BranchInstance {
    // The parent's position relative to the eye, and radius.
    start: vec4<f32>,
    // The node's own.
    end: vec4<f32>,
    // Linear colour and glow of both.
    start_color: vec4<f32>,
    end_color: vec4<f32>,
}

@group(0) @binding(1) var<storage, read> nodes: array<BranchNode>;
@group(0) @binding(2) var<storage, read> count: array<u32>;
@group(0) @binding(3) var<storage, read_write> draw_args: DrawArgs;
@group(0) @binding(4) var<storage, read_write> dispatch_args: DispatchArgs;
@group(0) @binding(5) var<storage, read_write> instances: array<BranchInstance>;

fn node_count() -> u32 {
    return min(count[0], min(arrayLength(&nodes), arrayLength(&instances)));
}

@compute @workgroup_size(1)
fn arguments() {
    let groups = (node_count() + 63u) / 64u;
    draw_args.instance_count = node_count();
    // Rows of 32,768 groups, as linear_index expects.
    dispatch_args.x = min(groups, 32768u);
    dispatch_args.y = (groups + 32767u) / 32768u;
    dispatch_args.z = 1u;
}

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= node_count() {
        return;
    }
    let own = nodes[index];
    let parent = nodes[min(own.parent, node_count() - 1u)];
    instances[index] = BranchInstance(
        vec4<f32>(parent.position - frame.eye, select(parent.radius, own.radius, own.is_even != 0u)),
        vec4<f32>(own.position - frame.eye, own.radius),
        vec4<f32>(parent.color, parent.glow),
        vec4<f32>(own.color, own.glow),
    );
}
