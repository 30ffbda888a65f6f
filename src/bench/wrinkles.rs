//! Strain and phase of the built-in figure, and beside the strain as first published.

use serde::Serialize;

use super::timing::{Pair, millis, pair, submit};
use crate::character::load::{Progress, load_bytes};
use crate::character::{Character, SkinnedSurface, animate};
use crate::gpu::{BuildError, Gpu, ShaderLibrary};
use crate::sim::wrinkles::{Published, Wrinkles, WrinklesParams};

/// Dispatches of each kind a run, so that a run is longer than a submission's overhead.
const TIMES: usize = 8;

/// Strain of one mesh.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WrinklesBench {
    /// Vertices of the mesh.
    pub vertices: usize,
    /// Triangles of the mesh.
    pub triangles: usize,
    /// A tick of the folds (strain, direction, phase), and the published kernel's strain alone; once each.
    pub published: Pair,
}

impl WrinklesBench {
    pub(super) fn describe(&self, lines: &mut Vec<String>) {
        lines.push(format!("wrinkles, {} vertices, {} triangles", self.vertices, self.triangles));
        lines.push(format!(
            "  {:.3} ms ({:.3}..{:.3}), 32 Jacobi sweeps {:.3} ms, {:.1} times",
            self.published.ours.median_ms,
            self.published.ours.p10_ms,
            self.published.ours.p90_ms,
            self.published.baseline.median_ms,
            self.published.ratio
        ));
    }
}

/// Measures strain.
pub(super) fn run(
    gpu: &Gpu,
    shaders: &ShaderLibrary,
    quick: bool,
    tell: &dyn Fn(&str),
) -> Result<WrinklesBench, BuildError> {
    tell("wrinkles");
    let data = load_bytes(crate::viewer::built_in(), "dancer", &Progress::new());
    // The built-in figure loads in every build, or the program would show nothing.
    let character = Character::new(data.unwrap_or_default());
    let surface = SkinnedSurface::new(gpu, shaders, &character.data)?;
    let clip = (!character.data.clips.is_empty()).then_some(0);
    surface.set_pose(gpu, &animate::pose(&character.data, clip, 1.0));
    submit(gpu, |pass| surface.skin(pass));
    let mut wrinkles = Wrinkles::new(gpu, shaders)?;
    wrinkles.install(gpu, &surface, &character.rest, &character.topology, &character.data.indices)?;

    let vertices = character.rest.positions.len();
    let indices = &character.data.indices;
    let mut as_published = Published::new(gpu, shaders)?;
    as_published.install(gpu, &surface, &character.rest, indices)?;
    let params = WrinklesParams::default();
    let mut tick = 0;
    let each = |ms: f64| ms / TIMES as f64;
    let published = pair(
        if quick { 3 } else { 31 },
        || {
            each(millis(gpu, || {
                submit(gpu, |recorder| {
                    for _ in 0..TIMES {
                        wrinkles.tick(gpu, recorder, tick, tick, &params);
                        tick += 1;
                    }
                });
            }))
        },
        || {
            each(millis(gpu, || {
                submit(gpu, |recorder| {
                    for _ in 0..TIMES {
                        as_published.measure(recorder);
                    }
                });
            }))
        },
    );
    Ok(WrinklesBench { vertices, triangles: indices.len() / 3, published })
}
