//! What the window, keys and buttons may ask of the viewer.

use std::path::PathBuf;

use glam::DVec2;

use crate::character::shapes::Shape;
use crate::presets::Preset;
use crate::render::camera::ViewDirection;

/// Where a character comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Source {
    /// The figure that is built into the program.
    #[default]
    BuiltIn,
    /// A plain shape that the program makes.
    Shape(Shape),
    /// A glTF file.
    File(PathBuf),
}

/// What names of characters that are no files begin with.
const BUILT_IN: &str = "builtin:";

impl Source {
    /// The character of a name: `builtin:dancer`, `builtin:sphere` and `builtin:box`, or else a file's path.
    #[must_use]
    pub fn named(name: PathBuf) -> Self {
        match name.to_str().and_then(|name| name.trim().strip_prefix(BUILT_IN)) {
            Some("dancer") => Self::BuiltIn,
            Some(wanted) => Shape::ALL
                .into_iter()
                .find(|shape| shape.name() == wanted)
                .map_or(Self::File(name), Self::Shape),
            None => Self::File(name),
        }
    }

    /// The name by which [`Source::named`] finds it; none for the figure, which needs none.
    #[must_use]
    pub fn name(&self) -> Option<PathBuf> {
        match self {
            Self::BuiltIn => None,
            Self::Shape(shape) => Some(format!("{BUILT_IN}{}", shape.name()).into()),
            Self::File(path) => Some(path.clone()),
        }
    }

    /// What messages call it.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::BuiltIn => "the built-in figure".into(),
            Self::Shape(shape) => format!("the built-in {}", shape.name()),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// Where the light from all around comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LightSource {
    /// The studio that is built into the program.
    #[default]
    Studio,
    /// An equirectangular `.hdr` or `.exr` picture.
    File(PathBuf),
}

impl LightSource {
    /// The picture's file; none for the studio.
    #[must_use]
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::Studio => None,
            Self::File(path) => Some(path),
        }
    }
}

/// A request, carried out at the start of the next frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Load a character; the present one stays until the new one is whole.
    Open(Source),
    /// Light the scene by this; the present light stays until the new one is whole.
    Light(LightSource),
    /// Stop loading.
    CancelOpen,
    /// Grow branches to their end off the frame and write them with the character to a `.glb`.
    Export(PathBuf),
    /// Stop exporting.
    CancelExport,
    /// Play clip `Some(index)`, or show the rest pose.
    PlayClip(Option<usize>),
    /// Show a variant of the file's materials, or the file as it is.
    ShowVariant(Option<usize>),
    /// Look through a camera of the file, or freely from where it stands.
    LookThrough(Option<usize>),
    /// Set the clip's time in seconds.
    Seek(f64),
    /// Go on by this many ticks' worth of clip time; pauses the clip.
    StepClip(i32),
    /// Run or hold the clip.
    ToggleClip,
    /// Run or hold the simulations.
    ToggleSimulations,
    /// Hold the simulations and run one tick.
    StepSimulations,
    /// Start growth and flock again, with the same seed or a new one.
    Restart {
        /// Whether to draw a new seed.
        new_seed: bool,
    },
    /// Use this seed and start again.
    SetSeed(u32),
    /// Put the camera where the whole character is seen.
    FrameCharacter,
    /// Look along an axis: front, right, top or their opposites.
    LookFrom(ViewDirection),
    /// Go back one change of parameters or seed.
    Undo,
    /// Take back an undo.
    Redo,
    /// Take on a look that comes with the program.
    Preset(&'static Preset),
    /// Add a root of branches at the point of the skin that is seen at a place of a picture.
    RootAt {
        /// Pixels from the picture's top left corner.
        place_px: DVec2,
        /// The picture's size in pixels.
        picture_px: DVec2,
    },
    /// Take away the roots on the skin.
    ClearRoots,
    /// Set all parameters to their defaults.
    ResetParams,
}
