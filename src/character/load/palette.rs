//! The palette: what vertices follow, and which of it mirrors.

use std::collections::HashMap;

use glam::DMat4;

use super::accessors::Accessors;
use super::document::Document;
use super::error::LoadError;
use super::geometry::MAX_COORDINATE;
use super::scene::affine;
use crate::character::data::PaletteEntry;

/// Influences are 16-bit palette indices.
const MAX_ENTRIES: usize = 1 << 16;

/// The entries of one skin.
#[derive(Clone, Copy)]
pub(super) struct SkinEntries {
    pub first: u16,
    pub count: usize,
}

/// Collects palette entries.
pub(super) struct Palette<'a> {
    accessors: &'a Accessors<'a>,
    document: &'a Document,
    world_from_node: &'a [DMat4],
    skins: HashMap<usize, SkinEntries>,
    rigid: HashMap<usize, u16>,
    pub entries: Vec<PaletteEntry>,
    /// Whether an entry mirrors at rest, parallel to `entries`.
    pub mirrors: Vec<bool>,
}

impl<'a> Palette<'a> {
    pub fn new(accessors: &'a Accessors<'a>, document: &'a Document, world_from_node: &'a [DMat4]) -> Self {
        Self {
            accessors,
            document,
            world_from_node,
            skins: HashMap::new(),
            rigid: HashMap::new(),
            entries: Vec::new(),
            mirrors: Vec::new(),
        }
    }

    /// The entry that moves what hangs on `node` without a skin.
    ///
    /// # Errors
    /// [`LoadError::Broken`] when there are too many entries or the node stands nowhere.
    pub fn rigid(&mut self, node: usize) -> Result<u16, LoadError> {
        if let Some(entry) = self.rigid.get(&node) {
            return Ok(*entry);
        }
        let entry = self.entries.len() as u16;
        self.push(node, DMat4::IDENTITY, &format!("node {node}"))?;
        self.rigid.insert(node, entry);
        Ok(entry)
    }

    /// The entries of skin `skin`, one a joint.
    ///
    /// # Errors
    /// [`LoadError::Broken`] for joints that do not exist and inverse bind matrices that are too few or not finite.
    pub fn skin(&mut self, skin: usize) -> Result<SkinEntries, LoadError> {
        if let Some(entries) = self.skins.get(&skin) {
            return Ok(*entries);
        }
        let ctx = self.accessors.ctx;
        let place = format!("skin {skin}");
        let document = self.document;
        let Some(json) = document.skins.get(skin) else {
            return Err(ctx.broken(place, "is named by a node but does not exist"));
        };
        let joints = &json.joints;
        let inverses = match json.inverse_bind_matrices {
            None => vec![DMat4::IDENTITY; joints.len()],
            Some(accessor) => self.inverse_bind_matrices(accessor.value(), joints.len(), &place)?,
        };
        let entries = SkinEntries { first: self.entries.len() as u16, count: joints.len() };
        for (joint, bind_inverse) in joints.iter().zip(inverses) {
            if joint.value() >= document.nodes.len() {
                return Err(ctx.broken(place, format!("names node {}, which does not exist", joint.value())));
            }
            self.push(joint.value(), bind_inverse, &place)?;
        }
        self.skins.insert(skin, entries);
        Ok(entries)
    }

    fn inverse_bind_matrices(
        &self,
        accessor: usize,
        joints: usize,
        place: &str,
    ) -> Result<Vec<DMat4>, LoadError> {
        let ctx = self.accessors.ctx;
        let matrices = self.accessors.floats::<16>(accessor, place)?;
        if matrices.len() < joints {
            let fault = format!("has {joints} joints but only {} inverse bind matrices", matrices.len());
            return Err(ctx.broken(place, fault));
        }
        if matrices.len() > joints {
            ctx.warn(format!("{place} has {} inverse bind matrices for {joints} joints", matrices.len()));
        }
        let mut inverses = Vec::with_capacity(joints);
        for (index, matrix) in matrices.into_iter().take(joints).enumerate() {
            if !matrix.iter().all(|value| value.abs() <= MAX_COORDINATE) {
                return Err(
                    ctx.broken(place, format!("has inverse bind matrix {index} that is not a usable number"))
                );
            }
            let matrix = DMat4::from_cols_array(&matrix.map(f64::from));
            let last_row = matrix.row(3);
            if (last_row - glam::DVec4::W).abs().max_element() > 1e-4 {
                ctx.warn(format!(
                    "{place} has inverse bind matrices whose last row is not 0 0 0 1, which is mended"
                ));
            }
            inverses.push(affine(matrix));
        }
        Ok(inverses)
    }

    fn push(&mut self, node: usize, bind_inverse: DMat4, place: &str) -> Result<(), LoadError> {
        let ctx = self.accessors.ctx;
        if self.entries.len() >= MAX_ENTRIES {
            let fault =
                format!("is one joint too many: a scene may have {MAX_ENTRIES} joints and unskinned meshes");
            return Err(ctx.broken(place, fault));
        }
        ctx.charge(size_of::<PaletteEntry>() as u64, place)?;
        let matrix = self.world_from_node[node] * bind_inverse;
        if !matrix.to_cols_array().iter().all(|value| value.abs() <= f64::from(MAX_COORDINATE)) {
            let fault = format!("rests further from the origin than {MAX_COORDINATE} units (node {node})");
            return Err(ctx.broken(place, fault));
        }
        self.mirrors.push(glam::DMat3::from_mat4(matrix).determinant() < 0.0);
        self.entries.push(PaletteEntry { node: node as u32, bind_inverse });
        Ok(())
    }
}
