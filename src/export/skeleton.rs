//! Leaves of a file its nodes, clips, lights and cameras.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::character::load::Package;

/// What a channel may move when there are no meshes.
const PATHS: [&str; 3] = ["translation", "rotation", "scale"];

/// Takes out meshes, skins and materials, and the data that nothing needs then.
pub fn keep(package: &mut Package) {
    for list in ["meshes", "skins", "materials", "textures", "images", "samplers"] {
        package.json.remove(list);
    }
    for node in package.list("nodes").iter_mut().filter_map(Value::as_object_mut) {
        for key in ["mesh", "skin", "weights"] {
            node.remove(key);
        }
        keep_lights(node.get_mut("extensions"));
    }
    keep_lights(package.json.get_mut("extensions"));
    for animation in package.list("animations") {
        thin(animation);
    }
    package.list("animations").retain(|animation| !list_of(animation, "channels").is_empty());
    compact(package);
    for list in ["extensionsUsed", "extensionsRequired"] {
        let Some(names) = package.json.get(list).cloned() else { continue };
        let names = names.as_array().cloned().unwrap_or_default();
        package.json.remove(list);
        let whole = Value::Object(package.json.clone());
        let kept: Vec<Value> = names
            .into_iter()
            .filter(|name| name.as_str().is_some_and(|name| names_key(&whole, name)))
            .collect();
        package.json.insert(list.into(), json!(kept));
    }
}

/// Of extensions, lights mean something without meshes.
fn keep_lights(extensions: Option<&mut Value>) {
    if let Some(extensions) = extensions.and_then(Value::as_object_mut) {
        extensions.retain(|name, _| name == "KHR_lights_punctual");
    }
}

fn list_of<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether a key of this name stands anywhere.
fn names_key(value: &Value, name: &str) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| key == name || names_key(value, name)),
        Value::Array(list) => list.iter().any(|value| names_key(value, name)),
        _ => false,
    }
}

/// Takes the channels out of an animation that move what is gone, and the samplers that only they used.
fn thin(animation: &mut Value) {
    let path = |channel: &Value| channel.get("target")?.get("path")?.as_str().map(str::to_owned);
    let mut channels: Vec<Value> = list_of(animation, "channels").to_vec();
    channels.retain(|channel| path(channel).is_some_and(|path| PATHS.contains(&path.as_str())));
    let samplers = list_of(animation, "samplers").to_vec();
    let mut kept = Renumbered::default();
    for channel in &mut channels {
        kept.rename(&mut channel["sampler"]);
    }
    let samplers: Vec<Value> = kept.order.iter().filter_map(|&old| samplers.get(old).cloned()).collect();
    animation["channels"] = json!(channels);
    animation["samplers"] = json!(samplers);
}

/// Numbers of what is kept, in the order in which it was first named.
#[derive(Default)]
struct Renumbered {
    new: BTreeMap<usize, usize>,
    order: Vec<usize>,
}

impl Renumbered {
    /// Replaces an index by its new number.
    fn rename(&mut self, index: &mut Value) {
        let Some(old) = index.as_u64().and_then(|old| usize::try_from(old).ok()) else { return };
        let next = self.order.len();
        let new = *self.new.entry(old).or_insert(next);
        if new == next {
            self.order.push(old);
        }
        *index = json!(new);
    }
}

/// Keeps the accessors that animations name, and their bytes.
fn compact(package: &mut Package) {
    let mut accessors = Renumbered::default();
    for animation in package.list("animations") {
        for sampler in animation.get_mut("samplers").and_then(Value::as_array_mut).into_iter().flatten() {
            for key in ["input", "output"] {
                if let Some(index) = sampler.get_mut(key) {
                    accessors.rename(index);
                }
            }
        }
    }
    let old = std::mem::take(package.list("accessors"));
    let mut kept: Vec<Value> = accessors.order.iter().filter_map(|&index| old.get(index).cloned()).collect();
    let mut views = Renumbered::default();
    for accessor in &mut kept {
        for pointer in ["/bufferView", "/sparse/indices/bufferView", "/sparse/values/bufferView"] {
            if let Some(index) = accessor.pointer_mut(pointer) {
                views.rename(index);
            }
        }
    }
    *package.list("accessors") = kept;

    let old = std::mem::take(package.list("bufferViews"));
    let bytes = std::mem::take(&mut package.bin);
    let mut kept: Vec<Value> = views.order.iter().filter_map(|&index| old.get(index).cloned()).collect();
    for view in &mut kept {
        if let Some(extensions) = view.get_mut("extensions").and_then(Value::as_object_mut) {
            for extension in extensions.values_mut() {
                carry_over(extension, &bytes, &mut package.bin);
            }
        }
        carry_over(view, &bytes, &mut package.bin);
    }
    *package.list("bufferViews") = kept;
}

/// Copies what a view, or an extension of one, shows of buffer 0.
fn carry_over(place: &mut Value, from: &[u8], to: &mut Vec<u8>) {
    let number = |key: &str| place.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    if number("buffer") != Some(0) {
        return;
    }
    let (offset, length) = (number("byteOffset").unwrap_or(0), number("byteLength").unwrap_or(0));
    to.resize(to.len().next_multiple_of(4), 0);
    let new = to.len();
    if let Some(bytes) = offset.checked_add(length).and_then(|end| from.get(offset..end)) {
        to.extend_from_slice(bytes);
    }
    place["byteOffset"] = json!(new);
}
