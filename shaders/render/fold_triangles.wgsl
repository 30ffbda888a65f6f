// Gathers what a triangle's fragments need of its folds, once a triangle and frame and not once a fragment.
//!include "common/index.wgsl"
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/folds.wgsl"
//!include "common/paint_vertex.wgsl"
//!include "common/strain_vertex.wgsl"

@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> paint: array<PaintVertex>;
@group(0) @binding(3) var<storage, read> strain: array<StrainVertex>;
@group(0) @binding(4) var<storage, read> corners: array<u32>;
@group(0) @binding(5) var<storage, read_write> fold_triangles: array<FoldTriangle>;

// Height of a fold that keeps the length of skin compressed by `compression`, faded in over the range set.
fn fold_amplitude(compression: f32, wavelength_h: f32) -> f32 {
    let epsilon = clamp(compression, 0.0, 0.5);
    let fade = smoothstep(frame.fold_min, frame.fold_max, epsilon);
    return frame.fold_depth * fade * wavelength_h / PI * sqrt(epsilon * (1.0 - 0.25 * epsilon));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= arrayLength(&fold_triangles) {
        return;
    }
    let triangle = vec3<u32>(corners[3u * index], corners[3u * index + 1u], corners[3u * index + 2u]);
    var out = FoldTriangle();
    if max(triangle.x, max(triangle.y, triangle.z)) >= frame.strain_count {
        fold_triangles[index] = out;
        return;
    }
    let wavelength_h = frame.fold_wavelength_m / frame.extent_m;
    var amplitudes = vec3<f32>();
    for (var n = 0u; n < 3u; n++) {
        let vertex = triangle[n];
        amplitudes[n] = fold_amplitude(strain[vertex].compression, wavelength_h) * strain[vertex].strength;
    }
    let origin = positions[triangle.x].xyz;
    let edge1 = (positions[triangle.y].xyz - origin) / frame.extent_m;
    let edge2 = (positions[triangle.z].xyz - origin) / frame.extent_m;
    let area = cross(edge1, edge2);
    let area_squared = dot(area, area);
    if max(amplitudes.x, max(amplitudes.y, amplitudes.z)) <= 0.0 || !(area_squared > 1e-36) {
        fold_triangles[index] = out;
        return;
    }
    out.origin = origin;
    out.weight1 = cross(edge2, area) / area_squared;
    out.weight2 = cross(area, edge1) / area_squared;
    var im = vec3<f32>();
    for (var n = 0u; n < 3u; n++) {
        let vertex = triangle[n];
        let rest = paint[vertex].rest_h;
        let along = strain[vertex].rest_direction * (2.0 * PI / wavelength_h);
        let wave = amplitudes[n] * strain[vertex].wave;
        out.re[n] = wave.x;
        im[n] = wave.y;
        out.next[n] = dot(paint[triangle[(n + 1u) % 3u]].rest_h - rest, along);
        out.last[n] = dot(paint[triangle[(n + 2u) % 3u]].rest_h - rest, along);
    }
    out.im0 = im.x;
    out.im1 = im.y;
    out.im2 = im.z;
    fold_triangles[index] = out;
}
