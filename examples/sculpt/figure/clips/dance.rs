//! The dance, twenty beats at two a second: sink and gather, reach and bend, lunge and twist, fold, unroll, turn on one
//! foot, open to the other side, balance on one leg, come home.

use super::super::pose::{Arm, Leg, Stance};
use super::{Clip, Score};

const BEATS: f64 = 20.0;
const BEATS_PER_SECOND: f64 = 2.0;

/// Pairs of beat and value; what each line means stands at the fields of [`Stance`], [`Arm`] and [`Leg`]. The pivot ends
/// a whole turn on, which is where it began: it falls back between the last key and the first.
const SCORE: &str = "
weight        0 .5, 1.6 .5, 3 .9, 3.9 .9, 5.4 .13, 6.2 .13, 7.4 .56, 8.3 1, 11.8 1, 13.2 .28, 14.4 .3,
              15.2 1, 18.2 1, 19.2 .6
sink          0 .02, 1.5 .155, 3.2 .005, 4.2 .05, 5.5 .15, 6.2 .15, 7.5 .14, 8.7 .07, 9.7 -.06, 11.5 -.06,
              12.5 .11, 13.5 .02, 14.4 .03, 15.2 .13, 16.4 0, 17.7 0, 18.5 .06
pivot         0 0, 9.5 0, 11.9 360, 15.1 360, 16.5 432, 17.7 432, 19 360, 19.999 360
breath        0 .3, 1.5 -1, 3.2 1, 5.4 -.5, 7.5 -1.5, 9.2 1.5, 13.2 1, 15.3 -1, 16.8 1.3

hips.forward  0 2, 1.5 6, 3.2 -2, 5.4 6, 7.5 26, 9.2 -4, 10 0, 13.2 0, 14.6 4, 15.4 18, 16.6 33, 17.6 33, 18.8 4
hips.turn     0 0, 1.5 0, 3.2 6, 5.4 -15, 6.2 -13, 7.5 0, 8.8 8, 9.8 -6, 11.8 0, 13.2 14, 14.4 10, 15.6 0,
              16.6 -14, 17.6 -14, 19 0
hips.side     0 0, 3.2 8, 5.4 -5, 7.5 0, 9.6 -6, 11.6 -6, 13.2 5, 14.4 4, 15.4 0, 16.6 -6, 17.6 -6, 19 0
spine.forward 0 -2, 1.5 20, 3.2 -8, 4.2 2, 5.4 8, 6.2 16, 7.5 62, 9 -20, 9.9 -3, 11.8 -2, 13.2 -10, 14.4 -4,
              15.4 18, 16.7 -32, 17.6 -32, 18.8 6
spine.turn    0 0, 1.5 -6, 3.2 8, 5.4 -46, 6.2 -40, 7.5 -6, 8.8 26, 9.7 -12, 10.6 0, 11.6 6, 13.2 24, 14.4 16,
              15.5 0, 16.6 12, 17.6 12, 19 0
spine.side    0 0, 1.5 0, 3.3 -23, 4 -20, 5.4 4, 7.5 0, 9.8 4, 11.8 0, 13.4 23, 14.3 20, 15.4 0, 16.6 4, 17.6 4, 19 0
head.forward  0 -4, 1.5 16, 3.2 -14, 5.4 0, 7.5 26, 9 -24, 9.9 0, 11.8 0, 13.2 -10, 14.4 -4, 15.4 16, 16.7 -16,
              17.6 -18, 18.8 0
head.turn     0 0, 1.5 8, 3.2 24, 5.4 -34, 6.2 -20, 7.5 0, 9.6 0, 10.3 -42, 10.9 38, 11.7 0, 13.2 -28, 14.4 -14,
              15.5 0, 16.6 8, 17.6 -6, 19 0
head.side     0 0, 3.2 -14, 5.4 6, 7.5 0, 10 0, 13.2 12, 14.4 8, 15.5 0

left.raise    0 64, 1.5 46, 3.2 129, 4 127, 5.4 86, 6.2 72, 7.5 74, 9 132, 9.8 78, 11.8 80, 12.8 92, 14.2 98,
              15.4 48, 16.6 116, 17.6 122, 18.6 80
left.swing    0 10, 1.5 52, 3 12, 4.2 10, 5.4 92, 6.2 80, 7.5 54, 9 10, 9.8 66, 11.8 66, 12.8 6, 14.2 -14,
              15.4 54, 16.6 80, 17.6 76, 18.7 20
left.turn     0 0, 1.5 -18, 3.2 30, 5.4 10, 7.5 -25, 9 25, 9.9 -28, 11.8 -28, 13.2 15, 15.4 -16, 16.6 10, 18 0
left.bend     0 26, 1.5 58, 3.2 14, 4.2 22, 5.4 12, 6.4 60, 7.5 95, 9 18, 9.9 60, 11.8 60, 12.9 12, 14.2 20,
              15.4 60, 16.6 10, 17.6 14, 18.6 40
left.roll     0 0, 1.5 30, 3.2 50, 5.4 -35, 7.5 -10, 9 45, 10 0, 12 0, 13.4 50, 15.4 20, 16.8 -20, 18.4 10
left.wrist    0 -12, .8 24, 1.8 4, 2.6 28, 3.7 -22, 5 20, 6 -18, 7.5 34, 8.4 30, 9.3 -18, 10.2 14, 11.8 14,
              13.2 -24, 14.4 -10, 15.2 30, 16 26, 16.9 -20, 18 -24, 19 20
left.tilt     0 0, 3.5 8, 6 -8, 10 0, 13.5 8, 16 0

right.raise   0 64, 1.5 46, 3.2 84, 4.2 70, 5.4 96, 6.2 92, 7.5 68, 9 132, 9.8 78, 11.8 80, 13.2 127, 14.2 125,
              15.4 50, 16.6 88, 17.6 94, 18.6 76
right.swing   0 10, 1.5 52, 3 14, 4.2 50, 5.4 -22, 6.2 -20, 7.5 60, 9 10, 9.8 66, 11.8 66, 13.2 14, 14.2 10,
              15.4 50, 16.6 -24, 17.6 -28, 18.7 10
right.turn    0 0, 1.5 -18, 3.2 0, 5.4 20, 7.5 -25, 9 25, 9.9 -28, 11.8 -28, 13.2 30, 15.4 -16, 16.6 20, 18.4 0
right.bend    0 26, 1.5 60, 3.2 30, 4.2 84, 5.6 14, 6.4 50, 7.5 95, 9 18, 9.9 60, 11.8 60, 13.2 14, 14.2 26,
              15.4 64, 16.6 10, 17.6 12, 18.6 36
right.roll    0 0, 1.5 30, 3.2 20, 5.4 55, 7.5 -10, 9 45, 10 0, 12 0, 13.4 50, 15.4 20, 16.8 40, 18.4 10
right.wrist   0 -12, .9 24, 1.9 4, 2.8 24, 4.2 30, 5 18, 6 -24, 7.5 34, 8.5 30, 9.4 -18, 10.2 14, 11.8 14,
              12.6 28, 13.7 -22, 15.2 30, 16 24, 17 -22, 18 -24, 19.1 20
right.tilt    0 0, 3.5 -6, 6 8, 10 0, 13.5 8, 16 0

axis.heel     0 0, 8.4 0, 9.6 48, 11.6 48, 12.3 0, 15 0, 15.7 18, 16.4 0, 17.7 0, 18.4 18, 19 0
free.x        0 .11, 4 .11, 4.9 .11, 8 .11, 9.4 -.12, 11.7 -.12, 12.6 .095, 13.6 .13, 14.7 .13, 15.4 .08, 16.6 -.03,
              17.6 -.03, 18.4 .06, 19.2 .11
free.z        0 0, 4 0, 4.9 .02, 8 .02, 9.4 .01, 11.7 .01, 12.6 -.06, 14.7 -.06, 15.4 -.3, 16.6 -.79, 17.6 -.79,
              18.5 -.2, 19.2 0
free.lift     0 0, 3.9 0, 4.4 .05, 4.9 0, 8 0, 9.4 .165, 11.4 .165, 12.6 0, 14.7 0, 15.4 .1, 16.6 .56, 17.6 .56,
              18.5 .08, 19.2 0
free.out      0 28, 4 28, 4.9 24, 8 24, 9.3 28, 11.7 28, 12.6 26, 14.8 26, 16 14, 17.8 14, 19.2 28
free.heel     0 0, 2.2 0, 3.3 58, 3.9 58, 4.9 0, 8 0, 8.7 50, 9.4 68, 11.6 68, 12.5 30, 13.1 0, 14.4 0, 15.4 80,
              16.6 144, 17.6 144, 18.5 70, 19.4 0
free.point    0 0, 8.2 0, 9 1, 11.8 1, 12.5 0, 14.7 0, 15.3 1, 18.4 1, 19.1 0
free.knee     0 4, 8 4, 9.3 6, 11.6 6, 12.6 4
";

pub fn clip() -> Clip {
    let score = Score::read(SCORE, BEATS);
    Clip {
        name: "dance",
        seconds: BEATS / BEATS_PER_SECOND,
        stance: Box::new(move |time| stance(&score, time * BEATS_PER_SECOND)),
    }
}

fn stance(score: &Score, beat: f64) -> Stance {
    let at = |line: &str| score.at(line, beat);
    let bends = |what: &str| ["forward", "turn", "side"].map(|way| at(&format!("{what}.{way}")));
    let arm = |side: &str| {
        let at = |line: &str| at(&format!("{side}.{line}"));
        Arm {
            raise: at("raise"),
            swing: at("swing"),
            fore: 0.0,
            turn: at("turn"),
            bend: at("bend"),
            roll: at("roll"),
            wrist: at("wrist"),
            tilt: at("tilt"),
        }
    };
    // The left foot is the axis of the dance: it never leaves its place. The right leg is free: it points, lunges,
    // draws up to the knee for the turn, opens, and rises behind.
    let axis = Leg { x: 0.075, out: 25.0, heel: at("axis.heel"), knee: 4.0, ..Leg::default() };
    let free = Leg {
        x: at("free.x"),
        z: at("free.z"),
        lift: at("free.lift"),
        out: at("free.out"),
        heel: at("free.heel"),
        point: at("free.point"),
        knee: at("free.knee"),
    };
    Stance {
        weight: at("weight"),
        sink: at("sink"),
        hips: bends("hips"),
        spine: bends("spine"),
        head: bends("head"),
        breath: at("breath"),
        carried: 0.0,
        pivot: at("pivot"),
        arms: [arm("left"), arm("right")],
        legs: [axis, free],
    }
}
