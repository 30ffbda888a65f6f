//! Cameras of a glTF file, on nodes that clips may move.

use glam::{DMat4, DVec3};

use super::{Camera, DEFAULT_VFOV_DEG, Parallel};
use crate::character::data::Projection;

/// What a camera on a node sees: from the node's origin along its −z axis, +y up; scale and shear do not count.
///
/// The picture's height decides, as glTF's angle and `ymag` do; its width follows from the picture's own shape,
/// whatever the author's was. The near plane of a perspective camera and both planes of an orthographic one are
/// the file's; a perspective camera's far plane is left out. The target lies on the line of sight, as far away as
/// `center`, so that an orbit that takes over turns round the character.
#[must_use]
pub fn seen(world_from_node: &DMat4, projection: &Projection, center: DVec3) -> Camera {
    let eye = world_from_node.w_axis.truncate();
    let backward = world_from_node.z_axis.truncate();
    let forward = -super::unit(backward).unwrap_or(DVec3::Z);
    let up = super::unit(world_from_node.y_axis.truncate()).unwrap_or(DVec3::Y);
    let ahead = (center - eye).dot(forward);
    let apart = (center - eye).length();
    // What looks past or away from the character turns round a point not far before it.
    let target = eye + forward * ahead.max(0.25 * apart).max(1e-9);
    let camera = Camera { up, ..Camera::new(eye, target, DEFAULT_VFOV_DEG) };
    match *projection {
        Projection::Perspective { y_fov, near, .. } => {
            Camera { vfov_deg: f64::from(y_fov).to_degrees(), near_m: Some(f64::from(near)), ..camera }
        }
        Projection::Orthographic { y_mag, near, far, .. } => {
            let parallel = Parallel {
                half_height_m: f64::from(y_mag).abs(),
                depth_m: [f64::from(near), f64::from(far)],
            };
            Camera { parallel: Some(parallel), ..camera }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, Vec3};

    #[test]
    fn a_camera_stands_on_its_node_and_looks_along_minus_z() {
        // On +x, looking at the origin, turned about its line of sight so that its y points along +z.
        let turn = DQuat::from_mat3(&glam::DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X));
        let node = DMat4::from_scale_rotation_translation(DVec3::splat(7.0), turn, DVec3::new(3.0, 0.0, 0.0));
        let right_angle = std::f32::consts::FRAC_PI_2;
        let lens =
            Projection::Perspective { y_fov: right_angle, aspect: Some(3.0), near: 0.5, far: Some(9.0) };
        let camera = seen(&node, &lens, DVec3::ZERO);
        let clip = camera.clip_from_relative(2.0, 1.0);
        let at = |world: Vec3| clip.project_point3(world - camera.eye.as_vec3());
        assert!(at(Vec3::ZERO).truncate().length() < 1e-6);
        assert!((at(Vec3::new(0.0, 0.0, 3.0)).truncate() - glam::Vec2::Y).length() < 1e-6, "up is its y");
        assert!((at(Vec3::new(0.0, 6.0, 0.0)).truncate() - glam::Vec2::X).length() < 1e-6, "right is its x");
        assert!((at(Vec3::new(2.5, 0.0, 0.0)).z - 1.0).abs() < 1e-6, "the near plane is the file's");
        assert!((camera.target - DVec3::ZERO).length() < 1e-12);

        let lens = Projection::Orthographic { x_mag: 9.0, y_mag: 2.0, near: 1.0, far: 5.0 };
        let camera = seen(&node, &lens, DVec3::ZERO);
        let clip = camera.clip_from_relative(2.0, 1.0);
        let at = |world: Vec3| clip.project_point3(world - camera.eye.as_vec3());
        assert!((at(Vec3::new(2.0, 4.0, 2.0)) - Vec3::new(1.0, 1.0, 1.0)).length() < 1e-6);
        assert!((at(Vec3::new(-2.0, 4.0, 2.0)) - Vec3::new(1.0, 1.0, 0.0)).length() < 1e-6);
    }

    #[test]
    fn degenerate_nodes_see_something_finite() {
        let lens = Projection::Orthographic { x_mag: 1.0, y_mag: -1e-38, near: 0.0, far: 1e38 };
        for node in [DMat4::ZERO, DMat4::from_scale(DVec3::new(0.0, 1.0, 0.0))] {
            let camera = seen(&node, &lens, DVec3::ZERO);
            assert!(camera.axes().iter().all(|axis| axis.is_finite()), "{camera:?}");
        }
    }
}
