//! Where boids begin: hashed places between the body and the boundary, with hashed headings.

use std::f32::consts::TAU;

use glam::Vec3;

use super::Boid;

/// Where boids may begin.
#[derive(Debug, Clone)]
pub(super) struct SpawnSpace {
    /// Seed of all places.
    pub seed: u32,
    /// Middle of the boundary sphere, world metres.
    pub center: Vec3,
    /// H in metres.
    pub extent_m: f32,
    /// Radius of the boundary sphere, H.
    pub radius: f32,
    /// Box round the body and the clearance, in H from the middle.
    pub body_min: Vec3,
    /// Its greatest corner.
    pub body_max: Vec3,
    /// H a second.
    pub speed: f32,
}

/// Places tried before a boid begins on the boundary instead.
const TRIES: u64 = 24;
/// The innermost and outermost places, in radii.
const SHELL: [f32; 2] = [0.35, 0.95];

/// SplitMix64 (Steele, Lea, Flood 2014): a hash of seed, id and draw.
fn hash(seed: u32, id: u32, draw: u64) -> u64 {
    let mut z = (u64::from(seed) << 32 | u64::from(id))
        .wrapping_add(draw.wrapping_mul(0xd1b5_4a32_d192_ed03))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl SpawnSpace {
    /// Uniform in [0, 1).
    fn random(&self, id: u32, draw: u64) -> f32 {
        (hash(self.seed, id, draw) >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Uniform on the unit sphere.
    fn direction(&self, id: u32, draw: u64) -> Vec3 {
        let z = 2.0 * self.random(id, draw) - 1.0;
        let (sin, cos) = (TAU * self.random(id, draw + 1)).sin_cos();
        let ring = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(ring * cos, ring * sin, z)
    }

    /// The boid's first state.
    pub fn boid(&self, id: u32) -> Boid {
        let [inner, outer] = SHELL.map(|r| r.powi(3));
        let in_body = |p: Vec3| p.cmpge(self.body_min).all() && p.cmple(self.body_max).all();
        let place = (0..TRIES)
            .map(|k| {
                let radius = (inner + (outer - inner) * self.random(id, 3 * k)).cbrt() * self.radius;
                radius * self.direction(id, 3 * k + 1)
            })
            .find(|&place| !in_body(place))
            .unwrap_or_else(|| self.radius * self.direction(id, 3 * TRIES));
        let heading = self.direction(id, 3 * TRIES + 2);
        Boid {
            position: (self.center + place * self.extent_m).to_array(),
            velocity: (heading * self.speed * self.extent_m).to_array(),
            ..Default::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::SpawnSpace;

    #[test]
    fn boids_begin_inside_the_boundary_outside_the_body_and_apart() {
        let space = SpawnSpace {
            seed: 3,
            center: Vec3::new(10.0, -4.0, 2.0),
            extent_m: 2.0,
            radius: 0.75,
            body_min: Vec3::new(-0.3, -0.5, -0.2),
            body_max: Vec3::new(0.3, 0.5, 0.2),
            speed: 0.4,
        };
        let boids: Vec<_> = (0..2000).map(|id| space.boid(id)).collect();
        for boid in &boids {
            let local = (Vec3::from(boid.position) - space.center) / space.extent_m;
            assert!(local.length() < 0.75);
            assert!(local.cmplt(space.body_min).any() || local.cmpgt(space.body_max).any());
            assert!((Vec3::from(boid.velocity).length() - 0.8).abs() < 1e-5);
        }
        let mut places: Vec<_> = boids.iter().map(|b| b.position.map(f32::to_bits)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), boids.len());
        assert_ne!(SpawnSpace { seed: 4, ..space.clone() }.boid(0), space.boid(0));
    }

    #[test]
    fn a_body_larger_than_the_boundary_still_lets_boids_begin() {
        let (body_min, body_max) = (Vec3::splat(-9.0), Vec3::splat(9.0));
        let space = SpawnSpace {
            seed: 0,
            center: Vec3::ZERO,
            extent_m: 1.0,
            radius: 0.1,
            body_min,
            body_max,
            speed: 0.1,
        };
        assert!((Vec3::from(space.boid(1).position).length() - 0.1).abs() < 1e-6);
    }
}
