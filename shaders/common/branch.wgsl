// A posed branch node, as growth writes it and the renderer reads it.
struct BranchNode {
    position: vec3<f32>,
    radius: f32,
    color: vec3<f32>,
    glow: f32,
    parent: u32,
    // 1 when the branch is as wide at its parent as here, 0 when as wide there as the parent.
    is_even: u32,
    // How far its leaf is open, up to 1; 0 where none stands.
    bud: f32,
    // A direction carried with the body that sets the leaf's turn, on the octahedron's square.
    turn: u32,
}
