//! Texture coordinates without overlaps: the figure is cut like a garment into front and back panels of trunk, head, arms
//! and legs, and every panel is laid flat by Tutte's embedding: its rim on an ellipse, every inner point at the mean of its
//! neighbours, which never folds (Tutte, 1963).

use super::landmarks::{ANKLE, BALL, ELBOW, HIP, KNEE, SHOULDER, WRIST, hand_frame, mirror};
use super::maths::{mix, sin_cos_deg, smoothstep, unit};
use super::remesh::Mesh;
use super::rig::part;
use super::shape::Shape;
use super::weights::Influence;
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Panels: the panel of every face, and the place of every (point, panel) in the unit square.
pub struct Atlas {
    pub panel: Vec<u32>,
    pub place: BTreeMap<(u32, u32), [f64; 2]>,
}

/// Smaller islands join a neighbour.
const SMALLEST: usize = 60;

/// Whether a point lies on the front of its part: the dividing sheet runs through the bones.
fn in_front(shape: &Shape, p: DVec3, part: usize) -> bool {
    let right = part == 3 || part == 5;
    let p = if right { mirror(p) } else { p };
    match part {
        2 | 3 => {
            let hand = hand_frame();
            let along = (p - ELBOW).dot(unit(WRIST - ELBOW));
            if along > (WRIST - ELBOW).length() - 0.010 {
                return shape.palmward(p) < 0.0;
            }
            let (from, way) =
                if along < 0.0 { (SHOULDER, unit(ELBOW - SHOULDER)) } else { (ELBOW, unit(WRIST - ELBOW)) };
            let off = p - from - way * (p - from).dot(way);
            // The sheet turns along the forearm until it lies in the plane of the hand.
            let turn = smoothstep(0.06, 0.22, along);
            off.dot(DVec3::Z * (1.0 - turn) - hand.palm * turn) > 0.0
        }
        4 | 5 => {
            let (from, to) = if p.y > KNEE.y { (HIP, KNEE) } else { (KNEE, ANKLE) };
            let axis = mix(from.z, to.z, ((from.y - p.y) / (from.y - to.y)).clamp(0.0, 1.0));
            let foot =
                smoothstep(0.12, 0.05, p.y).max(smoothstep(0.03, 0.07, p.z) * smoothstep(0.14, 0.10, p.y));
            let top = p.y - mix(BALL.y, 0.011, smoothstep(0.11, 0.16, p.z));
            mix(p.z - axis, top, foot) > 0.0
        }
        1 => p.z > -0.012,
        _ => p.z > -0.006,
    }
}

/// Cuts the mesh into panels and lays them out.
pub fn unwrap(shape: &Shape, mesh: &Mesh, influences: &[Influence]) -> Atlas {
    let across = face_neighbours(mesh);
    let mut label: Vec<u32> = mesh
        .faces
        .iter()
        .map(|face| {
            // The part that most of the corners' strongest joints name; the first on a tie.
            let parts = face.map(|v| part(influences[v as usize].0[0] as usize));
            let part = if parts[1] == parts[2] { parts[1] } else { parts[0] };
            let centre = face.iter().map(|&v| mesh.points[v as usize]).sum::<DVec3>() / 3.0;
            (part * 2 + usize::from(in_front(shape, centre, part))) as u32
        })
        .collect();
    smooth_borders(&across, &mut label);
    let mut panel = islands(&across, &label);
    absorb_small(&across, &mut panel);
    split_until_discs(mesh, &across, &mut panel);
    join_scraps(mesh, &across, &mut panel);

    let panels = panel.iter().max().map_or(0, |m| m + 1);
    let flats: Vec<Flat> = (0..panels).map(|name| flatten(mesh, &panel, name)).collect();
    let mut place = BTreeMap::new();
    for (name, ([x, y], scale)) in pack(&flats).into_iter().enumerate() {
        for &(v, [u, w]) in &flats[name].points {
            place.insert((v, name as u32), [x + u * scale, y - w * scale]);
        }
    }
    Atlas { panel, place }
}

/// A panel laid flat about its middle, metres, and its half width and half height.
struct Flat {
    points: Vec<(u32, [f64; 2])>,
    half: [f64; 2],
}

/// Sets panels on shelves in the unit square, tallest first, as large as they fit: every panel's middle and the scale.
fn pack(flats: &[Flat]) -> Vec<([f64; 2], f64)> {
    const GAP: f64 = 0.004;
    let mut order: Vec<usize> = (0..flats.len()).collect();
    order.sort_by(|&a, &b| flats[b].half[1].total_cmp(&flats[a].half[1]).then(a.cmp(&b)));
    let mut scale = 2.0;
    loop {
        let mut middles = vec![([0.0, 0.0], scale); flats.len()];
        let (mut x, mut y, mut shelf) = (GAP, GAP, 0.0);
        let mut fits = true;
        for &name in &order {
            let [w, h] = flats[name].half.map(|half| 2.0 * half * scale);
            if x + w + GAP > 1.0 {
                (x, y, shelf) = (GAP, y + shelf + GAP, 0.0);
            }
            fits &= x + w + GAP <= 1.0 && y + h + GAP <= 1.0;
            middles[name].0 = [x + w * 0.5, y + h * 0.5];
            x += w + GAP;
            shelf = h.max(shelf);
        }
        if fits {
            return middles;
        }
        scale *= 0.98;
    }
}

/// The three faces across each face's edges.
fn face_neighbours(mesh: &Mesh) -> Vec<[u32; 3]> {
    mesh.faces
        .iter()
        .enumerate()
        .map(|(f, face)| {
            std::array::from_fn(|k| {
                let sides = mesh.faces_at(face[k], face[(k + 1) % 3]);
                sides.into_iter().find(|&g| g as usize != f).unwrap_or(f as u32)
            })
        })
        .collect()
}

/// A face whose two neighbours agree on another label follows them.
fn smooth_borders(across: &[[u32; 3]], label: &mut [u32]) {
    for _ in 0..8 {
        for f in 0..across.len() {
            let [a, b, c] = across[f].map(|g| label[g as usize]);
            let agreed = if a == b || a == c {
                Some(a)
            } else if b == c {
                Some(b)
            } else {
                None
            };
            if let Some(agreed) = agreed {
                label[f] = agreed;
            }
        }
    }
}

/// Numbers the connected islands of equal labels in the order of their first faces.
fn islands(across: &[[u32; 3]], label: &[u32]) -> Vec<u32> {
    let mut island = vec![u32::MAX; label.len()];
    let mut count = 0;
    for start in 0..label.len() {
        if island[start] != u32::MAX {
            continue;
        }
        island[start] = count;
        let mut open = vec![start];
        while let Some(f) = open.pop() {
            for g in across[f].map(|g| g as usize) {
                if island[g] == u32::MAX && label[g] == label[f] {
                    island[g] = count;
                    open.push(g);
                }
            }
        }
        count += 1;
    }
    island
}

/// How many faces every panel has, smallest first.
fn sizes(panel: &[u32]) -> Vec<(usize, u32)> {
    let mut size = BTreeMap::new();
    for &p in panel {
        *size.entry(p).or_insert(0) += 1;
    }
    let mut sizes: Vec<(usize, u32)> = size.into_iter().map(|(p, n)| (n, p)).collect();
    sizes.sort_unstable();
    sizes
}

/// The panels next to one, those with the longest common border first.
fn beside(across: &[[u32; 3]], panel: &[u32], name: u32) -> Vec<u32> {
    let mut border = BTreeMap::new();
    for (near, _) in across.iter().zip(panel).filter(|(_, p)| **p == name) {
        for other in near.map(|g| panel[g as usize]) {
            if other != name {
                *border.entry(other).or_insert(0) += 1;
            }
        }
    }
    let mut order: Vec<(std::cmp::Reverse<i32>, u32)> =
        border.into_iter().map(|(p, n)| (std::cmp::Reverse(n), p)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, p)| p).collect()
}

fn merged(panel: &[u32], from: u32, into: u32) -> Vec<u32> {
    panel.iter().map(|&p| if p == from { into } else { p }).collect()
}

fn absorb_small(across: &[[u32; 3]], panel: &mut Vec<u32>) {
    while let Some(&(count, small)) = sizes(panel).first() {
        let Some(&into) = beside(across, panel, small).first().filter(|_| count < SMALLEST) else {
            return;
        };
        *panel = islands(across, &merged(panel, small, into));
    }
}

/// Joins what halving has left of small panels to neighbours that stay discs with them.
fn join_scraps(mesh: &Mesh, across: &[[u32; 3]], panel: &mut Vec<u32>) {
    loop {
        let joined =
            sizes(panel).into_iter().take_while(|(count, _)| *count < SMALLEST).find_map(|(_, small)| {
                beside(across, panel, small)
                    .into_iter()
                    .map(|into| (merged(panel, small, into), into))
                    .find(|(fresh, into)| is_disc(mesh, fresh, *into))
            });
        match joined {
            Some((fresh, _)) => *panel = islands(across, &fresh),
            None => return,
        }
    }
}

/// Points of a panel, and its rim edges as from -> to along the faces.
fn rim(mesh: &Mesh, panel: &[u32], name: u32) -> (Vec<u32>, BTreeMap<u32, u32>, bool, i64) {
    let mut edges: BTreeMap<(u32, u32), ()> = BTreeMap::new();
    let mut points = Vec::new();
    let mut faces = 0;
    for (f, face) in mesh.faces.iter().enumerate() {
        if panel[f] != name {
            continue;
        }
        faces += 1;
        points.extend(face);
        for k in 0..3 {
            edges.insert((face[k], face[(k + 1) % 3]), ());
        }
    }
    points.sort_unstable();
    points.dedup();
    let mut next = BTreeMap::new();
    let (mut simple, mut inner) = (true, 0);
    for &(a, b) in edges.keys() {
        if edges.contains_key(&(b, a)) {
            inner += 1;
        } else if next.insert(a, b).is_some() {
            simple = false;
        }
    }
    let euler = points.len() as i64 - (inner / 2 + next.len() as i64) + faces;
    (points, next, simple, euler)
}

/// One rim loop that touches no point twice, and the Euler number of a disc.
fn is_disc(mesh: &Mesh, panel: &[u32], name: u32) -> bool {
    let (_, next, simple, euler) = rim(mesh, panel, name);
    simple && euler == 1 && loop_from(&next).len() == next.len()
}

fn loop_from(next: &BTreeMap<u32, u32>) -> Vec<u32> {
    let Some((&start, _)) = next.iter().next() else {
        return Vec::new();
    };
    let mut ring = vec![start];
    let mut v = next[&start];
    while v != start && ring.len() <= next.len() {
        ring.push(v);
        v = next[&v];
    }
    ring
}

/// Halves every panel that is no disc across its longest extent, until all are.
fn split_until_discs(mesh: &Mesh, across: &[[u32; 3]], panel: &mut Vec<u32>) {
    loop {
        let count = panel.iter().max().map_or(0, |m| m + 1);
        let Some(bad) = (0..count).find(|&name| !is_disc(mesh, panel, name)) else {
            return;
        };
        let centre = |f: usize| mesh.faces[f].iter().map(|&v| mesh.points[v as usize]).sum::<DVec3>() / 3.0;
        let members: Vec<usize> = (0..panel.len()).filter(|&f| panel[f] == bad).collect();
        let (mut low, mut high) = (DVec3::MAX, DVec3::MIN);
        for &f in &members {
            low = low.min(centre(f));
            high = high.max(centre(f));
        }
        let size = high - low;
        let axis = if size.x >= size.y && size.x >= size.z {
            DVec3::X
        } else if size.y >= size.z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let middle = (low + high).dot(axis) * 0.5;
        for &f in &members {
            if centre(f).dot(axis) > middle {
                panel[f] = count;
            }
        }
        *panel = islands(across, panel);
    }
}

/// Half axes, across and up, of an ellipse with about this area and rim; at most three times as high as wide.
fn ellipse(area: f64, around: f64) -> [f64; 2] {
    // Rim^2 is about 2 pi^2 (a^2 + b^2) and the area is pi a b.
    let (squares, product) = (around * around / (2.0 * PI * PI), area / PI);
    let (sum, difference) = ((squares + 2.0 * product).sqrt(), (squares - 2.0 * product).max(0.0).sqrt());
    let aspect = ((sum + difference) / (sum - difference).max(1e-9)).min(3.0);
    let across = (product / aspect).sqrt();
    [across, across * aspect]
}

/// Points on an ellipse, at the top and on counter-clockwise by shares of its rim (ascending, from 0 to below 1).
fn along_rim(half: [f64; 2], shares: &[f64]) -> Vec<[f64; 2]> {
    const STEPS: usize = 1440;
    let at = |degrees: f64| {
        let (sin, cos) = sin_cos_deg(90.0 + degrees);
        [half[0] * cos, half[1] * sin]
    };
    let angle = |step: usize| 360.0 * step as f64 / STEPS as f64;
    let mut gone = vec![0.0];
    for step in 0..STEPS {
        let ([x, y], [u, v]) = (at(angle(step)), at(angle(step + 1)));
        gone.push(gone[step] + ((x - u) * (x - u) + (y - v) * (y - v)).sqrt());
    }
    shares
        .iter()
        .map(|share| {
            let wanted = share * gone[STEPS];
            let step = gone.partition_point(|&g| g <= wanted).clamp(1, STEPS) - 1;
            at(angle(step) + 360.0 / STEPS as f64 * (wanted - gone[step]) / (gone[step + 1] - gone[step]))
        })
        .collect()
}

/// Lays a disc flat: its rim on an ellipse, everything else by Tutte's embedding.
fn flatten(mesh: &Mesh, panel: &[u32], name: u32) -> Flat {
    let (points, next, _, _) = rim(mesh, panel, name);
    let mut ring = loop_from(&next);
    // The rim starts at its highest point, which comes to lie at the top.
    let height = |k: usize| mesh.points[ring[k] as usize].y;
    let top = (0..ring.len()).max_by(|&a, &b| height(a).total_cmp(&height(b)));
    ring.rotate_left(top.unwrap_or(0));
    let step = |k: usize| {
        (mesh.points[ring[(k + 1) % ring.len()] as usize] - mesh.points[ring[k] as usize]).length()
    };
    let around: f64 = (0..ring.len()).map(step).sum();
    let mut gone = 0.0;
    let shares: Vec<f64> = (0..ring.len())
        .map(|k| {
            let share = gone / around;
            gone += step(k);
            share
        })
        .collect();

    let index: BTreeMap<u32, usize> = points.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut links: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    let mut area = 0.0;
    for (face, _) in mesh.faces.iter().zip(panel).filter(|(_, p)| **p == name) {
        let [a, b, c] = face.map(|v| mesh.points[v as usize]);
        area += (b - a).cross(c - a).length() * 0.5;
        for k in 0..3 {
            links[index[&face[k]]].push(index[&face[(k + 1) % 3]]);
        }
    }
    let half = ellipse(area, around);
    let mut place = vec![[0.0, 0.0]; points.len()];
    for (v, at) in ring.iter().zip(along_rim(half, &shares)) {
        place[index[v]] = at;
        // Points of the rim are bound to nothing but the rim.
        links[index[v]].clear();
    }
    relax(&mut place, &links);
    Flat { points: points.into_iter().zip(place).collect(), half }
}

/// Moves every linked point to the mean of its links, by over-relaxed sweeps until nothing moves.
fn relax(place: &mut [[f64; 2]], links: &[Vec<usize>]) {
    for _ in 0..4000 {
        let mut moved: f64 = 0.0;
        for (v, near) in links.iter().enumerate().filter(|(_, near)| !near.is_empty()) {
            let (mut x, mut y) = (0.0, 0.0);
            for &w in near {
                x += place[w][0];
                y += place[w][1];
            }
            let n = near.len() as f64;
            let (dx, dy) = ((x / n - place[v][0]) * 1.9, (y / n - place[v][1]) * 1.9);
            place[v] = [place[v][0] + dx, place[v][1] + dy];
            moved = moved.max(dx.abs()).max(dy.abs());
        }
        if moved < 1e-11 {
            break;
        }
    }
}
