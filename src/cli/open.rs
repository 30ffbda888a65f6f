//! The window.

use super::args::OpenArgs;
use crate::app;

/// Opens the window.
pub fn run(args: &OpenArgs) -> anyhow::Result<()> {
    app::run(app::AppOptions::new(args.clone()))?;
    Ok(())
}
