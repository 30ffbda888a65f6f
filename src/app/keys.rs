//! The one table of keys: the handler acts by it, the key list shows it, tooltips quote it.

use std::path::PathBuf;

use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

use crate::viewer::{Command, ViewDirection};

/// What a key, a button or a script may ask of the window.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Show the file dialog.
    OpenDialog,
    /// Ask for a picture of light.
    OpenLightDialog,
    /// Ask where to write the character with its branches.
    ExportDialog,
    /// Open the file that the path field names.
    OpenPath(String),
    /// Pass a command on to the viewer.
    Send(Command),
    /// Flip the switch parameter with this path.
    Toggle(&'static str),
    /// Go to the next value of the choice parameter with this path.
    Cycle(&'static str),
    /// Turn the number parameter with this path to 0, or back to what it was.
    Mute(&'static str),
    /// Leave only this section's simulation on, or all when it is the only one.
    Solo(&'static str),
    /// Save the view without the interface.
    Screenshot {
        /// Whether the background is left out.
        transparent: bool,
    },
    /// Show or hide the key list.
    ToggleKeys,
    /// Show or hide the interface.
    ToggleInterface,
    /// Enter or leave full screen.
    ToggleFullScreen,
    /// Close the key list, else leave full screen.
    Leave,
    /// Scale the interface: larger, smaller, or 0 for its natural size.
    Scale(i8),
    /// Show a saved file in the desktop's file manager.
    ShowFolder(PathBuf),
}

/// A key, apart from its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyName {
    /// A letter or sign as the layout gives it, lower case.
    Char(char),
    /// A digit of the number row or pad, wherever the layout puts it.
    Digit(u8),
    /// A named key.
    Named(NamedKey, &'static str),
}

/// One line of the table.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The key.
    pub key: KeyName,
    /// With Ctrl, or Cmd on macOS.
    pub command: bool,
    /// With Shift.
    pub shift: bool,
    /// What it does.
    pub action: Action,
    /// Heading in the key list.
    pub group: &'static str,
    /// Line in the key list.
    pub help: &'static str,
}

const PLAIN: (bool, bool) = (false, false);
const CTRL: (bool, bool) = (true, false);
const SHIFT: (bool, bool) = (false, true);
const CTRL_SHIFT: (bool, bool) = (true, true);

const fn bind(
    group: &'static str,
    (command, shift): (bool, bool),
    key: KeyName,
    action: Action,
    help: &'static str,
) -> Binding {
    Binding { key, command, shift, action, group, help }
}

const fn f(key: NamedKey, name: &'static str) -> KeyName {
    KeyName::Named(key, name)
}

const fn look(direction: ViewDirection) -> Action {
    Action::Send(Command::LookFrom(direction))
}

/// All keys, in the order of the key list. Neighbours with the same help share a line there.
pub static KEYS: [Binding; 36] = [
    bind("File", CTRL, KeyName::Char('o'), Action::OpenDialog, "Open a glTF file"),
    bind("File", PLAIN, f(NamedKey::F12, "F12"), Action::Screenshot { transparent: false }, "Save the view"),
    bind(
        "File",
        CTRL,
        f(NamedKey::F12, "F12"),
        Action::Screenshot { transparent: true },
        "Save the view with a transparent background",
    ),
    bind("File", CTRL, KeyName::Char('z'), Action::Send(Command::Undo), "Undo a change of parameters"),
    bind("File", CTRL_SHIFT, KeyName::Char('z'), Action::Send(Command::Redo), "Redo"),
    bind(
        "Time",
        PLAIN,
        f(NamedKey::Space, "Space"),
        Action::Send(Command::ToggleClip),
        "Play or pause the clip",
    ),
    bind(
        "Time",
        SHIFT,
        f(NamedKey::Space, "Space"),
        Action::Send(Command::ToggleSimulations),
        "Run or pause the simulations",
    ),
    bind("Time", PLAIN, KeyName::Char('.'), Action::Send(Command::StepSimulations), "Run one tick"),
    bind(
        "Time",
        PLAIN,
        KeyName::Char('r'),
        Action::Send(Command::Restart { new_seed: false }),
        "Start again with the same seed",
    ),
    bind(
        "Time",
        SHIFT,
        KeyName::Char('r'),
        Action::Send(Command::Restart { new_seed: true }),
        "Start again with a new seed",
    ),
    bind("Simulations", PLAIN, f(NamedKey::F5, "F5"), Action::Toggle("growth.enabled"), "Growth on or off"),
    bind("Simulations", PLAIN, f(NamedKey::F6, "F6"), Action::Toggle("boids.enabled"), "Boids on or off"),
    bind(
        "Simulations",
        PLAIN,
        f(NamedKey::F7, "F7"),
        Action::Toggle("wrinkles.enabled"),
        "Wrinkles on or off",
    ),
    bind("Simulations", SHIFT, f(NamedKey::F5, "F5"), Action::Solo("growth"), "Growth alone, or all"),
    bind("Simulations", SHIFT, f(NamedKey::F6, "F6"), Action::Solo("boids"), "Boids alone, or all"),
    bind("Simulations", SHIFT, f(NamedKey::F7, "F7"), Action::Solo("wrinkles"), "Wrinkles alone, or all"),
    bind("View", PLAIN, KeyName::Char('f'), Action::Send(Command::FrameCharacter), "Frame the character"),
    bind("View", PLAIN, KeyName::Digit(1), look(ViewDirection::Front), "From the front"),
    bind("View", CTRL, KeyName::Digit(1), look(ViewDirection::Back), "From the back"),
    bind("View", PLAIN, KeyName::Digit(3), look(ViewDirection::Right), "From the right"),
    bind("View", CTRL, KeyName::Digit(3), look(ViewDirection::Left), "From the left"),
    bind("View", PLAIN, KeyName::Digit(7), look(ViewDirection::Top), "From above"),
    bind("View", CTRL, KeyName::Digit(7), look(ViewDirection::Bottom), "From below"),
    bind("View", PLAIN, KeyName::Char('g'), Action::Toggle("view.grid"), "Ground grid"),
    bind("View", PLAIN, KeyName::Char('x'), Action::Mute("view.xray"), "X-ray or solid body"),
    bind("View", PLAIN, KeyName::Char('n'), Action::Cycle("view.mode"), "Next data view"),
    bind("View", PLAIN, KeyName::Char('t'), Action::Cycle("light.tone_map"), "Next tone map"),
    bind("Window", PLAIN, KeyName::Char('h'), Action::ToggleKeys, "This list"),
    bind("Window", PLAIN, f(NamedKey::F1, "F1"), Action::ToggleKeys, "This list"),
    bind("Window", PLAIN, f(NamedKey::Tab, "Tab"), Action::ToggleInterface, "Show or hide the interface"),
    bind("Window", PLAIN, f(NamedKey::F11, "F11"), Action::ToggleFullScreen, "Full screen"),
    bind("Window", PLAIN, f(NamedKey::Escape, "Esc"), Action::Leave, "Close this list, leave full screen"),
    bind("Window", CTRL, KeyName::Char('+'), Action::Scale(1), "Larger interface"),
    bind("Window", CTRL, KeyName::Char('='), Action::Scale(1), "Larger interface"),
    bind("Window", CTRL, KeyName::Char('-'), Action::Scale(-1), "Smaller interface"),
    bind("Window", CTRL, KeyName::Digit(0), Action::Scale(0), "Interface at its natural size"),
];

impl Binding {
    /// How people write it: `Ctrl+Shift+Z`.
    #[must_use]
    pub fn label(&self) -> String {
        let mut label = String::new();
        if self.command {
            label.push_str(if cfg!(target_os = "macos") { "Cmd+" } else { "Ctrl+" });
        }
        if self.shift {
            label.push_str("Shift+");
        }
        match self.key {
            KeyName::Char(c) => label.extend(c.to_uppercase()),
            KeyName::Digit(digit) => label.push_str(&digit.to_string()),
            KeyName::Named(_, name) => label.push_str(name),
        }
        label
    }

    /// Whether holding the key down does it again and again.
    #[must_use]
    pub fn repeats(&self) -> bool {
        matches!(
            self.action,
            Action::Send(Command::StepSimulations | Command::Undo | Command::Redo) | Action::Scale(_)
        )
    }

    /// Whether it works while a text field has focus: what types or edits text does not.
    #[must_use]
    pub fn works_while_typing(&self) -> bool {
        match self.key {
            KeyName::Char(c) => self.command && c != 'z',
            KeyName::Digit(_) => self.command,
            KeyName::Named(key, _) => !matches!(key, NamedKey::Space | NamedKey::Tab | NamedKey::Escape),
        }
    }
}

/// Whether the key for commands is held: Ctrl, or Cmd on macOS.
#[must_use]
pub fn command_held(modifiers: ModifiersState) -> bool {
    if cfg!(target_os = "macos") { modifiers.super_key() } else { modifiers.control_key() }
}

/// The binding of a pressed key.
///
/// Letters and signs go by the layout, and by their place on a Latin keyboard where the layout gives no Latin
/// letter, so that the keys work in every script.
#[must_use]
pub fn find(logical: &Key, physical: PhysicalKey, modifiers: ModifiersState) -> Option<&'static Binding> {
    let command = command_held(modifiers);
    let character = match logical {
        Key::Character(text) => text.chars().next().filter(char::is_ascii).or_else(|| latin(physical)),
        _ => None,
    };
    let character = character.map(|c| c.to_ascii_lowercase());
    let digit = digit(physical);
    // A sign such as + may need Shift on this layout; letters tell Shift apart.
    let shift_matters = !matches!(character, Some(c) if !c.is_ascii_alphanumeric());
    KEYS.iter().filter(|_| !modifiers.alt_key()).find(|binding| {
        binding.command == command
            && match binding.key {
                KeyName::Char(c) => {
                    character == Some(c) && (!shift_matters || binding.shift == modifiers.shift_key())
                }
                KeyName::Digit(d) => digit == Some(d) && binding.shift == modifiers.shift_key(),
                KeyName::Named(key, _) => {
                    *logical == Key::Named(key) && binding.shift == modifiers.shift_key()
                }
            }
    })
}

/// The binding with this label, for scripts; `Ctrl` stands for Cmd on macOS too.
#[must_use]
pub fn by_label(label: &str) -> Option<&'static Binding> {
    KEYS.iter().find(|binding| binding.label().replace("Cmd+", "Ctrl+").eq_ignore_ascii_case(label))
}

/// The label of the first key that does this, for tooltips.
#[must_use]
pub fn label_of(action: &Action) -> Option<String> {
    KEYS.iter().find(|binding| binding.action == *action).map(Binding::label)
}

fn digit(physical: PhysicalKey) -> Option<u8> {
    let PhysicalKey::Code(code) = physical else { return None };
    Some(match code {
        KeyCode::Digit0 | KeyCode::Numpad0 => 0,
        KeyCode::Digit1 | KeyCode::Numpad1 => 1,
        KeyCode::Digit3 | KeyCode::Numpad3 => 3,
        KeyCode::Digit7 | KeyCode::Numpad7 => 7,
        _ => return None,
    })
}

fn latin(physical: PhysicalKey) -> Option<char> {
    let PhysicalKey::Code(code) = physical else { return None };
    Some(match code {
        KeyCode::KeyF => 'f',
        KeyCode::KeyG => 'g',
        KeyCode::KeyH => 'h',
        KeyCode::KeyN => 'n',
        KeyCode::KeyO => 'o',
        KeyCode::KeyR => 'r',
        KeyCode::KeyT => 't',
        KeyCode::KeyX => 'x',
        KeyCode::KeyZ => 'z',
        KeyCode::Period => '.',
        KeyCode::Equal => '=',
        KeyCode::Minus => '-',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    fn press(text: &str, code: KeyCode, modifiers: ModifiersState) -> Option<String> {
        find(&Key::Character(text.into()), PhysicalKey::Code(code), modifiers).map(Binding::label)
    }

    #[test]
    fn no_two_bindings_share_a_key() {
        let mut labels: Vec<_> = KEYS.iter().map(Binding::label).collect();
        labels.sort();
        let count = labels.len();
        labels.dedup();
        assert_eq!(labels.len(), count);
    }

    #[test]
    fn every_parameter_a_key_changes_exists() {
        let params = Params::default();
        for binding in &KEYS {
            match binding.action {
                Action::Toggle(path) | Action::Cycle(path) | Action::Mute(path) => {
                    assert!(params.get(path).is_ok(), "{path}");
                }
                Action::Solo(section) => assert!(params.get(&format!("{section}.enabled")).is_ok()),
                _ => {}
            }
        }
    }

    #[test]
    fn shift_tells_letters_apart_but_not_signs() {
        let none = ModifiersState::empty();
        let shift = ModifiersState::SHIFT;
        let ctrl = if cfg!(target_os = "macos") { ModifiersState::SUPER } else { ModifiersState::CONTROL };
        assert_eq!(press("r", KeyCode::KeyR, none).as_deref(), Some("R"));
        assert_eq!(press("R", KeyCode::KeyR, shift).as_deref(), Some("Shift+R"));
        assert_eq!(press("g", KeyCode::KeyG, ModifiersState::ALT), None);
        assert!(press("+", KeyCode::Equal, ctrl | shift).is_some());
        assert_eq!(press("z", KeyCode::KeyZ, ctrl), by_label("Ctrl+Z").map(Binding::label));
        assert_eq!(press("Z", KeyCode::KeyZ, ctrl | shift), by_label("ctrl+shift+z").map(Binding::label));
    }

    #[test]
    fn keys_work_on_layouts_that_are_not_latin() {
        let ctrl = if cfg!(target_os = "macos") { ModifiersState::SUPER } else { ModifiersState::CONTROL };
        assert_eq!(press("щ", KeyCode::KeyO, ctrl), by_label("Ctrl+O").map(Binding::label));
        // A French number row gives signs without Shift.
        assert_eq!(press("&", KeyCode::Digit1, ModifiersState::empty()).as_deref(), Some("1"));
    }

    #[test]
    fn typing_silences_plain_keys_only() {
        for (label, works) in [("R", false), (".", false), ("Space", false), ("1", false), ("Ctrl+Z", false)]
        {
            assert_eq!(by_label(label).map(Binding::works_while_typing), Some(works), "{label}");
        }
        for label in ["Ctrl+O", "F5", "F12", "Ctrl+1", "Shift+F6"] {
            assert_eq!(by_label(label).map(Binding::works_while_typing), Some(true), "{label}");
        }
    }
}
