//! Draws the character and what the simulations produced.
//!
//! The scene is drawn in linear light, premultiplied, over nothing; `compose` maps tones, puts the background
//! behind and encodes sRGB. Order: branches, their leaves and boids, the solid body, the ground, branches thinner than a pixel, then
//! the body as an X-ray shell, which lets all of that shine through its front layer (a depth prepass keeps its other
//! layers away), and blended materials from far to near. Before it, what the key light sees ([`shadow`]); after it,
//! the glow ([`bloom`]).

mod accumulate;
mod blend_order;
mod bloom;
mod body;
mod branches;
pub mod camera;
mod compose;
pub mod environment;
mod field_boxes;
mod flock;
mod folds;
mod ground;
mod leaves;
pub mod lights;
mod materials;
pub mod params;
mod runs;
mod shadow;
mod targets;
mod uniform;

pub use accumulate::Part;
pub use camera::{Camera, Orbit, ViewDirection};
pub use environment::Environment;
pub use targets::Targets;
pub use uniform::{Frame, grid_spacing_m};

use glam::Vec3;

use crate::character::{CharacterData, RestShape, SkinnedSurface};
use crate::gpu::buffer::UNIFORM;
use crate::gpu::{Buffer, BuildError, Gpu, GpuStruct as _, Mirror, Profiler, ShaderLibrary};
use crate::params::Params;
use crate::sim::boids::{FieldView, Flock};
use crate::sim::growth::Branches;
use crate::sim::wrinkles::{PublishedVertex, Strain};
use accumulate::Accumulator;
use body::{BodyPass, BodyRenderer};
use branches::{BranchRenderer, Thickness};
use compose::Compose;
use field_boxes::FieldBoxes;
use flock::BoidRenderer;
use ground::GroundRenderer;
use leaves::LeafRenderer;
use lights::{FileLights, ShiningLights};
use shadow::{KeyShadow, Purpose};

/// Over, for premultiplied colours.
const PREMULTIPLIED: wgpu::BlendState = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;
/// A target that starts transparent black.
const CLEAR: wgpu::LoadOp<wgpu::Color> = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);

/// Every struct of this module that it shares with its shaders.
#[must_use]
pub fn mirrors() -> Vec<Mirror> {
    vec![
        uniform::mirror(),
        body::PaintVertex::mirror(),
        folds::FoldTriangle::mirror(),
        folds::DrawVertex::mirror(),
        materials::MaterialUniform::mirror(),
        blend_order::BlendStep::mirror(),
        branches::DrawArgs::mirror(),
        branches::DispatchArgs::mirror(),
        branches::BranchInstance::mirror(),
        leaves::LeafLook::mirror(),
        leaves::LeafArgs::mirror(),
        leaves::LeafInstance::mirror(),
        ground::BlurUniform::mirror(),
        environment::EnvironmentUniform::mirror(),
        environment::PrefilterUniform::mirror(),
        lights::FileLight::mirror(),
        flock::BoidLook::mirror(),
        flock::ShapeCorner::mirror(),
    ]
}

/// Colour of unstrained skin in the strain map, linear; the shader holds the same.
pub const STRAIN_NEUTRAL: [f32; 3] = [0.42; 3];
/// Colour of skin compressed to the legend's end or beyond.
pub const STRAIN_COMPRESSED: [f32; 3] = [0.010, 0.072, 0.52];
/// Colour of skin stretched to the legend's end or beyond.
pub const STRAIN_STRETCHED: [f32; 3] = [0.82, 0.16, 0.006];

/// What the picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewMode {
    /// Lit and tone mapped, with everything.
    Shaded,
    /// Strain as colours, without branches and boids.
    Strain,
    /// The body alone, white on black, one sample at each pixel's centre.
    Mask,
    /// The flock's field as boxes, with the body in grey.
    Field,
    /// Which joints move the body, a colour a joint.
    Weights,
    /// Posed normals as colours.
    Normals,
}

impl ViewMode {
    /// The mode that the parameters ask for.
    #[must_use]
    pub fn of(params: &Params) -> Self {
        match params.view.mode {
            0 => Self::Shaded,
            1 => Self::Strain,
            2 => Self::Mask,
            3 => Self::Field,
            4 => Self::Weights,
            _ => Self::Normals,
        }
    }
}

/// All that one picture is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// Where it is seen from.
    pub camera: &'a Camera,
    /// The posed body, of the character last given to [`Renderer::install`].
    pub surface: &'a SkinnedSurface,
    /// Branches, if they grow; drawn while `growth.enabled`.
    pub branches: Option<Branches<'a>>,
    /// The flock, if it flies; drawn while `boids.enabled`.
    pub flock: Option<Flock<'a>>,
    /// Strain of the skin, if it is known; folds are drawn while `wrinkles.enabled`.
    pub strain: Option<Strain<'a>>,
    /// Strain as first published, when folds of it are shown.
    pub published: Option<&'a Buffer<PublishedVertex>>,
    /// The file's own lights, where they shine.
    pub lights: Option<&'a FileLights>,
    /// Light, view, colours and sizes.
    pub params: &'a Params,
    /// Where drawing stands between the flock's previous (0) and current (1) state.
    pub interpolation: f32,
    /// H in metres.
    pub extent_m: f32,
    /// Middle of the character over its clip, world metres.
    pub center: Vec3,
    /// Height of the ground, world metres.
    pub ground_y: f32,
    /// Leave the background out and deliver straight alpha.
    pub transparent: bool,
    /// The flock's field, if it is known.
    pub field: Option<FieldView<'a>>,
    /// What of the picture is drawn now.
    pub part: Part,
}

/// What lit passes read beside the frame.
#[derive(Debug, Clone, Copy)]
struct Lights<'a> {
    environment: &'a Environment,
    key_shadow: &'a KeyShadow,
    of_file: &'a ShiningLights,
}

/// Draws scenes into [`Targets`] of any size.
#[derive(Debug)]
pub struct Renderer {
    frame: Buffer<Frame>,
    body: BodyRenderer,
    branches: BranchRenderer,
    leaves: LeafRenderer,
    boids: BoidRenderer,
    field_boxes: FieldBoxes,
    ground: GroundRenderer,
    key_shadow: KeyShadow,
    file_lights: ShiningLights,
    accumulator: Accumulator,
    compose: Compose,
    /// The light from all around.
    pub environment: Environment,
}

impl Renderer {
    /// Loads the shaders; pipelines are made when first used.
    ///
    /// # Errors
    /// When a shader is missing or wrong.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        Ok(Self {
            frame: Buffer::new(gpu, "render/frame", 1, UNIFORM),
            body: BodyRenderer::new(gpu, shaders)?,
            branches: BranchRenderer::new(gpu, shaders)?,
            leaves: LeafRenderer::new(gpu, shaders)?,
            boids: BoidRenderer::new(gpu, shaders)?,
            field_boxes: FieldBoxes::new(gpu, shaders)?,
            ground: GroundRenderer::new(gpu, shaders)?,
            key_shadow: KeyShadow::new(gpu),
            file_lights: ShiningLights::new(gpu),
            environment: Environment::new(gpu),
            accumulator: Accumulator::new(gpu, shaders)?,
            compose: Compose::new(gpu, shaders)?,
        })
    }

    /// Uploads colours, materials and textures of a character, in place of the last one. `rest` holds the rest
    /// positions of `data`'s vertices.
    ///
    /// # Errors
    /// When a shader does not take what is given: a fault of the program.
    pub fn install(&mut self, gpu: &Gpu, data: &CharacterData, rest: &RestShape) -> Result<(), BuildError> {
        self.body.install(gpu, data, rest)
    }

    /// Draws the character last installed with the materials of a variant of `data.variants`, or as it is without.
    ///
    /// # Errors
    /// As [`Renderer::install`].
    pub fn show_variant(
        &mut self,
        gpu: &Gpu,
        data: &CharacterData,
        rest: &RestShape,
        variant: Option<u32>,
    ) -> Result<(), BuildError> {
        self.body.show_variant(gpu, data, rest, variant)
    }

    /// Records a picture of `scene` into `targets`, or one part of it; the last part completes it.
    ///
    /// # Errors
    /// When a shader does not take what is given: a fault of the program.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        targets: &mut Targets,
        scene: &Scene<'_>,
    ) -> Result<(), BuildError> {
        self.file_lights.set(gpu, scene.lights);
        let azimuth_deg = self.environment.azimuth_deg(&scene.params.light);
        self.frame.write(gpu, 0, &[Frame::new(scene, targets.size(), azimuth_deg)]);
        match ViewMode::of(scene.params) {
            ViewMode::Mask => self.draw_mask(gpu, profiler, encoder, targets, scene),
            mode => {
                self.draw_scene(gpu, profiler, encoder, targets, scene, mode)?;
                if scene.part.count > 1 {
                    self.accumulator.add(gpu, profiler, encoder, &self.frame, targets, scene.part)?;
                    if !scene.part.is_last() {
                        return Ok(());
                    }
                }
                let with_environment = mode == ViewMode::Shaded && scene.params.view.background == 1;
                let with_bloom = mode == ViewMode::Shaded && scene.params.light.bloom > 0.0;
                self.compose.draw(
                    gpu,
                    profiler,
                    encoder,
                    &self.frame,
                    &self.environment,
                    targets,
                    with_bloom,
                    with_environment,
                )
            }
        }
    }

    /// Records a picture without a character: the background, or black where a mask is asked for.
    ///
    /// # Errors
    /// When a shader does not take what is given: a fault of the program.
    pub fn clear(
        &mut self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        targets: &mut Targets,
        params: &Params,
    ) -> Result<(), BuildError> {
        if ViewMode::of(params) == ViewMode::Mask {
            let black = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
            let color = [Some(color_attachment(targets.picture.view(), None, black))];
            drop(profiler.render_pass(encoder, "render/mask", &color, None));
            return Ok(());
        }
        self.frame.write(gpu, 0, &[Frame::background(params)]);
        let color = [Some(color_attachment(targets.hdr.view(), None, CLEAR))];
        drop(profiler.render_pass(encoder, "render/scene", &color, None));
        self.compose.draw(gpu, profiler, encoder, &self.frame, &self.environment, targets, false, false)
    }

    fn draw_scene(
        &mut self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        targets: &Targets,
        scene: &Scene<'_>,
        mode: ViewMode,
    ) -> Result<(), BuildError> {
        let params = scene.params;
        let shaded = mode == ViewMode::Shaded;
        let branches = scene.branches.filter(|_| shaded && params.growth.enabled);
        let flock = scene.flock.filter(|_| shaded && params.boids.enabled);
        let samples = targets.samples();
        let purpose = Purpose::Picture { samples, shadows: shaded && params.light.shadows == 0 };
        let cast_target = cast_target(&mut self.key_shadow, gpu, purpose);
        let light = Lights {
            environment: &self.environment,
            key_shadow: &self.key_shadow,
            of_file: &self.file_lights,
        };
        let body = self.body.begin(gpu, profiler, encoder, &self.frame, scene, light, purpose)?;
        if let Some(flock) = &flock {
            self.boids.set(gpu, scene, flock);
        }
        if let Some(branches) = &branches {
            let mut pass = profiler.compute_pass(encoder, "render/branch instances");
            self.branches.prepare(gpu, &mut pass, &self.frame, branches)?;
            self.leaves.prepare(gpu, &mut pass, &self.frame, branches, scene)?;
        }
        if params.view.grid {
            let branches = branches.as_ref().map(|_| &self.branches);
            self.ground.shadow(gpu, profiler, encoder, &self.frame, scene, branches)?;
        }
        let shown_body = body.as_ref().filter(|_| params.view.body);
        if let Some(target) = &cast_target {
            let depth = Some(depth_attachment(target, wgpu::StoreOp::Store));
            let mut pass = profiler.render_pass(encoder, "render/key shadow", &[], depth);
            if let Some(body) = shown_body {
                self.body.draw(gpu, &mut pass, BodyPass::Cast, body, Purpose::Cast);
            }
            if branches.is_some() {
                self.branches.draw(gpu, &mut pass, &self.frame, light, Purpose::Cast, Thickness::All)?;
                self.leaves.draw(gpu, &mut pass, &self.frame, light, Purpose::Cast)?;
            }
            if let Some(flock) = &flock {
                self.boids.draw(gpu, &mut pass, &self.frame, light, flock, Purpose::Cast)?;
            }
        }

        let (view, resolve) = match &targets.hdr_multisampled {
            Some(multisampled) => (multisampled.view(), Some(targets.hdr.view())),
            None => (targets.hdr.view(), None),
        };
        let color = [Some(color_attachment(view, resolve, CLEAR))];
        let depth = Some(depth_attachment(targets.depth.view(), wgpu::StoreOp::Discard));
        let mut pass = profiler.render_pass(encoder, "render/scene", &color, depth);
        // Inside a body, its shadow would cover all branches.
        let branch_shadows = shown_body.is_none() && cast_target.is_some();
        let branch_purpose = Purpose::Picture { samples, shadows: branch_shadows };
        let (first, thin) = Thickness::passes(samples);
        if branches.is_some() {
            self.branches.draw(gpu, &mut pass, &self.frame, light, branch_purpose, first)?;
            self.leaves.draw(gpu, &mut pass, &self.frame, light, branch_purpose)?;
        }
        if let Some(flock) = &flock {
            self.boids.draw(gpu, &mut pass, &self.frame, light, flock, purpose)?;
        }
        if let Some(field) = scene.field.as_ref().filter(|_| mode == ViewMode::Field) {
            self.field_boxes.draw(gpu, &mut pass, &self.frame, field, purpose)?;
        }
        let solid = !shaded || params.view.xray <= 0.0;
        let mut draw_body = |pass: &mut wgpu::RenderPass<'_>, what| {
            if let Some(body) = shown_body {
                self.body.draw(gpu, pass, what, body, purpose);
            }
        };
        if solid {
            let what = match mode {
                ViewMode::Shaded => BodyPass::Solid,
                ViewMode::Weights => BodyPass::Weights,
                ViewMode::Normals => BodyPass::Normals,
                ViewMode::Field | ViewMode::Strain | ViewMode::Mask => BodyPass::Strain,
            };
            draw_body(&mut pass, what);
        }
        if params.view.grid {
            self.ground.draw(gpu, &mut pass, &self.frame, light, purpose)?;
        }
        if let Some(thin) = thin.filter(|_| branches.is_some()) {
            self.branches.draw(gpu, &mut pass, &self.frame, light, branch_purpose, thin)?;
        }
        if let Some(flock) = &flock {
            self.boids.draw_trails(gpu, &mut pass, &self.frame, light, flock, purpose)?;
        }
        if !solid {
            draw_body(&mut pass, BodyPass::Depth);
            draw_body(&mut pass, BodyPass::Shell);
        }
        if shaded {
            draw_body(&mut pass, BodyPass::Blended);
        }
        Ok(())
    }

    fn draw_mask(
        &mut self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        targets: &mut Targets,
        scene: &Scene<'_>,
    ) -> Result<(), BuildError> {
        let purpose = Purpose::Picture { samples: 1, shadows: false };
        let light = Lights {
            environment: &self.environment,
            key_shadow: &self.key_shadow,
            of_file: &self.file_lights,
        };
        let body = self.body.begin(gpu, profiler, encoder, &self.frame, scene, light, purpose)?;
        let depth_view = targets.mask_depth(gpu);
        let depth = Some(depth_attachment(&depth_view, wgpu::StoreOp::Discard));
        let black = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        let color = [Some(color_attachment(targets.picture.view(), None, black))];
        let mut pass = profiler.render_pass(encoder, "render/mask", &color, depth);
        if let Some(body) = body {
            self.body.draw(gpu, &mut pass, BodyPass::Mask, &body, purpose);
        }
        Ok(())
    }
}

/// A colour attachment that is kept, or resolved where there are several samples.
fn color_attachment<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPassColorAttachment<'a> {
    let store = if resolve_target.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target,
        ops: wgpu::Operations { load, store },
    }
}

/// The key light's picture, where something will look at it.
fn cast_target(key_shadow: &mut KeyShadow, gpu: &Gpu, purpose: Purpose) -> Option<wgpu::TextureView> {
    matches!(purpose, Purpose::Picture { shadows: true, .. }).then(|| key_shadow.target(gpu))
}

/// Depth that starts infinitely far (0).
fn depth_attachment(
    view: &wgpu::TextureView,
    store: wgpu::StoreOp,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store }),
        stencil_ops: None,
    }
}
