//! Roots and directions at places that are named: joints, and points of the skin.

mod common;
mod growth_twin;

use common::gpu;
use dryad::character::data::{LocalTransform, Node, Trs};
use dryad::sim::growth::places::SkinPoint;
use dryad::sim::growth::rule::Rule;
use dryad::sim::growth::{Growth, GrowthParams, GrowthPlan};
use glam::{DQuat, DVec3, IVec3, Vec3};
use growth_twin::Twin;
use growth_twin::bodies::{
    Body, DT, assert_equals, assert_sound, ball, body, coarse, ellipsoid, grow, install, make_plan, tick,
};

/// A body with a joint at `at`, turned by `rotation`, beside the node that the mesh hangs on.
fn with_joint(mut body: Body, name: &str, at: DVec3, rotation: DQuat) -> Body {
    let local = LocalTransform::Trs(Trs { translation: at, rotation, scale: DVec3::splat(2.0) });
    let number = body.data.nodes.len() as u32;
    let node =
        Node { name: name.into(), parent: None, local, mesh: None, is_joint: true, morph_weights: None };
    body.data.nodes.push(node);
    body.data.node_order.push(number);
    body
}

/// An upright body with a joint in its head and one in its foot.
fn pole() -> Body {
    let body = body(ellipsoid(Vec3::ZERO, Vec3::new(0.15, 0.5, 0.15), 16, 16));
    let body = with_joint(body, "Head", DVec3::Y * 0.45, DQuat::IDENTITY);
    with_joint(body, "Foot", DVec3::Y * -0.45, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2))
}

fn at(roots_at: &str, roots: u32) -> GrowthParams {
    GrowthParams { roots_at: roots_at.into(), roots, ..coarse() }
}

fn roots(plan: &GrowthPlan, params: &GrowthParams) -> Vec<u32> {
    let (rule, problems) = plan.places.rule(params);
    assert_eq!(problems, Vec::<String>::new());
    plan.roots(&rule)
}

/// The attractor nearest to a place in the world.
fn nearest(plan: &GrowthPlan, world: Vec3) -> u32 {
    let place = plan.lattice.from_world(world);
    let distance = |id: &u32| (plan.attractors[*id as usize] - place).as_i64vec3().length_squared();
    (0..plan.attractors.len() as u32).min_by_key(distance).expect("points")
}

#[test]
fn roots_stand_at_the_joints_that_are_named() {
    let body = pole();
    let plan = make_plan(&body, &coarse(), 4);
    let [head, foot] = [Vec3::Y * 0.45, -Vec3::Y * 0.45].map(|place| nearest(&plan, place));
    assert_eq!(roots(&plan, &at("Head", 1)), [head]);
    assert_eq!(roots(&plan, &at("2, Head", 1)), [foot, head], "a number, and the order given");
    let many = roots(&plan, &at("Foot,Head,", 4));
    assert_eq!((many.len(), many[0], many[4]), (8, foot, head));
    let height = |&root: &u32| plan.attractors[root as usize].y;
    let middle = plan.lattice.from_world(Vec3::ZERO).y;
    assert!(many[..2].iter().all(|root| height(root) < middle), "{many:?}");
    assert!(many[4..6].iter().all(|root| height(root) > middle), "{many:?}");
    let mut once = many.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), 8);
    assert_eq!(many, roots(&make_plan(&body, &coarse(), 4), &at("Foot,Head,", 4)));

    let params = at("Head, Foot", 2);
    let growth = grow(&body, &plan, &params);
    assert_sound(&growth, &plan, &params);
    let mut twin =
        Twin::new(&plan, plan.places.rule(&params).0, dryad::sim::growth::rule::ripening(&params, DT));
    twin.run();
    assert_equals(&growth, &twin);
}

#[test]
fn a_joint_that_is_missing_is_said_and_leaves_the_rest() {
    let plan = make_plan(&pole(), &coarse(), 4);
    let (rule, problems) = plan.places.rule(&at("Heat, Foot, 99", 1));
    assert_eq!(rule.roots_at.len(), 1);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].contains("growth.roots_at") && problems[0].contains("are Head, Foot"),
        "{problems:?}"
    );
    let (rule, problems) = plan.places.rule(&at("Nobody", 3));
    assert_eq!(problems.len(), 1);
    assert_eq!(plan.roots(&rule), plan.roots(&Rule::new(&at("", 3))), "roots stand where they would without");
    // No list of places makes planning slow or its roots endless.
    let (rule, problems) = plan.places.rule(&at(&"1,".repeat(2000), 64));
    assert_eq!((rule.roots_at.len(), problems.len()), (64, 1));
    assert!(plan.roots(&rule).len() <= plan.attractors.len());
}

#[test]
fn roots_stand_at_points_of_the_skin() {
    let body = body(ball());
    let plan = make_plan(&body, &coarse(), 4);
    let points = [
        SkinPoint { triangle: 40, weights: [0.25, 0.25, 0.5] },
        SkinPoint { triangle: 300, weights: [1.0, 0.0, 0.0] },
    ];
    let place = |point: &SkinPoint| -> Vec3 {
        let corners = &body.data.indices[point.triangle as usize * 3..][..3];
        (0..3).map(|k| body.data.vertices.positions[corners[k] as usize] * point.weights[k] as f32).sum()
    };
    let list = points.map(|point| point.to_string()).join(", ");
    let params = GrowthParams { root_points: list.as_str().into(), roots: 5, ..coarse() };
    assert_eq!(roots(&plan, &params), points.map(|point| nearest(&plan, place(&point))), "one root at each");
    for wrong in ["99999:0:0", "x", "1:0.5", "4294967295:0:0"] {
        let (rule, problems) = plan.places.rule(&GrowthParams { root_points: wrong.into(), ..coarse() });
        assert!(rule.roots_at.is_empty() && problems.len() == 1, "{wrong}: {problems:?}");
    }
}

#[test]
fn tropism_goes_along_the_axes_of_a_joint_at_rest() {
    let plan = make_plan(&pole(), &coarse(), 4);
    let drawn = |joint: &str, tropism_direction: [f32; 3]| {
        let tropism_joint = joint.into();
        plan.places.rule(&GrowthParams { tropism: 1.0, tropism_direction, tropism_joint, ..coarse() })
    };
    let up = [0.0, 1.0, 0.0];
    assert_eq!(drawn("", up).0.tropism, IVec3::new(0, 16_384, 0));
    assert_eq!(drawn("Head", up).0.tropism, IVec3::new(0, 16_384, 0));
    // A quarter turn about z takes y to -x; the joint's scale does not count.
    assert_eq!(drawn("Foot", up).0.tropism, IVec3::new(-16_384, 0, 0));
    assert_eq!(drawn("Foot", [0.0, 0.0, -3.0]).0.tropism, IVec3::new(0, 0, -16_384));
    let (rule, problems) = drawn("foot", up);
    assert_eq!(
        (rule.tropism.y, problems.len()),
        (16_384, 1),
        "the world's axes stand in for a missing joint"
    );
}

#[test]
fn what_happens_to_grown_branches_is_said_once() {
    let body = pole();
    let plan = make_plan(&body, &coarse(), 4);
    let mut growth = install(&plan, &coarse());
    let run = |growth: &mut Growth, params: &GrowthParams, ticks: u32| {
        (0..ticks).for_each(|_| tick(growth, &body, params));
        growth.take_news()
    };
    assert!(run(&mut growth, &coarse(), 70).is_empty());
    // Another rule is said when it has stayed a while, however long it was dragged before.
    let wider = GrowthParams { kill: 0.05, ..coarse() };
    assert!(run(&mut growth, &GrowthParams { kill: 0.048, ..coarse() }, 20).is_empty());
    assert!(run(&mut growth, &wider, 29).is_empty());
    let news = run(&mut growth, &wider, 1);
    assert!(news.len() == 1 && news[0].contains("changed rule"), "{news:?}");
    assert!(run(&mut growth, &wider, 60).is_empty());
    assert_eq!(growth.ticks(), 180);
    // Colours are no rule.
    assert!(run(&mut growth, &GrowthParams { tip_glow: 3.0, ..wider.clone() }, 60).is_empty());
    // Roots elsewhere start growth over.
    let news = run(&mut growth, &GrowthParams { roots_at: "Head, Had".into(), ..wider.clone() }, 1);
    assert_eq!(growth.ticks(), 1);
    assert!(news.len() == 2 && news.iter().any(|n| n.contains("elsewhere")), "{news:?}");
    assert!(news.iter().any(|n| n.contains("no joint Had")), "{news:?}");
    let root = nearest(&plan, Vec3::Y * 0.45);
    assert_eq!(growth.read_nodes(gpu())[0].source, root);
}
