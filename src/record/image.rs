//! PNG files: straight alpha, sRGB, the session inside, written whole or not at all.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::gpu::capture::Picture;

/// Why a picture could not be written.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file system refused.
    #[error("{path} cannot be written: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The encoder refused.
    #[error("{path} cannot be encoded: {source}")]
    Encode {
        /// The file.
        path: PathBuf,
        /// The encoder's reason.
        source: png::EncodingError,
    },
}

/// Encodes a PNG. Opaque pictures are stored without alpha. Equal input gives equal bytes.
///
/// # Errors
/// When the encoder refuses, as for a picture without pixels.
pub fn encode(picture: &Picture, text: &[(&str, &str)]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let opaque = picture.rgba.chunks_exact(4).all(|p| p[3] == 255);
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(png::Compression::Fast);
    for (keyword, value) in text {
        encoder.add_itxt_chunk((*keyword).to_owned(), (*value).to_owned())?;
    }
    let mut writer = encoder.write_header()?;
    if opaque {
        let rgb: Vec<u8> = picture.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        writer.write_image_data(&rgb)?;
    } else {
        writer.write_image_data(&picture.rgba)?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// The international text stored under a keyword in a PNG.
#[must_use]
pub fn read_text(bytes: &[u8], keyword: &str) -> Option<String> {
    let limits = png::Limits { bytes: 64 << 20 };
    let reader = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits).read_info().ok()?;
    let mut chunks = reader.info().utf8_text.iter();
    chunks.find(|chunk| chunk.keyword == keyword)?.get_text().ok()
}

/// Writes a file whole or not at all: into a temporary file beside it, then renamed over it.
///
/// # Errors
/// When the file system refuses; the old file is then untouched.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), std::io::Error> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".dryad-").tempfile_in(folder)?;
    let mut writer = BufWriter::new(file.as_file_mut());
    writer.write_all(bytes)?;
    writer.flush()?;
    drop(writer);
    readable_by_others(&file)?;
    file.persist(path)?;
    Ok(())
}

/// Temporary files are private; pictures get what the user's other files have.
#[cfg(unix)]
fn readable_by_others(file: &tempfile::NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_others(_file: &tempfile::NamedTempFile) -> std::io::Result<()> {
    Ok(())
}

/// Encodes and writes a picture with a session inside.
///
/// # Errors
/// When it cannot be encoded or written.
pub fn save(path: &Path, picture: &Picture, session: Option<&str>) -> Result<(), PictureError> {
    let text: Vec<(&str, &str)> =
        session.map(|text| (crate::session::PNG_KEYWORD, text)).into_iter().collect();
    let bytes =
        encode(picture, &text).map_err(|source| PictureError::Encode { path: path.into(), source })?;
    write_whole(path, &bytes).map_err(|source| PictureError::Write { path: path.into(), source })
}

/// A name in `folder` that no file has yet: `stem.png`, then `stem 2.png` and so on.
#[must_use]
pub fn fresh_path(folder: &Path, stem: &str) -> PathBuf {
    let safe: String =
        stem.chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c }).collect();
    let mut path = folder.join(format!("{safe}.png"));
    let mut number = 2;
    while path.exists() {
        path = folder.join(format!("{safe} {number}.png"));
        number += 1;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(alpha: u8) -> Picture {
        Picture {
            width: 3,
            height: 2,
            rgba: (0..24).map(|i| if i % 4 == 3 { alpha } else { i * 9 }).collect(),
        }
    }

    #[test]
    fn a_picture_and_its_session_come_back() {
        let folder = tempfile::tempdir().expect("a folder");
        for alpha in [255, 128] {
            let path = fresh_path(folder.path(), "a/b");
            save(&path, &picture(alpha), Some("seed = 7\n# 龙")).expect("written");
            let bytes = std::fs::read(&path).expect("there");
            assert_eq!(read_text(&bytes, crate::session::PNG_KEYWORD).as_deref(), Some("seed = 7\n# 龙"));
            let decoded = ::image::load_from_memory(&bytes).expect("a PNG").to_rgba8();
            assert_eq!(decoded.into_raw(), picture(alpha).rgba);
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 2, "nothing half, fresh names");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let path = Path::new("/nonexistent/folder/x.png");
        let error = save(path, &picture(255), None).expect_err("no folder");
        assert!(error.to_string().contains("/nonexistent/folder/x.png"));
    }
}
