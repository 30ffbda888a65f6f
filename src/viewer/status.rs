//! What the panel shows of the viewer: a snapshot without GPU objects.

use std::collections::BTreeMap;

use crate::sim::growth::GrowthStatus;

/// A snapshot taken once a frame.
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// The adapter, its backend and driver.
    pub adapter: String,
    /// Whether the adapter computes on the CPU, so that defaults were scaled down.
    pub software: bool,
    /// Name of the character, empty before the first one is there.
    pub character: String,
    /// What is being loaded, and how much of it is done (0 to 1).
    pub loading: Option<(String, f32)>,
    /// The file that lights the scene; none for the built-in studio.
    pub light: Option<String>,
    /// The file that will, when it has been read.
    pub light_loading: Option<String>,
    /// The file that is being exported, and how much of that is done (0 to 1).
    pub exporting: Option<(String, f32)>,
    /// Name and duration in seconds of each clip.
    pub clips: Vec<(String, f64)>,
    /// The clip that plays.
    pub clip: Option<usize>,
    /// Names of the variants of the file's materials.
    pub variants: Vec<String>,
    /// The variant on show; none for the file as it is.
    pub variant: Option<usize>,
    /// Names of the file's cameras.
    pub cameras: Vec<String>,
    /// The one that is looked through; none for the free camera.
    pub camera: Option<usize>,
    /// Time within the clip in seconds.
    pub clip_secs: f64,
    /// Whether the clip runs.
    pub clip_playing: bool,
    /// Whether the simulations run.
    pub simulations_running: bool,
    /// Ticks since the simulations started.
    pub tick: u64,
    /// The seed in use.
    pub seed: u32,
    /// Vertices and triangles of the character.
    pub vertices: usize,
    /// Triangles of the character.
    pub triangles: usize,
    /// One line a simulation: counts, and what is worth knowing ("grown", "pool full").
    pub growth: String,
    /// The same for the flock.
    pub boids: String,
    /// The same for folds.
    pub wrinkles: String,
    /// GPU milliseconds a pass in the newest frame that was measured; empty without timestamps.
    pub gpu_ms: BTreeMap<String, f64>,
    /// GPU memory held, in bytes.
    pub gpu_bytes: i64,
    /// Warnings of the file.
    pub warnings: Vec<String>,
    /// Whether there is something to undo.
    pub can_undo: bool,
    /// Whether there is something to redo.
    pub can_redo: bool,
}

impl Status {
    /// Whether a file is on its way.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        self.loading.is_some() || self.light_loading.is_some()
    }
}

/// The line about growth, while it is being planned or grows.
pub(super) fn growth_line(planning: bool, growth: &GrowthStatus) -> String {
    if planning {
        return "filling the body with points".into();
    }
    let state = if growth.finished {
        format!("grown: {} nodes, {} unreached", growth.nodes, growth.unreached)
    } else {
        format!("{} nodes, {} points to reach", growth.nodes, growth.alive)
    };
    if growth.pool_full { format!("{state}, pool full") } else { state }
}

/// Something to tell the user once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// It went well.
    Info(String),
    /// It failed; everything runs on.
    Error(String),
}
