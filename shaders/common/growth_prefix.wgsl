// Running sums of two counts over 256 invocations.

var<workgroup> sums_so_far: array<vec2<u32>, 256>;

// The sum of the counts of this invocation and of those before it; entry 255 then holds the sum of all. To be called
// by the whole workgroup.
fn prefix_sum(own: vec2<u32>, local: u32) -> vec2<u32> {
    sums_so_far[local] = own;
    workgroupBarrier();
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        var add = vec2<u32>(0u);
        if local >= reach {
            add = sums_so_far[local - reach];
        }
        workgroupBarrier();
        sums_so_far[local] += add;
        workgroupBarrier();
    }
    return sums_so_far[local];
}
