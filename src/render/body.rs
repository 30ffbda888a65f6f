//! Draws the body: solid, as an X-ray shell, as a heat map of strain, or as a mask.

use std::collections::HashMap;
use std::ops::Range;

use glam::{Vec3, Vec4};

use super::folds::{DrawVertex, FoldKernel, FoldTriangle, LedTriangles, fold_triangles};
use super::lights::{FileLight, MAX_FILE_LIGHTS};
use super::materials::{Features, Materials, TextureMaker};
use super::shadow::{KeyShadow, Purpose};
use super::targets::{HDR_FORMAT, PICTURE_FORMAT};
use super::{Frame, PREMULTIPLIED, Scene, ViewMode};
use crate::character::data::AlphaMode;
use crate::character::{CharacterData, RestShape};
use crate::gpu::buffer::{INDEX, STORAGE, UNIFORM};
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, Profiler, ShaderLibrary};
use crate::sim::wrinkles::StrainVertex;

crate::gpu_struct! {
    /// What a vertex of the body has beyond its pose.
    pub struct PaintVertex {
        /// Rest position from the middle of the rest shape, as a fraction of H.
        pub rest_h: [f32; 3],
        /// Padding.
        pub pad0: f32,
        /// Linear vertex colour.
        pub color: Vec4,
        /// Both sets of texture coordinates.
        pub uvs: Vec4,
    }
}

/// How a material's alpha is drawn, in the order drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Coverage {
    Opaque,
    Cutout,
    Blended,
}

/// A run of triangles with one material.
#[derive(Debug, Clone)]
struct Run {
    indices: Range<u32>,
    material: u32,
    coverage: Coverage,
    double_sided: bool,
    /// Middle of its rest positions: what blended runs are sorted by.
    center: Vec3,
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
    lit_by_file: bool,
    purpose: Purpose,
}

/// One character's share.
#[derive(Debug)]
struct Installed {
    runs: Vec<Run>,
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
    no_strain: Buffer<StrainVertex>,
    /// Bound where no folds are drawn, so that cut-out and blended materials show none.
    no_folds: Buffer<FoldTriangle>,
    file_lights: Buffer<FileLight>,
    installed: Option<Installed>,
}

/// What the passes of one frame share.
#[derive(Debug)]
pub(super) struct BodyFrame {
    /// By whether the key light's picture is drawn or looked at.
    cast_group: wgpu::BindGroup,
    group: wgpu::BindGroup,
    folded: bool,
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
            "surface",
            "depth",
            "depth_cutout",
            "strain_map",
            "mask",
            "mask_cutout",
        ];
        Ok(Self {
            shader: DrawShader::new(gpu, shaders, "render/body", &entries)?,
            textures: TextureMaker::new(gpu, shaders)?,
            pipelines: HashMap::new(),
            fold_kernel: FoldKernel::new(gpu, shaders)?,
            no_strain: Buffer::new(gpu, "body/no strain", 1, STORAGE),
            no_folds: Buffer::new(gpu, "body/no folds", 1, STORAGE),
            file_lights: Buffer::new(gpu, "body/file lights", MAX_FILE_LIGHTS, UNIFORM),
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
                let position = rest.positions.get(index).copied().unwrap_or_default();
                let rest_h = ((position - rest.center()) / rest.extent).to_array();
                let uv1 = vertices.uvs1[index];
                PaintVertex { rest_h, color, uvs: Vec4::new(uv.x, uv.y, uv1.x, uv1.y), pad0: 0.0 }
            })
            .collect();
        let led = LedTriangles::new(vertices.positions.len(), &data.indices);
        self.installed = Some(Installed {
            runs: runs(data, rest, None),
            materials: Materials::new(gpu, &self.textures, &self.shader, data)?,
            paint: Buffer::from_slice(gpu, "body/paint", &paint, STORAGE),
            draw_vertices: Buffer::from_slice(gpu, "body/draw vertices", &led.vertices, STORAGE),
            draw_indices: Buffer::from_slice(gpu, "body/draw indices", &led.indices, INDEX),
            thin_indices: Buffer::from_slice(gpu, "body/thin indices", &led.over_surface(), INDEX),
            folds: fold_triangles(gpu, data.indices.len() / 3),
        });
        Ok(())
    }

    /// Gives the installed character the materials of a variant.
    pub fn show_variant(&mut self, data: &CharacterData, rest: &RestShape, variant: Option<u32>) {
        if let Some(installed) = &mut self.installed {
            installed.runs = runs(data, rest, variant);
        }
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
        key_shadow: &KeyShadow,
        purpose: Purpose,
    ) -> Result<Option<BodyFrame>, BuildError> {
        let Some(installed) = &self.installed else { return Ok(None) };
        let surface = scene.surface;
        let strain = scene.strain.map_or(&self.no_strain, |strain| strain.vertices);
        let wrinkles = &scene.params.wrinkles;
        let shown =
            wrinkles.enabled && wrinkles.depth > 0.0 && ViewMode::of(scene.params) == ViewMode::Shaded;
        let folds = scene.strain.filter(|_| shown && !installed.folds.is_empty());
        if let Some(strain) = &folds {
            let mut pass = profiler.compute_pass(encoder, "render/folds");
            let given = [
                ("frame", frame.raw()),
                ("positions", surface.positions.raw()),
                ("paint", installed.paint.raw()),
                ("strain", strain.vertices.raw()),
                ("corners", surface.indices.raw()),
            ];
            self.fold_kernel.record(gpu, &mut pass, given, &installed.folds)?;
        }
        let lights = scene.lights.filter(|lights| lights.count > 0);
        if let Some(lights) = lights {
            self.file_lights.write(gpu, 0, &lights.lights);
        }
        let shown_folds = if folds.is_some() { &installed.folds } else { &self.no_folds };
        let [cast_group, group] = [Purpose::Cast, purpose].map(|purpose| {
            let [key_depth, key_sampler] = key_shadow.bindings(purpose);
            let given = [
                key_depth,
                key_sampler,
                ("frame", frame.raw().as_entire_binding()),
                ("positions", surface.positions.raw().as_entire_binding()),
                ("normals", surface.normals.raw().as_entire_binding()),
                ("paint", installed.paint.raw().as_entire_binding()),
                ("strain", strain.raw().as_entire_binding()),
                ("draw_vertices", installed.draw_vertices.raw().as_entire_binding()),
                ("tangents", surface.tangents.raw().as_entire_binding()),
                ("fold_triangles", shown_folds.raw().as_entire_binding()),
                ("file_lights", self.file_lights.raw().as_entire_binding()),
            ];
            self.shader.bind(gpu, 0, &given)
        });
        let distance = |run: usize| installed.runs[run].center.as_dvec3().distance(scene.camera.eye);
        let mut order: Vec<_> =
            (0..installed.runs.len()).filter(|&i| installed.runs[i].coverage == Coverage::Blended).collect();
        order.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)));
        Ok(Some(BodyFrame {
            cast_group: cast_group?,
            group: group?,
            folded: folds.is_some(),
            lit_by_file: lights.is_some(),
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
            BodyPass::Strain | BodyPass::Mask => true,
            BodyPass::Blended => false,
        };
        let opaque = (0..installed.runs.len()).filter(|&i| drawn(&installed.runs[i]));
        let order: Vec<_> = if blended { frame.order.clone() } else { opaque.collect() };
        let group = if what == BodyPass::Cast { &frame.cast_group } else { &frame.group };
        pass.set_bind_group(0, group, &[]);
        let indices = if what.is_lit() { &installed.draw_indices } else { &installed.thin_indices };
        pass.set_index_buffer(indices.raw().slice(..), wgpu::IndexFormat::Uint32);
        for index in order {
            let run = &installed.runs[index];
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
    let (fragment, depth) = match key.pass {
        BodyPass::Solid => ("surface", (Greater, true)),
        BodyPass::Depth | BodyPass::Cast if cutout => ("depth_cutout", (Greater, true)),
        BodyPass::Depth | BodyPass::Cast => ("depth", (Greater, true)),
        BodyPass::Shell | BodyPass::Blended => ("surface", (GreaterEqual, false)),
        BodyPass::Strain => ("strain_map", (Greater, true)),
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
        BodyPass::Solid | BodyPass::Strain => Some(HDR_FORMAT.into()),
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
        BodyPass::Solid | BodyPass::Shell | BodyPass::Blended => "painted",
    };
    let mut constants: Vec<_> = key.features.constants().collect();
    constants.extend([
        ("has_folds", f64::from(key.folded)),
        ("has_file_lights", f64::from(key.lit_by_file)),
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

/// Runs of triangles under a variant: neighbours with one material joined, opaque before cut-out before blended.
fn runs(data: &CharacterData, rest: &RestShape, variant: Option<u32>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (number, primitive) in data.primitives.iter().enumerate() {
        if primitive.index_count == 0 {
            continue;
        }
        let number = data.material_of(number, variant);
        let Some(material) = data.materials.get(number as usize) else { continue };
        let coverage = match material.alpha {
            AlphaMode::Opaque if material.transmission.factor > 0.0 => Coverage::Blended,
            AlphaMode::Opaque => Coverage::Opaque,
            AlphaMode::Mask(_) => Coverage::Cutout,
            AlphaMode::Blend => Coverage::Blended,
        };
        let indices = primitive.first_index..primitive.first_index + primitive.index_count;
        if let Some(last) = runs.last_mut() {
            let joins = last.material == number && last.indices.end == indices.start;
            if joins && coverage != Coverage::Blended {
                last.indices.end = indices.end;
                continue;
            }
        }
        let first = primitive.first_vertex as usize;
        let positions = rest.positions.get(first..first + primitive.vertex_count as usize).unwrap_or(&[]);
        let center = positions.iter().sum::<Vec3>() / positions.len().max(1) as f32;
        let double_sided = material.double_sided;
        runs.push(Run { indices, material: number, coverage, double_sided, center });
    }
    runs.sort_by_key(|run| run.coverage);
    runs
}
