//! Basis Universal textures, in KTX2 files (KHR_texture_basisu) or in their own container, to RGBA8.
//!
//! The transcoder trusts sizes and may panic on damaged data: everything that decides how much it allocates or how
//! long it runs is checked first, and a panic counts as a fault of the image.

use std::panic::{AssertUnwindSafe, catch_unwind};

use basisu::{DecodeFlags, SourceFormat, TargetFormat, Transcoder};

use super::images::{LONGEST_STORED_SIDE, MAX_SIDE};
use crate::character::data::ImageFormat;

/// Mip levels of the largest texture that can be.
const MAX_LEVELS: u32 = 16;
/// Where a `.basis` file has its flags, and the one that says that its rows run from bottom to top.
const FLAGS_AT: usize = 21;
const Y_FLIPPED: u8 = 2;
/// Bytes of a block of 4 × 4 texels before supercompression.
const BLOCK_BYTES: u64 = 16;

/// A mip level worth decoding: the largest one that fits into a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    pub index: u32,
    pub width: u32,
    pub height: u32,
    /// Width and height of the texture.
    pub stored_size: [u32; 2],
}

/// The container that the bytes begin like.
pub(super) fn container(bytes: &[u8]) -> Option<ImageFormat> {
    if bytes.starts_with(b"\xabKTX 20\xbb\r\n\x1a\n") {
        return Some(ImageFormat::Ktx2);
    }
    bytes.starts_with(b"sB").then_some(ImageFormat::Basis)
}

/// Looks at the header; a clause about what is wrong otherwise.
pub(super) fn probe(bytes: &[u8], container: ImageFormat) -> Result<Level, String> {
    let (width, height, levels) = match container {
        ImageFormat::Ktx2 => probe_ktx2(bytes)?,
        _ => probe_basis(bytes)?,
    };
    if width.max(height) > LONGEST_STORED_SIDE {
        return Err(format!("has {width} × {height} pixels, more than {LONGEST_STORED_SIDE} a side"));
    }
    let fits = |index: &u32| (width >> index).max(height >> index) <= MAX_SIDE;
    let index = (0..levels).find(fits).unwrap_or(levels - 1);
    let side = |length: u32| (length >> index).max(1);
    Ok(Level { index, width: side(width), height: side(height), stored_size: [width, height] })
}

fn probe_ktx2(bytes: &[u8]) -> Result<(u32, u32, u32), String> {
    let reader = catch_unwind(|| ktx2::Reader::new(bytes).ok());
    let reader = reader.ok().flatten().ok_or("is a damaged KTX2 file")?;
    let header = reader.header();
    if header.format.is_some() {
        return Err("is a KTX2 file without Basis Universal data, which glTF does not allow".to_owned());
    }
    if header.pixel_depth > 0 || header.layer_count > 1 || header.face_count > 1 {
        return Err("is a KTX2 file of several pictures, not one".to_owned());
    }
    let (width, height) = (header.pixel_width, header.pixel_height);
    let levels = header.level_count.max(1);
    if width == 0 || height == 0 || levels > MAX_LEVELS {
        return Err("is a KTX2 file without pixels".to_owned());
    }
    for (index, level) in reader.levels().enumerate() {
        let blocks = |side: u32| u64::from((side >> index).max(1).div_ceil(4));
        if level.uncompressed_byte_length > blocks(width) * blocks(height) * BLOCK_BYTES {
            return Err("is a KTX2 file whose levels are longer than their pixels".to_owned());
        }
    }
    Ok((width, height, levels))
}

fn probe_basis(bytes: &[u8]) -> Result<(u32, u32, u32), String> {
    let probed = catch_unwind(AssertUnwindSafe(|| {
        let transcoder = Transcoder::new(bytes).ok()?;
        let levels = transcoder.level_count().clamp(1, MAX_LEVELS);
        for level in 0..levels {
            // The decoder walks the blocks that the file claims, whatever its size in pixels.
            let info = transcoder.image_level_info(level).ok()?;
            let sound = [(info.width, info.num_blocks_x), (info.height, info.num_blocks_y)]
                .iter()
                .all(|(side, blocks)| *side > 0 && *blocks == side.div_ceil(4));
            if !sound {
                return None;
            }
        }
        let (width, height) = transcoder.base_dimensions();
        let base = transcoder.image_level_info(0).ok()?;
        ([base.width, base.height] == [width, height]).then_some((width, height, levels))
    }));
    probed.ok().flatten().ok_or_else(|| "is a damaged Basis file".to_owned())
}

/// Decodes a level that [`probe`] found.
pub(super) fn decode(bytes: &[u8], level: Level) -> Result<Vec<u8>, String> {
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        let transcoder = Transcoder::new(bytes).ok()?;
        if !matches!(transcoder.source_format(), SourceFormat::Etc1s | SourceFormat::UastcLdr) {
            return None;
        }
        let info = transcoder.image_level_info(level.index).ok()?;
        if [info.width, info.height] != [level.width, level.height] {
            return None;
        }
        transcoder.transcode(level.index, TargetFormat::Rgba32, DecodeFlags::HIGH_QUALITY).ok()
    }));
    let rgba = decoded.ok().flatten();
    let length = level.width as usize * level.height as usize * 4;
    let mut rgba = rgba
        .filter(|rgba| rgba.len() == length)
        .ok_or_else(|| "does not decode as Basis Universal data".to_owned())?;
    let flags = bytes.get(FLAGS_AT).copied().unwrap_or(0);
    if container(bytes) == Some(ImageFormat::Basis) && flags & Y_FLIPPED != 0 {
        let rows = rgba.chunks_exact(level.width as usize * 4).rev();
        rgba = rows.flatten().copied().collect();
    }
    Ok(rgba)
}
