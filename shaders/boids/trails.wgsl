// Remembers where boids were: a ring of places for each.
//!include "common/index.wgsl"
//!include "common/boids.wgsl"
//!include "common/boid_trail.wgsl"

@group(0) @binding(0) var<uniform> trails: TrailUniform;
@group(0) @binding(1) var<storage, read> current: array<Boid>;
@group(0) @binding(2) var<storage, read_write> places: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let id = linear_index(global_id, 64u);
    if id >= trails.boid_count || id >= arrayLength(&current) || (id + 1u) * TRAIL_POINTS > arrayLength(&places) {
        return;
    }
    let place = vec4<f32>(current[id].position, 0.0);
    if id < trails.newborn_from {
        places[id * TRAIL_POINTS + trails.newest] = place;
        return;
    }
    // Who was just born has been here all the time.
    for (var k = 0u; k < TRAIL_POINTS; k++) {
        places[id * TRAIL_POINTS + k] = place;
    }
}
