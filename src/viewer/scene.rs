//! The character on the stage and the clip it plays.

use std::sync::Arc;

use super::status::Status;
use super::{LoopMode, Source, transport};
use crate::character::animate::Poser;
use crate::character::cpu_skin::Bounds;
use crate::character::{Character, SkinnedSurface};
use crate::render::Camera;
use crate::render::camera::model_camera;
use crate::render::lights::LightRig;

/// A character on show.
#[derive(Debug)]
pub struct Stage {
    /// Where it came from.
    pub source: Source,
    /// Its data.
    pub character: Arc<Character>,
    /// Its posed vertices on the GPU.
    pub surface: SkinnedSurface,
    /// Computes its poses.
    pub poser: Poser,
    /// The clip that plays; none shows the rest pose.
    pub clip: Option<usize>,
    /// The file's lights that are drawn.
    pub lights: LightRig,
    /// The variant of the materials; none for the file as it is.
    pub variant: Option<usize>,
    /// The file's camera that is looked through.
    pub camera: Option<usize>,
    /// Clip time that has passed, not wrapped.
    pub elapsed_secs: f64,
    /// Box round the posed vertices over the clip.
    pub bounds: Bounds,
}

impl Stage {
    /// Plays the first clip, if there is one.
    pub fn new(source: Source, character: Arc<Character>, surface: SkinnedSurface) -> Self {
        let clip = (!character.data.clips.is_empty()).then_some(0);
        let rest = &character.rest;
        Self {
            source,
            poser: Poser::new(&character.data),
            bounds: character.bounds(clip),
            lights: LightRig::new(&character.data, rest.min, rest.max),
            character,
            surface,
            clip,
            variant: None,
            camera: None,
            elapsed_secs: 0.0,
        }
    }

    /// Plays another clip from its start.
    pub fn play(&mut self, clip: Option<usize>) {
        self.clip = clip.filter(|&index| index < self.character.data.clips.len());
        self.bounds = self.character.bounds(self.clip);
        self.elapsed_secs = 0.0;
    }

    /// Length of the clip that plays; 0 for the rest pose.
    pub fn clip_duration_secs(&self) -> f64 {
        self.clip
            .and_then(|index| self.character.data.clips.get(index))
            .map_or(0.0, |clip| clip.duration_secs)
    }

    /// What the file's camera that is looked through sees now, if one is.
    pub fn model_camera(&mut self, mode: LoopMode) -> Option<Camera> {
        let camera = self.character.data.cameras.get(self.camera?)?;
        let time_secs = transport::clip_time(self.elapsed_secs, self.clip_duration_secs(), mode);
        let pose = self.poser.pose(&self.character.data, self.clip, time_secs);
        let world_from_node = pose.world_from_node.get(camera.node as usize)?;
        Some(model_camera::seen(world_from_node, &camera.projection, self.bounds.center().as_dvec3()))
    }

    /// Fills in what the panel shows of the character.
    pub fn describe(&self, status: &mut Status, mode: LoopMode) {
        let data = &self.character.data;
        status.character.clone_from(&data.name);
        status.clips = data.clips.iter().map(|clip| (clip.name.clone(), clip.duration_secs)).collect();
        status.clip = self.clip;
        status.variants.clone_from(&data.variants);
        status.variant = self.variant;
        status.cameras = data.cameras.iter().map(|camera| camera.name.clone()).collect();
        status.camera = self.camera;
        status.clip_secs = transport::clip_time(self.elapsed_secs, self.clip_duration_secs(), mode);
        status.vertices = data.vertices.positions.len();
        status.triangles = data.indices.len() / 3;
        status.warnings.clone_from(&data.warnings);
    }
}
