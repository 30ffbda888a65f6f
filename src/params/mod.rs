//! The parameter registry: one typed table that the panel, presets, sessions, `--set`, `dryad params` and the
//! documentation all read.
//!
//! A section is a plain struct declared with [`params!`](crate::params!): kernels and passes read its fields
//! directly, while everything generic goes through [`Section`]. The doc comment of a field is its help line.

mod macros;
mod value;

pub use value::{Kind, MAX_TEXT, ParamError, ParamType, Value};

use crate::render::params::{LightParams, ViewParams};
use crate::sim::boids::{BoidsParams, SpeciesParams};
use crate::sim::growth::GrowthParams;
use crate::sim::wrinkles::WrinklesParams;

/// What is known of one parameter.
#[derive(Debug, Clone)]
pub struct Info {
    /// Name within its section; the path is `section.name`.
    pub name: &'static str,
    /// What the panel calls it.
    pub label: &'static str,
    /// One sentence of help.
    pub help: &'static str,
    /// Kind, range and unit.
    pub kind: Kind,
    /// Value of a fresh section.
    pub default: Value,
}

/// A group of parameters with a common first path element.
pub trait Section {
    /// First element of the paths.
    fn path(&self) -> &'static str;
    /// What the panel calls the section.
    fn title(&self) -> &'static str;
    /// All parameters in the order shown.
    fn infos(&self) -> &'static [Info];
    /// Value of the parameter at `index` of [`Section::infos`].
    fn get(&self, index: usize) -> Option<Value>;
    /// Sets the parameter at `index`, after checking kind and range, then keeps linked pairs ordered.
    ///
    /// # Errors
    /// When the value is of the wrong kind, not finite or out of range; nothing changes then.
    fn set(&mut self, index: usize, value: Value) -> Result<(), ParamError>;
}

/// All parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params {
    /// Branches.
    pub growth: GrowthParams,
    /// The flock.
    pub boids: BoidsParams,
    /// Kinds of boids.
    pub species: SpeciesParams,
    /// Folds.
    pub wrinkles: WrinklesParams,
    /// Light and tone.
    pub light: LightParams,
    /// What is shown.
    pub view: ViewParams,
}

impl Params {
    /// The sections in the order shown.
    #[must_use]
    pub fn sections(&self) -> [&dyn Section; 6] {
        [&self.growth, &self.boids, &self.species, &self.wrinkles, &self.light, &self.view]
    }

    /// The sections, to change.
    pub fn sections_mut(&mut self) -> [&mut dyn Section; 6] {
        [
            &mut self.growth,
            &mut self.boids,
            &mut self.species,
            &mut self.wrinkles,
            &mut self.light,
            &mut self.view,
        ]
    }

    fn find(&self, path: &str) -> Result<(usize, usize), ParamError> {
        let unknown = || ParamError::Unknown { path: path.into(), nearest: self.nearest(path) };
        let (section_path, name) = path.split_once('.').ok_or_else(unknown)?;
        let sections = self.sections();
        let section = sections.iter().position(|s| s.path() == section_path).ok_or_else(unknown)?;
        let index = sections[section].infos().iter().position(|i| i.name == name).ok_or_else(unknown)?;
        Ok((section, index))
    }

    /// The known path most like `path`, for error messages.
    fn nearest(&self, path: &str) -> String {
        let shared = |known: &str| {
            known.chars().zip(path.chars()).take_while(|(a, b)| a == b).count() * 2
                + path.split('.').next_back().map_or(0, |name| usize::from(known.contains(name)) * 100)
        };
        self.paths().max_by_key(|known| shared(known)).unwrap_or_default()
    }

    /// All paths in the order shown.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        self.sections().into_iter().flat_map(|section| {
            section.infos().iter().map(move |info| format!("{}.{}", section.path(), info.name))
        })
    }

    /// The value at a dotted path.
    ///
    /// # Errors
    /// When there is no such parameter.
    pub fn get(&self, path: &str) -> Result<Value, ParamError> {
        let (section, index) = self.find(path)?;
        self.sections()[section]
            .get(index)
            .ok_or_else(|| ParamError::Unknown { path: path.into(), nearest: String::new() })
    }

    /// What is known of the parameter at a dotted path.
    ///
    /// # Errors
    /// When there is no such parameter.
    pub fn info(&self, path: &str) -> Result<Info, ParamError> {
        let (section, index) = self.find(path)?;
        Ok(self.sections()[section].infos()[index].clone())
    }

    /// Sets the value at a dotted path.
    ///
    /// # Errors
    /// When there is no such parameter or the value does not fit it; nothing changes then.
    pub fn set(&mut self, path: &str, value: Value) -> Result<(), ParamError> {
        let (section, index) = self.find(path)?;
        self.sections_mut()[section].set(index, value)
    }

    /// Sets from the text form that `--set` takes.
    ///
    /// # Errors
    /// As [`Params::set`], and when the text cannot be read.
    pub fn set_text(&mut self, path: &str, text: &str) -> Result<(), ParamError> {
        let value = self.info(path)?.kind.parse(path, text)?;
        self.set(path, value)
    }
}
