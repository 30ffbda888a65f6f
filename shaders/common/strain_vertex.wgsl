// Strain at a vertex of the surface; src/sim/wrinkles/mod.rs says how to draw folds from it.
struct StrainVertex {
    rest_direction: vec3<f32>,
    compression: f32,
    direction: vec3<f32>,
    stretch: f32,
    wave: vec2<f32>,
    strength: f32,
    pad0: f32,
}
