//! The buffers of one growth: made for a plan and a rule, started over by making them anew.

use glam::{IVec3, UVec3, UVec4, Vec4};

use super::BranchNode;
use super::kernels::Kernels;
use super::plan::GrowthPlan;
use super::rule::{GrowthUniform, Rule};
use super::ties::GrowthAnchor;
use crate::gpu::buffer::{INDIRECT, STORAGE, UNIFORM};
use crate::gpu::{BindError, Bound, Buffer, Gpu, dispatch_size};

/// Owner of an attractor that no node reaches.
pub const FREE: u32 = 0xffff_fffd;
/// Owner of an attractor that was given up.
pub const RETIRED: u32 = 0xffff_fffe;
/// Owner of an attractor that was reached.
pub const DEAD: u32 = 0xffff_ffff;
/// `finished_tick` while growth goes on.
pub const NOT_FINISHED: u32 = u32::MAX;

/// Where the indirect arguments lie: bytes into the frontier's buffer, by parity of the tick.
pub(super) const BY_64: [u64; 2] = [0, 12];
pub(super) const BY_256: [u64; 2] = [24, 36];
pub(super) const FLOW: u64 = 48;
pub(super) const POSE: u64 = 60;
/// Bytes into the buffer of arguments that kernels of the frontier raise.
pub(super) const AIM: u64 = 0;
pub(super) const RELAX: u64 = 12;
/// Most groups of the dispatches that work through a list in strides.
const STRIDE: u32 = 32_768;

crate::gpu_struct! {
    /// A branch point in rest space.
    pub struct GrowthNode {
        /// Lattice position.
        pub position: IVec3,
        /// Index of the parent; a root's is its own.
        pub parent: u32,
        /// Steps from the root.
        pub depth: u32,
        /// Ticks that had passed when it was there for the first time.
        pub birth: u32,
        /// The attractor whose joints carry it.
        pub source: u32,
        /// Index of its root.
        pub root: u32,
        /// Attractors it served at its last emission, 0 before.
        pub last: u32,
        /// Mass in the lowest eight bits; the next one is set when the last emission was an aim.
        pub mass_and_aimed: u32,
        /// Next node of its cell, plus one.
        pub next_cell: u32,
        /// Next node of its hash bucket, plus one.
        pub next_bucket: u32,
    }
}

crate::gpu_struct! {
    /// A point to be reached.
    pub struct GrowthAttractor {
        /// Lattice position.
        pub position: IVec3,
        /// The nearest node, or [`FREE`], [`RETIRED`] or [`DEAD`].
        pub owner: u32,
    }
}

crate::gpu_struct! {
    /// What a node of the frontier would do this tick.
    pub struct GrowthCandidate {
        /// Lattice position of the child.
        pub position: IVec3,
        /// Nothing, a mean step, an aim or a retirement.
        pub kind: u32,
        /// The parent.
        pub node: u32,
        /// Attractors it serves.
        pub count: u32,
        /// Next candidate of its hash bucket, plus one.
        pub next: u32,
        /// Bit 0: the parent stays in the frontier; bit 1: the child is born.
        pub flags: u32,
    }
}

crate::gpu_struct! {
    /// The nodes of a cell.
    pub struct GrowthCell {
        /// Newest node plus one.
        pub head: u32,
        /// Last tick, plus one, at which it was listed.
        pub stamp: u32,
    }
}

crate::gpu_struct! {
    /// Counters.
    pub struct GrowthState {
        /// Nodes in all.
        pub node_count: u32,
        /// First node of this tick.
        pub first_new: u32,
        /// Nodes of this tick.
        pub new_count: u32,
        /// Nodes that aim or retire.
        pub aim_count: u32,
        /// Cells to relax.
        pub dirty_count: u32,
        /// Attractors neither reached nor given up.
        pub alive: u32,
        /// Attractors given up.
        pub retired: u32,
        /// 1 once nodes were refused for want of room.
        pub pool_full: u32,
        /// The tick at whose start no node served any attractor; [`NOT_FINISHED`] before.
        pub finished_tick: u32,
        /// Most steps from a root.
        pub max_depth: u32,
        /// Which copy of the flow is read next.
        pub flow_phase: u32,
        /// Length of the frontier on even ticks.
        pub frontier0: u32,
        /// Length of the frontier on odd ticks.
        pub frontier1: u32,
        /// 1 in a tick that makes roots of the points that no node serves.
        pub reseeding: u32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
    }
}

/// Buffers that outlive a change of rules.
#[derive(Debug)]
pub(super) struct Lasting {
    /// Nodes there is room for.
    pub pool: usize,
    pub nodes: Buffer<GrowthNode>,
    pub attractors: Buffer<GrowthAttractor>,
    pub counters: Buffer<GrowthState>,
    /// Three copies that take turns, and that of a past moment.
    pub flow: Buffer<u32>,
    pub branches: Buffer<BranchNode>,
    pub branch_count: Buffer<u32>,
    pub anchors: Buffer<GrowthAnchor>,
    pub chord_ends: Buffer<UVec4>,
    pub chord_pulls: Buffer<Vec4>,
    /// Rows of the maps from the lattice into the posed world, three an attractor.
    pub carried: Buffer<Vec4>,
}

impl Lasting {
    fn new(gpu: &Gpu, plan: &GrowthPlan, pool: usize) -> Self {
        let free: Vec<_> =
            plan.attractors.iter().map(|&position| GrowthAttractor { position, owner: FREE }).collect();
        Self {
            pool,
            nodes: Buffer::new(gpu, "growth/nodes", pool, STORAGE),
            attractors: Buffer::from_slice(gpu, "growth/attractors", &free, STORAGE),
            counters: Buffer::new(gpu, "growth/counters", 1, STORAGE),
            flow: Buffer::new(gpu, "growth/flow", 4 * pool, STORAGE),
            branches: Buffer::new(gpu, "growth/branches", pool, STORAGE),
            branch_count: Buffer::new(gpu, "growth/branch count", 1, INDIRECT),
            anchors: Buffer::from_slice(gpu, "growth/anchors", &plan.ties.anchors, STORAGE),
            chord_ends: Buffer::from_slice(gpu, "growth/chord ends", &plan.ties.ends, STORAGE),
            chord_pulls: Buffer::from_slice(gpu, "growth/chord pulls", &plan.ties.pulls, STORAGE),
            carried: Buffer::new(gpu, "growth/carried", 3 * plan.attractors.len(), STORAGE),
        }
    }
}

/// Buffers and bind groups of one growth.
#[derive(Debug)]
pub(super) struct State {
    /// The rule asked for, and the rule in force.
    pub asked: Rule,
    pub rule: Rule,
    /// As uploaded, but for the tick.
    pub uniform: GrowthUniform,
    pub warnings: Vec<String>,
    pub uniform_buffer: Buffer<GrowthUniform>,
    pub ripening: Buffer<[u32; 256]>,
    pub lasting: Lasting,
    pub frontier_args: Buffer<u32>,
    pub work_args: Buffer<u32>,
    pub bound: TickBindings,
}

/// One bind group a kernel.
#[derive(Debug)]
pub(super) struct TickBindings {
    pub propose: Bound,
    pub aim: Bound,
    pub select: Bound,
    pub scan: Bound,
    pub emit: Bound,
    pub reseed: Bound,
    pub relax: Bound,
    pub flow: Bound,
    pub count: Bound,
    pub pose: Bound,
    pub past: Bound,
    /// Begin, points, adopt, sprout.
    pub adopt: [Bound; 4],
}

/// Nodes there can be room for on this device, by its largest binding.
fn pool_limit(gpu: &Gpu) -> usize {
    let largest = gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size) as usize;
    let entry = size_of::<GrowthNode>().max(size_of::<BranchNode>());
    (largest / entry).min(1 << 26)
}

impl State {
    /// Uploads a plan with its roots as the first nodes; or, with what another rule left, makes ready for the
    /// *adopt* kernels to take its nodes over. The pose uniform is bound with every kernel that draws.
    pub(super) fn new(
        gpu: &Gpu,
        kernels: &Kernels,
        plan: &GrowthPlan,
        seed: u32,
        asked: Rule,
        pose_uniform: &wgpu::Buffer,
        kept: Option<Lasting>,
    ) -> Result<Self, BindError> {
        let mut warnings = Vec::new();
        let mut rule = asked.clone();
        let (cells, shortened) = rule.fit(&plan.attractors);
        if shortened {
            warnings.push("growth.influence was shortened: too many points would pull one branch".into());
        }
        let mut roots = plan.roots_of(&rule, seed);
        let wanted = rule.pool(plan.attractors.len(), plan.spacing, roots.len());
        let pool = kept.as_ref().map_or(wanted.min(pool_limit(gpu)), |kept| kept.pool);
        if pool < wanted && kept.is_none() {
            warnings.push(format!("there is room for {pool} branch nodes only on this device"));
        }
        roots.truncate(pool);
        let buckets = pool.next_power_of_two();
        let blocks = pool.div_ceil(256);
        let cell_count = cells.cell_count();

        let mut lists = vec![0u32; 3 * pool + cell_count + 2 * blocks];
        let (aim_list, dirty_list) = (2 * pool, 3 * pool);
        let block_list = dirty_list + cell_count;
        let start_list = lists.len();
        lists.extend_from_slice(&cells.starts);
        let item_list = lists.len();
        lists.extend_from_slice(&cells.items);

        let uniform = GrowthUniform {
            pool: pool as u32,
            bucket_mask: buckets as u32 - 1,
            attractor_count: plan.attractors.len() as u32,
            seed,
            aim_list: aim_list as u32,
            dirty_list: dirty_list as u32,
            block_list: block_list as u32,
            start_list: start_list as u32,
            item_list: item_list as u32,
            ..rule.uniform(&cells, &plan.volume)
        };

        let mut heads = vec![GrowthCell::default(); cell_count];
        let mut bucket_heads = vec![0u32; 2 * buckets];
        let mut first_nodes = Vec::with_capacity(roots.len());
        let mut dirty = Vec::new();
        if kept.is_some() {
            roots.truncate(pool - 1);
            lists[aim_list] = roots.len() as u32;
            lists[aim_list + 1..][..roots.len()].copy_from_slice(&roots);
            roots.clear();
        }
        for (id, &root) in roots.iter().enumerate() {
            let position = plan.attractors[root as usize];
            let id = id as u32;
            lists[id as usize] = id;
            let cell = cells.cell_of(position);
            let head = &mut heads[cells.index(cell)].head;
            let bucket = &mut bucket_heads[2 * bucket_of(position, &uniform) as usize];
            first_nodes.push(GrowthNode {
                position,
                parent: id,
                source: root,
                root: id,
                mass_and_aimed: hash2(seed, id) & 0xff,
                next_cell: std::mem::replace(head, id + 1),
                next_bucket: std::mem::replace(bucket, id + 1),
                ..Default::default()
            });
            dirty.extend(cells.neighbours(cell).filter(|&n| !cells.points(n).is_empty()));
        }
        dirty.sort_unstable();
        dirty.dedup();
        for (at, &cell) in dirty.iter().enumerate() {
            lists[dirty_list + at] = cell as u32;
        }
        let counters = GrowthState {
            node_count: roots.len() as u32,
            new_count: roots.len() as u32,
            dirty_count: dirty.len() as u32,
            alive: plan.attractors.len() as u32,
            finished_tick: NOT_FINISHED,
            frontier0: roots.len() as u32,
            ..Default::default()
        };
        let mut frontier_args = dispatch_size(roots.len(), 64).to_vec();
        frontier_args.extend([0, 1, 1]);
        frontier_args.extend(dispatch_size(roots.len(), 256));
        frontier_args.extend([0, 1, 1, 0, 1, 1, 0, 1, 1]);
        let relax_groups = ((dirty.len() + roots.len()) as u32).min(STRIDE);
        let uniform_buffer = Buffer::from_slice(gpu, "growth/uniform", &[uniform], UNIFORM);
        let ripening = Buffer::new(gpu, "growth/ripening", 1, UNIFORM);
        let lasting = kept.unwrap_or_else(|| {
            let lasting = Lasting::new(gpu, plan, pool);
            lasting.nodes.write(gpu, 0, &first_nodes);
            lasting.counters.write(gpu, 0, &[counters]);
            lasting
        });
        let frontier_args = Buffer::from_slice(gpu, "growth/frontier arguments", &frontier_args, INDIRECT);
        let work_args =
            Buffer::from_slice(gpu, "growth/work arguments", &[0, 1, 1, relax_groups, 1, 1], INDIRECT);
        let sums: Buffer<i32> = Buffer::new(gpu, "growth/sums", 5 * pool, STORAGE);
        let buckets = Buffer::from_slice(gpu, "growth/buckets", &bucket_heads, STORAGE);
        let candidates: Buffer<GrowthCandidate> = Buffer::new(gpu, "growth/candidates", pool, STORAGE);
        let lists = Buffer::from_slice(gpu, "growth/lists", &lists, STORAGE);
        let cells = Buffer::from_slice(gpu, "growth/cells", &heads, STORAGE);
        let volume = Buffer::from_slice(gpu, "growth/volume", &plan.volume.bits, STORAGE);

        let all = [
            ("rule_in", uniform_buffer.raw()),
            ("ripening", ripening.raw()),
            ("pose", pose_uniform),
            ("nodes", lasting.nodes.raw()),
            ("attractors", lasting.attractors.raw()),
            ("state", lasting.counters.raw()),
            ("flow", lasting.flow.raw()),
            ("branch_count", lasting.branch_count.raw()),
            ("frontier_args", frontier_args.raw()),
            ("work_args", work_args.raw()),
            ("sums", sums.raw()),
            ("buckets", buckets.raw()),
            ("candidates", candidates.raw()),
            ("lists", lists.raw()),
            ("cells", cells.raw()),
            ("volume", volume.raw()),
            ("carried", lasting.carried.raw()),
            ("branches", lasting.branches.raw()),
        ];
        let bind = |pass: &crate::gpu::ComputePass, names: &[&str]| {
            let given: Vec<_> = all.iter().filter(|(name, _)| names.contains(name)).copied().collect();
            pass.bind(gpu, &given)
        };
        let bound = TickBindings {
            propose: bind(
                &kernels.propose,
                &[
                    "rule_in",
                    "ripening",
                    "nodes",
                    "sums",
                    "buckets",
                    "candidates",
                    "lists",
                    "volume",
                    "state",
                    "work_args",
                ],
            )?,
            aim: bind(
                &kernels.aim,
                &["rule_in", "nodes", "attractors", "sums", "buckets", "candidates", "lists", "state"],
            )?,
            select: bind(&kernels.select, &["rule_in", "buckets", "candidates", "lists", "state"])?,
            scan: bind(&kernels.scan, &["rule_in", "lists", "state", "frontier_args", "work_args"])?,
            emit: bind(
                &kernels.emit,
                &["rule_in", "nodes", "buckets", "candidates", "lists", "cells", "state", "work_args"],
            )?,
            reseed: bind(
                &kernels.reseed,
                &[
                    "rule_in",
                    "nodes",
                    "attractors",
                    "buckets",
                    "lists",
                    "cells",
                    "state",
                    "frontier_args",
                    "work_args",
                ],
            )?,
            relax: bind(
                &kernels.relax,
                &["rule_in", "nodes", "attractors", "sums", "cells", "lists", "volume", "state"],
            )?,
            flow: bind(&kernels.flow, &["rule_in", "ripening", "nodes", "flow", "state"])?,
            count: bind(&kernels.count, &["pose", "nodes", "state", "branch_count", "frontier_args"])?,
            adopt: [
                bind(&kernels.adopt[0], &["state", "work_args"])?,
                bind(&kernels.adopt[1], &["rule_in", "attractors", "state"])?,
                bind(
                    &kernels.adopt[2],
                    &["rule_in", "nodes", "buckets", "lists", "cells", "state", "work_args"],
                )?,
                bind(
                    &kernels.adopt[3],
                    &[
                        "rule_in",
                        "nodes",
                        "attractors",
                        "buckets",
                        "lists",
                        "cells",
                        "state",
                        "frontier_args",
                        "work_args",
                    ],
                )?,
            ],
            past: bind(&kernels.past, &["rule_in", "ripening", "pose", "nodes", "flow", "branch_count"])?,
            pose: bind(
                &kernels.pose,
                &[
                    "rule_in",
                    "ripening",
                    "pose",
                    "nodes",
                    "state",
                    "flow",
                    "carried",
                    "branches",
                    "branch_count",
                ],
            )?,
        };
        Ok(Self {
            asked,
            rule,
            uniform,
            warnings,
            uniform_buffer,
            ripening,
            lasting,
            frontier_args,
            work_args,
            bound,
        })
    }
}

/// The kernels' hash of a seed and a stable number.
#[must_use]
pub fn hash2(seed: u32, a: u32) -> u32 {
    use crate::character::volume::hash;
    hash(hash(seed ^ 0x9e37_79b9).wrapping_add(a))
}

/// The kernels' bucket of a position.
fn bucket_of(position: IVec3, uniform: &GrowthUniform) -> u32 {
    let cell: UVec3 = (position / (2 * uniform.conflict)).as_uvec3();
    let key = cell
        .x
        .wrapping_mul(0x8da6_b343)
        .wrapping_add(cell.y.wrapping_mul(0xd816_3841))
        .wrapping_add(cell.z.wrapping_mul(0xcb1a_b31f));
    crate::character::volume::hash(key) & uniform.bucket_mask
}
