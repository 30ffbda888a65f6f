// Strain of a vertex by the published method; src/sim/wrinkles/published.rs says what each field means.
struct PublishedVertex {
    direction: vec3<f32>,
    strain: f32,
}
