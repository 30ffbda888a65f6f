//! The flock at the ends of its parameters' ranges.

mod common;
#[path = "common/flock.rs"]
mod flock;

use dryad::params::{Kind, Section, Value};
use dryad::sim::boids::{BoidsParams, SpeciesParams};
use flock::{Stage, all_finite};
use glam::{Mat4, Vec3};

/// What tests leave alone: how many fly, and what only costs time.
const KEPT: [&str; 4] = ["enabled", "count", "field_resolution", "field_points"];

/// Sets every parameter of a section to the end of its range that `greatest` says for its index.
fn set_ends(section: &mut dyn Section, greatest: impl Fn(usize) -> bool) {
    for (index, info) in section.infos().iter().enumerate() {
        if KEPT.contains(&info.name) && section.path() == "boids" {
            continue;
        }
        let high = greatest(index);
        let value = match info.kind {
            Kind::Float { min, max, .. } => Value::Float(if high { max } else { min }),
            Kind::Int { min, max, .. } => Value::Int(if high { max } else { min }),
            Kind::Vector { min, max, .. } => Value::Triple([if high { max } else { min }; 3]),
            Kind::Choice(names) => Value::Int(if high { names.len() as u32 - 1 } else { 0 }),
            Kind::Switch => Value::Switch(high),
            Kind::Color | Kind::Text(_) => continue,
        };
        section.set(index, value).expect("an end of the range is within it");
    }
}

/// Flies a while with swinging skin; fails where a number is not finite or a boid is in no cell.
fn fly(stage: &mut Stage, ticks: u32, what: &str) {
    for k in 0..ticks / 20 {
        stage.world_from_body = Mat4::from_rotation_z(0.5 * (0.7 * k as f32).sin());
        stage.run(20);
        let states = stage.current();
        assert!(all_finite(&states), "{what}: {:?} {:?}", stage.params, stage.species);
    }
    let starts = stage.boids.read_cell_starts(common::gpu());
    assert_eq!(starts.last(), Some(&stage.params.count), "{what}");
}

#[test]
fn every_corner_of_all_ranges_stays_finite() {
    // Corners by a multiplicative hash: the golden ratio's bits, decorrelated by the corner's number.
    let bit = |corner: u32, index: usize| {
        let hash = (index as u32 + 1).wrapping_mul(0x9e37_79b9) ^ corner.wrapping_mul(0x85eb_ca6b);
        hash.wrapping_mul(0xc2b2_ae35) >> 31 == 1
    };
    for corner in 0..10 {
        let mut stage = Stage::pillar();
        stage.params =
            BoidsParams { count: 512, field_resolution: 24, field_points: 4096, ..Default::default() };
        stage.goal = Some(stage.rest.center() + Vec3::ONE);
        let greatest = |index: usize| match corner {
            0 => false,
            1 => true,
            corner => bit(corner, index),
        };
        set_ends(&mut stage.params, greatest);
        set_ends(&mut stage.species, |index| greatest(index + 100));
        fly(&mut stage, 600, &format!("corner {corner}"));
    }
}

/// All at once can hide a fault behind another.
#[test]
fn both_ends_of_each_parameter_alone_stay_finite() {
    let plain = BoidsParams { count: 64, field_resolution: 24, field_points: 4096, ..Default::default() };
    let mut stage = Stage::pillar();
    for greatest in [false, true] {
        for only in 0..plain.infos().len() {
            let mut ends = plain.clone();
            set_ends(&mut ends, |_| greatest);
            let mut one = plain.clone();
            one.set(only, ends.get(only).expect("the same section")).expect("within its range");
            if one != plain {
                stage.params = one;
                let name = plain.infos()[only].name;
                fly(&mut stage, 20, name);
                // One end of one range keeps the flock together.
                let center = stage.rest.center();
                let places = stage.current().into_iter().map(|b| Vec3::from(b.position).distance(center));
                let far = places.fold(0.0, f32::max);
                assert!(far < 20.0 * stage.rest.extent, "{name}: {far} m away");
            }
        }
        for only in 0..stage.species.infos().len() {
            let mut ends = SpeciesParams { count: 4, ..Default::default() };
            set_ends(&mut ends, |_| greatest);
            let mut one = SpeciesParams { count: 4, ..Default::default() };
            one.set(only, ends.get(only).expect("the same section")).expect("within its range");
            (stage.params, stage.species) = (plain.clone(), one);
            let name = stage.species.infos()[only].name;
            fly(&mut stage, 20, name);
        }
        stage.species = SpeciesParams::default();
    }
}
