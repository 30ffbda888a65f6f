// Adds up the parts of a finely sampled picture in linear light, and hands their sum back to the scene.
//!include "common/frame.wgsl"
//!include "common/screen.wgsl"

@group(0) @binding(1) var light: texture_2d<f32>;
@group(0) @binding(2) var sum: texture_2d<f32>;

// Whether there is no sum yet.
override is_first: bool = false;

@fragment
fn add(in: ScreenCorner) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(in.clip.xy);
    // A half float that overflowed is as bright as one can be; what is no number counts as nothing.
    let part = clamp(textureLoad(light, pixel, 0), vec4<f32>(-6e4), vec4<f32>(6e4)) * frame.part_weight;
    if is_first {
        return part;
    }
    return textureLoad(sum, pixel, 0) + part;
}

@fragment
fn hand_back(in: ScreenCorner) -> @location(0) vec4<f32> {
    return textureLoad(sum, vec2<i32>(in.clip.xy), 0);
}
