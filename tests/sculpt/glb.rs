//! Reads the shipped file as a stranger would: JSON, accessors, and what the keys of its clips do to the joints.

use glam::{DQuat, DVec3};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A parsed binary glTF.
pub struct Glb {
    pub json: Value,
    pub bin: Vec<u8>,
}

pub fn shipped() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/dancer.glb")).expect("assets/dancer.glb")
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

pub fn parse(bytes: &[u8]) -> Glb {
    let length = word(bytes, 12);
    Glb {
        json: serde_json::from_slice(&bytes[20..20 + length]).expect("JSON"),
        bin: bytes[28 + length..].to_vec(),
    }
}

impl Glb {
    pub fn number(&self, pointer: &str) -> usize {
        self.json.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("no {pointer}")) as usize
    }

    pub fn size(&self, pointer: &str) -> usize {
        self.json.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// An accessor's elements as rows of `N` numbers.
    pub fn read<const N: usize>(&self, accessor: usize) -> Vec<[f32; N]> {
        let at = |name: &str| self.number(&format!("/accessors/{accessor}/{name}"));
        let offset = self.number(&format!("/bufferViews/{}/byteOffset", at("bufferView")));
        let (width, kind) = match at("componentType") {
            5121 => (1, 'b'),
            5123 => (2, 's'),
            _ => (4, 'f'),
        };
        let value = |i: usize| {
            let b = &self.bin[offset + i * width..offset + (i + 1) * width];
            match kind {
                'b' => f32::from(b[0]),
                's' => f32::from(u16::from_le_bytes([b[0], b[1]])),
                _ => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            }
        };
        (0..at("count")).map(|row| std::array::from_fn(|c| value(row * N + c))).collect()
    }

    pub fn attribute<const N: usize>(&self, name: &str) -> Vec<[f32; N]> {
        self.read(self.number(&format!("/meshes/0/primitives/0/attributes/{name}")))
    }

    pub fn triangles(&self) -> Vec<[usize; 3]> {
        let flat: Vec<[f32; 1]> = self.read(self.number("/meshes/0/primitives/0/indices"));
        flat.chunks(3).map(|t| [t[0][0] as usize, t[1][0] as usize, t[2][0] as usize]).collect()
    }

    /// Triangles over points welded by position, and the points.
    pub fn welded(&self) -> (Vec<[f32; 3]>, Vec<[usize; 3]>) {
        let mut points = Vec::new();
        let mut seen = BTreeMap::new();
        let name: Vec<usize> = self
            .attribute::<3>("POSITION")
            .into_iter()
            .map(|p| {
                *seen.entry(p.map(f32::to_bits)).or_insert_with(|| {
                    points.push(p);
                    points.len() - 1
                })
            })
            .collect();
        (points, self.triangles().into_iter().map(|t| t.map(|v| name[v])).collect())
    }
}

/// What a clip does to the joints: world place and turn of every one, key by key.
pub fn joint_frames(glb: &Glb, clip: &str) -> Vec<Vec<(DVec3, DQuat)>> {
    let count = glb.size("/skins/0/joints");
    let offset = |node: usize| {
        let at =
            |c: usize| glb.json.pointer(&format!("/nodes/{node}/translation/{c}")).and_then(Value::as_f64);
        DVec3::new(at(0).expect("x"), at(1).expect("y"), at(2).expect("z"))
    };
    let mut parent = vec![None; count];
    for node in 0..count {
        for k in 0..glb.size(&format!("/nodes/{node}/children")) {
            parent[glb.number(&format!("/nodes/{node}/children/{k}"))] = Some(node);
        }
    }
    let a = (0..glb.size("/animations"))
        .find(|a| glb.json.pointer(&format!("/animations/{a}/name")) == Some(&Value::from(clip)))
        .expect("the clip");
    let mut rotations = vec![Vec::new(); count];
    let mut hips = Vec::new();
    for c in 0..glb.size(&format!("/animations/{a}/channels")) {
        let node = glb.number(&format!("/animations/{a}/channels/{c}/target/node"));
        let sampler = glb.number(&format!("/animations/{a}/channels/{c}/sampler"));
        let output = glb.number(&format!("/animations/{a}/samplers/{sampler}/output"));
        if glb.json.pointer(&format!("/animations/{a}/channels/{c}/target/path"))
            == Some(&Value::from("rotation"))
        {
            rotations[node] = glb.read::<4>(output);
        } else {
            hips = glb.read::<3>(output);
        }
    }
    let posed = |(key, at): (usize, &[f32; 3])| {
        let mut world = vec![(DVec3::ZERO, DQuat::IDENTITY); count];
        for node in 0..count {
            let own =
                rotations[node].get(key).map_or(DQuat::IDENTITY, |q| DQuat::from_array(q.map(f64::from)));
            world[node] = match parent[node] {
                None => (DVec3::from(at.map(f64::from)), own),
                Some(p) => (world[p].0 + world[p].1 * offset(node), world[p].1 * own),
            };
        }
        world
    };
    hips.iter().enumerate().map(posed).collect()
}

pub fn joint_name(glb: &Glb, node: usize) -> String {
    glb.json.pointer(&format!("/nodes/{node}/name")).and_then(Value::as_str).expect("a name").to_owned()
}

/// World positions of every joint by name, key by key.
pub fn joint_places(glb: &Glb, clip: &str) -> BTreeMap<String, Vec<DVec3>> {
    let mut places: BTreeMap<String, Vec<DVec3>> = BTreeMap::new();
    for frames in joint_frames(glb, clip) {
        for (node, (place, _)) in frames.into_iter().enumerate() {
            places.entry(joint_name(glb, node)).or_default().push(place);
        }
    }
    places
}
