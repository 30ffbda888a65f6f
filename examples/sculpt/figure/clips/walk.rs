//! An unhurried walk on the spot: the floor runs backwards under the planted foot at a steady speed.

use super::super::landmarks::BALL;
use super::super::maths::sin_cos_deg;
use super::super::pose::{Arm, Leg, Stance};
use super::{Clip, Score};

const SECONDS: f64 = 1.1;

/// Where the ball of a foot comes down and where it leaves the floor, metres from its place at rest.
const FRONT: f64 = 0.270;
const BACK: f64 = -0.420;
/// The share of the stride that a foot is planted.
const PLANTED: f64 = 0.62;
/// From the ball of the foot back to where the rounded heel touches the floor, metres.
const BALL_TO_HEEL: f64 = 0.131;

/// A leg over its own stride, which begins when it touches down.
const SCORE: &str = "
heel   0 -16, .10 0, .34 0, .50 22, .64 52, .76 48, .90 -10
lift   0 0, .62 0, .75 .055, .88 .018
point  0 1, .1 0, .6 0, .7 .8, .9 1
";

pub fn clip() -> Clip {
    let score = Score::read(SCORE, 1.0);
    Clip { name: "walk", seconds: SECONDS, stance: Box::new(move |time| stance(&score, time / SECONDS)) }
}

fn leg(score: &Score, phase: f64) -> Leg {
    let speed = (BACK - FRONT) / PLANTED;
    let z = if phase < PLANTED {
        FRONT + speed * phase
    } else {
        // From the floor's speed through the swing and back to it (Hermite), so that nothing jerks.
        let t = (phase - PLANTED) / (1.0 - PLANTED);
        let (t2, t3) = (t * t, t * t * t);
        let glide = speed * (1.0 - PLANTED);
        BACK * (2.0 * t3 - 3.0 * t2 + 1.0) + FRONT * (3.0 * t2 - 2.0 * t3) + glide * (2.0 * t3 - 3.0 * t2 + t)
    };
    // While the heel takes the weight, the foot turns about it: the ball is up by what the foot's length and slope make,
    // and back by what the heel would otherwise slide as the foot comes down.
    let heel = score.at("heel", phase);
    let (sin, cos) = sin_cos_deg(-heel.min(0.0));
    let strike = BALL_TO_HEEL * sin - BALL.y * (1.0 - cos);
    let back = BALL_TO_HEEL * (1.0 - cos) + BALL.y * sin;
    Leg {
        x: -0.042,
        z: z - back,
        lift: strike + score.at("lift", phase),
        out: 6.0,
        heel,
        point: score.at("point", phase),
        knee: 0.0,
    }
}

fn stance(score: &Score, phase: f64) -> Stance {
    let other = if phase < 0.5 { phase + 0.5 } else { phase - 0.5 };
    let wave = |turns: f64, late: f64| sin_cos_deg(360.0 * (turns * phase - late)).0;
    // Positive while the left foot is in front.
    let stride = wave(1.0, -0.22);
    let arm = |forth: f64| Arm {
        raise: 13.0,
        swing: 8.0,
        fore: 3.0 + 21.0 * forth,
        turn: -3.0,
        bend: 24.0 + 10.0 * forth,
        roll: -16.0,
        wrist: 6.0 - 5.0 * forth,
        ..Arm::default()
    };
    Stance {
        weight: 0.5 + 0.30 * wave(1.0, 0.06),
        sink: 0.020 - 0.006 * wave(2.0, 0.12),
        carried: 1.0,
        hips: [2.0, -6.0 * stride, 3.0 * wave(1.0, 0.08)],
        spine: [2.0, 13.0 * stride, -3.0 * wave(1.0, 0.08)],
        head: [-2.0, -6.5 * stride, 0.0],
        arms: [arm(-wave(1.0, -0.17)), arm(wave(1.0, -0.17))],
        legs: [leg(score, phase), leg(score, other)],
        ..Stance::default()
    }
}
