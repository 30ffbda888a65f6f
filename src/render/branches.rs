//! Draws branches: one instance of a capsule's outline a node, as many as the kernels counted.

use std::collections::HashMap;

use glam::Vec4;

use super::lights::ShiningLights;
use super::shadow::Purpose;
use super::targets::HDR_FORMAT;
use super::{Frame, Lights, PREMULTIPLIED};
use crate::gpu::buffer::{INDEX, INDIRECT, STORAGE};
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

crate::gpu_struct! {
    /// Arguments of a dispatch, as wgpu reads them.
    pub struct DispatchArgs {
        /// Workgroups in a row.
        pub x: u32,
        /// Rows.
        pub y: u32,
        /// Layers.
        pub z: u32,
    }
}

crate::gpu_struct! {
    /// One branch as the vertex shader takes it.
    pub struct BranchInstance {
        /// The parent's position relative to the eye, and radius, in metres.
        pub start: Vec4,
        /// The node's own.
        pub end: Vec4,
        /// Linear colour and glow at the parent.
        pub start_color: Vec4,
        /// The node's own.
        pub end_color: Vec4,
    }
}

/// Segments of each round end on graphics cards.
const FINE: u32 = 6;
/// The same on adapters that compute on the CPU, where triangles this small cost by number.
const COARSE: u32 = 2;

/// The outline of a capsule: a point of the unit circle (to the side and along the axis) and the end it belongs
/// to (0 or 1); and triangles, counter-clockwise when the side is to the right of the axis.
fn outline(segments: u32) -> (Vec<[f32; 3]>, Vec<u32>) {
    let points = segments + 1;
    let mut vertices = Vec::new();
    let mut indices = Vec::new();
    for (first, end) in [(0, 1.0), (points, 0.0)] {
        for point in 0..points {
            let turn = point as f32 / segments as f32 + 1.0 - end;
            let (sin, cos) = (turn * std::f32::consts::PI).sin_cos();
            // The corners where the tube begins lie exactly across the axis.
            let tube = point == 0 || point == segments;
            vertices.push([if tube { cos.round() } else { cos }, if tube { 0.0 } else { sin }, end]);
        }
        for point in 1..segments {
            indices.extend([first, first + point, first + point + 1]);
        }
    }
    // Right and left corners of the far end, left and right ones of the near end.
    let (right1, left1, left0, right0) = (0, segments, points, points + segments);
    indices.extend([left0, right0, right1, left0, right1, left1]);
    (vertices, indices)
}

const CORNER: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Float32x3];
const BRANCH: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![1 => Float32x4, 2 => Float32x4, 3 => Float32x4, 4 => Float32x4];

/// The vertex buffers that [`BranchRenderer::draw_outlines`] sets: outline, and [`BranchInstance`]s.
pub(super) fn vertex_buffers() -> [Option<wgpu::VertexBufferLayout<'static>>; 2] {
    let layout = |stride: usize, step_mode, attributes| {
        Some(wgpu::VertexBufferLayout { array_stride: stride as u64, step_mode, attributes })
    };
    [
        layout(size_of::<[f32; 3]>(), wgpu::VertexStepMode::Vertex, &CORNER),
        layout(size_of::<BranchInstance>(), wgpu::VertexStepMode::Instance, &BRANCH),
    ]
}

/// Which branches a pass draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Thickness {
    /// All, those thinner than a pixel as wide as one.
    All,
    /// Those that are nowhere thinner than a pixel.
    Thick,
    /// The others: as wide as a pixel, and as faint as they are thin. They hide nothing, so they come last.
    Thin,
}

impl Thickness {
    /// What is drawn first, and what after everything solid. With one sample a pixel, faint lines would cost a
    /// second look at every branch for edges that are not smooth anyway.
    pub fn passes(samples: u32) -> (Self, Option<Self>) {
        if samples > 1 { (Self::Thick, Some(Self::Thin)) } else { (Self::All, None) }
    }
}

/// Draws branches.
#[derive(Debug)]
pub(super) struct BranchRenderer {
    shader: DrawShader,
    pipelines: HashMap<(Purpose, Thickness, bool), wgpu::RenderPipeline>,
    arguments: ComputePass,
    gather: ComputePass,
    draw_args: Buffer<DrawArgs>,
    dispatch_args: Buffer<DispatchArgs>,
    instances: Buffer<BranchInstance>,
    vertices: Buffer<[f32; 3]>,
    indices: Buffer<u32>,
}

const VERTEX: wgpu::BufferUsages = wgpu::BufferUsages::VERTEX;

impl BranchRenderer {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let (vertices, indices) = outline(if gpu.is_software() { COARSE } else { FINE });
        let args = DrawArgs { index_count: indices.len() as u32, ..Default::default() };
        let pass = |entry| ComputePass::new(gpu, shaders, "render/branch_instances", entry);
        Ok(Self {
            shader: DrawShader::new(gpu, shaders, "render/branches", &["capsule", "shade"])?,
            pipelines: HashMap::new(),
            arguments: pass("arguments")?,
            gather: pass("gather")?,
            draw_args: Buffer::from_slice(gpu, "branches/draw args", &[args], INDIRECT),
            dispatch_args: Buffer::new(gpu, "branches/dispatch args", 1, INDIRECT),
            instances: Buffer::new(gpu, "branches/instances", 0, STORAGE | VERTEX),
            vertices: Buffer::from_slice(gpu, "branches/outline", &vertices, STORAGE | VERTEX),
            indices: Buffer::from_slice(gpu, "branches/outline indices", &indices, INDEX),
        })
    }

    /// Records what turns nodes into instances and their number into the draw's arguments.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &Buffer<Frame>,
        branches: &Branches<'_>,
    ) -> Result<(), BuildError> {
        if self.instances.len() != branches.nodes.len() {
            self.instances = Buffer::new(gpu, "branches/instances", branches.nodes.len(), STORAGE | VERTEX);
        }
        let nodes = ("nodes", branches.nodes.raw());
        let count = ("count", branches.count.raw());
        let instances = ("instances", self.instances.raw());
        let args = [("draw_args", self.draw_args.raw()), ("dispatch_args", self.dispatch_args.raw())];
        let bound = self.arguments.bind(gpu, &[nodes, count, args[0], args[1], instances])?;
        self.arguments.dispatch(pass, &bound, Groups::Exact([1, 1, 1]));
        let bound = self.gather.bind(gpu, &[("frame", frame.raw()), nodes, count, instances])?;
        self.gather.dispatch(pass, &bound, Groups::Indirect(self.dispatch_args.raw(), 0));
        Ok(())
    }

    /// Records the draw.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Buffer<Frame>,
        light: Lights<'_>,
        purpose: Purpose,
        thickness: Thickness,
    ) -> Result<(), BuildError> {
        let [depth, sampler] = light.key_shadow.bindings(purpose);
        let given = [
            ("frame", frame.raw().as_entire_binding()),
            light.environment.irradiance(),
            light.of_file.binding(),
            depth,
            sampler,
        ];
        let group = self.shader.bind(gpu, 0, &given)?;
        let Self { shader, pipelines, .. } = self;
        let lit_by_file = light.of_file.shine();
        let pipeline = pipelines.entry((purpose, thickness, lit_by_file)).or_insert_with(|| {
            let state = purpose.state();
            let (color, depth) = match thickness {
                Thickness::All | Thickness::Thick => (state.color.clone(), state.depth),
                Thickness::Thin => (
                    Some(wgpu::ColorTargetState {
                        format: HDR_FORMAT,
                        blend: Some(PREMULTIPLIED),
                        write_mask: wgpu::ColorWrites::ALL,
                    }),
                    Some((wgpu::CompareFunction::Greater, false)),
                ),
            };
            shader.pipeline(
                gpu,
                &DrawState {
                    color,
                    depth,
                    vertex: "capsule",
                    fragment: (purpose != Purpose::Cast).then_some("shade"),
                    buffers: &vertex_buffers(),
                    constants: &[
                        purpose.is_cast(),
                        purpose.has_shadow(),
                        ShiningLights::constant(lit_by_file),
                        ("only_thick", f64::from(thickness == Thickness::Thick)),
                        ("only_thin", f64::from(thickness == Thickness::Thin)),
                    ],
                    ..state
                },
            )
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        self.draw_outlines(pass);
        Ok(())
    }

    /// Records the draw alone, for a pipeline that takes [`vertex_buffers`] and has been set.
    pub fn draw_outlines(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_vertex_buffer(0, self.vertices.raw().slice(..));
        pass.set_vertex_buffer(1, self.instances.raw().slice(..));
        pass.set_index_buffer(self.indices.raw().slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed_indirect(self.draw_args.raw(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_cover_a_capsule_once() {
        for segments in [FINE, COARSE] {
            let (vertices, indices) = outline(segments);
            let place = |i: u32| {
                let [side, along, end] = vertices[i as usize];
                glam::Vec2::new(side, along + 2.0 * end)
            };
            let area: f32 = indices
                .chunks_exact(3)
                .map(|t| {
                    let [a, b, c] = [place(t[0]), place(t[1]), place(t[2])];
                    let area = 0.5 * (b - a).perp_dot(c - a);
                    assert!(area > 0.0, "{segments} segments: {t:?} is turned round");
                    area
                })
                .sum();
            // A tube 2 wide and 2 long, and two halves of a polygon of twice as many corners as segments.
            let corners = 2.0 * segments as f32;
            let polygon = 0.5 * corners * (std::f32::consts::TAU / corners).sin();
            assert!((area - (4.0 + polygon)).abs() < 1e-5, "{segments} segments: {area}");
        }
    }
}
