// Whether any node lies closer to p than the root of `radius2`, which is at most the conflict distance.
// Reads `nodes` and `buckets`.
fn node_within(p: vec3<i32>, radius2: u32) -> bool {
    let cell = bucket_cell(p - rule.conflict);
    for (var k = 0u; k < 8u; k++) {
        var link = atomicLoad(&buckets[2u * bucket_near(cell, k)]);
        while link != 0u {
            let node = link - 1u;
            if is_within(nodes[node].position, p, radius2) {
                return true;
            }
            link = nodes[node].next_bucket;
        }
    }
    return false;
}
