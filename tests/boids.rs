//! What must hold of the flock: repeatable, finite at every setting, off the body, the same at any rate.

mod common;
#[path = "common/flock.rs"]
mod flock;

use common::gpu;
use dryad::gpu::BuildError;
use dryad::sim::boids::{Boid, BoidsParams, max_count};
use flock::{Stage, all_finite, boid, ellipsoid};
use glam::{Mat4, Quat, Vec3};

#[test]
fn size_and_place_of_the_model_change_nothing() {
    let (positions, indices) = ellipsoid(Vec3::new(0.25, 0.9, 0.2), 20, 24);
    let mut paths = Vec::new();
    for scale in [1.0, 1e-3, 1e4] {
        let scaled = positions.iter().map(|p| scale * (*p + Vec3::new(0.0, 0.9, 0.0))).collect();
        let mut stage = Stage::new(scaled, indices.clone());
        stage.params.count = 300;
        stage.run(20);
        let center = stage.rest.center();
        let local = |b: &Boid| (Vec3::from(b.position) - center) / stage.rest.extent;
        paths.push(stage.current().iter().map(local).collect::<Vec<_>>());
    }
    for other in &paths[1..] {
        let apart = paths[0].iter().zip(other).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        // Scales that are no powers of two round differently; twenty ticks let that grow a little.
        assert!(apart < 1e-4, "{apart:e}");
    }
}

#[test]
fn two_runs_are_equal_to_the_bit() {
    let run = || {
        let mut stage = Stage::pillar();
        stage.params.count = 1024;
        for k in 0..600 {
            stage.world_from_body = Mat4::from_quat(Quat::from_rotation_x(0.4 * (0.08 * k as f32).sin()));
            stage.run(1);
        }
        let (boids, field) = stage.boids.report(gpu(), &stage.surface);
        assert_eq!((boids.count, boids.cells_sum, boids.non_finite), (1024, 1024, 0));
        assert_eq!(boids.inside, 0);
        assert!(boids.min_speed >= 0.999 * stage.params.min_speed * stage.rest.extent);
        assert!(boids.max_speed <= 1.001 * stage.params.max_speed * stage.rest.extent);
        (boids.hash, field.hash, stage.current())
    };
    let (first, second) = (run(), run());
    assert_eq!(first.0, second.0);
    assert_eq!(first.1, second.1);
    assert!(first.2 == second.2);
    let mut other = Stage::pillar();
    other.params.count = 1024;
    other.boids.reset(8);
    other.run(1);
    assert_ne!(other.boids.report(gpu(), &other.surface).0.hash, first.0);
}

#[test]
fn every_boid_is_in_one_cell_and_the_counts_add_up() {
    for count in [1, 2, 63, 64, 65, 1000, 5000] {
        let mut stage = Stage::pillar();
        stage.params.count = count;
        stage.run(2);
        let starts = stage.boids.read_cell_starts(gpu());
        assert_eq!(starts.first(), Some(&0));
        assert_eq!(starts.last(), Some(&count));
        assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}

#[test]
fn coincident_boids_part() {
    for count in [2, 1000] {
        let mut stage = Stage::pillar();
        stage.params.count = count;
        stage.run(1);
        let here = stage.rest.center() + Vec3::new(0.9, 0.0, 0.0);
        stage.place(&vec![boid(here, Vec3::X); count as usize]);
        stage.run(1);
        let mut places: Vec<_> = stage.current().iter().map(|b| b.position.map(f32::to_bits)).collect();
        places.sort_unstable();
        places.dedup();
        // Beyond the cap they part by the same hundred and more directions; each still has its own.
        assert_eq!(places.len(), count as usize);
        stage.run(if count == 2 { 1000 } else { 60 });
        assert!(all_finite(&stage.current()));
    }
}

#[test]
fn everyone_in_one_cell_stays_finite_and_repeatable() {
    let run = || {
        let mut stage = Stage::pillar();
        stage.params.count = 4000;
        stage.params.max_force = 20.0;
        stage.run(1);
        let states: Vec<_> = (0..4000)
            .map(|k| {
                let t = k as f32;
                let offset = Vec3::new((t * 0.7).sin(), (t * 1.3).cos(), (t * 2.1).sin()) * 0.004;
                boid(stage.rest.center() + Vec3::new(0.8, 0.2, 0.1) + offset, Vec3::new(0.5, 0.1, 0.0))
            })
            .collect();
        stage.place(&states);
        stage.run(1);
        let starts = stage.boids.read_cell_starts(gpu());
        let fullest = starts.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(fullest > Some(1000), "{fullest:?}: the boids share a few cells");
        stage.run(20);
        stage.current()
    };
    let (first, second) = (run(), run());
    assert!(all_finite(&first));
    assert!(first == second, "the cap keeps the lowest ids whatever the order of threads");
}

#[test]
fn a_lone_boid_keeps_its_heading() {
    let mut stage = Stage::pillar();
    stage.params = still_air(stage.params);
    stage.params.count = 1;
    stage.params.boundary = 5.0;
    stage.run(1);
    // Far outside the flock's world, where neither the field nor another boid says anything.
    let start = stage.rest.center() + Vec3::new(5.0, 5.0, 5.0);
    let velocity = Vec3::new(0.3, -0.6, 0.2);
    stage.place(&[boid(start, velocity)]);
    stage.run(60);
    let after = stage.current()[0];
    assert!(Vec3::from(after.velocity).distance(velocity) < 1e-5);
    // Sixty f32 additions at coordinates of five.
    assert!(Vec3::from(after.position).distance(start + velocity) < 1e-4);
}

#[test]
fn without_speed_a_boid_keeps_a_heading() {
    let mut stage = Stage::pillar();
    stage.params = still_air(stage.params);
    stage.params.count = 2;
    stage.params.min_speed = 0.0;
    stage.params.boundary = 5.0;
    stage.run(1);
    let far = stage.rest.center() + Vec3::X;
    stage.place(&[boid(far, Vec3::ZERO), boid(far - Vec3::X * 2.0, Vec3::ZERO)]);
    stage.run(1);
    let first = stage.current();
    stage.run(200);
    for (a, b) in first.iter().zip(stage.current()) {
        let (a, b) = (Vec3::from(a.velocity), Vec3::from(b.velocity));
        assert!(a.length() > 0.0 && b.length() > 0.0);
        assert!(a.normalize_or_zero().dot(b.normalize_or_zero()) > 0.999);
    }
}

#[test]
fn each_rule_has_its_own_distance_and_count() {
    // Beyond separation, within cohesion: the two come closer, and only alignment makes their headings meet.
    let run = |edit: fn(&mut BoidsParams)| {
        let mut stage = Stage::pillar();
        stage.params = BoidsParams {
            count: 2,
            separation_distance: 0.01,
            cohesion_distance: 0.2,
            alignment_distance: 0.2,
            cohesion_angle: 180.0,
            alignment_angle: 180.0,
            min_speed: 0.1,
            boundary: 5.0,
            alignment: 0.0,
            cohesion: 0.0,
            separation: 0.0,
            ..still_air(BoidsParams::default())
        };
        edit(&mut stage.params);
        stage.run(1);
        let place = stage.rest.center() + Vec3::X * 2.0;
        stage.place(&[
            boid(place, Vec3::new(0.2, 0.1, 0.0)),
            boid(place + Vec3::Z * 0.2, Vec3::new(0.2, -0.1, 0.0)),
        ]);
        stage.run(1);
        let [a, b] = [0, 1].map(|k| stage.current()[k]);
        let gap = Vec3::from(a.velocity) - Vec3::from(b.velocity);
        (gap.z, gap.y)
    };
    let idle = run(|_| ());
    assert!((idle.0, idle.1 - 0.2) == (0.0, idle.1 - 0.2) && (idle.1 - 0.2).abs() < 1e-6, "{idle:?}");
    let cohesive = run(|p| p.cohesion = 4.0);
    assert!(cohesive.0 > 0.01 && (cohesive.1 - 0.2).abs() < 1e-3, "{cohesive:?}");
    let aligned = run(|p| p.alignment = 3.0);
    assert!(aligned.0 == 0.0 && aligned.1 < 0.19, "{aligned:?}");
    let separate = run(|p| p.separation = 1.0);
    assert_eq!(separate, idle);
}

/// Nothing but the three rules, the boundary and the body.
fn still_air(params: BoidsParams) -> BoidsParams {
    BoidsParams { homing: 0.0, orbit: 0.0, wander: 0.0, ..params }
}

#[test]
fn the_look_does_not_depend_on_the_rate() {
    // Seven seconds at half and at twice the rate: mean speed and spread within five percent.
    let measure = |ticks_per_second: u32| {
        let mut stage = Stage::pillar();
        stage.params.count = 400;
        stage.params.field_resolution = 24;
        stage.dt_secs = 1.0 / ticks_per_second as f32;
        stage.run(3 * ticks_per_second);
        let (mut speed, mut spread, mut samples) = (0.0, 0.0, 0.0);
        for _ in 0..8 {
            stage.run(ticks_per_second / 2);
            for b in stage.current() {
                speed += f64::from(Vec3::from(b.velocity).length());
                spread += f64::from((Vec3::from(b.position) - stage.rest.center()).length());
                samples += 1.0;
            }
        }
        (speed / samples, spread / samples)
    };
    let (speed, spread) = measure(60);
    for rate in [30, 144] {
        let (other_speed, other_spread) = measure(rate);
        assert!((other_speed / speed - 1.0).abs() < 0.05, "{rate}: speed {other_speed} {speed}");
        assert!((other_spread / spread - 1.0).abs() < 0.05, "{rate}: spread {other_spread} {spread}");
    }
}

#[test]
fn boids_inside_the_body_leave_it_gently() {
    let mut stage = Stage::pillar();
    stage.params.count = 1000;
    // Too slow to leave by flying.
    stage.params.max_speed = 0.05;
    stage.params.min_speed = 0.05;
    stage.params.flee_speed = 0.05;
    stage.run(1);
    let states: Vec<_> = (0..1000)
        .map(|k| {
            let t = k as f32;
            let in_body = Vec3::new((t * 0.7).sin() * 0.14, (t * 1.3).cos() * 0.5, (t * 2.1).sin() * 0.11);
            boid(stage.rest.center() + in_body, Vec3::new(0.3, 0.4, 0.5))
        })
        .collect();
    stage.place(&states);
    for _ in 0..20 {
        stage.run(1);
        let steps = stage.previous().into_iter().zip(stage.current());
        let longest =
            steps.map(|(a, b)| Vec3::from(a.position).distance(b.position.into())).fold(0.0, f32::max);
        let allowed = (stage.params.max_speed + stage.params.push_speed) * stage.rest.extent * stage.dt_secs;
        assert!(longest <= 1.001 * allowed, "{longest} m in a tick, {allowed} allowed");
    }
    assert_eq!(stage.boids.report(gpu(), &stage.surface).0.inside, 0);
}

#[test]
fn a_swinging_limb_pushes_boids_before_it() {
    // A broad limb whose tips swing at two lengths of the body and more a second, faster than boids fly.
    let (positions, indices) = ellipsoid(Vec3::new(0.4, 0.9, 0.1), 60, 40);
    let mut stage = Stage::new(positions, indices);
    stage.params.count = 2000;
    let (mut inside, mut seen) = (0, 0);
    for k in 0..240 {
        stage.world_from_body = Mat4::from_rotation_x(0.9 * (0.08 * k as f32).sin());
        stage.run(1);
        if k >= 60 && k % 6 == 0 {
            inside += stage.boids.report(gpu(), &stage.surface).0.inside;
            seen += stage.params.count;
        }
    }
    assert!(f64::from(inside) < 1e-3 * f64::from(seen), "{inside} of {seen}");
}

#[test]
fn more_or_fewer_boids_keep_the_living() {
    let mut stage = Stage::pillar();
    stage.params.count = 300;
    stage.run(30);
    for count in [300, 320, 900, 5000, 250, 10] {
        let before = stage.current();
        stage.params.count = count;
        stage.run(1);
        let (kept, after) = (stage.previous(), stage.current());
        assert_eq!(after.len(), count as usize);
        let living = before.len().min(after.len());
        assert!(kept[..living] == before[..living], "from {} to {count}", before.len());
        assert!(all_finite(&after));
    }
    stage.params.count = 0;
    stage.run(2);
    assert_eq!(stage.boids.report(gpu(), &stage.surface).0.count, 0);
    stage.params.count = 5;
    stage.run(2);
    assert_eq!(stage.current().len(), 5);
}

#[test]
fn more_boids_than_the_device_holds_are_refused_with_the_limit_named() {
    let mut stage = Stage::pillar();
    stage.params.count = 100;
    stage.run(1);
    let limit = max_count(gpu());
    if limit == u32::MAX {
        return;
    }
    stage.params.count = limit + 1;
    let error = stage.try_tick().expect_err("too many");
    assert!(matches!(error, BuildError::Limit { .. }));
    let sentence = error.to_string();
    assert!(sentence.contains("max_storage_buffer_binding_size") && sentence.contains(&limit.to_string()));
    assert_eq!(stage.current().len(), 100, "the flock stays as it was");
}

#[test]
fn trails_hold_where_each_boid_was_and_newborns_have_been_where_they_are() {
    let mut stage = Stage::pillar();
    stage.params.count = 100;
    stage.run(5);
    assert!(stage.boids.flock().expect("it flies").trails.is_none(), "none are wished");
    // A second and a fifth in 24 places: one every third tick.
    stage.params.trail = 1.2;
    let mut states = Vec::new();
    let place_of = |stage: &Stage, id: usize, back: u32| {
        let trails = stage.boids.flock().expect("it flies").trails.expect("they are wished");
        let at = id * 24 + ((trails.newest + 24 - back) % 24) as usize;
        trails.places.read_range(gpu(), at..at + 1)[0].truncate().to_array()
    };
    for k in 0..90 {
        stage.run(1);
        states.push(stage.current());
        if k == 40 {
            stage.params.count = 130;
        }
    }
    let trails = stage.boids.flock().expect("it flies").trails.expect("they are wished");
    assert_eq!((trails.stride_ticks, trails.count), (3, 130));
    // The first tick with trails is the fifth; the newest place belongs to a whole number of strides later.
    let newest = (trails.newest_tick - 5) as usize;
    for id in [0, 57, 99, 129] {
        for back in [0, 1, 7, 15] {
            let then = &states[newest - 3 * back as usize];
            assert_eq!(place_of(&stage, id, back), then[id].position, "boid {id}, {back} places back");
        }
    }
    // 24 places of three ticks reach back 72: to tick 17 of these, when the last boids were not yet born.
    let born = states[41][129].position;
    assert_eq!(place_of(&stage, 129, 23), born);
    assert_ne!(place_of(&stage, 99, 23), states[41][99].position);
}
