// One tick of the flock. After Reynolds 1987 (cohesion, separation, alignment), with a boundary sphere and the
// body's field. Neighbours come in a fixed order, so that float sums are the same every time.
//!include "common/index.wgsl"
//!include "common/hash.wgsl"
//!include "common/boids.wgsl"
//!include "common/field.wgsl"

@group(0) @binding(0) var<uniform> boids: BoidsUniform;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> members: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> candidates: array<Candidate>;
@group(0) @binding(4) var<storage, read> current: array<Boid>;
@group(0) @binding(5) var<storage, read_write> next: array<Boid>;
@group(0) @binding(6) var<storage, read> box: FieldBox;
@group(0) @binding(7) var<storage, read> cells: array<vec4<i32>>;

// Boids closer than a millionth of H have no direction between them and count as coincident.
const COINCIDENT_SQUARED = 1e-12;
// They part as if they were a thousandth of H apart.
const PARTING = 1000.0;
// Speed below which a boid keeps its last heading: H a second.
const STANDSTILL = 1e-4;
// A shorter mean normal points nowhere: opposite sides of a thin limb.
const LEAST_NORMAL = 0.05;
const MAX_SUBSTEPS = 16.0;
// Radians a H: the air's swirls are about as large as the character.
const SWIRL = 6.0;

fn limited(force: vec3<f32>, limit: f32) -> vec3<f32> {
    let length_squared = dot(force, force);
    if length_squared <= limit * limit {
        return force;
    }
    return force * (limit / sqrt(length_squared));
}

// Keeps the speed within the limits; a standstill goes on along `heading`.
fn with_legal_speed(velocity: vec3<f32>, heading: vec3<f32>) -> vec3<f32> {
    let least = max(boids.min_speed, STANDSTILL);
    let speed = length(velocity);
    if speed < 0.1 * STANDSTILL {
        return heading * least;
    }
    return velocity * (clamp(speed, least, max(boids.max_speed, least)) / speed);
}

struct Skin {
    // Whether the field says anything here.
    known: bool,
    // Unit, away from the body.
    normal: vec3<f32>,
    // H; negative inside.
    distance: f32,
    // Of the skin, H a second.
    velocity: vec3<f32>,
}

// Blends the planes of the filled cells among the eight round a position.
fn skin_at(position: vec3<f32>) -> Skin {
    let nowhere = Skin(false, vec3<f32>(), 0.0, vec3<f32>());
    let cell_edge = f32(box.cell);
    let grid = (position * QUANTA - vec3<f32>(box.origin)) / cell_edge;
    if any(grid < vec3<f32>(-0.5)) || any(grid > vec3<f32>(box.size) + 0.5) {
        return nowhere;
    }
    let corner = floor(grid - 0.5);
    let fraction = grid - 0.5 - corner;
    var weight_sum = 0.0;
    var normal = vec3<f32>();
    var distance = 0.0;
    var velocity = vec3<f32>();
    // Where normals cancel, as in the middle of a limb, the strongest cell alone says where out is.
    var strongest = 0.0;
    var strongest_normal = vec3<f32>();
    for (var k = 0u; k < 8u; k++) {
        let step = vec3<f32>(f32(k & 1u), f32((k >> 1u) & 1u), f32(k >> 2u));
        let at = vec3<i32>(corner + step);
        if !inside_box(box, at) {
            continue;
        }
        let packed = cells[cell_index(box, at)];
        if packed.w == EMPTY_CELL {
            continue;
        }
        let cell = unpack_cell(packed);
        let near = select(1.0 - fraction, fraction, step > vec3<f32>(0.5));
        let weight = near.x * near.y * near.z;
        let cell_normal = vec3<f32>(cell.normal) / f32(CELL_ONE);
        weight_sum += weight;
        normal += weight * cell_normal;
        distance += weight * (dot(cell_normal, fraction - step) + f32(cell.distance) / f32(CELL_ONE));
        velocity += weight * vec3<f32>(cell.velocity) / SPEED_ONE;
        if weight > strongest {
            strongest = weight;
            strongest_normal = cell_normal;
        }
    }
    if weight_sum < 0.01 {
        return nowhere;
    }
    normal /= weight_sum;
    if length(normal) < LEAST_NORMAL {
        normal = strongest_normal;
    }
    let normal_length = length(normal);
    if normal_length < LEAST_NORMAL {
        return nowhere;
    }
    return Skin(
        true,
        normal / normal_length,
        distance / weight_sum * (cell_edge / QUANTA),
        velocity / weight_sum / boids.dt_secs,
    );
}

struct Rules {
    cohesion: vec3<f32>,
    cohesion_count: f32,
    separation: vec3<f32>,
    alignment: vec3<f32>,
    alignment_count: f32,
}

// Adds what one neighbour contributes to each rule that sees it.
fn add_neighbour(rules: ptr<function, Rules>, offset: vec3<f32>, other_velocity: vec3<f32>, velocity: vec3<f32>, speed: f32) {
    let distance_squared = dot(offset, offset);
    let ahead = dot(velocity, offset);
    let scale = speed * sqrt(distance_squared);
    if distance_squared < boids.cohesion.x && ahead > boids.cohesion.y * scale {
        (*rules).cohesion += offset;
        (*rules).cohesion_count += 1.0;
    }
    if distance_squared < boids.separation.x && ahead > boids.separation.y * scale {
        (*rules).separation -= offset / distance_squared;
    }
    if distance_squared < boids.alignment.x && ahead > boids.alignment.y * scale {
        (*rules).alignment += other_velocity;
        (*rules).alignment_count += 1.0;
    }
}

fn rule_force(id: u32, cell: u32, position: vec3<f32>, velocity: vec3<f32>) -> vec3<f32> {
    let side = boids.grid_side;
    let center = vec3<u32>(cell % side, (cell / side) % side, cell / (side * side));
    let low = max(center, vec3<u32>(1u)) - 1u;
    let high = min(center + 1u, vec3<u32>(side - 1u));
    let reach_squared = max(boids.cohesion.x, max(boids.separation.x, boids.alignment.x));
    let speed = length(velocity);
    var rules = Rules();
    for (var z = low.z; z <= high.z; z++) {
        for (var y = low.y; y <= high.y; y++) {
            let row = (z * side + y) * side;
            let end = min(starts[row + high.x + 1u], boids.boid_count);
            var k = starts[row + low.x];
            while k < end {
                let other = candidates[k];
                if other.id == NO_BOID {
                    // Holes end with their cell, so this always goes forward.
                    k = max(other.next, k + 1u);
                    continue;
                }
                k++;
                let offset = other.position - position;
                let distance_squared = dot(offset, offset);
                if distance_squared >= reach_squared || other.id == id {
                    continue;
                }
                if distance_squared < COINCIDENT_SQUARED {
                    // One direction a pair, taken by the two in opposite senses.
                    let pair = hash_u32(min(id, other.id) ^ hash_u32(max(id, other.id) ^ hash_u32(boids.seed)));
                    rules.separation += hash_direction(pair) * select(-PARTING, PARTING, id < other.id);
                } else {
                    add_neighbour(&rules, offset, other.velocity, velocity, speed);
                }
            }
        }
    }
    var force = limited(boids.separation.z * rules.separation, boids.max_force);
    if rules.cohesion_count > 0.0 {
        force += limited(boids.cohesion.z * rules.cohesion / rules.cohesion_count, boids.max_force);
    }
    if rules.alignment_count > 0.0 {
        let change = rules.alignment / rules.alignment_count - velocity;
        force += limited(boids.alignment.z * change, boids.max_force);
    }
    return force;
}

// Toward the character, round it, with the air, and back into the boundary sphere.
fn place_force(position: vec3<f32>) -> vec3<f32> {
    var force = limited(-boids.homing * position, boids.max_force);
    let around = cross(boids.orbit_axis, position);
    force += boids.orbit * around / sqrt(dot(around, around) + 0.01);
    force += boids.wander * sin(SWIRL * position.yzx + boids.wander_phase);
    let distance_squared = dot(position, position);
    let radius_squared = boids.boundary_radius * boids.boundary_radius;
    if distance_squared > radius_squared {
        let strength = boids.boundary_force * (distance_squared - radius_squared) / distance_squared;
        force += limited(-strength * position, 4.0 * boids.max_force);
    }
    return force;
}

// Brakes what is left of the speed toward the skin over what is left of the way, so that boids turn before they
// arrive; closer than the clearance it pushes with all it may.
fn avoid_force(position: vec3<f32>, velocity: vec3<f32>) -> vec3<f32> {
    if boids.avoid <= 0.0 {
        return vec3<f32>();
    }
    let skin = skin_at(position);
    if !skin.known {
        return vec3<f32>();
    }
    let way = skin.distance - boids.clearance;
    let closing = dot(skin.velocity - velocity, skin.normal);
    if way <= 0.0 {
        return boids.avoid * skin.normal;
    }
    if closing <= 0.0 {
        return vec3<f32>();
    }
    // What a tick closes counts as way, too: without it the last hair's breadth asks for any force at all, and the
    // answer is rounding.
    let brake = 0.5 * closing * closing / (way + closing * boids.dt_secs);
    return min(boids.avoid, brake) * skin.normal;
}

// Moves in steps of at most half a cell. Where the way leads closer to the skin than the clearance, only the
// velocity along the skin is kept, and the boid is lifted off: gently by itself, at the skin's own speed where
// the skin comes at it.
fn glide(id: u32, start: vec3<f32>, velocity: ptr<function, vec3<f32>>) -> vec3<f32> {
    let dt = boids.dt_secs;
    var substeps = 1.0;
    if boids.avoid > 0.0 && box.cell_count > 0u {
        let half_cell = 0.5 * f32(box.cell) / QUANTA;
        substeps = clamp(ceil(length(*velocity) * dt / half_cell), 1.0, MAX_SUBSTEPS);
    }
    let step_secs = dt / substeps;
    var moved = vec3<f32>();
    for (var k = 0.0; k < substeps; k += 1.0) {
        moved += *velocity * step_secs;
        if boids.avoid <= 0.0 {
            continue;
        }
        let skin = skin_at(start + moved);
        if !skin.known || skin.distance >= boids.clearance {
            continue;
        }
        let inward = min(dot(*velocity, skin.normal), 0.0);
        *velocity -= inward * skin.normal;
        let lift = (boids.push_speed + max(dot(skin.velocity, skin.normal), 0.0)) * step_secs;
        moved += min(boids.clearance - skin.distance, lift) * skin.normal;
        if dot(*velocity, *velocity) < STANDSTILL * STANDSTILL {
            // Head-on: some way along the skin, the boid's own.
            let sideways = cross(skin.normal, hash_direction(id ^ hash_u32(boids.seed)));
            *velocity = with_legal_speed(sideways, skin.normal);
        }
    }
    return moved;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let entry = linear_index(global_id, 64u);
    if entry >= boids.boid_count {
        return;
    }
    let id = members[entry].x;
    let boid = current[id];
    let position = local_position(boid, boids.center, boids.extent_m);
    var velocity = boid.velocity / boids.extent_m;
    let heading = with_legal_speed(velocity, hash_direction(id ^ hash_u32(boids.seed)));
    let force = rule_force(id, members[entry].y, position, velocity)
        + place_force(position)
        + avoid_force(position, velocity);
    velocity = with_legal_speed(velocity + force * boids.dt_secs, normalize(heading));
    let moved = glide(id, position, &velocity);
    velocity = with_legal_speed(velocity, normalize(heading));
    next[id] = Boid(boid.position + moved * boids.extent_m, 0.0, velocity * boids.extent_m, 0.0);
}
