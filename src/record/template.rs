//! File names with a frame number: `shot_{frame:04}.png`.

use std::path::{Path, PathBuf};

/// Why a name template is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// An unknown field or a bad width.
    #[error("`{{{field}}}` in {name} is not known; use {{frame}} or {{frame:04}}")]
    Field {
        /// The file name.
        name: String,
        /// What stands in the braces.
        field: String,
    },
    /// A brace without its partner.
    #[error("{name} has a brace without its partner")]
    Brace {
        /// The file name.
        name: String,
    },
}

/// A parsed output path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    folder: PathBuf,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Frame(usize),
}

impl Template {
    /// Parses the file name of a path; folders are taken as they are.
    ///
    /// # Errors
    /// When a field is unknown or a brace stands alone.
    pub fn parse(path: &Path) -> Result<Self, TemplateError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut parts = Vec::new();
        let mut rest = name.as_str();
        let brace = || TemplateError::Brace { name: name.clone() };
        while let Some(open) = rest.find(['{', '}']) {
            if rest.as_bytes()[open] == b'}' {
                return Err(brace());
            }
            parts.push(Part::Text(rest[..open].into()));
            let close = open + rest[open..].find('}').ok_or_else(brace)?;
            let field = &rest[open + 1..close];
            let unknown = || TemplateError::Field { name: name.clone(), field: field.into() };
            let width = match field.strip_prefix("frame").ok_or_else(unknown)? {
                "" => 0,
                spec => spec
                    .strip_prefix(":0")
                    .and_then(|digits| digits.parse().ok())
                    .filter(|width| *width <= 20)
                    .ok_or_else(unknown)?,
            };
            parts.push(Part::Frame(width));
            rest = &rest[close + 1..];
        }
        parts.push(Part::Text(rest.into()));
        Ok(Self { folder: path.parent().unwrap_or(Path::new("")).into(), parts })
    }

    /// Whether each frame has a file of its own.
    #[must_use]
    pub fn has_frame(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Frame(_)))
    }

    /// The path of one frame.
    #[must_use]
    pub fn path(&self, frame: u64) -> PathBuf {
        let mut name = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => name.push_str(text),
                Part::Frame(width) => name.push_str(&format!("{frame:0width$}")),
            }
        }
        self.folder.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_numbered_as_asked() {
        let template = Template::parse(Path::new("a/f_{frame:04}.png")).expect("right");
        assert_eq!(template.path(7), Path::new("a/f_0007.png"));
        assert_eq!(template.path(12345), Path::new("a/f_12345.png"));
        assert!(template.has_frame());
        let plain = Template::parse(Path::new("a{b}/x.png")).expect("folders are taken as they are");
        assert_eq!((plain.path(3), plain.has_frame()), (PathBuf::from("a{b}/x.png"), false));
    }

    #[test]
    fn wrong_templates_are_refused() {
        for name in ["{date}.png", "{frame:x}.png", "{frame.png", "frame}.png", "{frame:099}.png"] {
            assert!(Template::parse(Path::new(name)).is_err(), "{name}");
        }
    }
}
