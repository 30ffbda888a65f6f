// From the scene's light to the picture: exposure, tone map, background, sRGB.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/screen.wgsl"
//!include "common/tone_map.wgsl"

@group(0) @binding(1) var scene: texture_2d<f32>;
@group(0) @binding(2) var glow: texture_2d<f32>;
@group(0) @binding(3) var glow_sampler: sampler;

// Whether there is a glow to add.
override has_bloom: bool = false;
// Whether the environment stands behind the scene.
override has_environment: bool = false;

// A fixed, fine pattern of -0.5 to 0.5 (Jimenez 2014, interleaved gradient noise): breaks up bands.
fn dither(pixel: vec2<f32>) -> f32 {
    return fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715)))) - 0.5;
}

// How rough a mirror would show the environment as it stands behind the scene: out of focus.
const BACKGROUND_BLUR = 0.35;

// What the scene stands before, linear and in the range of the screen.
fn background_at(uv: vec2<f32>) -> vec3<f32> {
    if !has_environment {
        return mix(frame.background_top, frame.background_bottom, uv.y);
    }
    let aside = frame.view_right * (2.0 * uv.x - 1.0) + frame.view_up * (1.0 - 2.0 * uv.y);
    let seen = environment_radiance(normalize(frame.forward + aside), BACKGROUND_BLUR);
    let shown = tone_map(min(frame.ambient * frame.exposure * seen, vec3<f32>(6e4)), frame.tone_map);
    return clamp(shown, vec3<f32>(0.0), vec3<f32>(1.0));
}

@fragment
fn main(corner: ScreenCorner) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(corner.clip.xy);
    let size = vec2<f32>(textureDimensions(scene));
    let lit = textureLoad(scene, pixel, 0);
    var light = max(lit.rgb, vec3<f32>(0.0));
    var alpha = clamp(lit.a, 0.0, 1.0);
    if has_bloom {
        // Premultiplied like the scene: over nothing, a glow covers as much as it shines.
        let glowing = frame.bloom / frame.exposure * textureSampleLevel(glow, glow_sampler, corner.uv, 0.0).rgb;
        light += glowing;
        let shine = clamp(max(glowing.r, max(glowing.g, glowing.b)) * frame.exposure, 0.0, 1.0);
        alpha += (1.0 - alpha) * shine;
    }
    // The scene is premultiplied; tones are mapped on the colour itself, the background is shown as chosen.
    var color = light / max(alpha, 1e-4);
    if frame.mode == MODE_SHADED {
        color = min(color * frame.exposure, vec3<f32>(6e4));
        color = tone_map(color, frame.tone_map);
    }
    color = clamp(color, vec3<f32>(0.0), vec3<f32>(1.0));
    if frame.transparent != 0u {
        return vec4<f32>(encode_srgb(color), alpha);
    }
    let shown = encode_srgb(mix(background_at(corner.clip.xy / size), color, alpha));
    // Data views keep their colours to the last bit.
    let noise = select(0.0, dither(corner.clip.xy) / 255.0, frame.mode == MODE_SHADED);
    return vec4<f32>(shown + noise, 1.0);
}
