// Light: a directional key, and an analytic studio of sky, floor and two soft boxes (fill and rim) in place of an
// environment texture. Needs common/frame.wgsl.

const PI = 3.14159265;
const SKY = vec3<f32>(0.50, 0.56, 0.66);
const HORIZON = vec3<f32>(0.34, 0.34, 0.36);
const FLOOR = vec3<f32>(0.13, 0.115, 0.105);
const FILL = vec3<f32>(0.80, 0.86, 1.00);
const RIM = vec3<f32>(1.00, 0.95, 0.86);
const KEY = vec3<f32>(1.00, 0.965, 0.91);

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
