// The body's shadow on the ground, as a small picture seen from above: red what hides the key light, green how
// closely the body stands over the floor. Both are drawn with the blend operation "max", then blurred.
//!include "common/frame.wgsl"

@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) nearness: f32,
}

// As in render/ground.wgsl.
const SHADOW_RADIUS_H = 1.75;
// Height in H above which the body no longer darkens the floor beneath it.
const CONTACT_H = 0.35;

fn seen_from_above(plane: vec2<f32>) -> vec4<f32> {
    return vec4<f32>(plane.x / SHADOW_RADIUS_H, -plane.y / SHADOW_RADIUS_H, 0.5, 1.0);
}

// World position as fractions of H from the point of the ground below the character's middle.
fn local_h(vertex: u32) -> vec3<f32> {
    let foot = vec3<f32>(frame.center.x, frame.ground_y, frame.center.z);
    return (positions[vertex].xyz - foot) / frame.extent_m;
}

// Along the key light onto the floor; what lies below the floor casts straight up.
@vertex
fn thrown(@builtin(vertex_index) vertex: u32) -> Varying {
    let local = local_h(vertex);
    let slope = frame.to_key.xz / max(frame.to_key.y, 0.05);
    var out: Varying;
    out.clip = seen_from_above(local.xz - slope * max(local.y, 0.0));
    out.nearness = 1.0;
    return out;
}

@vertex
fn contact(@builtin(vertex_index) vertex: u32) -> Varying {
    let local = local_h(vertex);
    var out: Varying;
    out.clip = seen_from_above(local.xz);
    let low = clamp(1.0 - max(local.y, 0.0) / CONTACT_H, 0.0, 1.0);
    out.nearness = low * low;
    return out;
}

@fragment
fn cover(in: Varying) -> @location(0) vec4<f32> {
    return vec4<f32>(in.nearness);
}
