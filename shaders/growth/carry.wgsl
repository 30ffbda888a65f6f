// How the posed skin carries the neighbourhood of each attractor: by chords from skin to skin, as `ties.rs` says.
//!include "common/index.wgsl"
//!include "common/growth_pose.wgsl"

struct GrowthAnchor {
    // Lattice position that the chords place.
    origin: vec3<f32>,
    pad0: u32,
    // Metres a lattice unit along the normal of the first chord's first triangle.
    normal: vec3<f32>,
    pad1: u32,
    shares0: vec4<f32>,
    shares1: vec4<f32>,
}

@group(0) @binding(0) var<uniform> pose: GrowthPose;
@group(0) @binding(1) var<storage, read> anchors: array<GrowthAnchor>;
// Triangle and weights of both ends of each chord, and its pull on the map of the neighbourhood and where along it
// the anchor lies.
@group(0) @binding(2) var<storage, read> chord_ends: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> chord_pulls: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> indices: array<u32>;
@group(0) @binding(5) var<storage, read> positions: array<vec4<f32>>;
// Rows of the maps from the lattice into the posed world.
@group(0) @binding(6) var<storage, read_write> carried: array<vec4<f32>>;

const CHORDS = 8u;
const NO_CHORD = 0xffffffffu;

fn corner(at: u32) -> vec3<f32> {
    let vertex = indices[min(at, arrayLength(&indices) - 1u)];
    return positions[min(vertex, arrayLength(&positions) - 1u)].xyz;
}

fn on_skin(triangle: u32, packed: u32) -> vec3<f32> {
    let weights = unpack2x16unorm(packed);
    let a = corner(3u * triangle);
    return a + (corner(3u * triangle + 1u) - a) * weights.x + (corner(3u * triangle + 2u) - a) * weights.y;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let attractor = linear_index(global_id, 64u);
    if attractor >= pose.attractor_count {
        return;
    }
    let anchor = anchors[attractor];
    var place = vec3<f32>(0.0);
    var map = mat3x3<f32>();
    var shares = 0.0;
    for (var k = 0u; k < CHORDS; k++) {
        let ends = chord_ends[CHORDS * attractor + k];
        if ends.x == NO_CHORD {
            break;
        }
        let pull = chord_pulls[CHORDS * attractor + k];
        let share = select(anchor.shares1[k & 3u], anchor.shares0[k & 3u], k < 4u);
        let first = on_skin(ends.x, ends.y);
        let along = on_skin(ends.z, ends.w) - first;
        place += (first + along * pull.w) * share;
        shares += share;
        map += mat3x3<f32>(along * pull.x, along * pull.y, along * pull.z);
    }
    if any(anchor.normal != vec3<f32>(0.0)) {
        let triangle = 3u * chord_ends[CHORDS * attractor].x;
        let a = corner(triangle);
        let normal = cross(corner(triangle + 1u) - a, corner(triangle + 2u) - a);
        let length_squared = dot(normal, normal);
        if length_squared > 0.0 {
            let up = normal * inverseSqrt(length_squared);
            map += mat3x3<f32>(up * anchor.normal.x, up * anchor.normal.y, up * anchor.normal.z);
        }
    }
    if shares == 0.0 {
        // Nothing carries it.
        map = mat3x3<f32>(
            vec3<f32>(pose.lattice_unit, 0.0, 0.0),
            vec3<f32>(0.0, pose.lattice_unit, 0.0),
            vec3<f32>(0.0, 0.0, pose.lattice_unit),
        );
        place = pose.lattice_origin + map * anchor.origin;
        shares = 1.0;
    }
    let offset = place / shares - map * anchor.origin;
    let rows = transpose(map);
    carried[3u * attractor] = vec4<f32>(rows[0], offset.x);
    carried[3u * attractor + 1u] = vec4<f32>(rows[1], offset.y);
    carried[3u * attractor + 2u] = vec4<f32>(rows[2], offset.z);
}
