//! The flock, and the field by which the body steers it.
//!
//! After Reynolds, *Flocks, Herds, and Schools* (1987): each boid is drawn to the middle of those it sees
//! (cohesion), away from the close ones (separation) and toward their common velocity (alignment), each rule with
//! its own distance and angle of view, each limited. A sphere turns the flock back to the character; the body's
//! [`field`] makes it flow round. All lengths are fractions of H.
//!
//! A tick is one chain of dispatches in the caller's compute pass: field, grid, flock. Equal states, parameters
//! and poses give equal bits.

pub mod field;
pub mod grid;
pub mod params;
mod report;
mod spawn;
pub mod species;
pub mod trails;
mod uniform;

pub use params::BoidsParams;
pub use report::{BoidsReport, FieldReport};
pub use species::SpeciesParams;

use glam::{Vec3, Vec4};

use self::field::Field;
pub use self::field::FieldView;
use self::grid::{Grid, GridShape, GridState, SortTick};
use self::spawn::SpawnSpace;
use self::trails::{TrailView, Trails};
use super::SimInputs;
use crate::character::{CharacterData, RestShape, SkinnedSurface};
use crate::gpu::buffer::{STORAGE, UNIFORM};
use crate::gpu::{
    Bound, Buffer, BuildError, ComputePass, Gpu, GpuStruct as _, Groups, Mirror, ShaderLibrary,
};

crate::gpu_struct! {
    /// One boid.
    pub struct Boid {
        /// World position in metres.
        pub position: [f32; 3],
        /// 1 while it sits on the skin.
        pub sits: f32,
        /// Metres a second; never zero, so that it always has a heading, and no more than that while it sits.
        pub velocity: [f32; 3],
        /// How many it flies with; less where kinds count for less.
        pub crowd: f32,
    }
}

crate::gpu_struct! {
    /// A boid as its neighbours see it.
    pub struct Candidate {
        /// H from the middle of the boundary sphere.
        pub position: [f32; 3],
        /// Its id, or `u32::MAX` where the rest of a cell is left out.
        pub id: u32,
        /// H a second.
        pub velocity: [f32; 3],
        /// First entry of the next cell.
        pub next: u32,
    }
}

crate::gpu_struct! {
    /// What the flock's kernels need to know; lengths in H.
    pub struct BoidsUniform {
        /// Middle of the boundary sphere, world metres.
        pub center: [f32; 3],
        /// H in metres.
        pub extent_m: f32,
        /// Distance squared, cosine of the half-angle of view, strength, 0.
        pub cohesion: Vec4,
        /// The same for separation.
        pub separation: Vec4,
        /// The same for alignment.
        pub alignment: Vec4,
        /// Boids in the flock.
        pub boid_count: u32,
        /// Cells of the grid along each side.
        pub grid_side: u32,
        /// Lower corner of the grid on every axis.
        pub grid_origin: f32,
        /// Cells a H.
        pub cells_per_extent: f32,
        /// Length of a tick.
        pub dt_secs: f32,
        /// H/s².
        pub max_force: f32,
        /// H/s.
        pub min_speed: f32,
        /// H/s.
        pub max_speed: f32,
        /// H.
        pub boundary_radius: f32,
        /// 1/s².
        pub boundary_force: f32,
        /// H/s² along the circle round `orbit_axis`.
        pub orbit: f32,
        /// H/s² away from the skin; 0 lets boids fly through the body.
        pub avoid: f32,
        /// H.
        pub clearance: f32,
        /// H/s.
        pub push_speed: f32,
        /// Seed of the flock's hashes.
        pub seed: u32,
        /// 1/s² toward the middle.
        pub homing: f32,
        /// Unit.
        pub orbit_axis: [f32; 3],
        /// H/s² with the air's slow swirls.
        pub wander: f32,
        /// Their phases in radians.
        pub wander_phase: [f32; 3],
        /// Cosine of how far a heading turns in a tick.
        pub turn_cosine: f32,
        /// H from the middle.
        pub goal: [f32; 3],
        /// 1/s² toward it; 0 without a goal.
        pub goal_pull: f32,
        /// H; read where the boundary is a box.
        pub boundary_half: [f32; 3],
        /// 1 where it is.
        pub boundary_is_box: u32,
        /// What a species (first index) thinks of another.
        pub liking: [Vec4; 4],
        /// Factors on the speeds of each species.
        pub paces: Vec4,
        /// Two bits a boid, by the lowest four bits of its id.
        pub species_pattern: u32,
        /// 1 where not all boids are of one mind.
        pub is_mixed: u32,
        /// The first boids hunt the others.
        pub predator_count: u32,
        /// H.
        pub predator_distance: f32,
        /// H/s.
        pub flee_speed: f32,
        /// H/s² away from limbs that come fast.
        pub fright: f32,
        /// Share of its time that a boid sits.
        pub perch_share: f32,
        /// How far its cycle is, 0 to 1.
        pub perch_phase: f32,
        /// H from the skin.
        pub perch_height: f32,
        /// Padding.
        pub pad0: f32,
        /// Padding.
        pub pad1: f32,
        /// Padding.
        pub pad2: f32,
    }
}

/// The structs here that shaders share.
#[must_use]
pub fn mirrors() -> Vec<Mirror> {
    vec![
        Boid::mirror(),
        Candidate::mirror(),
        BoidsUniform::mirror(),
        trails::TrailUniform::mirror(),
        field::FieldUniform::mirror(),
        field::FieldReach::mirror(),
        field::SkinPlace::mirror(),
        field::FieldBox::mirror(),
    ]
}

/// What the renderer gets of the flock: drawing interpolates from `previous` to `current`.
#[derive(Debug, Clone, Copy)]
pub struct Flock<'a> {
    /// States a tick ago, in the order of ids. May be longer than the flock.
    pub previous: &'a Buffer<Boid>,
    /// States now, in the order of ids. May be longer than the flock.
    pub current: &'a Buffer<Boid>,
    /// Number of boids.
    pub count: u32,
    /// Number of the tick that made the states now.
    pub tick: u64,
    /// Where they were.
    pub trails: Option<TrailView<'a>>,
}

/// The grid reaches this far beyond the boundary sphere, in radii.
const GRID_REACH: f32 = 1.25;

/// The most boids that the device can hold.
#[must_use]
pub fn max_count(gpu: &Gpu) -> u32 {
    let bytes = gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size);
    u32::try_from(bytes / size_of::<Boid>() as u64).unwrap_or(u32::MAX)
}

/// The simulation: kernels, and the state of one flock round one character.
#[derive(Debug)]
pub struct Boids {
    uniform: Buffer<BoidsUniform>,
    grid: Grid,
    field: Field,
    steer: ComputePass,
    trails: Trails,
    seed: u32,
    /// Rest box of the character, world metres; nothing flies without one.
    body: Option<[Vec3; 2]>,
    flock: Option<FlockState>,
    links: Option<Links>,
}

/// Two state buffers: one current, one to write next.
#[derive(Debug)]
struct FlockState {
    states: [Buffer<Boid>; 2],
    current: usize,
    count: u32,
    tick: u64,
}

/// Everything bound to the present buffers.
#[derive(Debug)]
struct Links {
    grid: GridState,
    /// By which of the two state buffers is current.
    steer: [Bound; 2],
    /// Bytes of the field's cells they were bound with: another size means another buffer.
    field_cells: usize,
    grid_cells: u32,
}

impl FlockState {
    fn new(gpu: &Gpu, capacity: u32) -> Self {
        let state = |label| Buffer::new(gpu, label, capacity as usize, STORAGE);
        Self { states: [state("boids/state"), state("boids/state")], current: 0, count: 0, tick: 0 }
    }

    fn capacity(&self) -> usize {
        self.states[0].len()
    }
}

impl Boids {
    /// Builds the kernels; nothing flies before a character is installed.
    ///
    /// # Errors
    /// When a shader does not build.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        Ok(Self {
            uniform: Buffer::new(gpu, "boids/uniform", 1, UNIFORM),
            grid: Grid::new(gpu, shaders)?,
            field: Field::new(gpu, shaders)?,
            steer: ComputePass::new(gpu, shaders, "boids/flock", "main")?,
            trails: Trails::new(gpu, shaders)?,
            seed: 0,
            body: None,
            flock: None,
            links: None,
        })
    }

    /// Takes a new character: binds its surface's buffers and lets the flock begin anew at the next tick.
    ///
    /// # Errors
    /// When the surface does not fit the shaders.
    pub fn install(
        &mut self,
        gpu: &Gpu,
        surface: &SkinnedSurface,
        data: &CharacterData,
        rest: &RestShape,
    ) -> Result<(), BuildError> {
        self.field.install(gpu, surface, data, rest)?;
        self.body = Some([rest.min, rest.max]);
        self.flock = None;
        self.links = None;
        self.trails.forget();
        Ok(())
    }

    /// Lets the flock begin anew at the next tick, from another seed or the same.
    pub fn reset(&mut self, seed: u32) {
        self.seed = seed;
        self.flock = None;
        self.links = None;
        self.trails.forget();
    }

    /// Records one tick: field, grid, flock. Uniforms go through the queue, so each tick needs a submission of
    /// its own, and earlier ticks must have been submitted.
    ///
    /// Changing `count` keeps the living: a larger flock gains boids of the next ids at their hashed places, a
    /// smaller one loses the highest ids.
    ///
    /// # Errors
    /// When more boids are asked for than [`max_count`], with the limit named; the flock stays as it was. Or
    /// when buffers do not fit the shaders.
    pub fn tick(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        inputs: &SimInputs<'_>,
        params: &BoidsParams,
        species: &SpeciesParams,
    ) -> Result<(), BuildError> {
        let Some(body) = self.body.filter(|_| params.enabled) else { return Ok(()) };
        gpu.check_binding::<Boid>("boids", params.count as usize)?;
        self.field.tick(gpu, pass, inputs, params)?;
        self.populate(gpu, inputs, params, body);
        let reach = params.cohesion_distance.max(params.separation_distance).max(params.alignment_distance);
        let boundary_half = uniform::boundary_half(body, inputs.extent_m, params);
        let half_width =
            if params.boundary_shape == 0 { params.boundary } else { boundary_half.max_element() };
        let shape = GridShape::new(reach, GRID_REACH * half_width, params.count);
        let uniform = uniform::uniform(inputs, params, species, &shape, boundary_half);
        self.uniform.write(gpu, 0, &[uniform]);
        if params.count > 0 {
            self.link(gpu, &shape)?;
            self.record(gpu, pass, &shape);
        }
        if let Some(flock) = &self.flock {
            self.trails.tick(gpu, pass, flock, inputs, params)?;
        }
        Ok(())
    }

    /// Makes the flock as large as wished.
    fn populate(&mut self, gpu: &Gpu, inputs: &SimInputs<'_>, params: &BoidsParams, body: [Vec3; 2]) {
        let count = params.count;
        let capacity = self.flock.as_ref().map_or(0, FlockState::capacity);
        let wasteful = capacity > 4096 && (count as usize) < capacity / 4;
        if self.flock.is_none() || count as usize > capacity || wasteful {
            // Half again as much room, so that dragging the slider does not copy the flock every frame.
            let room = if self.flock.is_some() { count.saturating_add(count / 2) } else { count };
            let mut larger = FlockState::new(gpu, room.clamp(count.max(64), max_count(gpu).max(64)));
            if let Some(flock) = self.flock.take() {
                larger.current = flock.current;
                larger.count = flock.count.min(count);
                let bytes = larger.count as u64 * size_of::<Boid>() as u64;
                if bytes > 0 {
                    let mut encoder = gpu.encoder("boids/keep the living");
                    for (from, to) in flock.states.iter().zip(&larger.states) {
                        encoder.copy_buffer_to_buffer(from.raw(), 0, to.raw(), 0, bytes);
                    }
                    gpu.submit(encoder);
                }
            }
            self.flock = Some(larger);
            self.links = None;
            self.trails.moved();
        }
        let Some(flock) = &mut self.flock else { return };
        if flock.count < count {
            let padding = Vec3::splat(2.0 * params.clearance.max(params.size));
            let space = SpawnSpace {
                seed: self.seed,
                center: inputs.center,
                extent_m: inputs.extent_m,
                radius: params.boundary,
                body_min: (body[0] - inputs.center) / inputs.extent_m - padding,
                body_max: (body[1] - inputs.center) / inputs.extent_m + padding,
                speed: 0.5 * (params.min_speed + params.max_speed),
            };
            let born: Vec<Boid> = (flock.count..count).map(|id| space.boid(id)).collect();
            for state in &flock.states {
                state.write(gpu, flock.count as usize, &born);
            }
        }
        flock.count = count;
        flock.tick = inputs.tick;
    }

    /// Binds whatever buffers have been replaced.
    fn link(&mut self, gpu: &Gpu, shape: &GridShape) -> Result<(), BuildError> {
        let (Some(flock), Some(field)) = (&self.flock, self.field.view()) else { return Ok(()) };
        let cells = shape.cell_count();
        if self
            .links
            .as_ref()
            .is_some_and(|links| links.field_cells == field.cells.len() && cells <= links.grid_cells)
        {
            return Ok(());
        }
        let grid = self.grid.allocate(gpu, &self.uniform, flock, cells)?;
        let steer = |current: usize| {
            self.steer.bind(
                gpu,
                &[
                    ("boids", self.uniform.raw()),
                    ("starts", grid.starts.raw()),
                    ("members", grid.members.raw()),
                    ("candidates", grid.candidates.raw()),
                    ("current", flock.states[current].raw()),
                    ("next", flock.states[1 - current].raw()),
                    ("box", field.layout.raw()),
                    ("cells", field.cells.raw()),
                ],
            )
        };
        let steer = [steer(0)?, steer(1)?];
        self.links = Some(Links { grid, steer, field_cells: field.cells.len(), grid_cells: cells });
        Ok(())
    }

    fn record(&mut self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>, shape: &GridShape) {
        let (Some(flock), Some(links)) = (&mut self.flock, &mut self.links) else { return };
        let tick =
            SortTick { boid_count: flock.count, cell_count: shape.cell_count(), current: flock.current };
        links.grid.set_cells(gpu, tick.cell_count);
        self.grid.record(pass, &links.grid, &tick);
        self.steer.dispatch(pass, &links.steer[flock.current], Groups::Items(flock.count as usize));
        flock.current = 1 - flock.current;
    }

    /// The flock to draw; `None` before the first tick.
    #[must_use]
    pub fn flock(&self) -> Option<Flock<'_>> {
        let flock = self.flock.as_ref()?;
        let [current, previous] = [flock.current, 1 - flock.current].map(|k| &flock.states[k]);
        Some(Flock { previous, current, count: flock.count, tick: flock.tick, trails: self.trails.view() })
    }

    /// The numbers of the last tick, as the kernels read them.
    pub(crate) fn uniform(&self) -> &Buffer<BoidsUniform> {
        &self.uniform
    }

    /// The field as it was built for the last tick; `None` before the first.
    #[must_use]
    pub fn field(&self) -> Option<FieldView<'_>> {
        self.field.view()
    }

    /// Entries of the grid of the last tick: first entry of each cell and, behind the last, the number of boids.
    /// Waits for the GPU; for reports and tests.
    #[must_use]
    pub fn read_cell_starts(&self, gpu: &Gpu) -> Vec<u32> {
        self.links.as_ref().map_or_else(Vec::new, |links| links.grid.read_starts(gpu))
    }
}
