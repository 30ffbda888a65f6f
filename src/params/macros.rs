//! The macro that declares a section of parameters.

/// Declares a section: a plain struct with defaults, and its [`Section`](crate::params::Section) table.
///
/// ```ignore
/// params! {
///     /// The flock.
///     pub struct BoidsParams: "boids", "Boids" {
///         /// Whether the flock flies.
///         enabled: bool = true, "Flock", switch;
///         /// How far a boid sees others to stay with.
///         cohesion_distance: f32 = 0.05, "Cohesion distance", float(0.001, 0.5, "H");
///         /// Boids in the flock.
///         count: u32 = 4096, "Count", int(0, 262144, "");
///         /// How the body steers the flock.
///         field: u32 = 0, "Field", choice("normals");
///         /// Colour of a slow boid.
///         color: [f32; 3] = [0.9, 0.4, 0.1], "Colour", color;
///     }
///     settle = |p| p.kill = p.kill.min(0.9 * p.influence);
/// }
/// ```
/// `settle` runs after every change and keeps linked values ordered.
#[macro_export]
macro_rules! params {
    (
        $(#[$meta:meta])*
        pub struct $name:ident: $path:literal, $title:literal {
            $(#[doc = $help:literal] $field:ident: $ty:ty = $default:expr, $label:literal, $kind:ident $(($($arg:expr),*))?;)*
        }
        settle = |$p:ident| $settle:expr;
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $(#[doc = $help] pub $field: $ty,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            #[allow(clippy::unused_unit)]
            fn settle(&mut self) {
                let $p = self;
                $settle;
            }
        }

        impl $crate::params::Section for $name {
            fn path(&self) -> &'static str {
                $path
            }
            fn title(&self) -> &'static str {
                $title
            }
            fn infos(&self) -> &'static [$crate::params::Info] {
                static INFOS: std::sync::LazyLock<Vec<$crate::params::Info>> = std::sync::LazyLock::new(|| {
                    let defaults = $name::default();
                    vec![$($crate::params::Info {
                        name: stringify!($field),
                        label: $label,
                        help: $help.trim_ascii(),
                        kind: $crate::param_kind!($kind $(($($arg),*))?),
                        default: $crate::params::ParamType::to_value(defaults.$field),
                    },)*]
                });
                &INFOS
            }
            fn get(&self, index: usize) -> Option<$crate::params::Value> {
                let values = [$($crate::params::ParamType::to_value(self.$field.clone()),)*];
                values.into_iter().nth(index)
            }
            fn set(&mut self, index: usize, value: $crate::params::Value) -> Result<(), $crate::params::ParamError> {
                let path = || {
                    format!("{}.{}", $path, $crate::params::Section::infos(self).get(index).map_or("?", |info| info.name))
                };
                let unknown = || $crate::params::ParamError::Unknown { path: path(), nearest: String::new() };
                let info = $crate::params::Section::infos(self).get(index).ok_or_else(unknown)?;
                info.kind.check(&path(), &value)?;
                let mut value = Some(value);
                let mut at = 0;
                $(
                    if at == index {
                        if let Some(typed) = value.take().and_then($crate::params::ParamType::from_value) {
                            self.$field = typed;
                        }
                    }
                    at += 1;
                )*
                let _ = at;
                self.settle();
                Ok(())
            }
        }
    };
    ( $(#[$meta:meta])* pub struct $name:ident: $path:literal, $title:literal { $($body:tt)* } ) => {
        $crate::params! {
            $(#[$meta])* pub struct $name: $path, $title { $($body)* }
            settle = |_p| ();
        }
    };
}

/// The [`Kind`](crate::params::Kind) that a word of [`params!`](crate::params!) names.
#[macro_export]
#[doc(hidden)]
macro_rules! param_kind {
    (float($min:expr, $max:expr, $unit:expr)) => {
        $crate::params::Kind::Float { min: $min, max: $max, unit: $unit }
    };
    (int($min:expr, $max:expr, $unit:expr)) => {
        $crate::params::Kind::Int { min: $min, max: $max, unit: $unit }
    };
    (vector($min:expr, $max:expr, $unit:expr)) => {
        $crate::params::Kind::Vector { min: $min, max: $max, unit: $unit }
    };
    (switch) => {
        $crate::params::Kind::Switch
    };
    (color) => {
        $crate::params::Kind::Color
    };
    (choice($($name:expr),*)) => {
        $crate::params::Kind::Choice(&[$($name),*])
    };
    (text($what:expr)) => {
        $crate::params::Kind::Text($what)
    };
}
