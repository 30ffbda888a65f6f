// The three rules, and what one kind of boid thinks of another. Needs common/boids.wgsl and the bindings of
// boids/flock.wgsl.

// Boids closer than a millionth of H have no direction between them and count as coincident.
const COINCIDENT_SQUARED = 1e-12;
// They part as if they were a thousandth of H apart.
const PARTING = 1000.0;

struct Rules {
    cohesion: vec3<f32>,
    cohesion_count: f32,
    separation: vec3<f32>,
    alignment: vec3<f32>,
    alignment_count: f32,
}

struct Rule {
    force: vec3<f32>,
    // How many it flies with; less where kinds count for less.
    crowd: f32,
}

// Adds what one neighbour contributes to each rule that sees it. `liking` is 1 for its own kind; another kind counts
// for so much less, and repels where it is below 0.
fn add_neighbour(
    rules: ptr<function, Rules>,
    offset: vec3<f32>,
    other_velocity: vec3<f32>,
    velocity: vec3<f32>,
    speed: f32,
    liking: f32,
) {
    let distance_squared = dot(offset, offset);
    let ahead = dot(velocity, offset);
    let scale = speed * sqrt(distance_squared);
    if distance_squared < boids.cohesion.x && ahead > boids.cohesion.y * scale {
        (*rules).cohesion += max(liking, 0.0) * offset;
        (*rules).cohesion_count += max(liking, 0.0);
        (*rules).separation += min(liking, 0.0) * offset / distance_squared;
    }
    if distance_squared < boids.separation.x && ahead > boids.separation.y * scale {
        (*rules).separation -= offset / distance_squared;
    }
    if distance_squared < boids.alignment.x && ahead > boids.alignment.y * scale {
        (*rules).alignment += max(liking, 0.0) * other_velocity;
        (*rules).alignment_count += max(liking, 0.0);
    }
}

// What a boid of one species thinks of another: 1 of its own.
fn liking_of(mine: u32, theirs: u32) -> f32 {
    return boids.liking[mine][theirs];
}

fn rule_force(id: u32, cell: u32, position: vec3<f32>, velocity: vec3<f32>) -> Rule {
    let side = boids.grid_side;
    let center = vec3<u32>(cell % side, (cell / side) % side, cell / (side * side));
    let low = max(center, vec3<u32>(1u)) - 1u;
    let high = min(center + 1u, vec3<u32>(side - 1u));
    let reach_squared = max(boids.cohesion.x, max(boids.separation.x, boids.alignment.x));
    let speed = length(velocity);
    let mine = species_of(id);
    let hunts = id < boids.predator_count;
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
                    continue;
                }
                var liking = 1.0;
                if boids.is_mixed != 0u {
                    // Hunters fly after everyone but each other; the hunted and the hunter are no flock, and who sits
                    // on the skin is passed by.
                    let other_hunts = other.id < boids.predator_count;
                    let sits = boids.perch_share > 0.0 && dot(other.velocity, other.velocity) < SITTING * SITTING;
                    if hunts != other_hunts {
                        liking = select(0.0, 1.0, hunts);
                    } else if hunts {
                        liking = -1.0;
                    } else {
                        liking = liking_of(mine, species_of(other.id));
                    }
                    liking = select(liking, 0.0, sits);
                }
                add_neighbour(&rules, offset, other.velocity, velocity, speed, liking);
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
    return Rule(force, rules.cohesion_count);
}
