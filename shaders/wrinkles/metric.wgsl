// Green strain of every field vertex in its tangent frame, E = (C − I)/2 with C linear in squared edge lengths,
// and where the pose takes the frame's axes.
//!include "common/index.wgsl"
//!include "common/finite.wgsl"
//!include "wrinkles/tables.wgsl"

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field: array<FieldVertex>;
@group(0) @binding(2) var<storage, read> spokes: array<SpokeGpu>;
@group(0) @binding(3) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> posed: array<PosedFan>;
// `(xx − yy, 2·xy)`, weighted by trust.
@group(0) @binding(5) var<storage, read_write> deviators: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let vertex = field[index];
    let center = positions[vertex.surface].xyz;
    let first = positions[spokes[vertex.first_spoke].surface].xyz;
    var here = first;
    var e = vec3<f32>(0.0);
    var image_x = vec3<f32>(0.0);
    var image_y = vec3<f32>(0.0);
    for (var k = 0u; k < vertex.spoke_count; k++) {
        let at = vertex.first_spoke + k;
        var next = first;
        if k + 1u < vertex.spoke_count {
            next = positions[spokes[at + 1u].surface].xyz;
        }
        let spoke = wrinkles.h_from_meters * (here - center);
        let rim = wrinkles.h_from_meters * (next - here);
        let spoke_metric = vec3<f32>(spokes[at].spoke_metric[0], spokes[at].spoke_metric[1], spokes[at].spoke_metric[2]);
        let rim_metric = vec3<f32>(spokes[at].rim_metric[0], spokes[at].rim_metric[1], spokes[at].rim_metric[2]);
        // Differences to rest, not lengths, are summed: at rest nothing is left to round.
        e += 0.5 * (dot(spoke, spoke) - spokes[at].spoke_squared) * spoke_metric;
        e += 0.5 * (dot(rim, rim) - spokes[at].rim_squared) * rim_metric;
        image_x += spokes[at].carry[0] * spoke;
        image_y += spokes[at].carry[1] * spoke;
        here = next;
    }
    // A vertex thrown to infinity has no strain; a thousandfold stretch is as good as any greater one.
    if !is_finite3(e) {
        e = vec3<f32>(0.0);
    }
    e = clamp(e, vec3<f32>(-1e6), vec3<f32>(1e6));
    posed[index] = PosedFan(image_x, e.x, image_y, e.y, e.z, 0.0, 0.0, 0.0);
    deviators[index] = vertex.trust * vec2<f32>(e.x - e.z, 2.0 * e.y);
}
