// The vector field round the body, on a lattice of whole numbers: a quantum is H / 2^20.
const QUANTA = 1048576.0;
// Directions and offsets of finished cells have 14 fractional bits.
const CELL_ONE = 16384;
// Normal speeds of finished cells: 16 fractional bits of H a tick.
const SPEED_ONE = 65536.0;

struct FieldBox {
    // Lower corner, in quanta from the middle of the boundary sphere.
    origin: vec3<i32>,
    // Edge of a cell in quanta.
    cell: i32,
    // Cells along each axis; zero when there is no body.
    size: vec3<u32>,
    cell_count: u32,
}

// A finished cell as numbers. Its plane is where the skin lies on the average of the normals that reached it.
struct FieldCell {
    // Mean normal, 14 fractional bits: short where normals disagree.
    normal: vec3<i32>,
    // Passes from the skin: 0 is the skin's own cell or its face neighbour; NO_LAYER is an empty cell.
    layer: i32,
    // Mean of n . (p - middle of the cell), 14 fractional bits of a cell's edge.
    offset: i32,
    // Mean speed of the skin along its normal, 16 fractional bits of H a tick.
    normal_speed: i32,
}

const NO_LAYER = -1;

fn pack_cell(cell: FieldCell) -> vec4<i32> {
    return vec4<i32>(
        (cell.normal.x & 0xffff) | (cell.normal.y << 16u),
        (cell.normal.z & 0xffff) | ((cell.layer + 1) << 16u),
        cell.offset,
        cell.normal_speed,
    );
}

fn unpack_cell(packed: vec4<i32>) -> FieldCell {
    return FieldCell(
        vec3<i32>((packed.x << 16u) >> 16u, packed.x >> 16u, (packed.y << 16u) >> 16u),
        (packed.y >> 16u) - 1,
        packed.z,
        packed.w,
    );
}

fn cell_index(field_box: FieldBox, cell: vec3<i32>) -> u32 {
    let c = vec3<u32>(cell);
    return (c.z * field_box.size.y + c.y) * field_box.size.x + c.x;
}

fn inside_box(field_box: FieldBox, cell: vec3<i32>) -> bool {
    return all(cell >= vec3<i32>()) && all(cell < vec3<i32>(field_box.size));
}
