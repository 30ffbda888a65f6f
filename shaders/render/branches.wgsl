// Branches: one tapered capsule an instance, from the parent's node to its own. A capsule is drawn as its
// outline, a flat shape that faces the eye, and shaded as round: a handful of triangles with a smooth edge and
// exact normals, where a tube of as many triangles would show its corners.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/file_lights.wgsl"
//!include "common/key_shadow.wgsl"

struct Varying {
    @builtin(position) clip: vec4<f32>,
    // From the axis outwards, in radii: to the side and along the axis as seen.
    @location(0) across: vec2<f32>,
    @location(1) color: vec3<f32>,
    @location(2) glow: f32,
    @location(3) @interpolate(flat, either) side: vec3<f32>,
    @location(4) @interpolate(flat, either) along: vec3<f32>,
    @location(5) @interpolate(flat, either) front: vec3<f32>,
    @location(6) @interpolate(flat, either) to_eye: vec3<f32>,
    // On the axis, from the eye.
    @location(7) relative: vec3<f32>,
    // How much of its width in the picture it really has; 1 where it is no thinner than a pixel.
    @location(8) share: f32,
}

// Which branches are drawn: all, those nowhere thinner than a pixel, or the others.
override only_thick: bool = false;
override only_thin: bool = false;

// Thinner than this many pixels a branch would fall between samples: it is drawn so wide, and fainter instead.
const MIN_RADIUS_PIXELS = 0.55;

// A direction square on a unit vector, and sound for every one (Duff et al. 2017, Building an Orthonormal
// Basis, Revisited).
fn square_on(axis: vec3<f32>) -> vec3<f32> {
    let s = select(-1.0, 1.0, axis.z >= 0.0);
    let a = -1.0 / (s + axis.z);
    return vec3<f32>(1.0 + s * axis.x * axis.x * a, s * axis.x * axis.y * a, -s * axis.x);
}

// `outline`: a point of the unit circle (to the side and along), and the end it belongs to (0 or 1).
// `start` and `end`: centre relative to the eye, and radius; colours carry the glow in their last part.
@vertex
fn capsule(
    @location(0) outline: vec3<f32>,
    @location(1) start: vec4<f32>,
    @location(2) end: vec4<f32>,
    @location(3) start_color: vec4<f32>,
    @location(4) end_color: vec4<f32>,
) -> Varying {
    var to_eye = towards_eye(0.5 * (start.xyz + end.xyz));
    if is_cast {
        to_eye = frame.to_key;
    }
    let edge = end.xyz - start.xyz;
    // The edge as seen: none when it points at the eye, and then the capsule is the disc of its end.
    let seen = edge - to_eye * dot(edge, to_eye);
    let along = unit_or(seen, square_on(to_eye));
    let side = cross(along, to_eye);
    let length_m = dot(seen, along);

    let middle = mix(start.xyz, end.xyz, outline.z);
    // What has been erased at both ends is a line without width, of which nothing is drawn.
    var least_pixels: f32 = MIN_RADIUS_PIXELS;
    if start.w <= 0.0 && end.w <= 0.0 {
        least_pixels = 0.0;
    }
    let thinnest0 = least_pixels * select(pixel_at(start.xyz), frame.key_texel_m, is_cast);
    let thinnest1 = least_pixels * select(pixel_at(end.xyz), frame.key_texel_m, is_cast);
    let is_thin = start.w < thinnest0 || end.w < thinnest1;
    let radius0 = max(start.w, thinnest0);
    let radius1 = max(end.w, thinnest1);
    let radius = mix(radius0, radius1, outline.z);

    // The common tangents of two circles touch each where it leans towards the smaller one.
    let lean = clamp((radius0 - radius1) / max(length_m, 1e-30), -1.0, 1.0);
    let up = clamp(outline.y + (1.0 - abs(outline.y)) * lean, -1.0, 1.0);
    let across = vec2<f32>(sign(outline.x) * sqrt(max(1.0 - up * up, 0.0)), up);

    // Brought forward to where the round capsule is nearest, so that thick branches hide what starts in them. The round
    // ends fall back to the axis, so that they show outside of the bends of joints alone and not on their neighbours.
    let relative = middle + radius * (side * across.x + along * across.y + to_eye * abs(outline.x));
    let color = mix(start_color, end_color, outline.z);
    var out: Varying;
    out.clip = drawn_at(relative);
    out.relative = middle;
    // The lean belongs to the outline; the sides of the tube are round.
    out.across = vec2<f32>(across.x, outline.y);
    out.color = color.rgb;
    out.glow = color.a;
    out.side = side;
    out.along = along;
    // What faces the eye: square on the edge, but straight at the eye where the edge is seen end on.
    let axis = unit_or(edge, along);
    let square = to_eye - axis * dot(to_eye, axis);
    out.front = unit_or(mix(to_eye, unit_or(square, to_eye), dot(axis, along)), to_eye);
    out.to_eye = to_eye;
    if (only_thick && is_thin) || (only_thin && !is_thin) {
        // Outside of every picture.
        out.clip = vec4<f32>(0.0, 0.0, -1.0, 1.0);
    }
    out.share = clamp(mix(start.w, end.w, outline.z) / max(radius, 1e-30), 0.0, 1.0);
    return out;
}

@fragment
fn shade(in: Varying) -> @location(0) vec4<f32> {
    let facing = sqrt(max(1.0 - dot(in.across, in.across), 0.0));
    // The tube is round about its axis, the ends are round about all.
    let front = mix(in.front, in.to_eye, abs(in.across.y));
    let normal = unit_or(in.side * in.across.x + in.along * in.across.y + front * facing, in.to_eye);
    // Bark scatters light: wrapped Lambert from the key, the environment's irradiance, a soft edge light.
    let wrapped = max((dot(normal, frame.to_key) + 0.3) / 1.3, 0.0);
    let edge = 1.0 - facing;
    // Within a body of glass, the body hides nothing; alone, branches hide each other.
    let lit = key_arrives(in.relative, normal, 1.0);
    let arriving = frame.key / PI * wrapped * lit * KEY + frame.ambient * environment_irradiance(normal)
        + file_light_scattered(in.relative, normal, 0.3);
    // What glows is deeper in colour than what is lit. Old wood keeps an ember, more where the body is glass.
    let ember = in.glow + 0.15 + 0.5 * frame.xray;
    let light = in.color * (0.75 * arriving + 0.3 * frame.ambient * edge * edge + in.color * ember);
    return vec4<f32>(light, 1.0) * select(1.0, in.share, only_thin);
}
