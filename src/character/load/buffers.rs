//! Buffers and buffer views: where bytes come from, and that nobody reaches past them.

use std::cell::OnceCell;
use std::rc::Rc;

use gltf::json;
use serde_json::{Map, Value};

use super::context::Context;
use super::error::LoadError;
use super::meshopt_view;
use super::uri::Resources;

/// A GLB cannot be longer; no buffer is read beyond it.
const MAX_BUFFER_BYTES: u64 = u32::MAX as u64;

enum Buffer<'a> {
    Chunk(&'a [u8]),
    Owned(Rc<[u8]>),
    /// What to answer whoever needs it: many files carry buffers that nothing reads.
    Missing(LoadError),
}

/// All buffer views of a file. Compressed ones are decoded when first asked for.
pub(super) struct Views<'a> {
    buffers: Vec<Buffer<'a>>,
    views: &'a [json::buffer::View],
    decoded: Vec<OnceCell<Vec<u8>>>,
}

/// The bytes of one view.
pub(super) struct View<'v> {
    pub bytes: &'v [u8],
    /// Bytes from one element to the next, where the file says.
    pub stride: Option<usize>,
}

impl<'a> Views<'a> {
    /// Reads all buffers.
    ///
    /// # Errors
    /// Only [`LoadError::Cancelled`]: a buffer that cannot be had is an error for those who need it.
    pub fn open(
        ctx: &Context,
        buffers: &'a [json::Buffer],
        views: &'a [json::buffer::View],
        bin: Option<&'a [u8]>,
        resources: &mut Resources,
    ) -> Result<Self, LoadError> {
        let longest =
            buffers.iter().map(|buffer| buffer.byte_length.0).max().unwrap_or(0).min(MAX_BUFFER_BYTES);
        let mut opened = Vec::with_capacity(buffers.len());
        for (index, buffer) in buffers.iter().enumerate() {
            ctx.step(0.05 + 0.15 * index as f32 / buffers.len() as f32)?;
            let place = format!("buffer {index}");
            opened.push(match (&buffer.uri, bin) {
                (Some(uri), _) => match resources.read(ctx, uri, longest, &place) {
                    Ok(bytes) => Buffer::Owned(bytes),
                    Err(error) => Buffer::Missing(error),
                },
                (None, Some(chunk)) if index == 0 => Buffer::Chunk(chunk),
                (None, _) => Buffer::Missing(ctx.broken(place, "is needed but has no data")),
            });
        }
        Ok(Self { buffers: opened, views, decoded: views.iter().map(|_| OnceCell::new()).collect() })
    }

    /// Bytes `offset..offset + length` of a buffer.
    fn range(
        &self,
        ctx: &Context,
        buffer: u64,
        offset: u64,
        length: u64,
        user: &str,
    ) -> Result<&[u8], LoadError> {
        let found = usize::try_from(buffer).ok().and_then(|index| self.buffers.get(index));
        let bytes: &[u8] = match found {
            Some(Buffer::Chunk(bytes)) => bytes,
            Some(Buffer::Owned(bytes)) => bytes,
            Some(Buffer::Missing(error)) => return Err(error.clone()),
            None => return Err(ctx.broken(user, format!("names buffer {buffer}, which does not exist"))),
        };
        let end = offset.checked_add(length).filter(|end| *end <= bytes.len() as u64);
        match end {
            Some(end) => Ok(&bytes[offset as usize..end as usize]),
            None => {
                let fault =
                    format!("reaches past the end of buffer {buffer}, which has {} bytes", bytes.len());
                Err(ctx.broken(user, fault))
            }
        }
    }

    /// The bytes of view `index`, decompressed.
    ///
    /// # Errors
    /// [`LoadError::Broken`] when the view does not exist, leaves its buffer or does not decode, or whatever kept
    /// the buffer from being read.
    pub fn view(&self, ctx: &Context, index: usize, user: &str) -> Result<View<'_>, LoadError> {
        let Some(view) = self.views.get(index) else {
            return Err(ctx.broken(user, format!("names buffer view {index}, which does not exist")));
        };
        let place = format!("buffer view {index}");
        let others = view.extensions.as_ref().map(|extensions| &extensions.others);
        if let Some(compressed) = others.and_then(meshopt_extension) {
            let (bytes, stride) = self.decompress(ctx, index, compressed, &place)?;
            return Ok(View { bytes, stride: Some(stride) });
        }
        let offset = view.byte_offset.unwrap_or_default().0;
        let bytes = self.range(ctx, view.buffer.value() as u64, offset, view.byte_length.0, &place)?;
        Ok(View { bytes, stride: view.byte_stride.map(|stride| stride.0).filter(|stride| *stride > 0) })
    }

    fn decompress(
        &self,
        ctx: &Context,
        index: usize,
        extension: &Value,
        place: &str,
    ) -> Result<(&[u8], usize), LoadError> {
        let layout = meshopt_view::Layout::parse(extension).map_err(|fault| ctx.broken(place, fault))?;
        if let Some(decoded) = self.decoded[index].get() {
            return Ok((decoded, layout.stride));
        }
        let encoded = self.range(ctx, layout.buffer, layout.offset, layout.length, place)?;
        ctx.charge(layout.decoded_bytes(), place)?;
        let decoded = layout.decode(encoded).map_err(|fault| ctx.broken(place, fault))?;
        Ok((self.decoded[index].get_or_init(|| decoded), layout.stride))
    }
}

fn meshopt_extension(others: &Map<String, Value>) -> Option<&Value> {
    others.get("EXT_meshopt_compression").or_else(|| others.get("KHR_meshopt_compression"))
}
