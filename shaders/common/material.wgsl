// A material of the body: factors, textures, and which of them a pipeline reads.

struct MaterialUniform {
    base_color: vec4<f32>,
    emissive: vec3<f32>,
    metallic: f32,
    roughness: f32,
    alpha_cutoff: f32,
    transmission: f32,
    clearcoat: f32,
    // Of the dielectric: its reflection straight on for its index of refraction and tint, before the strength and
    // the bound of 1; the strength, which is the reflection at grazing angles.
    specular_color: vec3<f32>,
    specular: f32,
    sheen_color: vec3<f32>,
    sheen_roughness: f32,
    clearcoat_roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    clearcoat_normal_scale: f32,
    // Of each texture in the order of the constants below, rows u and v of the map from texture coordinates, shift
    // last; the set (0 or 1) in the fourth place of u.
    uv_rows: array<vec4<f32>, 26>,
}

const BASE_COLOR = 0u;
const METALLIC_ROUGHNESS = 1u;
const NORMAL = 2u;
const OCCLUSION = 3u;
const EMISSIVE = 4u;
const CLEARCOAT = 5u;
const CLEARCOAT_ROUGHNESS = 6u;
const CLEARCOAT_NORMAL = 7u;
const SHEEN_COLOR = 8u;
const SHEEN_ROUGHNESS = 9u;
const SPECULAR = 10u;
const SPECULAR_COLOR = 11u;
const TRANSMISSION = 12u;

// What a pipeline is made for; what is false costs nothing.
override has_base_color: bool = false;
override has_metallic_roughness: bool = false;
override has_normal: bool = false;
override has_occlusion: bool = false;
override has_emissive: bool = false;
override has_layers: bool = false;
override is_unlit: bool = false;
// Which of the shared slots holds a layer's texture; -1 where the material has none.
override clearcoat_slot: i32 = -1;
override clearcoat_roughness_slot: i32 = -1;
override clearcoat_normal_slot: i32 = -1;
override sheen_color_slot: i32 = -1;
override sheen_roughness_slot: i32 = -1;
override specular_slot: i32 = -1;
override specular_color_slot: i32 = -1;
override transmission_slot: i32 = -1;

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
// Textures of layers: a material has few of the eight, and 16 textures are all that every device binds to a stage.
@group(1) @binding(11) var layer0_texture: texture_2d<f32>;
@group(1) @binding(12) var layer0_sampler: sampler;
@group(1) @binding(13) var layer1_texture: texture_2d<f32>;
@group(1) @binding(14) var layer1_sampler: sampler;
@group(1) @binding(15) var layer2_texture: texture_2d<f32>;
@group(1) @binding(16) var layer2_sampler: sampler;
@group(1) @binding(17) var layer3_texture: texture_2d<f32>;
@group(1) @binding(18) var layer3_sampler: sampler;
@group(1) @binding(19) var layer4_texture: texture_2d<f32>;
@group(1) @binding(20) var layer4_sampler: sampler;
@group(1) @binding(21) var layer5_texture: texture_2d<f32>;
@group(1) @binding(22) var layer5_sampler: sampler;

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

// A layer's texture in a slot; white without one.
fn layer_texel(slot: i32, texture: u32, uvs: vec4<f32>) -> vec4<f32> {
    let place = texture_place(texture, uvs);
    switch slot {
        case 0: { return textureSample(layer0_texture, layer0_sampler, place); }
        case 1: { return textureSample(layer1_texture, layer1_sampler, place); }
        case 2: { return textureSample(layer2_texture, layer2_sampler, place); }
        case 3: { return textureSample(layer3_texture, layer3_sampler, place); }
        case 4: { return textureSample(layer4_texture, layer4_sampler, place); }
        case 5: { return textureSample(layer5_texture, layer5_sampler, place); }
        default: { return vec4<f32>(1.0); }
    }
}

// Strength and roughness of the clear layer.
fn clearcoat_at(uvs: vec4<f32>) -> vec2<f32> {
    var both = vec2<f32>(material.clearcoat, material.clearcoat_roughness);
    if clearcoat_slot >= 0 {
        both.x *= layer_texel(clearcoat_slot, CLEARCOAT, uvs).r;
    }
    if clearcoat_roughness_slot >= 0 {
        both.y *= layer_texel(clearcoat_roughness_slot, CLEARCOAT_ROUGHNESS, uvs).g;
    }
    return both;
}

// Colour and roughness of fibres.
fn sheen_at(uvs: vec4<f32>) -> vec4<f32> {
    var both = vec4<f32>(material.sheen_color, material.sheen_roughness);
    if sheen_color_slot >= 0 {
        both *= vec4<f32>(layer_texel(sheen_color_slot, SHEEN_COLOR, uvs).rgb, 1.0);
    }
    if sheen_roughness_slot >= 0 {
        both.a *= layer_texel(sheen_roughness_slot, SHEEN_ROUGHNESS, uvs).a;
    }
    return both;
}

// Reflection of the dielectric straight on, and at grazing angles in the fourth place.
fn specular_at(uvs: vec4<f32>) -> vec4<f32> {
    var color = material.specular_color;
    var strength = material.specular;
    if specular_slot >= 0 {
        strength *= layer_texel(specular_slot, SPECULAR, uvs).a;
    }
    if specular_color_slot >= 0 {
        color *= layer_texel(specular_color_slot, SPECULAR_COLOR, uvs).rgb;
    }
    return vec4<f32>(min(color, vec3<f32>(1.0)) * strength, strength);
}

// Part of the light below the surface that passes through.
fn transmission_at(uvs: vec4<f32>) -> f32 {
    if transmission_slot >= 0 {
        return material.transmission * layer_texel(transmission_slot, TRANSMISSION, uvs).r;
    }
    return material.transmission;
}

// The normal that a map stores, for an outward unit normal and the tangent's frame: xyz the tangent, w the
// bitangent's sense. Seen from behind, all three axes turn round. Without a tangent the map is left out.
fn turned_normal(texel: vec3<f32>, scale: f32, normal: vec3<f32>, tangent: vec4<f32>, front: bool) -> vec3<f32> {
    let flat_tangent = tangent.xyz - normal * dot(normal, tangent.xyz);
    if dot(flat_tangent, flat_tangent) < 1e-12 {
        return normal;
    }
    let stored = texel * 2.0 - 1.0;
    let t = normalize(flat_tangent) * select(-1.0, 1.0, front);
    let b = cross(normal, t) * select(-1.0, 1.0, (tangent.w >= 0.0) == front);
    let slope = stored.xy * scale;
    return normalize(t * slope.x + b * slope.y + normal * max(stored.z, 1e-3));
}

fn mapped_normal(uvs: vec4<f32>, normal: vec3<f32>, tangent: vec4<f32>, front: bool) -> vec3<f32> {
    if !has_normal {
        return normal;
    }
    let texel = textureSample(normal_texture, normal_sampler, texture_place(NORMAL, uvs)).xyz;
    return turned_normal(texel, material.normal_scale, normal, tangent, front);
}

// The clear layer's own; it does not follow the map below it.
fn clearcoat_normal(uvs: vec4<f32>, normal: vec3<f32>, tangent: vec4<f32>, front: bool) -> vec3<f32> {
    if clearcoat_normal_slot < 0 {
        return normal;
    }
    let texel = layer_texel(clearcoat_normal_slot, CLEARCOAT_NORMAL, uvs).xyz;
    return turned_normal(texel, material.clearcoat_normal_scale, normal, tangent, front);
}
