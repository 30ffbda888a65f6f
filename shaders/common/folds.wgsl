// Folds on compressed skin: heights, slopes and the darkness of valleys. Lengths are fractions of H.
// Needs common/frame.wgsl.

const FOLD_PI = 3.14159265;

// What a triangle's fragments need of its folds; all zero where it has none.
struct FoldTriangle {
    // First corner, world metres.
    origin: vec3<f32>,
    // Height of the folds at the first corner.
    amplitude0: f32,
    // Gradients of the second and third corner's barycentric weight over the posed triangle, 1/H.
    weight1: vec3<f32>,
    amplitude1: f32,
    weight2: vec3<f32>,
    amplitude2: f32,
    // Corner n holds the complex wave re[n] + i im_n, at most 1 long, whose phase grows by next[n] and last[n]
    // towards the corners after it and before it.
    re: vec3<f32>,
    im0: f32,
    next: vec3<f32>,
    im1: f32,
    last: vec3<f32>,
    im2: f32,
}

struct Fold {
    // Slope of the fold over the posed surface, world space.
    gradient: vec3<f32>,
    // Part of the light from all round that reaches the place: below 1 in valleys.
    open: f32,
    // Variance of the slope that is too fine to be drawn.
    lost: f32,
}

const FLAT = Fold(vec3<f32>(0.0), 1.0, 0.0);

// Share of the corners' waves below which their sum counts as no wave.
const FOLD_SOFTNESS = 0.15;

// The fold at a point of a triangle, `relative` to the eye: the corners' waves, each continued by its own phase and
// weighted by the square of its barycentric coordinate, make a wave whose direction alone counts; its height is
// interpolated (after Chen et al. 2023, Complex Wrinkle Field Evolution). All slopes are exact within the triangle.
fn fold_at(triangle: FoldTriangle, relative: vec3<f32>) -> Fold {
    let footprint_x = dpdx(relative) / frame.extent_m;
    let footprint_y = dpdy(relative) / frame.extent_m;
    let amplitudes = vec3<f32>(triangle.amplitude0, triangle.amplitude1, triangle.amplitude2);
    if max(amplitudes.x, max(amplitudes.y, amplitudes.z)) <= 0.0 {
        return FLAT;
    }
    let place = (relative - (triangle.origin - frame.eye)) / frame.extent_m;
    let weight0 = -(triangle.weight1 + triangle.weight2);
    let b1 = dot(triangle.weight1, place);
    let b2 = dot(triangle.weight2, place);
    let b = vec3<f32>(1.0 - b1 - b2, b1, b2);
    let re = triangle.re;
    let im = vec3<f32>(triangle.im0, triangle.im1, triangle.im2);

    // The corners' waves here.
    let phase = b.yzx * triangle.next + b.zxy * triangle.last;
    let c = cos(phase);
    let s = sin(phase);
    let u_re = re * c - im * s;
    let u_im = re * s + im * c;
    let shares = b * b;
    let part_re = shares * u_re;
    let part_im = shares * u_im;
    let z = vec2<f32>(part_re.x + part_re.y + part_re.z, part_im.x + part_im.y + part_im.z);
    // Their sum's derivative by each barycentric coordinate.
    let z_re_by_b = 2.0 * b * u_re - (part_im * triangle.next).zxy - (part_im * triangle.last).yzx;
    let z_im_by_b = 2.0 * b * u_im + (part_re * triangle.next).zxy + (part_re * triangle.last).yzx;

    let softness = FOLD_SOFTNESS * dot(b, b);
    let size = sqrt(max(dot(z, z) + softness * softness, 1e-20));
    let sizes = sqrt(re * re + im * im);
    let amplitude = dot(b, amplitudes);
    let certainty = dot(b, sizes);
    let profile = z.x / size;
    let turning = (z.x * z_re_by_b + z.y * z_im_by_b + 2.0 * FOLD_SOFTNESS * softness * b) / (size * size);
    let by_b = (amplitudes * certainty + amplitude * sizes) * profile
        + amplitude * certainty * (z_re_by_b / size - profile * turning);
    let gradient = by_b.x * weight0 + by_b.y * triangle.weight1 + by_b.z * triangle.weight2;

    // Waves finer than two pixels cannot be drawn: they fade to a rougher surface.
    let b_x = vec3<f32>(dot(weight0, footprint_x), dot(triangle.weight1, footprint_x), dot(triangle.weight2, footprint_x));
    let b_y = vec3<f32>(dot(weight0, footprint_y), dot(triangle.weight1, footprint_y), dot(triangle.weight2, footprint_y));
    let phase_x = b_x.yzx * triangle.next + b_x.zxy * triangle.last;
    let phase_y = b_y.yzx * triangle.next + b_y.zxy * triangle.last;
    let cycles = sqrt(max(dot(b, phase_x * phase_x), dot(b, phase_y * phase_y))) / (2.0 * FOLD_PI);
    let seen = 1.0 - smoothstep(0.25, 0.5, cycles);
    let wavelength_h = frame.fold_wavelength_m / frame.extent_m;
    let slope = amplitude * certainty * 2.0 * FOLD_PI / wavelength_h;
    // Half the square of a sine's greatest slope is its mean square.
    let lost = 0.5 * slope * slope * (1.0 - seen * seen);

    // A sharper crease than a ridge: valleys darken by the square of how low they lie, three eighths of it on average.
    let low = clamp(0.5 - 0.5 * profile, 0.0, 1.0);
    let shade = frame.fold_shade * min(slope, 1.0) * mix(0.375, low * low, seen);
    return Fold(gradient * seen, 1.0 - shade, lost);
}

// The roughness of a surface whose slope varies besides: slopes of both add up, and glTF's roughness squared is the
// root of twice the variance along each of two axes.
fn roughened(roughness: f32, lost: f32) -> f32 {
    if lost <= 0.0 {
        return roughness;
    }
    let a = roughness * roughness;
    return sqrt(sqrt(min(a * a + lost, 1.0)));
}
