//! Kinds of boids in one flock.

use glam::{Vec3, Vec4};

crate::params! {
    /// Species of the flock. Ids are dealt out to them by sixteenths, so that each has its share of any count.
    pub struct SpeciesParams: "species", "Species" {
        /// How many species fly. The first is the flock's own; the others differ from it.
        count: u32 = 1, "Species", int(1, 4, "");
        /// Share of the second species.
        share_b: f32 = 0.25, "Share of B", float(0.0, 1.0, "");
        /// Share of the third species.
        share_c: f32 = 0.25, "Share of C", float(0.0, 1.0, "");
        /// Share of the fourth species.
        share_d: f32 = 0.125, "Share of D", float(0.0, 1.0, "");
        /// Size of the second species, in sizes of the first.
        size_b: f32 = 1.6, "Size of B", float(0.2, 5.0, "");
        /// Size of the third species, in sizes of the first.
        size_c: f32 = 0.7, "Size of C", float(0.2, 5.0, "");
        /// Size of the fourth species, in sizes of the first.
        size_d: f32 = 2.4, "Size of D", float(0.2, 5.0, "");
        /// Speeds of the second species, in those of the first.
        pace_b: f32 = 0.8, "Pace of B", float(0.2, 3.0, "");
        /// Speeds of the third species, in those of the first.
        pace_c: f32 = 1.3, "Pace of C", float(0.2, 3.0, "");
        /// Speeds of the fourth species, in those of the first.
        pace_d: f32 = 0.6, "Pace of D", float(0.2, 3.0, "");
        /// Colour of the second species.
        color_b: [f32; 3] = [1.0, 0.42, 0.12], "Colour of B", color;
        /// Colour of the third species.
        color_c: [f32; 3] = [0.95, 0.85, 0.35], "Colour of C", color;
        /// Colour of the fourth species.
        color_d: [f32; 3] = [0.75, 0.30, 0.80], "Colour of D", color;
        /// What the first and second species think of each other: 1 as of their own, 0 nothing, -1 they part.
        liking_ab: f32 = 0.1, "A and B", float(-1.0, 1.0, "");
        /// What the first and third species think of each other.
        liking_ac: f32 = -0.3, "A and C", float(-1.0, 1.0, "");
        /// What the first and fourth species think of each other.
        liking_ad: f32 = -1.0, "A and D", float(-1.0, 1.0, "");
        /// What the second and third species think of each other.
        liking_bc: f32 = 0.0, "B and C", float(-1.0, 1.0, "");
        /// What the second and fourth species think of each other.
        liking_bd: f32 = -0.5, "B and D", float(-1.0, 1.0, "");
        /// What the third and fourth species think of each other.
        liking_cd: f32 = -0.5, "C and D", float(-1.0, 1.0, "");
    }
}

/// Ids after which the pattern of species repeats.
const PATTERN: u32 = 16;

impl SpeciesParams {
    /// The species of sixteen ids, two bits each from the lowest.
    #[must_use]
    pub fn pattern(&self) -> u32 {
        let shares = [self.share_b, self.share_c, self.share_d];
        let mut pattern = 0;
        let mut slot = 0;
        for (share, species) in shares.iter().zip(1..self.count) {
            for _ in 0..(share * PATTERN as f32).round() as u32 {
                if slot < PATTERN {
                    // Bits reversed, so that any few ids hold all species.
                    let place = slot.reverse_bits() >> 28;
                    pattern |= species << (2 * place);
                    slot += 1;
                }
            }
        }
        pattern
    }

    /// The species of a boid.
    #[must_use]
    pub fn of(&self, id: u32) -> u32 {
        (self.pattern() >> (2 * (id % PATTERN))) & 3
    }

    /// What each species (first index) thinks of each other.
    pub(super) fn likings(&self) -> [Vec4; 4] {
        let (ab, ac, ad) = (self.liking_ab, self.liking_ac, self.liking_ad);
        let (bc, bd, cd) = (self.liking_bc, self.liking_bd, self.liking_cd);
        [
            Vec4::new(1.0, ab, ac, ad),
            Vec4::new(ab, 1.0, bc, bd),
            Vec4::new(ac, bc, 1.0, cd),
            Vec4::new(ad, bd, cd, 1.0),
        ]
    }

    /// Factors on the speeds of each.
    pub(super) fn paces(&self) -> Vec4 {
        Vec4::new(1.0, self.pace_b, self.pace_c, self.pace_d)
    }

    /// Factors on the sizes of each.
    #[must_use]
    pub fn sizes(&self) -> [f32; 4] {
        [1.0, self.size_b, self.size_c, self.size_d]
    }

    /// Colours of all but the first.
    #[must_use]
    pub fn colors(&self) -> [Vec3; 3] {
        [self.color_b, self.color_c, self.color_d].map(Vec3::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_species_has_its_share_of_any_sixteen_ids() {
        let params = SpeciesParams { count: 4, ..Default::default() };
        for first in [0, 5, 1000] {
            let count = |species| (first..first + 16).filter(|&id| params.of(id) == species).count();
            assert_eq!([0, 1, 2, 3].map(count), [6, 4, 4, 2]);
        }
        assert_eq!(SpeciesParams::default().pattern(), 0, "one species is all the first");
        let two = SpeciesParams { count: 2, share_b: 0.5, ..Default::default() };
        let count = |species| (0..16).filter(|&id| two.of(id) == species).count();
        assert_eq!([0, 1, 2, 3].map(count), [8, 8, 0, 0]);
        let greedy =
            SpeciesParams { count: 4, share_b: 1.0, share_c: 1.0, share_d: 1.0, ..Default::default() };
        assert!((0..16).all(|id| greedy.of(id) == 1), "what is dealt out is gone");
    }
}
