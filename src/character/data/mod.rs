//! What a glTF file becomes once it is loaded: plain CPU data, complete, checked and immutable.
//!
//! Everything here has been validated by the loader, so that whoever reads it may index without asking:
//! node parents form a forest, palette entries name existing nodes, vertex influences name existing palette
//! entries, triangle indices name existing vertices, and every number is finite.

mod clips;
mod images;
mod materials;
mod scene;

use std::path::PathBuf;

use glam::{DMat4, DQuat, DVec3, Mat4, Vec2, Vec3, Vec4};

pub use clips::{Channel, ChannelValues, Clip, Interpolation};
pub use images::{ColorSpace, Filter, Image, ImageFormat, TextureSampler, Wrap};
pub use materials::{
    AlphaMode, Clearcoat, MAX_LAYER_TEXTURES, Material, Sheen, Specular, TextureSlot, Transmission,
};
pub use scene::{Light, LightKind, Projection, SceneCamera};

/// The most joints that may move one vertex; files with more keep the largest.
pub const MAX_INFLUENCES: usize = 8;

/// A loaded character: all instances of all meshes of one scene, with what animates them.
#[derive(Debug, Clone, Default)]
pub struct CharacterData {
    /// The file it came from; empty for the built-in figure.
    pub path: PathBuf,
    /// The file's stem, for titles and file names.
    pub name: String,
    /// All nodes of the file, in file order.
    pub nodes: Vec<Node>,
    /// Node indices, parents before children; nodes outside the shown scene are absent.
    pub node_order: Vec<u32>,
    /// What can move a vertex: one entry a joint of each skin in use, one for each unskinned mesh node.
    pub palette: Vec<PaletteEntry>,
    /// Drawn primitives, one for each (node, mesh primitive) of the scene, in file order (node, then primitive).
    pub primitives: Vec<Primitive>,
    /// Vertex attributes of all primitives, one after another.
    pub vertices: Vertices,
    /// Triangle list over [`CharacterData::vertices`], three a triangle, counter-clockwise outside.
    pub indices: Vec<u32>,
    /// Morph displacements of all primitives: for each primitive `target_count` runs of `vertex_count` entries.
    pub morph_deltas: Vec<MorphDelta>,
    /// What targets add to tangents: parallel to the first of [`CharacterData::morph_deltas`], zero beyond its end;
    /// empty where no target moves any.
    pub morph_tangents: Vec<Vec3>,
    /// Rest weights of all morph targets: the node's, else the mesh's, else zero. Primitives point into it.
    pub morph_weights: Vec<f32>,
    /// Names of the morph targets, parallel to [`CharacterData::morph_weights`].
    pub morph_names: Vec<String>,
    /// Materials; the last one is always the glTF default material.
    pub materials: Vec<Material>,
    /// Decoded images used by the materials, one for each (image, colour space).
    pub images: Vec<Image>,
    /// Names of the variants of KHR_materials_variants; [`CharacterData::material_of`] says what they change.
    pub variants: Vec<String>,
    /// Lights in the shown scene, in the order of their nodes.
    pub lights: Vec<Light>,
    /// Cameras in the shown scene, in the order of their nodes.
    pub cameras: Vec<SceneCamera>,
    /// Animation clips in file order.
    pub clips: Vec<Clip>,
    /// Faults that were mended or set aside, a sentence each.
    pub warnings: Vec<String>,
    /// `asset.generator`, extensions used and required and other facts that `dryad info` prints.
    pub facts: Facts,
}

/// Facts about the file that nothing but `dryad info` needs.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// `asset.generator`.
    pub generator: Option<String>,
    /// `asset.copyright`.
    pub copyright: Option<String>,
    /// `extensionsUsed`.
    pub extensions_used: Vec<String>,
    /// `extensionsRequired`.
    pub extensions_required: Vec<String>,
    /// Number of skins, meshes and cameras in the file.
    pub skins: usize,
    /// Number of meshes in the file, shown or not.
    pub meshes: usize,
    /// Number of scenes in the file.
    pub scenes: usize,
    /// Size of the file and of every external buffer and image read, in bytes.
    pub bytes: u64,
}

/// A node's local transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LocalTransform {
    /// Translation, rotation (unit), scale: what clips animate.
    Trs(Trs),
    /// A matrix as written in the file; glTF forbids animating it.
    Matrix(DMat4),
}

/// Translation, rotation and scale, applied in the order scale, rotation, translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trs {
    /// Metres, in the parent's space.
    pub translation: DVec3,
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Factors along the local axes.
    pub scale: DVec3,
}

impl Default for Trs {
    fn default() -> Self {
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE }
    }
}

impl Trs {
    /// The transform as a matrix.
    #[must_use]
    pub fn matrix(&self) -> DMat4 {
        DMat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl LocalTransform {
    /// The transform as a matrix.
    #[must_use]
    pub fn matrix(&self) -> DMat4 {
        match self {
            Self::Trs(trs) => trs.matrix(),
            Self::Matrix(matrix) => *matrix,
        }
    }
}

/// One glTF node.
#[derive(Debug, Clone)]
pub struct Node {
    /// The file's name for it, else `node N`.
    pub name: String,
    /// Index of the parent node.
    pub parent: Option<u32>,
    /// The rest transform.
    pub local: LocalTransform,
    /// Index of the node's mesh in the file.
    pub mesh: Option<u32>,
    /// Whether some skin in use names it as a joint.
    pub is_joint: bool,
    /// Where the node's morph weights begin in [`CharacterData::morph_weights`], and how many there are.
    pub morph_weights: Option<(u32, u32)>,
}

/// One matrix that vertices may follow: `world(node) · bind_inverse`.
#[derive(Debug, Clone, Copy)]
pub struct PaletteEntry {
    /// Index into [`CharacterData::nodes`].
    pub node: u32,
    /// Inverse bind matrix; the identity for unskinned meshes.
    pub bind_inverse: DMat4,
}

/// A run of vertices and triangles with one material.
#[derive(Debug, Clone)]
pub struct Primitive {
    /// glTF node index.
    pub node: u32,
    /// glTF mesh index.
    pub mesh: u32,
    /// Index of the primitive within its mesh.
    pub primitive: u32,
    /// Whether a skin moves it (else its node does).
    pub skinned: bool,
    /// Whether the rest transform mirrors it. Every triangle that mostly follows mirroring matrices has been turned
    /// round to stay outside out; this says whether those are the greater part.
    pub mirrored: bool,
    /// Index into [`CharacterData::materials`].
    pub material: u32,
    /// Materials under KHR_materials_variants: pairs of an index into [`CharacterData::variants`] and one into
    /// [`CharacterData::materials`]; variants that are not named keep [`Primitive::material`].
    pub variant_materials: Vec<(u32, u32)>,
    /// First vertex.
    pub first_vertex: u32,
    /// How many: first those of the POSITION accessor in its order, unused ones included, then copies of some of
    /// them whose triangles disagree about normal or tangent.
    pub vertex_count: u32,
    /// How many come from the POSITION accessor: its count, or with Draco the number of points decoded.
    pub accessor_vertex_count: u32,
    /// First index, and how many (a multiple of three; 0 for points and lines, which are not drawn).
    pub first_index: u32,
    /// Number of indices.
    pub index_count: u32,
    /// First entry in [`CharacterData::morph_deltas`].
    pub first_morph_delta: u32,
    /// Number of morph targets.
    pub target_count: u32,
    /// First entry in [`CharacterData::morph_weights`].
    pub first_morph_weight: u32,
}

/// Vertex attributes, one array each, all of equal length.
#[derive(Debug, Clone, Default)]
pub struct Vertices {
    /// Bind-space positions.
    pub positions: Vec<Vec3>,
    /// Unit bind-space normals; flat ones where the file has none.
    pub normals: Vec<Vec3>,
    /// Unit bind-space tangents: the file's, else those of MikkTSpace. The bitangent, which points where v falls, is
    /// `w · normal × tangent` with w = ±1. All zero in primitives that have no tangents and either no material with
    /// a normal map or no texture coordinates.
    ///
    /// The handedness holds in bind space: where a vertex follows matrices of negative determinant, the bitangent
    /// made from skinned normal and tangent must be turned round.
    pub tangents: Vec<Vec4>,
    /// TEXCOORD_0, as stored (v down); zero where absent.
    pub uvs: Vec<Vec2>,
    /// TEXCOORD_1, as stored; TEXCOORD_0 where absent.
    pub uvs1: Vec<Vec2>,
    /// Linear COLOR_0, white where absent.
    pub colors: Vec<Vec4>,
    /// Palette indices and weights: sorted by falling weight, weights sum to 1, unused slots are (0, 0.0).
    pub influences: Vec<Influences>,
    /// Index of the primitive each vertex belongs to.
    pub primitive: Vec<u32>,
}

/// Up to eight palette entries and how much each moves the vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influences {
    /// Indices into [`CharacterData::palette`].
    pub joints: [u16; MAX_INFLUENCES],
    /// Weights, falling, summing to 1.
    pub weights: [f32; MAX_INFLUENCES],
}

impl Influences {
    /// One entry with weight 1.
    #[must_use]
    pub fn rigid(entry: u16) -> Self {
        let mut joints = [0; MAX_INFLUENCES];
        let mut weights = [0.0; MAX_INFLUENCES];
        joints[0] = entry;
        weights[0] = 1.0;
        Self { joints, weights }
    }
}

/// What one morph target adds to one vertex at weight 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MorphDelta {
    /// Added to the position.
    pub position: Vec3,
    /// Added to the normal.
    pub normal: Vec3,
}

/// A pose: what [`crate::character::animate`] computes and the GPU skins with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    /// World matrix of every node (identity for nodes outside the scene).
    pub world_from_node: Vec<DMat4>,
    /// `world(node) · bind_inverse`, one a palette entry.
    pub palette: Vec<Mat4>,
    /// Morph weights, parallel to [`CharacterData::morph_weights`].
    pub morph_weights: Vec<f32>,
}

impl CharacterData {
    /// Index of the material that a primitive takes, under a variant of [`CharacterData::variants`] or as it is.
    #[must_use]
    pub fn material_of(&self, primitive: usize, variant: Option<u32>) -> u32 {
        let primitive = &self.primitives[primitive];
        let mapped = primitive.variant_materials.iter().find(|(index, _)| Some(*index) == variant);
        mapped.map_or(primitive.material, |(_, material)| *material)
    }

    /// An unskinned, untextured mesh that hangs on one node: the simplest character.
    #[must_use]
    pub fn from_triangles(name: &str, positions: Vec<Vec3>, indices: Vec<u32>) -> Self {
        let count = positions.len();
        let mut normals = vec![Vec3::ZERO; count];
        for corner in indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|k| positions[corner[k] as usize]);
            let area_normal = (b - a).cross(c - a);
            for &index in corner {
                normals[index as usize] += area_normal;
            }
        }
        let normals = normals.into_iter().map(|n| n.try_normalize().unwrap_or(Vec3::Y)).collect();
        Self {
            name: name.to_owned(),
            nodes: vec![Node {
                name: name.to_owned(),
                parent: None,
                local: LocalTransform::Trs(Trs::default()),
                mesh: Some(0),
                is_joint: false,
                morph_weights: None,
            }],
            node_order: vec![0],
            palette: vec![PaletteEntry { node: 0, bind_inverse: DMat4::IDENTITY }],
            primitives: vec![Primitive {
                node: 0,
                mesh: 0,
                primitive: 0,
                skinned: false,
                mirrored: false,
                material: 0,
                variant_materials: Vec::new(),
                first_vertex: 0,
                vertex_count: count as u32,
                accessor_vertex_count: count as u32,
                first_index: 0,
                index_count: indices.len() as u32,
                first_morph_delta: 0,
                target_count: 0,
                first_morph_weight: 0,
            }],
            vertices: Vertices {
                positions,
                normals,
                tangents: vec![Vec4::ZERO; count],
                uvs: vec![Vec2::ZERO; count],
                uvs1: vec![Vec2::ZERO; count],
                colors: vec![Vec4::ONE; count],
                influences: vec![Influences::rigid(0); count],
                primitive: vec![0; count],
            },
            indices,
            materials: vec![Material::default()],
            ..Self::default()
        }
    }
}
