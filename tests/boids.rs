//! The flock against a brute-force twin in f64, and what must hold at every setting.

mod common;
#[path = "common/flock.rs"]
mod flock;

use common::gpu;
use dryad::gpu::BuildError;
use dryad::params::{Kind, Section, Value};
use dryad::sim::boids::field::{FieldBox, FieldCell};
use dryad::sim::boids::{Boid, BoidsParams, max_count};
use flock::{Stage, all_finite, boid, ellipsoid};
use glam::{DVec3, IVec3, Mat4, Quat, Vec3};

const QUANTA: f64 = 1_048_576.0;
const STANDSTILL: f64 = 1e-4;

fn hash_u32(value: u32) -> u32 {
    let state = value.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

fn hash_direction(hash: u32) -> DVec3 {
    let unit = |salt: u32| f64::from(hash_u32(hash ^ salt) >> 8) / 8_388_608.0 - 1.0;
    DVec3::new(unit(0), unit(0x9e37_79b9), unit(0x85eb_ca6b)).normalize_or(DVec3::X)
}

/// The field as the GPU holds it; `tests/field.rs` compares it with its own twin.
struct Field {
    layout: FieldBox,
    cells: Vec<FieldCell>,
}

struct Skin {
    normal: DVec3,
    distance: f64,
    normal_speed: f64,
}

impl Field {
    fn read(stage: &Stage) -> Self {
        let view = stage.boids.field().expect("it has ticked");
        let layout = view.layout.read(gpu())[0];
        let packed = view.cells.read_range(gpu(), 0..layout.cell_count as usize);
        Self { layout, cells: packed.into_iter().map(FieldCell::unpack).collect() }
    }

    /// Trilinear blend of the filled cells' planes at a place in H from the middle.
    fn skin_at(&self, place: DVec3, dt_secs: f64) -> Option<Skin> {
        let size = IVec3::from(self.layout.size.map(|s| s as i32));
        let edge = f64::from(self.layout.cell);
        let grid = (place * QUANTA - IVec3::from(self.layout.origin).as_dvec3()) / edge - 0.5;
        let corner = grid.floor();
        let (mut weights, mut normal, mut distance, mut speed) = (0.0, DVec3::ZERO, 0.0, 0.0);
        for k in 0..8 {
            let step = DVec3::new((k & 1).into(), ((k >> 1) & 1).into(), (k >> 2).into());
            let at = (corner + step).as_ivec3();
            if at.cmplt(IVec3::ZERO).any() || at.cmpge(size).any() {
                continue;
            }
            let cell = self.cells[((at.z * size.y + at.y) * size.x + at.x) as usize];
            if cell.layer.is_none() {
                continue;
            }
            let away = grid - corner - step;
            let weight = (DVec3::ONE - away.abs()).element_product();
            let cell_normal = IVec3::from(cell.normal).as_dvec3() / 16384.0;
            weights += weight;
            normal += weight * cell_normal;
            distance += weight * (cell_normal.dot(away) - f64::from(cell.offset) / 16384.0);
            speed += weight * f64::from(cell.normal_speed) / 65536.0;
        }
        (weights >= 0.01 && normal.length() >= 0.05 * weights).then(|| Skin {
            normal: normal / normal.length(),
            distance: distance / weights * edge / QUANTA,
            normal_speed: speed / weights / dt_secs,
        })
    }
}

fn limited(force: DVec3, limit: f64) -> DVec3 {
    force.clamp_length_max(limit)
}

/// One rule: its distance, cosine of view and strength.
#[derive(Clone, Copy)]
struct Rule {
    distance: f64,
    cosine: f64,
    strength: f64,
}

impl Rule {
    fn new(distance: f32, angle_deg: f32, strength: f32) -> Self {
        let cosine = if angle_deg >= 180.0 { -2.0 } else { f64::from(angle_deg).to_radians().cos() };
        Self { distance: distance.into(), cosine, strength: strength.into() }
    }

    fn sees(&self, offset: DVec3, velocity: DVec3) -> bool {
        offset.length() < self.distance
            && velocity.dot(offset) > self.cosine * velocity.length() * offset.length()
    }
}

struct Twin<'a> {
    params: &'a BoidsParams,
    field: &'a Field,
    dt_secs: f64,
    seed: u32,
}

impl Twin<'_> {
    fn legal_speed(&self, velocity: DVec3, heading: DVec3) -> DVec3 {
        let least = f64::from(self.params.min_speed).max(STANDSTILL);
        let speed = velocity.length();
        if speed < 0.1 * STANDSTILL {
            return heading * least;
        }
        velocity * speed.clamp(least, f64::from(self.params.max_speed).max(least)) / speed
    }

    /// Position and velocity of boid `id` a tick later, in H from the middle; every other boid is looked at.
    fn step(&self, id: usize, flock: &[(DVec3, DVec3)]) -> (DVec3, DVec3) {
        let p = self.params;
        let (place, velocity) = flock[id];
        let cohesion = Rule::new(p.cohesion_distance, p.cohesion_angle, p.cohesion);
        let separation = Rule::new(p.separation_distance, p.separation_angle, p.separation);
        let alignment = Rule::new(p.alignment_distance, p.alignment_angle, p.alignment);
        let (mut together, mut apart, mut along) = (vec![], DVec3::ZERO, vec![]);
        for (j, &(other_place, other_velocity)) in flock.iter().enumerate() {
            let offset = other_place - place;
            if j == id {
                continue;
            }
            if offset.length_squared() < 1e-12 {
                let (low, high) = (id.min(j) as u32, id.max(j) as u32);
                let direction = hash_direction(hash_u32(low ^ hash_u32(high ^ hash_u32(self.seed))));
                apart += direction * if id < j { 1000.0 } else { -1000.0 };
                continue;
            }
            if cohesion.sees(offset, velocity) {
                together.push(offset);
            }
            if separation.sees(offset, velocity) {
                apart -= offset / offset.length_squared();
            }
            if alignment.sees(offset, velocity) {
                along.push(other_velocity);
            }
        }
        let mean = |v: &[DVec3]| v.iter().sum::<DVec3>() / v.len().max(1) as f64;
        let max_force = f64::from(p.max_force);
        let mut force = limited(separation.strength * apart, max_force);
        force += limited(cohesion.strength * mean(&together), max_force);
        if !along.is_empty() {
            force += limited(alignment.strength * (mean(&along) - velocity), max_force);
        }
        let ring = (place.x * place.x + place.z * place.z + 0.01).sqrt();
        force += f64::from(p.orbit) * DVec3::new(place.z, 0.0, -place.x) / ring;
        let (square, radius) = (place.length_squared(), f64::from(p.boundary));
        if square > radius * radius {
            let back = -f64::from(p.boundary_force) * place * (square - radius * radius) / square;
            force += limited(back, 4.0 * max_force);
        }
        let avoid = f64::from(p.avoid);
        let clearance = f64::from(p.clearance);
        let skin_at = |place| if avoid > 0.0 { self.field.skin_at(place, self.dt_secs) } else { None };
        if let Some(skin) = skin_at(place) {
            let way = skin.distance - clearance;
            let closing = skin.normal_speed - velocity.dot(skin.normal);
            if way <= 0.0 {
                force += avoid * skin.normal;
            } else if closing > 0.0 {
                force += avoid.min(0.5 * closing * closing / way) * skin.normal;
            }
        }
        let heading = velocity.normalize_or(hash_direction(id as u32 ^ hash_u32(self.seed)));
        let mut velocity = self.legal_speed(velocity + force * self.dt_secs, heading);
        let mut substeps = 1.0;
        if avoid > 0.0 && self.field.layout.cell_count > 0 {
            let half_cell = 0.5 * f64::from(self.field.layout.cell) / QUANTA;
            substeps = (velocity.length() * self.dt_secs / half_cell).ceil().clamp(1.0, 16.0);
        }
        let step_secs = self.dt_secs / substeps;
        let mut moved = DVec3::ZERO;
        for _ in 0..substeps as u32 {
            moved += velocity * step_secs;
            let Some(skin) = skin_at(place + moved).filter(|skin| skin.distance < clearance) else {
                continue;
            };
            velocity -= velocity.dot(skin.normal).min(0.0) * skin.normal;
            let lift = (f64::from(p.push_speed) + skin.normal_speed.max(0.0)) * step_secs;
            moved += (clearance - skin.distance).min(lift) * skin.normal;
            if velocity.length() < STANDSTILL {
                let sideways = skin.normal.cross(hash_direction(id as u32 ^ hash_u32(self.seed)));
                velocity = self.legal_speed(sideways, skin.normal);
            }
        }
        (place + moved, self.legal_speed(velocity, heading))
    }
}

/// Runs one tick and compares it with the twin; returns how far off the worst boid is, in H and H/s.
fn worst_error(stage: &mut Stage) -> f64 {
    stage.run(1);
    let (before, after) = (stage.previous(), stage.current());
    let (center, extent) = (stage.rest.center().as_dvec3(), f64::from(stage.rest.extent));
    let local = |b: &Boid| {
        let [place, velocity] = [b.position, b.velocity].map(|v| Vec3::from(v).as_dvec3());
        ((place - center) / extent, velocity / extent)
    };
    let flock: Vec<_> = before.iter().map(local).collect();
    let field = Field::read(stage);
    let twin =
        Twin { params: &stage.params, field: &field, dt_secs: f64::from(stage.dt_secs), seed: stage.seed };
    let starts = stage.boids.read_cell_starts(gpu());
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] <= 128), "the twin knows no cap");
    (0..flock.len())
        .map(|id| {
            let (place, velocity) = twin.step(id, &flock);
            let (gpu_place, gpu_velocity) = local(&after[id]);
            place.distance(gpu_place).max(velocity.distance(gpu_velocity))
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
    stage.params.count = 1;
    stage.params.orbit = 0.0;
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
    stage.params.count = 2;
    stage.params.min_speed = 0.0;
    stage.params.orbit = 0.0;
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
            orbit: 0.0,
            boundary: 5.0,
            alignment: 0.0,
            cohesion: 0.0,
            separation: 0.0,
            ..Default::default()
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

/// Sets every number and choice to one end of its range.
fn extreme(greatest: bool) -> BoidsParams {
    let mut params = BoidsParams::default();
    for index in 0..params.infos().len() {
        let value = match params.infos()[index].kind {
            Kind::Float { min, max, .. } => Value::Float(if greatest { max } else { min }),
            Kind::Int { min, max, .. } => Value::Int(if greatest { max } else { min }),
            _ => continue,
        };
        params.set(index, value).expect("an end of the range is within it");
    }
    params
}

#[test]
fn both_ends_of_every_parameter_stay_finite() {
    for greatest in [false, true] {
        let all = extreme(greatest);
        let mut cases = vec![BoidsParams { count: 64, field_resolution: 48, ..all.clone() }];
        // Each alone, too: all at once can hide a fault behind another.
        for index in 0..all.infos().len() {
            let mut one = BoidsParams::default();
            one.set(index, all.get(index).expect("the same section")).expect("within its range");
            one.count = 64;
            one.field_resolution = one.field_resolution.min(48);
            if one.enabled && one != (BoidsParams { count: 64, ..Default::default() }) {
                cases.push(one);
            }
        }
        let mut stage = Stage::pillar();
        for (k, params) in cases.into_iter().enumerate() {
            let ticks = if k == 0 { 300 } else { 20 };
            stage.params = params;
            stage.run(ticks);
            let states = stage.current();
            assert!(all_finite(&states), "{:?}", stage.params);
            let far = states.iter().map(|b| Vec3::from(b.position).length()).fold(0.0, f32::max);
            assert!(far < 20.0 * stage.rest.extent, "{far} m away with {:?}", stage.params);
        }
    }
}

#[test]
fn the_look_does_not_depend_on_the_rate() {
    // Ten seconds at half and at twice the rate: mean speed and spread within five percent.
    let measure = |ticks_per_second: u32| {
        let mut stage = Stage::pillar();
        stage.params.count = 600;
        stage.dt_secs = 1.0 / ticks_per_second as f32;
        stage.run(6 * ticks_per_second);
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
    stage.run(1);
    let states: Vec<_> = (0..1000)
        .map(|k| {
            let t = k as f32;
            let in_body = Vec3::new((t * 0.7).sin() * 0.14, (t * 1.3).cos() * 0.5, (t * 2.1).sin() * 0.11);
            boid(stage.rest.center() + in_body, Vec3::new(0.3, 0.4, 0.5))
        })
        .collect();
    stage.place(&states);
    for _ in 0..60 {
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
    // A limb as thick as an arm, swinging by a metre and a half a second and more.
    let (positions, indices) = ellipsoid(Vec3::new(0.09, 0.9, 0.09), 60, 24);
    let mut stage = Stage::new(positions, indices);
    stage.params.count = 2000;
    let (mut inside, mut seen) = (0, 0);
    for k in 0..300 {
        let angle = 0.9 * (0.1 * k as f32).sin();
        stage.world_from_body = Mat4::from_rotation_z(angle);
        stage.run(1);
        if k >= 60 && k % 10 == 0 {
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
