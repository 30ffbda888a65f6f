//! Materials on the GPU: factors, base colour textures with mip levels, samplers.

use std::collections::HashMap;
use std::sync::Arc;

use glam::Vec4;

use crate::character::CharacterData;
use crate::character::data::{AlphaMode, ColorSpace, Filter, Image, Material, TextureSampler, Wrap};
use crate::gpu::buffer::UNIFORM;
use crate::gpu::texture::TextureShape;
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, ShaderLibrary, Texture};

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Texels along the stretch of a slanted texture, where the adapter does not compute them on the CPU.
const ANISOTROPY: u16 = 8;

crate::gpu_struct! {
    /// Factors of a material.
    pub struct MaterialUniform {
        /// Linear RGBA.
        pub base_color: Vec4,
        /// Linear emitted light.
        pub emissive: [f32; 3],
        /// 0 dielectric to 1 metal.
        pub metallic: f32,
        /// Perceptual roughness.
        pub roughness: f32,
        /// Alpha below which a cut-out is absent.
        pub alpha_cutoff: f32,
        /// 1 when light does not matter.
        pub unlit: u32,
        /// Padding.
        pub pad0: u32,
    }
}

impl From<&Material> for MaterialUniform {
    fn from(material: &Material) -> Self {
        let alpha_cutoff = if let AlphaMode::Mask(cutoff) = material.alpha { cutoff } else { 0.0 };
        Self {
            base_color: material.base_color,
            emissive: (material.emissive * material.emissive_strength).to_array(),
            metallic: material.metallic,
            roughness: material.roughness,
            alpha_cutoff,
            unlit: u32::from(material.unlit),
            pad0: 0,
        }
    }
}

/// Makes textures and their mip levels.
#[derive(Debug)]
pub(super) struct TextureMaker {
    shader: DrawShader,
    halve: wgpu::RenderPipeline,
    linear: wgpu::Sampler,
}

impl TextureMaker {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/mip", &["screen", "halve"])?;
        let halve = shader.pipeline(
            gpu,
            &DrawState {
                vertex: "screen",
                fragment: Some("halve"),
                color: Some(FORMAT.into()),
                ..DrawState::default()
            },
        );
        let linear = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("render/mip"),
            min_filter: wgpu::FilterMode::Linear,
            mag_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        Ok(Self { shader, halve, linear })
    }

    /// Uploads an image and draws its mip levels, each from the one above.
    fn texture(&self, gpu: &Gpu, image: &Image) -> Result<Texture, BuildError> {
        let limit = gpu.limits.max_texture_dimension_2d;
        let shrunk = shrink(image, limit);
        let image = shrunk.as_ref().unwrap_or(image);
        let size = [image.width, image.height];
        let mips = image.width.max(image.height).max(1).ilog2() + 1;
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_DST;
        let shape = TextureShape { size, format: FORMAT, mips, samples: 1, usage };
        let texture = Texture::new(gpu, "materials/base colour", shape);
        gpu.queue.write_texture(
            texture.raw().as_image_copy(),
            &image.rgba,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(image.width * 4),
                rows_per_image: None,
            },
            wgpu::Extent3d { width: image.width, height: image.height, depth_or_array_layers: 1 },
        );
        let level_view = |level| {
            texture.raw().create_view(&wgpu::TextureViewDescriptor {
                base_mip_level: level,
                mip_level_count: Some(1),
                ..Default::default()
            })
        };
        let mut encoder = gpu.encoder("mip levels");
        for level in 1..mips {
            let group = self.shader.bind(
                gpu,
                0,
                &[
                    ("source", wgpu::BindingResource::TextureView(&level_view(level - 1))),
                    ("source_sampler", wgpu::BindingResource::Sampler(&self.linear)),
                ],
            )?;
            let view = level_view(level);
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("render/mip"),
                color_attachments: &[Some(super::color_attachment(&view, None, super::CLEAR))],
                ..Default::default()
            });
            pass.set_pipeline(&self.halve);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        }
        gpu.submit(encoder);
        Ok(texture)
    }
}

/// The image made small enough for the device, or `None` when it is.
fn shrink(image: &Image, limit: u32) -> Option<Image> {
    let largest = image.width.max(image.height);
    if largest <= limit {
        return None;
    }
    let scaled = |side: u32| {
        u32::try_from(u64::from(side) * u64::from(limit) / u64::from(largest)).unwrap_or(1).max(1)
    };
    let pixels = image::RgbaImage::from_raw(image.width, image.height, image.rgba.to_vec())?;
    let small = image::imageops::thumbnail(&pixels, scaled(image.width), scaled(image.height));
    let (width, height) = small.dimensions();
    Some(Image { width, height, rgba: Arc::new(small.into_raw()), ..image.clone() })
}

fn sampler(gpu: &Gpu, wanted: TextureSampler) -> wgpu::Sampler {
    let address = |wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("materials/base colour"),
        address_mode_u: address(wanted.wrap[0]),
        address_mode_v: address(wanted.wrap[1]),
        mag_filter: match wanted.magnify {
            Filter::Nearest => wgpu::FilterMode::Nearest,
            Filter::Linear => wgpu::FilterMode::Linear,
        },
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        anisotropy_clamp: if wanted.magnify == Filter::Nearest || gpu.is_software() { 1 } else { ANISOTROPY },
        ..Default::default()
    })
}

/// All materials of a character.
#[derive(Debug)]
pub(super) struct Materials {
    /// Factors, texture and sampler, by material.
    pub groups: Vec<wgpu::BindGroup>,
    #[expect(dead_code, reason = "what the groups bind; its bytes count while it is here")]
    bound: (Vec<Buffer<MaterialUniform>>, Vec<Texture>),
}

impl Materials {
    /// Uploads them; `body` is the shader whose group 1 they fill.
    pub fn new(
        gpu: &Gpu,
        maker: &TextureMaker,
        body: &DrawShader,
        data: &CharacterData,
    ) -> Result<Self, BuildError> {
        let white = Image::new(1, 1, vec![255; 4], ColorSpace::Srgb);
        let mut textures = vec![maker.texture(gpu, &white)?];
        for image in &data.images {
            textures.push(maker.texture(gpu, image)?);
        }
        let mut samplers = HashMap::new();
        let mut groups = Vec::with_capacity(data.materials.len());
        let mut uniforms = Vec::with_capacity(data.materials.len());
        for material in &data.materials {
            let wanted = material.base_color_texture.map(|slot| slot.sampler).unwrap_or_default();
            let sampler = samplers.entry(wanted).or_insert_with(|| sampler(gpu, wanted));
            let slot = material.base_color_texture.map_or(0, |slot| slot.image as usize + 1);
            let texture = textures.get(slot).unwrap_or(&textures[0]);
            let uniform = Buffer::from_slice(gpu, "materials", &[MaterialUniform::from(material)], UNIFORM);
            groups.push(body.bind(
                gpu,
                1,
                &[
                    ("material", uniform.raw().as_entire_binding()),
                    ("base_color_texture", wgpu::BindingResource::TextureView(texture.view())),
                    ("base_color_sampler", wgpu::BindingResource::Sampler(sampler)),
                ],
            )?);
            uniforms.push(uniform);
        }
        Ok(Self { groups, bound: (uniforms, textures) })
    }
}
