//! `dryad info`.

use std::io::Write as _;

use super::args::InfoArgs;
use crate::character::{info, load};

/// Prints what is in a file.
pub fn run(args: &InfoArgs) -> anyhow::Result<()> {
    let data = load::load(&args.model, &load::Progress::new())?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&info::json(&data))?)?;
    } else {
        writeln!(out, "{}", info::text(&data).trim_end())?;
    }
    Ok(())
}
