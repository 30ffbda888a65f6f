// A hash of one number, after the PCG family (O'Neill 2014; the RXS-M-XS output step on 32 bits).
fn hash_u32(value: u32) -> u32 {
    let state = value * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

// A unit vector that depends on the hash alone: never zero, so that it can part what coincides.
fn hash_direction(hash: u32) -> vec3<f32> {
    let x = f32(hash_u32(hash) >> 8u) / 8388608.0 - 1.0;
    let y = f32(hash_u32(hash ^ 0x9e3779b9u) >> 8u) / 8388608.0 - 1.0;
    let z = f32(hash_u32(hash ^ 0x85ebca6bu) >> 8u) / 8388608.0 - 1.0;
    let v = vec3<f32>(x, y, z);
    let length_squared = dot(v, v);
    if length_squared < 1e-6 {
        return vec3<f32>(1.0, 0.0, 0.0);
    }
    return v * inverseSqrt(length_squared);
}
