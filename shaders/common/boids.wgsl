// The flock's shared structs. Kernels compute in the character's own unit: positions relative to the middle of
// the boundary sphere, all lengths in H, so that size and place of the model change nothing.
struct Boid {
    // World metres.
    position: vec3<f32>,
    // 1 while it sits on the skin.
    sits: f32,
    // Metres a second; no more than a heading while it sits.
    velocity: vec3<f32>,
    // How many it flies with.
    crowd: f32,
}

// A boid as its neighbours see it, sorted by cell, within a cell by id. A hole has the id NO_BOID: all entries
// from it to `next`, the first of the next cell, are left out.
struct Candidate {
    // H from the middle.
    position: vec3<f32>,
    id: u32,
    // H a second.
    velocity: vec3<f32>,
    next: u32,
}

struct BoidsUniform {
    // Middle of the boundary sphere, world metres.
    center: vec3<f32>,
    // H in metres.
    extent_m: f32,
    // Rules: distance squared (H2), cosine of the view's half-angle, strength, 0.
    cohesion: vec4<f32>,
    separation: vec4<f32>,
    alignment: vec4<f32>,
    boid_count: u32,
    // Cells of the grid along each side.
    grid_side: u32,
    // Lower corner of the grid on every axis, H.
    grid_origin: f32,
    // Cells a H.
    cells_per_extent: f32,
    dt_secs: f32,
    // Limits: H/s2, H/s, H/s.
    max_force: f32,
    min_speed: f32,
    max_speed: f32,
    // H, 1/s2.
    boundary_radius: f32,
    boundary_force: f32,
    // H/s2 along the circle round `orbit_axis`.
    orbit: f32,
    // H/s2 away from the skin; 0 lets boids fly through the body.
    avoid: f32,
    // H from the skin, and H/s at which a boid closer than that is lifted off.
    clearance: f32,
    push_speed: f32,
    seed: u32,
    // 1/s2 toward the middle.
    homing: f32,
    // Unit.
    orbit_axis: vec3<f32>,
    // H/s2 with the air's slow swirls, and their phases in radians.
    wander: f32,
    wander_phase: vec3<f32>,
    // Cosine of how far a heading turns in a tick.
    turn_cosine: f32,
    // H from the middle, and 1/s2 toward it.
    goal: vec3<f32>,
    goal_pull: f32,
    // H; read where the boundary is a box.
    boundary_half: vec3<f32>,
    boundary_is_box: u32,
    // What a species (first index) thinks of another: 1 of itself; below 0 it is repelled.
    liking: array<vec4<f32>, 4>,
    // Factors on the speeds of each species.
    paces: vec4<f32>,
    // Two bits a boid, by the lowest four bits of its id.
    species_pattern: u32,
    // 1 where not all boids are of one mind.
    is_mixed: u32,
    // The first boids hunt the others.
    predator_count: u32,
    // How far they are feared, H.
    predator_distance: f32,
    // H/s, and H/s2 away from limbs that come fast.
    flee_speed: f32,
    fright: f32,
    // Share of its time that a boid sits, and how far its cycle is: 0 to 1.
    perch_share: f32,
    perch_phase: f32,
    // H from the skin.
    perch_height: f32,
    pad0: f32,
    pad1: f32,
    pad2: f32,
}

const NO_BOID = 0xffffffffu;
// The most boids of one cell that others look at, those of the lowest ids; GRID_CELL_CAP in Rust.
const CELL_CAP = 128u;

// Species are dealt out by a pattern of sixteen ids, so that each has its share of any count.
fn species_in(pattern: u32, id: u32) -> u32 {
    return (pattern >> (2u * (id & 15u))) & 3u;
}

// Position in H from the middle.
fn local_position(boid: Boid, center: vec3<f32>, extent_m: f32) -> vec3<f32> {
    return (boid.position - center) / extent_m;
}
