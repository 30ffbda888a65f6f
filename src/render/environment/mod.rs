//! Light from all around: a picture of everything far away, prefiltered for each roughness, and its irradiance.
//!
//! The built-in studio comes prefiltered ([`baked`]); pictures that are loaded ([`picture`]) are prefiltered on the
//! GPU once ([`prefilter`]). [`octahedron`] says how directions lie in the map. No light follows the camera: what
//! rims a figure stands in the studio, all round, so that a turntable turns through one and the same light.

pub mod baked;
pub mod octahedron;
pub mod picture;
mod prefilter;

use glam::Vec4;
use half::f16;

use super::params::LightParams;
use crate::gpu::buffer::UNIFORM;
use crate::gpu::texture::TextureShape;
use crate::gpu::{Buffer, BuildError, Gpu, ShaderLibrary, Texture};
use baked::Baked;
pub use picture::{EnvironmentError, EnvironmentPicture};
use prefilter::Prefilter;
pub(super) use prefilter::PrefilterUniform;

/// Written by `cargo run --example studio`.
static STUDIO: &[u8] = include_bytes!("../../../assets/studio.light");
/// Where the key light stands in the studio; the whole studio turns with it.
const STUDIO_KEY_AZIMUTH_DEG: f32 = 35.0;
/// Format of the prefiltered map.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

crate::gpu_struct! {
    /// What shaders know of the environment besides its map.
    pub struct EnvironmentUniform {
        /// Irradiance over pi, as factors of harmonics; see [`octahedron::irradiance_basis`].
        pub irradiance: [Vec4; 9],
        /// Texels along a side of the map's sharpest level.
        pub side: f32,
        /// The level of roughness 1.
        pub last_level: f32,
        /// Padding.
        pub pad0: f32,
        /// Padding.
        pub pad1: f32,
    }
}

/// The environment in use, as every lit pass binds it.
#[derive(Debug)]
pub struct Environment {
    uniform: Buffer<EnvironmentUniform>,
    map: Texture,
    sampler: wgpu::Sampler,
    prefilter: Option<Prefilter>,
    is_studio: bool,
}

impl Environment {
    /// The built-in studio.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("environment"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let uniform = Buffer::new(gpu, "environment", 1, UNIFORM);
        let map = Texture::new(gpu, "environment", shape(2, 1));
        let mut environment = Self { uniform, map, sampler, prefilter: None, is_studio: false };
        environment.use_studio(gpu);
        environment
    }

    /// Goes back to the built-in studio.
    pub fn use_studio(&mut self, gpu: &Gpu) {
        if self.is_studio {
            return;
        }
        // The shipped file is whole; a test reads it.
        let Some(studio) = Baked::from_bytes(STUDIO) else { return };
        self.use_baked(gpu, &studio);
        self.is_studio = true;
    }

    /// Uses light that is prefiltered already.
    pub fn use_baked(&mut self, gpu: &Gpu, baked: &Baked) {
        self.map = Texture::new(gpu, "environment", shape(baked.sides[0], baked.sides.len() as u32));
        for (level, (texels, &side)) in baked.levels.iter().zip(&baked.sides).enumerate() {
            let halves: Vec<u16> = texels
                .iter()
                .flat_map(|t| [t.x, t.y, t.z, 1.0].map(|v| f16::from_f32(v).to_bits()))
                .collect();
            upload(gpu, &self.map, level as u32, [side; 2], &halves);
        }
        self.set_uniform(gpu, &baked.irradiance.map(|k| k.extend(0.0)));
        self.is_studio = false;
    }

    /// Prefilters a picture in a submission of its own and uses it from the next one on. Waits for nothing.
    ///
    /// # Errors
    /// When a shader does not build: a fault of the program.
    pub fn use_picture(
        &mut self,
        gpu: &Gpu,
        shaders: &ShaderLibrary,
        picture: &EnvironmentPicture,
    ) -> Result<(), BuildError> {
        let prefilter = match self.prefilter.take() {
            Some(prefilter) => prefilter,
            None => Prefilter::new(gpu, shaders)?,
        };
        let map = prefilter.run(gpu, picture);
        self.prefilter = Some(prefilter);
        self.map = map?;
        self.set_uniform(gpu, &picture.irradiance.map(|k| k.as_vec3().extend(0.0)));
        self.is_studio = false;
        Ok(())
    }

    fn set_uniform(&self, gpu: &Gpu, irradiance: &[Vec4; 9]) {
        let side = self.map.size()[0] as f32;
        let last_level = (self.map.raw().mip_level_count() - 1) as f32;
        let uniform =
            EnvironmentUniform { irradiance: *irradiance, side, last_level, ..EnvironmentUniform::default() };
        self.uniform.write(gpu, 0, &[uniform]);
    }

    /// How far it is turned about the vertical axis, in degrees.
    #[must_use]
    pub fn azimuth_deg(&self, light: &LightParams) -> f32 {
        let with_key = if self.is_studio { light.key_azimuth - STUDIO_KEY_AZIMUTH_DEG } else { 0.0 };
        light.environment_rotation + with_key
    }

    /// What passes bind that read irradiance alone.
    #[must_use]
    pub fn irradiance(&self) -> (&'static str, wgpu::BindingResource<'_>) {
        ("environment", self.uniform.raw().as_entire_binding())
    }

    /// What passes bind besides [`Environment::irradiance`] to read what mirrors see.
    #[must_use]
    pub fn map(&self) -> [(&'static str, wgpu::BindingResource<'_>); 2] {
        [
            ("environment_map", wgpu::BindingResource::TextureView(self.map.view())),
            ("environment_sampler", wgpu::BindingResource::Sampler(&self.sampler)),
        ]
    }

    /// The prefiltered map; for tests.
    #[must_use]
    pub fn texture(&self) -> &Texture {
        &self.map
    }
}

fn shape(side: u32, mips: u32) -> TextureShape {
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT
        | wgpu::TextureUsages::TEXTURE_BINDING
        | wgpu::TextureUsages::COPY_DST
        | wgpu::TextureUsages::COPY_SRC;
    TextureShape { size: [side; 2], format: FORMAT, mips, samples: 1, usage }
}

/// Writes one level of RGBA half floats.
fn upload(gpu: &Gpu, texture: &Texture, mip_level: u32, [width, height]: [u32; 2], halves: &[u16]) {
    gpu.queue.write_texture(
        wgpu::TexelCopyTextureInfo { mip_level, ..texture.raw().as_image_copy() },
        bytemuck::cast_slice(halves),
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * 8), rows_per_image: None },
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
    );
}
