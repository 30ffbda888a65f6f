//! `dryad info`.

use std::io::Write as _;

use super::args::InfoArgs;
use crate::character::info;
use crate::character::load::Progress;
use crate::viewer::{Source, jobs};

/// Prints what is in a file.
pub fn run(args: &InfoArgs) -> anyhow::Result<()> {
    let data = jobs::read(&Source::named(args.model.clone()), &Progress::new())?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&info::json(&data))?)?;
    } else {
        writeln!(out, "{}", info::text(&data).trim_end())?;
    }
    Ok(())
}
