//! The bar at the bottom: the clip's time, the simulations' ticks, and what the machine makes of it.

use egui::{Align, ComboBox, DragValue, Frame, Layout, Margin, RichText, Slider, TextEdit, Ui};

use super::icons::{self, Icon};
use super::{Model, numbers, row, style, with_key};
use crate::app::keys::Action;
use crate::viewer::{Command, LoopMode};

/// The field that shows the seed and takes another one.
#[derive(Debug, Default)]
pub struct SeedField {
    /// What is being typed; the seed in use is shown otherwise.
    typed: Option<String>,
}

/// Lays out the bar.
pub fn show(ui: &mut Ui, seed: &mut SeedField, model: &mut Model<'_>, actions: &mut Vec<Action>) {
    let frame = Frame::new().fill(style::PANEL).inner_margin(Margin::symmetric(10, 6));
    egui::Panel::bottom("transport").frame(frame).resizable(false).show(ui, |ui| {
        row(ui, 22.0, |ui| clip(ui, model, actions));
        row(ui, 22.0, |ui| {
            simulations(ui, seed, model, actions);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| statistics(ui, model));
        });
    });
}

fn clip(ui: &mut Ui, model: &mut Model<'_>, actions: &mut Vec<Action>) {
    let status = model.status;
    let duration = status.clip.and_then(|clip| status.clips.get(clip)).map_or(0.0, |(_, secs)| *secs);
    let playable = status.clip.is_some();
    let mut press = |ui: &mut Ui, icon, what: &str, command: Command| {
        let action = Action::Send(command);
        if icons::button(ui, icon, playable, &with_key(what, &action)).clicked() {
            actions.push(action);
        }
    };
    press(ui, Icon::StepBack, "One frame back", Command::StepClip(-1));
    let (icon, what) = if status.clip_playing && playable {
        (Icon::Pause, "Pause the clip")
    } else {
        (Icon::Play, "Play the clip")
    };
    press(ui, icon, what, Command::ToggleClip);
    press(ui, Icon::StepForward, "One frame on", Command::StepClip(1));
    clip_picker(ui, model, actions);

    // From the right, so that the scrub bar takes what is left.
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        loop_picker(ui, model.loop_mode);
        let speed = DragValue::new(model.speed)
            .range(0.05..=4.0)
            .speed(0.01)
            .update_while_editing(false)
            .custom_formatter(|value, _| format!("{value:.2}"))
            .custom_parser(numbers::parse)
            .suffix("×");
        let field = ui.add_sized([52.0, style::ROW], speed);
        if field.on_hover_text("Speed of the clip, 0.05 to 4; double-click to type").secondary_clicked() {
            *model.speed = 1.0;
        }
        let time = format!("{:.2} / {:.2} s", status.clip_secs, duration);
        let wide = ui.available_width() > 160.0;
        if wide {
            let label = egui::Label::new(RichText::new(time).monospace().color(style::WEAK));
            ui.add(label.selectable(false));
        }
        let mut secs = status.clip_secs.clamp(0.0, duration);
        ui.spacing_mut().slider_width = ui.available_width();
        // Sets the size of the handle, too.
        ui.spacing_mut().interact_size.y = 14.0;
        let scrub = Slider::new(&mut secs, 0.0..=duration.max(1e-3)).show_value(false).smart_aim(false);
        if ui.add_enabled(duration > 0.0, scrub).changed() {
            actions.push(Action::Send(Command::Seek(secs)));
        }
    });
}

fn clip_picker(ui: &mut Ui, model: &Model<'_>, actions: &mut Vec<Action>) {
    let status = model.status;
    let name = |index: usize| {
        let (name, secs) = &status.clips[index];
        let name = if name.is_empty() { format!("Clip {index}") } else { name.clone() };
        format!("{name}  ({secs:.2} s)")
    };
    let selected = status.clip.filter(|&clip| clip < status.clips.len());
    let text = selected.map_or_else(|| "Rest pose".to_owned(), name);
    ui.add_enabled_ui(!status.clips.is_empty(), |ui| {
        let width = (0.2 * ui.available_width()).clamp(90.0, 220.0);
        let combo = ComboBox::from_id_salt("clip").width(width).truncate().selected_text(text).height(360.0);
        combo.show_ui(ui, |ui| {
            let mut entry = |ui: &mut Ui, clip: Option<usize>, text: String| {
                if ui.selectable_label(status.clip == clip, text).clicked() && status.clip != clip {
                    actions.push(Action::Send(Command::PlayClip(clip)));
                }
            };
            entry(ui, None, "Rest pose".into());
            for index in 0..status.clips.len() {
                entry(ui, Some(index), name(index));
            }
        });
    });
}

fn loop_picker(ui: &mut Ui, mode: &mut LoopMode) {
    let text = |mode: LoopMode| match mode {
        LoopMode::Loop => "Loop",
        LoopMode::Once => "Once",
        LoopMode::PingPong => "Ping-pong",
    };
    let combo = ComboBox::from_id_salt("loop").width(78.0).selected_text(text(*mode));
    combo.show_ui(ui, |ui| {
        for choice in [LoopMode::Loop, LoopMode::Once, LoopMode::PingPong] {
            ui.selectable_value(mode, choice, text(choice));
        }
    });
}

fn simulations(ui: &mut Ui, seed: &mut SeedField, model: &Model<'_>, actions: &mut Vec<Action>) {
    let status = model.status;
    let (icon, what) = if status.simulations_running {
        (Icon::Pause, "Pause the simulations")
    } else {
        (Icon::Play, "Run the simulations")
    };
    for (icon, what, command) in [
        (icon, what, Command::ToggleSimulations),
        (Icon::StepForward, "Run one tick", Command::StepSimulations),
        (Icon::Restart, "Start again with the same seed", Command::Restart { new_seed: false }),
        (Icon::Dice, "Start again with a new seed", Command::Restart { new_seed: true }),
    ] {
        let action = Action::Send(command);
        if icons::button(ui, icon, true, &with_key(what, &action)).clicked() {
            actions.push(action);
        }
    }
    ui.label(RichText::new("Seed").color(style::WEAK));
    seed.show(ui, status.seed, actions);
    if ui.available_width() > 120.0 {
        let tick = format!("tick {}", numbers::grouped(status.tick as usize));
        ui.label(RichText::new(tick).small().color(style::WEAK));
    }
}

impl SeedField {
    fn show(&mut self, ui: &mut Ui, seed: u32, actions: &mut Vec<Action>) {
        let mut text = self.typed.take().unwrap_or_else(|| seed.to_string());
        let width = 86.0;
        let field = ui.add_sized([width, style::ROW], TextEdit::singleline(&mut text).char_limit(10));
        let field =
            field.on_hover_text("All randomness follows from this number. Enter another to start again.");
        if field.has_focus() {
            self.typed = Some(text);
        } else if field.lost_focus()
            && !ui.input(|input| input.key_pressed(egui::Key::Escape))
            && let Ok(new) = text.trim().parse::<u32>()
            && new != seed
        {
            actions.push(Action::Send(Command::SetSeed(new)));
        }
    }
}

/// Frames a second, memory and adapter, from the right.
fn statistics(ui: &mut Ui, model: &Model<'_>) {
    let status = model.status;
    let small = |text: String| RichText::new(text).small().color(style::WEAK);
    match model.frame_secs.filter(|secs| *secs > 0.0) {
        Some(secs) => ui
            .label(small(format!("{:.0} fps", 1.0 / secs)))
            .on_hover_text(format!("{:.1} ms from frame to frame", 1e3 * secs)),
        None => ui.label(small("idle".into())).on_hover_text("Nothing moves, so nothing is drawn"),
    };
    ui.label(small(format!("{:.0} MB", status.gpu_bytes as f64 / 1e6)))
        .on_hover_text("Memory held on the graphics device");
    if status.software {
        let text = RichText::new("software").small().color(style::WARNING);
        ui.label(text).on_hover_text("Drawn by the processor: defaults are scaled down");
    }
    let width = ui.available_width().min(240.0);
    if width > 60.0 {
        let size = egui::vec2(width, style::ROW);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            let adapter = egui::Label::new(small(status.adapter.clone())).truncate();
            ui.add(adapter).on_hover_text(&status.adapter);
        });
    }
}
