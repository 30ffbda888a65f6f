//! What lies over the view: the strain map's legend, and the divider between two ways of making folds.

use egui::{Align2, Area, Color32, CursorIcon, Id, Mesh, Order, Pos2, Rect, Rgba, Sense, Stroke, Vec2};

use super::style;
use crate::params::Params;
use crate::render::{STRAIN_COMPRESSED, STRAIN_NEUTRAL, STRAIN_STRETCHED, ViewMode};
use crate::sim::wrinkles::FoldMethod;

/// Draws whatever the parameters call for. The divider follows the pointer that drags it.
pub fn show(ctx: &egui::Context, view: Rect, params: &mut Params) {
    match ViewMode::of(params) {
        ViewMode::Strain => legend(ctx, view, params.wrinkles.legend),
        ViewMode::Shaded if has_divider(params) => divider(ctx, view, &mut params.wrinkles.divider),
        _ => {}
    }
}

fn has_divider(params: &Params) -> bool {
    let wrinkles = &params.wrinkles;
    wrinkles.enabled && params.view.body && FoldMethod::of(wrinkles) == FoldMethod::Both
}

/// The colours of the strain map from the most compressed to the most stretched, and what they mean in percent.
fn legend(ctx: &egui::Context, view: Rect, end: f32) {
    let size = Vec2::new(view.width().min(320.0) - 40.0, 12.0);
    if size.x < 80.0 {
        return;
    }
    Area::new(Id::unique("strain legend"))
        .order(Order::Middle)
        .interactable(false)
        .pivot(Align2::LEFT_TOP)
        .fixed_pos(view.left_top() + Vec2::new(16.0, 12.0))
        .show(ctx, |ui| {
            let (room, _) = ui.allocate_exact_size(size + Vec2::new(24.0, 38.0), Sense::hover());
            let painter = ui.painter();
            painter.rect_filled(room, 5.0, Color32::from_black_alpha(150));
            let bar = Rect::from_min_size(room.min + Vec2::new(12.0, 7.0), size);
            painter.add(egui::Shape::mesh(ramp(bar)));
            let percent = (100.0 * end).round();
            for (share, align, text) in [
                (0.0, Align2::LEFT_TOP, format!("\u{2212}{percent} % compressed")),
                (0.5, Align2::CENTER_TOP, "0".to_owned()),
                (1.0, Align2::RIGHT_TOP, format!("+{percent} % stretched")),
            ] {
                let at = Pos2::new(bar.left() + share * bar.width(), bar.bottom() + 4.0);
                painter.text(at, align, text, egui::TextStyle::Small.resolve(ui.style()), style::STRONG);
            }
        });
}

/// A bar of the map's colours, mixed in linear light as the map mixes them.
fn ramp(bar: Rect) -> Mesh {
    const STEPS: u32 = 64;
    let mut mesh = Mesh::default();
    for step in 0..=STEPS {
        let share = step as f32 / STEPS as f32;
        let x = bar.left() + share * bar.width();
        let color = color_of(2.0 * share - 1.0);
        mesh.colored_vertex(Pos2::new(x, bar.top()), color);
        mesh.colored_vertex(Pos2::new(x, bar.bottom()), color);
        if step > 0 {
            let first = 2 * step - 2;
            mesh.add_triangle(first, first + 1, first + 2);
            mesh.add_triangle(first + 1, first + 3, first + 2);
        }
    }
    mesh
}

/// The map's colour of a strain in parts of the legend's end: −1 most compressed, 1 most stretched.
fn color_of(strain: f32) -> Color32 {
    let end = if strain < 0.0 { STRAIN_COMPRESSED } else { STRAIN_STRETCHED };
    let part = strain.abs().min(1.0);
    let [r, g, b] = [0, 1, 2].map(|c| STRAIN_NEUTRAL[c] + (end[c] - STRAIN_NEUTRAL[c]) * part);
    Rgba::from_rgb(r, g, b).into()
}

/// A line across the view that can be dragged, with a word on each side.
fn divider(ctx: &egui::Context, view: Rect, place: &mut f32) {
    let x = view.left() + place.clamp(0.0, 1.0) * view.width();
    Area::new(Id::unique("fold divider"))
        .order(Order::Middle)
        .fixed_pos(Pos2::new(x - 6.0, view.top()))
        .constrain(false)
        .show(ctx, |ui| {
            let (_, grip) = ui.allocate_exact_size(Vec2::new(12.0, view.height()), Sense::drag());
            let grip = grip.on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal);
            grip.widget_info(|| {
                let part = f64::from(*place);
                egui::WidgetInfo::slider(
                    true,
                    part,
                    "Divider between the wrinkle field and folds as published",
                )
            });
            if grip.dragged()
                && let Some(pointer) = grip.interact_pointer_pos()
            {
                *place = ((pointer.x - view.left()) / view.width().max(1.0)).clamp(0.0, 1.0);
            }
            let held = grip.hovered() || grip.dragged();
            let painter = ui.painter().with_clip_rect(view);
            let stroke = Stroke::new(if held { 2.0 } else { 1.0 }, Color32::from_white_alpha(170));
            painter.vline(x, view.y_range(), stroke);
            let font = egui::TextStyle::Small.resolve(ui.style());
            for (align, side, text) in
                [(Align2::RIGHT_TOP, -8.0, "field"), (Align2::LEFT_TOP, 8.0, "as published")]
            {
                painter.text(
                    Pos2::new(x + side, view.top() + 12.0),
                    align,
                    text,
                    font.clone(),
                    style::STRONG,
                );
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_the_colours_of_the_map() {
        // The codes that tests/render.rs finds in the map at these strains.
        let code = |linear: f32| (255.0 * egui::ecolor::gamma_from_linear(linear)).round() as u8;
        for (strain, color) in [
            (-1.0, STRAIN_COMPRESSED),
            (0.0, STRAIN_NEUTRAL),
            (1.0, STRAIN_STRETCHED),
            (-3.0, STRAIN_COMPRESSED),
        ] {
            let shown = color_of(strain);
            for (part, linear) in [shown.r(), shown.g(), shown.b()].into_iter().zip(color) {
                assert!(part.abs_diff(code(linear)) <= 1, "{strain}: {shown:?}");
            }
        }
        assert_eq!(ramp(Rect::from_min_size(Pos2::ZERO, Vec2::splat(10.0))).indices.len(), 64 * 6);
    }

    #[test]
    fn the_divider_follows_a_drag_and_stays_in_the_view() {
        let context = egui::Context::default();
        let view = Rect::from_min_size(Pos2::new(100.0, 0.0), Vec2::new(400.0, 300.0));
        let mut params = Params::default();
        params.set_text("wrinkles.method", "both").expect("a choice");
        let mut frame = |event: egui::Event| {
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, Vec2::new(600.0, 300.0)));
            let input = egui::RawInput { screen_rect, events: vec![event], ..Default::default() };
            context.run_ui(input, |ui| show(ui.ctx(), view, &mut params)).drop_without_applying_deltas();
            params.wrinkles.divider
        };
        let at = |x: f32| Pos2::new(x, 150.0);
        let button = |x: f32, pressed: bool| egui::Event::PointerButton {
            pos: at(x),
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        frame(egui::Event::PointerMoved(at(300.0)));
        frame(egui::Event::PointerMoved(at(300.0)));
        assert_eq!(frame(button(300.0, true)), 0.5);
        let dragged = frame(egui::Event::PointerMoved(at(400.0)));
        assert!((dragged - 0.75).abs() < 0.01, "{dragged}");
        assert_eq!(frame(egui::Event::PointerMoved(at(590.0))), 1.0);
        frame(button(590.0, false));
        assert_eq!(frame(egui::Event::PointerMoved(at(200.0))), 1.0, "let go");
    }
}
