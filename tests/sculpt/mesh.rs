//! The surface at rest: closed, even, dense where it bends, weighted and unwrapped.

use super::glb::{Glb, parse, shipped};
use super::skin::{Skin, bind_place};
use glam::DVec3;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn the_surface_is_one_closed_manifold_without_handles() {
    let glb = parse(&shipped());
    let count = glb.attribute::<3>("POSITION").len();
    assert!((15_000..=25_000).contains(&count), "{count} vertices");
    let (points, triangles) = glb.welded();
    let mut edges = BTreeSet::new();
    let mut around = vec![Vec::new(); points.len()];
    for t in &triangles {
        for k in 0..3 {
            let (a, b, c) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            assert!(a != b, "a triangle has collapsed");
            assert!(edges.insert((a, b)), "edge {a}-{b} is used twice the same way");
            around[a].push((b, c));
        }
    }
    assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "the surface has a hole");
    // One fan a point: following next corners returns after visiting all of them.
    for fan in &around {
        let start = fan[0].0;
        let (mut at, mut steps) = (start, 0);
        loop {
            at = fan.iter().find(|f| f.0 == at).expect("the fan goes on").1;
            steps += 1;
            if at == start || steps > fan.len() {
                break;
            }
        }
        assert_eq!(steps, fan.len(), "two fans meet in one point");
    }
    let euler = points.len() as i64 - (edges.len() / 2) as i64 + triangles.len() as i64;
    assert_eq!(euler, 2, "a sphere has Euler number 2");
    // Outward faces: the enclosed volume is a person's, 0.03 to 0.09 cubic metres, and positive.
    let volume: f64 = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| DVec3::from(points[v].map(f64::from)));
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert!((0.03..0.09).contains(&volume), "volume {volume}");
    let height = points.iter().fold((f32::MAX, f32::MIN), |(l, h), p| (l.min(p[1]), h.max(p[1])));
    // A sole that reaches the ground within a fifth of a millimetre, and a head at a grown person's height.
    assert!(height.0.abs() < 2e-4 && (1.70..1.80).contains(&height.1), "from {} to {}", height.0, height.1);
}

#[test]
fn triangles_are_even() {
    let glb = parse(&shipped());
    let (points, triangles) = glb.welded();
    let mut roundness: Vec<f64> = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| DVec3::from(points[v].map(f64::from)));
            let squares = (b - a).length_squared() + (c - b).length_squared() + (a - c).length_squared();
            (b - a).cross(c - a).length() * 2.0 * 3f64.sqrt() / squares
        })
        .collect();
    roundness.sort_by(f64::total_cmp);
    // 1 is equilateral. Ninety-nine in a hundred are nearly so; the worst, at a hem, is still far from a sliver.
    assert!(roundness[0] > 0.3, "worst {}", roundness[0]);
    assert!(roundness[roundness.len() / 100] > 0.85, "1 %: {}", roundness[roundness.len() / 100]);
}

#[test]
fn the_mesh_is_densest_where_the_body_bends() {
    let glb = parse(&shipped());
    let skin = Skin::new(&glb);
    let bends = ["spine_2", "elbow_2_l", "elbow_2_r", "knee_2_l", "knee_2_r", "neck"];
    let sockets = ["upper_arm_l", "upper_arm_r", "thigh_l", "thigh_r"];
    let named = |joint: &&str| (joint.to_string(), bind_place(&glb, &skin, joint));
    let joints: Vec<(String, DVec3)> = bends.iter().chain(&sockets).map(named).collect();
    // Head, hands and feet are finer still, for their shapes.
    let fine: Vec<DVec3> =
        ["head", "hand_l", "hand_r", "foot_l", "foot_r"].iter().map(|j| bind_place(&glb, &skin, j)).collect();
    let mut near = vec![(0.0, 0.0); joints.len()];
    let mut plain = (0.0, 0.0);
    for t in &skin.triangles {
        for k in 0..3 {
            let (a, b) = (skin.rest[t[k]], skin.rest[t[(k + 1) % 3]]);
            let middle = a.lerp(b, 0.5);
            let add = |sum: &mut (f64, f64)| *sum = (sum.0 + a.distance(b), sum.1 + 1.0);
            for ((_, place), sum) in joints.iter().zip(&mut near) {
                // A trunk's half width reaches the skin of the waist, a thigh's that of the hip.
                if middle.distance(*place) < 0.12 {
                    add(sum);
                }
            }
            if joints.iter().all(|(_, place)| middle.distance(*place) > 0.17)
                && fine.iter().all(|place| middle.distance(*place) > 0.22)
            {
                add(&mut plain);
            }
        }
    }
    let plain = plain.0 / plain.1;
    for ((name, _), (sum, count)) in joints.iter().zip(near) {
        assert!(
            count > 100.0 && sum / count < 0.95 * plain,
            "{name}: {} m, {plain} m elsewhere",
            sum / count
        );
    }
}

#[test]
fn weights_sum_to_exactly_one_and_every_joint_is_used() {
    let glb = parse(&shipped());
    let joints = glb.attribute::<4>("JOINTS_0");
    let weights = glb.attribute::<4>("WEIGHTS_0");
    let mut used = BTreeSet::new();
    for (j, w) in joints.iter().zip(&weights) {
        assert_eq!(w.iter().sum::<f32>(), 1.0);
        for k in 0..4 {
            assert!(w[k] >= 0.0);
            if w[k] > 0.0 {
                assert!(used.insert(j[k] as usize) || used.contains(&(j[k] as usize)));
            } else {
                assert_eq!(j[k], 0.0, "an unused slot names joint 0");
            }
        }
    }
    assert_eq!(used.len(), glb.size("/skins/0/joints"));
}

#[test]
fn node_defaults_are_the_bind_pose() {
    let glb = parse(&shipped());
    let binds = glb.read::<16>(glb.number("/skins/0/inverseBindMatrices"));
    let mut world = vec![[0.0f32; 3]; binds.len()];
    for node in 0..binds.len() {
        assert_eq!(glb.number(&format!("/skins/0/joints/{node}")), node);
        for (c, sum) in [0, 1, 2].into_iter().zip(world[node]) {
            let own = glb.json.pointer(&format!("/nodes/{node}/translation/{c}")).and_then(Value::as_f64);
            world[node][c] = sum + own.expect("a translation") as f32;
        }
        for k in 0..glb.size(&format!("/nodes/{node}/children")) {
            world[glb.number(&format!("/nodes/{node}/children/{k}"))] = world[node];
        }
        let [x, y, z] = world[node].map(|c| -c);
        let want = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0];
        assert_eq!(binds[node], want, "joint {node}");
    }
}

#[test]
fn texture_panels_lie_flat_and_apart() {
    let glb = parse(&shipped());
    let uv = glb.attribute::<2>("TEXCOORD_0");
    // Which of 2,048 by 2,048 sample points each triangle covers; none may be covered twice.
    const SIDE: usize = 2048;
    let mut taken = vec![false; SIDE * SIDE];
    for t in glb.triangles() {
        let [a, b, c] = t.map(|v| uv[v].map(|x| f64::from(x) * SIDE as f64));
        let edge = |p: [f64; 2], q: [f64; 2], x: f64, y: f64| {
            (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
        };
        let area = edge(a, b, c[0], c[1]);
        assert!(area < 0.0, "a triangle is turned over or flat in texture space");
        let span = |k: usize| {
            let low = a[k].min(b[k]).min(c[k]).floor().max(0.0) as usize;
            (low, (a[k].max(b[k]).max(c[k]).ceil() as usize).min(SIDE))
        };
        let ((x0, x1), (y0, y1)) = (span(0), span(1));
        for y in y0..y1 {
            for x in x0..x1 {
                // Off the half by an odd fraction, so that no sample lies on an edge of two triangles.
                let (px, py) = (x as f64 + 0.503_1, y as f64 + 0.497_7);
                if edge(a, b, px, py) < 0.0 && edge(b, c, px, py) < 0.0 && edge(c, a, px, py) < 0.0 {
                    assert!(!std::mem::replace(&mut taken[y * SIDE + x], true), "overlap at {x}, {y}");
                }
            }
        }
    }
    let share = taken.iter().filter(|t| **t).count() as f64 / (SIDE * SIDE) as f64;
    assert!(share > 0.4, "{share} of the square is used");
    let sizes = panels(&glb, &uv);
    // The smallest is a piece of the ankle; a scrap of a few triangles would be left over from cutting.
    assert!(sizes.iter().all(|&n| n >= 100), "panels of {sizes:?} triangles");
}

/// Triangles of every panel: pieces joined by corners in the same place of body and square.
fn panels(glb: &Glb, uv: &[[f32; 2]]) -> Vec<usize> {
    let mut seen = BTreeMap::new();
    let corner: Vec<usize> = glb
        .attribute::<3>("POSITION")
        .iter()
        .zip(uv)
        .map(|(p, q)| {
            let fresh = seen.len();
            *seen.entry((p.map(f32::to_bits), q.map(f32::to_bits))).or_insert(fresh)
        })
        .collect();
    let mut leader: Vec<usize> = (0..seen.len()).collect();
    fn find(leader: &mut [usize], mut v: usize) -> usize {
        while leader[v] != v {
            leader[v] = leader[leader[v]];
            v = leader[v];
        }
        v
    }
    let triangles = glb.triangles();
    for t in &triangles {
        let [a, b, c] = t.map(|v| find(&mut leader, corner[v]));
        leader[b] = a;
        let c = find(&mut leader, c);
        leader[c] = a;
    }
    let mut size = BTreeMap::new();
    for t in &triangles {
        *size.entry(find(&mut leader, corner[t[0]])).or_insert(0) += 1;
    }
    size.into_values().collect()
}
