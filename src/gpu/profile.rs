//! Milliseconds a pass from timestamp queries, read back without waiting.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Gpu;

/// The most passes timed in one batch; further ones run untimed.
const MAX_PASSES: u32 = 512;

/// Times labelled passes. Without timestamp support it records nothing and costs nothing.
#[derive(Debug)]
pub struct Profiler {
    queries: Option<Queries>,
    labels: Vec<String>,
    results: Arc<Mutex<Results>>,
}

#[derive(Debug)]
struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    period_ns: f32,
}

#[derive(Debug, Default)]
struct Results {
    /// Sum of milliseconds and number of batches each label was seen in.
    total_ms: BTreeMap<String, (f64, u64)>,
    last_ms: BTreeMap<String, f64>,
    in_flight: bool,
}

impl Profiler {
    /// A profiler for this device.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let queries = gpu.has_timestamps.then(|| Queries {
            set: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("profile"),
                ty: wgpu::QueryType::Timestamp,
                count: MAX_PASSES * 2,
            }),
            resolved: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("profile"),
                size: u64::from(MAX_PASSES) * 16,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            period_ns: gpu.queue.get_timestamp_period(),
        });
        Self { queries, labels: Vec::new(), results: Arc::default() }
    }

    fn next(&mut self, label: &str) -> Option<(&wgpu::QuerySet, u32)> {
        let queries = self.queries.as_ref()?;
        let index = self.labels.len() as u32;
        if index >= MAX_PASSES {
            return None;
        }
        self.labels.push(label.to_owned());
        Some((&queries.set, index * 2))
    }

    /// Begins a timed compute pass.
    pub fn compute_pass<'e>(
        &mut self,
        encoder: &'e mut wgpu::CommandEncoder,
        label: &str,
    ) -> wgpu::ComputePass<'e> {
        let timestamp_writes = self.next(label).map(|(query_set, first)| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        });
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes })
    }

    /// Begins a timed render pass.
    pub fn render_pass<'e>(
        &mut self,
        encoder: &'e mut wgpu::CommandEncoder,
        label: &str,
        color: &[Option<wgpu::RenderPassColorAttachment<'_>>],
        depth: Option<wgpu::RenderPassDepthStencilAttachment<'_>>,
    ) -> wgpu::RenderPass<'e> {
        let timestamp_writes = self.next(label).map(|(query_set, first)| wgpu::RenderPassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        });
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(label),
            color_attachments: color,
            depth_stencil_attachment: depth,
            timestamp_writes,
            ..Default::default()
        })
    }

    /// Forgets what was timed since the last [`Profiler::resolve`], such as a warm-up that no frame ends.
    pub fn discard(&mut self) {
        self.labels.clear();
    }

    /// Resolves what was timed since the last call, into the last encoder of a frame; call
    /// [`Profiler::collect`] after it is submitted. When the previous batch is still on its way, this one is
    /// dropped: a profile may skip a frame but never makes one wait.
    #[must_use]
    pub fn resolve(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Option<ProfileBatch> {
        let labels = std::mem::take(&mut self.labels);
        let queries = self.queries.as_ref()?;
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        if labels.is_empty() || results.in_flight {
            return None;
        }
        results.in_flight = true;
        let count = labels.len() as u32 * 2;
        let bytes = u64::from(count) * 8;
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("profile readback"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.resolve_query_set(&queries.set, 0..count, &queries.resolved, 0);
        encoder.copy_buffer_to_buffer(&queries.resolved, 0, &staging, 0, bytes);
        Some(ProfileBatch { staging, labels })
    }

    /// Asks for a resolved batch; the numbers arrive while later frames are drawn.
    pub fn collect(&self, batch: Option<ProfileBatch>) {
        let (Some(ProfileBatch { staging, labels }), Some(queries)) = (batch, self.queries.as_ref()) else {
            return;
        };
        let results = Arc::clone(&self.results);
        let period_ns = f64::from(queries.period_ns);
        let buffer = staging.clone();
        staging.slice(..).map_async(wgpu::MapMode::Read, move |mapped| {
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.in_flight = false;
            if mapped.is_err() {
                return;
            }
            let Ok(view) = buffer.slice(..).get_mapped_range() else { return };
            let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(&view[..]);
            let mut batch_ms = BTreeMap::<String, f64>::new();
            for (label, stamp) in labels.iter().zip(stamps.chunks_exact(2)) {
                let ms = stamp[1].saturating_sub(stamp[0]) as f64 * period_ns * 1e-6;
                *batch_ms.entry(label.clone()).or_insert(0.0) += ms;
            }
            for (label, ms) in &batch_ms {
                let total = results.total_ms.entry(label.clone()).or_insert((0.0, 0));
                total.0 += ms;
                total.1 += 1;
            }
            results.last_ms = batch_ms;
        });
    }

    /// Milliseconds of the newest batch that has arrived, by label.
    #[must_use]
    pub fn last_ms(&self) -> BTreeMap<String, f64> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).last_ms.clone()
    }

    /// Mean milliseconds a batch since the start, by label.
    #[must_use]
    pub fn mean_ms(&self) -> BTreeMap<String, f64> {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.total_ms.iter().map(|(label, (ms, n))| (label.clone(), ms / (*n).max(1) as f64)).collect()
    }
}

/// A batch of timestamps on its way to the CPU.
#[derive(Debug)]
pub struct ProfileBatch {
    staging: wgpu::Buffer,
    labels: Vec<String>,
}
