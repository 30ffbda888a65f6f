//! From bytes to the JSON text and the binary chunk: tells GLB from JSON by content and names other formats.

use super::context::Context;
use super::error::LoadError;

/// The two parts of a glTF file.
pub(super) struct Container<'a> {
    /// The JSON text.
    pub json: &'a [u8],
    /// The GLB's BIN chunk.
    pub bin: Option<&'a [u8]>,
}

pub(super) const CHUNK_JSON: u32 = 0x4E4F_534A;
pub(super) const CHUNK_BIN: u32 = 0x004E_4942;

/// Formats known by how they begin: magic bytes, name.
const BY_MAGIC: &[(&[u8], &str)] = &[
    (b"Kaydara FBX", "an FBX file"),
    (b"; FBX", "an FBX file"),
    (b"BLENDER", "a Blender file"),
    (b"ply", "a PLY file"),
    (b"PXR-USDC", "a USD file"),
    (b"#usda", "a USD file"),
    (b"PMX ", "an MMD model"),
    (b"Pmd", "an MMD model"),
    (b"PK\x03\x04", "a ZIP archive (or USDZ)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"version https://git-lfs", "a Git LFS pointer, whose content was never fetched"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
];

/// Formats known by their file extension: extension, name.
const BY_EXTENSION: &[(&str, &str)] = &[
    ("fbx", "an FBX file"),
    ("obj", "a Wavefront OBJ file"),
    ("blend", "a Blender file"),
    ("dae", "a COLLADA file"),
    ("stl", "an STL file"),
    ("ply", "a PLY file"),
    ("3ds", "a 3DS file"),
    ("max", "a 3ds Max file"),
    ("ma", "a Maya file"),
    ("mb", "a Maya file"),
    ("c4d", "a Cinema 4D file"),
    ("usd", "a USD file"),
    ("usda", "a USD file"),
    ("usdc", "a USD file"),
    ("usdz", "a USD file"),
    ("abc", "an Alembic cache"),
    ("bvh", "a BVH motion file"),
    ("x3d", "an X3D file"),
    ("pmx", "an MMD model"),
    ("pmd", "an MMD model"),
    ("vrma", "a VRM animation"),
    ("zip", "a ZIP archive"),
];

/// Splits a file into its parts.
///
/// # Errors
/// [`LoadError::Foreign`] for anything but glTF, [`LoadError::Broken`] for a damaged GLB.
pub(super) fn split<'a>(ctx: &Context, bytes: &'a [u8], extension: &str) -> Result<Container<'a>, LoadError> {
    if bytes.starts_with(b"glTF") {
        return split_glb(ctx, bytes);
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = text.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(b'{') {
        return Ok(Container { json: text, bin: None });
    }
    Err(foreign(ctx, bytes, extension))
}

fn foreign(ctx: &Context, bytes: &[u8], extension: &str) -> LoadError {
    let by_magic = BY_MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| *name);
    let by_extension = || {
        let lower = extension.to_ascii_lowercase();
        BY_EXTENSION.iter().find(|(known, _)| *known == lower).map(|(_, name)| *name)
    };
    let format = match by_magic.or_else(by_extension) {
        Some(name) => name,
        None if bytes.is_empty() => "an empty file",
        None => "a file of an unknown kind",
    };
    let remedy = match format {
        "an empty file" => "copy or download it again",
        name if name.contains("ZIP") || name.contains("gzip") => "unpack it and open the .glb or .gltf in it",
        name if name.contains("LFS") => "run `git lfs pull` and open it again",
        name if name.contains("picture") => "open the .glb or .gltf that uses it",
        name if name.contains("VRM animation") => "open a .vrm, .glb or .gltf model",
        "a file of an unknown kind" => "open a .glb, .gltf or .vrm file",
        _ => "import it in Blender and export it as glTF 2.0 (.glb)",
    };
    LoadError::Foreign { file: ctx.file.clone(), format: format.to_owned(), remedy: remedy.to_owned() }
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let four = bytes.get(offset..offset.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

fn split_glb<'a>(ctx: &Context, bytes: &'a [u8]) -> Result<Container<'a>, LoadError> {
    let (Some(version), Some(length)) = (u32_at(bytes, 4), u32_at(bytes, 8)) else {
        return Err(ctx.broken("the GLB header", "is cut off"));
    };
    if version != 2 {
        return Err(LoadError::Foreign {
            file: ctx.file.clone(),
            format: format!("a GLB container of version {version}"),
            remedy: "export it again as glTF 2.0".to_owned(),
        });
    }
    let length = length as usize;
    if length > bytes.len() {
        let fault = format!("promises {length} bytes but the file has only {} (cut off?)", bytes.len());
        return Err(ctx.broken("the GLB header", fault));
    }
    let mut rest = bytes.get(12..length).unwrap_or_default();
    let (mut json, mut bin) = (None, None);
    while rest.len() >= 8 {
        let (Some(size), Some(kind)) = (u32_at(rest, 0), u32_at(rest, 4)) else { break };
        let Some(body) = rest.get(8..).and_then(|body| body.get(..size as usize)) else {
            return Err(
                ctx.broken("a GLB chunk", format!("of {size} bytes reaches past the end of the file"))
            );
        };
        match kind {
            CHUNK_JSON if json.is_none() => json = Some(body),
            CHUNK_BIN if json.is_some() && bin.is_none() => bin = Some(body),
            CHUNK_JSON | CHUNK_BIN => ctx.warn("a second or misplaced GLB chunk is ignored"),
            _ => {}
        }
        rest = rest.get(8 + size as usize..).unwrap_or_default();
    }
    let json = json.ok_or_else(|| ctx.broken("the GLB container", "has no JSON chunk"))?;
    Ok(Container { json: json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json), bin })
}

/// The bytes of a GLB of a JSON text and binary data whose length is a multiple of four; `None` if they are more than
/// a GLB can hold.
pub(in crate::character) fn join(mut text: Vec<u8>, bin: &[u8]) -> Option<Vec<u8>> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = u32::try_from(12 + 8 + text.len() + 8 + bin.len()).ok()?;
    let mut glb = Vec::with_capacity(length as usize);
    glb.extend_from_slice(b"glTF");
    for number in [2, length, text.len() as u32, CHUNK_JSON] {
        glb.extend_from_slice(&number.to_le_bytes());
    }
    glb.extend_from_slice(&text);
    for number in [bin.len() as u32, CHUNK_BIN] {
        glb.extend_from_slice(&number.to_le_bytes());
    }
    glb.extend_from_slice(bin);
    Some(glb)
}
