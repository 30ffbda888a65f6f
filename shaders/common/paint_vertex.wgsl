// What a vertex of the body has beyond its pose; PaintVertex in Rust.
struct PaintVertex {
    // Rest position from the middle of the rest shape, as a fraction of H.
    rest_h: vec3<f32>,
    // Linear colour of the joints that move it, ten bits a part, red lowest.
    joint_color: u32,
    color: vec4<f32>,
    // Both sets of texture coordinates.
    uvs: vec4<f32>,
}
