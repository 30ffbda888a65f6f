//! What a report says of the flock and its field, read back from the GPU.

use glam::{DVec3, Vec3};

use super::Boids;
use super::field::{FieldCell, QUANTA};
use crate::character::SkinnedSurface;
use crate::character::winding::TriangleTree;
use crate::gpu::Gpu;
use crate::gpu::hash::hash_text;

/// Triangles that a report may look at before it asks fewer boids: about a second.
const MAX_TRIANGLES: usize = 50_000_000;

/// The flock in figures: world metres and seconds.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct BoidsReport {
    /// Boids in the flock.
    pub count: u32,
    /// Boids inside the body: the generalized winding number of the posed triangles is at least a half. Where
    /// asking all would take minutes, reckoned from every so many.
    pub inside: u32,
    /// Boids with a coordinate or speed that is not finite.
    pub non_finite: u32,
    /// Speed of the slowest.
    pub min_speed: f32,
    /// Speed of the fastest.
    pub max_speed: f32,
    /// Mean speed.
    pub mean_speed: f32,
    /// Mean distance from the posed skin.
    pub mean_distance_to_surface: f32,
    /// Sum of the grid's cell counts, which equals `count`.
    pub cells_sum: u32,
    /// Boids in the fullest cell of the grid.
    pub fullest_cell: u32,
    /// FNV-1a of all states in the order of ids, 16 hexadecimal digits.
    pub hash: String,
}

/// The field in figures.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct FieldReport {
    /// Cells along the longest side.
    pub resolution: u32,
    /// Cells along x, y and z.
    pub size: [u32; 3],
    /// Cells that the skin itself reached.
    pub cells_occupied: u32,
    /// Cells that hold something, those filled from their neighbours included.
    pub cells_filled: u32,
    /// Cells on the wrong side: the field says inside and the winding number of the posed triangles outside, or the
    /// reverse, for the cell's middle. Where asking all would take minutes, reckoned from every so many.
    pub cells_misjudged: u32,
    /// Always 0: the field is whole numbers.
    pub non_finite: u32,
    /// FNV-1a of the cells in order, x fastest, 16 hexadecimal digits.
    pub hash: String,
}

impl Boids {
    /// Reads flock and field back and measures them against the surface as it is posed now. Waits for the GPU:
    /// for the end of a run, never within a frame.
    #[must_use]
    pub fn report(&self, gpu: &Gpu, surface: &SkinnedSurface) -> (BoidsReport, FieldReport) {
        let positions: Vec<Vec3> = surface.positions.read(gpu).iter().map(|p| p.truncate()).collect();
        let body = TriangleTree::new(&positions, &surface.indices.read(gpu));
        (self.report_flock(gpu, &body), self.report_field(gpu, &body))
    }

    fn report_flock(&self, gpu: &Gpu, body: &TriangleTree) -> BoidsReport {
        let Some(flock) = self.flock() else { return BoidsReport::default() };
        let boids = flock.current.read_range(gpu, 0..flock.count as usize);
        let starts = if flock.count > 0 { self.read_cell_starts(gpu) } else { Vec::new() };
        let finite: Vec<_> = boids
            .iter()
            .filter(|b| b.position.iter().chain(&b.velocity).all(|value| value.is_finite()))
            .collect();
        let places: Vec<DVec3> = finite.iter().map(|b| Vec3::from(b.position).as_dvec3()).collect();
        let (asked, stride) = affordable(body, &places);
        let limit = MAX_TRIANGLES / asked.len().max(1);
        let distances = asked.iter().filter_map(|&p| body.closest_of(p, limit));
        let distance_sum: f64 = distances.map(|closest| closest.distance_squared.sqrt()).sum();
        let speeds = || finite.iter().map(|b| Vec3::from(b.velocity).length());
        let mean = |sum: f64| if finite.is_empty() { 0.0 } else { (sum / finite.len() as f64) as f32 };
        BoidsReport {
            count: flock.count,
            inside: (asked.iter().filter(|&&p| body.contains(p)).count() * stride) as u32,
            non_finite: (boids.len() - finite.len()) as u32,
            min_speed: speeds().reduce(f32::min).unwrap_or(0.0),
            max_speed: speeds().reduce(f32::max).unwrap_or(0.0),
            mean_speed: mean(speeds().map(f64::from).sum()),
            mean_distance_to_surface: (distance_sum / asked.len().max(1) as f64) as f32,
            cells_sum: starts.windows(2).map(|pair| pair[1] - pair[0]).sum(),
            fullest_cell: starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0),
            hash: hash_text(&boids),
        }
    }

    fn report_field(&self, gpu: &Gpu, body: &TriangleTree) -> FieldReport {
        let Some(field) = self.field() else { return FieldReport::default() };
        let Some(layout) = field.layout.read(gpu).first().copied() else { return FieldReport::default() };
        let cells = field.cells.read_range(gpu, 0..layout.cell_count as usize);
        let judged: Vec<(DVec3, bool)> = (0..layout.cell_count)
            .zip(&cells)
            .filter_map(|(index, &cell)| {
                let middle = layout.middle(index).as_vec3() / QUANTA * field.extent_m + field.center;
                Some((middle.as_dvec3(), FieldCell::unpack(cell)?.distance < 0))
            })
            .collect();
        let middles: Vec<DVec3> = judged.iter().map(|&(middle, _)| middle).collect();
        let (asked, stride) = affordable(body, &middles);
        let insides = judged.iter().step_by(stride).map(|&(_, inside)| inside);
        let misjudged = asked.iter().zip(insides).filter(|&(&p, inside)| body.contains(p) != inside).count();
        let known = || cells.iter().filter_map(|&cell| FieldCell::unpack(cell));
        FieldReport {
            resolution: layout.size.into_iter().max().unwrap_or(0),
            size: layout.size,
            cells_occupied: known().filter(|cell| cell.is_occupied).count() as u32,
            cells_filled: known().count() as u32,
            cells_misjudged: (misjudged * stride) as u32,
            non_finite: 0,
            hash: hash_text(&cells),
        }
    }
}

/// Every so many of the places, as many as there is time to ask about, and how many each stands for.
fn affordable(body: &TriangleTree, places: &[DVec3]) -> (Vec<DVec3>, usize) {
    let some = places.iter().copied().step_by(places.len() / 64 + 1);
    let stride = places.len().div_ceil(body.affordable_queries(some, MAX_TRIANGLES).max(1)).max(1);
    (places.iter().copied().step_by(stride).collect(), stride)
}
