//! What `dryad info` says about a file, for people and for scripts.

mod json;

use std::fmt::Write as _;

use glam::Vec3;
pub use json::json;

use super::animate::rest_pose;
use super::cpu_skin::{Bounds, bounds};
use super::data::{
    AlphaMode, CharacterData, Clip, ColorSpace, Image, ImageFormat, Interpolation, Light, LightKind,
    Material, Projection, SceneCamera,
};

/// A summary for people, one fact a line, ending with a newline.
#[must_use]
pub fn text(data: &CharacterData) -> String {
    let mut out = String::new();
    let mut line = |label: &str, value: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{label:<12} {value}");
    };
    let facts = &data.facts;
    let path = data.path.display().to_string();
    line("file", if path.is_empty() { data.name.clone() } else { path });
    line("size", bytes(facts.bytes));
    if let Some(generator) = &facts.generator {
        line("generator", plain(generator));
    }
    if let Some(copyright) = &facts.copyright {
        line("copyright", plain(copyright));
    }
    let Counts { joints, vertices, triangles, morph_targets } = Counts::of(data);
    line(
        "scene",
        format!(
            "{} of {}, {} in the file",
            data.node_order.len(),
            counted(data.nodes.len(), "node"),
            counted(facts.scenes, "scene")
        ),
    );
    line("skeleton", format!("{}, {}", counted(joints, "joint"), counted(facts.skins, "skin")));
    line(
        "geometry",
        format!(
            "{} drawn, {} in the file",
            counted(data.primitives.len(), "primitive"),
            counted(facts.meshes, "mesh")
        ),
    );
    line("", format!("{}, {}", counted(vertices, "vertex"), counted(triangles, "triangle")));
    if morph_targets > 0 {
        line("morphing", counted(morph_targets, "target"));
    }
    let Bounds { min, max } = bounds(data, &rest_pose(data));
    if min.x <= max.x {
        let size = max - min;
        line("at rest", format!("{:.4} × {:.4} × {:.4} units", size.x, size.y, size.z));
        line("", format!("from {:.4} {:.4} {:.4}", min.x, min.y, min.z));
        line("", format!("to   {:.4} {:.4} {:.4}", max.x, max.y, max.z));
    }
    if !facts.extensions_used.is_empty() {
        line("extensions", plain(&facts.extensions_used.join(", ")));
    }
    if !facts.extensions_required.is_empty() {
        line("required", plain(&facts.extensions_required.join(", ")));
    }
    let mut list = |label: &str, entries: Vec<String>| {
        for (index, entry) in entries.into_iter().enumerate() {
            line(if index == 0 { label } else { "" }, entry);
        }
    };
    list("materials", file_materials(data).iter().map(material_line).collect());
    if !data.variants.is_empty() {
        list("variants", vec![plain(&data.variants.join(", "))]);
    }
    list("images", data.images.iter().enumerate().map(image_line).collect());
    list("lights", data.lights.iter().map(|light| light_line(data, light)).collect());
    list("cameras", data.cameras.iter().map(|camera| camera_line(data, camera)).collect());
    list("clips", data.clips.iter().enumerate().map(clip_line).collect());
    list("warnings", data.warnings.iter().map(|warning| plain(warning)).collect());
    out
}

/// Numbers that both forms tell.
struct Counts {
    joints: usize,
    /// Those of the POSITION accessors, without the copies that shading needs.
    vertices: usize,
    triangles: usize,
    morph_targets: usize,
}

impl Counts {
    fn of(data: &CharacterData) -> Self {
        Self {
            joints: data.nodes.iter().filter(|node| node.is_joint).count(),
            vertices: data.primitives.iter().map(|p| p.accessor_vertex_count as usize).sum(),
            triangles: data.indices.len() / 3,
            morph_targets: data.morph_weights.len(),
        }
    }
}

/// Materials without the default one, which stands last and in no file.
fn file_materials(data: &CharacterData) -> &[Material] {
    data.materials.split_last().map_or(&[], |(_, materials)| materials)
}

/// The extensions that make a difference to a material, by name.
fn features(material: &Material) -> Vec<&'static str> {
    let sheen = material.sheen.color != Vec3::ZERO;
    let specular = material.specular != super::data::Specular::default();
    let metal = material.metallic > 0.0 && !material.unlit;
    [
        (material.double_sided, "double-sided"),
        (material.unlit, "unlit"),
        (metal && material.metallic_roughness_texture.is_none() && material.metallic == 1.0, "metal"),
        (material.emissive != Vec3::ZERO, "emissive"),
        (specular, "specular"),
        (material.ior != Material::default().ior, "ior"),
        (material.clearcoat.factor > 0.0, "clearcoat"),
        (sheen, "sheen"),
        (material.transmission.factor > 0.0, "transmission"),
    ]
    .into_iter()
    .filter_map(|(present, name)| present.then_some(name))
    .collect()
}

fn material_line(material: &Material) -> String {
    let mut line = plain(&material.name);
    if material.alpha != AlphaMode::Opaque {
        let _ = write!(line, ", {}", alpha_name(material.alpha));
    }
    for feature in features(material) {
        let _ = write!(line, ", {feature}");
    }
    let textures: Vec<String> =
        material.textures().map(|(what, slot)| format!("{what} {}", slot.image)).collect();
    if !textures.is_empty() {
        let _ = write!(line, " (images: {})", textures.join(", "));
    }
    line
}

fn image_line((index, image): (usize, &Image)) -> String {
    let mut line = format!("{index}: {} × {}", image.width, image.height);
    if image.stored_size != [image.width, image.height] {
        let _ = write!(line, " of {} × {}", image.stored_size[0], image.stored_size[1]);
    }
    let _ = write!(line, " {}, {}", format_name(image.format), color_space_name(image.color_space));
    if image.name != format!("image {index}") {
        let _ = write!(line, ", {}", plain(&image.name));
    }
    line
}

fn light_line(data: &CharacterData, light: &Light) -> String {
    let unit = if light.kind == LightKind::Directional { "lx" } else { "cd" };
    let mut line = format!("{}, {}, {} {unit}", plain(&light.name), light_name(light.kind), light.intensity);
    if let Some(range) = light.range {
        let _ = write!(line, ", range {range}");
    }
    let _ = write!(line, ", on {}", plain(&data.nodes[light.node as usize].name));
    line
}

fn camera_line(data: &CharacterData, camera: &SceneCamera) -> String {
    let seen = match camera.projection {
        Projection::Perspective { y_fov, .. } => format!("perspective, {:.1}°", y_fov.to_degrees()),
        Projection::Orthographic { x_mag, y_mag, .. } => {
            format!("orthographic, {} × {}", 2.0 * x_mag.abs(), 2.0 * y_mag.abs())
        }
    };
    format!("{}, {seen}, on {}", plain(&camera.name), plain(&data.nodes[camera.node as usize].name))
}

fn clip_line((index, clip): (usize, &Clip)) -> String {
    let mut ways: Vec<&str> = Vec::new();
    for channel in &clip.channels {
        let way = match channel.interpolation {
            Interpolation::Step => "step",
            Interpolation::Linear => "linear",
            Interpolation::CubicSpline => "cubic spline",
        };
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    let mut line = format!(
        "{index}: {}, {:.3} s, {} channels",
        plain(&clip.name),
        clip.duration_secs,
        clip.channels.len()
    );
    if !ways.is_empty() {
        let _ = write!(line, " ({})", ways.join(", "));
    }
    line
}

fn alpha_name(alpha: AlphaMode) -> &'static str {
    match alpha {
        AlphaMode::Opaque => "opaque",
        AlphaMode::Mask(_) => "mask",
        AlphaMode::Blend => "blend",
    }
}

fn format_name(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "PNG",
        ImageFormat::Jpeg => "JPEG",
        ImageFormat::WebP => "WebP",
        ImageFormat::Ktx2 => "KTX2",
        ImageFormat::Basis => "Basis",
        ImageFormat::Placeholder => "placeholder",
    }
}

fn color_space_name(color_space: ColorSpace) -> &'static str {
    match color_space {
        ColorSpace::Srgb => "sRGB",
        ColorSpace::Linear => "linear",
    }
}

fn light_name(kind: LightKind) -> &'static str {
    match kind {
        LightKind::Directional => "directional",
        LightKind::Point => "point",
        LightKind::Spot { .. } => "spot",
    }
}

/// A number and its noun, in the plural where due.
fn counted(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "vertex") => format!("{count} vertices"),
        (_, "mesh") => format!("{count} meshes"),
        _ => format!("{count} {noun}s"),
    }
}

/// A name from the file, without characters that would disturb a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", count as f64 / 1024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}
