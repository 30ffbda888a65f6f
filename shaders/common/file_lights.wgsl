// The file's own lights, as KHR_lights_punctual has them: parallel, from a point, in a cone. Needs
// common/frame.wgsl.

struct FileLight {
    // Relative to the eye; unread for parallel light.
    position: vec3<f32>,
    // One over the distance at which it is dark; 0 where it has no end.
    inverse_range: f32,
    // Unit direction it shines in.
    direction: vec3<f32>,
    // Slope of the cone's edge over the cosine from its axis, and its value at cosine 0.
    cone_scale: f32,
    // Linear colour times candela, or lux where parallel.
    light: vec3<f32>,
    cone_offset: f32,
    is_parallel: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

const MAX_FILE_LIGHTS = 8u;
// No light stands nearer than this, in H.
const LEAST_LIGHT_DISTANCE_H = 1e-3;

struct Arriving {
    to_light: vec3<f32>,
    light: vec3<f32>,
}

// What of a light arrives at a place relative to the eye, on a surface that faces it.
fn arriving_from(source: FileLight, relative: vec3<f32>) -> Arriving {
    if source.is_parallel != 0u {
        return Arriving(-source.direction, source.light);
    }
    let away = source.position - relative;
    let to_light = unit_or(away, -source.direction);
    let distance = max(length(away), LEAST_LIGHT_DISTANCE_H * frame.extent_m);
    let share = distance * source.inverse_range;
    let share2 = share * share;
    let reach = clamp(1.0 - share2 * share2, 0.0, 1.0);
    let edge = clamp(dot(source.direction, -to_light) * source.cone_scale + source.cone_offset, 0.0, 1.0);
    return Arriving(to_light, source.light * (reach * edge * edge / (distance * distance)));
}
