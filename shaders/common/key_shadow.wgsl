// What hides the key light: a depth picture from where it stands. Needs common/frame.wgsl.

// Whether a pipeline looks at it at all.
override has_shadow: bool = false;

@group(0) @binding(10) var key_depth: texture_depth_2d;
@group(0) @binding(11) var key_depth_sampler: sampler_comparison;

// Part of the key light that arrives at a place `relative` to the eye, softened over `radius` texels. The place is
// lifted off along its normal by a texel and a half, which keeps a surface from hiding itself.
fn key_arrives(relative: vec3<f32>, normal: vec3<f32>, radius: f32) -> f32 {
    if !has_shadow {
        return 1.0;
    }
    let slope = 1.0 - max(dot(normal, frame.to_key), 0.0);
    let lifted = relative + normal * frame.key_texel_m * (0.6 + 1.6 * slope) * max(0.75 * radius, 1.0);
    let place = frame.key_clip_from_relative * vec4<f32>(lifted, 1.0);
    let uv = place.xy * vec2<f32>(0.5, -0.5) + 0.5;
    if any(abs(place.xyz - vec3<f32>(0.0, 0.0, 0.5)) > vec3<f32>(0.99, 0.99, 0.5)) {
        return 1.0;
    }
    let texel = radius / f32(textureDimensions(key_depth).x);
    // Twelve places of a sunflower, each four texels through the comparing filter.
    var sum = 0.0;
    for (var k = 0; k < 12; k++) {
        let angle = f32(k) * 2.39996323;
        let reach = sqrt((f32(k) + 0.5) / 12.0) * texel;
        let at = uv + reach * vec2<f32>(cos(angle), sin(angle));
        sum += textureSampleCompareLevel(key_depth, key_depth_sampler, at, place.z);
    }
    return sum / 12.0;
}
