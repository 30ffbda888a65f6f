//! The window.

use anyhow::Context as _;

use super::args::OpenArgs;
use crate::app::{self, AppOptions, Automation};

/// Opens the window.
pub fn run(args: &OpenArgs) -> anyhow::Result<()> {
    let automation = args.automate.as_ref().map(|path| {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        Ok::<_, anyhow::Error>(Automation::parse(&text)?)
    });
    let setup = super::scene(&args.scene)?;
    app::run(AppOptions {
        setup,
        pipelines_folder: crate::folders::cache(),
        automation: automation.transpose()?,
    })?;
    Ok(())
}
