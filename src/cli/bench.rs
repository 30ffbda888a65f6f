//! `dryad bench`.

use super::args::BenchArgs;
use super::progress;
use crate::bench;
use crate::gpu::Gpu;

/// Measures and prints.
pub fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let gpu = Gpu::headless()?;
    let bar = progress(args.json, "calibrating");
    let report = bench::run(&gpu, args.subject, args.quick, &|what| bar.set_message(what.to_owned()))?;
    bar.finish_and_clear();
    if let Some(error) = gpu.take_errors().into_iter().next() {
        anyhow::bail!("the graphics device reported: {error}");
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.to_text());
    }
    Ok(())
}
