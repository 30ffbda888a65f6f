//! The clips: loops without a seam, feet that stay, bends that are deep.

use super::glb::{joint_name, joint_places, parse, shipped};
use super::skin::{Skin, shapes};
use glam::DVec3;
use serde_json::Value;

#[test]
fn clips_are_seamless_loops_and_the_dance_comes_first() {
    let glb = parse(&shipped());
    let names: Vec<&str> = (0..glb.size("/animations"))
        .map(|a| glb.json.pointer(&format!("/animations/{a}/name")).and_then(Value::as_str).expect("a name"))
        .collect();
    assert_eq!(&names[..2], ["dance", "breathe"]);
    for (a, name) in names.iter().enumerate() {
        for s in 0..glb.size(&format!("/animations/{a}/samplers")) {
            let path = format!("/animations/{a}/samplers/{s}");
            let times = glb.read::<1>(glb.number(&format!("{path}/input")));
            assert!(times[0][0] == 0.0 && times.windows(2).all(|w| w[0][0] < w[1][0]));
            let output = glb.number(&format!("{path}/output"));
            let translation =
                glb.json.pointer(&format!("/accessors/{output}/type")) == Some(&Value::from("VEC3"));
            let keys: Vec<[f32; 4]> = if translation {
                glb.read::<3>(output).into_iter().map(|[x, y, z]| [x, y, z, 0.0]).collect()
            } else {
                glb.read(output)
            };
            assert_eq!(keys.len(), times.len());
            let (first, last) = (keys[0], keys[keys.len() - 1]);
            // The same numbers, or all of them negated: the same rotation.
            assert!(first == last || (!translation && first == last.map(|c| -c)), "{name} does not close");
            // Between keys a sixtieth of a second apart nothing jumps: 0.2 is 23 degrees a key, 1,400 a second.
            for pair in keys.windows(2) {
                let step: f32 =
                    pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt();
                assert!(step < 0.2, "{name} jumps by {step}");
            }
            if !translation {
                for q in &keys {
                    let length: f32 = q.iter().map(|c| c * c).sum();
                    // Rounding of four squares of f32 numbers near one.
                    assert!((length - 1.0).abs() < 1e-6, "{name}: a rotation of length {length}");
                }
            }
        }
    }
}

#[test]
fn feet_stand_where_they_are_planted() {
    let glb = parse(&shipped());
    // One hundredth of the height would be 17 mm; planted feet are solved for, so they keep within the rounding of
    // f32 rotations along a leg: well below a millimetre.
    const STILL: f64 = 1e-3;
    let drift = |track: &[DVec3]| track.iter().map(|p| (*p - track[0]).length()).fold(0.0, f64::max);
    for (clip, joint) in [
        ("dance", "toes_l"),
        ("breathe", "foot_l"),
        ("breathe", "foot_r"),
        ("stretch", "toes_l"),
        ("stretch", "toes_r"),
    ] {
        let places = joint_places(&glb, clip);
        let moved = drift(&places[joint]);
        assert!(moved < STILL, "{clip}: {joint} drifts by {moved} m");
    }
    // On the spot a planted foot goes back as steadily as the floor would.
    let walk = joint_places(&glb, "walk");
    for (toes, late) in [("toes_l", 0), ("toes_r", 1)] {
        let steps: Vec<f64> = walk[toes].windows(2).map(|w| w[1].z - w[0].z).collect();
        let keys = steps.len();
        // Between a tenth and six tenths of its stride the foot is flat or rolling over its ball.
        let planted = (keys / 10 + 1..keys * 6 / 10).map(|key| steps[(key + late * keys / 2) % keys]);
        let (low, high) = planted.fold((f64::MAX, f64::MIN), |(l, h), s| (l.min(s), h.max(s)));
        assert!(low < 0.0 && high - low < STILL, "{toes}: steps from {low} to {high} m");
    }
    // Nobody sinks into the floor: the ball joint rests 22 mm above it.
    for clip in ["dance", "breathe", "walk", "stretch"] {
        let places = joint_places(&glb, clip);
        for joint in ["toes_l", "toes_r"] {
            let lowest = places[joint].iter().fold(f64::MAX, |l, p| l.min(p.y));
            assert!(lowest > 0.022 - STILL, "{clip}: {joint} sinks to {lowest} m");
        }
    }
}

#[test]
fn planted_feet_of_the_walk_go_with_the_floor() {
    let glb = parse(&shipped());
    let skin = Skin::new(&glb);
    let shapes = shapes(&glb, &skin, "walk", 1);
    let places = joint_places(&glb, "walk");
    let keys = shapes.len() - 1;
    let planted = keys * 6 / 10;
    for (side, late) in [("l", 0), ("r", keys / 2)] {
        let at = |key: usize| (key + late) % keys;
        let toes = &places[&format!("toes_{side}")];
        let speed = (toes[at(planted)].z - toes[at(keys / 10 + 1)].z) / (planted - keys / 10 - 1) as f64;
        let names = [format!("foot_{side}"), format!("toes_{side}")];
        let foot: Vec<usize> = (0..skin.rest.len())
            .filter(|&v| {
                let share =
                    |&(j, w): &(usize, f64)| if names.contains(&joint_name(&glb, j)) { w } else { 0.0 };
                skin.influences[v].iter().map(share).sum::<f64>() > 0.9
            })
            .collect();
        // Far within one hundredth of the height (17 mm): the heel rolls over a round that the score takes for a
        // point, and the toes' pads give under the ball.
        let mut slid = 0.0;
        for key in 0..planted {
            let (now, next) = (&shapes[at(key)], &shapes[at(key + 1)]);
            let lowest = *foot.iter().min_by(|&&a, &&b| now[a].y.total_cmp(&now[b].y)).expect("a foot");
            slid += next[lowest].z - now[lowest].z - speed;
            let y = now[lowest].y;
            assert!(y.abs() < 3e-3, "{side}, key {key}: the sole is at {y} m");
            assert!(f64::abs(slid) < 0.0175, "{side}, key {key}: the foot has slid by {slid} m");
        }
    }
}

#[test]
fn the_dance_bends_waist_elbows_and_knees_deeply() {
    let glb = parse(&shipped());
    let places = joint_places(&glb, "dance");
    // Inner angle at the middle of three joints, as a bend from straight, degrees; its largest over the clip.
    let deepest = |a: &str, b: &str, c: &str, d: &str| {
        (0..places[a].len())
            .map(|k| (places[b][k] - places[a][k]).angle_between(places[d][k] - places[c][k]).to_degrees())
            .fold(0.0, f64::max)
    };
    for side in ["l", "r"] {
        let name = |joint: &str| format!("{joint}_{side}");
        let elbow = deepest(&name("upper_arm"), &name("elbow_1"), &name("forearm"), &name("hand"));
        let knee = deepest(&name("thigh"), &name("knee_1"), &name("shin"), &name("foot"));
        assert!(elbow > 90.0 && knee > 60.0, "{side}: elbow {elbow}, knee {knee} degrees");
    }
    let waist = deepest("spine_1", "spine_2", "spine_3", "neck");
    assert!(waist > 35.0, "waist {waist} degrees");
}
