//! The flock's tick in f64, looking at every pair.

use std::f64::consts::TAU;

use dryad::sim::boids::field::{FieldBox, FieldCell};
use dryad::sim::boids::{BoidsParams, SpeciesParams};
use glam::{DVec3, IVec3};

use crate::common::gpu;
use crate::flock::Stage;

const QUANTA: f64 = 1_048_576.0;
const STANDSTILL: f64 = 1e-4;
const SITTING: f64 = 2e-3;

/// Place and velocity in H from the middle, how many it flies with, and whether it sits.
#[derive(Debug, Clone, Copy)]
pub struct Bird {
    pub place: DVec3,
    pub velocity: DVec3,
    pub crowd: f64,
    pub sits: bool,
}

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
pub struct Field {
    layout: FieldBox,
    cells: Vec<Option<FieldCell>>,
}

#[derive(Clone, Copy)]
pub struct Skin {
    normal: DVec3,
    distance: f64,
    velocity: DVec3,
}

impl Field {
    pub fn read(stage: &Stage) -> Self {
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

pub struct Twin<'a> {
    pub params: &'a BoidsParams,
    pub species: &'a SpeciesParams,
    /// In H from the middle.
    pub goal: Option<DVec3>,
    /// Half the character's box, in H.
    pub half: DVec3,
    pub field: &'a Field,
    pub dt_secs: f64,
    pub time_secs: f64,
    pub seed: u32,
    /// Whether others see the boid: at most so many of a cell are seen, those of the lowest ids.
    pub seen: &'a [bool],
}

impl Twin<'_> {
    /// Homing, the goal, the circle round a leaning axis, the air's swirls, and the boundary.
    fn place_force(&self, place: DVec3) -> DVec3 {
        let p = self.params;
        let max_force = f64::from(p.max_force);
        let mut force = limited(-f64::from(p.homing) * place, max_force);
        let turn = |period_secs: f64| TAU * self.time_secs / period_secs;
        let round = turn(p.goal_period.into());
        let path =
            0.8 * f64::from(p.boundary) * DVec3::new(round.sin(), 0.5 * (2.0 * round).sin(), round.cos());
        if let Some(goal) = if p.goal == 1 { Some(path) } else { self.goal.filter(|_| p.goal > 1) } {
            force += limited(f64::from(p.goal_pull) * (goal - place), max_force);
        }
        let axis = DVec3::new(0.9 * turn(17.0).sin(), 1.0, 0.9 * turn(23.0).sin());
        let around = (axis / axis.length()).cross(place);
        force += f64::from(p.orbit) * around / (around.length_squared() + 0.01).sqrt();
        let swirl =
            6.0 * DVec3::new(place.y, place.z, place.x) + DVec3::new(turn(7.0), turn(9.5), turn(12.5));
        force += f64::from(p.wander) * DVec3::new(swirl.x.sin(), swirl.y.sin(), swirl.z.sin());
        let (square, radius) = (place.length_squared(), f64::from(p.boundary));
        if p.boundary_shape == 1 {
            let beyond = (place.abs() - (self.half + radius - 0.5).max(DVec3::splat(0.05))).max(DVec3::ZERO);
            force -= limited(2.0 * f64::from(p.boundary_force) * place.signum() * beyond, 4.0 * max_force);
        } else if square > radius * radius {
            let back = -f64::from(p.boundary_force) * place * (square - radius * radius) / square;
            force += limited(back, 4.0 * max_force);
        }
        force
    }

    fn hunts(&self, id: usize) -> bool {
        id < self.params.predators as usize
    }

    /// What one boid thinks of another.
    fn liking(&self, id: usize, other: usize, other_velocity: DVec3) -> f64 {
        if self.params.perch > 0.0 && other_velocity.length() < SITTING {
            return 0.0;
        }
        match (self.hunts(id), self.hunts(other)) {
            (true, true) => return -1.0,
            (true, false) => return 1.0,
            (false, true) => return 0.0,
            (false, false) => (),
        }
        let s = self.species;
        let (low, high) = {
            let kinds = [id, other].map(|id| s.of(id as u32));
            (kinds[0].min(kinds[1]), kinds[0].max(kinds[1]))
        };
        f64::from(match (low, high) {
            (0, 1) => s.liking_ab,
            (0, 2) => s.liking_ac,
            (0, 3) => s.liking_ad,
            (1, 2) => s.liking_bc,
            (1, 3) => s.liking_bd,
            (2, 3) => s.liking_cd,
            _ => 1.0,
        })
    }

    /// Cohesion, separation and alignment over every other boid, and how many it flies with.
    fn rule_force(&self, id: usize, flock: &[Bird]) -> (DVec3, f64) {
        let p = self.params;
        let Bird { place, velocity, .. } = flock[id];
        let cohesion = Rule::new(p.cohesion_distance, p.cohesion_angle, p.cohesion);
        let separation = Rule::new(p.separation_distance, p.separation_angle, p.separation);
        let alignment = Rule::new(p.alignment_distance, p.alignment_angle, p.alignment);
        let (mut together, mut apart, mut along) = (vec![], DVec3::ZERO, vec![]);
        for (j, other) in flock.iter().enumerate() {
            let offset = other.place - place;
            if j == id || !self.seen[j] {
                continue;
            }
            if offset.length_squared() < 1e-12 {
                let (low, high) = (id.min(j) as u32, id.max(j) as u32);
                let direction = hash_direction(hash_u32(low ^ hash_u32(high ^ hash_u32(self.seed))));
                apart += direction * if id < j { 1000.0 } else { -1000.0 };
                continue;
            }
            let liking = self.liking(id, j, other.velocity);
            if cohesion.sees(offset, velocity) {
                together.push((liking.max(0.0), offset));
                apart += liking.min(0.0) * offset / offset.length_squared();
            }
            if separation.sees(offset, velocity) {
                apart -= offset / offset.length_squared();
            }
            if alignment.sees(offset, velocity) {
                along.push((liking.max(0.0), other.velocity));
            }
        }
        let weight = |v: &[(f64, DVec3)]| v.iter().map(|(weight, _)| weight).sum::<f64>();
        let mean = |v: &[(f64, DVec3)]| v.iter().map(|&(weight, x)| weight * x).sum::<DVec3>() / weight(v);
        let max_force = f64::from(p.max_force);
        let mut force = limited(separation.strength * apart, max_force);
        if weight(&together) > 0.0 {
            force += limited(cohesion.strength * mean(&together), max_force);
        }
        if weight(&along) > 0.0 {
            force += limited(alignment.strength * (mean(&along) - velocity), max_force);
        }
        (force, weight(&together))
    }

    /// Away from hunters and from limbs that come fast.
    fn flight_force(&self, id: usize, place: DVec3, skin: Option<Skin>, flock: &[Bird]) -> DVec3 {
        let p = self.params;
        let max_force = f64::from(p.max_force);
        let mut force = DVec3::ZERO;
        if !self.hunts(id) {
            for hunter in flock.iter().take(p.predators as usize) {
                let (offset, reach) = (place - hunter.place, f64::from(p.predator_distance));
                if offset.length() < reach && offset.length() > 1e-6 {
                    force += 4.0 * max_force * (1.0 - offset.length() / reach) * offset.normalize_or_zero();
                }
            }
            force = limited(force, 4.0 * max_force);
        }
        if let Some(skin) = skin.filter(|skin| p.fright > 0.0 && skin.distance < 0.2) {
            let haste = skin.velocity.length() / f64::from(p.max_speed).max(STANDSTILL) - 1.0;
            let near = 1.0 - skin.distance.max(0.0) / 0.2;
            force += f64::from(p.fright) * haste.clamp(0.0, 1.0) * near * skin.normal;
        }
        force
    }

    /// Away from the skin, in time.
    fn avoid_force(&self, skin: Option<Skin>, velocity: DVec3) -> DVec3 {
        let (avoid, clearance) = (f64::from(self.params.avoid), f64::from(self.params.clearance));
        let Some(skin) = skin else { return DVec3::ZERO };
        let way = skin.distance - clearance;
        let closing = (skin.velocity - velocity).dot(skin.normal);
        if way <= 0.0 {
            return avoid * skin.normal;
        }
        if closing <= 0.0 {
            return DVec3::ZERO;
        }
        avoid.min(0.5 * closing * closing / (way + closing * self.dt_secs)) * skin.normal
    }

    fn wants_to_sit(&self, id: usize) -> bool {
        let share = f64::from(self.params.perch);
        let own = f64::from(hash_u32(id as u32 ^ hash_u32(self.seed ^ 0x51ed_270b)) >> 8) / 16_777_216.0;
        let cycles = self.time_secs * share / f64::from(self.params.perch_secs);
        !self.hunts(id) && share > 0.0 && (cycles + own).fract() < share
    }

    /// No sharper a turn than is allowed.
    fn turned(&self, heading: DVec3, velocity: DVec3, id: usize) -> DVec3 {
        let most = (f64::from(self.params.turn_rate) * self.dt_secs).min(180.0).to_radians();
        let wanted = velocity.normalize_or_zero();
        if heading.dot(wanted) >= most.cos() {
            return velocity;
        }
        let mut aside = wanted - heading.dot(wanted) * heading;
        if aside.length_squared() < 1e-8 {
            let side = hash_direction(id as u32 ^ hash_u32(self.seed));
            aside = side - side.dot(heading) * heading;
        }
        velocity.length() * (most.cos() * heading + most.sin() * aside.normalize_or_zero())
    }

    /// A boid a tick later; every other boid is looked at.
    pub fn step(&self, id: usize, flock: &[Bird]) -> Bird {
        let p = self.params;
        let Bird { place, velocity, sits: sat, .. } = flock[id];
        let avoid = f64::from(p.avoid);
        let skin_at = |place| if avoid > 0.0 { self.field.skin_at(place, self.dt_secs) } else { None };
        let own = hash_direction(id as u32 ^ hash_u32(self.seed));
        let heading = if velocity.length() < 0.1 * STANDSTILL { own } else { velocity.normalize_or_zero() };
        let pace = f64::from(
            [1.0, self.species.pace_b, self.species.pace_c, self.species.pace_d]
                [self.species.of(id as u32) as usize],
        );
        let least = (f64::from(p.min_speed) * pace).max(STANDSTILL);
        let most = (f64::from(p.max_speed) * pace).max(least);
        let flee = f64::from(p.flee_speed) * pace;
        let skin = skin_at(place);
        let flight = self.flight_force(id, place, skin, flock);
        let frightened = flight.length() > 0.0;
        let perch = 0.25 * f64::from(p.size);
        let push = f64::from(p.push_speed);
        let sits = skin.filter(|_| !frightened && self.wants_to_sit(id));
        if let Some(skin) = sits.filter(|_| sat) {
            let lift = (perch - skin.distance).clamp(-push * self.dt_secs, push * self.dt_secs);
            let along = heading - heading.dot(skin.normal) * skin.normal;
            let flat = if along.length_squared() > 1e-4 { along.normalize_or_zero() } else { heading };
            let place = place + skin.velocity * self.dt_secs + lift * skin.normal;
            return Bird { place, velocity: 0.5 * SITTING * flat, crowd: 0.0, sits: true };
        }
        let (rule, crowd) = self.rule_force(id, flock);
        let force = match sits {
            Some(skin) => {
                let way = (skin.distance - perch).max(0.0);
                let down = (f64::from(p.max_force) * way).sqrt().min(0.7 * f64::from(p.max_speed)) + 0.02;
                let wanted = skin.velocity - down * skin.normal;
                0.25 * rule + limited(8.0 * (wanted - velocity), 4.0 * f64::from(p.max_force))
            }
            None => rule + self.place_force(place) + flight + self.avoid_force(skin, velocity),
        };
        let mut velocity = velocity;
        if let Some(skin) = skin.filter(|_| sat && sits.is_none()) {
            velocity = least * (heading + skin.normal).normalize_or_zero() + skin.velocity;
        }
        let slowed = velocity.length() - f64::from(p.max_force) * self.dt_secs;
        let fast = frightened || self.hunts(id);
        let most = if fast { most.max(flee) } else { most.max(flee.min(slowed)) };
        let least = if sits.is_some() { STANDSTILL } else { least };
        let legal = |velocity: DVec3, heading: DVec3| {
            let speed = velocity.length();
            if speed < 0.1 * STANDSTILL {
                heading * least
            } else {
                velocity * speed.clamp(least, most) / speed
            }
        };
        let velocity = legal(velocity + force * self.dt_secs, heading);
        let mut velocity = self.turned(heading, velocity, id);
        let clearance = if sits.is_some() { perch } else { f64::from(p.clearance) };
        // The skin takes the boid along before it goes the rest of its own way.
        let carried = skin.map_or(DVec3::ZERO, |skin| skin.velocity);
        let mut substeps = 1.0;
        if avoid > 0.0 && self.field.layout.cell_count > 0 {
            let half_cell = 0.5 * f64::from(self.field.layout.cell) / QUANTA;
            substeps = ((velocity - carried).length() * self.dt_secs / half_cell).ceil().clamp(1.0, 16.0);
        }
        let step_secs = self.dt_secs / substeps;
        let mut moved = carried * self.dt_secs;
        for _ in 0..substeps as u32 {
            moved += (velocity - carried) * step_secs;
            let Some(skin) = skin_at(place + moved).filter(|skin| skin.distance < clearance) else {
                continue;
            };
            velocity -= velocity.dot(skin.normal).min(0.0) * skin.normal;
            let lift = (push + skin.velocity.dot(skin.normal).max(0.0)) * step_secs;
            moved += (clearance - skin.distance).min(lift) * skin.normal;
            if velocity.length() < STANDSTILL {
                velocity = legal(skin.normal.cross(own), skin.normal);
            }
        }
        let sits = sits.is_some() && skin.is_some_and(|skin| skin.distance < perch + 0.004);
        Bird { place: place + moved, velocity: legal(velocity, heading), crowd, sits }
    }
}
