//! What `--report` writes: read back from the GPU after the last frame.

use std::collections::BTreeMap;

use glam::Vec4;
use serde::Serialize;

use crate::gpu::hash::hash_text;
use crate::sim::boids::{BoidsReport, FieldReport};
use crate::sim::growth::GrowthReport;
use crate::sim::wrinkles::WrinklesReport;
use crate::viewer::Viewer;

/// Everything that the GPU holds, in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Adapter, backend and driver.
    pub adapter: String,
    /// Ticks run, warm-up included.
    pub ticks: u64,
    /// Frames drawn.
    pub frames: u64,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// Branches, when growth is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<GrowthReport>,
    /// The flock, when it flies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boids: Option<BoidsReport>,
    /// The field, when the flock flies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<FieldReport>,
    /// Strain, when folds are on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrinkles: Option<WrinklesReport>,
    /// The posed mesh of the last frame.
    pub mesh: MeshReport,
    /// Mean milliseconds a frame by pass, where the adapter can tell.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub gpu_ms: BTreeMap<String, f64>,
    /// Bytes of GPU memory held.
    pub gpu_bytes: i64,
    /// Warnings of the file and of the session.
    pub warnings: Vec<String>,
}

/// The posed mesh.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MeshReport {
    /// Least corner of the box round all vertices.
    pub bounds_min: [f32; 3],
    /// Greatest corner.
    pub bounds_max: [f32; 3],
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// FNV-1a over the positions in order.
    pub hash: String,
}

impl Report {
    /// Reads everything back, waiting for the GPU.
    #[must_use]
    pub fn read(viewer: &Viewer, ticks: u64, frames: u64, wall_s: f64, warnings: Vec<String>) -> Self {
        let gpu = viewer.gpu.clone();
        gpu.wait();
        let mesh = mesh(viewer);
        let mut all_warnings = viewer.character().map(|c| c.data.warnings.clone()).unwrap_or_default();
        all_warnings.extend(warnings);
        let character = viewer.character().cloned();
        let simulations = viewer.simulations();
        let params = &viewer.params;
        let growth = character
            .as_ref()
            .filter(|_| params.growth.enabled)
            .and_then(|character| simulations.growth.report(&gpu, &character.rest, &character.data.indices));
        let (boids, field) = viewer
            .surface()
            .filter(|_| params.boids.enabled)
            .map(|surface| simulations.boids.report(&gpu, surface))
            .unzip();
        let wrinkles = params.wrinkles.enabled.then(|| simulations.wrinkles.report(&gpu));
        Self {
            adapter: gpu.adapter_line(),
            ticks,
            frames,
            wall_s,
            growth,
            boids,
            field,
            wrinkles,
            mesh,
            gpu_ms: viewer.mean_gpu_ms(),
            gpu_bytes: gpu.memory.total(),
            warnings: all_warnings,
        }
    }
}

fn mesh(viewer: &Viewer) -> MeshReport {
    let (Some(surface), Some(character)) = (viewer.surface(), viewer.character()) else {
        return MeshReport::default();
    };
    let positions = surface.positions.read(&viewer.gpu);
    let min = positions.iter().fold(Vec4::INFINITY, |a, &b| a.min(b));
    let max = positions.iter().fold(Vec4::NEG_INFINITY, |a, &b| a.max(b));
    let corner = |v: Vec4| if v.is_finite() { v.truncate().to_array() } else { [0.0; 3] };
    MeshReport {
        bounds_min: corner(min),
        bounds_max: corner(max),
        vertices: positions.len(),
        triangles: character.data.indices.len() / 3,
        hash: hash_text(&positions),
    }
}
