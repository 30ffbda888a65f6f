// The search of space colonization by brute force: every living attractor looks at every node there is, through
// workgroup memory. The other passes of a step are left out, in its favour.
//!include "common/index.wgsl"
//!include "common/bench.wgsl"

@group(0) @binding(0) var<uniform> bench: BenchUniform;
@group(0) @binding(1) var<storage, read> points: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read> nodes: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read_write> owners: array<u32>;

const NONE = 0xffffffffu;
// Squares of longer distances would not fit.
const FAR = 32768;

var<workgroup> tile: array<vec3<i32>, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) global_id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = linear_index(global_id, 256u);
    let point = points[min(index, arrayLength(&points) - 1u)].xyz;
    var best2 = bench.radius2;
    var nearest = NONE;
    for (var first = 0u; first < bench.others; first += 256u) {
        tile[local] = nodes[min(first + local, arrayLength(&nodes) - 1u)].xyz;
        workgroupBarrier();
        let here = min(bench.others - first, 256u);
        for (var k = 0u; k < here; k++) {
            let d = abs(tile[k] - point);
            let far = max(d.x, max(d.y, d.z));
            let d2 = u32(d.x * d.x + d.y * d.y + d.z * d.z);
            if far < FAR && d2 < best2 {
                best2 = d2;
                nearest = first + k;
            }
        }
        workgroupBarrier();
    }
    if index < bench.count {
        owners[index] = nearest;
    }
}
