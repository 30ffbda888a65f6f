//! What is inside a triangle soup, and the points that fill it.

mod common;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use dryad::character::volume::sample::POINTS_A_CUBE;
use dryad::character::volume::voxels::{MAX_VOXELS, voxel_shift};
use dryad::character::volume::{
    Candidates, Components, VoxelVolume, Voxelized, hash, lattice_tree, poisson_select, voxelize,
};
use dryad::character::{CharacterData, RestShape};
use dryad::sim::growth::{GrowthParams, GrowthPlan, plan};
use glam::{IVec3, Vec3};

type Triangles = (Vec<IVec3>, Vec<u32>);

/// A cube with outward triangles, two a face; `faces` of its six.
fn cube(min: IVec3, size: i32, faces: &[usize]) -> Triangles {
    let corners = (0..8).map(|k| min + IVec3::new(k & 1, k >> 1 & 1, k >> 2) * size).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let indices = faces.iter().flat_map(|&f| {
        let [a, b, c, d] = quads[f];
        [a, b, c, a, c, d]
    });
    (corners, indices.collect())
}

/// A ball with outward triangles.
fn ball(center: IVec3, radius: f64) -> Triangles {
    let (rows, columns) = (24, 36);
    let mut points = Vec::new();
    for row in 0..=rows {
        let (ring, height) = (std::f64::consts::PI * f64::from(row) / f64::from(rows)).sin_cos();
        for column in 0..columns {
            let (s, c) = (std::f64::consts::TAU * f64::from(column) / f64::from(columns)).sin_cos();
            let p = glam::DVec3::new(ring * s, height, ring * c) * radius;
            points.push(center + p.round().as_ivec3());
        }
    }
    let mut indices = Vec::new();
    for row in 0..rows as u32 {
        for column in 0..columns as u32 {
            let next = (column + 1) % columns as u32;
            let [a, b] = [column, next].map(|c| row * columns as u32 + c);
            let [c, d] = [a, b].map(|k| k + columns as u32);
            indices.extend([a, c, b, b, c, d]);
        }
    }
    (points, indices)
}

fn together(parts: &[Triangles]) -> Triangles {
    let (mut points, mut indices) = (Vec::new(), Vec::new());
    for (p, i) in parts {
        let first = points.len() as u32;
        points.extend(p);
        indices.extend(i.iter().map(|index| index + first));
    }
    (points, indices)
}

fn inside((points, indices): &Triangles, shift: u32) -> Voxelized {
    let tree = lattice_tree(points, indices);
    voxelize(points, indices, &tree, shift, &AtomicBool::new(false)).expect("not cancelled")
}

/// Compares every voxel whose middle is at least `slack` from the surface with `expected`, which says how far
/// inside (positive) a point is.
fn assert_inside(found: &Voxelized, slack: f64, expected: impl Fn(IVec3) -> f64) {
    let volume = &found.volume;
    let mut compared = [0, 0];
    for index in 0..volume.len() {
        let middle = volume.origin + volume.voxel(index).as_ivec3() * volume.edge() + volume.edge() / 2;
        let depth = expected(middle);
        if depth.abs() > slack {
            assert_eq!(volume.get(index), depth > 0.0, "{middle}");
            compared[usize::from(depth > 0.0)] += 1;
        }
    }
    assert!(compared.iter().all(|&n| n > 1000), "{compared:?}");
}

/// How far inside a cube.
fn cube_depth(min: IVec3, size: i32) -> impl Fn(IVec3) -> f64 {
    move |p| f64::from((p - min).min(min + size - p).min_element())
}

const ALL: [usize; 6] = [0, 1, 2, 3, 4, 5];
const AT: IVec3 = IVec3::splat(40_000);

#[test]
fn a_closed_cube_is_exact_either_way_round() {
    let (points, mut indices) = cube(AT, 16_000, &ALL);
    let found = inside(&(points.clone(), indices.clone()), 9);
    assert_inside(&found, 0.0, cube_depth(AT, 16_000));
    assert_eq!(found.disputed, 0);
    for triangle in indices.chunks_exact_mut(3) {
        triangle.swap(0, 1);
    }
    let inverted = inside(&(points, indices), 9);
    assert_eq!(inverted.volume, found.volume);
    assert_eq!(inverted.disputed, 0);
    // Voxel middles exactly on faces, edges and diagonals: each belongs to one side, so there are no cracks.
    let aligned = cube(AT + 256, 512 * 30, &ALL);
    let found = inside(&aligned, 9);
    assert_eq!((found.volume.count(), found.disputed), (30 * 30 * 30, 0));
}

#[test]
fn a_cube_that_misses_a_face_is_still_filled() {
    for missing in 0..6 {
        let faces: Vec<usize> = ALL.into_iter().filter(|&f| f != missing).collect();
        let found = inside(&cube(AT, 16_000, &faces), 9);
        // The other two axes decide everywhere: the one through the hole has nothing to say there.
        assert_eq!(found.disputed, 0);
        assert_inside(&found, 0.0, cube_depth(AT, 16_000));
    }
    // Two opposite faces gone: along that axis nothing is seen, and the winding number decides.
    let found = inside(&cube(AT, 16_000, &[0, 1, 2, 3]), 9);
    assert!(found.disputed > 1000);
    let middle = found.volume.contains(AT + 8000);
    assert!(middle && !found.volume.contains(AT - 300));
}

#[test]
fn overlapping_balls_are_one_volume() {
    let (a, b, radius) = (AT, AT + IVec3::new(7000, 0, 0), 6000.0);
    let found = inside(&together(&[ball(a, radius), ball(b, radius)]), 9);
    let depth = |p: IVec3| {
        let to = |c: IVec3| radius - (p - c).as_dvec3().length();
        to(a).max(to(b))
    };
    // Facets lie up to 1 - cos(7.5 degrees / 2) of the radius inside each ball, a little more along the diagonals.
    assert_inside(&found, 80.0, depth);
    assert_eq!(Components::new(&found.volume).count(), 1);
}

#[test]
fn parts_that_touch_count_as_one() {
    let parts =
        |gap: i32| together(&[cube(AT, 8192, &ALL), cube(AT + IVec3::new(8192 + gap, 0, 0), 8192, &ALL)]);
    assert_eq!(Components::new(&inside(&parts(0), 9).volume).count(), 1);
    let found = inside(&parts(2048), 9);
    let components = Components::new(&found.volume);
    assert_eq!(components.count(), 2);
    let at = |x: i32| found.volume.voxel_at(AT + IVec3::new(x, 4000, 4000)).expect("in the grid");
    assert_eq!((components.of(at(4000)), components.of(at(14_000))), (Some(0), Some(1)));
    assert_eq!(components.of(at(9200)), None);

    // Against a flood fill over random voxels.
    let mut volume = VoxelVolume::around(&[IVec3::ZERO, IVec3::splat(11 << 3)], 3);
    for index in 0..volume.len() {
        if hash(index as u32).is_multiple_of(8) {
            volume.set(index);
        }
    }
    let components = Components::new(&volume);
    let mut labels = vec![None; volume.len()];
    let mut count = 0;
    for start in 0..volume.len() {
        if !volume.get(start) || labels[start].is_some() {
            continue;
        }
        let mut stack = vec![start];
        labels[start] = Some(count);
        while let Some(index) = stack.pop() {
            let voxel = volume.voxel(index).as_ivec3();
            for k in 0..27 {
                let n = voxel + IVec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
                if n.min_element() < 0 || n.cmpge(volume.dims.as_ivec3()).any() {
                    continue;
                }
                let n = volume.index(n.as_uvec3());
                if volume.get(n) && labels[n].is_none() {
                    labels[n] = Some(count);
                    stack.push(n);
                }
            }
        }
        count += 1;
    }
    assert!(count > 5);
    assert_eq!(components.count(), count);
    for (index, label) in labels.iter().enumerate() {
        assert_eq!(components.of(volume.voxel(index)), *label);
    }
}

#[test]
fn segments_are_inside_or_cross_the_gap() {
    let parts = together(&[cube(AT, 8192, &ALL), cube(AT + IVec3::new(10_240, 0, 0), 8192, &ALL)]);
    let volume = inside(&parts, 9).volume;
    let at = |x: i32, y: i32| AT + IVec3::new(x, y, 4000);
    assert!(volume.segment_inside(at(1000, 1000), at(7000, 7000)));
    assert!(volume.segment_inside(at(1000, 1000), at(1000, 1000)));
    assert!(!volume.segment_inside(at(7000, 4000), at(11_000, 4000)));
    assert!(!volume.segment_inside(at(4000, 4000), at(4000, 12_000)));
    // The start is not asked: a node may stand outside and look in.
    assert!(volume.segment_inside(at(4000, -100), at(4000, 4000)));
    assert!(!volume.segment_inside(at(4000, 4000), at(4000, -100)));
    assert!(!volume.segment_inside(at(4000, 4000), at(-90_000, 4000)));
}

#[test]
fn sampling_equals_the_plain_greedy_order() {
    let volume = inside(&ball(AT, 6000.0), 9).volume;
    for jitter in [0.0, 0.5, 1.0] {
        let candidates = Candidates::in_volume(&volume, 1200, jitter, 7);
        let never = AtomicBool::new(false);
        let admit = |p: IVec3| !hash(p.x as u32).is_multiple_of(5);
        let taken = poisson_select(&candidates, 1000, usize::MAX, admit, &never).expect("not cancelled");
        let mut order: Vec<usize> = (0..candidates.positions.len()).collect();
        order.sort_by_key(|&i| (candidates.priorities[i], i));
        let mut greedy: Vec<u32> = Vec::new();
        for i in order {
            let p = candidates.positions[i];
            let near =
                |&g: &u32| (candidates.positions[g as usize] - p).as_i64vec3().length_squared() < 1000 * 1000;
            if !greedy.iter().any(near) && admit(p) {
                greedy.push(i as u32);
            }
        }
        assert!(greedy.len() > 100, "{}", greedy.len());
        assert_eq!(taken, greedy);
        let few = poisson_select(&candidates, 1000, 10, admit, &never).expect("not cancelled");
        assert_eq!(few, greedy[..10]);
    }
    let cancelled = AtomicBool::new(true);
    let candidates = Candidates::in_volume(&volume, 1200, 1.0, 7);
    assert_eq!(poisson_select(&candidates, 1000, 10, |_| true, &cancelled), None);
}

fn plan_of((points, indices): &Triangles, params: &GrowthParams) -> GrowthPlan {
    let positions = points.iter().map(|p| p.as_vec3() / 100.0).collect();
    plan_positions(positions, indices.clone(), params)
}

fn plan_positions(positions: Vec<Vec3>, indices: Vec<u32>, params: &GrowthParams) -> GrowthPlan {
    let data = CharacterData::from_triangles("soup", positions, indices);
    let rest = RestShape::new(data.vertices.positions.clone(), data.vertices.normals.clone());
    plan(&data, &rest, params, 1, &AtomicBool::new(false)).expect("not cancelled")
}

#[test]
fn a_body_gets_about_one_point_a_cube_of_spacing() {
    let shape = ball(AT, 6000.0);
    for jitter in [0.0, 1.0] {
        let params = GrowthParams { spacing: 0.04, jitter, ..Default::default() };
        let plan = plan_of(&shape, &params);
        let cubes = std::f64::consts::PI / 6.0 / 0.04f64.powi(3);
        let ideal = if jitter > 0.0 { POINTS_A_CUBE * cubes } else { cubes };
        let found = plan.attractors.len() as f64;
        // Poisson-like sets vary by a few percent, and surfaces take or lose a layer of a lattice.
        assert!((found / ideal - 1.0).abs() < 0.15, "{found} points, not {ideal} at jitter {jitter}");
        assert!(plan.warnings.is_empty());
        let again = plan_of(&shape, &params);
        assert_eq!(again.attractors, plan.attractors);
    }
}

#[test]
fn a_body_too_large_for_its_spacing_gets_a_wider_one() {
    let params = GrowthParams { spacing: 0.02, max_points: 1000, ..Default::default() };
    let plan = plan_of(&cube(AT, 16_000, &ALL), &params);
    let found = plan.attractors.len();
    assert!((850..=1000).contains(&found), "{found}");
    assert!(plan.warnings.iter().any(|w| w.contains("growth.max_points")), "{:?}", plan.warnings);
    assert!(plan.differs(&GrowthParams { max_points: 999, ..params.clone() }, 1));
    assert!(plan.differs(&params, 2) && !plan.differs(&params, 1));
}

#[test]
fn points_lie_inside_the_surface_itself() {
    let shape = ball(AT, 6000.0);
    let plan = plan_of(&shape, &GrowthParams { spacing: 0.05, ..Default::default() });
    let world: Vec<Vec3> = shape.0.iter().map(|p| p.as_vec3() / 100.0).collect();
    let tree = dryad::character::winding::TriangleTree::new(&world, &shape.1);
    let inside = plan.attractors.iter().filter(|&&p| tree.contains(plan.lattice.to_world(p))).count();
    // All but those within the rounding of the lattice.
    assert!(inside + 2 >= plan.attractors.len(), "{inside} of {}", plan.attractors.len());
}

#[test]
fn a_sheet_without_inside_is_covered() {
    let points = [(0, 0), (10_000, 0), (10_000, 6000), (0, 6000)].map(|(x, y)| AT + IVec3::new(x, y, x / 3));
    let sheet = (points.to_vec(), vec![0, 1, 2, 0, 2, 3]);
    let plan = plan_of(&sheet, &GrowthParams { spacing: 0.03, ..Default::default() });
    assert!(plan.warnings.iter().any(|w| w.contains("no volume")), "{:?}", plan.warnings);
    // 1/0.03² for each H²; the sheet is 0.6 H by somewhat more than H.
    let found = plan.attractors.len();
    assert!((450..1300).contains(&found), "{found}");
    let normal = Vec3::new(1.0, 0.0, -3.0).normalize_or_zero().as_dvec3();
    let corner = points[0].as_dvec3() / 100.0;
    for &p in &plan.attractors {
        // Rounding to the lattice, twice.
        assert!((plan.lattice.to_world(p) - corner).dot(normal).abs() < 4.0 * plan.lattice.unit_m);
    }
    // Branches may run from one point to the next.
    let seen = plan.attractors.windows(2).filter(|w| plan.volume.segment_inside(w[0], w[1])).count();
    assert!(seen * 10 > found * 9, "{seen} of {found}");
}

#[test]
fn broken_soups_end_soon_and_small() {
    let start = Instant::now();
    // Nothing, a point, triangles of no area, indices beyond the vertices.
    assert!(plan_positions(Vec::new(), Vec::new(), &GrowthParams::default()).attractors.is_empty());
    let dot = plan_positions(vec![Vec3::ONE; 3], vec![0, 1, 2], &GrowthParams::default());
    assert_eq!(dot.attractors.len(), 1);
    let needle = vec![Vec3::ZERO, Vec3::X, Vec3::X * 0.5];
    assert!(!plan_positions(needle, vec![0, 1, 2], &GrowthParams::default()).attractors.is_empty());

    // Twenty thousand triangles across the whole box: coarser voxels rather than hours.
    let count = 60_000;
    let random = |salt: u32, i: u32| (hash(hash(i) ^ salt) >> 15) as i32;
    let points: Vec<IVec3> =
        (0..count).map(|i| IVec3::new(random(1, i), random(2, i), random(3, i))).collect();
    let indices: Vec<u32> = (0..count).collect();
    let shift = voxel_shift(&points, &indices, 400);
    let volume = VoxelVolume::around(&points, shift);
    assert!(volume.len() as u64 <= MAX_VOXELS && shift > 9, "{} voxels, shift {shift}", volume.len());
    let positions = points.iter().map(|p| p.as_vec3()).collect();
    let plan = plan_positions(positions, indices, &GrowthParams { spacing: 0.03, ..Default::default() });
    assert!(!plan.attractors.is_empty());
    // Ten seconds alone on two cores; before the work was bounded, minutes and then hours.
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
