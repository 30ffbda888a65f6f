//! KHR_materials_variants: which material a primitive takes under each variant.

use gltf::json::mesh::Primitive;
use serde_json::Value;

use super::error::LoadError;
use super::geometry::Builder;

/// Every material that some variant gives a primitive, whether or not it exists.
pub(super) fn materials(primitive: &Primitive) -> impl Iterator<Item = usize> {
    let extension = primitive.extensions.as_ref().and_then(|all| all.others.get("KHR_materials_variants"));
    let mappings = extension.and_then(|extension| extension.get("mappings")?.as_array());
    let material = |mapping: &Value| usize::try_from(mapping.get("material")?.as_u64()?).ok();
    mappings.into_iter().flatten().filter_map(material)
}

/// Pairs of variant and material, sorted by variant; of two materials for a variant the first counts.
///
/// # Errors
/// [`LoadError::TooLarge`] when many nodes share long mappings.
pub(super) fn read(
    builder: &Builder,
    variant_count: usize,
    material_count: usize,
) -> Result<Vec<(u32, u32)>, LoadError> {
    let extension = builder.extension("KHR_materials_variants");
    let mappings = extension.and_then(|extension| extension.get("mappings")?.as_array());
    // Each node that shows the mesh looks through all of them.
    let count = mappings.map_or(0, Vec::len);
    builder.accessors.ctx.charge((count * size_of::<(u32, u32)>()) as u64, &builder.place)?;
    let (mut pairs, mut malformed, mut unknown) = (Vec::new(), false, false);
    for mapping in mappings.into_iter().flatten() {
        let index = |value: &Value, count: usize| {
            let index = u32::try_from(value.as_u64()?).ok()?;
            ((index as usize) < count).then_some(index)
        };
        let material = mapping.get("material").and_then(|material| index(material, material_count));
        let variants = mapping.get("variants").and_then(Value::as_array);
        let (Some(material), Some(variants)) = (material, variants) else {
            malformed = true;
            continue;
        };
        let ctx = builder.accessors.ctx;
        ctx.charge((variants.len() * size_of::<(u32, u32)>()) as u64, &builder.place)?;
        let known: Vec<_> = variants.iter().filter_map(|variant| index(variant, variant_count)).collect();
        unknown |= known.len() < variants.len();
        pairs.extend(known.into_iter().map(|variant| (variant, material)));
    }
    if malformed {
        builder.warn("has a variant without a material of the file, which is ignored");
    }
    if unknown {
        builder.warn("names variants that do not exist");
    }
    pairs.sort_by_key(|(variant, _)| *variant);
    pairs.dedup_by_key(|(variant, _)| *variant);
    Ok(pairs)
}
