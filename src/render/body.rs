//! Draws the body: solid, as an X-ray shell, as a heat map of strain, or as a mask.

use std::collections::HashMap;

use glam::{Vec3, Vec4};

use super::blend_order::{BlendKernels, BlendOrder};
use super::folds::{DrawVertex, FoldKernel, FoldTriangle, LedTriangles, fold_triangles};
use super::lights::ShiningLights;
use super::materials::{Features, Materials, TextureMaker};
use super::runs::{self, Coverage, Run};
use super::shadow::Purpose;
use super::targets::{HDR_FORMAT, PICTURE_FORMAT};
use super::{Frame, Lights, PREMULTIPLIED, Scene, ViewMode};
use crate::character::data::Influences;
use crate::character::{CharacterData, RestShape};
use crate::gpu::buffer::{INDEX, STORAGE};
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, Profiler, ShaderLibrary};
use crate::sim::wrinkles::{FoldMethod, PublishedVertex, StrainVertex};

crate::gpu_struct! {
    /// What a vertex of the body has beyond its pose.
    pub struct PaintVertex {
        /// Linear vertex colour.
        pub color: Vec4,
        /// Both sets of texture coordinates.
        pub uvs: Vec4,
        /// Colour of the joints that move it, ten bits a part; see [`joint_color`].
        pub joint_color: u32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
        /// Padding.
        pub pad2: u32,
    }
}

/// What is drawn of the body in one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum BodyPass {
    /// Opaque and cut-out materials as they are.
    Solid,
    /// The depth of the front layer, before the shell.
    Depth,
    /// The front layer, seen through; blended over what is there.
    Shell,
    /// Blended materials, far to near.
    Blended,
    /// Compression and stretch as colours.
    Strain,
    /// Colours of the joints that move it.
    Weights,
    /// Posed normals as colours.
    Normals,
    /// White, one sample, into the picture itself.
    Mask,
    /// What the key light sees of opaque and cut-out materials.
    Cast,
}

impl BodyPass {
    /// Whether light falls on what it draws.
    fn is_lit(self) -> bool {
        matches!(self, Self::Solid | Self::Shell | Self::Blended)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    pass: BodyPass,
    coverage: Coverage,
    double_sided: bool,
    features: Features,
    folded: bool,
    published: bool,
    lit_by_file: bool,
    purpose: Purpose,
}

/// One character's share.
#[derive(Debug)]
struct Installed {
    runs: Vec<Run>,
    /// The blended ones as they are ordered, by material.
    blended: Vec<Run>,
    blend_order: Option<BlendOrder>,
    materials: Materials,
    paint: Buffer<PaintVertex>,
    draw_vertices: Buffer<DrawVertex>,
    draw_indices: Buffer<u32>,
    /// The same triangles over the surface's vertices, for passes that know no folds.
    thin_indices: Buffer<u32>,
    folds: Buffer<FoldTriangle>,
}

/// Draws bodies.
#[derive(Debug)]
pub(super) struct BodyRenderer {
    shader: DrawShader,
    textures: TextureMaker,
    pipelines: HashMap<Key, wgpu::RenderPipeline>,
    fold_kernel: FoldKernel,
    blend_kernels: BlendKernels,
    no_strain: Buffer<StrainVertex>,
    /// Bound where no folds are drawn, so that cut-out and blended materials show none.
    no_folds: Buffer<FoldTriangle>,
    no_published: Buffer<PublishedVertex>,
    installed: Option<Installed>,
}

/// What the passes of one frame share.
#[derive(Debug)]
pub(super) struct BodyFrame {
    /// By whether the key light's picture is drawn or looked at.
    cast_group: wgpu::BindGroup,
    group: wgpu::BindGroup,
    folded: bool,
    published: bool,
    lit_by_file: bool,
    /// Blended runs by falling distance.
    order: Vec<usize>,
}

impl BodyRenderer {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let entries = [
            "painted",
            "thin",
            "bare",
            "strained",
            "weighted",
            "turned",
            "surface",
            "surface_covered",
            "depth",
            "depth_cutout",
            "depth_covered",
            "strain_map",
            "weight_map",
            "normal_map",
            "mask",
            "mask_cutout",
        ];
        Ok(Self {
            shader: DrawShader::new(gpu, shaders, "render/body", &entries)?,
            textures: TextureMaker::new(gpu, shaders)?,
            pipelines: HashMap::new(),
            fold_kernel: FoldKernel::new(gpu, shaders)?,
            blend_kernels: BlendKernels::new(gpu, shaders)?,
            no_strain: Buffer::new(gpu, "body/no strain", 1, STORAGE),
            no_folds: Buffer::new(gpu, "body/no folds", 1, STORAGE),
            no_published: Buffer::new(gpu, "body/no published strain", 1, STORAGE),
            installed: None,
        })
    }

    /// Uploads what never changes of a character, in place of the last one.
    pub fn install(&mut self, gpu: &Gpu, data: &CharacterData, rest: &RestShape) -> Result<(), BuildError> {
        let vertices = &data.vertices;
        let paint: Vec<_> = vertices
            .uvs
            .iter()
            .zip(&vertices.colors)
            .enumerate()
            .map(|(index, (&uv, &color))| {
                let uv1 = vertices.uvs1[index];
                let joint_color = joint_color(data, &vertices.influences[index]);
                let uvs = Vec4::new(uv.x, uv.y, uv1.x, uv1.y);
                PaintVertex { color, uvs, joint_color, ..Default::default() }
            })
            .collect();
        let led = LedTriangles::new(vertices.positions.len(), &data.indices);
        self.installed = Some(Installed {
            runs: Vec::new(),
            blended: Vec::new(),
            blend_order: None,
            materials: Materials::new(gpu, &self.textures, &self.shader, data)?,
            paint: Buffer::from_slice(gpu, "body/paint", &paint, STORAGE),
            draw_vertices: Buffer::from_slice(gpu, "body/draw vertices", &led.vertices, STORAGE),
            draw_indices: Buffer::from_slice(gpu, "body/draw indices", &led.indices, INDEX),
            thin_indices: Buffer::from_slice(gpu, "body/thin indices", &led.over_surface(), INDEX),
            folds: fold_triangles(gpu, data.indices.len() / 3),
        });
        self.show_variant(gpu, data, rest, None)
    }

    /// Gives the installed character the materials of a variant.
    pub fn show_variant(
        &mut self,
        gpu: &Gpu,
        data: &CharacterData,
        rest: &RestShape,
        variant: Option<u32>,
    ) -> Result<(), BuildError> {
        let Some(installed) = &mut self.installed else { return Ok(()) };
        installed.runs = runs::runs(data, rest, variant);
        let (blended, triangles) = runs::blended(&installed.runs);
        installed.blend_order = self.blend_kernels.prepare(gpu, &triangles)?;
        installed.blended = match installed.blend_order {
            Some(_) => blended,
            // Too many to order: drawn as they lie in the file.
            None => installed.runs.iter().filter(|run| run.coverage == Coverage::Blended).cloned().collect(),
        };
        Ok(())
    }

    /// Binds what a frame's passes read, and records the folds if they are drawn; `None` without a character.
    #[expect(clippy::too_many_arguments, reason = "a frame's parts, each borrowed apart")]
    pub fn begin(
        &self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Buffer<Frame>,
        scene: &Scene<'_>,
        light: Lights<'_>,
        purpose: Purpose,
    ) -> Result<Option<BodyFrame>, BuildError> {
        let Some(installed) = &self.installed else { return Ok(None) };
        let surface = scene.surface;
        let strain = scene.strain.map_or(&self.no_strain, |strain| strain.vertices);
        let wrinkles = &scene.params.wrinkles;
        let shown =
            wrinkles.enabled && wrinkles.depth > 0.0 && ViewMode::of(scene.params) == ViewMode::Shaded;
        let folds = scene.strain.and_then(|strain| strain.folds);
        let method = FoldMethod::of(wrinkles);
        let folds = folds.filter(|_| shown && method.shows_field() && !installed.folds.is_empty());
        let published = scene.published.filter(|_| shown && method.shows_published());
        if let Some(field) = &folds {
            let mut pass = profiler.compute_pass(encoder, "render/folds");
            self.fold_kernel.record(gpu, &mut pass, frame, &surface.positions, field, &installed.folds)?;
        }
        let shaded = ViewMode::of(scene.params) == ViewMode::Shaded;
        if let Some(order) = installed.blend_order.as_ref().filter(|_| shaded && scene.params.view.body) {
            let mut pass = profiler.compute_pass(encoder, "render/blend order");
            let given = [surface.positions.raw(), installed.thin_indices.raw(), installed.draw_indices.raw()];
            self.blend_kernels.record(gpu, &mut pass, order, frame, given)?;
        }
        let shown_folds = if folds.is_some() { &installed.folds } else { &self.no_folds };
        let [cast_group, group] = [Purpose::Cast, purpose].map(|purpose| {
            let [key_depth, key_sampler] = light.key_shadow.bindings(purpose);
            let [map, map_sampler] = light.environment.map();
            let given = [
                key_depth,
                key_sampler,
                light.environment.irradiance(),
                map,
                map_sampler,
                ("frame", frame.raw().as_entire_binding()),
                ("positions", surface.positions.raw().as_entire_binding()),
                ("normals", surface.normals.raw().as_entire_binding()),
                ("paint", installed.paint.raw().as_entire_binding()),
                ("strain", strain.raw().as_entire_binding()),
                ("draw_vertices", installed.draw_vertices.raw().as_entire_binding()),
                ("tangents", surface.tangents.raw().as_entire_binding()),
                ("fold_triangles", shown_folds.raw().as_entire_binding()),
                ("published", published.unwrap_or(&self.no_published).raw().as_entire_binding()),
                light.of_file.binding(),
            ];
            self.shader.bind(gpu, 0, &given)
        });
        let forward = scene.camera.axes()[2];
        let distance =
            |run: usize| (installed.blended[run].center.as_dvec3() - scene.camera.eye).dot(forward);
        let mut order: Vec<_> = (0..installed.blended.len()).collect();
        order.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)));
        Ok(Some(BodyFrame {
            cast_group: cast_group?,
            group: group?,
            folded: folds.is_some(),
            published: published.is_some(),
            lit_by_file: light.of_file.shine(),
            order,
        }))
    }

    /// Records one pass over the body.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        what: BodyPass,
        frame: &BodyFrame,
        purpose: Purpose,
    ) {
        let Self { shader, pipelines, installed: Some(installed), .. } = self else { return };
        let blended = what == BodyPass::Blended;
        // Data views show every material; blended ones stand back from what hides what lies behind.
        let drawn = |run: &Run| match what {
            BodyPass::Solid | BodyPass::Depth | BodyPass::Shell | BodyPass::Cast => {
                run.coverage != Coverage::Blended
            }
            BodyPass::Strain | BodyPass::Weights | BodyPass::Normals | BodyPass::Mask => true,
            BodyPass::Blended => false,
        };
        let shown: Vec<_> = if blended {
            frame.order.iter().filter_map(|&index| installed.blended.get(index)).collect()
        } else {
            installed.runs.iter().filter(|&run| drawn(run)).collect()
        };
        let group = if what == BodyPass::Cast { &frame.cast_group } else { &frame.group };
        pass.set_bind_group(0, group, &[]);
        let indices = match (&installed.blend_order, what.is_lit()) {
            (Some(order), true) if blended => &order.indices,
            (_, true) => &installed.draw_indices,
            (_, false) => &installed.thin_indices,
        };
        pass.set_index_buffer(indices.raw().slice(..), wgpu::IndexFormat::Uint32);
        for run in shown {
            let key = Key {
                pass: what,
                coverage: run.coverage,
                double_sided: run.double_sided,
                features: if what.is_lit() || run.coverage == Coverage::Cutout {
                    installed.materials.features[run.material as usize]
                } else {
                    Features::default()
                },
                folded: frame.folded && what.is_lit(),
                published: frame.published && what.is_lit(),
                lit_by_file: frame.lit_by_file && what.is_lit(),
                purpose,
            };
            let pipeline = pipelines.entry(key).or_insert_with(|| pipeline(gpu, shader, key));
            pass.set_pipeline(pipeline);
            pass.set_bind_group(1, &installed.materials.groups[run.material as usize], &[]);
            pass.draw_indexed(run.indices.clone(), 0, 0..1);
        }
    }
}

fn pipeline(gpu: &Gpu, shader: &DrawShader, key: Key) -> wgpu::RenderPipeline {
    use wgpu::CompareFunction::{Greater, GreaterEqual};
    let cutout = key.coverage == Coverage::Cutout;
    // With several samples a pixel, the edge of a cut-out covers some of them.
    let covered = cutout && matches!(key.purpose, Purpose::Picture { samples: 4, .. });
    let surface = if covered { "surface_covered" } else { "surface" };
    let (fragment, depth) = match key.pass {
        BodyPass::Solid => (surface, (Greater, true)),
        BodyPass::Depth if covered => ("depth_covered", (Greater, true)),
        BodyPass::Depth | BodyPass::Cast if cutout => ("depth_cutout", (Greater, true)),
        BodyPass::Depth | BodyPass::Cast => ("depth", (Greater, true)),
        BodyPass::Shell | BodyPass::Blended => (surface, (GreaterEqual, false)),
        BodyPass::Strain => ("strain_map", (Greater, true)),
        BodyPass::Weights => ("weight_map", (Greater, true)),
        BodyPass::Normals => ("normal_map", (Greater, true)),
        BodyPass::Mask if cutout => ("mask_cutout", (Greater, true)),
        BodyPass::Mask => ("mask", (Greater, true)),
    };
    let color = match key.pass {
        BodyPass::Cast => None,
        BodyPass::Depth => Some(wgpu::ColorTargetState {
            format: HDR_FORMAT,
            blend: None,
            write_mask: wgpu::ColorWrites::empty(),
        }),
        BodyPass::Solid | BodyPass::Strain | BodyPass::Weights | BodyPass::Normals => Some(HDR_FORMAT.into()),
        BodyPass::Shell | BodyPass::Blended => Some(wgpu::ColorTargetState {
            format: HDR_FORMAT,
            blend: Some(PREMULTIPLIED),
            write_mask: wgpu::ColorWrites::ALL,
        }),
        BodyPass::Mask => Some(PICTURE_FORMAT.into()),
    };
    let vertex = match key.pass {
        BodyPass::Depth | BodyPass::Mask | BodyPass::Cast if cutout => "thin",
        BodyPass::Depth | BodyPass::Mask | BodyPass::Cast => "bare",
        BodyPass::Strain => "strained",
        BodyPass::Weights => "weighted",
        BodyPass::Normals => "turned",
        BodyPass::Solid | BodyPass::Shell | BodyPass::Blended => "painted",
    };
    let mut constants: Vec<_> = key.features.constants().collect();
    constants.extend([
        ("has_folds", f64::from(key.folded)),
        ("has_published", f64::from(key.published)),
        ShiningLights::constant(key.lit_by_file),
        ("is_cutout", f64::from(cutout)),
        ("is_shell", f64::from(key.pass == BodyPass::Shell)),
        ("is_blended", f64::from(key.pass == BodyPass::Blended)),
        key.purpose.is_cast(),
        key.purpose.has_shadow(),
    ]);
    shader.pipeline(
        gpu,
        &DrawState {
            vertex,
            fragment: Some(fragment),
            constants: &constants,
            cull: (!key.double_sided && key.purpose != Purpose::Cast).then_some(wgpu::Face::Back),
            depth: Some(depth),
            color,
            ..key.purpose.state()
        },
    )
}

/// Colour of the joints that move a vertex, mixed by weight in linear light; red in the lowest ten bits. Each node
/// has a colour of its own: hues a golden angle apart, so that neighbours in the file differ most.
fn joint_color(data: &CharacterData, influences: &Influences) -> u32 {
    let mut mixed = Vec3::ZERO;
    for (&joint, &weight) in influences.joints.iter().zip(&influences.weights) {
        let node = data.palette.get(joint as usize).map_or(0, |entry| entry.node);
        let turn = (f64::from(node) * 0.618_033_988_749_895).fract() as f32;
        // A cosine a primary, a third of a turn apart.
        let part = |shift: f32| 0.5 + 0.45 * ((turn + shift) * std::f32::consts::TAU).cos();
        mixed += weight * Vec3::new(part(0.0), part(2.0 / 3.0), part(1.0 / 3.0));
    }
    let bits = mixed.to_array().map(|part| (part.clamp(0.0, 1.0) * 1023.0).round() as u32);
    bits[0] | bits[1] << 10 | bits[2] << 20
}
