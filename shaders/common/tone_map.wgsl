// From light to what a screen shows.

// Khronos PBR Neutral: base colours in even light come out as they are, highlights roll off towards white.
// https://github.com/KhronosGroup/ToneMapping
fn tone_map_neutral(light: vec3<f32>) -> vec3<f32> {
    let fresnel = 0.04;
    let start = 0.8 - fresnel;
    let desaturation = 0.15;
    let least = min(min(light.r, light.g), light.b);
    let offset = select(fresnel, least - 6.25 * least * least, least < 2.0 * fresnel);
    let color = light - offset;
    let peak = max(max(color.r, color.g), color.b);
    if peak < start {
        return color;
    }
    let room = 1.0 - start;
    let new_peak = 1.0 - room * room / (peak + room - start);
    let grey = 1.0 - 1.0 / (desaturation * (peak - new_peak) + 1.0);
    return mix(color * (new_peak / peak), vec3<f32>(new_peak), grey);
}

// Linear to sRGB-encoded, both 0 to 1 (IEC 61966-2-1). The power 1/2.4 is a sum of roots fitted to it, within
// 0.012 of a byte's step, which costs half on adapters without a unit for powers.
fn encode_srgb(linear: vec3<f32>) -> vec3<f32> {
    let x = clamp(linear, vec3<f32>(0.0), vec3<f32>(1.0));
    let root2 = sqrt(x);
    let root4 = sqrt(root2);
    let root8 = sqrt(root4);
    let curve = 0.64238958 * root2 + 0.71208371 * root4 - 0.33685899 * root8 - 0.01757141 * x;
    return select(curve, 12.92 * x, x <= vec3<f32>(0.0031308));
}
