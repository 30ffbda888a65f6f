//! Typed GPU buffers that know their length and account for their bytes.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::mpsc;
use std::time::Duration;

use super::{Gpu, MemoryLedger};

/// Usages nearly every buffer has: bound as storage, copied from and to.
pub const STORAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_DST).union(wgpu::BufferUsages::COPY_SRC);
/// A uniform buffer that the CPU writes. Kernels on software adapters bind it as storage.
pub const UNIFORM: wgpu::BufferUsages = wgpu::BufferUsages::UNIFORM.union(STORAGE);
/// Indirect arguments written by kernels.
pub const INDIRECT: wgpu::BufferUsages = STORAGE.union(wgpu::BufferUsages::INDIRECT);
/// Triangle indices that kernels read too.
pub const INDEX: wgpu::BufferUsages = STORAGE.union(wgpu::BufferUsages::INDEX);

/// A buffer of `len` elements of `T`. At least one element is allocated, so that it can always be bound.
#[derive(Debug)]
pub struct Buffer<T> {
    raw: wgpu::Buffer,
    len: usize,
    label: String,
    ledger: MemoryLedger,
    element: PhantomData<fn() -> T>,
}

impl<T: bytemuck::Pod> Buffer<T> {
    /// A zeroed buffer.
    #[must_use]
    pub fn new(gpu: &Gpu, label: &str, len: usize, usage: wgpu::BufferUsages) -> Self {
        let bytes = (len.max(1) * size_of::<T>()).next_multiple_of(16) as u64;
        let raw = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes,
            usage,
            mapped_at_creation: false,
        });
        gpu.memory.add(label, bytes as i64);
        Self { raw, len, label: label.to_owned(), ledger: gpu.memory.clone(), element: PhantomData }
    }

    /// A buffer holding `data`.
    #[must_use]
    pub fn from_slice(gpu: &Gpu, label: &str, data: &[T], usage: wgpu::BufferUsages) -> Self {
        let buffer = Self::new(gpu, label, data.len(), usage | wgpu::BufferUsages::COPY_DST);
        buffer.write(gpu, 0, data);
        buffer
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The label it was made with.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The wgpu buffer.
    #[must_use]
    pub fn raw(&self) -> &wgpu::Buffer {
        &self.raw
    }

    /// Writes elements before the next submission. What does not fit is refused with a log line, not written.
    pub fn write(&self, gpu: &Gpu, first: usize, data: &[T]) {
        if data.is_empty() {
            return;
        }
        if first + data.len() > self.len.max(1) {
            log::error!("{}: {} elements at {first} do not fit into {}", self.label, data.len(), self.len);
            return;
        }
        gpu.queue.write_buffer(&self.raw, (first * size_of::<T>()) as u64, bytemuck::cast_slice(data));
    }

    /// Reads everything back, waiting for the GPU. For tests and reports, never within a frame.
    #[must_use]
    pub fn read(&self, gpu: &Gpu) -> Vec<T> {
        self.read_range(gpu, 0..self.len)
    }

    /// Reads some elements back, waiting for the GPU.
    #[must_use]
    pub fn read_range(&self, gpu: &Gpu, range: Range<usize>) -> Vec<T> {
        let range = range.start.min(self.len)..range.end.min(self.len);
        if range.is_empty() {
            return Vec::new();
        }
        let offset = (range.start * size_of::<T>()) as u64;
        let bytes = (range.len() * size_of::<T>()) as u64;
        let Some(data) = read_bytes(gpu, &self.raw, offset, bytes) else { return Vec::new() };
        bytemuck::pod_collect_to_vec(&data)
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.ledger.add(&self.label, -(self.raw.size() as i64));
    }
}

/// How long a callback may come after the GPU has finished; only a lost device takes so long.
const CALLBACK_LIMIT: Duration = Duration::from_secs(10);

/// Copies bytes of a buffer to the CPU, waiting for the GPU; `None` (and a log line) when the device is lost.
#[must_use]
pub fn read_bytes(gpu: &Gpu, source: &wgpu::Buffer, offset: u64, bytes: u64) -> Option<Vec<u8>> {
    let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("readback"),
        size: bytes.next_multiple_of(4),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.encoder("readback");
    encoder.copy_buffer_to_buffer(source, offset, &staging, 0, bytes.next_multiple_of(4));
    gpu.submit(encoder);
    let (sender, receiver) = mpsc::channel();
    staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // The receiver is only gone when the wait below gave up, which is reported there.
        let _ = sender.send(result);
    });
    gpu.wait();
    // Another thread that polls may be the one that calls back, a moment after the wait ends here.
    match receiver.recv_timeout(CALLBACK_LIMIT) {
        Ok(Ok(())) => {}
        other => {
            log::error!("reading back: {other:?}");
            return None;
        }
    }
    let view = match staging.slice(..).get_mapped_range() {
        Ok(view) => view,
        Err(error) => {
            log::error!("reading back: {error}");
            return None;
        }
    };
    Some(view[..bytes as usize].to_vec())
}
