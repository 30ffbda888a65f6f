// One tick of the flock. After Reynolds 1987 (cohesion, separation, alignment), with a boundary, goals, moods and the
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

// Speed below which a boid keeps its last heading: H a second.
const STANDSTILL = 1e-4;
// Whose speed is below this sits on the skin: its velocity is no more than a heading.
const SITTING = 2e-3;
const MAX_SUBSTEPS = 16.0;
// Radians a H: the air's swirls are about as large as the character.
const SWIRL = 6.0;
// How near to a limb that comes fast a boid is frightened, H.
const FRIGHT_REACH = 0.2;
// How far above its perch a boid has landed, H.
const TOUCH = 0.004;

fn limited(force: vec3<f32>, limit: f32) -> vec3<f32> {
    let length_squared = dot(force, force);
    if length_squared <= limit * limit {
        return force;
    }
    return force * (limit / sqrt(length_squared));
}

// Keeps the speed between limits; a standstill goes on along `heading`.
fn with_speed_between(velocity: vec3<f32>, heading: vec3<f32>, limits: vec2<f32>) -> vec3<f32> {
    let speed = length(velocity);
    if speed < 0.1 * STANDSTILL {
        return heading * limits.x;
    }
    return velocity * (clamp(speed, limits.x, limits.y) / speed);
}

// Turns from a heading to a direction by no more than the flock may in a tick; both unit.
fn turned_towards(heading: vec3<f32>, wanted: vec3<f32>, id: u32) -> vec3<f32> {
    let cosine = dot(heading, wanted);
    if cosine >= boids.turn_cosine {
        return wanted;
    }
    var aside = wanted - cosine * heading;
    if dot(aside, aside) < 1e-8 {
        // Straight back: a side of its own.
        let side = hash_direction(id ^ hash_u32(boids.seed));
        aside = side - dot(side, heading) * heading;
    }
    let sine = sqrt(max(1.0 - boids.turn_cosine * boids.turn_cosine, 0.0));
    return normalize(boids.turn_cosine * heading + sine * aside / max(length(aside), 1e-10));
}

fn species_of(id: u32) -> u32 {
    return species_in(boids.species_pattern, id);
}

fn pace_of(id: u32) -> f32 {
    return boids.paces[species_of(id)];
}

//!include "common/flock_skin.wgsl"
//!include "common/flock_rules.wgsl"

// Toward the character and the goal, round it, with the air, and back into the boundary.
fn place_force(position: vec3<f32>) -> vec3<f32> {
    var force = limited(-boids.homing * position, boids.max_force);
    if boids.goal_pull > 0.0 {
        force += limited(boids.goal_pull * (boids.goal - position), boids.max_force);
    }
    let around = cross(boids.orbit_axis, position);
    force += boids.orbit * around / sqrt(dot(around, around) + 0.01);
    force += boids.wander * sin(SWIRL * position.yzx + boids.wander_phase);
    let distance_squared = dot(position, position);
    let radius_squared = boids.boundary_radius * boids.boundary_radius;
    if boids.boundary_is_box != 0u {
        // As soft as the sphere: near its surface, that one turns back by twice the way beyond it.
        let beyond = max(abs(position) - boids.boundary_half, vec3<f32>(0.0));
        force += limited(-2.0 * boids.boundary_force * sign(position) * beyond, 4.0 * boids.max_force);
    } else if distance_squared > radius_squared {
        let strength = boids.boundary_force * (distance_squared - radius_squared) / distance_squared;
        force += limited(-strength * position, 4.0 * boids.max_force);
    }
    return force;
}

// Brakes what is left of the speed toward the skin over what is left of the way, so that boids turn before they
// arrive; closer than the clearance it pushes with all it may.
fn avoid_force(skin: Skin, velocity: vec3<f32>) -> vec3<f32> {
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

// Away from hunters, and from limbs that come faster than the flock cruises. None where nothing frightens.
fn flight_force(id: u32, position: vec3<f32>, skin: Skin) -> vec3<f32> {
    var force = vec3<f32>();
    if id >= boids.predator_count {
        for (var k = 0u; k < boids.predator_count; k++) {
            let offset = position - local_position(current[k], boids.center, boids.extent_m);
            let distance = length(offset);
            if distance < boids.predator_distance && distance > 1e-6 {
                let near = 1.0 - distance / boids.predator_distance;
                force += 4.0 * boids.max_force * near * offset / distance;
            }
        }
        force = limited(force, 4.0 * boids.max_force);
    }
    if boids.fright > 0.0 && skin.known && skin.distance < FRIGHT_REACH {
        let haste = length(skin.velocity) / max(boids.max_speed, STANDSTILL) - 1.0;
        let near = 1.0 - max(skin.distance, 0.0) / FRIGHT_REACH;
        force += boids.fright * clamp(haste, 0.0, 1.0) * near * skin.normal;
    }
    return force;
}

// Moves in steps of at most half a cell, as seen from the skin: first the boid is carried along with it, then it goes
// what is left of its own way. A limb that sweeps across a boid within a tick so meets it on the side it came from.
// Where the way leads closer to the skin than the clearance, only the velocity along the skin is kept, and the boid is
// lifted off: gently by itself, at the skin's own speed where the skin comes at it.
fn glide(
    id: u32,
    start: vec3<f32>,
    velocity: ptr<function, vec3<f32>>,
    skin_velocity: vec3<f32>,
    clearance: f32,
    limits: vec2<f32>,
) -> vec3<f32> {
    let dt = boids.dt_secs;
    var substeps = 1.0;
    if boids.avoid > 0.0 && box.cell_count > 0u {
        let half_cell = 0.5 * f32(box.cell) / QUANTA;
        substeps = clamp(ceil(length(*velocity - skin_velocity) * dt / half_cell), 1.0, MAX_SUBSTEPS);
    }
    let step_secs = dt / substeps;
    var moved = skin_velocity * dt;
    for (var k = 0.0; k < substeps; k += 1.0) {
        moved += (*velocity - skin_velocity) * step_secs;
        if boids.avoid <= 0.0 {
            continue;
        }
        let skin = skin_at(start + moved);
        if !skin.known || skin.distance >= clearance {
            continue;
        }
        let inward = min(dot(*velocity, skin.normal), 0.0);
        *velocity -= inward * skin.normal;
        let lift = (boids.push_speed + max(dot(skin.velocity, skin.normal), 0.0)) * step_secs;
        moved += min(clearance - skin.distance, lift) * skin.normal;
        if dot(*velocity, *velocity) < STANDSTILL * STANDSTILL {
            // Head-on: some way along the skin, the boid's own.
            let sideways = cross(skin.normal, hash_direction(id ^ hash_u32(boids.seed)));
            *velocity = with_speed_between(sideways, skin.normal, limits);
        }
    }
    return moved;
}

// Whether it is a boid's time to sit: a share of a cycle of its own.
fn wants_to_sit(id: u32) -> bool {
    let own = f32(hash_u32(id ^ hash_u32(boids.seed ^ 0x51ed270bu)) >> 8u) / 16777216.0;
    return id >= boids.predator_count && fract(boids.perch_phase + own) < boids.perch_share;
}

// Down to the skin, slower the nearer, with the skin.
fn landing_force(skin: Skin, velocity: vec3<f32>) -> vec3<f32> {
    let way = max(skin.distance - boids.perch_height, 0.0);
    let down = min(sqrt(boids.max_force * way), 0.7 * boids.max_speed) + 0.02;
    return limited(8.0 * (skin.velocity - down * skin.normal - velocity), 4.0 * boids.max_force);
}

// On the skin: goes where it goes, and keeps its height over it.
fn ride(skin: Skin, boid: Boid, heading: vec3<f32>) -> Boid {
    let dt = boids.dt_secs;
    let lift = clamp(boids.perch_height - skin.distance, -boids.push_speed * dt, boids.push_speed * dt);
    let moved = skin.velocity * dt + lift * skin.normal;
    // Upright: what is left of its heading along the skin.
    let along = heading - dot(heading, skin.normal) * skin.normal;
    let flat = select(heading, along / max(length(along), 1e-10), dot(along, along) > 1e-4);
    let velocity = 0.5 * SITTING * flat;
    return Boid(boid.position + moved * boids.extent_m, 1.0, velocity * boids.extent_m, 0.0);
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
    let pace = pace_of(id);
    let least = max(boids.min_speed * pace, STANDSTILL);
    let most = max(boids.max_speed * pace, least);
    let heading = normalize(with_speed_between(velocity, hash_direction(id ^ hash_u32(boids.seed)), vec2<f32>(least, most)));

    var skin = Skin(false, vec3<f32>(), 0.0, vec3<f32>());
    if boids.avoid > 0.0 {
        skin = skin_at(position);
    }
    let flight = flight_force(id, position, skin);
    let frightened = dot(flight, flight) > 0.0;
    let sits = boids.perch_share > 0.0 && skin.known && !frightened && wants_to_sit(id);
    if sits && boid.sits > 0.0 {
        next[id] = ride(skin, boid, heading);
        return;
    }

    let rule = rule_force(id, members[entry].y, position, velocity);
    var force = rule.force + place_force(position) + flight;
    var clearance = boids.clearance;
    if sits {
        force = 0.25 * rule.force + landing_force(skin, velocity);
        clearance = boids.perch_height;
    } else {
        force += avoid_force(skin, velocity);
    }
    if boid.sits > 0.0 && !sits {
        // Off: away from the skin and ahead.
        velocity = least * normalize(heading + select(vec3<f32>(), skin.normal, skin.known)) + skin.velocity;
    }
    // In fear faster than it cruises; afterwards no slower than it can brake.
    var limits = vec2<f32>(least, max(most, min(boids.flee_speed * pace, length(velocity) - boids.max_force * boids.dt_secs)));
    if frightened || id < boids.predator_count {
        limits.y = max(most, boids.flee_speed * pace);
    }
    if sits {
        limits.x = STANDSTILL;
    }
    velocity = with_speed_between(velocity + force * boids.dt_secs, heading, limits);
    velocity = length(velocity) * turned_towards(heading, velocity / length(velocity), id);
    let moved = glide(id, position, &velocity, skin.velocity, clearance, limits);
    velocity = with_speed_between(velocity, heading, limits);
    let touches = sits && skin.distance < boids.perch_height + TOUCH;
    next[id] = Boid(
        boid.position + moved * boids.extent_m,
        select(0.0, 1.0, touches),
        velocity * boids.extent_m,
        rule.crowd,
    );
}
