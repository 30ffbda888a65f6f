// Strain of a skinned mesh as first published: at every vertex the deformation gradients of its triangles (two
// edges and the normal), averaged by area; Green strain; eigenvalues by 32 sweeps of Jacobi rotations.
//!include "common/index.wgsl"
//!include "common/published_vertex.wgsl"

// Triangles of vertex v are those from starts[v] to starts[v + 1] of the list.
@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> triangles: array<u32>;
@group(0) @binding(2) var<storage, read> corners: array<u32>;
@group(0) @binding(3) var<storage, read> rest: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> published: array<PublishedVertex>;

const SWEEPS = 32u;

fn inverse3(m: mat3x3<f32>) -> mat3x3<f32> {
    let a = cross(m[1], m[2]);
    let b = cross(m[2], m[0]);
    let c = cross(m[0], m[1]);
    return transpose(mat3x3<f32>(a, b, c)) * (1.0 / dot(m[0], a));
}

fn edges(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> mat3x3<f32> {
    let normal = cross(b - a, c - a);
    return mat3x3<f32>(b - a, c - a, normal / max(length(normal), 1e-20));
}

// One rotation that makes (p, q) of a symmetric matrix vanish.
fn rotate(m: ptr<function, array<array<f32, 3>, 3>>, v: ptr<function, array<array<f32, 3>, 3>>, p: u32, q: u32) {
    let off = (*m)[p][q];
    if abs(off) < 1e-20 {
        return;
    }
    let theta = ((*m)[q][q] - (*m)[p][p]) / (2.0 * off);
    let t = select(-1.0, 1.0, theta >= 0.0) / (abs(theta) + sqrt(theta * theta + 1.0));
    let c = 1.0 / sqrt(t * t + 1.0);
    let s = t * c;
    for (var k = 0u; k < 3u; k++) {
        let a = (*m)[k][p];
        let b = (*m)[k][q];
        (*m)[k][p] = c * a - s * b;
        (*m)[k][q] = s * a + c * b;
    }
    for (var k = 0u; k < 3u; k++) {
        let a = (*m)[p][k];
        let b = (*m)[q][k];
        (*m)[p][k] = c * a - s * b;
        (*m)[q][k] = s * a + c * b;
        let e = (*v)[k][p];
        let f = (*v)[k][q];
        (*v)[k][p] = c * e - s * f;
        (*v)[k][q] = s * e + c * f;
    }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let vertex = linear_index(global_id, 64u);
    if vertex >= arrayLength(&published) {
        return;
    }
    var sum = mat3x3<f32>(vec3<f32>(), vec3<f32>(), vec3<f32>());
    var area_sum = 0.0;
    for (var k = starts[vertex]; k < starts[vertex + 1u]; k++) {
        let triangle = 3u * triangles[k];
        let a = corners[triangle];
        let b = corners[triangle + 1u];
        let c = corners[triangle + 2u];
        let edge1 = rest[b].xyz - rest[a].xyz;
        let edge2 = rest[c].xyz - rest[a].xyz;
        let area = length(cross(edge1, edge2));
        // The original divides by the area of needles too.
        if !(area > 1e-7 * max(dot(edge1, edge1), dot(edge2, edge2))) {
            continue;
        }
        let before = edges(rest[a].xyz, rest[b].xyz, rest[c].xyz);
        let now = edges(positions[a].xyz, positions[b].xyz, positions[c].xyz);
        sum += (now * inverse3(before)) * area;
        area_sum += area;
    }
    if !(area_sum > 0.0) {
        published[vertex] = PublishedVertex();
        return;
    }
    let f = sum * (1.0 / area_sum);
    let green = transpose(f) * f;
    var m: array<array<f32, 3>, 3>;
    var v: array<array<f32, 3>, 3>;
    for (var i = 0u; i < 3u; i++) {
        for (var j = 0u; j < 3u; j++) {
            let one = select(0.0, 1.0, i == j);
            m[i][j] = 0.5 * (green[j][i] - one);
            v[i][j] = one;
        }
    }
    for (var sweep = 0u; sweep < SWEEPS; sweep++) {
        rotate(&m, &v, 0u, 1u);
        rotate(&m, &v, 0u, 2u);
        rotate(&m, &v, 1u, 2u);
    }
    var largest = 0u;
    for (var k = 1u; k < 3u; k++) {
        if abs(m[k][k]) > abs(m[largest][largest]) {
            largest = k;
        }
    }
    // Its sign is arbitrary, as it was.
    let carried = f * vec3<f32>(v[0][largest], v[1][largest], v[2][largest]);
    let size = length(carried);
    let direction = select(vec3<f32>(0.0), carried / max(size, 1e-20), size > 1e-20);
    published[vertex] = PublishedVertex(direction, m[largest][largest]);
}
