//! The choreography: what the figure does, written as scores of keys. Every clip is a loop.

mod breathe;
mod dance;
mod stretch;
mod walk;

use super::pose::Stance;
use super::track::curve;
use std::collections::BTreeMap;

/// A looping clip: its name, length in seconds and stance at any time.
pub struct Clip {
    pub name: &'static str,
    pub seconds: f64,
    pub stance: Box<dyn Fn(f64) -> Stance>,
}

/// All clips; viewers play the first.
pub fn clips() -> Vec<Clip> {
    vec![dance::clip(), breathe::clip(), walk::clip(), stretch::clip()]
}

/// Named curves that repeat every `period`.
struct Score {
    lines: BTreeMap<&'static str, Vec<(f64, f64)>>,
    period: f64,
}

impl Score {
    /// Reads lines of a name and `time value` keys between commas; indented lines go on with the line before.
    ///
    /// Panics on anything else: scores are part of the program.
    fn read(text: &'static str, period: f64) -> Self {
        let number = |text: &str| text.parse::<f64>().expect("a key holds numbers");
        let mut lines: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        let mut name = "";
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let mut keys = line;
            if !line.starts_with(' ') {
                (name, keys) = line.split_once(' ').expect("a line is a name and keys");
            }
            for key in keys.split(',').map(str::trim).filter(|key| !key.is_empty()) {
                let (time, value) = key.split_once(' ').expect("a key is a time and a value");
                lines.entry(name).or_default().push((number(time), number(value)));
            }
        }
        Self { lines, period }
    }

    /// The value of a named line.
    fn at(&self, line: &str, time: f64) -> f64 {
        let keys = self.lines.get(line).unwrap_or_else(|| panic!("the score has no line {line}"));
        curve(keys, self.period, time)
    }
}
