// What flows through each node at the moment shown, counted from the tips of that moment. One workgroup: nodes that
// were born together are neighbours in the list, none is the parent of another, and those born last come first.
//!include "common/growth.wgsl"
//!include "common/growth_pose.wgsl"

@group(0) @binding(0) var<storage, read> rule_in: GrowthUniform;
@group(0) @binding(1) var<uniform> ripening: array<vec4<u32>, 64>;
@group(0) @binding(2) var<uniform> pose: GrowthPose;
@group(0) @binding(3) var<storage, read> nodes: array<GrowthNode>;
@group(0) @binding(4) var<storage, read_write> flow: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read> branch_count: array<u32>;

var<workgroup> left: u32;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32) {
    rule = rule_in;
    // After the three copies of the present.
    let first = 3u * rule.pool;
    let count = min(branch_count[0], rule.pool);
    for (var index = local; index < count; index += 256u) {
        atomicStore(&flow[first + index], 0u);
    }
    if local == 0u {
        left = count;
    }
    storageBarrier();
    var end = workgroupUniformLoad(&left);
    while end > 0u {
        let birth = nodes[end - 1u].birth;
        if local < end {
            let index = end - 1u - local;
            let node = nodes[index];
            if node.birth == birth {
                let mass = node.mass_and_aimed & 0xffu;
                let ripe_after = f32(max(ripening[mass / 4u][mass % 4u], 1u));
                let age = f32(pose.ticks - birth) + pose.fraction;
                let own = u32(256.0 * clamp(age / ripe_after, 0.0, 1.0));
                let through = max(own, atomicLoad(&flow[first + index]));
                if node.parent != index {
                    atomicAdd(&flow[first + node.parent], through);
                }
                // The last one of those born together, or of those that a workgroup can do at once.
                if local == 255u || index == 0u || nodes[index - 1u].birth != birth {
                    left = index;
                }
            }
        }
        storageBarrier();
        workgroupBarrier();
        end = workgroupUniformLoad(&left);
    }
}
