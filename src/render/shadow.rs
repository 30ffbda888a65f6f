//! What the key light sees, as a depth picture that lit passes compare themselves with.

use super::targets::HDR_FORMAT;
use crate::gpu::draw::DEPTH_FORMAT;
use crate::gpu::texture::TextureShape;
use crate::gpu::{DrawState, Gpu, Texture};

/// Texels along each side.
pub(super) const KEY_SIDE: u32 = 2048;
/// How far it reaches from the character's middle, in H.
pub(super) const KEY_REACH_H: f32 = 0.95;

/// What a pass draws for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Purpose {
    /// The picture, with so many samples a pixel, and whether shadows fall on what is drawn.
    Picture { samples: u32, shadows: bool },
    /// What the key light sees.
    Cast,
}

impl Purpose {
    /// The state that a solid thing is drawn with; both sides throw shadows, moved away a little by their slope so
    /// that they do not fall on themselves.
    pub fn state<'a>(self) -> DrawState<'a> {
        let solid = DrawState { depth: Some((wgpu::CompareFunction::Greater, true)), ..DrawState::default() };
        match self {
            Self::Picture { samples, .. } => DrawState { color: Some(HDR_FORMAT.into()), samples, ..solid },
            Self::Cast => DrawState { slope_bias: -1.5, ..solid },
        }
    }

    /// Value of the shaders' `is_cast`.
    pub fn is_cast(self) -> (&'static str, f64) {
        ("is_cast", f64::from(self == Self::Cast))
    }

    /// Value of the shaders' `has_shadow`.
    pub fn has_shadow(self) -> (&'static str, f64) {
        ("has_shadow", f64::from(matches!(self, Self::Picture { shadows: true, .. })))
    }
}

/// The depth picture, made when first needed.
#[derive(Debug)]
pub(super) struct KeyShadow {
    depth: Option<Texture>,
    /// Bound where there is none, and while it is drawn.
    blank: Texture,
    sampler: wgpu::Sampler,
}

impl KeyShadow {
    pub fn new(gpu: &Gpu) -> Self {
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("key shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::GreaterEqual),
            ..Default::default()
        });
        Self { depth: None, blank: picture(gpu, 1), sampler }
    }

    /// Where to draw it.
    pub fn target(&mut self, gpu: &Gpu) -> wgpu::TextureView {
        self.depth.get_or_insert_with(|| picture(gpu, KEY_SIDE)).view().clone()
    }

    /// What `common/key_shadow.wgsl` binds for a purpose.
    pub fn bindings(&self, purpose: Purpose) -> [(&'static str, wgpu::BindingResource<'_>); 2] {
        let shown = self.depth.as_ref().filter(|_| purpose != Purpose::Cast).unwrap_or(&self.blank);
        [
            ("key_depth", wgpu::BindingResource::TextureView(shown.view())),
            ("key_depth_sampler", wgpu::BindingResource::Sampler(&self.sampler)),
        ]
    }
}

fn picture(gpu: &Gpu, side: u32) -> Texture {
    Texture::new(gpu, "key shadow", TextureShape::target([side; 2], DEPTH_FORMAT))
}
