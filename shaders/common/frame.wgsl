// What every drawing pass knows of the frame. World positions reach clip space relative to the eye, so that a
// small model far from the origin keeps its precision. Depth is reversed and infinite: near 1, far 0.

struct Frame {
    clip_from_relative: mat4x4<f32>,
    // The key light's own clip space: parallel, nearest to the light at depth 1.
    key_clip_from_relative: mat4x4<f32>,
    eye: vec3<f32>,
    // World size of a pixel, a metre in front of the eye.
    pixel_per_m: f32,
    forward: vec3<f32>,
    extent_m: f32,
    center: vec3<f32>,
    ground_y: f32,
    to_key: vec3<f32>,
    key: f32,
    // What brings a direction into the environment: cosine and sine of its turn about the vertical axis.
    environment_turn: vec2<f32>,
    ambient: f32,
    xray: f32,
    // From the middle of the picture to its right and upper edge, a metre in front of the eye.
    view_right: vec3<f32>,
    // Pixels to the right of this one show folds as published.
    fold_divider_px: f32,
    view_up: vec3<f32>,
    pad3: f32,
    background_top: vec3<f32>,
    exposure: f32,
    background_bottom: vec3<f32>,
    tone_map: u32,
    interpolation: f32,
    // World size of a texel of the key light's depth picture.
    key_texel_m: f32,
    // 1 where the field's view shows arrows, plus twice the axis (1 to 3) that it is a slice across.
    field_view: u32,
    field_slice_at: f32,
    fold_min: f32,
    fold_max: f32,
    fold_wavelength_m: f32,
    fold_depth: f32,
    fold_shade: f32,
    strain_legend: f32,
    strain_count: u32,
    mode: u32,
    grid_origin: vec2<f32>,
    grid_spacing_m: f32,
    transparent: u32,
    // Share of the glow that is added.
    bloom: f32,
    // World size of a pixel of a camera without perspective; 0 for one with.
    parallel_pixel_m: f32,
    // Lights of the file that are in use.
    file_light_count: u32,
    // Share of the picture that this part of it is.
    part_weight: f32,
}

// Values of Frame.mode.
const MODE_SHADED = 0u;
const MODE_DATA = 1u;

// How far the shadow picture reaches from the character's middle, in H.
const SHADOW_RADIUS_H = 1.75;

@group(0) @binding(0) var<uniform> frame: Frame;

// Whether a pipeline draws what the key light sees, for its depth alone.
override is_cast: bool = false;

// Where a place relative to the eye is drawn.
fn drawn_at(relative: vec3<f32>) -> vec4<f32> {
    if is_cast {
        return frame.key_clip_from_relative * vec4<f32>(relative, 1.0);
    }
    return frame.clip_from_relative * vec4<f32>(relative, 1.0);
}

// v at unit length, or `fallback` where it has none. Scaled first: squares of tiny lengths vanish in f32.
fn unit_or(v: vec3<f32>, fallback: vec3<f32>) -> vec3<f32> {
    let largest = max(max(abs(v.x), abs(v.y)), abs(v.z));
    if !(largest > 1e-30) {
        return fallback;
    }
    return normalize(v / largest);
}

// Unit direction from a place relative to the eye towards the viewer.
fn towards_eye(relative: vec3<f32>) -> vec3<f32> {
    return unit_or(select(-relative, -frame.forward, frame.parallel_pixel_m > 0.0), -frame.forward);
}

// World size of a pixel at a place relative to the eye.
fn pixel_at(relative: vec3<f32>) -> f32 {
    let seen = frame.pixel_per_m * max(dot(relative, frame.forward), 0.0);
    return select(seen, frame.parallel_pixel_m, frame.parallel_pixel_m > 0.0);
}
