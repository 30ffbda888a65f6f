// The first half of building the field by which the body steers the flock: poses the points of the skin and lays
// cells round them. Everything is whole numbers: no order of threads, and no device, changes a bit.
// `boids/field_surface` or `boids/field_normals` fills the cells.
//!include "common/index.wgsl"
//!include "common/field.wgsl"
//!include "common/field_build.wgsl"

@group(0) @binding(0) var<uniform> field: FieldUniform;
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> normals: array<vec4<f32>>;
// Three vertices and, in 256ths, the barycentric weights of the second and third.
@group(0) @binding(3) var<storage, read> points: array<vec4<u32>>;
// As posed a tick ago, then now.
@group(0) @binding(4) var<storage, read_write> places: array<SkinPlace>;
// Least x, y, z and greatest x, y, z.
@group(0) @binding(5) var<storage, read_write> bounds: array<atomic<i32>>;
@group(0) @binding(6) var<storage, read_write> box: FieldBox;
@group(0) @binding(7) var<storage, read_write> dispatch: array<u32>;

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

// Poses sixteen points an invocation, then one atomic a group: the lattice box round all points of the skin.
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
            let corners = points[index * field.stride];
            let point = skin_point(corners);
            let before = places[index];
            var place = SkinPlace(point.position, 0, vec3<i32>(), 0u, vec3<i32>(), 0u);
            if point.valid {
                low = min(low, point.position);
                high = max(high, point.position);
                place.valid = 1;
                place.normal = skin_normal(corners);
                if field.moving != 0u && before.valid == 1 {
                    place.step = clamp(point.position - before.position, vec3<i32>(-MAX_STEP), vec3<i32>(MAX_STEP));
                }
            }
            places[index] = place;
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

// One thread: lays cubic cells over the bounds and the margin, or where they were asked for, and leaves the bounds empty for the next tick.
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
    if field.fixed_cell > 0 {
        box.origin = field.fixed_origin;
        box.cell = field.fixed_cell;
        box.size = vec3<u32>(field.resolution);
        box.cell_count = field.resolution * field.resolution * field.resolution;
        dispatch[0] = (box.cell_count + 63u) / 64u;
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
