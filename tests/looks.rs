//! Looks of branches: colour by order, widths of tubes, capsules and lines, leaves and blossoms.

mod common;
mod growth_twin;
mod stage;

use common::gpu;
use dryad::character::animate::rest_pose;
use dryad::gpu::capture::Picture;
use dryad::sim::growth::rule::ripening;
use dryad::sim::growth::{BranchNode, Growth, GrowthNode, GrowthParams};
use glam::{DVec3, Vec3};
use growth_twin::bodies::{Body, DT, ball, body, coarse, draw, grow, make_plan, tick};
use stage::{Stage, differing, square};

/// A ball full of branches whose radii and flow no longer change.
fn settled(params: &GrowthParams) -> (Body, Growth, f64, Vec<GrowthNode>) {
    let body = body(ball());
    body.surface.set_pose(gpu(), &rest_pose(&body.data));
    let plan = make_plan(&body, params, 1);
    let mut growth = grow(&body, &plan, params);
    for _ in 0..growth.counters(gpu()).expect("installed").max_depth + ripening(params, DT)[0] + 4 {
        tick(&mut growth, &body, params);
    }
    let ticks = f64::from(growth.ticks());
    let nodes = growth.read_nodes(gpu());
    (body, growth, ticks, nodes)
}

/// Tips that each node bears, itself where it is one; children have higher ids than their parents.
fn tips(nodes: &[GrowthNode]) -> Vec<u32> {
    let mut tips = vec![0u32; nodes.len()];
    for (id, node) in nodes.iter().enumerate().rev() {
        tips[id] = tips[id].max(1);
        if node.parent as usize != id {
            tips[node.parent as usize] += tips[id];
        }
    }
    tips
}

#[test]
fn order_colours_each_doubling_of_tips_alike() {
    let params =
        GrowthParams { color_by: 3, base_color: [0.0, 0.25, 1.0], tip_color: [1.0, 0.25, 0.0], ..coarse() };
    let (body, mut growth, ticks, nodes) = settled(&params);
    let branches = draw(&mut growth, &body, ticks, &params);
    let tips = tips(&nodes);
    let mut seen = std::collections::BTreeSet::new();
    for (id, (branch, node)) in branches.iter().zip(&nodes).enumerate() {
        let [order, of_root] = [tips[id], tips[node.root as usize]].map(u32::ilog2);
        let wanted = 1.0 - order as f32 / of_root.max(1) as f32;
        seen.insert(order);
        // One mix of two numbers in f32.
        assert!((branch.color[0] - wanted).abs() < 1e-6, "{id}: {} tips, {:?}", tips[id], branch.color);
        assert!((branch.color[2] - (1.0 - wanted)).abs() < 1e-6);
    }
    assert!(seen.len() > 5, "orders {seen:?}");
}

#[test]
fn lines_are_of_one_width_and_capsules_each_of_their_own() {
    let tube = coarse();
    let (body, mut growth, ticks, _) = settled(&tube);
    let tubes = draw(&mut growth, &body, ticks, &tube);
    let capsules = draw(&mut growth, &body, ticks, &GrowthParams { look: 1, ..tube.clone() });
    let lines = draw(&mut growth, &body, ticks, &GrowthParams { look: 2, ..tube.clone() });
    assert!(tubes.iter().all(|b| b.is_even == 0) && lines.iter().all(|b| b.is_even == 0));
    assert!(capsules.iter().all(|b| b.is_even == 1));
    assert!(tubes.iter().zip(&capsules).all(|(a, b)| a.radius.to_bits() == b.radius.to_bits()));
    let tip = tube.tip_radius * body.rest.extent;
    // A power of one on the GPU.
    assert!(lines.iter().all(|b| (b.radius - tip).abs() < 1e-5 * tip), "a line is wider elsewhere");
    assert!(tubes.iter().any(|b| b.radius > 3.0 * tip));
}

#[test]
fn leaves_open_at_tips_then_along_twigs_and_nowhere_else() {
    let params = GrowthParams { leaves: 1, leaf_opening: 0.5, ..coarse() };
    let (body, mut growth, ticks, nodes) = settled(&params);
    let tips = tips(&nodes);
    let mut bears = vec![false; nodes.len()];
    for (id, node) in nodes.iter().enumerate() {
        bears[node.parent as usize] |= node.parent as usize != id;
    }
    let mut buds = |ticks: f64, change: GrowthParams| -> Vec<f32> {
        draw(&mut growth, &body, ticks, &change).iter().map(|branch| branch.bud).collect()
    };
    // All have had time to open: beyond the last ripening lie as many ticks as there are levels, some dozens.
    let open = buds(ticks, params.clone());
    for (id, &bud) in open.iter().enumerate() {
        assert_eq!(bud, f32::from(u8::from(!bears[id])), "{id} bears {} tips", tips[id]);
    }
    let none = buds(ticks, GrowthParams { leaves: 0, ..params.clone() });
    assert!(none.iter().all(|&bud| bud == 0.0));
    let count = |buds: &[f32]| buds.iter().filter(|&&bud| bud > 0.0).count();
    let half = count(&buds(ticks, GrowthParams { leaf_density: 0.5, ..params.clone() }));
    // Four standard deviations of as many throws of a coin.
    let all = count(&open);
    let off = (half as f64 - 0.5 * all as f64).abs();
    assert!(all > 100 && off < 2.0 * (all as f64).sqrt(), "{half} of {all}");
    let dense = buds(ticks, GrowthParams { leaf_density: 2.0, ..params.clone() });
    for (id, &bud) in dense.iter().enumerate() {
        assert_eq!(bud > 0.0, tips[id] == 1, "{id} bears {} tips", tips[id]);
    }
    // A leaf starts closed when its tip is grown and is half open in half its time.
    let slow = GrowthParams { leaf_opening: 20.0, ..params.clone() };
    let opening = buds(ticks, slow.clone());
    let table = ripening(&params, DT);
    let mut part_open = 0;
    for (id, node) in nodes.iter().enumerate().filter(|&(id, _)| !bears[id]) {
        let ripe =
            ticks - f64::from(node.birth) - f64::from(table[(node.mass_and_aimed & 0xff) as usize].max(1));
        let part = (ripe * f64::from(DT) / 20.0).clamp(0.0, 1.0);
        let wanted = part * part * (3.0 - 2.0 * part);
        // f32 of a few ticks in hundreds.
        assert!((f64::from(opening[id]) - wanted).abs() < 1e-4, "{id}: {}, not {wanted}", opening[id]);
        part_open += usize::from(wanted > 0.0 && wanted < 1.0);
    }
    assert!(part_open > 100);
    // Erased branches lose theirs.
    let erased = buds(ticks, GrowthParams { erase: 1.0, ..params });
    assert_eq!(count(&erased), 0);
}

fn node(position: Vec3, parent: u32, bud: f32) -> BranchNode {
    // A turn towards +X: the middle of the square's right edge.
    BranchNode {
        position: position.to_array(),
        radius: 0.01,
        color: [0.5; 3],
        parent,
        bud,
        turn: 0x8000_ffff,
        ..Default::default()
    }
}

/// Twenty upright twigs, each with a leaf at its tip.
fn twigs(bud: f32) -> Vec<BranchNode> {
    let foot = |k: u32| Vec3::new((k % 5) as f32 * 0.3 - 0.6, (k / 5) as f32 * 0.3 - 0.6, 0.0);
    (0..20).flat_map(|k| [node(foot(k), 2 * k, 0.0), node(foot(k) + 0.1 * Vec3::Y, 2 * k, bud)]).collect()
}

fn stage_with(nodes: &[BranchNode], leaves: u32, season: f32) -> Stage {
    let mut stage = Stage::at_rest(&square(1.0, 0.0));
    stage.params.view.body = false;
    stage.transparent = true;
    stage.size = [160, 160];
    let growth = &mut stage.params.growth;
    (growth.leaves, growth.season, growth.leaf_size) = (leaves, season, 0.2);
    stage.set_branches(nodes);
    stage
}

/// Pixels covered, and their mean colour.
fn covered(picture: &Picture) -> (usize, [f32; 3]) {
    let pixels: Vec<_> = picture.rgba.chunks_exact(4).filter(|p| p[3] == 255).collect();
    let mean = |c: usize| pixels.iter().map(|p| f32::from(p[c])).sum::<f32>() / pixels.len().max(1) as f32;
    (pixels.len(), [0, 1, 2].map(mean))
}

#[test]
fn leaves_are_drawn_in_the_colours_of_the_season_and_fall() {
    let bare = stage_with(&twigs(1.0), 0, 0.0).picture();
    let closed = stage_with(&twigs(0.0), 1, 0.0).picture();
    assert_eq!(differing(&bare, &closed, 0), 0);
    let (bare_pixels, _) = covered(&bare);
    for leaves in [1, 2] {
        let [spring, summer, autumn, late, winter] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 0.9, 1.0]
            .map(|season| stage_with(&twigs(1.0), leaves, season).picture());
        let again = stage_with(&twigs(1.0), leaves, 0.0).picture();
        assert_eq!(differing(&spring, &again, 0), 0, "two pictures of the same");
        assert_eq!(differing(&winter, &bare, 0), 0, "none is left in winter");
        let [(young, _), (full, green), (old, red), (few, _)] =
            [&spring, &summer, &autumn, &late].map(covered);
        // Twenty of 0.4 m, half as wide, at 40 pixels a metre, seen at a slant: 20 pixels or more each.
        assert!(full > bare_pixels + 250, "{leaves}: {full} pixels, {bare_pixels} without");
        assert!(few < old && few > bare_pixels, "{leaves}: {few} late, {old} before");
        if leaves == 1 {
            assert!(young < full, "young leaves are small");
            assert!(green[1] > 1.3 * green[0], "summer: {green:?}");
            assert!(red[0] > 1.3 * red[1], "autumn: {red:?}");
        }
    }
}

#[test]
fn leaves_are_lit_from_both_sides_and_keep_to_the_count() {
    let mut stage = stage_with(&twigs(1.0), 1, 0.3);
    let (front, [_, lit, _]) = covered(&stage.picture());
    let eye = stage.camera.eye;
    stage.camera.eye = DVec3::new(eye.x, eye.y, -eye.z);
    let (back, [_, lit_behind, _]) = covered(&stage.picture());
    // Seen in parallel both sides cover the same; in perspective, what bends towards the eye is larger.
    assert!(front.abs_diff(back) * 3 < front, "{front} pixels from before, {back} from behind");
    assert!(lit > 40.0 && lit_behind > 40.0, "{lit} and {lit_behind}");

    // As many as the count says, and a count or a parent out of range does no harm.
    let mut nodes = twigs(1.0);
    nodes[39].parent = u32::MAX;
    stage.set_branches(&nodes);
    let counted = |stage: &mut Stage, count: u32| {
        stage.branches.as_ref().expect("set").1.write(gpu(), 0, &[count]);
        covered(&stage.picture()).0
    };
    let (none, some) = (counted(&mut stage, 0), counted(&mut stage, 2));
    let all = counted(&mut stage, u32::MAX);
    assert!(none == 0 && some > 0 && all > 10 * some, "{none}, {some}, {all}");
}

#[test]
fn capsules_are_as_wide_at_their_parent_as_at_their_end() {
    let nodes = |is_even: u32| {
        let thick = BranchNode { radius: 0.3, ..node(Vec3::new(0.0, -0.5, 0.0), 0, 0.0) };
        // The parent itself is out of sight: only the branch from it to the thin node remains.
        let thin = BranchNode { radius: 0.05, is_even, ..node(Vec3::new(0.0, 0.5, 0.0), 0, 0.0) };
        [thick, thin]
    };
    let width = |is_even: u32| {
        let picture = stage_with(&nodes(is_even), 0, 0.0).picture();
        let row = 80 * 160;
        picture.rgba[row * 4..(row + 160) * 4].chunks_exact(4).filter(|p| p[3] == 255).count()
    };
    // At the middle 0.05 and 0.175 m to each side, 40 pixels a metre, a little more as both are nearer by as much.
    let (tube, capsule) = (width(0), width(1));
    assert!(capsule.abs_diff(4) <= 1 && tube.abs_diff(15) <= 1, "{tube} and {capsule} pixels");
}

/// A branch from left to right, straight or an arc, in so many pieces of one width.
fn chain(pieces: u32, rise: f32) -> Vec<BranchNode> {
    let place = |k: u32| {
        let x = 2.0 * k as f32 / pieces as f32 - 1.0;
        Vec3::new(x, rise * (1.0 - x * x) - 0.5 * rise, 0.0)
    };
    (0..=pieces).map(|k| BranchNode { radius: 0.15, ..node(place(k), k.saturating_sub(1), 0.0) }).collect()
}

#[test]
fn joints_show_neither_beads_nor_cracks() {
    let [whole, pieces] = [1, 12].map(|pieces| stage_with(&chain(pieces, 0.0), 0, 0.0).picture());
    // Each piece turns to the eye by itself, which shifts its shades a little.
    let beads = differing(&whole, &pieces, 12);
    assert!(covered(&whole).0 > 1000 && beads < 40, "{beads} of {} pixels", covered(&whole).0);

    // Bent, each column of the picture shows one run of pixels.
    let bent = stage_with(&chain(12, 0.6), 0, 0.0).picture();
    for x in 45..115 {
        let solid = |y: usize| bent.rgba[(y * 160 + x) * 4 + 3] == 255;
        let starts = (1..160).filter(|&y| solid(y) && !solid(y - 1)).count();
        assert_eq!(starts, 1, "column {x} has a crack");
    }
}
