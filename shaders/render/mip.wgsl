// One mip level of a texture from the level above it, filtered in linear light by the sRGB formats.
//!include "common/screen.wgsl"

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var source_sampler: sampler;

@fragment
fn halve(in: ScreenCorner) -> @location(0) vec4<f32> {
    return textureSampleLevel(source, source_sampler, in.uv, 0.0);
}
