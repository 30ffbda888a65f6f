//! Meshes to vertices, triangles, influences and morph targets, one run for each (node, primitive) of the scene.

use glam::{DMat4, Vec2, Vec3, Vec4};
use gltf::json;
use json::mesh::Semantic;
use json::validation::Checked;
use serde_json::Value;

use super::accessors::Accessors;
use super::corners;
use super::document::Document;
use super::draco;
use super::error::LoadError;
use super::morph;
use super::palette::Palette;
use super::scene::Graph;
use super::tangents;
use super::triangles;
use super::variants;
use crate::character::data::{
    Influences, Material, MorphDelta, PaletteEntry, Primitive, TextureSlot, Vertices,
};

/// Numbers beyond this are refused: squares of sums of their products stay finite in 32 bits.
pub(super) const MAX_COORDINATE: f32 = 1.0e9;
/// Vertices of a scene: indices times attributes stay well inside 32 bits.
const MAX_VERTICES: usize = 1 << 27;
/// What a vertex costs in [`Vertices`].
pub(super) const VERTEX_BYTES: u64 =
    (2 * size_of::<Vec3>() + 2 * size_of::<Vec2>() + 2 * size_of::<Vec4>() + size_of::<Influences>() + 4)
        as u64;
/// What a corner costs while corners are told apart.
const CORNER_BYTES: u64 = 64;

/// What a primitive costs whatever it holds, in bytes: it bounds how many a small file may ask for by sharing a
/// mesh between nodes.
const PRIMITIVE_BYTES: u64 = 1024;
/// The same for a morph target of a primitive.
pub(super) const TARGET_BYTES: u64 = 64;

/// Everything drawn.
#[derive(Default)]
pub(super) struct Geometry {
    pub palette: Vec<PaletteEntry>,
    pub primitives: Vec<Primitive>,
    pub vertices: Vertices,
    pub indices: Vec<u32>,
    pub morph_deltas: Vec<MorphDelta>,
    pub morph_tangents: Vec<Vec3>,
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
    materials: &[Material],
) -> Result<Geometry, LoadError> {
    let ctx = accessors.ctx;
    let mut geometry = Geometry::default();
    let mut palette = Palette::new(accessors, document, world_from_node);
    let mut draco = draco::Cache::default();
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
        let weights = morph::weights(accessors, node, mesh, mesh_index)?;
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
                document,
                primitive,
                place: format!("mesh {mesh_index} primitive {number}"),
                ids: [index, mesh_index, number],
                skin: node.skin.map(|skin| skin.value()),
                first_morph_weight,
            };
            builder.build(&mut geometry, &mut palette, materials, &mut draco)?;
        }
    }
    geometry.palette = palette.entries;
    Ok(geometry)
}

/// A primitive while vertices are told apart: all but `triangles` by vertex.
struct Shape {
    normals: Vec<Vec3>,
    tangents: Vec<Vec4>,
    triangles: Vec<u32>,
    /// The vertex of the POSITION accessor that each is or copies.
    origins: Vec<u32>,
}

/// One primitive on its way into [`Geometry`].
pub(super) struct Builder<'a> {
    pub accessors: &'a Accessors<'a>,
    document: &'a Document,
    pub primitive: &'a json::mesh::Primitive,
    pub place: String,
    /// Node, mesh, primitive.
    pub ids: [usize; 3],
    pub skin: Option<usize>,
    first_morph_weight: u32,
}

impl Builder<'_> {
    pub fn attribute(&self, semantic: Semantic) -> Option<usize> {
        self.primitive.attributes.get(&Checked::Valid(semantic)).map(|index| index.value())
    }

    pub fn warn(&self, what: &str) {
        self.accessors.ctx.warn(format!("{} {what}", self.place));
    }

    /// Reads one primitive and appends it.
    fn build(
        &self,
        out: &mut Geometry,
        palette: &mut Palette,
        materials: &[Material],
        draco: &mut draco::Cache,
    ) -> Result<(), LoadError> {
        let ctx = self.accessors.ctx;
        let targets = self.primitive.targets.as_ref().map_or(0, Vec::len) as u64;
        ctx.charge(PRIMITIVE_BYTES + targets * TARGET_BYTES, &self.place)?;
        let Some(position) = self.attribute(Semantic::Positions) else {
            self.warn("has no POSITION and is not drawn");
            return Ok(());
        };
        let decoded = self
            .extension("KHR_draco_mesh_compression")
            .map(|extension| draco.decode(self.accessors, self.primitive, extension, &self.place));
        let faces = match decoded {
            Some(Err(error)) if self.accessors.has_data(position) => {
                self.warn(&format!("is read from its uncompressed copy ({error})"));
                None
            }
            decoded => decoded.transpose()?,
        };
        let result = self.read(position, faces, out, palette, materials);
        self.accessors.forget_decoded();
        result
    }

    fn read(
        &self,
        position: usize,
        faces: Option<Vec<u32>>,
        out: &mut Geometry,
        palette: &mut Palette,
        materials: &[Material],
    ) -> Result<(), LoadError> {
        let ctx = self.accessors.ctx;
        let positions = self.positions(position)?;
        let count = positions.len();
        ctx.charge(count as u64 * VERTEX_BYTES, &self.place)?;

        let triangles = self.triangles(count, faces)?;
        let material = self.material(materials);
        let variant_materials = variants::read(self, self.document.variants.len(), materials.len() - 1)?;
        let takes = || {
            let variants = variant_materials.iter().map(|(_, material)| *material as usize);
            std::iter::once(material).chain(variants).map(|material| &materials[material])
        };
        let normals = match self.normals(&positions, &triangles)? {
            // Light never meets them.
            None if takes().all(|material| material.unlit) => {
                Some(triangles::normals(&positions, &triangles))
            }
            normals => normals,
        };
        // Tangents without normals of the file are ignored, as glTF demands.
        let stored_tangents = match &normals {
            Some(normals) if self.attribute(Semantic::Normals).is_some() => self.tangents(normals)?,
            _ => None,
        };
        let mut shape = match normals {
            Some(normals) => Shape {
                tangents: vec![Vec4::ZERO; count],
                normals,
                triangles,
                origins: (0..count as u32).collect(),
            },
            None => self.flat(&positions, triangles)?,
        };
        let uvs = self.uvs(count, 0)?;
        let uvs1 = self.uvs(count, 1)?;
        let uvs = uvs.or_else(|| uvs1.clone()).unwrap_or_else(|| vec![Vec2::ZERO; count]);
        let uvs1 = uvs1.unwrap_or_else(|| uvs.clone());
        let has_tangents = stored_tangents.is_some();
        if let Some(tangents) = stored_tangents {
            shape.tangents = tangents;
        } else if let Some(slot) = takes().find_map(Material::tangent_slot) {
            self.make_tangents(&mut shape, &positions, [&uvs, &uvs1], slot)?;
        }
        let Shape { normals, tangents, mut triangles, origins } = shape;

        let first_vertex = out.vertices.positions.len();
        let too_large = || LoadError::TooLarge { file: ctx.file.clone(), place: self.place.clone() };
        let fits = first_vertex + origins.len() <= MAX_VERTICES
            && u32::try_from(out.indices.len() + triangles.len()).is_ok();
        if !fits {
            return Err(too_large());
        }
        let colors = self.colors(count)?;
        let (influences, skinned) = self.influences(count, palette)?;
        let influences: Vec<_> = origins.iter().map(|origin| influences[*origin as usize]).collect();
        let mirrored = turn_mirrored(&mut triangles, &influences, &palette.mirrors);
        let (first_morph_delta, target_count) = self.morph_targets(
            count,
            &origins,
            has_tangents,
            &mut out.morph_deltas,
            &mut out.morph_tangents,
        )?;

        let number = out.primitives.len() as u32;
        let [node, mesh, primitive] = self.ids.map(|id| id as u32);
        out.primitives.push(Primitive {
            node,
            mesh,
            primitive,
            skinned,
            mirrored,
            material: material as u32,
            variant_materials,
            first_vertex: first_vertex as u32,
            vertex_count: origins.len() as u32,
            accessor_vertex_count: count as u32,
            first_index: out.indices.len() as u32,
            index_count: triangles.len() as u32,
            first_morph_delta,
            target_count,
            first_morph_weight: self.first_morph_weight,
        });
        out.indices.extend(triangles.iter().map(|index| index + first_vertex as u32));
        let vertices = &mut out.vertices;
        let origins = || origins.iter().map(|origin| *origin as usize);
        vertices.positions.extend(origins().map(|origin| positions[origin]));
        vertices.normals.extend(normals);
        vertices.tangents.extend(tangents);
        vertices.uvs.extend(origins().map(|origin| uvs[origin]));
        vertices.uvs1.extend(origins().map(|origin| uvs1[origin]));
        vertices.colors.extend(origins().map(|origin| colors[origin]));
        vertices.influences.extend(influences);
        vertices.primitive.resize(vertices.positions.len(), number);
        Ok(())
    }

    /// An extension of the primitive.
    pub fn extension(&self, name: &str) -> Option<&Value> {
        self.primitive.extensions.as_ref()?.others.get(name)
    }

    /// The flat normals that glTF asks for where a file has none. A mesh too large for vertices of their own at
    /// every corner gets the mean of its flat normals.
    fn flat(&self, positions: &[Vec3], triangles: Vec<u32>) -> Result<Shape, LoadError> {
        let ctx = self.accessors.ctx;
        let count = positions.len();
        ctx.charge(triangles.len() as u64 * CORNER_BYTES, &self.place)?;
        let faces = corners::face_normals(positions, &triangles);
        let parted = corners::part(&triangles, count, |corner| {
            let normal = faces[corner / 3];
            (normal != Vec3::ZERO).then(|| corners::direction_key(normal))
        });
        let copies = parted.sources.len();
        let fits = ctx.charge(copies as u64 * VERTEX_BYTES, &self.place).is_ok();
        let origins = 0..count as u32;
        if !fits {
            self.warn("has no normals and is too large for flat ones; it is shaded smoothly");
            return Ok(Shape {
                normals: triangles::normals(positions, &triangles),
                tangents: vec![Vec4::ZERO; count],
                origins: origins.collect(),
                triangles,
            });
        }
        let normal = |corner: &u32| match *corner {
            corners::UNUSED => Vec3::Y,
            corner => faces[corner as usize / 3],
        };
        Ok(Shape {
            normals: parted.corners.iter().map(normal).collect(),
            tangents: vec![Vec4::ZERO; parted.corners.len()],
            origins: origins.chain(parted.sources).collect(),
            triangles: parted.triangles,
        })
    }

    /// MikkTSpace tangents for the normal map in `slot`; vertices whose corners disagree are copied. A mesh without
    /// texture coordinates gets none.
    fn make_tangents(
        &self,
        shape: &mut Shape,
        positions: &[Vec3],
        uvs: [&[Vec2]; 2],
        slot: &TextureSlot,
    ) -> Result<(), LoadError> {
        let ctx = self.accessors.ctx;
        if self.attribute(Semantic::TexCoords(0)).or(self.attribute(Semantic::TexCoords(1))).is_none() {
            self.warn("has a normal map but no texture coordinates");
            return Ok(());
        }
        // What the generator holds for a corner, and its copy of what it reads.
        ctx.charge(shape.triangles.len() as u64 * 4 * CORNER_BYTES, &self.place)?;
        let origins = || shape.origins.iter().map(|origin| *origin as usize);
        let positions: Vec<_> = origins().map(|origin| positions[origin]).collect();
        let moved: Vec<_> = origins().map(|origin| slot.uv(uvs.map(|uvs| uvs[origin]))).collect();
        let tangents = tangents::mikktspace(&positions, &shape.normals, &moved, &shape.triangles);
        let parted = corners::part(&shape.triangles, shape.origins.len(), |corner| {
            tangents[corner].map(|tangent| (corners::direction_key(tangent.truncate()), tangent.w < 0.0))
        });
        ctx.charge(parted.sources.len() as u64 * VERTEX_BYTES, &self.place)?;
        for source in parted.sources {
            shape.origins.push(shape.origins[source as usize]);
            shape.normals.push(shape.normals[source as usize]);
        }
        let tangent = |(corner, normal): (&u32, &Vec3)| match *corner {
            corners::UNUSED => tangents::some_tangent(*normal),
            corner => tangents[corner as usize].unwrap_or_else(|| tangents::some_tangent(*normal)),
        };
        shape.tangents = parted.corners.iter().zip(&shape.normals).map(tangent).collect();
        shape.triangles = parted.triangles;
        Ok(())
    }

    /// The triangle list, in indices of this primitive; empty for points and lines. Draco's `faces` are one already.
    fn triangles(&self, count: usize, faces: Option<Vec<u32>>) -> Result<Vec<u32>, LoadError> {
        let ctx = self.accessors.ctx;
        let mode = match (self.primitive.mode, &faces) {
            (_, Some(_)) => json::mesh::Mode::Triangles,
            (Checked::Valid(mode), None) => mode,
            (Checked::Invalid, None) => {
                self.warn("has an unknown mode and is not drawn");
                return Ok(Vec::new());
            }
        };
        let corners: Vec<u32> = match (faces, self.primitive.indices) {
            (Some(faces), _) => faces,
            (None, Some(accessor)) => {
                self.accessors.integers::<1>(accessor.value(), &self.place)?.into_iter().flatten().collect()
            }
            (None, None) => (0..count as u32).collect(),
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

    fn material(&self, materials: &[Material]) -> usize {
        let default = materials.len() - 1;
        match self.primitive.material.map(|material| material.value()) {
            None => default,
            Some(index) if index < default => index,
            Some(index) => {
                self.warn(&format!(
                    "names material {index}, which does not exist, and takes the default one"
                ));
                default
            }
        }
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
