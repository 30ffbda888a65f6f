//! Bodies to grow in, and how to grow.

use std::sync::atomic::AtomicBool;

use dryad::character::volume::{Lattice, VoxelVolume};
use dryad::character::{CharacterData, RestShape, SkinnedSurface};
use dryad::sim::SimInputs;
use dryad::sim::growth::rule::{Rule, UNITS_PER_EXTENT, ripening};
use dryad::sim::growth::state::{DEAD, FREE, RETIRED};
use dryad::sim::growth::ties::Ties;
use dryad::sim::growth::{BranchNode, Growth, GrowthParams, GrowthPlan, plan};
use glam::{IVec3, Vec3};

use super::Twin;
use crate::common::{compute, gpu, shaders};

pub const DT: f32 = 1.0 / 60.0;

pub type Triangles = (Vec<Vec3>, Vec<u32>);

/// A closed ball of unit diameter.
pub fn ball() -> Triangles {
    ellipsoid(Vec3::ZERO, Vec3::splat(0.5), 24, 16)
}

pub fn ellipsoid(center: Vec3, radii: Vec3, columns: u32, rows: u32) -> Triangles {
    let mut positions = vec![center + Vec3::Y * radii, center - Vec3::Y * radii];
    for row in 1..rows {
        let (ring, height) = (std::f32::consts::PI * row as f32 / rows as f32).sin_cos();
        for column in 0..columns {
            let (s, c) = (std::f32::consts::TAU * column as f32 / columns as f32).sin_cos();
            positions.push(center + Vec3::new(ring * s, height, ring * c) * radii);
        }
    }
    let at = |row: u32, column: u32| 2 + (row - 1) * columns + column % columns;
    let mut indices = Vec::new();
    for column in 0..columns {
        indices.extend([0, at(1, column), at(1, column + 1)]);
        indices.extend([1, at(rows - 1, column + 1), at(rows - 1, column)]);
        for row in 1..rows - 1 {
            let [a, b] = [at(row, column), at(row, column + 1)];
            let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
            indices.extend([a, c, b, b, c, d]);
        }
    }
    (positions, indices)
}

/// Several meshes as one soup.
pub fn together(parts: &[Triangles]) -> Triangles {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for (p, i) in parts {
        let first = positions.len() as u32;
        positions.extend(p);
        indices.extend(i.iter().map(|index| index + first));
    }
    (positions, indices)
}

/// Two limbs that almost touch, joined at the top by a third part that overlaps both.
pub fn limbs() -> Triangles {
    together(&[
        ellipsoid(Vec3::new(-0.115, 0.0, 0.0), Vec3::new(0.1, 0.5, 0.1), 12, 12),
        ellipsoid(Vec3::new(0.115, 0.0, 0.0), Vec3::new(0.1, 0.5, 0.1), 12, 12),
        ellipsoid(Vec3::new(0.0, 0.35, 0.0), Vec3::new(0.2, 0.1, 0.12), 12, 12),
    ])
}

pub struct Body {
    pub data: CharacterData,
    pub rest: RestShape,
    pub surface: SkinnedSurface,
}

pub fn body((positions, indices): Triangles) -> Body {
    let data = CharacterData::from_triangles("body", positions, indices);
    let rest = RestShape::new(data.vertices.positions.clone(), data.vertices.normals.clone());
    let surface = SkinnedSurface::new(gpu(), shaders(), &data).expect("it builds");
    Body { data, rest, surface }
}

pub fn make_plan(body: &Body, params: &GrowthParams, seed: u32) -> GrowthPlan {
    plan(&body.data, &body.rest, params, seed, &AtomicBool::new(false)).expect("not cancelled")
}

/// Points in the order given, as a plan of their own that starts from the first of them, as many as roots are wanted.
pub fn plan_of(body: &Body, attractors: &[IVec3], params: &GrowthParams) -> GrowthPlan {
    let corner = IVec3::splat(60_000);
    let attractors: Vec<IVec3> = attractors.iter().map(|&p| p + corner).collect();
    let lattice = Lattice::new(&body.rest, UNITS_PER_EXTENT);
    let volume = VoxelVolume::around(&attractors, 9);
    (0..10_000)
        .map(|seed| {
            let points = attractors.clone();
            let ties = Ties::fixed(points.len());
            GrowthPlan::from_attractors(lattice, volume.clone(), points, ties, 1000, seed)
        })
        .find(|plan| plan.roots(&Rule::new(params)).iter().copied().eq(0..params.roots))
        .expect("some seed chooses these roots")
}

pub fn tick(growth: &mut Growth, body: &Body, params: &GrowthParams) {
    let inputs = SimInputs {
        surface: &body.surface,
        tick: 0,
        dt_secs: DT,
        seed: 1,
        extent_m: body.rest.extent,
        center: Vec3::ZERO,
        goal: None,
    };
    compute(|pass| growth.tick(gpu(), pass, &inputs, params));
}

/// The branches drawn after `ticks` of growth on the surface's present pose.
pub fn draw(growth: &mut Growth, body: &Body, ticks: f64, params: &GrowthParams) -> Vec<BranchNode> {
    compute(|pass| {
        body.surface.skin(pass);
        growth.pose(gpu(), pass, &body.surface, ticks, body.rest.extent, params).expect("it binds");
    });
    let branches = growth.branches().expect("installed");
    let count = branches.count.read(gpu())[0] as usize;
    branches.nodes.read_range(gpu(), 0..count)
}

pub fn install(plan: &GrowthPlan, params: &GrowthParams) -> Growth {
    let mut growth = Growth::new(gpu(), shaders()).expect("it builds");
    growth.install(gpu(), plan.clone(), params).expect("it installs");
    growth
}

/// Grows to the end; fails when that takes too long.
pub fn grow(body: &Body, plan: &GrowthPlan, params: &GrowthParams) -> Growth {
    let mut growth = install(plan, params);
    while !growth.is_finished(gpu()) {
        for _ in 0..16 {
            tick(&mut growth, body, params);
        }
        assert!(growth.ticks() < 5000, "growth does not end: {:?}", growth.counters(gpu()));
    }
    growth
}

/// Node for node, attractor for attractor, the twin's growth.
pub fn assert_equals_twin(growth: &Growth, plan: &GrowthPlan, params: &GrowthParams) {
    let mut twin = Twin::new(plan, Rule::new(params), ripening(params, DT));
    twin.run();
    assert_equals(growth, &twin);
}

/// Node for node, attractor for attractor, this twin's growth.
pub fn assert_equals(growth: &Growth, twin: &Twin<'_>) {
    let nodes = growth.read_nodes(gpu());
    for (id, (gpu_node, twin_node)) in nodes.iter().zip(&twin.nodes).enumerate() {
        assert_eq!(
            (gpu_node.position, gpu_node.parent, gpu_node.depth, gpu_node.birth),
            (twin_node.position, twin_node.parent, twin_node.depth, twin_node.birth),
            "node {id}"
        );
    }
    assert_eq!(nodes.len(), twin.nodes.len());
    assert_eq!(growth.read_owners(gpu()), twin.owners);
    let counters = growth.counters(gpu()).expect("installed");
    assert_eq!(Some(counters.finished_tick), twin.finished_tick);
    let left = twin.owners.iter().filter(|&&o| o != DEAD && o != RETIRED).count();
    assert_eq!(counters.alive as usize, left);
    assert_eq!(counters.retired as usize, twin.owners.iter().filter(|&&o| o == RETIRED).count());
}

/// What must hold of every finished growth.
pub fn assert_sound(growth: &Growth, plan: &GrowthPlan, params: &GrowthParams) {
    let rule = Rule::new(params);
    let nodes = growth.read_nodes(gpu());
    for (id, node) in nodes.iter().enumerate() {
        assert!(node.parent as usize <= id, "parents come first");
        assert_eq!(node.parent as usize == id, node.depth == 0);
        // A step is at most one growth step long; rounding adds less than a unit an axis.
        let step = (node.position - nodes[node.parent as usize].position).as_dvec3().length();
        assert!(step < f64::from(rule.growth) + 2.0, "step of {step}");
        assert_eq!(node.root, nodes[node.parent as usize].root);
        assert!((node.source as usize) < plan.attractors.len());
    }
    for (a, owner) in growth.read_owners(gpu()).into_iter().enumerate() {
        assert!(owner >= FREE, "attractor {a} still has an owner");
        // What was given up stays given up, even when a later branch passes by.
        if owner != FREE {
            continue;
        }
        let p = plan.attractors[a];
        for node in &nodes {
            let d2 = (node.position - p).as_i64vec3().length_squared();
            assert!(d2 >= i64::from(rule.kill).pow(2), "attractor {a} was reached and lives");
            let sees = !rule.body_aware || plan.volume.segment_inside(node.position, p);
            assert!(!sees || d2 >= i64::from(rule.influence).pow(2), "attractor {a} is alive and in reach");
        }
    }
}

/// Parameters under which a body of H takes a second to grow.
pub fn coarse() -> GrowthParams {
    GrowthParams { spacing: 0.06, influence: 0.2, growth: 0.06, kill: 0.042, roots: 3, ..Default::default() }
}
