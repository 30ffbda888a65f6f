//! The file's own lights (KHR_lights_punctual): which of them are drawn, how bright, and where they stand now.

use glam::{DMat4, DVec3, Vec3};

use crate::character::CharacterData;
use crate::character::animate::rest_pose;
use crate::character::data::{Light, LightKind, Pose};
use crate::gpu::buffer::UNIFORM;
use crate::gpu::{Buffer, Gpu};

/// The most lights of a file that are drawn at once.
pub const MAX_FILE_LIGHTS: usize = 8;
/// What the lights together throw on the brightest side of the character at strength 1, in the unit of `light.key`.
const BALANCED_IRRADIANCE: f64 = 2.0;
/// A light nearer than this to a side counts as if it stood so far away, in H: one that touches the body must not
/// darken all others.
const LEAST_DISTANCE_H: f64 = 0.25;
/// Sides of a box.
const SIDES: usize = 6;
/// Brighter light does not reach the half floats of the picture.
const BRIGHTEST: f64 = 1e12;

crate::gpu_struct! {
    /// One light as the shader reads it.
    pub struct FileLight {
        /// Where it stands, relative to the eye, in metres; unread for parallel light.
        pub position: [f32; 3],
        /// One over the distance at which it is dark, 1/m; 0 where it has no end.
        pub inverse_range: f32,
        /// Unit direction it shines in.
        pub direction: [f32; 3],
        /// Slope of the cone's edge over the cosine from its axis; 0 shines everywhere.
        pub cone_scale: f32,
        /// Linear colour times candela, or times lux where parallel, as balanced.
        pub light: [f32; 3],
        /// Value of the cone's edge at cosine 0.
        pub cone_offset: f32,
        /// 1 where its light is parallel.
        pub is_parallel: u32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
        /// Padding.
        pub pad2: u32,
    }
}

/// The lights of a frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileLights {
    /// Those in use come first.
    pub lights: [FileLight; MAX_FILE_LIGHTS],
    /// How many are in use.
    pub count: u32,
}

/// The lights of a frame as passes bind them.
#[derive(Debug)]
pub(super) struct ShiningLights {
    buffer: Buffer<FileLight>,
    shine: bool,
}

impl ShiningLights {
    pub fn new(gpu: &Gpu) -> Self {
        Self { buffer: Buffer::new(gpu, "file lights", MAX_FILE_LIGHTS, UNIFORM), shine: false }
    }

    /// Takes the lights of the frame to come.
    pub fn set(&mut self, gpu: &Gpu, lights: Option<&FileLights>) {
        let lights = lights.filter(|lights| lights.count > 0);
        self.shine = lights.is_some();
        if let Some(lights) = lights {
            self.buffer.write(gpu, 0, &lights.lights);
        }
    }

    /// Whether any shines: part of what tells pipelines apart.
    pub fn shine(&self) -> bool {
        self.shine
    }

    /// What `common/file_lights.wgsl` binds.
    pub fn binding(&self) -> (&'static str, wgpu::BindingResource<'_>) {
        ("file_lights", self.buffer.raw().as_entire_binding())
    }

    /// Value of the shaders' `has_file_lights`.
    pub fn constant(shine: bool) -> (&'static str, f64) {
        ("has_file_lights", f64::from(shine))
    }
}

/// The lights of a file that are drawn, and how their units become those of the picture.
///
/// Candela and lux span from a night light to the sun, and files mean anything by them. So the file says how its
/// lights compare, and Dryad how bright they are together: all intensities are scaled by one number, found once
/// from the rest pose, by which the lights throw an irradiance of 2 (the built-in key light throws 2.8) on that side
/// of the character's box that gets most. A light that clips bring closer brightens; the number stays.
#[derive(Debug, Clone, Default)]
pub struct LightRig {
    /// Indices into [`CharacterData::lights`], rising.
    chosen: Vec<usize>,
    scale: f64,
}

impl LightRig {
    /// Chooses the lights that shine brightest on a body within a box, and balances them.
    #[must_use]
    pub fn new(data: &CharacterData, min: Vec3, max: Vec3) -> Self {
        if data.lights.is_empty() {
            return Self::default();
        }
        let pose = rest_pose(data);
        let sides: Vec<[f64; SIDES]> = data
            .lights
            .iter()
            .map(|light| on_sides(light, &pose.world_from_node[light.node as usize], [min, max]))
            .collect();
        let brightest = |index: usize| sides[index].iter().copied().fold(0.0, f64::max);
        let mut chosen: Vec<usize> = (0..data.lights.len()).collect();
        chosen.sort_by(|&a, &b| brightest(b).total_cmp(&brightest(a)));
        chosen.truncate(MAX_FILE_LIGHTS);
        chosen.sort_unstable();
        let sum = |side: usize| chosen.iter().map(|&index| sides[index][side]).sum::<f64>();
        let arriving = (0..SIDES).map(sum).fold(0.0, f64::max);
        let scale = if arriving > 0.0 && arriving.is_finite() { BALANCED_IRRADIANCE / arriving } else { 1.0 };
        Self { chosen, scale }
    }

    /// Where the lights stand in a pose, relative to the eye, at a strength.
    #[must_use]
    pub fn placed(&self, data: &CharacterData, pose: &Pose, eye: DVec3, strength: f32) -> FileLights {
        let mut placed = FileLights::default();
        for (slot, &index) in placed.lights.iter_mut().zip(&self.chosen) {
            let light = &data.lights[index];
            let node = &pose.world_from_node[light.node as usize];
            let direction = -node.z_axis.truncate();
            let direction = (direction / direction.abs().max_element()).try_normalize();
            let (position, direction) = (node.w_axis.truncate() - eye, direction.unwrap_or(DVec3::NEG_Z));
            *slot = shader_light(light, position, direction, self.scale * f64::from(strength));
        }
        placed.count = self.chosen.len() as u32;
        placed
    }
}

/// Irradiance by a light on the middle of each side of a box, as if it shone in all directions. One within the box
/// meets no side: what stands inside a body lights nothing that is seen.
fn on_sides(light: &Light, world_from_node: &DMat4, [min, max]: [Vec3; 2]) -> [f64; SIDES] {
    let bright = f64::from(light.intensity) * f64::from(light.color.max_element());
    let (middle, half) = ((0.5 * (min + max)).as_dvec3(), (0.5 * (max - min)).as_dvec3());
    let least = (LEAST_DISTANCE_H * 2.0 * half.max_element()).max(1e-30);
    std::array::from_fn(|side| {
        let outward = DVec3::AXES[side / 2] * if side % 2 == 0 { 1.0 } else { -1.0 };
        if light.kind == LightKind::Directional {
            let backward = world_from_node.z_axis.truncate().normalize_or_zero();
            return bright * backward.dot(outward).max(0.0);
        }
        let away = world_from_node.w_axis.truncate() - (middle + half * outward);
        let distance = away.length().max(least);
        let reach = light.range.map_or(1.0, |range| window(distance / f64::from(range)));
        bright * reach * away.normalize_or_zero().dot(outward).max(0.0) / (distance * distance)
    })
}

/// How much of a light arrives at a share of its range: the smooth end that KHR_lights_punctual recommends.
fn window(share: f64) -> f64 {
    (1.0 - share.powi(4)).clamp(0.0, 1.0)
}

/// A light at a place and in a direction; `scale` multiplies its intensity.
fn shader_light(light: &Light, position: DVec3, direction: DVec3, scale: f64) -> FileLight {
    let bright = f64::from(light.intensity) * scale;
    let mut out = FileLight {
        position: position.as_vec3().to_array(),
        inverse_range: light.range.map_or(0.0, f32::recip),
        direction: direction.as_vec3().to_array(),
        cone_offset: 1.0,
        light: light.color.to_array().map(|part| (f64::from(part) * bright).clamp(0.0, BRIGHTEST) as f32),
        is_parallel: (light.kind == LightKind::Directional).into(),
        ..Default::default()
    };
    if let LightKind::Spot { inner_angle, outer_angle } = light.kind {
        let [inner, outer] = [inner_angle, outer_angle].map(|angle| f64::from(angle).cos());
        let slope = 1.0 / (inner - outer).max(1e-3);
        (out.cone_scale, out.cone_offset) = (slope as f32, (-outer * slope) as f32);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    use crate::character::data::{LocalTransform, Trs};

    /// The box of half a metre to each side that the lights of [`scene`] shine on from 1.5 m before it.
    const BOX: [Vec3; 2] = [Vec3::splat(-0.5), Vec3::splat(0.5)];

    fn rig(data: &CharacterData) -> LightRig {
        LightRig::new(data, BOX[0], BOX[1])
    }

    fn scene(intensities: &[f32]) -> CharacterData {
        let mut data = CharacterData::from_triangles("t", vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2]);
        for (index, &intensity) in intensities.iter().enumerate() {
            let mut node = data.nodes[0].clone();
            let translation = DVec3::new(0.0, 0.0, 2.0);
            node.local = LocalTransform::Trs(Trs { translation, ..Trs::default() });
            data.nodes.push(node);
            data.node_order.push(index as u32 + 1);
            data.lights.push(Light {
                name: String::new(),
                node: index as u32 + 1,
                color: Vec3::ONE,
                intensity,
                range: None,
                kind: LightKind::Point,
            });
        }
        data
    }

    #[test]
    fn the_brightest_are_kept_and_balanced_whatever_their_unit() {
        for unit in [1e-3, 1.0, 1e5] {
            let given: Vec<f32> = (0..11).map(|i| unit * (1.0 + i as f32)).collect();
            let data = scene(&given);
            let rig = rig(&data);
            assert_eq!(rig.chosen, (3..11).collect::<Vec<_>>(), "the three dimmest are left out");
            let placed = rig.placed(&data, &rest_pose(&data), DVec3::new(0.0, 0.0, 1.0), 0.5);
            assert_eq!(placed.count, 8);
            assert_eq!(placed.lights[0].position, [0.0, 0.0, 1.0], "relative to the eye");
            // At half strength.
            let sum: f32 = placed.lights.iter().map(|light| light.light[0] / 2.25).sum();
            assert!((sum - 1.0).abs() < 1e-5, "unit {unit}: {sum}");
            // In the file's own proportions.
            let ratio = placed.lights[7].light[0] / placed.lights[0].light[0];
            assert!((ratio - 11.0 / 4.0).abs() < 1e-5);
        }
    }

    #[test]
    fn lights_that_do_not_reach_or_shine_stay_as_they_are() {
        let mut data = scene(&[5.0]);
        data.lights[0].range = Some(1.0);
        assert_eq!(rig(&data).scale, 1.0);
        data.lights[0].range = None;
        data.lights[0].intensity = 0.0;
        assert_eq!(rig(&data).scale, 1.0);
    }

    #[test]
    fn a_light_inside_the_body_darkens_no_other() {
        let mut data = scene(&[1.0, 1000.0]);
        data.nodes[2].local = LocalTransform::Trs(Trs::default());
        assert!((rig(&data).scale - 2.0 * 2.25).abs() < 1e-9, "{:?}", rig(&data));
    }

    #[test]
    fn scale_and_shear_of_a_node_do_not_count() {
        let data = scene(&[1.0]);
        let rig = rig(&data);
        let mut pose = rest_pose(&data);
        let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        pose.world_from_node[1] =
            DMat4::from_scale_rotation_translation(DVec3::new(9.0, 1.0, 0.01), turn, DVec3::ZERO);
        let placed = rig.placed(&data, &pose, DVec3::ZERO, 1.0);
        assert!((Vec3::from(placed.lights[0].direction) - Vec3::NEG_X).length() < 1e-6);
    }
}
