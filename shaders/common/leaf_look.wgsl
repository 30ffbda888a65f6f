// What leaves or blossoms are drawn with.
struct LeafLook {
    // 1 leaves, 2 blossoms.
    kind: u32,
    // Length of a leaf, width of a blossom.
    size_m: f32,
    // 0 spring, a third summer, two thirds autumn, 1 bare.
    season: f32,
    pad0: u32,
}
