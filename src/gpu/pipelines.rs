//! Compiled pipelines kept between runs, where the adapter hands them out.
//!
//! Most drivers keep some of their own; this helps where they do not, and where that was cleared or is switched
//! off. A kept file never decides what is drawn: one that is missing, damaged or of another driver is ignored.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Gpu;
use super::hash::fnv1a;

/// What a file of kept pipelines begins with; the last character counts the layout's changes.
const MAGIC: &[u8; 8] = b"DRYADPC1";
/// Magic and hash.
const HEAD_BYTES: usize = 16;
/// A file longer than this is not read: Dryad's pipelines take a few megabytes.
const MAX_BYTES: u64 = 256 << 20;

/// The pipelines made so far, shared by all clones of a [`Gpu`].
#[derive(Debug, Clone, Default)]
pub struct KeptPipelines(Option<Arc<Kept>>);

#[derive(Debug)]
struct Kept {
    cache: wgpu::PipelineCache,
    path: PathBuf,
    read_hash: u64,
}

impl KeptPipelines {
    /// Opens the file of this adapter in `folder`; empty where there is none, nothing where the adapter keeps none.
    #[must_use]
    pub fn open(gpu: &Gpu, folder: &Path) -> Self {
        let key = wgpu::util::pipeline_cache_key(&gpu.info);
        let Some(key) = key.filter(|_| gpu.device.features().contains(wgpu::Features::PIPELINE_CACHE)) else {
            return Self::default();
        };
        let path = folder.join(key);
        let data = read(&path);
        let read_hash = data.as_deref().map_or(0, fnv1a);
        let descriptor =
            wgpu::PipelineCacheDescriptor { label: Some("dryad"), data: data.as_deref(), fallback: true };
        // SAFETY: the bytes came from `get_data` of an earlier run: they lie in the user's own folder behind a hash
        // that `read` checked, and wgpu compares device and driver before the driver sees them.
        #[allow(unsafe_code, reason = "wgpu offers no safe way to hand compiled pipelines back")]
        let cache = unsafe { gpu.device.create_pipeline_cache(&descriptor) };
        Self(Some(Arc::new(Kept { cache, path, read_hash })))
    }

    /// What pipelines are to be made with.
    #[must_use]
    pub fn cache(&self) -> Option<&wgpu::PipelineCache> {
        self.0.as_deref().map(|kept| &kept.cache)
    }

    /// Writes the file anew if there is more to keep than was read. That it cannot be written is logged alone: the
    /// next start takes a little longer.
    pub fn save(&self) {
        let Some(kept) = self.0.as_deref() else { return };
        if let Err(error) = kept.write() {
            log::warn!("{} cannot be written: {error}", kept.path.display());
        }
    }
}

impl Kept {
    fn write(&self) -> std::io::Result<()> {
        let Some(data) = self.cache.get_data() else { return Ok(()) };
        let hash = fnv1a(&data);
        if hash == self.read_hash {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".dryad-").tempfile_in(folder)?;
        for part in [MAGIC.as_slice(), &hash.to_le_bytes(), &data] {
            std::io::Write::write_all(&mut file, part)?;
        }
        file.persist(&self.path)?;
        Ok(())
    }
}

/// The pipelines in a file, if it is whole.
fn read(path: &Path) -> Option<Vec<u8>> {
    if std::fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let mut bytes = std::fs::read(path).ok()?;
    let (head, data) = bytes.split_at_checked(HEAD_BYTES)?;
    let hash = u64::from_le_bytes(head[MAGIC.len()..].try_into().ok()?);
    if !head.starts_with(MAGIC) || fnv1a(data) != hash {
        log::warn!("{} is damaged and was ignored", path.display());
        return None;
    }
    bytes.drain(..HEAD_BYTES);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kept");
        std::fs::write(&path, content).expect("written");
        (folder, path)
    }

    fn whole(data: &[u8]) -> Vec<u8> {
        [MAGIC.as_slice(), &fnv1a(data).to_le_bytes(), data].concat()
    }

    #[test]
    fn a_whole_file_is_read_and_a_damaged_one_is_not() {
        let (_folder, path) = written(&whole(b"pipelines"));
        assert_eq!(read(&path).as_deref(), Some(b"pipelines".as_slice()));
        let mut flipped = whole(b"pipelines");
        flipped[20] ^= 1;
        for content in
            [&flipped[..], &whole(b"pipelines")[..12], &whole(b"pipelines")[..22], b"", b"DRYADPC0"]
        {
            let (_folder, path) = written(content);
            assert_eq!(read(&path), None, "{content:?}");
        }
        assert_eq!(read(Path::new("no such file")), None);
    }
}
