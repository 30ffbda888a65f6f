//! Draws leaves or blossoms: one instance of a small shape for every node that bears one, as many as the kernels
//! counted. Nothing is made before leaves are first asked for.

use std::collections::HashMap;

use glam::{Vec3, Vec4};

use super::flock::ShapeCorner;
use super::flock::shapes::{both_sides, flat_corners};
use super::lights::ShiningLights;
use super::shadow::Purpose;
use super::{Frame, Lights, Scene};
use crate::gpu::buffer::{INDIRECT, STORAGE, UNIFORM};
use crate::gpu::scan::{Scan, ScanBound};
use crate::gpu::{Buffer, BuildError, ComputePass, DrawShader, DrawState, Gpu, Groups, ShaderLibrary};
use crate::sim::growth::{BranchNode, Branches};

crate::gpu_struct! {
    /// What leaves are drawn with.
    pub struct LeafLook {
        /// 1 leaves, 2 blossoms.
        pub kind: u32,
        /// Length of a leaf, width of a blossom.
        pub size_m: f32,
        /// 0 spring, a third summer, two thirds autumn, 1 bare.
        pub season: f32,
        /// Padding.
        pub pad0: u32,
    }
}

crate::gpu_struct! {
    /// Arguments of a draw without indices, as wgpu reads them.
    pub struct LeafArgs {
        /// Corners of the shape.
        pub vertex_count: u32,
        /// Leaves; written by the kernel.
        pub instance_count: u32,
        /// First corner.
        pub first_vertex: u32,
        /// First leaf.
        pub first_instance: u32,
    }
}

crate::gpu_struct! {
    /// One leaf as the vertex shader takes it.
    pub struct LeafInstance {
        /// Where it is fixed, relative to the eye, and its size, in metres.
        pub base: Vec4,
        /// Unit, from its base to its end.
        pub ahead: Vec4,
        /// Unit, square on its upper side.
        pub up: Vec4,
        /// Linear.
        pub color: Vec4,
    }
}

const VERTEX: wgpu::BufferUsages = wgpu::BufferUsages::VERTEX;

/// A leaf, one long from its base at the origin along z, folded along its middle and bent down at its end. Two triangles
/// where corners cost time, else eight.
fn leaf(coarse: bool) -> Vec<ShapeCorner> {
    let (base, tip) = (Vec3::ZERO, Vec3::new(0.0, -0.12, 1.0));
    if coarse {
        return flat_corners(&both_sides(&[[base, tip, Vec3::new(0.27, 0.09, 0.42)]]));
    }
    let [low, high] = [Vec3::new(0.0, 0.02, 0.35), Vec3::new(0.0, -0.02, 0.7)];
    let [wide, narrow] = [Vec3::new(0.27, 0.10, 0.34), Vec3::new(0.18, 0.03, 0.68)];
    flat_corners(&both_sides(&[
        [base, low, wide],
        [low, high, narrow],
        [low, narrow, wide],
        [high, tip, narrow],
    ]))
}

/// A blossom one wide about the y axis: five petals that rise to a cup, golden where they meet.
fn blossom() -> Vec<ShapeCorner> {
    let petal = |k: u32| {
        let (sin, cos) = (k as f32 / 5.0 * std::f32::consts::TAU).sin_cos();
        let at = |side: f32, out: f32, up: f32| Vec3::new(cos * side + sin * out, up, cos * out - sin * side);
        let (heart, end) = (at(0.0, 0.0, 0.02), at(0.0, 0.5, 0.14));
        let [left, right] = [-0.2, 0.2].map(|side| at(side, 0.33, 0.16));
        [[heart, end, right], [heart, left, end]]
    };
    let triangles: Vec<_> = (0..5).flat_map(petal).collect();
    let mut corners = flat_corners(&triangles);
    for corner in corners.iter_mut().step_by(3) {
        corner.tint = [1.0, 0.62, 0.12];
    }
    corners
}

/// What belongs to as many nodes as there can be.
#[derive(Debug)]
struct Stock {
    nodes: wgpu::Buffer,
    marks: Buffer<u32>,
    places: Buffer<u32>,
    scan: ScanBound,
    instances: Buffer<LeafInstance>,
}

/// The shape of a kind, and the draw's arguments.
#[derive(Debug)]
struct Shape {
    kind: u32,
    corners: Buffer<ShapeCorner>,
    draw_args: Buffer<LeafArgs>,
}

impl Shape {
    fn new(gpu: &Gpu, kind: u32) -> Self {
        let corners = if kind == 2 { blossom() } else { leaf(gpu.is_software()) };
        let args = LeafArgs { vertex_count: corners.len() as u32, ..Default::default() };
        Self {
            kind,
            corners: Buffer::from_slice(gpu, "leaves/shape", &corners, STORAGE | VERTEX),
            draw_args: Buffer::from_slice(gpu, "leaves/draw args", &[args], INDIRECT),
        }
    }
}

/// Draws leaves.
#[derive(Debug)]
pub(super) struct LeafRenderer {
    shader: DrawShader,
    pipelines: HashMap<(Purpose, bool), wgpu::RenderPipeline>,
    mark: ComputePass,
    scan: Scan,
    arguments: ComputePass,
    gather: ComputePass,
    look: Buffer<LeafLook>,
    shape: Option<Shape>,
    stock: Option<Stock>,
    /// Whether the frame has any.
    shown: bool,
}

impl LeafRenderer {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass = |entry| ComputePass::new(gpu, shaders, "render/leaf_instances", entry);
        Ok(Self {
            shader: DrawShader::new(gpu, shaders, "render/leaves", &["leaf", "shade"])?,
            pipelines: HashMap::new(),
            mark: pass("mark")?,
            scan: Scan::new(gpu, shaders)?,
            arguments: pass("arguments")?,
            gather: pass("gather")?,
            look: Buffer::new(gpu, "leaves/look", 1, UNIFORM),
            shape: None,
            stock: None,
            shown: false,
        })
    }

    fn stock_for(&self, gpu: &Gpu, nodes: &Buffer<BranchNode>) -> Result<Stock, BuildError> {
        // One more than nodes: its prefix sum is the number of leaves.
        let marks = Buffer::new(gpu, "leaves/marks", nodes.len() + 1, STORAGE);
        let places = Buffer::new(gpu, "leaves/places", nodes.len() + 1, STORAGE);
        let scan = self.scan.bind(gpu, "leaves", &marks, &places)?;
        let instances = Buffer::new(gpu, "leaves/instances", nodes.len(), STORAGE | VERTEX);
        Ok(Stock { nodes: nodes.raw().clone(), marks, places, scan, instances })
    }

    /// Records what turns nodes into leaves; nothing where the scene has none.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        frame: &Buffer<Frame>,
        branches: &Branches<'_>,
        scene: &Scene<'_>,
    ) -> Result<(), BuildError> {
        let params = &scene.params.growth;
        self.shown = params.leaves != 0;
        if !self.shown {
            self.stock = None;
            return Ok(());
        }
        let stock = match self.stock.take().filter(|stock| stock.nodes == *branches.nodes.raw()) {
            Some(stock) => stock,
            None => self.stock_for(gpu, branches.nodes)?,
        };
        let shape = match self.shape.take().filter(|shape| shape.kind == params.leaves) {
            Some(shape) => shape,
            None => Shape::new(gpu, params.leaves),
        };
        let size_m = params.leaf_size * scene.extent_m;
        let look = LeafLook { kind: params.leaves, size_m, season: params.season, ..Default::default() };
        self.look.write(gpu, 0, &[look]);
        let (nodes, count) = (("nodes", branches.nodes.raw()), ("count", branches.count.raw()));
        let (look, places) = (("look", self.look.raw()), ("places", stock.places.raw()));
        let instances = ("instances", stock.instances.raw());
        let bound = self.mark.bind(gpu, &[nodes, count, ("marks", stock.marks.raw()), look])?;
        self.mark.dispatch(pass, &bound, Groups::Items(stock.marks.len()));
        self.scan.record(pass, &stock.scan);
        let bound =
            self.arguments.bind(gpu, &[nodes, places, ("draw_args", shape.draw_args.raw()), instances])?;
        self.arguments.dispatch(pass, &bound, Groups::Exact([1, 1, 1]));
        let bound =
            self.gather.bind(gpu, &[("frame", frame.raw()), nodes, count, places, instances, look])?;
        self.gather.dispatch(pass, &bound, Groups::Items(branches.nodes.len()));
        (self.stock, self.shape) = (Some(stock), Some(shape));
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
    ) -> Result<(), BuildError> {
        let (true, Some(stock), Some(shape)) = (self.shown, &self.stock, &self.shape) else { return Ok(()) };
        let [depth, sampler] = light.key_shadow.bindings(purpose);
        let given = [
            ("frame", frame.raw().as_entire_binding()),
            light.environment.irradiance(),
            light.of_file.binding(),
            depth,
            sampler,
        ];
        let group = self.shader.bind(gpu, 0, &given)?;
        let lit_by_file = light.of_file.shine();
        let pipeline = self.pipelines.entry((purpose, lit_by_file)).or_insert_with(|| {
            let layout = |stride: usize, step_mode, attributes| {
                Some(wgpu::VertexBufferLayout { array_stride: stride as u64, step_mode, attributes })
            };
            let at = |offset: usize, shader_location| wgpu::VertexAttribute {
                format: wgpu::VertexFormat::Float32x3,
                offset: offset as u64,
                shader_location,
            };
            let corner = [
                at(std::mem::offset_of!(ShapeCorner, position), 0),
                at(std::mem::offset_of!(ShapeCorner, normal), 1),
                at(std::mem::offset_of!(ShapeCorner, tint), 2),
            ];
            let leaf =
                wgpu::vertex_attr_array![3 => Float32x4, 4 => Float32x4, 5 => Float32x4, 6 => Float32x4];
            self.shader.pipeline(
                gpu,
                &DrawState {
                    vertex: "leaf",
                    fragment: (purpose != Purpose::Cast).then_some("shade"),
                    buffers: &[
                        layout(size_of::<ShapeCorner>(), wgpu::VertexStepMode::Vertex, &corner),
                        layout(size_of::<LeafInstance>(), wgpu::VertexStepMode::Instance, &leaf),
                    ],
                    constants: &[
                        purpose.is_cast(),
                        purpose.has_shadow(),
                        ShiningLights::constant(lit_by_file),
                    ],
                    ..purpose.state()
                },
            )
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, shape.corners.raw().slice(..));
        pass.set_vertex_buffer(1, stock.instances.raw().slice(..));
        pass.draw_indirect(shape.draw_args.raw(), 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_sides_look_up_and_shapes_are_one_long_or_wide() {
        for (corners, most) in [(leaf(true), 6), (leaf(false), 24), (blossom(), 30)] {
            assert!(corners.len() <= most && corners.len().is_multiple_of(3));
            assert!(corners.iter().all(|corner| corner.normal[1] > 0.3), "a side is turned round");
        }
        let far = |corners: &[ShapeCorner]| {
            corners.iter().map(|c| Vec3::from(c.position).with_y(0.0).length()).fold(0.0, f32::max)
        };
        assert!((far(&leaf(false)) - 1.0).abs() < 1e-6 && (far(&leaf(true)) - 1.0).abs() < 1e-6);
        assert!((far(&blossom()) - 0.5).abs() < 1e-6);
    }
}
