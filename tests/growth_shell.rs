//! Growth in a shell below the skin, and roots in parts only where they were asked for.

mod common;
mod growth_twin;

use std::time::Instant;

use common::gpu;
use dryad::sim::growth::rule::Rule;
use dryad::sim::growth::{GrowthParams, GrowthPlan};
use glam::{DVec3, Vec3};
use growth_twin::bodies::{
    Body, Triangles, assert_equals_twin, assert_sound, body, coarse, ellipsoid, grow, make_plan, together,
};

/// A ball of radius 1/2, whose facets lie up to 1 − cos(180°/96) · cos(90°/64) = 0.1 % of that within it.
fn ball() -> Triangles {
    ellipsoid(Vec3::ZERO, Vec3::splat(0.5), 96, 64)
}

/// How much nearer to its facets than to the ball a point may be, and a lattice unit or two.
const FACETS: f64 = 0.0006;

fn cuboid(center: Vec3, size: Vec3) -> Triangles {
    let corner = |k: u32| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) - 0.5;
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [0, 2, 3, 1], [4, 5, 7, 6], [2, 6, 7, 3]];
    let indices = quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]);
    ((0..8).map(|k| center + corner(k) * size).collect(), indices.collect())
}

fn shell(from: f32, to: f32) -> GrowthParams {
    GrowthParams { fill: 1, shell_from: from, shell_to: to, ..coarse() }
}

fn worlds(plan: &GrowthPlan) -> impl Iterator<Item = DVec3> + '_ {
    plan.attractors.iter().map(|&p| plan.lattice.to_world(p))
}

/// Whether twice the rounding to the lattice explains why a depth is out of the range.
fn assert_within(plan: &GrowthPlan, depth: f64, from: f32, to: f32, slack: f64) {
    let slack = slack + 2.0 * plan.lattice.unit_m;
    let range = f64::from(from) - slack..=f64::from(to) + slack;
    assert!(range.contains(&depth), "{depth} is not in {range:?}");
}

#[test]
fn points_in_a_ball_are_as_deep_as_asked() {
    let ball = body(ball());
    let all = make_plan(&ball, &coarse(), 3).attractors.len() as f64;
    for (from, to) in [(0.0, 0.1), (0.05, 0.15), (0.3, 0.5), (0.0, 0.5), (0.0, 0.01)] {
        let plan = make_plan(&ball, &shell(from, to), 3);
        for p in worlds(&plan) {
            assert_within(&plan, 0.5 - p.length(), from, to, FACETS);
        }
        assert_eq!(plan.warnings, Vec::<String>::new());
        let inner = |depth: f32| (1.0 - 2.0 * f64::from(depth)).powi(3);
        // As many as in that part of the volume, by a few percent; and more along the ends of the range, at most one
        // to each square of the spacing of the ball's surface.
        let (found, volume) = (plan.attractors.len() as f64, all * (inner(from) - inner(to)));
        let square = f64::from(coarse().spacing).powi(2);
        let most = volume + std::f64::consts::PI / square;
        assert!((0.95 * volume..most).contains(&found), "{from} to {to}: {found}, not {volume} to {most}");
    }
}

#[test]
fn a_thin_shell_gets_a_wider_spacing_when_it_would_hold_too_many_points() {
    let ball = body(ball());
    for (from, to) in [(0.0, 0.01), (0.0, 0.1)] {
        let plan = make_plan(&ball, &GrowthParams { max_points: 400, ..shell(from, to) }, 3);
        assert!(plan.warnings.iter().any(|w| w.contains("growth.max_points")), "{:?}", plan.warnings);
        // Fewer than the limit: it did not cut any off. Not far fewer: the estimate is good to a third.
        assert!((260..400).contains(&plan.attractors.len()), "{}", plan.attractors.len());
    }
}

#[test]
fn points_in_a_box_are_as_deep_as_asked() {
    let size = Vec3::new(1.0, 0.6, 0.4);
    let body = body(cuboid(Vec3::ZERO, size));
    let all = make_plan(&body, &coarse(), 3).attractors.len();
    for (from, to) in [(0.0, 0.05), (0.1, 0.15), (0.15, 0.5)] {
        let plan = make_plan(&body, &shell(from, to), 3);
        for p in worlds(&plan) {
            let depth = (0.5 * size.as_dvec3() - p.abs()).min_element();
            assert_within(&plan, depth, from, to, 0.0);
        }
        assert!((20..all).contains(&plan.attractors.len()), "{} of {all}", plan.attractors.len());
    }
}

#[test]
fn branches_grow_to_all_points_of_a_shell_and_stay_in_the_body() {
    let ball = body(ball());
    let params = shell(0.02, 0.08);
    let plan = make_plan(&ball, &params, 5);
    let growth = grow(&ball, &plan, &params);
    assert_sound(&growth, &plan, &params);
    assert_equals_twin(&growth, &plan, &params);
    let report = growth.report(gpu(), &ball.rest, &ball.data.indices).expect("installed");
    assert!(report.nodes_inside_fraction >= 0.99, "{report:?}");
    // A point or so may hide behind the rim of a voxel.
    assert!(report.attractors_unreachable <= 2, "{report:?}");
}

#[test]
fn a_range_without_points_is_said_and_ends_at_once() {
    let started = Instant::now();
    let ball = body(ball());
    for (from, to) in [(0.505, 0.6), (0.1, 0.1), (0.3, 0.2)] {
        let params = shell(from, to);
        let plan = make_plan(&ball, &params, 5);
        assert_eq!(plan.attractors.len(), 0);
        let [warning] = &plan.warnings[..] else { panic!("{:?}", plan.warnings) };
        assert!(warning.contains("growth.shell_from") && warning.contains("growth.shell_to"), "{warning}");
        // The deepest voxel of a thousand in a ball of radius half an H.
        let deepest: f64 =
            warning.split("about ").nth(1).and_then(|w| w.split(' ').next()?.parse().ok()).expect("said");
        assert!((0.4..0.5).contains(&deepest), "{warning}");
        assert!(grow(&ball, &plan, &params).is_finished(gpu()));
    }
    // A sheet has no inside to be deep in.
    let sheet = body((vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2]));
    let plan = make_plan(&sheet, &shell(0.1, 0.2), 5);
    assert!(
        plan.attractors.len() > 10 && plan.warnings.iter().any(|w| w.contains("growth.fill")),
        "{:?}",
        plan.warnings
    );
    // Seconds in a build without optimisation.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn only_what_changes_the_points_asks_for_others() {
    let ball = body(ball());
    let plan = make_plan(&ball, &coarse(), 5);
    assert!(!plan.differs(&GrowthParams { shell_to: 0.3, ..coarse() }, 5));
    assert!(plan.differs(&shell(0.0, 0.1), 5));
    let plan = make_plan(&ball, &shell(0.0, 0.1), 5);
    assert!(!plan.differs(&shell(0.0, 0.1), 5) && plan.differs(&shell(0.0, 0.11), 5));
    assert!(plan.differs(&shell(0.01, 0.1), 5));
}

/// The parts of the volume in which growth to the end has nodes, and the number of roots.
fn parts_with_nodes(
    body: &Body,
    params: &GrowthParams,
    part_of: impl Fn(DVec3) -> usize,
) -> (Vec<usize>, usize) {
    let plan = make_plan(body, params, 9);
    let growth = grow(body, &plan, params);
    assert_sound(&growth, &plan, params);
    assert_equals_twin(&growth, &plan, params);
    let nodes = growth.read_nodes(gpu());
    let mut parts: Vec<usize> = nodes.iter().map(|n| part_of(plan.lattice.to_world(n.position))).collect();
    parts.sort_unstable();
    parts.dedup();
    (parts, nodes.iter().filter(|n| n.depth == 0).count())
}

#[test]
fn parts_without_the_rules_own_roots_stay_bare_if_asked() {
    let apart = |x: f32| ellipsoid(Vec3::new(x, 0.0, 0.0), Vec3::new(0.1, 0.3, 0.1), 12, 8);
    let body = body(together(&[apart(-0.4), apart(0.0), apart(0.4)]));
    let part_of = |p: DVec3| ((p.x + 0.6) / 0.4) as usize;
    for shell_of in [coarse(), shell(0.0, 0.04)] {
        let on = GrowthParams { roots: 1, ..shell_of };
        assert_eq!(parts_with_nodes(&body, &on, part_of), (vec![0, 1, 2], 3));
        let off = GrowthParams { root_every_part: false, ..on };
        let (parts, roots) = parts_with_nodes(&body, &off, part_of);
        assert_eq!((parts.len(), roots), (1, 1), "{parts:?}");
    }
}

#[test]
fn parts_of_a_shell_get_roots_where_the_body_is_one() {
    // A ball tied in at its waist, which is nowhere as deep as asked.
    let (mut positions, indices) = ball();
    for p in &mut positions {
        let waist = ((p.y.abs() - 0.05) / 0.25).clamp(0.0, 1.0);
        let width = 0.2 + 0.8 * waist * waist;
        *p *= Vec3::new(width, 1.0, width);
    }
    let body = body((positions, indices));
    let params = GrowthParams { roots: 1, ..shell(0.13, 0.5) };
    let plan = make_plan(&body, &params, 2);
    let roots = plan.roots(&Rule::new(&params));
    let sides: Vec<bool> =
        roots.iter().map(|&r| plan.lattice.to_world(plan.attractors[r as usize]).y > 0.0).collect();
    assert_eq!(sides.len(), 2, "{} points", plan.attractors.len());
    assert_ne!(sides[0], sides[1]);
    let off = GrowthParams { root_every_part: false, ..params };
    assert_eq!(plan.roots(&Rule::new(&off)).len(), 1);
}
