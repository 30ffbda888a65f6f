// One level of an environment's octahedral map: the picture as a mirror of some roughness sees it, by importance
// sampling with a fixed sequence (Karis 2013, Real Shading in Unreal Engine 4), each sample averaged over as much of
// the picture as it stands for (Colbert and Krivanek 2007, GPU-Based Importance Sampling).
//!include "common/screen.wgsl"
//!include "common/octahedron.wgsl"

struct PrefilterUniform {
    roughness: f32,
    side: f32,
    texel_solid_angle: f32,
    sharp_level: f32,
}

@group(0) @binding(0) var<uniform> prefilter: PrefilterUniform;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var picture_sampler: sampler;

const SAMPLES = 128u;
const PI = 3.14159265;

// The picture from a direction; picture.rs says how it lies.
fn picture_at(direction: vec3<f32>, level: f32) -> vec3<f32> {
    let turn = atan2(direction.x, -direction.z) / (2.0 * PI);
    let fall = acos(clamp(direction.y, -1.0, 1.0)) / PI;
    return textureSampleLevel(picture, picture_sampler, vec2<f32>(0.5 + turn, fall), level).rgb;
}

@fragment
fn filter_level(in: ScreenCorner) -> @location(0) vec4<f32> {
    let place = (in.clip.xy - 0.5) / (prefilter.side - 1.0);
    let normal = from_octahedral(place);
    if prefilter.roughness <= 0.0 {
        return vec4<f32>(picture_at(normal, prefilter.sharp_level), 1.0);
    }
    let a = prefilter.roughness * prefilter.roughness;
    let a2 = a * a;
    let beside = select(vec3<f32>(0.0, 0.0, 1.0), vec3<f32>(1.0, 0.0, 0.0), abs(normal.z) > 0.7);
    let tangent = normalize(cross(beside, normal));
    let bitangent = cross(normal, tangent);
    var sum = vec3<f32>(0.0);
    var weights = 0.0;
    for (var k = 0u; k < SAMPLES; k++) {
        // Hammersley's sequence.
        let u = (f32(k) + 0.5) / f32(SAMPLES);
        let angle = 2.0 * PI * f32(reverseBits(k)) * 2.3283064e-10;
        let cosine2 = (1.0 - u) / (1.0 + (a2 - 1.0) * u);
        let cosine = sqrt(cosine2);
        let sine = sqrt(max(1.0 - cosine2, 0.0));
        // Seen along the normal, the mirrored direction leans twice as far as the facet.
        let n_l = 2.0 * cosine2 - 1.0;
        if n_l <= 0.0 {
            continue;
        }
        let aside = 2.0 * cosine * sine;
        let direction = normal * n_l + (tangent * cos(angle) + bitangent * sin(angle)) * aside;
        let d = cosine2 * (a2 - 1.0) + 1.0;
        let density = a2 / (4.0 * PI * d * d);
        let solid_angle = 1.0 / (density * f32(SAMPLES));
        let level = max(0.5 * log2(solid_angle / prefilter.texel_solid_angle), 0.0);
        sum += n_l * picture_at(direction, level);
        weights += n_l;
    }
    return vec4<f32>(sum / max(weights, 1e-6), 1.0);
}
