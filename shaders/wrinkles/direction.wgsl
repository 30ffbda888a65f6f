// The direction that folds lie across at every field vertex, that of greatest compression followed over some ticks;
// their height; and the compression of the moment.
//!include "common/index.wgsl"
//!include "common/fold_field.wgsl"
//!include "wrinkles/tables.wgsl"
//!include "wrinkles/ratio.wgsl"

const PI: f32 = 3.14159265359;
// Part of the way to the present strain that the folds' axis goes in a tick: a quarter of a second behind.
const FOLLOWING = 0.07;
// Sums of some fifty tensors are held to this, lest an instant's wild stretch be remembered for seconds.
const GREATEST_DEVIATOR = 10.0;

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

// Unit vector along the greatest compression of a deviator, which points along the greatest stretch, square to it.
fn axis_of(deviator: vec2<f32>, otherwise: vec2<f32>) -> vec2<f32> {
    let size = length(deviator);
    if size > 0.0 {
        return half_bearing(-deviator / size);
    }
    return otherwise;
}

// Green strain along a unit vector.
fn strain_along(fan: PosedFan, d: vec2<f32>) -> f32 {
    return d.x * d.x * fan.xx + 2.0 * d.x * d.y * fan.xy + d.y * d.y * fan.yy;
}

// Part of the length at rest that is gone, for a diagonal entry of Green's strain.
fn shortening_of(e: f32) -> f32 {
    return clamp(1.0 - ratio(e), 0.0, 1.0);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.field_count {
        return;
    }
    let fan = posed[index];
    let last = states[index];
    // Where direction is zero nothing is remembered yet.
    let starts = dot(last.direction, last.direction) == 0.0;
    let size = length(deviators[index]);
    let now = deviators[index] * min(1.0, GREATEST_DEVIATOR / max(size, 1e-30));
    // Folds outlast a moment's strain. A deviator passes through zero where its axis turns by a right angle, so that
    // the old folds fade and the new ones grow in their place.
    let followed = mix(last.deviator, now, select(FOLLOWING, 1.0, starts));

    var d = axis_of(followed, select(last.direction, vec2<f32>(1.0, 0.0), starts));
    // A line has two directions: the one nearer to the last tick's is the same fold.
    if dot(d, last.direction) < 0.0 {
        d = -d;
    }
    // Amounts are those of the vertex itself: steadied ones would halve the folds.
    let along = strain_along(fan, d);
    let shortening = shortening_of(along);
    let shortening_across = shortening_of(fan.xx + fan.yy - along);

    // A sine of this height keeps the length of what is compressed. Compressed alike all round, skin folds nowhere.
    let epsilon = min(shortening, 0.5);
    let anisotropy = (shortening - shortening_across) / max(shortening, 1e-6);
    let fade = smoothstep(wrinkles.min_compression, wrinkles.max_compression, epsilon) * smoothstep(0.1, 0.5, anisotropy);
    let amplitude = fade * wrinkles.wavelength / PI * sqrt(epsilon * (1.0 - 0.25 * epsilon));
    // What is measured is that of the moment, whatever the folds remember.
    let compression = shortening_of(strain_along(fan, axis_of(now, d)));
    headings[index] = Heading(d, followed, amplitude, compression);
}
