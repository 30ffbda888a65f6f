// How the flock looks.
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
