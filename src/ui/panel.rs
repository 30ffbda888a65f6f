//! The sections of the parameter registry, one under the other, with a search box over them.

use egui::collapsing_header::CollapsingState;
use egui::{Align, Layout, RichText, Sense, TextEdit, Ui, UiBuilder, Vec2};

use super::icons::{self, Icon};
use super::{Model, rows, style};
use crate::app::keys::Action;
use crate::params::{Info, Section, Value};
use crate::viewer::{Command, LightSource, Status};

/// Name of the switch that a section's heading shows.
const SWITCH: &str = "enabled";

/// Lays out the search box and all sections.
pub fn show(ui: &mut Ui, search: &mut String, model: &mut Model<'_>, actions: &mut Vec<Action>) {
    search_box(ui, search);
    ui.add_space(2.0);
    let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let mut shown = 0;
        let defaults = model.defaults.sections();
        for (section, defaults) in model.params.sections_mut().into_iter().zip(defaults) {
            shown += show_section(ui, section, defaults, &words, model.status, actions);
        }
        if shown == 0 {
            ui.add_space(8.0);
            ui.label(RichText::new("No parameter matches.").color(style::WEAK));
        }
    });
}

fn search_box(ui: &mut Ui, search: &mut String) {
    super::row(ui, style::ROW, |ui| {
        let clear_width = 18.0 + ui.spacing().item_spacing.x;
        let width = ui.available_width() - if search.is_empty() { 0.0 } else { clear_width };
        let field = TextEdit::singleline(search).hint_text("Search parameters");
        ui.add_sized([width, style::ROW], field);
        if !search.is_empty() && icons::quiet(ui, Icon::Close, "Clear the search").clicked() {
            search.clear();
        }
    });
}

/// Whether a parameter holds all the words, in its label, path or help.
fn matches(section: &dyn Section, info: &Info, words: &[String]) -> bool {
    let text = format!("{} {}.{} {} {}", section.title(), section.path(), info.name, info.label, info.help)
        .to_lowercase();
    words.iter().all(|word| text.contains(word))
}

/// Lays out one section and returns how many of its parameters match.
fn show_section(
    ui: &mut Ui,
    section: &mut dyn Section,
    defaults: &dyn Section,
    words: &[String],
    status: &Status,
    actions: &mut Vec<Action>,
) -> usize {
    let infos = section.infos();
    let chosen: Vec<usize> = (0..infos.len()).filter(|&i| matches(section, &infos[i], words)).collect();
    if chosen.is_empty() {
        return 0;
    }
    let id = ui.make_persistent_id(section.path());
    let mut state = CollapsingState::load_with_default_open(ui.ctx(), id, section.path() != "light");
    let searching = !words.is_empty();
    let openness = if searching { 1.0 } else { state.openness(ui.ctx()) };
    if heading(ui, section, defaults, openness, actions) {
        state.toggle(ui);
    }
    if let Some(line) = status_line(section, status) {
        super::row(ui, 16.0, |ui| {
            ui.add_space(6.0);
            ui.add(egui::Label::new(RichText::new(line).small().color(style::WEAK)).truncate());
        });
    }
    let is_light = section.path() == "light";
    let mut rows = |ui: &mut Ui| {
        ui.push_id(id, |ui| {
            ui.spacing_mut().item_spacing.y = 3.0;
            if is_light && !searching {
                light_source(ui, status, actions);
            }
            if section.path() == "growth" && words.is_empty() {
                export_row(ui, status, actions);
                roots_row(ui, section, actions);
            }
            for &index in chosen.iter().filter(|&&index| infos[index].name != SWITCH) {
                rows::show(ui, section, defaults, index);
            }
            ui.add_space(6.0);
        });
    };
    if searching {
        rows(ui);
    } else {
        state.show_body_unindented(ui, rows);
    }
    ui.add_space(2.0);
    chosen.len()
}

/// What lights the scene from all around, and the buttons that change it.
fn light_source(ui: &mut Ui, status: &Status, actions: &mut Vec<Action>) {
    super::row(ui, style::ROW, |ui| {
        let open = ui.button("Light…").on_hover_text("Open an equirectangular .hdr or .exr picture as light");
        if open.clicked() {
            actions.push(Action::OpenLightDialog);
        }
        let studio = egui::Button::new("Studio");
        let studio = ui.add_enabled(status.light.is_some() || status.light_loading.is_some(), studio);
        if studio.on_hover_text("Light the scene by the built-in studio").clicked() {
            actions.push(Action::Send(Command::Light(LightSource::Studio)));
        }
        let (prefix, path) = match (&status.light_loading, &status.light) {
            (Some(path), _) => ("reading ", path.as_str()),
            (None, Some(path)) => ("", path.as_str()),
            (None, None) => ("", "built-in studio"),
        };
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let text = RichText::new(format!("{prefix}{name}")).small().color(style::WEAK);
        ui.add(egui::Label::new(text).truncate()).on_hover_text(path);
    });
}

/// The button that exports branches, or how far that has come.
fn export_row(ui: &mut Ui, status: &Status, actions: &mut Vec<Action>) {
    if let Some((name, done)) = &status.exporting {
        if super::work(ui, name, *done).clicked() {
            actions.push(Action::Send(Command::CancelExport));
        }
        return;
    }
    super::row(ui, style::ROW, |ui| {
        let tip = "Write the character with its branches, grown to their end, as a skinned mesh to a .glb";
        let button = ui.add_enabled(!status.character.is_empty(), egui::Button::new("Export…"));
        if button.on_hover_text(tip).clicked() {
            actions.push(Action::ExportDialog);
        }
    });
}

/// The button that takes away the roots on the skin.
fn roots_row(ui: &mut Ui, section: &dyn Section, actions: &mut Vec<Action>) {
    let index = section.infos().iter().position(|info| info.name == "root_points");
    let Some(Value::Text(points)) = index.and_then(|index| section.get(index)) else { return };
    super::row(ui, style::ROW, |ui| {
        let button = ui.add_enabled(!points.is_empty(), egui::Button::new("Clear roots on the skin"));
        if button.on_hover_text("Ctrl or Cmd+click on the skin puts one there").clicked() {
            actions.push(Action::Send(Command::ClearRoots));
        }
    });
}

/// The bar with the section's title; says whether it was clicked to open or close.
fn heading(
    ui: &mut Ui,
    section: &mut dyn Section,
    defaults: &dyn Section,
    openness: f32,
    actions: &mut Vec<Action>,
) -> bool {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 26.0), Sense::click());
    let fill = if response.hovered() { ui.visuals().widgets.inactive.bg_fill } else { style::HEADING };
    ui.painter().rect_filled(rect, 4.0, fill);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::DisclosureTriangle, true, section.title()));
    let arrow = egui::Rect::from_center_size(rect.left_center() + Vec2::new(13.0, 0.0), Vec2::splat(10.0));
    let arrow = response.clone().with_new_rect(arrow);
    egui::collapsing_header::paint_default_icon(ui, openness, &arrow);

    let inside = rect.shrink2(Vec2::new(6.0, 2.0));
    let inside = inside.with_min_x(inside.left() + 20.0);
    let builder = UiBuilder::new().max_rect(inside).layout(Layout::left_to_right(Align::Center));
    let ui = &mut ui.new_child(builder);
    let infos = section.infos();
    let switch = infos.iter().position(|info| info.name == SWITCH);
    let mut on = true;
    if let Some(index) = switch {
        on = section.get(index) == Some(Value::Switch(true));
        let help = infos[index].help;
        if rows::switch(ui, &mut on, help).changed() {
            rows::set(section, index, Value::Switch(on));
        }
    }
    let color = if on { style::STRONG } else { style::WEAK };
    ui.add(egui::Label::new(RichText::new(section.title()).color(color)).selectable(false));
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if rows::is_changed(section, defaults) {
            let reset = icons::quiet(ui, Icon::Restart, "Reset this section");
            if reset.clicked() {
                rows::reset_section(section, defaults);
            }
        }
        if switch.is_some() && icons::quiet(ui, Icon::Solo, "Run this one alone, or all again").clicked() {
            actions.push(Action::Solo(section.path()));
        }
    });
    response.clicked()
}

/// Count and milliseconds of a simulation.
fn status_line(section: &dyn Section, status: &Status) -> Option<String> {
    let counts = match section.path() {
        "growth" => &status.growth,
        "boids" => &status.boids,
        "wrinkles" => &status.wrinkles,
        _ => return None,
    };
    let of_section = |label: &str| {
        label.strip_prefix(section.path()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
    };
    let times: Vec<f64> =
        status.gpu_ms.iter().filter(|(label, _)| of_section(label)).map(|(_, ms)| *ms).collect();
    let mut parts = Vec::new();
    if !counts.is_empty() {
        parts.push(counts.clone());
    }
    if !times.is_empty() {
        parts.push(format!("{:.2} ms", times.iter().sum::<f64>()));
    }
    (!parts.is_empty()).then(|| parts.join("  ·  "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    #[test]
    fn a_search_needs_every_word_in_label_path_or_help() {
        let params = Params::default();
        let find = |text: &str| -> Vec<String> {
            let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
            let mut found = Vec::new();
            for section in params.sections() {
                for info in section.infos().iter().filter(|info| matches(section, info, &words)) {
                    found.push(format!("{}.{}", section.path(), info.name));
                }
            }
            found
        };
        assert_eq!(find("WAVELENGTH"), ["wrinkles.wavelength"]);
        assert_eq!(find("boids separation angle"), ["boids.separation_angle"]);
        assert!(find("no such thing").is_empty());
        assert_eq!(find("").len(), params.paths().count());
    }

    #[test]
    fn a_status_line_adds_up_the_passes_of_its_own_section() {
        let params = Params::default();
        let mut status = Status { growth: "12 nodes".into(), ..Status::default() };
        for (label, ms) in [("growth/relax", 1.0), ("growth/relax:grow", 0.5), ("growths/x", 9.0)] {
            status.gpu_ms.insert(label.into(), ms);
        }
        assert_eq!(status_line(&params.growth, &status).as_deref(), Some("12 nodes  ·  1.50 ms"));
        assert_eq!(status_line(&params.boids, &status), None);
        assert_eq!(status_line(&params.light, &status), None);
    }
}
