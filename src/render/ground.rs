//! Draws the ground: a pool of light with a grid, and on it the shadow of the body, or of the branches where the body
//! is hidden.

use std::collections::HashMap;

use glam::Vec2;

use super::branches::{self, BranchRenderer};
use super::shadow::Purpose;
use super::targets::HDR_FORMAT;
use super::{CLEAR, Frame, Lights, PREMULTIPLIED, Scene, color_attachment};
use crate::gpu::buffer::UNIFORM;
use crate::gpu::texture::TextureShape;
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, Profiler, ShaderLibrary, Texture};

const SHADOW_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rg8Unorm;
/// Texels along a side of the shadow picture, and on adapters that compute on the CPU.
const SHADOW_SIDE: u32 = 256;
const SHADOW_SIDE_SOFTWARE: u32 = 96;

crate::gpu_struct! {
    /// Direction of a blur.
    pub struct BlurUniform {
        /// One texel along the axis, in texture coordinates.
        pub step: Vec2,
        /// Padding.
        pub pad0: Vec2,
    }
}

/// Draws the ground.
#[derive(Debug)]
pub(super) struct GroundRenderer {
    plane: DrawShader,
    planes: HashMap<Purpose, wgpu::RenderPipeline>,
    shadow: DrawShader,
    body: wgpu::RenderPipeline,
    branch: wgpu::RenderPipeline,
    blur: wgpu::RenderPipeline,
    /// Along u from the sharp picture into the other, along v back.
    blur_groups: [wgpu::BindGroup; 2],
    sharp: Texture,
    half_blurred: Texture,
    sampler: wgpu::Sampler,
}

impl GroundRenderer {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let plane = DrawShader::new(gpu, shaders, "render/ground", &["plane", "shade"])?;
        let shadow = DrawShader::new(gpu, shaders, "render/shadow", &["body", "branch", "cover"])?;
        let blur = DrawShader::new(gpu, shaders, "render/blur", &["screen", "soften"])?;
        let side = if gpu.is_software() { SHADOW_SIDE_SOFTWARE } else { SHADOW_SIDE };
        let picture = |label| Texture::new(gpu, label, TextureShape::target([side; 2], SHADOW_FORMAT));
        let (sharp, half_blurred) = (picture("ground/shadow"), picture("ground/shadow, half blurred"));
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("ground/shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let texel = 1.0 / side as f32;
        let blur_group = |step: Vec2, source: &Texture| {
            let uniform = BlurUniform { step, pad0: Vec2::ZERO };
            let uniform = Buffer::from_slice(gpu, "ground/blur", &[uniform], UNIFORM);
            blur.bind(
                gpu,
                0,
                &[
                    ("blur", uniform.raw().as_entire_binding()),
                    ("source", wgpu::BindingResource::TextureView(source.view())),
                    ("source_sampler", wgpu::BindingResource::Sampler(&sampler)),
                ],
            )
        };
        let blur_groups =
            [blur_group(Vec2::new(texel, 0.0), &sharp)?, blur_group(Vec2::new(0.0, texel), &half_blurred)?];
        let thrown = |vertex, buffers: &[_], operation| {
            let component = wgpu::BlendComponent {
                src_factor: wgpu::BlendFactor::One,
                dst_factor: wgpu::BlendFactor::One,
                operation,
            };
            shadow.pipeline(
                gpu,
                &DrawState {
                    vertex,
                    fragment: Some("cover"),
                    buffers,
                    color: Some(wgpu::ColorTargetState {
                        format: SHADOW_FORMAT,
                        blend: Some(wgpu::BlendState { color: component, alpha: component }),
                        write_mask: wgpu::ColorWrites::ALL,
                    }),
                    constants: &[("shadow_side", f64::from(side))],
                    ..DrawState::default()
                },
            )
        };
        let body = thrown("body", &[], wgpu::BlendOperation::Max);
        let branch = thrown("branch", &branches::vertex_buffers(), wgpu::BlendOperation::Add);
        Ok(Self {
            planes: HashMap::new(),
            body,
            branch,
            blur: blur.pipeline(
                gpu,
                &DrawState {
                    vertex: "screen",
                    fragment: Some("soften"),
                    color: Some(SHADOW_FORMAT.into()),
                    ..DrawState::default()
                },
            ),
            plane,
            shadow,
            blur_groups,
            sharp,
            half_blurred,
            sampler,
        })
    }

    /// Records the shadow picture of the posed body, or of `branches` where they are given.
    pub fn shadow(
        &self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Buffer<Frame>,
        scene: &Scene<'_>,
        branches: Option<&BranchRenderer>,
    ) -> Result<(), BuildError> {
        let surface = scene.surface;
        let group = self.shadow.bind(
            gpu,
            0,
            &[
                ("frame", frame.raw().as_entire_binding()),
                ("positions", surface.positions.raw().as_entire_binding()),
            ],
        )?;
        {
            let target = [Some(color_attachment(self.sharp.view(), None, CLEAR))];
            let mut pass = profiler.render_pass(encoder, "render/shadow", &target, None);
            pass.set_bind_group(0, &group, &[]);
            if scene.params.view.body {
                pass.set_pipeline(&self.body);
                pass.set_index_buffer(surface.indices.raw().slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(0..surface.indices.len() as u32, 0, 0..1);
            } else if let Some(branches) = branches {
                pass.set_pipeline(&self.branch);
                branches.draw_outlines(&mut pass);
            }
        }
        for (group, target) in self.blur_groups.iter().zip([&self.half_blurred, &self.sharp]) {
            let target = [Some(color_attachment(target.view(), None, CLEAR))];
            let mut pass = profiler.render_pass(encoder, "render/shadow blur", &target, None);
            pass.set_pipeline(&self.blur);
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..3, 0..1);
        }
        Ok(())
    }

    /// Records the ground itself.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Buffer<Frame>,
        light: Lights<'_>,
        purpose: Purpose,
    ) -> Result<(), BuildError> {
        let [key_depth, key_sampler] = light.key_shadow.bindings(purpose);
        let group = self.plane.bind(
            gpu,
            0,
            &[
                ("frame", frame.raw().as_entire_binding()),
                ("shadow_texture", wgpu::BindingResource::TextureView(self.sharp.view())),
                ("shadow_sampler", wgpu::BindingResource::Sampler(&self.sampler)),
                light.environment.irradiance(),
                key_depth,
                key_sampler,
            ],
        )?;
        let Self { plane, planes, .. } = self;
        let pipeline = planes.entry(purpose).or_insert_with(|| {
            plane.pipeline(
                gpu,
                &DrawState {
                    vertex: "plane",
                    fragment: Some("shade"),
                    topology: wgpu::PrimitiveTopology::TriangleStrip,
                    depth: Some((wgpu::CompareFunction::Greater, false)),
                    color: Some(wgpu::ColorTargetState {
                        format: HDR_FORMAT,
                        blend: Some(PREMULTIPLIED),
                        write_mask: wgpu::ColorWrites::ALL,
                    }),
                    constants: &[purpose.has_shadow()],
                    ..purpose.state()
                },
            )
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..4, 0..1);
        Ok(())
    }
}
