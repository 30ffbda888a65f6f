// How branches are carried and drawn.
struct GrowthPose {
    // Ticks of growth to show: whole ones, and the part of the next.
    ticks: u32,
    fraction: f32,
    attractor_count: u32,
    color_by: u32,
    tip_radius: f32,
    max_radius: f32,
    // 1 / exponent of the pipe model.
    pipe_power: f32,
    tip_glow: f32,
    base_color: vec3<f32>,
    // Part of the levels of the tree that is erased, from the tips (0) or the roots (1) on.
    erase: f32,
    tip_color: vec3<f32>,
    erase_from: u32,
    // World position of the lattice point (0, 0, 0), and metres a lattice unit.
    lattice_origin: vec3<f32>,
    lattice_unit: f32,
    // 1 when a past moment is shown, whose flow lies after the three copies of the present.
    is_past: u32,
    // 0 tubes, 1 capsules, 2 lines.
    look: u32,
    // Leaves a tip; above 1 also a point of a twig. And the ticks in which one opens.
    leaf_density: f32,
    opening_ticks: f32,
}
