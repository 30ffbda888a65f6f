// Whether a segment stays inside the body: points at most half a voxel apart are tested, the end with them and the
// start not, as `VoxelVolume::segment_inside` does. Reads `volume`.
fn segment_inside(a: vec3<i32>, b: vec3<i32>) -> bool {
    let span = b - a;
    let reach = abs(span);
    let steps = max(reach.x, max(reach.y, reach.z)) / (rule.voxel_edge / 2) + 1;
    for (var i = 1; i <= steps; i++) {
        let offset = a + span * i / steps - rule.voxel_origin;
        let voxel = vec3<u32>(offset / rule.voxel_edge);
        if any(offset < vec3<i32>(0)) || any(voxel >= rule.voxel_dims) {
            return false;
        }
        let bit = (voxel.z * rule.voxel_dims.y + voxel.y) * rule.voxel_dims.x + voxel.x;
        if (volume[bit / 32u] >> (bit % 32u) & 1u) == 0u {
            return false;
        }
    }
    return true;
}
