// How the flock looks. Needs common/boids.wgsl.
struct BoidLook {
    // Linear colours of the first species.
    slow_color: vec3<f32>,
    // Length of a boid.
    size_m: f32,
    fast_color: vec3<f32>,
    // 0 to 1 in CLOCK_SECS, then again.
    clock: f32,
    predator_color: vec3<f32>,
    // Corners of the shape.
    corner_count: u32,
    // Colour of all but the first, and size in sizes of the first.
    species: array<vec4<f32>, 4>,
    // Shown in the slow and in the fast colour, metres a second.
    min_speed: f32,
    max_speed: f32,
    color_by: u32,
    motion: u32,
    species_pattern: u32,
    predator_count: u32,
    // Beats of wings or tail in a turn of the clock, and over how many more they are spread.
    beats_low: u32,
    beats_spread: u32,
    // Of trails: half their width at the boid, the ring's newest place, and how far the next one is due, 0 to 1.
    trail_half_m: f32,
    trail_newest: u32,
    trail_due: f32,
    pad0: f32,
}

// One corner of a shape about one long: x right, y up, z ahead.
struct ShapeCorner {
    position: vec3<f32>,
    // How far it moves: see the motions.
    swing: f32,
    // Unit.
    normal: vec3<f32>,
    pad0: f32,
    // Factor on the boid's colour.
    tint: vec3<f32>,
    pad1: f32,
}

// Values of BoidLook.motion.
const MOTION_NONE = 0u;
const MOTION_WINGS = 1u;
const MOTION_WAVE = 2u;
// Values of BoidLook.color_by.
const COLOR_BY_SPEED = 0u;
const COLOR_BY_DIRECTION = 1u;
const COLOR_BY_SPECIES = 2u;
const COLOR_BY_CROWD = 3u;
// As many neighbours are shown in the fast colour.
const FULL_CROWD = 24.0;
// Of hunters, in sizes of the first species.
const HUNTER_SIZE = 2.6;

@group(0) @binding(4) var<uniform> look: BoidLook;

fn color_of(id: u32, boid: Boid, speed: f32, ahead: vec3<f32>) -> vec3<f32> {
    if id < look.predator_count {
        return look.predator_color;
    }
    if look.color_by == COLOR_BY_DIRECTION {
        return pow(0.5 + 0.5 * ahead, vec3<f32>(1.6));
    }
    let species = species_in(look.species_pattern, id);
    var slow = look.slow_color;
    var fast = look.fast_color;
    if species > 0u {
        fast = look.species[species].rgb;
        slow = 0.35 * fast;
    }
    if look.color_by == COLOR_BY_SPECIES {
        return fast;
    }
    var share = (speed - look.min_speed) / max(look.max_speed - look.min_speed, 1e-20);
    if look.color_by == COLOR_BY_CROWD {
        share = boid.crowd / FULL_CROWD;
    }
    return mix(slow, fast, clamp(share, 0.0, 1.0));
}
