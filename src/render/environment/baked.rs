//! The file of the built-in studio: light prefiltered by `examples/studio`.
//!
//! Little-endian: the number of levels as u32, the side of each as u32, nine RGB coefficients of irradiance as f32,
//! then each level's texels row by row, RGB as half floats.

use glam::Vec3;
use half::f16;

/// Prefiltered light on the CPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Baked {
    /// Texels along a side, by level from smooth to rough.
    pub sides: Vec<u32>,
    /// Radiance by level, `side * side` texels each.
    pub levels: Vec<Vec<Vec3>>,
    /// Irradiance over pi; see [`super::octahedron::irradiance_basis`].
    pub irradiance: [Vec3; 9],
}

/// More levels than any file has.
const MAX_LEVELS: u32 = 16;
/// A larger side than any file has.
const MAX_SIDE: u32 = 4096;

impl Baked {
    /// The file's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.sides.len() as u32).to_le_bytes().to_vec();
        bytes.extend(self.sides.iter().flat_map(|side| side.to_le_bytes()));
        bytes.extend(self.irradiance.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes));
        let light = self.levels.iter().flatten().flat_map(Vec3::to_array);
        bytes.extend(light.flat_map(|value| f16::from_f32(value).to_le_bytes()));
        bytes
    }

    /// Reads a file; `None` when it is not whole.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let word = |rest: &mut &[u8]| -> Option<[u8; 4]> {
            let (word, after) = rest.split_first_chunk::<4>()?;
            *rest = after;
            Some(*word)
        };
        let count = u32::from_le_bytes(word(&mut rest)?);
        if !(1..=MAX_LEVELS).contains(&count) {
            return None;
        }
        let mut sides = Vec::new();
        for _ in 0..count {
            sides.push(u32::from_le_bytes(word(&mut rest)?));
        }
        if sides.iter().any(|side| !(2..=MAX_SIDE).contains(side)) {
            return None;
        }
        let mut irradiance = [Vec3::ZERO; 9];
        for coefficient in &mut irradiance {
            for axis in 0..3 {
                coefficient[axis] = f32::from_le_bytes(word(&mut rest)?);
            }
        }
        let mut levels = Vec::new();
        for side in &sides {
            let (level, after) = rest.split_at_checked((side * side * 6) as usize)?;
            rest = after;
            let texel = |six: &[u8]| {
                let value = |i: usize| f16::from_le_bytes([six[i], six[i + 1]]).to_f32();
                Vec3::new(value(0), value(2), value(4))
            };
            levels.push(level.chunks_exact(6).map(texel).collect());
        }
        rest.is_empty().then_some(Self { sides, levels, irradiance })
    }
}
