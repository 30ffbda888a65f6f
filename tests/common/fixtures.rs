//! Small glTF files made in memory: the "stick" and the cube, and ways to change one thing in them.
#![allow(dead_code, reason = "each test file uses a part")]

use base64::Engine as _;
use dryad::character::animate::pose;
use dryad::character::cpu_skin::skin;
use dryad::character::data::{CharacterData, Primitive};
use dryad::character::load::{LoadError, Progress, load_bytes};
use glam::Vec3;
use serde_json::{Value, json};

pub const I8: u32 = 5120;
pub const U8: u32 = 5121;
pub const I16: u32 = 5122;
pub const U16: u32 = 5123;
pub const U32: u32 = 5125;
pub const F32: u32 = 5126;

/// A glTF document under construction, with one buffer.
#[derive(Clone)]
pub struct Gltf {
    pub json: Value,
    pub bin: Vec<u8>,
}

impl Gltf {
    /// An empty document of one scene.
    pub fn new() -> Self {
        let json = json!({
            "asset": {"version": "2.0", "generator": "fixture"},
            "scene": 0,
            "scenes": [{"nodes": []}],
            "nodes": [], "meshes": [], "skins": [], "animations": [], "materials": [],
            "accessors": [], "bufferViews": [], "images": [], "textures": [],
        });
        Self { json, bin: Vec::new() }
    }

    /// Appends to a top-level list; returns the index.
    pub fn push(&mut self, list: &str, value: Value) -> usize {
        let items = self.json[list].as_array_mut().expect("a list");
        items.push(value);
        items.len() - 1
    }

    /// Adds bytes as a buffer view.
    pub fn view(&mut self, bytes: &[u8], stride: Option<usize>) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        let mut view = json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        self.push("bufferViews", view)
    }

    /// Adds bytes as an accessor over a view of its own.
    pub fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes, None);
        let accessor = json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        self.push("accessors", accessor)
    }

    pub fn floats(&mut self, values: &[f32], kind: &str) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(&bytes, F32, kind, values.len() / width)
    }

    pub fn vec3s(&mut self, values: &[Vec3]) -> usize {
        let flat: Vec<f32> = values.iter().flat_map(|value| value.to_array()).collect();
        self.floats(&flat, "VEC3")
    }

    pub fn u16s(&mut self, values: &[u16], kind: &str) -> usize {
        let width = if kind == "SCALAR" { 1 } else { 4 };
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(&bytes, U16, kind, values.len() / width)
    }

    /// A `.gltf` whose buffer is a data URI.
    pub fn to_gltf(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bin);
        let uri = format!("data:application/octet-stream;base64,{data}");
        json["buffers"] = json!([{"byteLength": self.bin.len(), "uri": uri}]);
        serde_json::to_vec(&json).expect("serialisable")
    }

    /// A `.glb`.
    pub fn to_glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bin.len()}]);
        let mut text = serde_json::to_vec(&json).expect("serialisable");
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bin.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let length = 12 + 8 + text.len() + 8 + bin.len();
        let mut glb = b"glTF".to_vec();
        for number in [2, length as u32, text.len() as u32, 0x4E4F_534A] {
            glb.extend(number.to_le_bytes());
        }
        glb.extend(text);
        for number in [bin.len() as u32, 0x004E_4942] {
            glb.extend(number.to_le_bytes());
        }
        glb.extend(bin);
        glb
    }

    pub fn load(&self) -> Result<CharacterData, LoadError> {
        load_bytes(&self.to_gltf(), "fixture", &Progress::new())
    }

    /// Loads what must load.
    pub fn loaded(&self) -> CharacterData {
        self.load().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The attributes of a primitive.
    pub fn attributes(&mut self, mesh: usize, primitive: usize) -> &mut Value {
        &mut self.json["meshes"][mesh]["primitives"][primitive]["attributes"]
    }
}

/// World positions of the vertices of the POSITION accessors in a pose: without the copies behind them.
pub fn positions(data: &CharacterData, clip: Option<usize>, time_secs: f64) -> Vec<Vec3> {
    stored(data, &all_positions(data, clip, time_secs))
}

/// World positions of all vertices in a pose.
pub fn all_positions(data: &CharacterData, clip: Option<usize>, time_secs: f64) -> Vec<Vec3> {
    skin(data, &pose(data, clip, time_secs)).positions
}

/// Of values by vertex those of the POSITION accessors.
pub fn stored<T: Copy>(data: &CharacterData, values: &[T]) -> Vec<T> {
    let run = |p: &Primitive| &values[p.first_vertex as usize..][..p.accessor_vertex_count as usize];
    data.primitives.iter().flat_map(run).copied().collect()
}

/// Bind positions of the stick: pairs at x = ±0.5, y from 0 to 2.
pub fn stick_positions() -> Vec<Vec3> {
    (0..10).map(|i| Vec3::new(if i % 2 == 0 { -0.5 } else { 0.5 }, (i / 2) as f32 * 0.5, 0.0)).collect()
}

/// Weights of the stick's vertices for its two joints: the upper one's grow with height, in quarters.
pub fn stick_weights() -> Vec<[f32; 4]> {
    (0..10).map(|i| (i / 2) as f32 * 0.25).map(|upper| [1.0 - upper, upper, 0.0, 0.0]).collect()
}

/// Two triangles for each of the stick's four squares.
pub fn stick_indices() -> Vec<u16> {
    (0..4u16).flat_map(|i| [0, 1, 3, 0, 3, 2].map(|corner| corner + 2 * i)).collect()
}

/// A half turn's half about z: the quaternion of `degrees`.
pub fn about_z(degrees: f32) -> [f32; 4] {
    let half = degrees.to_radians() / 2.0;
    [0.0, 0.0, half.sin(), half.cos()]
}

/// A two-joint strip, ten vertices, y from 0 to 2, joint 0 (node 1) at y = 0, joint 1 (node 2) at y = 1, whose
/// rotation goes from 0 to 90 degrees about z in one second. Node 0 carries the mesh.
pub fn stick() -> Gltf {
    let mut gltf = Gltf::new();
    let position = gltf.vec3s(&stick_positions());
    let joints = gltf.u16s(&[[0, 1, 0, 0]; 10].concat(), "VEC4");
    let weights = gltf.floats(stick_weights().as_flattened(), "VEC4");
    let indices = gltf.u16s(&stick_indices(), "SCALAR");
    let lower = glam::Mat4::IDENTITY.to_cols_array();
    let upper = glam::Mat4::from_translation(Vec3::new(0.0, -1.0, 0.0)).to_cols_array();
    let inverses = gltf.floats(&[lower, upper].concat(), "MAT4");
    let times = gltf.floats(&[0.0, 1.0], "SCALAR");
    let turns = gltf.floats(&[about_z(0.0), about_z(90.0)].concat(), "VEC4");
    gltf.push(
        "meshes",
        json!({"primitives": [{
            "attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights},
            "indices": indices,
        }]}),
    );
    gltf.push("nodes", json!({"mesh": 0, "skin": 0}));
    gltf.push("nodes", json!({"children": [2]}));
    gltf.push("nodes", json!({"translation": [0, 1, 0]}));
    gltf.push("skins", json!({"joints": [1, 2], "inverseBindMatrices": inverses}));
    gltf.push(
        "animations",
        json!({
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}],
            "samplers": [{"input": times, "output": turns}],
        }),
    );
    gltf.json["scenes"][0]["nodes"] = json!([0, 1]);
    gltf
}

/// A chain of joints along y, nodes of the same numbers, and a vertex at each that it alone moves; with the vertices'
/// places. The mesh is on the node after the last joint.
pub fn chain(count: u16) -> (Gltf, Vec<Vec3>) {
    let mut gltf = Gltf::new();
    let points: Vec<Vec3> = (0..count).map(|i| Vec3::new(0.0, f32::from(i), 0.0)).collect();
    let position = gltf.vec3s(&points);
    let joints = gltf.u16s(&(0..count).flat_map(|i| [i, 0, 0, 0]).collect::<Vec<_>>(), "VEC4");
    let weights = gltf.floats(&[1.0, 0.0, 0.0, 0.0].repeat(count.into()), "VEC4");
    let inverses: Vec<f32> =
        points.iter().flat_map(|point| glam::Mat4::from_translation(-*point).to_cols_array()).collect();
    let inverses = gltf.floats(&inverses, "MAT4");
    let attributes = json!({"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights});
    gltf.push("meshes", json!({"primitives": [{"attributes": attributes, "mode": 0}]}));
    for i in 0..count {
        let mut node = json!({"translation": [0, if i == 0 { 0 } else { 1 }, 0]});
        if i + 1 < count {
            node["children"] = json!([i + 1]);
        }
        gltf.push("nodes", node);
    }
    gltf.push("nodes", json!({"mesh": 0, "skin": 0}));
    gltf.push("skins", json!({"joints": (0..count).collect::<Vec<_>>(), "inverseBindMatrices": inverses}));
    gltf.json["scenes"][0]["nodes"] = json!([0, count]);
    (gltf, points)
}

/// Corners of a unit cube round the origin.
pub fn cube_positions() -> Vec<Vec3> {
    (0..8)
        .map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32) - Vec3::splat(0.5))
        .collect()
}

/// Twelve triangles of the cube, counter-clockwise outside.
pub fn cube_indices() -> Vec<u16> {
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
        .into_iter()
        .flat_map(|[a, b, c, d]| [a, b, c, a, c, d])
        .collect()
}

/// A cube of eight shared vertices without normals, on node 0.
pub fn cube() -> Gltf {
    let mut gltf = Gltf::new();
    let position = gltf.vec3s(&cube_positions());
    let indices = gltf.u16s(&cube_indices(), "SCALAR");
    gltf.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}, "indices": indices}]}));
    gltf.push("nodes", json!({"mesh": 0}));
    gltf.json["scenes"][0]["nodes"] = json!([0]);
    gltf
}

/// Six times the volume that the triangles enclose in a pose: positive when outside is counter-clockwise.
pub fn signed_volume(data: &CharacterData, positions: &[Vec3]) -> f32 {
    let corner = |index: u32| positions[index as usize];
    data.indices.chunks_exact(3).map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])))).sum()
}

/// The largest difference of any coordinate.
pub fn difference(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f32::max)
}

/// Whether some warning says `part`.
pub fn has_warning(data: &CharacterData, part: &str) -> bool {
    data.warnings.iter().any(|warning| warning.contains(part))
}

/// Asserts that two files pose alike at the start, the middle and the end of the first clip.
pub fn assert_same_poses(a: &CharacterData, b: &CharacterData, tolerance: f32, what: &str) {
    for time_secs in [0.0, 0.5, 1.0] {
        let error = difference(&positions(a, Some(0), time_secs), &positions(b, Some(0), time_secs));
        assert!(error <= tolerance, "{what} at {time_secs} s: {error}");
    }
}

/// The error's sentence, after checks that hold for all of them.
pub fn sentence(gltf: &Gltf) -> String {
    one_sentence(&gltf.load().expect_err("must fail"))
}

/// The text of an error, which must be one line with some words in it.
pub fn one_sentence(error: &LoadError) -> String {
    let sentence = error.to_string();
    assert!(!sentence.contains('\n') && sentence.len() > 20, "{sentence:?}");
    sentence
}

/// A cube whose material reads image 0, which holds `bytes`.
pub fn textured(bytes: &[u8]) -> Gltf {
    let mut gltf = cube();
    let view = gltf.view(bytes, None);
    gltf.push("images", json!({"bufferView": view}));
    gltf.push("textures", json!({"source": 0}));
    gltf.push("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    gltf
}

/// A KTX2 file of one UASTC block: 4 × 4 texels of one colour.
pub fn ktx2(width: u32, height: u32, color: [u8; 4]) -> Vec<u8> {
    let mut bytes = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
    let (dfd_at, dfd_length) = (80 + 24, 44u32);
    let data_at = 160u64;
    // vkFormat, typeSize, width, height, depth, layers, faces, levels, supercompression.
    for number in [0, 1, width, height, 0, 0, 1, 1, 0, dfd_at, dfd_length, 0, 0] {
        bytes.extend(u32::to_le_bytes(number));
    }
    bytes.extend([0; 16]);
    for number in [data_at, 16, 16] {
        bytes.extend(number.to_le_bytes());
    }
    // Data format: UASTC (166), BT.709, sRGB, blocks of 4 × 4, one sample of RGBA.
    for number in [dfd_length, 0, 2 | 40 << 16, 166 | 1 << 8 | 2 << 16, 0x0303, 16, 0] {
        bytes.extend(u32::to_le_bytes(number));
    }
    for number in [127 << 16 | 3 << 24, 0u32, 0, u32::MAX] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(data_at as usize, 0);
    // UASTC mode 8, the solid colour: a code of five bits, then four bytes.
    let block = 0x17u128 | u128::from(u32::from_le_bytes(color)) << 5;
    bytes.extend(block.to_le_bytes());
    bytes
}
