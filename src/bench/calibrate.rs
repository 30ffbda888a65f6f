//! What the device can do at best.

use serde::Serialize;

use super::BenchUniform;
use super::timing::{Times, millis, submit};
use crate::gpu::buffer::{STORAGE, UNIFORM};
use crate::gpu::{Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};

/// Elements of sixteen bytes that are copied and multiplied, on graphics cards and on processors.
const ELEMENTS: [usize; 2] = [1 << 22, 1 << 17];
/// Runs of each.
const RUNS: usize = 5;

/// What the device can do at best.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Calibration {
    /// Microseconds a dispatch that does nothing and waits for the one before it.
    pub dispatch_us: f64,
    /// Bytes read and written by a copying kernel, 10⁹ a second.
    pub copy_gb_per_s: f64,
    /// Operations of fused multiplication and addition, 10⁹ a second.
    pub fma_gflop_per_s: f64,
    /// Scattered atomic additions, 10⁶ a second.
    pub atomics_m_per_s: f64,
}

/// Measures it.
pub fn run(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Calibration, BuildError> {
    let entry = |name| ComputePass::new(gpu, shaders, "bench/calibrate", name);
    let [nothing, copy, multiply, scatter] =
        [entry("nothing")?, entry("copy")?, entry("multiply")?, entry("scatter")?];
    let elements = ELEMENTS[usize::from(gpu.is_software())];
    let sizes = BenchUniform { count: elements as u32, ..Default::default() };
    let uniform = Buffer::from_slice(gpu, "bench/sizes", &[sizes], UNIFORM);
    let buffer = |label| Buffer::<[f32; 4]>::new(gpu, label, elements, STORAGE);
    let (from, to) = (buffer("bench/from"), buffer("bench/to"));
    let tally = Buffer::<u32>::new(gpu, "bench/tally", 1 << 20, STORAGE);
    let bench = ("bench", uniform.raw());
    let (from, to) = (("source", from.raw()), ("sink", to.raw()));
    let median = |pass: &ComputePass, bound: &crate::gpu::Bound, groups: usize, times: usize| {
        let run = || {
            millis(gpu, || {
                submit(gpu, |recorder| {
                    for _ in 0..times {
                        pass.dispatch(recorder, bound, Groups::Items(groups));
                    }
                });
            })
        };
        run();
        Times::new((0..RUNS).map(|_| run()).collect()).median_ms.max(1e-6)
    };
    let dispatches = 200;
    let empty_ms = median(&nothing, &nothing.bind(gpu, &[bench, to])?, 1, dispatches);
    let copy_ms = median(&copy, &copy.bind(gpu, &[bench, from, to])?, elements, 1);
    let multiply_ms = median(&multiply, &multiply.bind(gpu, &[bench, from, to])?, elements, 1);
    let scatter_ms = median(&scatter, &scatter.bind(gpu, &[bench, ("tally", tally.raw())])?, elements, 1);
    let elements = elements as f64;
    Ok(Calibration {
        dispatch_us: 1e3 * empty_ms / dispatches as f64,
        copy_gb_per_s: 32.0 * elements / copy_ms / 1e6,
        fma_gflop_per_s: 256.0 * 8.0 * elements / multiply_ms / 1e6,
        atomics_m_per_s: 16.0 * elements / scatter_ms / 1e3,
    })
}
