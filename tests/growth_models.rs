//! Growth in characters that others made: what must hold of each.

mod common;
mod growth_twin;

use common::{gpu, shaders, shared};
use dryad::character::animate::{Poser, rest_pose};
use dryad::character::cpu_skin::skin;
use dryad::character::load::{self, Progress};
use dryad::character::winding::TriangleTree;
use dryad::character::{Character, SkinnedSurface};
use dryad::sim::growth::GrowthParams;
use dryad::sim::growth::rule::ripening;
use glam::Vec3;
use growth_twin::bodies::{Body, DT, assert_sound, draw, grow, make_plan, tick};

/// Coarser than the defaults by three, at the same proportions: a third of the depth, a thirtieth of the nodes.
fn sparse() -> GrowthParams {
    GrowthParams { spacing: 0.04, influence: 0.14, growth: 0.042, kill: 0.029, ..GrowthParams::default() }
}

/// The most nodes looked at in a pose, and poses of a clip.
const LOOKED_AT: usize = 300;
const POSES: usize = 2;
/// The most clips looked at, evenly spread over all.
const CLIPS: usize = 12;

fn check(character: Character, name: &str) {
    let Character { data, rest, .. } = character;
    let surface = SkinnedSurface::new(gpu(), shaders(), &data).expect("it builds");
    let body = Body { data, rest, surface };
    let params = sparse();
    let plan = make_plan(&body, &params, 1);
    let mut growth = grow(&body, &plan, &params);
    assert_sound(&growth, &plan, &params);
    for _ in 0..ripening(&params, DT)[0] {
        tick(&mut growth, &body, &params);
    }
    let report = growth.report(gpu(), &body.rest, &body.data.indices).expect("installed");
    println!("{name}: {report:?}");
    assert!(report.finished_tick.is_some() && !report.pool_full, "{name}");
    assert_eq!((report.duplicate_nodes, report.attractors_alive), (0, 0), "{name}");
    assert!(report.nodes_inside_fraction >= 0.99, "{name}: {}", report.nodes_inside_fraction);
    // At these proportions the original gives 0.78 to 0.81 nodes an attractor; small parts have fewer to share.
    let each = f64::from(report.nodes) / f64::from(report.attractors);
    assert!((0.6..1.0).contains(&each), "{name}: {each} nodes an attractor");
    // They hide behind the rims of voxels, which at this spacing are as wide as the Robot's plates are thick.
    assert!(report.attractors_unreachable * 10 <= report.attractors, "{name}: {report:?}");

    // Those well inside at rest, not in the mouth of a hole, where inside and outside are a matter of words.
    let at_rest = TriangleTree::new(&body.rest.positions, &body.data.indices);
    let nodes = growth.read_nodes(gpu());
    let inside: Vec<usize> = (0..nodes.len())
        .step_by(nodes.len() / LOOKED_AT + 1)
        .filter(|&id| at_rest.winding(plan.lattice.to_world(nodes[id].position)).abs() > 0.75)
        .collect();
    assert!(
        inside.len() * 10 > LOOKED_AT.min(nodes.len()) * 4,
        "{name}: {} of {}",
        inside.len(),
        nodes.len()
    );
    let ticks = f64::from(growth.ticks());
    let mut poser = Poser::new(&body.data);
    let clips = body.data.clips.len();
    for clip in (0..clips).step_by(clips.div_ceil(CLIPS).max(1)) {
        for k in 0..POSES {
            let part = (k as f64 + 0.5) / POSES as f64;
            let pose = poser.pose(&body.data, Some(clip), part * body.data.clips[clip].duration_secs);
            let posed = TriangleTree::new(&skin(&body.data, pose).positions, &body.data.indices);
            body.surface.set_pose(gpu(), pose);
            let branches = draw(&mut growth, &body, ticks, &params);
            for &id in &inside {
                let position = Vec3::from(branches[id].position).as_dvec3();
                let off =
                    if posed.contains(position) { 0.0 } else { posed.distance(position).expect("triangles") };
                assert!(
                    off <= 0.02 * f64::from(body.rest.extent),
                    "{name}: node {id} is {off} m off in clip {clip} at {part}"
                );
            }
        }
    }
    body.surface.set_pose(gpu(), &rest_pose(&body.data));
}

#[test]
fn branches_fill_the_figure_and_stay_in_it() {
    let bytes = include_bytes!("../assets/dancer.glb");
    let data = load::load_bytes(bytes, "dancer", &Progress::new()).expect("it loads");
    check(Character::new(data), "dancer");
}

#[test]
fn branches_fill_strangers_characters_and_stay_in_them() {
    let Some(folder) = shared("models/characters") else { return };
    for name in ["CesiumMan", "Fox", "KayKit_Knight", "KayKit_Mage", "RiggedFigure", "Robot"] {
        let path = folder.join(format!("{name}.glb"));
        let data = load::load(&path, &Progress::new()).expect("it loads");
        check(Character::new(data), name);
    }
}

/// At the program's own spacing. Coarser, a hand is thinner than two cells and holds a node or two whatever grows.
#[test]
fn branches_reach_into_hands_and_feet() {
    let bytes = include_bytes!("../assets/dancer.glb");
    let data = load::load_bytes(bytes, "dancer", &Progress::new()).expect("it loads");
    let Character { data, rest, .. } = Character::new(data);
    let surface = SkinnedSurface::new(gpu(), shaders(), &data).expect("it builds");
    let body = Body { data, rest, surface };
    let params = GrowthParams::default();
    let plan = make_plan(&body, &params, 1);
    let growth = grow(&body, &plan, &params);
    // Left and right hand beyond the wrist, left and right foot below the ankle; metres at rest.
    let parts: [fn(Vec3) -> bool; 4] = [
        |p| p.x > 0.64 && p.y > 0.8,
        |p| p.x < -0.64 && p.y > 0.8,
        |p| p.x > 0.0 && p.y < 0.085,
        |p| p.x < 0.0 && p.y < 0.085,
    ];
    let count = |places: Vec<Vec3>| parts.map(|part| places.iter().filter(|p| part(**p)).count());
    let points = count(plan.attractors.iter().map(|&a| plan.lattice.to_world(a).as_vec3()).collect());
    let nodes =
        count(growth.read_nodes(gpu()).iter().map(|n| plan.lattice.to_world(n.position).as_vec3()).collect());
    println!("points {points:?}, nodes {nodes:?}");
    for (k, part) in ["left hand", "right hand", "left foot", "right foot"].into_iter().enumerate() {
        // A hand has room for some forty cells of 13 cubic centimetres, a foot for ninety; how they lie moves that by
        // a third. A branch takes more than a point with each step, not more than two.
        let least = if k < 2 { 25 } else { 60 };
        assert!(points[k] >= least, "{part}: {points:?} points");
        assert!(2 * nodes[k] >= points[k], "{part}: {nodes:?} nodes for {points:?} points");
    }
}
