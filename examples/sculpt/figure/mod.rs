//! The dancer: a figure sculpted from distance volumes, meshed, rigged, choreographed and written as one binary glTF.
//!
//! The same bytes on every machine: only `+ - * /` and `sqrt` in a fixed order, one thread, no order taken from hashing.

mod bend;
mod chart;
mod clips;
mod dress;
mod file;
mod landmarks;
mod march;
mod maths;
mod part;
mod pose;
mod remesh;
mod rig;
mod shape;
mod track;
mod volume;
mod weights;

use glam::DVec3;
use maths::unit;
use std::collections::BTreeMap;

/// Animation keys a second.
const KEY_RATE: f64 = 60.0;

/// The bytes of `dancer.glb`.
pub fn glb() -> Vec<u8> {
    let shape = shape::Shape::new();
    let (points, faces) = march::surface(&shape);
    let mut mesh = remesh::even(&shape, points, faces);
    let covers = dress::dress(&shape, &mut mesh);
    let joints = rig::joints();
    let influences = weights::heat(&mesh, &joints);
    let atlas = chart::unwrap(&shape, &mesh, &influences);
    let surface = split(&shape, &mesh, &covers, &influences, &atlas);
    let motions: Vec<file::Motion> = clips::clips().iter().map(|clip| sample(&joints, clip)).collect();
    file::glb(&surface, &nodes(&joints), &motions)
}

/// Vertices for the file: a point once for every panel and cover that meet in it.
fn split(
    shape: &shape::Shape,
    mesh: &remesh::Mesh,
    covers: &[dress::Cover],
    influences: &[weights::Influence],
    atlas: &chart::Atlas,
) -> file::Surface {
    let mut surface = file::Surface {
        positions: Vec::new(),
        normals: Vec::new(),
        texcoords: Vec::new(),
        colours: Vec::new(),
        joints: Vec::new(),
        weights: Vec::new(),
        triangles: Vec::new(),
    };
    let mut vertices = BTreeMap::new();
    for (f, face) in mesh.faces.iter().enumerate() {
        for &v in face {
            let key = (v, atlas.panel[f], covers[f]);
            let vertex = *vertices.entry(key).or_insert_with(|| {
                let p = mesh.points[v as usize];
                let normal = smooth_normal(shape, mesh, v);
                surface.positions.push(single(p));
                surface.normals.push(single(normal));
                surface.texcoords.push(atlas.place[&(v, atlas.panel[f])].map(|c| c as f32));
                let [r, g, b] =
                    dress::colour(shape, covers[f], p, normal).map(|c| (c * 255.0 + 0.5).floor() as u8);
                surface.colours.push([r, g, b, 255]);
                surface.joints.push(influences[v as usize].0);
                surface.weights.push(influences[v as usize].1);
                surface.positions.len() - 1
            });
            surface
                .triangles
                .push(u16::try_from(vertex).expect("an evenly meshed figure has under 65,536 vertices"));
        }
    }
    surface
}

/// The field's own normal, or the mesh's where the two disagree (in the depth of a fold).
fn smooth_normal(shape: &shape::Shape, mesh: &remesh::Mesh, v: u32) -> DVec3 {
    let field = unit(shape.gradient(mesh.points[v as usize]));
    let facets = mesh.normal(v);
    if field.dot(facets) > 0.8 { field } else { facets }
}

fn single(v: DVec3) -> [f32; 3] {
    v.to_array().map(|c| c as f32)
}

/// Joint nodes; places are summed in single precision as a viewer sums them.
fn nodes(joints: &[rig::Joint]) -> Vec<file::Node> {
    let mut nodes: Vec<file::Node> = Vec::new();
    for joint in joints {
        let from = joint.parent.map_or(DVec3::ZERO, |p| joints[p].place);
        let offset = single(joint.place - from);
        let base = joint.parent.map_or([0.0; 3], |p| nodes[p].place);
        let place = std::array::from_fn(|c| base[c] + offset[c]);
        nodes.push(file::Node { name: joint.name.clone(), parent: joint.parent, offset, place });
    }
    nodes
}

/// Keys of a clip. The last key is the first again; signs are chosen so that neighbours take the short way.
fn sample(joints: &[rig::Joint], clip: &clips::Clip) -> file::Motion {
    let keys = (clip.seconds * KEY_RATE + 0.5).floor() as usize;
    let mut motion = file::Motion {
        name: clip.name,
        times: Vec::new(),
        hips: Vec::new(),
        rotations: vec![Vec::new(); joints.len()],
    };
    for key in 0..=keys {
        let posed = pose::pose(joints, &(clip.stance)((key % keys) as f64 / KEY_RATE));
        motion.times.push((key as f64 / KEY_RATE) as f32);
        motion.hips.push(single(posed.hips));
        for (track, q) in motion.rotations.iter_mut().zip(posed.rotation) {
            let q = maths::unit_quat(q);
            let mut fresh = q.to_array().map(|c| c as f32);
            if let Some(last) = track.last() {
                let dot: f32 = last.iter().zip(&fresh).map(|(a, b): (&f32, &f32)| a * b).sum();
                if dot < 0.0 {
                    fresh = fresh.map(|c| -c);
                }
            }
            track.push(fresh);
        }
    }
    motion
}
