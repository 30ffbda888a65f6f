//! What stands in for a volume where a mesh has none: a thin layer round its surface.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::IVec3;

use super::{Candidates, VoxelVolume, hash, voxels::bounds};

/// The most points tried on all triangles.
const MAX_POINTS: u64 = 1 << 24;

/// Candidates on the surface, one for each voxel that the surface passes, and the layer of voxels round them in
/// which branches may run; `None` once `cancel` is set.
///
/// `shift` is the size of voxels and `spacing` the wanted distance of points in lattice units.
#[must_use]
pub fn surface_layer(
    points: &[IVec3],
    indices: &[u32],
    shift: u32,
    spacing: i32,
    jitter: f32,
    cancel: &AtomicBool,
) -> Option<(VoxelVolume, Candidates)> {
    let corners = |t: &[u32]| -> Option<[IVec3; 3]> {
        let corner = |k: usize| points.get(t[k] as usize).copied();
        Some([corner(0)?, corner(1)?, corner(2)?])
    };
    // Points on a triangle stand at most half a voxel apart.
    let steps = |corners: [IVec3; 3], shift: u32| {
        let (low, high) = bounds(&corners);
        i64::from((high - low).max_element()) * 2 / (1 << shift) + 1
    };
    let mut shift = shift;
    loop {
        let tried: u64 = indices
            .chunks_exact(3)
            .filter_map(corners)
            .map(|c| {
                let n = steps(c, shift) as u64;
                (n + 1) * (n + 2) / 2
            })
            .sum();
        // A soup of more triangles than that gets a point or three on each and no coarser.
        if tried <= MAX_POINTS.max(indices.len() as u64) || shift >= 17 {
            break;
        }
        shift += 1;
    }
    let mut volume = VoxelVolume::around(points, shift);
    let mut candidates = Candidates::default();
    for (at, triangle) in indices.chunks_exact(3).enumerate() {
        if at % 256 == 0 && cancel.load(Ordering::Relaxed) {
            return None;
        }
        let Some(c) = corners(triangle) else { continue };
        let n = steps(c, shift);
        let [a, b, c] = c.map(|corner| corner.as_i64vec3());
        for i in 0..=n {
            for j in 0..=n - i {
                let point = (a * (n - i - j) + b * i + c * j) / n;
                let point = point.as_ivec3();
                let Some(voxel) = volume.voxel_at(point) else { continue };
                let index = volume.index(voxel);
                if !volume.get(index) {
                    volume.set(index);
                    candidates.push(point, hash(index as u32), spacing, jitter);
                }
            }
        }
    }
    Some((volume.dilated(), candidates))
}
