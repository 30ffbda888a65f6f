// Whether a segment stays inside the body: points less than a voxel apart are tested, the end with them and
// the start not, as `VoxelVolume::segment_inside` does. Voxels and steps are powers of two, so that nothing is
// divided. Reads `volume`.
fn segment_inside(a: vec3<i32>, b: vec3<i32>) -> bool {
    let span = b - a;
    let reach = abs(span);
    let voxels = u32(max(reach.x, max(reach.y, reach.z))) >> rule.voxel_shift;
    // The least power of two above that many; firstLeadingBit of zero is -1.
    let doublings = vec3<u32>(firstLeadingBit(voxels) + 1u);
    let start = a - rule.voxel_origin;
    for (var i = 1i; i <= 1i << doublings.x; i++) {
        let offset = start + ((span * i) >> doublings);
        // Below zero becomes far above every dimension.
        let voxel = vec3<u32>(offset >> vec3<u32>(rule.voxel_shift));
        if any(voxel >= rule.voxel_dims) {
            return false;
        }
        let bit = (voxel.z * rule.voxel_dims.y + voxel.y) * rule.voxel_dims.x + voxel.x;
        if (volume[bit / 32u] >> (bit % 32u) & 1u) == 0u {
            return false;
        }
    }
    return true;
}
