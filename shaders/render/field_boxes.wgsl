// The vector field as data: a box or an arrow in every cell that has a vector, coloured by it; of all cells or of a
// slice. All are one list of vertices, of each box the three faces that the eye can see, of each arrow six sides.
//!include "common/frame.wgsl"
//!include "common/field.wgsl"
//!include "common/srgb.wgsl"

@group(0) @binding(1) var<storage, read> field_box: FieldBox;
@group(0) @binding(2) var<storage, read> cells: array<vec4<i32>>;

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(flat, either) color: vec3<f32>,
}

// Three faces of two triangles; CORNERS in Rust.
const CORNERS = 18u;
// Half the edge of a box at the skin, where all normals agree, in edges of a cell.
const HALF_EDGE = 0.3;

// A corner of a face, from -1 to 1 along its axes.
fn face_corner(index: u32) -> vec2<f32> {
    switch index {
        case 0u, 3u: { return vec2<f32>(-1.0, -1.0); }
        case 1u: { return vec2<f32>(1.0, -1.0); }
        case 2u, 4u: { return vec2<f32>(1.0, 1.0); }
        default: { return vec2<f32>(-1.0, 1.0); }
    }
}

// A corner of a cone of six sides along a unit direction, one long: six triangles without a base.
fn cone_corner(index: u32, direction: vec3<f32>) -> vec3<f32> {
    let side = unit_or(cross(direction, select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(direction.y) > 0.9)), vec3<f32>(0.0, 0.0, 1.0));
    let up = cross(side, direction);
    if index % 3u == 0u {
        return 0.5 * direction;
    }
    let turn = (f32(index / 3u) + f32(index % 3u) - 1.0) * (3.14159265 / 3.0);
    return -0.5 * direction + 0.22 * (cos(turn) * side + sin(turn) * up);
}

// Whether a cell belongs to what is shown.
fn is_shown(place: vec3<u32>, size: vec3<u32>) -> bool {
    let across = frame.field_view / 2u;
    if across == 0u {
        return true;
    }
    let axis = min(across, 3u) - 1u;
    return place[axis] == min(u32(frame.field_slice_at * f32(size[axis])), size[axis] - 1u);
}

@vertex
fn corner(@builtin(vertex_index) index: u32) -> Varying {
    var out: Varying;
    let number = index / CORNERS;
    if number >= min(field_box.cell_count, arrayLength(&cells)) {
        return out;
    }
    let packed = cells[number];
    if packed.w == EMPTY_CELL {
        return out;
    }
    let cell = unpack_cell(packed);
    let size = max(field_box.size, vec3<u32>(1u));
    let place = vec3<u32>(number % size.x, number / size.x % size.y, number / (size.x * size.y));
    if !is_shown(place, size) {
        return out;
    }
    let quantum_m = frame.extent_m / QUANTA;
    let edge_m = f32(field_box.cell) * quantum_m;
    let middle = frame.center - frame.eye + vec3<f32>(field_box.origin) * quantum_m
        + (vec3<f32>(place) + 0.5) * edge_m;
    let vector = vec3<f32>(cell.normal) / f32(CELL_ONE);

    let seen = towards_eye(middle);
    let axis = index % CORNERS / 6u;
    let across = face_corner(index % 6u);
    var at = vec3<f32>(sign(seen[axis] + 1e-9), across);
    if axis == 1u {
        at = at.zxy;
    } else if axis == 2u {
        at = at.yzx;
    }
    // Smaller the farther the skin is, in cells.
    let far = abs(f32(cell.distance)) / f32(CELL_ONE);
    let half_m = HALF_EDGE * edge_m * clamp(length(vector) / max(far, 1.0), 0.15, 1.0);
    var offset = at * half_m;
    var shade_of = axis;
    if (frame.field_view & 1u) != 0u {
        offset = cone_corner(index % CORNERS, unit_or(vector, vec3<f32>(0.0, 1.0, 0.0))) * (3.0 * half_m);
        shade_of = index % CORNERS / 3u % 3u;
    }
    out.clip = drawn_at(middle + offset);
    // The faces are told apart by a shade.
    out.color = decode_srgb(0.5 + 0.5 * clamp(vector, vec3<f32>(-1.0), vec3<f32>(1.0))) * (1.0 - 0.15 * f32(shade_of));
    return out;
}

@fragment
fn show(in: Varying) -> @location(0) vec4<f32> {
    return vec4<f32>(in.color, 1.0);
}
