//! The strain of a pose once more: in f64, through deformation gradients instead of the metric's constants.

use dryad::character::topology::{Fan, NO_FAN, Spoke, Topology};
use glam::{DMat2, DVec2, DVec3, Vec3};

/// What the kernels compute for a field vertex, without the folds' phase.
#[derive(Debug, Clone, Copy)]
pub struct TwinStrain {
    pub rest_direction: DVec3,
    pub compression: f64,
    pub direction: DVec3,
    pub stretch: f64,
    /// Mean length of the deviators that steady the direction: how certain it is.
    pub certainty: f64,
    /// The deviator that the direction is the axis of, and the vertex's own strain, both in the fan's frame.
    pub deviator: DVec2,
    pub e: DMat2,
}

fn rotation(angle: f64) -> DMat2 {
    DMat2::from_angle(angle)
}

/// E of a fan: the weighted mean of FᵀF over its triangles, each turned into its wedge; and its trust.
fn green(topology: &Topology, fan: &Fan, rest: &[Vec3], posed: &[Vec3]) -> (DMat2, f64) {
    let at = |shape: &[Vec3], surface: u32| shape[surface as usize].as_dvec3();
    let ring = topology.ring(fan);
    let (mut sum, mut weights, mut areas) = (DMat2::ZERO, 0.0, 0.0);
    for (k, spoke) in ring.iter().enumerate() {
        let Some(corner) = spoke.corner else { continue };
        let next = &ring[(k + 1) % ring.len()];
        let [a, b] = [spoke.surface, next.surface].map(|s| at(rest, s) - at(rest, fan.surface));
        let [p, q] = [spoke.surface, next.surface].map(|s| at(posed, s) - at(posed, fan.surface));
        let area = 0.5 * a.cross(b).length();
        let longest = a.length_squared().max(b.length_squared()).max((b - a).length_squared());
        areas += area;
        if area <= 1e-4 * longest {
            continue;
        }
        // The triangle laid flat with its first edge along x.
        let flat = DMat2::from_cols(DVec2::new(a.length(), 0.0), b.length() * DVec2::from_angle(corner));
        let gram = DMat2::from_cols(DVec2::new(p.dot(p), p.dot(q)), DVec2::new(p.dot(q), q.dot(q)));
        let metric = flat.inverse().transpose() * gram * flat.inverse();
        let into_wedge = rotation(spoke.angle + 0.5 * (fan.angle_scale - 1.0) * corner);
        let thinness = area / longest / 1e-2;
        let weight = area * thinness * thinness / (1.0 + thinness * thinness);
        sum += into_wedge * metric * into_wedge.transpose() * weight;
        weights += weight;
    }
    if weights > 0.0 {
        ((sum * (1.0 / weights) - DMat2::IDENTITY) * 0.5, weights / areas)
    } else {
        (DMat2::ZERO, 0.0)
    }
}

/// Strain of every field vertex.
pub fn strain(topology: &Topology, rest: &[Vec3], posed: &[Vec3], normals: &[Vec3]) -> Vec<TwinStrain> {
    let tensors: Vec<_> = topology.fans.iter().map(|fan| green(topology, fan, rest, posed)).collect();
    // The mean tensor of two rings, every neighbour's turned into the frame.
    let mut means: Vec<_> = tensors.iter().map(|&(e, trust)| e * trust).collect();
    for _ in 0..2 {
        means = topology
            .fans
            .iter()
            .zip(&means)
            .map(|(fan, &own)| steadied(topology, fan, own, &means))
            .collect();
    }
    let fans = topology.fans.iter().zip(tensors.iter().zip(&means));
    fans.map(|(fan, ((e, _), mean))| one(topology, fan, e, mean, posed, normals)).collect()
}

/// The angle that takes bearings at a spoke's far end to bearings here.
pub fn transport(topology: &Topology, spoke: &Spoke) -> f64 {
    spoke.angle - topology.spokes[spoke.reverse as usize].angle + std::f64::consts::PI
}

/// Unit vector along the greatest compression of a deviator, with x ≥ 0.
pub fn axis(deviator: DVec2) -> DVec2 {
    let d = DVec2::from_angle(0.5 * deviator.y.atan2(deviator.x) + std::f64::consts::FRAC_PI_2);
    if d.x < 0.0 { -d } else { d }
}

/// Part of the length at rest that is gone, for a diagonal entry of Green's strain.
pub fn shortening(e: f64) -> f64 {
    (1.0 - (1.0 + 2.0 * e).max(0.0).sqrt()).clamp(0.0, 1.0)
}

fn steadied(topology: &Topology, fan: &Fan, own: DMat2, all: &[DMat2]) -> DMat2 {
    topology.ring(fan).iter().fold(own, |sum, spoke| {
        let turn = rotation(transport(topology, spoke));
        sum + turn * all[spoke.fan as usize] * turn.transpose()
    })
}

fn one(
    topology: &Topology,
    fan: &Fan,
    e: &DMat2,
    mean: &DMat2,
    posed: &[Vec3],
    normals: &[Vec3],
) -> TwinStrain {
    let deviator = DVec2::new(mean.x_axis.x - mean.y_axis.y, 2.0 * mean.x_axis.y);
    let d = axis(deviator);
    let (x, y) = (fan.axis_x.as_dvec3(), fan.axis_y.as_dvec3());
    let along = d.dot(*e * d);
    let half_trace = 0.5 * (e.x_axis.x + e.y_axis.y);
    let radius = DVec2::new(0.5 * (e.x_axis.x - e.y_axis.y), e.x_axis.y).length();

    // Least squares F with F·(spoke at rest, flat) = spoke posed.
    let center = posed[fan.surface as usize].as_dvec3();
    let (mut gram, mut cross) = (DMat2::ZERO, [DVec3::ZERO; 2]);
    for spoke in topology.ring(fan) {
        let r = spoke.length * DVec2::from_angle(spoke.angle);
        let p = posed[spoke.surface as usize].as_dvec3() - center;
        gram += DMat2::from_cols(r * r.x, r * r.y);
        cross = [cross[0] + p * r.x, cross[1] + p * r.y];
    }
    let c = gram.inverse() * d;
    let image = cross[0] * c.x + cross[1] * c.y;
    let n = normals[fan.surface as usize].as_dvec3();
    TwinStrain {
        rest_direction: x * d.x + y * d.y,
        compression: shortening(along),
        direction: (image - n * n.dot(image)).normalize_or_zero(),
        stretch: ((1.0 + 2.0 * (half_trace + radius)).max(0.0).sqrt() - 1.0).max(0.0),
        // Two rings of some six neighbours each add up about fifty tensors.
        certainty: deviator.length() / 49.0,
        deviator,
        e: *e,
    }
}

/// The twin's strain of every surface vertex that some triangle uses.
pub fn of_surface(topology: &Topology, twin: &[TwinStrain]) -> Vec<Option<TwinStrain>> {
    let fans = topology.fan_of_surface.iter();
    fans.map(|&fan| if fan == NO_FAN { None } else { Some(twin[fan as usize]) }).collect()
}
