//! Materials, their base colour textures, and where each finds its texture coordinates.

use glam::{Affine2, Vec2, Vec3, Vec4};
use gltf::json;
use json::texture::{MagFilter, WrappingMode};
use json::validation::Checked;
use serde_json::Value;

use super::context::Context;
use super::document::Document;
use super::error::LoadError;
use super::images::Images;
use crate::character::data::{AlphaMode, Image, Material, TextureSampler, Wrap};

/// Which texture coordinates a material uses, and how KHR_texture_transform moves them.
#[derive(Clone, Copy)]
pub(super) struct UvSource {
    pub set: u32,
    pub transform: Affine2,
}

impl Default for UvSource {
    fn default() -> Self {
        Self { set: 0, transform: Affine2::IDENTITY }
    }
}

/// All materials of the file and the default one behind them.
pub(super) struct Materials {
    pub materials: Vec<Material>,
    pub images: Vec<Image>,
    uv_sources: Vec<UvSource>,
}

impl Materials {
    /// Index of the glTF default material.
    pub fn default_index(&self) -> usize {
        self.materials.len() - 1
    }

    /// How the material at `index` finds its texture coordinates.
    pub fn uv_source(&self, index: usize) -> &UvSource {
        &self.uv_sources[index]
    }
}

/// Reads all materials and decodes the images they draw with.
///
/// # Errors
/// Only [`LoadError::Cancelled`]: a broken material or image costs itself alone.
pub(super) fn read(ctx: &Context, document: &Document, mut images: Images) -> Result<Materials, LoadError> {
    let count = document.materials.len();
    let mut materials = Vec::with_capacity(count + 1);
    let mut uv_sources = Vec::with_capacity(count + 1);
    for (index, json) in document.materials.iter().enumerate() {
        ctx.step(0.2 + 0.3 * index as f32 / count as f32)?;
        let (material, uv_source) = material(ctx, document, &mut images, index, json);
        materials.push(material);
        uv_sources.push(uv_source);
    }
    materials.push(Material { name: "default".to_owned(), ..Material::default() });
    uv_sources.push(UvSource::default());
    Ok(Materials { materials, images: images.decoded, uv_sources })
}

fn material(
    ctx: &Context,
    document: &Document,
    images: &mut Images,
    index: usize,
    json: &json::Material,
) -> (Material, UvSource) {
    let bounded = |value: f32, most: f32, default: f32| {
        if value.is_finite() { value.clamp(0.0, most) } else { default }
    };
    let unit = |value: f32| bounded(value, 1.0, 1.0);
    let pbr = &json.pbr_metallic_roughness;
    let extension = |name: &str| json.extensions.as_ref().and_then(|extensions| extensions.others.get(name));
    let strength = extension("KHR_materials_emissive_strength")
        .map_or(1.0, |extension| extension.get("emissiveStrength").and_then(Value::as_f64).unwrap_or(1.0));
    let emissive = json.emissive_factor.0.map(|factor| unit(factor) * bounded(strength as f32, 1.0e6, 1.0));
    let cutoff = json.alpha_cutoff.map_or(0.5, |cutoff| cutoff.0);

    let mut uv_source = UvSource::default();
    let mut base_color_image = None;
    let mut base_color_sampler = TextureSampler::default();
    if let Some(info) = &pbr.base_color_texture {
        uv_source = read_uv_source(info);
        match document.textures.get(info.index.value()) {
            Some(texture) => {
                base_color_image = source(ctx, images, texture, info.index.value());
                base_color_sampler = sampler(document, texture);
            }
            None => ctx
                .warn(format!("material {index} names texture {}, which does not exist", info.index.value())),
        }
    }
    let material = Material {
        name: json.name.clone().unwrap_or_else(|| format!("material {index}")),
        base_color: Vec4::from_array(pbr.base_color_factor.0.map(unit)),
        base_color_image,
        base_color_sampler,
        metallic: unit(pbr.metallic_factor.0),
        roughness: unit(pbr.roughness_factor.0),
        emissive: Vec3::from_array(emissive),
        alpha: match json.alpha_mode {
            Checked::Valid(json::material::AlphaMode::Mask) => AlphaMode::Mask(bounded(cutoff, 2.0, 0.5)),
            Checked::Valid(json::material::AlphaMode::Blend) => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        },
        double_sided: json.double_sided,
        unlit: extension("KHR_materials_unlit").is_some(),
    };
    (material, uv_source)
}

/// The decoded image that a texture draws; the WebP alternative goes before the plain one.
fn source(ctx: &Context, images: &mut Images, texture: &json::Texture, index: usize) -> Option<u32> {
    let others = texture.extensions.as_ref().map(|extensions| &extensions.others);
    let webp = others
        .and_then(|others| others.get("EXT_texture_webp")?.get("source")?.as_u64())
        .and_then(|source| usize::try_from(source).ok());
    let plain = Some(texture.source.value()).filter(|source| *source != u32::MAX as usize);
    let slot = [webp, plain].into_iter().flatten().find_map(|source| images.slot(source));
    if slot.is_none() {
        let named = others.and_then(|others| others.keys().next());
        ctx.warn(match named {
            Some(name) => format!("texture {index} has an image only under {name}, which is not drawn"),
            None => format!("texture {index} has no image"),
        });
    }
    slot
}

fn sampler(document: &Document, texture: &json::Texture) -> TextureSampler {
    let Some(sampler) = texture.sampler.and_then(|sampler| document.samplers.get(sampler.value())) else {
        return TextureSampler::default();
    };
    let wrap = |mode: &Checked<WrappingMode>| match mode {
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::Clamp,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::Mirror,
        _ => Wrap::Repeat,
    };
    TextureSampler {
        wrap: [wrap(&sampler.wrap_s), wrap(&sampler.wrap_t)],
        nearest: matches!(sampler.mag_filter, Some(Checked::Valid(MagFilter::Nearest))),
    }
}

/// `uv' = translation · rotation · scale · uv`, as KHR_texture_transform defines it.
fn read_uv_source(info: &json::texture::Info) -> UvSource {
    let mut source = UvSource { set: info.tex_coord, ..UvSource::default() };
    let others = info.extensions.as_ref().map(|extensions| &extensions.others);
    let Some(extension) = others.and_then(|others| others.get("KHR_texture_transform")) else {
        return source;
    };
    let number = |value: &Value| value.as_f64().map(|value| value as f32);
    let pair = |key: &str| -> Option<Vec2> {
        let values = extension.get(key)?;
        Some(Vec2::new(number(values.get(0)?)?, number(values.get(1)?)?))
    };
    let offset = pair("offset").unwrap_or(Vec2::ZERO);
    let scale = pair("scale").unwrap_or(Vec2::ONE);
    let rotation = extension.get("rotation").and_then(number).unwrap_or(0.0);
    // The v axis points down, so that a positive angle turns against the usual sense. Scale comes first.
    let transform = Affine2::from_scale_angle_translation(scale, -rotation, offset);
    if transform.is_finite() {
        source.transform = transform;
    }
    if let Some(set) = extension.get("texCoord").and_then(Value::as_u64) {
        source.set = u32::try_from(set).unwrap_or(0);
    }
    source
}
