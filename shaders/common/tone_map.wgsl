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

// AgX by Troy Sobotka, its curve as the polynomial of Wrensch 2023 (Minimal AgX Implementation): saturated light
// bleaches as film does. The columns are the inset's, and of its inverse.
fn tone_map_agx(light: vec3<f32>) -> vec3<f32> {
    let inset = mat3x3<f32>(
        vec3<f32>(0.842479062, 0.0423282423, 0.0423756549),
        vec3<f32>(0.0784336, 0.878468636, 0.0784336),
        vec3<f32>(0.0792237451, 0.0791661275, 0.879142974),
    );
    let outset = mat3x3<f32>(
        vec3<f32>(1.19687901, -0.0528968518, -0.0529716355),
        vec3<f32>(-0.0980208811, 1.15190313, -0.0980434501),
        vec3<f32>(-0.0990297441, -0.0989611768, 1.15107367),
    );
    let stops = log2(max(inset * light, vec3<f32>(1e-10)));
    let x = clamp((stops + 12.47393) / 16.5, vec3<f32>(0.0), vec3<f32>(1.0));
    let x2 = x * x;
    let x4 = x2 * x2;
    let curve = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
    return pow(max(outset * curve, vec3<f32>(0.0)), vec3<f32>(2.2));
}

// ACES, reference and output transforms in one, by the fit of Stephen Hill (BakingLab, MIT licence, constants).
fn tone_map_aces(light: vec3<f32>) -> vec3<f32> {
    let into = mat3x3<f32>(
        vec3<f32>(0.59719, 0.07600, 0.02840),
        vec3<f32>(0.35458, 0.90834, 0.13383),
        vec3<f32>(0.04823, 0.01566, 0.83777),
    );
    let back = mat3x3<f32>(
        vec3<f32>(1.60475, -0.10208, -0.00327),
        vec3<f32>(-0.53108, 1.10813, -0.07276),
        vec3<f32>(-0.07367, -0.00605, 1.07602),
    );
    let v = into * light;
    let a = v * (v + 0.0245786) - 0.000090537;
    let b = v * (0.983729 * v + 0.4329510) + 0.238081;
    return max(back * (a / b), vec3<f32>(0.0));
}

// What Frame.tone_map names.
const TONE_NEUTRAL = 0u;
const TONE_AGX = 1u;
const TONE_ACES = 2u;

fn tone_map(light: vec3<f32>, which: u32) -> vec3<f32> {
    switch which {
        case TONE_NEUTRAL: { return tone_map_neutral(light); }
        case TONE_AGX: { return tone_map_agx(light); }
        case TONE_ACES: { return tone_map_aces(light); }
        default: { return light; }
    }
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
