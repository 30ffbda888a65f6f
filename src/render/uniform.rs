//! The one uniform that every drawing shader reads.

use glam::{DVec3, Mat4, Vec2, Vec3, Vec4};

use super::shadow::{KEY_REACH_H, KEY_SIDE};
use super::{Scene, ViewMode};
use crate::gpu::GpuStruct as _;
use crate::params::Params;
use crate::sim::wrinkles::FoldMethod;

crate::gpu_struct! {
    /// What every drawing pass knows of the frame; all vectors in world space.
    pub struct Frame {
        /// Clip space from world positions relative to the eye; reversed infinite depth.
        pub clip_from_relative: Mat4,
        /// The key light's clip space from the same: parallel, nearest to the light at depth 1.
        pub key_clip_from_relative: Mat4,
        /// The eye in world metres.
        pub eye: [f32; 3],
        /// World size of a pixel, a metre in front of the eye.
        pub pixel_per_m: f32,
        /// Unit direction of the view.
        pub forward: [f32; 3],
        /// H in metres.
        pub extent_m: f32,
        /// Middle of the character over its clip.
        pub center: [f32; 3],
        /// Height of the ground.
        pub ground_y: f32,
        /// Unit direction towards the key light.
        pub to_key: [f32; 3],
        /// Irradiance of the key light.
        pub key: f32,
        /// Cosine and sine of the turn that brings a direction into the environment.
        pub environment_turn: Vec2,
        /// Factor on the environment's light.
        pub ambient: f32,
        /// How much of the body's middle is seen through.
        pub xray: f32,
        /// From the picture's middle to its right edge, a metre in front of the eye.
        pub view_right: [f32; 3],
        /// Pixels to the right of this one show folds as published.
        pub fold_divider_px: f32,
        /// From the picture's middle to its upper edge, a metre in front of the eye.
        pub view_up: [f32; 3],
        /// Padding.
        pub pad3: f32,
        /// Linear colour at the picture's top.
        pub background_top: [f32; 3],
        /// Factor on light.
        pub exposure: f32,
        /// Linear colour at the picture's bottom.
        pub background_bottom: [f32; 3],
        /// 0 neutral, 1 AgX, 2 ACES, 3 none.
        pub tone_map: u32,
        /// Between the previous (0) and the current (1) state of the flock.
        pub interpolation: f32,
        /// World size of a texel of the key light's depth picture.
        pub key_texel_m: f32,
        /// 1 where the field's view shows arrows, plus twice the axis (1 to 3) that it is a slice across.
        pub field_view: u32,
        /// Where the slice is, 0 to 1.
        pub field_slice_at: f32,
        /// Compression at which folds begin.
        pub fold_min: f32,
        /// Compression at which folds are at their deepest.
        pub fold_max: f32,
        /// Distance from fold to fold in metres.
        pub fold_wavelength_m: f32,
        /// Factor on the depth of folds.
        pub fold_depth: f32,
        /// How dark the valleys are.
        pub fold_shade: f32,
        /// Strain at the end of the heat map's legend.
        pub strain_legend: f32,
        /// Vertices whose strain is known; 0 without wrinkles.
        pub strain_count: u32,
        /// 0 shaded, 1 a data view.
        pub mode: u32,
        /// World x and z of the character's middle, wrapped to ten cells of the grid.
        pub grid_origin: Vec2,
        /// Distance of the grid's lines in metres.
        pub grid_spacing_m: f32,
        /// 1 when the background is left out and alpha is straight.
        pub transparent: u32,
        /// Share of the glow that is added.
        pub bloom: f32,
        /// World size of a pixel of a camera without perspective; 0 for one with.
        pub parallel_pixel_m: f32,
        /// Lights of the file that are in use.
        pub file_light_count: u32,
        /// Share of the picture that this part of it is.
        pub part_weight: f32,
    }
}

/// Unit direction of an azimuth (0 is +Z, a quarter turn +X) and elevation in degrees.
fn direction(azimuth_deg: f32, elevation_deg: f32) -> Vec3 {
    let (sin_azimuth, cos_azimuth) = azimuth_deg.to_radians().sin_cos();
    let (sin_elevation, cos_elevation) = elevation_deg.to_radians().sin_cos();
    Vec3::new(sin_azimuth * cos_elevation, sin_elevation, cos_azimuth * cos_elevation)
}

/// What turns a direction of the world into one of an environment that was turned by an azimuth.
fn environment_turn(azimuth_deg: f32) -> Vec2 {
    let (sin, cos) = azimuth_deg.to_radians().sin_cos();
    Vec2::new(cos, sin)
}

/// What the key light sees: a box of [`KEY_REACH_H`] H to each side of the character's middle, as seen from the
/// eye's place.
fn key_clip_from_relative(to_key: Vec3, center: Vec3, extent_m: f32, eye: DVec3) -> Mat4 {
    let [right, up] = <[Vec3; 2]>::from(to_key.normalize_or(Vec3::Y).any_orthonormal_pair());
    let reach_m = KEY_REACH_H * extent_m;
    let offset = (eye - center.as_dvec3()).as_vec3() / reach_m;
    let row = |axis: Vec3, scale: f32, middle: f32| {
        (scale * axis / reach_m).extend(scale * axis.dot(offset) + middle)
    };
    let rows = [row(right, 1.0, 0.0), row(up, 1.0, 0.0), row(to_key, 0.5, 0.5), Vec4::W];
    Mat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose()
}

/// Distance between the grid's lines: the power of ten nearest to a tenth of H.
#[must_use]
pub fn grid_spacing_m(extent_m: f32) -> f32 {
    10f64.powf((f64::from(extent_m) / 10.0).log10().round()) as f32
}

impl Frame {
    /// The uniform of a scene drawn at a size in pixels, within an environment turned about the vertical axis.
    #[must_use]
    pub fn new(scene: &Scene<'_>, size: [u32; 2], environment_azimuth_deg: f32) -> Self {
        let [width, height] = size.map(f64::from);
        let camera = scene.camera;
        let [right, up, forward] = camera.axes();
        let (light, view, wrinkles) = (&scene.params.light, &scene.params.view, &scene.params.wrinkles);
        let extent_m = scene.extent_m;
        let to_key = direction(light.key_azimuth, light.key_elevation);
        let half_height = camera.half_height();
        let spacing_m = grid_spacing_m(extent_m);
        let wrap = |x: f32| f64::from(x).rem_euclid(10.0 * f64::from(spacing_m)) as f32;
        let mode = ViewMode::of(scene.params);
        let shift = 2.0 * scene.part.jitter_px() / Vec2::from(size.map(|side| side as f32));
        // Under the field the body is grey.
        let strain_count =
            scene.strain.filter(|_| mode != ViewMode::Field).map_or(0, |strain| strain.vertices.len());
        Self {
            key_clip_from_relative: key_clip_from_relative(to_key, scene.center, extent_m, camera.eye),
            clip_from_relative: Mat4::from_translation(shift.extend(0.0))
                * camera.clip_from_relative(width / height, f64::from(extent_m)),
            eye: camera.eye.as_vec3().to_array(),
            pixel_per_m: (2.0 * half_height / height) as f32,
            forward: forward.as_vec3().to_array(),
            extent_m,
            center: scene.center.to_array(),
            ground_y: scene.ground_y,
            to_key: to_key.to_array(),
            key: light.key,
            environment_turn: environment_turn(environment_azimuth_deg),
            ambient: light.ambient,
            xray: view.xray,
            view_right: (right * half_height * width / height).as_vec3().to_array(),
            fold_divider_px: match FoldMethod::of(wrinkles) {
                FoldMethod::Field => f32::MAX,
                FoldMethod::Published => 0.0,
                FoldMethod::Both => (wrinkles.divider * width as f32).round(),
            },
            view_up: (up * half_height).as_vec3().to_array(),
            pad3: 0.0,
            background_top: light.background_top,
            exposure: light.exposure.exp2(),
            background_bottom: light.background_bottom,
            tone_map: light.tone_map,
            interpolation: scene.interpolation.clamp(0.0, 1.0),
            key_texel_m: 2.0 * KEY_REACH_H * extent_m / KEY_SIDE as f32,
            field_view: view.field_look + 2 * view.field_slice,
            field_slice_at: view.field_slice_at,
            fold_min: wrinkles.min_compression,
            fold_max: wrinkles.max_compression,
            fold_wavelength_m: wrinkles.wavelength * extent_m,
            fold_depth: wrinkles.depth,
            fold_shade: wrinkles.shade,
            strain_legend: wrinkles.legend,
            strain_count: strain_count.min(scene.surface.vertex_count) as u32,
            mode: u32::from(mode != ViewMode::Shaded),
            grid_origin: Vec2::new(wrap(scene.center.x), wrap(scene.center.z)),
            grid_spacing_m: spacing_m,
            transparent: u32::from(scene.transparent),
            bloom: light.bloom,
            parallel_pixel_m: camera.parallel.map_or(0.0, |p| (2.0 * p.half_height_m.abs() / height) as f32),
            file_light_count: scene.lights.map_or(0, |lights| lights.count),
            part_weight: scene.part.weight(),
        }
    }
}

impl Frame {
    /// The uniform of a picture without a character: background alone.
    #[must_use]
    pub fn background(params: &Params) -> Self {
        let light = &params.light;
        Self {
            background_top: light.background_top,
            background_bottom: light.background_bottom,
            tone_map: light.tone_map,
            ..Self::default()
        }
    }
}

/// The struct of this module, for the layout test.
pub(super) fn mirror() -> crate::gpu::Mirror {
    Frame::mirror()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_a_power_of_ten_near_a_tenth_of_the_character() {
        assert_eq!(grid_spacing_m(1.8), 0.1);
        assert_eq!(grid_spacing_m(180.0), 10.0);
        assert!((grid_spacing_m(0.0018) - 1e-4).abs() < 1e-10);
    }

    #[test]
    fn what_the_key_light_sees_is_centred_and_nearest_at_one() {
        let (to_key, center, eye) =
            (direction(30.0, 40.0), Vec3::new(5.0, 1.0, -2.0), DVec3::new(6.0, 2.0, 3.0));
        let clip = key_clip_from_relative(to_key, center, 2.0, eye);
        let at = |world: Vec3| clip.project_point3(world - eye.as_vec3());
        assert!((at(center) - Vec3::new(0.0, 0.0, 0.5)).length() < 1e-6);
        let reach_m = 2.0 * KEY_REACH_H;
        assert!((at(center + reach_m * to_key) - Vec3::new(0.0, 0.0, 1.0)).length() < 1e-6);
        let aside = to_key.any_orthonormal_vector() * reach_m;
        assert!((at(center + aside).truncate().length() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_key_light_stands_where_its_angles_say() {
        assert!((direction(0.0, 0.0) - Vec3::Z).length() < 1e-6);
        assert!((direction(90.0, 0.0) - Vec3::X).length() < 1e-6);
        assert!((direction(0.0, 90.0) - Vec3::Y).length() < 1e-6);
    }
}
