// Leaves and blossoms: one small shape an instance, thin, lit from both sides and shining through.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/file_lights.wgsl"
//!include "common/key_shadow.wgsl"

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec3<f32>,
}

// A corner of the shape (x right, y up, z ahead), and the leaf: base relative to the eye with its size, unit
// directions ahead and up, colour.
@vertex
fn leaf(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) tint: vec3<f32>,
    @location(3) base: vec4<f32>,
    @location(4) ahead: vec4<f32>,
    @location(5) up: vec4<f32>,
    @location(6) color: vec4<f32>,
) -> Varying {
    let world_from_leaf = mat3x3<f32>(cross(up.xyz, ahead.xyz), up.xyz, ahead.xyz);
    var out: Varying;
    out.relative = base.xyz + world_from_leaf * (position * base.w);
    out.clip = drawn_at(out.relative);
    out.normal = world_from_leaf * normal;
    out.color = color.rgb * tint;
    return out;
}

@fragment
fn shade(in: Varying) -> @location(0) vec4<f32> {
    let to_eye = towards_eye(in.relative);
    var normal = unit_or(in.normal, to_eye);
    // Seen from both sides.
    if dot(normal, to_eye) < 0.0 {
        normal = -normal;
    }
    let facing = dot(normal, frame.to_key);
    // What arrives on the far side comes through in part.
    let through = 0.55 * max(-facing, 0.0);
    let wrapped = max((facing + 0.3) / 1.3, 0.0) + through;
    let lit = key_arrives(in.relative, select(normal, -normal, facing < 0.0), 1.0);
    let around = environment_irradiance(normal) + 0.4 * environment_irradiance(-normal);
    let arriving = frame.key / PI * wrapped * lit * KEY + frame.ambient * around
        + file_light_scattered(in.relative, normal, 0.4);
    return vec4<f32>(in.color * (arriving + 0.05), 1.0);
}
