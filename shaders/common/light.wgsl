// Light: a directional key, and the environment, prefiltered: what a mirror of some roughness sees lies in the mip
// levels of an octahedral map, what arrives from a hemisphere in nine harmonics. Needs common/frame.wgsl.
//!include "common/octahedron.wgsl"

const PI = 3.14159265;
const KEY = vec3<f32>(1.00, 0.965, 0.91);

struct EnvironmentUniform {
    // Of 1, x, y, z, xy, yz, 3z^2-1, xz, x^2-y^2; the fourth parts are padding.
    irradiance: array<vec4<f32>, 9>,
    // Texels along a side of the sharpest level.
    side: f32,
    // The level of roughness 1.
    last_level: f32,
    pad0: f32,
    pad1: f32,
}

@group(0) @binding(12) var<uniform> environment: EnvironmentUniform;
@group(0) @binding(13) var environment_map: texture_2d<f32>;
@group(0) @binding(14) var environment_sampler: sampler;

// From the world to the environment, which may be turned about the vertical axis.
fn environment_from_world(v: vec3<f32>) -> vec3<f32> {
    let turn = frame.environment_turn;
    return vec3<f32>(turn.x * v.x - turn.y * v.z, v.y, turn.y * v.x + turn.x * v.z);
}

// One level of the map, at a place of the square from 0 to 1. The middles of its outermost texels lie on the edge.
fn environment_level(place: vec2<f32>, level: f32) -> vec3<f32> {
    let side = environment.side * exp2(-level);
    let uv = place * (1.0 - 1.0 / side) + 0.5 / side;
    return textureSampleLevel(environment_map, environment_sampler, uv, level).rgb;
}

// What arrives from a direction, blurred as a mirror of this roughness blurs it.
fn environment_radiance(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    let place = octahedral(environment_from_world(direction));
    let level = roughness * environment.last_level;
    let sharper = floor(level);
    let rougher = min(sharper + 1.0, environment.last_level);
    return mix(environment_level(place, sharper), environment_level(place, rougher), level - sharper);
}

// Mean of what arrives over the hemisphere round a normal, weighted by the cosine.
fn environment_irradiance(normal: vec3<f32>) -> vec3<f32> {
    let n = environment_from_world(normal);
    let k = &environment.irradiance;
    let first = (*k)[0].rgb + (*k)[1].rgb * n.x + (*k)[2].rgb * n.y + (*k)[3].rgb * n.z;
    let second = (*k)[4].rgb * (n.x * n.y) + (*k)[5].rgb * (n.y * n.z) + (*k)[6].rgb * (3.0 * n.z * n.z - 1.0)
        + (*k)[7].rgb * (n.x * n.z) + (*k)[8].rgb * (n.x * n.x - n.y * n.y);
    // A small, strong light makes the harmonics swing below zero on its far side.
    return max(first + second, vec3<f32>(0.0));
}
