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
    pad0: f32,
    tip_color: vec3<f32>,
    pad1: f32,
    // World position of the lattice point (0, 0, 0), and metres a lattice unit.
    lattice_origin: vec3<f32>,
    lattice_unit: f32,
}
