//! One binary glTF 2.0 file (Khronos, "glTF 2.0 specification", section 4.4), written by hand: the same bytes everywhere.

use std::fmt::Write;

/// Mesh data by vertex, as the file holds it.
pub struct Surface {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub texcoords: Vec<[f32; 2]>,
    pub colours: Vec<[u8; 4]>,
    pub joints: Vec<[u8; 4]>,
    pub weights: Vec<[f32; 4]>,
    pub triangles: Vec<u16>,
}

/// A joint node: name, parent, translation from the parent, world place at rest.
pub struct Node {
    pub name: String,
    pub parent: Option<usize>,
    pub offset: [f32; 3],
    pub place: [f32; 3],
}

/// A sampled clip: shared key times, the hips' translations, every joint's rotations (x, y, z, w).
pub struct Motion {
    pub name: &'static str,
    pub times: Vec<f32>,
    pub hips: Vec<[f32; 3]>,
    pub rotations: Vec<Vec<[f32; 4]>>,
}

const ARRAY: u32 = 34962;
const ELEMENTS: u32 = 34963;

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Buffer {
    /// Adds one view with one accessor over it and returns the accessor's index.
    fn add<T: bytemuck::NoUninit>(
        &mut self,
        data: &[T],
        kind: &str,
        component: u32,
        target: Option<u32>,
        more: &str,
    ) -> usize {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let target = target.map_or(String::new(), |t| format!(",\"target\":{t}"));
        let (offset, length) = (self.bytes.len(), bytes.len());
        self.views.push(format!("{{\"buffer\":0,\"byteOffset\":{offset},\"byteLength\":{length}{target}}}"));
        let (view, count) = (self.views.len() - 1, data.len());
        self.accessors.push(format!(
            "{{\"bufferView\":{view},\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"{more}}}"
        ));
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(
        &mut self,
        data: &[[f32; N]],
        kind: &str,
        target: Option<u32>,
        more: &str,
    ) -> usize
    where
        [f32; N]: bytemuck::NoUninit,
    {
        self.add(data, kind, 5126, target, more)
    }
}

fn numbers(values: &[f32]) -> String {
    // As f64, so that the decimals are the very value of the f32.
    let text: Vec<String> = values.iter().map(|&v| f64::from(v).to_string()).collect();
    format!("[{}]", text.join(","))
}

/// The file's bytes.
pub fn glb(surface: &Surface, nodes: &[Node], motions: &[Motion]) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let (mut low, mut high) = ([f32::MAX; 3], [f32::MIN; 3]);
    for p in &surface.positions {
        for c in 0..3 {
            low[c] = low[c].min(p[c]);
            high[c] = high[c].max(p[c]);
        }
    }
    let bounds = format!(",\"min\":{},\"max\":{}", numbers(&low), numbers(&high));
    let position = buffer.floats(&surface.positions, "VEC3", Some(ARRAY), &bounds);
    let normal = buffer.floats(&surface.normals, "VEC3", Some(ARRAY), "");
    let texcoord = buffer.floats(&surface.texcoords, "VEC2", Some(ARRAY), "");
    let colour = buffer.add(&surface.colours, "VEC4", 5121, Some(ARRAY), ",\"normalized\":true");
    let joint = buffer.add(&surface.joints, "VEC4", 5121, Some(ARRAY), "");
    let weight = buffer.floats(&surface.weights, "VEC4", Some(ARRAY), "");
    let index = buffer.add(&surface.triangles, "SCALAR", 5123, Some(ELEMENTS), "");
    let binds: Vec<[f32; 16]> = nodes
        .iter()
        .map(|n| {
            let [x, y, z] = n.place.map(|c| 0.0 - c);
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
        })
        .collect();
    let bind = buffer.floats(&binds, "MAT4", None, "");

    let animations: Vec<String> = motions.iter().map(|m| animation(&mut buffer, m)).collect();
    let figure = nodes.len();
    let names: Vec<String> = (0..figure).map(|n| n.to_string()).collect();
    let node_texts: Vec<String> = nodes
        .iter()
        .enumerate()
        .map(|(n, node)| {
            let children: Vec<String> =
                (0..figure).filter(|&c| nodes[c].parent == Some(n)).map(|c| c.to_string()).collect();
            let children = if children.is_empty() {
                String::new()
            } else {
                format!(",\"children\":[{}]", children.join(","))
            };
            format!("{{\"name\":\"{}\",\"translation\":{}{children}}}", node.name, numbers(&node.offset))
        })
        .collect();

    let mut json = String::new();
    let _ = write!(
        json,
        concat!(
            "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"Dryad sculpt\",\"copyright\":\"CC0 1.0\"}},",
            "\"scene\":0,\"scenes\":[{{\"nodes\":[0,{figure}]}}],",
            "\"nodes\":[{nodes},{{\"name\":\"dancer\",\"mesh\":0,\"skin\":0}}],",
            "\"meshes\":[{{\"name\":\"dancer\",\"primitives\":[{{\"attributes\":{{\"POSITION\":{position},",
            "\"NORMAL\":{normal},\"TEXCOORD_0\":{texcoord},\"COLOR_0\":{colour},\"JOINTS_0\":{joint},",
            "\"WEIGHTS_0\":{weight}}},\"indices\":{index},\"material\":0}}]}}],",
            "\"materials\":[{{\"name\":\"ceramic\",\"pbrMetallicRoughness\":{{\"baseColorFactor\":[1,1,1,1],",
            "\"metallicFactor\":0,\"roughnessFactor\":0.6}}}}],",
            "\"skins\":[{{\"name\":\"dancer\",\"skeleton\":0,\"inverseBindMatrices\":{bind},\"joints\":[{names}]}}],",
            "\"animations\":[{animations}],\"accessors\":[{accessors}],\"bufferViews\":[{views}],",
            "\"buffers\":[{{\"byteLength\":{length}}}]}}"
        ),
        figure = figure,
        nodes = node_texts.join(","),
        position = position,
        normal = normal,
        texcoord = texcoord,
        colour = colour,
        joint = joint,
        weight = weight,
        index = index,
        bind = bind,
        names = names.join(","),
        animations = animations.join(","),
        accessors = buffer.accessors.join(","),
        views = buffer.views.join(","),
        length = buffer.bytes.len(),
    );
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let total = 12 + 8 + json.len() + 8 + buffer.bytes.len();
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(b"glTF");
    for word in [2, total as u32, json.len() as u32] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(b"JSON");
    out.extend_from_slice(json.as_bytes());
    out.extend_from_slice(&(buffer.bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(b"BIN\0");
    out.extend_from_slice(&buffer.bytes);
    out
}

fn animation(buffer: &mut Buffer, motion: &Motion) -> String {
    let last = motion.times.last().copied().unwrap_or(0.0);
    let range = format!(",\"min\":[0],\"max\":{}", numbers(&[last]));
    let input = buffer.add(&motion.times, "SCALAR", 5126, None, &range);
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    let mut sampler = |output: usize| {
        samplers.push(format!("{{\"input\":{input},\"output\":{output},\"interpolation\":\"LINEAR\"}}"));
        samplers.len() - 1
    };
    let mut channel = |sampler: usize, node: usize, path: &str| {
        channels
            .push(format!("{{\"sampler\":{sampler},\"target\":{{\"node\":{node},\"path\":\"{path}\"}}}}"));
    };
    channel(sampler(buffer.floats(&motion.hips, "VEC3", None, "")), 0, "translation");
    let mut made: Vec<(usize, usize)> = Vec::new();
    for (node, keys) in motion.rotations.iter().enumerate() {
        // A joint that never leaves its rest needs no channel; links of one bend turn alike and share a sampler.
        if keys.iter().any(|q| *q != [0.0, 0.0, 0.0, 1.0]) {
            let alike = made.iter().find(|(other, _)| motion.rotations[*other] == *keys);
            let own = alike.map_or_else(|| sampler(buffer.floats(keys, "VEC4", None, "")), |a| a.1);
            made.push((node, own));
            channel(own, node, "rotation");
        }
    }
    format!(
        "{{\"name\":\"{}\",\"samplers\":[{}],\"channels\":[{}]}}",
        motion.name,
        samplers.join(","),
        channels.join(",")
    )
}
