// Length now by length at rest for a diagonal entry of Green's strain.
fn ratio(e: f32) -> f32 {
    return sqrt(max(1.0 + 2.0 * e, 0.0));
}
