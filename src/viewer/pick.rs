//! Choosing one of several named things of a file: a clip, a variant, a camera.

use std::convert::Infallible;
use std::str::FromStr;

/// What was asked for: an integer is an index, anything else a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    /// Its place in the file, from 0.
    Index(usize),
    /// The first one of this name.
    Name(String),
}

impl FromStr for Pick {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Index))
    }
}

impl Pick {
    /// The index of what is meant among `names`; `what` names the kind of thing, `model` the file.
    ///
    /// # Errors
    /// When there is no such thing; the sentence says what there is.
    pub fn find<'a>(
        &self,
        model: &str,
        what: &str,
        names: impl ExactSizeIterator<Item = &'a str> + Clone,
    ) -> Result<usize, String> {
        let count = names.len();
        match self {
            Self::Index(index) if *index < count => Ok(*index),
            Self::Index(index) => Err(format!("{model} has {count} {what}s; there is no {what} {index}")),
            Self::Name(wanted) => names.clone().position(|name| name == wanted).ok_or_else(|| {
                if count == 0 {
                    return format!("{model} has no {what}s, so none named {wanted}");
                }
                let names: Vec<_> = names.collect();
                format!("{model} has no {what} named {wanted}; it has: {}", names.join(", "))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_indices_and_all_else_is_a_name() {
        let names = ["red", "7", "blue"];
        let find = |text: &str| {
            let Ok(pick) = text.parse::<Pick>();
            pick.find("shoe", "variant", names.iter().copied())
        };
        assert_eq!(find("blue"), Ok(2));
        assert_eq!(find("1"), Ok(1));
        assert!(find("7").is_err_and(|error| error.contains("3 variants")));
        assert!(find("green").is_err_and(|error| error.contains("red, 7, blue")));
    }
}
