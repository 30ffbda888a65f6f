//! The skin when it bends: strain, girth and volume.

use super::glb::{Glb, joint_frames, joint_name, parse, shipped};
use super::skin::{Skin, bind_place, section, shapes, volume};
use glam::{DQuat, DVec3};

#[test]
fn the_dance_strains_the_skin_by_less_than_three_fifths() {
    let glb = parse(&shipped());
    let skin = Skin::new(&glb);
    // Cloth that follows a body reads as cloth up to about 60 %; more looks torn or crushed. Every fourth key is a
    // fifteenth of a second, in which no bend of the dance goes far.
    let strain = skin.worst_strain(&shapes(&glb, &skin, "dance", 4));
    let largest = |of: fn(&(f64, f64)) -> f64| strain.iter().map(of).fold(0.0, f64::max);
    let (stretch, compression) = (largest(|s| s.0), largest(|s| s.1));
    assert!(stretch < 0.6 && compression < 0.6, "stretch {stretch}, compression {compression}");
    assert!(stretch > 0.3 && compression > 0.3, "a dance without deep bends: {stretch}, {compression}");

    // Where a person bends: the strongest of every hundred points lie about the joints that the dance uses, within the
    // trunk's half width of them, and the face, which only turns with the head, gives least.
    let mut joints: Vec<DVec3> = ["neck", "spine_1", "spine_2", "spine_3"]
        .into_iter()
        .chain(["upper_arm_l", "elbow_2_l", "hand_l", "thigh_l", "knee_2_l", "foot_l", "toes_l"])
        .chain(["upper_arm_r", "elbow_2_r", "hand_r", "thigh_r", "knee_2_r", "foot_r", "toes_r"])
        .map(|joint| bind_place(&glb, &skin, joint))
        .collect();
    // The crotch lies between the hips and below them.
    joints.push(joints[4 + 3].lerp(joints[4 + 7 + 3], 0.5) - DVec3::Y * 0.14);
    let mut order: Vec<usize> = (0..strain.len()).collect();
    order.sort_by(|&a, &b| (strain[b].0.max(strain[b].1)).total_cmp(&strain[a].0.max(strain[a].1)));
    for &v in &order[..strain.len() / 100] {
        let off = joints.iter().map(|j| j.distance(skin.rest[v])).fold(f64::MAX, f64::min);
        assert!(off < 0.15, "{:?} at {}, {off} m from any joint", strain[v], skin.rest[v]);
    }
    let face = (0..strain.len()).filter(|&v| skin.rest[v].y > 1.62 && skin.rest[v].z > 0.05);
    let still = face.map(|v| strain[v].0.max(strain[v].1)).fold(0.0, f64::max);
    assert!(still < 0.08, "the face strains by {still}");
}

#[test]
fn the_surface_goes_once_round_what_is_inside() {
    let glb = parse(&shipped());
    let skin = Skin::new(&glb);
    let frames = joint_frames(&glb, "dance");
    let near = |found: f64, want: f64, what: &str| {
        // Sums of solid angles over a closed surface are whole but for rounding.
        assert!((found - want).abs() < 1e-6, "{what}: winding number {found}");
    };
    let inside = [
        "hips",
        "spine_2",
        "spine_3",
        "neck",
        "head",
        "elbow_2_l",
        "hand_r",
        "thigh_l",
        "knee_2_r",
        "shin_l",
        "forearm_r",
        "upper_arm_twist_l",
    ];
    for (node, (place, _)) in frames[0].iter().enumerate() {
        let name = joint_name(&glb, node);
        if inside.contains(&name.as_str()) {
            near(skin.winding(&skin.posed(&frames[0]), *place), 1.0, &name);
        }
    }
    for k in 0..12 {
        let angle = f64::from(k) * std::f64::consts::TAU / 12.0;
        let p = DVec3::new(1.2 * angle.cos(), 0.15 * f64::from(k), 1.2 * angle.sin());
        near(skin.winding(&skin.posed(&frames[0]), p), 0.0, "outside");
    }
    near(skin.winding(&skin.posed(&frames[0]), DVec3::new(0.0, 0.3, 0.0)), 0.0, "between the shins");
}

/// World frames of the rest pose with some joints turned about a world axis, degrees.
fn turned(glb: &Glb, skin: &Skin, axis: DVec3, turns: &[(&str, f64)]) -> Vec<(DVec3, DQuat)> {
    let mut frames: Vec<(DVec3, DQuat)> = Vec::new();
    let count = skin.bind.len();
    let mut parent = vec![None; count];
    for node in 0..count {
        for k in 0..glb.size(&format!("/nodes/{node}/children")) {
            parent[glb.number(&format!("/nodes/{node}/children/{k}"))] = Some(node);
        }
        let angle = turns.iter().find(|t| t.0 == joint_name(glb, node)).map_or(0.0, |t| t.1);
        let own = DQuat::from_axis_angle(axis, angle.to_radians());
        frames.push(parent[node].map_or((skin.bind[node], own), |p: usize| {
            let (place, turn) = frames[p];
            (place + turn * (skin.bind[node] - skin.bind[p]), turn * own)
        }));
    }
    frames
}

/// The triangles of the left arm from the shoulder's width outwards.
fn left_arm(skin: &Skin) -> Vec<[usize; 3]> {
    skin.triangles.iter().copied().filter(|t| t.iter().all(|&v| skin.rest[v].x > 0.25)).collect()
}

#[test]
fn a_twisted_forearm_keeps_its_girth() {
    let glb = parse(&shipped());
    let skin = Skin::new(&glb);
    let (elbow, wrist) = (bind_place(&glb, &skin, "forearm_l"), bind_place(&glb, &skin, "hand_l"));
    let axis = (wrist - elbow).normalize_or_zero();
    // Shared among the joints as the poses share it.
    let shares = [("forearm_l", 24.0), ("forearm_twist_l", 48.0), ("hand_l", 48.0)];
    let twisted = skin.posed(&turned(&glb, &skin, axis, &shares));
    let arm = left_arm(&skin);
    for step in 0..=16 {
        let at = elbow.lerp(wrist, 0.1 + 0.05 * f64::from(step));
        let kept = section(&twisted, &arm, at, axis) / section(&skin.rest, &arm, at, axis);
        // Less than four fifths of the area looks like a wrung sweet wrapper.
        assert!(kept > 0.8, "{kept} of the area is left at step {step}");
    }
}

#[test]
fn bent_elbows_and_knees_keep_nine_tenths_of_their_volume() {
    let glb = parse(&shipped());
    let skin = Skin::new(&glb);
    let place = |joint: &str| bind_place(&glb, &skin, joint);
    let leg: Vec<[usize; 3]> = skin
        .triangles
        .iter()
        .copied()
        .filter(|t| t.iter().all(|&v| skin.rest[v].x > 0.0 && skin.rest[v].y < 0.7))
        .collect();
    // The piece that a bend deforms is some four radii long.
    let elbow = (["elbow_1_l", "elbow_2_l", "elbow_3_l", "forearm_l"], "upper_arm_l", left_arm(&skin), 0.12);
    let knee = (["knee_1_l", "knee_2_l", "knee_3_l", "shin_l"], "thigh_l", leg, 0.16);
    for (hinges, root, part, length) in [elbow, knee] {
        let middle = place(hinges[0]).lerp(place(hinges[3]), 0.5);
        let along = (middle - place(root)).normalize_or_zero();
        let across = along.cross(DVec3::Z).normalize_or_zero();
        let way = if root == "thigh_l" { -1.0 } else { 1.0 };
        let frames = turned(&glb, &skin, across, &hinges.map(|hinge| (hinge, way * 130.0 / 4.0)));
        let bent = skin.posed(&frames);
        // Only the joint changes shape, so what the whole body loses the joint loses.
        let piece = section(&skin.rest, &part, middle, along) * length;
        let change = (volume(&bent, &skin.triangles) - volume(&skin.rest, &skin.triangles)) / piece;
        assert!(change.abs() < 0.1, "{root}: the joint changes by {change} of its volume");
    }
}
