// The shadow on the ground, as a small picture seen from above: red what hides the key light, green how low over the
// floor that stands, which darkens where body and floor meet; then blurred. The body hides all light, and is drawn
// with the blend operation "max". Where it is hidden its branches throw the shadow: each hides as much of a texel as
// it covers, and what they hide adds up.
//!include "common/frame.wgsl"

@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) nearness: f32,
    @location(1) share: f32,
}

// Texels along a side of the picture.
override shadow_side: f32 = 256.0;

// Height in H above which nothing darkens the floor beneath it any more.
const CONTACT_H = 0.35;

fn seen_from_above(plane: vec2<f32>) -> vec4<f32> {
    return vec4<f32>(plane.x / SHADOW_RADIUS_H, -plane.y / SHADOW_RADIUS_H, 0.5, 1.0);
}

struct Thrown {
    plane_h: vec2<f32>,
    nearness: f32,
}

// Along the key light onto the floor, in H from the point of the ground below the character's middle; straight down
// from a light that hardly rises over it.
fn throw_down(world: vec3<f32>) -> Thrown {
    let local = (world - vec3<f32>(frame.center.x, frame.ground_y, frame.center.z)) / frame.extent_m;
    let height = max(local.y, 0.0);
    let slope = select(vec2<f32>(0.0), frame.to_key.xz / frame.to_key.y, frame.to_key.y > 0.05);
    let low = clamp(1.0 - height / CONTACT_H, 0.0, 1.0);
    return Thrown(local.xz - slope * height, low * low);
}

@vertex
fn body(@builtin(vertex_index) vertex: u32) -> Varying {
    let thrown = throw_down(positions[vertex].xyz);
    return Varying(seen_from_above(thrown.plane_h), thrown.nearness, 1.0);
}

// `outline`, `start` and `end` as in `render/branches.wgsl`: the same outline, laid flat on the floor.
@vertex
fn branch(
    @location(0) outline: vec3<f32>,
    @location(1) start: vec4<f32>,
    @location(2) end: vec4<f32>,
) -> Varying {
    let thrown0 = throw_down(start.xyz + frame.eye);
    let thrown1 = throw_down(end.xyz + frame.eye);
    let edge = thrown1.plane_h - thrown0.plane_h;
    let along = edge * inverseSqrt(max(dot(edge, edge), 1e-30));
    let radius_h = mix(start.w, end.w, outline.z) / frame.extent_m;
    // Half a texel on each side, so that none falls between texels.
    let drawn_h = max(radius_h, SHADOW_RADIUS_H / shadow_side);
    let middle = mix(thrown0.plane_h, thrown1.plane_h, outline.z);
    let place = middle + drawn_h * (outline.x * vec2<f32>(along.y, -along.x) + outline.y * along);
    let nearness = mix(thrown0.nearness, thrown1.nearness, outline.z);
    return Varying(seen_from_above(place), nearness, clamp(radius_h / drawn_h, 0.0, 1.0));
}

@fragment
fn cover(in: Varying) -> @location(0) vec4<f32> {
    return vec4<f32>(in.share, in.share * in.nearness, 0.0, 1.0);
}
