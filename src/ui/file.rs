//! The head of the panel: opening characters, what is loaded, and the tools of the view.

use egui::{RichText, TextEdit, Ui, Vec2};

use super::icons::{self, Icon};
use super::{Model, numbers, row, style, with_key};
use crate::app::keys::Action;
use crate::character::shapes::Shape;
use crate::presets::PRESETS;
use crate::viewer::{Command, Source, ViewDirection};

/// The field that a path is typed into.
#[derive(Debug, Default)]
pub struct PathField {
    text: String,
    entered: Option<String>,
    wants_focus: bool,
}

impl PathField {
    /// Fills the field and presses Enter in it.
    pub fn enter(&mut self, path: String) {
        self.text = path;
        self.entered = Some(self.text.clone());
    }

    /// Fills the field.
    pub fn show_text(&mut self, path: String) {
        self.text = path;
    }

    /// The path that was entered since the last call.
    pub fn take_entered(&mut self) -> Option<String> {
        self.entered.take()
    }

    /// Puts the cursor into the field when it is shown next.
    pub fn focus(&mut self) {
        self.wants_focus = true;
    }

    fn show(&mut self, ui: &mut Ui) {
        let button_width = 34.0;
        let width = ui.available_width() - button_width - ui.spacing().item_spacing.x;
        let field = ui.add_sized(
            [width, style::ROW],
            TextEdit::singleline(&mut self.text).hint_text("Path of a .glb, .gltf, .vrm, .hdr or .exr file"),
        );
        if std::mem::take(&mut self.wants_focus) {
            field.request_focus();
        }
        let enter = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        let go = ui.add_sized([button_width, style::ROW], egui::Button::new("Go"));
        if (enter || go.clicked()) && !self.text.trim().is_empty() {
            self.entered = Some(self.text.clone());
        }
    }
}

/// Lays out the head of the panel.
pub fn show(ui: &mut Ui, path: &mut PathField, model: &Model<'_>, actions: &mut Vec<Action>) {
    row(ui, style::ROW, |ui| {
        let label = if model.dialog_open { "Opening…" } else { "Open…" };
        let open = ui.button(label).on_hover_text(with_key("Open a glTF file", &Action::OpenDialog));
        if open.clicked() {
            actions.push(Action::OpenDialog);
        }
        path.show(ui);
    });
    actions.extend(path.take_entered().map(Action::OpenPath));
    if let Some((what, done)) = &model.status.loading {
        let name = what.rsplit(['/', '\\']).next().unwrap_or(what);
        if super::work(ui, name, *done).on_hover_text(what).clicked() {
            actions.push(Action::Send(Command::CancelOpen));
        }
    }
    character(ui, model, actions);
    ui.add_space(2.0);
    tools(ui, model, actions);
    row(ui, style::ROW, |ui| {
        let width = 0.5 * (ui.available_width() - ui.spacing().item_spacing.x);
        built_in(ui, width, actions);
        presets(ui, width, actions);
    });
    ui.add_space(2.0);
}

/// The characters that come with the program, to choose from.
fn built_in(ui: &mut Ui, width: f32, actions: &mut Vec<Action>) {
    let list = egui::ComboBox::from_id_salt("built in").width(width).selected_text("Built in");
    list.show_ui(ui, |ui| {
        let shapes = Shape::ALL.map(|shape| (shape.name(), Source::Shape(shape)));
        for (name, source) in std::iter::once(("dancer", Source::BuiltIn)).chain(shapes) {
            if ui.selectable_label(false, name).clicked() {
                actions.push(Action::Send(Command::Open(source)));
            }
        }
    });
}

/// The looks that come with the program, to choose from.
fn presets(ui: &mut Ui, width: f32, actions: &mut Vec<Action>) {
    let list = egui::ComboBox::from_id_salt("presets").width(width).selected_text("Presets");
    list.show_ui(ui, |ui| {
        for preset in &PRESETS {
            if ui.selectable_label(false, preset.name).on_hover_text(preset.help).clicked() {
                actions.push(Action::Send(Command::Preset(preset)));
            }
        }
    });
}

fn character(ui: &mut Ui, model: &Model<'_>, actions: &mut Vec<Action>) {
    let status = model.status;
    if status.character.is_empty() {
        return;
    }
    row(ui, style::ROW, |ui| {
        ui.label(RichText::new(&status.character).color(style::STRONG)).on_hover_text(&status.character);
        let counts = format!(
            "{} vertices, {} triangles",
            numbers::grouped(status.vertices),
            numbers::grouped(status.triangles)
        );
        ui.add(egui::Label::new(RichText::new(counts).small().color(style::WEAK)).truncate());
    });
    let variant = Choice { label: "Variant", none: "As it is", help: "The file's sets of materials" };
    choice(ui, &variant, &status.variants, status.variant, |to| {
        actions.push(Action::Send(Command::ShowVariant(to)))
    });
    let camera = Choice { label: "Camera", none: "Free", help: "The file's cameras; a drag goes on freely" };
    choice(ui, &camera, &status.cameras, status.camera, |to| {
        actions.push(Action::Send(Command::LookThrough(to)))
    });
    if status.warnings.is_empty() {
        return;
    }
    let title = match status.warnings.len() {
        1 => "1 warning about this file".to_owned(),
        count => format!("{count} warnings about this file"),
    };
    egui::CollapsingHeader::new(RichText::new(title).small().color(style::WARNING)).id_salt("warnings").show(
        ui,
        |ui| {
            egui::ScrollArea::vertical().max_height(120.0).show(ui, |ui| {
                for warning in &status.warnings {
                    ui.label(RichText::new(warning).small());
                }
            });
            if ui.small_button("Copy").clicked() {
                ui.ctx().copy_text(status.warnings.join("\n"));
            }
        },
    );
}

/// A row that chooses one of the file's named things, or none of them.
struct Choice {
    label: &'static str,
    none: &'static str,
    help: &'static str,
}

fn choice(
    ui: &mut Ui,
    row_of: &Choice,
    names: &[String],
    now: Option<usize>,
    mut chosen: impl FnMut(Option<usize>),
) {
    if names.is_empty() {
        return;
    }
    let name = |index: usize| match names.get(index).map(String::as_str) {
        Some("") | None => format!("{} {index}", row_of.label),
        Some(name) => name.to_owned(),
    };
    row(ui, style::ROW, |ui| {
        let label = ui.add_sized([56.0, style::ROW], egui::Label::new(row_of.label).selectable(false));
        label.on_hover_text(row_of.help);
        let text = now.map_or_else(|| row_of.none.to_owned(), name);
        let width = ui.available_width();
        let combo = egui::ComboBox::from_id_salt(row_of.label).width(width).truncate().selected_text(text);
        combo.height(360.0).show_ui(ui, |ui| {
            let all = std::iter::once((None, row_of.none.to_owned()));
            for (entry, text) in all.chain((0..names.len()).map(|index| (Some(index), name(index)))) {
                if ui.selectable_label(now == entry, text).clicked() && now != entry {
                    chosen(entry);
                }
            }
        });
    });
}

fn tools(ui: &mut Ui, model: &Model<'_>, actions: &mut Vec<Action>) {
    row(ui, 22.0, |ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let look = |direction| Action::Send(Command::LookFrom(direction));
        for (label, what, action) in [
            ("Frame", "Frame the character", Action::Send(Command::FrameCharacter)),
            ("Front", "From the front; with Ctrl from the back", look(ViewDirection::Front)),
            ("Right", "From the right; with Ctrl from the left", look(ViewDirection::Right)),
            ("Top", "From above; with Ctrl from below", look(ViewDirection::Top)),
        ] {
            if ui.button(label).on_hover_text(with_key(what, &action)).clicked() {
                let opposite = ui.input(|input| input.modifiers.command);
                actions.push(if opposite { opposite_of(action) } else { action });
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let keys = ui.add_sized(Vec2::new(24.0, 22.0), egui::Button::new("?"));
            if keys.on_hover_text(with_key("Keys", &Action::ToggleKeys)).clicked() {
                actions.push(Action::ToggleKeys);
            }
            let transparent = ui.input(|input| input.modifiers.command);
            let shot = Action::Screenshot { transparent };
            let what = "Save the view; with Ctrl without its background";
            let tip = with_key(what, &Action::Screenshot { transparent: false });
            if icons::button(ui, Icon::Picture, true, &tip).clicked() {
                actions.push(shot);
            }
            for (icon, enabled, what, command) in [
                (Icon::Redo, model.status.can_redo, "Redo", Command::Redo),
                (Icon::Undo, model.status.can_undo, "Undo", Command::Undo),
            ] {
                let action = Action::Send(command);
                if icons::button(ui, icon, enabled, &with_key(what, &action)).clicked() {
                    actions.push(action);
                }
            }
        });
    });
}

fn opposite_of(action: Action) -> Action {
    let Action::Send(Command::LookFrom(direction)) = action else { return action };
    Action::Send(Command::LookFrom(match direction {
        ViewDirection::Front => ViewDirection::Back,
        ViewDirection::Right => ViewDirection::Left,
        ViewDirection::Top => ViewDirection::Bottom,
        other => other,
    }))
}
