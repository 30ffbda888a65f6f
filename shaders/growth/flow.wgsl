// Every node passes what flows through it on to its parent: its own share, which ripens with it, or what its
// children brought, whichever is more. In 1/256 of a ripe tip. Three copies take turns: one is read, one added to
// and one emptied.
//!include "common/index.wgsl"
//!include "common/growth.wgsl"

@group(0) @binding(0) var<storage, read> rule_in: GrowthUniform;
@group(0) @binding(1) var<uniform> ripening: array<vec4<u32>, 64>;
@group(0) @binding(2) var<storage, read> nodes: array<GrowthNode>;
@group(0) @binding(3) var<storage, read_write> flow: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> state: GrowthState;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    rule = rule_in;
    let index = linear_index(global_id, 64u);
    if index >= state.node_count {
        return;
    }
    let phase = state.flow_phase;
    let node = nodes[index];
    let mass = node.mass_and_aimed & 0xffu;
    let ripe_after = max(ripening[mass / 4u][mass % 4u], 1u);
    let age = min(rule.tick + 1u - node.birth, ripe_after);
    let through = max(256u * age / ripe_after, atomicLoad(&flow[phase * rule.pool + index]));
    if node.parent != index {
        atomicAdd(&flow[(phase + 1u) % 3u * rule.pool + node.parent], through);
    }
    atomicStore(&flow[(phase + 2u) % 3u * rule.pool + index], 0u);
}
