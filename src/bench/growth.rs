//! Growth to its end at rising sizes, and beside the search by brute force.

use serde::Serialize;

use glam::{IVec3, IVec4, Vec3};

use super::BenchUniform;
use super::timing::{Pair, Times, millis, pair, slope, submit};
use crate::character::volume::{Lattice, VoxelVolume, hash3};
use crate::character::{CharacterData, RestShape, SkinnedSurface};
use crate::gpu::buffer::{STORAGE, UNIFORM};
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};
use crate::sim::growth::cells::CellGrid;
use crate::sim::growth::plan::morton;
use crate::sim::growth::rule::{Rule, UNITS_PER_EXTENT};
use crate::sim::growth::ties::Ties;
use crate::sim::growth::{Growth, GrowthNode, GrowthParams, GrowthPlan};
use crate::sim::{SimInputs, TICKS_PER_SECOND};

/// Distance of neighbouring points in lattice units.
const SPACING: i32 = 1000;
/// Ticks after which growth is given up.
const TICK_LIMIT: u32 = 5000;

/// Growth at one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GrowthSize {
    /// Points to reach.
    pub attractors: usize,
    /// Branch points that grew.
    pub nodes: usize,
    /// Ticks until nothing was left to reach.
    pub ticks: u32,
    /// All of them.
    pub times: Times,
    /// Microseconds a tick.
    pub us_a_tick: f64,
    /// Distances of living points to new nodes that are looked at, a node: what decides who owns what.
    pub tests_a_node: f64,
    /// Distances looked at to find the point whose joints carry a node, a node.
    pub source_tests_a_node: f64,
}

/// Growth at all sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GrowthBench {
    /// Influence distance in spacings of the points.
    pub influence_in_spacings: f64,
    /// By rising size.
    pub sizes: Vec<GrowthSize>,
    /// Of log time over log points.
    pub slope: f64,
    /// Points of the comparison.
    pub brute_force_attractors: usize,
    /// Growth to the end, and every tick's search by brute force over the same history.
    pub brute_force: Pair,
}

impl GrowthBench {
    pub(super) fn describe(&self, lines: &mut Vec<String>) {
        lines.push(format!("growth, influence {:.1} spacings", self.influence_in_spacings));
        for size in &self.sizes {
            lines.push(format!(
                "  {:>8} points: {:>8} nodes, {:>4} ticks, {:>9.2} ms ({:.2}..{:.2}), {:>7.1} us a tick, {:.0} tests \
                 a node and {:.0} for what carries it",
                size.attractors,
                size.nodes,
                size.ticks,
                size.times.median_ms,
                size.times.p10_ms,
                size.times.p90_ms,
                size.us_a_tick,
                size.tests_a_node,
                size.source_tests_a_node
            ));
        }
        lines.push(format!("  slope {:.2}", self.slope));
        lines.push(format!(
            "  brute force at {}: {:.1} ms against {:.1} ms, {:.1} times",
            self.brute_force_attractors,
            self.brute_force.baseline.median_ms,
            self.brute_force.ours.median_ms,
            self.brute_force.ratio
        ));
    }
}

/// A cube full of points.
struct Case<'a> {
    gpu: &'a Gpu,
    surface: SkinnedSurface,
    params: GrowthParams,
    plan: GrowthPlan,
    growth: Growth,
}

impl<'a> Case<'a> {
    fn new(gpu: &'a Gpu, shaders: &ShaderLibrary, side: i32) -> Result<Self, BuildError> {
        let units = |length: f64| (length * f64::from(SPACING) / UNITS_PER_EXTENT) as f32;
        // The authors' ratios, with the influence at 2.5 spacings.
        let params = GrowthParams {
            influence: units(2.5),
            growth: units(0.748),
            kill: units(0.52),
            body_aware: false,
            ..Default::default()
        };
        let jitter = |id: u32, axis: u32| (hash3(7, id, axis) % 801) as i32 - 400;
        let mut points: Vec<IVec3> = (0..side * side * side)
            .map(|at| {
                let cell = IVec3::new(at % side, at / side % side, at / side / side);
                let id = at as u32;
                cell * SPACING + IVec3::new(jitter(id, 0), jitter(id, 1), jitter(id, 2)) + 40_000
            })
            .collect();
        points.sort_by_cached_key(|p| (morton(*p), p.to_array()));
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let data = CharacterData::from_triangles("bench", corners, vec![0, 1, 2]);
        let rest = RestShape::new(data.vertices.positions.clone(), data.vertices.normals.clone());
        let surface = SkinnedSurface::new(gpu, shaders, &data)?;
        let volume = VoxelVolume::around(&points, 12);
        let lattice = Lattice::new(&rest, UNITS_PER_EXTENT);
        let ties = Ties::fixed(points.len());
        let plan = GrowthPlan::from_attractors(lattice, volume, points, ties, SPACING, 1);
        Ok(Self { gpu, surface, params, plan, growth: Growth::new(gpu, shaders)? })
    }

    fn restart(&mut self) -> Result<(), BuildError> {
        self.growth.install(self.gpu, self.plan.clone(), &self.params)
    }

    fn tick(&mut self) {
        let inputs = SimInputs {
            surface: &self.surface,
            tick: 0,
            dt_secs: 1.0 / TICKS_PER_SECOND as f32,
            seed: 1,
            extent_m: 1.0,
            center: Vec3::ZERO,
            goal: None,
        };
        let (growth, gpu, params) = (&mut self.growth, self.gpu, &self.params);
        submit(gpu, |pass| growth.tick(gpu, pass, &inputs, params));
    }

    /// Grows to the end and returns the ticks that took.
    fn grow(&mut self) -> Result<u32, BuildError> {
        self.restart()?;
        while !self.growth.is_finished(self.gpu) && self.growth.ticks() < TICK_LIMIT {
            for _ in 0..16 {
                self.tick();
            }
        }
        Ok(self.growth.counters(self.gpu).map_or(0, |counters| counters.finished_tick.min(TICK_LIMIT)))
    }

    /// Milliseconds of so many ticks from the start.
    fn time(&mut self, ticks: u32) -> f64 {
        if let Err(error) = self.restart() {
            log::error!("bench: {error}");
        }
        let gpu = self.gpu;
        millis(gpu, || (0..ticks).for_each(|_| self.tick()))
    }
}

/// What happened, told by the nodes.
struct History {
    tests: u64,
    source_tests: u64,
    /// The tick at which each point was reached; none for those that were not.
    deaths: Vec<u32>,
}

/// Goes through a growth again and counts distances that are looked at. Points given up count as alive.
fn history(plan: &GrowthPlan, rule: &Rule, nodes: &[GrowthNode]) -> History {
    let grid = CellGrid::new(&plan.attractors, rule.influence);
    let kill2 = i64::from(rule.kill).pow(2);
    let mut told = History { tests: 0, source_tests: 0, deaths: vec![u32::MAX; plan.attractors.len()] };
    for born in nodes.chunk_by(|a, b| a.birth == b.birth) {
        for node in born {
            for cell in grid.neighbours(grid.cell_of(node.position)) {
                for &point in grid.points(cell) {
                    told.source_tests += 1;
                    let death = &mut told.deaths[point as usize];
                    // Those that die in this tick are still looked at.
                    if *death >= node.birth {
                        told.tests += 1;
                        let offset = (plan.attractors[point as usize] - node.position).as_i64vec3();
                        if offset.length_squared() < kill2 {
                            *death = node.birth;
                        }
                    }
                }
            }
        }
    }
    told
}

/// Measures growth.
pub(super) fn run(
    gpu: &Gpu,
    shaders: &ShaderLibrary,
    quick: bool,
    tell: &dyn Fn(&str),
) -> Result<GrowthBench, BuildError> {
    let software = gpu.is_software();
    // Cubes of about 1k, 2k, 4k, ... points.
    let sides: &[i32] = match (quick, software) {
        (true, _) => &[10, 13, 16, 20, 25],
        (false, true) => &[10, 13, 16, 20, 25, 32, 40, 51, 64],
        (false, false) => &[10, 13, 16, 20, 25, 32, 40, 51, 64, 81, 102],
    };
    let rounds = if quick { 1 } else { 9 };
    let mut sizes = Vec::new();
    for &side in sides {
        tell(&format!("growth, {} points", side.pow(3)));
        let mut case = Case::new(gpu, shaders, side)?;
        let ticks = case.grow()?;
        let nodes = case.growth.read_nodes(gpu);
        let told = history(&case.plan, &Rule::new(&case.params), &nodes);
        let times = Times::new((0..rounds).map(|_| case.time(ticks)).collect());
        let each = |tests: u64| tests as f64 / nodes.len().max(1) as f64;
        sizes.push(GrowthSize {
            attractors: case.plan.attractors.len(),
            nodes: nodes.len(),
            ticks,
            times,
            us_a_tick: 1e3 * times.median_ms / f64::from(ticks.max(1)),
            tests_a_node: each(told.tests),
            source_tests_a_node: each(told.source_tests),
        });
    }
    tell("growth, brute force");
    let side = if quick { 10 } else { 25 };
    let brute_force = brute_force(gpu, shaders, side, if quick { 1 } else { 3 })?;
    let points: Vec<(f64, f64)> =
        sizes.iter().map(|size| (size.attractors as f64, size.times.median_ms)).collect();
    // Small growths are bound by the number of dispatches and would flatter the slope.
    let points = &points[points.len() / 2..];
    Ok(GrowthBench {
        influence_in_spacings: 2.5,
        slope: slope(points),
        sizes,
        brute_force_attractors: side.pow(3) as usize,
        brute_force,
    })
}

/// Growth beside the search by brute force, tick for tick as many points and nodes as there were.
fn brute_force(gpu: &Gpu, shaders: &ShaderLibrary, side: i32, rounds: usize) -> Result<Pair, BuildError> {
    let mut case = Case::new(gpu, shaders, side)?;
    let ticks = case.grow()?;
    let nodes = case.growth.read_nodes(gpu);
    let rule = Rule::new(&case.params);
    let deaths = history(&case.plan, &rule, &nodes).deaths;
    // Longest-lived first, so that those alive are always the first ones.
    let mut order: Vec<usize> = (0..deaths.len()).collect();
    order.sort_by_key(|&point| std::cmp::Reverse(deaths[point]));
    let place = |p: IVec3| IVec4::new(p.x, p.y, p.z, 0);
    let points: Vec<IVec4> = order.iter().map(|&point| place(case.plan.attractors[point])).collect();
    let positions: Vec<IVec4> = nodes.iter().map(|node| place(node.position)).collect();
    let pass = ComputePass::new(gpu, shaders, "bench/growth_brute", "main")?;
    let points = Buffer::from_slice(gpu, "bench/points", &points, STORAGE);
    let positions = Buffer::from_slice(gpu, "bench/nodes", &positions, STORAGE);
    let owners = Buffer::<u32>::new(gpu, "bench/owners", points.len(), STORAGE);
    let mut steps: Vec<(usize, Buffer<BenchUniform>, Bound)> = Vec::new();
    for tick in 0..ticks {
        let alive = order.partition_point(|&point| deaths[point] > tick);
        let there = nodes.partition_point(|node| node.birth <= tick);
        let sizes = BenchUniform {
            count: alive as u32,
            others: there as u32,
            radius2: (rule.influence * rule.influence) as u32,
            ..Default::default()
        };
        let uniform = Buffer::from_slice(gpu, "bench/sizes", &[sizes], UNIFORM);
        let bound = pass.bind(
            gpu,
            &[
                ("bench", uniform.raw()),
                ("points", points.raw()),
                ("nodes", positions.raw()),
                ("owners", owners.raw()),
            ],
        )?;
        steps.push((alive, uniform, bound));
    }
    Ok(pair(
        rounds,
        || case.time(ticks),
        || {
            millis(gpu, || {
                for (alive, _, bound) in &steps {
                    submit(gpu, |recorder| pass.dispatch(recorder, bound, Groups::Items(*alive)));
                }
            })
        },
    ))
}
