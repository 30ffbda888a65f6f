//! The skeleton: joints, their places at rest and the bones whose warmth the skin feels.
//!
//! Every joint rests unrotated, so a joint's world rotation is also what it does to the sculpture. Elbows and knees are
//! rows of hinges along the limb, each taking an equal part of the bend, and shoulders and hips pairs of joints in one
//! place: blends of places a small angle apart hardly shrink, so that the limb keeps its volume in deep bends, and the
//! skin of armpit and groin has somewhere to go halfway.

use super::landmarks::{ANKLE, BALL, ELBOW, HIP, KNEE, SHOULDER, WRIST, hand_frame, mirror};
use super::maths::unit;
use glam::DVec3;

/// A joint of the skeleton; parents come before children.
pub struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    /// World position at rest, metres.
    pub place: DVec3,
    /// Line segments inside the body that this joint carries; one of no length warms nothing.
    pub bones: Vec<(DVec3, DVec3)>,
}

pub const HIPS: usize = 0;
pub const SPINE: [usize; 3] = [1, 2, 3];
pub const NECK: usize = 4;
pub const HEAD: usize = 5;
/// First joints of the limbs, left then right; the others follow in the order below.
pub const ARMS: [usize; 2] = [6, 16];
pub const LEGS: [usize; 2] = [26, 34];

pub const CLAVICLE: usize = 0;
pub const SHOULDER_HALF: usize = 1;
pub const UPPER_ARM: usize = 2;
pub const UPPER_ARM_TWIST: usize = 3;
/// The first of an elbow's links; its last hinge carries the forearm.
pub const ELBOW_LINKS: usize = 4;
pub const FOREARM: usize = 7;
pub const FOREARM_TWIST: usize = 8;
pub const HAND: usize = 9;

pub const HIP_HALF: usize = 0;
pub const THIGH: usize = 1;
/// The first of a knee's links; its last hinge carries the shin.
pub const KNEE_LINKS: usize = 2;
pub const SHIN: usize = 5;
pub const FOOT: usize = 6;
pub const TOES: usize = 7;

/// Hinges of an elbow or a knee.
pub const HINGES: usize = 4;
/// From the middle of an elbow and of a knee to its outermost hinges, metres.
const ELBOW_REACH: f64 = 0.042;
const KNEE_REACH: f64 = 0.064;

/// The part of the body that a joint belongs to: trunk, head, left and right arm, left and right leg.
pub fn part(joint: usize) -> usize {
    match joint {
        NECK | HEAD => 1,
        j if j >= LEGS[1] => 5,
        j if j >= LEGS[0] => 4,
        j if j > ARMS[1] => 3,
        j if j > ARMS[0] && j < ARMS[1] => 2,
        _ => 0,
    }
}

/// Evenly from `reach` before the middle to `reach` behind it.
fn hinges(middle: DVec3, reach: DVec3) -> [DVec3; HINGES] {
    std::array::from_fn(|k| middle + reach * (2.0 * k as f64 / (HINGES - 1) as f64 - 1.0))
}

/// The whole skeleton in file order.
pub fn joints() -> Vec<Joint> {
    let mut joints = Vec::new();
    let v = DVec3::new;
    let mut add = |name: &str, parent: Option<usize>, place: DVec3, bones: Vec<(DVec3, DVec3)>| {
        joints.push(Joint { name: name.into(), parent, place, bones });
        joints.len() - 1
    };
    let hips = add(
        "hips",
        None,
        v(0.0, 0.950, -0.006),
        vec![(v(0.0, 1.000, 0.0), v(0.0, 0.815, 0.0)), (v(-0.070, 0.955, -0.020), v(0.070, 0.955, -0.020))],
    );
    let low =
        add("spine_1", Some(hips), v(0.0, 1.035, -0.006), vec![(v(0.0, 1.050, 0.0), v(0.0, 1.105, 0.0))]);
    let middle =
        add("spine_2", Some(low), v(0.0, 1.130, -0.006), vec![(v(0.0, 1.140, 0.0), v(0.0, 1.220, 0.0))]);
    let chest = add(
        "spine_3",
        Some(middle),
        v(0.0, 1.250, -0.012),
        vec![(v(0.0, 1.270, -0.01), v(0.0, 1.400, -0.02)), (v(-0.09, 1.330, -0.01), v(0.09, 1.330, -0.01))],
    );
    let neck =
        add("neck", Some(chest), v(0.0, 1.450, -0.030), vec![(v(0.0, 1.470, -0.024), v(0.0, 1.545, -0.012))]);
    add(
        "head",
        Some(neck),
        v(0.0, 1.570, -0.008),
        vec![(v(0.0, 1.600, 0.0), v(0.0, 1.700, 0.0)), (v(0.0, 1.585, 0.01), v(0.0, 1.565, 0.06))],
    );

    let upper = unit(ELBOW - SHOULDER);
    let lower = unit(WRIST - ELBOW);
    let straight = unit(upper + lower);
    let elbow = hinges(ELBOW, straight * ELBOW_REACH);
    let mid_upper = SHOULDER + (ELBOW - SHOULDER) * 0.48;
    let mid_lower = ELBOW + (WRIST - ELBOW) * 0.52;
    let hand = hand_frame();
    let thigh = unit(KNEE - HIP);
    let shin = unit(ANKLE - KNEE);
    let straight_leg = unit(thigh + shin);
    let knee = hinges(KNEE, straight_leg * KNEE_REACH);
    for (side, suffix) in [("left", "l"), ("right", "r")] {
        let to = |p: DVec3| if side == "left" { p } else { mirror(p) };
        let mut chain = |links: &[(&str, DVec3, DVec3, DVec3)], root: usize| {
            let mut parent = root;
            for (name, place, from, end) in links {
                parent =
                    add(&format!("{name}_{suffix}"), Some(parent), to(*place), vec![(to(*from), to(*end))]);
            }
        };
        chain(
            &[
                ("clavicle", v(0.025, 1.428, 0.000), v(0.045, 1.432, -0.008), v(0.118, 1.425, -0.016)),
                ("shoulder", SHOULDER, SHOULDER + upper * 0.020, v(0.132, 1.345, -0.030)),
                ("upper_arm", SHOULDER, SHOULDER + upper * 0.060, mid_upper - upper * 0.015),
                ("upper_arm_twist", mid_upper, mid_upper + upper * 0.015, ELBOW - upper * 0.010),
                ("elbow_1", elbow[0], elbow[0], elbow[0]),
                ("elbow_2", elbow[1], elbow[1], elbow[1]),
                ("elbow_3", elbow[2], elbow[2], elbow[2]),
                ("forearm", elbow[3], ELBOW + lower * 0.010, mid_lower - lower * 0.015),
                ("forearm_twist", mid_lower, mid_lower + lower * 0.015, WRIST - lower * 0.012),
                ("hand", WRIST, WRIST + hand.along * 0.020, WRIST + hand.along * 0.160),
            ],
            chest,
        );
    }
    for (side, suffix) in [("left", "l"), ("right", "r")] {
        let to = |p: DVec3| if side == "left" { p } else { mirror(p) };
        let links = [
            ("hip", HIP, HIP, HIP),
            ("thigh", HIP, HIP + thigh * 0.060, KNEE - thigh * 0.015),
            ("knee_1", knee[0], knee[0], knee[0]),
            ("knee_2", knee[1], knee[1], knee[1]),
            ("knee_3", knee[2], knee[2], knee[2]),
            ("shin", knee[3], KNEE + shin * 0.015, ANKLE - shin * 0.020),
            ("foot", ANKLE, ANKLE + v(0.0, -0.025, 0.005), BALL + v(-0.002, 0.006, -0.025)),
            ("toes", BALL, BALL + v(0.002, -0.004, 0.018), BALL + v(0.006, -0.008, 0.055)),
        ];
        let mut parent = hips;
        for (name, place, from, end) in links {
            parent = add(&format!("{name}_{suffix}"), Some(parent), to(place), vec![(to(from), to(end))]);
        }
    }
    joints
}
