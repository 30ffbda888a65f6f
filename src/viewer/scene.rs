//! The character on the stage and the clip it plays.

use std::sync::Arc;

use super::status::Status;
use super::{LoopMode, Source, transport};
use crate::character::animate::Poser;
use crate::character::cpu_skin::Bounds;
use crate::character::{Character, SkinnedSurface};

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
    /// Clip time that has passed, not wrapped.
    pub elapsed_secs: f64,
    /// Box round the posed vertices over the clip.
    pub bounds: Bounds,
}

impl Stage {
    /// Plays the first clip, if there is one.
    pub fn new(source: Source, character: Arc<Character>, surface: SkinnedSurface) -> Self {
        let clip = (!character.data.clips.is_empty()).then_some(0);
        Self {
            source,
            poser: Poser::new(&character.data),
            bounds: character.bounds(clip),
            character,
            surface,
            clip,
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

    /// Fills in what the panel shows of the character.
    pub fn describe(&self, status: &mut Status, mode: LoopMode) {
        let data = &self.character.data;
        status.character.clone_from(&data.name);
        status.clips = data.clips.iter().map(|clip| (clip.name.clone(), clip.duration_secs)).collect();
        status.clip = self.clip;
        status.clip_secs = transport::clip_time(self.elapsed_secs, self.clip_duration_secs(), mode);
        status.vertices = data.vertices.positions.len();
        status.triangles = data.indices.len() / 3;
        status.warnings.clone_from(&data.warnings);
    }
}
