// What a vertex of the body has beyond its pose; PaintVertex in Rust.
struct PaintVertex {
    color: vec4<f32>,
    // Both sets of texture coordinates.
    uvs: vec4<f32>,
    // Linear colour of the joints that move it, ten bits a part, red lowest.
    joint_color: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}
