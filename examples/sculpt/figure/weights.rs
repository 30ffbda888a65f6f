//! Skin weights by heat: every point is warmed by its nearest bone and shares its warmth along the surface
//! (after Baran and Popović, "Automatic rigging and animation of 3D characters", 2007), then some smoothing; elbows and
//! knees share theirs by the place along the limb.

use super::bend::{bends, let_go};
use super::landmarks::{HIP, SHOULDER};
use super::maths::smoothstep;
use super::remesh::Mesh;
use super::rig::{HIP_HALF, HIPS, Joint, LEGS, THIGH};
use glam::DVec3;

/// Up to four joints of a point and how much each counts; the counts sum to exactly one.
pub type Influence = ([u8; 4], [f32; 4]);

/// Relaxation sweeps; the warmth reaches about a limb's radius, some ten edges.
const SWEEPS: usize = 90;
/// Laplacian sweeps after that: the first few everywhere, the others only where skin must give.
const SMOOTHING: usize = 1800;
const SMOOTHING_EVERYWHERE: usize = 5;
/// The sweep of smoothing before which the half joints of the hips get their part; the others round its corners off.
const SHARED_AFTER: usize = 1640;
/// Laplacian sweeps between two trims to four joints a point.
const TRIM_EVERY: usize = 10;
/// How strongly bones warm the skin; larger gives sharper borders.
const HEAT: f64 = 0.8;

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

/// Weights for every point of the mesh.
pub fn heat(mesh: &Mesh, joints: &[Joint]) -> Vec<Influence> {
    let count = joints.len();
    let surface = Conduction::new(mesh);
    let nearest: Vec<(usize, f64)> = mesh.points.iter().map(|&p| nearest_joint(p, joints)).collect();
    let give: Vec<f64> = mesh.points.iter().map(|&p| softness(p)).collect();
    let mut warmth = vec![0.0; mesh.points.len() * count];
    for (v, &(joint, _)) in nearest.iter().enumerate() {
        warmth[v * count + joint] = 1.0;
    }
    let mut sum = vec![0.0; count];
    for sweep in 0..SWEEPS + SMOOTHING {
        if sweep == SWEEPS + SHARED_AFTER {
            warmth.chunks_mut(count).for_each(share_hips);
        }
        // Trimmed now and then on the way, the rows settle where four joints are enough: the last trim changes little.
        if sweep > SWEEPS && sweep % TRIM_EVERY == 0 {
            warmth.chunks_mut(count).for_each(trim);
        }
        for (v, ring) in surface.links.iter().enumerate() {
            // How far the value goes towards the balance of its surroundings, and the bone's part in that.
            let (share, source) = if sweep < SWEEPS {
                let (_, distance) = nearest[v];
                (1.0, HEAT / (distance * distance) * surface.area[v])
            } else if sweep < SWEEPS + SMOOTHING_EVERYWHERE {
                (0.5, 0.0)
            } else {
                (give[v], 0.0)
            };
            if share == 0.0 {
                continue;
            }
            sum.fill(0.0);
            for &(w, conductance) in ring {
                let row = &warmth[w as usize * count..(w as usize + 1) * count];
                for (s, x) in sum.iter_mut().zip(row) {
                    *s += x * conductance;
                }
            }
            sum[nearest[v].0] += source;
            let total = surface.total[v] + source;
            let row = &mut warmth[v * count..(v + 1) * count];
            for (x, s) in row.iter_mut().zip(&sum) {
                *x += (s / total - *x) * share;
            }
        }
    }
    let bends = bends(joints);
    for (&p, row) in mesh.points.iter().zip(warmth.chunks_mut(count)) {
        let_go(p, row);
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

/// How far a sweep goes where skin must give: all the way in the crotch, half the way in other deep folds, nowhere
/// away from them.
fn softness(p: DVec3) -> f64 {
    let q = DVec3::new(p.x.abs(), p.y, p.z);
    let near = |centre: DVec3, reach: f64| smoothstep(reach, reach * 0.4, (q - centre).length());
    let armpit = near(SHOULDER + DVec3::new(-0.012, -0.085, 0.01), 0.26);
    let flank = near(DVec3::new(0.13, 1.18, -0.02), 0.24);
    let groin = near(DVec3::new(0.0, 0.800, 0.0), 0.32);
    let hip = near(HIP + DVec3::new(0.02, -0.05, 0.03), 0.26);
    let crotch = near(DVec3::new(0.0, 0.772, 0.03), 0.15);
    (0.5 * flank.max(groin).max(hip)).max(0.4 * armpit).max(crotch)
}
