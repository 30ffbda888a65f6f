//! What a program start asks for: a character, a session, single parameters.

use super::history::History;
use super::{LightSource, Pick, Source, Viewer, defaults_for};
use crate::params::{ParamError, Params};
use crate::presets::Preset;
use crate::session::{self, Session};

/// What to show, and how.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// The character.
    pub source: Source,
    /// What lights it.
    pub light: LightSource,
    /// A look to start from.
    pub preset: Option<&'static Preset>,
    /// A stored state to restore; it wins over the preset.
    pub session: Option<Session>,
    /// Parameters by path, in their text form; they win over the session.
    pub set: Vec<(String, String)>,
    /// The variant of the character's materials; it wins over the session.
    pub variant: Option<Pick>,
    /// The camera of the file to look through; it wins over the session.
    pub camera: Option<Pick>,
}

/// What a start asks for that has to wait for the character.
#[derive(Debug)]
pub(super) struct Restore {
    pub session: Option<Session>,
    pub variant: Option<Pick>,
    pub camera: Option<Pick>,
}

impl Setup {
    /// Changes parameters as asked. Returns what in the session was left out, a sentence each.
    ///
    /// # Errors
    /// When a single parameter is unknown or its value does not fit.
    pub fn change(&self, params: &mut Params) -> Result<Vec<String>, ParamError> {
        let mut left_out = Vec::new();
        if let Some(preset) = self.preset {
            let defaults = params.clone();
            left_out.extend(preset.apply(params, &defaults));
        }
        if let Some(session) = &self.session {
            left_out.extend(session::params_from_toml(params, &session.params));
        }
        for (path, value) in &self.set {
            params.set_text(path, value)?;
        }
        Ok(left_out)
    }

    /// Sets a viewer up: the adapter's defaults, then the session, then single parameters. Clip, time and camera
    /// of the session follow when the character is there.
    ///
    /// # Errors
    /// As [`Setup::change`].
    pub fn apply(&self, viewer: &mut Viewer) -> Result<Vec<String>, ParamError> {
        let mut params = defaults_for(&viewer.gpu);
        let left_out = self.change(&mut params)?;
        viewer.params = params;
        if let Some(session) = &self.session {
            viewer.set_seed(session.seed);
        }
        let of_session = |name: fn(&Session) -> &Option<String>| {
            self.session.as_ref().and_then(|session| name(session).clone()).map(Pick::Name)
        };
        viewer.restore = Some(Restore {
            session: self.session.clone(),
            variant: self.variant.clone().or_else(|| of_session(|session| &session.variant)),
            camera: self.camera.clone().or_else(|| of_session(|session| &session.model_camera)),
        });
        // What a start asks for is where undo ends, not a change of its own.
        viewer.history = History::new(&viewer.params, viewer.seed);
        Ok(left_out)
    }
}
