//! Orders the triangles of blended materials from far to near, every frame and on the GPU.
//!
//! Triangles of one material are ordered among each other; materials follow each other as wholes, since a draw has
//! one material. That is right for what characters have: hair and lashes of one texture, a visor, a glass. Of two
//! blended materials that run through each other, one is drawn over the other everywhere.

use glam::{UVec2, UVec4};

use super::Frame;
use crate::gpu::buffer::{INDEX, STORAGE, UNIFORM};
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary, dispatch_size};

/// Elements that one workgroup sorts; `BLOCK` in the shader.
const BLOCK: usize = 512;

crate::gpu_struct! {
    /// Which step of the sort a pass does.
    pub struct BlendStep {
        /// Length of the runs that are being made.
        pub run: u32,
        /// How far apart the elements are that it compares.
        pub apart: u32,
        /// Triangles in all.
        pub count: u32,
        /// Padding.
        pub pad0: u32,
    }
}

/// The kernels.
#[derive(Debug)]
pub(super) struct BlendKernels {
    measure: ComputePass,
    sort_blocks: ComputePass,
    merge_far: ComputePass,
    merge_near: ComputePass,
    emit: ComputePass,
}

/// The blended triangles of one character.
#[derive(Debug)]
pub(super) struct BlendOrder {
    /// Three indices a triangle, group after group, far to near within each.
    pub indices: Buffer<u32>,
    count: usize,
    blended: Buffer<UVec2>,
    keys: Buffer<UVec4>,
    whole: Buffer<BlendStep>,
    /// Bound once, with the step's uniform that each reads.
    merges: Vec<Merge>,
    sort_blocks: Bound,
}

#[derive(Debug)]
struct Merge {
    is_far: bool,
    bound: Bound,
    #[expect(dead_code, reason = "what is bound; its bytes count while it is here")]
    step: Buffer<BlendStep>,
}

impl BlendKernels {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let pass = |entry| ComputePass::new(gpu, shaders, "render/blend_order", entry);
        Ok(Self {
            measure: pass("measure")?,
            sort_blocks: pass("sort_blocks")?,
            merge_far: pass("merge_far")?,
            merge_near: pass("merge_near")?,
            emit: pass("emit")?,
        })
    }

    /// Prepares the order of `blended`: numbers of triangles, each with its group, rising by group. `None` where
    /// there are none, or (with a log line) more than the device binds.
    pub fn prepare(&self, gpu: &Gpu, blended: &[UVec2]) -> Result<Option<BlendOrder>, BuildError> {
        if blended.is_empty() {
            return Ok(None);
        }
        let padded = blended.len().next_power_of_two().max(BLOCK);
        if gpu.check_binding::<UVec4>("blended triangles", padded).is_err() {
            log::warn!("{} blended triangles are more than this adapter sorts", blended.len());
            return Ok(None);
        }
        let keys = Buffer::new(gpu, "blend/keys", padded, STORAGE);
        let step = |run: usize, apart: usize| {
            let (run, apart, count) = (run as u32, apart as u32, blended.len() as u32);
            Buffer::from_slice(gpu, "blend/step", &[BlendStep { run, apart, count, pad0: 0 }], UNIFORM)
        };
        let mut merges = Vec::new();
        let mut run = 2 * BLOCK;
        while run <= padded {
            let mut apart = run / 2;
            while apart >= BLOCK {
                let step = step(run, apart);
                let bound = self.merge_far.bind(gpu, &[("sort", step.raw()), ("keys", keys.raw())])?;
                merges.push(Merge { is_far: true, bound, step });
                apart /= 2;
            }
            let step = step(run, apart);
            let bound = self.merge_near.bind(gpu, &[("sort", step.raw()), ("keys", keys.raw())])?;
            merges.push(Merge { is_far: false, bound, step });
            run *= 2;
        }
        Ok(Some(BlendOrder {
            indices: Buffer::new(gpu, "blend/indices", 3 * blended.len(), INDEX),
            count: blended.len(),
            blended: Buffer::from_slice(gpu, "blend/triangles", blended, STORAGE),
            sort_blocks: self.sort_blocks.bind(gpu, &[("keys", keys.raw())])?,
            whole: step(0, 0),
            keys,
            merges,
        }))
    }

    /// Records the ordering as seen by `frame`: `corners` are the triangles over `positions`, `drawn_corners` the
    /// same ones as they are drawn.
    pub fn record(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        order: &BlendOrder,
        frame: &Buffer<Frame>,
        [positions, corners, drawn_corners]: [&wgpu::Buffer; 3],
    ) -> Result<(), BuildError> {
        let (step, keys, blended) =
            (("sort", order.whole.raw()), ("keys", order.keys.raw()), ("blended", order.blended.raw()));
        let seen = [("frame", frame.raw()), ("positions", positions), ("corners", corners)];
        let measured = self.measure.bind(gpu, &[step, keys, blended, seen[0], seen[1], seen[2]])?;
        let given = [step, keys, blended, ("drawn_corners", drawn_corners), ("ordered", order.indices.raw())];
        let emitted = self.emit.bind(gpu, &given)?;
        let blocks = Groups::Exact(dispatch_size(order.keys.len() / BLOCK, 1));
        self.measure.dispatch(pass, &measured, Groups::Items(order.keys.len()));
        self.sort_blocks.dispatch(pass, &order.sort_blocks, blocks);
        for merge in &order.merges {
            if merge.is_far {
                self.merge_far.dispatch(pass, &merge.bound, Groups::Items(order.keys.len() / 2));
            } else {
                self.merge_near.dispatch(pass, &merge.bound, blocks);
            }
        }
        self.emit.dispatch(pass, &emitted, Groups::Items(order.count));
        Ok(())
    }
}
