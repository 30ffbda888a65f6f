//! Pictures of everything around as light: `.hdr` and `.exr` files in the equirectangular projection.
//!
//! The middle of the picture lies at -Z, behind a figure that is seen from the front; its right side at +X.

use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use half::f16;
use image::ImageFormat;

use super::octahedron::{IRRADIANCE_SCALE, irradiance_basis};

/// Size that larger pictures are averaged down to, and smaller ones stretched to.
pub const SIZE: [u32; 2] = [1024, 512];
/// Longest side that is read.
const MAX_SIDE: u32 = 16_384;
/// Most bytes of pixels, and how many each byte of the file can justify beyond what any may have.
const MAX_BYTES: u64 = 768 << 20;
const FREE_BYTES: u64 = 64 << 20;
const BYTES_PER_BYTE: u64 = 4096;
/// Largest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// Light is capped at what a half float holds.
const BRIGHTEST: f32 = 65_504.0;

/// Why a file gives no light.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// It cannot be read.
    #[error("{path} cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Its kind is not known.
    #[error("{path} is no environment: it must be a Radiance .hdr or OpenEXR .exr picture")]
    Kind {
        /// The file.
        path: PathBuf,
    },
    /// It is broken, or larger than is read.
    #[error("{path} is no environment that can be read: {what}")]
    Broken {
        /// The file.
        path: PathBuf,
        /// The decoder's reason.
        what: String,
    },
}

/// Whether a file's name says that it is an environment.
#[must_use]
pub fn is_environment(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ["hdr", "exr"].iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// A picture made ready for the GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct EnvironmentPicture {
    /// RGBA half floats of [`SIZE`] and of each level below it, halved until a row is 1 texel high.
    pub levels: Vec<Vec<u16>>,
    /// Irradiance over pi, as factors of harmonics; see [`irradiance_basis`].
    pub irradiance: [DVec3; 9],
}

impl EnvironmentPicture {
    /// Reads a file. Takes a while: for worker threads.
    ///
    /// # Errors
    /// When it cannot be read or is no picture of light, in one sentence.
    pub fn load(path: &Path) -> Result<Self, EnvironmentError> {
        let read = |source| EnvironmentError::Read { path: path.into(), source };
        let size = std::fs::metadata(path).map_err(read)?.len();
        if size > MAX_FILE_BYTES {
            let what =
                format!("its {} MB are more than the {} MB that are read", size >> 20, MAX_FILE_BYTES >> 20);
            return Err(EnvironmentError::Broken { path: path.into(), what });
        }
        Self::from_bytes(&std::fs::read(path).map_err(read)?, path)
    }

    /// Reads a file's bytes; `path` is named in errors.
    ///
    /// # Errors
    /// As [`EnvironmentPicture::load`].
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, EnvironmentError> {
        let broken = |what: String| EnvironmentError::Broken { path: path.into(), what };
        let format = match image::guess_format(bytes) {
            Ok(format @ (ImageFormat::Hdr | ImageFormat::OpenExr)) => format,
            _ => return Err(EnvironmentError::Kind { path: path.into() }),
        };
        let mut reader = image::ImageReader::with_format(std::io::Cursor::new(bytes), format);
        let mut limits = image::Limits::default();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        let justified = FREE_BYTES + (bytes.len() as u64).saturating_mul(BYTES_PER_BYTE);
        limits.max_alloc = Some(justified.min(MAX_BYTES));
        reader.limits(limits);
        // A decoder that panics on a broken file is told like any other fault of the file.
        let decoded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| reader.decode()))
            .map_err(|_| broken("its data are damaged".into()))?
            .map_err(|error| broken(error.to_string()))?
            .into_rgb32f();
        let [width, height] = [decoded.width(), decoded.height()];
        if width == 0 || height == 0 {
            return Err(broken("it has no pixels".into()));
        }
        let light: Vec<Vec3> = decoded.pixels().map(|pixel| sound(Vec3::from(pixel.0))).collect();
        drop(decoded);
        Ok(Self::new(&averaged(&light, [width, height], SIZE)))
    }

    /// From the light of [`SIZE`] directions, row by row from the top.
    fn new(light: &[Vec3]) -> Self {
        let mut levels = vec![halves(light)];
        let (mut size, mut level) = (SIZE, light.to_vec());
        while size[1] > 1 {
            let half = [size[0] / 2, size[1] / 2];
            level = averaged(&level, size, half);
            size = half;
            levels.push(halves(&level));
        }
        Self { levels, irradiance: irradiance(light) }
    }
}

/// Light that is none, or less than none, is dark; more than can be told is capped.
fn sound(light: Vec3) -> Vec3 {
    Vec3::from(light.to_array().map(|v| if v > 0.0 { v.min(BRIGHTEST) } else { 0.0 }))
}

fn halves(light: &[Vec3]) -> Vec<u16> {
    light.iter().flat_map(|l| [l.x, l.y, l.z, 1.0].map(|v| f16::from_f32(v).to_bits())).collect()
}

/// What pixels `from..to` of a target side take of the source's: each with its share.
fn shares(source: u32, target: u32) -> Vec<Vec<(usize, f64)>> {
    let step = f64::from(source) / f64::from(target);
    let cell = |i: u32| {
        let (from, to) = (f64::from(i) * step, f64::from(i + 1) * step);
        let last = (to.ceil() as usize).clamp(1, source as usize);
        let first = (from.floor() as usize).min(last - 1);
        (first..last).map(|k| (k, (to.min(k as f64 + 1.0) - from.max(k as f64)).max(0.0) / step)).collect()
    };
    (0..target).map(cell).collect()
}

/// Another size, each pixel the mean of the area that it covers.
fn averaged(light: &[Vec3], source: [u32; 2], target: [u32; 2]) -> Vec<Vec3> {
    let [columns, rows] = [shares(source[0], target[0]), shares(source[1], target[1])];
    let width = source[0] as usize;
    let mut out = Vec::with_capacity(columns.len() * rows.len());
    let mut band = vec![DVec3::ZERO; width];
    for row in &rows {
        band.fill(DVec3::ZERO);
        for &(y, share) in row {
            for (sum, pixel) in band.iter_mut().zip(&light[y * width..(y + 1) * width]) {
                *sum += pixel.as_dvec3() * share;
            }
        }
        out.extend(
            columns
                .iter()
                .map(|column| column.iter().map(|&(x, share)| band[x] * share).sum::<DVec3>().as_vec3()),
        );
    }
    out
}

/// Unit direction of a place of the picture: `u` from left to right, `v` from top to bottom, 0 to 1.
#[must_use]
pub fn direction_of(u: f64, v: f64) -> DVec3 {
    let (sin_turn, cos_turn) = ((u - 0.5) * std::f64::consts::TAU).sin_cos();
    let (sin_fall, cos_fall) = (v * std::f64::consts::PI).sin_cos();
    DVec3::new(sin_fall * sin_turn, cos_fall, -sin_fall * cos_turn)
}

fn irradiance(light: &[Vec3]) -> [DVec3; 9] {
    let [width, height] = SIZE.map(f64::from);
    let mut moments = [DVec3::ZERO; 9];
    for (y, row) in light.chunks_exact(SIZE[0] as usize).enumerate() {
        // The share of the sphere between two circles of latitude, exactly.
        let edge = |y: usize| (y as f64 / height * std::f64::consts::PI).cos();
        let solid_angle = (edge(y) - edge(y + 1)) * std::f64::consts::TAU / width;
        for (x, light) in row.iter().enumerate() {
            let direction = direction_of((x as f64 + 0.5) / width, (y as f64 + 0.5) / height);
            for (moment, basis) in moments.iter_mut().zip(irradiance_basis(direction)) {
                *moment += light.as_dvec3() * (basis * solid_angle);
            }
        }
    }
    std::array::from_fn(|i| moments[i] * IRRADIANCE_SCALE[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_size_keeps_the_mean_and_an_even_picture_even() {
        for source in [[1, 1], [3, 5], [7, 2], [64, 33]] {
            let light: Vec<Vec3> =
                (0..source[0] * source[1]).map(|i| Vec3::new(i as f32, (i * i % 7) as f32, 1.0)).collect();
            let mean = light.iter().sum::<Vec3>() / light.len() as f32;
            let out = averaged(&light, source, [16, 8]);
            let kept = out.iter().sum::<Vec3>() / out.len() as f32;
            // Sums of f32.
            assert!(
                (kept - mean).abs().max_element() < 1e-3 * mean.max_element(),
                "{source:?}: {kept}, {mean}"
            );
            assert!(out.iter().all(|light| (light.z - 1.0).abs() < 1e-6));
        }
    }

    #[test]
    fn light_that_cannot_be_is_none_or_the_brightest() {
        let light = sound(Vec3::new(f32::NAN, f32::INFINITY, -3.0));
        assert_eq!(light, Vec3::new(0.0, BRIGHTEST, 0.0));
    }

    #[test]
    fn the_middle_of_a_picture_lies_behind_the_figure_and_its_right_at_x() {
        assert!((direction_of(0.5, 0.5) - DVec3::NEG_Z).length() < 1e-12);
        assert!((direction_of(0.75, 0.5) - DVec3::X).length() < 1e-12);
        assert!((direction_of(0.3, 0.0) - DVec3::Y).length() < 1e-12);
    }
}
