//! Shapes of boids: x right, y up, z ahead, about one long, of flat triangles.

use glam::Vec3;

use super::ShapeCorner;

/// How a shape moves while it flies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    /// It does not.
    None,
    /// Its wings beat.
    Wings,
    /// A wave runs down its body.
    Wave,
}

/// A shape: three corners a triangle, and how it moves.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub corners: Vec<ShapeCorner>,
    pub motion: Motion,
}

/// Where wings begin, from the middle.
const SHOULDER: f32 = 0.055;
/// Where a fish begins to bend, from the middle.
const HEAD: f32 = 0.35;

impl Shape {
    /// The shape of a value of `boids.shape`.
    pub fn of(choice: u32) -> Self {
        match choice {
            0 => Self::dart(),
            1 => Self::bird(),
            2 => Self::fish(),
            _ => Self::cone(),
        }
    }

    /// From triangles; `swing` says how far a corner moves.
    fn new(triangles: &[[Vec3; 3]], motion: Motion, swing: impl Fn(Vec3) -> f32) -> Self {
        let mut corners = flat_corners(triangles);
        for corner in &mut corners {
            corner.swing = swing(corner.position.into());
        }
        Self { corners, motion }
    }

    /// A folded paper plane: two wings, two flanks of the keel.
    fn dart() -> Self {
        let nose = Vec3::new(0.0, 0.0, 0.62);
        let wing = Vec3::new(0.44, 0.13, -0.42);
        let notch = Vec3::new(0.0, 0.03, -0.24);
        let keel = Vec3::new(0.0, -0.17, -0.36);
        let triangles =
            [[nose, notch, wing], [nose, mirrored(wing), notch], [nose, keel, notch], [nose, notch, keel]];
        Self::new(&triangles, Motion::None, |_| 0.0)
    }

    /// A bird: a slim body, long wings in two parts, a fanned tail.
    fn bird() -> Self {
        let beak = Vec3::new(0.0, 0.0, 0.52);
        let back = Vec3::new(0.0, 0.075, 0.14);
        let flank = Vec3::new(SHOULDER, -0.01, 0.12);
        let belly = Vec3::new(0.0, -0.06, 0.08);
        let rump = Vec3::new(0.0, 0.02, -0.34);
        let [front, rear] = [Vec3::new(SHOULDER, 0.02, 0.24), Vec3::new(SHOULDER, 0.015, -0.16)];
        let [wrist, elbow] = [Vec3::new(0.43, 0.05, 0.20), Vec3::new(0.40, 0.03, -0.13)];
        let tip = Vec3::new(0.92, 0.04, -0.10);
        let fan = Vec3::new(0.13, 0.01, -0.60);
        let half = [
            [beak, flank, back],
            [back, flank, rump],
            [beak, belly, flank],
            [flank, belly, rump],
            [front, rear, elbow],
            [front, elbow, wrist],
            [wrist, elbow, tip],
        ];
        let tail = [rump, mirrored(fan), fan];
        let triangles: Vec<_> = both_sides(&half).into_iter().chain([tail]).collect();
        let is_wing = |p: Vec3| [front, rear, wrist, elbow, tip].contains(&Vec3::new(p.x.abs(), p.y, p.z));
        Self::new(
            &triangles,
            Motion::Wings,
            |p| {
                if is_wing(p) { (p.x.abs() - SHOULDER).max(0.0) } else { 0.0 }
            },
        )
    }

    /// A fish: a narrow spindle, a forked tail, a fin on its back.
    fn fish() -> Self {
        let nose = Vec3::new(0.0, 0.0, 0.5);
        let back = Vec3::new(0.0, 0.17, 0.12);
        let belly = Vec3::new(0.0, -0.15, 0.14);
        let cheek = Vec3::new(0.075, 0.0, 0.16);
        let root = Vec3::new(0.0, 0.0, -0.34);
        let half = [[nose, cheek, back], [back, cheek, root], [nose, belly, cheek], [cheek, belly, root]];
        let fins = [
            [root, Vec3::new(0.0, 0.19, -0.62), Vec3::new(0.0, 0.03, -0.48)],
            [root, Vec3::new(0.0, -0.03, -0.48), Vec3::new(0.0, -0.17, -0.60)],
            [back, Vec3::new(0.0, 0.27, -0.06), Vec3::new(0.0, 0.09, -0.12)],
        ];
        let triangles: Vec<_> = both_sides(&half).into_iter().chain(fins).collect();
        Self::new(&triangles, Motion::Wave, |p| (HEAD - p.z).max(0.0))
    }

    /// A cone of six sides.
    fn cone() -> Self {
        let nose = Vec3::new(0.0, 0.0, 0.6);
        let rim = |k: u32| {
            let (sin, cos) = (k as f32 / 6.0 * std::f32::consts::TAU).sin_cos();
            Vec3::new(0.22 * cos, 0.22 * sin, -0.4)
        };
        let sides = (0..6).map(|k| [nose, rim(k), rim(k + 1)]);
        let base = (1..5).map(|k| [rim(0), rim(k + 1), rim(k)]);
        Self::new(&sides.chain(base).collect::<Vec<_>>(), Motion::None, |_| 0.0)
    }
}

/// Three corners a triangle, each with the triangle's normal, that do not move.
pub(in crate::render) fn flat_corners(triangles: &[[Vec3; 3]]) -> Vec<ShapeCorner> {
    let corners = triangles.iter().flat_map(|&[a, b, c]| {
        let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
        [a, b, c].map(|position| ShapeCorner {
            position: position.to_array(),
            normal: normal.to_array(),
            tint: [1.0; 3],
            ..Default::default()
        })
    });
    corners.collect()
}

fn mirrored(v: Vec3) -> Vec3 {
    Vec3::new(-v.x, v.y, v.z)
}

/// The triangles of the right side, and those of the left with their corners turned round.
pub(in crate::render) fn both_sides(right: &[[Vec3; 3]]) -> Vec<[Vec3; 3]> {
    right.iter().flat_map(|&[a, b, c]| [[a, b, c], [a, c, b].map(mirrored)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_about_one_long_alike_on_both_sides_and_as_many_as_can_be_chosen() {
        for choice in 0..4 {
            let shape = Shape::of(choice);
            assert_eq!(shape.corners.len() % 3, 0);
            let z = shape.corners.iter().map(|corner| corner.position[2]);
            let (low, high) = z.fold((0.0f32, 0.0f32), |(low, high), z| (low.min(z), high.max(z)));
            assert!((0.9..1.25).contains(&(high - low)), "shape {choice}: {}", high - low);
            let places = |sign: f32| {
                let mut places: Vec<_> = shape
                    .corners
                    .iter()
                    .map(|c| {
                        [sign * c.position[0], c.position[1], c.position[2]].map(|v| (v * 1e3).round() as i32)
                    })
                    .collect();
                places.sort_unstable();
                places.dedup();
                places
            };
            assert_eq!(places(1.0), places(-1.0), "shape {choice}");
            let moves = shape.corners.iter().any(|corner| corner.swing > 0.0);
            assert_eq!(moves, shape.motion != Motion::None, "shape {choice}");
        }
    }

    #[test]
    fn closed_bodies_face_outwards() {
        for choice in [1, 2, 3] {
            let shape = Shape::of(choice);
            // Body triangles, not wings or fins: those with all corners near the axis and some width.
            for triangle in shape.corners.chunks_exact(3) {
                let corners = [0, 1, 2].map(|k| Vec3::from(triangle[k].position));
                let wide = corners.iter().map(|p| p.x.abs()).fold(0.0, f32::max);
                let high = corners.iter().map(|p| p.y.abs()).fold(0.0, f32::max);
                if high < 0.03
                    || !(0.01..=0.3).contains(&wide)
                    || triangle.iter().any(|c| c.swing > 0.0) && choice == 1
                {
                    continue;
                }
                let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
                let outward =
                    Vec3::from(triangle[0].normal).dot(middle - Vec3::new(0.0, 0.0, middle.z * 0.5));
                assert!(outward > -0.02, "shape {choice}: {corners:?} faces in");
            }
        }
    }
}
