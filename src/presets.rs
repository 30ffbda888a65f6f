//! Looks that come with the program: sessions that hold a part of the parameters.
//!
//! Whatever section a preset names starts from its defaults, so that one preset after another leaves nothing of the
//! first behind there; the other sections stay as they are.

use std::path::Path;

use crate::params::{Params, Section};
use crate::session::{Session, params_from_toml};

/// A look.
#[derive(Debug, PartialEq, Eq)]
pub struct Preset {
    /// What `--preset` takes.
    pub name: &'static str,
    /// A sentence about it.
    pub help: &'static str,
    /// The session's text.
    pub text: &'static str,
}

/// All presets, by name.
pub static PRESETS: [Preset; 7] = [
    Preset {
        name: "autumn",
        help: "Dark boughs in red and golden leaves",
        text: include_str!("../assets/presets/autumn.toml"),
    },
    Preset {
        name: "coral",
        help: "Thick, blunt arms from a few stems",
        text: include_str!("../assets/presets/coral.toml"),
    },
    Preset {
        name: "ember",
        help: "Charred wood with embers at every end",
        text: include_str!("../assets/presets/ember.toml"),
    },
    Preset {
        name: "frost",
        help: "Needles of ice that stray",
        text: include_str!("../assets/presets/frost.toml"),
    },
    Preset {
        name: "murmuration",
        help: "Three kinds of birds that draw their ways in the air",
        text: include_str!("../assets/presets/murmuration.toml"),
    },
    Preset {
        name: "roots",
        help: "Aerial roots, drawn to the ground",
        text: include_str!("../assets/presets/roots.toml"),
    },
    Preset {
        name: "veins",
        help: "Fine vessels in a body of glass",
        text: include_str!("../assets/presets/veins.toml"),
    },
];

/// The preset of this name.
///
/// # Errors
/// A sentence that lists the names there are.
pub fn find(name: &str) -> Result<&'static Preset, String> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        format!("there is no preset named {name}; there are: {}", names.join(", "))
    })
}

impl Preset {
    /// Sets parameters; what is not named in a named section goes to `defaults`. Returns what was left out, a
    /// sentence each: nothing, for presets that fit this version.
    pub fn apply(&self, params: &mut Params, defaults: &Params) -> Vec<String> {
        let session = match Session::from_text(self.text, Path::new(self.name)) {
            Ok(session) => session,
            Err(error) => return vec![error.to_string()],
        };
        for (section, default) in params.sections_mut().into_iter().zip(defaults.sections()) {
            if session.params.contains_key(section.path()) {
                reset(section, default);
            }
        }
        params_from_toml(params, &session.params)
    }
}

/// Sets all parameters of a section to their defaults.
fn reset(section: &mut dyn Section, defaults: &dyn Section) {
    // Twice, as a linked value may hold another back until it is reset itself.
    for index in (0..section.infos().len()).chain(0..section.infos().len()) {
        if let Some(value) = defaults.get(index)
            && let Err(error) = section.set(index, value)
        {
            // A default always fits.
            log::error!("{error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_known_to_the_last_word_and_different() {
        let defaults = Params::default();
        let mut seen = vec![defaults.clone()];
        for preset in &PRESETS {
            let mut params = Params::default();
            assert_eq!(preset.apply(&mut params, &defaults), Vec::<String>::new(), "{}", preset.name);
            assert!(!seen.contains(&params), "{} looks like another", preset.name);
            // Nothing was brought within bounds in silence.
            let written = crate::session::params_to_toml(&params);
            let session = Session::from_text(preset.text, Path::new(preset.name)).expect("it parses");
            for (section, entries) in &session.params {
                for (name, value) in entries.as_table().expect("a table") {
                    assert_eq!(&written[section][name], value, "{}: {section}.{name}", preset.name);
                }
            }
            seen.push(params);
        }
        // Sections start afresh: one preset after another is that other one.
        let mut params = defaults.clone();
        for preset in &PRESETS {
            preset.apply(&mut params, &defaults);
        }
        let mut last = defaults.clone();
        PRESETS[PRESETS.len() - 1].apply(&mut last, &defaults);
        assert_eq!(params, last);
    }

    #[test]
    fn every_preset_has_a_picture_and_names_rise() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/presets");
        for preset in &PRESETS {
            let bytes = std::fs::read(folder.join(format!("{}.jpg", preset.name))).expect("a picture");
            assert!(bytes.len() < 100_000, "{}: {} bytes", preset.name, bytes.len());
        }
        assert!(PRESETS.is_sorted_by_key(|preset| preset.name));
        assert!(find("coral").is_ok() && find("none").is_err_and(|sentence| sentence.contains("veins")));
    }
}
