//! Materials: glTF's metallic-roughness model and the extensions that help characters look right.

use glam::{Affine2, Vec2, Vec3, Vec4};

use super::images::TextureSampler;

/// How a material treats alpha.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Drawn where alpha is at least this.
    Mask(f32),
    /// Blended.
    Blend,
}

/// A texture as one property of a material reads it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextureSlot {
    /// Index into [`super::CharacterData::images`], of an image in the colour space that the property needs.
    pub image: u32,
    /// How it is read.
    pub sampler: TextureSampler,
    /// 0 or 1: which of [`super::Vertices::uvs`] and [`super::Vertices::uvs1`] addresses it.
    pub uv_set: u32,
    /// KHR_texture_transform: texture coordinates from those of the vertex.
    pub uv_transform: Affine2,
    /// The normal map's scale of x and y, the occlusion's strength; 1 for all others.
    pub strength: f32,
}

impl TextureSlot {
    /// Image `image` as it is: set 0, tiled, smooth.
    #[must_use]
    pub fn new(image: u32) -> Self {
        Self {
            image,
            sampler: TextureSampler::default(),
            uv_set: 0,
            uv_transform: Affine2::IDENTITY,
            strength: 1.0,
        }
    }

    /// Where a vertex with the texture coordinates `uvs` (sets 0 and 1) reads the texture.
    #[must_use]
    pub fn uv(&self, uvs: [Vec2; 2]) -> Vec2 {
        self.uv_transform.transform_point2(uvs[self.uv_set.min(1) as usize])
    }
}

/// KHR_materials_specular: strength and tint of a dielectric's reflection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Specular {
    /// Strength, 0 to 1.
    pub factor: f32,
    /// Linear tint of the reflection at normal incidence; may exceed 1.
    pub color: Vec3,
    /// Strength in alpha.
    pub texture: Option<TextureSlot>,
    /// Tint in RGB, sRGB.
    pub color_texture: Option<TextureSlot>,
}

impl Default for Specular {
    fn default() -> Self {
        Self { factor: 1.0, color: Vec3::ONE, texture: None, color_texture: None }
    }
}

/// KHR_materials_clearcoat: a clear layer on top; absent at factor 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Clearcoat {
    /// Strength, 0 to 1.
    pub factor: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Strength in red.
    pub texture: Option<TextureSlot>,
    /// Roughness in green.
    pub roughness_texture: Option<TextureSlot>,
    /// Tangent-space normals of the layer.
    pub normal_texture: Option<TextureSlot>,
}

/// KHR_materials_sheen: the shine of fibres at grazing angles; absent at colour 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sheen {
    /// Linear colour, 0 to 1.
    pub color: Vec3,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Colour in RGB, sRGB.
    pub color_texture: Option<TextureSlot>,
    /// Roughness in alpha.
    pub roughness_texture: Option<TextureSlot>,
}

/// KHR_materials_transmission: light that passes through; absent at factor 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Transmission {
    /// Part of the light that is not reflected which passes, 0 to 1.
    pub factor: f32,
    /// The factor's own factor in red.
    pub texture: Option<TextureSlot>,
}

/// The most different textures that the layers of a material are drawn with.
pub const MAX_LAYER_TEXTURES: usize = 6;

/// A metallic-roughness material. Factors multiply the textures beside them; an absent texture counts as 1.
///
/// Textures that can change nothing are left out, and their images never decoded: all of materials that no drawn
/// primitive can take, those under a factor of zero, and all but the base colour of unlit ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The file's name for it, else `material N`.
    pub name: String,
    /// Linear RGBA factor, 0 to 1.
    pub base_color: Vec4,
    /// sRGB colour and linear alpha.
    pub base_color_texture: Option<TextureSlot>,
    /// 0 dielectric to 1 metal.
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Roughness in green, metalness in blue; linear.
    pub metallic_roughness_texture: Option<TextureSlot>,
    /// Tangent-space normals, y up; linear. The strength scales x and y.
    pub normal_texture: Option<TextureSlot>,
    /// How much of the surrounding light arrives, in red; linear. With strength s it counts as 1 + s·(red − 1).
    pub occlusion_texture: Option<TextureSlot>,
    /// Linear emitted light, 0 to 1, before [`Material::emissive_strength`].
    pub emissive: Vec3,
    /// Emitted colour, sRGB.
    pub emissive_texture: Option<TextureSlot>,
    /// KHR_materials_emissive_strength: multiplies the emitted light; 1 where absent.
    pub emissive_strength: f32,
    /// Alpha handling.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// KHR_materials_unlit.
    pub unlit: bool,
    /// KHR_materials_ior: index of refraction of the dielectric, at least 1; 1.5 where absent.
    pub ior: f32,
    /// KHR_materials_specular.
    pub specular: Specular,
    /// KHR_materials_clearcoat.
    pub clearcoat: Clearcoat,
    /// KHR_materials_sheen.
    pub sheen: Sheen,
    /// KHR_materials_transmission.
    pub transmission: Transmission,
}

impl Material {
    /// Every texture it reads, with what for.
    pub fn textures(&self) -> impl Iterator<Item = (&'static str, &TextureSlot)> {
        [
            ("base colour", &self.base_color_texture),
            ("metallic-roughness", &self.metallic_roughness_texture),
            ("normal", &self.normal_texture),
            ("occlusion", &self.occlusion_texture),
            ("emissive", &self.emissive_texture),
            ("specular", &self.specular.texture),
            ("specular colour", &self.specular.color_texture),
            ("clearcoat", &self.clearcoat.texture),
            ("clearcoat roughness", &self.clearcoat.roughness_texture),
            ("clearcoat normal", &self.clearcoat.normal_texture),
            ("sheen colour", &self.sheen.color_texture),
            ("sheen roughness", &self.sheen.roughness_texture),
            ("transmission", &self.transmission.texture),
        ]
        .into_iter()
        .filter_map(|(what, slot)| Some((what, slot.as_ref()?)))
    }

    /// The slots of its layers: clear coat, its roughness and normals, sheen's colour and roughness, specular and its
    /// colour, transmission.
    #[must_use]
    pub fn layer_slots(&self) -> [Option<TextureSlot>; 8] {
        [
            self.clearcoat.texture,
            self.clearcoat.roughness_texture,
            self.clearcoat.normal_texture,
            self.sheen.color_texture,
            self.sheen.roughness_texture,
            self.specular.texture,
            self.specular.color_texture,
            self.transmission.texture,
        ]
    }

    /// Images and samplers that the slots of its layers read, each once; drawn are the first [`MAX_LAYER_TEXTURES`].
    #[must_use]
    pub fn layer_textures(&self) -> Vec<(u32, TextureSampler)> {
        let mut textures = Vec::new();
        for slot in self.layer_slots().into_iter().flatten() {
            if !textures.contains(&(slot.image, slot.sampler)) {
                textures.push((slot.image, slot.sampler));
            }
        }
        textures
    }

    /// The slot whose tangent frame its vertices need: that of the normal map, else of the clear coat's.
    #[must_use]
    pub fn tangent_slot(&self) -> Option<&TextureSlot> {
        self.normal_texture.as_ref().or(self.clearcoat.normal_texture.as_ref())
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            occlusion_texture: None,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            emissive_strength: 1.0,
            alpha: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            ior: 1.5,
            specular: Specular::default(),
            clearcoat: Clearcoat::default(),
            sheen: Sheen::default(),
            transmission: Transmission::default(),
        }
    }
}
