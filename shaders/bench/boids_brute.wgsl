// A flock's step as first published for the GPU: every boid looks at every other one, with an arc cosine for each
// rule's angle. Mended: it reads one state and writes another, and cosines keep to their domain.
//!include "common/index.wgsl"
//!include "common/boids.wgsl"

@group(0) @binding(0) var<uniform> boids: BoidsUniform;
@group(0) @binding(1) var<storage, read> current: array<Boid>;
@group(0) @binding(2) var<storage, read_write> next: array<Boid>;

fn limited(force: vec3<f32>, limit: f32) -> vec3<f32> {
    let size = length(force);
    return select(force, force * (limit / max(size, 1e-9)), size > limit);
}

fn sees(rule: vec4<f32>, distance_squared: f32, angle: f32) -> bool {
    return distance_squared < rule.x && angle < acos(clamp(rule.y, -1.0, 1.0));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= boids.boid_count {
        return;
    }
    let position = (current[index].position - boids.center) / boids.extent_m;
    let velocity = current[index].velocity / boids.extent_m;
    let speed = max(length(velocity), 1e-6);
    var middle = vec3<f32>();
    var middle_count = 0.0;
    var away = vec3<f32>();
    var along = vec3<f32>();
    var along_count = 0.0;
    for (var other = 0u; other < boids.boid_count; other++) {
        if other == index {
            continue;
        }
        let offset = (current[other].position - boids.center) / boids.extent_m - position;
        let distance_squared = max(dot(offset, offset), 1e-12);
        let cosine = dot(velocity, offset) / (speed * sqrt(distance_squared));
        let angle = acos(clamp(cosine, -1.0, 1.0));
        if sees(boids.cohesion, distance_squared, angle) {
            middle += offset;
            middle_count += 1.0;
        }
        if sees(boids.separation, distance_squared, angle) {
            away -= offset / distance_squared;
        }
        if sees(boids.alignment, distance_squared, angle) {
            along += current[other].velocity / boids.extent_m;
            along_count += 1.0;
        }
    }
    var force = limited(away * boids.separation.z, boids.max_force);
    if middle_count > 0.0 {
        force += limited(middle / middle_count * boids.cohesion.z, boids.max_force);
    }
    if along_count > 0.0 {
        force += limited((along / along_count - velocity) * boids.alignment.z, boids.max_force);
    }
    var moved = velocity + force * boids.dt_secs;
    let pace = max(length(moved), 1e-6);
    moved *= clamp(pace, boids.min_speed, max(boids.max_speed, boids.min_speed)) / pace;
    let arrived = position + moved * boids.dt_secs;
    next[index].position = arrived * boids.extent_m + boids.center;
    next[index].velocity = moved * boids.extent_m;
}
