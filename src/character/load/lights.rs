//! KHR_lights_punctual and cameras: what hangs on the nodes of the shown scene beside meshes.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use glam::Vec3;
use serde_json::Value;

use super::context::Context;
use super::document::Document;
use super::error::LoadError;
use super::scene::Graph;
use crate::character::data::{Light, LightKind, Projection, SceneCamera};

/// Brightest light: sums of products with colours stay finite.
const MAX_INTENSITY: f32 = 1.0e12;
/// Least gap between the angles of a cone, so that its edge has a width.
const LEAST_CONE_EDGE: f32 = 1.0e-4;
/// Angles of view below this or above π less this count as faults.
const LEAST_FOV: f32 = 1.0e-3;

/// The lights of the shown scene; a malformed one is left out with a warning.
///
/// # Errors
/// [`LoadError::TooLarge`] when many nodes share lights of long names.
pub(super) fn lights(ctx: &Context, document: &Document, graph: &Graph) -> Result<Vec<Light>, LoadError> {
    let mut lights = Vec::new();
    for (index, node) in document.nodes.iter().enumerate() {
        let others = node.extensions.as_ref().map(|extensions| &extensions.others);
        let named = others.and_then(|others| others.get("KHR_lights_punctual")?.get("light"));
        let (true, Some(named)) = (graph.drawn[index], named) else { continue };
        let number = named.as_u64().and_then(|number| usize::try_from(number).ok());
        let Some((number, json)) = number.and_then(|number| Some((number, document.lights.get(number)?)))
        else {
            ctx.warn(format!("node {index} names light {named}, which does not exist"));
            continue;
        };
        match light(json) {
            Ok((color, intensity, range, kind)) => {
                let name = name(ctx, json, &graph.nodes[index].name)?;
                lights.push(Light { name, node: index as u32, color, intensity, range, kind });
            }
            Err(fault) => ctx.warn(format!("light {number} is left out because it {fault}")),
        }
    }
    Ok(lights)
}

type LightFacts = (Vec3, f32, Option<f32>, LightKind);

fn light(json: &Value) -> Result<LightFacts, &'static str> {
    let number = |value: Option<&Value>| value.and_then(Value::as_f64).map(|value| value as f32);
    let color = json.get("color").and_then(Value::as_array).map_or(Vec3::ONE, |color| {
        Vec3::from_array([0, 1, 2].map(|i| number(color.get(i)).unwrap_or(1.0).clamp(0.0, MAX_INTENSITY)))
    });
    let intensity = number(json.get("intensity")).unwrap_or(1.0).clamp(0.0, MAX_INTENSITY);
    let range = number(json.get("range")).filter(|range| *range > 0.0 && range.is_finite());
    let kind = match json.get("type").and_then(Value::as_str) {
        Some("directional") => return Ok((color, intensity, None, LightKind::Directional)),
        Some("point") => LightKind::Point,
        Some("spot") => {
            let angle = |key: &str| number(json.get("spot").and_then(|spot| spot.get(key)));
            let outer = angle("outerConeAngle").unwrap_or(FRAC_PI_4).clamp(LEAST_CONE_EDGE, FRAC_PI_2);
            let inner = angle("innerConeAngle").unwrap_or(0.0).clamp(0.0, outer - LEAST_CONE_EDGE);
            LightKind::Spot { inner_angle: inner, outer_angle: outer }
        }
        _ => return Err("is of an unknown type"),
    };
    Ok((color, intensity, range, kind))
}

/// The cameras of the shown scene; a malformed one is left out with a warning.
///
/// # Errors
/// As [`lights`].
pub(super) fn cameras(
    ctx: &Context,
    document: &Document,
    graph: &Graph,
) -> Result<Vec<SceneCamera>, LoadError> {
    let mut cameras = Vec::new();
    for (index, node) in document.nodes.iter().enumerate() {
        let (true, Some(number)) = (graph.drawn[index], node.camera.map(|camera| camera.value())) else {
            continue;
        };
        let Some(json) = document.cameras.get(number) else {
            ctx.warn(format!("node {index} names camera {number}, which does not exist"));
            continue;
        };
        match projection(ctx, number, json) {
            Ok(projection) => {
                let name = name(ctx, json, &graph.nodes[index].name)?;
                cameras.push(SceneCamera { name, node: index as u32, projection });
            }
            Err(fault) => ctx.warn(format!("camera {number} is malformed and is left out: {fault}")),
        }
    }
    Ok(cameras)
}

/// What camera `index` of the file shows. Of what a camera may leave out, a value that makes no sense counts as left
/// out, with a warning.
fn projection(ctx: &Context, index: usize, json: &Value) -> Result<Projection, &'static str> {
    let kind = json.get("type").and_then(Value::as_str).ok_or("it has no type")?;
    let fields = json.get(kind).filter(|fields| fields.is_object()).ok_or("it does not say what it shows")?;
    let number = |key: &str| {
        let value = fields.get(key)?.as_f64()? as f32;
        value.is_finite().then_some(value)
    };
    let optional = |key: &str, least: f32| {
        fields.get(key)?;
        let value = number(key).filter(|value| *value > least);
        if value.is_none() {
            ctx.warn(format!(
                "camera {index}: its {key} is not a finite number above {least} and is ignored"
            ));
        }
        value
    };
    match kind {
        "perspective" => {
            let y_fov = number("yfov").filter(|fov| (LEAST_FOV..PI - LEAST_FOV).contains(fov));
            let y_fov = y_fov.ok_or("its yfov is not an angle between 0 and π")?;
            let near = number("znear").filter(|near| *near > 0.0).ok_or("its znear is not above 0")?;
            let far = optional("zfar", near);
            let aspect = optional("aspectRatio", 0.0);
            Ok(Projection::Perspective { y_fov, aspect, near, far })
        }
        "orthographic" => {
            let half = |key: &str| number(key).filter(|half| *half != 0.0);
            let (x_mag, y_mag) =
                half("xmag").zip(half("ymag")).ok_or("its xmag or ymag is not a number other than 0")?;
            let near = number("znear").filter(|near| *near >= 0.0).ok_or("its znear is below 0")?;
            let far = number("zfar").filter(|far| *far > near).ok_or("its zfar is not beyond its znear")?;
            Ok(Projection::Orthographic { x_mag, y_mag, near, far })
        }
        _ => Err("it is of an unknown type"),
    }
}

/// The object's own name, else the node's.
fn name(ctx: &Context, json: &Value, node: &str) -> Result<String, LoadError> {
    let own = json.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
    let name = own.unwrap_or(node);
    ctx.charge((name.len() + size_of::<Light>()) as u64, "the list of lights and cameras")?;
    Ok(name.to_owned())
}
