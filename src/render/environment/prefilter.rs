//! Prefilters a picture on the GPU: one pass a level of the map, all in one submission.

use super::picture::{self, EnvironmentPicture};
use super::{FORMAT, shape, upload};
use crate::gpu::buffer::UNIFORM;
use crate::gpu::texture::TextureShape;
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, ShaderLibrary, Texture};
use crate::render::{CLEAR, color_attachment};

/// Texels along a side of the sharpest level, and levels: the last, 16 texels wide, is still finer than its lobe.
const SIDE: u32 = 256;
const LEVELS: u32 = 5;

crate::gpu_struct! {
    /// What one level is made of.
    pub struct PrefilterUniform {
        /// Perceptual roughness; 0 takes the picture as it is.
        pub roughness: f32,
        /// Texels along its side.
        pub side: f32,
        /// Solid angle of a texel of the picture at its horizon.
        pub texel_solid_angle: f32,
        /// Level of the picture where nothing is blurred.
        pub sharp_level: f32,
    }
}

/// The pass, made when a picture is first loaded.
#[derive(Debug)]
pub(super) struct Prefilter {
    shader: DrawShader,
    pipeline: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
}

impl Prefilter {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/prefilter", &["screen", "filter_level"])?;
        let state = DrawState {
            vertex: "screen",
            fragment: Some("filter_level"),
            color: Some(FORMAT.into()),
            ..DrawState::default()
        };
        let pipeline = shader.pipeline(gpu, &state);
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("environment/picture"),
            address_mode_u: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..Default::default()
        });
        Ok(Self { shader, pipeline, sampler })
    }

    /// Uploads a picture and submits all passes.
    pub fn run(&self, gpu: &Gpu, picture: &EnvironmentPicture) -> Result<Texture, BuildError> {
        let [width, height] = picture::SIZE;
        let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
        let mips = picture.levels.len() as u32;
        let whole = TextureShape { size: picture::SIZE, format: FORMAT, mips, samples: 1, usage };
        let source = Texture::new(gpu, "environment/picture", whole);
        for (level, texels) in (0..).zip(&picture.levels) {
            upload(gpu, &source, level, [width >> level, height >> level], texels);
        }
        let map = Texture::new(gpu, "environment", shape(SIDE, LEVELS));
        let texel_rad = std::f32::consts::PI / height as f32;
        // A texel of the sharpest level sees as much as this many of the picture's.
        let texel_solid_angle = texel_rad * texel_rad;
        let share = 4.0 * std::f32::consts::PI / ((SIDE * SIDE) as f32 * texel_solid_angle);
        let mut encoder = gpu.encoder("environment");
        for level in 0..LEVELS {
            let uniform = PrefilterUniform {
                roughness: level as f32 / (LEVELS - 1) as f32,
                side: (SIDE >> level) as f32,
                texel_solid_angle,
                sharp_level: 0.5 * share.log2().max(0.0),
            };
            let uniform = Buffer::from_slice(gpu, "environment/prefilter", &[uniform], UNIFORM);
            let group = self.shader.bind(
                gpu,
                0,
                &[
                    ("prefilter", uniform.raw().as_entire_binding()),
                    ("picture", wgpu::BindingResource::TextureView(source.view())),
                    ("picture_sampler", wgpu::BindingResource::Sampler(&self.sampler)),
                ],
            )?;
            let view = map.raw().create_view(&wgpu::TextureViewDescriptor {
                base_mip_level: level,
                mip_level_count: Some(1),
                ..Default::default()
            });
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("environment/prefilter"),
                color_attachments: &[Some(color_attachment(&view, None, CLEAR))],
                ..Default::default()
            });
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        }
        gpu.submit(encoder);
        Ok(map)
    }
}
