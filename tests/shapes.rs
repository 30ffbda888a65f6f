//! The built-in ball and box: characters like others, to grow in without a model.

mod common;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use dryad::character::load::Progress;
use dryad::character::shapes::Shape;
use dryad::character::volume::sample::POINTS_A_CUBE;
use dryad::export::grow;
use dryad::sim::growth::{GrowthParams, plan};
use dryad::viewer::{Source, jobs};
use glam::{DVec3, Vec3};

#[test]
fn names_and_sources_are_one_to_one() {
    for shape in Shape::ALL {
        let source = Source::Shape(shape);
        assert_eq!(Source::named(source.name().expect("it has one")), source);
    }
    assert_eq!(Source::named("builtin:dancer".into()), Source::BuiltIn);
    for path in ["builtin:cone", "sphere", "a/builtin:box"].map(PathBuf::from) {
        assert_eq!(Source::named(path.clone()), Source::File(path));
    }
}

#[test]
fn shapes_load_without_a_warning_and_are_a_metre_across() {
    for shape in Shape::ALL {
        let data = jobs::read(&Source::Shape(shape), &Progress::new()).expect("it loads");
        assert_eq!((data.warnings.clone(), data.clips.len()), (vec![], 0), "{shape:?}");
        let character = dryad::character::Character::new(data);
        assert_eq!(
            (character.rest.min, character.rest.max),
            (Vec3::new(-0.5, 0.0, -0.5), Vec3::new(0.5, 1.0, 0.5))
        );
        // Closed: no fan has a gap.
        assert!(character.topology.fans.iter().all(|fan| !fan.is_border), "{shape:?}");
    }
}

#[test]
fn branches_fill_the_shapes_and_their_shells() {
    let middle = DVec3::Y * 0.5;
    for shape in Shape::ALL {
        let data = jobs::read(&Source::Shape(shape), &Progress::new()).expect("it loads");
        let character = dryad::character::Character::new(data);
        let volume = if shape == Shape::Box { 1.0 } else { std::f64::consts::PI / 6.0 };
        let spacing = GrowthParams { spacing: 0.04, ..Default::default() };
        for params in [spacing.clone(), GrowthParams { fill: 1, shell_from: 0.05, shell_to: 0.15, ..spacing }]
        {
            let plan = plan(&character.data, &character.rest, &params, 1, &AtomicBool::new(false))
                .expect("not cancelled");
            assert_eq!(plan.warnings, Vec::<String>::new());
            if params.fill == 0 {
                let expected = POINTS_A_CUBE * volume / f64::from(params.spacing).powi(3);
                let found = plan.attractors.len() as f64;
                // Surfaces take or lose a layer.
                assert!((found / expected - 1.0).abs() < 0.15, "{shape:?}: {found}, not {expected}");
            }
            let grown =
                grow(common::gpu(), &character, &params, 1, &Progress::new()).expect("it grows to the end");
            let count = grown.nodes.len();
            let depth = |p: DVec3| match shape {
                Shape::Sphere => 0.5 - p.length(),
                Shape::Box => 0.5 - p.abs().max_element(),
            };
            let inside = grown
                .nodes
                .iter()
                .filter(|n| depth(plan.lattice.to_world(n.position) - middle) >= 0.0)
                .count();
            println!("{shape:?}: {} points, {count} nodes, {inside} inside", plan.attractors.len());
            assert!(
                inside * 100 >= count * 99 && count * 2 > plan.attractors.len(),
                "{shape:?}: {inside} of {count}"
            );
        }
    }
}
