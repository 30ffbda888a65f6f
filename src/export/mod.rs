//! Branches as a skinned mesh in the character's own file.
//!
//! [`grow`] lets branches grow to their end without a window; [`tubes`] makes one closed tube of every strand of
//! them, at rest; [`binding`] hangs its rings on the joints that carry the nodes; [`write`] adds that mesh to the
//! file as it came ([`Package`], with weights that break the rules [`mend`]ed), or to its skeleton and clips alone
//! ([`skeleton`]).
//!
//! A ring takes the carrier of its node: the joints of the skin closest to it. Whoever skins the file, linearly as
//! glTF asks, moves the middle of the ring as those joints move the node. Dryad's own drawing follows the posed skin,
//! which glTF cannot say; both are the same at rest. Between nodes, rings blend the carriers of both.

mod binding;
mod carriers;
mod grow;
mod mend;
mod skeleton;
mod tubes;
mod write;

use std::path::Path;
use std::sync::Arc;

pub use binding::{BoundMesh, BoundRing};
pub use grow::{Grown, grow};
pub use tubes::{Ring, TubeShape};

use crate::character::Character;
use crate::character::load::{LoadError, Package, Progress};
use crate::gpu::{BuildError, Gpu, GpuError};
use crate::sim::growth::GrowthParams;
use crate::viewer::{GROWN_LIMIT, Source};

/// Why branches were not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The character's file cannot be read again.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// There is no device to grow on.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A pass does not build: a fault of the program.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Someone asked to stop.
    #[error("the export was cancelled")]
    Cancelled,
    /// Growth did not come to an end.
    #[error("growth has not finished after {GROWN_LIMIT} ticks; try a larger step or a larger kill distance")]
    NotGrown,
    /// There are no branches.
    #[error("{0} holds no body that branches could grow in")]
    NothingGrew(String),
    /// More than the format can hold.
    #[error(
        "the file would exceed the four gigabytes of a GLB: use fewer sides or rings, or a wider spacing"
    )]
    TooLarge,
    /// The file system refuses.
    #[error("{path} cannot be written: {source}")]
    Write {
        /// The file.
        path: String,
        /// What the operating system says.
        source: std::io::Error,
    },
}

/// What is written, and how finely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportOptions {
    /// Corners of each ring, 3 to 64.
    pub sides: u32,
    /// Rings a segment, 1 to 16; one makes straight segments, more make bends round.
    pub rings: u32,
    /// Whether meshes and materials of the character are left out; skeleton and clips stay.
    pub branches_only: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { sides: 8, rings: 2, branches_only: false }
    }
}

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportSummary {
    /// Branch points.
    pub nodes: usize,
    /// Vertices of the tubes.
    pub vertices: usize,
    /// Triangles of the tubes.
    pub triangles: usize,
    /// Joints that carry them.
    pub joints: usize,
    /// Size of the file.
    pub bytes: usize,
    /// What was left out or done otherwise, a sentence each.
    pub warnings: Vec<String>,
}

/// What is exported: a character and how its branches grow.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// Where the character came from; its file is read again.
    pub source: Source,
    /// The character, as loaded.
    pub character: Arc<Character>,
    /// How branches grow.
    pub params: GrowthParams,
    /// The seed of growth.
    pub seed: u32,
    /// What is written.
    pub options: ExportOptions,
}

impl ExportRequest {
    /// Grows branches to their end on a device of its own and returns the GLB. Depends on nothing but the request.
    ///
    /// # Errors
    /// Any [`ExportError`] but [`ExportError::Write`].
    pub fn run(&self, progress: &Progress) -> Result<(Vec<u8>, ExportSummary), ExportError> {
        let gpu = Gpu::headless()?;
        let grown = grow(&gpu, &self.character, &self.params, self.seed, progress)?;
        self.pack(&grown, progress)
    }

    /// The GLB of branches that have grown.
    ///
    /// # Errors
    /// When the file cannot be read again, or would be too large.
    pub fn pack(&self, grown: &Grown, progress: &Progress) -> Result<(Vec<u8>, ExportSummary), ExportError> {
        let data = &self.character.data;
        let reading = Progress::new();
        let mut package = match &self.source {
            Source::BuiltIn => Package::from_bytes(crate::viewer::built_in(), &data.name, &reading)?,
            Source::Shape(shape) => Package::from_bytes(&shape.glb(), &data.name, &reading)?,
            Source::File(path) => Package::open(path, &reading)?,
        };
        if progress.is_cancelled() {
            return Err(ExportError::Cancelled);
        }
        let mesh = self.mesh(grown);
        progress.set(0.9);
        if self.options.branches_only {
            skeleton::keep(&mut package);
        } else {
            mend::normalise_weights(&mut package);
        }
        let joints = write::add(&mut package, data, &mesh, self.seed);
        let mut warnings = grown.warnings.clone();
        warnings.append(&mut package.warnings);
        let glb = package.into_glb().ok_or(ExportError::TooLarge)?;
        let summary = ExportSummary {
            nodes: grown.nodes.len(),
            vertices: mesh.vertices.len(),
            triangles: mesh.indices.len() / 3,
            joints,
            bytes: glb.len(),
            warnings,
        };
        progress.set(1.0);
        Ok((glb, summary))
    }

    /// The mesh that [`ExportRequest::pack`] writes.
    #[must_use]
    pub fn mesh(&self, grown: &Grown) -> BoundMesh {
        let shape =
            TubeShape { sides: self.options.sides.clamp(3, 64), rings: self.options.rings.clamp(1, 16) };
        binding::bind(&self.character.data, grown, &tubes::tubes(&grown.twigs, shape))
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// [`ExportError::Write`].
pub fn save(path: &Path, glb: &[u8]) -> Result<(), ExportError> {
    crate::record::image::write_whole(path, glb)
        .map_err(|source| ExportError::Write { path: path.display().to_string(), source })
}
