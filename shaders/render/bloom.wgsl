// The glow round what is brighter than the picture can show: bright light, halved again and again, and added up
// from the smallest picture to the largest (after Jimenez 2014, Next Generation Post Processing in Call of Duty).
//!include "common/frame.wgsl"
//!include "common/screen.wgsl"

@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var source_sampler: sampler;

// Light, in what the exposure makes of it, that begins to glow, and over how much it begins.
const THRESHOLD = 1.0;
const KNEE = 0.5;

// Sixteen texels by four bilinear reads at the corners of a square of one texel to each side.
fn around(uv: vec2<f32>, reach: f32) -> array<vec3<f32>, 4> {
    let texel = reach / vec2<f32>(textureDimensions(source));
    return array<vec3<f32>, 4>(
        textureSampleLevel(source, source_sampler, uv + texel * vec2<f32>(-1.0, -1.0), 0.0).rgb,
        textureSampleLevel(source, source_sampler, uv + texel * vec2<f32>(1.0, -1.0), 0.0).rgb,
        textureSampleLevel(source, source_sampler, uv + texel * vec2<f32>(-1.0, 1.0), 0.0).rgb,
        textureSampleLevel(source, source_sampler, uv + texel * vec2<f32>(1.0, 1.0), 0.0).rgb,
    );
}

// What of the scene glows, at half its size. A lone spark counts less, so that it does not flicker.
@fragment
fn bright(in: ScreenCorner) -> @location(0) vec4<f32> {
    var reads = around(in.uv, 1.0);
    var sum = vec3<f32>(0.0);
    var weights = 0.0;
    for (var k = 0; k < 4; k++) {
        let light = min(max(reads[k], vec3<f32>(0.0)) * frame.exposure, vec3<f32>(6e4));
        let peak = max(light.r, max(light.g, light.b));
        let over = clamp(peak - THRESHOLD + KNEE, 0.0, 2.0 * KNEE);
        let share = max(over * over / (4.0 * KNEE), peak - THRESHOLD) / max(peak, 1e-4);
        let weight = 1.0 / (1.0 + peak);
        sum += light * share * weight;
        weights += weight;
    }
    return vec4<f32>(sum / weights, 1.0);
}

@fragment
fn halve(in: ScreenCorner) -> @location(0) vec4<f32> {
    var reads = around(in.uv, 1.0);
    return vec4<f32>(0.25 * (reads[0] + reads[1] + reads[2] + reads[3]), 1.0);
}

// Added to the next larger picture.
@fragment
fn spread(in: ScreenCorner) -> @location(0) vec4<f32> {
    var reads = around(in.uv, 0.5);
    return vec4<f32>(0.25 * (reads[0] + reads[1] + reads[2] + reads[3]), 1.0);
}
