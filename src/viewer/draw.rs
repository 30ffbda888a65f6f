//! Pictures of the present state, and through which camera.

use super::{Viewer, transport};
use crate::frame::{self, FrameInputs};
use crate::gpu::BuildError;
use crate::render::{Part, Targets};

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
        let camera = stage.model_camera(self.loop_mode).unwrap_or_else(|| {
            let camera = self.camera.camera(targets.aspect());
            let parallel = self.params.view.projection == 1;
            let reach_m = FREE_REACH_H * f64::from(stage.character.rest.extent).max(self.camera.scene_size_m);
            if parallel { camera.without_perspective(reach_m) } else { camera }
        });
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
