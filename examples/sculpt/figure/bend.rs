//! How the joints of a limb share its skin: by the place along the limb, not by warmth, which reaches more than a limb's
//! radius past every hinge and would cut the corner of a bend.

use super::landmarks::{ELBOW, HIP, SHOULDER};
use super::maths::{smoothstep, unit};
use super::rig::{
    ARMS, CLAVICLE, ELBOW_LINKS, FOOT, FOREARM, HAND, HINGES, HIP_HALF, HIPS, Joint, KNEE_LINKS, LEGS, NECK,
    SHIN, SHOULDER_HALF, SPINE, THIGH, TOES, UPPER_ARM_TWIST,
};
use glam::DVec3;
use std::ops::Range;

/// Half the way along the limb over which a hinge takes over the skin, metres. It spans more than the gap between two
/// hinges, so that the bend is even all along.
const ELBOW_HALF: f64 = 0.034;
const KNEE_HALF: f64 = 0.052;

/// The same for the spine: from one joint to the next but for a little, so that a side bend is one even arc.
const SPINE_HALF: f64 = 0.105;

/// From the hip down, metres: where the thigh begins to take its skin from the half joint of the hip, and where it has
/// all of it.
const THIGH_FROM: f64 = 0.135;
const THIGH_TO: f64 = 0.350;

/// Lets go of what shoulder and hip have of the waist, and of a limb before its elbow or knee begins, where a turn about the far joint
/// would carry the skin a long way.
pub fn let_go(p: DVec3, row: &mut [f64]) {
    // The waist is the spine's alone, with hips below it and shoulders above.
    for (leg, arm) in LEGS.into_iter().zip(ARMS) {
        let up = smoothstep(0.88, 1.10, p.y);
        pour(row, leg + HIP_HALF, HIPS, up);
        pour(row, leg + THIGH, HIPS, up);
        let down = smoothstep(1.36, 1.10, p.y);
        let down = down.max(smoothstep(0.11, 0.0, p.x.abs()));
        pour(row, arm + CLAVICLE, HIPS, down);
        pour(row, arm + SHOULDER_HALF, HIPS, down);
    }
    // The neck ends at the collar bones.
    pour(row, NECK, HIPS, smoothstep(1.42, 1.33, p.y));
    let (side, q) = (usize::from(p.x < 0.0), DVec3::new(p.x.abs(), p.y, p.z));
    let arm = ARMS[side];
    // Further out than the armpit there is only arm.
    let out = smoothstep(0.18, 0.28, q.x);
    pour(row, arm + CLAVICLE, arm + SHOULDER_HALF, out);
    pour(row, HIPS, arm + SHOULDER_HALF, out);
    let along = (q - SHOULDER).dot(unit(ELBOW - SHOULDER));
    pour(row, arm + SHOULDER_HALF, arm + UPPER_ARM_TWIST, smoothstep(0.10, 0.27, along));

    let (leg, other) = (LEGS[side], LEGS[1 - side]);
    let apart = smoothstep(HIP.y - 0.195, HIP.y - 0.315, q.y);
    pour(row, other + HIP_HALF, leg + THIGH, apart);
    pour(row, other + THIGH, leg + THIGH, apart);
    // The heel goes a little more with the foot than warmth would have it: so much that it treads on the ground.
    pour(row, leg + SHIN, leg + FOOT, 0.10 * smoothstep(0.095, 0.035, q.y));
    // The way that half the turn of the hip carries the skin grows with the distance from it, so the share changes the
    // less the further down: like a logarithm, of which a fourth root is near enough.
    let root = |x: f64| x.sqrt().sqrt();
    let down = (HIP.y - q.y).clamp(THIGH_FROM, THIGH_TO);
    let share = (1.0 - root(THIGH_FROM / down)) / (1.0 - root(THIGH_FROM / THIGH_TO));
    let whole: f64 = row[leg + HIP_HALF..=leg + TOES].iter().sum();
    let most = whole * (1.0 - share);
    if row[leg + HIP_HALF] > most {
        pour(row, leg + HIP_HALF, leg + THIGH, 1.0 - most / row[leg + HIP_HALF]);
    }
}

/// Shares what the pelvis has of the trunk among the pelvis and the spine, by height.
pub fn share_trunk(joints: &[Joint], p: DVec3, row: &mut [f64]) {
    let total = row[HIPS];
    let mut below = HIPS;
    let mut left = total;
    for joint in SPINE {
        let passed = total * smoothstep(-SPINE_HALF, SPINE_HALF, p.y - joints[joint].place.y);
        row[below] = left - passed;
        (below, left) = (joint, passed);
    }
    row[below] = left;
}

/// Moves a share of what one joint has to another.
fn pour(row: &mut [f64], from: usize, to: usize, share: f64) {
    let moved = row[from] * share;
    row[from] -= moved;
    row[to] += moved;
}

/// An elbow or a knee: the joints of the limb before it, its links, and the joints after it.
pub struct Bend {
    before: Range<usize>,
    links: Range<usize>,
    after: Range<usize>,
    hinges: [DVec3; HINGES],
    along: DVec3,
    half: f64,
}

/// Both elbows and both knees.
pub fn bends(joints: &[Joint]) -> Vec<Bend> {
    let bend = |limb: usize, [first, links, after, last]: [usize; 4], half: f64| {
        let hinges: [DVec3; HINGES] = std::array::from_fn(|k| joints[limb + links + k].place);
        Bend {
            before: limb + first..limb + links,
            links: limb + links..limb + after,
            after: limb + after..limb + last + 1,
            along: unit(hinges[HINGES - 1] - hinges[0]),
            hinges,
            half,
        }
    };
    let elbows = ARMS.map(|arm| bend(arm, [SHOULDER_HALF, ELBOW_LINKS, FOREARM, HAND], ELBOW_HALF));
    let knees = LEGS.map(|leg| bend(leg, [HIP_HALF, KNEE_LINKS, SHIN, TOES], KNEE_HALF));
    elbows.into_iter().chain(knees).collect()
}

impl Bend {
    /// Shares what the limb has of the point at `p` anew among what lies before the bend, its links and what lies after;
    /// joints on the same side keep their proportions.
    pub fn share(&self, p: DVec3, row: &mut [f64]) {
        let total: f64 = row[self.before.start..self.after.end].iter().sum();
        if total == 0.0 {
            return;
        }
        let passed = self.hinges.map(|hinge| smoothstep(-self.half, self.half, (p - hinge).dot(self.along)));
        portion(&mut row[self.before.clone()], total * (1.0 - passed[0]), self.before.len() - 1);
        for (k, link) in self.links.clone().enumerate() {
            row[link] = total * (passed[k] - passed[k + 1]);
        }
        portion(&mut row[self.after.clone()], total * passed[HINGES - 1], 0);
    }
}

/// Brings the sum of a group to `sum`; all of it goes to the one nearest the bend where there was none.
fn portion(group: &mut [f64], sum: f64, nearest: usize) {
    let old: f64 = group.iter().sum();
    if old > 0.0 {
        group.iter_mut().for_each(|x| *x *= sum / old);
    } else {
        group[nearest] = sum;
    }
}
