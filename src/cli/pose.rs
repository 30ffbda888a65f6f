//! `dryad pose`.

use std::io::Write as _;

use glam::Vec4;
use serde_json::{Value, json};

use super::args::PoseArgs;
use super::find_clip;
use crate::character::load::Progress;
use crate::character::{SkinnedSurface, animate::Poser};
use crate::gpu::{Gpu, ShaderLibrary};
use crate::session::shortest;
use crate::viewer::{Source, jobs};

/// Prints posed positions, read back from the GPU.
pub fn run(args: &PoseArgs) -> anyhow::Result<()> {
    let data = jobs::read(&Source::named(args.model.clone()), &Progress::new())?;
    let clip = find_clip(&data, args.clip.as_deref())?;
    let gpu = Gpu::headless()?;
    let surface = SkinnedSurface::new(&gpu, &ShaderLibrary::embedded(), &data)?;
    let mut poser = Poser::new(&data);
    let times = if args.time.is_empty() { vec![0.0] } else { args.time.clone() };
    let mut poses = Vec::new();
    for time_secs in times {
        surface.set_pose(&gpu, poser.pose(&data, clip, time_secs));
        let mut encoder = gpu.encoder("pose");
        surface.skin(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        gpu.submit(encoder);
        let positions = surface.positions.read(&gpu);
        anyhow::ensure!(positions.len() == surface.vertex_count, "the GPU gave no positions back");
        let primitives: Vec<Value> = data
            .primitives
            .iter()
            .map(|p| {
                let first = p.first_vertex as usize;
                let run = &positions[first..first + p.accessor_vertex_count as usize];
                primitive(run, json!({"node": p.node, "mesh": p.mesh, "primitive": p.primitive}), args.json)
            })
            .collect();
        poses.push(json!({"time": time_secs, "primitives": primitives}));
    }
    let clip_name = clip.map_or(Value::Null, |index| data.clips[index].name.clone().into());
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", json!({"clip": clip_name, "poses": poses}))?;
        return Ok(());
    }
    writeln!(out, "clip {}", clip_name.as_str().unwrap_or("none (rest pose)"))?;
    for pose in &poses {
        writeln!(out, "time {} s", pose["time"])?;
        for p in pose["primitives"].as_array().into_iter().flatten() {
            writeln!(
                out,
                "  node {} mesh {} primitive {}: {} vertices from {} to {}",
                p["node"], p["mesh"], p["primitive"], p["vertices"], p["min"], p["max"]
            )?;
        }
    }
    Ok(())
}

fn primitive(run: &[Vec4], mut entry: Value, with_positions: bool) -> Value {
    let min = run.iter().fold(Vec4::INFINITY, |a, &b| a.min(b));
    let max = run.iter().fold(Vec4::NEG_INFINITY, |a, &b| a.max(b));
    let triple = |v: Vec4| json!([shortest(v.x), shortest(v.y), shortest(v.z)]);
    entry["vertices"] = run.len().into();
    if !run.is_empty() {
        entry["min"] = triple(min);
        entry["max"] = triple(max);
    }
    if with_positions {
        entry["positions"] =
            run.iter().flat_map(|p| [p.x, p.y, p.z]).map(|x| json!(shortest(x))).collect::<Vec<_>>().into();
    }
    entry
}
