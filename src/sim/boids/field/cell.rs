//! A finished cell, and where the cells lie.

use glam::{IVec3, IVec4, UVec3};

/// `w` of a packed cell that knows nothing of the body.
const EMPTY: i32 = i32::MIN;

crate::gpu_struct! {
    /// Where the field's cells lie.
    pub struct FieldBox {
        /// Lower corner, in quanta from the middle of the boundary sphere.
        pub origin: [i32; 3],
        /// Edge of a cell in quanta.
        pub cell: i32,
        /// Cells along each axis; zero when there is no body.
        pub size: [u32; 3],
        /// Their product.
        pub cell_count: u32,
    }
}

impl FieldBox {
    /// Middle of a cell, x fastest, in quanta from the middle of the boundary sphere.
    #[must_use]
    pub fn middle(&self, index: u32) -> IVec3 {
        let [width, height, _] = self.size.map(|side| side.max(1));
        let cell = UVec3::new(index % width, index / width % height, index / (width * height));
        IVec3::from(self.origin) + cell.as_ivec3() * self.cell + self.cell / 2
    }
}

/// What a cell knows of the skin, unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldCell {
    /// Away from the body, 14 fractional bits: short where normals disagree.
    pub normal: [i32; 3],
    /// Of the skin, 17 fractional bits of H a tick.
    pub velocity: [i32; 3],
    /// From the skin to the cell's middle along the normal, 14 fractional bits of a cell's edge; negative inside.
    pub distance: i32,
    /// Whether the skin itself passes here.
    pub is_occupied: bool,
}

impl FieldCell {
    /// Reads the four words that kernels store; `None` where the cell knows nothing of the body.
    #[must_use]
    pub fn unpack(packed: IVec4) -> Option<Self> {
        let low = |word: i32| (word << 16) >> 16;
        (packed.w != EMPTY).then(|| Self {
            normal: [low(packed.x), packed.x >> 16, low(packed.y)],
            velocity: [packed.y >> 16, low(packed.z), packed.z >> 16],
            distance: packed.w >> 1,
            is_occupied: packed.w & 1 != 0,
        })
    }
}
