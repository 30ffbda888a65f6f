// The nearest of what 64 invocations found: least distance, then least id, left in entry 0 of both arrays.

var<workgroup> best_distance2: array<u32, 64>;
var<workgroup> best_attractor: array<u32, 64>;

// To be called by the whole workgroup, each invocation having written its own entry.
fn reduce_best(local: u32) {
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if local < half {
            let other = local + half;
            if best_distance2[other] < best_distance2[local]
                || (best_distance2[other] == best_distance2[local] && best_attractor[other] < best_attractor[local]) {
                best_distance2[local] = best_distance2[other];
                best_attractor[local] = best_attractor[other];
            }
        }
        workgroupBarrier();
    }
}
