//! Branches by space colonization, in rest space, carried by the posed body.

pub mod params;

pub use params::GrowthParams;

use crate::gpu::Buffer;

crate::gpu_struct! {
    /// A posed branch node, ready to draw: the branch runs from its parent's position to its own.
    pub struct BranchNode {
        /// World position; on its way from the parent while the segment grows.
        pub position: [f32; 3],
        /// Radius in metres.
        pub radius: f32,
        /// Linear colour.
        pub color: [f32; 3],
        /// Light given off, 0 for old wood.
        pub glow: f32,
        /// Index of the parent; a root's is its own.
        pub parent: u32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
        /// Padding.
        pub pad2: u32,
    }
}

/// What the renderer gets of growth.
#[derive(Debug, Clone, Copy)]
pub struct Branches<'a> {
    /// Posed nodes; one instance of the capsule mesh each.
    pub nodes: &'a Buffer<BranchNode>,
    /// One u32: the number of nodes, written by the kernels.
    pub count: &'a Buffer<u32>,
}
