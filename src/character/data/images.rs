//! Decoded images and how textures read them.

use std::sync::Arc;

/// What the numbers in an image mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorSpace {
    /// Colour under the sRGB transfer function (alpha is linear): base colour, emission, specular and sheen colour.
    Srgb,
    /// Plain numbers: normals, metalness, roughness, occlusion, factors.
    Linear,
}

/// How an image was stored in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    WebP,
    /// Basis Universal in a KTX2 container.
    Ktx2,
    /// Basis Universal in its own container.
    Basis,
    /// A checker that stands for an image which could not be read.
    Placeholder,
}

/// A decoded image for one use: RGBA8, rows top to bottom without padding, straight alpha.
///
/// An image of the file that is read both as colour and as numbers stands here twice, with the same pixels behind
/// both.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The file's name for it, else its file name, else `image N`.
    pub name: String,
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Arc<Vec<u8>>,
    /// What the bytes mean.
    pub color_space: ColorSpace,
    /// How it was stored.
    pub format: ImageFormat,
    /// Width and height in the file, which differ from the above when it was too large for a texture.
    pub stored_size: [u32; 2],
}

impl Image {
    /// An image that is in no file: `rgba` holds `width * height * 4` bytes.
    #[must_use]
    pub fn new(width: u32, height: u32, rgba: Vec<u8>, color_space: ColorSpace) -> Self {
        Self {
            name: String::new(),
            width,
            height,
            rgba: Arc::new(rgba),
            color_space,
            format: ImageFormat::Png,
            stored_size: [width, height],
        }
    }
}

/// How a texture is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Wrap {
    /// Tiles.
    #[default]
    Repeat,
    /// Tiles, mirrored every other time.
    Mirror,
    /// Extends the border.
    Clamp,
}

/// How a texture is read between texels or mip levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Filter {
    /// The nearest one.
    Nearest,
    /// A mixture of the nearest.
    #[default]
    Linear,
}

/// Sampler state of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextureSampler {
    /// Along u and v.
    pub wrap: [Wrap; 2],
    /// Where a texel is larger than a pixel.
    pub magnify: Filter,
    /// Where a texel is smaller than a pixel.
    pub minify: Filter,
    /// Between mip levels; `None` reads the largest level only.
    pub mip: Option<Filter>,
}

impl Default for TextureSampler {
    fn default() -> Self {
        Self {
            wrap: [Wrap::Repeat; 2],
            magnify: Filter::Linear,
            minify: Filter::Linear,
            mip: Some(Filter::Linear),
        }
    }
}
