// One workgroup: turns the blocks' counts into where each block's births and survivors go, and sets up what is
// dispatched next.
//!include "common/growth.wgsl"
//!include "common/growth_prefix.wgsl"
//!include "common/growth_frontier.wgsl"

@group(0) @binding(0) var<storage, read> rule_in: GrowthUniform;
@group(0) @binding(1) var<storage, read_write> lists: array<u32>;
@group(0) @binding(2) var<storage, read_write> state: GrowthState;
@group(0) @binding(3) var<storage, read_write> frontier_args: array<u32>;
@group(0) @binding(4) var<storage, read_write> work_args: array<u32>;

var<workgroup> frontier: u32;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32) {
    rule = rule_in;
    if local == 0u {
        frontier = select(state.frontier1, state.frontier0, (rule.tick & 1u) == 0u);
    }
    let blocks = (workgroupUniformLoad(&frontier) + 255u) / 256u;
    var before = vec2<u32>(0u);
    for (var base = 0u; base < blocks; base += 256u) {
        let block = base + local;
        let at = rule.block_list + 2u * block;
        var own = vec2<u32>(0u);
        if block < blocks {
            own = vec2<u32>(lists[at], lists[at + 1u]);
        }
        let up_to_here = prefix_sum(own, local);
        if block < blocks {
            let exclusive = before + up_to_here - own;
            lists[at] = exclusive.x;
            lists[at + 1u] = exclusive.y;
        }
        before += sums_so_far[255];
        workgroupBarrier();
    }
    if local == 0u {
        finish(before.x, before.y);
    }
}

fn finish(births: u32, stays: u32) {
    let room = rule.pool - state.node_count;
    let created = min(births, room);
    if births > room {
        state.pool_full = 1u;
    }
    state.first_new = state.node_count;
    state.new_count = created;
    state.node_count += created;
    // Nothing serves any attractor. Those alive are in nobody's reach: they may become roots this tick.
    state.reseeding = 0u;
    if stays == 0u && state.finished_tick == NONE {
        if rule.reseed == 0u || atomicLoad(&state.alive) == 0u {
            state.finished_tick = rule.tick;
        } else if room == 0u {
            state.pool_full = 1u;
        } else {
            state.reseeding = 1u;
        }
    }
    set_frontier(stays + created);

    // Radii are settled once every young branch has ripened and its flow has come down to the roots.
    let settled = state.finished_tick != NONE
        && rule.tick > state.finished_tick + atomicLoad(&state.max_depth) + rule.slowest_ripening + 2u;
    if !settled {
        state.flow_phase = (state.flow_phase + 1u) % 3u;
    }
    set_args(12u, select((state.node_count + 63u) / 64u, 0u, settled));

    atomicStore(&state.aim_count, 0u);
    atomicStore(&state.dirty_count, 0u);
    work_args[0] = 0u;
    work_args[1] = 1u;
    work_args[2] = 1u;
    work_args[3] = min(created, STRIDE);
    work_args[4] = 1u;
    work_args[5] = 1u;
}
