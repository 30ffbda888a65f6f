// Trails of boids.
struct TrailUniform {
    boid_count: u32,
    // The ring's newest place.
    newest: u32,
    // Boids from this id on were born in this tick.
    newborn_from: u32,
    pad0: u32,
}

// Places remembered of a boid; POINTS in Rust.
const TRAIL_POINTS = 24u;
