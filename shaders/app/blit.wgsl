// Copies a picture into the viewport, one texel a pixel: the two have the same size, so no filtering happens.
//!include "common/screen.wgsl"

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;

@fragment
fn copy(corner: ScreenCorner) -> @location(0) vec4<f32> {
    return vec4<f32>(textureSample(picture, nearest, corner.uv).rgb, 1.0);
}
