//! Materials and the textures they read, straight from the JSON: a field that is malformed counts as absent.

use glam::{Affine2, Vec2, Vec3, Vec4};
use gltf::json;
use json::texture::{MagFilter, MinFilter, WrappingMode};
use json::validation::Checked;
use serde_json::Value;

use super::context::Context;
use super::document::Document;
use super::images::Images;
use crate::character::data::{
    AlphaMode, Clearcoat, ColorSpace, Filter, MAX_LAYER_TEXTURES, Material, Sheen, Specular, TextureSampler,
    TextureSlot, Transmission, Wrap,
};

/// Largest factor of what may exceed one.
const MAX_FACTOR: f32 = 1.0e6;
/// Reflectance at normal incidence of glTF's dielectric, whose index of refraction is 1.5.
const DIELECTRIC_F0: f32 = 0.04;

/// All materials of the file and the default one behind them; the images of those that `drawn` names are asked for.
pub(super) fn read(ctx: &Context, document: &Document, drawn: &[bool], images: &mut Images) -> Vec<Material> {
    let mut materials = Vec::with_capacity(document.materials.len() + 1);
    for (index, json) in document.materials.iter().enumerate() {
        let drawn = drawn.get(index).copied().unwrap_or(false);
        let reader = Reader { ctx, document, drawn, place: format!("material {index}") };
        let unnamed = || format!("material {index}");
        let json = Fields(Some(json));
        let name = json.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let name = name.map_or_else(unnamed, str::to_owned);
        materials.push(reader.material(name, json, images));
    }
    materials.push(Material { name: "default".to_owned(), ..Material::default() });
    materials
}

/// The numbers and textures of one object; an absent object has none.
#[derive(Clone, Copy)]
struct Fields<'a>(Option<&'a Value>);

impl<'a> Fields<'a> {
    fn get(self, key: &str) -> Option<&'a Value> {
        self.0?.get(key)
    }

    fn object(self, key: &str) -> Self {
        Self(self.get(key))
    }

    fn number(self, key: &str, default: f32, most: f32) -> f32 {
        self.get(key).and_then(Value::as_f64).map_or(default, |value| bounded(value, most))
    }

    fn array<const N: usize>(self, key: &str, default: f32, most: f32) -> [f32; N] {
        let values = self.get(key).and_then(Value::as_array);
        let values: Option<Vec<f64>> = values.and_then(|values| values.iter().map(Value::as_f64).collect());
        match values.as_deref().map(<[f64; N]>::try_from) {
            Some(Ok(values)) => values.map(|value| bounded(value, most)),
            _ => [default; N],
        }
    }
}

fn bounded(value: f64, most: f32) -> f32 {
    // JSON has no NaN; what exceeds 32 bits becomes infinite and is clamped.
    (value as f32).clamp(0.0, most)
}

struct Reader<'a> {
    ctx: &'a Context<'a>,
    document: &'a Document,
    drawn: bool,
    place: String,
}

impl Reader<'_> {
    fn material<'a>(&self, name: String, json: Fields<'a>, images: &mut Images) -> Material {
        use ColorSpace::{Linear, Srgb};
        let extension = |key: &str| json.object("extensions").object(key);
        let unlit = extension("KHR_materials_unlit").0.is_some();
        let mut texture = |from: Fields, key: &str, strength: Option<&str>, space: ColorSpace| {
            self.slot(from.object(key), strength, space, images)
        };
        let pbr = json.object("pbrMetallicRoughness");
        let specular = extension("KHR_materials_specular");
        let clearcoat = extension("KHR_materials_clearcoat");
        let sheen = extension("KHR_materials_sheen");
        let transmission = extension("KHR_materials_transmission");
        let emissive = extension("KHR_materials_emissive_strength");
        // Textures that can change nothing are not worth their memory.
        let lit = |fields: Fields<'a>, counts: bool| if counts && !unlit { fields } else { Fields(None) };
        let shines = Vec3::from_array(json.array("emissiveFactor", 0.0, 1.0));
        let fibres = Vec3::from_array(sheen.array("sheenColorFactor", 0.0, 1.0));
        let coat = lit(clearcoat, clearcoat.number("clearcoatFactor", 0.0, 1.0) > 0.0);
        let passing = lit(transmission, transmission.number("transmissionFactor", 0.0, 1.0) > 0.0);
        let mut material = Material {
            name,
            base_color: Vec4::from_array(pbr.array("baseColorFactor", 1.0, 1.0)),
            base_color_texture: texture(pbr, "baseColorTexture", None, Srgb),
            metallic: pbr.number("metallicFactor", 1.0, 1.0),
            roughness: pbr.number("roughnessFactor", 1.0, 1.0),
            metallic_roughness_texture: texture(lit(pbr, true), "metallicRoughnessTexture", None, Linear),
            normal_texture: texture(lit(json, true), "normalTexture", Some("scale"), Linear),
            occlusion_texture: texture(lit(json, true), "occlusionTexture", Some("strength"), Linear),
            emissive: shines,
            emissive_texture: texture(lit(json, shines != Vec3::ZERO), "emissiveTexture", None, Srgb),
            emissive_strength: emissive.number("emissiveStrength", 1.0, MAX_FACTOR),
            alpha: match json.get("alphaMode").and_then(Value::as_str) {
                Some("MASK") => AlphaMode::Mask(json.number("alphaCutoff", 0.5, 2.0)),
                Some("BLEND") => AlphaMode::Blend,
                _ => AlphaMode::Opaque,
            },
            double_sided: json.get("doubleSided").and_then(Value::as_bool).unwrap_or(false),
            unlit,
            ior: refraction(extension("KHR_materials_ior").number("ior", 1.5, MAX_FACTOR)),
            specular: Specular {
                factor: specular.number("specularFactor", 1.0, 1.0),
                color: Vec3::from_array(specular.array("specularColorFactor", 1.0, MAX_FACTOR)),
                texture: texture(lit(specular, true), "specularTexture", None, Linear),
                color_texture: texture(lit(specular, true), "specularColorTexture", None, Srgb),
            },
            clearcoat: Clearcoat {
                factor: clearcoat.number("clearcoatFactor", 0.0, 1.0),
                roughness: clearcoat.number("clearcoatRoughnessFactor", 0.0, 1.0),
                texture: texture(coat, "clearcoatTexture", None, Linear),
                roughness_texture: texture(coat, "clearcoatRoughnessTexture", None, Linear),
                normal_texture: texture(coat, "clearcoatNormalTexture", Some("scale"), Linear),
            },
            sheen: Sheen {
                color: fibres,
                roughness: sheen.number("sheenRoughnessFactor", 0.0, 1.0),
                color_texture: texture(lit(sheen, fibres != Vec3::ZERO), "sheenColorTexture", None, Srgb),
                roughness_texture: texture(
                    lit(sheen, fibres != Vec3::ZERO),
                    "sheenRoughnessTexture",
                    None,
                    Linear,
                ),
            },
            transmission: Transmission {
                factor: transmission.number("transmissionFactor", 0.0, 1.0),
                texture: texture(passing, "transmissionTexture", None, Linear),
            },
        };
        // A file with both means the metallic-roughness model for viewers without the older one.
        let glossy = extension("KHR_materials_pbrSpecularGlossiness");
        if glossy.0.is_some() && pbr.0.is_none() {
            self.ctx.warn("materials of the older specular-glossiness model are approximated");
            material.base_color = Vec4::from_array(glossy.array("diffuseFactor", 1.0, 1.0));
            material.base_color_texture = texture(glossy, "diffuseTexture", None, Srgb);
            material.metallic = 0.0;
            material.roughness = 1.0 - glossy.number("glossinessFactor", 1.0, 1.0);
            let reflectance = Vec3::from_array(glossy.array("specularFactor", 1.0, 1.0));
            material.specular.color = reflectance / DIELECTRIC_F0;
            material.specular.color_texture = texture(glossy, "specularGlossinessTexture", None, Srgb);
        }
        let layer_textures = material.layer_textures().len();
        if layer_textures > MAX_LAYER_TEXTURES {
            self.ctx.warn(format!(
                "{} has {layer_textures} different textures in its layers; the first {MAX_LAYER_TEXTURES} are drawn",
                self.place
            ));
        }
        material
    }

    /// A texture slot; `None` when there is no texture, nothing draws the material, or its image does not exist.
    fn slot(
        &self,
        info: Fields,
        strength: Option<&str>,
        space: ColorSpace,
        images: &mut Images,
    ) -> Option<TextureSlot> {
        if !self.drawn {
            return None;
        }
        let number = info.get("index")?;
        let index = number.as_u64().and_then(|index| usize::try_from(index).ok());
        let Some((index, texture)) =
            index.and_then(|index| Some((index, self.document.textures.get(index)?)))
        else {
            self.ctx.warn(format!("{} names texture {number}, which does not exist", self.place));
            return None;
        };
        let transform = info.object("extensions").object("KHR_texture_transform");
        let set = transform.get("texCoord").or(info.get("texCoord")).and_then(Value::as_u64).unwrap_or(0);
        if set > 1 {
            self.ctx.warn(format!("{} reads TEXCOORD_{set}; the first set is taken for it", self.place));
        }
        let strength = strength.and_then(|key| info.get(key)?.as_f64()).unwrap_or(1.0) as f32;
        Some(TextureSlot {
            image: self.image(texture, index, space, images)?,
            sampler: sampler(self.document, texture),
            uv_set: if set == 1 { 1 } else { 0 },
            uv_transform: uv_transform(transform),
            strength: strength.clamp(-MAX_FACTOR, MAX_FACTOR),
        })
    }

    /// The place of the image that a texture draws; alternatives in better formats go before the plain one.
    fn image(
        &self,
        texture: &json::Texture,
        index: usize,
        space: ColorSpace,
        images: &mut Images,
    ) -> Option<u32> {
        let others = texture.extensions.as_ref().map(|extensions| &extensions.others);
        let alternative = |key: &str| {
            let source = others?.get(key)?.get("source")?.as_u64()?;
            usize::try_from(source).ok()
        };
        let plain = Some(texture.source.value()).filter(|source| *source != u32::MAX as usize);
        let sources = [
            alternative("KHR_texture_basisu"),
            alternative("GOOGLE_texture_basis"),
            alternative("EXT_texture_webp"),
            plain,
        ];
        let slot = sources.into_iter().flatten().find_map(|source| images.slot(source, space));
        if slot.is_none() {
            self.ctx.warn(match others.and_then(|others| others.keys().next()) {
                Some(name) => format!("texture {index} has an image only under {name}, which is not drawn"),
                None => format!("texture {index} has no image"),
            });
        }
        slot
    }
}

/// KHR_materials_ior: nothing refracts less than the vacuum. 0 stands for a full reflection at every angle, which
/// the largest index comes near.
fn refraction(ior: f32) -> f32 {
    if ior == 0.0 { MAX_FACTOR } else { ior.max(1.0) }
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
    let magnify = match sampler.mag_filter {
        Some(Checked::Valid(MagFilter::Nearest)) => Filter::Nearest,
        _ => Filter::Linear,
    };
    let (minify, mip) = match sampler.min_filter {
        Some(Checked::Valid(filter)) => match filter {
            MinFilter::Nearest => (Filter::Nearest, None),
            MinFilter::Linear => (Filter::Linear, None),
            MinFilter::NearestMipmapNearest => (Filter::Nearest, Some(Filter::Nearest)),
            MinFilter::LinearMipmapNearest => (Filter::Linear, Some(Filter::Nearest)),
            MinFilter::NearestMipmapLinear => (Filter::Nearest, Some(Filter::Linear)),
            MinFilter::LinearMipmapLinear => (Filter::Linear, Some(Filter::Linear)),
        },
        _ => (Filter::Linear, Some(Filter::Linear)),
    };
    TextureSampler { wrap: [wrap(&sampler.wrap_s), wrap(&sampler.wrap_t)], magnify, minify, mip }
}

/// `uv' = translation · rotation · scale · uv`, as KHR_texture_transform defines it.
fn uv_transform(fields: Fields) -> Affine2 {
    let number = |value: &Value| value.as_f64().map(|value| value as f32);
    let pair = |key: &str| -> Option<Vec2> {
        let values = fields.get(key)?;
        Some(Vec2::new(number(values.get(0)?)?, number(values.get(1)?)?))
    };
    let offset = pair("offset").unwrap_or(Vec2::ZERO);
    let scale = pair("scale").unwrap_or(Vec2::ONE);
    let rotation = fields.get("rotation").and_then(number).unwrap_or(0.0);
    // The v axis points down, so that a positive angle turns against the usual sense. Scale comes first.
    let transform = Affine2::from_scale_angle_translation(scale, -rotation, offset);
    if transform.is_finite() { transform } else { Affine2::IDENTITY }
}
