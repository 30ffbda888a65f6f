// Softens the shadow picture along one axis: red a little, green widely.
//!include "common/screen.wgsl"

struct BlurUniform {
    // One texel along the axis, in texture coordinates.
    step: vec2<f32>,
    pad0: vec2<f32>,
}

@group(0) @binding(0) var<uniform> blur: BlurUniform;
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var source_sampler: sampler;

@fragment
fn soften(in: ScreenCorner) -> @location(0) vec4<f32> {
    var sum = vec2<f32>(0.0);
    var weights = vec2<f32>(0.0);
    // Pairs of texels through the bilinear filter; bells of 1.6 and 5 texels.
    for (var i = -5; i <= 5; i++) {
        let x = 2.0 * f32(i);
        let weight = exp2(-x * x * vec2<f32>(0.28, 0.03));
        sum += weight * textureSampleLevel(source, source_sampler, in.uv + (x + 0.5) * blur.step, 0.0).rg;
        weights += weight;
    }
    return vec4<f32>(sum / weights, 0.0, 1.0);
}
