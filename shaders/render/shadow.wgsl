// The body's shadow on the ground, as a small picture seen from above: red what hides the key light, green how
// low over the floor that stands, which darkens where body and floor meet. Drawn with the blend operation "max",
// then blurred.
//!include "common/frame.wgsl"

@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) nearness: f32,
}

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

// Along the key light onto the floor; straight down from a light that hardly rises over it.
@vertex
fn thrown(@builtin(vertex_index) vertex: u32) -> Varying {
    let local = local_h(vertex);
    let height = max(local.y, 0.0);
    let slope = select(vec2<f32>(0.0), frame.to_key.xz / frame.to_key.y, frame.to_key.y > 0.05);
    let low = clamp(1.0 - height / CONTACT_H, 0.0, 1.0);
    var out: Varying;
    out.clip = seen_from_above(local.xz - slope * height);
    out.nearness = low * low;
    return out;
}

@fragment
fn cover(in: Varying) -> @location(0) vec4<f32> {
    return vec4<f32>(1.0, in.nearness, 0.0, 1.0);
}
