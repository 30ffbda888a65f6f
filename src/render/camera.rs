//! The camera, and the orbit by which a person moves it.
//!
//! Double precision throughout: models may be micrometres or kilometres large and stand far from the origin.
//! World space is glTF's: metres, right-handed, +Y up; characters face +Z.

use glam::{DMat4, DVec2, DVec3, Mat4, Vec3};

/// The vertical field of view that cameras start with, in degrees.
pub const DEFAULT_VFOV_DEG: f64 = 30.0;
/// Narrowest and widest vertical field of view, in degrees.
const VFOV_RANGE_DEG: (f64, f64) = (0.1, 170.0);
/// How close an orbit comes to looking straight down, in radians from the pole.
const POLE_GAP_RAD: f64 = 1e-3;
/// Zoom of one wheel notch: the factor on the distance.
const ZOOM_STEP: f64 = 0.88;
/// Share of the picture that a framed box fills.
const FRAME_FILL: f64 = 0.86;

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where the eye stands, world metres.
    pub eye: DVec3,
    /// What it looks at, world metres.
    pub target: DVec3,
    /// What points up in the picture; need not be square to the view.
    pub up: DVec3,
    /// Vertical field of view in degrees.
    pub vfov_deg: f64,
}

impl Camera {
    /// A camera with +Y up.
    #[must_use]
    pub fn new(eye: DVec3, target: DVec3, vfov_deg: f64) -> Self {
        Self { eye, target, up: DVec3::Y, vfov_deg }
    }

    /// A three-quarter view of a box, with a little room round it.
    #[must_use]
    pub fn frame(min: Vec3, max: Vec3, aspect: f64) -> Self {
        let mut orbit = Orbit::default();
        orbit.frame(min, max, aspect);
        orbit.camera()
    }

    /// Unit axes of the view: right, up and forward. Always a right-handed frame, whatever the fields hold.
    #[must_use]
    pub fn axes(&self) -> [DVec3; 3] {
        let forward = unit(self.target - self.eye).unwrap_or(DVec3::NEG_Z);
        let right = unit(forward.cross(self.up))
            .or_else(|| unit(forward.cross(DVec3::Y)))
            .or_else(|| unit(forward.cross(DVec3::Z)))
            .unwrap_or(DVec3::X);
        [right, right.cross(forward), forward]
    }

    /// Tangent of half the vertical field of view.
    #[must_use]
    pub fn half_height(&self) -> f64 {
        let vfov_deg = if self.vfov_deg.is_finite() { self.vfov_deg } else { DEFAULT_VFOV_DEG };
        (0.5 * vfov_deg.clamp(VFOV_RANGE_DEG.0, VFOV_RANGE_DEG.1)).to_radians().tan()
    }

    /// Clip space from world positions relative to the eye. Depth is reversed and infinite: 1 at the near
    /// plane, falling to 0; in f32 its relative precision is the same at every distance, so that only the near
    /// plane has to be chosen: a hundred-thousandth of the scene's size or of the distance, the greater one.
    #[must_use]
    pub fn clip_from_relative(&self, aspect: f64, scene_size_m: f64) -> Mat4 {
        let [right, up, forward] = self.axes();
        let rotation =
            DMat4::from_cols(right.extend(0.0), up.extend(0.0), (-forward).extend(0.0), glam::DVec4::W)
                .transpose();
        let near = 1e-5 * scene_size_m.max(self.eye.distance(self.target)).max(1e-30);
        let y = 1.0 / self.half_height();
        let x = y / aspect.clamp(1e-4, 1e4);
        let projection = DMat4::from_cols_array_2d(&[
            [x, 0.0, 0.0, 0.0],
            [0.0, y, 0.0, 0.0],
            [0.0, 0.0, 0.0, -1.0],
            [0.0, 0.0, near, 0.0],
        ]);
        (projection * rotation).as_mat4()
    }
}

/// A point of view that turns round a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orbit {
    /// The point in the middle of the picture, world metres.
    pub target: DVec3,
    /// Distance of the eye from the target in metres.
    pub distance_m: f64,
    /// Angle round the vertical axis in radians: 0 looks from +Z, a quarter turn from +X.
    pub azimuth_rad: f64,
    /// Angle above the horizon in radians.
    pub elevation_rad: f64,
    /// Vertical field of view in degrees.
    pub vfov_deg: f64,
    /// Size of what was last framed in metres; bounds the distance.
    pub scene_size_m: f64,
}

impl Default for Orbit {
    /// A three-quarter view from a little above.
    fn default() -> Self {
        Self {
            target: DVec3::ZERO,
            distance_m: 4.0,
            azimuth_rad: 28f64.to_radians(),
            elevation_rad: 9f64.to_radians(),
            vfov_deg: DEFAULT_VFOV_DEG,
            scene_size_m: 1.0,
        }
    }
}

impl Orbit {
    /// The camera it stands for.
    #[must_use]
    pub fn camera(&self) -> Camera {
        let (sin_azimuth, cos_azimuth) = self.azimuth_rad.sin_cos();
        let (sin_elevation, cos_elevation) = self.elevation_rad.sin_cos();
        let back = DVec3::new(sin_azimuth * cos_elevation, sin_elevation, cos_azimuth * cos_elevation);
        Camera::new(self.target + self.distance_m * back, self.target, self.vfov_deg)
    }

    /// Turns by a drag in pixels; a drag over the picture's height is half a turn.
    pub fn orbit(&mut self, drag_px: DVec2, picture_height_px: f64) {
        let angle = drag_px * (std::f64::consts::PI / picture_height_px.max(1.0));
        self.look_from(self.azimuth_rad - angle.x, self.elevation_rad + angle.y);
    }

    /// Looks from a direction given as azimuth and elevation in radians.
    pub fn look_from(&mut self, azimuth_rad: f64, elevation_rad: f64) {
        if !(azimuth_rad.is_finite() && elevation_rad.is_finite()) {
            return;
        }
        let limit = std::f64::consts::FRAC_PI_2 - POLE_GAP_RAD;
        self.azimuth_rad = azimuth_rad.rem_euclid(std::f64::consts::TAU);
        self.elevation_rad = elevation_rad.clamp(-limit, limit);
    }

    /// Moves target and eye so that the target's plane follows a drag in pixels.
    pub fn pan(&mut self, drag_px: DVec2, picture_height_px: f64) {
        let camera = self.camera();
        let [right, up, _] = camera.axes();
        let metres_per_px = 2.0 * camera.half_height() * self.distance_m / picture_height_px.max(1.0);
        let moved = metres_per_px * (drag_px.y * up - drag_px.x * right);
        if moved.is_finite() {
            self.target += moved;
        }
    }

    /// Zooms by wheel notches (positive comes closer), keeping the point of the target's plane under the
    /// cursor where it is. `cursor_ndc` runs from -1 to 1, right and up.
    pub fn zoom(&mut self, notches: f64, cursor_ndc: DVec2, aspect: f64) {
        let wanted = self.distance_m * ZOOM_STEP.powf(notches.clamp(-100.0, 100.0));
        let distance_m = wanted.clamp(1e-3 * self.scene_size_m, 1e3 * self.scene_size_m);
        if !distance_m.is_finite() || !cursor_ndc.is_finite() {
            return;
        }
        let camera = self.camera();
        let [right, up, _] = camera.axes();
        let half = camera.half_height() * (self.distance_m - distance_m);
        self.target += half * (cursor_ndc.x * aspect * right + cursor_ndc.y * up);
        self.distance_m = distance_m;
    }

    /// Stands so that a box fits the picture with a little room, keeping the direction.
    pub fn frame(&mut self, min: Vec3, max: Vec3, aspect: f64) {
        let (min, max) = (min.as_dvec3(), max.as_dvec3());
        let size_m = (max - min).max_element();
        if !(min.is_finite() && max.is_finite()) || size_m < 0.0 {
            return;
        }
        self.target = 0.5 * (min + max);
        self.scene_size_m = if size_m > 0.0 { size_m } else { 1.0 };
        let camera = self.camera();
        let [right, up, forward] = camera.axes();
        let half_height = camera.half_height() * FRAME_FILL;
        let half_width = half_height * aspect.clamp(1e-4, 1e4);
        let farthest = (0..8)
            .map(|corner| {
                let pick = |bit: u32, axis: usize| if corner & bit == 0 { min[axis] } else { max[axis] };
                let offset = DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2)) - self.target;
                let nearer = -offset.dot(forward);
                nearer + (offset.dot(right).abs() / half_width).max(offset.dot(up).abs() / half_height)
            })
            .fold(0.0, f64::max);
        self.distance_m = if farthest > 0.0 { farthest } else { 2.0 * self.scene_size_m };
    }
}

/// `v` at unit length, unless it has none.
fn unit(v: DVec3) -> Option<DVec3> {
    (v / v.abs().max_element()).try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a world point lands: x and y from -1 to 1, and depth.
    fn project(camera: &Camera, aspect: f64, size: f64, world: DVec3) -> Vec3 {
        let clip = camera.clip_from_relative(aspect, size) * (world - camera.eye).as_vec3().extend(1.0);
        clip.truncate() / clip.w
    }

    #[test]
    fn a_known_camera_projects_known_points() {
        let camera = Camera::new(DVec3::new(0.0, 0.0, 2.0), DVec3::ZERO, 90.0);
        // At distance 2 and a right angle of view, the picture's edges lie 2 from its middle.
        let at = |x, y, z| project(&camera, 2.0, 1.0, DVec3::new(x, y, z));
        assert!((at(0.0, 0.0, 0.0).truncate()).length() < 1e-6);
        assert!((at(4.0, 0.0, 0.0) - Vec3::new(1.0, 0.0, 1e-5)).length() < 1e-6, "right is +x");
        assert!((at(0.0, 2.0, 0.0).y - 1.0).abs() < 1e-6, "up is +y");
        assert!(at(0.0, 0.0, 1.0).z > at(0.0, 0.0, 0.0).z, "nearer is greater");
    }

    #[test]
    fn degenerate_cameras_stay_finite() {
        let here = DVec3::new(1.0, 2.0, 3.0);
        let down = Camera::new(here, here - DVec3::Y, 45.0);
        let nowhere = Camera::new(here, here, f64::NAN);
        for camera in [down, nowhere, Camera { up: DVec3::ZERO, ..down }] {
            assert!(camera.clip_from_relative(0.0, 0.0).is_finite(), "{camera:?}");
            let [right, up, forward] = camera.axes();
            assert!((right.cross(up) + forward).length() < 1e-12, "{camera:?} is left-handed");
        }
    }

    #[test]
    fn a_framed_box_fits_and_fills_at_every_size_and_shape() {
        for scale in [1e-3f32, 1.0, 1e3] {
            for aspect in [0.4, 1.0, 16.0 / 9.0] {
                let (min, max) = (Vec3::new(-0.4, 0.0, -0.3) * scale, Vec3::new(0.6, 1.8, 0.2) * scale);
                let camera = Camera::frame(min, max, aspect);
                let mut reach = 0f32;
                for corner in 0..8 {
                    let pick = |bit: u32, axis: usize| if corner & bit == 0 { min[axis] } else { max[axis] };
                    let world = Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2)).as_dvec3();
                    let at = project(&camera, aspect, f64::from(scale), world);
                    reach = reach.max(at.x.abs()).max(at.y.abs());
                }
                let fill = FRAME_FILL as f32;
                assert!((reach - fill).abs() < 1e-3, "scale {scale}, aspect {aspect}: fills {reach}");
            }
        }
    }

    #[test]
    fn zooming_keeps_the_point_under_the_cursor() {
        let mut orbit = Orbit { target: DVec3::new(1.0, 2.0, 3.0), ..Orbit::default() };
        let (cursor, aspect) = (DVec2::new(0.5, -0.25), 1.5);
        let under = |orbit: &Orbit| {
            let camera = orbit.camera();
            let [right, up, _] = camera.axes();
            let half = camera.half_height() * orbit.distance_m;
            orbit.target + half * (cursor.x * aspect * right + cursor.y * up)
        };
        let before = under(&orbit);
        orbit.zoom(3.0, cursor, aspect);
        assert!(orbit.distance_m < 4.0, "positive notches come closer");
        assert!((under(&orbit) - before).length() < 1e-12);
        orbit.zoom(-1e9, cursor, aspect);
        orbit.zoom(f64::NAN, cursor, aspect);
        assert!(orbit.distance_m <= 1e3 && orbit.target.is_finite());
    }

    #[test]
    fn panning_moves_the_target_with_the_cursor() {
        let mut orbit = Orbit { azimuth_rad: 0.0, elevation_rad: 0.0, ..Orbit::default() };
        let height_m = 2.0 * orbit.camera().half_height() * orbit.distance_m;
        orbit.pan(DVec2::new(100.0, 50.0), 100.0);
        // A drag to the right moves the scene right, thus the target left; a drag down moves the target up.
        assert!((orbit.target - DVec3::new(-height_m, 0.5 * height_m, 0.0)).length() < 1e-9);
    }

    #[test]
    fn orbiting_stops_short_of_the_poles() {
        let mut orbit = Orbit::default();
        orbit.orbit(DVec2::new(0.0, 1e6), 500.0);
        assert!(orbit.elevation_rad < std::f64::consts::FRAC_PI_2);
        let [_, up, _] = orbit.camera().axes();
        assert!(up.y > 0.0, "the picture never tips over");
    }
}
