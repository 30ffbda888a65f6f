//! Materials on the GPU: factors, textures with mip levels, samplers, and which of them each material reads.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Vec3, Vec4};

use crate::character::CharacterData;
use crate::character::data::{
    AlphaMode, ColorSpace, Filter, Image, MAX_LAYER_TEXTURES, Material, TextureSampler, TextureSlot, Wrap,
};
use crate::gpu::buffer::UNIFORM;
use crate::gpu::texture::TextureShape;
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, ShaderLibrary, Texture};

/// Texels along the stretch of a slanted texture, where the adapter does not compute them on the CPU.
const ANISOTROPY: u16 = 8;
/// Names of the textures in the shader that have a place of their own, in the order of its constants.
const TEXTURES: [&str; 5] = ["base_color", "metallic_roughness", "normal", "occlusion", "emissive"];
/// Textures of layers, in the order of the shader's constants; those a material has share [`LAYER_SLOTS`] places.
const LAYERS: [&str; 8] = [
    "clearcoat_slot",
    "clearcoat_roughness_slot",
    "clearcoat_normal_slot",
    "sheen_color_slot",
    "sheen_roughness_slot",
    "specular_slot",
    "specular_color_slot",
    "transmission_slot",
];
/// Every device binds 16 textures to a stage, and the frame needs some of them.
const LAYER_SLOTS: usize = MAX_LAYER_TEXTURES;

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
        /// Part of the light that passes through a dielectric.
        pub transmission: f32,
        /// Strength of the clear layer.
        pub clearcoat: f32,
        /// Reflection of the dielectric straight on, linear, before its strength and the bound of 1.
        pub specular_color: [f32; 3],
        /// Its strength: reflection of the dielectric at grazing angles.
        pub specular: f32,
        /// Shine of fibres, linear.
        pub sheen_color: [f32; 3],
        /// Perceptual roughness of the fibres.
        pub sheen_roughness: f32,
        /// Perceptual roughness of the clear layer.
        pub clearcoat_roughness: f32,
        /// Factor on the normal map's x and y.
        pub normal_scale: f32,
        /// How much the occlusion texture counts.
        pub occlusion_strength: f32,
        /// Factor on x and y of the clear layer's normal map.
        pub clearcoat_normal_scale: f32,
        /// Of each texture, rows u and v of the map from texture coordinates, and the set in u's fourth place.
        pub uv_rows: [Vec4; 26],
    }
}

impl From<&Material> for MaterialUniform {
    fn from(material: &Material) -> Self {
        let alpha_cutoff = if let AlphaMode::Mask(cutoff) = material.alpha { cutoff } else { 0.0 };
        let straight_on = ((material.ior - 1.0) / (material.ior + 1.0)).powi(2);
        let specular = &material.specular;
        let mut uv_rows = [Vec4::ZERO; 26];
        let all = slots(material).into_iter().chain(material.layer_slots());
        for (rows, slot) in uv_rows.chunks_exact_mut(2).zip(all) {
            let Some(slot) = slot else { continue };
            let (m, shift) = (slot.uv_transform.matrix2, slot.uv_transform.translation);
            rows[0] = Vec4::new(m.x_axis.x, m.y_axis.x, shift.x, slot.uv_set.min(1) as f32);
            rows[1] = Vec4::new(m.x_axis.y, m.y_axis.y, shift.y, 0.0);
        }
        let strength = |slot: &Option<TextureSlot>| slot.map_or(1.0, |slot| slot.strength);
        Self {
            base_color: material.base_color,
            emissive: (material.emissive * material.emissive_strength).to_array(),
            metallic: material.metallic,
            roughness: material.roughness,
            alpha_cutoff,
            transmission: material.transmission.factor,
            clearcoat: material.clearcoat.factor,
            specular_color: (straight_on * specular.color).to_array(),
            specular: specular.factor,
            sheen_color: material.sheen.color.to_array(),
            sheen_roughness: material.sheen.roughness,
            clearcoat_roughness: material.clearcoat.roughness,
            normal_scale: strength(&material.normal_texture),
            occlusion_strength: strength(&material.occlusion_texture),
            clearcoat_normal_scale: strength(&material.clearcoat.normal_texture),
            uv_rows,
        }
    }
}

/// The slots that are drawn, in the order of [`TEXTURES`].
fn slots(material: &Material) -> [Option<TextureSlot>; 5] {
    [
        material.base_color_texture,
        material.metallic_roughness_texture,
        material.normal_texture,
        material.occlusion_texture,
        material.emissive_texture,
    ]
}

/// Where the textures of a material's layers are bound.
#[derive(Debug, Clone, PartialEq, Default)]
struct LayerPlan {
    /// Image and sampler of each place in use.
    places: Vec<(u32, TextureSampler)>,
    /// The place of each of [`LAYERS`]; -1 where there is none.
    place_of: [i8; 8],
}

impl LayerPlan {
    /// Gives each texture a place; those that read one image alike share it. What finds none left is not drawn.
    fn of(material: &Material) -> Self {
        let mut places = material.layer_textures();
        places.truncate(LAYER_SLOTS);
        let place_of = material.layer_slots().map(|slot| {
            let place = slot.and_then(|slot| places.iter().position(|at| *at == (slot.image, slot.sampler)));
            place.map_or(-1, |place| place as i8)
        });
        Self { places, place_of }
    }
}

/// What a pipeline must be made for to draw a material.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Features {
    /// Which of [`TEXTURES`] it has.
    textures: [bool; 5],
    /// Places of [`LAYERS`], one more than bound; 0 where there is none.
    layer_places: [u8; 8],
    layers: bool,
    unlit: bool,
}

impl Features {
    fn of(material: &Material, plan: &LayerPlan) -> Self {
        Self {
            layer_places: plan.place_of.map(|place| (place + 1) as u8),
            textures: slots(material).map(|slot| slot.is_some()),
            layers: material.clearcoat.factor > 0.0 || material.sheen.color != Vec3::ZERO,
            unlit: material.unlit,
        }
    }

    /// The shader's constants.
    pub fn constants(self) -> impl Iterator<Item = (&'static str, f64)> {
        let [base_color, metallic_roughness, normal, occlusion, emissive] = self.textures.map(f64::from);
        let places = LAYERS.into_iter().zip(self.layer_places.map(|place| f64::from(place) - 1.0));
        let whole = [
            ("has_base_color", base_color),
            ("has_metallic_roughness", metallic_roughness),
            ("has_normal", normal),
            ("has_occlusion", occlusion),
            ("has_emissive", emissive),
            ("has_layers", f64::from(self.layers)),
            ("is_unlit", f64::from(self.unlit)),
        ];
        whole.into_iter().chain(places)
    }
}

/// Makes textures and their mip levels.
#[derive(Debug)]
pub(super) struct TextureMaker {
    shader: DrawShader,
    /// By colour space: sRGB formats filter in linear light.
    halve: HashMap<wgpu::TextureFormat, wgpu::RenderPipeline>,
    linear: wgpu::Sampler,
}

fn format(color_space: ColorSpace) -> wgpu::TextureFormat {
    match color_space {
        ColorSpace::Srgb => wgpu::TextureFormat::Rgba8UnormSrgb,
        ColorSpace::Linear => wgpu::TextureFormat::Rgba8Unorm,
    }
}

impl TextureMaker {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/mip", &["screen", "halve"])?;
        let halve = [ColorSpace::Srgb, ColorSpace::Linear]
            .map(format)
            .map(|format| {
                let state = DrawState {
                    vertex: "screen",
                    fragment: Some("halve"),
                    color: Some(format.into()),
                    ..DrawState::default()
                };
                (format, shader.pipeline(gpu, &state))
            })
            .into();
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
        let format = format(image.color_space);
        let shape = TextureShape { size, format, mips, samples: 1, usage };
        let texture = Texture::new(gpu, "materials/textures", shape);
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
            pass.set_pipeline(&self.halve[&format]);
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
        label: Some("materials"),
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
    /// Factors, textures and samplers, by material.
    pub groups: Vec<wgpu::BindGroup>,
    /// What draws each.
    pub features: Vec<Features>,
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
        let white = Image::new(1, 1, vec![255; 4], ColorSpace::Linear);
        let mut textures = vec![maker.texture(gpu, &white)?];
        for image in &data.images {
            textures.push(maker.texture(gpu, image)?);
        }
        let plain = TextureSampler::default();
        let mut samplers = HashMap::from([(plain, sampler(gpu, plain))]);
        for wanted in data
            .materials
            .iter()
            .flat_map(|material| slots(material).into_iter().chain(material.layer_slots()))
            .filter_map(|slot| Some(slot?.sampler))
        {
            samplers.entry(wanted).or_insert_with(|| sampler(gpu, wanted));
        }
        let names = TEXTURES.map(|name| [format!("{name}_texture"), format!("{name}_sampler")]);
        let layer_names: [_; LAYER_SLOTS] =
            std::array::from_fn(|i| [format!("layer{i}_texture"), format!("layer{i}_sampler")]);
        let mut groups = Vec::with_capacity(data.materials.len());
        let mut uniforms = Vec::with_capacity(data.materials.len());
        let mut features = Vec::with_capacity(data.materials.len());
        for material in &data.materials {
            let uniform = Buffer::from_slice(gpu, "materials", &[MaterialUniform::from(material)], UNIFORM);
            let mut bindings = vec![("material", uniform.raw().as_entire_binding())];
            for ([texture_name, sampler_name], slot) in names.iter().zip(slots(material)) {
                let texture = slot.map_or(0, |slot| slot.image as usize + 1);
                let texture = textures.get(texture).unwrap_or(&textures[0]);
                let sampler = &samplers[&slot.map_or(plain, |slot| slot.sampler)];
                bindings.push((texture_name, wgpu::BindingResource::TextureView(texture.view())));
                bindings.push((sampler_name, wgpu::BindingResource::Sampler(sampler)));
            }
            let plan = LayerPlan::of(material);
            features.push(Features::of(material, &plan));
            for (index, [texture_name, sampler_name]) in layer_names.iter().enumerate() {
                let (image, sampler) = match plan.places.get(index) {
                    Some((image, sampler)) => (*image as usize + 1, *sampler),
                    None => (0, plain),
                };
                let texture = textures.get(image).unwrap_or(&textures[0]);
                bindings.push((texture_name, wgpu::BindingResource::TextureView(texture.view())));
                bindings.push((sampler_name, wgpu::BindingResource::Sampler(&samplers[&sampler])));
            }
            groups.push(body.bind(gpu, 1, &bindings)?);
            uniforms.push(uniform);
        }
        Ok(Self { groups, features, bound: (uniforms, textures) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_that_read_alike_share_a_place_and_the_rest_find_none() {
        let mut material = Material::default();
        let slot = |image| Some(TextureSlot::new(image));
        (material.clearcoat.texture, material.clearcoat.roughness_texture) = (slot(3), slot(3));
        material.sheen.color_texture = slot(4);
        let plan = LayerPlan::of(&material);
        assert_eq!(plan.place_of, [0, 0, -1, 1, -1, -1, -1, -1]);
        // Another set of coordinates reads the same texture; another sampler does not.
        if let Some(slot) = &mut material.clearcoat.roughness_texture {
            slot.uv_set = 1;
        }
        assert_eq!(LayerPlan::of(&material).place_of, plan.place_of);
        if let Some(slot) = &mut material.clearcoat.roughness_texture {
            slot.sampler.magnify = Filter::Nearest;
        }
        assert_eq!(LayerPlan::of(&material).place_of, [0, 1, -1, 2, -1, -1, -1, -1]);
        // Eight different ones are two too many.
        material.clearcoat.normal_texture = slot(5);
        material.sheen.roughness_texture = slot(6);
        (material.specular.texture, material.specular.color_texture) = (slot(7), slot(8));
        material.transmission.texture = slot(9);
        assert_eq!(LayerPlan::of(&material).place_of, [0, 1, 2, 3, 4, 5, -1, -1]);
    }
}
