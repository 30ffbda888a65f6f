// The flock: one folded dart a boid, nose along its velocity, banking into its turns. All darts are one list of
// vertices: instances of so few would each cost a draw's overhead on adapters without hardware for them.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/file_lights.wgsl"

struct Boid {
    position: vec3<f32>,
    pad0: f32,
    velocity: vec3<f32>,
    pad1: f32,
}

@group(0) @binding(1) var<storage, read> previous: array<Boid>;
@group(0) @binding(2) var<storage, read> current: array<Boid>;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec3<f32>,
}

// Corners of a dart: four triangles; CORNERS in Rust.
const CORNERS = 12u;
const NOSE = vec3<f32>(0.0, 0.0, 0.62);
const WING = vec3<f32>(0.44, 0.13, -0.42);
const NOTCH = vec3<f32>(0.0, 0.03, -0.24);
const KEEL = vec3<f32>(0.0, -0.17, -0.36);

fn mirrored(v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(-v.x, v.y, v.z);
}

// Corner of the dart (x right, y up, z ahead; about one long): two wings, two flanks of the keel.
fn corner(index: u32) -> vec3<f32> {
    switch index {
        case 0u, 3u, 6u, 9u: { return NOSE; }
        case 1u, 5u, 8u, 10u: { return NOTCH; }
        case 2u: { return WING; }
        case 4u: { return mirrored(WING); }
        default: { return KEEL; }
    }
}

// Unit normal of the face a corner belongs to.
fn face_normal(index: u32) -> vec3<f32> {
    let first = (index / 3u) * 3u;
    let a = corner(first);
    return normalize(cross(corner(first + 1u) - a, corner(first + 2u) - a));
}

@vertex
fn dart(@builtin(vertex_index) index: u32) -> Varying {
    let boid = index / CORNERS;
    let vertex = index % CORNERS;
    let before = previous[min(boid, arrayLength(&previous) - 1u)];
    let now = current[min(boid, arrayLength(&current) - 1u)];
    let position = mix(before.position, now.position, frame.interpolation);
    let velocity = mix(before.velocity, now.velocity, frame.interpolation);

    let ahead = unit_or(velocity, unit_or(now.velocity, vec3<f32>(0.0, 0.0, 1.0)));
    // Up leans into the turn, as lift does. Straight up or down, the body's own axis stands in for up.
    let turn = (now.velocity - before.velocity) * (12.0 / max(length(now.velocity), 1e-20));
    var up = vec3<f32>(0.0, 1.0, 0.0) + clamp(turn, vec3<f32>(-1.5), vec3<f32>(1.5));
    up -= ahead * dot(up, ahead);
    if dot(up, up) < 1e-4 {
        up = vec3<f32>(0.0, 0.0, 1.0) - ahead * ahead.z;
    }
    up = unit_or(up, vec3<f32>(1.0, 0.0, 0.0));
    let world_from_boid = mat3x3<f32>(cross(up, ahead), up, ahead);

    let speed = length(velocity);
    let fast = clamp((speed - frame.min_speed) / max(frame.max_speed - frame.min_speed, 1e-20), 0.0, 1.0);
    var out: Varying;
    out.relative = position - frame.eye + world_from_boid * (corner(vertex) * frame.boid_size_m);
    out.clip = drawn_at(out.relative);
    out.normal = world_from_boid * face_normal(vertex);
    out.color = mix(frame.slow_color, frame.fast_color, fast);
    if frame.boid_color_by == 1u {
        out.color = pow(0.5 + 0.5 * ahead, vec3<f32>(1.6));
    }
    return out;
}

@fragment
fn shade(in: Varying) -> @location(0) vec4<f32> {
    let to_eye = towards_eye(in.relative);
    var normal = unit_or(in.normal, to_eye);
    // Paper is seen from both sides.
    if dot(normal, to_eye) < 0.0 {
        normal = -normal;
    }
    let wrapped = max((dot(normal, frame.to_key) + 0.4) / 1.4, 0.0);
    let arriving = frame.key / PI * wrapped * KEY + frame.ambient * environment_irradiance(normal)
        + file_light_scattered(in.relative, normal, 0.4);
    return vec4<f32>(in.color * (arriving + 0.12), 1.0);
}
