//! Meshes to vertices, triangles, influences and morph targets, one run for each (node, primitive) of the scene.

use glam::{DMat4, Vec2, Vec3, Vec4};
use gltf::json;
use json::mesh::Semantic;
use json::validation::Checked;

use super::accessors::Accessors;
use super::document::Document;
use super::error::LoadError;
use super::extensions;
use super::influences;
use super::materials::Materials;
use super::palette::Palette;
use super::scene::Graph;
use super::triangles;
use crate::character::data::{Influences, MorphDelta, PaletteEntry, Primitive, Vertices};

/// Numbers beyond this are refused: squares of sums of their products stay finite in 32 bits.
pub(super) const MAX_COORDINATE: f32 = 1.0e9;
/// Morph targets kept of a mesh.
const MAX_MORPH_TARGETS: usize = 256;
/// Vertices of a scene: indices times attributes stay well inside 32 bits.
const MAX_VERTICES: usize = 1 << 27;
/// What a vertex costs in [`Vertices`].
const VERTEX_BYTES: u64 =
    (2 * size_of::<Vec3>() + size_of::<Vec2>() + size_of::<Vec4>() + size_of::<Influences>() + 4) as u64;

/// What a primitive costs whatever it holds, in bytes: it bounds how many a small file may ask for by sharing a
/// mesh between nodes.
const PRIMITIVE_BYTES: u64 = 1024;
/// The same for a morph target of a primitive.
const TARGET_BYTES: u64 = 64;

/// Everything drawn.
#[derive(Default)]
pub(super) struct Geometry {
    pub palette: Vec<PaletteEntry>,
    pub primitives: Vec<Primitive>,
    pub vertices: Vertices,
    pub indices: Vec<u32>,
    pub morph_deltas: Vec<MorphDelta>,
    pub morph_weights: Vec<f32>,
    pub morph_names: Vec<String>,
}

/// Builds the geometry of the shown scene and notes where each node's morph weights are.
///
/// # Errors
/// [`LoadError::Broken`] for references that lead nowhere, indices out of range and positions that are no
/// numbers, [`LoadError::TooLarge`], [`LoadError::Extension`], [`LoadError::Cancelled`].
pub(super) fn build(
    accessors: &Accessors,
    document: &Document,
    graph: &mut Graph,
    world_from_node: &[DMat4],
    materials: &Materials,
) -> Result<Geometry, LoadError> {
    let ctx = accessors.ctx;
    let mut geometry = Geometry::default();
    let mut palette = Palette::new(accessors, document, world_from_node);
    let node_count = document.nodes.len();
    for (index, node) in document.nodes.iter().enumerate() {
        let (true, Some(mesh_index)) = (graph.drawn[index], node.mesh) else { continue };
        ctx.step(0.5 + 0.3 * index as f32 / node_count as f32)?;
        let mesh_index = mesh_index.value();
        let Some(mesh) = document.meshes.get(mesh_index) else {
            return Err(
                ctx.broken(format!("node {index}"), format!("names mesh {mesh_index}, which does not exist"))
            );
        };
        let first_morph_weight = geometry.morph_weights.len() as u32;
        let weights = morph_weights(accessors, node, mesh, mesh_index)?;
        if !weights.is_empty() {
            graph.nodes[index].morph_weights = Some((first_morph_weight, weights.len() as u32));
            let names = &document.target_names[mesh_index];
            ctx.charge(names.iter().map(|name| name.len() as u64).sum(), "a list of target names")?;
            let name = |target: usize| names.get(target).filter(|name| !name.is_empty()).cloned();
            geometry.morph_names.extend(
                (0..weights.len()).map(|target| name(target).unwrap_or_else(|| format!("target {target}"))),
            );
            geometry.morph_weights.extend(weights);
        }
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let builder = Builder {
                accessors,
                primitive,
                place: format!("mesh {mesh_index} primitive {number}"),
                ids: [index, mesh_index, number],
                skin: node.skin.map(|skin| skin.value()),
                first_morph_weight,
            };
            builder.build(&mut geometry, &mut palette, materials)?;
        }
    }
    geometry.palette = palette.entries;
    Ok(geometry)
}

/// Rest weights of a node's morph targets: the node's, else the mesh's, else zero.
fn morph_weights(
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

/// One primitive on its way into [`Geometry`].
struct Builder<'a> {
    accessors: &'a Accessors<'a>,
    primitive: &'a json::mesh::Primitive,
    place: String,
    /// Node, mesh, primitive.
    ids: [usize; 3],
    skin: Option<usize>,
    first_morph_weight: u32,
}

impl Builder<'_> {
    fn attribute(&self, semantic: Semantic) -> Option<usize> {
        self.primitive.attributes.get(&Checked::Valid(semantic)).map(|index| index.value())
    }

    fn warn(&self, what: &str) {
        self.accessors.ctx.warn(format!("{} {what}", self.place));
    }

    /// An attribute whose length is that of POSITION; others are ignored with a warning.
    fn matching(&self, semantic: Semantic, name: &str, count: usize) -> Result<Option<usize>, LoadError> {
        let Some(accessor) = self.attribute(semantic) else { return Ok(None) };
        if self.accessors.count(accessor, &self.place)? == count as u64 {
            return Ok(Some(accessor));
        }
        self.warn(&format!("has a {name} of another length than POSITION, which is ignored"));
        Ok(None)
    }

    fn build(
        &self,
        out: &mut Geometry,
        palette: &mut Palette,
        materials: &Materials,
    ) -> Result<(), LoadError> {
        let ctx = self.accessors.ctx;
        let targets = self.primitive.targets.as_ref().map_or(0, Vec::len) as u64;
        ctx.charge(PRIMITIVE_BYTES + targets * TARGET_BYTES, &self.place)?;
        let Some(position) = self.attribute(Semantic::Positions) else {
            self.warn("has no POSITION and is not drawn");
            return Ok(());
        };
        let others = self.primitive.extensions.as_ref().map(|extensions| &extensions.others);
        let draco = others.is_some_and(|others| others.contains_key("KHR_draco_mesh_compression"));
        if draco && !self.accessors.has_data(position) {
            return Err(extensions::unsupported(ctx, "KHR_draco_mesh_compression"));
        }
        let positions = self.positions(position)?;
        let count = positions.len();
        let first_vertex = out.vertices.positions.len();
        if first_vertex + count > MAX_VERTICES {
            return Err(LoadError::TooLarge { file: ctx.file.clone(), place: self.place.clone() });
        }
        ctx.charge(count as u64 * VERTEX_BYTES, &self.place)?;

        let mut triangles = self.triangles(count)?;
        if u32::try_from(out.indices.len() + triangles.len()).is_err() {
            return Err(LoadError::TooLarge { file: ctx.file.clone(), place: self.place.clone() });
        }
        let normals = self.normals(&positions, &triangles)?;
        let material = self.material(materials);
        let uvs = self.uvs(count, materials.uv_source(material))?;
        let colors = self.colors(count)?;
        let (influences, skinned) = self.influences(count, palette)?;
        let mirrored = turn_mirrored(&mut triangles, &influences, &palette.mirrors);
        let (first_morph_delta, target_count) = self.morph_targets(count, &mut out.morph_deltas)?;

        let number = out.primitives.len() as u32;
        let [node, mesh, primitive] = self.ids.map(|id| id as u32);
        out.primitives.push(Primitive {
            node,
            mesh,
            primitive,
            skinned,
            mirrored,
            material: material as u32,
            first_vertex: first_vertex as u32,
            vertex_count: count as u32,
            first_index: out.indices.len() as u32,
            index_count: triangles.len() as u32,
            first_morph_delta,
            target_count,
            first_morph_weight: self.first_morph_weight,
        });
        out.indices.extend(triangles.iter().map(|index| index + first_vertex as u32));
        let vertices = &mut out.vertices;
        vertices.positions.extend(positions);
        vertices.normals.extend(normals);
        vertices.uvs.extend(uvs);
        vertices.colors.extend(colors);
        vertices.influences.extend(influences);
        vertices.primitive.resize(first_vertex + count, number);
        Ok(())
    }

    fn positions(&self, accessor: usize) -> Result<Vec<Vec3>, LoadError> {
        let positions = self.accessors.floats::<3>(accessor, &self.place)?;
        let positions: Vec<Vec3> = positions.into_iter().map(Vec3::from_array).collect();
        let usable = |position: &Vec3| position.abs().max_element() <= MAX_COORDINATE && position.is_finite();
        if let Some(index) = positions.iter().position(|position| !usable(position)) {
            let fault = format!("holds at element {index} a position that is not a usable number");
            return Err(self.accessors.ctx.broken(format!("accessor {accessor}"), fault));
        }
        Ok(positions)
    }

    /// The triangle list, in indices of this primitive; empty for points and lines.
    fn triangles(&self, count: usize) -> Result<Vec<u32>, LoadError> {
        let ctx = self.accessors.ctx;
        let Checked::Valid(mode) = self.primitive.mode else {
            self.warn("has an unknown mode and is not drawn");
            return Ok(Vec::new());
        };
        let corners: Vec<u32> = match self.primitive.indices {
            Some(accessor) => {
                self.accessors.integers::<1>(accessor.value(), &self.place)?.into_iter().flatten().collect()
            }
            None => (0..count as u32).collect(),
        };
        ctx.charge(corners.len() as u64 * 3 * 4, &self.place)?;
        let corner_count = corners.len();
        let Some(triangles) = triangles::to_list(mode, corners) else {
            self.warn("consists of points or lines, which are not drawn");
            return Ok(Vec::new());
        };
        if let Some(index) = triangles.iter().find(|index| **index as usize >= count) {
            let fault = format!("has the index {index}, but only {count} vertices");
            return Err(ctx.broken(self.place.clone(), fault));
        }
        if mode == json::mesh::Mode::Triangles && !corner_count.is_multiple_of(3) {
            self.warn("ends with a triangle of fewer than three corners, which is dropped");
        }
        Ok(triangles)
    }

    fn normals(&self, positions: &[Vec3], triangles: &[u32]) -> Result<Vec<Vec3>, LoadError> {
        let Some(accessor) = self.matching(Semantic::Normals, "NORMAL", positions.len())? else {
            return Ok(triangles::normals(positions, triangles));
        };
        let stored = self.accessors.floats::<3>(accessor, &self.place)?;
        let unit = |normal: [f32; 3]| Vec3::from_array(normal).as_dvec3().try_normalize();
        let mut computed = Vec::new();
        let mut mended = 0;
        let normals = stored.into_iter().enumerate().map(|(vertex, normal)| match unit(normal) {
            Some(normal) => normal.as_vec3(),
            None => {
                mended += 1;
                if computed.is_empty() {
                    computed = triangles::normals(positions, triangles);
                }
                computed[vertex]
            }
        });
        let normals = normals.collect();
        if mended > 0 {
            self.warn(&format!(
                "has {mended} normals without a direction, which are computed from the triangles"
            ));
        }
        Ok(normals)
    }

    fn material(&self, materials: &Materials) -> usize {
        match self.primitive.material.map(|material| material.value()) {
            None => materials.default_index(),
            Some(index) if index < materials.default_index() => index,
            Some(index) => {
                self.warn(&format!(
                    "names material {index}, which does not exist, and takes the default one"
                ));
                materials.default_index()
            }
        }
    }

    fn uvs(&self, count: usize, source: &super::materials::UvSource) -> Result<Vec<Vec2>, LoadError> {
        let accessor = match self.matching(Semantic::TexCoords(source.set), "TEXCOORD", count)? {
            None if source.set > 0 => self.matching(Semantic::TexCoords(0), "TEXCOORD_0", count)?,
            accessor => accessor,
        };
        let Some(accessor) = accessor else { return Ok(vec![Vec2::ZERO; count]) };
        let stored = self.accessors.floats::<2>(accessor, &self.place)?;
        let mut mended = 0;
        let uvs = stored.into_iter().map(|uv| {
            let uv = source.transform.transform_point2(Vec2::from_array(uv));
            if uv.is_finite() {
                return uv;
            }
            mended += 1;
            Vec2::ZERO
        });
        let uvs = uvs.collect();
        if mended > 0 {
            self.warn(&format!("has {mended} texture coordinates that are not numbers and count as zero"));
        }
        Ok(uvs)
    }

    fn colors(&self, count: usize) -> Result<Vec<Vec4>, LoadError> {
        let Some(accessor) = self.matching(Semantic::Colors(0), "COLOR_0", count)? else {
            return Ok(vec![Vec4::ONE; count]);
        };
        let stored: Vec<[f32; 4]> = if self.accessors.width(accessor, &self.place)? == 3 {
            let rgb = self.accessors.floats::<3>(accessor, &self.place)?;
            rgb.into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect()
        } else {
            self.accessors.floats::<4>(accessor, &self.place)?
        };
        let sound = |component: f32| if component.is_nan() { 0.0 } else { component.clamp(0.0, 1.0) };
        Ok(stored.into_iter().map(|color| Vec4::from_array(color.map(sound))).collect())
    }

    fn influences(&self, count: usize, palette: &mut Palette) -> Result<(Vec<Influences>, bool), LoadError> {
        if let Some(skin) = self.skin {
            let entries = palette.skin(skin)?;
            if let Some(influences) =
                influences::read(self.accessors, self.primitive, &self.place, count, entries)?
            {
                return Ok((influences, true));
            }
            self.warn("has no usable joints and weights although its node has a skin; it follows its node");
        } else if self.attribute(Semantic::Joints(0)).is_some() {
            self.warn("has joints and weights although its node has no skin; it follows its node");
        }
        let entry = palette.rigid(self.ids[0])?;
        Ok((vec![Influences::rigid(entry); count], false))
    }

    /// Appends the displacements of all targets; returns where they begin and how many targets there are.
    fn morph_targets(&self, count: usize, deltas: &mut Vec<MorphDelta>) -> Result<(u32, u32), LoadError> {
        let targets = self.primitive.targets.as_deref().unwrap_or_default();
        let targets = &targets[..targets.len().min(MAX_MORPH_TARGETS)];
        let ctx = self.accessors.ctx;
        let first = deltas.len();
        let total = first as u64 + targets.len() as u64 * count as u64;
        let (Ok(first), Ok(_)) = (u32::try_from(first), u32::try_from(total)) else {
            return Err(LoadError::TooLarge { file: ctx.file.clone(), place: self.place.clone() });
        };
        for (number, target) in targets.iter().enumerate() {
            ctx.charge((count * size_of::<MorphDelta>()) as u64, &self.place)?;
            let positions = self.displacements(target.positions, count, number)?;
            let normals = self.displacements(target.normals, count, number)?;
            let at = |values: &Option<Vec<[f32; 3]>>, vertex: usize| {
                values.as_ref().map_or(Vec3::ZERO, |values| Vec3::from_array(values[vertex]))
            };
            deltas.extend(
                (0..count).map(|vertex| MorphDelta {
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

/// Turns round every triangle whose vertices mostly follow mirroring matrices, so that outside stays
/// counter-clockwise in world space; returns whether that was most of them.
fn turn_mirrored(triangles: &mut [u32], influences: &[Influences], mirrors: &[bool]) -> bool {
    if !mirrors.contains(&true) {
        return false;
    }
    let handedness = |vertex: u32| -> f32 {
        let Influences { joints, weights } = influences[vertex as usize];
        let sign = |joint: u16| if mirrors[joint as usize] { -1.0 } else { 1.0 };
        joints
            .iter()
            .zip(weights)
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(joint, weight)| sign(*joint) * weight)
            .sum()
    };
    let (mut turned, total) = (0, triangles.len() / 3);
    for triangle in triangles.chunks_exact_mut(3) {
        if triangle.iter().map(|vertex| handedness(*vertex)).sum::<f32>() < 0.0 {
            triangle.swap(1, 2);
            turned += 1;
        }
    }
    turned * 2 > total
}
