// What the growth kernels share. Everything that decides topology is integer, so that it is the same everywhere.

// Sizes, radii and places of lists; lengths are lattice units.
struct GrowthUniform {
    // Cells with an edge of the influence distance, over all attractors and two cells more on every side.
    cell_origin: vec3<i32>,
    cell_edge: i32,
    cell_dims: vec3<u32>,
    cell_count: u32,
    voxel_origin: vec3<i32>,
    // Binary logarithm of a voxel's edge.
    voxel_shift: u32,
    voxel_dims: vec3<u32>,
    body_aware: u32,
    // Squares of the influence, kill, growth and conflict distances.
    influence2: u32,
    kill2: u32,
    growth2: u32,
    conflict2: u32,
    growth: i32,
    conflict: i32,
    // Square of how near a node blocks the child of an aim, with the volume test.
    touch2: u32,
    pool: u32,
    bucket_mask: u32,
    attractor_count: u32,
    seed: u32,
    tick: u32,
    // Where each list begins in `lists`; the two frontiers are at 0 and `pool`.
    aim_list: u32,
    dirty_list: u32,
    block_list: u32,
    start_list: u32,
    item_list: u32,
    slowest_ripening: u32,
    // 1 when every step by the mean is a whole one.
    normalised: u32,
    // 1 when points out of reach at the end become roots.
    reseed: u32,
    // Added to the mean of unit vectors: along one direction, and along one of the node's own; in 1/16384.
    tropism: vec3<i32>,
    noise: i32,
}

// A branch point.
struct GrowthNode {
    position: vec3<i32>,
    parent: u32,
    depth: u32,
    // Ticks that had passed when it was there for the first time.
    birth: u32,
    // The attractor whose joints carry it.
    source: u32,
    root: u32,
    // Attractors it served at its last emission, 0 before, and from bit 8 on whether that was an aim.
    last: u32,
    mass_and_aimed: u32,
    // Chains of its cell and its bucket.
    next_cell: u32,
    next_bucket: u32,
}

struct GrowthAttractor {
    position: vec3<i32>,
    owner: u32,
}

// What a node of the frontier would do this tick.
struct GrowthCandidate {
    position: vec3<i32>,
    kind: u32,
    node: u32,
    count: u32,
    next: u32,
    // Bit 0: the node stays in the frontier. Bit 1: the child is born.
    flags: u32,
}

struct GrowthCell {
    // Newest node plus one.
    head: atomic<u32>,
    // Last tick, plus one, at which it was put on the list of cells to relax.
    stamp: atomic<u32>,
}

struct GrowthState {
    node_count: u32,
    first_new: u32,
    new_count: u32,
    aim_count: atomic<u32>,
    dirty_count: atomic<u32>,
    alive: atomic<u32>,
    retired: atomic<u32>,
    pool_full: u32,
    finished_tick: u32,
    max_depth: atomic<u32>,
    flow_phase: u32,
    frontier0: u32,
    frontier1: u32,
    // 1 in a tick that makes roots of the points that no node serves.
    reseeding: u32,
    pad0: u32,
    pad1: u32,
}

const NONE = 0xffffffffu;
const FREE = 0xfffffffdu;
const RETIRED = 0xfffffffeu;
const DEAD = 0xffffffffu;

const IDLE = 0u;
const MEAN = 1u;
const AIM = 2u;
const RETIRE = 3u;

const AIMED = 0x100u;
// Rows of a list that one dispatch works through in strides.
const STRIDE = 32768u;

// The numbers of the rule. Every kernel binds them as `rule_in` and copies them here first, so that they stay in
// registers. They come as storage where a binding is left: Mesa's software driver copies a shader for each dispatch
// to fold uniforms into its branches, which took longer than the dispatch itself.
var<private> rule: GrowthUniform;

fn frontier_base() -> u32 {
    return (rule.tick & 1u) * rule.pool;
}

fn next_frontier_base() -> u32 {
    return (1u - (rule.tick & 1u)) * rule.pool;
}

// The squared distance of points at most two cells apart.
fn distance2(a: vec3<i32>, b: vec3<i32>) -> u32 {
    let d = vec3<u32>(abs(a - b));
    return d.x * d.x + d.y * d.y + d.z * d.z;
}

// Whether a and b are closer than the root of `radius2`, which is at most the conflict distance. Unlike distance2,
// right for points that are far apart too, whose squared distance does not fit.
fn is_within(a: vec3<i32>, b: vec3<i32>, radius2: u32) -> bool {
    return all(abs(a - b) < vec3<i32>(rule.conflict)) && distance2(a, b) < radius2;
}

// The whole part of the square root: a float's guess, set right in integers.
fn whole_sqrt(x: u32) -> u32 {
    var root = min(u32(sqrt(f32(x))), 65535u);
    for (var i = 0u; i < 8u && root * root > x; i++) {
        root--;
    }
    for (var i = 0u; i < 8u && root < 65535u && (root + 1u) * (root + 1u) <= x; i++) {
        root++;
    }
    return root;
}

// The unit vector along d in 1/16384; zero for zero. |d| < 16384.
fn unit_vector(d: vec3<i32>) -> vec3<i32> {
    let length4 = i32(whole_sqrt(16u * distance2(d, vec3<i32>(0))));
    return select(d * 65536 / max(length4, 1), vec3<i32>(0), length4 == 0);
}

// A step of `growth` along q, a vector in 1/16384.
fn step_along(q: vec3<i32>) -> vec3<i32> {
    return (q * rule.growth + 8192) >> vec3<u32>(14u);
}

fn hash(value: u32) -> u32 {
    var x = value;
    x = (x ^ (x >> 16u)) * 0x85ebca6bu;
    x = (x ^ (x >> 13u)) * 0xc2b2ae35u;
    return x ^ (x >> 16u);
}

fn hash2(seed: u32, a: u32) -> u32 {
    return hash(hash(seed ^ 0x9e3779b9u) + a);
}

fn cell_of(p: vec3<i32>) -> vec3<i32> {
    return clamp((p - rule.cell_origin) / rule.cell_edge, vec3<i32>(0), vec3<i32>(rule.cell_dims) - 1);
}

fn cell_index(cell: vec3<i32>) -> u32 {
    let c = vec3<u32>(cell);
    return (c.z * rule.cell_dims.y + c.y) * rule.cell_dims.x + c.x;
}

// The k-th of the 27 cells round and with `cell`; `NONE` beyond the grid.
fn neighbour_cell(cell: vec3<i32>, k: u32) -> u32 {
    let n = cell + vec3<i32>(i32(k % 3u) - 1, i32(k / 3u % 3u) - 1, i32(k / 9u) - 1);
    if any(n < vec3<i32>(0)) || any(n >= vec3<i32>(rule.cell_dims)) {
        return NONE;
    }
    return cell_index(n);
}

// Buckets hash cells with an edge of twice the conflict distance, so that a ball of that radius meets eight.
fn bucket_cell(p: vec3<i32>) -> vec3<i32> {
    return p / (2 * rule.conflict);
}

fn bucket_of(cell: vec3<i32>) -> u32 {
    let c = vec3<u32>(cell);
    return hash(c.x * 0x8da6b343u + c.y * 0xd8163841u + c.z * 0xcb1ab31fu) & rule.bucket_mask;
}

// The k-th of eight buckets from that of a cell on: with the cell of p - conflict, all that a ball of the conflict
// distance round p may meet.
fn bucket_near(cell: vec3<i32>, k: u32) -> u32 {
    return bucket_of(cell + vec3<i32>(i32(k & 1u), i32(k >> 1u & 1u), i32(k >> 2u)));
}
