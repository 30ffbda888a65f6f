//! The command line as clap sees it.

use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::presets::{self, Preset};
use crate::viewer::Pick;

/// Opens an animated glTF character and lets branches, a flock and folds live on it.
#[derive(Debug, Parser)]
#[command(name = "dryad", version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without one, the window opens.
    #[command(subcommand)]
    pub command: Option<Task>,
    /// Arguments of the window.
    #[command(flatten)]
    pub open: OpenArgs,
}

/// Everything but the window.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Render a picture or a numbered sequence without a window.
    Render(Box<RenderArgs>),
    /// Write branches as a skinned mesh into the character's own file, or with its skeleton and clips alone.
    Export(ExportArgs),
    /// Say what is in a glTF file, warnings included.
    Info(InfoArgs),
    /// Print posed world positions and bounds, read back from the GPU's skinning.
    Pose(PoseArgs),
    /// Measure what the simulations cost here, beside the originals' kernels.
    Bench(BenchArgs),
    /// List every parameter: path, range, default, unit, help.
    Params(ParamsArgs),
}

/// Where the character and its settings come from.
#[derive(Debug, Clone, Default, Args)]
pub struct SceneArgs {
    /// A glTF file (.glb, .gltf, .vrm), builtin:sphere or builtin:box; the built-in figure without one.
    pub model: Option<PathBuf>,
    /// Start from one of the looks that come with the program: coral, ember, frost, roots, veins.
    #[arg(long, value_name = "NAME", value_parser = presets::find)]
    pub preset: Option<&'static Preset>,
    /// Restore a session: a .toml file, or a picture made by Dryad.
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,
    /// Light the scene by an equirectangular .hdr or .exr picture; by the built-in studio without one.
    #[arg(long, value_name = "FILE")]
    pub environment: Option<PathBuf>,
    /// Set a parameter; may be repeated. `dryad params` lists them.
    #[arg(long, value_name = "PATH=VALUE", allow_hyphen_values = true, value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// A variant of the file's materials, by name or index; the file as it is without it.
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<Pick>,
    /// Look through a camera of the file, by name or index.
    #[arg(long, value_name = "NAME|INDEX")]
    pub camera: Option<Pick>,
}

/// Arguments of the window.
#[derive(Debug, Clone, Default, Args)]
pub struct OpenArgs {
    /// What to show.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Drive the window by a script; for tests.
    #[arg(long, value_name = "FILE", hide = true)]
    pub automate: Option<PathBuf>,
}

/// Arguments of `render`.
#[derive(Debug, Clone, Args)]
pub struct RenderArgs {
    /// What to render.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// FILE.png, or a name with the frame's number in it: DIR/name_{frame:05}.png.
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    /// Size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub size: (u32, u32),
    /// Frames A to B-1, the clip looping; earlier ones are simulated, not drawn.
    #[arg(long, value_name = "A..B", value_parser = frames)]
    pub frames: Option<Range<u64>>,
    /// Frames a second; 60 without it.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub fps: Option<f64>,
    /// Clip time of frame 0 in seconds, clamped to the clip's ends.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = finite)]
    pub time: Option<f64>,
    /// A clip's name or index, or `none` for the rest pose; the first clip without it.
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    pub clip: Option<String>,
    /// Ticks that run before frame 0, or `grown`: until growth has finished.
    #[arg(long, value_name = "TICKS|grown", value_parser = warm_up)]
    pub warm_up: Option<WarmUp>,
    /// Samples a pixel; above 4 as the mean of shifted pictures, in linear light.
    #[arg(long, value_name = "N", value_parser = ["1", "4", "8", "16", "32", "64"])]
    pub samples: Option<String>,
    /// Where the camera stands, in metres.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = vector, requires = "camera_target", conflicts_with = "camera")]
    pub camera_eye: Option<[f64; 3]>,
    /// Where the camera looks, in metres.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = vector, requires = "camera_eye")]
    pub camera_target: Option<[f64; 3]>,
    /// Vertical field of view.
    #[arg(long, value_name = "DEG", value_parser = field_of_view)]
    pub fov: Option<f64>,
    /// Shaded, or a data view that bypasses light, exposure and tone.
    #[arg(long, value_enum)]
    pub view: Option<View>,
    /// Leave the background out.
    #[arg(long)]
    pub transparent: bool,
    /// Run one simulation alone, or none.
    #[arg(long, value_enum)]
    pub only: Option<Only>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Write what the GPU holds after the last frame as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Say nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Arguments of `export`.
#[derive(Debug, Clone, Args)]
pub struct ExportArgs {
    /// What to export.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// FILE.glb.
    #[arg(long, value_name = "FILE.glb")]
    pub out: PathBuf,
    /// Seed of growth.
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Leave the character's meshes and materials out.
    #[arg(long)]
    pub branches_only: bool,
    /// Corners of the tubes.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(3..=64))]
    pub sides: u32,
    /// Rings a segment; 1 makes straight ones.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub rings: u32,
    /// Say nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Arguments of `info`.
#[derive(Debug, Clone, Args)]
pub struct InfoArgs {
    /// The file, or the name of what is built in: builtin:dancer, builtin:sphere, builtin:box.
    pub model: PathBuf,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `pose`.
#[derive(Debug, Clone, Args)]
pub struct PoseArgs {
    /// The file, or the name of what is built in: builtin:dancer, builtin:sphere, builtin:box.
    pub model: PathBuf,
    /// A clip's name or index, or `none` for the rest pose; the first clip without it.
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    pub clip: Option<String>,
    /// Clip time in seconds; may be repeated.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = finite)]
    pub time: Vec<f64>,
    /// As JSON, with every position.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `bench`.
#[derive(Debug, Clone, Args)]
pub struct BenchArgs {
    /// What to measure; everything without it.
    #[arg(value_enum)]
    pub subject: Option<crate::bench::Subject>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
    /// Small sizes and few rounds: seconds instead of minutes.
    #[arg(long)]
    pub quick: bool,
}

/// Arguments of `params`.
#[derive(Debug, Clone, Args)]
pub struct ParamsArgs {
    /// As TOML, ready for a session.
    #[arg(long, conflicts_with = "json")]
    pub toml: bool,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// What runs before frame 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUp {
    /// So many ticks.
    Ticks(u64),
    /// Until growth has finished.
    Grown,
}

/// Views of `render`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Lit.
    Shaded,
    /// Compression in blue and stretch in orange, full at `wrinkles.legend`; grey at rest.
    Strain,
    /// The flock's vector field: a box a cell, vectors from -1 to 1 as colours from 0 to 255.
    Field,
    /// Which joints move the skin: a colour a joint, mixed by weight.
    Weights,
    /// Posed normals: x, y and z from -1 to 1 as red, green and blue from 0 to 255.
    Normals,
    /// The model alone, white on black.
    Mask,
}

/// Which simulations run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Only {
    /// Branches alone.
    Growth,
    /// The flock alone.
    Boids,
    /// Folds alone.
    Wrinkles,
    /// The character alone.
    None,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (path, value) = text.split_once('=').ok_or("write PATH=VALUE")?;
    Ok((path.trim().into(), value.trim().into()))
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or("write WIDTHxHEIGHT, as in 1280x720")?;
    let side = |text: &str| {
        text.trim().parse().ok().filter(|&n| n > 0).ok_or_else(|| format!("`{text}` is no size in pixels"))
    };
    Ok((side(width)?, side(height)?))
}

fn frames(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("write A..B, as in 0..240")?;
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| format!("`{text}` is no frame number"));
    let range = number(first)?..number(end)?;
    if range.is_empty() { Err(format!("{text} holds no frame")) } else { Ok(range) }
}

fn finite(text: &str) -> Result<f64, String> {
    text.trim().parse().ok().filter(|n: &f64| n.is_finite()).ok_or_else(|| format!("`{text}` is no number"))
}

fn positive(text: &str) -> Result<f64, String> {
    finite(text).and_then(|n| {
        if (0.01..=10_000.0).contains(&n) { Ok(n) } else { Err("it must lie between 0.01 and 10000".into()) }
    })
}

fn field_of_view(text: &str) -> Result<f64, String> {
    finite(text).and_then(|n| {
        if (1.0..=170.0).contains(&n) { Ok(n) } else { Err("it must lie between 1 and 170 degrees".into()) }
    })
}

fn vector(text: &str) -> Result<[f64; 3], String> {
    let parts = text.split(',').map(finite).collect::<Result<Vec<_>, _>>()?;
    parts.try_into().map_err(|_| "write three numbers X,Y,Z".into())
}

fn warm_up(text: &str) -> Result<WarmUp, String> {
    if text == "grown" {
        return Ok(WarmUp::Grown);
    }
    text.parse().map(WarmUp::Ticks).map_err(|_| "write a number of ticks, or grown".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    #[test]
    fn values_may_begin_with_a_minus() {
        let cli =
            parse("dryad render a.glb --out x.png --camera-eye -1,2,-3 --camera-target 0,0,0 --time -1")
                .expect("right use");
        let Some(Task::Render(args)) = cli.command else { panic!("render") };
        assert_eq!(args.camera_eye, Some([-1.0, 2.0, -3.0]));
        assert_eq!(args.time, Some(-1.0));
    }

    #[test]
    fn wrong_use_is_refused() {
        for line in [
            "dryad render a.glb",
            "dryad render a.glb --out x.png --frames 5..5",
            "dryad render a.glb --out x.png --size 0x5",
            "dryad render a.glb --out x.png --time nan",
            "dryad render a.glb --out x.png --warm-up soon",
            "dryad render a.glb --out x.png --camera-eye 1,2",
            "dryad render a.glb --out x.png --view pretty",
            "dryad render a.glb --out x.png --samples 5",
            "dryad render a.glb --out x.png --camera 0 --camera-eye 1,2,3 --camera-target 0,0,0",
            "dryad info",
            "dryad a.glb --set broken",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_model_alone_opens_the_window() {
        let cli = parse("dryad some/model.glb --set growth.spacing=0.02").expect("right use");
        assert!(cli.command.is_none());
        assert_eq!(cli.open.scene.set, [("growth.spacing".to_owned(), "0.02".to_owned())]);
    }
}
