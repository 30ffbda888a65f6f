// Where a primitive's morph targets lie.
struct MorphRange {
    first_vertex: u32,
    vertex_count: u32,
    first_delta: u32,
    target_count: u32,
    first_weight: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}
