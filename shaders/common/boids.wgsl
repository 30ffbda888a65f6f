// The flock's shared structs. Kernels compute in the character's own unit: positions relative to the middle of
// the boundary sphere, all lengths in H, so that size and place of the model change nothing.
struct Boid {
    // World metres.
    position: vec3<f32>,
    pad0: f32,
    // Metres a second.
    velocity: vec3<f32>,
    pad1: f32,
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
    pad0: f32,
}

const NO_BOID = 0xffffffffu;
// The most boids of one cell that others look at, those of the lowest ids; GRID_CELL_CAP in Rust.
const CELL_CAP = 128u;

// Position in H from the middle.
fn local_position(boid: Boid, center: vec3<f32>, extent_m: f32) -> vec3<f32> {
    return (boid.position - center) / extent_m;
}
