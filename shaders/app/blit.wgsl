// Copies a picture into the viewport, one texel a pixel: the two have the same size, so no filtering happens.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

// One triangle that covers the viewport.
@vertex
fn cover(@builtin(vertex_index) index: u32) -> Corner {
    let uv = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u));
    return Corner(vec4<f32>(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

@fragment
fn copy(corner: Corner) -> @location(0) vec4<f32> {
    return vec4<f32>(textureSample(picture, nearest, corner.uv).rgb, 1.0);
}
