//! Rules that change while growth goes on: the nodes stay.

mod common;
mod growth_twin;

use common::gpu;
use dryad::sim::growth::rule::{Rule, ripening};
use dryad::sim::growth::{Growth, GrowthParams};
use glam::Vec3;
use growth_twin::Twin;
use growth_twin::bodies::{
    Body, DT, assert_equals, assert_sound, ball, body, coarse, ellipsoid, install, limbs, make_plan, tick,
    together,
};

fn finish(growth: &mut Growth, body: &Body, params: &GrowthParams) {
    // A growth that has finished takes a new rule with its next tick.
    tick(growth, body, params);
    while !growth.is_finished(gpu()) {
        for _ in 0..16 {
            tick(growth, body, params);
        }
        assert!(growth.ticks() < 5000, "growth does not end: {:?}", growth.counters(gpu()));
    }
}

#[test]
fn nodes_outlive_a_change_of_rules_and_equal_their_twin() {
    let (ball, limbs) = (body(ball()), body(limbs()));
    let pair = together(&[-0.3f32, 0.3].map(|x| ellipsoid(Vec3::X * x, Vec3::new(0.1, 0.3, 0.1), 12, 8)));
    let pair = body(pair);
    let lone = GrowthParams { roots: 1, root_every_part: false, ..coarse() };
    let fine = GrowthParams { spacing: 0.03, influence: 0.1, growth: 0.03, kill: 0.02, ..coarse() };
    let from_coarse = |change: &dyn Fn(&mut GrowthParams)| {
        let mut params = coarse();
        change(&mut params);
        params
    };
    let cases = [
        (&ball, coarse(), from_coarse(&|p| p.influence = 0.12)),
        (&ball, from_coarse(&|p| p.influence = 0.1), coarse()),
        (&ball, coarse(), from_coarse(&|p| p.kill = 0.02)),
        (&ball, from_coarse(&|p| p.kill = 0.02), coarse()),
        (&ball, coarse(), from_coarse(&|p| (p.tropism, p.noise, p.step_mode) = (1.0, 0.5, 1))),
        (&ball, coarse(), from_coarse(&|p| (p.roots, p.roots_by, p.leftovers) = (40, 1, 1))),
        (&pair, lone.clone(), GrowthParams { root_every_part: true, ..lone.clone() }),
        (&limbs, fine.clone(), GrowthParams { body_aware: false, ..fine.clone() }),
        (&limbs, GrowthParams { body_aware: false, ..fine.clone() }, GrowthParams { roots: 30, ..fine }),
    ];
    for (case, (body, before, after)) in cases.iter().enumerate() {
        let plan = make_plan(body, before, case as u32);
        // While it grows, and once it has finished.
        for ticks in [1, 25, 400] {
            let mut growth = install(&plan, before);
            let mut twin = Twin::new(&plan, Rule::new(before), ripening(before, DT));
            for _ in 0..ticks {
                tick(&mut growth, body, before);
                twin.run_tick();
            }
            let kept = growth.read_nodes(gpu());
            twin.adopt(Rule::new(after));
            finish(&mut growth, body, after);
            twin.run();
            assert_equals(&growth, &twin);
            assert_sound(&growth, &plan, after);
            for (old, new) in kept.iter().zip(growth.read_nodes(gpu())) {
                assert_eq!((old.position, old.parent, old.birth), (new.position, new.parent, new.birth));
            }
            let report = growth.report(gpu(), &body.rest, &body.data.indices).expect("installed");
            assert_eq!((report.duplicate_nodes, report.pool_full), (0, false), "case {case} at {ticks}");
        }
    }
}

/// A rule that comes and goes before anything could come of it leaves soundness, and one that changes every tick ends.
#[test]
fn rules_may_change_every_tick() {
    let body = body(ball());
    let plan = make_plan(&body, &coarse(), 1);
    let mut growth = install(&plan, &coarse());
    for k in 0..60 {
        let influence = 0.12 + 0.001 * (k * 7 % 60) as f32;
        tick(&mut growth, &body, &GrowthParams { influence, ..coarse() });
    }
    assert_eq!(growth.ticks(), 60);
    finish(&mut growth, &body, &coarse());
    assert_sound(&growth, &plan, &coarse());
}

#[test]
fn a_grown_tree_that_is_lost_is_said_once() {
    let body = body(ball());
    let plan = make_plan(&body, &coarse(), 1);
    let mut growth = install(&plan, &coarse());
    let longer = GrowthParams { growth: 0.07, ..coarse() };
    for _ in 0..70 {
        tick(&mut growth, &body, &coarse());
    }
    tick(&mut growth, &body, &GrowthParams { influence: 0.15, ..coarse() });
    assert_eq!((growth.ticks(), growth.take_news()), (71, vec![]));
    tick(&mut growth, &body, &longer);
    assert_eq!(growth.ticks(), 1);
    let news = growth.take_news();
    assert!(news.len() == 1 && news[0].contains("steps"), "{news:?}");
    assert!(growth.take_news().is_empty());
    // Nobody misses what has hardly begun.
    tick(&mut growth, &body, &coarse());
    assert_eq!((growth.ticks(), growth.take_news()), (1, vec![]));
}
