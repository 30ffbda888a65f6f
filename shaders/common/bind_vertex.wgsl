// A vertex before morphing and skinning, and how many there are.

struct SkinUniform {
    vertex_count: u32,
    palette_count: u32,
    // Changes of tangents by morph targets; 0 where none moves any.
    tangent_delta_count: u32,
    pad1: u32,
}

struct BindVertex {
    position: vec3<f32>,
    primitive: u32,
    normal: vec3<f32>,
    pad0: u32,
    joints: vec4<u32>,
    weights0: vec4<f32>,
    weights1: vec4<f32>,
}
