// Sets up what is dispatched over the frontier. Writes `frontier_args` and `state`.

fn set_args(at: u32, groups: u32) {
    frontier_args[at] = min(groups, STRIDE);
    frontier_args[at + 1u] = max((groups + STRIDE - 1u) / STRIDE, 1u);
    frontier_args[at + 2u] = 1u;
}

// The length of the next tick's frontier.
fn set_frontier(length: u32) {
    let next = 1u - (rule.tick & 1u);
    if next == 0u {
        state.frontier0 = length;
    } else {
        state.frontier1 = length;
    }
    set_args(3u * next, (length + 63u) / 64u);
    set_args(6u + 3u * next, (length + 255u) / 256u);
}
