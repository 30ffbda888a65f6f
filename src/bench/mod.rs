//! What the simulations cost on this device, beside the originals' kernels on the same one.
//!
//! Machines change speed while they are measured, so that times of one run are only compared with each other, taken
//! in turns (A, B, A, B), and judged by medians and by the median of their ratios.

mod boids;
mod calibrate;
mod growth;
mod timing;
mod wrinkles;

use serde::Serialize;

pub use boids::{BoidsBench, BoidsSize};
pub use calibrate::Calibration;
pub use growth::{GrowthBench, GrowthSize};
pub use timing::{Pair, Times, slope};
pub use wrinkles::WrinklesBench;

use crate::gpu::{BuildError, Gpu, GpuStruct as _, Mirror, ShaderLibrary};

crate::gpu_struct! {
    /// Sizes that measured kernels need.
    pub struct BenchUniform {
        /// Items, one an invocation.
        pub count: u32,
        /// What each of them is compared with.
        pub others: u32,
        /// Square of how far they see.
        pub radius2: u32,
        /// Padding.
        pub pad0: u32,
    }
}

/// Structs shared with the shaders.
#[must_use]
pub fn mirrors() -> Vec<Mirror> {
    vec![BenchUniform::mirror()]
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    /// Branches to their end.
    Growth,
    /// A step of the flock.
    Boids,
    /// Strain and phase.
    Wrinkles,
}

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct BenchReport {
    /// The adapter, its backend and driver.
    pub adapter: String,
    /// Whether it computes on the CPU.
    pub software: bool,
    /// What it can do at best.
    pub calibration: Calibration,
    /// Branches, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<GrowthBench>,
    /// The flock, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boids: Option<BoidsBench>,
    /// Strain, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrinkles: Option<WrinklesBench>,
}

/// Measures `subject`, or everything. `quick` takes small sizes and few rounds; `tell` hears what comes next.
///
/// # Errors
/// When a kernel does not build.
pub fn run(
    gpu: &Gpu,
    subject: Option<Subject>,
    quick: bool,
    tell: &dyn Fn(&str),
) -> Result<BenchReport, BuildError> {
    let shaders = ShaderLibrary::embedded();
    let wanted = |one: Subject| subject.is_none_or(|subject| subject == one);
    tell("calibrating");
    let calibration = calibrate::run(gpu, &shaders)?;
    let growth = wanted(Subject::Growth).then(|| growth::run(gpu, &shaders, quick, tell)).transpose()?;
    let boids = wanted(Subject::Boids).then(|| boids::run(gpu, &shaders, quick, tell)).transpose()?;
    let wrinkles =
        wanted(Subject::Wrinkles).then(|| wrinkles::run(gpu, &shaders, quick, tell)).transpose()?;
    Ok(BenchReport {
        adapter: gpu.adapter_line(),
        software: gpu.is_software(),
        calibration,
        growth,
        boids,
        wrinkles,
    })
}

impl BenchReport {
    /// As lines to read.
    #[must_use]
    pub fn to_text(&self) -> String {
        let c = &self.calibration;
        let mut lines = vec![
            self.adapter.clone(),
            format!(
                "dispatch {:.2} us, copy {:.2} GB/s, fma {:.1} GFLOP/s, atomics {:.0} M/s",
                c.dispatch_us, c.copy_gb_per_s, c.fma_gflop_per_s, c.atomics_m_per_s
            ),
        ];
        if let Some(growth) = &self.growth {
            growth.describe(&mut lines);
        }
        if let Some(boids) = &self.boids {
            boids.describe(&mut lines);
        }
        if let Some(wrinkles) = &self.wrinkles {
            wrinkles.describe(&mut lines);
        }
        lines.push(String::new());
        lines.join("\n")
    }
}
