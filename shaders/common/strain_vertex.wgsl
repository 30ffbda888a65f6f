// Strain at a vertex of the surface; src/sim/wrinkles says what each field means.
struct StrainVertex {
    rest_direction: vec3<f32>,
    compression: f32,
    direction: vec3<f32>,
    stretch: f32,
    wave: vec2<f32>,
    amplitude: f32,
    pad0: f32,
}
