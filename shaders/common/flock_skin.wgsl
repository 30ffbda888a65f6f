// The body as a boid meets it: the field's planes, blended. Needs common/boids.wgsl, common/field.wgsl and the
// bindings of boids/flock.wgsl.

// A shorter mean normal points nowhere: opposite sides of a thin limb.
const LEAST_NORMAL = 0.05;

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
