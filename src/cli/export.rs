//! `dryad export`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;

use super::args::ExportArgs;
use super::{WrongUse, progress};
use crate::export::{self, ExportOptions, ExportRequest};
use crate::params::Params;
use crate::viewer::jobs::{self, Job};
use crate::viewer::{DEFAULT_SEED, Source};

/// How often the bar is brought up to date.
const LOOK: Duration = Duration::from_millis(50);

/// Writes a character with its branches.
pub fn run(args: &ExportArgs) -> anyhow::Result<()> {
    let setup = super::scene(&args.scene)?;
    let ending = args.out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ending != "glb" {
        return Err(WrongUse(format!("{} must end in .glb", args.out.display())).into());
    }
    if let Source::File(model) = &setup.source
        && model.canonicalize().ok().is_some_and(|model| args.out.canonicalize().ok() == Some(model))
    {
        return Err(
            WrongUse(format!("{} is the model itself; choose another name", args.out.display())).into()
        );
    }
    let mut params = Params::default();
    let mut warnings = setup.change(&mut params)?;
    let seed = args.seed.or(setup.session.as_ref().map(|session| session.seed)).unwrap_or(DEFAULT_SEED);

    let bar = progress(args.quiet, "loading");
    bar.set_length(100);
    let character = finish(jobs::load(setup.source.clone()), &bar, 0.1)??;
    bar.set_message("growing");
    let options = ExportOptions { sides: args.sides, rings: args.rings, branches_only: args.branches_only };
    let request = ExportRequest {
        source: setup.source,
        character: Arc::new(character),
        params: params.growth,
        seed,
        options,
    };
    let (glb, mut summary) = finish(Job::start(move |progress| request.run(progress)), &bar, 1.0)??;
    export::save(&args.out, &glb)?;
    bar.finish_and_clear();
    if args.quiet {
        return Ok(());
    }
    warnings.append(&mut summary.warnings);
    for warning in warnings {
        eprintln!("dryad: {warning}");
    }
    println!(
        "{}: {} branch nodes on {} joints, {} vertices, {} triangles, {} bytes",
        args.out.display(),
        summary.nodes,
        summary.joints,
        summary.vertices,
        summary.triangles,
        summary.bytes
    );
    Ok(())
}

/// Waits for work, showing how far it has come: its whole is `part` of the bar.
fn finish<T: Send + 'static>(job: Job<T>, bar: &indicatif::ProgressBar, part: f32) -> anyhow::Result<T> {
    loop {
        if let Some(outcome) = job.poll() {
            return outcome.ok().context("a worker thread failed unexpectedly");
        }
        bar.set_position((100.0 * part * job.progress.fraction()) as u64);
        std::thread::sleep(LOOK);
    }
}
