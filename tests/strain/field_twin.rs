//! The complex wrinkle field once more, in f64 and with angles in place of the kernels' complex products.

use dryad::character::topology::{Fan, Spoke, Topology};
use glam::{DVec2, DVec3, Vec3};

use super::twin::{self, TwinStrain};

/// What a field vertex has after a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wave {
    /// Bearing of the direction.
    pub alpha: f64,
    pub amplitude: f64,
    pub z: DVec2,
}

/// Lengths in H.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub wavelength: f64,
    pub min_compression: f64,
    pub max_compression: f64,
    pub steps: usize,
}

/// Part of the way to the present deviator that the followed one goes in a tick.
const FOLLOWING: f64 = 0.07;

/// An edge seen from one of its ends: the sign of the far end and the growth of the phase.
struct Edge {
    sign: f64,
    omega: f64,
}

fn smoothstep(low: f64, high: f64, x: f64) -> f64 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn times(a: DVec2, b: DVec2) -> DVec2 {
    DVec2::new(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

/// The deviators that the folds' directions are the axes of: those of the tick before, if any, moved by a fraction
/// towards the present ones.
pub fn follow(before: Option<&[DVec2]>, strain: &[TwinStrain]) -> Vec<DVec2> {
    let now = strain.iter().map(|strain| strain.deviator.clamp_length_max(10.0));
    match before {
        None => now.collect(),
        Some(before) => now.zip(before).map(|(now, before)| before.lerp(now, FOLLOWING)).collect(),
    }
}

/// Half the height of folds across d before masking.
fn amplitude(strain: &TwinStrain, d: DVec2, settings: &Settings) -> f64 {
    let along = d.dot(strain.e * d);
    let across = d.perp().dot(strain.e * d.perp());
    let [along, across] = [along, across].map(twin::shortening);
    let epsilon = along.min(0.5);
    smoothstep(settings.min_compression, settings.max_compression, epsilon)
        * smoothstep(0.1, 0.5, (along - across) / along.max(1e-6))
        * settings.wavelength
        / std::f64::consts::PI
        * (epsilon * (1.0 - 0.25 * epsilon)).sqrt()
}

fn edges(topology: &Topology, waves: &[Wave], settings: &Settings) -> Vec<Edge> {
    let k = std::f64::consts::TAU / settings.wavelength;
    let of_fan = |(id, fan): (usize, &Fan)| -> Vec<Edge> {
        let one = |spoke: &Spoke| {
            let (here, there) = (waves[id].alpha, waves[spoke.fan as usize].alpha);
            let rho = twin::transport(topology, spoke);
            let sign = if (there + rho - here).cos() >= 0.0 { 1.0 } else { -1.0 };
            let back = topology.spokes[spoke.reverse as usize].angle;
            let length = spoke.length / f64::from(topology.extent);
            let omega = 0.5 * k * length * ((spoke.angle - here).cos() - sign * (back - there).cos());
            Edge { sign, omega }
        };
        topology.ring(fan).iter().map(one).collect()
    };
    topology.fans.iter().enumerate().flat_map(of_fan).collect()
}

/// A tick: `before` are the waves of the tick before it, `followed` the deviators of this one.
pub fn tick(
    topology: &Topology,
    strain: &[TwinStrain],
    followed: &[DVec2],
    before: &[Wave],
    settings: &Settings,
) -> Vec<Wave> {
    let mut waves: Vec<Wave> = strain
        .iter()
        .zip(followed)
        .zip(before)
        .map(|((strain, &deviator), before)| {
            let d = twin::axis(deviator);
            let d = if d.dot(DVec2::from_angle(before.alpha)) >= 0.0 { d } else { -d };
            Wave { alpha: d.to_angle(), amplitude: amplitude(strain, d, settings), z: before.z }
        })
        .collect();
    let edges = edges(topology, &waves, settings);
    mask(topology, &edges, &mut waves);
    for _ in 0..settings.steps {
        let old = waves.clone();
        for (fan, wave) in topology.fans.iter().zip(&mut waves) {
            let (mut sum, mut weights) = (0.05 * wave.z, 0.05);
            for (spoke, at) in topology.ring(fan).iter().zip(fan.first_spoke as usize..) {
                let there = &old[spoke.fan as usize];
                let z = DVec2::new(there.z.x, edges[at].sign * there.z.y);
                let weight = there.amplitude / settings.wavelength + 0.001;
                sum += weight * times(z, DVec2::from_angle(-edges[at].omega));
                weights += weight;
            }
            if sum.length() > 0.0 {
                wave.z = (1.1 * sum.length() / weights).min(1.0) * sum.normalize_or_zero();
            }
        }
    }
    waves
}

/// No folds at the corners of triangles round which the signs do not multiply to 1. Finds the third corner by its
/// fan, not by the tables' rims.
fn mask(topology: &Topology, edges: &[Edge], waves: &mut [Wave]) {
    for (id, fan) in topology.fans.iter().enumerate() {
        let ring = topology.ring(fan);
        for (k, spoke) in ring.iter().enumerate().filter(|(_, spoke)| spoke.corner.is_some()) {
            let next = (k + 1) % ring.len();
            let far = &topology.fans[spoke.fan as usize];
            let rim = topology.ring(far).iter().position(|rim| rim.fan == ring[next].fan);
            let at = |place: usize, fan: &Fan| edges[fan.first_spoke as usize + place].sign;
            if at(k, fan) * at(next, fan) * at(rim.expect("a triangle"), far) < 0.0 {
                for corner in [id, spoke.fan as usize, ring[next].fan as usize] {
                    waves[corner].amplitude = 0.0;
                }
            }
        }
    }
}

/// A triangle as it is drawn: its corners' waves told in the first's direction.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    pub z: [DVec2; 3],
    pub amplitude: [f64; 3],
    /// Growth of corner n's phase towards corner q.
    pub p: [[f64; 3]; 3],
}

impl Drawn {
    /// `half_edges` lead from each corner to the next.
    pub fn new(topology: &Topology, half_edges: [u32; 3], waves: &[Wave], wavelength: f64) -> Self {
        let spokes = half_edges.map(|h| &topology.spokes[h as usize]);
        let backs = spokes.map(|spoke| &topology.spokes[spoke.reverse as usize]);
        let fans = backs.map(|back| back.fan as usize);
        let k = std::f64::consts::TAU / wavelength / f64::from(topology.extent);
        let mut drawn = Self { z: [DVec2::ZERO; 3], amplitude: [0.0; 3], p: [[0.0; 3]; 3] };
        for n in 0..3 {
            let wave = &waves[fans[n]];
            // From corner n back to the first, to the next and to the one before.
            let to_next = spokes[n];
            let to_last = backs[(n + 2) % 3];
            let sign = match n {
                0 => 1.0,
                _ => {
                    let spoke = if n == 1 { to_last } else { to_next };
                    let rho = twin::transport(topology, spoke);
                    if (waves[fans[0]].alpha + rho - wave.alpha).cos() >= 0.0 { 1.0 } else { -1.0 }
                }
            };
            drawn.z[n] = DVec2::new(wave.z.x, sign * wave.z.y);
            drawn.amplitude[n] = wave.amplitude;
            drawn.p[n][(n + 1) % 3] = sign * k * to_next.length * (to_next.angle - wave.alpha).cos();
            drawn.p[n][(n + 2) % 3] = sign * k * to_last.length * (to_last.angle - wave.alpha).cos();
        }
        drawn
    }

    /// Z and its derivatives by the barycentric coordinates.
    pub fn wave(&self, b: [f64; 3]) -> (DVec2, [DVec2; 3]) {
        let u: Vec<DVec2> = (0..3)
            .map(|n| times(self.z[n], DVec2::from_angle((0..3).map(|q| b[q] * self.p[n][q]).sum())))
            .collect();
        let sum = (0..3).map(|n| b[n] * b[n] * u[n]).sum();
        let by_b = [0, 1, 2].map(|q| {
            let turned: DVec2 = (0..3).map(|n| b[n] * b[n] * self.p[n][q] * u[n].perp()).sum();
            2.0 * b[q] * u[q] + turned
        });
        (sum, by_b)
    }

    /// The height of the fold.
    pub fn height(&self, b: [f64; 3]) -> f64 {
        let mean = |value: [f64; 3]| (0..3).map(|n| b[n] * value[n]).sum::<f64>();
        let softness = 0.15 * b.iter().map(|b| b * b).sum::<f64>();
        let z = self.wave(b).0;
        mean(self.amplitude) * mean(self.z.map(DVec2::length)) * z.x / z.length().hypot(softness)
    }

    /// Rate of the phase over a flat triangle at rest, at its middle: its size, and its component along each edge
    /// direction is what the sheet shows.
    pub fn phase_rate(&self, corners: [Vec3; 3]) -> DVec3 {
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let (g1, g2) = (b - a, c - a);
        let n = g1.cross(g2);
        let weights = [g2.cross(n) / n.length_squared(), n.cross(g1) / n.length_squared()];
        let (z, by_b) = self.wave([1.0 / 3.0; 3]);
        let rate = |q: usize| z.perp_dot(by_b[q] - by_b[0]) / z.length_squared();
        rate(1) * weights[0] + rate(2) * weights[1]
    }
}
