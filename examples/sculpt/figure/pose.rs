//! From a dancer's terms (weight, bends, reaches, steps) to joint rotations: legs by inverse kinematics from planted feet,
//! arms by direction, hips where the body balances over its support.

use super::landmarks::{ANKLE, BALL, ELBOW, SHOULDER, WRIST, hand_frame};
use super::maths::{arc, frame_turn, half, mix, smoothstep, turn, unit, unit_quat};
use super::rig::{
    ARMS, CLAVICLE, ELBOW_LINKS, FOOT, FOREARM, FOREARM_TWIST, HAND, HEAD, HINGES, HIP_HALF, HIPS, Joint,
    KNEE_LINKS, LEGS, NECK, SHIN, SHOULDER_HALF, SPINE, THIGH, TOES, UPPER_ARM, UPPER_ARM_TWIST,
};
use glam::{DQuat, DVec3};

/// An arm, in degrees. Signs are the same for both sides.
#[derive(Clone, Copy, Default)]
pub struct Arm {
    /// Away from hanging (0) through level (90) to overhead (180).
    pub raise: f64,
    /// The plane of raising: 0 to the side, 90 to the front, negative behind.
    pub swing: f64,
    /// Then swung forward about the line through both shoulders.
    pub fore: f64,
    /// Turn of the upper arm about itself, positive turning the inner elbow upwards.
    pub turn: f64,
    /// Bend of the elbow.
    pub bend: f64,
    /// Turn of the forearm about itself, positive thumb outwards.
    pub roll: f64,
    /// Bend of the wrist towards the palm, and towards the thumb.
    pub wrist: f64,
    pub tilt: f64,
}

/// A foot: where its ball stands and how. Metres and degrees; x is outwards for both sides.
#[derive(Clone, Copy, Default)]
pub struct Leg {
    pub x: f64,
    pub z: f64,
    pub lift: f64,
    /// Toes turned out.
    pub out: f64,
    /// Heel raised about the ball.
    pub heel: f64,
    /// Toes pointed with the foot (1) or flat on the floor (0).
    pub point: f64,
    /// Knee turned out from the foot's line.
    pub knee: f64,
}

/// The whole body, sides left then right. Degrees and metres; bends are of the whole spine.
#[derive(Clone, Copy, Default)]
pub struct Stance {
    /// Share of the weight on the left foot, 0 to 1.
    pub weight: f64,
    /// How far the hips sink below standing, metres.
    pub sink: f64,
    /// Pelvis: forward, turn to the left, lean to the left.
    pub hips: [f64; 3],
    /// Spine: forward, turn to the left, bend to the left.
    pub spine: [f64; 3],
    /// Neck and head together, the same three.
    pub head: [f64; 3],
    /// The ribs: 1 breathed in, -1 out.
    pub breath: f64,
    /// 0 balances front to back over the feet, 1 is carried along by its own way forward.
    pub carried: f64,
    /// Turn of everything about the left foot's ball.
    pub pivot: f64,
    pub arms: [Arm; 2],
    pub legs: [Leg; 2],
}

/// Local rotations of all joints and the hips' place.
pub struct Posed {
    pub hips: DVec3,
    pub rotation: Vec<DQuat>,
}

fn mirrored(q: DQuat) -> DQuat {
    DQuat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

fn flip(p: DVec3, side: usize) -> DVec3 {
    if side == 1 { DVec3::new(-p.x, p.y, p.z) } else { p }
}

/// Forward, turn and side bend: the side bend first, the turn last.
fn bends([forward, turned, side]: [f64; 3], share: f64) -> DQuat {
    turn(DVec3::Y, turned * share) * turn(DVec3::X, forward * share) * turn(DVec3::Z, -side * share)
}

/// Poses the skeleton.
pub fn pose(joints: &[Joint], stance: &Stance) -> Posed {
    let mut rotation = vec![DQuat::IDENTITY; joints.len()];
    let pelvis = bends(stance.hips, 1.0);
    rotation[HIPS] = pelvis;
    for (k, joint) in SPINE.into_iter().enumerate() {
        rotation[joint] = bends(stance.spine, [0.355, 0.37, 0.275][k]);
    }
    rotation[SPINE[2]] *= turn(DVec3::X, -2.2 * stance.breath);
    rotation[SPINE[1]] *= turn(DVec3::X, 1.2 * stance.breath);
    rotation[NECK] = bends(stance.head, 0.45);
    rotation[HEAD] = bends(stance.head, 0.55);
    for side in 0..2 {
        pose_arm(&mut rotation, side, &stance.arms[side], stance.breath);
    }

    // The hips go where the centre of mass stands over the support.
    let feet = [0, 1].map(|side| Foot::new(side, &stance.legs[side]));
    let support = feet[1].support + (feet[0].support - feet[1].support) * stance.weight;
    let mut hips = joints[HIPS].place + DVec3::new(0.0, -stance.sink, 0.0);
    for _ in 0..5 {
        hips.y = reachable(joints, hips, pelvis, &feet, joints[HIPS].place.y - stance.sink);
        for (side, foot) in feet.iter().enumerate() {
            pose_leg(joints, &mut rotation, side, hips, pelvis, foot);
        }
        let off = centre_of_mass(joints, hips, &rotation) - support;
        hips -= DVec3::new(off.x, 0.0, off.z * (1.0 - stance.carried));
    }
    hips.y = reachable(joints, hips, pelvis, &feet, joints[HIPS].place.y - stance.sink);
    for (side, foot) in feet.iter().enumerate() {
        pose_leg(joints, &mut rotation, side, hips, pelvis, foot);
    }

    let pivot = turn(DVec3::Y, stance.pivot);
    let about = DVec3::new(feet[0].ball.x, 0.0, feet[0].ball.z);
    rotation[HIPS] = pivot * rotation[HIPS];
    Posed { hips: about + pivot * (hips - about), rotation }
}

fn pose_arm(rotation: &mut [DQuat], side: usize, arm: &Arm, breath: f64) {
    let upper = unit(ELBOW - SHOULDER);
    let lower = unit(WRIST - ELBOW);
    let hand = hand_frame();
    let (sin, cos) = super::maths::sin_cos_deg(arm.raise);
    let (front, out) = super::maths::sin_cos_deg(arm.swing);
    let wanted = turn(DVec3::X, -arm.fore) * DVec3::new(sin * out, -cos, sin * front);
    // The collar bone follows a raised or reaching arm.
    let lift = 26.0 * smoothstep(50.0, 175.0, arm.raise) + 1.5 * breath;
    let reach = 14.0 * front * smoothstep(20.0, 90.0, arm.raise);
    let clavicle = turn(DVec3::Y, -reach) * turn(DVec3::Z, lift);
    // From the rest pose first to the level, then on to the wanted direction, so that no arc is near a half turn.
    let level = unit(DVec3::new(1.0, -0.25, 0.45 * front));
    let swing = arc(level, wanted) * arc(upper, level);
    let twist = turn(upper, -arm.turn);
    let shoulder = unit_quat(clavicle.conjugate() * swing * turn(upper, -arm.turn * 0.35));
    let halfway = half(shoulder);
    let hinge = turn(upper.cross(DVec3::Z), arm.bend / HINGES as f64);
    let local = |joint: usize, q: DQuat, rotation: &mut [DQuat]| {
        rotation[ARMS[side] + joint] = if side == 1 { mirrored(q) } else { q };
    };
    local(CLAVICLE, clavicle, rotation);
    local(SHOULDER_HALF, halfway, rotation);
    local(UPPER_ARM, halfway, rotation);
    local(UPPER_ARM_TWIST, turn(upper, -arm.turn * 0.35).conjugate() * twist, rotation);
    for link in ELBOW_LINKS..FOREARM {
        local(link, hinge, rotation);
    }
    local(FOREARM, hinge * turn(lower, -arm.roll * 0.2), rotation);
    local(FOREARM_TWIST, turn(lower, -arm.roll * 0.4), rotation);
    let wrist = turn(hand.palm, arm.tilt) * turn(hand.thumb, -arm.wrist);
    local(HAND, turn(lower, -arm.roll * 0.4) * wrist, rotation);
}

/// A foot's place in the world, its own side's sign undone (as if it were the left).
struct Foot {
    ball: DVec3,
    ankle: DVec3,
    rotation: DQuat,
    toes: DQuat,
    /// The way the knee points.
    pole: DVec3,
    /// Where it carries weight, in the world.
    support: DVec3,
}

impl Foot {
    fn new(side: usize, leg: &Leg) -> Self {
        let ball = DVec3::new(BALL.x + leg.x, BALL.y + leg.lift, BALL.z + leg.z);
        let out = turn(DVec3::Y, leg.out);
        let heel = turn(DVec3::X, leg.heel);
        let rotation = out * heel;
        let ankle = ball + rotation * (ANKLE - BALL);
        let toes = turn(DVec3::X, -leg.heel * (1.0 - leg.point));
        let flat = DVec3::new(ankle.x, 0.0, ankle.z);
        let under = DVec3::new(ball.x, 0.0, ball.z);
        let on_ball = mix(0.5, 1.0, smoothstep(0.0, 30.0, leg.heel));
        Self {
            ball: flip(ball, side),
            ankle,
            rotation,
            toes,
            // A raised heel takes the knee's front down with it, as far as behind a leg that is lifted back.
            pole: turn(DVec3::Y, leg.out + leg.knee) * turn(DVec3::X, leg.heel.max(0.0) * 0.5) * DVec3::Z,
            support: flip(flat + (under - flat) * on_ball, side),
        }
    }
}

/// The leg's links at rest, left side: thigh, the links of the knee, shin.
fn leg_links(joints: &[Joint]) -> [DVec3; HINGES + 1] {
    let place = |k: usize| joints[LEGS[0] + k].place;
    std::array::from_fn(|k| place(THIGH + k + 1) - place(THIGH + k))
}

/// The height of the hips, lowered where a leg would not reach its foot; rounded so that knees do not snap.
fn reachable(joints: &[Joint], hips: DVec3, pelvis: DQuat, feet: &[Foot; 2], wanted: f64) -> f64 {
    let most = leg_links(joints).map(DVec3::length).iter().sum::<f64>() * 0.9975;
    let mut height = wanted;
    for (side, foot) in feet.iter().enumerate() {
        let socket = pelvis * flip(joints[LEGS[0]].place - joints[HIPS].place, side);
        let ankle = flip(foot.ankle, side);
        let (dx, dz) = (hips.x + socket.x - ankle.x, hips.z + socket.z - ankle.z);
        let top = ankle.y + (most * most - dx * dx - dz * dz).max(0.01).sqrt() - socket.y;
        height = super::volume::blend(height, top, 0.02);
    }
    height
}

/// Where a chain ends whose every link turns from the one before by the angle with this cosine and sine: along the first
/// link, and aside of it to the other side than the turn.
fn chain_end(lengths: &[f64], (cos, sin): (f64, f64)) -> (f64, f64) {
    let (mut x, mut y, mut way) = (0.0, 0.0, (1.0, 0.0));
    for length in lengths {
        (x, y) = (x + length * way.0, y + length * way.1);
        way = (way.0 * cos - way.1 * sin, way.1 * cos + way.0 * sin);
    }
    (x, y)
}

/// Cosine and sine of the turn at every hinge that sets the ends of a chain so far apart. They come nearer the more it
/// turns, up to 42 degrees a hinge, more than any knee does: halving finds the place.
fn hinge_turn(lengths: &[f64], apart: f64) -> (f64, f64) {
    let with_sine = |cos: f64| (cos, (1.0 - cos * cos).sqrt());
    let (mut low, mut high) = (0.743, 1.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        let (x, y) = chain_end(lengths, with_sine(middle));
        if x * x + y * y < apart * apart {
            low = middle;
        } else {
            high = middle;
        }
    }
    with_sine(0.5 * (low + high))
}

/// Solves one leg: hip to ankle with the hinges of the knee, in the plane of the pole.
fn pose_leg(joints: &[Joint], rotation: &mut [DQuat], side: usize, hips: DVec3, pelvis: DQuat, foot: &Foot) {
    let links = leg_links(joints);
    let lengths = links.map(DVec3::length);
    // Everything as if on the left.
    let pelvis = if side == 1 { mirrored(pelvis) } else { pelvis };
    let socket = flip(hips, side) + pelvis * (joints[LEGS[0]].place - joints[HIPS].place);
    let span = foot.ankle - socket;
    let way = unit(span);
    let pole = unit(foot.pole - way * foot.pole.dot(way));
    let (cos, sin) = hinge_turn(&lengths, span.length());
    // The thigh leans towards the pole by as much as the chain's end lies aside of it; then every link turns back.
    let (x, y) = chain_end(&lengths, (cos, sin));
    let r = (x * x + y * y).sqrt();
    let mut lean = (x / r, y / r);
    // Across the bending plane: kept by all links.
    let across = pole.cross(way);
    let rest_across = DVec3::Z.cross(-DVec3::Y);
    let world = links.map(|link| {
        let towards = way * lean.0 + pole * lean.1;
        lean = (lean.0 * cos + lean.1 * sin, lean.1 * cos - lean.0 * sin);
        frame_turn((unit(link), rest_across), (towards, across))
    });
    let mut local = |joint: usize, q: DQuat| {
        let q = unit_quat(q);
        rotation[LEGS[side] + joint] = if side == 1 { mirrored(q) } else { q };
    };
    let halfway = half(unit_quat(pelvis.conjugate() * world[0]));
    local(HIP_HALF, halfway);
    local(THIGH, halfway);
    for k in 0..HINGES {
        local(KNEE_LINKS + k, world[k].conjugate() * world[k + 1]);
    }
    local(FOOT, world[HINGES].conjugate() * foot.rotation);
    local(TOES, foot.toes);
}

/// World positions of the joints.
pub fn places(joints: &[Joint], hips: DVec3, rotation: &[DQuat]) -> Vec<DVec3> {
    let mut world = vec![DQuat::IDENTITY; joints.len()];
    let mut place = vec![DVec3::ZERO; joints.len()];
    for (j, joint) in joints.iter().enumerate() {
        match joint.parent {
            None => {
                place[j] = hips;
                world[j] = rotation[j];
            }
            Some(p) => {
                place[j] = place[p] + world[p] * (joint.place - joints[p].place);
                world[j] = world[p] * rotation[j];
            }
        }
    }
    place
}

/// Centre of mass from the masses of body segments (shares after Winter, "Biomechanics", simplified).
fn centre_of_mass(joints: &[Joint], hips: DVec3, rotation: &[DQuat]) -> DVec3 {
    let p = places(joints, hips, rotation);
    let mut sum = p[HEAD] * 0.08 + p[HIPS] * 0.15 + p[SPINE[1]] * 0.16 + p[SPINE[2]] * 0.11 + p[NECK] * 0.07;
    let mut total = 0.57;
    let mut add = |a: usize, b: usize, share: f64| {
        sum += (p[a] * 0.55 + p[b] * 0.45) * share;
        total += share;
    };
    for side in 0..2 {
        let (arm, leg) = (ARMS[side], LEGS[side]);
        add(arm + UPPER_ARM, arm + ELBOW_LINKS, 0.028);
        add(arm + FOREARM, arm + HAND, 0.024);
        add(leg + THIGH, leg + KNEE_LINKS, 0.105);
        add(leg + SHIN, leg + FOOT, 0.045);
        add(leg + FOOT, leg + TOES, 0.014);
    }
    sum / total
}
