//! The camera, and the orbit by which a person moves it.
//!
//! Double precision throughout: models may be micrometres or kilometres large and stand far from the origin.
//! World space is glTF's: metres, right-handed, +Y up; characters face +Z.

pub mod model_camera;
pub mod sight;

use glam::{DMat4, DVec2, DVec3, Mat4, Vec3};
use serde::{Deserialize, Serialize};

/// The vertical field of view that cameras start with, in degrees.
pub const DEFAULT_VFOV_DEG: f64 = 30.0;
/// Narrowest and widest vertical field of view, in degrees.
const VFOV_RANGE_DEG: (f64, f64) = (0.1, 170.0);
/// How close an orbit comes to looking straight down, in radians from the pole.
const POLE_GAP_RAD: f64 = 1e-3;
/// Zoom of one wheel notch: the factor on the distance.
const ZOOM_STEP: f64 = 0.88;
/// Share of the picture that a framed box fills.
const FRAME_FILL: f64 = 0.9;

/// What a camera without perspective sees: a box round its line of sight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parallel {
    /// Half the height of the picture in metres.
    pub half_height_m: f64,
    /// Where the box begins and ends before the eye, in metres; it may begin behind it.
    pub depth_m: [f64; 2],
}

/// A camera, with perspective unless it is [`Parallel`].
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
    /// Distance of the near plane in metres; `None` leaves it to the size of the scene.
    pub near_m: Option<f64>,
    /// What it sees without perspective, in place of the field of view.
    pub parallel: Option<Parallel>,
}

impl Camera {
    /// A camera with perspective and +Y up.
    #[must_use]
    pub fn new(eye: DVec3, target: DVec3, vfov_deg: f64) -> Self {
        Self { eye, target, up: DVec3::Y, vfov_deg, near_m: None, parallel: None }
    }

    /// The same view without perspective: what lies as far as the target stays as large as it was. All within
    /// `reach_m` of the target is seen.
    #[must_use]
    pub fn without_perspective(self, reach_m: f64) -> Self {
        let distance_m = self.eye.distance(self.target);
        let half_height_m = distance_m * self.half_height();
        let depth_m = [distance_m - reach_m, distance_m + reach_m];
        Self { parallel: Some(Parallel { half_height_m, depth_m }), ..self }
    }

    /// A three-quarter view of a box, with a little room round it.
    #[must_use]
    pub fn frame(min: Vec3, max: Vec3, aspect: f64) -> Self {
        let mut orbit = Orbit::default();
        orbit.frame(min, max);
        orbit.camera(aspect)
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
    /// plane has to be chosen: a hundred-thousandth of the scene's size or of the distance, the greater one. A
    /// parallel camera's depth falls evenly from 1 to 0 over its box.
    #[must_use]
    pub fn clip_from_relative(&self, aspect: f64, scene_size_m: f64) -> Mat4 {
        let [right, up, forward] = self.axes();
        let rotation =
            DMat4::from_cols(right.extend(0.0), up.extend(0.0), (-forward).extend(0.0), glam::DVec4::W)
                .transpose();
        let aspect = aspect.clamp(1e-4, 1e4);
        if let Some(Parallel { half_height_m, depth_m: [begin, end] }) = self.parallel {
            let y = 1.0 / half_height_m.abs().max(1e-30);
            let z = 1.0 / (end - begin).max(1e-30);
            let projection = DMat4::from_cols_array_2d(&[
                [y / aspect, 0.0, 0.0, 0.0],
                [0.0, y, 0.0, 0.0],
                [0.0, 0.0, z, 0.0],
                [0.0, 0.0, end * z, 1.0],
            ]);
            return (projection * rotation).as_mat4();
        }
        let chosen = 1e-5 * scene_size_m.max(self.eye.distance(self.target)).max(1e-30);
        let near = self.near_m.unwrap_or(chosen);
        let y = 1.0 / self.half_height();
        let x = y / aspect;
        let projection = DMat4::from_cols_array_2d(&[
            [x, 0.0, 0.0, 0.0],
            [0.0, y, 0.0, 0.0],
            [0.0, 0.0, 0.0, -1.0],
            [0.0, 0.0, near, 0.0],
        ]);
        (projection * rotation).as_mat4()
    }
}

/// The axis views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewDirection {
    /// From +Z.
    Front,
    /// From -Z.
    Back,
    /// From +X.
    Right,
    /// From -X.
    Left,
    /// From +Y.
    Top,
    /// From -Y.
    Bottom,
}

/// A point of view that turns round a target.
///
/// After [`Orbit::frame`] it keeps the box framed whatever shape the picture takes, until a person turns, pans
/// or zooms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orbit {
    /// The point in the middle of the picture, world metres.
    pub target: DVec3,
    /// Distance of the eye from the target in metres; while a box is framed, its box decides instead.
    pub distance_m: f64,
    /// Angle round the vertical axis in radians: 0 looks from +Z, a quarter turn from +X.
    pub azimuth_rad: f64,
    /// Angle above the horizon in radians.
    pub elevation_rad: f64,
    /// Vertical field of view in degrees.
    pub vfov_deg: f64,
    /// Size of what was last framed in metres; bounds the distance.
    pub scene_size_m: f64,
    /// Half the edges of the box that is kept in the picture.
    framed: Option<DVec3>,
}

/// A stored view: an orbit whose distance is settled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CameraState {
    /// Where it looks, world metres.
    pub target: [f64; 3],
    /// Distance of the eye from the target, metres.
    pub distance: f64,
    /// Angle round the vertical axis in radians; 0 looks from +Z.
    pub azimuth: f64,
    /// Angle above the horizon in radians.
    pub elevation: f64,
    /// Vertical field of view in degrees.
    pub fov: f64,
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
            framed: None,
        }
    }
}

impl Orbit {
    /// The camera it stands for, in a picture of this width over height.
    #[must_use]
    pub fn camera(&self, aspect: f64) -> Camera {
        let (sin_azimuth, cos_azimuth) = self.azimuth_rad.sin_cos();
        let (sin_elevation, cos_elevation) = self.elevation_rad.sin_cos();
        let back = DVec3::new(sin_azimuth * cos_elevation, sin_elevation, cos_azimuth * cos_elevation);
        let camera = Camera::new(self.target + back, self.target, self.vfov_deg);
        let distance_m = self.framed.map_or(self.distance_m, |half| framing_distance(&camera, half, aspect));
        Camera { eye: self.target + distance_m * back, ..camera }
    }

    /// What brings back this very view in a picture of this width over height.
    #[must_use]
    pub fn state(&self, aspect: f64) -> CameraState {
        let camera = self.camera(aspect);
        CameraState {
            target: self.target.to_array(),
            distance: self.framed.map_or(self.distance_m, |half| framing_distance(&camera, half, aspect)),
            azimuth: self.azimuth_rad,
            elevation: self.elevation_rad,
            fov: self.vfov_deg,
        }
    }

    /// Returns to a stored view; what is not one changes nothing.
    pub fn restore(&mut self, state: &CameraState) {
        let numbers = [state.distance, state.azimuth, state.elevation, state.fov];
        if !(state.distance > 0.0 && numbers.iter().chain(&state.target).all(|n| n.is_finite())) {
            return;
        }
        self.framed = None;
        self.target = state.target.into();
        self.distance_m = state.distance;
        self.vfov_deg = state.fov.clamp(VFOV_RANGE_DEG.0, VFOV_RANGE_DEG.1);
        self.look_along(state.azimuth, state.elevation);
    }

    /// Takes over a camera, of which the up direction is lost. Of a parallel one the size of what lies as far as
    /// the target stays.
    pub fn set_camera(&mut self, camera: &Camera) {
        let mut back = camera.eye - camera.target;
        let mut distance_m = back.length();
        if let Some(parallel) = camera.parallel {
            let wanted_m = parallel.half_height_m.abs() / camera.half_height();
            back *= wanted_m / distance_m.max(1e-300);
            distance_m = wanted_m;
        }
        if !(distance_m.is_finite() && distance_m > 0.0 && camera.target.is_finite()) {
            return;
        }
        self.framed = None;
        self.target = camera.target;
        self.distance_m = distance_m;
        self.vfov_deg = camera.vfov_deg;
        self.look_along(back.x.atan2(back.z), (back.y / distance_m).clamp(-1.0, 1.0).asin());
    }

    /// Ends framing: from here on the distance is a person's.
    fn settle(&mut self, aspect: f64) {
        self.distance_m = self.camera(aspect).eye.distance(self.target);
        self.framed = None;
    }

    /// Turns by a drag in pixels; a drag over the picture's height is half a turn.
    pub fn orbit(&mut self, drag_px: DVec2, picture_px: DVec2) {
        self.settle(aspect_of(picture_px));
        let angle = drag_px * (std::f64::consts::PI / picture_px.y.max(1.0));
        self.look_along(self.azimuth_rad - angle.x, self.elevation_rad + angle.y);
    }

    /// Looks along an axis.
    pub fn look_from(&mut self, direction: ViewDirection) {
        let quarter = std::f64::consts::FRAC_PI_2;
        let (azimuth_rad, elevation_rad) = match direction {
            ViewDirection::Front => (0.0, 0.0),
            ViewDirection::Back => (2.0 * quarter, 0.0),
            ViewDirection::Right => (quarter, 0.0),
            ViewDirection::Left => (-quarter, 0.0),
            ViewDirection::Top => (0.0, quarter),
            ViewDirection::Bottom => (0.0, -quarter),
        };
        self.look_along(azimuth_rad, elevation_rad);
    }

    fn look_along(&mut self, azimuth_rad: f64, elevation_rad: f64) {
        if !(azimuth_rad.is_finite() && elevation_rad.is_finite()) {
            return;
        }
        let limit = std::f64::consts::FRAC_PI_2 - POLE_GAP_RAD;
        self.azimuth_rad = azimuth_rad.rem_euclid(std::f64::consts::TAU);
        self.elevation_rad = elevation_rad.clamp(-limit, limit);
    }

    /// Moves target and eye so that the target's plane follows a drag in pixels.
    pub fn pan(&mut self, drag_px: DVec2, picture_px: DVec2) {
        let aspect = aspect_of(picture_px);
        self.settle(aspect);
        let camera = self.camera(aspect);
        let [right, up, _] = camera.axes();
        let metres_per_px = 2.0 * camera.half_height() * self.distance_m / picture_px.y.max(1.0);
        let moved = metres_per_px * (drag_px.y * up - drag_px.x * right);
        if moved.is_finite() {
            self.target += moved;
        }
    }

    /// Zooms by wheel notches (positive comes closer), keeping the point of the target's plane under the
    /// cursor where it is. The cursor is in pixels from the picture's top left corner.
    pub fn zoom(&mut self, notches: f64, cursor_px: DVec2, picture_px: DVec2) {
        let aspect = aspect_of(picture_px);
        self.settle(aspect);
        let wanted = self.distance_m * ZOOM_STEP.powf(notches.clamp(-100.0, 100.0));
        let distance_m = wanted.clamp(1e-3 * self.scene_size_m, 1e3 * self.scene_size_m);
        let from_middle = cursor_px - 0.5 * picture_px;
        if !distance_m.is_finite() || !from_middle.is_finite() {
            return;
        }
        let camera = self.camera(aspect);
        let [right, up, _] = camera.axes();
        let come_closer_m = self.distance_m - distance_m;
        let metres_per_px = 2.0 * camera.half_height() * come_closer_m / picture_px.y.max(1.0);
        self.target += metres_per_px * (from_middle.x * right - from_middle.y * up);
        self.distance_m = distance_m;
    }

    /// Stands so that a box fits the picture with a little room, keeping the direction.
    pub fn frame(&mut self, min: Vec3, max: Vec3) {
        let (min, max) = (min.as_dvec3(), max.as_dvec3());
        let size_m = (max - min).max_element();
        if !(min.is_finite() && max.is_finite()) || size_m < 0.0 {
            return;
        }
        self.target = 0.5 * (min + max);
        self.scene_size_m = if size_m > 0.0 { size_m } else { 1.0 };
        // A point has no size to fit; half a metre round it is as good as any.
        self.framed = Some(if size_m > 0.0 { 0.5 * (max - min) } else { DVec3::splat(0.5) });
    }
}

/// Width over height of a picture.
fn aspect_of(picture_px: DVec2) -> f64 {
    picture_px.x.max(1.0) / picture_px.y.max(1.0)
}

/// How far from its target a camera must stand to show a box of these half edges round the target.
fn framing_distance(camera: &Camera, half: DVec3, aspect: f64) -> f64 {
    let [right, up, forward] = camera.axes();
    let half_height = camera.half_height() * FRAME_FILL;
    let half_width = half_height * aspect.clamp(1e-4, 1e4);
    (0..8)
        .map(|corner| {
            let side = |bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
            let offset = half * DVec3::new(side(1), side(2), side(4));
            let nearer = -offset.dot(forward);
            nearer + (offset.dot(right).abs() / half_width).max(offset.dot(up).abs() / half_height)
        })
        .fold(0.0, f64::max)
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
    fn without_perspective_the_targets_plane_stays_and_depth_falls_evenly() {
        let camera = Camera::new(DVec3::new(0.0, 0.0, 2.0), DVec3::ZERO, 90.0).without_perspective(8.0);
        let at = |x, y, z| project(&camera, 2.0, 1.0, DVec3::new(x, y, z));
        // Depth 1 lies 8 before the target, 0 lies 8 behind it.
        assert!((at(4.0, 2.0, 0.0) - Vec3::new(1.0, 1.0, 0.5)).length() < 1e-6, "{}", at(4.0, 2.0, 0.0));
        assert!((at(4.0, 2.0, 4.0) - Vec3::new(1.0, 1.0, 0.75)).length() < 1e-6, "no perspective");
        let mut orbit = Orbit::default();
        orbit.set_camera(&camera);
        assert!((orbit.camera(1.0).eye - camera.eye).length() < 1e-12, "taken over: {orbit:?}");
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
        let (cursor, picture) = (DVec2::new(450.0, 250.0), DVec2::new(600.0, 400.0));
        let under = |orbit: &Orbit| {
            let camera = orbit.camera(1.5);
            let [right, up, _] = camera.axes();
            let half = camera.half_height() * orbit.distance_m;
            // Half way to the right edge, a quarter of the way to the bottom one.
            orbit.target + half * (0.5 * 1.5 * right - 0.25 * up)
        };
        let before = under(&orbit);
        orbit.zoom(3.0, cursor, picture);
        assert!(orbit.distance_m < 4.0, "positive notches come closer");
        assert!((under(&orbit) - before).length() < 1e-12);
        orbit.zoom(-1e9, cursor, picture);
        orbit.zoom(f64::NAN, cursor, picture);
        assert!(orbit.distance_m <= 1e3 && orbit.target.is_finite());
    }

    #[test]
    fn panning_moves_the_target_with_the_cursor() {
        let mut orbit = Orbit { azimuth_rad: 0.0, elevation_rad: 0.0, ..Orbit::default() };
        let height_m = 2.0 * orbit.camera(1.0).half_height() * orbit.distance_m;
        orbit.pan(DVec2::new(100.0, 50.0), DVec2::new(100.0, 100.0));
        // A drag to the right moves the scene right, thus the target left; a drag down moves the target up.
        assert!((orbit.target - DVec3::new(-height_m, 0.5 * height_m, 0.0)).length() < 1e-9);
    }

    #[test]
    fn orbiting_stops_short_of_the_poles() {
        let mut orbit = Orbit::default();
        orbit.orbit(DVec2::new(0.0, 1e6), DVec2::new(500.0, 500.0));
        assert!(orbit.elevation_rad < std::f64::consts::FRAC_PI_2);
        let [_, up, _] = orbit.camera(1.0).axes();
        assert!(up.y > 0.0, "the picture never tips over");
    }

    #[test]
    fn a_box_stays_framed_while_the_picture_changes_shape_until_a_person_moves() {
        let mut orbit = Orbit::default();
        orbit.frame(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0));
        let distance = |orbit: &Orbit, aspect| orbit.camera(aspect).eye.distance(orbit.target);
        assert!(distance(&orbit, 0.5) > 1.5 * distance(&orbit, 2.0), "a narrow picture needs more room");
        let at_two = distance(&orbit, 2.0);
        orbit.orbit(DVec2::new(1.0, 0.0), DVec2::new(200.0, 100.0));
        assert!((distance(&orbit, 0.5) - at_two).abs() < 1e-12, "a moved camera keeps its distance");
    }

    #[test]
    fn a_camera_survives_the_way_through_an_orbit() {
        let eye = DVec3::new(-2.0, 1.5, -3.0);
        let camera = Camera::new(eye, DVec3::new(0.5, 1.0, 0.25), 42.0);
        let mut orbit = Orbit::default();
        orbit.set_camera(&camera);
        assert!((orbit.camera(1.0).eye - eye).length() < 1e-12);
        assert_eq!(orbit.camera(1.0).vfov_deg, 42.0);
        for direction in [ViewDirection::Front, ViewDirection::Left, ViewDirection::Bottom] {
            orbit.look_from(direction);
            assert!(orbit.camera(1.0).clip_from_relative(1.0, 1.0).is_finite());
        }
    }
}
