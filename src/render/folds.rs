//! Hands the folds of each triangle to its fragments: a kernel gathers them, and every triangle is drawn with a
//! corner of its own first, whose flat output is the triangle's number.

use glam::Vec4;

use super::uniform::Frame;
use crate::gpu::buffer::STORAGE;
use crate::gpu::{Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};
use crate::sim::wrinkles::FoldField;

crate::gpu_struct! {
    /// What a triangle's fragments need of its folds; all zero where it has none. Lengths are fractions of H.
    pub struct FoldTriangle {
        /// First corner, world metres.
        pub origin: [f32; 3],
        /// Height of the folds at the first corner.
        pub amplitude0: f32,
        /// Gradient of the second corner's barycentric weight over the posed triangle, 1/H.
        pub weight1: [f32; 3],
        /// Height of the folds at the second corner.
        pub amplitude1: f32,
        /// Gradient of the third corner's weight, 1/H.
        pub weight2: [f32; 3],
        /// Height of the folds at the third corner.
        pub amplitude2: f32,
        /// Real parts of the corners' waves, each at most 1 long and told in the direction of the first's.
        pub re: [f32; 3],
        /// Imaginary part of the first corner's wave.
        pub im0: f32,
        /// Phase of each corner's wave at the corner after it.
        pub next: [f32; 3],
        /// Imaginary part of the second corner's wave.
        pub im1: f32,
        /// Phase of each corner's wave at the corner before it.
        pub last: [f32; 3],
        /// Imaginary part of the third corner's wave.
        pub im2: f32,
    }
}

crate::gpu_struct! {
    /// A vertex as it is drawn.
    pub struct DrawVertex {
        /// The surface's vertex.
        pub source: u32,
        /// The triangle that it leads, if any.
        pub triangle: u32,
    }
}

/// Triangles that each begin with a vertex no other triangle begins with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LedTriangles {
    /// The surface's vertices in order, and behind them copies for triangles that found no free corner.
    pub vertices: Vec<DrawVertex>,
    /// The same triangles in the same order and sense, over `vertices`, each turned to begin with its leader.
    pub indices: Vec<u32>,
}

impl LedTriangles {
    /// Gives each triangle of `indices` (below `vertex_count`) its first corner: one of its vertices that leads
    /// none yet, or a copy.
    pub fn new(vertex_count: usize, indices: &[u32]) -> Self {
        const FREE: u32 = u32::MAX;
        let mut vertices: Vec<_> =
            (0..vertex_count as u32).map(|source| DrawVertex { source, triangle: FREE }).collect();
        let mut led = Vec::with_capacity(indices.len());
        for (number, corners) in indices.chunks_exact(3).enumerate() {
            let triangle = number as u32;
            let free = (0..3).find(|&k| vertices[corners[k] as usize].triangle == FREE);
            let first = free.unwrap_or(0);
            let leader = match free {
                Some(k) => {
                    vertices[corners[k] as usize].triangle = triangle;
                    corners[k]
                }
                None => {
                    vertices.push(DrawVertex { source: corners[0], triangle });
                    vertices.len() as u32 - 1
                }
            };
            led.extend([leader, corners[(first + 1) % 3], corners[(first + 2) % 3]]);
        }
        Self { vertices, indices: led }
    }

    /// The triangles in the same order, each turned alike, over the surface's own vertices: equal depths come of
    /// equal corners in an equal order alone.
    pub fn over_surface(&self) -> Vec<u32> {
        self.indices.iter().map(|&index| self.vertices[index as usize].source).collect()
    }
}

/// The kernel.
#[derive(Debug)]
pub(super) struct FoldKernel {
    gather: ComputePass,
}

impl FoldKernel {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        Ok(Self { gather: ComputePass::new(gpu, shaders, "render/fold_triangles", "main")? })
    }

    /// Records the folds of as many triangles as `triangles` has room for.
    pub fn record(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &Buffer<Frame>,
        positions: &Buffer<Vec4>,
        field: &FoldField<'_>,
        triangles: &Buffer<FoldTriangle>,
    ) -> Result<(), BuildError> {
        let bound = self.gather.bind(
            gpu,
            &[
                ("frame", frame.raw()),
                ("positions", positions.raw()),
                ("field_triangles", field.triangles.raw()),
                ("half_edges", field.half_edges.raw()),
                ("edges", field.edges.raw()),
                ("masked", field.headings.raw()),
                ("states", field.states.raw()),
                ("fold_triangles", triangles.raw()),
            ],
        )?;
        self.gather.dispatch(pass, &bound, Groups::Items(triangles.len()));
        Ok(())
    }
}

/// Room for the folds of `count` triangles; none where that is more than the device binds, with a log line.
pub(super) fn fold_triangles(gpu: &Gpu, count: usize) -> Buffer<FoldTriangle> {
    let bytes = (count * size_of::<FoldTriangle>()) as u64;
    let limit = gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size);
    let count = if bytes > limit {
        log::warn!("folds of {count} triangles are more than this adapter binds; none are drawn");
        0
    } else {
        count
    };
    Buffer::new(gpu, "body/fold triangles", count, STORAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_triangle_has_a_first_corner_of_its_own_and_stays_what_it_was() {
        // A closed fan, a lone triangle, and one vertex used by more triangles than it has neighbours.
        let indices = [0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2, 4, 5, 6, 0, 1, 2, 4, 4, 5];
        let led = LedTriangles::new(7, &indices);
        let mut leaders = std::collections::BTreeSet::new();
        for (number, (was, is)) in indices.chunks_exact(3).zip(led.indices.chunks_exact(3)).enumerate() {
            let sources: Vec<u32> = is.iter().map(|&i| led.vertices[i as usize].source).collect();
            let turned = (0..3).any(|k| (0..3).all(|c| sources[c] == was[(c + k) % 3]));
            assert!(turned, "triangle {number} was {was:?} and is {sources:?}");
            assert_eq!(led.vertices[is[0] as usize].triangle, number as u32);
            assert!(leaders.insert(is[0]), "triangle {number} shares its leader");
        }
        assert!(led.vertices.len() < 7 + 4, "few copies: {}", led.vertices.len());
    }
}
