//! Places of the character that people name or click at.

use glam::DVec2;

use super::draw::shown_camera;
use super::{Notice, Viewer, transport};
use crate::character::cpu_skin::skin;
use crate::character::joints;
use crate::character::winding::TriangleTree;
use crate::sim::boids::params::Goal;
use crate::sim::growth::places::{MAX_PLACES, SkinPoint, with_point};

/// Triangles looked at for the one that was clicked on: far more than a ray comes near to.
const MAX_TRIANGLES: usize = 1 << 24;

impl Viewer {
    /// Adds a root at the point of the skin that is seen at a place of a picture, in pixels from its top left corner.
    pub(super) fn add_root(&mut self, place_px: DVec2, picture_px: DVec2) {
        let Some(point) = self.skin_at(place_px, picture_px) else {
            self.notices.push(Notice::Info("there is no skin for a root there".into()));
            return;
        };
        match with_point(&self.params.growth.root_points, point) {
            Some(points) => self.params.growth.root_points = points.into(),
            None => {
                let sentence = format!("there are {MAX_PLACES} roots on the skin already; clear them first");
                self.notices.push(Notice::Info(sentence));
            }
        }
    }

    /// The point of the posed skin that is seen at a place of a picture.
    fn skin_at(&mut self, place_px: DVec2, picture_px: DVec2) -> Option<SkinPoint> {
        let stage = self.stage.as_mut()?;
        let aspect = picture_px.x.max(1.0) / picture_px.y.max(1.0);
        let ray =
            shown_camera(stage, &self.camera, &self.params, self.loop_mode, aspect).ray(place_px, picture_px);
        let time_secs = transport::clip_time(stage.elapsed_secs, stage.clip_duration_secs(), self.loop_mode);
        let data = &stage.character.data;
        let posed = skin(data, stage.poser.pose(data, stage.clip, time_secs));
        let tree = TriangleTree::new(&posed.positions, &data.indices);
        let hit = tree.first_hit(ray.origin, ray.direction, MAX_TRIANGLES)?;
        Some(SkinPoint { triangle: hit.triangle, weights: hit.weights })
    }

    /// The node that the flock is drawn to, where a joint draws it. A name that is missing is said once.
    pub(super) fn goal_joint(&mut self) -> Option<usize> {
        let params = &self.params.boids;
        if !params.enabled || Goal::of(params) != Goal::Joint {
            return None;
        }
        let nodes = &self.stage.as_ref()?.character.data.nodes;
        let names = || nodes.iter().map(|node| node.name.as_str());
        let found = joints::find(names(), params.goal_joint.trim());
        if found.is_none() && self.goal_missed.as_ref() != Some(&params.goal_joint) {
            let sentence = joints::missing(names(), &params.goal_joint, "boids.goal_joint");
            self.notices.push(Notice::Info(sentence));
            self.goal_missed = Some(params.goal_joint.clone());
        }
        found
    }
}
