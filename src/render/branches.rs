//! Draws branches: one instance of a capsule mesh a node, as many as the kernels counted.

use std::collections::HashMap;

use glam::Vec4;

use super::Frame;
use super::targets::HDR_FORMAT;
use crate::gpu::buffer::{INDEX, INDIRECT};
use crate::gpu::{Buffer, BuildError, ComputePass, DrawShader, DrawState, Gpu, Groups, ShaderLibrary};
use crate::sim::growth::Branches;

crate::gpu_struct! {
    /// Arguments of an indexed draw, as wgpu reads them.
    pub struct DrawArgs {
        /// Indices of the mesh.
        pub index_count: u32,
        /// Instances; written by the kernel.
        pub instance_count: u32,
        /// First index.
        pub first_index: u32,
        /// Added to every index.
        pub base_vertex: i32,
        /// First instance.
        pub first_instance: u32,
    }
}

/// How finely capsules are meshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Detail {
    /// Sides of the tube.
    sides: u16,
    /// Rings of each cap between its rim and its pole.
    rings: u16,
}

/// For graphics cards.
const FINE: Detail = Detail { sides: 10, rings: 2 };
/// For adapters that compute on the CPU, where triangles this small cost by number.
const COARSE: Detail = Detail { sides: 5, rings: 0 };

/// Vertices (the circle's cosine and sine, the normal's part along the axis, the end 0 or 1) and triangles of
/// a capsule, counter-clockwise outside.
fn capsule(detail: Detail) -> (Vec<Vec4>, Vec<u32>) {
    let (sides, rings) = (u32::from(detail.sides.max(3)), u32::from(detail.rings));
    // Rows of latitude from one pole to the other; the two poles are rows of a single vertex.
    let mut vertices = vec![Vec4::new(1.0, 0.0, -1.0, 0.0)];
    let quarter = std::f32::consts::FRAC_PI_2;
    let cap = |ring: u32| (ring as f32 / (rings + 1) as f32 * quarter).sin();
    let rows: Vec<(f32, f32)> = (0..=rings)
        .rev()
        .map(|ring| (-cap(ring), 0.0))
        .chain((0..=rings).map(|ring| (cap(ring), 1.0)))
        .collect();
    for &(along, end) in &rows {
        for side in 0..sides {
            let (sin, cos) = (side as f32 / sides as f32 * std::f32::consts::TAU).sin_cos();
            vertices.push(Vec4::new(cos, sin, along, end));
        }
    }
    let last = vertices.len() as u32;
    vertices.push(Vec4::new(1.0, 0.0, 1.0, 1.0));
    let at = |row: u32, side: u32| 1 + row * sides + side % sides;
    let row_count = rows.len() as u32;
    let mut indices = Vec::new();
    for side in 0..sides {
        indices.extend([0, at(0, side + 1), at(0, side)]);
        for row in 0..row_count - 1 {
            let [a, b] = [at(row, side), at(row, side + 1)];
            let [c, d] = [at(row + 1, side), at(row + 1, side + 1)];
            indices.extend([a, b, d, a, d, c]);
        }
        indices.extend([last, at(row_count - 1, side), at(row_count - 1, side + 1)]);
    }
    (vertices, indices)
}

/// Draws branches.
#[derive(Debug)]
pub(super) struct BranchRenderer {
    shader: DrawShader,
    pipelines: HashMap<u32, wgpu::RenderPipeline>,
    count_pass: ComputePass,
    args: Buffer<DrawArgs>,
    vertices: Buffer<Vec4>,
    indices: Buffer<u32>,
}

impl BranchRenderer {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let (vertices, indices) = capsule(if gpu.is_software() { COARSE } else { FINE });
        let args = DrawArgs { index_count: indices.len() as u32, ..Default::default() };
        let vertex_usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
        Ok(Self {
            shader: DrawShader::new(gpu, shaders, "render/branches", &["capsule", "shade"])?,
            pipelines: HashMap::new(),
            count_pass: ComputePass::new(gpu, shaders, "render/branch_args", "main")?,
            args: Buffer::from_slice(gpu, "branches/args", &[args], INDIRECT),
            vertices: Buffer::from_slice(gpu, "branches/capsule", &vertices, vertex_usage),
            indices: Buffer::from_slice(gpu, "branches/capsule indices", &indices, INDEX),
        })
    }

    /// Records the copy of the node count into the draw's arguments.
    pub fn prepare(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        branches: &Branches<'_>,
    ) -> Result<(), BuildError> {
        let bound = self.count_pass.bind(
            gpu,
            &[("count", branches.count.raw()), ("args", self.args.raw()), ("nodes", branches.nodes.raw())],
        )?;
        self.count_pass.dispatch(pass, &bound, Groups::Exact([1, 1, 1]));
        Ok(())
    }

    /// Records the draw.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Buffer<Frame>,
        branches: &Branches<'_>,
        samples: u32,
    ) -> Result<(), BuildError> {
        let group = self.shader.bind(
            gpu,
            0,
            &[
                ("frame", frame.raw().as_entire_binding()),
                ("nodes", branches.nodes.raw().as_entire_binding()),
            ],
        )?;
        let Self { shader, pipelines, .. } = self;
        let pipeline = pipelines.entry(samples).or_insert_with(|| {
            let layout = wgpu::VertexBufferLayout {
                array_stride: size_of::<Vec4>() as u64,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &wgpu::vertex_attr_array![0 => Float32x4],
            };
            shader.pipeline(
                gpu,
                &DrawState {
                    vertex: "capsule",
                    fragment: Some("shade"),
                    buffers: &[Some(layout)],
                    cull: Some(wgpu::Face::Back),
                    depth: Some((wgpu::CompareFunction::Greater, true)),
                    color: Some(HDR_FORMAT.into()),
                    samples,
                    ..DrawState::default()
                },
            )
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, self.vertices.raw().slice(..));
        pass.set_index_buffer(self.indices.raw().slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed_indirect(self.args.raw(), 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn capsules_are_closed_and_turned_outwards() {
        for detail in [FINE, COARSE] {
            let (vertices, indices) = capsule(detail);
            let place = |i: u32| {
                let v = vertices[i as usize];
                let across = (1.0 - v.z * v.z).max(0.0).sqrt();
                Vec3::new(v.x * across, v.y * across, v.z + 2.0 * v.w)
            };
            let mut volume = 0.0;
            let mut edges = std::collections::HashMap::<(u32, u32), i32>::new();
            for t in indices.chunks_exact(3) {
                let [a, b, c] = [place(t[0]), place(t[1]), place(t[2])];
                volume += a.dot(b.cross(c)) / 6.0;
                for [from, to] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
                    *edges.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
                }
            }
            assert!(edges.values().all(|&balance| balance == 0), "{detail:?} is open");
            // A capsule of radius 1 and length 2 holds 2 pi + 4/3 pi = 10.5; the coarse one is a pentagon.
            assert!(volume > 5.0 && volume < 10.5, "{detail:?} holds {volume}");
        }
    }
}
