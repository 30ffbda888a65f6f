// Folds on compressed skin: heights, slopes and the darkness of valleys. Lengths are fractions of H.
// Needs common/frame.wgsl and common/light.wgsl (PI).

// What a triangle's fragments need of its folds; all zero where it has none.
struct FoldTriangle {
    // First corner, world metres.
    origin: vec3<f32>,
    im0: f32,
    // Gradients of the second and third corner's barycentric weight over the posed triangle, 1/H.
    weight1: vec3<f32>,
    im1: f32,
    weight2: vec3<f32>,
    im2: f32,
    // Corner n holds the complex wave re[n] + i im_n (its length the height in H), whose phase grows by next[n]
    // and last[n] towards the corners after it and before it.
    re: vec3<f32>,
    pad0: f32,
    next: vec3<f32>,
    pad1: f32,
    last: vec3<f32>,
    pad2: f32,
}

struct Fold {
    // Slope of the fold over the posed surface, world space.
    gradient: vec3<f32>,
    // Factor on the base colour: below 1 in valleys.
    shade: f32,
}

const FLAT = Fold(vec3<f32>(0.0), 1.0);

// The fold at a point of a triangle, `relative` to the eye: the sum of the three corners' waves, each continued by
// its own phase, weighted by the barycentric coordinates. All slopes are exact within the triangle.
fn fold_at(triangle: FoldTriangle, relative: vec3<f32>) -> Fold {
    let footprint_x = dpdx(relative) / frame.extent_m;
    let footprint_y = dpdy(relative) / frame.extent_m;
    let re = triangle.re;
    let im = vec3<f32>(triangle.im0, triangle.im1, triangle.im2);
    let amplitudes = sqrt(re * re + im * im);
    if max(amplitudes.x, max(amplitudes.y, amplitudes.z)) <= 0.0 {
        return FLAT;
    }
    let place = (relative - (triangle.origin - frame.eye)) / frame.extent_m;
    let weight0 = -(triangle.weight1 + triangle.weight2);
    let b1 = dot(triangle.weight1, place);
    let b2 = dot(triangle.weight2, place);
    let b = vec3<f32>(1.0 - b1 - b2, b1, b2);

    let phase = b.yzx * triangle.next + b.zxy * triangle.last;
    let c = cos(phase);
    let s = sin(phase);
    let height = re * c - im * s;
    let quadrature = re * s + im * c;
    // Derivative by b of the sum of b[n] * height[n]: the weight's part, and each wave's along its own phase.
    let turning = b * quadrature;
    let by_b = height - (turning * triangle.next).zxy - (turning * triangle.last).yzx;
    let gradient = by_b.x * weight0 + by_b.y * triangle.weight1 + by_b.z * triangle.weight2;

    // Waves finer than two pixels cannot be drawn and fade to flat.
    let b_x = vec3<f32>(dot(weight0, footprint_x), dot(triangle.weight1, footprint_x), dot(triangle.weight2, footprint_x));
    let b_y = vec3<f32>(dot(weight0, footprint_y), dot(triangle.weight1, footprint_y), dot(triangle.weight2, footprint_y));
    let phase_x = b_x.yzx * triangle.next + b_x.zxy * triangle.last;
    let phase_y = b_y.yzx * triangle.next + b_y.zxy * triangle.last;
    let cycles = sqrt(max(dot(b, phase_x * phase_x), dot(b, phase_y * phase_y))) / (2.0 * PI);
    let seen = 1.0 - smoothstep(0.25, 0.5, cycles);

    // A sharper crease than a ridge: valleys darken by the fourth power of how low they lie.
    let amplitude = dot(b, amplitudes);
    let low = clamp(0.5 - 0.5 * dot(b, height) / max(amplitude, 1e-9), 0.0, 1.0);
    let wavelength_h = frame.fold_wavelength_m / frame.extent_m;
    let steepness = clamp(amplitude * 2.0 * PI / wavelength_h, 0.0, 1.0);
    return Fold(gradient * seen, 1.0 - frame.fold_shade * seen * steepness * low * low);
}
