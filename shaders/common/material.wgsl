// A material of the body: factors, textures, and which of them a pipeline reads.

struct MaterialUniform {
    base_color: vec4<f32>,
    emissive: vec3<f32>,
    metallic: f32,
    roughness: f32,
    alpha_cutoff: f32,
    transmission: f32,
    clearcoat: f32,
    // Reflection of the dielectric straight on, and at grazing angles.
    specular_color: vec3<f32>,
    specular: f32,
    sheen_color: vec3<f32>,
    sheen_roughness: f32,
    clearcoat_roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    pad0: f32,
    // Of each texture in the order of the constants below, rows u and v of the map from texture coordinates, shift
    // last; the set (0 or 1) in the fourth place of u.
    uv_rows: array<vec4<f32>, 10>,
}

const BASE_COLOR = 0u;
const METALLIC_ROUGHNESS = 1u;
const NORMAL = 2u;
const OCCLUSION = 3u;
const EMISSIVE = 4u;

// What a pipeline is made for; what is false costs nothing.
override has_base_color: bool = false;
override has_metallic_roughness: bool = false;
override has_normal: bool = false;
override has_occlusion: bool = false;
override has_emissive: bool = false;
override has_layers: bool = false;
override is_unlit: bool = false;

@group(1) @binding(0) var<uniform> material: MaterialUniform;
@group(1) @binding(1) var base_color_texture: texture_2d<f32>;
@group(1) @binding(2) var base_color_sampler: sampler;
@group(1) @binding(3) var metallic_roughness_texture: texture_2d<f32>;
@group(1) @binding(4) var metallic_roughness_sampler: sampler;
@group(1) @binding(5) var normal_texture: texture_2d<f32>;
@group(1) @binding(6) var normal_sampler: sampler;
@group(1) @binding(7) var occlusion_texture: texture_2d<f32>;
@group(1) @binding(8) var occlusion_sampler: sampler;
@group(1) @binding(9) var emissive_texture: texture_2d<f32>;
@group(1) @binding(10) var emissive_sampler: sampler;

// Where a vertex with both sets of texture coordinates reads a texture.
fn texture_place(slot: u32, uvs: vec4<f32>) -> vec2<f32> {
    let u = material.uv_rows[2u * slot];
    let v = material.uv_rows[2u * slot + 1u];
    let uv = select(uvs.xy, uvs.zw, u.w > 0.5);
    return vec2<f32>(dot(u.xy, uv) + u.z, dot(v.xy, uv) + v.z);
}

fn base_color_at(uvs: vec4<f32>, vertex_color: vec4<f32>) -> vec4<f32> {
    var color = material.base_color * vertex_color;
    if has_base_color {
        color *= textureSample(base_color_texture, base_color_sampler, texture_place(BASE_COLOR, uvs));
    }
    return color;
}

// Metalness and roughness.
fn metallic_roughness_at(uvs: vec4<f32>) -> vec2<f32> {
    var both = vec2<f32>(material.metallic, material.roughness);
    if has_metallic_roughness {
        let place = texture_place(METALLIC_ROUGHNESS, uvs);
        both *= textureSample(metallic_roughness_texture, metallic_roughness_sampler, place).bg;
    }
    return both;
}

// How much of the light around arrives.
fn occlusion_at(uvs: vec4<f32>) -> f32 {
    if !has_occlusion {
        return 1.0;
    }
    let open = textureSample(occlusion_texture, occlusion_sampler, texture_place(OCCLUSION, uvs)).r;
    return 1.0 + material.occlusion_strength * (open - 1.0);
}

fn emission_at(uvs: vec4<f32>) -> vec3<f32> {
    var light = material.emissive;
    if has_emissive {
        light *= textureSample(emissive_texture, emissive_sampler, texture_place(EMISSIVE, uvs)).rgb;
    }
    return light;
}

// The normal map's normal for an outward unit normal and the tangent's frame: xyz the tangent, w the bitangent's
// sense. Seen from behind, all three axes turn round. Without a tangent the map is left out.
fn mapped_normal(uvs: vec4<f32>, normal: vec3<f32>, tangent: vec4<f32>, front: bool) -> vec3<f32> {
    if !has_normal {
        return normal;
    }
    let stored = textureSample(normal_texture, normal_sampler, texture_place(NORMAL, uvs)).xyz * 2.0 - 1.0;
    let flat_tangent = tangent.xyz - normal * dot(normal, tangent.xyz);
    if dot(flat_tangent, flat_tangent) < 1e-12 {
        return normal;
    }
    let t = normalize(flat_tangent) * select(-1.0, 1.0, front);
    let b = cross(normal, t) * select(-1.0, 1.0, (tangent.w >= 0.0) == front);
    let slope = stored.xy * material.normal_scale;
    return normalize(t * slope.x + b * slope.y + normal * max(stored.z, 1e-3));
}
