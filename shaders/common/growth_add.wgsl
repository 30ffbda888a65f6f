// Puts a new node where others find it. Reads and writes `nodes`, `buckets`, `cells`, `lists`, `state` and `work_args`.

// `state.new_count` holds the number of this tick's nodes already.
fn add_node(born: GrowthNode, id: u32) {
    var node = born;
    let cell = cell_of(node.position);
    node.next_cell = atomicExchange(&cells[cell_index(cell)].head, id + 1u);
    node.next_bucket = atomicExchange(&buckets[2u * bucket_of(bucket_cell(node.position))], id + 1u);
    nodes[id] = node;

    // The cells round it are to be relaxed, those that hold attractors.
    for (var k = 0u; k < 27u; k++) {
        let neighbour = neighbour_cell(cell, k);
        if neighbour == NONE || lists[rule.start_list + neighbour] == lists[rule.start_list + neighbour + 1u] {
            continue;
        }
        if atomicMax(&cells[neighbour].stamp, rule.tick + 1u) < rule.tick + 1u {
            let at = atomicAdd(&state.dirty_count, 1u);
            lists[rule.dirty_list + at] = neighbour;
            atomicMax(&work_args[3], min(state.new_count + at + 1u, STRIDE));
        }
    }
}
