//! What can be set about the flock.

use std::sync::Arc;

crate::params! {
    /// The flock.
    pub struct BoidsParams: "boids", "Boids" {
        /// Whether the flock flies and is drawn.
        enabled: bool = true, "Boids", switch;
        /// Boids in the flock.
        count: u32 = 8192, "Count", int(0, 1048576, "");
        /// Size of a boid.
        size: f32 = 0.010, "Size", float(0.001, 0.1, "H");
        /// How far a boid sees those it stays with.
        cohesion_distance: f32 = 0.075, "Cohesion distance", float(0.001, 0.3, "H");
        /// How far a boid sees those it keeps apart from.
        separation_distance: f32 = 0.04, "Separation distance", float(0.001, 0.3, "H");
        /// How far a boid sees those it flies along with.
        alignment_distance: f32 = 0.065, "Alignment distance", float(0.001, 0.3, "H");
        /// Half-angle of the view for cohesion.
        cohesion_angle: f32 = 90.0, "Cohesion half-angle", float(0.0, 180.0, "deg");
        /// Half-angle of the view for separation.
        separation_angle: f32 = 90.0, "Separation half-angle", float(0.0, 180.0, "deg");
        /// Half-angle of the view for alignment.
        alignment_angle: f32 = 60.0, "Alignment half-angle", float(0.0, 180.0, "deg");
        /// Strength of cohesion.
        cohesion: f32 = 8.0, "Cohesion", float(0.0, 50.0, "");
        /// Strength of separation.
        separation: f32 = 0.06, "Separation", float(0.0, 2.0, "");
        /// Strength of alignment.
        alignment: f32 = 3.0, "Alignment", float(0.0, 50.0, "");
        /// Greatest acceleration that one rule may ask for.
        max_force: f32 = 2.0, "Greatest force", float(0.01, 20.0, "H/s2");
        /// Least speed.
        min_speed: f32 = 0.25, "Least speed", float(0.0, 5.0, "H/s");
        /// Greatest speed.
        max_speed: f32 = 0.6, "Greatest speed", float(0.01, 5.0, "H/s");
        /// Radius of the boundary that holds the flock; half the height of a box.
        boundary: f32 = 0.75, "Boundary radius", float(0.1, 5.0, "H");
        /// How strongly the boundary turns boids back.
        boundary_force: f32 = 4.0, "Boundary force", float(0.0, 50.0, "");
        /// What holds the flock: a sphere, or a box round the character with as much room above its head.
        boundary_shape: u32 = 0, "Boundary shape", choice("sphere", "box");
        /// How strongly the character draws boids.
        homing: f32 = 2.2, "Homing", float(0.0, 20.0, "1/s2");
        /// How strongly slow swirls of the air carry boids along.
        wander: f32 = 0.9, "Wander", float(0.0, 5.0, "H/s2");
        /// How fast a boid turns at most.
        turn_rate: f32 = 900.0, "Turn rate", float(30.0, 10800.0, "deg/s");
        /// What else draws the flock: a way round the character, the pointer, or a joint.
        goal: u32 = 0, "Goal", choice("none", "path", "pointer", "joint");
        /// How strongly the goal draws boids.
        goal_pull: f32 = 6.0, "Pull of the goal", float(0.0, 50.0, "1/s2");
        /// How long a round of the path takes.
        goal_period: f32 = 12.0, "Round of the path", float(1.0, 120.0, "s");
        /// The joint that is the goal.
        goal_joint: Arc<str> = "0".into(), "Goal joint", text("the name or number of a joint");
        /// How strongly boids circle the character.
        orbit: f32 = 0.35, "Orbit", float(-5.0, 5.0, "H/s2");
        /// How strongly the body's field turns boids away; 0 lets them fly through it.
        avoid: f32 = 12.0, "Avoidance", float(0.0, 100.0, "H/s2");
        /// How near to the skin boids may come.
        clearance: f32 = 0.03, "Clearance", float(0.0, 0.2, "H");
        /// How fast a boid that is too near leaves the skin.
        push_speed: f32 = 2.0, "Push-off speed", float(0.0, 5.0, "H/s");
        /// Speed of a boid in fear.
        flee_speed: f32 = 1.2, "Speed in fear", float(0.01, 10.0, "H/s");
        /// How strongly boids flee from limbs that come faster than the flock cruises.
        fright: f32 = 0.0, "Fright", float(0.0, 50.0, "H/s2");
        /// How many of the boids hunt the others.
        predators: u32 = 0, "Hunters", int(0, 16, "");
        /// How far hunters are feared.
        predator_distance: f32 = 0.25, "Fear of hunters", float(0.01, 1.0, "H");
        /// Share of its time that a boid sits on the skin and rides it.
        perch: f32 = 0.0, "Perching", float(0.0, 1.0, "");
        /// How long it sits.
        perch_secs: f32 = 6.0, "Perching time", float(0.5, 60.0, "s");
        /// What makes the field: the closest point of the skin, or a sum of its normals as in the original.
        field: u32 = 0, "Field", choice("surface", "normals");
        /// Whether the field's cells follow the body, or stay round a place of their own as in the original.
        field_box: u32 = 0, "Field cells", choice("follow", "stay");
        /// Middle of cells that stay, from the middle of the character.
        field_center: [f32; 3] = [0.0, 0.0, 0.0], "Field middle", vector(-5.0, 5.0, "H");
        /// Edge of cells that stay.
        field_cell: f32 = 0.05, "Field cell", float(0.002, 0.2, "H");
        /// Cells of the field along its longest side; of cells that stay, along every side.
        field_resolution: u32 = 48, "Field resolution", int(16, 128, "cells");
        /// Room round the body that cells that follow it cover.
        field_margin: f32 = 0.1, "Field margin", float(0.0, 1.0, "H");
        /// How many cells deep a field of normals is filled round the skin.
        field_depth: u32 = 4, "Field depth", int(1, 8, "cells");
        /// The most points of the skin that make the field; where there are more, every second, third... counts.
        field_points: u32 = 262144, "Field points", int(1024, 1048576, "");
        /// What a boid looks like.
        shape: u32 = 1, "Shape", choice("paper plane", "bird", "fish", "cone");
        /// How long a trail the first 65,536 boids leave; 0 for none.
        trail: f32 = 0.0, "Trail", float(0.0, 5.0, "s");
        /// Width of a trail, in lengths of a boid.
        trail_width: f32 = 0.15, "Trail width", float(0.01, 2.0, "");
        /// What the colour of a boid shows.
        color_by: u32 = 0, "Colour by", choice("speed", "direction", "species", "crowd");
        /// Colour of a slow boid.
        slow_color: [f32; 3] = [0.10, 0.35, 0.75], "Slow colour", color;
        /// Colour of a fast boid.
        fast_color: [f32; 3] = [0.85, 0.95, 1.0], "Fast colour", color;
        /// Colour of a hunter.
        predator_color: [f32; 3] = [0.9, 0.08, 0.05], "Colour of hunters", color;
    }
    settle = |p| {
        p.max_speed = p.max_speed.max(p.min_speed);
        p.flee_speed = p.flee_speed.max(p.max_speed);
    };
}

/// What draws the flock beside the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Nothing.
    None,
    /// A closed way round the character.
    Path,
    /// Where the pointer is.
    Pointer,
    /// A joint.
    Joint,
}

impl Goal {
    /// The goal that the parameters ask for.
    #[must_use]
    pub fn of(params: &BoidsParams) -> Self {
        match params.goal {
            0 => Self::None,
            1 => Self::Path,
            2 => Self::Pointer,
            _ => Self::Joint,
        }
    }
}
