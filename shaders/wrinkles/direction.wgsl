// Direction of greatest compression of every field vertex, and the height of the folds across it.
//!include "common/index.wgsl"
//!include "common/fold_field.wgsl"
//!include "wrinkles/tables.wgsl"
//!include "wrinkles/ratio.wgsl"

const PI: f32 = 3.14159265359;

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> posed: array<PosedFan>;
@group(0) @binding(2) var<storage, read> deviators: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> states: array<FoldState>;
@group(0) @binding(4) var<storage, read_write> headings: array<Heading>;

// The unit vector at half the bearing of the unit vector c, with x >= 0: a line's one representative.
fn half_bearing(c: vec2<f32>) -> vec2<f32> {
    if c.x >= 0.0 {
        return normalize(vec2<f32>(1.0 + c.x, c.y));
    }
    let d = normalize(vec2<f32>(c.y, 1.0 - c.x));
    return select(d, -d, d.x < 0.0);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let fan = posed[index];
    let deviator = deviators[index];
    var d = vec2<f32>(1.0, 0.0);
    let size = length(deviator);
    if size > 0.0 {
        // The deviator points along the greatest stretch; compression is square to that.
        d = half_bearing(-deviator / size);
    }
    // A line has two directions: the one nearer to the last tick's is the same fold.
    if dot(d, states[index].direction) < 0.0 {
        d = -d;
    }
    // Amounts are those of the vertex itself: steadied ones would halve the folds.
    let along = d.x * d.x * fan.xx + 2.0 * d.x * d.y * fan.xy + d.y * d.y * fan.yy;
    let across = fan.xx + fan.yy - along;
    let compression = clamp(1.0 - ratio(along), 0.0, 1.0);
    let compression_across = clamp(1.0 - ratio(across), 0.0, 1.0);

    // A sine of this height keeps the length of what is compressed. Compressed alike all round, skin folds nowhere.
    let epsilon = min(compression, 0.5);
    let anisotropy = (compression - compression_across) / max(compression, 1e-6);
    let fade = smoothstep(wrinkles.min_compression, wrinkles.max_compression, epsilon) * smoothstep(0.1, 0.5, anisotropy);
    let amplitude = fade * wrinkles.wavelength / PI * sqrt(epsilon * (1.0 - 0.25 * epsilon));
    headings[index] = Heading(d, amplitude, compression);
}
