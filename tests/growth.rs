//! Growth on the GPU against its twin, and what must hold of any growth.

mod common;
mod growth_twin;

use common::{gpu, shaders};
use dryad::sim::growth::rule::Rule;
use dryad::sim::growth::state::{DEAD, FREE};
use dryad::sim::growth::{Growth, GrowthParams};
use glam::{IVec3, Vec3};
use growth_twin::bodies::{
    Body, assert_equals_twin, assert_sound, ball, body, coarse, ellipsoid, grow, install, limbs, make_plan,
    plan_of, tick, together,
};

#[test]
fn a_ball_equals_its_twin_on_three_seeds() {
    let body = body(ball());
    for (seed, body_aware) in [(1, false), (2, true), (7, false), (7, true)] {
        // Nodes of equal mass ripen together, so that more candidates meet.
        let mass_min = if seed == 2 { 1.0 } else { 0.25 };
        let params = GrowthParams { body_aware, mass_min, roots: 3 * seed, ..coarse() };
        let plan = make_plan(&body, &params, seed);
        assert!(plan.attractors.len() > 1000, "{} attractors", plan.attractors.len());
        let growth = grow(&body, &plan, &params);
        assert_sound(&growth, &plan, &params);
        assert_equals_twin(&growth, &plan, &params);
        let report = growth.report(gpu(), &body.rest, &body.data.indices).expect("installed");
        assert_eq!((report.duplicate_nodes, report.pool_full, report.attractors_alive), (0, false, 0));
        assert!(report.nodes_inside_fraction >= 0.99, "{}", report.nodes_inside_fraction);
        assert_eq!(report.edges + plan.roots(&Rule::new(&params)).len() as u32, report.nodes);
    }
}

/// Segments of branches that leave the volume.
fn leaps(growth: &Growth, plan: &dryad::sim::growth::GrowthPlan) -> usize {
    let nodes = growth.read_nodes(gpu());
    nodes
        .iter()
        .filter(|n| !plan.volume.segment_inside(nodes[n.parent as usize].position, n.position))
        .count()
}

#[test]
fn limbs_equal_their_twin_and_branches_stay_in_them() {
    let body = body(limbs());
    for seed in [1, 2, 3] {
        let params = GrowthParams { spacing: 0.03, influence: 0.1, growth: 0.03, kill: 0.02, ..coarse() };
        let plan = make_plan(&body, &params, seed);
        let growth = grow(&body, &plan, &params);
        assert_sound(&growth, &plan, &params);
        assert_equals_twin(&growth, &plan, &params);
        // An aimed step is rounded to the lattice after the line was tested, which may clip a voxel's corner.
        let (edges, aware) = (growth.read_nodes(gpu()).len(), leaps(&growth, &plan));
        assert!(aware * 200 <= edges, "{aware} of {edges} segments leave the body");
        let heedless = GrowthParams { body_aware: false, ..params };
        let without = leaps(&grow(&body, &plan, &heedless), &plan);
        assert!(without > 4 * aware + 10, "{without} leaps without the volume test, {aware} with it");
    }
}

#[test]
fn fine_steps_and_deep_kills_equal_the_twin() {
    let body = body(ellipsoid(Vec3::ZERO, Vec3::new(0.5, 0.2, 0.15), 12, 10));
    for (growth_step, kill, influence) in [(0.02, 0.0025, 0.15), (0.1, 0.1, 0.2), (0.1, 0.0125, 0.1)] {
        let params = GrowthParams { influence, growth: growth_step, kill, ..coarse() };
        let plan = make_plan(&body, &params, 5);
        let growth = grow(&body, &plan, &params);
        assert_sound(&growth, &plan, &params);
        assert_equals_twin(&growth, &plan, &params);
        let report = growth.report(gpu(), &body.rest, &body.data.indices).expect("installed");
        assert_eq!((report.duplicate_nodes, report.pool_full), (0, false));
    }
}

/// Few points, all of whose growth can be followed on paper: a step of 4096, a kill of 512, an influence of 16384.
fn by_hand(body: &Body, attractors: &[IVec3], roots: u32) -> (Vec<IVec3>, Vec<u32>) {
    let params = GrowthParams {
        influence: 0.2,
        growth: 0.05,
        kill: 0.00625,
        roots,
        body_aware: false,
        mass_min: 1.0,
        ..Default::default()
    };
    let rule = Rule::new(&params);
    assert_eq!((rule.influence, rule.growth, rule.kill), (16_384, 4096, 512));
    let plan = plan_of(body, attractors, &params);
    let growth = grow(body, &plan, &params);
    assert_sound(&growth, &plan, &params);
    assert_equals_twin(&growth, &plan, &params);
    let report = growth.report(gpu(), &body.rest, &body.data.indices).expect("installed");
    assert_eq!(report.duplicate_nodes, 0);
    let first = plan.attractors[0] - attractors[0];
    let nodes = growth.read_nodes(gpu()).iter().map(|n| n.position - first).collect();
    (nodes, growth.read_owners(gpu()))
}

#[test]
fn growth_between_opposed_points_ends_at_both() {
    let body = body(ball());
    let at = |x, y, z| IVec3::new(x, y, z);
    // Exactly opposed, and a hair off: the mean leads nowhere, so the node aims, first at the lower id.
    for off in [0, 8] {
        let points = [at(0, 0, 0), at(0, 8000, off), at(0, -8000, off)];
        let (nodes, owners) = by_hand(&body, &points, 1);
        assert_eq!(owners, [DEAD; 3]);
        assert!(nodes.contains(&points[1]) && nodes.contains(&points[2]), "{nodes:?}");
        // Two steps each way, and the root.
        assert_eq!(nodes.len(), 5);
    }
    // A trunk that passes between two opposed points on its way to a third.
    let points = [at(-9000, 0, 0), at(0, 4000, 4), at(0, -4000, 4), at(6000, 0, 0)];
    let (_, owners) = by_hand(&body, &points, 1);
    assert_eq!(owners, [DEAD; 4]);
}

#[test]
fn points_on_nodes_on_each_other_and_out_of_reach() {
    let body = body(ball());
    let at = |x, y, z| IVec3::new(x, y, z);
    // On the root: reached at once. Nothing is left to grow to.
    let (nodes, owners) = by_hand(&body, &[at(0, 0, 0), at(0, 0, 0), at(511, 0, 0)], 1);
    assert_eq!((nodes.len(), owners), (1, vec![DEAD; 3]));
    // Two at the same place count twice and die together; the step leads straight there.
    let (nodes, owners) = by_hand(&body, &[at(0, 0, 0), at(4096, 0, 0), at(4096, 0, 0)], 1);
    assert_eq!((nodes, owners), (vec![at(0, 0, 0), at(4096, 0, 0)], vec![DEAD; 3]));
    // "Within" is strict: at the influence distance nothing pulls, a unit nearer it does.
    let (nodes, owners) = by_hand(&body, &[at(0, 0, 0), at(16_384, 0, 0)], 1);
    assert_eq!((nodes.len(), owners), (1, vec![DEAD, FREE]));
    let (nodes, owners) = by_hand(&body, &[at(0, 0, 0), at(16_383, 0, 0)], 1);
    assert_eq!(nodes, [0, 4096, 8192, 12_288, 16_383].map(|x| at(x, 0, 0)));
    assert_eq!(owners, [DEAD; 2]);
    // Two aim at points so close that the children conflict: the lower parent's is born and reaches both points.
    let points = [at(-4000, 0, 0), at(4000, 0, 0), at(-150, 0, 0), at(150, 0, 0)];
    let (nodes, owners) = by_hand(&body, &points, 2);
    assert_eq!((nodes, owners), (points[..3].to_vec(), vec![DEAD; 4]));
    // A single point two roots away from both: the older of two equally near roots grows.
    let (nodes, _) = by_hand(&body, &[at(-8000, 0, 0), at(8000, 0, 0), at(0, 0, 0)], 2);
    assert_eq!(nodes[2], at(-8000 + 4096, 0, 0));
}

#[test]
fn every_part_of_the_body_gets_a_root() {
    let apart = |x: f32| ellipsoid(Vec3::new(x, 0.0, 0.0), Vec3::new(0.1, 0.3, 0.1), 12, 8);
    let body = body(together(&[apart(-0.4), apart(0.0), apart(0.4)]));
    let params = GrowthParams { roots: 1, ..coarse() };
    let plan = make_plan(&body, &params, 9);
    let growth = grow(&body, &plan, &params);
    assert_sound(&growth, &plan, &params);
    assert_equals_twin(&growth, &plan, &params);
    let nodes = growth.read_nodes(gpu());
    assert_eq!(nodes.iter().filter(|n| n.depth == 0).count(), 3);
    let report = growth.report(gpu(), &body.rest, &body.data.indices).expect("installed");
    // A point or so may hide behind the rim of a voxel.
    assert!(report.attractors_unreachable <= 2, "{report:?}");
}

#[test]
fn runs_repeat_and_changed_distances_start_over() {
    let body = body(ball());
    let params = coarse();
    let plan = make_plan(&body, &params, 4);
    let hash =
        |growth: &Growth| growth.report(gpu(), &body.rest, &body.data.indices).expect("installed").hash;
    let reference = hash(&grow(&body, &plan, &params));
    assert_eq!(hash(&grow(&body, &plan, &params)), reference);

    let other = GrowthParams { growth: 0.05, ..params.clone() };
    let mut growth = install(&plan, &other);
    for _ in 0..30 {
        tick(&mut growth, &body, &other);
    }
    assert_ne!(hash(&growth), reference);
    tick(&mut growth, &body, &params);
    assert_eq!(growth.ticks(), 1);
    while !growth.is_finished(gpu()) {
        tick(&mut growth, &body, &params);
    }
    assert_eq!(hash(&growth), reference);
}

#[test]
fn a_full_pool_is_said_and_nothing_breaks() {
    let body = body(ball());
    let params = GrowthParams { growth: 0.01, kill: 0.00125, body_aware: false, ..coarse() };
    let mut plan = make_plan(&body, &params, 3);
    // Claiming that the points are dense makes the pool too small for so fine a step.
    plan.spacing = 0;
    let run = || {
        let growth = grow(&body, &plan, &params);
        let nodes = growth.counters(gpu()).expect("installed").node_count;
        assert_eq!(nodes as usize, plan.attractors.len() * 5 / 4 + 3 + 64);
        growth.report(gpu(), &body.rest, &body.data.indices).expect("installed")
    };
    let report = run();
    assert!(report.pool_full);
    assert_eq!(report.finished_tick, None);
    assert_eq!(run(), report);
}

#[test]
fn nothing_to_grow_in_is_finished_at_once() {
    let body = body((vec![Vec3::ZERO, Vec3::X, Vec3::Y], Vec::new()));
    let params = GrowthParams::default();
    let plan = make_plan(&body, &params, 1);
    assert!(plan.attractors.is_empty() && !plan.warnings.is_empty());
    let mut growth = install(&plan, &params);
    tick(&mut growth, &body, &params);
    assert!(growth.is_finished(gpu()));
    let report = growth.report(gpu(), &body.rest, &body.data.indices).expect("installed");
    assert_eq!((report.nodes, report.edges, report.finished_tick), (0, 0, Some(0)));
    let empty = Growth::new(gpu(), shaders()).expect("it builds");
    assert!(empty.is_finished(gpu()) && empty.branches().is_none());
}

#[test]
fn the_status_comes_without_waiting() {
    let body = body(ball());
    let params = coarse();
    let plan = make_plan(&body, &params, 1);
    let mut growth = install(&plan, &params);
    for _ in 0..40 {
        tick(&mut growth, &body, &params);
        growth.poll(gpu());
        gpu().poll();
    }
    let counters = growth.counters(gpu()).expect("installed");
    // What was asked for last arrives some polls later.
    let arrived = (0..1000).any(|_| {
        growth.poll(gpu());
        gpu().wait();
        growth.status().nodes == counters.node_count
    });
    assert!(arrived);
    let status = growth.status();
    assert_eq!(status.alive, counters.alive);
    assert!(status.nodes > 100 && !status.finished && !status.pool_full);
}
