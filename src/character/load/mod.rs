//! glTF files to [`CharacterData`]: parsed, checked, mended where that is sensible, never trusted.
//!
//! One step a file: [`container`] splits the GLB, [`document`] parses the JSON, [`buffers`] and [`accessors`] fetch
//! numbers, [`scene`] the nodes, [`materials`] and [`images`] the look, [`palette`], [`attributes`], [`influences`],
//! [`morph`], [`corners`], [`tangents`] and [`geometry`] what is drawn, [`animations`] what moves, [`lights`] what
//! shines and looks. [`meshopt_view`], [`draco`] and [`basis`] decompress. Whatever a file says, loading takes time and memory in proportion to
//! its size, and ends in data that may be indexed without asking or in a [`LoadError`].

mod accessors;
mod animations;
mod attributes;
mod basis;
mod buffers;
mod container;
mod context;
mod corners;
mod document;
mod draco;
mod error;
mod extensions;
mod geometry;
mod images;
mod influences;
mod lights;
mod materials;
mod meshopt_view;
mod morph;
mod package;
mod palette;
mod scene;
mod tangents;
mod triangles;
mod uri;
mod variants;

use std::path::{Path, PathBuf};

pub(super) use container::join as join_glb;
pub use context::Progress;
pub use error::LoadError;
pub use package::Package;

use super::animate;
use super::data::CharacterData;
use accessors::Accessors;
use buffers::Views;
use context::Context;
use document::Document;
use images::Images;
use scene::Graph;
use uri::Resources;

/// Loads a `.glb`, `.gltf` or `.vrm` file with the buffers and images it names.
///
/// Meant for a worker thread: `progress` tells another one how far it has come and lets that one stop it.
///
/// # Errors
/// Any [`LoadError`]; nothing else can happen, whatever the file holds.
pub fn load(path: &Path, progress: &Progress) -> Result<CharacterData, LoadError> {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let ctx = Context::new(&file, progress);
    let bytes = uri::read_model(&ctx, path)?;
    let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let mut data = build(&ctx, &bytes, &extension, Resources::new(Some(directory)))?;
    data.path = path.to_path_buf();
    data.name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(data)
}

/// Loads a model that is already in memory and has no folder: its buffers and images must be within it.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(bytes: &[u8], name: &str, progress: &Progress) -> Result<CharacterData, LoadError> {
    let ctx = Context::new(name, progress);
    let mut data = build(&ctx, bytes, "", Resources::new(None))?;
    data.path = PathBuf::new();
    data.name = name.to_owned();
    Ok(data)
}

fn build(
    ctx: &Context,
    bytes: &[u8],
    extension: &str,
    mut resources: Resources,
) -> Result<CharacterData, LoadError> {
    ctx.step(0.0)?;
    ctx.add_bytes_read(bytes.len() as u64);
    let container = container::split(ctx, bytes, extension)?;
    let document = document::parse(ctx, container.json)?;
    ctx.step(0.05)?;
    let views = Views::open(ctx, &document.buffers, &document.buffer_views, container.bin, &mut resources)?;
    let accessors = Accessors::new(ctx, &document.accessors, &views);
    let mut graph = scene::build(ctx, &document)?;
    let mut images = Images::new(&document.images);
    let materials = materials::read(ctx, &document, &drawn_materials(&document, &graph), &mut images);
    let images = images.decode(ctx, &views, &mut resources)?;
    let worlds = animate::rest_world(&graph.nodes, &graph.order);
    let geometry = geometry::build(&accessors, &document, &mut graph, &worlds, &materials)?;
    let clips = animations::read(&accessors, &document, &mut graph)?;
    let lights = lights::lights(ctx, &document, &graph)?;
    let cameras = lights::cameras(ctx, &document, &graph)?;

    let mut facts = document.facts;
    facts.bytes = ctx.bytes_read();
    let data = CharacterData {
        path: PathBuf::new(),
        name: String::new(),
        nodes: graph.nodes,
        node_order: graph.order,
        palette: geometry.palette,
        primitives: geometry.primitives,
        vertices: geometry.vertices,
        indices: geometry.indices,
        morph_deltas: geometry.morph_deltas,
        morph_tangents: geometry.morph_tangents,
        morph_weights: geometry.morph_weights,
        morph_names: geometry.morph_names,
        materials,
        images,
        variants: document.variants,
        lights,
        cameras,
        clips,
        warnings: ctx.take_warnings(),
        facts,
    };
    ctx.step(1.0)?;
    Ok(data)
}

/// Which materials some primitive of the shown scene takes, as it is or under a variant.
fn drawn_materials(document: &Document, graph: &Graph) -> Vec<bool> {
    let mut drawn = vec![false; document.materials.len()];
    let mut meshes_seen = vec![false; document.meshes.len()];
    for (index, node) in document.nodes.iter().enumerate() {
        let mesh = node.mesh.filter(|_| graph.drawn[index]).map(|mesh| mesh.value());
        let Some(mesh) = mesh.filter(|mesh| meshes_seen.get(*mesh) == Some(&false)) else { continue };
        meshes_seen[mesh] = true;
        for primitive in &document.meshes[mesh].primitives {
            let own = primitive.material.map(|material| material.value());
            for material in variants::materials(primitive).chain(own) {
                if let Some(flag) = drawn.get_mut(material) {
                    *flag = true;
                }
            }
        }
    }
    drawn
}
