//! Directions on a square (Cigolle et al. 2014, Survey of Efficient Representations for Independent Unit Vectors),
//! with up in its middle and down in its corners; and the harmonics that irradiance is stored in. The middles of
//! the outermost texels lie on the square's very edge, so that filtering never needs to look across it.

use glam::DVec3;

/// Unit direction of a texel, and how much solid angle a unit of the square from -1 to 1 takes there.
#[must_use]
pub fn direction_at(x: u32, y: u32, side: u32) -> (DVec3, f64) {
    let at = |i: u32| 2.0 * f64::from(i) / f64::from(side.max(2) - 1) - 1.0;
    let (u, v) = (at(x), at(y));
    let up = 1.0 - u.abs() - v.abs();
    // Below the horizon the corners are folded outwards.
    let fold = (-up).max(0.0);
    let place = DVec3::new(u - fold.copysign(u), up, v - fold.copysign(v));
    let length = place.length_squared().sqrt();
    (place * (1.0 / length), 1.0 / (length * length * length))
}

/// Harmonics up to the second order of a unit direction, without their factors: 1, x, y, z, xy, yz, 3z²-1, xz,
/// x²-y². In the order of `environment.irradiance`.
#[must_use]
pub fn irradiance_basis(d: DVec3) -> [f64; 9] {
    [1.0, d.x, d.y, d.z, d.x * d.y, d.y * d.z, 3.0 * d.z * d.z - 1.0, d.x * d.z, d.x * d.x - d.y * d.y]
}

/// What an integral of radiance times [`irradiance_basis`] over the sphere is multiplied by, so that their sum with
/// the basis of a normal is the mean of what arrives, weighted by the cosine (Ramamoorthi and Hanrahan 2001, An
/// Efficient Representation for Irradiance Environment Maps): squares of the harmonics' factors times 1, 2/3, 1/4.
pub const IRRADIANCE_SCALE: [f64; 9] = {
    const ONE: f64 = 1.0 / (4.0 * std::f64::consts::PI);
    [ONE, 2.0 * ONE, 2.0 * ONE, 2.0 * ONE, 3.75 * ONE, 3.75 * ONE, 0.3125 * ONE, 3.75 * ONE, 0.9375 * ONE]
};
