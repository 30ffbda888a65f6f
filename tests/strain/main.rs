//! Strain on cases known on paper, through the real kernels, and against a twin in f64.

#[path = "../common/mod.rs"]
mod common;
mod meshes;
mod twin;

mod analytic;
mod bad_input;
mod field_twin;
mod folds;
mod half_edges;
mod numbers;
mod published;

use common::{compute, gpu, shaders};
use dryad::character::topology::Topology;
use dryad::character::{CharacterData, RestShape, SkinnedSurface};
use dryad::sim::wrinkles::{StrainVertex, Wrinkles, WrinklesParams, WrinklesReport};
use glam::{Vec3, Vec4};
use meshes::Mesh;

/// A mesh on the GPU with its strain measured against it at rest.
struct Body {
    surface: SkinnedSurface,
    wrinkles: Wrinkles,
    topology: Topology,
    params: WrinklesParams,
    ticks: u64,
    poses: u64,
}

impl Body {
    fn new(rest: &Mesh) -> Self {
        let data = CharacterData::from_triangles("test", rest.positions.clone(), rest.indices.clone());
        let surface = SkinnedSurface::new(gpu(), shaders(), &data).expect("it builds");
        let shape = RestShape::new(rest.positions.clone(), rest.normals());
        let topology = Topology::new(&shape.positions, &rest.indices, shape.extent);
        let mut wrinkles = Wrinkles::new(gpu(), shaders()).expect("it builds");
        wrinkles.install(gpu(), &surface, &shape, &topology, &rest.indices).expect("it binds");
        Self { surface, wrinkles, topology, params: WrinklesParams::default(), ticks: 0, poses: 0 }
    }

    /// Strain of a pose, with folds that start in it.
    fn pose(&mut self, posed: &Mesh) -> Vec<StrainVertex> {
        self.wrinkles.restart();
        self.tick(posed)
    }

    /// Strain and folds after a tick in a pose.
    fn tick(&mut self, posed: &Mesh) -> Vec<StrainVertex> {
        self.take(posed);
        self.ticks += 1;
        compute(|pass| self.wrinkles.tick(gpu(), pass, self.ticks, self.poses, &self.params));
        self.wrinkles.strain().expect("installed").vertices.read(gpu())
    }

    /// What a picture of a pose shows.
    fn show(&mut self, posed: &Mesh) -> Vec<StrainVertex> {
        self.take(posed);
        compute(|pass| self.wrinkles.show(gpu(), pass, self.poses, &self.params, true));
        self.wrinkles.strain().expect("installed").vertices.read(gpu())
    }

    fn take(&mut self, posed: &Mesh) {
        let positions: Vec<Vec4> = posed.positions.iter().map(|p| p.extend(1.0)).collect();
        let normals: Vec<Vec4> = posed.normals().iter().map(|n| n.extend(0.0)).collect();
        self.surface.positions.write(gpu(), 0, &positions);
        self.surface.normals.write(gpu(), 0, &normals);
        self.poses += 1;
    }

    fn report(&self) -> WrinklesReport {
        self.wrinkles.report(gpu())
    }
}

/// Strain of `rest` moved by `f`.
fn strain_of(rest: &Mesh, f: impl Fn(Vec3) -> Vec3) -> Vec<StrainVertex> {
    Body::new(rest).pose(&rest.map(f))
}

/// Sine of the angle between two lines.
fn off_line(a: [f32; 3], b: Vec3) -> f32 {
    Vec3::from(a).cross(b).length()
}

/// Everything finite, directions unit, amounts in range, the wave within the unit circle.
fn assert_sound(strain: &[StrainVertex]) {
    for (i, v) in strain.iter().enumerate() {
        assert!(bytemuck::cast_ref::<_, [f32; 12]>(v).iter().all(|x| x.is_finite()), "vertex {i}: {v:?}");
        for direction in [v.rest_direction, v.direction] {
            assert!((Vec3::from(direction).length() - 1.0).abs() < 1e-5, "vertex {i}: {v:?}");
        }
        assert!((0.0..=1.0).contains(&v.compression) && v.stretch >= 0.0, "vertex {i}: {v:?}");
        assert!(v.amplitude >= 0.0, "vertex {i}: {v:?}");
        assert!(v.wave[0].hypot(v.wave[1]) < 1.0 + 1e-5, "vertex {i}: {v:?}");
    }
}
