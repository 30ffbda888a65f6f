//! Animations to clips: whatever is broken costs its own channel only.

use glam::{Vec3, Vec4};
use gltf::json;
use json::accessor::ComponentType;
use json::animation::Property;
use json::validation::Checked;

use super::accessors::Accessors;
use super::document::Document;
use super::error::LoadError;
use super::geometry::MAX_COORDINATE;
use super::scene::Graph;
use crate::character::data::{Channel, ChannelValues, Clip, Interpolation, LocalTransform, Trs};

/// Reads all clips.
///
/// # Errors
/// [`LoadError::Cancelled`] and [`LoadError::TooLarge`].
pub(super) fn read(
    accessors: &Accessors,
    document: &Document,
    graph: &mut Graph,
) -> Result<Vec<Clip>, LoadError> {
    let ctx = accessors.ctx;
    let count = document.animations.len();
    let mut clips = Vec::with_capacity(count);
    for (index, animation) in document.animations.iter().enumerate() {
        ctx.step(0.8 + 0.2 * index as f32 / count as f32)?;
        let name = animation.name.clone().filter(|name| !name.is_empty());
        let mut clip = Clip { name: name.unwrap_or_else(|| format!("clip {index}")), ..Clip::default() };
        for (number, channel) in animation.channels.iter().enumerate() {
            let place = format!("animation {index} channel {number}");
            match read_channel(accessors, animation, channel, graph, &place) {
                Ok(channel) => {
                    let last = channel.times_secs.last().map_or(0.0, |last| f64::from(*last));
                    clip.duration_secs = clip.duration_secs.max(last);
                    clip.channels.push(channel);
                }
                Err(Skip::Because(fault)) => ctx.warn(format!("{place} is ignored because it {fault}")),
                Err(Skip::Stop(error)) => match *error {
                    LoadError::Broken { place: at, fault, .. } => {
                        ctx.warn(format!("{place} is ignored because {at} {fault}"));
                    }
                    LoadError::External { uri, fault, .. } => {
                        ctx.warn(format!("{place} is ignored because it needs {uri}, {fault}"));
                    }
                    error => return Err(error),
                },
            }
        }
        clips.push(clip);
    }
    Ok(clips)
}

enum Skip {
    /// The channel is set aside.
    Because(String),
    /// An accessor could not be read.
    Stop(Box<LoadError>),
}

impl From<LoadError> for Skip {
    fn from(error: LoadError) -> Self {
        Self::Stop(Box::new(error))
    }
}

fn skip<T>(fault: impl Into<String>) -> Result<T, Skip> {
    Err(Skip::Because(fault.into()))
}

fn read_channel(
    accessors: &Accessors,
    animation: &json::Animation,
    channel: &json::animation::Channel,
    graph: &mut Graph,
    place: &str,
) -> Result<Channel, Skip> {
    let node = channel.target.node.value();
    if node >= graph.nodes.len() {
        return skip(format!("moves node {node}, which does not exist"));
    }
    let Checked::Valid(property) = channel.target.path else {
        return skip("moves an unknown property");
    };
    let Some(sampler) = animation.samplers.get(channel.sampler.value()) else {
        return skip(format!("names sampler {}, which does not exist", channel.sampler.value()));
    };
    let interpolation = match sampler.interpolation {
        Checked::Valid(json::animation::Interpolation::Step) => Interpolation::Step,
        Checked::Valid(json::animation::Interpolation::Linear) => Interpolation::Linear,
        Checked::Valid(json::animation::Interpolation::CubicSpline) => Interpolation::CubicSpline,
        Checked::Invalid => return skip("has an unknown interpolation"),
    };
    let width = match property {
        Property::MorphTargetWeights => match graph.nodes[node].morph_weights {
            Some((_, count)) => count as usize,
            None => return skip(format!("moves morph weights, which node {node} does not have")),
        },
        _ => 1,
    };
    if property != Property::MorphTargetWeights {
        make_animatable(accessors, graph, node, place)?;
    }

    let input = sampler.input.value();
    if accessors.component(input, place)? != (ComponentType::F32, false) {
        return skip("has key times that are not 32-bit floats");
    }
    let mut times: Vec<f32> = accessors.floats::<1>(input, place)?.into_iter().flatten().collect();
    if times.iter().any(|time| !time.is_finite()) {
        return skip("has key times that are not numbers");
    }
    if times.windows(2).any(|pair| pair[0] > pair[1]) {
        return skip("has key times that run backwards");
    }

    let output = sampler.output.value();
    let values_a_key = width * if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let available = usize::try_from(accessors.count(output, place)?).unwrap_or(usize::MAX);
    let keys = times.len().min(available / values_a_key);
    if keys == 0 {
        return skip("has no keys");
    }
    if available != times.len() * values_a_key {
        let ctx = accessors.ctx;
        ctx.warn(format!(
            "{place} has {} key times but {available} values; {keys} keys are used",
            times.len()
        ));
    }
    times.truncate(keys);
    let needed = keys * values_a_key;
    let vec3s = || -> Result<Vec<Vec3>, Skip> {
        let mut values = accessors.floats::<3>(output, place)?;
        values.truncate(needed);
        usable(values.as_flattened())?;
        Ok(values.into_iter().map(Vec3::from_array).collect())
    };
    let values = match property {
        Property::Translation => ChannelValues::Translation(vec3s()?),
        Property::Scale => ChannelValues::Scale(vec3s()?),
        Property::Rotation => {
            let mut values = accessors.floats::<4>(output, place)?;
            values.truncate(needed);
            usable(values.as_flattened())?;
            ChannelValues::Rotation(values.into_iter().map(Vec4::from_array).collect())
        }
        Property::MorphTargetWeights => {
            let mut values: Vec<f32> = accessors.floats::<1>(output, place)?.into_iter().flatten().collect();
            values.truncate(needed);
            usable(&values)?;
            ChannelValues::Weights { width, values }
        }
    };
    Ok(Channel { node: node as u32, times_secs: times, interpolation, values })
}

fn usable(values: &[f32]) -> Result<(), Skip> {
    if values.iter().all(|value| value.abs() <= MAX_COORDINATE) {
        Ok(())
    } else {
        skip("has keys that are no usable numbers")
    }
}

/// glTF forbids animating a node with a matrix; where a file does so the matrix is taken apart.
fn make_animatable(accessors: &Accessors, graph: &mut Graph, node: usize, place: &str) -> Result<(), Skip> {
    let LocalTransform::Matrix(matrix) = graph.nodes[node].local else { return Ok(()) };
    if matrix.determinant().abs() < 1e-30 {
        return skip(format!("moves node {node}, whose matrix has no inverse"));
    }
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    if !(scale.is_finite() && rotation.is_finite() && translation.is_finite()) {
        return skip(format!("moves node {node}, whose matrix cannot be taken apart"));
    }
    accessors.ctx.warn(format!("{place} moves node {node}, which has a matrix; it is taken apart"));
    graph.nodes[node].local = LocalTransform::Trs(Trs { translation, rotation: rotation.normalize(), scale });
    Ok(())
}
