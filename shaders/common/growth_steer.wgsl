// Steps other than the plain mean of unit vectors.

// The unit vector along q, whatever its length, in 1/16384; zero for zero. |q| in each axis < 2^18.
fn normalised(q: vec3<i32>) -> vec3<i32> {
    let size = vec3<u32>(abs(q));
    let longest = max(size.x, max(size.y, size.z));
    if longest == 0u {
        return vec3<i32>(0);
    }
    // The longest part becomes 4096 to 8191: short enough to be squared, long enough for a right angle.
    let above = i32(firstLeadingBit(longest)) - 12;
    if above > 0 {
        return unit_vector(q / (1 << u32(above)));
    }
    return unit_vector(q * (1 << u32(-above)));
}

// A direction of a node's own. Each part is a sum of four random bytes, nearly a normal distribution, so that no
// axis is preferred.
fn stray(index: u32) -> vec3<i32> {
    var parts = vec3<i32>(0);
    for (var axis = 0u; axis < 3u; axis++) {
        let random = hash2(rule.seed ^ (0x51ed270bu + axis), index);
        parts[axis] = i32((random & 0xffu) + (random >> 8u & 0xffu) + (random >> 16u & 0xffu) + (random >> 24u)) - 510;
    }
    return normalised(parts);
}

// The mean of unit vectors, drawn along the tropism and the node's noise, no longer than a unit vector.
fn steered(mean: vec3<i32>, index: u32) -> vec3<i32> {
    if rule.normalised == 0u && rule.noise == 0 && all(rule.tropism == vec3<i32>(0)) {
        return mean;
    }
    var q = mean + rule.tropism;
    if rule.noise != 0 {
        // Noise is at most four units, so that the product fits.
        q += stray(index) * rule.noise / 16384;
    }
    if rule.normalised != 0u || any(abs(q) >= vec3<i32>(16384)) || distance2(q, vec3<i32>(0)) > 16384u * 16384u {
        q = normalised(q);
    }
    return q;
}
