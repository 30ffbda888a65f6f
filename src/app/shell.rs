//! The window and everything in it, and what a frame of it is.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use glam::DVec2;
use winit::dpi::LogicalSize;
use winit::event::{ElementState, MouseButton, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
use winit::keyboard::ModifiersState;
use winit::window::Window;

use super::blit::{Blit, PixelRect};
use super::dialog::{FileDialog, Purpose};
use super::input::Pointer;
use super::overlay::Overlay;
use super::surface::{Acquired, WindowSurface};
use super::view::{self, View};
use super::{AppError, AppOptions, Automation, Wake, keys, switches};
use crate::gpu::{BuildError, Gpu};
use crate::params::Params;
use crate::render::Targets;
use crate::ui::{Interface, Model};
use crate::viewer::{Command, LightSource, Notice, Source, Status, Viewer, defaults_for};

/// The most time a frame may pass on: after a stall the scene goes on where it stood.
const LONGEST_FRAME_SECS: f64 = 0.1;
/// Frames drawn after the last movement or event, so that counts that come back late are still shown.
const LINGERING_FRAMES: u32 = 4;
/// How often a hidden window looks after its loads.
const HIDDEN_FRAME: Duration = Duration::from_millis(100);

/// The window and everything in it.
pub struct Shell {
    pub(super) window: Arc<Window>,
    pub(super) surface: WindowSurface,
    pub(super) overlay: Overlay,
    pub(super) blit: Blit,
    pub(super) view: View,
    pub(super) view_rect: PixelRect,
    pub(super) viewer: Viewer,
    pub(super) interface: Interface,
    pub(super) pointer: Pointer,
    pub(super) modifiers: ModifiersState,
    pub(super) dialog: FileDialog,
    pub(super) muted: switches::Muted,
    /// Defaults that suit the adapter.
    pub(super) defaults: Params,
    pub(super) automation: Option<Automation>,
    pub(super) unexpected: Vec<String>,
    pub(super) capture_to: Option<PathBuf>,
    pub(super) lost: Arc<Mutex<Option<String>>>,
    pub(super) last_frame: Instant,
    pub(super) frame_secs: f64,
    pub(super) occluded: bool,
    pub(super) lingering: u32,
}

impl Shell {
    /// Opens the window and starts loading the character.
    pub fn new(
        event_loop: &ActiveEventLoop,
        wake: EventLoopProxy<Wake>,
        options: AppOptions,
    ) -> Result<Self, AppError> {
        let attributes = Window::default_attributes()
            .with_title("Dryad")
            .with_inner_size(first_size(event_loop))
            .with_min_inner_size(LogicalSize::new(480.0, 320.0))
            .with_theme(Some(winit::window::Theme::Dark));
        let window = Arc::new(event_loop.create_window(attributes)?);
        let instance = Gpu::instance(Some(Box::new(event_loop.owned_display_handle())));
        let surface = instance.create_surface(Arc::clone(&window)).map_err(crate::gpu::GpuError::Surface)?;
        let gpu = Gpu::request(instance, Some(&surface))?.keep_pipelines(options.pipelines_folder.as_deref());
        let lost = watch_for_loss(&gpu, wake.clone());
        let surface = WindowSurface::new(&gpu, Arc::clone(&window), surface)?;
        let overlay = Overlay::new(&gpu, &window, surface.format());
        let blit = Blit::new(&gpu, surface.format())?;
        let view = View::new(&gpu, &blit, [1, 1], 1).map_err(BuildError::from)?;
        let defaults = defaults_for(&gpu);
        let mut viewer = Viewer::new(gpu)?;
        let left_out = options.setup.apply(&mut viewer)?;
        let source = options.setup.source;
        let mut dialog = FileDialog::new(wake);
        if let Source::File(path) = &source {
            dialog.remember(path);
        }
        if options.setup.light != LightSource::Studio {
            viewer.send(Command::Light(options.setup.light));
        }
        viewer.send(Command::Open(source));
        window.request_redraw();
        let mut shell = Self {
            window,
            surface,
            overlay,
            blit,
            view,
            view_rect: [0, 0, 1, 1],
            viewer,
            interface: Interface::default(),
            pointer: Pointer::default(),
            modifiers: ModifiersState::empty(),
            dialog,
            muted: switches::Muted::default(),
            defaults,
            automation: options.automation,
            unexpected: Vec::new(),
            capture_to: None,
            lost,
            last_frame: Instant::now(),
            frame_secs: 0.0,
            occluded: false,
            lingering: LINGERING_FRAMES,
        };
        for sentence in left_out {
            shell.tell(Notice::Info(sentence));
        }
        Ok(shell)
    }

    /// Asks for a frame and for a few after it.
    pub fn request_frame(&mut self) {
        self.lingering = LINGERING_FRAMES;
        self.window.request_redraw();
    }

    /// Leaves the compiled pipelines to the next run.
    pub fn keep_pipelines(&self) {
        self.viewer.gpu.pipelines.save();
    }

    /// Handles one event of the window.
    pub fn event(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) -> Result<(), AppError> {
        if self.key_was_ours(event) {
            self.request_frame();
            return Ok(());
        }
        let wheel_on_view = matches!(event, WindowEvent::MouseWheel { .. }) && self.over_view();
        if !wheel_on_view && !matches!(event, WindowEvent::RedrawRequested) {
            let repaint = self.overlay.event(&self.window, event);
            if repaint {
                self.request_frame();
            }
        }
        match event {
            WindowEvent::RedrawRequested => return self.frame(event_loop),
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => self.surface.resize(&self.viewer.gpu, size.width, size.height),
            WindowEvent::Occluded(occluded) => self.occluded = *occluded,
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::Focused(false) => {
                self.modifiers = ModifiersState::empty();
                self.pointer.let_go();
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button, .. } => {
                let over_view = self.over_view();
                if over_view && *button == MouseButton::Left && keys::command_held(self.modifiers) {
                    let [x, y] = self.pointer.position();
                    self.add_root([x - f64::from(self.view_rect[0]), y - f64::from(self.view_rect[1])]);
                    self.request_frame();
                } else {
                    self.pointer.press(*button, self.modifiers.shift_key(), over_view);
                }
            }
            WindowEvent::MouseInput { button, .. } => self.pointer.release(*button),
            WindowEvent::CursorMoved { position, .. } => {
                if let Some(by) = self.pointer.moved([position.x, position.y]) {
                    view::move_camera(&mut self.viewer, self.view.size(), by);
                }
            }
            WindowEvent::MouseWheel { delta, .. } if wheel_on_view => {
                let origin = [f64::from(self.view_rect[0]), f64::from(self.view_rect[1])];
                let by = self.pointer.wheel(*delta, origin);
                view::move_camera(&mut self.viewer, self.view.size(), by);
                self.request_frame();
            }
            WindowEvent::DroppedFile(path) => self.open(path.clone()),
            _ => {}
        }
        // egui takes a press to be where the cursor is when it looks. On a slow machine the cursor is elsewhere
        // by the next frame, so it looks now.
        if matches!(event, WindowEvent::MouseInput { .. }) && !self.surface.size().contains(&0) {
            self.show_interface();
        }
        Ok(())
    }

    /// Whether the cursor is over the view and nothing of the interface lies between.
    fn over_view(&self) -> bool {
        let scale = self.overlay.context.pixels_per_point();
        let [x, y] = self.pointer.position().map(|v| v as f32 / scale);
        let covered = self
            .overlay
            .context
            .layer_id_at(egui::pos2(x, y))
            .is_some_and(|layer| layer.order != egui::Order::Background);
        let [left, top, width, height] = self.view_rect.map(|v| v as f32 / scale);
        // The panels' edges can be grabbed from a little outside.
        let grab = self.overlay.context.global_style().interaction.resize_grab_radius_side;
        let rect = egui::Rect::from_min_size(egui::pos2(left, top), egui::vec2(width - grab, height));
        !covered && rect.contains(egui::pos2(x, y))
    }

    /// One frame of the window, top to bottom.
    fn frame(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        if let Some(cause) = self.lost.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(AppError::DeviceLost(cause));
        }
        let dt_secs = self.last_frame.elapsed().as_secs_f64();
        self.last_frame = Instant::now();
        self.run_script(event_loop)?;
        match self.dialog.poll() {
            Ok(Some((Purpose::Open, path))) => self.open(path),
            Ok(Some((Purpose::Light, path))) => self.viewer.send(Command::Light(LightSource::File(path))),
            Ok(Some((Purpose::Export, path))) => {
                self.viewer.send(Command::Export(path.with_extension("glb")))
            }
            Ok(None) => {}
            Err(sentence) => self.tell(Notice::Error(sentence)),
        }
        let hidden = self.occluded && self.automation.is_none();
        if hidden || self.surface.size().contains(&0) {
            self.stand_by(event_loop);
            return Ok(());
        }
        self.frame_secs += (dt_secs - self.frame_secs) * if self.frame_secs == 0.0 { 1.0 } else { 0.1 };
        let wanted = self.show_interface();
        self.point();
        self.viewer.update(dt_secs.min(LONGEST_FRAME_SECS));
        self.gather_notices();
        self.draw_view()?;
        let presented = self.present(event_loop)?;
        let status = self.viewer.status();
        self.schedule(event_loop, &status, wanted, presented);
        Ok(())
    }

    /// A frame without a window to draw on: time stands still, but loads and scripts go on.
    fn stand_by(&mut self, event_loop: &ActiveEventLoop) {
        self.viewer.update(0.0);
        self.gather_notices();
        let busy = self.automation.is_some() || self.viewer.status().is_loading();
        event_loop.set_control_flow(if busy {
            ControlFlow::WaitUntil(Instant::now() + HIDDEN_FRAME)
        } else {
            ControlFlow::Wait
        });
    }

    /// Lays out the interface, does what its buttons ask, and says after how long it wants another frame.
    fn show_interface(&mut self) -> Duration {
        let status = self.viewer.status();
        let title = if status.character.is_empty() {
            "Dryad".to_owned()
        } else {
            format!("{} - Dryad", status.character)
        };
        if self.window.title() != title {
            self.window.set_title(&title);
        }
        let size = self.surface.size();
        let (mut actions, mut view_points) = (Vec::new(), egui::Rect::NOTHING);
        let frame_secs = is_moving(self.viewer.is_busy(), &status).then_some(self.frame_secs);
        let dialog_open = self.dialog.is_open();
        let (viewer, interface, defaults) = (&mut self.viewer, &mut self.interface, &self.defaults);
        let wanted = self.overlay.layout(&viewer.gpu, &self.window, size, |ui| {
            let model = Model {
                params: &mut viewer.params,
                defaults,
                speed: &mut viewer.speed,
                loop_mode: &mut viewer.loop_mode,
                status: &status,
                frame_secs,
                dialog_open,
            };
            view_points = interface.show(ui, model, &mut actions);
        });
        self.view_rect = to_pixels(view_points, self.overlay.context.pixels_per_point(), size);
        for action in actions {
            self.act(action);
        }
        wanted
    }

    fn gather_notices(&mut self) {
        for notice in self.viewer.take_notices() {
            self.tell(notice);
        }
    }

    /// Tells the viewer where the pointer is.
    fn point(&mut self) {
        let [left, top, width, height] = self.view_rect.map(f64::from);
        let [x, y] = self.pointer.position();
        let place = self.over_view().then(|| DVec2::new(x - left, y - top));
        self.viewer.point_at(place, DVec2::new(width, height));
    }

    fn draw_view(&mut self) -> Result<(), AppError> {
        let size = [self.view_rect[2], self.view_rect[3]];
        let samples = Targets::wanted_samples(&self.viewer.params);
        if self.view.size() != size || self.view.samples() != samples {
            self.view = View::new(&self.viewer.gpu, &self.blit, size, samples).map_err(BuildError::from)?;
        }
        Ok(self.view.draw(&mut self.viewer)?)
    }

    /// Puts view and interface on the window; says whether that worked.
    fn present(&mut self, event_loop: &ActiveEventLoop) -> Result<bool, AppError> {
        if let Some(path) = self.capture_to.take() {
            self.capture_window(&path)?;
        }
        let gpu = &self.viewer.gpu;
        match self.surface.acquire(gpu) {
            Acquired::Frame(texture, target) => {
                let mut encoder = gpu.encoder("window");
                let before = self.overlay.upload(gpu, &mut encoder);
                compose(&mut encoder, &self.blit, &self.view, self.view_rect, &self.overlay, &target);
                gpu.queue.submit(before.into_iter().chain([encoder.finish()]));
                self.window.pre_present_notify();
                gpu.queue.present(texture);
                Ok(true)
            }
            Acquired::Again => {
                self.window.request_redraw();
                Ok(true)
            }
            Acquired::Hidden => {
                event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + HIDDEN_FRAME));
                Ok(false)
            }
        }
    }

    /// Decides when the next frame comes: at once while anything moves, else when something happens.
    fn schedule(&mut self, event_loop: &ActiveEventLoop, status: &Status, wanted: Duration, presented: bool) {
        if !presented {
            return;
        }
        let moving = is_moving(self.viewer.is_busy(), status) || self.automation.is_some();
        self.lingering = if moving { LINGERING_FRAMES } else { self.lingering.saturating_sub(1) };
        if self.lingering > 0 || wanted.is_zero() {
            event_loop.set_control_flow(ControlFlow::Wait);
            self.window.request_redraw();
            return;
        }
        event_loop.set_control_flow(
            Instant::now().checked_add(wanted).map_or(ControlFlow::Wait, ControlFlow::WaitUntil),
        );
    }
}

/// Size of the window at the start: no larger than the screen.
fn first_size(event_loop: &ActiveEventLoop) -> LogicalSize<f64> {
    let monitor = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let wanted = LogicalSize::new(1280.0, 800.0);
    monitor.map_or(wanted, |monitor| {
        let screen = monitor.size().to_logical::<f64>(monitor.scale_factor());
        if screen.width < 1.0 || screen.height < 1.0 {
            return wanted;
        }
        LogicalSize::new(wanted.width.min(screen.width), wanted.height.min(screen.height))
    })
}

/// Whether frames must follow each other without anyone touching anything.
fn is_moving(viewer_is_busy: bool, status: &Status) -> bool {
    status.is_loading() || (viewer_is_busy && !status.character.is_empty())
}

/// A rectangle of the interface in whole pixels within a window of this size, at least one pixel large.
fn to_pixels(points: egui::Rect, pixels_per_point: f32, [width, height]: [u32; 2]) -> PixelRect {
    let pixel = |v: f32, end: u32| (v * pixels_per_point).round().clamp(0.0, end as f32) as u32;
    let left = pixel(points.left(), width - 1);
    let top = pixel(points.top(), height - 1);
    let right = pixel(points.right(), width).max(left + 1);
    let bottom = pixel(points.bottom(), height).max(top + 1);
    [left, top, right - left, bottom - top]
}

/// Records the whole window: the view in its rectangle, the interface over it.
pub(super) fn compose(
    encoder: &mut wgpu::CommandEncoder,
    blit: &Blit,
    view: &View,
    view_rect: PixelRect,
    overlay: &Overlay,
    target: &wgpu::TextureView,
) {
    let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("window"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    });
    let mut pass = pass.forget_lifetime();
    blit.draw(&mut pass, &view.bound, view_rect);
    overlay.paint(&mut pass);
}

/// Notes down why the device was lost, and wakes the event loop for it.
fn watch_for_loss(gpu: &Gpu, wake: EventLoopProxy<Wake>) -> Arc<Mutex<Option<String>>> {
    let lost = Arc::new(Mutex::new(None));
    let cause = Arc::clone(&lost);
    gpu.device.set_device_lost_callback(move |reason, message| {
        let message = if message.is_empty() { format!("{reason:?}") } else { message };
        cause.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
        // Fails only once the window has closed, when nobody needs to know.
        wake.send_event(Wake).ok();
    });
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_stays_within_the_window_and_never_vanishes() {
        let rect = |l, t, r, b| egui::Rect::from_min_max(egui::pos2(l, t), egui::pos2(r, b));
        assert_eq!(to_pixels(rect(0.0, 0.0, 100.5, 50.0), 2.0, [400, 300]), [0, 0, 201, 100]);
        assert_eq!(to_pixels(rect(10.0, 10.0, 9.0, 900.0), 1.0, [40, 30]), [10, 10, 1, 20]);
        assert_eq!(to_pixels(egui::Rect::NOTHING, 1.0, [40, 30]), [39, 29, 1, 1]);
        assert_eq!(to_pixels(rect(0.0, 0.0, 5.0, 5.0), 1.0, [1, 1]), [0, 0, 1, 1]);
    }

    #[test]
    fn without_a_character_only_loading_moves() {
        let mut status = Status::default();
        assert!(!is_moving(true, &status));
        status.loading = Some(("a".into(), 0.5));
        assert!(is_moving(true, &status));
        let status = Status { character: "fox".into(), ..Status::default() };
        assert!(is_moving(true, &status) && !is_moving(false, &status));
    }
}
