// How surfaces scatter and mirror light: glTF's metallic-roughness model with its layers, lit by the key light and
// by the environment. Needs common/frame.wgsl and common/light.wgsl.

struct Surface {
    // Linear colour of diffuse reflection (dielectrics) or of the mirror (metals).
    base: vec3<f32>,
    metallic: f32,
    normal: vec3<f32>,
    roughness: f32,
    // From the surface to the eye, unit.
    to_eye: vec3<f32>,
    // Part of the environment's light that arrives.
    open: f32,
    // Reflection of a dielectric straight on, and at grazing angles.
    specular_color: vec3<f32>,
    specular: f32,
    // Shine of fibres.
    sheen_color: vec3<f32>,
    sheen_roughness: f32,
    // Clear layer on top.
    clearcoat: f32,
    clearcoat_roughness: f32,
    clearcoat_normal: vec3<f32>,
    // Part of the key light that arrives.
    lit: f32,
}

struct Lit {
    diffuse: vec3<f32>,
    specular: vec3<f32>,
}

fn schlick(cosine: f32) -> f32 {
    let x = clamp(1.0 - cosine, 0.0, 1.0);
    let x2 = x * x;
    return x2 * x2 * x;
}

// Facets and their shadowing, without Fresnel's term: Trowbridge-Reitz with height-correlated Smith (the model of
// appendix B of the glTF 2.0 specification), times the cosine to the light.
fn mirrored_key(n_l: f32, n_v: f32, n_h: f32, roughness: f32) -> f32 {
    let a = roughness * roughness;
    let a2 = a * a;
    let d = n_h * n_h * (a2 - 1.0) + 1.0;
    let facets = a2 / (PI * d * d);
    let smith = n_l * sqrt(n_v * n_v * (1.0 - a2) + a2) + n_v * sqrt(n_l * n_l * (1.0 - a2) + a2);
    return n_l * facets * 0.5 / max(smith, 1e-4);
}

// Share of even light that facets mirror towards the eye: x times the reflection straight on, plus y times that at
// grazing angles (the fit of Karis 2014, Physically Based Shading on Mobile).
fn environment_share(n_v: f32, roughness: f32) -> vec2<f32> {
    let r = roughness * vec4<f32>(-1.0, -0.0275, -0.572, 0.022) + vec4<f32>(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
    return clamp(vec2<f32>(-1.04, 1.04) * a + r.zw, vec2<f32>(0.0), vec2<f32>(1.0));
}

struct Shares {
    // Of the light mirrored once, of the light mirrored between facets, of the light scattered below.
    once: vec3<f32>,
    again: vec3<f32>,
    below: vec3<f32>,
}

// How even light divides: once + again + below is 1 for a white surface, whatever its roughness (Fdez-Aguera 2019,
// A Multiple-Scattering Microfacet Model for Real-Time Image-based Lighting).
fn environment_shares(f0: vec3<f32>, f90: f32, albedo: vec3<f32>, n_v: f32, roughness: f32) -> Shares {
    let share = environment_share(n_v, roughness);
    let once = f0 * share.x + f90 * share.y;
    let lost = 1.0 - min(share.x + share.y, 1.0);
    let mean = f0 + (vec3<f32>(f90) - f0) / 21.0;
    let again = once * mean / (1.0 - mean * lost) * lost;
    return Shares(once, again, albedo * (1.0 - once - again));
}

// Share of even light that fibres scatter (the distribution of Estevez and Kulla 2017 with Neubelt's visibility): a
// fit of our own to the integral, within 0.05 below 1.
fn sheen_share(n_v: f32, roughness: f32) -> f32 {
    let r = max(roughness, 0.07);
    return min((0.29 + 0.27 / r) * exp(-(1.3 / r + 0.1) * n_v), 1.0);
}

fn sheen_key(n_l: f32, n_v: f32, n_h: f32, roughness: f32) -> f32 {
    let power = 1.0 / max(roughness * roughness, 5e-3);
    let sine_squared = max(1.0 - n_h * n_h, 1e-4);
    let fibres = (2.0 + power) * pow(sine_squared, 0.5 * power) / (2.0 * PI);
    return n_l * fibres / (4.0 * max(n_l + n_v - n_l * n_v, 1e-4));
}

// What a surface is to every light that meets it.
struct Seen {
    // Of what is scattered below.
    albedo: vec3<f32>,
    roughness: f32,
    // Reflection straight on, and at grazing angles.
    f0: vec3<f32>,
    f90: f32,
    n_v: f32,
    // What sheen leaves of the light below it, and the coat of all below it; 1 without.
    beneath_sheen: f32,
    beneath_coat: f32,
    coat_roughness: f32,
    coat_n_v: f32,
}

// Sheen and clear coat count only where `layered`.
fn seen_surface(surface: Surface, layered: bool) -> Seen {
    var seen: Seen;
    seen.albedo = surface.base * (1.0 - surface.metallic);
    seen.roughness = clamp(surface.roughness, 0.06, 1.0);
    seen.f0 = mix(surface.specular_color, surface.base, surface.metallic);
    seen.f90 = mix(surface.specular, 1.0, surface.metallic);
    seen.n_v = max(dot(surface.normal, surface.to_eye), 1e-3);
    seen.beneath_sheen = 1.0;
    seen.beneath_coat = 1.0;
    if layered {
        let fibres = max(surface.sheen_color.r, max(surface.sheen_color.g, surface.sheen_color.b));
        seen.beneath_sheen = 1.0 - fibres * sheen_share(seen.n_v, surface.sheen_roughness);
        seen.coat_roughness = clamp(surface.clearcoat_roughness, 0.06, 1.0);
        seen.coat_n_v = max(dot(surface.clearcoat_normal, surface.to_eye), 1e-3);
        seen.beneath_coat = 1.0 - surface.clearcoat * (0.04 + 0.96 * schlick(seen.coat_n_v));
    }
    return seen;
}

// The base's light with the layers over it: sheen adds its own and hides, and so does the coat.
fn layered_light(base: Lit, sheen: vec3<f32>, coat: vec3<f32>, seen: Seen) -> Lit {
    return Lit(
        base.diffuse * seen.beneath_sheen * seen.beneath_coat,
        (base.specular * seen.beneath_sheen + sheen) * seen.beneath_coat + coat,
    );
}

// What the environment sends.
fn light_around(surface: Surface, seen: Seen, layered: bool) -> Lit {
    let ambient = frame.ambient * surface.open;
    let shares = environment_shares(seen.f0, seen.f90, seen.albedo, seen.n_v, seen.roughness);
    let irradiance = environment_irradiance(surface.normal);
    let mirror = reflect(-surface.to_eye, surface.normal);
    let base = Lit(
        ambient * shares.below * irradiance,
        ambient * (shares.once * environment_radiance(mirror, seen.roughness) + shares.again * irradiance),
    );
    if !layered {
        return base;
    }
    let fibres = sheen_share(seen.n_v, surface.sheen_roughness);
    let sheen = surface.sheen_color * ambient * fibres * irradiance;
    let share = environment_share(seen.coat_n_v, seen.coat_roughness);
    let coat_mirror = reflect(-surface.to_eye, surface.clearcoat_normal);
    let coat = ambient * (0.04 * share.x + share.y) * environment_radiance(coat_mirror, seen.coat_roughness);
    return layered_light(base, sheen, surface.clearcoat * coat, seen);
}

// What one direction sends; `arriving` is its irradiance on a surface that faces it.
fn light_from(surface: Surface, seen: Seen, to_light: vec3<f32>, arriving: vec3<f32>, layered: bool) -> Lit {
    let n_l = max(dot(surface.normal, to_light), 0.0);
    let halfway = unit_or(surface.to_eye + to_light, surface.normal);
    let n_h = clamp(dot(surface.normal, halfway), 0.0, 1.0);
    let bend = schlick(dot(surface.to_eye, halfway));
    var base = Lit(vec3<f32>(0.0), vec3<f32>(0.0));
    if n_l > 0.0 {
        let fresnel = seen.f0 + (seen.f90 - seen.f0) * bend;
        base.diffuse = (1.0 - fresnel) * seen.albedo * n_l / PI * arriving;
        base.specular = fresnel * mirrored_key(n_l, seen.n_v, n_h, seen.roughness) * arriving;
    }
    if !layered {
        return base;
    }
    let sheen = surface.sheen_color * sheen_key(n_l, seen.n_v, n_h, surface.sheen_roughness) * arriving;
    let coat_n_l = max(dot(surface.clearcoat_normal, to_light), 0.0);
    let coat_n_h = clamp(dot(surface.clearcoat_normal, halfway), 0.0, 1.0);
    let facets = mirrored_key(coat_n_l, seen.coat_n_v, coat_n_h, seen.coat_roughness);
    let coat = (0.04 + 0.96 * bend) * facets * arriving;
    return layered_light(base, sheen, surface.clearcoat * coat, seen);
}

// The surface in the light of environment and key; sheen and clear coat only where `layered`.
fn light_surface(surface: Surface, layered: bool) -> Lit {
    let seen = seen_surface(surface, layered);
    let around = light_around(surface, seen, layered);
    let key = light_from(surface, seen, frame.to_key, frame.key * surface.lit * KEY, layered);
    return Lit(around.diffuse + key.diffuse, around.specular + key.specular);
}
