//! Lines of sight: what a place of the picture looks at.

use glam::{DVec2, DVec3};

use super::Camera;

/// A line of sight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Where it begins, world metres.
    pub origin: DVec3,
    /// Unit.
    pub direction: DVec3,
}

impl Camera {
    /// The line of sight through a place of a picture in pixels, from its top left corner.
    #[must_use]
    pub fn ray(&self, place_px: DVec2, picture_px: DVec2) -> Ray {
        let [right, up, forward] = self.axes();
        // From the middle, in halves of the picture's height.
        let from_middle = (2.0 * place_px - picture_px) / picture_px.y.max(1.0);
        let aside = from_middle.x * right - from_middle.y * up;
        match self.parallel {
            Some(parallel) => {
                let origin = self.eye + parallel.half_height_m * aside + parallel.depth_m[0] * forward;
                Ray { origin, direction: forward }
            }
            None => {
                let direction = (forward + self.half_height() * aside).normalize_or(forward);
                Ray { origin: self.eye, direction }
            }
        }
    }
}

impl Ray {
    /// Where it meets the plane through a point that faces it, if ahead.
    #[must_use]
    pub fn nearest_to(&self, point: DVec3) -> Option<DVec3> {
        let along = (point - self.origin).dot(self.direction);
        (along > 0.0 && along.is_finite()).then(|| self.origin + along * self.direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_what_is_drawn_at_its_place() {
        let picture_px = DVec2::new(320.0, 200.0);
        let camera = Camera::new(DVec3::new(1.0, 2.0, 5.0), DVec3::new(0.3, 0.9, -0.2), 40.0);
        for camera in [camera, camera.without_perspective(3.0)] {
            for point in [DVec3::ZERO, DVec3::new(0.4, 1.3, 0.2), DVec3::new(-0.5, 0.1, 1.0)] {
                let clip = camera.clip_from_relative(1.6, 2.0).as_dmat4();
                let seen = clip.project_point3(point - camera.eye);
                let place = (DVec2::new(seen.x, -seen.y) + 1.0) * 0.5 * picture_px;
                let met = camera.ray(place, picture_px).nearest_to(point).expect("it lies ahead");
                // The projection is in f32.
                assert!(met.distance(point) < 1e-5, "{point} is met at {met}");
            }
        }
        let behind = camera.eye - camera.axes()[2];
        assert_eq!(camera.ray(0.5 * picture_px, picture_px).nearest_to(behind), None);
    }
}
