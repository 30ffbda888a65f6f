// Branches: one tapered capsule an instance, from the parent's node to its own.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"

struct BranchNode {
    position: vec3<f32>,
    radius: f32,
    color: vec3<f32>,
    glow: f32,
    parent: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

@group(0) @binding(1) var<storage, read> nodes: array<BranchNode>;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec3<f32>,
    @location(3) glow: f32,
}

// Thinner than this many pixels a branch would flicker between samples.
const MIN_RADIUS_PIXELS = 0.55;

// Two directions that stand square on a unit axis and on each other; sound for every axis
// (Duff et al. 2017, Building an Orthonormal Basis, Revisited).
fn basis(axis: vec3<f32>) -> mat2x3<f32> {
    let s = select(-1.0, 1.0, axis.z >= 0.0);
    let a = -1.0 / (s + axis.z);
    let b = axis.x * axis.y * a;
    return mat2x3<f32>(
        vec3<f32>(1.0 + s * axis.x * axis.x * a, s * b, -s * axis.x),
        vec3<f32>(b, s + axis.y * axis.y * a, -axis.y),
    );
}

// `shape`: the circle's cosine and sine, the normal's part along the axis (-1 to 1), and the end (0 or 1).
@vertex
fn capsule(@location(0) shape: vec4<f32>, @builtin(instance_index) instance: u32) -> Varying {
    let last = arrayLength(&nodes) - 1u;
    let own = nodes[min(instance, last)];
    let root = nodes[min(own.parent, last)];
    let edge = own.position - root.position;
    let axis = unit_or(edge, vec3<f32>(0.0, 1.0, 0.0));
    let length_m = dot(edge, axis);

    let end = mix(root.position, own.position, shape.w);
    let relative = end - frame.eye;
    let pixel_m = frame.pixel_per_m * max(dot(relative, frame.forward), 0.0);
    let thinnest = MIN_RADIUS_PIXELS * pixel_m;
    let radius0 = max(root.radius, thinnest);
    let radius1 = max(own.radius, thinnest);
    let radius = mix(radius0, radius1, shape.w);

    // The hull of two spheres touches each along a circle that leans towards the thinner one.
    let lean = clamp((radius0 - radius1) / max(length_m, 1e-30), -1.0, 1.0);
    let along = clamp(shape.z + (1.0 - abs(shape.z)) * lean, -1.0, 1.0);
    let across = sqrt(max(1.0 - along * along, 0.0));
    let normal = basis(axis) * (shape.xy * across) + axis * along;

    var out: Varying;
    out.relative = relative + radius * normal;
    out.clip = frame.clip_from_relative * vec4<f32>(out.relative, 1.0);
    out.normal = normal;
    out.color = mix(root.color, own.color, shape.w);
    out.glow = mix(root.glow, own.glow, shape.w);
    return out;
}

@fragment
fn shade(in: Varying) -> @location(0) vec4<f32> {
    let to_eye = unit_or(-in.relative, -frame.forward);
    let normal = unit_or(in.normal, to_eye);
    // Bark scatters light: wrapped Lambert from the key, the studio's irradiance, a soft edge light.
    let wrapped = max((dot(normal, frame.to_key) + 0.3) / 1.3, 0.0);
    let edge = 1.0 - max(dot(normal, to_eye), 0.0);
    let arriving = frame.key / PI * wrapped * KEY + frame.ambient * studio_irradiance(normal);
    let light = in.color * (arriving + 0.35 * frame.ambient * edge * edge + in.glow);
    return vec4<f32>(light, 1.0);
}
