//! The kernels of growth, made once.

use crate::gpu::{BuildError, ComputePass, Gpu, ShaderLibrary};

/// The compute passes of a tick and of drawing.
#[derive(Debug)]
pub(super) struct Kernels {
    pub propose: ComputePass,
    pub aim: ComputePass,
    pub select: ComputePass,
    pub scan: ComputePass,
    pub emit: ComputePass,
    pub reseed: ComputePass,
    pub relax: ComputePass,
    pub flow: ComputePass,
    pub count: ComputePass,
    pub adopt: [ComputePass; 4],
    pub carry: ComputePass,
    pub past: ComputePass,
    pub pose: ComputePass,
}

impl Kernels {
    pub(super) fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass = |file: &str| ComputePass::new(gpu, shaders, file, "main");
        let adopt = |entry: &str| ComputePass::new(gpu, shaders, "growth/adopt", entry);
        Ok(Self {
            propose: pass("growth/propose")?,
            aim: pass("growth/aim")?,
            select: pass("growth/select")?,
            scan: pass("growth/scan")?,
            emit: pass("growth/emit")?,
            reseed: pass("growth/reseed")?,
            relax: pass("growth/relax")?,
            flow: pass("growth/flow")?,
            count: ComputePass::new(gpu, shaders, "growth/pose", "count")?,
            adopt: [adopt("begin")?, adopt("points")?, adopt("adopt")?, adopt("sprout")?],
            carry: pass("growth/carry")?,
            past: pass("growth/past")?,
            pose: pass("growth/pose")?,
        })
    }
}
