//! How a character and its growth plan come onto the stage: whole, or not at all.

use std::path::PathBuf;
use std::sync::Arc;

use super::jobs::{self, Job};
use super::scene::Stage;
use super::setup::Restore;
use super::{LightSource, Notice, Pick, Source, Viewer, ViewerError};
use crate::character::load::LoadError;
use crate::character::{Character, SkinnedSurface};
use crate::gpu::BuildError;
use crate::render::environment::EnvironmentPicture;
use crate::render::lights::MAX_FILE_LIGHTS;
use crate::sim::growth::GrowthPlan;

impl Viewer {
    pub(super) fn finish_load(&mut self) {
        let Some((source, job)) = &self.loading else { return };
        let Some(outcome) = job.poll() else { return };
        let source = source.clone();
        self.loading = None;
        let outcome = match outcome {
            Ok(Ok(character)) => self.install(source, character),
            Ok(Err(LoadError::Cancelled)) => return,
            Ok(Err(error)) => Err(error.into()),
            Err(()) => Err(ViewerError::Worker(format!("loading {}", source.describe()))),
        };
        if let Err(error) = outcome {
            self.notices.push(Notice::Error(error.to_string()));
        }
    }

    /// Puts a whole new character on the stage.
    pub(super) fn install(&mut self, source: Source, character: Character) -> Result<(), ViewerError> {
        let character = Arc::new(character);
        let surface = SkinnedSurface::new(&self.gpu, &self.shaders, &character.data)?;
        if let Err(error) = self.install_parts(&surface, &character) {
            self.back_to_last()?;
            return Err(error.into());
        }
        let mut stage = Stage::new(source, character, surface);
        self.camera.frame(stage.bounds.min, stage.bounds.max);
        if let Some(restore) = self.restore.take() {
            self.restore_stage(&mut stage, &restore)?;
        }
        self.notices.extend(stage.character.data.warnings.iter().take(1).map(|first| {
            let more = stage.character.data.warnings.len() - 1;
            Notice::Info(if more == 0 {
                first.clone()
            } else {
                format!("{first} (and {more} more warnings)")
            })
        }));
        let (lights, shown) = (stage.character.data.lights.len(), MAX_FILE_LIGHTS);
        if lights > shown {
            let sentence = format!("the file has {lights} lights; the {shown} brightest are drawn");
            self.notices.push(Notice::Info(sentence));
        }
        self.stage = Some(stage);
        self.planning = None;
        self.goal_missed = None;
        self.restart()?;
        Ok(())
    }

    fn install_parts(&mut self, surface: &SkinnedSurface, character: &Character) -> Result<(), BuildError> {
        self.simulations.install(&self.gpu, surface, character)?;
        self.renderer.install(&self.gpu, &character.data, &character.rest)
    }

    /// Takes the character on the stage up again after another one could not be taken on in whole.
    fn back_to_last(&mut self) -> Result<(), ViewerError> {
        let Some(stage) = self.stage.take() else { return Ok(()) };
        let outcome =
            self.install_parts(&stage.surface, &stage.character).and_then(|()| self.show_variant(&stage));
        self.stage = Some(stage);
        outcome?;
        Ok(self.restart()?)
    }

    pub(super) fn finish_light(&mut self) {
        let Some((path, job)) = &self.light_loading else { return };
        let Some(outcome) = job.poll() else { return };
        let path = path.clone();
        self.light_loading = None;
        let outcome = match outcome {
            Ok(Ok(picture)) => self.install_light(path, &picture),
            Ok(Err(error)) => Err(error.into()),
            Err(()) => Err(ViewerError::Worker(format!("reading {}", path.display()))),
        };
        if let Err(error) = outcome {
            self.notices.push(Notice::Error(error.to_string()));
        }
    }

    /// Lights the scene by a picture.
    pub(super) fn install_light(
        &mut self,
        path: PathBuf,
        picture: &EnvironmentPicture,
    ) -> Result<(), ViewerError> {
        self.renderer.environment.use_picture(&self.gpu, &self.shaders, picture)?;
        self.light = LightSource::File(path);
        Ok(())
    }

    /// Lights the scene by the built-in studio, whatever is on its way.
    pub(super) fn use_studio(&mut self) {
        self.light_loading = None;
        self.renderer.environment.use_studio(&self.gpu);
        self.light = LightSource::Studio;
    }

    /// Brings a new stage into the state that the program's start asked for.
    fn restore_stage(&mut self, stage: &mut Stage, restore: &Restore) -> Result<(), BuildError> {
        let data = &stage.character.data;
        let mut found = |what: &str, pick: &Option<Pick>, names: &[&str]| {
            let found = pick.as_ref()?.find(&data.name, what, names.iter().copied());
            found.map_err(|sentence| self.notices.push(Notice::Error(sentence))).ok()
        };
        let variants: Vec<_> = data.variants.iter().map(String::as_str).collect();
        let variant = found("variant", &restore.variant, &variants);
        let cameras: Vec<_> = data.cameras.iter().map(|camera| camera.name.as_str()).collect();
        let camera = found("camera", &restore.camera, &cameras);
        if let Some(session) = &restore.session {
            if let Some(clip) = data.clips.iter().position(|c| Some(&c.name) == session.clip.as_ref()) {
                stage.play(Some(clip));
            }
            stage.elapsed_secs = session.time.clamp(0.0, stage.clip_duration_secs());
            if let Some(camera) = &session.camera {
                self.camera.restore(camera);
            }
        }
        stage.camera = camera;
        stage.variant = variant;
        self.show_variant(stage)
    }

    /// Draws the stage's character with the materials of its variant.
    pub(super) fn show_variant(&mut self, stage: &Stage) -> Result<(), BuildError> {
        let variant = stage.variant.and_then(|index| u32::try_from(index).ok());
        self.renderer.show_variant(&self.gpu, &stage.character.data, &stage.character.rest, variant)
    }

    /// Starts a plan when the parameters ask for other points, and installs it when it is ready. A plan that is
    /// outdated by then is installed all the same, so that dragging a slider shows something, and followed.
    pub(super) fn finish_plan(&mut self) {
        if let Some(outcome) = self.planning.as_ref().and_then(Job::poll) {
            self.planning = None;
            let outcome = match outcome {
                Ok(Some(plan)) => self.install_plan(plan),
                Ok(None) => Ok(()),
                Err(()) => Err(ViewerError::Worker("planning growth".into())),
            };
            if let Err(error) = outcome {
                self.params.growth.enabled = false;
                self.notices.push(Notice::Error(error.to_string()));
            }
        }
        let Some(stage) = &self.stage else { return };
        if self.params.growth.enabled
            && self.planning.is_none()
            && self.simulations.growth.needs_plan(&self.params.growth, self.seed)
        {
            self.planning = Some(jobs::plan(Arc::clone(&stage.character), &self.params, self.seed));
        }
    }

    pub(super) fn install_plan(&mut self, plan: GrowthPlan) -> Result<(), ViewerError> {
        self.simulations.growth.install(&self.gpu, plan, &self.params.growth)?;
        let warnings = self.simulations.growth.warnings().map(|warning| Notice::Info(warning.to_owned()));
        self.notices.extend(warnings);
        Ok(())
    }
}
