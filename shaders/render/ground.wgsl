// The ground: a pool of light with a fine grid, the body's shadow and its contact with the floor.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/key_shadow.wgsl"

@group(0) @binding(1) var shadow_texture: texture_2d<f32>;
@group(0) @binding(2) var shadow_sampler: sampler;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    // From the character's middle along x and z, in H.
    @location(0) plane_h: vec2<f32>,
    @location(1) relative: vec3<f32>,
    // What the environment throws onto the floor.
    @location(2) @interpolate(flat, either) ambient: vec3<f32>,
}

// Texels over which the edge of a shadow on the ground is softened.
const GROUND_SOFTNESS = 6.0;
// How far the ground is drawn, in H.
const RADIUS_H = 3.5;

@vertex
fn plane(@builtin(vertex_index) vertex: u32) -> Varying {
    let corner = vec2<f32>(f32(vertex & 1u), f32(vertex >> 1u)) * 2.0 - 1.0;
    var out: Varying;
    out.plane_h = corner * RADIUS_H;
    let offset = out.plane_h * frame.extent_m;
    let world = vec3<f32>(frame.center.x + offset.x, frame.ground_y, frame.center.z + offset.y);
    out.relative = world - frame.eye;
    out.ambient = frame.ambient * environment_irradiance(vec3<f32>(0.0, 1.0, 0.0));
    out.clip = frame.clip_from_relative * vec4<f32>(out.relative, 1.0);
    return out;
}

// Coverage of lines a cell apart, `width` pixels wide, fading out where they crowd.
fn lines(cell: vec2<f32>, width: f32) -> f32 {
    let footprint = max(fwidth(cell), vec2<f32>(1e-6));
    let distance = abs(fract(cell - 0.5) - 0.5) / footprint;
    let line = clamp(0.5 + 0.5 * width - distance, vec2<f32>(0.0), vec2<f32>(1.0));
    let crowding = 1.0 - smoothstep(vec2<f32>(0.15), vec2<f32>(0.5), footprint);
    let visible = line * crowding;
    return max(visible.x, visible.y);
}

@fragment
fn shade(in: Varying) -> @location(0) vec4<f32> {
    let cell = (in.plane_h * frame.extent_m + frame.grid_origin) / frame.grid_spacing_m;
    let fine = lines(cell, 1.0);
    let coarse = lines(cell * 0.1, 1.4);
    let shadow = textureSample(shadow_texture, shadow_sampler, in.plane_h / (2.0 * SHADOW_RADIUS_H) + 0.5).rg;

    let away = length(in.plane_h) / RADIUS_H;
    let near = clamp(1.0 - away, 0.0, 1.0);
    let pool = near * near * (3.0 - 2.0 * near);
    // Seen edge on, the floor dissolves; from below it is glass.
    let to_eye = towards_eye(in.relative);
    let grazing = smoothstep(0.0, 0.12, abs(to_eye.y)) * select(0.25, 1.0, to_eye.y > 0.0);

    // The soft picture from above knows the body alone; what the light sees knows all, where that is drawn.
    var hidden = shadow.r;
    if has_shadow {
        hidden = 1.0 - key_arrives(in.relative, vec3<f32>(0.0, 1.0, 0.0), GROUND_SOFTNESS);
    }
    let key_light = frame.key / PI * max(frame.to_key.y, 0.0) * (1.0 - 0.85 * hidden);
    let light = (key_light * KEY + in.ambient) * (1.0 - 0.8 * shadow.g);
    let albedo = vec3<f32>(0.085, 0.088, 0.095);
    let floor_alpha = 0.80 * pool * pool * grazing;
    let line_alpha = (0.30 * fine + 0.45 * coarse) * pool * grazing;
    let line_color = vec3<f32>(0.20, 0.22, 0.25) * (0.35 + light);
    let color = mix(albedo * light * floor_alpha, line_color, line_alpha * 0.6);
    return vec4<f32>(color, floor_alpha + (1.0 - floor_alpha) * line_alpha * 0.6);
}
