// Folds on compressed skin: heights, slopes and the darkness of valleys. Lengths are fractions of H.
// Needs common/frame.wgsl and common/light.wgsl (PI).

struct Fold {
    // Slope of the fold over the posed surface, world space.
    gradient: vec3<f32>,
    // Factor on the base colour: below 1 in valleys.
    shade: f32,
}

// Height of a fold that keeps the length of skin compressed by `compression`, faded in over the range set.
fn fold_amplitude(compression: f32, wavelength_h: f32) -> f32 {
    let epsilon = clamp(compression, 0.0, 0.5);
    let fade = smoothstep(frame.fold_min, frame.fold_max, epsilon);
    return frame.fold_depth * fade * wavelength_h / PI * sqrt(epsilon * (1.0 - 0.25 * epsilon));
}

// The fold at a point of a triangle. Corner n holds the complex wave `re[n] + i im[n]` (its length the height
// in H) whose phase grows by `next[n]` and `last[n]` towards the corners after it and before it; the height is
// the sum of the three continued waves' real parts, weighted by the barycentric coordinates `b`. Derivatives
// are only taken of `b` and the position, which are smooth, so that the slope is exact within the triangle.
fn fold_at(
    b: vec3<f32>, position_h: vec3<f32>, re: vec3<f32>, im: vec3<f32>, next: vec3<f32>, last: vec3<f32>,
) -> Fold {
    let b_x = dpdx(b);
    let b_y = dpdy(b);
    let g_x = dpdx(position_h);
    let g_y = dpdy(position_h);

    let phase = b.yzx * next + b.zxy * last;
    let c = cos(phase);
    let s = sin(phase);
    let height = re * c - im * s;
    let quadrature = re * s + im * c;
    // Derivative by b of the sum of b[n] * height[n]: the weight's part, and each wave's along its own phase.
    let turning = b * quadrature;
    let by_b = height - (turning * next).zxy - (turning * last).yzx;
    let h_x = dot(by_b, b_x);
    let h_y = dot(by_b, b_y);

    // Waves finer than two pixels cannot be drawn and fade to flat.
    let phase_x = b_x.yzx * next + b_x.zxy * last;
    let phase_y = b_y.yzx * next + b_y.zxy * last;
    let cycles = sqrt(max(dot(b, phase_x * phase_x), dot(b, phase_y * phase_y))) / (2.0 * PI);
    let seen = 1.0 - smoothstep(0.25, 0.5, cycles);

    let area = cross(g_x, g_y);
    let area_squared = dot(area, area);
    var gradient = vec3<f32>(0.0);
    if area_squared > 1e-36 {
        gradient = (h_x * cross(g_y, area) + h_y * cross(area, g_x)) * (seen / area_squared);
    }
    // A sharper crease than a ridge: valleys darken by the fourth power of how low they lie.
    let amplitude = dot(b, sqrt(re * re + im * im));
    let low = clamp(0.5 - 0.5 * dot(b, height) / max(amplitude, 1e-9), 0.0, 1.0);
    let wavelength_h = frame.fold_wavelength_m / frame.extent_m;
    let steepness = clamp(amplitude * 2.0 * PI / wavelength_h, 0.0, 1.0);
    return Fold(gradient, 1.0 - frame.fold_shade * seen * steepness * low * low);
}
