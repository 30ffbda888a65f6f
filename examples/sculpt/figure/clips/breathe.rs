//! Breathing at ease: the ribs lift, the weight wanders a little.

use super::super::maths::sin_cos_deg;
use super::super::pose::{Arm, Leg, Stance};
use super::Clip;

const SECONDS: f64 = 4.0;

pub fn clip() -> Clip {
    Clip { name: "breathe", seconds: SECONDS, stance: Box::new(stance) }
}

fn stance(time: f64) -> Stance {
    let wave = |phase: f64| sin_cos_deg(360.0 / SECONDS * time + phase).0;
    let arm = |late: f64| Arm {
        raise: 13.0 + 1.4 * wave(-30.0 + late),
        swing: 14.0,
        turn: -8.0,
        bend: 18.0 + 2.0 * wave(-60.0 + late),
        roll: -12.0,
        wrist: 8.0 + 3.0 * wave(-90.0 + late),
        ..Arm::default()
    };
    let leg = |x: f64, z: f64, out: f64| Leg { x, z, out, ..Leg::default() };
    Stance {
        weight: 0.64 + 0.06 * wave(40.0),
        sink: 0.012 - 0.003 * wave(0.0),
        hips: [1.0, -6.0, 3.0 + 0.8 * wave(40.0)],
        spine: [-3.0 - 1.5 * wave(0.0), 5.0 + 1.5 * wave(70.0), 5.0 + wave(40.0)],
        head: [2.0 + 1.5 * wave(-20.0), 4.0 + 3.0 * wave(100.0), -3.0],
        breath: wave(0.0),
        arms: [arm(0.0), arm(25.0)],
        legs: [leg(-0.020, -0.02, 12.0), leg(0.010, 0.03, 18.0)],
        ..Stance::default()
    }
}
