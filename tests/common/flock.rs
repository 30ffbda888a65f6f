//! A stage for the flock: a body, its surface, and ticks that are submissions of their own.
#![allow(dead_code, reason = "each test file uses a part")]

use dryad::character::data::Pose;
use dryad::character::{CharacterData, RestShape, SkinnedSurface};
use dryad::gpu::BuildError;
use dryad::sim::boids::{Boid, Boids, BoidsParams, SpeciesParams};
use dryad::sim::{SimInputs, TICKS_PER_SECOND};
use glam::{Mat4, Vec3};

use crate::common::{gpu, shaders};

/// An ellipsoid with outward triangles.
pub fn ellipsoid(radii: Vec3, rings: u32, sectors: u32) -> (Vec<Vec3>, Vec<u32>) {
    let mut positions = Vec::new();
    let mut indices = Vec::new();
    for ring in 0..=rings {
        for sector in 0..sectors {
            let polar = std::f32::consts::PI * ring as f32 / rings as f32;
            let around = std::f32::consts::TAU * sector as f32 / sectors as f32;
            positions
                .push(radii * Vec3::new(polar.sin() * around.cos(), polar.cos(), polar.sin() * around.sin()));
            if ring < rings {
                let (a, b) = (ring * sectors + sector, ring * sectors + (sector + 1) % sectors);
                indices.extend([a, b, a + sectors, b, b + sectors, a + sectors]);
            }
        }
    }
    (positions, indices)
}

/// A character, its surface and a flock round it.
pub struct Stage {
    pub surface: SkinnedSurface,
    pub boids: Boids,
    pub params: BoidsParams,
    pub species: SpeciesParams,
    /// Where the pointer or a joint is, world metres.
    pub goal: Option<Vec3>,
    pub rest: RestShape,
    pub tick: u64,
    pub dt_secs: f32,
    pub seed: u32,
    /// What the next tick poses the body with.
    pub world_from_body: Mat4,
}

impl Stage {
    pub fn new(positions: Vec<Vec3>, indices: Vec<u32>) -> Self {
        let data = CharacterData::from_triangles("body", positions, indices);
        let rest = RestShape::new(data.vertices.positions.clone(), data.vertices.normals.clone());
        let surface = SkinnedSurface::new(gpu(), shaders(), &data).expect("the skin shader builds");
        let mut boids = Boids::new(gpu(), shaders()).expect("the flock's shaders build");
        boids.install(gpu(), &surface, &data, &rest).expect("the surface fits");
        Self {
            surface,
            boids,
            // Coarse enough for an adapter that computes on the CPU.
            params: BoidsParams { field_resolution: 24, field_points: 4096, ..Default::default() },
            species: SpeciesParams::default(),
            goal: None,
            rest,
            tick: 0,
            dt_secs: 1.0 / TICKS_PER_SECOND as f32,
            seed: 7,
            world_from_body: Mat4::IDENTITY,
        }
    }

    /// A slender body, about as tall as it is usual for a character to be.
    pub fn pillar() -> Self {
        let (positions, indices) = ellipsoid(Vec3::new(0.25, 0.9, 0.2), 40, 50);
        Self::new(positions, indices)
    }

    /// What `try_tick` hands the flock.
    pub fn extent_m(&self) -> f32 {
        self.rest.extent
    }

    /// Poses the body and records one tick in a submission of its own.
    pub fn try_tick(&mut self) -> Result<(), BuildError> {
        let pose = Pose { palette: vec![self.world_from_body], ..Default::default() };
        self.surface.set_pose(gpu(), &pose);
        let inputs = SimInputs {
            surface: &self.surface,
            tick: self.tick,
            dt_secs: self.dt_secs,
            seed: self.seed,
            extent_m: self.rest.extent,
            center: self.rest.center(),
            goal: self.goal,
        };
        let mut encoder = gpu().encoder("tick");
        let result = {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            self.surface.skin(&mut pass);
            self.boids.tick(gpu(), &mut pass, &inputs, &self.params, &self.species)
        };
        gpu().submit(encoder);
        self.tick += 1;
        result
    }

    /// As many ticks as said; fails on device errors.
    pub fn run(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.try_tick().expect("a tick");
        }
        gpu().wait();
        assert_eq!(gpu().take_errors(), Vec::<String>::new());
    }

    pub fn current(&self) -> Vec<Boid> {
        let flock = self.boids.flock().expect("it has flown");
        flock.current.read_range(gpu(), 0..flock.count as usize)
    }

    pub fn previous(&self) -> Vec<Boid> {
        let flock = self.boids.flock().expect("it has flown");
        flock.previous.read_range(gpu(), 0..flock.count as usize)
    }

    /// Puts boids where a test wants them; the flock must have flown at least a tick.
    pub fn place(&self, states: &[Boid]) {
        self.boids.flock().expect("it has flown").current.write(gpu(), 0, states);
    }
}

/// A boid in world metres.
pub fn boid(position: Vec3, velocity: Vec3) -> Boid {
    Boid { position: position.to_array(), velocity: velocity.to_array(), ..Default::default() }
}

/// Whether every number of every state is finite.
pub fn all_finite(states: &[Boid]) -> bool {
    states.iter().all(|b| b.position.iter().chain(&b.velocity).all(|value| value.is_finite()))
}
