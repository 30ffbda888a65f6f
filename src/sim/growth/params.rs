//! What can be set about growth.

use std::sync::Arc;

/// The largest influence distance, in H: it fixes the lattice on which growth is computed.
pub const MAX_INFLUENCE: f32 = 0.2;

crate::params! {
    /// Branches.
    pub struct GrowthParams: "growth", "Growth" {
        /// Whether branches are grown and drawn.
        enabled: bool = true, "Growth", switch;
        /// Distance between the points that branches reach for.
        spacing: f32 = 0.0135, "Spacing", float(0.004, 0.1, "H");
        /// A body that would hold more points gets them wider apart.
        max_points: u32 = 65_536, "Most points", int(256, 1_048_576, "");
        /// Where in the body the points are: anywhere, or only so deep below its skin as the next two say.
        fill: u32 = 0, "Fill", choice("volume", "shell");
        /// How deep below the skin a shell of points begins; 0 at the skin.
        shell_from: f32 = 0.0, "Shell from", float(0.0, 0.5, "H");
        /// How deep below the skin a shell of points ends.
        shell_to: f32 = 0.02, "Shell to", float(0.0, 0.5, "H");
        /// How irregular the points are: 0 leaves them near the middle of their cells.
        jitter: f32 = 1.0, "Jitter", float(0.0, 1.0, "");
        /// How far a point attracts.
        influence: f32 = 0.0478, "Influence", float(0.008, MAX_INFLUENCE, "H");
        /// Length of a branch segment; starts growth over.
        growth: f32 = 0.0143, "Step", float(0.002, 0.1, "H");
        /// A point is reached when a branch comes this close.
        kill: f32 = 0.00995, "Kill", float(0.001, 0.1, "H");
        /// How many branches start; more sprout while it grows.
        roots: u32 = 6, "Roots", int(1, 64, "");
        /// Whether one more branch starts in every separate part of the body, or of its shell, that would have none.
        root_every_part: bool = true, "Root every part", switch;
        /// Where branches start, an influence distance apart where they can.
        roots_by: u32 = 0, "Roots where", choice("random", "lowest", "highest", "centre");
        /// Joints at which branches start instead, as many at each as there are to be roots.
        roots_at: Arc<str> = "".into(), "Roots at joints", text("names or numbers of joints, with commas between");
        /// Points of the skin at which branches start instead, one at each; Ctrl+click on the skin adds one.
        root_points: Arc<str> = "".into(), "Roots on the skin", text("triangle:weight:weight, with commas between");
        /// Whether points in no branch's reach are counted or become roots.
        leftovers: u32 = 0, "Left over", choice("count", "reseed");
        /// How strongly steps are drawn toward the tropism direction.
        tropism: f32 = 0.0, "Tropism", float(0.0, 2.0, "");
        /// Where tropism draws to, along the axes of the world or of the tropism joint, with the body at rest.
        tropism_direction: [f32; 3] = [0.0, 1.0, 0.0], "Tropism direction", vector(-1.0, 1.0, "");
        /// The joint along whose axes at rest the tropism direction is meant; none for the world's.
        tropism_joint: Arc<str> = "".into(), "Tropism joint", text("the name or number of a joint");
        /// How strongly each branch point strays in a direction of its own.
        noise: f32 = 0.0, "Noise", float(0.0, 2.0, "");
        /// Whether points that pull apart shorten a step, or all are whole ones.
        step_mode: u32 = 0, "Steps", choice("mean", "normalised");
        /// Growing speed.
        speed: f32 = 22.0, "Speed", float(0.5, 120.0, "1/s");
        /// Least vigour of a segment.
        mass_min: f32 = 0.25, "Least mass", float(0.05, 1.0, "");
        /// Greatest vigour of a segment.
        mass_max: f32 = 1.0, "Greatest mass", float(0.05, 1.0, "");
        /// Whether influence and growth stay inside the body instead of leaping gaps between limbs.
        body_aware: bool = true, "Stay in the body", switch;
        /// Radius of the thinnest branches.
        tip_radius: f32 = 0.0011, "Tip radius", float(0.0001, 0.02, "H");
        /// Radius that no branch exceeds.
        max_radius: f32 = 0.009, "Greatest radius", float(0.0002, 0.05, "H");
        /// Exponent of the pipe model: 2 keeps the cross-section at forks, 3 is thinner.
        pipe_exponent: f32 = 2.4, "Pipe exponent", float(1.5, 4.0, "");
        /// Tubes that narrow towards the tips, capsules of one width each, or strands as thin as tips.
        look: u32 = 0, "Look", choice("tube", "capsule", "line");
        /// What the colour of a branch shows.
        color_by: u32 = 0, "Colour by", choice("depth", "age", "root", "order");
        /// Colour near the roots.
        base_color: [f32; 3] = [0.32, 0.09, 0.05], "Base colour", color;
        /// Colour at the tips.
        tip_color: [f32; 3] = [1.0, 0.62, 0.22], "Tip colour", color;
        /// Light given off by young tips.
        tip_glow: f32 = 1.5, "Tip glow", float(0.0, 8.0, "");
        /// What stands at the tips of branches.
        leaves: u32 = 0, "Leaves", choice("none", "leaves", "blossoms");
        /// Length of a leaf, width of a blossom.
        leaf_size: f32 = 0.03, "Leaf size", float(0.002, 0.2, "H");
        /// How many stand: 1 is one at every tip; beyond that also along the twigs, up to one at each of their points.
        leaf_density: f32 = 1.0, "Leaf density", float(0.0, 2.0, "");
        /// Colour and fall of leaves: 0 spring, a third summer, two thirds autumn, 1 bare.
        season: f32 = 0.2, "Season", float(0.0, 1.0, "");
        /// Time in which a leaf opens once its tip is grown.
        leaf_opening: f32 = 1.5, "Leaf opening", float(0.0, 20.0, "s");
        /// Which moment of growth is shown, as a part of the time it has taken so far; 1 follows the present.
        timeline: f32 = 1.0, "Timeline", float(0.0, 1.0, "");
        /// How much of the branches is erased, level by level.
        erase: f32 = 0.0, "Erase", float(0.0, 1.0, "");
        /// Where erasing and dissolving begin.
        erase_from: u32 = 0, "Erase from", choice("tips", "roots");
        /// Whether branches dissolve after a time and grow again, over and over.
        continuous: bool = false, "Continuous", switch;
        /// Time from one beginning to the next, dissolving included.
        cycle: f32 = 12.0, "Cycle", float(1.0, 120.0, "s");
        /// Time that branches take to dissolve at the end of a cycle.
        dissolve: f32 = 2.0, "Dissolve", float(0.0, 20.0, "s");
        /// Whether each cycle grows the same tree or another.
        regrow: u32 = 0, "Regrow", choice("same", "other");
    }
    settle = |p| {
        p.influence = p.influence.max(p.growth);
        p.kill = p.kill.clamp(p.growth / 8.0, p.growth).min(0.9 * p.influence);
        p.mass_max = p.mass_max.max(p.mass_min);
        p.max_radius = p.max_radius.max(p.tip_radius);
        p.dissolve = p.dissolve.min(p.cycle);
    };
}

impl GrowthParams {
    /// Whether points fill a shell below the skin instead of the whole volume.
    #[must_use]
    pub fn is_shell(&self) -> bool {
        self.fill == 1
    }

    /// Ticks of `dt_secs` from one beginning of growth to the next; never reached unless it is continuous.
    #[must_use]
    pub fn cycle_ticks(&self, dt_secs: f64) -> u32 {
        let ticks = (f64::from(self.cycle) / dt_secs).round();
        if self.continuous && ticks.is_finite() { ticks.max(1.0) as u32 } else { u32::MAX }
    }

    /// Which part of the branches has dissolved at the end of a cycle, `ticks` after its beginning.
    #[must_use]
    pub fn dissolved(&self, ticks: f64, dt_secs: f64) -> f32 {
        if !self.continuous || self.dissolve <= 0.0 {
            return 0.0;
        }
        let left_secs = (f64::from(self.cycle_ticks(dt_secs)) - ticks) * dt_secs;
        (1.0 - left_secs / f64::from(self.dissolve)).clamp(0.0, 1.0) as f32
    }
}
