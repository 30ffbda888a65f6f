//! Triangles that are drawn together: runs of one material.

use std::ops::Range;

use glam::{UVec2, Vec3};

use crate::character::data::AlphaMode;
use crate::character::{CharacterData, RestShape};

/// How a material's alpha is drawn, in the order drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Coverage {
    Opaque,
    Cutout,
    Blended,
}

/// A run of triangles with one material.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// Its place among the indices.
    pub indices: Range<u32>,
    /// Index of its material.
    pub material: u32,
    /// How it is drawn.
    pub coverage: Coverage,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Middle of its rest positions: what blended runs are ordered by.
    pub center: Vec3,
}

/// Runs of triangles under a variant: neighbours with one material joined, opaque before cut-out before blended.
pub(super) fn runs(data: &CharacterData, rest: &RestShape, variant: Option<u32>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (number, primitive) in data.primitives.iter().enumerate() {
        if primitive.index_count == 0 {
            continue;
        }
        let number = data.material_of(number, variant);
        let Some(material) = data.materials.get(number as usize) else { continue };
        let coverage = match material.alpha {
            AlphaMode::Opaque if material.transmission.factor > 0.0 => Coverage::Blended,
            AlphaMode::Opaque => Coverage::Opaque,
            AlphaMode::Mask(_) => Coverage::Cutout,
            AlphaMode::Blend => Coverage::Blended,
        };
        let indices = primitive.first_index..primitive.first_index + primitive.index_count;
        if let Some(last) = runs.last_mut() {
            let joins = last.material == number && last.indices.end == indices.start;
            if joins && coverage != Coverage::Blended {
                last.indices.end = indices.end;
                continue;
            }
        }
        let first = primitive.first_vertex as usize;
        let positions = rest.positions.get(first..first + primitive.vertex_count as usize).unwrap_or(&[]);
        let center = positions.iter().sum::<Vec3>() / positions.len().max(1) as f32;
        let double_sided = material.double_sided;
        runs.push(Run { indices, material: number, coverage, double_sided, center });
    }
    runs.sort_by_key(|run| run.coverage);
    runs
}

/// The blended runs joined by material, over the list of their triangles that comes with them: number and group of
/// each, group after group.
pub(super) fn blended(runs: &[Run]) -> (Vec<Run>, Vec<UVec2>) {
    let mut groups: Vec<(Run, Vec<u32>)> = Vec::new();
    for run in runs.iter().filter(|run| run.coverage == Coverage::Blended) {
        let triangles = run.indices.start / 3..run.indices.end / 3;
        match groups.iter_mut().find(|(group, _)| group.material == run.material) {
            Some((group, numbers)) => {
                let share = triangles.len() as f32 / (triangles.len() + numbers.len()) as f32;
                group.center = group.center.lerp(run.center, share);
                numbers.extend(triangles);
            }
            None => groups.push((run.clone(), triangles.collect())),
        }
    }
    let mut list = Vec::new();
    for (number, (group, triangles)) in groups.iter_mut().enumerate() {
        let first = 3 * list.len() as u32;
        list.extend(triangles.iter().map(|&triangle| UVec2::new(triangle, number as u32)));
        group.indices = first..3 * list.len() as u32;
    }
    (groups.into_iter().map(|(group, _)| group).collect(), list)
}
