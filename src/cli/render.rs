//! `dryad render`.

use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;

use super::args::{self, Only, RenderArgs, View};
use super::{WrongUse, check_picks, find_clip, progress, write_text};
use crate::gpu::Gpu;
use crate::gpu::capture::PendingCapture;
use crate::params::Params;
use crate::record::report::Report;
use crate::record::sequence::SequenceWriter;
use crate::record::template::Template;
use crate::render::Targets;
use crate::render::camera::Camera;
use crate::viewer::{Setup, Take, Viewer, WarmUp};

/// Frames whose pixels may be on their way from the GPU.
const IN_FLIGHT: usize = 2;

/// Renders a picture or a sequence.
pub fn run(args: &RenderArgs) -> anyhow::Result<()> {
    let started = Instant::now();
    let setup = super::scene(&args.scene)?;
    let template = output(&args.out)?;
    let gpu = Gpu::headless()?.keep_pipelines(crate::folders::cache().as_deref());
    let limit = gpu.limits.max_texture_dimension_2d;
    if args.size.0 > limit || args.size.1 > limit {
        return Err(WrongUse(format!("this adapter draws pictures of at most {limit} pixels a side")).into());
    }
    let mut viewer = Viewer::new(gpu)?;
    let warnings = setup.apply(&mut viewer)?;
    choose(args, &mut viewer.params);
    if let Some(seed) = args.seed {
        viewer.set_seed(seed);
    }
    let bar = progress(args.quiet, "loading");
    viewer.light_now(&setup.light)?;
    viewer.load_now(setup.source.clone())?;
    if let Some(character) = viewer.character() {
        check_picks(&character.data, &args.scene)?;
    }
    let take = take(args, &setup, &viewer)?;
    place_camera(args, &setup, &mut viewer, take.clip);

    bar.set_message("warming up");
    let mut state = viewer.begin_take(take, &|ticks| bar.set_message(format!("warming up, tick {ticks}")))?;
    let frames = args.frames.clone().unwrap_or(0..1);
    let single = !template.has_frame();
    let samples = Targets::wanted_samples(&viewer.params);
    let mut targets = Targets::new(&viewer.gpu, args.size.0, args.size.1, samples);
    let writer = SequenceWriter::start();
    let mut pending: Vec<(u64, String, PendingCapture)> = Vec::new();
    let mut drawn = 0;
    bar.set_length(frames.end);
    bar.set_message("rendering");
    let deliver = |viewer: &Viewer, (frame, text, capture): (u64, String, PendingCapture)| {
        anyhow::Ok(writer.push(template.path(frame), capture.finish(&viewer.gpu)?, text))
    };
    'frames: for frame in 0..frames.end {
        viewer.simulate_frame(&mut state, frame)?;
        bar.set_position(frame + 1);
        if frame < frames.start || single && frame + 1 < frames.end {
            continue;
        }
        viewer.draw_frame(&mut targets, args.transparent)?;
        drawn += 1;
        let text = viewer.session(false).to_text();
        pending.push((frame, text, PendingCapture::begin(&viewer.gpu, targets.picture().raw())?));
        if pending.len() > IN_FLIGHT && !deliver(&viewer, pending.remove(0))? {
            break 'frames;
        }
    }
    for item in pending {
        if !deliver(&viewer, item)? {
            break;
        }
    }
    writer.finish()?;
    viewer.gpu.pipelines.save();
    bar.finish_and_clear();
    if let Some(path) = &args.report {
        let wall_s = started.elapsed().as_secs_f64();
        let report = Report::read(&viewer, state.ticks_done(), drawn, wall_s, warnings);
        write_text(path, &serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}

/// Checks the output path before anything is loaded.
fn output(path: &Path) -> anyhow::Result<Template> {
    let template = Template::parse(path).map_err(|error| WrongUse(error.to_string()))?;
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ending != "png" {
        let wrong = format!("{} must end in .png; name a sequence DIR/name_{{frame:05}}.png", path.display());
        return Err(WrongUse(wrong).into());
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    }
    Ok(template)
}

/// `--only`, `--view` and `--samples` are parameters under shorter names.
fn choose(args: &RenderArgs, params: &mut Params) {
    if let Some(only) = args.only {
        params.growth.enabled = only == Only::Growth;
        params.boids.enabled = only == Only::Boids;
        params.wrinkles.enabled = only == Only::Wrinkles;
    }
    if let Some(view) = args.view {
        params.view.mode = match view {
            View::Shaded => 0,
            View::Strain => 1,
            View::Mask => 2,
            View::Field => 3,
            View::Weights => 4,
            View::Normals => 5,
        };
    }
    if let Some(samples) = &args.samples {
        // The choices of `view.msaa` in order: 1, then powers of two from 4.
        let samples: u32 = samples.parse().unwrap_or(4);
        params.view.msaa = samples.max(2).ilog2() - 1;
    }
}

fn take(args: &RenderArgs, setup: &Setup, viewer: &Viewer) -> anyhow::Result<Take> {
    let data = &viewer.character().context("no character was loaded")?.data;
    let session = setup.session.as_ref();
    let clip = args.clip.as_deref().or_else(|| session?.clip.as_deref());
    let clip = find_clip(data, clip)?;
    let warm_up = match args.warm_up {
        Some(args::WarmUp::Ticks(ticks)) => WarmUp::Ticks(ticks),
        Some(args::WarmUp::Grown) => WarmUp::Grown,
        None if args.frames.is_none() && args.only != Some(Only::None) => WarmUp::Grown,
        None => WarmUp::Ticks(0),
    };
    Ok(Take {
        clip,
        time_secs: args.time.or(session.map(|session| session.time)).unwrap_or(0.0),
        fps: args.fps.unwrap_or(60.0),
        warm_up,
    })
}

fn place_camera(args: &RenderArgs, setup: &Setup, viewer: &mut Viewer, clip: Option<usize>) {
    if let (Some(eye), Some(target)) = (args.camera_eye, args.camera_target) {
        let fov = args.fov.unwrap_or(viewer.camera.vfov_deg);
        viewer.look_freely();
        viewer.params.view.projection = 0;
        viewer.camera.set_camera(&Camera::new(eye.into(), target.into(), fov));
        return;
    }
    if let Some(fov) = args.fov {
        viewer.camera.vfov_deg = fov;
    }
    // A camera of the session is in place already.
    if setup.session.as_ref().is_none_or(|session| session.camera.is_none()) {
        viewer.frame_clip(clip);
    }
}
