//! Pictures from the GPU: a texture copied to the CPU, with or without waiting.

use std::sync::mpsc;

use super::Gpu;

/// A picture on the CPU: sRGB-encoded RGBA, 8 bits each, rows top to bottom without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub rgba: Vec<u8>,
}

/// Why a picture did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The texture has no 4-byte texels.
    #[error("a picture of format {0:?} cannot be read back")]
    Format(wgpu::TextureFormat),
    /// The device is lost.
    #[error("the graphics device gave no picture back: {0}")]
    Device(String),
}

/// A picture on its way to the CPU. Several may be under way at once, so that a recording keeps frames in flight.
#[derive(Debug)]
pub struct PendingCapture {
    staging: wgpu::Buffer,
    width: u32,
    height: u32,
    padded_row: u32,
    submission: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl PendingCapture {
    /// Submits the copy of a texture of 4-byte texels (level 0, one sample) and asks for its bytes, without
    /// waiting.
    ///
    /// # Errors
    /// When the format has other than four bytes a texel.
    pub fn begin(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Self, CaptureError> {
        let format = texture.format();
        if format.block_copy_size(None) != Some(4) || format.has_depth_aspect() {
            return Err(CaptureError::Format(format));
        }
        let (width, height) = (texture.width(), texture.height());
        let padded_row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("capture"),
            size: u64::from(padded_row) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = gpu.encoder("capture");
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded_row), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &staging, layout },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        let submission = gpu.submit(encoder);
        let (sender, mapped) = mpsc::channel();
        staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            // The receiver is gone only when the capture was dropped.
            let _ = sender.send(result);
        });
        Ok(Self { staging, width, height, padded_row, submission, mapped })
    }

    /// The picture once it has arrived. Never waits.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn try_finish(&self, gpu: &Gpu) -> Option<Result<Picture, CaptureError>> {
        gpu.poll();
        match self.mapped.try_recv() {
            Ok(mapped) => Some(self.read(mapped)),
            Err(mpsc::TryRecvError::Empty) => None,
            Err(error) => Some(Err(CaptureError::Device(error.to_string()))),
        }
    }

    /// The picture, waiting for it but for nothing submitted after it.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn finish(self, gpu: &Gpu) -> Result<Picture, CaptureError> {
        let wait = wgpu::PollType::Wait { submission_index: Some(self.submission.clone()), timeout: None };
        gpu.device.poll(wait).map_err(|error| CaptureError::Device(error.to_string()))?;
        let mapped = self.mapped.recv().map_err(|error| CaptureError::Device(error.to_string()))?;
        self.read(mapped)
    }

    fn read(&self, mapped: Result<(), wgpu::BufferAsyncError>) -> Result<Picture, CaptureError> {
        mapped.map_err(|error| CaptureError::Device(error.to_string()))?;
        let view = self
            .staging
            .slice(..)
            .get_mapped_range()
            .map_err(|error| CaptureError::Device(error.to_string()))?;
        let row = self.width as usize * 4;
        let mut rgba = Vec::with_capacity(row * self.height as usize);
        for padded in view.chunks_exact(self.padded_row as usize) {
            rgba.extend_from_slice(&padded[..row]);
        }
        Ok(Picture { width: self.width, height: self.height, rgba })
    }
}

/// Copies a texture to the CPU, waiting for it. For screenshots and tests.
///
/// # Errors
/// When the format cannot be read or the device is lost.
pub fn capture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Picture, CaptureError> {
    PendingCapture::begin(gpu, texture)?.finish(gpu)
}
