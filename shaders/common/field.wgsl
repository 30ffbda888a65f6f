// The vector field round the body, on a lattice of whole numbers: a quantum is H / 2^20.
const QUANTA = 1048576.0;
// Directions and offsets of finished cells have 14 fractional bits.
const CELL_ONE = 16384;
// Velocities of finished cells have 17 fractional bits of H a tick.
const SPEED_ONE = 131072.0;

struct FieldBox {
    // Lower corner, in quanta from the middle of the boundary sphere.
    origin: vec3<i32>,
    // Edge of a cell in quanta.
    cell: i32,
    // Cells along each axis; zero when there is no body.
    size: vec3<u32>,
    cell_count: u32,
}

// A finished cell as numbers. Its plane is the skin as seen from the cell's middle.
struct FieldCell {
    // Away from the body, 14 fractional bits: short where normals disagree.
    normal: vec3<i32>,
    // Of the skin, 17 fractional bits of H a tick.
    velocity: vec3<i32>,
    // From the skin to the cell's middle along the normal, 14 fractional bits of a cell's edge; negative inside.
    distance: i32,
    // Whether the skin itself passes here.
    is_occupied: bool,
}

// `w` of a packed cell that knows nothing of the body.
const EMPTY_CELL = -2147483647 - 1;

// Holds sixteen bits a number, and thirty-one for the distance.
fn pack_cell(cell: FieldCell) -> vec4<i32> {
    let velocity = clamp(cell.velocity, vec3<i32>(-32767), vec3<i32>(32767));
    return vec4<i32>(
        (cell.normal.x & 0xffff) | (cell.normal.y << 16u),
        (cell.normal.z & 0xffff) | (velocity.x << 16u),
        (velocity.y & 0xffff) | (velocity.z << 16u),
        (cell.distance << 1u) | select(0, 1, cell.is_occupied),
    );
}

fn unpack_cell(packed: vec4<i32>) -> FieldCell {
    return FieldCell(
        vec3<i32>((packed.x << 16u) >> 16u, packed.x >> 16u, (packed.y << 16u) >> 16u),
        vec3<i32>(packed.y >> 16u, (packed.z << 16u) >> 16u, packed.z >> 16u),
        packed.w >> 1u,
        (packed.w & 1) != 0,
    );
}

fn cell_index(field_box: FieldBox, cell: vec3<i32>) -> u32 {
    let c = vec3<u32>(cell);
    return (c.z * field_box.size.y + c.y) * field_box.size.x + c.x;
}

fn inside_box(field_box: FieldBox, cell: vec3<i32>) -> bool {
    return all(cell >= vec3<i32>()) && all(cell < vec3<i32>(field_box.size));
}

// The cell of an index; x fastest.
fn cell_at(field_box: FieldBox, index: u32) -> vec3<i32> {
    let row = index / field_box.size.x;
    return vec3<i32>(vec3<u32>(index % field_box.size.x, row % field_box.size.y, row / field_box.size.y));
}

// The cell of a place in quanta. Rounded down, so that what lies before the box is not in its first cells.
fn cell_of(field_box: FieldBox, position: vec3<i32>) -> vec3<i32> {
    let from_origin = position - field_box.origin;
    return select(from_origin / field_box.cell, vec3<i32>(-1), from_origin < vec3<i32>());
}
