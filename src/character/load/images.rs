//! Image files to RGBA8, several at a time; a broken or missing one becomes a visible placeholder.

use std::collections::HashMap;
use std::io::Cursor;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gltf::json;

use super::basis;
use super::buffers::Views;
use super::context::{Context, one_line};
use super::error::LoadError;
use super::uri::Resources;
use crate::character::data::{ColorSpace, Image, ImageFormat};

/// Longest side handed on; the largest 2-D texture that every adapter offers. Larger images are scaled down.
pub(super) const MAX_SIDE: u32 = 8192;
/// Longest side looked at.
pub(super) const LONGEST_STORED_SIDE: u32 = 32768;
/// Decoded bytes that any image may have (4096 × 4096), however small its file.
const FREE_BYTES: u64 = 64 << 20;
/// Beyond [`FREE_BYTES`]: decoded bytes for each byte of the file. Deflate cannot expand further than 1032.
const BYTES_PER_BYTE: u64 = 1032;
/// Bytes of all images together, as files and decoded, whether or not they decode in the end: what any file may
/// have, beside [`BYTES_PER_BYTE`] for each of its own, and the most that even the largest may.
const FREE_TOTAL_BYTES: u64 = 256 << 20;
const MAX_TOTAL_BYTES: u64 = 2 << 30;
/// Most bytes read of an external image file.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// Images decoded at once at most: each holds its file's pixels twice for a while.
const MAX_THREADS: usize = 8;

/// Collects the images that materials ask for.
pub(super) struct Images<'a> {
    images: &'a [json::Image],
    wanted: Vec<(usize, ColorSpace)>,
    slots: HashMap<(usize, ColorSpace), u32>,
}

/// Where the bytes of an image are.
enum Source<'a> {
    View(&'a [u8]),
    Owned(Rc<[u8]>),
}

impl Source<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::View(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// What the header of an image says, once it is known to cost no more than it may.
#[derive(Clone, Copy)]
enum Header {
    Plain { format: image::ImageFormat, allowance: u64 },
    Basis { container: ImageFormat, level: basis::Level },
}

/// RGBA8 pixels, not yet for a certain use.
#[derive(Clone)]
struct Pixels {
    width: u32,
    height: u32,
    rgba: Arc<Vec<u8>>,
    format: ImageFormat,
    stored_size: [u32; 2],
}

impl<'a> Images<'a> {
    pub fn new(images: &'a [json::Image]) -> Self {
        Self { images, wanted: Vec::new(), slots: HashMap::new() }
    }

    /// The place that image `index` will have when read as `color_space`; `None` when the file has no such image.
    pub fn slot(&mut self, index: usize, color_space: ColorSpace) -> Option<u32> {
        self.images.get(index)?;
        Some(*self.slots.entry((index, color_space)).or_insert_with(|| {
            self.wanted.push((index, color_space));
            self.wanted.len() as u32 - 1
        }))
    }

    /// Reads and decodes all that were asked for, each once, in the order of their places.
    ///
    /// # Errors
    /// Only [`LoadError::Cancelled`]: a broken image becomes a placeholder.
    pub fn decode(
        &self,
        ctx: &Context,
        views: &Views,
        resources: &mut Resources,
    ) -> Result<Vec<Image>, LoadError> {
        let mut indices: Vec<usize> = self.wanted.iter().map(|(index, _)| *index).collect();
        indices.sort_unstable();
        indices.dedup();
        let justified = FREE_TOTAL_BYTES + ctx.bytes_read().saturating_mul(BYTES_PER_BYTE);
        let mut bytes_left = justified.min(MAX_TOTAL_BYTES);
        let mut sources = Vec::with_capacity(indices.len());
        for &index in &indices {
            ctx.step(0.2)?;
            let place = place(&self.images[index], index);
            let source = fetch(ctx, &self.images[index], &place, views, resources);
            let source = source.and_then(|source| match probe(source.bytes(), &mut bytes_left) {
                Ok(header) => Ok((source, header)),
                Err(fault) => Err(format!("{place} {fault}")),
            });
            sources.push(source);
        }
        let jobs: Vec<_> = sources
            .iter()
            .map(|source| source.as_ref().ok().map(|(source, header)| (source.bytes(), *header)))
            .collect();
        let mut decoded = decode_all(ctx, &jobs)?;
        let mut pixels = HashMap::new();
        for ((&index, source), result) in indices.iter().zip(&sources).zip(decoded.drain(..)) {
            let result = match source {
                Err(fault) => Err(fault.clone()),
                Ok(_) => result.map_err(|fault| format!("{} {fault}", place(&self.images[index], index))),
            };
            let one = result.unwrap_or_else(|fault| {
                ctx.warn(format!("a magenta checker stands for a texture: {fault}"));
                placeholder()
            });
            if one.stored_size != [one.width, one.height] && one.format != ImageFormat::Placeholder {
                let [width, height] = one.stored_size;
                let place = place(&self.images[index], index);
                ctx.warn(format!(
                    "{place} has {width} × {height} pixels and is scaled down to {} × {}",
                    one.width, one.height
                ));
            }
            pixels.insert(index, one);
        }
        let image = |&(index, color_space): &(usize, ColorSpace)| {
            let one = pixels.get(&index).cloned().unwrap_or_else(placeholder);
            Image {
                name: name(&self.images[index], index),
                width: one.width,
                height: one.height,
                rgba: one.rgba,
                color_space,
                format: one.format,
                stored_size: one.stored_size,
            }
        };
        Ok(self.wanted.iter().map(image).collect())
    }
}

fn place(image: &json::Image, index: usize) -> String {
    match &image.name {
        Some(name) if !name.is_empty() => format!("image {index} ({name})"),
        _ => format!("image {index}"),
    }
}

fn name(image: &json::Image, index: usize) -> String {
    let file = image.uri.as_deref().filter(|uri| !uri.starts_with("data:"));
    let named = image.name.as_deref().filter(|name| !name.is_empty()).or(file);
    named.map_or_else(|| format!("image {index}"), one_line)
}

fn fetch<'v>(
    ctx: &Context,
    image: &json::Image,
    place: &str,
    views: &'v Views,
    resources: &mut Resources,
) -> Result<Source<'v>, String> {
    let fault = |error: LoadError| match error {
        LoadError::External { uri, fault, .. } => format!("{place} is the file {uri}, {fault}"),
        LoadError::Broken { place: at, fault, .. } => format!("{place} cannot be read: {at} {fault}"),
        other => format!("{place} cannot be read: {other}"),
    };
    if let Some(uri) = &image.uri {
        return resources.read(ctx, uri, MAX_FILE_BYTES, place).map(Source::Owned).map_err(fault);
    }
    let Some(view) = image.buffer_view else {
        return Err(format!("{place} has neither a URI nor a buffer view"));
    };
    views.view(ctx, view.value(), place).map(|view| Source::View(view.bytes)).map_err(fault)
}

/// Reads sizes only and takes what decoding may cost from `bytes_left`; a clause about what is wrong otherwise.
fn probe(bytes: &[u8], bytes_left: &mut u64) -> Result<Header, String> {
    let too_many = || {
        "is left out because the other images already take all the memory that the file can justify"
            .to_owned()
    };
    *bytes_left = bytes_left.checked_sub(bytes.len() as u64).ok_or_else(too_many)?;
    let allowance = FREE_BYTES.max(bytes.len() as u64 * BYTES_PER_BYTE);
    let (header, width, height) = match basis::container(bytes) {
        Some(container) => {
            let level = basis::probe(bytes, container)?;
            (Header::Basis { container, level }, level.width, level.height)
        }
        None => {
            let format = image::guess_format(bytes).map_err(image_fault)?;
            let (width, height) = reader(bytes, format, allowance).into_dimensions().map_err(image_fault)?;
            (Header::Plain { format, allowance }, width, height)
        }
    };
    if width == 0 || height == 0 {
        return Err("has no pixels".to_owned());
    }
    let size = u64::from(width) * u64::from(height) * 4;
    if width.max(height) > LONGEST_STORED_SIDE || size > allowance {
        return Err(format!("has {width} × {height} pixels, more than its file can justify"));
    }
    *bytes_left = bytes_left.checked_sub(size).ok_or_else(too_many)?;
    Ok(header)
}

fn reader(bytes: &[u8], format: image::ImageFormat, allowance: u64) -> image::ImageReader<Cursor<&[u8]>> {
    let mut reader = image::ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = image::Limits::default();
    // Sixteen-bit images take twice the bytes on their way to eight bits.
    limits.max_alloc = Some(allowance * 2);
    reader.limits(limits);
    reader
}

fn image_fault(error: image::ImageError) -> String {
    match error {
        image::ImageError::Limits(_) => "is larger than its file can justify".to_owned(),
        image::ImageError::Unsupported(_) => {
            "is no PNG, JPEG, WebP or KTX2 picture that can be read".to_owned()
        }
        other => format!("does not decode ({other})"),
    }
}

/// Decodes on several threads; results in the order of `jobs`, with an empty fault where there is no job.
fn decode_all(
    ctx: &Context,
    jobs: &[Option<(&[u8], Header)>],
) -> Result<Vec<Result<Pixels, String>>, LoadError> {
    let results: Vec<Mutex<Result<Pixels, String>>> =
        jobs.iter().map(|_| Mutex::new(Err(String::new()))).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = ctx.progress();
    let work = || {
        while !progress.is_cancelled() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            if let Some((bytes, header)) = job {
                let result = decode(bytes, *header);
                *results[index].lock().unwrap_or_else(PoisonError::into_inner) = result;
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.set(0.2 + 0.3 * done as f32 / jobs.len() as f32);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(jobs.len()) {
            scope.spawn(work);
        }
        work();
    });
    ctx.step(0.5)?;
    Ok(results.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
}

fn decode(bytes: &[u8], header: Header) -> Result<Pixels, String> {
    let (width, height, rgba, format, stored_size) = match header {
        Header::Basis { container, level } => {
            let rgba = basis::decode(bytes, level)?;
            (level.width, level.height, rgba, container, level.stored_size)
        }
        Header::Plain { format, allowance } => {
            let decoded = reader(bytes, format, allowance).decode().map_err(image_fault)?;
            let rgba = decoded.into_rgba8();
            let (width, height) = rgba.dimensions();
            let format = match format {
                image::ImageFormat::Jpeg => ImageFormat::Jpeg,
                image::ImageFormat::WebP => ImageFormat::WebP,
                _ => ImageFormat::Png,
            };
            (width, height, rgba.into_raw(), format, [width, height])
        }
    };
    let largest = width.max(height);
    if largest <= MAX_SIDE {
        return Ok(Pixels { width, height, rgba: Arc::new(rgba), format, stored_size });
    }
    let scaled = |side: u32| (u64::from(side) * u64::from(MAX_SIDE) / u64::from(largest)).max(1) as u32;
    let large = image::RgbaImage::from_raw(width, height, rgba).ok_or("does not decode")?;
    let small = image::imageops::thumbnail(&large, scaled(width), scaled(height));
    let (width, height) = small.dimensions();
    Ok(Pixels { width, height, rgba: Arc::new(small.into_raw()), format, stored_size })
}

/// A checker of magenta and black, which nobody takes for a texture of the model.
fn placeholder() -> Pixels {
    const SIDE: u32 = 8;
    let pixel = |i: u32| {
        let magenta = (i % SIDE + i / SIDE).is_multiple_of(2);
        if magenta { [255, 0, 255, 255] } else { [0, 0, 0, 255] }
    };
    let rgba = (0..SIDE * SIDE).flat_map(pixel).collect();
    let (format, stored_size) = (ImageFormat::Placeholder, [SIDE, SIDE]);
    Pixels { width: SIDE, height: SIDE, rgba: Arc::new(rgba), format, stored_size }
}
