//! Skin weights by heat: every point is warmed by its nearest bone and shares its warmth along the surface
//! (after Baran and Popović, "Automatic rigging and animation of 3D characters", 2007), then warmth spreads where skin must
//! give; trunk, elbows and knees share theirs by
//! the place along them. Every reach is in metres, whatever the mesh.

use super::bend::{bends, let_go, share_trunk};
use super::landmarks::{HIP, SHOULDER, WRIST};
use super::maths::smoothstep;
use super::remesh::Mesh;
use super::rig::{HIP_HALF, HIPS, Joint, LEGS, SPINE, THIGH};
use glam::DVec3;

/// Up to four joints of a point and how much each counts; the counts sum to exactly one.
pub type Influence = ([u8; 4], [f32; 4]);

/// How strongly bones warm the skin; larger gives sharper borders.
const HEAT: f64 = 0.8;
/// Square metres over which warmth spreads at first, everywhere: a few millimetres each way.
const EVERYWHERE: f64 = 6e-5;
/// Then it spreads where skin must give, in so many steps with a trim to four joints a point after each.
const STEPS: usize = 90;
/// The step before which the half joints of the hips get their part; what follows rounds its corners off.
const SHARED_BEFORE: usize = 82;
/// Over-relaxation of a solution, and the largest change at which it has settled: under a part in 65,536.
const OVER: f64 = 1.8;
const SETTLED: f64 = 2e-6;
/// Sweeps that no solution here needs.
const MOST_SWEEPS: usize = 1000;

fn to_segment(p: DVec3, (a, b): (DVec3, DVec3)) -> f64 {
    let ab = b - a;
    let t = ((p - a).dot(ab) / ab.dot(ab).max(1e-12)).clamp(0.0, 1.0);
    (p - a - ab * t).length()
}

/// The joint with the bone nearest to `p`, and how near that is.
fn nearest_joint(p: DVec3, joints: &[Joint]) -> (usize, f64) {
    let mut best = (0, f64::MAX);
    for (j, joint) in joints.iter().enumerate() {
        for &bone in joint.bones.iter().filter(|(a, b)| a != b) {
            let d = to_segment(p, bone);
            if d < best.1 {
                best = (j, d);
            }
        }
    }
    best
}

/// The surface as heat sees it: neighbours with cotangent weights, so that the result follows the shape and not the
/// triangles, and the area of every point's cell.
struct Conduction {
    links: Vec<Vec<(u32, f64)>>,
    total: Vec<f64>,
    area: Vec<f64>,
}

impl Conduction {
    fn new(mesh: &Mesh) -> Self {
        let count = mesh.points.len();
        let mut links: Vec<Vec<(u32, f64)>> =
            (0..count as u32).map(|v| mesh.neighbours(v).into_iter().map(|w| (w, 0.0)).collect()).collect();
        let mut area = vec![0.0; count];
        for face in &mesh.faces {
            let [a, b, c] = face.map(|v| mesh.points[v as usize]);
            let doubled = (b - a).cross(c - a).length().max(1e-12);
            for k in 0..3 {
                let (apex, from, to) = (face[k], face[(k + 1) % 3], face[(k + 2) % 3]);
                let p = mesh.points[apex as usize];
                let cotangent = (mesh.points[from as usize] - p).dot(mesh.points[to as usize] - p) / doubled;
                for (v, other) in [(from, to), (to, from)] {
                    for link in &mut links[v as usize] {
                        if link.0 == other {
                            link.1 += cotangent * 0.5;
                        }
                    }
                }
                area[apex as usize] += doubled / 6.0;
            }
        }
        // A wide angle would conduct backwards; a floor keeps every value a mean of its neighbours.
        for link in links.iter_mut().flatten() {
            link.1 = link.1.max(0.02);
        }
        let total = links.iter().map(|ring| ring.iter().map(|l| l.1).sum()).collect();
        Self { links, total, area }
    }
}

impl Conduction {
    /// Lets the rows of warmth settle where every point is held to what it has: with `held` h, old row r and fresh row x,
    /// h (x - r) is what its neighbours conduct to it. An `area` over a time in square metres makes it that time's
    /// diffusion, taken in one implicit step. Successive over-relaxation in the order of the points.
    fn settle(&self, held: &[f64], warmth: &mut [f64], count: usize) {
        let old = warmth.to_vec();
        let mut sum = vec![0.0; count];
        for _ in 0..MOST_SWEEPS {
            let mut change = 0.0f64;
            for (v, ring) in self.links.iter().enumerate().filter(|(v, _)| held[*v] < f64::MAX) {
                for (s, x) in sum.iter_mut().zip(&old[v * count..]) {
                    *s = x * held[v];
                }
                for &(w, conductance) in ring {
                    let row = &warmth[w as usize * count..];
                    for (s, x) in sum.iter_mut().zip(row) {
                        *s += x * conductance;
                    }
                }
                let share = OVER / (self.total[v] + held[v]);
                for (x, s) in warmth[v * count..].iter_mut().zip(&sum) {
                    let step = s * share - *x * OVER;
                    *x += step;
                    change = change.max(step.abs());
                }
            }
            if change < SETTLED {
                break;
            }
        }
        // Over-relaxed, a nought may end a hair below.
        warmth.iter_mut().for_each(|x| *x = x.max(0.0));
    }
}

/// Weights for every point of the mesh.
pub fn heat(mesh: &Mesh, joints: &[Joint]) -> Vec<Influence> {
    let count = joints.len();
    let surface = Conduction::new(mesh);
    let mut warmth = vec![0.0; mesh.points.len() * count];
    let mut held = Vec::new();
    for (v, &p) in mesh.points.iter().enumerate() {
        let (joint, distance) = nearest_joint(p, joints);
        // The trunk warms as one; the height shares that among its joints in the end.
        warmth[v * count + if SPINE.contains(&joint) { HIPS } else { joint }] = 1.0;
        held.push(HEAT / (distance * distance) * surface.area[v]);
    }
    surface.settle(&held, &mut warmth, count);
    let held: Vec<f64> = surface.area.iter().map(|area| area / EVERYWHERE).collect();
    surface.settle(&held, &mut warmth, count);
    let held_for = |(&p, area): (&DVec3, &f64)| match give(p) / STEPS as f64 {
        0.0 => f64::MAX,
        time => area / time,
    };
    let held: Vec<f64> = mesh.points.iter().zip(&surface.area).map(held_for).collect();
    for step in 0..STEPS {
        if step == SHARED_BEFORE {
            warmth.chunks_mut(count).for_each(share_hips);
        }
        surface.settle(&held, &mut warmth, count);
        // Trimmed on the way, the rows settle where four joints are enough: the last trim changes little.
        warmth.chunks_mut(count).for_each(trim);
    }
    let bends = bends(joints);
    for (&p, row) in mesh.points.iter().zip(warmth.chunks_mut(count)) {
        let_go(p, row);
        share_trunk(joints, p, row);
        bends.iter().for_each(|bend| bend.share(p, row));
    }
    warmth.chunks(count).map(strongest).collect()
}

/// Where pelvis and thigh meet, their common part goes to the half joint between them, which turns half as far: skin
/// between two places a quarter turn apart would fall in, between neighbours an eighth apart it does not.
fn share_hips(row: &mut [f64]) {
    let thighs = LEGS.map(|leg| row[leg + THIGH]);
    let total = thighs[0] + thighs[1];
    if total == 0.0 {
        return;
    }
    let pelvis = row[HIPS];
    for (leg, thigh) in LEGS.into_iter().zip(thighs) {
        let common = thigh.min(pelvis * thigh / total);
        row[HIPS] -= common;
        row[leg + THIGH] -= common;
        row[leg + HIP_HALF] += 2.0 * common;
    }
}

/// The joints of a row, strongest first.
fn ranked(row: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|&a, &b| row[b].total_cmp(&row[a]).then(a.cmp(&b)));
    order
}

/// Leaves a row its four strongest. The fifth's weight is taken off each, so that no weight jumps where ranks change.
fn trim(row: &mut [f64]) {
    let order = ranked(row);
    let fifth = row[order[4]];
    let total: f64 = order[..4].iter().map(|&j| row[j] - fifth).sum();
    for &j in &order[..4] {
        row[j] = (row[j] - fifth) / total;
    }
    for &j in &order[4..] {
        row[j] = 0.0;
    }
}

/// The four strongest of a row, in the file's terms.
fn strongest(row: &[f64]) -> Influence {
    let mut row = row.to_vec();
    trim(&mut row);
    let order = ranked(&row);
    // In parts of 65,536: sums of such numbers are exact in f32.
    let mut parts: [f64; 4] = std::array::from_fn(|k| (row[order[k]] * 65536.0).floor());
    for part in &mut parts[1..] {
        if *part < 64.0 {
            *part = 0.0;
        }
    }
    parts[0] = 65536.0 - parts[1] - parts[2] - parts[3];
    let names = std::array::from_fn(|k| if parts[k] > 0.0 { order[k] as u8 } else { 0 });
    (names, parts.map(|p| (p / 65536.0) as f32))
}

/// Over how many square metres warmth spreads where skin must give: most in the crotch, much in other deep folds, little
/// at the wrist, not at all away from them.
fn give(p: DVec3) -> f64 {
    let q = DVec3::new(p.x.abs(), p.y, p.z);
    let near = |centre: DVec3, reach: f64| smoothstep(reach, reach * 0.4, (q - centre).length());
    let armpit = near(SHOULDER + DVec3::new(-0.012, -0.085, 0.01), 0.26);
    let groin = near(DVec3::new(0.0, 0.800, 0.0), 0.26);
    let hip = near(HIP + DVec3::new(0.02, -0.06, 0.03), 0.22);
    let crotch = near(DVec3::new(0.0, 0.772, 0.03), 0.15);
    let wrist = near(WRIST, 0.070);
    [0.022 * groin.max(hip), 0.018 * armpit, 0.044 * crotch, 0.0004 * wrist].into_iter().fold(0.0, f64::max)
}
