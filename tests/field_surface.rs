//! The field of closest points: against brute force over all points, and against bodies whose distance is known.

mod common;
#[path = "common/flock.rs"]
mod flock;

use common::gpu;
use dryad::sim::boids::field::{FieldBox, FieldCell, SkinPlace};
use flock::{Stage, ellipsoid};
use glam::{DVec3, IVec3, IVec4, Mat4, Vec3};

const QUANTA: f64 = 1_048_576.0;

/// A field read back.
struct Field {
    layout: FieldBox,
    cells: Vec<Option<FieldCell>>,
    places: Vec<SkinPlace>,
}

impl Field {
    fn read(stage: &Stage) -> Self {
        let view = stage.boids.field().expect("it has ticked");
        let layout = view.layout.read(gpu())[0];
        let packed: Vec<IVec4> = view.cells.read_range(gpu(), 0..layout.cell_count as usize);
        Self {
            layout,
            cells: packed.into_iter().map(FieldCell::unpack).collect(),
            places: view.places.read(gpu()),
        }
    }

    /// Middles of all cells in quanta, in their order.
    fn middles(&self) -> impl Iterator<Item = IVec3> + '_ {
        (0..self.layout.cell_count).map(|index| self.layout.middle(index))
    }

    /// Distance in quanta, unit normal, velocity in quanta a tick.
    fn meaning(&self, cell: FieldCell) -> (f64, DVec3, DVec3) {
        (
            f64::from(cell.distance) / 16384.0 * f64::from(self.layout.cell),
            IVec3::from(cell.normal).as_dvec3() / 16384.0,
            IVec3::from(cell.velocity).as_dvec3() * 8.0,
        )
    }
}

/// A body of one tick; without boids.
fn fielded(mut stage: Stage, resolution: u32, points: u32) -> (Stage, Field) {
    stage.params.count = 0;
    stage.params.field_resolution = resolution;
    stage.params.field_points = points;
    stage.run(1);
    let field = Field::read(&stage);
    (stage, field)
}

fn ball(rings: u32) -> Stage {
    let (positions, indices) = ellipsoid(Vec3::splat(0.5), rings, rings);
    Stage::new(positions, indices)
}

/// A flat box of two triangles a face, each with corners of its own.
fn slab(half: Vec3) -> Stage {
    let corner =
        |k: u32| half * Vec3::new((k & 1) as f32, ((k >> 1) & 1) as f32, (k >> 2) as f32) * 2.0 - half;
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let positions = faces.iter().flatten().map(|&k| corner(k)).collect();
    Stage::new(positions, (0..6u32).flat_map(|f| [0, 1, 2, 0, 2, 3].map(|k| 4 * f + k)).collect())
}

#[test]
fn every_cell_knows_its_closest_point() {
    for (resolution, points) in [(16, 1024), (24, 4096), (48, 1 << 20)] {
        let (stage, field) = fielded(Stage::pillar(), resolution, points);
        let count = points.min((1 << 15) - 1);
        let places = &field.places[..count as usize];
        assert!(places.iter().all(|place| place.valid == 1), "all of the skin is near");
        let longest = field.layout.size.iter().max().unwrap() * field.layout.cell as u32;
        // What the kernel compares has coordinates of 15 bits: a unit off on each axis.
        let unit = f64::from(longest) / 16384.0;
        let patch = 1.5 * (area(&stage) / f64::from(count) / std::f64::consts::PI).sqrt() * QUANTA;
        let (mut cells, mut missed) = (0, 0);
        for (middle, cell) in field.middles().zip(&field.cells).step_by(7) {
            let (distance, normal, _) = field.meaning(cell.expect("every cell knows"));
            let closest = places.iter().min_by_key(|place| closeness(middle, place)).unwrap();
            let (expected, out) = to_disc(middle, closest, patch);
            cells += 1;
            // Fourteen bits of the cell's edge and of the normal beside the unit; other points within a unit of the
            // closest have discs of their own, turned by what the skin bends between them: a tenth of the patch.
            // Far away, jump flooding may settle for a point a few hundredths farther.
            let tolerance = 4.0 * unit + 0.1 * patch + 0.03 * expected.abs();
            missed += u32::from((distance - expected).abs() > tolerance || normal.dot(out) < 0.9);
        }
        // Jump flooding misses a few.
        assert!(missed * 200 <= cells, "{missed} of {cells} at {resolution}");
    }
}

/// The way's square, of which the part along the normal counts half.
fn closeness(middle: IVec3, place: &SkinPlace) -> i64 {
    let away = (middle - IVec3::from(place.position)).as_dvec3();
    let height = away.dot(IVec3::from(place.normal).as_dvec3()) / 32768.0;
    (away.length_squared() - 0.5 * height * height) as i64
}

/// Signed distance to the disc of a point, and the way out.
fn to_disc(middle: IVec3, place: &SkinPlace, patch: f64) -> (f64, DVec3) {
    let away = (middle - IVec3::from(place.position)).as_dvec3();
    let normal = IVec3::from(place.normal).as_dvec3().normalize_or_zero();
    let height = away.dot(normal);
    let along = away - height * normal;
    let way = height * normal + along.normalize_or_zero() * (along.length() - patch).max(0.0);
    let side = if height >= 0.0 { 1.0 } else { -1.0 };
    (side * way.length(), (side * way).normalize_or(normal))
}

/// Of the skin in square H.
fn area(stage: &Stage) -> f64 {
    let positions = &stage.rest.positions;
    let indices = stage.surface.indices.read(gpu());
    let twice: f64 = indices
        .chunks_exact(3)
        .map(|t| {
            let [a, b, c] = [t[0], t[1], t[2]].map(|k| positions[k as usize].as_dvec3());
            (b - a).cross(c - a).length()
        })
        .sum();
    0.5 * twice / f64::from(stage.rest.extent).powi(2)
}

#[test]
fn a_ball_is_known_to_its_centre() {
    let (_, field) = fielded(ball(60), 32, 1 << 20);
    let radius = 0.5 * QUANTA;
    let mut inside = 0;
    for (middle, cell) in field.middles().zip(&field.cells) {
        let (distance, normal, _) = field.meaning(cell.expect("every cell knows"));
        let expected = middle.as_dvec3().length() - radius;
        // Sixty rings lie 0.14 % of the radius under the ball, and a disc of 1.5 shares stands as far above it;
        // 0.5 % of H leaves room for a second-best point. A sixth of a cell.
        assert!((distance - expected).abs() < 0.005 * QUANTA, "{middle}: {distance} for {expected}");
        if middle.as_dvec3().length() > 0.1 * QUANTA {
            assert!(normal.dot(middle.as_dvec3().normalize_or_zero()) > 0.97, "{middle}: {normal}");
        }
        inside += u32::from(distance < 0.0);
    }
    let occupied = field.cells.iter().flatten().filter(|cell| cell.is_occupied).count();
    let edge = f64::from(field.layout.cell) / QUANTA;
    let expected_inside = std::f64::consts::PI / 6.0 / edge.powi(3);
    assert!((f64::from(inside) / expected_inside - 1.0).abs() < 0.03, "{inside} of {expected_inside}");
    // A shell of about one and a half cells a square cell of skin.
    let shell = std::f64::consts::PI / edge.powi(2);
    assert!((1.0..2.0).contains(&(occupied as f64 / shell)), "{occupied} of {shell}");
}

#[test]
fn both_sides_of_a_thin_plate_point_out() {
    let half = Vec3::new(0.5, 0.4, 0.004);
    let (_, field) = fielded(slab(half), 24, 4096);
    let half = half.as_dvec3() * QUANTA;
    let mut beside = 0;
    for (middle, cell) in field.middles().zip(&field.cells) {
        let middle = middle.as_dvec3();
        // Within a cell of the rim, its few points may be the closest known, and see the plate from the side.
        let edge = f64::from(field.layout.cell);
        if middle.x.abs() > half.x - edge || middle.y.abs() > half.y - edge {
            continue;
        }
        let (distance, normal, _) = field.meaning(cell.expect("every cell knows"));
        let expected = middle.z.abs() - half.z;
        // Between points a disc may end 0.018 H short: (0.075² + 0.018²)½ − 0.075 is 0.0021 H.
        assert!((distance - expected).abs() < 0.0025 * QUANTA, "{middle}: {distance} for {expected}");
        assert!(normal.z * middle.z.signum() > 0.97 || expected < 0.0, "{middle}: {normal}");
        beside += 1;
    }
    assert!(beside > 500);
}

#[test]
fn the_skin_takes_its_velocity_along() {
    let mut stage = Stage::pillar();
    stage.params.count = 0;
    let extent = f64::from(stage.extent_m());
    let turn = 0.05f32;
    for k in 0..3 {
        stage.world_from_body = Mat4::from_rotation_y(turn * k as f32);
        stage.run(1);
    }
    let field = Field::read(&stage);
    let center = stage.rest.center().as_dvec3() / extent * QUANTA;
    let mut fastest = 0.0f64;
    for (middle, cell) in field.middles().zip(&field.cells) {
        let (distance, normal, velocity) = field.meaning(cell.expect("every cell knows"));
        if distance.abs() > 2.0 * f64::from(field.layout.cell) {
            continue;
        }
        // A turn round the vertical axis of the world; the skin's own place, half a tick ago.
        let place = middle.as_dvec3() + center - distance * normal;
        let expected = DVec3::Y.cross(place) * f64::from(turn);
        // The closest point may lie a patch off, a fiftieth of H at most: its speed differs by that times the turn.
        assert!(
            velocity.distance(expected) < (0.02 * QUANTA + 0.025 * place.length()) * f64::from(turn) + 16.0
        );
        fastest = fastest.max(velocity.length());
    }
    assert!(fastest > 0.1 * f64::from(turn) * QUANTA, "{fastest}");
}

#[test]
fn two_runs_are_equal_and_modes_switch_live() {
    let run = |switch: bool| {
        let mut stage = Stage::pillar();
        stage.params.count = 300;
        for k in 0..30u32 {
            stage.params.field = u32::from(switch && k % 10 < 5 && k < 20);
            stage.params.field_resolution = if k % 7 == 0 { 40 } else { 24 };
            stage.world_from_body = Mat4::from_rotation_z(0.02 * k as f32);
            stage.run(1);
        }
        let field = Field::read(&stage);
        (field.cells, stage.current())
    };
    let (first, second) = (run(true), run(true));
    assert!(first == second, "two runs differ");
    // Neither mode leaves anything behind in the other's cells.
    assert!(first.0 == run(false).0, "the field depends on what it was before");
}

#[test]
fn cells_that_stay_are_where_they_were_asked_for() {
    let mut stage = ball(30);
    stage.params.count = 0;
    stage.params.field_box = 1;
    stage.params.field_center = [0.25, 0.0, -0.5];
    stage.params.field_cell = 0.0625;
    stage.params.field_resolution = 20;
    for field in [0, 1] {
        stage.params.field = field;
        stage.run(1);
        let view = stage.boids.field().expect("it has ticked").layout.read(gpu())[0];
        assert_eq!(view.size, [20; 3]);
        assert_eq!(view.cell, 65_536);
        assert_eq!(view.origin, [-3 * 131_072, -5 * 131_072, -9 * 131_072]);
        let cells = Field::read(&stage).cells;
        assert!(cells.iter().flatten().any(|cell| cell.is_occupied), "mode {field}");
    }
}

#[test]
fn a_body_without_area_or_far_away_has_no_field() {
    let mut line = Stage::new(vec![Vec3::ZERO, Vec3::ONE, Vec3::splat(0.5)], vec![0, 1, 2]);
    line.params.count = 20;
    line.run(3);
    assert_eq!(Field::read(&line).layout.cell_count, 0);
    assert!(flock::all_finite(&line.current()));
    let mut away = Stage::pillar();
    away.params.count = 20;
    for pose in
        [Mat4::from_translation(Vec3::X * 1e6), Mat4::from_scale(Vec3::splat(f32::NAN)), Mat4::IDENTITY]
    {
        away.world_from_body = pose;
        away.run(1);
        assert!(flock::all_finite(&away.current()));
    }
    assert!(Field::read(&away).layout.cell_count > 0, "it is back");
}
