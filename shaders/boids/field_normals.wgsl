// Fills the field, mode "normals": each point of the skin adds its normal n to its cell and n |n_axis| to the face
// neighbour toward sign(n_axis). With the normal travel its weight, its plane's offset and its speed, so that a
// reader can tell how far the skin is. Then sums become means, and the cells that the skin did not reach take the
// mean of their neighbours, a layer a pass. Whole numbers, as in `boids/field`.
//!include "common/index.wgsl"
//!include "common/field.wgsl"
//!include "common/field_build.wgsl"

@group(0) @binding(0) var<uniform> field: FieldUniform;
@group(0) @binding(1) var<storage, read> places: array<SkinPlace>;
@group(0) @binding(2) var<storage, read> box: FieldBox;
// Six a cell: normal, offset of its plane, weight, normal speed.
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<i32>>;
// Layer of every cell before a pass, and after it.
@group(0) @binding(4) var<storage, read> layers: array<i32>;
@group(0) @binding(5) var<storage, read_write> next_layers: array<i32>;
@group(0) @binding(6) var<storage, read_write> cells: array<vec4<i32>>;

// Layer of an empty cell.
const NO_LAYER = -1;

fn scaled(value: i32) -> i32 {
    return (value + ((1 << field.shift) >> 1u)) >> field.shift;
}

fn add(cell: vec3<i32>, normal: vec3<i32>, offset: i32, weight: i32, normal_speed: i32) {
    let base = cell_index(box, cell) * 6u;
    atomicAdd(&sums[base], scaled(normal.x));
    atomicAdd(&sums[base + 1u], scaled(normal.y));
    atomicAdd(&sums[base + 2u], scaled(normal.z));
    atomicAdd(&sums[base + 3u], scaled(offset));
    atomicAdd(&sums[base + 4u], scaled(weight));
    if normal_speed != 0 {
        atomicAdd(&sums[base + 5u], scaled(normal_speed));
    }
}

fn dot3(a: vec3<i32>, b: vec3<i32>) -> i32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

@compute @workgroup_size(64)
fn splat(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= field.point_count {
        return;
    }
    let place = places[index];
    let cell = cell_of(box, place.position);
    if place.valid == 0 || !inside_box(box, cell) {
        return;
    }
    let normal = place.normal;
    let normal_speed = dot3(normal, place.step >> vec3<u32>(4u)) >> 15u;
    // From the middle of the cell, ten fractional bits of its edge.
    let from_middle = ((place.position - (box.origin + cell * box.cell + box.cell / 2)) << vec3<u32>(10u)) / box.cell;
    add(cell, normal, dot3(normal, from_middle) >> 11u, 32768, normal_speed);
    for (var axis = 0u; axis < 3u; axis++) {
        let weight = abs(normal[axis]);
        var step = vec3<i32>();
        step[axis] = sign(normal[axis]);
        let neighbour = cell + step;
        if weight > 0 && inside_box(box, neighbour) {
            let offset = dot3(normal, from_middle - 1024 * step) >> 11u;
            add(
                neighbour,
                (normal * weight) >> vec3<u32>(15u),
                (offset * weight) >> 15u,
                weight,
                (normal_speed * weight) >> 15u,
            );
        }
    }
}

// Divides the sums by their weight, so that dense vertices push no harder than sparse ones, and leaves them
// zero for the next tick.
@compute @workgroup_size(64)
fn average(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= box.cell_count {
        return;
    }
    let base = index * 6u;
    let total = atomicLoad(&sums[base + 4u]);
    if total <= 0 {
        next_layers[index] = NO_LAYER;
        cells[index] = vec4<i32>(0, 0, 0, EMPTY_CELL);
        return;
    }
    var mean: array<i32, 6>;
    // Drops the bits that a 15-bit division has no room for.
    let excess = u32(max(17 - i32(countLeadingZeros(total)), 0));
    let weight = total >> excess;
    for (var k = 0u; k < 6u; k++) {
        mean[k] = atomicExchange(&sums[base + k], 0) >> excess;
    }
    let mean_normal = vec3<i32>(mean[0], mean[1], mean[2]) * CELL_ONE / weight;
    let normal = clamp(mean_normal, vec3<i32>(-CELL_ONE), vec3<i32>(CELL_ONE));
    // 16 fractional bits, and one more along the normal.
    let normal_speed = mean[5] * 32768 / weight;
    next_layers[index] = 0;
    cells[index] = pack_cell(FieldCell(normal, (normal * normal_speed) >> vec3<u32>(13u), -mean[3] * 32768 / weight, true));
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
    let cell = cell_at(box, index);
    var normal = vec3<i32>();
    var velocity = vec3<i32>();
    var distance = 0;
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
        velocity += other.velocity;
        distance += other.distance - direction * other.normal[axis];
        count++;
    }
    if count > 0 {
        cells[index] = pack_cell(FieldCell(normal / count, velocity / count, distance / count, false));
        next_layers[index] = 1;
    }
}
