//! The simulations: fixed ticks over the skinned surface.
//!
//! Each simulation has kernels (made once) and state (buffers). A simulation sees the surface, the tick's
//! number and its own parameters; never another simulation nor the renderer. What it hands out is buffers.

pub mod boids;
pub mod growth;
pub mod wrinkles;

use glam::Vec3;

use crate::character::data::Pose;
use crate::character::{Character, SkinnedSurface};
use crate::gpu::{BuildError, Gpu, Profiler, ShaderLibrary};
use boids::Boids;
use growth::Growth;
use wrinkles::{Published, Wrinkles};

/// Ticks a second, whatever the display does.
pub const TICKS_PER_SECOND: u32 = 60;

/// What every simulation may read in a tick.
#[derive(Debug, Clone, Copy)]
pub struct SimInputs<'a> {
    /// The skin and joint matrices, posed at this tick's own time.
    pub surface: &'a SkinnedSurface,
    /// Number of this tick, from 0.
    pub tick: u64,
    /// Length of a tick in seconds.
    pub dt_secs: f32,
    /// Seed of all randomness.
    pub seed: u32,
    /// H in metres: all length parameters are fractions of it.
    pub extent_m: f32,
    /// Middle of the character over its clip, world metres: where the flock's boundary stands.
    pub center: Vec3,
    /// Where the pointer or the joint is that the flock is drawn to, world metres.
    pub goal: Option<Vec3>,
}

/// The three simulations. They do not know each other.
#[derive(Debug)]
pub struct Simulations {
    /// Branches.
    pub growth: Growth,
    /// The flock.
    pub boids: Boids,
    /// Folds.
    pub wrinkles: Wrinkles,
    /// Strain as first published, beside it.
    pub published: Published,
    skinned: Skinned,
}

/// The pose that the surface was last skinned in.
#[derive(Debug, Default)]
struct Skinned {
    pose: Option<Pose>,
    /// Grows with every pose that differs from the one before.
    number: u64,
}

impl Simulations {
    /// Builds all kernels; no character yet.
    ///
    /// # Errors
    /// When a shader does not build.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        Ok(Self {
            growth: Growth::new(gpu, shaders)?,
            boids: Boids::new(gpu, shaders)?,
            wrinkles: Wrinkles::new(gpu, shaders)?,
            published: Published::new(gpu, shaders)?,
            skinned: Skinned::default(),
        })
    }

    /// Gives the flock and the folds a new character. Growth gets its plan when that is ready.
    ///
    /// # Errors
    /// When a kernel cannot be bound.
    pub fn install(
        &mut self,
        gpu: &Gpu,
        surface: &SkinnedSurface,
        character: &Character,
    ) -> Result<(), BuildError> {
        self.growth.clear();
        self.skinned.pose = None;
        self.boids.install(gpu, surface, &character.data, &character.rest)?;
        self.published.install(gpu, surface, &character.rest, &character.data.indices)?;
        self.wrinkles.install(gpu, surface, &character.rest, &character.topology, &character.data.indices)
    }

    /// Records the skinning of the surface that the simulations are installed on, unless it is in that pose already:
    /// a frame mostly shows the pose of the last tick. Returns the pose's number, for whoever keeps what it
    /// computed of a pose.
    pub fn skin(
        &mut self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        surface: &SkinnedSurface,
        pose: &Pose,
    ) -> u64 {
        if self.skinned.pose.as_ref() != Some(pose) {
            surface.set_pose(gpu, pose);
            surface.skin(&mut profiler.compute_pass(encoder, "skin"));
            self.skinned.pose.get_or_insert_default().clone_from(pose);
            self.skinned.number += 1;
        }
        self.skinned.number
    }
}
