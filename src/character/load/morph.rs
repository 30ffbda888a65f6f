//! Morph targets: rest weights and displacements.

use glam::Vec3;
use gltf::json;

use super::accessors::Accessors;
use super::error::LoadError;
use super::geometry::{Builder, MAX_COORDINATE, TARGET_BYTES};
use crate::character::data::MorphDelta;

/// Morph targets kept of a mesh.
const MAX_MORPH_TARGETS: usize = 256;

/// Rest weights of a node's morph targets: the node's, else the mesh's, else zero.
pub(super) fn weights(
    accessors: &Accessors,
    node: &json::Node,
    mesh: &json::Mesh,
    mesh_index: usize,
) -> Result<Vec<f32>, LoadError> {
    let ctx = accessors.ctx;
    let targets =
        mesh.primitives.iter().filter_map(|primitive| primitive.targets.as_ref()).map(Vec::len).max();
    let targets = targets.unwrap_or(0);
    if targets > MAX_MORPH_TARGETS {
        ctx.warn(format!(
            "mesh {mesh_index} has {targets} morph targets; the first {MAX_MORPH_TARGETS} are kept"
        ));
    }
    let targets = targets.min(MAX_MORPH_TARGETS);
    ctx.charge(targets as u64 * TARGET_BYTES, "a mesh")?;
    let mut weights = node.weights.as_ref().or(mesh.weights.as_ref()).cloned().unwrap_or_default();
    weights.resize(targets, 0.0);
    for weight in &mut weights {
        if weight.is_nan() || weight.abs() > MAX_COORDINATE {
            ctx.warn(format!(
                "mesh {mesh_index} has a morph weight that is not a usable number and counts as zero"
            ));
            *weight = 0.0;
        }
    }
    Ok(weights)
}

impl Builder<'_> {
    /// Appends the displacements of all targets; returns where they begin and how many targets there are.
    /// `count` is that of the POSITION accessor, `origins` names for each vertex the one of the accessor. Those of
    /// tangents count where the file gives the tangents themselves, `with_tangents`.
    pub fn morph_targets(
        &self,
        count: usize,
        origins: &[u32],
        with_tangents: bool,
        deltas: &mut Vec<MorphDelta>,
        tangent_deltas: &mut Vec<Vec3>,
    ) -> Result<(u32, u32), LoadError> {
        let targets = self.primitive.targets.as_deref().unwrap_or_default();
        let targets = &targets[..targets.len().min(MAX_MORPH_TARGETS)];
        let ctx = self.accessors.ctx;
        let first = deltas.len();
        let total = first as u64 + targets.len() as u64 * origins.len() as u64;
        let (Ok(first), Ok(_)) = (u32::try_from(first), u32::try_from(total)) else {
            return Err(LoadError::TooLarge { file: ctx.file.clone(), place: self.place.clone() });
        };
        for (number, target) in targets.iter().enumerate() {
            ctx.charge((origins.len() * size_of::<MorphDelta>()) as u64, &self.place)?;
            let positions = self.displacements(target.positions, count, number)?;
            let normals = self.displacements(target.normals, count, number)?;
            let tangents = target.tangents.filter(|_| with_tangents);
            let tangents = self.displacements(tangents, count, number)?;
            if let Some(tangents) = tangents {
                ctx.charge((deltas.len() + origins.len()) as u64 * size_of::<Vec3>() as u64, &self.place)?;
                tangent_deltas.resize(deltas.len(), Vec3::ZERO);
                tangent_deltas
                    .extend(origins.iter().map(|&vertex| Vec3::from_array(tangents[vertex as usize])));
            }
            let at = |values: &Option<Vec<[f32; 3]>>, vertex: usize| {
                values.as_ref().map_or(Vec3::ZERO, |values| Vec3::from_array(values[vertex]))
            };
            deltas.extend(
                origins.iter().map(|vertex| *vertex as usize).map(|vertex| MorphDelta {
                    position: at(&positions, vertex),
                    normal: at(&normals, vertex),
                }),
            );
        }
        Ok((first, targets.len() as u32))
    }

    fn displacements(
        &self,
        accessor: Option<json::Index<json::Accessor>>,
        count: usize,
        target: usize,
    ) -> Result<Option<Vec<[f32; 3]>>, LoadError> {
        let Some(accessor) = accessor.map(|accessor| accessor.value()) else { return Ok(None) };
        if self.accessors.count(accessor, &self.place)? != count as u64 {
            self.warn(&format!(
                "has morph target {target} of another length than POSITION, which is ignored"
            ));
            return Ok(None);
        }
        let mut values = self.accessors.floats::<3>(accessor, &self.place)?;
        let mut mended = 0;
        for value in &mut values {
            if !value.iter().all(|component| component.abs() <= MAX_COORDINATE) {
                *value = [0.0; 3];
                mended += 1;
            }
        }
        if mended > 0 {
            self.warn(&format!(
                "has {mended} displacements in morph target {target} that are no usable numbers"
            ));
        }
        Ok(Some(values))
    }
}
