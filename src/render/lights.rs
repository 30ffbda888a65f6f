//! The file's own lights (KHR_lights_punctual): which of them are drawn, how bright, and where they stand now.

use glam::{DVec3, Vec3};

use crate::character::CharacterData;
use crate::character::animate::rest_pose;
use crate::character::data::{Light, LightKind, Pose};

/// The most lights of a file that are drawn at once.
pub const MAX_FILE_LIGHTS: usize = 8;
/// What the lights together throw at the character's middle at strength 1, in the unit of `light.key`.
const BALANCED_IRRADIANCE: f64 = 2.0;
/// Light nearer to the middle than this counts as if it stood there, in H: one inside the body must not darken all
/// others.
const LEAST_DISTANCE_H: f64 = 0.25;
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

/// The lights of a file that are drawn, and how their units become those of the picture.
///
/// Candela and lux span from a night light to the sun, and files mean anything by them. So the file says how its
/// lights compare, and Dryad how bright they are together: all intensities are scaled by one number, found once
/// from the rest pose, by which the lights throw an irradiance of 2 (the built-in key light throws 2.8) at the
/// character's middle. A light that clips bring closer brightens; the number stays.
#[derive(Debug, Clone, Default)]
pub struct LightRig {
    /// Indices into [`CharacterData::lights`], rising.
    chosen: Vec<usize>,
    scale: f64,
}

impl LightRig {
    /// Chooses the lights that shine brightest on `center` at rest, and balances them.
    #[must_use]
    pub fn new(data: &CharacterData, center: Vec3, extent_m: f32) -> Self {
        if data.lights.is_empty() {
            return Self::default();
        }
        let pose = rest_pose(data);
        let least = (LEAST_DISTANCE_H * f64::from(extent_m)).max(1e-30);
        let arriving: Vec<f64> = data
            .lights
            .iter()
            .map(|light| {
                let bright = f64::from(light.intensity) * f64::from(light.color.max_element());
                if light.kind == LightKind::Directional {
                    return bright;
                }
                let place = pose.world_from_node[light.node as usize].w_axis.truncate();
                let distance = place.distance(center.as_dvec3()).max(least);
                let reach = light.range.map_or(1.0, |range| window(distance / f64::from(range)));
                bright * reach / (distance * distance)
            })
            .collect();
        let mut chosen: Vec<usize> = (0..data.lights.len()).collect();
        chosen.sort_by(|&a, &b| arriving[b].total_cmp(&arriving[a]));
        chosen.truncate(MAX_FILE_LIGHTS);
        chosen.sort_unstable();
        let sum: f64 = chosen.iter().map(|&index| arriving[index]).sum();
        let scale = if sum > 0.0 && sum.is_finite() { BALANCED_IRRADIANCE / sum } else { 1.0 };
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
    use glam::{DMat4, DQuat};

    use crate::character::data::{LocalTransform, Trs};

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
            let rig = LightRig::new(&data, Vec3::ZERO, 1.0);
            assert_eq!(rig.chosen, (3..11).collect::<Vec<_>>(), "the three dimmest are left out");
            let placed = rig.placed(&data, &rest_pose(&data), DVec3::new(0.0, 0.0, 1.0), 0.5);
            assert_eq!(placed.count, 8);
            assert_eq!(placed.lights[0].position, [0.0, 0.0, 1.0], "relative to the eye");
            // Two metres away, at half strength.
            let sum: f32 = placed.lights.iter().map(|light| light.light[0] / 4.0).sum();
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
        assert_eq!(LightRig::new(&data, Vec3::ZERO, 1.0).scale, 1.0);
        data.lights[0].range = None;
        data.lights[0].intensity = 0.0;
        assert_eq!(LightRig::new(&data, Vec3::ZERO, 1.0).scale, 1.0);
    }

    #[test]
    fn scale_and_shear_of_a_node_do_not_count() {
        let data = scene(&[1.0]);
        let rig = LightRig::new(&data, Vec3::ZERO, 1.0);
        let mut pose = rest_pose(&data);
        let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        pose.world_from_node[1] =
            DMat4::from_scale_rotation_translation(DVec3::new(9.0, 1.0, 0.01), turn, DVec3::ZERO);
        let placed = rig.placed(&data, &pose, DVec3::ZERO, 1.0);
        assert!((Vec3::from(placed.lights[0].direction) - Vec3::NEG_X).length() < 1e-6);
    }
}
