//! Pictures drawn in parts: each part is the scene from a hair aside (and, for motion blur, a moment later), and the
//! picture is their mean in linear light, summed in 32 bits before glow and tone map.

use glam::Vec2;

use super::targets::{HDR_FORMAT, Targets};
use super::{CLEAR, Frame, color_attachment};
use crate::gpu::texture::TextureShape;
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, Profiler, ShaderLibrary, Texture};

/// Format of sums. It is neither blended nor filtered, which not every device does with 32 bits.
const SUM_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Float;

/// One part of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Which, from 0.
    pub index: u32,
    /// How many make the picture, at least 1.
    pub count: u32,
}

impl Part {
    /// A picture drawn at once.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// All parts of a picture, in order.
    pub fn all(count: u32) -> impl Iterator<Item = Self> {
        let count = count.max(1);
        (0..count).map(move |index| Self { index, count })
    }

    /// Whether the picture is whole with it.
    #[must_use]
    pub fn is_last(self) -> bool {
        self.index + 1 >= self.count
    }

    /// How far the scene is shifted, in pixels: within a quarter to each side, since the four samples of a part lie
    /// half a pixel apart. No two parts share a row or a column, and neighbours in time lie apart.
    #[must_use]
    pub fn jitter_px(self) -> Vec2 {
        if self.count <= 1 {
            return Vec2::ZERO;
        }
        let count = f64::from(self.count);
        // Ranks of van der Corput's sequence, and steps of about the golden section that meet every place.
        let mut ranks: Vec<u32> = (0..self.count).collect();
        ranks.sort_by_key(|index| index.reverse_bits());
        let rank = ranks.iter().position(|&index| index == self.index).unwrap_or(0);
        let golden = (1..self.count)
            .filter(|step| coprime(*step, self.count))
            .min_by_key(|step| (f64::from(*step) - 0.618 * count).abs().ceil() as u32)
            .unwrap_or(1);
        let step = u64::from(self.index) * u64::from(golden) % u64::from(self.count);
        let place = |cell: f64| ((cell + 0.5) / count * 0.5 - 0.25) as f32;
        Vec2::new(place(rank as f64), place(step as f64))
    }

    /// Its share of the picture.
    pub(super) fn weight(self) -> f32 {
        1.0 / self.count.max(1) as f32
    }
}

fn coprime(a: u32, b: u32) -> bool {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// The sums of one size of picture, taking turns.
#[derive(Debug)]
pub(super) struct Sums([Texture; 2]);

impl Sums {
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        Self([(); 2].map(|()| Texture::new(gpu, "targets/sum", TextureShape::target(size, SUM_FORMAT))))
    }
}

/// Adds parts.
#[derive(Debug)]
pub(super) struct Accumulator {
    shader: DrawShader,
    /// By whether there is a sum to add to; made when a picture first has parts.
    pipelines: Option<[wgpu::RenderPipeline; 3]>,
}

impl Accumulator {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/accumulate", &["screen", "add", "hand_back"])?;
        Ok(Self { shader, pipelines: None })
    }

    /// Records the addition of the part that the scene's light holds; after the last one that light is the mean.
    pub fn add(
        &mut self,
        gpu: &Gpu,
        profiler: &mut Profiler,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Buffer<Frame>,
        targets: &mut Targets,
        part: Part,
    ) -> Result<(), BuildError> {
        let shader = &self.shader;
        let [first, more, back] = self.pipelines.get_or_insert_with(|| {
            [("add", SUM_FORMAT, 1.0), ("add", SUM_FORMAT, 0.0), ("hand_back", HDR_FORMAT, 0.0)].map(
                |(fragment, format, is_first)| {
                    let state = DrawState {
                        vertex: "screen",
                        fragment: Some(fragment),
                        color: Some(format.into()),
                        constants: &[("is_first", is_first)],
                        ..DrawState::default()
                    };
                    shader.pipeline(gpu, &state)
                },
            )
        });
        targets.make_sums(gpu);
        let Some(Sums(sums)) = targets.sums() else { return Ok(()) };
        let turn = part.index as usize % 2;
        let mut draw = |pipeline: &wgpu::RenderPipeline, light: &Texture, sum: &Texture, to: &Texture| {
            let given = [
                ("frame", frame.raw().as_entire_binding()),
                ("light", wgpu::BindingResource::TextureView(light.view())),
                ("sum", wgpu::BindingResource::TextureView(sum.view())),
            ];
            let group = shader.bind(gpu, 0, &given)?;
            let color = [Some(color_attachment(to.view(), None, CLEAR))];
            let mut pass = profiler.render_pass(encoder, "render/accumulate", &color, None);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
            Ok::<_, BuildError>(())
        };
        let (from, to) = (&sums[turn], &sums[1 - turn]);
        draw(if part.index == 0 { first } else { more }, &targets.hdr, from, to)?;
        if part.is_last() {
            // The other sum stands in for the light, which is drawn into.
            draw(back, from, to, &targets.hdr)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_evenly_within_a_quarter_pixel() {
        assert_eq!(Part::WHOLE.jitter_px(), Vec2::ZERO);
        for count in [2, 3, 4, 8, 16, 30] {
            let places: Vec<_> = Part::all(count).map(Part::jitter_px).collect();
            assert_eq!(places.len(), count as usize);
            assert!(places.iter().all(|place| place.abs().max_element() <= 0.25), "{places:?}");
            let mean = places.iter().sum::<Vec2>() / count as f32;
            // Each row and each column holds one, so they balance but for rounding.
            assert!(mean.abs().max_element() < 1e-6, "{count}: {mean}");
            let nearest = |axis: usize| {
                let mut along: Vec<f32> = places.iter().map(|place| place[axis]).collect();
                along.sort_by(f32::total_cmp);
                along.windows(2).map(|pair| pair[1] - pair[0]).fold(f32::INFINITY, f32::min)
            };
            assert!(nearest(0).min(nearest(1)) > 0.49 / count as f32, "{count}: {places:?}");
        }
    }
}
