// Finishes the field's cells: sums become means, and the cells that the skin did not reach take the mean of their
// neighbours, a layer a pass. Whole numbers, as in `boids/field`.
//!include "common/index.wgsl"
//!include "common/field.wgsl"

// Which layer a pass fills, from 1.
struct FieldLayer {
    layer: i32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

@group(0) @binding(0) var<uniform> filling: FieldLayer;
@group(0) @binding(1) var<storage, read> box: FieldBox;
// Six a cell: normal, offset, weight, normal speed.
@group(0) @binding(2) var<storage, read_write> sums: array<i32>;
// Layer of every cell before this pass, and after it.
@group(0) @binding(3) var<storage, read> layers: array<i32>;
@group(0) @binding(4) var<storage, read_write> next_layers: array<i32>;
@group(0) @binding(5) var<storage, read_write> cells: array<vec4<i32>>;

// Divides the sums by their weight, so that dense vertices push no harder than sparse ones, and leaves them
// zero for the next tick.
@compute @workgroup_size(64)
fn average(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= box.cell_count {
        return;
    }
    let base = index * 6u;
    let total = sums[base + 4u];
    if total <= 0 {
        next_layers[index] = NO_LAYER;
        cells[index] = vec4<i32>();
        return;
    }
    var mean: array<i32, 6>;
    // Drops the bits that a 15-bit division has no room for.
    let excess = u32(max(17 - i32(countLeadingZeros(total)), 0));
    let weight = total >> excess;
    for (var k = 0u; k < 6u; k++) {
        mean[k] = sums[base + k] >> excess;
        sums[base + k] = 0;
    }
    let normal = vec3<i32>(mean[0], mean[1], mean[2]) * CELL_ONE / weight;
    next_layers[index] = 0;
    cells[index] = pack_cell(FieldCell(
        clamp(normal, vec3<i32>(-CELL_ONE), vec3<i32>(CELL_ONE)),
        0,
        mean[3] * 32768 / weight,
        mean[5] * 32768 / weight,
    ));
}

// Fills the empty cells beside filled ones with their mean, each plane carried over to the new cell. Only cells
// that were filled before this pass are read, so that it does not matter who is first.
@compute @workgroup_size(64)
fn dilate(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= box.cell_count {
        return;
    }
    let before = layers[index];
    next_layers[index] = before;
    if before != NO_LAYER {
        return;
    }
    let row = index / box.size.x;
    let cell = vec3<i32>(vec3<u32>(index % box.size.x, row % box.size.y, row / box.size.y));
    var normal = vec3<i32>();
    var offset = 0;
    var normal_speed = 0;
    var count = 0;
    for (var side = 0u; side < 6u; side++) {
        let axis = side >> 1u;
        let direction = i32(side & 1u) * 2 - 1;
        var neighbour = cell;
        neighbour[axis] += direction;
        if !inside_box(box, neighbour) {
            continue;
        }
        let at = cell_index(box, neighbour);
        if layers[at] == NO_LAYER {
            continue;
        }
        let other = unpack_cell(cells[at]);
        normal += other.normal;
        offset += other.offset + direction * other.normal[axis];
        normal_speed += other.normal_speed;
        count++;
    }
    if count > 0 {
        cells[index] = pack_cell(FieldCell(normal / count, filling.layer, offset / count, normal_speed / count));
        next_layers[index] = filling.layer;
    }
}
