//! Adds the mesh, its skin and its node to a file.

use std::collections::BTreeMap;

use glam::Vec3;
use serde_json::{Value, json};

use super::binding::BoundMesh;
use crate::character::CharacterData;
use crate::character::load::Package;

const ARRAY_BUFFER: u32 = 34_962;
const ELEMENT_ARRAY_BUFFER: u32 = 34_963;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
/// Joints that one set of attributes holds.
const SET: usize = 4;

/// Adds branches to a package of `data`'s file, and returns the number of joints that carry them.
pub fn add(package: &mut Package, data: &CharacterData, mesh: &BoundMesh, seed: u32) -> usize {
    let skin = Skin::new(package, data, mesh);
    let attributes = attributes(package, mesh, &skin);
    let indices: Vec<u8> = mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    let indices = accessor(
        package,
        &indices,
        ELEMENT_ARRAY_BUFFER,
        json!({"componentType": UNSIGNED_INT, "type": "SCALAR"}),
    );
    let material = package.push(
        "materials",
        json!({
            "name": "branches",
            "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.75},
        }),
    );
    let primitive = json!({"attributes": attributes, "indices": indices, "material": material});
    let extras = json!({
        "seed": seed,
        "_RADIUS": "metres, with the character at rest",
        "_AGE": "seconds from birth to the end of growth",
        "_DEPTH": "steps from the root",
        "_ORDER": "Horton-Strahler order",
    });
    let mesh =
        package.push("meshes", json!({"name": "branches", "primitives": [primitive], "extras": extras}));
    let joints = skin.joints.len();
    let skin = skin.write(package, data);
    let node = package.push("nodes", json!({"name": "branches", "mesh": mesh, "skin": skin}));
    shown_scene(package, data).push(json!(node));
    joints
}

/// The root nodes of the scene that is shown.
fn shown_scene<'a>(package: &'a mut Package, data: &CharacterData) -> &'a mut Vec<Value> {
    let count = package.list("scenes").len();
    let chosen =
        package.json.get("scene").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
    let chosen = chosen.filter(|&index| index < count).unwrap_or(0);
    if count == 0 {
        let is_root = |node: &usize| data.nodes[*node].parent.is_none();
        let roots: Vec<usize> = (0..data.nodes.len()).filter(is_root).collect();
        package.push("scenes", json!({"nodes": roots}));
        package.json.insert("scene".into(), json!(0));
    }
    let scene = &mut package.list("scenes")[chosen];
    if !scene.get("nodes").is_some_and(Value::is_array) {
        scene["nodes"] = json!([]);
    }
    match &mut scene["nodes"] {
        Value::Array(nodes) => nodes,
        _ => unreachable!("it was made an array above"),
    }
}

/// A skin of the palette entries that carry something.
struct Skin {
    /// Place in the skin of each palette entry in use.
    places: BTreeMap<u16, usize>,
    /// Node and palette entry of each joint.
    joints: Vec<(usize, u16)>,
}

impl Skin {
    /// Chooses joints. A skin names a node once, but several skins of the file may bind one node differently, or a
    /// mesh may hang on a joint: such entries get nodes of their own, which rest on the shared one.
    fn new(package: &mut Package, data: &CharacterData, mesh: &BoundMesh) -> Self {
        let mut places = BTreeMap::new();
        for bound in &mesh.rings {
            for (&joint, &weight) in bound.influences.joints.iter().zip(&bound.influences.weights) {
                if weight > 0.0 {
                    places.insert(joint, 0);
                }
            }
        }
        let mut joints: Vec<(usize, u16)> = Vec::with_capacity(places.len());
        for (entry, place) in &mut places {
            *place = joints.len();
            let node = data.palette[usize::from(*entry)].node as usize;
            let taken = joints.iter().any(|(used, _)| *used == node);
            joints.push((if taken { beside(package, data, node) } else { node }, *entry));
        }
        let skin = Self { places, joints };
        skin.join_roots(package, data);
        skin
    }

    /// The joints of a skin need a common ancestor. Where they have none, the roots of the scene get one.
    fn join_roots(&self, package: &mut Package, data: &CharacterData) {
        let root = |mut node: usize| {
            while let Some(parent) = data.nodes.get(node).and_then(|node| node.parent) {
                node = parent as usize;
            }
            node
        };
        // Nodes beyond the file's own are children of others in the list.
        let mut roots =
            self.joints.iter().map(|(node, _)| *node).filter(|&node| node < data.nodes.len()).map(root);
        let Some(first) = roots.next() else { return };
        if roots.all(|other| other == first) {
            return;
        }
        let wrapped = std::mem::take(shown_scene(package, data));
        let wrapper = package.push("nodes", json!({"name": "scene", "children": wrapped}));
        for scene in package.list("scenes") {
            let Some(nodes) = scene.get_mut("nodes").and_then(Value::as_array_mut) else { continue };
            let before = nodes.len();
            nodes.retain(|node| !wrapped.contains(node));
            if nodes.len() < before {
                nodes.push(json!(wrapper));
            }
        }
        shown_scene(package, data).push(json!(wrapper));
    }

    /// Adds the skin and returns its index.
    fn write(self, package: &mut Package, data: &CharacterData) -> usize {
        let inverses: Vec<u8> = self
            .joints
            .iter()
            .flat_map(|(_, entry)| data.palette[usize::from(*entry)].bind_inverse.as_mat4().to_cols_array())
            .flat_map(f32::to_le_bytes)
            .collect();
        let view = package.push_view(&inverses, None);
        let accessor = json!({
            "bufferView": view, "componentType": FLOAT, "type": "MAT4", "count": self.joints.len(),
        });
        let inverses = package.push("accessors", accessor);
        let joints: Vec<usize> = self.joints.iter().map(|(node, _)| *node).collect();
        package.push("skins", json!({"name": "branches", "joints": joints, "inverseBindMatrices": inverses}))
    }
}

/// A new node that stands where `node` stands.
fn beside(package: &mut Package, data: &CharacterData, node: usize) -> usize {
    let name = format!("{} for branches", data.nodes[node].name);
    let new = package.push("nodes", json!({"name": name}));
    let children = &mut package.list("nodes")[node]["children"];
    match children {
        Value::Array(children) => children.push(json!(new)),
        other => *other = json!([new]),
    }
    new
}

/// Adds bytes as an accessor over a view of its own. `shape` holds everything but view and count.
fn accessor(package: &mut Package, bytes: &[u8], target: u32, mut shape: Value) -> usize {
    let width = match shape["type"].as_str() {
        Some("VEC3") => 3,
        Some("VEC4") => 4,
        _ => 1,
    };
    let size = match shape["componentType"].as_u64() {
        Some(5121) => 1,
        Some(5123) => 2,
        _ => 4,
    };
    shape["bufferView"] = json!(package.push_view(bytes, Some(target)));
    shape["count"] = json!(bytes.len() / (width * size));
    package.push("accessors", shape)
}

fn floats(package: &mut Package, values: impl Iterator<Item = f32>, kind: &str) -> usize {
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    accessor(package, &bytes, ARRAY_BUFFER, json!({"componentType": FLOAT, "type": kind}))
}

fn attributes(package: &mut Package, mesh: &BoundMesh, skin: &Skin) -> Value {
    let vertices = || mesh.vertices.iter();
    let position = floats(package, vertices().flat_map(|v| v.position.to_array()), "VEC3");
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for vertex in vertices() {
        (min, max) = (min.min(vertex.position), max.max(vertex.position));
    }
    package.list("accessors")[position]["min"] = json!(min.to_array());
    package.list("accessors")[position]["max"] = json!(max.to_array());
    let mut attributes = json!({
        "POSITION": position,
        "NORMAL": floats(package, vertices().flat_map(|v| v.normal.to_array()), "VEC3"),
        "_RADIUS": floats(package, vertices().map(|v| v.radius), "SCALAR"),
        "_AGE": floats(package, vertices().map(|v| v.age_secs), "SCALAR"),
        "_DEPTH": floats(package, vertices().map(|v| v.depth), "SCALAR"),
        "_ORDER": floats(package, vertices().map(|v| v.order), "SCALAR"),
    });
    let short = |value: f32| (value.clamp(0.0, 1.0) * 65_535.0).round() as u16;
    let colors: Vec<u8> = vertices()
        .flat_map(|v| [short(v.color[0]), short(v.color[1]), short(v.color[2]), u16::MAX])
        .flat_map(u16::to_le_bytes)
        .collect();
    let shape = json!({"componentType": UNSIGNED_SHORT, "type": "VEC4", "normalized": true});
    attributes["COLOR_0"] = json!(accessor(package, &colors, ARRAY_BUFFER, shape));
    joints(package, mesh, skin, &mut attributes);
    attributes
}

/// Adds as many sets of joints and weights as any ring needs.
fn joints(package: &mut Package, mesh: &BoundMesh, skin: &Skin, attributes: &mut Value) {
    let used = |weights: &[f32]| weights.iter().filter(|weight| **weight > 0.0).count();
    let most = mesh.rings.iter().map(|bound| used(&bound.influences.weights)).max().unwrap_or(1);
    let wide = skin.joints.len() > 256;
    for set in 0..most.div_ceil(SET).max(1) {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        for bound in &mesh.rings {
            let all = normalised(&bound.influences.weights);
            let of_set = set * SET..(set + 1) * SET;
            let mut joint_bytes = Vec::with_capacity(8);
            for (&joint, &weight) in bound.influences.joints[of_set.clone()].iter().zip(&all[of_set.clone()])
            {
                // Places without weight name joint 0.
                let place = skin.places.get(&joint).copied().filter(|_| weight > 0.0).unwrap_or(0);
                match wide {
                    true => joint_bytes.extend((place as u16).to_le_bytes()),
                    false => joint_bytes.push(place as u8),
                }
            }
            let weight_bytes: Vec<u8> = all[of_set].iter().flat_map(|weight| weight.to_le_bytes()).collect();
            for _ in 0..bound.ring.vertex_count {
                joints.extend_from_slice(&joint_bytes);
                weights.extend_from_slice(&weight_bytes);
            }
        }
        let component = if wide { UNSIGNED_SHORT } else { UNSIGNED_BYTE };
        let shape = json!({"componentType": component, "type": "VEC4"});
        attributes[format!("JOINTS_{set}")] = json!(accessor(package, &joints, ARRAY_BUFFER, shape));
        let shape = json!({"componentType": FLOAT, "type": "VEC4"});
        attributes[format!("WEIGHTS_{set}")] = json!(accessor(package, &weights, ARRAY_BUFFER, shape));
    }
}

/// Weights whose sum in f32 is one but for the last bit.
fn normalised(weights: &[f32; 8]) -> [f32; 8] {
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight.max(0.0))).sum();
    let mut out =
        weights.map(|weight| if sum > 0.0 { (f64::from(weight.max(0.0)) / sum) as f32 } else { 0.0 });
    let rest: f32 = out[1..].iter().sum();
    out[0] = 1.0 - rest;
    out
}
