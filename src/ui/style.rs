//! Colours, sizes and spacing of the interface.

use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Vec2};

/// Behind the panels.
pub const PANEL: Color32 = Color32::from_rgb(24, 26, 30);
/// Behind the heading of a section.
pub const HEADING: Color32 = Color32::from_rgb(33, 36, 41);
/// Behind fields.
pub const FIELD: Color32 = Color32::from_rgb(15, 16, 19);
/// Lines between parts.
pub const LINE: Color32 = Color32::from_rgb(46, 50, 57);
/// What is chosen, changed or under way.
pub const ACCENT: Color32 = Color32::from_rgb(94, 178, 166);
/// Things that went wrong.
pub const ERROR: Color32 = Color32::from_rgb(232, 120, 108);
/// Things worth knowing of.
pub const WARNING: Color32 = Color32::from_rgb(222, 172, 92);
/// Text that matters.
pub const STRONG: Color32 = Color32::from_rgb(236, 239, 243);
/// Other text.
pub const TEXT: Color32 = Color32::from_rgb(196, 202, 210);
/// Text beside the point.
pub const WEAK: Color32 = Color32::from_rgb(136, 144, 155);

/// Height of a row of the panel, in points.
pub const ROW: f32 = 20.0;
/// Space between rows and round groups, in points.
pub const GAP: f32 = 4.0;

/// Sets the look of a context: dark whatever the desktop prefers, as the picture needs dark surroundings.
pub fn apply(context: &egui::Context) {
    context.set_theme(egui::Theme::Dark);
    // The key table has its own keys for it, and lists them.
    context.options_mut(|options| options.zoom_with_keyboard = false);
    context.style_mut_of(egui::Theme::Dark, |style| {
        style.text_styles = [
            (TextStyle::Heading, FontId::new(15.0, FontFamily::Proportional)),
            (TextStyle::Body, FontId::new(13.0, FontFamily::Proportional)),
            (TextStyle::Button, FontId::new(13.0, FontFamily::Proportional)),
            (TextStyle::Small, FontId::new(11.5, FontFamily::Proportional)),
            (TextStyle::Monospace, FontId::new(12.0, FontFamily::Monospace)),
        ]
        .into();
        let spacing = &mut style.spacing;
        spacing.item_spacing = Vec2::new(6.0, GAP);
        spacing.button_padding = Vec2::new(7.0, 2.0);
        spacing.interact_size = Vec2::new(40.0, ROW);
        spacing.slider_rail_height = 4.0;
        spacing.icon_width = 14.0;
        spacing.combo_width = 60.0;
        spacing.menu_margin = Margin::same(6);
        spacing.window_margin = Margin::same(10);
        spacing.scroll = egui::style::ScrollStyle { bar_width: 8.0, ..egui::style::ScrollStyle::solid() };
        style.interaction.tooltip_delay = 0.35;
        style.interaction.selectable_labels = false;
        visuals(&mut style.visuals);
    });
}

fn visuals(visuals: &mut egui::Visuals) {
    let radius = CornerRadius::same(4);
    visuals.panel_fill = PANEL;
    visuals.window_fill = PANEL;
    visuals.window_stroke = Stroke::new(1.0, LINE);
    visuals.window_corner_radius = CornerRadius::same(6);
    visuals.extreme_bg_color = FIELD;
    visuals.faint_bg_color = HEADING;
    visuals.weak_text_color = Some(WEAK);
    visuals.hyperlink_color = ACCENT;
    visuals.warn_fg_color = WARNING;
    visuals.error_fg_color = ERROR;
    visuals.selection.bg_fill = Color32::from_rgb(44, 92, 87);
    visuals.selection.stroke = Stroke::new(1.0, Color32::from_rgb(176, 226, 217));
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = egui::style::HandleShape::Circle;
    let widgets = &mut visuals.widgets;
    for (state, fill, line, text) in [
        (&mut widgets.noninteractive, PANEL, LINE, TEXT),
        (&mut widgets.inactive, Color32::from_rgb(45, 49, 56), Color32::TRANSPARENT, TEXT),
        (&mut widgets.hovered, Color32::from_rgb(56, 61, 69), Color32::from_rgb(78, 85, 95), STRONG),
        (&mut widgets.active, Color32::from_rgb(66, 72, 81), ACCENT, STRONG),
        (&mut widgets.open, Color32::from_rgb(50, 55, 62), LINE, STRONG),
    ] {
        state.weak_bg_fill = fill;
        state.bg_fill = fill;
        state.bg_stroke = Stroke::new(1.0, line);
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = radius;
        state.expansion = 0.0;
    }
}
