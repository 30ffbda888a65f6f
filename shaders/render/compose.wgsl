// From the scene's light to the picture: exposure, tone map, background, sRGB.
//!include "common/frame.wgsl"
//!include "common/screen.wgsl"
//!include "common/tone_map.wgsl"

@group(0) @binding(1) var scene: texture_2d<f32>;

// A fixed, fine pattern of -0.5 to 0.5 (Jimenez 2014, interleaved gradient noise): breaks up bands.
fn dither(pixel: vec2<f32>) -> f32 {
    return fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715)))) - 0.5;
}

@fragment
fn main(corner: ScreenCorner) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(corner.clip.xy);
    let size = vec2<f32>(textureDimensions(scene));
    let lit = textureLoad(scene, pixel, 0);
    let alpha = clamp(lit.a, 0.0, 1.0);
    // The scene is premultiplied; tones are mapped on the colour itself, the background is shown as chosen.
    var color = max(lit.rgb, vec3<f32>(0.0)) / max(alpha, 1e-4);
    if frame.mode == MODE_SHADED {
        color = min(color * frame.exposure, vec3<f32>(6e4));
        color = tone_map(color, frame.tone_map);
    }
    color = clamp(color, vec3<f32>(0.0), vec3<f32>(1.0));
    if frame.transparent != 0u {
        return vec4<f32>(encode_srgb(color), alpha);
    }
    let background = mix(frame.background_top, frame.background_bottom, corner.clip.y / size.y);
    let shown = encode_srgb(mix(background, color, alpha));
    // Data views keep their colours to the last bit.
    let noise = select(0.0, dither(corner.clip.xy) / 255.0, frame.mode == MODE_SHADED);
    return vec4<f32>(shown + noise, 1.0);
}
