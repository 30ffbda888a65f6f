//! KHR_draco_mesh_compression: the attributes of a primitive out of one Draco stream.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use draco_core::draco_types::DataType;
use draco_core::{DecodeLimits, DecoderBuffer, FaceIndex, Mesh, MeshDecoder};
use gltf::json;
use json::accessor::ComponentType;
use json::validation::Checked;
use serde_json::Value;

use super::accessors::{Accessors, Decoded};
use super::error::LoadError;
use super::geometry::VERTEX_BYTES;

/// What the decoder holds for a triangle while it works.
const FACE_BYTES: u64 = 128;
/// What a stream costs that does not decode: bounds how many a file may make the decoder try.
const FAILURE_BYTES: u64 = 8 << 20;
/// Most components an attribute can have: those of a VEC4.
const MAX_COMPONENTS: u8 = 4;

/// Decoded streams, by buffer view: nodes share meshes.
#[derive(Default)]
pub(super) struct Cache {
    meshes: HashMap<usize, Rc<Mesh>>,
}

impl Cache {
    /// Decodes what the extension names, puts it in the place of the primitive's accessors, and returns the corners
    /// of its triangles.
    ///
    /// # Errors
    /// [`LoadError::Broken`] when the stream does not decode or lacks an attribute, [`LoadError::TooLarge`].
    pub fn decode(
        &mut self,
        accessors: &Accessors,
        primitive: &json::mesh::Primitive,
        extension: &Value,
        place: &str,
    ) -> Result<Vec<u32>, LoadError> {
        let ctx = accessors.ctx;
        let index = |value: Option<&Value>| usize::try_from(value?.as_u64()?).ok();
        let view = index(extension.get("bufferView"))
            .ok_or_else(|| ctx.broken(place, "has no buffer view for its Draco stream"))?;
        let mesh = match self.meshes.get(&view) {
            Some(mesh) => Rc::clone(mesh),
            None => {
                let mesh = Rc::new(decode(accessors, view, place)?);
                self.meshes.insert(view, Rc::clone(&mesh));
                mesh
            }
        };
        let points = mesh.num_points();
        for (semantic, accessor) in &primitive.attributes {
            let Checked::Valid(semantic) = semantic else { continue };
            let name = semantic.to_string();
            let Some(id) = extension.get("attributes").and_then(|all| index(all.get(&name))) else {
                continue;
            };
            let attribute = u32::try_from(id).ok().and_then(|id| mesh.attribute_by_unique_id(id));
            let Some(attribute) = attribute else {
                return Err(ctx.broken(place, format!("has a Draco stream without its {name}")));
            };
            let width = attribute.num_components();
            if width == 0 || width > MAX_COMPONENTS {
                return Err(ctx.broken(place, format!("has a Draco {name} of {width} components")));
            }
            let width = usize::from(width);
            ctx.charge((points * width * size_of::<f32>()) as u64, place)?;
            let values = catch_unwind(AssertUnwindSafe(|| attribute.read_f32s(points, width)));
            let values = values.map_err(|_| ctx.broken(place, format!("has a damaged Draco {name}")))?;
            let component = component(attribute.data_type());
            accessors.put_decoded(accessor.value(), Decoded { width, count: points, component, values });
        }
        ctx.charge(mesh.num_faces() as u64 * 12, place)?;
        let faces = (0..mesh.num_faces()).flat_map(|face| mesh.face(FaceIndex(face as u32)));
        Ok(faces.map(|corner| corner.0).collect())
    }
}

fn decode(accessors: &Accessors, view: usize, place: &str) -> Result<Mesh, LoadError> {
    let ctx = accessors.ctx;
    let bytes = accessors.view_bytes(view, place)?;
    let left = ctx.allowance_left();
    let limits = DecodeLimits::default()
        .with_max_points(left / VERTEX_BYTES)
        .with_max_faces(left / FACE_BYTES)
        .with_max_decoded_bytes(left / 2);
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
        let mut mesh = Mesh::new();
        MeshDecoder::new().decode(&mut buffer, &mut mesh).map(|()| mesh)
    }));
    let fault = match decoded {
        Ok(Ok(mesh)) => {
            let cost = mesh.num_points() as u64 * VERTEX_BYTES / 2 + mesh.num_faces() as u64 * 12;
            ctx.charge(cost, place)?;
            return Ok(mesh);
        }
        Ok(Err(error)) if error.kind() == draco_core::ErrorKind::LimitExceeded => {
            return Err(LoadError::TooLarge { file: ctx.file.clone(), place: place.to_owned() });
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the decoder gave up".to_owned(),
    };
    ctx.charge(FAILURE_BYTES, place)?;
    Err(ctx.broken(place, format!("has a Draco stream that does not decode ({fault})")))
}

/// The accessor's type that normalised integers are divided by.
fn component(data_type: DataType) -> ComponentType {
    match data_type {
        DataType::Int8 => ComponentType::I8,
        DataType::Uint8 | DataType::Bool => ComponentType::U8,
        DataType::Int16 => ComponentType::I16,
        DataType::Uint16 => ComponentType::U16,
        DataType::Uint32 => ComponentType::U32,
        _ => ComponentType::F32,
    }
}
