//! Exclusive prefix sum of u32 on the GPU: reduce, scan the sums, spread. Three dispatches, no look-back (which
//! would need forward progress between workgroups), so it works on every adapter.

use super::buffer::{STORAGE, UNIFORM};
use super::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderError, ShaderLibrary};

/// Elements a workgroup handles.
const BLOCK: usize = 1024;

crate::gpu_struct! {
    /// What the scan's kernels need to know.
    pub struct ScanUniform {
        /// Elements to scan.
        pub length: u32,
        /// Blocks that hold them.
        pub block_count: u32,
        /// Padding.
        pub pad0: u32,
        /// Padding.
        pub pad1: u32,
    }
}

/// The kernels of the prefix sum; made once, used with any number of [`ScanBound`]s.
#[derive(Debug)]
pub struct Scan {
    reduce: ComputePass,
    scan_sums: ComputePass,
    spread: ComputePass,
}

/// A pair of buffers to scan.
#[derive(Debug)]
pub struct ScanBound {
    uniform: Buffer<ScanUniform>,
    capacity: usize,
    length: usize,
    reduce: Bound,
    scan_sums: Bound,
    spread: Bound,
}

impl Scan {
    /// Builds the kernels.
    ///
    /// # Errors
    /// When the shader does not build.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, ShaderError> {
        let [reduce, scan_sums, spread] =
            ["reduce", "scan_sums", "spread"].map(|entry| ComputePass::new(gpu, shaders, "gpu/scan", entry));
        Ok(Self { reduce: reduce?, scan_sums: scan_sums?, spread: spread? })
    }

    /// Binds an input and an output of equal length: `output[i]` becomes the sum of `input[..i]`, modulo 2³².
    /// Append a zero to the input to get the total as the last element of the output.
    ///
    /// # Errors
    /// When the buffers do not fit the shader.
    pub fn bind(
        &self,
        gpu: &Gpu,
        label: &str,
        input: &Buffer<u32>,
        output: &Buffer<u32>,
    ) -> Result<ScanBound, BuildError> {
        let capacity = input.len().min(output.len());
        let uniform = Buffer::new(gpu, &format!("{label} scan"), 1, UNIFORM);
        let sums = Buffer::<u32>::new(gpu, &format!("{label} block sums"), capacity.div_ceil(BLOCK), STORAGE);
        let scan = ("scan", uniform.raw());
        let block_sums = ("block_sums", sums.raw());
        let source = ("input", input.raw());
        let bound = ScanBound {
            reduce: self.reduce.bind(gpu, &[scan, source, block_sums])?,
            scan_sums: self.scan_sums.bind(gpu, &[scan, block_sums])?,
            spread: self.spread.bind(gpu, &[scan, source, ("output", output.raw()), block_sums])?,
            capacity,
            length: capacity,
            uniform,
        };
        bound.upload(gpu);
        Ok(bound)
    }

    /// Records the three dispatches.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, bound: &ScanBound) {
        let blocks = bound.length.div_ceil(BLOCK);
        if blocks == 0 {
            return;
        }
        let groups = Groups::Exact(super::dispatch_size(blocks, 1));
        self.reduce.dispatch(pass, &bound.reduce, groups);
        self.scan_sums.dispatch(pass, &bound.scan_sums, Groups::Exact([1, 1, 1]));
        self.spread.dispatch(pass, &bound.spread, groups);
    }
}

impl ScanBound {
    /// Scans only the first `length` elements from the next submission on; more than were bound are not scanned.
    pub fn set_length(&mut self, gpu: &Gpu, length: usize) {
        let length = length.min(self.capacity);
        if length != self.length {
            self.length = length;
            self.upload(gpu);
        }
    }

    fn upload(&self, gpu: &Gpu) {
        let uniform = ScanUniform {
            length: self.length as u32,
            block_count: self.length.div_ceil(BLOCK) as u32,
            ..Default::default()
        };
        self.uniform.write(gpu, 0, &[uniform]);
    }
}
