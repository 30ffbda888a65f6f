//! The node graph: transforms, parents, the shown scene and an order with parents before children.

use glam::{DMat4, DQuat, DVec3, DVec4};
use gltf::json;

use super::context::Context;
use super::document::Document;
use super::error::LoadError;
use super::geometry::MAX_COORDINATE;
use crate::character::data::{LocalTransform, Node, Trs};

/// The node graph of a file.
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    /// Nodes that are needed, parents first.
    pub order: Vec<u32>,
    /// Whether a node belongs to the shown scene, so that its mesh is drawn.
    pub drawn: Vec<bool>,
}

/// Builds the graph. Every walk is a loop: files may nest thousands of nodes.
///
/// # Errors
/// [`LoadError::Broken`] for nodes that do not exist, cycles, and transforms that are not finite.
pub(super) fn build(ctx: &Context, document: &Document) -> Result<Graph, LoadError> {
    let mut nodes = Vec::with_capacity(document.nodes.len());
    for (index, node) in document.nodes.iter().enumerate() {
        nodes.push(Node {
            name: node.name.clone().unwrap_or_else(|| format!("node {index}")),
            parent: None,
            local: local_transform(ctx, index, node)?,
            mesh: node.mesh.map(|mesh| mesh.value() as u32),
            is_joint: false,
            morph_weights: None,
        });
    }
    link(ctx, document, &mut nodes)?;
    let topological = parents_first(&nodes);

    let roots = scene_roots(ctx, document, &nodes)?;
    let mut drawn = vec![false; nodes.len()];
    for &index in &topological {
        let below = nodes[index].parent.is_some_and(|parent| drawn[parent as usize]);
        if roots[index] && !below {
            // A scene's root stands in the world, whatever else claims it as a child.
            nodes[index].parent = None;
        }
        drawn[index] = roots[index] || below;
    }

    let mut needed = drawn.clone();
    let mut skins_seen = vec![false; document.skins.len()];
    for (index, node) in document.nodes.iter().enumerate() {
        let (true, Some(_), Some(skin)) = (drawn[index], node.mesh, node.skin) else { continue };
        // A skin is looked through once, however many nodes share it.
        let number = skin.value();
        if skins_seen.get(number).copied().unwrap_or(false) {
            continue;
        }
        let Some(skin) = document.skins.get(number) else {
            let fault = format!("names skin {number}, which does not exist");
            return Err(ctx.broken(format!("node {index}"), fault));
        };
        skins_seen[number] = true;
        for joint in &skin.joints {
            // Joints outside the scene move their vertices all the same.
            let mut next = Some(joint.value());
            while let Some(at) = next.filter(|at| !needed.get(*at).copied().unwrap_or(true)) {
                needed[at] = true;
                next = nodes[at].parent.map(|parent| parent as usize);
            }
            if let Some(node) = nodes.get_mut(joint.value()) {
                node.is_joint = true;
            }
        }
    }
    let order = topological.iter().filter(|index| needed[**index]).map(|index| *index as u32).collect();
    Ok(Graph { nodes, order, drawn })
}

fn local_transform(ctx: &Context, index: usize, node: &json::Node) -> Result<LocalTransform, LoadError> {
    let usable = |values: &[f32]| values.iter().all(|value| value.abs() <= MAX_COORDINATE);
    let fault =
        |what: &str| ctx.broken(format!("node {index}"), format!("has a {what} that is not a usable number"));
    if let Some(matrix) = &node.matrix {
        if !usable(matrix) {
            return Err(fault("matrix"));
        }
        let mut matrix = DMat4::from_cols_array(&matrix.map(f64::from));
        if matrix.row(3) != DVec4::W {
            ctx.warn(format!("node {index} has a matrix whose last row is not 0 0 0 1, which is mended"));
            matrix = affine(matrix);
        }
        return Ok(LocalTransform::Matrix(matrix));
    }
    let translation = node.translation.unwrap_or([0.0; 3]);
    let scale = node.scale.unwrap_or([1.0; 3]);
    let rotation = node.rotation.map_or([0.0, 0.0, 0.0, 1.0], |rotation| rotation.0);
    if !usable(&translation) {
        return Err(fault("translation"));
    }
    if !usable(&scale) {
        return Err(fault("scale"));
    }
    if !usable(&rotation) {
        return Err(fault("rotation"));
    }
    let quaternion = DQuat::from_array(rotation.map(f64::from));
    let rotation = if quaternion.length() > 1e-6 {
        quaternion.normalize()
    } else {
        ctx.warn(format!("node {index} has a rotation of length zero, which counts as none"));
        DQuat::IDENTITY
    };
    Ok(LocalTransform::Trs(Trs {
        translation: DVec3::from_array(translation.map(f64::from)),
        rotation,
        scale: DVec3::from_array(scale.map(f64::from)),
    }))
}

/// The matrix with the last row that every transform of points has.
pub(super) fn affine(mut matrix: DMat4) -> DMat4 {
    for (column, value) in [0.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
        matrix.col_mut(column).w = value;
    }
    matrix
}

/// Sets parents; refuses cycles, and of two parents keeps the first.
fn link(ctx: &Context, document: &Document, nodes: &mut [Node]) -> Result<(), LoadError> {
    let children = |index: usize| document.nodes[index].children.as_deref().unwrap_or_default();
    let mut incoming = vec![0u32; nodes.len()];
    for index in 0..nodes.len() {
        for child in children(index) {
            let Some(node) = nodes.get_mut(child.value()) else {
                let fault = format!("names node {} as a child, which does not exist", child.value());
                return Err(ctx.broken(format!("node {index}"), fault));
            };
            incoming[child.value()] += 1;
            if node.parent.is_some() {
                ctx.warn(format!("node {} has two parents; the first counts", child.value()));
            } else {
                node.parent = Some(index as u32);
            }
        }
    }
    // Kahn's algorithm (CACM 5(11), 1962) over all links, dropped ones too: what it cannot reach lies on a cycle
    // or below one.
    let mut free: Vec<usize> = (0..nodes.len()).filter(|index| incoming[*index] == 0).collect();
    let mut reached = 0;
    while let Some(index) = free.pop() {
        reached += 1;
        for child in children(index) {
            incoming[child.value()] -= 1;
            if incoming[child.value()] == 0 {
                free.push(child.value());
            }
        }
    }
    if reached < nodes.len() {
        let index = incoming.iter().position(|count| *count > 0).unwrap_or(0);
        return Err(ctx.broken(format!("node {index}"), "is part of a cycle or below one"));
    }
    Ok(())
}

/// All nodes, parents before children, depth first.
fn parents_first(nodes: &[Node]) -> Vec<usize> {
    let mut children = vec![Vec::new(); nodes.len()];
    let mut stack = Vec::new();
    for (index, node) in nodes.iter().enumerate().rev() {
        match node.parent {
            Some(parent) => children[parent as usize].push(index),
            None => stack.push(index),
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(index) = stack.pop() {
        order.push(index);
        stack.append(&mut children[index]);
    }
    order
}

/// Which nodes are roots of the shown scene: the default, else the first, else every node without a parent.
fn scene_roots(ctx: &Context, document: &Document, nodes: &[Node]) -> Result<Vec<bool>, LoadError> {
    let default = document.default_scene.unwrap_or(0);
    let chosen = usize::try_from(default).ok().filter(|index| *index < document.scenes.len());
    if chosen.is_none() && document.default_scene.is_some() {
        ctx.warn(format!("the default scene {default} does not exist"));
    }
    let mut roots = vec![false; nodes.len()];
    let Some(scene) = chosen.or((!document.scenes.is_empty()).then_some(0)) else {
        for (root, node) in roots.iter_mut().zip(nodes) {
            *root = node.parent.is_none();
        }
        return Ok(roots);
    };
    for &root in &document.scenes[scene] {
        let Some(flag) = roots.get_mut(root) else {
            return Err(
                ctx.broken(format!("scene {scene}"), format!("names node {root}, which does not exist"))
            );
        };
        *flag = true;
        if nodes[root].parent.is_some() {
            ctx.warn(format!("scene {scene} names node {root} as a root although it is some node's child"));
        }
    }
    Ok(roots)
}
