//! What is said about growth: a cheap status for the panel, and a full report.

use std::collections::HashMap;
use std::sync::mpsc;

use glam::IVec3;
use serde::Serialize;

use super::plan::GrowthPlan;
use super::state::{GrowthNode, GrowthState, NOT_FINISHED};
use crate::character::RestShape;
use crate::character::volume::lattice_tree;
use crate::gpu::hash::fnv1a;
use crate::gpu::{Buffer, Gpu};

/// The most triangles looked at to tell which nodes are inside.
const MAX_TRIANGLES: usize = 1 << 27;

/// Counts of a frame or two ago, for the panel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GrowthStatus {
    /// Nodes.
    pub nodes: u32,
    /// Attractors neither reached nor given up.
    pub alive: u32,
    /// Attractors that no branch will reach: given up, or in nobody's reach at the end.
    pub unreached: u32,
    /// Whether nothing more will grow.
    pub finished: bool,
    /// Whether there was no room for more nodes.
    pub pool_full: bool,
}

impl From<GrowthState> for GrowthStatus {
    fn from(state: GrowthState) -> Self {
        let pool_full = state.pool_full != 0;
        let finished = pool_full || state.finished_tick != NOT_FINISHED;
        Self {
            nodes: state.node_count,
            alive: state.alive,
            unreached: state.retired + if finished { state.alive } else { 0 },
            finished,
            pool_full,
        }
    }
}

/// Everything that `--report` tells of growth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GrowthReport {
    /// Points to reach in all.
    pub attractors: u32,
    /// Points that may still be reached.
    pub attractors_alive: u32,
    /// Points that no branch will reach: given up, or in nobody's reach once growth has finished.
    pub attractors_unreachable: u32,
    /// Branch points.
    pub nodes: u32,
    /// Branch segments.
    pub edges: u32,
    /// Most segments from a root.
    pub max_depth: u32,
    /// The tick at whose start nothing was left to grow towards.
    pub finished_tick: Option<u32>,
    /// Part of the nodes round which the rest surface winds at least half a time; 1 without nodes. Where asking all
    /// would take minutes, of every so many.
    pub nodes_inside_fraction: f64,
    /// Nodes closer than an eighth of a growth step to another.
    pub duplicate_nodes: u32,
    /// Whether there was no room for more nodes.
    pub pool_full: bool,
    /// FNV-1a over position, parent, depth and birth of the nodes in the order of their ids, in hexadecimal.
    pub hash: String,
}

/// Sums up the nodes and counters read back.
pub(super) fn report(
    plan: &GrowthPlan,
    rest: &RestShape,
    indices: &[u32],
    state: &GrowthState,
    nodes: &[GrowthNode],
    growth: i32,
) -> GrowthReport {
    let points: Vec<IVec3> = rest.positions.iter().map(|&p| plan.lattice.from_world(p)).collect();
    let tree = lattice_tree(&points, indices);
    let at = |node: &GrowthNode| node.position.as_dvec3();
    let queries = tree.affordable_queries(nodes.iter().step_by(nodes.len() / 64 + 1).map(at), MAX_TRIANGLES);
    let asked = || nodes.iter().step_by(nodes.len().div_ceil(queries).max(1));
    let inside = asked().filter(|node| tree.contains(at(node))).count();
    let finished = state.finished_tick != NOT_FINISHED;
    let left = if finished { state.alive } else { 0 };
    GrowthReport {
        attractors: plan.attractors.len() as u32,
        attractors_alive: state.alive - left,
        attractors_unreachable: state.retired + left,
        nodes: nodes.len() as u32,
        edges: nodes.iter().enumerate().filter(|(id, node)| node.parent as usize != *id).count() as u32,
        max_depth: state.max_depth,
        finished_tick: finished.then_some(state.finished_tick),
        nodes_inside_fraction: if nodes.is_empty() { 1.0 } else { inside as f64 / asked().count() as f64 },
        duplicate_nodes: duplicates(nodes, growth),
        pool_full: state.pool_full != 0,
        hash: format!("{:016x}", hash(nodes)),
    }
}

/// A hash of what decides the shape.
fn hash(nodes: &[GrowthNode]) -> u64 {
    let words: Vec<[u32; 6]> = nodes
        .iter()
        .map(|node| {
            let [x, y, z] = node.position.to_array().map(|v| v as u32);
            [x, y, z, node.parent, node.depth, node.birth].map(u32::to_le)
        })
        .collect();
    fnv1a(bytemuck::cast_slice(&words))
}

/// Nodes closer than an eighth of `growth` to another one.
fn duplicates(nodes: &[GrowthNode], growth: i32) -> u32 {
    // 64 d² < growth² is d < growth / 8 without rounding.
    let close = |a: IVec3, b: IVec3| {
        64 * (a - b).as_i64vec3().length_squared() < i64::from(growth) * i64::from(growth)
    };
    let edge = (growth / 8 + 1).max(1);
    let mut cells: HashMap<IVec3, Vec<usize>> = HashMap::new();
    for (id, node) in nodes.iter().enumerate() {
        cells.entry(node.position.div_euclid(IVec3::splat(edge))).or_default().push(id);
    }
    let repeated = |id: usize| {
        let position = nodes[id].position;
        let cell = position.div_euclid(IVec3::splat(edge));
        (0..27).any(|k| {
            let near = cell + IVec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            cells.get(&near).is_some_and(|ids| {
                ids.iter().any(|&other| other != id && close(nodes[other].position, position))
            })
        })
    };
    (0..nodes.len()).filter(|&id| repeated(id)).count() as u32
}

/// Copies the counters to the CPU without ever waiting: asks, and looks in later frames whether they came.
#[derive(Debug, Default)]
pub(super) struct StatusReader {
    staging: Option<wgpu::Buffer>,
    pending: Option<mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>>,
    status: GrowthStatus,
}

impl StatusReader {
    pub(super) fn status(&self) -> GrowthStatus {
        self.status
    }

    /// Forgets what is under way, which tells of another growth.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Takes what has come, and asks again.
    pub(super) fn poll(&mut self, gpu: &Gpu, counters: &Buffer<GrowthState>) {
        const BYTES: u64 = size_of::<GrowthState>() as u64;
        let staging = self.staging.get_or_insert_with(|| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("growth/status"),
                size: BYTES,
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        });
        if let Some(pending) = &self.pending {
            match pending.try_recv() {
                Err(mpsc::TryRecvError::Empty) => return,
                Ok(Ok(())) => {
                    if let Ok(view) = staging.slice(..).get_mapped_range() {
                        let state: GrowthState = bytemuck::pod_read_unaligned(&view);
                        self.status = state.into();
                    }
                    staging.unmap();
                }
                // A lost device is reported by whoever renders; the last counts stay.
                Ok(Err(_)) | Err(mpsc::TryRecvError::Disconnected) => {}
            }
        }
        let mut encoder = gpu.encoder("growth/status");
        encoder.copy_buffer_to_buffer(counters.raw(), 0, staging, 0, BYTES);
        gpu.submit(encoder);
        let (sender, receiver) = mpsc::channel();
        staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            // Nobody listens any more once growth has been started over.
            let _ = sender.send(result);
        });
        self.pending = Some(receiver);
    }
}
