//! Growth's own time: past moments, erasing, and cycles of dissolving and growing again.

mod common;
mod growth_twin;

use common::gpu;
use dryad::character::animate::rest_pose;
use dryad::sim::growth::rule::ripening;
use dryad::sim::growth::{GrowthNode, GrowthParams};
use growth_twin::bodies::{DT, ball, body, coarse, draw, grow, install, make_plan, tick};

/// Radii by the pipe model at a moment: what the tips of that moment bring down to each node, in whole 256ths.
fn radii_at(nodes: &[GrowthNode], ticks: f64, params: &GrowthParams, extent_m: f32) -> Vec<f32> {
    let table = ripening(params, DT);
    let born = nodes.iter().take_while(|node| f64::from(node.birth) <= ticks).count();
    let grown = |node: &GrowthNode| {
        let ripe_after = f64::from(table[(node.mass_and_aimed & 0xff) as usize]);
        ((ticks - f64::from(node.birth)) / ripe_after).clamp(0.0, 1.0) as f32
    };
    let mut brought = vec![0u32; born];
    for id in (0..born).rev() {
        let through = brought[id].max((256.0 * grown(&nodes[id])) as u32);
        let parent = nodes[id].parent as usize;
        if parent != id {
            brought[parent] += through;
        }
    }
    let radius = |id: usize| {
        let through = grown(&nodes[id]).max(brought[id] as f32 / 256.0).max(1e-3);
        let thick = params.tip_radius * through.powf(1.0 / params.pipe_exponent);
        thick.min(params.max_radius) * extent_m
    };
    (0..born).map(radius).collect()
}

#[test]
fn a_past_moment_is_drawn_with_the_flow_of_its_tips() {
    let body = body(ball());
    body.surface.set_pose(gpu(), &rest_pose(&body.data));
    let params = GrowthParams { max_radius: 0.05, pipe_exponent: 2.0, ..coarse() };
    let plan = make_plan(&body, &params, 2);
    let mut growth = grow(&body, &plan, &params);
    let nodes = growth.read_nodes(gpu());
    let now = f64::from(growth.ticks());
    let live = draw(&mut growth, &body, now, &params);
    for timeline in [0.0, 0.1, 0.37, 0.5, 0.9999] {
        let scrubbed = GrowthParams { timeline, ..params.clone() };
        let branches = draw(&mut growth, &body, now, &scrubbed);
        let ticks = now * f64::from(timeline);
        let expected = radii_at(&nodes, ticks, &params, body.rest.extent);
        assert_eq!(branches.len(), expected.len(), "{timeline}");
        for (id, (branch, expected)) in branches.iter().zip(expected).enumerate() {
            // A 256th of a tip more or less where f32 and f64 round a share apart, of at least one tip's quarter.
            assert!(
                (branch.radius - expected).abs() < 0.02 * expected,
                "node {id} at {timeline}: {branch:?}"
            );
        }
        // Whoever looked before, the same moment is the same picture.
        assert_eq!(draw(&mut growth, &body, now, &scrubbed), branches);
    }
    // Growth itself knows nothing of it.
    assert_eq!(growth.read_nodes(gpu()), nodes);
    assert_eq!(draw(&mut growth, &body, now, &params), live);
    // More nodes born in one tick than a workgroup does at once, all from one root each.
    let many = GrowthParams { roots: 64, ..params };
    let mut growth = grow(&body, &plan, &many);
    let nodes = growth.read_nodes(gpu());
    let expected = radii_at(&nodes, 60.0, &many, body.rest.extent);
    let half = GrowthParams { timeline: 0.5, ..many };
    for _ in growth.ticks()..120 {
        tick(&mut growth, &body, &half);
    }
    for (branch, expected) in draw(&mut growth, &body, 120.0, &half).iter().zip(expected) {
        assert!((branch.radius - expected).abs() < 0.02 * expected);
    }
}

#[test]
fn erasing_travels_from_the_tips_or_from_the_roots() {
    let body = body(ball());
    body.surface.set_pose(gpu(), &rest_pose(&body.data));
    let plan = make_plan(&body, &coarse(), 2);
    let mut growth = grow(&body, &plan, &coarse());
    let nodes = growth.read_nodes(gpu());
    let deepest = nodes.iter().map(|node| node.depth).max().expect("nodes");
    let ticks = f64::from(growth.ticks());
    let whole = draw(&mut growth, &body, ticks, &coarse());
    for erase_from in [0, 1] {
        for erase in [0.0f32, 0.3, 0.5, 1.0] {
            let params = GrowthParams { erase, erase_from, ..coarse() };
            let branches = draw(&mut growth, &body, ticks, &params);
            let levels = (deepest + 1) as f32;
            for (id, (branch, node)) in branches.iter().zip(&nodes).enumerate() {
                let depth = node.depth as f32;
                let kept = if erase_from == 0 {
                    ((1.0 - erase) * levels - depth).clamp(0.0, 1.0)
                } else {
                    (depth + 1.0 - erase * levels).clamp(0.0, 1.0)
                };
                // f32 products of levels, of which there are dozens.
                let off = (branch.radius - kept * whole[id].radius).abs();
                assert!(off < 1e-4 * whole[id].radius, "node {id} of depth {depth} at {erase}: {kept}");
                assert!(branch.glow.is_finite() && branch.glow >= 0.0);
            }
            assert!(erase < 1.0 || branches.iter().all(|branch| branch.radius == 0.0));
        }
    }
}

#[test]
fn continuous_growth_dissolves_and_begins_again() {
    let body = body(ball());
    body.surface.set_pose(gpu(), &rest_pose(&body.data));
    let plan = make_plan(&body, &coarse(), 4);
    let params = GrowthParams { continuous: true, cycle: 2.0, dissolve: 0.5, regrow: 0, ..coarse() };
    assert_eq!(params.cycle_ticks(f64::from(DT)), 120);
    // Nothing dissolves before its time, and all at the end of it.
    let dissolved = |ticks| params.dissolved(ticks, 1.0 / 60.0);
    assert_eq!([dissolved(0.0), dissolved(90.0), dissolved(120.0)], [0.0, 0.0, 1.0]);
    assert!((dissolved(105.0) - 0.5).abs() < 1e-6);

    for regrow in [0, 1] {
        let params = GrowthParams { regrow, ..params.clone() };
        let mut growth = install(&plan, &params);
        let mut trees = Vec::new();
        for cycle in 0..3 {
            for k in 1..=120 {
                tick(&mut growth, &body, &params);
                assert_eq!(growth.ticks(), k, "cycle {cycle}");
            }
            trees.push(growth.read_nodes(gpu()));
            let gone = draw(&mut growth, &body, 120.0, &params);
            assert!(gone.iter().all(|branch| branch.radius == 0.0));
            let half = draw(&mut growth, &body, 105.0, &params);
            assert!(half.iter().any(|b| b.radius == 0.0) && half.iter().any(|b| b.radius > 0.0));
        }
        assert_eq!(trees[0] == trees[1], regrow == 0);
        assert_eq!(trees[1] == trees[2], regrow == 0);
        // Starting over begins with the first tree again.
        growth.restart(gpu(), &params).expect("it restarts");
        for _ in 0..120 {
            tick(&mut growth, &body, &params);
        }
        assert_eq!(growth.read_nodes(gpu()), trees[0]);
        assert_eq!(growth.take_news(), Vec::<String>::new());
    }
}
