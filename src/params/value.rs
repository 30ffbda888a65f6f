//! Values of parameters: kinds, ranges, text forms and the checks on the way in.

use std::sync::Arc;

/// The longest text in bytes.
pub const MAX_TEXT: usize = 4096;

/// A parameter's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Float(f32),
    /// A whole number, or the index of a choice.
    Int(u32),
    /// On or off.
    Switch(bool),
    /// Three numbers: a linear RGB colour or a vector.
    Triple([f32; 3]),
    /// Names, or what else a person writes.
    Text(Arc<str>),
}

/// What a parameter may hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A number within a closed range.
    Float {
        /// Least value.
        min: f32,
        /// Greatest value.
        max: f32,
        /// Unit: `H` for fractions of the character's size.
        unit: &'static str,
    },
    /// A whole number within a closed range.
    Int {
        /// Least value.
        min: u32,
        /// Greatest value.
        max: u32,
        /// Unit.
        unit: &'static str,
    },
    /// On or off.
    Switch,
    /// One of several names.
    Choice(&'static [&'static str]),
    /// Linear RGB, each 0 to 1.
    Color,
    /// Three numbers, each within a closed range.
    Vector {
        /// Least value of each.
        min: f32,
        /// Greatest value of each.
        max: f32,
        /// Unit.
        unit: &'static str,
    },
    /// A line of text of at most [`MAX_TEXT`] bytes; the words say what it is to hold.
    Text(&'static str),
}

/// Why a parameter could not be set.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// No such path.
    #[error("there is no parameter {path} (did you mean {nearest}? `dryad params` lists them all)")]
    Unknown {
        /// The path asked for.
        path: String,
        /// A path that exists.
        nearest: String,
    },
    /// The text or value is of another kind.
    #[error("{path} takes {wanted}, not `{given}`")]
    WrongKind {
        /// The path.
        path: String,
        /// What it takes.
        wanted: String,
        /// What was given.
        given: String,
    },
    /// Outside the range, or not a number.
    #[error("{path} takes {wanted}; {given} is outside")]
    OutOfRange {
        /// The path.
        path: String,
        /// The range.
        wanted: String,
        /// What was given.
        given: String,
    },
}

impl Kind {
    /// The kind and range in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let with_unit = |text: String, unit: &str| {
            if unit.is_empty() { text } else { format!("{text} {unit}") }
        };
        match self {
            Self::Float { min, max, unit } => with_unit(format!("a number from {min} to {max}"), unit),
            Self::Int { min, max, unit } => with_unit(format!("a whole number from {min} to {max}"), unit),
            Self::Switch => "true or false".into(),
            Self::Choice(names) => format!("one of {}", names.join(", ")),
            Self::Color => "a colour r,g,b with each from 0 to 1".into(),
            Self::Vector { min, max, unit } => {
                with_unit(format!("a vector x,y,z with each from {min} to {max}"), unit)
            }
            Self::Text(what) => (*what).into(),
        }
    }

    /// The unit, empty where there is none.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Float { unit, .. } | Self::Int { unit, .. } | Self::Vector { unit, .. } => unit,
            _ => "",
        }
    }

    /// Whether `value` is of this kind, finite and in range.
    ///
    /// # Errors
    /// Says what would be right.
    pub fn check(&self, path: &str, value: &Value) -> Result<(), ParamError> {
        let within = |v: f32, min: f32, max: f32| v.is_finite() && v >= min && v <= max;
        let fits = match (self, value) {
            (Self::Float { min, max, .. }, &Value::Float(v)) => within(v, *min, *max),
            (Self::Int { min, max, .. }, Value::Int(v)) => v >= min && v <= max,
            (Self::Switch, Value::Switch(_)) => true,
            (Self::Choice(names), &Value::Int(v)) => (v as usize) < names.len(),
            (Self::Color, Value::Triple(v)) => v.iter().all(|&x| within(x, 0.0, 1.0)),
            (Self::Vector { min, max, .. }, Value::Triple(v)) => v.iter().all(|&x| within(x, *min, *max)),
            (Self::Text(_), Value::Text(text)) => text.len() <= MAX_TEXT && !text.contains(char::is_control),
            _ => {
                return Err(ParamError::WrongKind {
                    path: path.into(),
                    wanted: self.describe(),
                    given: format!("{value:?}"),
                });
            }
        };
        if fits {
            return Ok(());
        }
        Err(ParamError::OutOfRange { path: path.into(), wanted: self.describe(), given: self.format(value) })
    }

    /// The nearest value that [`Kind::check`] accepts; for fields a person types into.
    #[must_use]
    pub fn clamp(&self, value: Value) -> Value {
        let clamp = |v: f32, min: f32, max: f32| if v.is_nan() { min } else { v.clamp(min, max) };
        match (self, value) {
            (Self::Float { min, max, .. }, Value::Float(v)) => Value::Float(clamp(v, *min, *max)),
            (Self::Int { min, max, .. }, Value::Int(v)) => Value::Int(v.clamp(*min, *max)),
            (Self::Choice(names), Value::Int(v)) => Value::Int(v.min(names.len().max(1) as u32 - 1)),
            (Self::Color, Value::Triple(v)) => Value::Triple(v.map(|x| clamp(x, 0.0, 1.0))),
            (Self::Vector { min, max, .. }, Value::Triple(v)) => {
                Value::Triple(v.map(|x| clamp(x, *min, *max)))
            }
            (Self::Text(_), Value::Text(text)) => {
                let mut kept: String = text.chars().filter(|c| !c.is_control()).collect();
                let most = (0..=MAX_TEXT.min(kept.len())).rev().find(|&end| kept.is_char_boundary(end));
                kept.truncate(most.unwrap_or(0));
                Value::Text(kept.into())
            }
            (_, value) => value,
        }
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// When the text is not of this kind or the value is out of range.
    pub fn parse(&self, path: &str, text: &str) -> Result<Value, ParamError> {
        let text = text.trim();
        let wrong =
            || ParamError::WrongKind { path: path.into(), wanted: self.describe(), given: text.into() };
        let value = match self {
            Self::Float { .. } => Value::Float(text.parse().map_err(|_| wrong())?),
            Self::Int { .. } => Value::Int(text.parse().map_err(|_| wrong())?),
            Self::Switch => Value::Switch(match text {
                "true" | "on" | "1" | "yes" => true,
                "false" | "off" | "0" | "no" => false,
                _ => return Err(wrong()),
            }),
            Self::Choice(names) => {
                Value::Int(names.iter().position(|name| *name == text).ok_or_else(wrong)? as u32)
            }
            Self::Color | Self::Vector { .. } => {
                let parts: Vec<f32> = text
                    .trim_matches(['[', ']'])
                    .split(',')
                    .map(|part| part.trim().parse().map_err(|_| wrong()))
                    .collect::<Result<_, _>>()?;
                Value::Triple(parts.try_into().map_err(|_| wrong())?)
            }
            Self::Text(_) => Value::Text(text.into()),
        };
        self.check(path, &value)?;
        Ok(value)
    }

    /// The text form, which [`Kind::parse`] reads back to the same bits.
    #[must_use]
    pub fn format(&self, value: &Value) -> String {
        match (self, value) {
            (Self::Choice(names), Value::Int(v)) => {
                names.get(*v as usize).map_or_else(|| v.to_string(), |name| (*name).to_owned())
            }
            (_, Value::Float(v)) => v.to_string(),
            (_, Value::Int(v)) => v.to_string(),
            (_, Value::Switch(v)) => v.to_string(),
            (_, Value::Triple([x, y, z])) => format!("{x},{y},{z}"),
            (_, Value::Text(text)) => text.as_ref().into(),
        }
    }
}

/// A Rust type that a parameter's field may have.
pub trait ParamType: Clone {
    /// As a value.
    fn to_value(self) -> Value;
    /// From a value of the right kind.
    fn from_value(value: Value) -> Option<Self>;
}

macro_rules! param_types {
    ($($ty:ty => $variant:ident),*) => { $(
        impl ParamType for $ty {
            fn to_value(self) -> Value {
                Value::$variant(self)
            }
            fn from_value(value: Value) -> Option<Self> {
                match value {
                    Value::$variant(v) => Some(v),
                    _ => None,
                }
            }
        }
    )* };
}

param_types!(f32 => Float, u32 => Int, bool => Switch, [f32; 3] => Triple, Arc<str> => Text);
