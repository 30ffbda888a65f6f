//! Where boids were: a ring of places each, for drawing trails.

use glam::Vec4;

use super::{BoidsParams, FlockState, SimInputs};
use crate::gpu::buffer::{STORAGE, UNIFORM};
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};

/// Places remembered of a boid; `TRAIL_POINTS` in the shaders.
pub const POINTS: u32 = 24;
/// The most boids that leave trails, those of the lowest ids.
pub const MAX_TRAILS: u32 = 65_536;

crate::gpu_struct! {
    /// What the kernel that remembers needs to know.
    pub struct TrailUniform {
        /// Boids that leave trails.
        pub boid_count: u32,
        /// The ring's newest place.
        pub newest: u32,
        /// Boids from this id on were born in this tick.
        pub newborn_from: u32,
        /// Padding.
        pub pad0: u32,
    }
}

/// Trails to draw.
#[derive(Debug, Clone, Copy)]
pub struct TrailView<'a> {
    /// [`POINTS`] places a boid, world metres; the fourth parts are 0.
    pub places: &'a Buffer<Vec4>,
    /// The ring's newest place.
    pub newest: u32,
    /// Ticks from one place to the next.
    pub stride_ticks: u32,
    /// The tick that the newest place belongs to.
    pub newest_tick: u64,
    /// Boids that leave trails.
    pub count: u32,
}

/// The kernel and the rings of one flock.
#[derive(Debug)]
pub(super) struct Trails {
    uniform: Buffer<TrailUniform>,
    kernel: ComputePass,
    rings: Option<Rings>,
}

#[derive(Debug)]
struct Rings {
    places: Buffer<Vec4>,
    /// By which of the flock's two state buffers is current.
    bound: [Bound; 2],
    newest: u32,
    newest_tick: u64,
    stride_ticks: u32,
    count: u32,
    /// Whether the flock lives in other buffers than those bound.
    is_stale: bool,
}

impl Trails {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        Ok(Self {
            uniform: Buffer::new(gpu, "boids/trail uniform", 1, UNIFORM),
            kernel: ComputePass::new(gpu, shaders, "boids/trails", "main")?,
            rings: None,
        })
    }

    /// Forgets all: another flock begins.
    pub fn forget(&mut self) {
        self.rings = None;
    }

    /// The same flock lives in other buffers now.
    pub fn moved(&mut self) {
        if let Some(rings) = &mut self.rings {
            rings.is_stale = true;
        }
    }

    /// Records what remembers the flock's state after a tick.
    pub fn tick(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        flock: &FlockState,
        inputs: &SimInputs<'_>,
        params: &BoidsParams,
    ) -> Result<(), BuildError> {
        let count = flock.count.min(MAX_TRAILS);
        if params.trail <= 0.0 || count == 0 {
            self.rings = None;
            return Ok(());
        }
        let ticks = params.trail / inputs.dt_secs.max(1e-6);
        let stride_ticks = ((ticks / POINTS as f32).round() as u32).max(1);
        let kept = self.rings.take().filter(|rings| rings.stride_ticks == stride_ticks);
        self.rings = Some(match kept {
            Some(rings) if !rings.is_stale => rings,
            kept => self.allocate(gpu, flock, kept, stride_ticks, inputs.tick)?,
        });
        let Some(rings) = &mut self.rings else { return Ok(()) };
        let due = inputs.tick >= rings.newest_tick + u64::from(stride_ticks);
        let newborn_from = rings.count.min(count);
        rings.count = count;
        if !due && newborn_from == count {
            return Ok(());
        }
        if due {
            rings.newest = (rings.newest + 1) % POINTS;
            rings.newest_tick = inputs.tick;
        }
        let uniform = TrailUniform { boid_count: count, newest: rings.newest, newborn_from, pad0: 0 };
        self.uniform.write(gpu, 0, &[uniform]);
        self.kernel.dispatch(pass, &rings.bound[flock.current], Groups::Items(count as usize));
        Ok(())
    }

    /// Rings for all that the flock can hold, with the memories of others.
    fn allocate(
        &self,
        gpu: &Gpu,
        flock: &FlockState,
        kept: Option<Rings>,
        stride_ticks: u32,
        tick: u64,
    ) -> Result<Rings, BuildError> {
        let room = flock.capacity().min(MAX_TRAILS as usize) * POINTS as usize;
        let places = Buffer::<Vec4>::new(gpu, "boids/trails", room, STORAGE);
        let bind = |current: &Buffer<super::Boid>| {
            let given =
                [("trails", self.uniform.raw()), ("current", current.raw()), ("places", places.raw())];
            self.kernel.bind(gpu, &given)
        };
        let bound = [bind(&flock.states[0])?, bind(&flock.states[1])?];
        let Some(kept) = kept else {
            let newest_tick = tick;
            return Ok(Rings {
                places,
                bound,
                newest: 0,
                newest_tick,
                stride_ticks,
                count: 0,
                is_stale: false,
            });
        };
        let bytes = (room.min(kept.places.len()) * size_of::<Vec4>()) as u64;
        let mut encoder = gpu.encoder("boids/keep the trails");
        encoder.copy_buffer_to_buffer(kept.places.raw(), 0, places.raw(), 0, bytes);
        gpu.submit(encoder);
        Ok(Rings { places, bound, is_stale: false, ..kept })
    }

    /// The trails to draw; none where none are left.
    pub fn view(&self) -> Option<TrailView<'_>> {
        self.rings.as_ref().map(|rings| TrailView {
            places: &rings.places,
            newest: rings.newest,
            stride_ticks: rings.stride_ticks,
            newest_tick: rings.newest_tick,
            count: rings.count,
        })
    }
}
