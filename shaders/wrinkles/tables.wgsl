// Structs that the kernels of the strain share; src/sim/wrinkles says what each field means.

struct WrinklesUniform {
    field_count: u32,
    half_edge_count: u32,
    surface_count: u32,
    h_from_meters: f32,
    wavelength: f32,
    min_compression: f32,
    max_compression: f32,
    pad0: u32,
}

struct FieldVertex {
    axis_x: vec3<f32>,
    surface: u32,
    axis_y: vec3<f32>,
    first_spoke: u32,
    spoke_count: u32,
    trust: f32,
    pad0: u32,
    pad1: u32,
}

struct SpokeGpu {
    surface: u32,
    spoke_squared: f32,
    rim_squared: f32,
    spoke_metric: array<f32, 3>,
    rim_metric: array<f32, 3>,
    carry: array<f32, 2>,
}

struct PosedFan {
    image_x: vec3<f32>,
    xx: f32,
    image_y: vec3<f32>,
    xy: f32,
    yy: f32,
    pad0: f32,
    pad1: f32,
    pad2: f32,
}
