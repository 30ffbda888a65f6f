//! Image files to RGBA8; a broken or missing one becomes a visible placeholder.

use std::collections::HashMap;
use std::io::Cursor;

use gltf::json;

use super::buffers::Views;
use super::context::Context;
use super::error::LoadError;
use super::uri::Resources;
use crate::character::data::Image;

/// Longest side; the largest 2-D texture that every adapter offers.
const MAX_SIDE: u32 = 8192;
/// Decoded bytes that any image may have (4096 × 4096), however small its file.
const FREE_BYTES: u64 = 64 << 20;
/// Beyond [`FREE_BYTES`]: decoded bytes for each byte of the file. Deflate cannot expand further than 1032.
const BYTES_PER_BYTE: u64 = 1032;
/// Bytes of all images together, as files and decoded, whether or not they decode in the end.
const MAX_TOTAL_BYTES: u64 = 1 << 30;
/// Most bytes read of an external image file.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Decodes the images that materials ask for, each once.
pub(super) struct Images<'a> {
    ctx: &'a Context<'a>,
    images: &'a [json::Image],
    views: &'a Views<'a>,
    resources: &'a mut Resources,
    slots: HashMap<usize, u32>,
    bytes_left: u64,
    pub decoded: Vec<Image>,
}

impl<'a> Images<'a> {
    pub fn new(
        ctx: &'a Context<'a>,
        images: &'a [json::Image],
        views: &'a Views<'a>,
        resources: &'a mut Resources,
    ) -> Self {
        Self {
            ctx,
            images,
            views,
            resources,
            slots: HashMap::new(),
            bytes_left: MAX_TOTAL_BYTES,
            decoded: Vec::new(),
        }
    }

    /// The place in `decoded` of image `index`; `None` when the file has no such image.
    pub fn slot(&mut self, index: usize) -> Option<u32> {
        if let Some(slot) = self.slots.get(&index) {
            return Some(*slot);
        }
        let image = self.images.get(index)?;
        let decoded = self.bytes(image, index).and_then(|(name, decoded)| match decoded {
            Ok(decoded) => Ok(decoded),
            Err(fault) => Err(format!("{name} {fault}")),
        });
        let decoded = decoded.unwrap_or_else(|fault| {
            self.ctx.warn(format!("a magenta checker stands for a texture: {fault}"));
            placeholder()
        });
        let slot = self.decoded.len() as u32;
        self.decoded.push(decoded);
        self.slots.insert(index, slot);
        Some(slot)
    }

    /// Fetches and decodes; the outer error is that of fetching.
    fn bytes(
        &mut self,
        image: &json::Image,
        index: usize,
    ) -> Result<(String, Result<Image, String>), String> {
        let place = match &image.name {
            Some(name) if !name.is_empty() => format!("image {index} ({name})"),
            _ => format!("image {index}"),
        };
        let bytes_left = &mut self.bytes_left;
        let mut decode = |bytes: &[u8]| decode(bytes, bytes_left);
        let fetch_fault = |error: LoadError| match error {
            LoadError::External { uri, fault, .. } => format!("{place} is the file {uri}, {fault}"),
            LoadError::Broken { place: at, fault, .. } => format!("{place} cannot be read: {at} {fault}"),
            other => format!("{place} cannot be read: {other}"),
        };
        let decoded = if let Some(uri) = &image.uri {
            decode(&self.resources.read(self.ctx, uri, MAX_FILE_BYTES, &place).map_err(fetch_fault)?)
        } else if let Some(view) = image.buffer_view {
            decode(self.views.view(self.ctx, view.value(), &place).map_err(fetch_fault)?.bytes)
        } else {
            Err("has neither a URI nor a buffer view".to_owned())
        };
        Ok((place, decoded))
    }
}

/// Decodes PNG, JPEG or WebP, whichever the bytes say; a clause about what is wrong otherwise. What it may cost is
/// taken from `bytes_left` beforehand.
fn decode(bytes: &[u8], bytes_left: &mut u64) -> Result<Image, String> {
    if bytes.starts_with(b"\xabKTX 20") || bytes.starts_with(b"sB") {
        return Err("is a KTX2 or Basis texture, which Dryad does not read".to_owned());
    }
    let too_many = || "is left out because the other images already take a gigabyte".to_owned();
    *bytes_left = bytes_left.checked_sub(bytes.len() as u64).ok_or_else(too_many)?;
    let allowance = FREE_BYTES.max(bytes.len() as u64 * BYTES_PER_BYTE);
    let reader = || {
        let mut reader = image::ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
        let mut limits = image::Limits::default();
        // Sixteen-bit images take twice the bytes on their way to eight bits.
        limits.max_alloc = Some(allowance * 2);
        reader.limits(limits);
        Some(reader)
    };
    let fault = |error: image::ImageError| match error {
        image::ImageError::Limits(_) => {
            format!("is larger than {MAX_SIDE} pixels or than its file can justify")
        }
        image::ImageError::Unsupported(_) => "is no PNG, JPEG or WebP picture that can be read".to_owned(),
        other => format!("does not decode ({other})"),
    };
    let missing = || "cannot be read".to_owned();
    let (width, height) = reader().ok_or_else(missing)?.into_dimensions().map_err(fault)?;
    let size = u64::from(width) * u64::from(height) * 4;
    if width == 0 || height == 0 {
        return Err("has no pixels".to_owned());
    }
    if width > MAX_SIDE || height > MAX_SIDE || size > allowance {
        return Err(format!(
            "has {width} × {height} pixels, more than {MAX_SIDE} a side or than its file can justify"
        ));
    }
    *bytes_left = bytes_left.checked_sub(size).ok_or_else(too_many)?;
    let decoded = reader().ok_or_else(missing)?.decode().map_err(fault)?;
    let rgba = decoded.into_rgba8();
    let (width, height) = rgba.dimensions();
    Ok(Image { width, height, rgba: rgba.into_raw() })
}

/// A checker of magenta and black, which nobody takes for a texture of the model.
fn placeholder() -> Image {
    const SIDE: u32 = 8;
    let pixel = |i: u32| {
        let magenta = (i % SIDE + i / SIDE).is_multiple_of(2);
        if magenta { [255, 0, 255, 255] } else { [0, 0, 0, 255] }
    };
    Image { width: SIDE, height: SIDE, rgba: (0..SIDE * SIDE).flat_map(pixel).collect() }
}
