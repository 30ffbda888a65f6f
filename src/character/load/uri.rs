//! Data URIs and external files.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::context::{Context, one_line};
use super::error::LoadError;

/// Base64 as exporters write it: padded or not, stray bits or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Reads what URIs name, each external file once.
pub(super) struct Resources {
    /// Where relative URIs begin; absent for a model that is not a file.
    directory: Option<PathBuf>,
    /// Beginnings of files, with the limit they were read to.
    cache: HashMap<PathBuf, (u64, Rc<[u8]>)>,
}

impl Resources {
    pub fn new(directory: Option<PathBuf>) -> Self {
        Self { directory, cache: HashMap::new() }
    }

    /// The bytes that `uri` names; of a file at most `limit` bytes are read. Ask with equal limits where
    /// possible: a file is read again only when more of it is wanted.
    ///
    /// # Errors
    /// [`LoadError::External`] for files that are missing or out of bounds, [`LoadError::Broken`] for data URIs
    /// that do not decode.
    pub fn read(&mut self, ctx: &Context, uri: &str, limit: u64, place: &str) -> Result<Rc<[u8]>, LoadError> {
        if let Some(data) = strip_scheme(uri, "data") {
            return decode_data_uri(data)
                .map(Rc::from)
                .map_err(|fault| ctx.broken(place, format!("has a data URI that {fault}")));
        }
        self.read_file(ctx, uri, limit).map_err(|fault| LoadError::External {
            file: ctx.file.clone(),
            uri: one_line(uri),
            fault,
        })
    }

    fn read_file(&mut self, ctx: &Context, uri: &str, limit: u64) -> Result<Rc<[u8]>, String> {
        if let Some(scheme) = scheme(uri) {
            return Err(format!(
                "whose scheme {scheme:?} is not read (only data URIs and relative paths are)"
            ));
        }
        let Some(directory) = &self.directory else {
            return Err("which a model without a folder of its own cannot have".to_owned());
        };
        let decoded = percent_encoding::percent_decode_str(uri).decode_utf8();
        let decoded = decoded.map_err(|_| "whose name is not UTF-8".to_owned())?;
        let windows = decoded.replace('\\', "/");
        let mut first_fault = None;
        for name in [decoded.as_ref(), uri, windows.as_str()] {
            if is_absolute(name) {
                return Err("whose path is absolute (only relative paths are read)".to_owned());
            }
            let path = directory.join(name);
            if let Some((read_to, bytes)) = self.cache.get(&path)
                && *read_to >= limit
            {
                return Ok(Rc::clone(bytes));
            }
            match read_limited(&path, limit) {
                Ok(bytes) => {
                    ctx.add_bytes_read(bytes.len() as u64);
                    let bytes: Rc<[u8]> = bytes.into();
                    self.cache.insert(path, (limit, Rc::clone(&bytes)));
                    return Ok(bytes);
                }
                Err(fault) => first_fault = first_fault.or(Some(fault)),
            }
        }
        Err(first_fault.unwrap_or_else(|| "which is missing".to_owned()))
    }
}

/// Reads at most `limit` bytes of a plain file.
fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let fault = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "which is missing".to_owned(),
        _ => format!("which cannot be read ({error})"),
    };
    // Looked at before it is opened: opening a pipe would wait for its other end.
    let metadata = std::fs::metadata(path).map_err(fault)?;
    if !metadata.is_file() {
        return Err("which is not a plain file".to_owned());
    }
    let file = std::fs::File::open(path).map_err(fault)?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(fault)?;
    Ok(bytes)
}

/// Reads a whole plain file.
///
/// # Errors
/// [`LoadError::Unreadable`].
pub(super) fn read_model(ctx: &Context, path: &Path) -> Result<Vec<u8>, LoadError> {
    let unreadable = |cause: String| LoadError::Unreadable { file: ctx.file.clone(), cause };
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !metadata.is_file() {
        return Err(unreadable("it is not a plain file".to_owned()));
    }
    std::fs::read(path).map_err(|error| unreadable(error.to_string()))
}

/// The rest of `uri` behind `scheme:`, whatever the case.
fn strip_scheme<'a>(uri: &'a str, scheme: &str) -> Option<&'a str> {
    let (head, rest) = uri.split_once(':')?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// A URI's scheme. One letter is a Windows drive, which [`is_absolute`] refuses.
fn scheme(uri: &str) -> Option<&str> {
    let (head, _) = uri.split_once(':')?;
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let is_scheme =
        head.len() > 1 && head.starts_with(|c: char| c.is_ascii_alphabetic()) && head.chars().all(letters);
    is_scheme.then_some(head)
}

fn is_absolute(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    name.starts_with(['/', '\\']) || drive || Path::new(name).is_absolute()
}

/// Decodes what follows `data:`; the media type is not looked at.
fn decode_data_uri(data: &str) -> Result<Vec<u8>, String> {
    let (head, body) = data.split_once(',').ok_or("has no comma")?;
    if head.rsplit(';').next().is_some_and(|last| last.trim().eq_ignore_ascii_case("base64")) {
        let decode = |text: &[u8]| BASE64.decode(text).map_err(|error| format!("is not base64 ({error})"));
        return decode(body.as_bytes()).or_else(|error| {
            // Line breaks or percent signs inside, as some writers leave them.
            let plain: Vec<u8> = percent_encoding::percent_decode_str(body)
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect();
            decode(&plain).map_err(|_| error)
        });
    }
    Ok(percent_encoding::percent_decode_str(body).collect())
}
