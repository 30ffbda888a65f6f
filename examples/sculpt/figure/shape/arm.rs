//! The left arm and hand.

use super::super::landmarks::{ELBOW, SHOULDER, WRIST, hand_frame};
use super::super::maths::unit;
use super::super::part::{Frame, Limb, Part};
use super::super::volume::{Loft, RoundCone};
use glam::DVec3;

/// From the shoulder to the wrist.
pub fn arm() -> Part {
    let upper = unit(ELBOW - SHOULDER);
    // Way along the bone, offset aside and to the front, half width, half depth.
    let upper_arm = [
        [-0.030, 0.0, 0.000, 0.034, 0.036],
        [0.060, 0.0, 0.000, 0.0405, 0.044],
        [0.130, 0.0, 0.002, 0.0370, 0.0430],
        [0.190, 0.0, 0.001, 0.0345, 0.0380],
        [0.245, 0.0, 0.000, 0.0325, 0.0325],
        [0.360, 0.0, 0.000, 0.0325, 0.0310],
    ];
    let forearm = [
        [-0.080, 0.0, 0.000, 0.0320, 0.0310],
        [0.000, 0.0, 0.000, 0.0325, 0.0315],
        [0.045, -0.001, 0.003, 0.0360, 0.0355],
        [0.090, -0.001, 0.002, 0.0345, 0.0340],
        [0.150, 0.0, 0.000, 0.0275, 0.0285],
        [0.205, 0.0, 0.000, 0.0205, 0.0245],
        [0.250, 0.0, 0.000, 0.0180, 0.0245],
    ];
    let limb = Limb {
        lofts: [
            Loft::new(SHOULDER, upper, DVec3::Z, &upper_arm),
            Loft::new(ELBOW, WRIST - ELBOW, DVec3::Z, &forearm),
        ],
        joint: ELBOW,
        along: unit(WRIST - SHOULDER),
        half: 0.05,
    };
    Part::new()
        .limb(0.01, limb)
        // Shoulder cap, point of the elbow.
        .within(Frame::along(SHOULDER + DVec3::new(0.008, 0.008, 0.0), upper, DVec3::Z))
        .blob(0.040, [0.0, 0.022, 0.0], [0.044, 0.066, 0.048])
        .within(Frame::at(ELBOW))
        .blob(0.018, [0.004, -0.002, -0.021], [0.014, 0.016, 0.012])
}

/// The hand, and the bones of its fingers by themselves.
pub struct Hand {
    palm: Part,
    whole: Part,
    bones: Vec<RoundCone>,
    palm_side: DVec3,
}

impl Hand {
    /// A hand at ease: the fingers a little apart and curled, the thumb out.
    pub fn new() -> Self {
        let hand = hand_frame();
        // Local axes: out of the back of the hand or into the palm (x), along it (y), towards the thumb (z).
        let frame = Frame { origin: WRIST, axes: [hand.palm, hand.along, hand.thumb] };
        let palm = |part: Part| {
            part.within(frame)
                // The hand itself, the ball of the thumb, the outer edge.
                .blob(0.020, [-0.001, 0.052, 0.001], [0.0165, 0.056, 0.0385])
                .leaning(
                    0.020,
                    [0.008, 0.036, 0.022],
                    [0.0140, 0.030, 0.0150],
                    [0.0, 1.0, 0.4],
                    [0.0, 0.0, 1.0],
                )
                .blob(0.016, [0.004, 0.050, -0.024], [0.0130, 0.036, 0.0120])
        };
        let mut whole = palm(Part::new());
        let mut bones = Vec::new();
        // Knuckle along and towards the thumb, length, lean towards the thumb, curl into the palm.
        for (along, thumb, length, lean, curl) in [
            (0.089, 0.0305, 0.073, 0.18, 0.13),
            (0.094, 0.0105, 0.081, 0.05, 0.25),
            (0.090, -0.0100, 0.075, -0.11, 0.30),
            (0.081, -0.0285, 0.060, -0.28, 0.20),
        ] {
            let mut finger = Part::new();
            let mut from = frame.place([-0.002, along, thumb]);
            let mut bend = curl * 0.5;
            let radii = [0.0092, 0.0080, 0.0072, 0.0060];
            for (i, share) in [0.44, 0.31, 0.25].into_iter().enumerate() {
                let to = from + unit(frame.turn([bend, 1.0, lean])) * (length * share);
                bones.push(RoundCone::new(from, radii[i], to, radii[i + 1]));
                finger = finger.bone(0.002, bones[bones.len() - 1]);
                from = to;
                bend += curl;
            }
            whole = whole.part(0.007, finger);
        }
        let thumb =
            [[0.006, 0.030, 0.026], [0.013, 0.066, 0.052], [0.018, 0.097, 0.062]].map(|p| frame.place(p));
        let thumb = [
            RoundCone::new(thumb[0], 0.0135, thumb[1], 0.0105),
            RoundCone::new(thumb[1], 0.0105, thumb[2], 0.0080),
        ];
        whole = whole.part(0.010, Part::new().bone(0.006, thumb[0]).bone(0.006, thumb[1]));
        bones.extend(thumb);
        Self { palm: palm(Part::new()), whole, bones, palm_side: hand.palm }
    }

    pub fn distance(&self, q: DVec3) -> f64 {
        self.whole.distance(q)
    }

    /// How far `q` lies on the palm's side of its finger's bones, or of the hand's plane, metres.
    pub fn palmward(&self, q: DVec3) -> f64 {
        let mut best = (self.palm.distance(q), (q - WRIST).dot(self.palm_side));
        for bone in &self.bones {
            let d = bone.distance(q);
            if d < best.0 {
                best = (d, bone.off_axis(q).dot(self.palm_side));
            }
        }
        best.1
    }
}
