//! Draws the vector field that steers the flock: a box a cell, coloured by its vector.

use std::collections::HashMap;

use super::Frame;
use super::shadow::Purpose;
use crate::gpu::{Buffer, BuildError, DrawShader, DrawState, Gpu, ShaderLibrary};
use crate::sim::boids::FieldView;

/// Vertices of a box: the three faces that are seen; `CORNERS` in the shader.
const CORNERS: u32 = 18;

/// Draws fields.
#[derive(Debug)]
pub(super) struct FieldBoxes {
    shader: DrawShader,
    pipelines: HashMap<Purpose, wgpu::RenderPipeline>,
}

impl FieldBoxes {
    pub fn new(gpu: &Gpu, shaders: &ShaderLibrary) -> Result<Self, BuildError> {
        let shader = DrawShader::new(gpu, shaders, "render/field_boxes", &["corner", "show"])?;
        Ok(Self { shader, pipelines: HashMap::new() })
    }

    /// Records the draw.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &Buffer<Frame>,
        field: &FieldView<'_>,
        purpose: Purpose,
    ) -> Result<(), BuildError> {
        let given = [
            ("frame", frame.raw().as_entire_binding()),
            ("field_box", field.layout.raw().as_entire_binding()),
            ("cells", field.cells.raw().as_entire_binding()),
        ];
        let group = self.shader.bind(gpu, 0, &given)?;
        let Self { shader, pipelines } = self;
        let pipeline = pipelines.entry(purpose).or_insert_with(|| {
            let state = DrawState { vertex: "corner", fragment: Some("show"), ..purpose.state() };
            shader.pipeline(gpu, &state)
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        let count = u32::try_from(field.cells.len()).unwrap_or(u32::MAX).min(u32::MAX / CORNERS);
        pass.draw(0..CORNERS * count, 0..1);
        Ok(())
    }
}
