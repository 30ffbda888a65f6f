// The file's own lights, as KHR_lights_punctual has them: parallel, from a point, in a cone. Needs
// common/frame.wgsl and common/light.wgsl.

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

@group(0) @binding(15) var<uniform> file_lights: array<FileLight, MAX_FILE_LIGHTS>;

// Whether the file's lights shine.
override has_file_lights: bool = false;

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

// What rough, soft things scatter of all of them: Lambert's law, wrapped round the edge by a share.
fn file_light_scattered(relative: vec3<f32>, normal: vec3<f32>, wrap: f32) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    if has_file_lights {
        for (var i = 0u; i < min(frame.file_light_count, MAX_FILE_LIGHTS); i++) {
            let source = arriving_from(file_lights[i], relative);
            sum += source.light * (max((dot(normal, source.to_light) + wrap) / (1.0 + wrap), 0.0) / PI);
        }
    }
    // Half floats hold the picture.
    return min(sum, vec3<f32>(6e4));
}
