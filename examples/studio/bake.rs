//! The studio, and its light prefiltered by roughness. Nothing but sums, products, quotients and square roots of
//! f64, all of which every platform rounds alike: the file has the same bytes wherever it is made.

use dryad::render::environment::baked::Baked;
use dryad::render::environment::octahedron;
use glam::DVec3;

/// Texels along a side of the sharpest level; each level has half of the one before.
const SIDES: [u32; 5] = [128, 64, 32, 16, 8];

/// A soft box: a rectangle of light that fades out towards its edges.
struct SoftBox {
    /// Its middle; any length.
    toward: DVec3,
    /// Half of its width and height, as tangents of the angles seen.
    half: [f64; 2],
    /// Width of its soft edge, likewise.
    edge: f64,
    color: DVec3,
    /// Radiance at its middle.
    strength: f64,
}

fn smooth(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

impl SoftBox {
    fn radiance(&self, direction: DVec3) -> DVec3 {
        let toward = self.toward * (1.0 / self.toward.length_squared().sqrt());
        let ahead = direction.dot(toward);
        if ahead <= 0.05 {
            return DVec3::ZERO;
        }
        let right = DVec3::Y.cross(toward);
        let right = right * (1.0 / right.length_squared().sqrt());
        let place = [direction.dot(right) / ahead, direction.dot(toward.cross(right)) / ahead];
        let [x, y] = [0, 1].map(|i| place[i].abs() / self.half[i]);
        let [inside_x, inside_y] =
            [0, 1].map(|i| 1.0 - smooth(self.half[i] - self.edge, self.half[i] + self.edge, place[i].abs()));
        // The lamp behind the cloth shows as a brighter middle.
        let lamp = 1.0 - 0.35 * (0.5 * (x * x + y * y)).min(1.0);
        self.color * (self.strength * inside_x * inside_y * lamp)
    }
}

/// What arrives from a unit direction: a gradient from floor over horizon to sky, a large soft box beside the key
/// light, a broad fill across from it, and tall strips behind the subject. The subject faces +Z; the key light
/// stands at an azimuth of 35 degrees.
fn radiance(direction: DVec3) -> DVec3 {
    let [sky, horizon, floor] =
        [DVec3::new(0.27, 0.31, 0.38), DVec3::new(0.215, 0.22, 0.235), DVec3::new(0.095, 0.085, 0.078)];
    let up = smooth(0.0, 0.9, direction.y);
    let down = smooth(-0.06, 0.55, -direction.y);
    let dome = (horizon + (sky - horizon) * up) * (1.0 - down) + floor * down;
    let warm = DVec3::new(1.0, 0.96, 0.90);
    let cool = DVec3::new(0.82, 0.90, 1.0);
    let boxes = [
        // Key side: large, high, in front.
        SoftBox {
            toward: DVec3::new(0.50, 0.62, 0.60),
            half: [0.42, 0.34],
            edge: 0.09,
            color: warm,
            strength: 1.7,
        },
        // Fill: low and broad, across from the key.
        SoftBox {
            toward: DVec3::new(-0.86, 0.24, 0.44),
            half: [0.27, 0.46],
            edge: 0.12,
            color: cool,
            strength: 0.95,
        },
        // Rims: tall strips, cool behind the key's side, warm behind the other.
        SoftBox {
            toward: DVec3::new(0.62, 0.26, -0.74),
            half: [0.09, 0.62],
            edge: 0.05,
            color: cool,
            strength: 2.8,
        },
        SoftBox {
            toward: DVec3::new(-0.58, 0.40, -0.71),
            half: [0.12, 0.62],
            edge: 0.06,
            color: warm,
            strength: 3.6,
        },
    ];
    boxes.iter().fold(dome, |sum, soft| sum + soft.radiance(direction))
}

/// The texels of a level with their directions and solid angles.
fn texels(side: u32) -> Vec<(DVec3, f64)> {
    let step = 2.0 / f64::from(side - 1);
    let mut all = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let (direction, stretch) = octahedron::direction_at(x, y, side);
            // Texels on the border stand for half of a cell, corners for a quarter: the rest is their partners'.
            let share = |i: u32| if i == 0 || i == side - 1 { 0.5 } else { 1.0 };
            all.push((direction, share(x) * share(y) * step * step * stretch));
        }
    }
    all
}

/// The file.
pub fn studio() -> Vec<u8> {
    let last = (SIDES.len() - 1) as f64;
    let sharp: Vec<(DVec3, DVec3)> =
        texels(SIDES[0]).iter().map(|&(direction, _)| (direction, radiance(direction))).collect();
    // What the blurred levels are sums of: half as fine as the sharpest, which is finer than any of their lobes.
    let cells = texels(SIDES[1]);
    let source: Vec<(DVec3, DVec3)> = cells
        .iter()
        .map(|&(direction, solid_angle)| (direction, radiance(direction) * solid_angle))
        .collect();
    let solid_angles: Vec<f64> = cells.iter().map(|&(_, solid_angle)| solid_angle).collect();
    let mut levels = vec![sharp.iter().map(|&(_, light)| light.as_vec3()).collect::<Vec<_>>()];
    for (level, &side) in SIDES.iter().enumerate().skip(1) {
        let roughness = level as f64 / last;
        let a2 = roughness * roughness * roughness * roughness;
        let blurred = texels(side).into_iter().map(|(normal, _)| {
            let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
            for (&(direction, light), &solid_angle) in source.iter().zip(&solid_angles) {
                let cosine = normal.dot(direction);
                if cosine > 0.0 {
                    // Trowbridge-Reitz, seen along the mirrored direction: the half vector halves the angle.
                    let d = 0.5 * (1.0 + cosine) * (a2 - 1.0) + 1.0;
                    let weight = cosine * a2 / (d * d);
                    sum += light * weight;
                    weights += solid_angle * weight;
                }
            }
            (sum * (1.0 / weights)).as_vec3()
        });
        levels.push(blurred.collect());
    }
    let mut moments = [DVec3::ZERO; 9];
    for &(direction, light) in &source {
        for (moment, basis) in moments.iter_mut().zip(octahedron::irradiance_basis(direction)) {
            *moment += light * basis;
        }
    }
    // The grid's solid angles add up to a sphere but for its last digits.
    let sphere: f64 = solid_angles.iter().sum();
    let scale = 4.0 * std::f64::consts::PI / sphere;
    let irradiance = octahedron::IRRADIANCE_SCALE.map(|k| k * scale);
    let irradiance = std::array::from_fn(|i| (moments[i] * irradiance[i]).as_vec3());
    Baked { sides: SIDES.to_vec(), levels, irradiance }.to_bytes()
}
