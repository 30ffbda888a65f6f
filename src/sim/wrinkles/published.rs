//! Strain by the published method, faithful to its faults, for comparison: deformation gradients averaged over the
//! triangles of each vertex of the file, an eigenvector of arbitrary sign, and one cut at every seam.
//!
//! What differs from the article: the reference is the bind pose as skinning leaves it, so that the two methods tell
//! of the same deformation, and triangles without an area are left out where the original divides by it.

use glam::Vec4;

use crate::character::{RestShape, SkinnedSurface};
use crate::gpu::buffer::STORAGE;
use crate::gpu::{Bound, Buffer, BuildError, ComputePass, Gpu, Groups, ShaderLibrary};

crate::gpu_struct! {
    /// Strain at one vertex of the surface.
    pub struct PublishedVertex {
        /// Eigenvector of the strain of greatest amount, carried to the posed surface; unit, world space, either way.
        pub direction: [f32; 3],
        /// That eigenvalue of Green's strain: below 0 where compressed, ½((1 − ε)² − 1).
        pub strain: f32,
    }
}

/// The kernel, and the buffers of the character that it is installed on.
#[derive(Debug)]
pub struct Published {
    kernel: ComputePass,
    installed: Option<Installed>,
}

#[derive(Debug)]
struct Installed {
    bound: Bound,
    vertices: Buffer<PublishedVertex>,
    /// The pose whose strain they hold.
    measured: Option<u64>,
}

impl Published {
    /// The kernel, installed on nothing.
    ///
    /// # Errors
    /// When the shader does not build.
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        Ok(Self { kernel: ComputePass::new(gpu, shaders, "wrinkles/published", "main")?, installed: None })
    }

    /// Takes on a character: `surface` with the shape `rest` of its vertices and `indices` of its triangles.
    ///
    /// # Errors
    /// When the buffers do not fit the shader.
    pub fn install(
        &mut self,
        gpu: &Gpu,
        surface: &SkinnedSurface,
        rest: &RestShape,
        indices: &[u32],
    ) -> Result<(), BuildError> {
        let (starts, triangles) = fans(rest.positions.len(), indices);
        let rest: Vec<Vec4> = rest.positions.iter().map(|p| p.extend(1.0)).collect();
        let starts = Buffer::from_slice(gpu, "published/starts", &starts, STORAGE);
        let triangles = Buffer::from_slice(gpu, "published/triangles", &triangles, STORAGE);
        let rest = Buffer::from_slice(gpu, "published/rest", &rest, STORAGE);
        let vertices = Buffer::new(gpu, "published/vertices", surface.vertex_count, STORAGE);
        let bound = self.kernel.bind(
            gpu,
            &[
                ("starts", starts.raw()),
                ("triangles", triangles.raw()),
                ("corners", surface.indices.raw()),
                ("rest", rest.raw()),
                ("positions", surface.positions.raw()),
                ("published", vertices.raw()),
            ],
        )?;
        self.installed = Some(Installed { bound, vertices, measured: None });
        Ok(())
    }

    /// Records the strain of the pose that the surface holds when the pass runs.
    pub fn measure(&self, pass: &mut wgpu::ComputePass<'_>) {
        if let Some(installed) = &self.installed {
            self.kernel.dispatch(pass, &installed.bound, Groups::Items(installed.vertices.len()));
        }
    }

    /// Records the same for a picture, once a pose; `pose` numbers the poses.
    pub fn show(&mut self, pass: &mut wgpu::ComputePass<'_>, pose: u64) {
        if self.installed.as_ref().is_some_and(|installed| installed.measured != Some(pose)) {
            self.measure(pass);
        }
        if let Some(installed) = &mut self.installed {
            installed.measured = Some(pose);
        }
    }

    /// Strain of every vertex of the surface.
    #[must_use]
    pub fn vertices(&self) -> Option<&Buffer<PublishedVertex>> {
        self.installed.as_ref().map(|installed| &installed.vertices)
    }
}

/// For every vertex where the list of its triangles starts, and last where all end; and the lists, one after another.
fn fans(vertex_count: usize, indices: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; vertex_count + 1];
    for &corner in indices {
        starts[corner as usize + 1] += 1;
    }
    for vertex in 0..vertex_count {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts.clone();
    let mut triangles = vec![0; indices.len()];
    for (place, &corner) in indices.iter().enumerate() {
        let slot = &mut next[corner as usize];
        triangles[*slot as usize] = place as u32 / 3;
        *slot += 1;
    }
    (starts, triangles)
}
