// Which of a pixel's four samples a share of it covers; opposite corners of the usual pattern come first.
fn covered_samples(share: f32) -> u32 {
    switch u32(clamp(share, 0.0, 1.0) * 4.0 + 0.5) {
        case 0u: { return 0u; }
        case 1u: { return 1u; }
        case 2u: { return 9u; }
        case 3u: { return 11u; }
        default: { return 15u; }
    }
}
