//! One tick of the flock against a brute-force twin in f64 that looks at every pair.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/flock.rs"]
mod flock;
mod twin;

use std::collections::HashMap;

use common::gpu;
use dryad::sim::boids::grid::{GRID_CELL_CAP, GridShape};
use dryad::sim::boids::{Boid, BoidsParams, SpeciesParams};
use flock::Stage;
use glam::{Mat4, Vec3};
use twin::{Bird, Field, Twin};

/// Which boids are among those of the lowest ids of their cell that others look at.
fn seen_of_each_cell(stage: &Stage, states: &[Boid]) -> Vec<bool> {
    let p = &stage.params;
    let reach = p.cohesion_distance.max(p.separation_distance).max(p.alignment_distance);
    let half = 0.5 * (stage.rest.max - stage.rest.min) / stage.rest.extent + p.boundary - 0.5;
    let half_width = if p.boundary_shape == 0 { p.boundary } else { half.max_element() };
    let shape = GridShape::new(reach, 1.25 * half_width, p.count);
    let mut counts: HashMap<[i64; 3], u32> = HashMap::new();
    let seen = states
        .iter()
        .map(|b| {
            let place = (Vec3::from(b.position) - stage.rest.center()) / stage.rest.extent;
            let cell = ((place - shape.origin) * shape.cells_per_extent).floor();
            let cell = cell.to_array().map(|c| c.clamp(0.0, shape.side as f32 - 1.0) as i64);
            let rank = counts.entry(cell).or_default();
            *rank += 1;
            *rank <= GRID_CELL_CAP
        })
        .collect();
    let starts = stage.boids.read_cell_starts(gpu());
    let fullest = starts.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert_eq!(fullest, counts.values().max().copied().or(fullest), "the same cells on both sides");
    seen
}

/// Runs one tick and compares it with the twin; returns how far off the worst boid is, in H and H/s.
fn worst_error(stage: &mut Stage) -> f64 {
    stage.run(1);
    let (before, after) = (stage.previous(), stage.current());
    let (center, extent) = (stage.rest.center().as_dvec3(), f64::from(stage.rest.extent));
    let local = |b: &Boid| {
        let [place, velocity] = [b.position, b.velocity].map(|v| Vec3::from(v).as_dvec3());
        let (crowd, sits) = (f64::from(b.crowd), b.sits > 0.0);
        Bird { place: (place - center) / extent, velocity: velocity / extent, crowd, sits }
    };
    let flock: Vec<_> = before.iter().map(local).collect();
    let field = Field::read(stage);
    let dt_secs = f64::from(stage.dt_secs);
    let seen = seen_of_each_cell(stage, &before);
    let twin = Twin {
        params: &stage.params,
        species: &stage.species,
        goal: stage.goal.map(|goal| (goal.as_dvec3() - center) / extent),
        half: 0.5 * (stage.rest.max - stage.rest.min).as_dvec3() / extent,
        field: &field,
        dt_secs,
        time_secs: (stage.tick - 1) as f64 * dt_secs,
        seed: stage.seed,
        seen: &seen,
    };
    (0..flock.len())
        .map(|id| {
            let (wanted, got) = (twin.step(id, &flock), local(&after[id]));
            assert_eq!(wanted.sits, got.sits, "boid {id}");
            // A count, of likings with two digits.
            assert!((wanted.crowd - got.crowd).abs() < 1e-3, "boid {id}: {} and {}", wanted.crowd, got.crowd);
            wanted.place.distance(got.place).max(wanted.velocity.distance(got.velocity))
        })
        .fold(0.0, f64::max)
}

/// f32 carries seven digits, forces sum some dozens of neighbours, and a tick is a sixtieth of a second: 1e-6 is
/// what rounding makes of it, 1e-5 the limit that the flock must keep.
const TOLERANCE: f64 = 1e-5;

#[test]
fn one_tick_equals_brute_force() {
    for count in [0, 1, 2, 500] {
        let mut stage = Stage::pillar();
        stage.params.count = count;
        // A narrow boundary, so that some boids are beyond it, and swinging skin.
        stage.params.boundary = 0.55;
        for k in 0..40 {
            stage.world_from_body = Mat4::from_rotation_z(0.3 * (0.15 * k as f32).sin());
            stage.run(1);
        }
        // Neighbours behind and beside, so that each rule's angle decides.
        for k in 0..4 {
            stage.params.boundary = 0.45;
            stage.world_from_body = Mat4::from_rotation_z(0.3 * (0.15 * (40 + k) as f32).sin());
            let error = worst_error(&mut stage);
            assert!(error < TOLERANCE, "{count} boids: {error:e}");
        }
    }
}

#[test]
fn one_tick_equals_brute_force_at_other_settings() {
    let crowd = BoidsParams {
        count: 400,
        cohesion_distance: 0.3,
        separation_distance: 0.1,
        alignment_distance: 0.2,
        cohesion_angle: 180.0,
        separation_angle: 180.0,
        alignment_angle: 30.0,
        ..Default::default()
    };
    let fast = BoidsParams { min_speed: 2.0, max_speed: 5.0, max_force: 20.0, ..crowd.clone() };
    let through = BoidsParams { avoid: 0.0, orbit: -3.0, ..crowd.clone() };
    let slow = BoidsParams { min_speed: 0.0, max_speed: 0.01, clearance: 0.2, ..crowd.clone() };
    for (name, params) in [("crowd", crowd), ("fast", fast), ("through", through), ("slow", slow)] {
        let mut stage = Stage::pillar();
        stage.params = params;
        stage.run(30);
        for _ in 0..3 {
            let error = worst_error(&mut stage);
            assert!(error < TOLERANCE, "{name}: {error:e}");
        }
    }
}

#[test]
fn one_tick_equals_brute_force_with_every_option() {
    let base = BoidsParams {
        count: 200,
        cohesion_distance: 0.2,
        field_resolution: 24,
        field_points: 4096,
        ..Default::default()
    };
    let goal = |goal| BoidsParams { goal, ..base.clone() };
    let cases = [
        ("a box", BoidsParams { boundary_shape: 1, boundary: 0.52, ..base.clone() }),
        ("a path", goal(1)),
        ("a pointer", goal(2)),
        ("a joint", goal(3)),
        ("wide turns", BoidsParams { turn_rate: 60.0, ..base.clone() }),
        ("hunters", BoidsParams { predators: 5, predator_distance: 0.3, ..base.clone() }),
        ("fright", BoidsParams { fright: 30.0, max_speed: 0.3, clearance: 0.01, ..base.clone() }),
        ("perches", BoidsParams { perch: 0.6, perch_secs: 1.0, homing: 8.0, ..base.clone() }),
        (
            "all",
            BoidsParams { perch: 0.4, perch_secs: 2.0, predators: 2, goal: 1, fright: 5.0, ..base.clone() },
        ),
    ];
    for (name, params) in cases {
        for count in [1, 4] {
            let mut stage = Stage::pillar();
            stage.species = SpeciesParams { count, ..Default::default() };
            stage.goal = Some(stage.rest.center() + Vec3::new(0.9, 0.4, -0.6));
            stage.params = params.clone();
            let (mut worst, mut sitting, mut fast) = (0.0f64, 0, 0);
            for k in 0..84 {
                stage.world_from_body = Mat4::from_rotation_z(0.5 * (0.2 * k as f32).sin());
                if k % 12 == 11 {
                    worst = worst.max(worst_error(&mut stage));
                } else {
                    stage.run(1);
                }
            }
            for boid in stage.current() {
                sitting += usize::from(boid.sits > 0.0);
                let speed = Vec3::from(boid.velocity).length() / stage.rest.extent;
                fast += usize::from(speed > 1.01 * stage.params.max_speed * 1.3);
            }
            assert!(worst < TOLERANCE, "{name}, {count} species: {worst:e}");
            // What a case is about happens.
            assert_eq!(sitting > 3, stage.params.perch > 0.0, "{name}: {sitting} sit");
            assert!(fast > 0 || !["hunters", "fright"].contains(&name), "{name}: nobody flees");
        }
    }
}

#[test]
fn one_tick_of_a_crowd_equals_brute_force_under_the_cap() {
    let mut stage = Stage::pillar();
    stage.params.count = 1200;
    stage.params.cohesion_angle = 180.0;
    stage.run(1);
    // A swarm no larger than a few cells: some hold more than the cap, and rows lead on beyond full ones.
    let states: Vec<_> = (0..1200)
        .map(|k| {
            let t = k as f32;
            let offset = Vec3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 2.1).sin()) * 0.2;
            let velocity = Vec3::new((t * 0.3).cos(), (t * 0.9).sin(), 0.4);
            flock::boid(stage.rest.center() + Vec3::new(0.8, 0.2, 0.1) + offset, velocity)
        })
        .collect();
    stage.place(&states);
    let error = worst_error(&mut stage);
    let starts = stage.boids.read_cell_starts(gpu());
    assert!(starts.windows(2).any(|pair| pair[1] - pair[0] > GRID_CELL_CAP));
    assert!(error < TOLERANCE, "{error:e}");
}
