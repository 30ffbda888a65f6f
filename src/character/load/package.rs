//! A file as it came, with everything it names packed into one GLB: for whoever adds something and keeps the rest.
//!
//! Nothing is decoded: compressed buffer views and images stay as they are, and whatever the JSON holds beyond
//! buffers and URIs is not looked at.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::context::{Context, Progress};
use super::error::LoadError;
use super::uri::{self, Resources};
use super::{container, document};

/// The longest image that is embedded.
const MAX_IMAGE_BYTES: u64 = 1 << 30;
/// Extensions under which a buffer view has its bytes elsewhere.
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// A glTF document and the bytes of its buffer 0.
#[derive(Debug, Clone)]
pub struct Package {
    /// The JSON object.
    pub json: Map<String, Value>,
    /// What buffer 0 holds. Other buffers hold nothing: they stand for what compressed views would decode to.
    pub bin: Vec<u8>,
    /// What could not be embedded, a sentence each.
    pub warnings: Vec<String>,
}

impl Package {
    /// Reads a file and the buffers and images that it names.
    ///
    /// # Errors
    /// As [`super::load`]; a buffer that cannot be had is an error here, whoever needs it.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self, LoadError> {
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let ctx = Context::new(&file, progress);
        let bytes = uri::read_model(&ctx, path)?;
        let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        Self::pack(&ctx, &bytes, &extension, Resources::new(Some(directory)))
    }

    /// As [`Package::open`], for a file in memory that needs no other.
    ///
    /// # Errors
    /// As [`Package::open`].
    pub fn from_bytes(bytes: &[u8], name: &str, progress: &Progress) -> Result<Self, LoadError> {
        Self::pack(&Context::new(name, progress), bytes, "", Resources::new(None))
    }

    fn pack(
        ctx: &Context,
        bytes: &[u8],
        extension: &str,
        mut resources: Resources,
    ) -> Result<Self, LoadError> {
        let container = container::split(ctx, bytes, extension)?;
        // Refuses what loading would refuse, so that the shapes of all lists are known below.
        document::parse(ctx, container.json)?;
        let json = serde_json::from_slice(container.json)
            .map_err(|error| ctx.broken("its JSON text", format!("does not parse ({error})")))?;
        let mut package = Self { json, bin: Vec::new(), warnings: Vec::new() };
        package.gather_buffers(ctx, container.bin, &mut resources)?;
        package.gather_images(ctx, &mut resources)?;
        package.warnings = ctx.take_warnings();
        Ok(package)
    }

    /// Brings all buffers with bytes into buffer 0.
    fn gather_buffers(
        &mut self,
        ctx: &Context,
        chunk: Option<&[u8]>,
        resources: &mut Resources,
    ) -> Result<(), LoadError> {
        let buffers = std::mem::take(self.list("buffers"));
        let mut kept = vec![json!({})];
        // New index, and what is added to offsets.
        let mut places = Vec::with_capacity(buffers.len());
        for (index, buffer) in buffers.into_iter().enumerate() {
            let uri = buffer.get("uri").and_then(Value::as_str);
            let length = buffer.get("byteLength").and_then(Value::as_u64).unwrap_or(0);
            let place = format!("buffer {index}");
            let owned;
            let bytes: &[u8] = match (uri, chunk) {
                (Some(uri), _) => {
                    owned = resources.read(ctx, uri, length, &place)?;
                    &owned
                }
                (None, Some(chunk)) if index == 0 => chunk,
                (None, _) => {
                    places.push((kept.len() as u64, 0));
                    kept.push(buffer);
                    continue;
                }
            };
            let offset = self.align();
            places.push((0, offset));
            self.bin
                .extend_from_slice(&bytes[..bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX))]);
        }
        *self.list("buffers") = kept;
        let moved = |view: &mut Value| {
            let old =
                view.get("buffer").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
            let Some(&(buffer, base)) = old.and_then(|index| places.get(index)) else { return };
            let offset = view.get("byteOffset").and_then(Value::as_u64).unwrap_or(0);
            view["buffer"] = json!(buffer);
            view["byteOffset"] = json!(offset.saturating_add(base));
        };
        for view in self.list("bufferViews").iter_mut().filter(|view| view.is_object()) {
            moved(view);
            for name in MESHOPT {
                if let Some(extension) = compressed(view, name) {
                    moved(extension);
                }
            }
        }
        Ok(())
    }

    /// Brings images that lie beside the file, or in its text, into buffer 0. What is not there stays a name.
    fn gather_images(&mut self, ctx: &Context, resources: &mut Resources) -> Result<(), LoadError> {
        for index in 0..self.list("images").len() {
            ctx.step(0.5)?;
            let image = &self.list("images")[index];
            let Some(uri) = image.get("uri").and_then(Value::as_str).map(str::to_owned) else { continue };
            let told = image.get("mimeType").and_then(Value::as_str).map(str::to_owned);
            let bytes = match resources.read(ctx, &uri, MAX_IMAGE_BYTES, &format!("image {index}")) {
                Ok(bytes) => bytes,
                Err(LoadError::Cancelled) => return Err(LoadError::Cancelled),
                Err(error) => {
                    ctx.warn(format!("image {index} is not embedded: {error}"));
                    continue;
                }
            };
            let Some(kind) = media_type(&bytes).map(str::to_owned).or(told) else {
                ctx.warn(format!("image {index} is of an unknown kind and is not embedded"));
                continue;
            };
            let view = self.push_view(&bytes, None);
            if let Some(image) = self.list("images")[index].as_object_mut() {
                image.remove("uri");
                image.insert("bufferView".into(), json!(view));
                image.insert("mimeType".into(), json!(kind));
            }
        }
        Ok(())
    }

    /// A list of the top level, made where it is missing.
    pub fn list(&mut self, name: &str) -> &mut Vec<Value> {
        let list = self.json.entry(name).or_insert_with(|| json!([]));
        if !list.is_array() {
            *list = json!([]);
        }
        match list {
            Value::Array(list) => list,
            _ => unreachable!("it was made an array above"),
        }
    }

    /// Appends to a list of the top level and returns the index.
    pub fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.list(list);
        list.push(value);
        list.len() - 1
    }

    /// Appends bytes as a buffer view and returns its index. `target` is the GL enum, where one is prescribed.
    pub fn push_view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let offset = self.align();
        self.bin.extend_from_slice(bytes);
        let mut view = json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.push("bufferViews", view)
    }

    /// Fills up to a multiple of four, as accessors need; the new length.
    fn align(&mut self) -> u64 {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.bin.len() as u64
    }

    /// The bytes of a GLB; `None` if they are more than a GLB can hold.
    #[must_use]
    pub fn into_glb(mut self) -> Option<Vec<u8>> {
        self.align();
        if self.bin.is_empty() {
            self.json.remove("buffers");
        } else {
            self.list("buffers")[0] = json!({"byteLength": self.bin.len()});
        }
        // Lists that were only looked at: glTF has no empty ones.
        self.json.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        container::join(Value::Object(self.json).to_string().into_bytes(), &self.bin)
    }
}

/// What a buffer view says under a compressing extension.
fn compressed<'a>(view: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    view.get_mut("extensions")?.get_mut(name).filter(|extension| extension.is_object())
}

/// A picture's media type, by how it begins.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => Some("image/ktx2"),
        _ => None,
    }
}
