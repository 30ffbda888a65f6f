//! Where the figure's joints lie at rest: metres, Y up, facing +Z, its left side at +X. Everything else hangs on these.

use super::maths::unit;
use glam::DVec3;

pub const HIP: DVec3 = DVec3::new(0.085, 0.915, -0.002);
pub const KNEE: DVec3 = DVec3::new(0.096, 0.497, 0.004);
pub const ANKLE: DVec3 = DVec3::new(0.104, 0.085, -0.026);
pub const BALL: DVec3 = DVec3::new(0.112, 0.022, 0.105);
pub const SHOULDER: DVec3 = DVec3::new(0.163, 1.412, -0.020);
pub const ELBOW: DVec3 = DVec3::new(0.421, 1.293, -0.030);
pub const WRIST: DVec3 = DVec3::new(0.634, 1.181, 0.000);

/// Direction and palm side of the left hand, and the way its thumb points.
pub struct HandFrame {
    pub along: DVec3,
    pub palm: DVec3,
    pub thumb: DVec3,
}

/// The left hand's frame: along the forearm, the palm turned to the thigh and a little back.
pub fn hand_frame() -> HandFrame {
    let along = unit(WRIST - ELBOW + DVec3::new(-0.003, -0.022, 0.01));
    let thumb = DVec3::new(-0.18, -0.05, 1.0);
    let thumb = unit(thumb - along * thumb.dot(along));
    HandFrame { along, palm: along.cross(thumb), thumb }
}

/// A left-side point on the right.
pub fn mirror(p: DVec3) -> DVec3 {
    DVec3::new(-p.x, p.y, p.z)
}
