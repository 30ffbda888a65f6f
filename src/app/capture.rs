//! Pictures of textures, for scripts.

use std::path::Path;

use crate::gpu::Gpu;

/// Saves an 8-bit texture as PNG, waiting for the GPU. Alpha is left out.
///
/// # Errors
/// When the texture cannot be read back or the file not written; the sentence says why.
pub fn save(gpu: &Gpu, texture: &wgpu::Texture, path: &Path) -> Result<(), String> {
    let (width, height) = (texture.width(), texture.height());
    // Rows are padded to what copies need.
    let row_bytes = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("capture"),
        size: u64::from(row_bytes) * u64::from(height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.encoder("capture");
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &staging,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row_bytes),
                rows_per_image: None,
            },
        },
        texture.size(),
    );
    gpu.submit(encoder);
    let (sender, mapped) = std::sync::mpsc::channel();
    staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        sender.send(result).ok();
    });
    gpu.wait();
    let read_back = |cause: String| format!("the picture could not be read back: {cause}");
    mapped.recv().map_err(|e| read_back(e.to_string()))?.map_err(|e| read_back(e.to_string()))?;
    let bytes = staging.slice(..).get_mapped_range().map_err(|e| read_back(e.to_string()))?;
    let blue_first = texture.format().remove_srgb_suffix() == wgpu::TextureFormat::Bgra8Unorm;
    let rgb: Vec<u8> = bytes
        .chunks_exact(row_bytes as usize)
        .flat_map(|row| row.chunks_exact(4).take(width as usize))
        .flat_map(|texel| {
            let [a, b, c] = [texel[0], texel[1], texel[2]];
            if blue_first { [c, b, a] } else { [a, b, c] }
        })
        .collect();
    image::save_buffer_with_format(path, &rgb, width, height, image::ColorType::Rgb8, image::ImageFormat::Png)
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
