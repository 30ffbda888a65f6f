// Gathers what a triangle's fragments need of its folds, once a triangle and frame and not once a fragment.
//!include "common/index.wgsl"
//!include "common/frame.wgsl"
//!include "common/fold_field.wgsl"
//!include "common/folds.wgsl"

@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> field_triangles: array<FieldTriangle>;
@group(0) @binding(3) var<storage, read> half_edges: array<HalfEdgeGpu>;
@group(0) @binding(4) var<storage, read> edges: array<EdgeWave>;
@group(0) @binding(5) var<storage, read> masked: array<Heading>;
@group(0) @binding(6) var<storage, read> states: array<FoldState>;
@group(0) @binding(7) var<storage, read_write> fold_triangles: array<FoldTriangle>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= arrayLength(&fold_triangles) {
        return;
    }
    var out = FoldTriangle();
    if index >= arrayLength(&field_triangles) {
        fold_triangles[index] = out;
        return;
    }
    let half_edge = field_triangles[index].half_edges;
    if max(half_edge[0], max(half_edge[1], half_edge[2])) >= arrayLength(&half_edges) {
        fold_triangles[index] = out;
        return;
    }
    let a = half_edges[half_edge[0]];
    let b = half_edges[half_edge[1]];
    let c = half_edges[half_edge[2]];
    let heading = array<Heading, 3>(masked[a.near], masked[b.near], masked[c.near]);
    out.amplitude0 = frame.fold_depth * heading[0].amplitude;
    out.amplitude1 = frame.fold_depth * heading[1].amplitude;
    out.amplitude2 = frame.fold_depth * heading[2].amplitude;
    let corners = field_triangles[index].corners;
    let origin = positions[corners[0]].xyz;
    let edge1 = (positions[corners[1]].xyz - origin) / frame.extent_m;
    let edge2 = (positions[corners[2]].xyz - origin) / frame.extent_m;
    let area = cross(edge1, edge2);
    let area_squared = dot(area, area);
    if max(out.amplitude0, max(out.amplitude1, out.amplitude2)) <= 0.0 || !(area_squared > 1e-36) {
        fold_triangles[index] = FoldTriangle();
        return;
    }
    out.origin = origin;
    out.weight1 = cross(edge2, area) / area_squared;
    out.weight2 = cross(area, edge1) / area_squared;
    // The second and third corner's fold, told in the direction of the first's.
    let signs = vec3<f32>(1.0, edges[half_edge[0]].sign, edges[half_edge[2]].sign);
    let wave_number = 2.0 * FOLD_PI * frame.extent_m / frame.fold_wavelength_m * signs;
    let waves = array<vec2<f32>, 3>(states[a.near].wave, states[b.near].wave, states[c.near].wave);
    out.re = vec3<f32>(waves[0].x, waves[1].x, waves[2].x);
    out.im0 = waves[0].y;
    out.im1 = signs.y * waves[1].y;
    out.im2 = signs.z * waves[2].y;
    out.next = wave_number * vec3<f32>(
        dot(a.arm, heading[0].direction),
        dot(b.arm, heading[1].direction),
        dot(c.arm, heading[2].direction),
    );
    out.last = wave_number * vec3<f32>(
        dot(half_edges[c.reverse].arm, heading[0].direction),
        dot(half_edges[a.reverse].arm, heading[1].direction),
        dot(half_edges[b.reverse].arm, heading[2].direction),
    );
    fold_triangles[index] = out;
}
