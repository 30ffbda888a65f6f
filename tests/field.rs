//! The field of normals equals its integer twin bit for bit: the twin walks points and cells one after another, so that the
//! GPU's threads, in whatever order, must have added up the same numbers.

mod common;
#[path = "common/flock.rs"]
mod flock;

use common::gpu;
use dryad::sim::boids::field::{FieldBox, FieldCell};
use flock::{Stage, ellipsoid};
use glam::{IVec3, IVec4, Mat4, Quat, UVec4, Vec3, Vec4};

const QUANTA: f32 = 1_048_576.0;

/// A field computed the plain way.
struct Twin {
    layout: FieldBox,
    cells: Vec<Option<FieldCell>>,
}

/// What one tick of the twin reads.
struct Skin<'a> {
    positions: &'a [Vec4],
    normals: &'a [Vec4],
    points: &'a [UVec4],
    previous: Option<&'a [Option<IVec3>]>,
}

fn quantise(stage: &Stage, position: Vec4) -> Option<IVec3> {
    let quanta = (position.truncate() - stage.rest.center()) * (QUANTA / stage.rest.extent);
    let limit = (stage.params.boundary + 1.0) * QUANTA;
    quanta.abs().cmple(Vec3::splat(limit)).all().then(|| {
        IVec3::new(
            quanta.x.round_ties_even() as i32,
            quanta.y.round_ties_even() as i32,
            quanta.z.round_ties_even() as i32,
        )
    })
}

/// Weights of the three corners in 256ths.
fn weights(point: UVec4) -> [i32; 3] {
    let [second, third] = [point.w & 0xffff, point.w >> 16].map(|w| w as i32);
    [256 - second - third, second, third]
}

fn quantised_point(stage: &Stage, skin: &Skin<'_>, point: UVec4) -> Option<IVec3> {
    let corner = |index: u32| quantise(stage, skin.positions[index as usize]);
    let a = corner(point.x)?;
    if point.w == 0 {
        return Some(a);
    }
    let hold = |v: IVec3| v.clamp(IVec3::splat(-(1 << 21)), IVec3::splat(1 << 21));
    let [_, second, third] = weights(point);
    let sum = second * hold(corner(point.y)? - a) + third * hold(corner(point.z)? - a);
    Some(a + (sum >> 8))
}

fn quantised_normal(skin: &Skin<'_>, point: UVec4) -> IVec3 {
    let corner = |index: u32| {
        let n = (skin.normals[index as usize].truncate().clamp(Vec3::NEG_ONE, Vec3::ONE)) * 32768.0;
        IVec3::new(n.x.round_ties_even() as i32, n.y.round_ties_even() as i32, n.z.round_ties_even() as i32)
    };
    if point.w == 0 {
        return corner(point.x);
    }
    let [first, second, third] = weights(point);
    (first * corner(point.x) + second * corner(point.y) + third * corner(point.z)) >> 8
}

fn twin(stage: &Stage, skin: &Skin<'_>) -> (Twin, Vec<Option<IVec3>>) {
    let stride = skin.points.len().div_ceil(stage.params.field_points as usize).max(1);
    let points: Vec<UVec4> = skin.points.iter().copied().step_by(stride).collect();
    let places: Vec<Option<IVec3>> =
        points.iter().map(|&point| quantised_point(stage, skin, point)).collect();
    let known = || places.iter().flatten();
    let Some(low) = known().copied().reduce(IVec3::min) else {
        return (Twin { layout: FieldBox { cell: 1, ..Default::default() }, cells: vec![] }, places);
    };
    let high = known().copied().reduce(IVec3::max).expect("as many as above");
    let margin = (stage.params.field_margin * QUANTA) as i32;
    let side = high - low + 2 * margin;
    let cell = side.max_element() / stage.params.field_resolution as i32 + 1;
    let size = side / cell + IVec3::ONE;
    let layout = FieldBox {
        origin: (low - margin).to_array(),
        cell,
        size: size.as_uvec3().to_array(),
        cell_count: size.as_uvec3().element_product(),
    };
    let shift = (points.len().next_power_of_two().ilog2()).saturating_sub(15);
    let scaled = |value: i32| (value + ((1 << shift) >> 1)) >> shift;
    let inside = |c: IVec3| c.cmpge(IVec3::ZERO).all() && c.cmplt(size).all();
    let index = |c: IVec3| ((c.z * size.y + c.y) * size.x + c.x) as usize;
    // Normal, offset, weight, normal speed; i64, so that an overflow on the GPU could not go unseen.
    let mut sums = vec![[0i64; 6]; layout.cell_count as usize];
    let mut add = |at: IVec3, n: IVec3, offset: i32, weight: i32, speed: i32| {
        for (sum, value) in sums[index(at)].iter_mut().zip([n.x, n.y, n.z, offset, weight, speed]) {
            *sum += i64::from(scaled(value));
        }
    };
    for (k, (&point, place)) in points.iter().zip(&places).enumerate() {
        let Some(place) = *place else { continue };
        let normal = quantised_normal(skin, point);
        let before = skin.previous.and_then(|previous| previous[k]);
        let speed = before.map_or(0, |before| {
            let step = (place - before).clamp(IVec3::splat(-(1 << 18)), IVec3::splat(1 << 18));
            normal.dot(step >> 4) >> 15
        });
        let at = (place - IVec3::from(layout.origin)) / cell;
        let middle = IVec3::from(layout.origin) + at * cell + cell / 2;
        let from_middle = ((place - middle) << 10) / cell;
        add(at, normal, normal.dot(from_middle) >> 11, 32768, speed);
        for axis in 0..3 {
            let weight = normal[axis].abs();
            let mut step = IVec3::ZERO;
            step[axis] = normal[axis].signum();
            if weight > 0 && inside(at + step) {
                let offset = normal.dot(from_middle - 1024 * step) >> 11;
                add(
                    at + step,
                    (normal * weight) >> 15,
                    (offset * weight) >> 15,
                    weight,
                    (speed * weight) >> 15,
                );
            }
        }
    }
    let mut cells: Vec<Option<FieldCell>> = sums
        .iter()
        .map(|sum| {
            let sum = sum.map(|value| i32::try_from(value).expect("sums fit 32 bits by the scale"));
            if sum[4] <= 0 {
                return None;
            }
            let excess = (17 - sum[4].leading_zeros() as i32).max(0);
            let mean = |k: usize, one: i32| (sum[k] >> excess) * one / (sum[4] >> excess);
            let normal = [0, 1, 2].map(|k| mean(k, 16384).clamp(-16384, 16384));
            Some(FieldCell {
                normal,
                velocity: normal.map(|n| (n * mean(5, 32768)) >> 13),
                distance: -mean(3, 32768),
                is_occupied: true,
            })
        })
        .collect();
    for _ in 1..=stage.params.field_depth {
        let before = cells.clone();
        for z in 0..size.z {
            for y in 0..size.y {
                for x in 0..size.x {
                    let at = IVec3::new(x, y, z);
                    if before[index(at)].is_some() {
                        continue;
                    }
                    let (mut normal, mut velocity, mut distance, mut count) =
                        (IVec3::ZERO, IVec3::ZERO, 0, 0);
                    for step in [IVec3::NEG_X, IVec3::X, IVec3::NEG_Y, IVec3::Y, IVec3::NEG_Z, IVec3::Z] {
                        if !inside(at + step) {
                            continue;
                        }
                        let Some(other) = before[index(at + step)] else { continue };
                        normal += IVec3::from(other.normal);
                        velocity += IVec3::from(other.velocity);
                        distance += other.distance - step.dot(IVec3::from(other.normal));
                        count += 1;
                    }
                    if count > 0 {
                        cells[index(at)] = Some(FieldCell {
                            normal: (normal / count).to_array(),
                            velocity: (velocity / count).to_array(),
                            distance: distance / count,
                            is_occupied: false,
                        });
                    }
                }
            }
        }
    }
    (Twin { layout, cells }, places)
}

/// Ticks the stage through `poses` and compares each tick's field with the twin's.
fn compare(stage: &mut Stage, poses: &[Mat4]) -> Twin {
    stage.params.count = 0;
    stage.params.field = 1;
    // After a gap in time the skin has no speed.
    stage.tick += 10;
    let mut previous: Option<Vec<Option<IVec3>>> = None;
    let mut last = None;
    for &pose in poses {
        stage.world_from_body = pose;
        stage.run(1);
        let field = stage.boids.field().expect("it has ticked");
        let (positions, normals) = (stage.surface.positions.read(gpu()), stage.surface.normals.read(gpu()));
        let points = field.points.read(gpu());
        let skin =
            Skin { positions: &positions, normals: &normals, points: &points, previous: previous.as_deref() };
        let (twin, places) = twin(stage, &skin);
        assert_eq!(field.layout.read(gpu()), [twin.layout]);
        let packed: Vec<IVec4> = field.cells.read_range(gpu(), 0..twin.layout.cell_count as usize);
        for (index, (&packed, &expected)) in packed.iter().zip(&twin.cells).enumerate() {
            assert_eq!(FieldCell::unpack(packed), expected, "cell {index}");
        }
        previous = Some(places);
        last = Some(twin);
    }
    last.expect("there is a pose")
}

fn swing(k: u32) -> Mat4 {
    Mat4::from_rotation_translation(
        Quat::from_rotation_z(0.07 * k as f32),
        Vec3::new(0.03 * k as f32, 0.0, -0.01 * k as f32),
    )
}

#[test]
fn a_moving_body_equals_the_twin() {
    let mut stage = Stage::pillar();
    stage.params.field_resolution = 48;
    let twin = compare(&mut stage, &[swing(0), swing(1), swing(2), swing(3)]);
    assert!(twin.cells.iter().flatten().filter(|cell| cell.is_occupied).count() > 1000);
    let outward = |cell: &FieldCell| IVec3::from(cell.normal).dot(IVec3::from(cell.velocity));
    assert!(twin.cells.iter().flatten().any(|cell| outward(cell) > 0));
    assert!(twin.cells.iter().flatten().any(|cell| outward(cell) < 0));
}

#[test]
fn both_ends_of_its_parameters_equal_the_twin() {
    for (field_resolution, field_margin, field_depth, field_points) in
        [(16, 0.0, 1, 1024), (128, 0.0, 8, 1 << 20), (16, 1.0, 8, 1 << 20)]
    {
        let mut stage = Stage::pillar();
        stage.params.field_resolution = field_resolution;
        stage.params.field_margin = field_margin;
        stage.params.field_depth = field_depth;
        stage.params.field_points = field_points;
        let twin = compare(&mut stage, &[swing(5), swing(6)]);
        assert!(twin.layout.size.iter().all(|&side| (1..=field_resolution).contains(&side)));
    }
}

#[test]
fn very_many_points_equal_the_twin() {
    // Beyond 2^15 points the scale drops bits; beyond 2^17 quite a few.
    let (positions, indices) = ellipsoid(Vec3::new(0.3, 0.9, 0.25), 400, 400);
    let mut stage = Stage::new(positions, indices);
    stage.params.field_resolution = 16;
    compare(&mut stage, &[swing(0), swing(1)]);
}

#[test]
fn coarse_triangles_are_covered() {
    // A box of twelve triangles: without samples only its eight corners would be in the field.
    let corner = |k: u32| {
        Vec3::new(
            if k & 1 == 0 { -0.3 } else { 0.3 },
            if k & 2 == 0 { -0.9 } else { 0.9 },
            if k & 4 == 0 { -0.2 } else { 0.2 },
        )
    };
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    // Corners of their own for each face, so that its normal is the face's.
    let positions = faces.iter().flatten().map(|&k| corner(k)).collect();
    let indices = (0..6u32).flat_map(|f| [0, 1, 2, 0, 2, 3].map(|k| 4 * f + k)).collect();
    let mut stage = Stage::new(positions, indices);
    let twin = compare(&mut stage, &[Mat4::IDENTITY]);
    // In the middle of each face the cell's normal is the face's, and its plane the face's.
    let size = IVec3::from(twin.layout.size.map(|s| s as i32));
    for axis in 0..3 {
        let half = [0.3f32, 0.9, 0.2][axis] / stage.extent_m();
        for sign in [-1.0, 1.0] {
            let mut place = Vec3::splat(0.01);
            place[axis] = half * sign;
            let grid = (place * QUANTA - IVec3::from(twin.layout.origin).as_vec3()) / twin.layout.cell as f32;
            let at = grid.as_ivec3();
            let cell =
                twin.cells[((at.z * size.y + at.y) * size.x + at.x) as usize].expect("the skin is here");
            let normal = IVec3::from(cell.normal).as_vec3() / 16384.0;
            let mut expected = Vec3::ZERO;
            expected[axis] = sign;
            // Rounded to 14 bits several times over.
            assert!(normal.distance(expected) < 1e-3, "{axis} {sign}: {normal}");
            let from_middle = grid - at.as_vec3() - 0.5;
            let distance = normal.dot(from_middle) + cell.distance as f32 / 16384.0;
            // The place of a point within its cell has ten bits.
            assert!(distance.abs() < 5e-3, "{axis} {sign}: {distance} cells");
        }
    }
}

#[test]
fn follows_the_body_and_survives_what_is_not_finite() {
    let mut stage = Stage::pillar();
    // Far outside what the flock can reach: nothing to avoid, and no cells.
    let away = Mat4::from_translation(Vec3::X * 1e6);
    let nonsense = Mat4::from_scale(Vec3::splat(f32::INFINITY));
    for pose in [away, nonsense] {
        let twin = compare(&mut stage, &[pose]);
        assert_eq!(twin.layout.cell_count, 0);
    }
    let near = compare(&mut stage, &[swing(0)]).layout;
    let moved = compare(&mut stage, &[Mat4::from_translation(Vec3::X * 0.9)]).layout;
    // Half a body length to the right, in quanta; the body is 1.8 m tall.
    assert!((moved.origin[0] - near.origin[0] - (QUANTA as i32 / 2)).abs() <= 1);
    assert_eq!(moved.size, near.size);
}

#[test]
fn a_body_of_no_triangles_has_no_field() {
    let mut stage = Stage::new(vec![Vec3::ZERO, Vec3::ONE], vec![]);
    let twin = compare(&mut stage, &[Mat4::IDENTITY]);
    assert_eq!(twin.layout.cell_count, 0);
    stage.params.count = 10;
    stage.run(5);
    assert!(flock::all_finite(&stage.current()));
}
