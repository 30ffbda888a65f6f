// Light on surfaces: a directional key light through GGX, and an analytic studio of sky, floor and two soft
// boxes (fill and rim) in place of an environment texture. Needs common/frame.wgsl.

const PI = 3.14159265;
const SKY = vec3<f32>(0.50, 0.56, 0.66);
const HORIZON = vec3<f32>(0.34, 0.34, 0.36);
const FLOOR = vec3<f32>(0.13, 0.115, 0.105);
const FILL = vec3<f32>(0.80, 0.86, 1.00);
const RIM = vec3<f32>(1.00, 0.95, 0.86);
const KEY = vec3<f32>(1.00, 0.965, 0.91);

struct Surface {
    // Linear colour of diffuse reflection (dielectrics) or of the mirror (metals).
    base: vec3<f32>,
    metallic: f32,
    normal: vec3<f32>,
    roughness: f32,
    // From the surface to the eye, unit.
    to_eye: vec3<f32>,
}

struct Lit {
    diffuse: vec3<f32>,
    specular: vec3<f32>,
}

// What arrives from a direction, blurred as a rough mirror blurs it.
fn studio_radiance(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    let soft = mix(0.12, 1.1, roughness);
    let up = smoothstep(0.0, soft, direction.y);
    let down = smoothstep(0.0, soft, -direction.y);
    let dome = mix(mix(HORIZON, SKY, up), FLOOR, down);
    let sharp = 1.0 / (0.05 + 0.75 * roughness);
    let energy = 0.35 + 0.65 * sharp / 20.0;
    let fill = exp2(8.0 * sharp * (dot(direction, frame.to_fill) - 1.0));
    let rim = exp2(10.0 * sharp * (dot(direction, frame.to_rim) - 1.0));
    return dome + (1.4 * fill * FILL + 4.0 * rim * RIM) * energy;
}

// Mean of what arrives over the hemisphere round a normal.
fn studio_irradiance(normal: vec3<f32>) -> vec3<f32> {
    let dome = 0.52 * mix(FLOOR, mix(HORIZON, SKY, 0.8), 0.5 + 0.5 * normal.y);
    let fill = max(0.25 + 0.75 * dot(normal, frame.to_fill), 0.0);
    let rim = max(0.1 + 0.9 * dot(normal, frame.to_rim), 0.0);
    return dome + 0.16 * fill * fill * FILL + 0.34 * rim * rim * RIM;
}

fn schlick(cosine: f32) -> f32 {
    let x = clamp(1.0 - cosine, 0.0, 1.0);
    let x2 = x * x;
    return x2 * x2 * x;
}

// Metallic-roughness: Lambert, and Trowbridge-Reitz facets with height-correlated Smith shadowing and
// Schlick's Fresnel term (the model of appendix B of the glTF 2.0 specification).
fn light_surface(surface: Surface) -> Lit {
    let roughness = clamp(surface.roughness, 0.06, 1.0);
    let n_v = max(dot(surface.normal, surface.to_eye), 1e-3);
    let n_l = max(dot(surface.normal, frame.to_key), 0.0);
    let albedo = surface.base * (1.0 - surface.metallic);
    let f0 = mix(vec3<f32>(0.04), surface.base, surface.metallic);

    let ambient_fresnel = f0 + (max(vec3<f32>(1.0 - roughness), f0) - f0) * schlick(n_v);
    let mirror = reflect(-surface.to_eye, surface.normal);
    var diffuse = frame.ambient * albedo * studio_irradiance(surface.normal);
    var specular = frame.ambient * ambient_fresnel * studio_radiance(mirror, roughness);

    if n_l > 0.0 {
        let halfway = unit_or(surface.to_eye + frame.to_key, surface.normal);
        let n_h = clamp(dot(surface.normal, halfway), 0.0, 1.0);
        let a = roughness * roughness;
        let a2 = a * a;
        let d = n_h * n_h * (a2 - 1.0) + 1.0;
        let facets = a2 / (PI * d * d);
        let smith = n_l * sqrt(n_v * n_v * (1.0 - a2) + a2) + n_v * sqrt(n_l * n_l * (1.0 - a2) + a2);
        let fresnel = f0 + (1.0 - f0) * schlick(dot(surface.to_eye, halfway));
        let arriving = frame.key * n_l * KEY;
        diffuse += (1.0 - fresnel) * albedo * arriving / PI;
        specular += fresnel * (facets * 0.5 / max(smith, 1e-4)) * arriving;
    }
    return Lit(diffuse, specular);
}
