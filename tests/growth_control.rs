//! What steers growth: tropism, noise, whole steps, where roots are, what becomes of points left over, and scale.

mod common;
mod growth_twin;

use common::gpu;
use dryad::sim::growth::rule::{RootsBy, Rule};
use dryad::sim::growth::state::{DEAD, FREE};
use dryad::sim::growth::{Growth, GrowthParams, GrowthPlan, GrowthReport};
use glam::{IVec3, Vec3};
use growth_twin::bodies::{
    Body, assert_equals_twin, assert_sound, ball, body, coarse, ellipsoid, grow, install, limbs, make_plan,
    plan_of, tick, together,
};

fn report(growth: &Growth, body: &Body) -> GrowthReport {
    growth.report(gpu(), &body.rest, &body.data.indices).expect("installed")
}

/// The mean over the first half of the segments of how far they lead along `direction`, in steps. The later ones fill
/// gaps wherever these are.
fn mean_lead(growth: &Growth, rule: &Rule, direction: Vec3) -> f32 {
    let nodes = growth.read_nodes(gpu());
    let branches = || nodes[..nodes.len() / 2].iter().filter(|n| n.depth > 0);
    let lead = |from: IVec3, to: IVec3| {
        (to - from).as_vec3().dot(direction.normalize_or_zero()) / rule.growth as f32
    };
    let sum: f32 = branches().map(|n| lead(nodes[n.parent as usize].position, n.position)).sum();
    sum / branches().count() as f32
}

#[test]
fn steered_growth_equals_its_twin_and_reaches_as_much() {
    let (ball, limbs) = (body(ball()), body(limbs()));
    let fine = GrowthParams { spacing: 0.03, influence: 0.1, growth: 0.03, kill: 0.02, ..coarse() };
    let steer = |tropism, direction, noise, step_mode, base: &GrowthParams| GrowthParams {
        tropism,
        tropism_direction: direction,
        noise,
        step_mode,
        ..base.clone()
    };
    let cases = [
        (&ball, steer(0.5, [0.0, 1.0, 0.0], 0.0, 0, &coarse())),
        (&ball, steer(2.0, [0.3, -1.0, 0.2], 0.0, 0, &coarse())),
        (&ball, steer(0.0, [0.0, 1.0, 0.0], 0.4, 0, &coarse())),
        (&ball, steer(0.0, [0.0, 1.0, 0.0], 2.0, 1, &GrowthParams { body_aware: false, ..coarse() })),
        (&ball, steer(0.0, [0.0, 1.0, 0.0], 0.0, 1, &coarse())),
        (&limbs, steer(2.0, [-1.0, 0.1, 0.7], 2.0, 1, &fine)),
        (&limbs, steer(0.3, [0.0, -1.0, 0.0], 0.3, 0, &fine)),
        // Short steps that stray as far as they can make the most nodes an attractor.
        (
            &ball,
            steer(2.0, [1.0, 0.0, 0.0], 2.0, 1, &GrowthParams { growth: 0.015, kill: 0.002, ..coarse() }),
        ),
    ];
    for (case, (body, params)) in cases.iter().enumerate() {
        let plan = make_plan(body, params, case as u32);
        let growth = grow(body, &plan, params);
        assert_sound(&growth, &plan, params);
        assert_equals_twin(&growth, &plan, params);
        let report = report(&growth, body);
        println!("case {case}: {} points, {} nodes", report.attractors, report.nodes);
        assert_eq!((report.duplicate_nodes, report.pool_full, report.attractors_alive), (0, false, 0));
        // One point in fifty: those hidden behind the rim of a voxel, and those given up between branches.
        assert!(report.attractors_unreachable * 50 <= report.attractors, "case {case}: {report:?}");
    }
}

#[test]
fn tropism_leads_noise_bends_and_whole_steps_are_whole() {
    let body = body(ball());
    let plan = make_plan(&body, &coarse(), 3);
    let up = Vec3::new(0.0, 1.0, 0.0);
    let lead = |tropism: f32, direction: Vec3| {
        let params = GrowthParams { tropism, tropism_direction: direction.to_array(), ..coarse() };
        mean_lead(&grow(&body, &plan, &params), &Rule::new(&params), direction)
    };
    // A ball is to be filled on all sides, so that no mean is large; but the stronger the pull, the further it is.
    let (none, some, strong) = (lead(0.0, up), lead(0.5, up), lead(2.0, up));
    println!("up: {none} {some} {strong}");
    assert!(none.abs() < 0.15 && some > none + 0.05 && strong > some + 0.1, "{none} {some} {strong}");
    let aside = Vec3::new(1.0, 0.0, -1.0);
    assert!(lead(1.0, aside) > lead(0.0, aside) + 0.15);

    // The sharpness of turns between a segment and its parent's.
    let turn = |params: &GrowthParams| {
        let nodes = grow(&body, &plan, params).read_nodes(gpu());
        let segment = |n: &dryad::sim::growth::GrowthNode| {
            (n.position - nodes[n.parent as usize].position).as_vec3().normalize_or_zero()
        };
        let cosines: Vec<f32> = nodes
            .iter()
            .filter(|n| n.depth > 1)
            .map(|n| segment(n).dot(segment(&nodes[n.parent as usize])))
            .collect();
        cosines.iter().sum::<f32>() / cosines.len() as f32
    };
    let (plain, noisy) = (turn(&coarse()), turn(&GrowthParams { noise: 0.6, ..coarse() }));
    println!("mean cosine: {plain} plain, {noisy} noisy");
    assert!(noisy < plain - 0.05, "{noisy} with noise, {plain} without");

    let whole = |params: &GrowthParams| {
        let nodes = grow(&body, &plan, params).read_nodes(gpu());
        let length = Rule::new(params).growth as f32;
        // Rounding moves an end by less than a unit an axis; a unit vector is right to one part in four thousand.
        let is_whole =
            |a: IVec3, b: IVec3| ((a - b).as_vec3().length() - length).abs() < 2.0 + length / 4000.0;
        let branches = || nodes.iter().filter(|n| n.depth > 0);
        branches().filter(|n| is_whole(n.position, nodes[n.parent as usize].position)).count() as f32
            / branches().count() as f32
    };
    let (mean, normalised) = (whole(&coarse()), whole(&GrowthParams { step_mode: 1, ..coarse() }));
    println!("whole steps: {mean} by the mean, {normalised} normalised");
    assert!(mean < 0.5 && normalised > mean + 0.2, "{mean} {normalised}");
}

/// A direction of no length pulls nowhere, and the length of others does not matter.
#[test]
fn only_the_direction_of_tropism_counts() {
    let rule = |tropism, tropism_direction| {
        Rule::new(&GrowthParams { tropism, tropism_direction, ..Default::default() })
    };
    assert_eq!(rule(1.0, [0.0; 3]), rule(0.0, [0.0, 1.0, 0.0]));
    assert_eq!(rule(1.0, [0.0, 0.25, 0.0]), rule(1.0, [0.0, 1.0, 0.0]));
    assert_eq!(rule(0.5, [0.0, 0.0, -1.0]).tropism, IVec3::new(0, 0, -8192));
    assert_eq!(rule(f32::NAN, [0.0, 1.0, 0.0]).tropism, IVec3::ZERO);
    assert!(rule(0.5, [1.0, 0.0, 0.0]).is_steered() && !rule(0.0, [1.0, 0.0, 0.0]).is_steered());
}

/// Every option is a rule: it takes effect at once, keeps what has grown, and leaves nothing behind when growth starts
/// over.
#[test]
fn changed_options_go_on_and_start_over_when_told() {
    let body = body(ball());
    let plan = make_plan(&body, &coarse(), 4);
    let options = [
        GrowthParams { tropism: 0.5, ..coarse() },
        GrowthParams { noise: 0.5, ..coarse() },
        GrowthParams { step_mode: 1, ..coarse() },
        GrowthParams { roots_by: 1, ..coarse() },
        GrowthParams { leftovers: 1, ..coarse() },
    ];
    let mut growth = install(&plan, &coarse());
    for params in options {
        for _ in 0..8 {
            tick(&mut growth, &body, &coarse());
        }
        assert_eq!(growth.ticks(), 8);
        tick(&mut growth, &body, &params);
        assert_eq!(growth.ticks(), 9, "{params:?}");
        growth.restart(gpu(), &params).expect("it restarts");
        while !growth.is_finished(gpu()) {
            tick(&mut growth, &body, &params);
        }
        assert_equals_twin(&growth, &plan, &params);
        // Back to the plain rule: nothing of the option stays.
        tick(&mut growth, &body, &coarse());
        growth.restart(gpu(), &coarse()).expect("it restarts");
    }
}

#[test]
fn roots_stand_where_they_were_asked_for() {
    let apart = |x: f32| ellipsoid(Vec3::new(x, 0.0, 0.0), Vec3::new(0.1, 0.3, 0.1), 12, 8);
    let body = body(together(&[apart(-0.4), apart(0.4)]));
    let params = |roots, roots_by| GrowthParams { roots, roots_by, ..coarse() };
    let plan = make_plan(&body, &coarse(), 9);
    let positions = |params: &GrowthParams| -> Vec<IVec3> {
        plan.roots(&Rule::new(params)).iter().map(|&r| plan.attractors[r as usize]).collect()
    };
    let heights = || plan.attractors.iter().map(|p| p.y);
    let lowest = positions(&params(1, 1));
    assert_eq!(lowest[0].y, heights().min().expect("points"));
    assert_eq!(positions(&params(1, 2))[0].y, heights().max().expect("points"));
    // One root was wanted; the other part of the body gets one too, as low as it can.
    assert_eq!(lowest.len(), 2);
    assert!((lowest[0].x < lowest[1].x) != (lowest[1].x < lowest[0].x));
    let side = |p: &IVec3| p.x > lowest[0].x.midpoint(lowest[1].x);
    let of_second = plan.attractors.iter().filter(|p| side(p) == side(&lowest[1])).map(|p| p.y);
    assert_eq!(Some(lowest[1].y), of_second.min());
    // Between both parts nobody is nearer to the middle.
    let centre =
        plan.attractors.iter().map(|p| p.as_dvec3()).sum::<glam::DVec3>() / plan.attractors.len() as f64;
    let nearest = plan.attractors.iter().map(|p| p.as_dvec3().distance(centre)).fold(f64::MAX, f64::min);
    // The middle is kept to a whole unit.
    assert!(positions(&params(1, 3))[0].as_dvec3().distance(centre) <= nearest + 2.0);

    let spread = positions(&params(4, 1));
    let influence = Rule::new(&coarse()).influence;
    for (at, a) in spread.iter().enumerate() {
        for b in &spread[..at] {
            assert!((a - b).as_dvec3().length() >= f64::from(influence), "{spread:?}");
        }
    }
    // More than find room at that distance stand closer together.
    assert_eq!(positions(&params(64, 1)).len(), 64);
    assert_eq!(Rule::new(&params(1, 0)).roots_by, RootsBy::Random);
    for roots_by in 0..4 {
        let params = params(3, roots_by);
        assert_eq!(positions(&params), positions(&params));
        let growth = grow(&body, &plan, &params);
        assert_sound(&growth, &plan, &params);
        assert_equals_twin(&growth, &plan, &params);
    }
}

/// A step of 4096, a kill of 512, an influence of 16384, one root on the first point.
fn islands() -> GrowthParams {
    GrowthParams {
        influence: 0.2,
        growth: 0.05,
        kill: 0.00625,
        roots: 1,
        body_aware: false,
        mass_min: 1.0,
        ..Default::default()
    }
}

#[test]
fn points_left_over_are_counted_or_become_roots() {
    let body = body(ball());
    let at = |x: i32| IVec3::new(x, 0, 0);
    // Three groups out of each other's reach, and one point alone.
    let points = [at(0), at(4000), at(40_000), at(44_000), at(41_000), at(90_000), at(140_000), at(150_000)];
    let count = islands();
    let plan = plan_of(&body, &points, &count);
    let growth = grow(&body, &plan, &count);
    assert_equals_twin(&growth, &plan, &count);
    assert_eq!(growth.read_owners(gpu()), [DEAD, DEAD, FREE, FREE, FREE, FREE, FREE, FREE]);
    assert_eq!(report(&growth, &body).attractors_unreachable, 6);

    let reseed = GrowthParams { leftovers: 1, ..count };
    let growth = grow(&body, &plan, &reseed);
    assert_sound(&growth, &plan, &reseed);
    assert_equals_twin(&growth, &plan, &reseed);
    assert_eq!(growth.read_owners(gpu()), [DEAD; 8]);
    let nodes = growth.read_nodes(gpu());
    // The lowest of each group, in order, born together.
    let roots: Vec<IVec3> =
        nodes.iter().filter(|n| n.depth == 0).map(|n| n.position - plan.attractors[0]).collect();
    assert_eq!(roots, [at(0), at(40_000), at(90_000), at(140_000)]);
    let births: Vec<u32> = nodes.iter().filter(|n| n.depth == 0).map(|n| n.birth).collect();
    assert!(
        births[0] == 0 && births[1] > 0 && births[1] == births[2] && births[2] == births[3],
        "{births:?}"
    );
    let summary = report(&growth, &body);
    assert_eq!(
        (summary.attractors_alive, summary.attractors_unreachable, summary.duplicate_nodes),
        (0, 0, 0)
    );
    assert!(summary.finished_tick.is_some_and(|tick| tick > births[1]));

    // Chains of leftovers become roots over several rounds: each but the first is in reach of the one before, yet
    // out of reach of the roots between.
    let row: Vec<IVec3> = std::iter::once(at(-60_000)).chain((0..600).map(|k| at(k * 300))).collect();
    let plan = plan_of(&body, &row, &reseed);
    let growth = grow(&body, &plan, &reseed);
    assert_sound(&growth, &plan, &reseed);
    assert_equals_twin(&growth, &plan, &reseed);
}

/// Points hardly closer than the influence distance leave many in nobody's reach; reseeding reaches them too.
#[test]
fn reseeding_leaves_nobody_waiting() {
    let body = body(limbs());
    let params =
        GrowthParams { spacing: 0.04, influence: 0.036, growth: 0.02, kill: 0.01, leftovers: 1, ..coarse() };
    let plan = make_plan(&body, &params, 2);
    let waiting = |params: &GrowthParams| {
        let growth = grow(&body, &plan, params);
        assert_sound(&growth, &plan, params);
        assert_equals_twin(&growth, &plan, params);
        growth.read_owners(gpu()).iter().filter(|&&owner| owner == FREE).count()
    };
    assert_eq!(waiting(&params), 0);
    let counted = waiting(&GrowthParams { leftovers: 0, ..params.clone() });
    assert!(counted > 20, "{counted} of {}", plan.attractors.len());
}

#[test]
fn a_pool_filled_by_new_roots_is_said() {
    let body = body(ball());
    // One long branch of 128 nodes, then a hundred lonely points, for which there are but 64 places.
    let params = GrowthParams { growth: 128.0 / 81_920.0, kill: 16.0 / 81_920.0, leftovers: 1, ..islands() };
    let mut points = vec![IVec3::ZERO, IVec3::new(16_383, 0, 0)];
    points.extend((0..100).map(|k| IVec3::new(k % 10, 4, k / 10 + 2) * 20_000));
    let mut plan = plan_of(&body, &points, &params);
    plan.spacing = 0;
    let run = || {
        let growth = grow(&body, &plan, &params);
        (growth.read_nodes(gpu()), report(&growth, &body))
    };
    let (nodes, summary) = run();
    assert!(summary.pool_full && summary.finished_tick.is_none(), "{summary:?}");
    assert_eq!(nodes.len(), 102 * 5 / 4 + 1 + 64);
    assert_eq!(nodes.iter().filter(|n| n.depth == 0).count(), nodes.len() - 128, "{summary:?}");
    assert_eq!(run(), (nodes, summary));
}

/// Everything is relative to H: powers of two change no bit, other factors hardly a point.
#[test]
fn scale_decides_nothing() {
    let grown = |scale: f32| -> (usize, GrowthReport) {
        let (positions, indices) = limbs();
        let body = body((positions.iter().map(|p| *p * scale).collect(), indices));
        let params = GrowthParams { spacing: 0.03, influence: 0.1, growth: 0.03, kill: 0.02, ..coarse() };
        let plan: GrowthPlan = make_plan(&body, &params, 1);
        let report = report(&grow(&body, &plan, &params), &body);
        (plan.attractors.len(), report)
    };
    let reference = grown(1.0);
    for scale in [1.0 / 1024.0, 1024.0] {
        assert_eq!(grown(scale), reference, "scale {scale}");
    }
    for scale in [1e-3, 1e3] {
        let (points, report) = grown(scale);
        let (other_points, other) = &reference;
        assert!(points.abs_diff(*other_points) * 100 <= *other_points, "scale {scale}: {points} points");
        assert!(report.nodes.abs_diff(other.nodes) * 100 <= other.nodes, "scale {scale}: {report:?}");
    }
}
