//! egui over the view: events in, triangles out.

use std::sync::Arc;
use std::time::Duration;

use winit::event::WindowEvent;
use winit::window::Window;

use crate::gpu::Gpu;
use crate::ui::style;

/// egui, its link to the window and its painter.
pub struct Overlay {
    /// egui's context: style, memory, focus.
    pub context: egui::Context,
    link: egui_winit::State,
    painter: egui_wgpu::Renderer,
    triangles: Vec<egui::ClippedPrimitive>,
    free: Vec<egui::TextureId>,
    screen: egui_wgpu::ScreenDescriptor,
}

impl Overlay {
    /// An overlay that paints into attachments of `format`.
    #[must_use]
    pub fn new(gpu: &Gpu, window: &Arc<Window>, format: wgpu::TextureFormat) -> Self {
        let context = egui::Context::default();
        style::apply(&context);
        let link = egui_winit::State::new(
            context.clone(),
            egui::ViewportId::ROOT,
            window.as_ref(),
            Some(window.scale_factor() as f32),
            None,
            Some(gpu.limits.max_texture_dimension_2d as usize),
        );
        let painter = egui_wgpu::Renderer::new(&gpu.device, format, egui_wgpu::RendererOptions::default());
        let screen = egui_wgpu::ScreenDescriptor { size_in_pixels: [1, 1], pixels_per_point: 1.0 };
        Self { context, link, painter, triangles: Vec::new(), free: Vec::new(), screen }
    }

    /// Passes an event on; says whether the interface should be drawn again.
    pub fn event(&mut self, window: &Window, event: &WindowEvent) -> bool {
        self.link.on_window_event(window, event).repaint
    }

    /// Lays the interface out over a window of this size in physical pixels, and says after how long it wants
    /// to be drawn again.
    pub fn layout(
        &mut self,
        gpu: &Gpu,
        window: &Window,
        size: [u32; 2],
        show: impl FnMut(&mut egui::Ui),
    ) -> Duration {
        let input = self.link.take_egui_input(window);
        let mut output = self.context.run_ui(input, show);
        self.link.handle_platform_output(window, output.platform_output);
        // What the last frame used may go once that frame is submitted, which it is by now.
        for id in self.free.drain(..) {
            self.painter.free_texture(&id);
        }
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in deltas {
                self.painter.update_texture(&gpu.device, &gpu.queue, id, &delta);
            }
        }
        self.free.extend(output.textures_delta.free.drain());
        self.triangles = self.context.tessellate(output.shapes, output.pixels_per_point);
        self.screen =
            egui_wgpu::ScreenDescriptor { size_in_pixels: size, pixels_per_point: output.pixels_per_point };
        output
            .viewport_output
            .get(&egui::ViewportId::ROOT)
            .map_or(Duration::MAX, |viewport| viewport.repaint_delay)
    }

    /// Uploads what [`Overlay::paint`] draws. The returned buffers go before the encoder.
    pub fn upload(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Vec<wgpu::CommandBuffer> {
        self.painter.update_buffers(&gpu.device, &gpu.queue, encoder, &self.triangles, &self.screen)
    }

    /// Draws the interface as it was laid out last.
    pub fn paint(&self, pass: &mut wgpu::RenderPass<'static>) {
        self.painter.render(pass, &self.triangles, &self.screen);
    }
}
