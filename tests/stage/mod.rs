//! A stage for drawing tests: a character posed on the GPU, a renderer, and one picture of it.
#![allow(dead_code, reason = "each test file uses a part")]

use dryad::character::data::Pose;
use dryad::character::topology::Topology;
use dryad::character::{CharacterData, RestShape, SkinnedSurface, animate, cpu_skin};
use dryad::gpu::buffer::STORAGE;
use dryad::gpu::capture::{Picture, capture};
use dryad::gpu::{Buffer, Profiler};
use dryad::params::Params;
use dryad::render::lights::FileLights;
use dryad::render::{Camera, Part, Renderer, Scene, Targets};
use dryad::sim::boids::{Boid, Flock};
use dryad::sim::growth::{BranchNode, Branches};
use dryad::sim::wrinkles::field::{EdgeWave, FoldField, FoldState, Heading};
use dryad::sim::wrinkles::tables::{FieldTriangle, HalfEdgeGpu, Tables, field_triangles};
use dryad::sim::wrinkles::{PublishedVertex, Strain, StrainVertex};
use glam::{DVec3, Vec3, Vec4};

use crate::common::{gpu, shaders};

/// Everything a picture needs; change the fields, then [`Stage::picture`].
pub struct Stage {
    pub surface: SkinnedSurface,
    pub rest: RestShape,
    pub renderer: Renderer,
    pub params: Params,
    pub camera: Camera,
    pub size: [u32; 2],
    pub samples: u32,
    pub transparent: bool,
    pub parts: u32,
    pub branches: Option<(Buffer<BranchNode>, Buffer<u32>)>,
    pub boids: Option<Buffer<Boid>>,
    pub strain: Option<Buffer<StrainVertex>>,
    pub folds: Option<Folds>,
    pub published: Option<Buffer<PublishedVertex>>,
    pub lights: Option<FileLights>,
}

/// What folds are drawn from.
pub struct Folds {
    triangles: Buffer<FieldTriangle>,
    half_edges: Buffer<HalfEdgeGpu>,
    edges: Buffer<EdgeWave>,
    headings: Buffer<Heading>,
    states: Buffer<FoldState>,
}

impl Folds {
    fn field(&self) -> FoldField<'_> {
        let Self { triangles, half_edges, edges, headings, states } = self;
        FoldField { triangles, half_edges, edges, headings, states }
    }
}

impl Stage {
    /// A character in a pose, without ground and simulations, seen from +Z.
    pub fn new(data: &CharacterData, pose: &Pose) -> Self {
        let skinned = cpu_skin::skin(data, &animate::rest_pose(data));
        let rest = RestShape::new(skinned.positions, skinned.normals);
        let surface = SkinnedSurface::new(gpu(), shaders(), data).expect("the skinning shader builds");
        surface.set_pose(gpu(), pose);
        let mut renderer = Renderer::new(gpu(), shaders()).expect("the shaders build");
        renderer.install(gpu(), data, &rest).expect("the shaders take a character");
        let mut params = Params::default();
        params.view.grid = false;
        Self {
            surface,
            rest,
            renderer,
            params,
            camera: Camera::new(DVec3::new(0.0, 0.0, 2.0), DVec3::ZERO, 90.0),
            size: [64, 64],
            samples: 1,
            transparent: false,
            parts: 1,
            branches: None,
            boids: None,
            strain: None,
            folds: None,
            published: None,
            lights: None,
        }
    }

    /// A character at rest.
    pub fn at_rest(data: &CharacterData) -> Self {
        Self::new(data, &animate::rest_pose(data))
    }

    pub fn set_branches(&mut self, nodes: &[BranchNode]) {
        self.branches = Some((
            Buffer::from_slice(gpu(), "test/nodes", nodes, STORAGE),
            Buffer::from_slice(gpu(), "test/count", &[nodes.len() as u32], STORAGE),
        ));
    }

    pub fn set_boids(&mut self, boids: &[Boid]) {
        self.boids = Some(Buffer::from_slice(gpu(), "test/boids", boids, STORAGE));
    }

    pub fn set_strain(&mut self, strain: &[StrainVertex]) {
        self.strain = Some(Buffer::from_slice(gpu(), "test/strain", strain, STORAGE));
    }

    /// Folds of one height across a direction, with a wave at every place.
    pub fn set_folds(
        &mut self,
        data: &CharacterData,
        across: Vec3,
        amplitude: f32,
        wave: impl Fn(Vec3) -> [f32; 2],
    ) {
        let topology = Topology::new(&self.rest.positions, &data.indices, self.rest.extent);
        let tables = Tables::new(&topology);
        let directions = topology.fans.iter().map(|fan| [fan.axis_x.dot(across), fan.axis_y.dot(across)]);
        let headings: Vec<_> = directions
            .map(|direction| Heading { direction, amplitude, compression: 0.0, ..Default::default() })
            .collect();
        let places = topology.fans.iter().map(|fan| self.rest.positions[fan.surface as usize]);
        let states: Vec<_> = headings
            .iter()
            .zip(places)
            .map(|(heading, place)| FoldState {
                direction: heading.direction,
                wave: wave(place),
                ..Default::default()
            })
            .collect();
        let agree = EdgeWave { turn: [1.0, 0.0], sign: 1.0, ..Default::default() };
        let edges = vec![agree; tables.half_edges.len()];
        self.folds = Some(Folds {
            triangles: Buffer::from_slice(gpu(), "test", &field_triangles(&topology, &data.indices), STORAGE),
            half_edges: Buffer::from_slice(gpu(), "test/half-edges", &tables.half_edges, STORAGE),
            edges: Buffer::from_slice(gpu(), "test/edges", &edges, STORAGE),
            headings: Buffer::from_slice(gpu(), "test/headings", &headings, STORAGE),
            states: Buffer::from_slice(gpu(), "test/states", &states, STORAGE),
        });
        self.set_strain(&vec![StrainVertex::default(); self.rest.positions.len()]);
    }

    /// Skins, draws and reads one picture; fails on device errors.
    pub fn picture(&mut self) -> Picture {
        let mut targets = Targets::new(gpu(), self.size[0], self.size[1], self.samples);
        let mut encoder = gpu().encoder("test");
        let mut profiler = Profiler::new(gpu());
        {
            let mut pass = profiler.compute_pass(&mut encoder, "skin");
            self.surface.skin(&mut pass);
            self.surface.skin_tangents(&mut pass);
        }
        let scene = Scene {
            camera: &self.camera,
            surface: &self.surface,
            branches: self.branches.as_ref().map(|(nodes, count)| Branches { nodes, count }),
            flock: self.boids.as_ref().map(|boids| Flock {
                previous: boids,
                current: boids,
                count: boids.len() as u32,
                tick: 0,
                trails: None,
            }),
            strain: self
                .strain
                .as_ref()
                .map(|vertices| Strain { vertices, folds: self.folds.as_ref().map(Folds::field) }),
            published: self.published.as_ref(),
            lights: self.lights.as_ref(),
            params: &self.params,
            interpolation: 0.5,
            extent_m: self.rest.extent,
            center: self.rest.center(),
            ground_y: self.rest.min.y,
            transparent: self.transparent,
            field: None,
            part: Part::WHOLE,
        };
        for part in Part::all(self.parts) {
            let scene = Scene { part, ..scene };
            if part.index > 0 {
                // Each part is a submission of its own: the frame's uniform is written before it.
                gpu().submit(std::mem::replace(&mut encoder, gpu().encoder("test")));
            }
            self.renderer
                .draw(gpu(), &mut profiler, &mut encoder, &mut targets, &scene)
                .expect("the shaders take the scene");
        }
        gpu().submit(encoder);
        let picture = capture(gpu(), targets.picture().raw()).expect("the picture arrives");
        assert_eq!(gpu().take_errors(), Vec::<String>::new());
        assert_eq!([picture.width, picture.height], self.size);
        picture
    }
}

/// The four bytes of a pixel.
pub fn pixel(picture: &Picture, x: u32, y: u32) -> [u8; 4] {
    let at = ((y * picture.width + x) * 4) as usize;
    picture.rgba[at..at + 4].try_into().expect("four bytes")
}

/// Number of pixels that differ from `other` by more than `threshold` in any channel.
pub fn differing(picture: &Picture, other: &Picture, threshold: u8) -> usize {
    assert_eq!((picture.width, picture.height), (other.width, other.height));
    let pairs = picture.rgba.chunks_exact(4).zip(other.rgba.chunks_exact(4));
    pairs.filter(|(a, b)| a.iter().zip(*b).any(|(x, y)| x.abs_diff(*y) > threshold)).count()
}

/// sRGB byte to linear (IEC 61966-2-1).
pub fn linear(byte: u8) -> f32 {
    let x = f32::from(byte) / 255.0;
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Linear to an sRGB byte.
pub fn encoded(linear: f32) -> u8 {
    let x = linear.clamp(0.0, 1.0);
    let x = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (x * 255.0).round() as u8
}

/// A square in a plane across the z axis that faces +Z, `half` metres to each side of the axis.
pub fn square(half: f32, z: f32) -> CharacterData {
    let corner = |x: f32, y: f32| Vec3::new(x * half, y * half, z);
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    CharacterData::from_triangles("square", corners, vec![0, 1, 2, 0, 2, 3])
}

/// A ring of round cross-section in the xy plane, glazed like porcelain.
pub fn torus(around: u32, across: u32) -> CharacterData {
    let turn = |i: u32, n: u32| (i as f32 / n as f32 * std::f32::consts::TAU).sin_cos();
    let mut positions = Vec::new();
    let mut indices = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let ((sin_a, cos_a), (sin_b, cos_b)) = (turn(i, around), turn(j, across));
            let reach = 0.6 + 0.24 * cos_b;
            positions.push(Vec3::new(reach * cos_a, 0.84 + reach * sin_a, 0.24 * sin_b));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            indices.extend([a, b, c, a, c, d]);
        }
    }
    let mut data = CharacterData::from_triangles("torus", positions, indices);
    data.materials[0].metallic = 0.0;
    data.materials[0].roughness = 0.5;
    data.materials[0].base_color = Vec4::new(0.75, 0.72, 0.68, 1.0);
    data
}
