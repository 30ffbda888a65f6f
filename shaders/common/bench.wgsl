// Sizes that measured kernels need.
struct BenchUniform {
    // Items, one an invocation.
    count: u32,
    // What each of them is compared with.
    others: u32,
    // Square of how far they see.
    radius2: u32,
    pad0: u32,
}
