//! Mends weights that do not add up to one, which glTF forbids and files have all the same: readers that take them
//! as they are would pose such a file otherwise than those that, like Dryad, normalise.

use serde_json::Value;

use crate::character::load::Package;

const FLOAT: u64 = 5126;
/// Rounding of a sum of a few floats.
const TOLERANCE: f32 = 1e-6;

/// Where a set of weights lies in buffer 0.
struct Weights {
    accessor: usize,
    offset: usize,
    stride: usize,
    count: usize,
}

/// Scales plain float weights so that those of every vertex add up to one. Quantized and compressed ones stay.
pub fn normalise_weights(package: &mut Package) {
    let mut mended = 0;
    let meshes = package.list("meshes").clone();
    for primitive in meshes.iter().filter_map(|mesh| mesh.get("primitives")?.as_array()).flatten() {
        let Some(attributes) = primitive.get("attributes").filter(|_| primitive.get("extensions").is_none())
        else {
            continue;
        };
        let named = (0..).map_while(|set| attributes.get(format!("WEIGHTS_{set}")));
        let found: Option<Vec<Weights>> = named.map(|accessor| weights(package, accessor)).collect();
        let Some(sets) = found.filter(|sets| !sets.is_empty()) else { continue };
        let count = sets.iter().map(|set| set.count).min().unwrap_or(0);
        let before = mended;
        for vertex in 0..count {
            mended += usize::from(normalise(&mut package.bin, &sets, vertex));
        }
        if mended > before {
            for set in &sets {
                // The bounds told are those of before; they need not be told.
                if let Some(accessor) = package.list("accessors")[set.accessor].as_object_mut() {
                    accessor.remove("min");
                    accessor.remove("max");
                }
            }
        }
    }
    if mended > 0 {
        package
            .warnings
            .push(format!("weights of {mended} vertices did not add up to one and were normalised"));
    }
}

/// Scales the weights of one vertex; says whether they needed it.
fn normalise(bin: &mut [u8], sets: &[Weights], vertex: usize) -> bool {
    let places = || sets.iter().flat_map(|set| (0..4).map(move |k| set.offset + vertex * set.stride + 4 * k));
    let mut sum = 0.0;
    for place in places() {
        let Some(bytes) = bin.get(place..place + 4) else { return false };
        sum += f32::from_le_bytes(bytes.try_into().unwrap_or_default());
    }
    let wrong = (sum - 1.0).abs() > TOLERANCE && sum > TOLERANCE && sum.is_finite();
    if wrong {
        for place in places() {
            let bytes = &mut bin[place..place + 4];
            let weight = f32::from_le_bytes(bytes.try_into().unwrap_or_default()) / sum;
            bytes.copy_from_slice(&weight.to_le_bytes());
        }
    }
    wrong
}

/// Where an accessor of plain float weights lies.
fn weights(package: &mut Package, accessor: &Value) -> Option<Weights> {
    let index = |value: &Value| value.as_u64().and_then(|index| usize::try_from(index).ok());
    let number = |value: &Value, key: &str| value.get(key).map_or(Some(0), index);
    let at = index(accessor)?;
    let accessor = package.list("accessors").get(at)?.clone();
    let plain = accessor["componentType"] == FLOAT && accessor["type"] == "VEC4";
    if !plain || accessor.get("sparse").is_some() {
        return None;
    }
    let view = package.list("bufferViews").get(index(accessor.get("bufferView")?)?)?.clone();
    if view.get("extensions").is_some() || number(&view, "buffer") != Some(0) {
        return None;
    }
    let stride = number(&view, "byteStride")?.max(16);
    let offset = number(&view, "byteOffset")?.checked_add(number(&accessor, "byteOffset")?)?;
    let count = number(&accessor, "count")?;
    // Beyond the buffer nothing is looked at; the sum keeps places from wrapping round.
    let end = offset.checked_add(stride.checked_mul(count)?)?;
    (end <= package.bin.len().checked_add(stride)?).then_some(Weights { accessor: at, offset, stride, count })
}
