//! The rule of growth on the CPU, brute force: every attractor against every new node, all sums from scratch.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod bodies;

use dryad::character::volume::VoxelVolume;
use dryad::sim::growth::GrowthPlan;
use dryad::sim::growth::rule::Rule;
use dryad::sim::growth::state::{DEAD, FREE, RETIRED, hash2};
use glam::IVec3;

#[derive(Debug, Clone)]
pub struct TwinNode {
    pub position: IVec3,
    pub parent: u32,
    pub depth: u32,
    pub birth: u32,
    last: u32,
    aimed: bool,
    mass: u32,
}

pub struct Twin<'a> {
    plan: &'a GrowthPlan,
    rule: Rule,
    ripening: [u32; 256],
    pub nodes: Vec<TwinNode>,
    pub owners: Vec<u32>,
    pub finished_tick: Option<u32>,
    tick: u32,
}

fn d2(a: IVec3, b: IVec3) -> i64 {
    (a - b).as_i64vec3().length_squared()
}

/// Floor of the square root, bit by bit.
fn whole_sqrt(x: i64) -> i64 {
    let mut root = 0;
    for bit in (0..32).rev() {
        let next = root | 1i64 << bit;
        if next * next <= x {
            root = next;
        }
    }
    root
}

fn unit_vector(d: IVec3) -> IVec3 {
    let length4 = whole_sqrt(16 * d2(d, IVec3::ZERO));
    if length4 == 0 {
        return IVec3::ZERO;
    }
    IVec3::from_array(d.to_array().map(|v| (i64::from(v) * 65536 / length4) as i32))
}

fn step(q: IVec3, growth: i32) -> IVec3 {
    IVec3::from_array(q.to_array().map(|v| ((i64::from(v) * i64::from(growth) + 8192) >> 14) as i32))
}

/// The unit vector along `q`, halved or doubled first until its longest part has thirteen bits.
fn normalised(q: IVec3) -> IVec3 {
    let mut q = q;
    let (mut halvings, mut longest) = (0, q.abs().max_element());
    while longest > 8191 {
        (halvings, longest) = (halvings + 1, longest / 2);
    }
    // Halved at once: truncating again and again would not come to the same for negative parts.
    q /= 1 << halvings;
    while q != IVec3::ZERO && q.abs().max_element() < 4096 {
        q *= 2;
    }
    unit_vector(q)
}

fn stray(seed: u32, index: u32) -> IVec3 {
    let part = |axis: u32| {
        let random = hash2(seed ^ (0x51ed_270b + axis), index);
        random.to_le_bytes().iter().map(|&byte| i32::from(byte)).sum::<i32>() - 510
    };
    normalised(IVec3::new(part(0), part(1), part(2)))
}

impl<'a> Twin<'a> {
    pub fn new(plan: &'a GrowthPlan, rule: Rule, ripening: [u32; 256]) -> Self {
        let roots = plan.roots(&rule);
        let nodes = roots.iter().enumerate().map(|(id, &root)| TwinNode {
            position: plan.attractors[root as usize],
            parent: id as u32,
            depth: 0,
            birth: 0,
            last: 0,
            aimed: false,
            mass: hash2(plan.seed, id as u32) & 0xff,
        });
        let mut twin = Self {
            plan,
            rule,
            ripening,
            nodes: nodes.collect(),
            owners: vec![FREE; plan.attractors.len()],
            finished_tick: None,
            tick: 0,
        };
        twin.relax(0);
        twin
    }

    /// Goes on under another rule: all nodes are tried again, and points that were not reached are free.
    pub fn adopt(&mut self, rule: Rule) {
        self.rule = rule;
        self.finished_tick = None;
        for node in &mut self.nodes {
            (node.last, node.aimed) = (0, false);
        }
        for owner in self.owners.iter_mut().filter(|owner| **owner != DEAD) {
            *owner = FREE;
        }
        for root in self.plan.roots(&self.rule) {
            let position = self.plan.attractors[root as usize];
            if self.owners[root as usize] == DEAD || self.node_within(position, self.rule.conflict()) {
                continue;
            }
            let id = self.nodes.len() as u32;
            let mass = hash2(self.plan.seed, id) & 0xff;
            let birth = self.tick;
            self.nodes.push(TwinNode { position, parent: id, depth: 0, birth, last: 0, aimed: false, mass });
        }
        self.relax(0);
    }

    fn volume(&self) -> &VoxelVolume {
        &self.plan.volume
    }

    fn sees(&self, from: IVec3, to: IVec3) -> bool {
        !self.rule.body_aware || self.volume().segment_inside(from, to)
    }

    /// Lets nodes from `first` on reach and gather attractors.
    fn relax(&mut self, first: usize) {
        for a in 0..self.owners.len() {
            if self.owners[a] == DEAD || self.owners[a] == RETIRED {
                continue;
            }
            let p = self.plan.attractors[a];
            let square = |r: i32| i64::from(r).pow(2);
            if self.nodes[first..].iter().any(|n| d2(n.position, p) < square(self.rule.kill)) {
                self.owners[a] = DEAD;
                continue;
            }
            let mut best = match self.owners[a] {
                FREE => None,
                owner => Some((d2(self.nodes[owner as usize].position, p), owner)),
            };
            for id in first..self.nodes.len() {
                let n = self.nodes[id].position;
                let key = (d2(n, p), id as u32);
                if key.0 < square(self.rule.influence) && best.is_none_or(|b| key < b) && self.sees(n, p) {
                    best = Some(key);
                }
            }
            self.owners[a] = best.map_or(FREE, |b| b.1);
        }
    }

    fn node_within(&self, p: IVec3, radius: i32) -> bool {
        self.nodes.iter().any(|n| d2(n.position, p) < i64::from(radius).pow(2))
    }

    fn steered(&self, mean: IVec3, index: u32) -> IVec3 {
        if !self.rule.is_steered() {
            return mean;
        }
        let mut q = mean + self.rule.tropism;
        if self.rule.noise != 0 {
            q += stray(self.plan.seed, index) * self.rule.noise / 16_384;
        }
        let long = q.as_i64vec3().length_squared() > 1 << 28 || q.abs().max_element() >= 16_384;
        if self.rule.normalised || long { normalised(q) } else { q }
    }

    /// Roots at live attractors that have none of lower id in reach.
    fn reseed(&mut self) {
        let live: Vec<usize> = (0..self.owners.len()).filter(|&a| self.owners[a] == FREE).collect();
        let at = |a: usize| self.plan.attractors[a];
        let influence2 = i64::from(self.rule.influence).pow(2);
        for (rank, &a) in live.iter().enumerate() {
            if live[..rank].iter().any(|&other| d2(at(other), at(a)) < influence2) {
                continue;
            }
            let id = self.nodes.len() as u32;
            self.nodes.push(TwinNode {
                position: at(a),
                parent: id,
                depth: 0,
                birth: self.tick + 1,
                last: 0,
                aimed: false,
                mass: hash2(self.plan.seed, id) & 0xff,
            });
        }
    }

    pub fn run_tick(&mut self) {
        let mut owned: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (a, &owner) in self.owners.iter().enumerate() {
            if owner < FREE {
                owned[owner as usize].push(a);
            }
        }
        let counts: Vec<u32> = owned.iter().map(|mine| mine.len() as u32).collect();
        let idle = counts.iter().all(|&c| c == 0) && self.finished_tick.is_none();
        let reseeds = idle && self.rule.reseed && self.owners.contains(&FREE);
        if idle && !reseeds {
            self.finished_tick = Some(self.tick);
        }
        // (position, parent, count, aimed), in the order of parents.
        let mut candidates: Vec<(IVec3, usize, u32, bool)> = Vec::new();
        for id in 0..self.nodes.len() {
            let node = self.nodes[id].clone();
            let count = counts[id];
            if count == 0 || self.tick < node.birth + self.ripening[node.mass as usize] {
                continue;
            }
            let mine = &owned[id];
            let nearest =
                *mine.iter().min_by_key(|&&a| (d2(self.plan.attractors[a], node.position), a)).unwrap();
            let mut retire = count == node.last && node.aimed;
            if !retire {
                let sum = mine
                    .iter()
                    .fold(IVec3::ZERO, |sum, &a| sum + unit_vector(self.plan.attractors[a] - node.position));
                let mean = IVec3::from_array(sum.to_array().map(|v| v / count as i32));
                let candidate = node.position + step(self.steered(mean, id as u32), self.rule.growth);
                let aims = count == node.last
                    || count == 1
                    || self.node_within(candidate, self.rule.conflict())
                    || !self.sees(node.position, candidate);
                if aims {
                    let goal = self.plan.attractors[nearest];
                    let child = if d2(goal, node.position) <= i64::from(self.rule.growth).pow(2) {
                        goal
                    } else {
                        node.position + step(unit_vector(goal - node.position), self.rule.growth)
                    };
                    if self.rule.body_aware && self.node_within(child, self.rule.touch()) {
                        retire = true;
                    } else {
                        candidates.push((child, id, count, true));
                    }
                } else {
                    candidates.push((candidate, id, count, false));
                }
            }
            if retire {
                self.owners[nearest] = RETIRED;
            }
        }
        let first = self.nodes.len();
        for (at, &(position, parent, count, aimed)) in candidates.iter().enumerate() {
            let conflict = i64::from(self.rule.conflict()).pow(2);
            if candidates[..at].iter().any(|other| d2(other.0, position) < conflict) {
                continue;
            }
            self.nodes[parent].last = count;
            self.nodes[parent].aimed = aimed;
            let id = self.nodes.len() as u32;
            self.nodes.push(TwinNode {
                position,
                parent: parent as u32,
                depth: self.nodes[parent].depth + 1,
                birth: self.tick + 1,
                last: 0,
                aimed: false,
                mass: hash2(self.plan.seed, id) & 0xff,
            });
        }
        if reseeds {
            self.reseed();
        }
        self.relax(first);
        self.tick += 1;
    }

    /// Grows until nothing serves any attractor; panics when that takes too long.
    pub fn run(&mut self) {
        while self.finished_tick.is_none() {
            self.run_tick();
            assert!(self.tick < 5000, "growth does not end");
        }
    }
}
