//! What the kernels look up: the metric's constants and how vectors travel between frames.
//!
//! Computed once a character, in f64, in lengths of H, so that models of any size give the same numbers.

use glam::{DMat2, DVec2};

use crate::character::topology::{Fan, Topology};

crate::gpu_struct! {
    /// A field vertex: a fan's frame at rest and where its spokes lie.
    pub struct FieldVertex {
        /// Unit tangent of angle 0 at rest, world space.
        pub axis_x: [f32; 3],
        /// The surface vertex that stands for it.
        pub surface: u32,
        /// Unit tangent of a quarter turn at rest, world space.
        pub axis_y: [f32; 3],
        /// First of its spokes.
        pub first_spoke: u32,
        /// Number of its spokes.
        pub spoke_count: u32,
        /// From 0 to 1: how much of its area is measured well, not lost on slivers.
        pub trust: f32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
    }
}

crate::gpu_struct! {
    /// What the pose does to a field vertex, from one kernel to the next.
    pub struct PosedFan {
        /// Where the pose takes `axis_x`, the rest surface's scale kept.
        pub image_x: [f32; 3],
        /// Green strain, first axis.
        pub xx: f32,
        /// Where the pose takes `axis_y`.
        pub image_y: [f32; 3],
        /// Green strain, mixed.
        pub xy: f32,
        /// Green strain, second axis.
        pub yy: f32,
        /// Padding.
        pub pad0: f32,
        /// Padding.
        pub pad1: f32,
        /// Padding.
        pub pad2: f32,
    }
}

crate::gpu_struct! {
    /// A spoke of a fan, with the rim edge from its end to the next spoke's.
    ///
    /// The metric is `C = I + Σ (|e|² − |e at rest|²)·M` over spokes and rim edges, M symmetric: (xx, xy, yy).
    pub struct SpokeGpu {
        /// The surface vertex that stands for the far end.
        pub surface: u32,
        /// Squared rest length of the spoke, H².
        pub spoke_squared: f32,
        /// Squared rest length of the rim edge, H².
        pub rim_squared: f32,
        /// M of the spoke, 1/H².
        pub spoke_metric: [f32; 3],
        /// M of the rim edge, 1/H²; zero where a border leaves a gap.
        pub rim_metric: [f32; 3],
        /// Weight of the spoke in the image of a tangent vector: `image = Σ (carry · v)·spoke posed`, 1/H.
        pub carry: [f32; 2],
    }
}

/// In [`HalfEdgeGpu::rim`]: no triangle follows.
pub const NO_RIM: u32 = u32::MAX;

crate::gpu_struct! {
    /// A spoke once more, as the folds' field sees it.
    pub struct HalfEdgeGpu {
        /// Length times (cosine, sine) of the bearing in the frame at its near end, H.
        pub arm: [f32; 2],
        /// Cosine and sine of the angle that takes bearings at the far end to bearings at the near one.
        pub turn: [f32; 2],
        /// Field vertex at the near end.
        pub near: u32,
        /// Field vertex at the far end.
        pub far: u32,
        /// The same edge from its far end.
        pub reverse: u32,
        /// From its far end to the far end of the next spoke, along the triangle between them; else [`NO_RIM`].
        pub rim: u32,
    }
}

crate::gpu_struct! {
    /// A triangle of the surface in the folds' field.
    pub struct FieldTriangle {
        /// Its corners on the surface.
        pub corners: [u32; 3],
        /// From each corner to the next; [`crate::character::topology::NO_SPOKE`] where it has no folds.
        pub half_edges: [u32; 3],
    }
}

/// Triangles thinner than this (area by longest edge squared) carry no weight at all: rounded to f32, the
/// positions of such a triangle make its strain uncertain by a tenth.
const MIN_AREA: f64 = 1e-4;
/// Thinner triangles than this lose weight gradually, so that beside sound triangles the uncertainty of a thin
/// one stays under a part in ten thousand. Every triangle keeps `C = I` at rest, so weights are free.
const THIN_AREA: f64 = 1e-2;

/// The constants of a character.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// One a fan.
    pub vertices: Vec<FieldVertex>,
    /// One a spoke, parallel to [`Topology::spokes`].
    pub spokes: Vec<SpokeGpu>,
    /// One a spoke, too.
    pub half_edges: Vec<HalfEdgeGpu>,
}

impl Tables {
    /// Computes the constants of a topology.
    #[must_use]
    pub fn new(topology: &Topology) -> Self {
        let meters_from_h = f64::from(topology.extent);
        let mut tables = Self::default();
        for (id, fan) in topology.fans.iter().enumerate() {
            let (spokes, trust) = fan_spokes(topology, fan, meters_from_h);
            tables.spokes.extend(spokes);
            tables.half_edges.extend(half_edges(topology, id as u32, meters_from_h));
            tables.vertices.push(FieldVertex {
                axis_x: fan.axis_x.to_array(),
                surface: fan.surface,
                axis_y: fan.axis_y.to_array(),
                first_spoke: fan.first_spoke,
                spoke_count: fan.spoke_count,
                trust: trust as f32,
                ..Default::default()
            });
        }
        tables
    }
}

/// The three matrices of a flat triangle by which its metric is a sum over squared edge lengths:
/// `C = Σ |e_a|²·M_a` with `M_a = −(t_b t_cᵀ + t_c t_bᵀ)/(8·area²)`, t the edge turned by a quarter.
///
/// `e_b·t_b = 0` makes `e_bᵀ M_a e_b = 0` for b ≠ a and 1 for b = a, so C measures every edge right.
fn metric_of_triangle(edges: [DVec2; 3], area: f64) -> [DMat2; 3] {
    let t = edges.map(DVec2::perp);
    [0, 1, 2].map(|a| {
        let (b, c) = (t[(a + 1) % 3], t[(a + 2) % 3]);
        let outer = DMat2::from_cols(b * c.x + c * b.x, b * c.y + c * b.y);
        outer * (-1.0 / (8.0 * area * area))
    })
}

/// (xx, xy, yy).
fn symmetric(m: DMat2) -> [f32; 3] {
    [m.x_axis.x as f32, m.x_axis.y as f32, m.y_axis.y as f32]
}

/// The half-edges that leave a fan.
fn half_edges(topology: &Topology, id: u32, meters_from_h: f64) -> impl Iterator<Item = HalfEdgeGpu> {
    topology.ring(&topology.fans[id as usize]).iter().map(move |spoke| {
        let back = topology.spokes[spoke.reverse as usize].angle;
        let rho = spoke.angle - back + std::f64::consts::PI;
        let arm = spoke.length / meters_from_h * DVec2::from_angle(spoke.angle);
        // In the far end's ring the spoke to the triangle's third corner comes before the one back here.
        let far = &topology.fans[spoke.fan as usize];
        let before = match spoke.reverse - far.first_spoke {
            0 => far.spoke_count - 1,
            place => place - 1,
        };
        HalfEdgeGpu {
            arm: arm.as_vec2().to_array(),
            turn: DVec2::from_angle(rho).as_vec2().to_array(),
            near: id,
            far: spoke.fan,
            reverse: spoke.reverse,
            rim: if spoke.corner.is_some() { far.first_spoke + before } else { NO_RIM },
        }
    })
}

/// The triangles of an index list that `topology` was made of, in the field.
#[must_use]
pub fn field_triangles(topology: &Topology, indices: &[u32]) -> Vec<FieldTriangle> {
    let triangles = indices.as_chunks::<3>().0.iter().zip(&topology.triangle_spokes);
    triangles.map(|(&corners, &half_edges)| FieldTriangle { corners, half_edges }).collect()
}

/// Metric and carry of a fan's spokes, and the fan's trust.
fn fan_spokes(topology: &Topology, fan: &Fan, meters_from_h: f64) -> (Vec<SpokeGpu>, f64) {
    let ring = topology.ring(fan);
    let count = ring.len();
    let lengths: Vec<f64> = ring.iter().map(|spoke| spoke.length / meters_from_h).collect();
    let mut spoke_metric = vec![DMat2::ZERO; count];
    let mut rim_metric = vec![DMat2::ZERO; count];
    let mut rim_squared = vec![0.0; count];
    let (mut weights, mut areas) = (0.0, 0.0);
    for (k, spoke) in ring.iter().enumerate() {
        let Some(corner) = spoke.corner else { continue };
        let next = (k + 1) % count;
        // The flat triangle keeps its true corner; it lies on the bisector of its scaled wedge.
        let bisector = spoke.angle + 0.5 * fan.angle_scale * corner;
        let here = lengths[k] * DVec2::from_angle(bisector - 0.5 * corner);
        let there = lengths[next] * DVec2::from_angle(bisector + 0.5 * corner);
        let edges = [here, there - here, -there];
        rim_squared[k] = edges[1].length_squared();
        let area = 0.5 * here.perp_dot(there);
        let longest_squared = edges.iter().map(|e| e.length_squared()).fold(0.0, f64::max);
        areas += area;
        if area <= MIN_AREA * longest_squared {
            continue;
        }
        let thinness = area / longest_squared / THIN_AREA;
        let weight = area * thinness * thinness / (1.0 + thinness * thinness);
        let metric = metric_of_triangle(edges, area);
        spoke_metric[k] += metric[0] * weight;
        rim_metric[k] += metric[1] * weight;
        spoke_metric[next] += metric[2] * weight;
        weights += weight;
    }
    let share = if weights > 0.0 { 1.0 / weights } else { 0.0 };
    let arms: Vec<DVec2> = ring.iter().zip(&lengths).map(|(s, &l)| l * DVec2::from_angle(s.angle)).collect();
    let carry = carry_weights(&arms);
    let spokes = (0..count)
        .map(|k| {
            let spoke = &ring[k];
            SpokeGpu {
                surface: spoke.surface,
                spoke_squared: (lengths[k] * lengths[k]) as f32,
                rim_squared: rim_squared[k] as f32,
                spoke_metric: symmetric(spoke_metric[k] * share),
                rim_metric: symmetric(rim_metric[k] * share),
                carry: carry[k].as_vec2().to_array(),
            }
        })
        .collect();
    (spokes, if areas > 0.0 { weights / areas } else { 0.0 })
}

/// Weights by which the posed spokes give the image of a tangent vector under the linear map that fits them
/// best: `F = (Σ p rᵀ)(Σ r rᵀ)⁻¹`, so `F v = Σ p·((Σ r rᵀ)⁻¹ r · v)`.
fn carry_weights(arms: &[DVec2]) -> Vec<DVec2> {
    let mut gram = DMat2::ZERO;
    for &r in arms {
        gram += DMat2::from_cols(r * r.x, r * r.y);
    }
    let trace = gram.x_axis.x + gram.y_axis.y;
    if trace <= 0.0 {
        return vec![DVec2::ZERO; arms.len()];
    }
    // A little of the identity keeps spokes on one line from a division by zero.
    let inverse = (gram + DMat2::from_diagonal(DVec2::splat(1e-9 * trace))).inverse();
    arms.iter().map(|&r| inverse * r).collect()
}
