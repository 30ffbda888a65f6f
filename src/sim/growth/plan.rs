//! What growth starts from: points to reach, made from the rest pose on the CPU, on any thread.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use glam::{I64Vec3, IVec3};

use super::params::GrowthParams;
use super::places::Places;
use super::rule::{RootPlace, RootsBy, Rule, UNITS_PER_EXTENT};
use super::ties::{self, Ties};
use crate::character::volume::sample::{POINTS_A_CUBE, RADIUS_OF_SPACING};
use crate::character::volume::surface_points::surface_layer;
use crate::character::volume::voxels::voxel_shift;
use crate::character::volume::{
    Candidates, Components, Lattice, Shell, ShellVoxels, VoxelVolume, hash3, lattice_tree, poisson_select,
    voxelize,
};
use crate::character::{CharacterData, RestShape};

/// The most attractors, whatever the parameters ask for.
pub const MAX_ATTRACTORS: usize = 1 << 20;

/// The most triangles looked at to tell whether points near the surface are inside; a body of a million points
/// stays below.
const MAX_TRIANGLES: usize = 1 << 27;

/// How often spacing is widened to keep within a number of points.
const MOST_WIDENINGS: u32 = 16;

/// Attractors, the volume they fill and the skin that carries them. The same character, parameters and seed give
/// the same plan.
#[derive(Debug, Clone)]
pub struct GrowthPlan {
    /// The lattice of all positions.
    pub lattice: Lattice,
    /// The inside of the body.
    pub volume: VoxelVolume,
    /// Points to reach, sorted along a space-filling curve.
    pub attractors: Vec<IVec3>,
    /// The part of the volume, or of the shell in it, that each attractor lies in.
    pub components: Vec<u32>,
    /// The chords by which the posed skin carries each attractor.
    pub ties: Ties,
    /// Joints and skin, by which parameters name places; none for points that are already known.
    pub places: Places,
    /// Spacing in lattice units: as asked for, or wider.
    pub spacing: i32,
    /// The seed.
    pub seed: u32,
    /// What was done otherwise than asked, a sentence each.
    pub warnings: Vec<String>,
    /// Which points were asked for, as bits.
    asked: [u32; 6],
}

/// Samples the body's rest volume and finds what carries each point; `None` once `cancel` is set.
#[must_use]
pub fn plan(
    data: &CharacterData,
    rest: &RestShape,
    params: &GrowthParams,
    seed: u32,
    cancel: &AtomicBool,
) -> Option<GrowthPlan> {
    let lattice = Lattice::new(rest, UNITS_PER_EXTENT);
    let points: Vec<IVec3> = rest.positions.iter().map(|&p| lattice.from_world(p)).collect();
    let tree = lattice_tree(&points, &data.indices);
    let mut warnings = Vec::new();
    let mut spacing = ((f64::from(params.spacing) * UNITS_PER_EXTENT).round() as i32).max(2);

    let most = (params.max_points as usize).clamp(1, MAX_ATTRACTORS);
    let shift = voxel_shift(&points, &data.indices, spacing);
    let voxelized = voxelize(&points, &data.indices, &tree, shift, cancel)?;
    let mut volume = voxelized.volume;
    let surface_only = volume.is_empty();
    let shell = Shell::new(
        &tree,
        f64::from(params.shell_from) * UNITS_PER_EXTENT,
        f64::from(params.shell_to) * UNITS_PER_EXTENT,
        volume.count(),
    );
    let mut shell_voxels = None;
    let candidates = if surface_only {
        if !data.indices.is_empty() {
            warnings.push("the mesh encloses no volume: branches grow along its surface".into());
            if params.is_shell() {
                warnings.push("growth.fill is shell, but without a volume nothing is below the skin".into());
            }
        }
        let (layer, candidates) =
            surface_layer(&points, &data.indices, shift, spacing, params.jitter, cancel)?;
        volume = layer;
        candidates
    } else {
        if params.is_shell() {
            shell_voxels = Some(shell.voxels(&volume, cancel)?);
        }
        let voxels = shell_voxels.as_ref().map_or(volume.count() as f64, |found| found.amount);
        let expected = |spacing: i32| {
            let edges = f64::from(volume.edge()) / f64::from(spacing);
            let rims = shell_voxels.as_ref().map_or(0.0, |_| shell.rim(volume.edge()) * edges.powi(2));
            voxels * (POINTS_A_CUBE * edges.powi(3) + rims)
        };
        let asked_for = expected(spacing);
        // Once is enough for a volume; what lies along a surface falls with the square of the spacing.
        for _ in 0..MOST_WIDENINGS {
            let excess = expected(spacing) / most as f64;
            if excess <= 1.0 {
                break;
            }
            spacing = (f64::from(spacing) * excess.cbrt() * 1.02) as i32;
        }
        if asked_for > most as f64 {
            warnings.push(format!(
                "growth.spacing was widened to {:.4} H: the body would hold {asked_for:.0} points, more than \
                 growth.max_points",
                f64::from(spacing) / UNITS_PER_EXTENT
            ));
        }
        let filled = shell_voxels.as_ref().map_or(&volume, |found| &found.volume);
        Candidates::in_volume(filled, spacing, params.jitter, seed)
    };
    let radius = (f64::from(spacing) * RADIUS_OF_SPACING) as i32;
    // Voxels on the surface are only partly inside: there the point itself is asked, as long as that is affordable.
    let some = candidates.positions.iter().step_by(candidates.positions.len() / 64 + 1);
    let mut queries = tree.affordable_queries(some.map(|p| p.as_dvec3()), MAX_TRIANGLES);
    let admit = |p: IVec3| {
        if shell_voxels.as_ref().is_some_and(|found| !found.holds(&shell, p)) {
            return false;
        }
        if surface_only || volume.voxel_at(p).is_some_and(|voxel| volume.is_deep(voxel)) || queries == 0 {
            return true;
        }
        queries -= 1;
        tree.contains(p.as_dvec3())
    };
    let taken = poisson_select(&candidates, radius, most, admit, cancel)?;
    let mut attractors: Vec<IVec3> = taken.iter().map(|&i| candidates.positions[i as usize]).collect();
    drop(candidates);
    attractors.sort_by_cached_key(|p| (morton(*p), p.to_array()));
    if attractors.is_empty() {
        warnings.push(match &shell_voxels {
            Some(_) => format!(
                "no point of the body lies between growth.shell_from, {} H, and growth.shell_to, {} H, below its \
                 skin; the deepest lie about {:.3} H below",
                params.shell_from,
                params.shell_to,
                shell.deepest(&volume) / UNITS_PER_EXTENT
            ),
            None => "there is no body for branches to grow in".into(),
        });
    }

    let body = ties::Body { lattice: &lattice, points: &points, indices: &data.indices, tree: &tree };
    let ties = ties::ties(&body, &attractors, cancel)?;
    let mut plan = GrowthPlan::from_attractors(lattice, volume, attractors, ties, spacing, seed);
    if let Some(ShellVoxels { volume, .. }) = &shell_voxels {
        plan.components = components(volume, &plan.attractors);
    }
    plan.warnings = warnings;
    plan.places = Places::new(data, &plan.lattice, points);
    plan.asked = asked(params);
    Some(plan)
}

fn asked(params: &GrowthParams) -> [u32; 6] {
    let [from, to] = match params.is_shell() {
        true => [params.shell_from, params.shell_to].map(f32::to_bits),
        false => [0; 2],
    };
    [params.spacing.to_bits(), params.jitter.to_bits(), params.max_points, params.fill, from, to]
}

/// The connected part of a volume that each point lies in.
fn components(volume: &VoxelVolume, points: &[IVec3]) -> Vec<u32> {
    let labels = Components::new(volume);
    let of = |&p: &IVec3| volume.voxel_at(p).and_then(|voxel| labels.of(voxel)).unwrap_or(u32::MAX);
    points.iter().map(of).collect()
}

/// Interleaves the upper bits of the coordinates, so that neighbours in space are near in memory.
pub(crate) fn morton(p: IVec3) -> u32 {
    let spread = |v: i32| {
        let mut x = (v.clamp(0, (1 << 20) - 1) as u32) >> 10;
        x = (x | x << 16) & 0x0300_00ff;
        x = (x | x << 8) & 0x0300_f00f;
        x = (x | x << 4) & 0x030c_30c3;
        (x | x << 2) & 0x0924_9249
    };
    spread(p.x) | spread(p.y) << 1 | spread(p.z) << 2
}

impl GrowthPlan {
    /// A plan for points that are already known, one tie each; `spacing` is about their distance.
    #[must_use]
    pub fn from_attractors(
        lattice: Lattice,
        volume: VoxelVolume,
        attractors: Vec<IVec3>,
        ties: Ties,
        spacing: i32,
        seed: u32,
    ) -> Self {
        let components = components(&volume, &attractors);
        let (warnings, asked, places) = (Vec::new(), [0; 6], Places::default());
        Self { lattice, volume, attractors, components, ties, places, spacing, seed, warnings, asked }
    }

    /// Whether these parameters and this seed ask for other points.
    #[must_use]
    pub fn differs(&self, params: &GrowthParams, seed: u32) -> bool {
        self.asked != asked(params) || self.seed != seed
    }

    /// Attractors on which growth starts: as many as the rule wants, where it wants them or at the places it names,
    /// and, if it says so, one more in every part of the volume that has none. Placed ones keep an influence distance
    /// where they can, so that they spread over the feet or the crown instead of crowding at one point. No two are
    /// closer than [`Rule::apart`].
    #[must_use]
    pub fn roots(&self, rule: &Rule) -> Vec<u32> {
        self.roots_of(rule, self.seed)
    }

    /// The seed of roots and masses in each cycle of continuous growth.
    #[must_use]
    pub fn seed_of(&self, generation: u32) -> u32 {
        if generation == 0 { self.seed } else { hash3(self.seed, generation, 1) }
    }

    /// As [`GrowthPlan::roots`], with another seed.
    #[must_use]
    pub fn roots_of(&self, rule: &Rule, seed: u32) -> Vec<u32> {
        let count = self.attractors.len().max(1) as i64;
        let sum = self.attractors.iter().fold(I64Vec3::ZERO, |sum, p| sum + p.as_i64vec3());
        let centre = IVec3::from_array((sum / count).to_array().map(|v| v as i32));
        let rank = |p: IVec3| match rule.roots_by {
            RootsBy::Random => 0,
            RootsBy::Lowest => i64::from(p.y),
            RootsBy::Highest => -i64::from(p.y),
            RootsBy::Centre => (p - centre).as_i64vec3().length_squared(),
        };
        let mut order: Vec<u32> = (0..self.attractors.len() as u32).collect();
        order.sort_by_cached_key(|&id| (rank(self.attractors[id as usize]), hash3(seed, id, 0), id));
        let near = |roots: &[u32], id: u32, apart: i32| {
            roots.iter().any(|&r| {
                let offset = (self.attractors[r as usize] - self.attractors[id as usize]).as_i64vec3();
                offset.length_squared() < i64::from(apart).pow(2)
            })
        };
        let mut roots = Vec::new();
        let mut rooted = BTreeSet::new();
        for place in &rule.roots_at {
            self.add_nearest(&mut roots, place, &[rule.influence, rule.apart()], near);
        }
        rooted.extend(roots.iter().map(|&root| self.components[root as usize]));
        let wanted = if roots.is_empty() { rule.roots as usize } else { 0 };
        let distances: &[i32] = match rule.roots_by {
            RootsBy::Random => &[rule.apart()],
            _ => &[rule.influence, rule.apart()],
        };
        for &apart in distances {
            for &id in &order {
                if roots.len() >= wanted {
                    break;
                }
                if !near(&roots, id, apart) {
                    roots.push(id);
                    rooted.insert(self.components[id as usize]);
                }
            }
        }
        if !rule.root_every_part {
            return roots;
        }
        for &id in &order {
            let component = self.components[id as usize];
            if !rooted.contains(&component) && !near(&roots, id, rule.apart()) {
                roots.push(id);
                rooted.insert(component);
            }
        }
        roots
    }

    /// Adds the attractors nearest to a place, as many as it wants, as far from all `roots` as the first of
    /// `distances` says, or else as the next one.
    fn add_nearest(
        &self,
        roots: &mut Vec<u32>,
        place: &RootPlace,
        distances: &[i32],
        near: impl Fn(&[u32], u32, i32) -> bool,
    ) {
        let mut order: Vec<(i64, u32)> = (0..)
            .zip(&self.attractors)
            .map(|(id, p)| ((p.as_i64vec3() - place.at.as_i64vec3()).length_squared(), id))
            .collect();
        let enough = roots.len() + place.count as usize;
        for &apart in distances {
            // Mostly the first few suffice, of what may be a million.
            let (mut sorted, mut seen) = (0, 0);
            while roots.len() < enough && seen < order.len() {
                if seen == sorted {
                    sorted = (8 * sorted).clamp(256.min(order.len()), order.len());
                    if sorted < order.len() {
                        order[seen..].select_nth_unstable(sorted - seen);
                    }
                    order[seen..sorted].sort_unstable();
                }
                let (_, id) = order[seen];
                if !near(roots, id, apart) {
                    roots.push(id);
                }
                seen += 1;
            }
        }
    }
}
