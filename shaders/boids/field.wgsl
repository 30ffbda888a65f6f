// Builds the field by which the body steers the flock, mode "normals": each point of the skin adds its normal n
// to its cell and n |n_axis| to the face neighbour toward sign(n_axis). With the normal travel its weight, its
// plane's offset and its speed, so that a reader can tell how far the skin is. Everything is whole numbers: no
// order of threads, and no device, changes a bit. `boids/cells` finishes the cells.
//!include "common/index.wgsl"
//!include "common/field.wgsl"

struct FieldUniform {
    // Middle of the boundary sphere, world metres.
    center: vec3<f32>,
    // 2^20 / H.
    quanta_per_m: f32,
    // Points of the skin that take part, one in `stride`.
    point_count: u32,
    vertex_count: u32,
    // Cells along the longest side.
    resolution: u32,
    // Room round the body, in quanta.
    margin: i32,
    // Points farther than this from the middle on any axis are ignored, in quanta.
    limit: f32,
    // Bits dropped from 15-bit fractions so that no sum over all points overflows.
    shift: u32,
    // Whether `previous` holds the last tick's points.
    moving: u32,
    stride: u32,
}

@group(0) @binding(0) var<uniform> field: FieldUniform;
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> normals: array<vec4<f32>>;
// Three vertices and, in 256ths, the barycentric weights of the second and third.
@group(0) @binding(3) var<storage, read> points: array<vec4<u32>>;
// Points a tick ago in quanta; w is 1 where valid.
@group(0) @binding(4) var<storage, read_write> previous: array<vec4<i32>>;
// Least x, y, z and greatest x, y, z.
@group(0) @binding(5) var<storage, read_write> bounds: array<atomic<i32>>;
@group(0) @binding(6) var<storage, read_write> box: FieldBox;
@group(0) @binding(7) var<storage, read_write> dispatch: array<u32>;
// Six a cell: normal, offset, weight, normal speed.
@group(0) @binding(8) var<storage, read_write> sums: array<atomic<i32>>;

const LOWEST = -2147483647 - 1;
const HIGHEST = 2147483647;
// Corners of a triangle are held to 2 H of each other on each axis, so that eight-bit weights cannot overflow.
const MAX_EDGE = 2097152;
// The skin's speed counts up to a quarter of H a tick.
const MAX_STEP = 262144;

var<workgroup> group_bounds: array<atomic<i32>, 6>;

struct SkinPoint {
    position: vec3<i32>,
    valid: bool,
}

// A vertex on the lattice. What is not finite fails the comparison.
fn quantise(vertex: u32) -> SkinPoint {
    let quanta = (positions[min(vertex, field.vertex_count - 1u)].xyz - field.center) * field.quanta_per_m;
    if !all(abs(quanta) <= vec3<f32>(field.limit)) {
        return SkinPoint(vec3<i32>(), false);
    }
    return SkinPoint(vec3<i32>(round(quanta)), true);
}

fn weights(point: vec4<u32>) -> vec3<i32> {
    let second = i32(min(point.w & 0xffffu, 256u));
    let third = i32(min(point.w >> 16u, 256u));
    return vec3<i32>(256 - second - third, second, third);
}

fn skin_point(point: vec4<u32>) -> SkinPoint {
    let a = quantise(point.x);
    if point.w == 0u || !a.valid {
        return a;
    }
    let b = quantise(point.y);
    let c = quantise(point.z);
    if !b.valid || !c.valid {
        return SkinPoint(vec3<i32>(), false);
    }
    let w = weights(point);
    let ab = clamp(b.position - a.position, vec3<i32>(-MAX_EDGE), vec3<i32>(MAX_EDGE));
    let ac = clamp(c.position - a.position, vec3<i32>(-MAX_EDGE), vec3<i32>(MAX_EDGE));
    return SkinPoint(a.position + ((w.y * ab + w.z * ac) >> vec3<u32>(8u)), true);
}

// A vertex normal with 15 fractional bits.
fn quantised_normal(vertex: u32) -> vec3<i32> {
    let normal = clamp(normals[min(vertex, field.vertex_count - 1u)].xyz, vec3<f32>(-1.0), vec3<f32>(1.0));
    return vec3<i32>(round(normal * 32768.0));
}

fn skin_normal(point: vec4<u32>) -> vec3<i32> {
    let a = quantised_normal(point.x);
    if point.w == 0u {
        return a;
    }
    let w = weights(point);
    return (w.x * a + w.y * quantised_normal(point.y) + w.z * quantised_normal(point.z)) >> vec3<u32>(8u);
}

// Sixteen points an invocation, then one atomic a group: the lattice box round all points of the skin.
@compute @workgroup_size(64)
fn measure(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    if local < 6u {
        atomicStore(&group_bounds[local], select(LOWEST, HIGHEST, local < 3u));
    }
    workgroupBarrier();
    var low = vec3<i32>(HIGHEST);
    var high = vec3<i32>(LOWEST);
    for (var k = 0u; k < 16u; k++) {
        let index = linear_group(group) * 1024u + k * 64u + local;
        if index < field.point_count {
            let point = skin_point(points[index * field.stride]);
            if point.valid {
                low = min(low, point.position);
                high = max(high, point.position);
            }
        }
    }
    for (var axis = 0u; axis < 3u; axis++) {
        atomicMin(&group_bounds[axis], low[axis]);
        atomicMax(&group_bounds[axis + 3u], high[axis]);
    }
    workgroupBarrier();
    if local < 3u {
        atomicMin(&bounds[local], atomicLoad(&group_bounds[local]));
    } else if local < 6u {
        atomicMax(&bounds[local], atomicLoad(&group_bounds[local]));
    }
}

// One thread: lays cubic cells over the bounds and the margin, and leaves the bounds empty for the next tick.
@compute @workgroup_size(1)
fn prepare() {
    var low: vec3<i32>;
    var high: vec3<i32>;
    for (var axis = 0u; axis < 3u; axis++) {
        low[axis] = atomicExchange(&bounds[axis], HIGHEST);
        high[axis] = atomicExchange(&bounds[axis + 3u], LOWEST);
    }
    box.origin = vec3<i32>();
    box.cell = 1;
    box.size = vec3<u32>();
    box.cell_count = 0u;
    dispatch[0] = 0u;
    dispatch[1] = 1u;
    dispatch[2] = 1u;
    if any(low > high) {
        return;
    }
    let side = high - low + 2 * field.margin;
    let longest = max(side.x, max(side.y, side.z));
    // More than longest / resolution, so that no axis has more cells than the resolution.
    let cell = longest / i32(max(field.resolution, 1u)) + 1;
    let size = vec3<u32>(side / cell) + 1u;
    box.origin = low - field.margin;
    box.cell = cell;
    box.size = size;
    box.cell_count = size.x * size.y * size.z;
    dispatch[0] = (box.cell_count + 63u) / 64u;
}

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
    let corners = points[index * field.stride];
    let point = skin_point(corners);
    let before = previous[index];
    previous[index] = vec4<i32>(point.position, select(0, 1, point.valid));
    let cell = (point.position - box.origin) / box.cell;
    if !point.valid || !inside_box(box, cell) {
        return;
    }
    let normal = skin_normal(corners);
    var normal_speed = 0;
    if field.moving != 0u && before.w == 1 {
        let step = clamp(point.position - before.xyz, vec3<i32>(-MAX_STEP), vec3<i32>(MAX_STEP));
        normal_speed = dot3(normal, step >> vec3<u32>(4u)) >> 15u;
    }
    // From the middle of the cell, ten fractional bits of its edge.
    let from_middle = ((point.position - (box.origin + cell * box.cell + box.cell / 2)) << vec3<u32>(10u)) / box.cell;
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
