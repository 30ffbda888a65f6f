//! One row a parameter: its label, and the control that its kind asks for.

use egui::{
    Color32, ComboBox, DragValue, Response, RichText, Role, Sense, Slider, SliderClamping, Ui, Vec2,
    WidgetInfo,
};

use super::{numbers, style};
use crate::params::{Info, Kind, MAX_TEXT, Section, Value};

/// Part of a row that the label takes.
const LABEL_PART: f32 = 0.44;
/// Width of a number field in points.
const NUMBER_WIDTH: f32 = 78.0;

/// Sets a parameter to the nearest value it can have.
pub fn set(section: &mut dyn Section, index: usize, value: Value) {
    let Some(info) = section.infos().get(index) else { return };
    if let Err(error) = section.set(index, info.kind.clamp(value)) {
        // A clamped value of the right kind always fits.
        log::error!("{error}");
    }
}

/// Whether any parameter of a section is not at its default.
#[must_use]
pub fn is_changed(section: &dyn Section, defaults: &dyn Section) -> bool {
    (0..section.infos().len()).any(|index| section.get(index) != defaults.get(index))
}

/// Sets all parameters of a section to their defaults.
pub fn reset_section(section: &mut dyn Section, defaults: &dyn Section) {
    // Twice, as a linked value may hold another back until it is reset itself.
    for _ in 0..2 {
        for index in 0..section.infos().len() {
            if let Some(default) = defaults.get(index) {
                set(section, index, default);
            }
        }
    }
}

/// A parameter as its row shows it.
struct Row {
    index: usize,
    info: &'static Info,
    value: Value,
    default: Value,
}

/// Lays out the row of the parameter at `index`.
pub fn show(ui: &mut Ui, section: &mut dyn Section, defaults: &dyn Section, index: usize) {
    let (Some(info), Some(value)) = (section.infos().get(index), section.get(index)) else { return };
    let row =
        Row { index, info, value, default: defaults.get(index).unwrap_or_else(|| info.default.clone()) };
    ui.push_id(info.name, |ui| {
        super::row(ui, style::ROW, |ui| {
            let width = ui.available_width();
            label(ui, section, &row, width * LABEL_PART);
            if let Some(new) = control(ui, info, row.value) {
                set(section, index, new);
            }
        });
    });
}

fn label(ui: &mut Ui, section: &mut dyn Section, row: &Row, width: f32) {
    let Row { index, info, value, default } = row;
    let index = *index;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, style::ROW), Sense::click());
    let changed = value != default;
    if changed {
        let mark = rect.left_center() + Vec2::new(4.0, 0.0);
        ui.painter().circle_filled(mark, 2.5, style::ACCENT);
    }
    let color = if changed || response.hovered() { style::STRONG } else { style::TEXT };
    let text = egui::WidgetText::from(RichText::new(info.label).color(color));
    let mode = Some(egui::TextWrapMode::Truncate);
    let galley = text.into_galley(ui, mode, width - 12.0, egui::TextStyle::Body);
    let at = egui::pos2(rect.left() + 12.0, rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, color);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, info.label));
    let path = format!("{}.{}", section.path(), info.name);
    if response.double_clicked() {
        set(section, index, default.clone());
    }
    response.context_menu(|ui| {
        if ui.add_enabled(changed, egui::Button::new("Reset")).clicked() {
            set(section, index, default.clone());
            ui.close();
        }
        if ui.button("Copy path").clicked() {
            ui.ctx().copy_text(path.clone());
            ui.close();
        }
        if ui.button("Copy path and value").clicked() {
            ui.ctx().copy_text(format!("{path}={}", info.kind.format(value)));
            ui.close();
        }
    });
    response.on_hover_ui(|ui| help(ui, row, &path));
}

fn help(ui: &mut Ui, row: &Row, path: &str) {
    let Row { info, default, .. } = row;
    ui.set_max_width(320.0);
    ui.label(info.help);
    let details = format!("{}; default {}", info.kind.describe(), info.kind.format(default));
    ui.label(RichText::new(details).small().color(style::WEAK));
    if info.kind.unit().starts_with('H') {
        let unit = "H is the longest edge of the character's box";
        ui.label(RichText::new(unit).small().color(style::WEAK));
    }
    ui.label(RichText::new(path).monospace().small().color(style::ACCENT));
    ui.label(RichText::new("Double-click to reset").small().color(style::WEAK));
}

/// The control of a kind; returns the value it was changed to.
fn control(ui: &mut Ui, info: &Info, value: Value) -> Option<Value> {
    match (info.kind, value) {
        (Kind::Float { min, max, unit }, Value::Float(now)) => {
            let range = f64::from(min)..=f64::from(max);
            slider(ui, f64::from(now), range, unit, false).map(|v| Value::Float(v as f32))
        }
        (Kind::Int { min, max, unit }, Value::Int(now)) => {
            let range = f64::from(min)..=f64::from(max);
            slider(ui, f64::from(now), range, unit, true).map(|v| Value::Int(v.round().max(0.0) as u32))
        }
        (Kind::Switch, Value::Switch(mut on)) => {
            switch(ui, &mut on, info.label).changed().then_some(Value::Switch(on))
        }
        (Kind::Choice(names), Value::Int(now)) => choice(ui, names, now).map(Value::Int),
        (Kind::Color, Value::Triple(mut rgb)) => {
            let width = ui.available_width();
            ui.spacing_mut().interact_size.x = width;
            let before = rgb;
            let changed = ui.color_edit_button_rgb(&mut rgb).changed();
            // The picker works in hue and saturation and gives back a little something else when it opens.
            let differs = rgb.iter().zip(before).any(|(a, b)| (a - b).abs() > 1e-4);
            (changed && differs).then_some(Value::Triple(rgb))
        }
        (Kind::Vector { min, max, .. }, Value::Triple(mut parts)) => {
            let width = (ui.available_width() - 2.0 * ui.spacing().item_spacing.x) / 3.0;
            let mut changed = false;
            for part in &mut parts {
                let speed = f64::from(max - min) / 500.0;
                let field = number_field(part, speed).range(min..=max);
                changed |= ui.add_sized([width, style::ROW], field).changed();
            }
            changed.then_some(Value::Triple(parts))
        }
        (Kind::Text(what), Value::Text(now)) => text(ui, what, &now).map(|text| Value::Text(text.into())),
        _ => None,
    }
}

/// A line of text, taken over when it is left or Enter is pressed: half a name is no name.
fn text(ui: &mut Ui, what: &str, now: &str) -> Option<String> {
    let id = ui.scope_id().with("text");
    let being_written: Option<String> = ui.data(|data| data.get_temp(id));
    let mut written = being_written.unwrap_or_else(|| now.to_owned());
    let field = egui::TextEdit::singleline(&mut written)
        .id(id)
        .hint_text(what)
        .char_limit(MAX_TEXT)
        .desired_width(f32::INFINITY);
    let response = ui.add(field);
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, written));
        return None;
    }
    ui.data_mut(|data| data.remove::<String>(id));
    let written = written.trim();
    (response.lost_focus() && written != now).then(|| written.to_owned())
}

fn number_field<Num: egui::emath::Numeric>(value: &mut Num, speed: f64) -> DragValue<'_> {
    DragValue::new(value)
        .speed(speed)
        .update_while_editing(false)
        .custom_formatter(|value, _| numbers::format(value))
        .custom_parser(numbers::parse)
}

/// A slider with a number field; wide ranges run on a logarithmic scale.
fn slider(
    ui: &mut Ui,
    now: f64,
    range: std::ops::RangeInclusive<f64>,
    unit: &str,
    whole: bool,
) -> Option<f64> {
    let (min, max) = (*range.start(), *range.end());
    let wide = min >= 0.0 && max / min.max(if whole { 1.0 } else { f64::INFINITY }) >= 100.0
        || min > 0.0 && max / min >= 100.0;
    let mut value = now;
    ui.spacing_mut().slider_width =
        (ui.available_width() - NUMBER_WIDTH - ui.spacing().item_spacing.x).max(20.0);
    // Sets the size of the handle, too.
    let row_height = std::mem::replace(&mut ui.spacing_mut().interact_size.y, 12.0);
    let mut rail = Slider::new(&mut value, range.clone()).show_value(false).clamping(SliderClamping::Always);
    if wide {
        rail = rail.logarithmic(true).smallest_positive(if whole { 1.0 } else { min });
    }
    if whole {
        rail = rail.integer();
    }
    let mut changed = ui.add(rail).changed();
    ui.spacing_mut().interact_size.y = row_height;
    // Dragging a number field moves a wide range by a part of the number, a narrow one by a part of the range.
    let speed = if wide { (value.abs() * 0.01).max(min * 0.01) } else { (max - min) / 500.0 };
    let field = number_field(&mut value, if whole { speed.max(0.2) } else { speed })
        .range(range)
        .suffix(numbers::unit_suffix(unit));
    changed |= ui.add_sized([NUMBER_WIDTH, style::ROW], field).changed();
    changed.then_some(value)
}

fn choice(ui: &mut Ui, names: &[&str], now: u32) -> Option<u32> {
    let width = ui.available_width();
    let selected = names.get(now as usize).copied().unwrap_or_default();
    let mut new = None;
    ComboBox::from_id_salt("choice").width(width).selected_text(selected).show_ui(ui, |ui| {
        for (index, name) in names.iter().enumerate() {
            let index = index as u32;
            if ui.selectable_label(index == now, *name).clicked() {
                new = Some(index);
            }
        }
    });
    new.filter(|&index| index != now)
}

/// A sliding switch.
pub fn switch(ui: &mut Ui, on: &mut bool, name: &str) -> Response {
    let (rect, mut response) = ui.allocate_exact_size(Vec2::new(28.0, 16.0), Sense::click());
    if response.clicked() {
        *on = !*on;
        response.mark_changed();
    }
    let how_on = ui.ctx().animate_bool_responsive(response.id, *on);
    let visuals = ui.style().interact(&response);
    let track = rect.shrink2(Vec2::new(0.0, 1.0));
    let fill = visuals.bg_fill.lerp_to_gamma(style::ACCENT.gamma_multiply(0.75), how_on);
    ui.painter().rect(track, 7.0, fill, visuals.bg_stroke, egui::StrokeKind::Inside);
    let x = egui::lerp(track.left() + 7.0..=track.right() - 7.0, how_on);
    let knob = style::WEAK.lerp_to_gamma(Color32::WHITE, how_on.max(f32::from(u8::from(response.hovered()))));
    ui.painter().circle_filled(egui::pos2(x, track.center().y), 5.0, knob);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), *on, name));
    response.on_hover_text(name)
}
