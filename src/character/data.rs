//! What a glTF file becomes once it is loaded: plain CPU data, complete, checked and immutable.
//!
//! Everything here has been validated by the loader, so that whoever reads it may index without asking:
//! node parents form a forest, palette entries name existing nodes, vertex influences name existing palette
//! entries, triangle indices name existing vertices, and every number is finite.

use std::path::PathBuf;

use glam::{DMat4, DQuat, DVec3, Mat4, Vec2, Vec3, Vec4};

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
    /// Rest weights of all morph targets: the node's, else the mesh's, else zero. Primitives point into it.
    pub morph_weights: Vec<f32>,
    /// Names of the morph targets, parallel to [`CharacterData::morph_weights`].
    pub morph_names: Vec<String>,
    /// Materials; the last one is always the glTF default material.
    pub materials: Vec<Material>,
    /// Decoded images used by the materials.
    pub images: Vec<Image>,
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
    /// Index within the mesh.
    pub primitive: u32,
    /// Whether a skin moves it (else its node does).
    pub skinned: bool,
    /// Whether the rest transform mirrors it. Every triangle that mostly follows mirroring matrices has been turned
    /// round to stay outside out; this says whether those are the greater part.
    pub mirrored: bool,
    /// Index into [`CharacterData::materials`].
    pub material: u32,
    /// First vertex, and how many: the count of the POSITION accessor, unused ones included, in its order.
    pub first_vertex: u32,
    /// Count of the POSITION accessor.
    pub vertex_count: u32,
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
    /// Unit bind-space normals; computed where the file has none.
    pub normals: Vec<Vec3>,
    /// Texture coordinates of the base colour (its set, moved by KHR_texture_transform), zero where absent.
    pub uvs: Vec<Vec2>,
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

/// How a material treats alpha.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Drawn where alpha is at least this.
    Mask(f32),
    /// Blended.
    Blend,
}

/// A metallic-roughness material (the part of it that is drawn today).
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The file's name for it.
    pub name: String,
    /// Linear RGBA factor.
    pub base_color: Vec4,
    /// Index into [`CharacterData::images`] of the sRGB base colour texture.
    pub base_color_image: Option<u32>,
    /// How the texture repeats and filters.
    pub base_color_sampler: TextureSampler,
    /// 0 dielectric to 1 metal.
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Linear emitted light.
    pub emissive: Vec3,
    /// Alpha handling.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// KHR_materials_unlit.
    pub unlit: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: Vec4::ONE,
            base_color_image: None,
            base_color_sampler: TextureSampler::default(),
            metallic: 1.0,
            roughness: 1.0,
            emissive: Vec3::ZERO,
            alpha: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
        }
    }
}

/// How a texture is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Wrap {
    /// Tiles.
    #[default]
    Repeat,
    /// Tiles, mirrored every other time.
    Mirror,
    /// Extends the border.
    Clamp,
}

/// Sampler state of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct TextureSampler {
    /// Along u and v.
    pub wrap: [Wrap; 2],
    /// Nearest instead of linear magnification.
    pub nearest: bool,
}

/// A decoded image: RGBA8, sRGB-encoded colour, rows top to bottom without padding.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Vec<u8>,
}

/// An animation.
#[derive(Debug, Clone, Default)]
pub struct Clip {
    /// The file's name for it, else `clip N`.
    pub name: String,
    /// Last key time of any channel, in seconds; clips start at 0 even if their first key is later.
    pub duration_secs: f64,
    /// What moves.
    pub channels: Vec<Channel>,
}

/// How values between keys are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The earlier key's value.
    Step,
    /// Straight, rotations along the short arc.
    Linear,
    /// Hermite: each key is in-tangent, value, out-tangent.
    CubicSpline,
}

/// One animated property of one node.
#[derive(Debug, Clone)]
pub struct Channel {
    /// Index into [`CharacterData::nodes`].
    pub node: u32,
    /// Key times in seconds, rising (equal neighbours allowed).
    pub times_secs: Vec<f32>,
    /// How to interpolate.
    pub interpolation: Interpolation,
    /// The property and its keyed values.
    pub values: ChannelValues,
}

/// Keyed values; for cubic splines three entries a key (in-tangent, value, out-tangent).
#[derive(Debug, Clone)]
pub enum ChannelValues {
    /// Metres.
    Translation(Vec<Vec3>),
    /// Quaternions x, y, z, w, as stored.
    Rotation(Vec<Vec4>),
    /// Factors.
    Scale(Vec<Vec3>),
    /// `width` weights a key (three times that for cubic splines).
    Weights {
        /// Morph targets a key.
        width: usize,
        /// All weights, key after key.
        values: Vec<f32>,
    },
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
                first_vertex: 0,
                vertex_count: count as u32,
                first_index: 0,
                index_count: indices.len() as u32,
                first_morph_delta: 0,
                target_count: 0,
                first_morph_weight: 0,
            }],
            vertices: Vertices {
                positions,
                normals,
                uvs: vec![Vec2::ZERO; count],
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
