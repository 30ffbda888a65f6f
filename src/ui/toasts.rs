//! What happened: short notes that go by themselves, and errors that stay until they are dismissed.

use std::path::{Path, PathBuf};

use egui::{Align2, Area, Color32, Context, Frame, Id, Margin, Order, Rect, RichText, Stroke, Ui, Vec2};

use super::icons::{self, Icon};
use super::style;
use crate::app::keys::Action;
use crate::viewer::Notice;

/// How long a note stays, in seconds.
const NOTE_SECS: f64 = 6.0;
/// The most errors and notes shown at once; older ones give way.
const MOST: usize = 4;

#[derive(Debug)]
struct Note {
    text: String,
    folder_of: Option<PathBuf>,
    /// When it goes, on egui's clock; set when it is first shown.
    until: Option<f64>,
}

#[derive(Debug)]
struct Fault {
    text: String,
    times: u32,
}

/// Notes and errors on the screen.
#[derive(Debug, Default)]
pub struct Toasts {
    notes: Vec<Note>,
    faults: Vec<Fault>,
}

impl Toasts {
    /// Shows a notice. An error that is on the screen already is counted instead of repeated.
    pub fn tell(&mut self, notice: Notice) {
        match notice {
            Notice::Info(text) => self.note(text, None),
            Notice::Error(text) => match self.faults.iter_mut().find(|fault| fault.text == text) {
                Some(fault) => fault.times += 1,
                None => {
                    self.faults.push(Fault { text, times: 1 });
                    keep_newest(&mut self.faults);
                }
            },
        }
    }

    /// Tells where a picture was saved.
    pub fn saved(&mut self, path: &Path) {
        self.note(format!("Saved {}", path.display()), Some(path.to_path_buf()));
    }

    fn note(&mut self, text: String, folder_of: Option<PathBuf>) {
        self.notes.push(Note { text, folder_of, until: None });
        keep_newest(&mut self.notes);
    }

    /// Lays out errors at the top of the view and notes at its bottom.
    pub fn show(&mut self, ctx: &Context, view: Rect, actions: &mut Vec<Action>) {
        let width = (view.width() - 24.0).clamp(240.0, 640.0);
        if !self.faults.is_empty() {
            Area::new(Id::unique("errors"))
                .order(Order::Foreground)
                .pivot(Align2::CENTER_TOP)
                .fixed_pos(view.center_top() + Vec2::new(0.0, 10.0))
                .show(ctx, |ui| self.faults.retain(|fault| !show_fault(ui, fault, width)));
        }
        let now = ctx.time();
        self.notes.retain_mut(|note| now < *note.until.get_or_insert(now + NOTE_SECS));
        if self.notes.is_empty() {
            return;
        }
        let next = self.notes.iter().filter_map(|note| note.until).fold(f64::INFINITY, f64::min);
        ctx.request_repaint_after_secs((next - now).max(0.0) as f32);
        Area::new(Id::unique("notes"))
            .order(Order::Foreground)
            .pivot(Align2::CENTER_BOTTOM)
            .fixed_pos(view.center_bottom() - Vec2::new(0.0, 12.0))
            .show(ctx, |ui| {
                for note in &self.notes {
                    show_note(ui, note, width, actions);
                }
            });
    }
}

fn keep_newest<T>(list: &mut Vec<T>) {
    let surplus = list.len().saturating_sub(MOST);
    list.drain(..surplus);
}

fn card(edge: Color32) -> Frame {
    Frame::new()
        .fill(Color32::from_rgb(34, 37, 42))
        .stroke(Stroke::new(1.0, edge))
        .corner_radius(5)
        .inner_margin(Margin::symmetric(10, 6))
        .outer_margin(Margin::symmetric(0, 3))
        .shadow(egui::Shadow { offset: [0, 3], blur: 10, spread: 0, color: Color32::from_black_alpha(110) })
}

/// Lays out an error; says whether it was dismissed.
fn show_fault(ui: &mut Ui, fault: &Fault, width: f32) -> bool {
    let frame = card(style::ERROR.gamma_multiply(0.7)).fill(Color32::from_rgb(52, 32, 32));
    let inner = frame.show(ui, |ui| {
        ui.set_width(width - 22.0);
        ui.horizontal_top(|ui| {
            let buttons_width = 84.0;
            ui.allocate_ui(Vec2::new(ui.available_width() - buttons_width, 0.0), |ui| {
                ui.set_width(ui.available_width());
                let text = if fault.times > 1 {
                    format!("{} ({} times)", fault.text, fault.times)
                } else {
                    fault.text.clone()
                };
                ui.add(egui::Label::new(RichText::new(text).color(style::STRONG)).wrap().selectable(true));
            });
            ui.with_layout(egui::Layout::right_to_left(egui::Align::TOP), |ui| {
                let close = icons::quiet(ui, Icon::Close, "Dismiss").clicked();
                if ui.small_button("Copy").on_hover_text("Copy the message").clicked() {
                    ui.ctx().copy_text(fault.text.clone());
                }
                close
            })
            .inner
        })
        .inner
    });
    inner.inner
}

fn show_note(ui: &mut Ui, note: &Note, width: f32, actions: &mut Vec<Action>) {
    card(style::LINE).show(ui, |ui| {
        ui.set_max_width(width - 22.0);
        ui.horizontal(|ui| {
            ui.add(egui::Label::new(RichText::new(&note.text).color(style::STRONG)).wrap());
            if let Some(file) = &note.folder_of
                && ui.small_button("Show folder").clicked()
            {
                actions.push(Action::ShowFolder(file.clone()));
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_recurs_is_counted_and_old_ones_give_way() {
        let mut toasts = Toasts::default();
        for _ in 0..1000 {
            toasts.tell(Notice::Error("the same".into()));
        }
        assert_eq!(toasts.faults.len(), 1);
        assert_eq!(toasts.faults[0].times, 1000);
        for index in 0..100 {
            toasts.tell(Notice::Error(format!("error {index}")));
            toasts.tell(Notice::Info(format!("note {index}")));
        }
        assert_eq!((toasts.faults.len(), toasts.notes.len()), (MOST, MOST));
        assert_eq!(toasts.faults[MOST - 1].text, "error 99");
    }
}
