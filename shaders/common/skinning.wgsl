// Linear blend skinning: palette indices packed two to a word, heaviest first, weights falling, so that the
// first zero weight ends the sum. Indices are clamped: a broken file never reads beyond the palette.
fn blended_matrix(joints: vec4<u32>, weights0: vec4<f32>, weights1: vec4<f32>, palette_count: u32) -> mat4x4<f32> {
    let last = max(palette_count, 1u) - 1u;
    var blended = palette[min(joints.x & 0xffffu, last)] * weights0.x;
    for (var k = 1u; k < 8u; k++) {
        var weight = weights0[k & 3u];
        if k >= 4u {
            weight = weights1[k & 3u];
        }
        if weight <= 0.0 {
            break;
        }
        let joint = (joints[k / 2u] >> (16u * (k & 1u))) & 0xffffu;
        blended += palette[min(joint, last)] * weight;
    }
    return blended;
}

// Cofactors of the upper 3x3 with the determinant's sign: the inverse transpose but for a positive factor. It
// carries normals right under non-uniform scale and keeps them outward under mirrors, without an inverse.
fn normal_matrix(m: mat4x4<f32>) -> mat3x3<f32> {
    let cofactors = mat3x3<f32>(cross(m[1].xyz, m[2].xyz), cross(m[2].xyz, m[0].xyz), cross(m[0].xyz, m[1].xyz));
    return cofactors * select(1.0, -1.0, dot(m[0].xyz, cofactors[0]) < 0.0);
}
