//! One joint after another slowly to its limit and back: for looking at folds and for measuring.

use super::super::pose::{Arm, Leg, Stance};
use super::{Clip, Score};

const SECONDS: f64 = 14.0;

/// Head until second 2.4, elbows until 4.4, forearms and wrists until 6, waist until 11, knees and hips to the end.
const SCORE: &str = "
weight         0 .5, 5.6 .5, 6.5 .6, 6.9 .6, 7.8 .4, 8.2 .4, 9 .5
sink           0 .015, 5.4 .015, 9.6 .03, 10.3 .05, 11 .02, 12.1 .4, 12.4 .4, 13.6 .015
hips.forward   0 1, 9.4 1, 10.2 30, 10.5 30, 11.1 2, 12.2 16, 12.5 16, 13.6 1
hips.side      0 0, 5.6 0, 6.6 6, 6.9 6, 7.9 -6, 8.2 -6, 9 0
spine.forward  0 0, 8.4 0, 9.3 -26, 9.5 -26, 10.2 72, 10.5 72, 11.2 0, 12.2 14, 12.5 14, 13.5 0
spine.turn     0 0, 7.9 0, 8.5 50, 8.7 50, 9.2 -50, 9.4 -50, 10 0
spine.side     0 0, 5.6 0, 6.5 -42, 6.9 -42, 7.8 42, 8.2 42, 8.8 0
head.forward   0 0, .4 30, .5 30, .9 -28, 1 -28, 1.3 0, 9.3 -20, 10.3 24, 11.2 0
head.turn      0 0, 1.1 0, 1.4 55, 1.5 55, 1.9 -55, 2 -55, 2.4 0, 8.5 25, 9.2 -25, 10 0
head.side      0 0, 5.6 0, 6.5 -14, 6.9 -14, 7.8 14, 8.2 14, 8.8 0
arm.raise      0 16, 2 16, 2.8 88, 5.6 88, 6.2 40, 9.4 40, 10.2 82, 11.4 84, 13 84, 13.9 16
left.raise     0 0, 5.6 0, 6.3 120, 6.9 120, 7.5 0
right.raise    0 0, 6.9 0, 7.6 120, 8.2 120, 8.8 0
arm.swing      0 10, 2 10, 2.8 6, 5.6 6, 6.3 8, 9.4 12, 10.2 86, 11.4 82, 13 82, 13.9 10
arm.turn       0 -8, 2.2 -8, 2.9 40, 4.2 40, 4.8 0, 10.6 0, 11.4 -10, 13.8 -8
arm.bend       0 18, 2.6 12, 3.4 132, 3.7 132, 4.4 10, 5.6 10, 6.3 24, 10 24, 11.2 12, 13.2 12
arm.roll       0 -12, 4.2 0, 4.8 70, 5.3 -60, 5.8 0, 9 0, 13 -10
arm.wrist      0 8, 2.8 0, 4.3 0, 4.7 50, 5.1 -45, 5.6 0, 9 8
leg.heel       0 0, 11 0, 12 24, 12.4 24, 13.4 0
";

pub fn clip() -> Clip {
    let score = Score::read(SCORE, SECONDS);
    Clip { name: "stretch", seconds: SECONDS, stance: Box::new(move |time| stance(&score, time)) }
}

fn stance(score: &Score, time: f64) -> Stance {
    let at = |line: &str| score.at(line, time);
    let arm = |own_raise: &str| Arm {
        raise: at("arm.raise") + at(own_raise),
        swing: at("arm.swing"),
        turn: at("arm.turn"),
        bend: at("arm.bend"),
        roll: at("arm.roll"),
        wrist: at("arm.wrist"),
        ..Arm::default()
    };
    let leg = Leg { x: 0.03, out: 20.0, heel: at("leg.heel"), knee: 3.0, ..Leg::default() };
    Stance {
        weight: at("weight"),
        sink: at("sink"),
        hips: [at("hips.forward"), 0.0, at("hips.side")],
        spine: [at("spine.forward"), at("spine.turn"), at("spine.side")],
        head: [at("head.forward"), at("head.turn"), at("head.side")],
        arms: [arm("left.raise"), arm("right.raise")],
        legs: [leg, leg],
        ..Stance::default()
    }
}
