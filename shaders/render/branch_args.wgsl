// Hands the number of branch nodes to the draw that follows, without a detour through the CPU.

struct DrawArgs {
    index_count: u32,
    instance_count: u32,
    first_index: u32,
    base_vertex: i32,
    first_instance: u32,
}

@group(0) @binding(0) var<storage, read> count: array<u32>;
@group(0) @binding(1) var<storage, read_write> args: DrawArgs;
@group(0) @binding(2) var<storage, read> nodes: array<vec4<f32>>;

// 16-byte words in a node.
const NODE_WORDS = 3u;

@compute @workgroup_size(1)
fn main() {
    args.instance_count = min(count[0], arrayLength(&nodes) / NODE_WORDS);
}
