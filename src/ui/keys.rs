//! The key list, drawn from the table that the key handler reads.

use egui::{Context, Grid, RichText, ScrollArea, TextEdit, Window};

use super::style;
use crate::app::input::GESTURES;
use crate::app::keys::KEYS;

/// A line of the list: heading, keys, what they do.
type Line = (&'static str, String, &'static str);

/// All lines; keys that do the same share one.
fn lines() -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for binding in &KEYS {
        match lines.last_mut() {
            Some((_, keys, help)) if *help == binding.help => {
                keys.push_str(", ");
                keys.push_str(&binding.label());
            }
            _ => lines.push((binding.group, binding.label(), binding.help)),
        }
    }
    lines.extend(GESTURES.iter().map(|(how, help)| ("Mouse", (*how).to_owned(), *help)));
    lines
}

/// Lays out the list as a window over everything else.
pub fn show(ctx: &Context, shown: &mut bool, search: &mut String) {
    let screen = ctx.content_rect();
    let window = Window::new("Keys")
        .open(shown)
        .collapsible(false)
        .auto_sized()
        .anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO);
    window.show(ctx, |ui| {
        ui.set_width(440.0_f32.min(screen.width() - 40.0));
        ui.add(TextEdit::singleline(search).hint_text("Search keys").desired_width(f32::INFINITY));
        ui.add_space(4.0);
        let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
        let height = (screen.height() - 130.0).clamp(80.0, 520.0);
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            let mut group = "";
            Grid::new("keys").num_columns(2).spacing([18.0, 4.0]).show(ui, |ui| {
                for (heading, keys, help) in lines() {
                    let text = format!("{heading} {keys} {help}").to_lowercase();
                    if !words.iter().all(|word| text.contains(word)) {
                        continue;
                    }
                    if group != heading {
                        group = heading;
                        ui.label(RichText::new(heading).small().color(style::ACCENT));
                        ui.end_row();
                    }
                    ui.label(RichText::new(keys).color(style::STRONG));
                    ui.label(help);
                    ui.end_row();
                }
            });
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_listed_once() {
        let lines = lines();
        let keys: usize = lines.iter().map(|(_, keys, _)| keys.split(", ").count()).sum();
        assert_eq!(keys, KEYS.len() + GESTURES.len());
        assert!(lines.iter().any(|(_, keys, _)| keys == "H, F1"));
    }
}
