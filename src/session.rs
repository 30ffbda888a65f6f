//! Everything reproducible as TOML: clip, time, camera, seed and parameters.
//!
//! A session saved as a file also names its model and light; the one inside a picture does not, and holds no date, path
//! or machine, so that equal pictures are equal files. Numbers are written in their shortest decimal form and
//! read back to the same bits.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::params::{Kind, ParamError, Params, Value};
use crate::render::camera::CameraState;

/// The version this program writes.
pub const VERSION: u32 = 1;

/// Keyword of the PNG text chunk that holds a session.
pub const PNG_KEYWORD: &str = "dryad-session";

/// Why a session could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The file could not be read.
    #[error("{path} cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A picture without a session.
    #[error("{path} is a picture that holds no Dryad session")]
    NoSession {
        /// The file.
        path: PathBuf,
    },
    /// Not TOML, or not of this shape.
    #[error("{path} is not a session: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parser's message, with the line.
        message: String,
    },
    /// Written by a later program.
    #[error("{path} is a session of version {version}; this program reads versions up to {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
}

/// A session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Version of the format.
    #[serde(default)]
    pub version: u32,
    /// The model's file, or the name of a built-in shape, as given when the session was saved; absent in pictures and
    /// for the built-in figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<PathBuf>,
    /// The file that lights it, as given when the session was saved; absent in pictures and for the studio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<PathBuf>,
    /// Name of the clip; absent for the rest pose or when the model's first clip is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Name of the variant of the model's materials; absent for the model as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Name of the model's camera that is looked through; absent for the free camera.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_camera: Option<String>,
    /// Time within the clip in seconds.
    #[serde(default)]
    pub time: f64,
    /// Seed of all randomness.
    #[serde(default)]
    pub seed: u32,
    /// The camera.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<CameraState>,
    /// All parameters, a table a section.
    #[serde(default)]
    pub params: toml::Table,
}

/// The decimal number that reads back as the same `f32`.
#[must_use]
pub fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}

fn to_toml(kind: &Kind, value: Value) -> toml::Value {
    match (kind, value) {
        (Kind::Choice(_) | Kind::Text(_), value) => toml::Value::String(kind.format(&value)),
        (_, Value::Float(v)) => toml::Value::Float(shortest(v)),
        (_, Value::Int(v)) => toml::Value::Integer(v.into()),
        (_, Value::Switch(v)) => toml::Value::Boolean(v),
        (_, Value::Triple(v)) => {
            toml::Value::Array(v.iter().map(|&x| toml::Value::Float(shortest(x))).collect())
        }
        (_, Value::Text(text)) => toml::Value::String(text.as_ref().into()),
    }
}

fn from_toml(kind: &Kind, path: &str, value: &toml::Value) -> Result<Value, ParamError> {
    let number = |value: &toml::Value| value.as_float().or_else(|| value.as_integer().map(|i| i as f64));
    let wrong =
        || ParamError::WrongKind { path: path.into(), wanted: kind.describe(), given: value.to_string() };
    Ok(match kind {
        Kind::Float { .. } => Value::Float(number(value).ok_or_else(wrong)? as f32),
        Kind::Int { .. } => {
            Value::Int(value.as_integer().and_then(|i| u32::try_from(i).ok()).ok_or_else(wrong)?)
        }
        Kind::Switch => Value::Switch(value.as_bool().ok_or_else(wrong)?),
        Kind::Choice(_) => kind.parse(path, value.as_str().ok_or_else(wrong)?)?,
        // A joint may be named by a bare number.
        Kind::Text(_) => match value.as_integer() {
            Some(number) => Value::Text(number.to_string().into()),
            None => kind.parse(path, value.as_str().ok_or_else(wrong)?)?,
        },
        Kind::Color | Kind::Vector { .. } => {
            let parts = value.as_array().ok_or_else(wrong)?;
            let parts: Vec<f32> = parts.iter().filter_map(|p| number(p).map(|v| v as f32)).collect();
            Value::Triple(parts.try_into().map_err(|_| wrong())?)
        }
    })
}

/// All parameters as nested tables.
#[must_use]
pub fn params_to_toml(params: &Params) -> toml::Table {
    let mut table = toml::Table::new();
    for section in params.sections() {
        let mut entries = toml::Table::new();
        for (index, info) in section.infos().iter().enumerate() {
            if let Some(value) = section.get(index) {
                entries.insert(info.name.into(), to_toml(&info.kind, value));
            }
        }
        table.insert(section.path().into(), toml::Value::Table(entries));
    }
    table
}

/// Applies nested tables to parameters. What is unknown or does not fit is left out and said.
#[must_use]
pub fn params_from_toml(params: &mut Params, table: &toml::Table) -> Vec<String> {
    let mut problems = Vec::new();
    for (section, entries) in table {
        let Some(entries) = entries.as_table() else {
            problems.push(format!("params.{section} is not a table"));
            continue;
        };
        for (name, value) in entries {
            let path = format!("{section}.{name}");
            let outcome = params
                .info(&path)
                .and_then(|info| from_toml(&info.kind, &path, value))
                .and_then(|value| params.set(&path, value));
            if let Err(error) = outcome {
                problems.push(error.to_string());
            }
        }
    }
    problems
}

impl Session {
    /// As TOML text.
    #[must_use]
    pub fn to_text(&self) -> String {
        // A table of plain values always has a text form.
        toml::to_string_pretty(self).unwrap_or_default()
    }

    /// From TOML text; `path` is named in errors.
    ///
    /// # Errors
    /// When the text is no TOML, not of this shape, or of a later version.
    pub fn from_text(text: &str, path: &Path) -> Result<Self, SessionError> {
        let session: Self = toml::from_str(text)
            .map_err(|error| SessionError::Syntax { path: path.into(), message: error.to_string() })?;
        if session.version > VERSION {
            return Err(SessionError::Version { path: path.into(), version: session.version });
        }
        Ok(session)
    }

    /// From a `.toml` file, or from a picture made by this program.
    ///
    /// # Errors
    /// When the file cannot be read or holds no session.
    pub fn load(path: &Path) -> Result<Self, SessionError> {
        let bytes = std::fs::read(path).map_err(|source| SessionError::Read { path: path.into(), source })?;
        if bytes.starts_with(b"\x89PNG") {
            let text = crate::record::image::read_text(&bytes, PNG_KEYWORD)
                .ok_or_else(|| SessionError::NoSession { path: path.into() })?;
            return Self::from_text(&text, path);
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| SessionError::Syntax { path: path.into(), message: error.to_string() })?;
        let mut session = Self::from_text(&text, path)?;
        // Relative files lie beside the session.
        if let Some(folder) = path.parent() {
            for file in [&mut session.model, &mut session.environment].into_iter().flatten() {
                *file = folder.join(&*file);
            }
        }
        Ok(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_returns_to_the_same_bits() {
        let mut params = Params::default();
        params.set_text("growth.influence", "0.033333335").expect("in range");
        params.set_text("light.background_top", "0.1,0.2,0.7").expect("a colour");
        params.set_text("growth.color_by", "root").expect("a choice");
        params.set_text("growth.roots_at", "LeftHand, \"Ω\" \\ 7").expect("a text");
        let session = Session { version: VERSION, params: params_to_toml(&params), ..Session::default() };
        let read = Session::from_text(&session.to_text(), Path::new("test.toml")).expect("our own text");
        let mut back = Params::default();
        assert_eq!(params_from_toml(&mut back, &read.params), Vec::<String>::new());
        assert_eq!(back, params);
        assert_ne!(back, Params::default());
    }

    #[test]
    fn unknown_and_unfit_values_are_said_and_change_nothing() {
        let text = "[params.growth]\ninfluence = nan\nfoo = 1\nroots = -3\nroots_at = true\n";
        let session = Session::from_text(text, Path::new("t.toml")).expect("TOML");
        let mut params = Params::default();
        let problems = params_from_toml(&mut params, &session.params);
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert_eq!(params, Params::default());
    }

    #[test]
    fn a_joint_may_be_named_by_a_bare_number() {
        let session = Session::from_text("[params.boids]\ngoal_joint = 17\n", Path::new("t.toml"));
        let mut params = Params::default();
        assert!(params_from_toml(&mut params, &session.expect("TOML").params).is_empty());
        assert_eq!(params.boids.goal_joint.as_ref(), "17");
    }

    #[test]
    fn files_lie_beside_the_session() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.toml");
        let (model, environment) = (Some("fox.glb".into()), Some("sky/noon.hdr".into()));
        let session = Session { version: VERSION, model, environment, ..Session::default() };
        std::fs::write(&path, session.to_text()).expect("a file");
        let read = Session::load(&path).expect("our own text");
        assert_eq!(read.model, Some(folder.path().join("fox.glb")));
        assert_eq!(read.environment, Some(folder.path().join("sky/noon.hdr")));
    }

    #[test]
    fn a_later_version_is_refused() {
        let error = Session::from_text("version = 99", Path::new("t.toml")).expect_err("later");
        assert!(error.to_string().contains("version 99"));
    }
}
