//! Sound files and seeded ways to break them.
#![allow(dead_code, reason = "each test file uses a part")]

use serde_json::{Value, json};

use super::fixtures::{F32, Gltf, U8, stick, stick_positions};

/// A generator of our own (splitmix64), so that a failing round can be named by its seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Flips, overwrites, cuts and doubles bytes.
pub fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    // Cuts and shifts end most files at the door: they are rare, so that most mutants get further.
    for _ in 0..=random.below(4) {
        let at = random.below(mutant.len());
        match random.below(40) {
            0..=15 => mutant[at] ^= 1 << random.below(8),
            16..=25 => mutant[at] = random.next() as u8,
            26..=31 => mutant[at] = [0, 0xFF, 0x7F, 0x80, b'9', b'-'][random.below(6)],
            32..=37 => {
                let end = (at + 4).min(mutant.len());
                mutant[at..end].fill([0, 0xFF][random.below(2)]);
            }
            38 => {
                let end = (at + random.below(16)).min(mutant.len());
                mutant.drain(at..end);
            }
            _ => mutant.truncate(at.max(1)),
        }
        if mutant.is_empty() {
            mutant.push(0);
        }
    }
    mutant
}

/// Replaces one random number or string anywhere in a JSON document.
pub fn mutate_json(value: &mut Value, random: &mut Random) {
    let mut at = value;
    loop {
        let children = match at {
            Value::Object(map) => map.len(),
            Value::Array(list) => list.len(),
            _ => 0,
        };
        if children == 0 || random.below(12) == 0 {
            break;
        }
        let pick = random.below(children);
        at = match at {
            Value::Object(map) => map.iter_mut().nth(pick).expect("a child").1,
            Value::Array(list) => &mut list[pick],
            _ => break,
        };
    }
    *at = match random.below(14) {
        0 => json!(0),
        1 => json!(-1),
        2 => json!(1),
        3 => json!(3),
        4 => json!(255),
        5 => json!(65_535),
        6 => json!(u32::MAX),
        7 => json!(u64::MAX),
        8 => json!(1e38),
        9 => json!(5123),
        10 => json!("VEC3"),
        11 => json!([]),
        12 => json!({}),
        _ => Value::Null,
    };
}

/// A stick with everything a file can have: texture, morph targets, sparse accessors, strided views.
pub fn rich_stick() -> Gltf {
    let mut gltf = stick();
    let deltas = gltf.vec3s(&stick_positions());
    gltf.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": deltas, "NORMAL": deltas}]);
    gltf.json["meshes"][0]["weights"] = json!([0.5]);
    gltf.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let indices = gltf.view(&[0u8, 5], None);
    let values = gltf.view(&[0u8; 16], None);
    let uv = gltf.push(
        "accessors",
        json!({"componentType": F32, "type": "VEC2", "count": 10, "sparse": {
            "count": 2,
            "indices": {"bufferView": indices, "componentType": U8},
            "values": {"bufferView": values},
        }}),
    );
    gltf.attributes(0, 0)["TEXCOORD_0"] = json!(uv);
    let mut png = Vec::new();
    let pixels = image::RgbaImage::from_pixel(4, 3, image::Rgba([200, 100, 50, 255]));
    pixels.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).expect("a PNG");
    let view = gltf.view(&png, None);
    gltf.push("images", json!({"bufferView": view, "mimeType": "image/png"}));
    gltf.push("textures", json!({"source": 0}));
    let moved = json!({"KHR_texture_transform": {"offset": [0.5, 0.25], "scale": [2, 2], "rotation": 0.5}});
    let slot = json!({"index": 0, "texCoord": 0, "extensions": moved});
    gltf.push(
        "materials",
        json!({
            "pbrMetallicRoughness": {"baseColorTexture": slot, "metallicRoughnessTexture": slot},
            "normalTexture": {"index": 0, "scale": 0.5}, "occlusionTexture": {"index": 0, "strength": 0.5},
            "emissiveTexture": slot, "emissiveFactor": [1, 1, 1], "alphaMode": "MASK",
            "extensions": {
                "KHR_materials_specular": {"specularColorFactor": [1, 0.5, 0.5], "specularTexture": slot},
                "KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatNormalTexture": slot},
                "KHR_materials_sheen": {"sheenColorFactor": [0.5, 0.5, 0.5], "sheenColorTexture": slot},
                "KHR_materials_transmission": {"transmissionFactor": 0.5},
                "KHR_materials_ior": {"ior": 1.4},
            },
        }),
    );
    gltf.push("materials", json!({"extensions": {"KHR_materials_unlit": {}}}));
    gltf.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_materials_variants": {"mappings": [{"material": 1, "variants": [0, 1]}]}});
    gltf.json["extensions"] = json!({
        "KHR_materials_variants": {"variants": [{"name": "day"}, {"name": "night"}]},
        "KHR_lights_punctual": {"lights": [
            {"type": "spot", "color": [1, 0.5, 0.25], "intensity": 20, "range": 5,
             "spot": {"innerConeAngle": 0.1, "outerConeAngle": 0.5}},
            {"type": "directional", "name": "sun"},
        ]},
    });
    gltf.json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}}]);
    gltf.json["nodes"][1]["extensions"] = json!({"KHR_lights_punctual": {"light": 0}});
    gltf.json["nodes"][2]["extensions"] = json!({"KHR_lights_punctual": {"light": 1}});
    gltf.json["nodes"][2]["camera"] = json!(0);
    let times = gltf.floats(&[0.0, 1.0], "SCALAR");
    let weights = gltf.floats(&[0.0, 1.0], "SCALAR");
    let animation = &mut gltf.json["animations"][0];
    animation["samplers"].as_array_mut().expect("a list").push(json!({"input": times, "output": weights}));
    let channel = json!({"sampler": 1, "target": {"node": 0, "path": "weights"}});
    animation["channels"].as_array_mut().expect("a list").push(channel);
    gltf
}
