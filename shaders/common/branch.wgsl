// A posed branch node, as growth writes it and the renderer reads it.
struct BranchNode {
    position: vec3<f32>,
    radius: f32,
    color: vec3<f32>,
    glow: f32,
    parent: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}
