//! Pictures of the present state, and through which camera.

use glam::DVec2;

use super::scene::Stage;
use super::{LoopMode, Viewer, transport};
use crate::frame::{self, FrameInputs};
use crate::gpu::BuildError;
use crate::params::Params;
use crate::render::{Camera, Orbit, Part, Targets};

/// How far from its target the free camera sees without perspective, in H.
const FREE_REACH_H: f64 = 16.0;

impl Viewer {
    /// Draws the present state and submits it. Without a character the picture stays as it is.
    ///
    /// # Errors
    /// When a pass cannot be bound: a fault of the program.
    pub fn draw(&mut self, targets: &mut Targets, transparent: bool) -> Result<(), BuildError> {
        self.draw_part(targets, transparent, Part::WHOLE)
    }

    /// Draws the present state as finely as saved pictures are: with all the samples that the parameters ask for.
    ///
    /// # Errors
    /// As [`Viewer::draw`].
    pub fn draw_fine(&mut self, targets: &mut Targets, transparent: bool) -> Result<(), BuildError> {
        Part::all(Targets::wanted_parts(&self.params))
            .try_for_each(|part| self.draw_part(targets, transparent, part))
    }

    /// Draws one part of a picture of the present state; the picture is whole after its last part.
    fn draw_part(&mut self, targets: &mut Targets, transparent: bool, part: Part) -> Result<(), BuildError> {
        self.aspect = targets.aspect();
        let Some(stage) = &mut self.stage else {
            return Ok(());
        };
        let camera = shown_camera(stage, &self.camera, &self.params, self.loop_mode, self.aspect);
        let time_secs = transport::clip_time(stage.elapsed_secs, stage.clip_duration_secs(), self.loop_mode);
        let pose = stage.poser.pose(&stage.character.data, stage.clip, time_secs);
        let light = &self.params.light;
        let lights = (light.file_lights && light.file_lights_strength > 0.0).then(|| {
            stage.lights.placed(&stage.character.data, pose, camera.eye, light.file_lights_strength)
        });
        let inputs = FrameInputs {
            pose,
            lights: lights.as_ref(),
            interpolation: self.interpolation,
            camera: &camera,
            extent_m: stage.character.rest.extent,
            center: stage.bounds.center(),
            ground_y: stage.bounds.min.y,
            transparent,
            part,
        };
        frame::record_frame(
            &self.gpu,
            &mut self.profiler,
            &mut self.simulations,
            &mut self.renderer,
            &stage.surface,
            &self.params,
            targets,
            &inputs,
        )
    }

    /// Tells where the pointer is over a picture, in pixels from its top left corner; the flock may follow it, as far
    /// from the eye as the character's middle.
    pub fn point_at(&mut self, place_px: Option<DVec2>, picture_px: DVec2) {
        let Some(stage) = &mut self.stage else { return };
        let aspect = picture_px.x.max(1.0) / picture_px.y.max(1.0);
        let camera = shown_camera(stage, &self.camera, &self.params, self.loop_mode, aspect);
        let middle = stage.bounds.center().as_dvec3();
        let met = place_px.and_then(|place_px| camera.ray(place_px, picture_px).nearest_to(middle));
        self.pointer = met.map(|place| place.as_vec3());
    }

    /// Lets go of the file's camera, if one is looked through: the free camera goes on from where it stands.
    pub fn look_freely(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        if let Some(camera) = stage.model_camera(self.loop_mode) {
            stage.camera = None;
            self.camera.set_camera(&camera);
            self.params.view.projection = camera.parallel.is_some().into();
        }
    }
}

/// The camera that a picture is seen through: the file's that was chosen, or the free one.
pub(super) fn shown_camera(
    stage: &mut Stage,
    orbit: &Orbit,
    params: &Params,
    loop_mode: LoopMode,
    aspect: f64,
) -> Camera {
    stage.model_camera(loop_mode).unwrap_or_else(|| {
        let camera = orbit.camera(aspect);
        let reach_m = FREE_REACH_H * f64::from(stage.character.rest.extent).max(orbit.scene_size_m);
        if params.view.projection == 1 { camera.without_perspective(reach_m) } else { camera }
    })
}
