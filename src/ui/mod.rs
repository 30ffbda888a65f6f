//! The panel over the view. It reads a snapshot of the viewer, edits parameters, and asks for everything else by
//! [`Action`]s; it touches no GPU object.
//!
//! [`file`] opens characters, [`panel`] and [`rows`] draw the parameter registry, [`transport`] is the bar of time
//! at the bottom, [`toasts`] tell what happened, [`keys`] lists the keys, [`marks`] lie over the view. [`style`],
//! [`icons`] and [`numbers`] are how it all looks.

mod file;
mod icons;
mod keys;
mod marks;
mod numbers;
mod panel;
mod rows;
pub mod style;
mod toasts;
mod transport;

use std::path::Path;

use crate::app::keys::{Action, label_of};
use crate::params::Params;
use crate::viewer::{LoopMode, Notice, Status};
use toasts::Toasts;

/// What the interface shows and edits in a frame.
#[derive(Debug)]
pub struct Model<'a> {
    /// The parameters.
    pub params: &'a mut Params,
    /// What they are reset to.
    pub defaults: &'a Params,
    /// Clip speed.
    pub speed: &'a mut f64,
    /// How the clip goes on at its end.
    pub loop_mode: &'a mut LoopMode,
    /// The rest, as it was after the last frame.
    pub status: &'a Status,
    /// Mean seconds from frame to frame, while frames follow each other.
    pub frame_secs: Option<f64>,
    /// Whether the file dialog is on the screen.
    pub dialog_open: bool,
}

/// What the interface remembers from frame to frame.
#[derive(Debug)]
pub struct Interface {
    /// Whether panel and bar are shown.
    pub shown: bool,
    /// Whether the key list is shown.
    pub keys_shown: bool,
    path: file::PathField,
    search: String,
    keys_search: String,
    seed: transport::SeedField,
    toasts: Toasts,
}

impl Default for Interface {
    fn default() -> Self {
        Self {
            shown: true,
            keys_shown: false,
            path: file::PathField::default(),
            search: String::new(),
            keys_search: String::new(),
            seed: transport::SeedField::default(),
            toasts: Toasts::default(),
        }
    }
}

impl Interface {
    /// Lays everything out and returns the rectangle left for the view, in points. What the user asks for is
    /// added to `actions`.
    pub fn show(&mut self, ui: &mut egui::Ui, mut model: Model<'_>, actions: &mut Vec<Action>) -> egui::Rect {
        actions.extend(self.path.take_entered().map(Action::OpenPath));
        if self.shown {
            transport::show(ui, &mut self.seed, &mut model, actions);
            let widest = (0.6 * ui.available_width()).clamp(250.0, 520.0);
            let frame = egui::Frame::new().fill(style::PANEL).inner_margin(egui::Margin::symmetric(10, 8));
            egui::Panel::right("parameters")
                .frame(frame)
                .default_size(340.0)
                .size_range(250.0..=widest)
                .show(ui, |ui| {
                    file::show(ui, &mut self.path, &model, actions);
                    panel::show(ui, &mut self.search, &mut model, actions);
                });
        }
        let view = ui.available_rect_before_wrap();
        if model.status.character.is_empty() && model.status.loading.is_none() {
            invite(ui, view);
        }
        if self.shown {
            marks::show(ui.ctx(), view, model.params);
        }
        keys::show(ui.ctx(), &mut self.keys_shown, &mut self.keys_search);
        self.toasts.show(ui.ctx(), view, actions);
        view
    }

    /// Shows something the user should know.
    pub fn tell(&mut self, notice: Notice) {
        self.toasts.tell(notice);
    }

    /// Tells where a picture was saved.
    pub fn saved(&mut self, path: &Path) {
        self.toasts.saved(path);
    }

    /// Fills the path field and presses Enter in it.
    pub fn enter_path(&mut self, path: String) {
        self.path.enter(path);
    }

    /// Shows in the path field what was opened in another way.
    pub fn opened(&mut self, path: &Path) {
        self.path.show_text(path.display().to_string());
    }

    /// Puts the cursor into the path field.
    pub fn focus_path_field(&mut self) {
        self.path.focus();
    }
}

/// A row as wide as there is room. What does not fit is cut off: a panel that grew with its contents would creep
/// over the view.
fn row<R>(ui: &mut egui::Ui, height: f32, add_contents: impl FnOnce(&mut egui::Ui) -> R) -> R {
    let size = egui::vec2(ui.available_width(), height);
    let (id, rect) = ui.allocate_space(size);
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let mut inner = ui.new_child(egui::UiBuilder::new().id_salt(id).max_rect(rect).layout(layout));
    inner.shrink_clip_rect(rect.expand(2.0));
    add_contents(&mut inner)
}

/// A row that shows how far work has come; its response is that of the button that stops it.
fn work(ui: &mut egui::Ui, name: &str, done: f32) -> egui::Response {
    row(ui, style::ROW, |ui| {
        let button_width = 56.0;
        let width = ui.available_width() - button_width - ui.spacing().item_spacing.x;
        let text = egui::RichText::new(format!("{name}  {:.0} %", 100.0 * done)).small();
        let bar =
            egui::ProgressBar::new(done.clamp(0.0, 1.0)).desired_width(width).desired_height(style::ROW);
        ui.add(bar.text(text).corner_radius(4)).on_hover_text(name);
        ui.add_sized([button_width, style::ROW], egui::Button::new("Cancel"))
    })
}

/// What stands in an empty view.
fn invite(ui: &egui::Ui, view: egui::Rect) {
    let open = label_of(&Action::OpenDialog).unwrap_or_default();
    let lines = [
        ("Open an animated glTF character".to_owned(), egui::TextStyle::Heading, style::TEXT, -12.0),
        (format!("{open}, or type its path into the panel"), egui::TextStyle::Body, style::WEAK, 12.0),
    ];
    for (text, size, color, below) in lines {
        let at = view.center() + egui::vec2(0.0, below);
        ui.painter().text(at, egui::Align2::CENTER_CENTER, text, size.resolve(ui.style()), color);
    }
}

/// A tooltip: what something does, and its key.
fn with_key(what: &str, action: &Action) -> String {
    match label_of(action) {
        Some(key) => format!("{what} ({key})"),
        None => what.to_owned(),
    }
}

#[cfg(test)]
mod tests;
