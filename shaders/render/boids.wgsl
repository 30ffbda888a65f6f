// The flock: one small shape a boid, nose along its velocity, banking into its turns. All are one list of vertices:
// instances of so few would each cost a draw's overhead on adapters without hardware for them.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/file_lights.wgsl"
//!include "common/hash.wgsl"
//!include "common/boids.wgsl"
//!include "common/boid_look.wgsl"

@group(0) @binding(1) var<storage, read> previous: array<Boid>;
@group(0) @binding(2) var<storage, read> current: array<Boid>;
@group(0) @binding(3) var<storage, read> shape: array<ShapeCorner>;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec3<f32>,
}

// Wings rise and fall, bending towards their tips, which follow late. `swing` is how far out a corner is; `stroke`
// the middle of the wing's turn and `beat` how far it beats, in radians.
fn with_wings(corner: ShapeCorner, stroke: f32, beat: f32, phase: f32) -> ShapeCorner {
    var out = corner;
    if corner.swing <= 0.0 {
        return out;
    }
    let side = sign(corner.position.x);
    let angle = stroke + beat * sin(phase - 1.6 * corner.swing) * (0.75 + 0.5 * corner.swing);
    let root = abs(corner.position.x) - corner.swing;
    out.position = vec3<f32>(
        side * (root + corner.swing * cos(angle)),
        corner.position.y + corner.swing * sin(angle),
        corner.position.z,
    );
    let turn = side * angle;
    out.normal = vec3<f32>(
        corner.normal.x * cos(turn) - corner.normal.y * sin(turn),
        corner.normal.x * sin(turn) + corner.normal.y * cos(turn),
        corner.normal.z,
    );
    return out;
}

// A wave runs from nose to tail, wider towards the tail. `swing` is how far back a corner is.
fn with_wave(corner: ShapeCorner, beat: f32, phase: f32) -> ShapeCorner {
    var out = corner;
    let wave = phase - 4.0 * corner.swing;
    out.position.x += beat * corner.swing * corner.swing * sin(wave);
    // How the wave leans there: its slope along the body.
    let slope = beat * (2.0 * corner.swing * sin(wave) - 4.0 * corner.swing * corner.swing * cos(wave));
    out.normal.z += slope * corner.normal.x;
    return out;
}

@vertex
fn winged(@builtin(vertex_index) index: u32) -> Varying {
    let id = index / max(look.corner_count, 1u);
    let before = previous[min(id, arrayLength(&previous) - 1u)];
    let now = current[min(id, arrayLength(&current) - 1u)];
    let position = mix(before.position, now.position, frame.interpolation);
    let velocity = mix(before.velocity, now.velocity, frame.interpolation);
    let speed = length(velocity);
    let sits = mix(before.sits, now.sits, frame.interpolation);

    let ahead = unit_or(velocity, unit_or(now.velocity, vec3<f32>(0.0, 0.0, 1.0)));
    // Up leans into the turn, as lift does. Straight up or down, the body's own axis stands in for up.
    let turn = (now.velocity - before.velocity) * (12.0 * (1.0 - sits) / max(length(now.velocity), 1e-20));
    var up = vec3<f32>(0.0, 1.0, 0.0) + clamp(turn, vec3<f32>(-1.5), vec3<f32>(1.5));
    up -= ahead * dot(up, ahead);
    if dot(up, up) < 1e-4 {
        up = vec3<f32>(0.0, 0.0, 1.0) - ahead * ahead.z;
    }
    up = unit_or(up, vec3<f32>(1.0, 0.0, 0.0));
    let world_from_boid = mat3x3<f32>(cross(up, ahead), up, ahead);

    var corner = shape[min(index % max(look.corner_count, 1u), arrayLength(&shape) - 1u)];
    // Each has a rate of its own, a whole number of beats in the time after which the clock starts again.
    let own = hash_u32(id);
    let beats = f32(look.beats_low + own % max(look.beats_spread, 1u));
    let phase = 6.2831853 * fract(look.clock * beats + f32(own >> 16u) / 65536.0);
    let haste = clamp(speed / max(look.max_speed, 1e-20), 0.0, 1.5);
    if look.motion == MOTION_WINGS {
        // Up they work, down they glide; who sits folds its wings.
        let work = clamp(0.55 + 1.2 * ahead.y, 0.12, 1.0) * haste * (1.0 - sits);
        corner = with_wings(corner, mix(0.12, -1.1, sits), 0.75 * work, phase);
    } else if look.motion == MOTION_WAVE {
        corner = with_wave(corner, (0.04 + 0.14 * haste) * (1.0 - 0.7 * sits), phase);
    }
    let is_hunter = id < look.predator_count;
    let size_m = look.size_m * select(look.species[species_in(look.species_pattern, id)].a, HUNTER_SIZE, is_hunter);

    var out: Varying;
    out.relative = position - frame.eye + world_from_boid * (corner.position * size_m);
    out.clip = drawn_at(out.relative);
    out.normal = world_from_boid * corner.normal;
    out.color = color_of(id, now, speed, ahead) * corner.tint;
    return out;
}

@fragment
fn shade(in: Varying) -> @location(0) vec4<f32> {
    let to_eye = towards_eye(in.relative);
    var normal = unit_or(in.normal, to_eye);
    // Wings are seen from both sides.
    if dot(normal, to_eye) < 0.0 {
        normal = -normal;
    }
    let wrapped = max((dot(normal, frame.to_key) + 0.4) / 1.4, 0.0);
    let arriving = frame.key / PI * wrapped * KEY + frame.ambient * environment_irradiance(normal)
        + file_light_scattered(in.relative, normal, 0.4);
    return vec4<f32>(in.color * (arriving + 0.12), 1.0);
}
