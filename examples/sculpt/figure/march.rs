//! The zero surface of the figure by marching tetrahedra: always closed and manifold, whatever the field does.
//!
//! Each grid cube is cut into the six tetrahedra that share its long diagonal (Kuhn's subdivision), so neighbouring
//! cubes agree on every face. Triangles come out uneven; [`super::remesh`] cures that.

use super::shape::Shape;
use glam::DVec3;
use std::collections::HashMap;

/// Grid spacing, metres: fine enough for the gaps between the fingers.
const STEP: f64 = 0.005;
/// Cubes along a block's edge; blocks far from the surface are left out.
const BLOCK: usize = 8;
const LOW: DVec3 = DVec3::new(-0.8601, -0.0123, -0.2007);
const BLOCKS: [usize; 3] = [43, 45, 11];

/// The six paths from corner 0 to corner 7 of a cube, one axis at a time; corner bits are x = 1, y = 2, z = 4.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

/// Points and outward triangles of the figure's surface.
pub fn surface(shape: &Shape) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let size = BLOCKS.map(|n| n * BLOCK + 1);
    let index = |c: [usize; 3]| (c[2] * size[1] + c[1]) * size[0] + c[0];
    let place = |c: [usize; 3]| LOW + DVec3::new(c[0] as f64, c[1] as f64, c[2] as f64) * STEP;
    let mut field = vec![f64::NAN; size[0] * size[1] * size[2]];
    let mut blocks = Vec::new();
    let reach = STEP * BLOCK as f64 * 0.5 * 1.7321;
    for bz in 0..BLOCKS[2] {
        for by in 0..BLOCKS[1] {
            for bx in 0..BLOCKS[0] {
                let base = [bx * BLOCK, by * BLOCK, bz * BLOCK];
                let centre = place(base) + DVec3::splat(STEP * BLOCK as f64 * 0.5);
                // Blended distances may overshoot a little, hence the margin.
                if shape.distance(centre).abs() > reach * 1.6 {
                    continue;
                }
                blocks.push(base);
                for z in 0..=BLOCK {
                    for y in 0..=BLOCK {
                        for x in 0..=BLOCK {
                            let c = [base[0] + x, base[1] + y, base[2] + z];
                            let slot = &mut field[index(c)];
                            if slot.is_nan() {
                                *slot = shape.distance(place(c));
                            }
                        }
                    }
                }
            }
        }
    }

    let mut points = Vec::new();
    let mut faces = Vec::new();
    // Looked up, never iterated: the order of points is the order of the walk.
    let mut on_edge: HashMap<(usize, usize), u32> = HashMap::new();
    for base in blocks {
        for cell in 0..BLOCK * BLOCK * BLOCK {
            let c =
                [base[0] + cell % BLOCK, base[1] + cell / BLOCK % BLOCK, base[2] + cell / (BLOCK * BLOCK)];
            let corners: [[usize; 3]; 8] =
                std::array::from_fn(|k| [c[0] + (k & 1), c[1] + (k >> 1 & 1), c[2] + (k >> 2)]);
            let value = corners.map(|c| field[index(c)]);
            let inside = value.iter().filter(|&&v| v < 0.0).count();
            if inside == 0 || inside == 8 {
                continue;
            }
            for tetrahedron in TETRAHEDRA {
                let (ins, outs): (Vec<usize>, Vec<usize>) =
                    tetrahedron.iter().partition(|&&k| value[k] < 0.0);
                if ins.is_empty() || outs.is_empty() {
                    continue;
                }
                let mut cut = |a: usize, b: usize| {
                    let key =
                        (index(corners[a]).min(index(corners[b])), index(corners[a]).max(index(corners[b])));
                    *on_edge.entry(key).or_insert_with(|| {
                        let t = (value[a] / (value[a] - value[b])).clamp(0.03, 0.97);
                        let (pa, pb) = (place(corners[a]), place(corners[b]));
                        points.push(pa + (pb - pa) * t);
                        points.len() as u32 - 1
                    })
                };
                let triangles = match (&ins[..], &outs[..]) {
                    (&[i], &[a, b, c]) => vec![[cut(i, a), cut(i, b), cut(i, c)]],
                    (&[a, b, c], &[o]) => vec![[cut(a, o), cut(b, o), cut(c, o)]],
                    (&[i, j], &[a, b]) => {
                        let ring = [cut(i, a), cut(i, b), cut(j, b), cut(j, a)];
                        vec![[ring[0], ring[1], ring[2]], [ring[0], ring[2], ring[3]]]
                    }
                    _ => Vec::new(),
                };
                let outward = place(corners[outs[0]]) - place(corners[ins[0]]);
                for [a, b, c] in triangles {
                    let [pa, pb, pc] = [a, b, c].map(|v| points[v as usize]);
                    let faces_out = (pb - pa).cross(pc - pa).dot(outward) > 0.0;
                    faces.push(if faces_out { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    (points, faces)
}
