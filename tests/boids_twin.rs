//! One tick of the flock against a brute-force twin in f64 that looks at every pair.

mod common;
#[path = "common/flock.rs"]
mod flock;

use std::collections::HashMap;
use std::f64::consts::TAU;

use common::gpu;
use dryad::sim::boids::field::{FieldBox, FieldCell};
use dryad::sim::boids::grid::{GRID_CELL_CAP, GridShape};
use dryad::sim::boids::{Boid, BoidsParams};
use flock::Stage;
use glam::{DVec3, IVec3, Mat4, Vec3};

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
    cells: Vec<Option<FieldCell>>,
}

struct Skin {
    normal: DVec3,
    distance: f64,
    velocity: DVec3,
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
        let (mut weights, mut normal, mut distance, mut velocity) = (0.0, DVec3::ZERO, 0.0, DVec3::ZERO);
        let mut strongest = (0.0, DVec3::ZERO);
        for k in 0..8 {
            let step = DVec3::new((k & 1).into(), ((k >> 1) & 1).into(), (k >> 2).into());
            let at = (corner + step).as_ivec3();
            if at.cmplt(IVec3::ZERO).any() || at.cmpge(size).any() {
                continue;
            }
            let Some(cell) = self.cells[((at.z * size.y + at.y) * size.x + at.x) as usize] else { continue };
            let away = grid - corner - step;
            let weight = (DVec3::ONE - away.abs()).element_product();
            let cell_normal = IVec3::from(cell.normal).as_dvec3() / 16384.0;
            weights += weight;
            normal += weight * cell_normal;
            distance += weight * (cell_normal.dot(away) + f64::from(cell.distance) / 16384.0);
            velocity += weight * IVec3::from(cell.velocity).as_dvec3() / 131_072.0;
            if weight > strongest.0 {
                strongest = (weight, cell_normal);
            }
        }
        if normal.length() < 0.05 * weights {
            normal = strongest.1 * weights;
        }
        (weights >= 0.01 && normal.length() >= 0.05 * weights).then(|| Skin {
            normal: normal / normal.length(),
            distance: distance / weights * edge / QUANTA,
            velocity: velocity / weights / dt_secs,
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
    time_secs: f64,
    seed: u32,
    /// Whether others see the boid: at most so many of a cell are seen, those of the lowest ids.
    seen: &'a [bool],
}

impl Twin<'_> {
    /// Homing, the circle round a leaning axis, the air's swirls, and the boundary sphere.
    fn place_force(&self, place: DVec3) -> DVec3 {
        let p = self.params;
        let max_force = f64::from(p.max_force);
        let mut force = limited(-f64::from(p.homing) * place, max_force);
        let turn = |period_secs: f64| TAU * self.time_secs / period_secs;
        let axis = DVec3::new(0.9 * turn(17.0).sin(), 1.0, 0.9 * turn(23.0).sin());
        let around = (axis / axis.length()).cross(place);
        force += f64::from(p.orbit) * around / (around.length_squared() + 0.01).sqrt();
        let swirl =
            6.0 * DVec3::new(place.y, place.z, place.x) + DVec3::new(turn(7.0), turn(9.5), turn(12.5));
        force += f64::from(p.wander) * DVec3::new(swirl.x.sin(), swirl.y.sin(), swirl.z.sin());
        let (square, radius) = (place.length_squared(), f64::from(p.boundary));
        if square > radius * radius {
            let back = -f64::from(p.boundary_force) * place * (square - radius * radius) / square;
            force += limited(back, 4.0 * max_force);
        }
        force
    }

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
            if j == id || !self.seen[j] {
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
        force += self.place_force(place);
        let avoid = f64::from(p.avoid);
        let clearance = f64::from(p.clearance);
        let skin_at = |place| if avoid > 0.0 { self.field.skin_at(place, self.dt_secs) } else { None };
        if let Some(skin) = skin_at(place) {
            let way = skin.distance - clearance;
            let closing = (skin.velocity - velocity).dot(skin.normal);
            if way <= 0.0 {
                force += avoid * skin.normal;
            } else if closing > 0.0 {
                let brake = 0.5 * closing * closing / (way + closing * self.dt_secs);
                force += avoid.min(brake) * skin.normal;
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
            let lift = (f64::from(p.push_speed) + skin.velocity.dot(skin.normal).max(0.0)) * step_secs;
            moved += (clearance - skin.distance).min(lift) * skin.normal;
            if velocity.length() < STANDSTILL {
                let sideways = skin.normal.cross(hash_direction(id as u32 ^ hash_u32(self.seed)));
                velocity = self.legal_speed(sideways, skin.normal);
            }
        }
        (place + moved, self.legal_speed(velocity, heading))
    }
}

/// Which boids are among those of the lowest ids of their cell that others look at.
fn seen_of_each_cell(stage: &Stage, states: &[Boid]) -> Vec<bool> {
    let p = &stage.params;
    let reach = p.cohesion_distance.max(p.separation_distance).max(p.alignment_distance);
    let shape = GridShape::new(reach, 1.25 * p.boundary, p.count);
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
        ((place - center) / extent, velocity / extent)
    };
    let flock: Vec<_> = before.iter().map(local).collect();
    let field = Field::read(stage);
    let dt_secs = f64::from(stage.dt_secs);
    let time_secs = (stage.tick - 1) as f64 * dt_secs;
    let seen = seen_of_each_cell(stage, &before);
    let twin =
        Twin { params: &stage.params, field: &field, dt_secs, time_secs, seed: stage.seed, seen: &seen };
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
