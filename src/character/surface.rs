//! The skinned surface on the GPU: what mesh, growth, boids and wrinkles read.

use glam::{Mat4, UVec4, Vec4};

use super::data::{CharacterData, Influences, Pose};
use crate::gpu::buffer::{INDEX, STORAGE, UNIFORM};
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};

crate::gpu_struct! {
    /// Sizes that the skinning kernel needs.
    pub struct SkinUniform {
        /// Vertices in all.
        pub vertex_count: u32,
        /// Entries of the palette.
        pub palette_count: u32,
        /// Changes of tangents by morph targets; 0 where none moves any.
        pub tangent_delta_count: u32,
        /// Padding.
        pub pad1: u32,
    }
}

crate::gpu_struct! {
    /// A vertex before morphing and skinning.
    pub struct BindVertex {
        /// Position in bind space.
        pub position: [f32; 3],
        /// Index into the primitives.
        pub primitive: u32,
        /// Normal in bind space.
        pub normal: [f32; 3],
        /// Padding.
        pub pad0: u32,
        /// Palette indices, two 16-bit numbers a word, the heaviest first.
        pub joints: UVec4,
        /// Weights of the first four, falling.
        pub weights0: Vec4,
        /// Weights of the last four, falling.
        pub weights1: Vec4,
    }
}

crate::gpu_struct! {
    /// Where a primitive's morph targets lie.
    pub struct MorphRange {
        /// First vertex of the primitive.
        pub first_vertex: u32,
        /// Vertices of the primitive, the distance from one target to the next.
        pub vertex_count: u32,
        /// First delta of the primitive.
        pub first_delta: u32,
        /// Number of targets.
        pub target_count: u32,
        /// First weight of the primitive.
        pub first_weight: u32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
        /// Padding.
        pub pad2: u32,
    }
}

crate::gpu_struct! {
    /// What one morph target adds to one vertex at weight 1.
    pub struct MorphDeltaGpu {
        /// Added to the position.
        pub position: Vec4,
        /// Added to the normal.
        pub normal: Vec4,
    }
}

/// Packs influences the way kernels read them: palette indices and two groups of four weights.
#[must_use]
pub fn pack_influences(influences: &Influences) -> (UVec4, Vec4, Vec4) {
    let j = influences.joints.map(u32::from);
    let w = influences.weights;
    (
        UVec4::new(j[0] | j[1] << 16, j[2] | j[3] << 16, j[4] | j[5] << 16, j[6] | j[7] << 16),
        Vec4::new(w[0], w[1], w[2], w[3]),
        Vec4::new(w[4], w[5], w[6], w[7]),
    )
}

/// Posed vertices in world space, metres, Y up: the one seam between the character and the simulations.
#[derive(Debug)]
pub struct SkinnedSurface {
    /// Vertices of all primitives.
    pub vertex_count: usize,
    /// Triangle list.
    pub indices: Buffer<u32>,
    /// Posed positions; w is 1.
    pub positions: Buffer<Vec4>,
    /// Posed unit normals; w is 0.
    pub normals: Buffer<Vec4>,
    /// Posed unit tangents, w the sense of the bitangent; all zero until [`SkinnedSurface::skin_tangents`], and a
    /// single one where no material has a normal map.
    pub tangents: Buffer<Vec4>,
    /// Joint matrices of the same pose; growth carries its nodes with them.
    pub palette: Buffer<Mat4>,
    morph_weights: Buffer<f32>,
    skin: ComputePass,
    bound: Bound,
    tangent_skin: Option<(ComputePass, Bound)>,
}

impl SkinnedSurface {
    /// Uploads a character. Nothing is posed until the first [`SkinnedSurface::set_pose`] and
    /// [`SkinnedSurface::skin`].
    ///
    /// # Errors
    /// When the device cannot bind so much of anything, with the limit; or when the skinning shader does not build.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary, data: &CharacterData) -> Result<Self, BuildError> {
        let vertex_count = data.vertices.positions.len();
        gpu.check_binding::<BindVertex>("vertices", vertex_count)?;
        gpu.check_binding::<u32>("triangle corners", data.indices.len())?;
        gpu.check_binding::<MorphDeltaGpu>("changes by morph targets", data.morph_deltas.len())?;
        let bind: Vec<BindVertex> = (0..vertex_count)
            .map(|i| {
                let (joints, weights0, weights1) = pack_influences(&data.vertices.influences[i]);
                BindVertex {
                    position: data.vertices.positions[i].to_array(),
                    primitive: data.vertices.primitive[i],
                    normal: data.vertices.normals[i].to_array(),
                    joints,
                    weights0,
                    weights1,
                    pad0: 0,
                }
            })
            .collect();
        let ranges: Vec<MorphRange> = data
            .primitives
            .iter()
            .map(|p| MorphRange {
                first_vertex: p.first_vertex,
                vertex_count: p.vertex_count,
                first_delta: p.first_morph_delta,
                target_count: p.target_count,
                first_weight: p.first_morph_weight,
                ..Default::default()
            })
            .collect();
        let deltas: Vec<MorphDeltaGpu> = data
            .morph_deltas
            .iter()
            .map(|d| MorphDeltaGpu { position: d.position.extend(0.0), normal: d.normal.extend(0.0) })
            .collect();
        let uniform = SkinUniform {
            vertex_count: vertex_count as u32,
            palette_count: data.palette.len() as u32,
            tangent_delta_count: data.morph_tangents.len() as u32,
            ..Default::default()
        };
        let uniform = Buffer::from_slice(gpu, "skin/uniform", &[uniform], UNIFORM);
        let vertices = Buffer::from_slice(gpu, "skin/vertices", &bind, STORAGE);
        let ranges = Buffer::from_slice(gpu, "skin/ranges", &ranges, STORAGE);
        let deltas = Buffer::from_slice(gpu, "skin/deltas", &deltas, STORAGE);
        let morph_weights = Buffer::from_slice(gpu, "skin/morph weights", &data.morph_weights, STORAGE);
        let palette = Buffer::new(gpu, "skin/palette", data.palette.len(), STORAGE);
        let positions = Buffer::new(gpu, "surface/positions", vertex_count, STORAGE);
        let normals = Buffer::new(gpu, "surface/normals", vertex_count, STORAGE);
        let indices = Buffer::from_slice(gpu, "surface/indices", &data.indices, INDEX);
        let skin = ComputePass::new(gpu, shaders, "character/skin", "main")?;
        let bound = skin.bind(
            gpu,
            &[
                ("skin", uniform.raw()),
                ("vertices", vertices.raw()),
                ("ranges", ranges.raw()),
                ("deltas", deltas.raw()),
                ("morph_weights", morph_weights.raw()),
                ("palette", palette.raw()),
                ("positions", positions.raw()),
                ("normals", normals.raw()),
            ],
        )?;
        let has_tangents = data.vertices.tangents.iter().any(|tangent| *tangent != Vec4::ZERO);
        let tangents =
            Buffer::new(gpu, "surface/tangents", if has_tangents { vertex_count } else { 1 }, STORAGE);
        let tangent_skin = if has_tangents {
            let given = Buffer::from_slice(gpu, "skin/tangents", &data.vertices.tangents, STORAGE);
            let changes: Vec<Vec4> = data.morph_tangents.iter().map(|delta| delta.extend(0.0)).collect();
            let changes = Buffer::from_slice(gpu, "skin/tangent deltas", &changes, STORAGE);
            let kernel = ComputePass::new(gpu, shaders, "character/tangents", "main")?;
            let bound = kernel.bind(
                gpu,
                &[
                    ("skin", uniform.raw()),
                    ("vertices", vertices.raw()),
                    ("bind_tangents", given.raw()),
                    ("ranges", ranges.raw()),
                    ("tangent_deltas", changes.raw()),
                    ("morph_weights", morph_weights.raw()),
                    ("palette", palette.raw()),
                    ("tangents", tangents.raw()),
                ],
            )?;
            Some((kernel, bound))
        } else {
            None
        };
        Ok(Self {
            vertex_count,
            indices,
            positions,
            normals,
            tangents,
            palette,
            morph_weights,
            skin,
            bound,
            tangent_skin,
        })
    }

    /// Uploads joint matrices and morph weights, in effect from the next submission.
    pub fn set_pose(&self, gpu: &Gpu, pose: &Pose) {
        self.palette.write(gpu, 0, &pose.palette);
        self.morph_weights.write(gpu, 0, &pose.morph_weights);
    }

    /// Records morphing and skinning of every vertex.
    pub fn skin(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.skin.dispatch(pass, &self.bound, Groups::Items(self.vertex_count));
    }

    /// Records the skinning of tangents, which drawing needs and the simulations do not.
    pub fn skin_tangents(&self, pass: &mut wgpu::ComputePass<'_>) {
        if let Some((kernel, bound)) = &self.tangent_skin {
            kernel.dispatch(pass, bound, Groups::Items(self.vertex_count));
        }
    }
}
