//! The JSON part of a file: parsed object by object into the `gltf` crate's types.
//!
//! The crate's own document parser refuses files that the specification allows (scenes without nodes, channels
//! without a node, textures without a plain source) and its validation refuses required extensions before
//! anything is read, so that each object is parsed by itself here and checked where it is used.

use gltf::json;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::context::Context;
use super::error::LoadError;
use super::extensions;
use crate::character::data::Facts;

/// Everything that loading looks at, in file order.
pub(super) struct Document {
    pub accessors: Vec<json::Accessor>,
    pub animations: Vec<json::Animation>,
    pub buffers: Vec<json::Buffer>,
    pub buffer_views: Vec<json::buffer::View>,
    pub images: Vec<json::Image>,
    pub cameras: Vec<Value>,
    /// Each an object.
    pub materials: Vec<Value>,
    pub meshes: Vec<json::Mesh>,
    pub nodes: Vec<json::Node>,
    pub samplers: Vec<json::texture::Sampler>,
    pub skins: Vec<json::Skin>,
    pub textures: Vec<json::Texture>,
    /// Root nodes of each scene.
    pub scenes: Vec<Vec<usize>>,
    /// The default scene, whether or not it exists.
    pub default_scene: Option<u64>,
    /// `extras.targetNames` of each mesh, where many exporters name morph targets.
    pub target_names: Vec<Vec<String>>,
    /// `KHR_lights_punctual.lights` of the root.
    pub lights: Vec<Value>,
    /// Names of `KHR_materials_variants.variants` of the root.
    pub variants: Vec<String>,
    /// What `dryad info` tells.
    pub facts: Facts,
}

/// Parses the JSON text.
///
/// # Errors
/// [`LoadError::Broken`] for text that is not JSON or has not the shape of glTF, [`LoadError::Foreign`] for
/// glTF 1.0, [`LoadError::Extension`] for a required extension without which geometry is lost.
pub(super) fn parse(ctx: &Context, text: &[u8]) -> Result<Document, LoadError> {
    let root: Value = serde_json::from_slice(text)
        .map_err(|error| ctx.broken("its JSON text", format!("does not parse ({error})")))?;
    let Value::Object(mut root) = root else {
        return Err(ctx.broken("its JSON text", "is not an object"));
    };
    check_version(ctx, &root)?;
    let mut facts = facts(ctx, &root);
    extensions::check_required(ctx, &facts.extensions_required)?;

    let meshes = array(ctx, &mut root, "meshes")?;
    let target_names = meshes.iter().map(target_names).collect();
    let scenes: Vec<_> = array(ctx, &mut root, "scenes")?;
    let document = Document {
        accessors: strict(ctx, array(ctx, &mut root, "accessors")?, "accessor")?,
        animations: array(ctx, &mut root, "animations")?
            .into_iter()
            .enumerate()
            .map(|(index, value)| animation(ctx, index, value))
            .collect(),
        buffers: strict(ctx, array(ctx, &mut root, "buffers")?, "buffer")?,
        buffer_views: strict(ctx, array(ctx, &mut root, "bufferViews")?, "buffer view")?,
        images: lenient(ctx, array(ctx, &mut root, "images")?, "image")?,
        cameras: array(ctx, &mut root, "cameras")?,
        materials: array(ctx, &mut root, "materials")?
            .into_iter()
            .enumerate()
            .map(|(index, value)| object(ctx, index, value, "material"))
            .collect(),
        meshes: meshes
            .into_iter()
            .enumerate()
            .map(|(index, value)| mesh(ctx, index, value))
            .collect::<Result<_, _>>()?,
        nodes: strict(ctx, array(ctx, &mut root, "nodes")?, "node")?,
        samplers: lenient(ctx, array(ctx, &mut root, "samplers")?, "sampler")?,
        skins: strict(ctx, array(ctx, &mut root, "skins")?, "skin")?,
        textures: lenient(ctx, array(ctx, &mut root, "textures")?, "texture")?,
        scenes: scenes
            .iter()
            .enumerate()
            .map(|(index, scene)| scene_roots(ctx, index, scene))
            .collect::<Result<_, _>>()?,
        default_scene: root.get("scene").and_then(Value::as_u64),
        target_names,
        lights: extension_list(&root, "KHR_lights_punctual", "lights").cloned().collect(),
        variants: extension_list(&root, "KHR_materials_variants", "variants")
            .enumerate()
            .map(|(index, variant)| variant_name(index, variant))
            .collect(),
        facts: {
            facts.scenes = scenes.len();
            facts
        },
    };
    if root.get("scene").is_some_and(|scene| !scene.is_u64()) {
        return Err(ctx.broken("the default scene", "is not an index"));
    }
    Ok(document)
}

fn check_version(ctx: &Context, root: &Map<String, Value>) -> Result<(), LoadError> {
    let version = root.get("asset").and_then(|asset| asset.get("version"));
    let version = match version {
        Some(Value::String(version)) => version.clone(),
        Some(Value::Number(version)) => version.to_string(),
        _ => return Err(ctx.broken("its JSON text", "has no asset.version, as every glTF file must")),
    };
    if version.split('.').next() == Some("2") {
        return Ok(());
    }
    Err(LoadError::Foreign {
        file: ctx.file.clone(),
        format: format!("a glTF file of version {version:?}"),
        remedy: "export it again as glTF 2.0".to_owned(),
    })
}

fn facts(ctx: &Context, root: &Map<String, Value>) -> Facts {
    let asset = |key: &str| root.get("asset")?.get(key)?.as_str().map(str::to_owned);
    let names = |key: &str| match root.get(key) {
        None => Vec::new(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(_) => {
            ctx.warn(format!("{key} is not a list and is ignored"));
            Vec::new()
        }
    };
    let count = |key: &str| root.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    Facts {
        generator: asset("generator"),
        copyright: asset("copyright"),
        extensions_used: names("extensionsUsed"),
        extensions_required: names("extensionsRequired"),
        skins: count("skins"),
        meshes: count("meshes"),
        scenes: count("scenes"),
        bytes: 0,
    }
}

fn array(ctx: &Context, root: &mut Map<String, Value>, key: &str) -> Result<Vec<Value>, LoadError> {
    match root.remove(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(ctx.broken(format!("{key:?}"), "is not a list")),
    }
}

/// A list within a root extension; empty when there is none.
fn extension_list<'r>(
    root: &'r Map<String, Value>,
    extension: &str,
    key: &str,
) -> impl Iterator<Item = &'r Value> + use<'r> {
    let list = root.get("extensions").and_then(|all| all.get(extension)?.get(key)?.as_array());
    list.map(Vec::as_slice).unwrap_or_default().iter()
}

fn variant_name(index: usize, variant: &Value) -> String {
    let name = variant.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
    name.map_or_else(|| format!("variant {index}"), str::to_owned)
}

/// A value that must be an object; others count as empty ones, with a warning.
fn object(ctx: &Context, index: usize, value: Value, what: &str) -> Value {
    if value.is_object() {
        return value;
    }
    ctx.warn(format!("{what} {index} is malformed and counts as empty (it is not an object)"));
    Value::Object(Map::new())
}

/// Parses one object; `extras` are the author's own and are dropped unread.
fn typed<T: DeserializeOwned>(mut value: Value) -> Result<T, String> {
    if let Value::Object(map) = &mut value {
        map.remove("extras");
    }
    json::deserialize::from_value(value).map_err(|error| error.to_string())
}

fn strict<T: DeserializeOwned>(ctx: &Context, items: Vec<Value>, what: &str) -> Result<Vec<T>, LoadError> {
    let parse = |(index, value)| {
        typed(value).map_err(|error| ctx.broken(format!("{what} {index}"), format!("is malformed ({error})")))
    };
    items.into_iter().enumerate().map(parse).collect()
}

/// For objects that geometry does not need: a malformed one becomes an empty one, with a warning.
fn lenient<T: DeserializeOwned>(ctx: &Context, items: Vec<Value>, what: &str) -> Result<Vec<T>, LoadError> {
    let parse = |(index, value)| match typed(value) {
        Ok(object) => Ok(object),
        Err(error) => {
            ctx.warn(format!("{what} {index} is malformed and counts as empty ({error})"));
            typed(Value::Object(Map::new())).map_err(|error| ctx.broken(format!("{what} {index}"), error))
        }
    };
    items.into_iter().enumerate().map(parse).collect()
}

/// Parses a mesh; primitives without attributes draw nothing and are no reason to refuse the file.
fn mesh(ctx: &Context, index: usize, mut value: Value) -> Result<json::Mesh, LoadError> {
    if let Some(primitives) = value.get_mut("primitives").and_then(Value::as_array_mut) {
        for primitive in primitives.iter_mut().filter_map(Value::as_object_mut) {
            primitive.entry("attributes").or_insert_with(|| Value::Object(Map::new()));
            primitive.remove("extras");
        }
    }
    typed(value).map_err(|error| ctx.broken(format!("mesh {index}"), format!("is malformed ({error})")))
}

fn target_names(mesh: &Value) -> Vec<String> {
    let names = mesh.get("extras").and_then(|extras| extras.get("targetNames")).and_then(Value::as_array);
    let names = names.map(Vec::as_slice).unwrap_or_default();
    names.iter().map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
}

fn scene_roots(ctx: &Context, index: usize, scene: &Value) -> Result<Vec<usize>, LoadError> {
    match scene.get("nodes") {
        None => Ok(Vec::new()),
        Some(Value::Array(nodes)) => {
            let indices: Option<Vec<_>> =
                nodes.iter().map(|node| node.as_u64().and_then(|node| usize::try_from(node).ok())).collect();
            indices.ok_or_else(|| ctx.broken(format!("scene {index}"), "names a node that is not an index"))
        }
        Some(_) => Err(ctx.broken(format!("scene {index}"), "has nodes that are not a list")),
    }
}

/// Parses an animation channel by channel and sampler by sampler; whatever is malformed or has no target node is
/// set aside with a warning, and clips keep their numbers.
fn animation(ctx: &Context, index: usize, value: Value) -> json::Animation {
    let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
    let list = |key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut without_node = 0;
    let mut channels = Vec::new();
    for channel in list("channels") {
        if channel.get("target").and_then(|target| target.get("node")).is_none() {
            without_node += 1;
            continue;
        }
        match typed(channel) {
            Ok(channel) => channels.push(channel),
            Err(error) => {
                ctx.warn(format!("a channel of animation {index} is malformed and ignored ({error})"))
            }
        }
    }
    if without_node > 0 {
        ctx.warn(format!(
            "animation {index} has {without_node} channels without a target node, which are ignored"
        ));
    }
    let mut samplers = Vec::new();
    for sampler in list("samplers") {
        samplers.push(typed(sampler).unwrap_or_else(|error| {
            ctx.warn(format!("a sampler of animation {index} is malformed and ignored ({error})"));
            let nowhere = json::Index::new(u32::MAX);
            json::animation::Sampler {
                extensions: None,
                extras: None,
                input: nowhere,
                interpolation: json::validation::Checked::Invalid,
                output: nowhere,
            }
        }));
    }
    json::Animation { extensions: None, extras: None, channels, name, samplers }
}
