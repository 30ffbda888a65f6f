// Direction of greatest compression of every field vertex, how much there is of it, and where it points now.
//!include "common/index.wgsl"
//!include "common/finite.wgsl"
//!include "wrinkles/tables.wgsl"
//!include "common/strain_vertex.wgsl"

const TAU: f32 = 6.28318530718;

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field: array<FieldVertex>;
@group(0) @binding(2) var<storage, read> spokes: array<SpokeGpu>;
@group(0) @binding(3) var<storage, read> posed: array<PosedFan>;
@group(0) @binding(4) var<storage, read> normals: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> field_strain: array<StrainVertex>;

// The unit vector at half the bearing of the unit vector c, with x >= 0: a line's one representative.
fn half_bearing(c: vec2<f32>) -> vec2<f32> {
    if c.x >= 0.0 {
        return normalize(vec2<f32>(1.0 + c.x, c.y));
    }
    let d = normalize(vec2<f32>(c.y, 1.0 - c.x));
    return select(d, -d, d.x < 0.0);
}

// Length now by length at rest for a diagonal entry of E.
fn ratio(e: f32) -> f32 {
    return sqrt(max(1.0 + 2.0 * e, 0.0));
}

// A vector made square to the unit vector n and unit; zero when nothing is left of it.
fn tangent(v: vec3<f32>, n: vec3<f32>) -> vec3<f32> {
    let flat = v - n * dot(n, v);
    let squared = dot(flat, flat);
    if !is_finite(squared) || squared <= 1e-12 * dot(v, v) || squared < 1e-30 {
        return vec3<f32>(0.0);
    }
    return flat * inverseSqrt(squared);
}

// A knot's own place in the lattice of waves: a hash (PCG3D, Jarzynski and Olano 2020) of its cell, in [0, 1).
fn knot_shift(cell: vec3<i32>) -> vec3<f32> {
    var v = bitcast<vec3<u32>>(cell) * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> vec3<u32>(16u);
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    return vec3<f32>(v >> vec3<u32>(8u)) / 16777216.0;
}

// Knots scattered through rest space, two and a half wavelengths apart, each send the plane wave of this
// vertex's direction with a crest at the knot; the vertex sums its eight (phasor noise, after Tricard et al.
// 2019). So the phase hangs on near places only, never on the distance from an origin: folds keep their
// wavelength where the direction turns and stand still on the body while it bends. Turning the direction
// round conjugates the sum.
fn wave(place: vec3<f32>, direction: vec3<f32>) -> vec2<f32> {
    let spacing = 2.5 * TAU / wrinkles.wave_number;
    let scaled = place / spacing;
    let cell = floor(scaled);
    let inside = scaled - cell;
    let near = inside * inside * (3.0 - 2.0 * inside);
    var sum = vec2<f32>(0.0);
    for (var k = 0u; k < 8u; k++) {
        let corner = vec3<u32>(k & 1u, (k >> 1u) & 1u, k >> 2u);
        let shares = select(1.0 - near, near, corner == vec3<u32>(1u));
        let knot = vec3<f32>(corner) + knot_shift(vec3<i32>(cell) + vec3<i32>(corner)) - 0.5;
        let phase = 2.5 * TAU * dot(direction, inside - knot);
        sum += shares.x * shares.y * shares.z * vec2<f32>(cos(phase), sin(phase));
    }
    return sum;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let vertex = field[index];
    let fan = posed[index];
    // The neighbours' axes, brought here by parallel transport, steady the direction; amounts stay unsmoothed.
    var smoothed = fan.deviator;
    for (var k = 0u; k < vertex.spoke_count; k++) {
        let at = vertex.first_spoke + k;
        let q = posed[spokes[at].field].deviator;
        let turn = vec2<f32>(spokes[at].transport[0], spokes[at].transport[1]);
        smoothed += vec2<f32>(turn.x * q.x - turn.y * q.y, turn.y * q.x + turn.x * q.y);
    }
    var d = vec2<f32>(1.0, 0.0);
    let size = length(smoothed);
    if size > 0.0 {
        // The deviator points along the greatest stretch; compression is square to that.
        d = half_bearing(-smoothed / size);
    }
    let along = d.x * d.x * fan.xx + 2.0 * d.x * d.y * fan.xy + d.y * d.y * fan.yy;
    let across = fan.xx + fan.yy - along;
    let compression = clamp(1.0 - ratio(along), 0.0, 1.0);
    let compression_across = clamp(1.0 - ratio(across), 0.0, 1.0);
    let greatest = 0.5 * (fan.xx + fan.yy) + 0.5 * length(vec2<f32>(fan.xx - fan.yy, 2.0 * fan.xy));

    let rest_direction = normalize(d.x * vertex.axis_x + d.y * vertex.axis_y);
    let image = d.x * fan.image_x + d.y * fan.image_y;
    let n = normals[vertex.surface].xyz;
    var direction = tangent(image, n);
    if dot(direction, direction) == 0.0 {
        direction = tangent(rest_direction, n);
    }
    if dot(direction, direction) == 0.0 {
        direction = rest_direction;
    }

    let phasor = wave(vertex.place, rest_direction);
    let coherence = length(phasor);
    let anisotropy = (compression - compression_across) / max(compression, 1e-6);

    var out: StrainVertex;
    out.rest_direction = rest_direction;
    out.compression = compression;
    out.direction = direction;
    out.stretch = max(ratio(greatest) - 1.0, 0.0);
    out.wave = select(vec2<f32>(1.0, 0.0), phasor / max(coherence, 1e-6), coherence > 1e-6);
    // Folds fade where waves of different knots cancel, and where no direction is compressed most.
    out.strength = smoothstep(0.1, 0.5, anisotropy) * smoothstep(0.0, 0.3, coherence);
    out.pad0 = 0.0;
    field_strain[index] = out;
}
