// What the kernels that build the field share.
struct FieldUniform {
    // Middle of the boundary sphere, world metres.
    center: vec3<f32>,
    // 2^20 / H.
    quanta_per_m: f32,
    // Points of the skin that take part, one in `stride`.
    point_count: u32,
    vertex_count: u32,
    // Cells along the longest side.
    resolution: u32,
    // Room round the body, in quanta.
    margin: i32,
    // Points farther than this from the middle on any axis are ignored, in quanta.
    limit: f32,
    // Bits dropped from 15-bit fractions so that no sum over all points overflows.
    shift: u32,
    // Whether the places of a tick ago are known.
    moving: u32,
    stride: u32,
    // Lower corner of cells that stay where they are, in quanta.
    fixed_origin: vec3<i32>,
    // Their edge in quanta; 0 lets the cells follow the body.
    fixed_cell: i32,
    // Radius of the skin round a point that it stands for, in quanta.
    patch_radius: f32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

// A point of the skin as it is posed.
struct SkinPlace {
    // Quanta from the middle of the boundary sphere.
    position: vec3<i32>,
    // 1 where the position is known.
    valid: i32,
    // Way since the last tick in quanta.
    step: vec3<i32>,
    pad0: u32,
    // 15 fractional bits; about a unit.
    normal: vec3<i32>,
    pad1: u32,
}
