// sRGB codes from 0 to 1 to linear light (IEC 61966-2-1).
fn decode_srgb(code: vec3<f32>) -> vec3<f32> {
    return select(pow((code + 0.055) / 1.055, vec3<f32>(2.4)), code / 12.92, code <= vec3<f32>(0.04045));
}
