// Fills the field, mode "surface": every cell learns of a point of the skin that is closest to its middle, and
// from it the way out of the body, how far the skin is and how fast it moves. Each cell begins with the closest of
// the points in and round it, an order-free minimum; then closest points spread from cell to cell in steps of
// falling powers of two (after Rong and Tan, *Jump Flooding in GPU*, 2006) until all cells have one, the inside
// included.
//!include "common/index.wgsl"
//!include "common/field.wgsl"
//!include "common/field_build.wgsl"

// How far a pass looks.
struct FieldReach {
    // Cells.
    reach: i32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

@group(0) @binding(0) var<uniform> field: FieldUniform;
@group(0) @binding(1) var<uniform> spreading: FieldReach;
@group(0) @binding(2) var<storage, read> places: array<SkinPlace>;
@group(0) @binding(3) var<storage, read> box: FieldBox;
// Of the closest point to each cell: how close it is and, in the low bits, its number. All ones without any.
@group(0) @binding(4) var<storage, read_write> keys: array<atomic<u32>>;
// Keys, and numbers of points from farther away under FROM_AFAR, before a pass and after it.
@group(0) @binding(5) var<storage, read> owners: array<u32>;
@group(0) @binding(6) var<storage, read_write> next_owners: array<u32>;
@group(0) @binding(7) var<storage, read_write> cells: array<vec4<i32>>;

// Bits of a point's number, in Rust too.
const POINT_BITS = 15u;
const POINT_MASK = 0x7fffu;
const NO_POINT = 0xffffffffu;
// High bits of owners that are no keys.
const FROM_AFAR = 0xffff8000u;

fn cell_middle(cell: vec3<i32>) -> vec3<i32> {
    return box.origin + cell * box.cell + box.cell / 2;
}

// What makes a point close: the way's square, of which the part along the normal counts half. Beside an edge the
// skin that faces the cell so goes before skin that is seen from the side, which could not tell inside from out.
// Takes coordinates of up to 15 bits, and normals of 15 fractional bits.
fn closeness(away: vec3<i32>, normal: vec3<i32>) -> u32 {
    let height = (normal.x * away.x >> 15u) + (normal.y * away.y >> 15u) + (normal.z * away.z >> 15u);
    let squared = u32(away.x * away.x) + u32(away.y * away.y) + u32(away.z * away.z);
    return squared - min(u32(height * height), squared) / 2u;
}

// Offers each point to its cell and the 26 round it: what is best for a cell need not be best for its neighbour.
@compute @workgroup_size(64)
fn nearest(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= min(field.point_count, POINT_MASK) {
        return;
    }
    let place = places[index];
    let cell = cell_of(box, place.position);
    if place.valid == 0 || !inside_box(box, cell) {
        return;
    }
    // Ten fractional bits of a cell's edge: at most 1,536 on each axis, so that a 64th of the square takes 17 bits.
    let away = ((cell_middle(cell) - place.position) << vec3<u32>(10u)) / box.cell;
    for (var k = 0; k < 27; k++) {
        let step = vec3<i32>(k % 3, (k / 3) % 3, k / 9) - 1;
        if inside_box(box, cell + step) {
            let close = min(closeness(away + 1024 * step, place.normal) >> 6u, 0x1fffeu);
            atomicMin(&keys[cell_index(box, cell + step)], (close << POINT_BITS) | index);
        }
    }
}

// Bits to drop from quanta so that coordinates across the whole box have 15.
fn distance_shift() -> u32 {
    let longest = max(box.size.x, max(box.size.y, box.size.z)) * u32(box.cell);
    return u32(max(17 - i32(countLeadingZeros(longest)), 0));
}

// Takes the closest of the points that the 26 cells at this pass' reach know, of equal ones the lowest number.
@compute @workgroup_size(64)
fn spread(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= box.cell_count {
        return;
    }
    // Who was offered a point has a near one: it need not look far.
    if spreading.reach > 1 && owners[index] < FROM_AFAR {
        next_owners[index] = owners[index];
        return;
    }
    let cell = cell_at(box, index);
    let middle = cell_middle(cell);
    let shift = vec3<u32>(distance_shift());
    let size = vec3<i32>(box.size);
    var best = NO_POINT;
    var best_close = NO_POINT;
    for (var k = 0; k < 27; k++) {
        let neighbour = cell + spreading.reach * (vec3<i32>(k % 3, (k / 3) % 3, k / 9) - 1);
        if any(neighbour < vec3<i32>()) || any(neighbour >= size) {
            continue;
        }
        let known = owners[(neighbour.z * size.y + neighbour.y) * size.x + neighbour.x];
        if known == NO_POINT {
            continue;
        }
        let point = known & POINT_MASK;
        let place = places[point];
        let close = closeness((middle - place.position) >> shift, place.normal);
        if close < best_close || (close == best_close && point < best) {
            best = point;
            best_close = close;
        }
    }
    next_owners[index] = best | FROM_AFAR;
}

// Whether a cell's middle is outside by the points that the cells round it know: the
// sign of the solid angles under which it sees them, each once.
fn is_outside(cell: vec3<i32>) -> bool {
    let middle = cell_middle(cell);
    var counted: array<u32, 27>;
    var count = 0;
    var seen = 0.0;
    for (var k = 0; k < 27; k++) {
        let neighbour = cell + vec3<i32>(k % 3, (k / 3) % 3, k / 9) - 1;
        if !inside_box(box, neighbour) {
            continue;
        }
        let known = owners[cell_index(box, neighbour)];
        let point = known & POINT_MASK;
        var is_new = known != NO_POINT;
        for (var other = 0; other < count; other++) {
            is_new = is_new && counted[other] != point;
        }
        if is_new {
            counted[count] = point;
            count++;
            let place = places[point];
            let away = vec3<f32>(middle - place.position) / f32(box.cell);
            let squared = dot(away, away) + 1e-6;
            seen += dot(away, vec3<f32>(place.normal)) / (squared * sqrt(squared));
        }
    }
    return seen >= 0.0;
}

// A point stands for a disc of skin: what is measured is the way to the disc. Leaves the keys empty for the next
// tick.
@compute @workgroup_size(64)
fn finish(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= box.cell_count {
        return;
    }
    atomicStore(&keys[index], NO_POINT);
    let point = owners[index];
    if point == NO_POINT {
        cells[index] = vec4<i32>(0, 0, 0, EMPTY_CELL);
        return;
    }
    let place = places[point & POINT_MASK];
    let cell = cell_at(box, index);
    let cell_edge = f32(box.cell);
    // In cell edges from here on.
    let away = vec3<f32>(cell_middle(cell) - place.position) / cell_edge;
    let normal = vec3<f32>(place.normal);
    // A point without a normal has an outside on every side.
    let outward = normal / max(length(normal), 1.0);
    let height = dot(away, outward);
    let along = away - height * outward;
    let along_length = length(along);
    let beyond = max(along_length - field.patch_radius / cell_edge, 0.0);
    let way = height * outward + along * (beyond / max(along_length, 1e-6));
    let distance = length(way);
    // A point seen from the side, as the rim of a plate is, cannot tell inside from out.
    var outside = height >= 0.0;
    if abs(height) < 0.7 * length(away) {
        outside = is_outside(cell);
    }
    let side = select(-1.0, 1.0, outside);
    // Nearer than a thousandth of a cell the way has no direction that can be trusted.
    let direction = select(outward, way * (side / max(distance, 1e-6)), distance > 1e-3);
    cells[index] = pack_cell(FieldCell(
        vec3<i32>(round(direction * f32(CELL_ONE))),
        // From 20 bits to 17.
        place.step >> vec3<u32>(3u),
        i32(round(clamp(side * distance, -1024.0, 1024.0) * f32(CELL_ONE))),
        all(cell_of(box, place.position) == cell),
    ));
}
