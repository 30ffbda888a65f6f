//! What each face shows, with crisp hems: points next to a hem are drawn onto it before faces take sides.

use super::maths::{mix, smoothstep, unit};
use super::remesh::Mesh;
use super::shape::Shape;
use glam::DVec3;

/// What a face of the surface shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cover {
    Skin,
    Cloth,
    Hair,
}

/// Linear colours.
const HAIR: [f64; 3] = [0.040, 0.022, 0.017];
const SKIN: [f64; 3] = [0.640, 0.418, 0.300];
const BLUSH: [f64; 3] = [0.520, 0.215, 0.150];
const CLOTH: [f64; 3] = [0.070, 0.215, 0.255];
const CLOTH_LOW: [f64; 3] = [0.036, 0.110, 0.165];

/// Draws the mesh to the hems and names what every face shows.
pub fn dress(shape: &Shape, mesh: &mut Mesh) -> Vec<Cover> {
    let cloth = |p: DVec3| shape.cloth(p);
    let hair = |p: DVec3| shape.hairiness(p);
    let on_hem = draw_to_hem(shape, mesh, &cloth);
    let on_hairline = draw_to_hem(shape, mesh, &hair);
    let fixed: Vec<bool> = on_hem.iter().zip(&on_hairline).map(|(a, b)| *a || *b).collect();
    mesh.tidy(shape, &fixed);
    let worn = side_of(mesh, &cloth, &on_hem);
    let hairy = side_of(mesh, &hair, &on_hairline);
    worn.into_iter()
        .zip(hairy)
        .map(|(worn, hairy)| match (hairy, worn) {
            (true, _) => Cover::Hair,
            (_, true) => Cover::Cloth,
            _ => Cover::Skin,
        })
        .collect()
}

/// Moves the nearer end of every edge that crosses a field's zero onto it; says which points lie there now.
fn draw_to_hem(shape: &Shape, mesh: &mut Mesh, field: &dyn Fn(DVec3) -> f64) -> Vec<bool> {
    let mut value: Vec<f64> = mesh.points.iter().map(|&p| field(p)).collect();
    let mut drawn = vec![false; value.len()];
    for (a, b) in mesh.edges() {
        let (a, b) = (a as usize, b as usize);
        if value[a] * value[b] >= 0.0 {
            continue;
        }
        let near = if value[a].abs() < value[b].abs() { a } else { b };
        let mut p = mesh.points[near];
        for _ in 0..4 {
            p = shape.project(p - level_step(shape, field, p));
        }
        // A hem may end in a fold of the surface, where there is nothing near to move to.
        if (p - mesh.points[near]).length() < 0.7 * shape.spacing(p) {
            mesh.points[near] = p;
            value[near] = 0.0;
            drawn[near] = true;
        }
    }
    drawn
}

/// For every face, whether it lies on the positive side of a field; points drawn to its zero take no side.
fn side_of(mesh: &Mesh, field: &dyn Fn(DVec3) -> f64, drawn: &[bool]) -> Vec<bool> {
    mesh.faces
        .iter()
        .map(|face| {
            let sided: f64 =
                face.iter().filter(|&&v| !drawn[v as usize]).map(|&v| field(mesh.points[v as usize])).sum();
            if sided == 0.0 {
                return field(face.iter().map(|&v| mesh.points[v as usize]).sum::<DVec3>() / 3.0) > 0.0;
            }
            sided > 0.0
        })
        .collect()
}

/// The Newton step within the surface towards a field's zero.
fn level_step(shape: &Shape, field: &dyn Fn(DVec3) -> f64, p: DVec3) -> DVec3 {
    const H: f64 = 2e-4;
    let slope = |d: DVec3| (field(p + d * H) - field(p - d * H)) / (2.0 * H);
    let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
    let normal = unit(shape.gradient(p));
    let along = gradient - normal * gradient.dot(normal);
    along * (field(p) / along.dot(along).max(0.05))
}

/// Linear colour of a point under a cover: darker in hollows, cloth fading towards the feet, a breath of red on the lips.
pub fn colour(shape: &Shape, cover: Cover, p: DVec3, normal: DVec3) -> [f64; 3] {
    // Distances a little way out fall short of the way where something else is near.
    let mut open = 0.0;
    for (reach, share) in [(0.008, 0.3), (0.02, 0.35), (0.045, 0.35)] {
        open += share * (shape.distance(p + normal * reach) / reach).clamp(0.0, 1.0);
    }
    let shade = mix(0.62, 1.0, open);
    let blend = |a: [f64; 3], b: [f64; 3], t: f64| std::array::from_fn(|c| mix(a[c], b[c], t));
    let base: [f64; 3] = match cover {
        Cover::Hair => HAIR,
        Cover::Cloth => blend(CLOTH_LOW, CLOTH, smoothstep(0.2, 1.15, p.y)),
        Cover::Skin => {
            let lips = DVec3::new(p.x / 0.0275, (p.y - 1.571) / 0.0095, (p.z - 0.090) / 0.02);
            let red = smoothstep(1.1, 0.75, lips.dot(lips).sqrt());
            let skin = blend(SKIN, BLUSH, red * 0.7);
            blend(skin, HAIR, line_of_the_face(p) * 0.8)
        }
    };
    base.map(|c| c * shade)
}

/// How much a point of the face lies under the brows (1) or on the lashes of the closed eyes.
fn line_of_the_face(p: DVec3) -> f64 {
    if p.z < 0.05 || p.y < 1.55 {
        return 0.0;
    }
    let x = p.x.abs();
    let stroke = |from: f64, to: f64, height: f64, bow: f64, half: f64| {
        let t = (2.0 * x - from - to) / (to - from);
        let off = (p.y - height - bow * t * t) / half;
        smoothstep(1.0, 0.3, off.abs()) * smoothstep(1.15, 0.8, t.abs())
    };
    let brow = stroke(0.013, 0.050, 1.6585, -0.0048, 0.0050);
    let lashes = stroke(0.019, 0.043, 1.6265, 0.0030, 0.0036);
    brow.max(lashes * 0.8)
}
