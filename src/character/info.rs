//! What `dryad info` says about a file, for people and for scripts.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::animate::rest_pose;
use super::cpu_skin::{Bounds, bounds};
use super::data::{AlphaMode, CharacterData, Clip, Image, Interpolation, Material};

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
    let Counts { joints, triangles, morph_targets } = Counts::of(data);
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
    line(
        "",
        format!("{}, {}", counted(data.vertices.positions.len(), "vertex"), counted(triangles, "triangle")),
    );
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
    list("images", data.images.iter().enumerate().map(image_line).collect());
    list("clips", data.clips.iter().enumerate().map(clip_line).collect());
    list("warnings", data.warnings.iter().map(|warning| plain(warning)).collect());
    out
}

/// The same for scripts, with every primitive, material and clip.
#[must_use]
pub fn json(data: &CharacterData) -> Value {
    let Counts { joints, triangles, morph_targets } = Counts::of(data);
    let rest = bounds(data, &rest_pose(data));
    let rest = if rest.is_empty() {
        Value::Null
    } else {
        json!({"min": rest.min.to_array(), "max": rest.max.to_array()})
    };
    json!({
        "file": data.path.display().to_string(),
        "name": data.name,
        "bytes": data.facts.bytes,
        "generator": data.facts.generator,
        "copyright": data.facts.copyright,
        "scenes": data.facts.scenes,
        "skins": data.facts.skins,
        "meshes": data.facts.meshes,
        "nodes": data.nodes.len(),
        "nodes_in_scene": data.node_order.len(),
        "joints": joints,
        "vertices": data.vertices.positions.len(),
        "triangles": triangles,
        "morph_targets": morph_targets,
        "rest_bounds": rest,
        "primitives": data.primitives.iter().map(|primitive| json!({
            "node": primitive.node,
            "node_name": data.nodes[primitive.node as usize].name,
            "mesh": primitive.mesh,
            "primitive": primitive.primitive,
            "skinned": primitive.skinned,
            "mirrored": primitive.mirrored,
            "material": primitive.material,
            "vertices": primitive.vertex_count,
            "triangles": primitive.index_count / 3,
            "morph_targets": primitive.target_count,
        })).collect::<Vec<_>>(),
        "materials": file_materials(data).iter().map(|material| json!({
            "name": material.name,
            "base_color": material.base_color.to_array(),
            "base_color_image": material.base_color_texture.map(|slot| slot.image),
            "metallic": material.metallic,
            "roughness": material.roughness,
            "alpha": alpha_name(material.alpha),
            "double_sided": material.double_sided,
            "unlit": material.unlit,
        })).collect::<Vec<_>>(),
        "images": data.images.iter().map(|image| json!({
            "width": image.width,
            "height": image.height,
        })).collect::<Vec<_>>(),
        "clips": data.clips.iter().enumerate().map(|(index, clip)| json!({
            "index": index,
            "name": clip.name,
            "duration": clip.duration_secs,
            "channels": clip.channels.len(),
        })).collect::<Vec<_>>(),
        "extensions_used": data.facts.extensions_used,
        "extensions_required": data.facts.extensions_required,
        "warnings": data.warnings,
    })
}

/// Numbers that both forms tell.
struct Counts {
    joints: usize,
    triangles: usize,
    morph_targets: usize,
}

impl Counts {
    fn of(data: &CharacterData) -> Self {
        Self {
            joints: data.nodes.iter().filter(|node| node.is_joint).count(),
            triangles: data.indices.len() / 3,
            morph_targets: data.morph_weights.len(),
        }
    }
}

/// Materials without the default one, which stands last and in no file.
fn file_materials(data: &CharacterData) -> &[Material] {
    data.materials.split_last().map_or(&[], |(_, materials)| materials)
}

fn material_line(material: &Material) -> String {
    let mut line = plain(&material.name);
    if let Some(image) = material.base_color_texture.map(|slot| slot.image) {
        let _ = write!(line, ", image {image}");
    }
    if material.alpha != AlphaMode::Opaque {
        let _ = write!(line, ", {}", alpha_name(material.alpha));
    }
    if material.double_sided {
        line.push_str(", double-sided");
    }
    if material.unlit {
        line.push_str(", unlit");
    }
    line
}

fn image_line((index, image): (usize, &Image)) -> String {
    format!("{index}: {} × {}", image.width, image.height)
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
