//! Arithmetic that gives the same bits on every machine: only `+ - * /` and `sqrt` on `f64`, in a fixed order.

use glam::{DQuat, DVec3};

const QUARTER_TURN: f64 = std::f64::consts::FRAC_PI_2;

/// Sine and cosine of an angle in degrees, by Taylor polynomials on an eighth of a turn (error below 1e-15).
pub fn sin_cos_deg(degrees: f64) -> (f64, f64) {
    let quarter = (degrees / 90.0 + 0.5).floor();
    let x = (degrees - quarter * 90.0) * (QUARTER_TURN / 90.0);
    let s2 = x * x;
    let (mut sin, mut cos) = (0.0, 0.0);
    // Horner from the highest term: n runs over the factors of (2n)! and (2n + 1)!.
    for n in (1..=9).rev() {
        let even = f64::from(2 * n);
        sin = (1.0 + sin) * -s2 / (even * (even + 1.0));
        cos = (1.0 + cos) * -s2 / (even * (even - 1.0));
    }
    let (sin, cos) = (x * (1.0 + sin), 1.0 + cos);
    match quarter.rem_euclid(4.0) as u32 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// Rotation by an angle in degrees about an axis of any length.
pub fn turn(axis: DVec3, degrees: f64) -> DQuat {
    let (sin, cos) = sin_cos_deg(degrees * 0.5);
    let v = unit(axis) * sin;
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// The shortest rotation that takes direction `from` to direction `to` (both unit, not opposite).
pub fn arc(from: DVec3, to: DVec3) -> DQuat {
    let cross = from.cross(to);
    let w = 1.0 + from.dot(to);
    unit_quat(DQuat::from_xyzw(cross.x, cross.y, cross.z, w))
}

/// The rotation that takes one orthonormal pair (direction, pole) to another; poles need not be square to the directions.
pub fn frame_turn(from: (DVec3, DVec3), to: (DVec3, DVec3)) -> DQuat {
    let first = arc(from.0, to.0);
    let flat = |v: DVec3| unit(v - to.0 * v.dot(to.0));
    let (have, want) = (flat(first * from.1), flat(to.1));
    // A half turn about the direction has no shortest arc; every pole used here stays well away from it.
    arc(have, want) * first
}

/// Unit vector along `v`, or `v` itself where it is too short to have a direction.
pub fn unit(v: DVec3) -> DVec3 {
    let length = v.dot(v).sqrt();
    if length > 1e-300 { v / length } else { v }
}

/// Quaternion of length one along `q`.
pub fn unit_quat(q: DQuat) -> DQuat {
    let length = (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w).sqrt();
    DQuat::from_xyzw(q.x / length, q.y / length, q.z / length, q.w / length)
}

/// The rotation that gives `q` when done twice, the short way.
pub fn half(q: DQuat) -> DQuat {
    let w = if q.w < 0.0 { -1.0 } else { 1.0 };
    unit_quat(DQuat::from_xyzw(q.x, q.y, q.z, q.w + w))
}

/// Cubic ease from 0 at `low` to 1 at `high`.
pub fn smoothstep(low: f64, high: f64, x: f64) -> f64 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Linear blend.
pub fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}
