// The complex wrinkle field: its structs, which src/sim/wrinkles explains, and complex numbers.

const NO_RIM = 0xffffffffu;

struct HalfEdgeGpu {
    arm: vec2<f32>,
    turn: vec2<f32>,
    near: u32,
    far: u32,
    reverse: u32,
    rim: u32,
}

struct FieldTriangle {
    corners: array<u32, 3>,
    half_edges: array<u32, 3>,
}

struct Heading {
    direction: vec2<f32>,
    deviator: vec2<f32>,
    amplitude: f32,
    compression: f32,
}

struct EdgeWave {
    turn: vec2<f32>,
    sign: f32,
    pad0: f32,
}

struct FoldState {
    direction: vec2<f32>,
    deviator: vec2<f32>,
    wave: vec2<f32>,
}

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn conjugate(a: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x, -a.y);
}
