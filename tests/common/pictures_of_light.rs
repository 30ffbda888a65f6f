//! Pictures of light as files, made in the test.

use glam::Vec3;
use image::{ExtendedColorType, ImageEncoder as _};

/// A picture as an .exr file; `light` is asked at places from 0 to 1, from the left and from the top.
pub fn exr(size: [u32; 2], light: impl Fn(f64, f64) -> Vec3) -> Vec<u8> {
    let [width, height] = size;
    let place = |i: u32, side: u32| (f64::from(i) + 0.5) / f64::from(side);
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let values: Vec<f32> =
        pixels.flat_map(|(x, y)| light(place(x, width), place(y, height)).to_array()).collect();
    let mut file = std::io::Cursor::new(Vec::new());
    image::codecs::openexr::OpenExrEncoder::new(&mut file)
        .write_image(bytemuck::cast_slice(&values), width, height, ExtendedColorType::Rgb32F)
        .expect("it is written");
    file.into_inner()
}

/// An even picture as a .hdr file.
pub fn hdr(size: [u32; 2], light: Vec3) -> Vec<u8> {
    let mut file = Vec::new();
    let pixels = vec![image::Rgb(light.to_array()); (size[0] * size[1]) as usize];
    image::codecs::hdr::HdrEncoder::new(&mut file)
        .encode(&pixels, size[0] as usize, size[1] as usize)
        .expect("it is written");
    file
}
