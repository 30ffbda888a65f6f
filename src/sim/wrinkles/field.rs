//! The complex wrinkle field: what its kernels hand from one to the next, and what the renderer draws folds from.

use super::tables::{FieldTriangle, HalfEdgeGpu};
use crate::gpu::Buffer;

crate::gpu_struct! {
    /// Where the folds of a field vertex run and how high they are.
    pub struct Heading {
        /// Unit direction in the vertex's frame that folds lie across: that of greatest compression, followed over
        /// some ticks. It is a line: the sign is that nearer to the last tick's.
        pub direction: [f32; 2],
        /// What it is the axis of: `(xx − yy, 2·xy)` of the strain, steadied by the neighbours' and in time.
        pub deviator: [f32; 2],
        /// Half the height from valley to crest, H.
        pub amplitude: f32,
        /// Compression of the moment along its own axis, steadied by the neighbours' but not in time.
        pub compression: f32,
    }
}

crate::gpu_struct! {
    /// How the folds at the ends of a half-edge meet.
    pub struct EdgeWave {
        /// Cosine and sine of the phase's growth from the near end to the far one.
        pub turn: [f32; 2],
        /// 1 where the directions agree; −1 where the far end's wave is to be conjugated.
        pub sign: f32,
        /// Padding.
        pub pad0: f32,
    }
}

crate::gpu_struct! {
    /// What a field vertex remembers from tick to tick.
    pub struct FoldState {
        /// Direction that the phase grows along, in the vertex's frame; zero before the first tick.
        pub direction: [f32; 2],
        /// [`Heading::deviator`].
        pub deviator: [f32; 2],
        /// The wave: its phase, and as its length, at most 1, how well the neighbours agree with it.
        pub wave: [f32; 2],
    }
}

/// What the renderer draws folds from.
///
/// Corner n of a triangle holds the wave z_n, which continues into the triangle with the phase
/// `ψ_n = Σ_q b_q·P_nq`, `P_nq = 2π/L · (arm from n to q)·direction_n`, b the barycentric coordinates. Where the
/// signs of the edges say that a corner's direction is opposed to the first's, z_n is conjugated and P negated.
/// The height there is `A·m·Re(Z)/√(|Z|² + δ²)` with `Z = Σ b_n²·z_n·e^{iψ_n}`, A and m the interpolated amplitude
/// and |z|. Along an edge only its two ends count, so that heights are continuous over edges.
#[derive(Debug, Clone, Copy)]
pub struct FoldField<'a> {
    /// The surface's triangles in the field.
    pub triangles: &'a Buffer<FieldTriangle>,
    /// Half-edges.
    pub half_edges: &'a Buffer<HalfEdgeGpu>,
    /// One a half-edge.
    pub edges: &'a Buffer<EdgeWave>,
    /// One a field vertex; flat where three directions cannot be made to agree.
    pub headings: &'a Buffer<Heading>,
    /// One a field vertex, as of the last tick.
    pub states: &'a Buffer<FoldState>,
}
