// Trails of the flock: a ribbon a boid that faces the eye, narrowing and fading from where the boid is to where it was.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/boids.wgsl"
//!include "common/boid_look.wgsl"
//!include "common/boid_trail.wgsl"

@group(0) @binding(1) var<storage, read> previous: array<Boid>;
@group(0) @binding(2) var<storage, read> current: array<Boid>;
@group(0) @binding(3) var<storage, read> places: array<vec4<f32>>;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
}

const CORNERS_A_SEGMENT = 6u;
// How much of the light a trail lets through at the boid.
const OPACITY = 0.55;

// Place `k` of a trail from its head (0), relative to the eye. The last one is drawn in as the next is due, so that the
// end does not jump.
fn trail_place(id: u32, k: u32) -> vec3<f32> {
    if k == 0u {
        let held = min(id, min(arrayLength(&previous), arrayLength(&current)) - 1u);
        return mix(previous[held].position, current[held].position, frame.interpolation) - frame.eye;
    }
    let back = min(k, TRAIL_POINTS) - 1u;
    let at = id * TRAIL_POINTS + (look.trail_newest + TRAIL_POINTS - back) % TRAIL_POINTS;
    let place = places[min(at, arrayLength(&places) - 1u)].xyz;
    if k < TRAIL_POINTS {
        return place - frame.eye;
    }
    let newer = id * TRAIL_POINTS + (look.trail_newest + TRAIL_POINTS + 1u - back) % TRAIL_POINTS;
    return mix(place, places[min(newer, arrayLength(&places) - 1u)].xyz, look.trail_due) - frame.eye;
}

@vertex
fn ribbon(@builtin(vertex_index) index: u32) -> Varying {
    let id = index / (CORNERS_A_SEGMENT * TRAIL_POINTS);
    let segment = (index / CORNERS_A_SEGMENT) % TRAIL_POINTS;
    let corner = index % CORNERS_A_SEGMENT;
    // Two triangles: near left, near right, far left; far left, near right, far right.
    let is_far = corner == 2u || corner == 3u || corner == 5u;
    let is_right = corner == 1u || corner == 4u || corner == 5u;
    let k = segment + select(0u, 1u, is_far);
    let place = trail_place(id, k);
    let ahead = trail_place(id, max(k, 1u) - 1u);
    let behind = trail_place(id, min(k + 1u, TRAIL_POINTS));
    let to_eye = towards_eye(place);
    let aside = unit_or(cross(ahead - behind, to_eye), vec3<f32>(0.0));
    let age = f32(k) / f32(TRAIL_POINTS);
    // No thinner than a pixel, but fainter instead.
    let half = look.trail_half_m * (1.0 - age) * select(look.species[species_in(look.species_pattern, id)].a, HUNTER_SIZE, id < look.predator_count);
    let least = 0.6 * pixel_at(place);
    let shown = max(half, least);
    let boid = current[min(id, arrayLength(&current) - 1u)];
    let speed = length(boid.velocity);
    let color = color_of(id, boid, speed, unit_or(boid.velocity, vec3<f32>(0.0, 0.0, 1.0)));
    let fade = 1.0 - age;
    let alpha = OPACITY * fade * fade * clamp(half / shown, 0.0, 1.0);
    let light = frame.ambient * environment_irradiance(vec3<f32>(0.0, 1.0, 0.0)) + frame.key / PI * 0.5 * KEY;
    var out: Varying;
    out.clip = drawn_at(place + aside * select(-shown, shown, is_right));
    out.color = vec4<f32>(color * (light + 0.12), 1.0) * alpha;
    return out;
}

@fragment
fn shade(in: Varying) -> @location(0) vec4<f32> {
    return in.color;
}
