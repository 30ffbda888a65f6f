//! The flock's uniform: parameters and time as the kernels take them.

use std::f64::consts::TAU;

use glam::{DVec3, Vec3, Vec4};

use super::grid::GridShape;
use super::params::{BoidsParams, Goal};
use super::species::SpeciesParams;
use super::{BoidsUniform, SimInputs};

/// Height at which a boid sits, in its own lengths.
const PERCH_HEIGHT: f32 = 0.25;

pub(super) fn uniform(
    inputs: &SimInputs<'_>,
    params: &BoidsParams,
    species: &SpeciesParams,
    shape: &GridShape,
    boundary_half: Vec3,
) -> BoidsUniform {
    let rule = |distance: f32, half_angle_deg: f32, strength: f32| {
        // All round includes straight behind, where rounding decides whether a cosine is above -1.
        let cosine = if half_angle_deg >= 180.0 { -2.0 } else { half_angle_deg.to_radians().cos() };
        Vec4::new(distance * distance, cosine, strength, 0.0)
    };
    let goal = goal(inputs, params);
    let predator_count = params.predators.min(params.count);
    BoidsUniform {
        center: inputs.center.to_array(),
        extent_m: inputs.extent_m,
        cohesion: rule(params.cohesion_distance, params.cohesion_angle, params.cohesion),
        separation: rule(params.separation_distance, params.separation_angle, params.separation),
        alignment: rule(params.alignment_distance, params.alignment_angle, params.alignment),
        boid_count: params.count,
        grid_side: shape.side,
        grid_origin: shape.origin,
        cells_per_extent: shape.cells_per_extent,
        dt_secs: inputs.dt_secs,
        max_force: params.max_force,
        min_speed: params.min_speed,
        max_speed: params.max_speed,
        boundary_radius: params.boundary,
        boundary_force: params.boundary_force,
        orbit: params.orbit,
        avoid: params.avoid,
        clearance: params.clearance,
        push_speed: params.push_speed,
        seed: inputs.seed,
        homing: params.homing,
        orbit_axis: orbit_axis(inputs).to_array(),
        wander: params.wander,
        wander_phase: wander_phase(inputs).to_array(),
        turn_cosine: (params.turn_rate * inputs.dt_secs).min(180.0).to_radians().cos(),
        goal: goal.unwrap_or_default().to_array(),
        goal_pull: if goal.is_some() { params.goal_pull } else { 0.0 },
        boundary_half: boundary_half.to_array(),
        boundary_is_box: params.boundary_shape,
        liking: species.likings(),
        paces: species.paces(),
        species_pattern: species.pattern(),
        is_mixed: u32::from(species.count > 1 || predator_count > 0 || params.perch > 0.0),
        predator_count,
        predator_distance: params.predator_distance,
        flee_speed: params.flee_speed,
        fright: params.fright,
        perch_share: params.perch,
        perch_phase: perch_phase(inputs, params),
        perch_height: PERCH_HEIGHT * params.size,
        pad0: 0.0,
        pad1: 0.0,
        pad2: 0.0,
    }
}

/// Half the box that holds the flock, in H: the character's, and as much room beyond it as the sphere of the same
/// radius leaves above its head.
pub(super) fn boundary_half(body: [Vec3; 2], extent_m: f32, params: &BoidsParams) -> Vec3 {
    let half = 0.5 * (body[1] - body[0]) / extent_m.max(f32::MIN_POSITIVE);
    (half + params.boundary - 0.5).max(Vec3::splat(0.05))
}

/// Where the flock is drawn, in H from the middle.
fn goal(inputs: &SimInputs<'_>, params: &BoidsParams) -> Option<Vec3> {
    match Goal::of(params) {
        Goal::None => None,
        Goal::Path => Some(path(time_secs(inputs), params).as_vec3()),
        Goal::Pointer | Goal::Joint => {
            let place = (inputs.goal? - inputs.center) / inputs.extent_m;
            // As far as the flock may follow: what lies behind the horizon is a direction.
            place.is_finite().then(|| place.clamp_length_max(2.0 * params.boundary))
        }
    }
}

/// A closed way round the character, up and down twice a round.
fn path(time_secs: f64, params: &BoidsParams) -> DVec3 {
    let turn = TAU * (time_secs / f64::from(params.goal_period)).fract();
    0.8 * f64::from(params.boundary) * DVec3::new(turn.sin(), 0.5 * (2.0 * turn).sin(), turn.cos())
}

/// How far the cycle of sitting and flying is, 0 to 1.
fn perch_phase(inputs: &SimInputs<'_>, params: &BoidsParams) -> f32 {
    let cycle_secs = f64::from(params.perch_secs) / f64::from(params.perch.max(1e-3));
    (time_secs(inputs) / cycle_secs).fract() as f32
}

/// Simulated seconds; f64, so that a flock may fly for days.
fn time_secs(inputs: &SimInputs<'_>) -> f64 {
    inputs.tick as f64 * f64::from(inputs.dt_secs)
}

/// The axis that boids circle: it leans to and fro by up to some fifty degrees, so that the flock, in the course
/// of a minute, passes the character on every side.
fn orbit_axis(inputs: &SimInputs<'_>) -> Vec3 {
    let time = time_secs(inputs);
    let lean = |period_secs: f64| 0.9 * (TAU * time / period_secs).sin();
    DVec3::new(lean(17.0), 1.0, lean(23.0)).normalize_or(DVec3::Y).as_vec3()
}

/// How far the air's swirls have turned; three periods without a common one, so that no two moments are alike.
fn wander_phase(inputs: &SimInputs<'_>) -> Vec3 {
    let time = time_secs(inputs);
    let turn = |period_secs: f64| TAU * (time / period_secs).fract();
    DVec3::new(turn(7.0), turn(9.5), turn(12.5)).as_vec3()
}
