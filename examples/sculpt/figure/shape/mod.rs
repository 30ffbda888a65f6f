//! The figure's volumes put together, how finely they are to be meshed, and what is worn where.

mod arm;
mod head;
mod leg;
mod trunk;

use super::landmarks::{ANKLE, BALL, ELBOW, HIP, KNEE, SHOULDER, WRIST, hand_frame, mirror};
use super::maths::{smoothstep, unit};
use super::part::Part;
use super::volume::{blend, carve};
use glam::DVec3;

/// The sculpture, built once. Limbs are held for the left side and read through a mirror.
pub struct Shape {
    trunk: Part,
    face: Part,
    hair: head::Hair,
    arm: Part,
    hand: arm::Hand,
    leg: Part,
    foot: Part,
}

fn folded(p: DVec3) -> DVec3 {
    DVec3::new(p.x.abs(), p.y, p.z)
}

/// Width about the middle over which a half and its mirror go over into each other, metres: without it the breastbone and
/// the throat would be a crease, which a side bend would bring to light.
const TRUNK_MIDDLE: f64 = 0.06;
const FACE_MIDDLE: f64 = 0.012;

/// Folded to the left side with a round fold, so that what lies there is smooth across the middle.
fn folded_round(p: DVec3, width: f64) -> DVec3 {
    DVec3::new(-blend(p.x, -p.x, width), p.y, p.z)
}

impl Shape {
    pub fn new() -> Self {
        Self {
            trunk: trunk::trunk(),
            face: head::face(),
            hair: head::Hair::new(),
            arm: arm::arm(),
            hand: arm::Hand::new(),
            leg: leg::leg(),
            foot: leg::foot(),
        }
    }

    fn arm(&self, q: DVec3) -> f64 {
        let d = self.arm.distance(q);
        // Far from the hand its many fingers cannot matter.
        let centre = WRIST + hand_frame().along * 0.1;
        if (q - centre).length() - 0.13 > d + 0.03 { d } else { blend(d, self.hand.distance(q), 0.024) }
    }

    fn leg(&self, q: DVec3) -> f64 {
        let d = self.leg.distance(q);
        if q.y > 0.25 {
            return d;
        }
        // A flat sole on the ground.
        carve(blend(d, self.foot.distance(q), 0.030), q.y, 0.005)
    }

    /// How far a point of the left hand lies on the palm's side of its bones, metres.
    pub fn palmward(&self, q: DVec3) -> f64 {
        self.hand.palmward(q)
    }

    /// Signed distance to the skin, cloth and hair together, metres; first-order near the surface.
    pub fn distance(&self, p: DVec3) -> f64 {
        let q = folded(p);
        let mut d = 9.0;
        if p.y < 1.12 {
            let near = self.leg(q);
            // Only by the midline does the other leg matter.
            d = if q.x < 0.06 { blend(near, self.leg(mirror(q)), 0.014) } else { near };
        }
        if p.y > 0.70 {
            d = blend(d, self.trunk.distance(folded_round(p, TRUNK_MIDDLE)), 0.045);
        }
        if q.x > 0.06 && p.y > 0.70 {
            d = blend(d, self.arm(q), 0.034);
        }
        if p.y > 1.38 {
            d = blend(d, self.face.distance(folded_round(p, FACE_MIDDLE)), 0.030);
            d = blend(d, self.hair.distance(p), 0.004);
        }
        d
    }

    /// Outward gradient of [`Self::distance`], not normalised (about 1 long): central differences over a tetrahedron.
    pub fn gradient(&self, p: DVec3) -> DVec3 {
        const STEP: f64 = 2e-4;
        let corners = [
            DVec3::new(1.0, -1.0, -1.0),
            DVec3::new(-1.0, -1.0, 1.0),
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(1.0, 1.0, 1.0),
        ];
        let mut sum = DVec3::ZERO;
        for c in corners {
            sum += c * self.distance(p + c * STEP);
        }
        sum / (4.0 * STEP)
    }

    /// The point of the surface near `p`: Newton steps along the gradient.
    pub fn project(&self, mut p: DVec3) -> DVec3 {
        for _ in 0..3 {
            let d = self.distance(p);
            if d.abs() < 1e-6 {
                break;
            }
            let g = self.gradient(p);
            p -= g * (d / g.dot(g).max(0.25)).clamp(-0.01, 0.01);
        }
        p
    }

    /// Which edge length the mesh should have at `p`, metres: fine where the body bends and where it is detailed.
    pub fn spacing(&self, p: DVec3) -> f64 {
        const PLAIN: f64 = 0.0118;
        let q = folded(p);
        let fine = |centre: DVec3, inner: f64, outer: f64, size: f64| {
            size + (PLAIN - size) * smoothstep(inner, outer, (q - centre).length())
        };
        let waist = 0.0088 + (PLAIN - 0.0088) * smoothstep(0.07, 0.16, (q.y - 1.09).abs());
        [
            if q.x < 0.15 { waist } else { PLAIN },
            fine(ELBOW, 0.05, 0.11, 0.0078),
            fine(KNEE, 0.07, 0.14, 0.0088),
            fine(SHOULDER, 0.05, 0.13, 0.0092),
            fine(HIP, 0.08, 0.18, 0.0098),
            // Neck and face.
            fine(DVec3::new(0.0, 1.49, 0.0), 0.05, 0.12, 0.0088),
            fine(DVec3::new(0.0, 1.615, 0.070), 0.062, 0.11, 0.0040),
            fine(WRIST + hand_frame().along * 0.12, 0.07, 0.15, 0.0050),
            fine(ANKLE, 0.05, 0.11, 0.0088),
            fine(BALL + DVec3::new(0.0, 0.0, 0.03), 0.05, 0.12, 0.0066),
        ]
        .into_iter()
        .fold(PLAIN, f64::min)
    }

    /// Positive where cloth is worn, negative where skin shows; roughly the distance in metres to the hem.
    ///
    /// One sleeve to the left wrist, the right shoulder and arm bare, legs to the calf.
    pub fn cloth(&self, p: DVec3) -> f64 {
        let neckline = (1.428 + 0.62 * p.x + 0.10 * p.z - p.y) * 0.85;
        let armhole = (p.x + 0.142) * 0.8 + (1.312 - p.y) * 0.6;
        let cuff = (WRIST - p).dot(unit(WRIST - ELBOW)) - 0.018;
        let hem = p.y - 0.245 - 0.16 * (p.z + 0.02);
        let left_cuff = if p.x > 0.3 { cuff } else { 1.0 };
        blend(neckline, armhole, 0.03).min(left_cuff).min(hem)
    }

    /// Positive where hair grows, negative elsewhere; metres, roughly.
    pub fn hairiness(&self, p: DVec3) -> f64 {
        if p.y < 1.50 { -1.0 } else { head::hairline(p) }
    }
}
