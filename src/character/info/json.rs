//! The facts of `dryad info` for scripts.

use serde_json::{Map, Value, json};

use super::{Counts, alpha_name, color_space_name, features, file_materials, format_name, light_name};
use crate::character::animate::rest_pose;
use crate::character::cpu_skin::bounds;
use crate::character::data::{
    AlphaMode, CharacterData, Image, Light, LightKind, Material, Primitive, Projection, SceneCamera,
    TextureSlot,
};

/// Everything that [`super::text`] tells, with every primitive, material, texture and clip.
#[must_use]
pub fn json(data: &CharacterData) -> Value {
    let Counts { joints, vertices, triangles, morph_targets } = Counts::of(data);
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
        "vertices": vertices,
        "triangles": triangles,
        "morph_targets": morph_targets,
        "rest_bounds": rest,
        "primitives": data.primitives.iter().map(|p| primitive(data, p)).collect::<Vec<_>>(),
        "materials": file_materials(data).iter().map(material).collect::<Vec<_>>(),
        "images": data.images.iter().map(image).collect::<Vec<_>>(),
        "variants": data.variants,
        "lights": data.lights.iter().map(|one| light(data, one)).collect::<Vec<_>>(),
        "cameras": data.cameras.iter().map(|one| camera(data, one)).collect::<Vec<_>>(),
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

fn primitive(data: &CharacterData, primitive: &Primitive) -> Value {
    let variants: Vec<_> = primitive
        .variant_materials
        .iter()
        .map(|(variant, material)| json!({"variant": variant, "material": material}))
        .collect();
    json!({
        "node": primitive.node,
        "node_name": data.nodes[primitive.node as usize].name,
        "mesh": primitive.mesh,
        "primitive": primitive.primitive,
        "skinned": primitive.skinned,
        "mirrored": primitive.mirrored,
        "material": primitive.material,
        "variants": variants,
        "vertices": primitive.accessor_vertex_count,
        "copied_vertices": primitive.vertex_count - primitive.accessor_vertex_count,
        "triangles": primitive.index_count / 3,
        "morph_targets": primitive.target_count,
    })
}

fn material(material: &Material) -> Value {
    let textures: Map<String, Value> =
        material.textures().map(|(what, slot)| (what.to_owned(), texture(slot))).collect();
    let cutoff = if let AlphaMode::Mask(cutoff) = material.alpha { Some(cutoff) } else { None };
    json!({
        "name": material.name,
        "base_color": material.base_color.to_array(),
        "base_color_image": material.base_color_texture.map(|slot| slot.image),
        "metallic": material.metallic,
        "roughness": material.roughness,
        "emissive": material.emissive.to_array(),
        "emissive_strength": material.emissive_strength,
        "alpha": alpha_name(material.alpha),
        "alpha_cutoff": cutoff,
        "double_sided": material.double_sided,
        "unlit": material.unlit,
        "ior": material.ior,
        "specular": {"factor": material.specular.factor, "color": material.specular.color.to_array()},
        "clearcoat": {"factor": material.clearcoat.factor, "roughness": material.clearcoat.roughness},
        "sheen": {"color": material.sheen.color.to_array(), "roughness": material.sheen.roughness},
        "transmission": material.transmission.factor,
        "features": features(material),
        "textures": textures,
    })
}

fn texture(slot: &TextureSlot) -> Value {
    json!({
        "image": slot.image,
        "uv_set": slot.uv_set,
        "uv_transform": slot.uv_transform.to_cols_array(),
        "strength": slot.strength,
    })
}

fn image(image: &Image) -> Value {
    json!({
        "name": image.name,
        "width": image.width,
        "height": image.height,
        "stored_size": image.stored_size,
        "format": format_name(image.format),
        "color_space": color_space_name(image.color_space),
    })
}

fn light(data: &CharacterData, light: &Light) -> Value {
    let mut facts = json!({
        "name": light.name,
        "node": light.node,
        "node_name": data.nodes[light.node as usize].name,
        "type": light_name(light.kind),
        "color": light.color.to_array(),
        "intensity": light.intensity,
        "range": light.range,
    });
    if let LightKind::Spot { inner_angle, outer_angle } = light.kind {
        facts["inner_angle"] = json!(inner_angle);
        facts["outer_angle"] = json!(outer_angle);
    }
    facts
}

fn camera(data: &CharacterData, camera: &SceneCamera) -> Value {
    let mut facts = match camera.projection {
        Projection::Perspective { y_fov, aspect, near, far } => {
            json!({"type": "perspective", "y_fov": y_fov, "aspect": aspect, "near": near, "far": far})
        }
        Projection::Orthographic { x_mag, y_mag, near, far } => {
            json!({"type": "orthographic", "x_mag": x_mag, "y_mag": y_mag, "near": near, "far": far})
        }
    };
    facts["name"] = json!(camera.name);
    facts["node"] = json!(camera.node);
    facts["node_name"] = json!(data.nodes[camera.node as usize].name);
    facts
}
