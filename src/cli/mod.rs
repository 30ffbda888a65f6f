//! The command line: one function a task, each a thin shell around the library.

pub mod args;
mod bench;
mod export;
mod info;
mod open;
mod params;
mod pose;
mod render;

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;
use indicatif::{ProgressBar, ProgressStyle};

use crate::character::data::CharacterData;
use crate::params::Params;
use crate::session::Session;
use crate::viewer::{LightSource, Pick, Setup, Source};
use args::{Cli, SceneArgs, Task};

/// Wrong use of the command line that clap cannot see, such as an unknown parameter: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongUse(pub String);

/// Runs the program: 0 done, 1 failed, 2 wrong use.
#[must_use]
pub fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("error")).init();
    let cli = Cli::parse();
    let outcome = match cli.command {
        None => open::run(&cli.open),
        Some(Task::Render(args)) => render::run(&args),
        Some(Task::Export(args)) => export::run(&args),
        Some(Task::Info(args)) => info::run(&args),
        Some(Task::Pose(args)) => pose::run(&args),
        Some(Task::Bench(args)) => bench::run(&args),
        Some(Task::Params(args)) => params::run(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed pipe is how `| head` says that it has seen enough.
            if error
                .downcast_ref::<std::io::Error>()
                .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
            {
                return ExitCode::SUCCESS;
            }
            eprintln!("dryad: {error:#}");
            if error.is::<WrongUse>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// What the command line asks to be shown, with its parameters checked.
fn scene(args: &SceneArgs) -> anyhow::Result<Setup> {
    let session = args.session.as_deref().map(Session::load).transpose()?;
    let model = args.model.clone().or_else(|| session.as_ref()?.model.clone());
    let source = model.map_or(Source::BuiltIn, Source::named);
    let light = args.environment.clone().or_else(|| session.as_ref()?.environment.clone());
    let light = light.map_or(LightSource::Studio, LightSource::File);
    let (variant, camera) = (args.variant.clone(), args.camera.clone());
    let set = args.set.clone();
    let setup = Setup { source, light, preset: args.preset, session, set, variant, camera };
    setup.change(&mut Params::default()).map_err(|error| WrongUse(error.to_string()))?;
    Ok(setup)
}

/// The clip that `--clip` names: an index, a name, or `none`; the first one without it.
fn find_clip(data: &CharacterData, wanted: Option<&str>) -> anyhow::Result<Option<usize>> {
    let Some(wanted) = wanted else { return Ok((!data.clips.is_empty()).then_some(0)) };
    if wanted == "none" {
        return Ok(None);
    }
    let Ok(pick) = wanted.parse::<Pick>();
    let found = pick.find(&data.name, "clip", data.clips.iter().map(|clip| clip.name.as_str()));
    found.map(Some).map_err(|sentence| WrongUse(sentence).into())
}

/// That variant and camera of the command line exist.
fn check_picks(data: &CharacterData, args: &SceneArgs) -> Result<(), WrongUse> {
    let variants = data.variants.iter().map(String::as_str);
    args.variant
        .as_ref()
        .map(|pick| pick.find(&data.name, "variant", variants))
        .transpose()
        .map_err(WrongUse)?;
    let cameras = data.cameras.iter().map(|camera| camera.name.as_str());
    args.camera
        .as_ref()
        .map(|pick| pick.find(&data.name, "camera", cameras))
        .transpose()
        .map_err(WrongUse)?;
    Ok(())
}

/// Writes a text file whole or not at all.
fn write_text(path: &std::path::Path, text: &str) -> anyhow::Result<()> {
    crate::record::image::write_whole(path, text.as_bytes())
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// A bar with time left on a terminal; nothing in a pipe or with `--quiet`.
fn progress(quiet: bool, message: &'static str) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0).with_message(message);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}
