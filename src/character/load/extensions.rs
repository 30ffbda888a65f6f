//! Which required extensions are read, which may be done without, and which lose the geometry.

use super::context::{Context, one_line};
use super::error::LoadError;

/// Extensions whose meaning is honoured.
const READ: &[&str] = &[
    "KHR_mesh_quantization",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_texture_webp",
    "KHR_draco_mesh_compression",
    "KHR_texture_basisu",
    "GOOGLE_texture_basis",
    "KHR_texture_transform",
    "KHR_materials_unlit",
    "KHR_materials_emissive_strength",
    "KHR_materials_specular",
    "KHR_materials_ior",
    "KHR_materials_clearcoat",
    "KHR_materials_sheen",
    "KHR_materials_transmission",
    "KHR_materials_variants",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_lights_punctual",
];

/// Extensions that change how a model looks or moves, but neither its geometry nor its skeleton: beginnings of
/// their names.
const COSMETIC: &[&str] = &[
    "KHR_materials_",
    "EXT_materials_",
    "MSFT_materials_",
    "ADOBE_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "GOOGLE_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_animation_pointer",
    "KHR_node_visibility",
    "KHR_node_selectability",
    "KHR_node_hoverability",
    "KHR_interactivity",
    "KHR_audio",
    "KHR_physics_",
    "KHR_xmp",
    "EXT_mesh_features",
    "EXT_structural_metadata",
    "EXT_feature_metadata",
    "CESIUM_",
    "AGI_",
    "VRM",
];

/// Refuses a file whose required extensions hold its geometry in a form that is not read.
///
/// # Errors
/// [`LoadError::Extension`].
pub(super) fn check_required(ctx: &Context, required: &[String]) -> Result<(), LoadError> {
    for name in required {
        if READ.contains(&name.as_str()) {
            continue;
        }
        if COSMETIC.iter().any(|prefix| name.starts_with(prefix)) {
            ctx.warn(format!("the required extension {name} is not drawn; the model is shown without it"));
            continue;
        }
        return Err(unsupported(ctx, name));
    }
    Ok(())
}

fn unsupported(ctx: &Context, name: &str) -> LoadError {
    let remedy = match name {
        "EXT_mesh_gpu_instancing" => "export the instances as separate nodes",
        _ => "export the model without it",
    };
    LoadError::Extension { file: ctx.file.clone(), extension: one_line(name), remedy: remedy.to_owned() }
}
