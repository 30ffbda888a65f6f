//! Buttons with drawn signs, which need no font.

use egui::{Color32, Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo};

/// What is drawn on a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    /// A triangle that points right.
    Play,
    /// Two bars.
    Pause,
    /// A bar and a triangle that points right.
    StepForward,
    /// A bar and a triangle that points left.
    StepBack,
    /// An open circle with an arrow.
    Restart,
    /// The five of a die.
    Dice,
    /// An arrow that bends back left.
    Undo,
    /// An arrow that bends back right.
    Redo,
    /// A cross.
    Close,
    /// A camera.
    Picture,
    /// A ring with a dot.
    Solo,
}

/// A square button; `name` is its tooltip's first line and what screen readers say.
pub fn button(ui: &mut Ui, icon: Icon, enabled: bool, name: &str) -> Response {
    sized(ui, icon, enabled, name, Vec2::new(24.0, 22.0), true)
}

/// A small button that shows its frame only under the cursor.
pub fn quiet(ui: &mut Ui, icon: Icon, name: &str) -> Response {
    sized(ui, icon, true, name, Vec2::splat(18.0), false)
}

fn sized(ui: &mut Ui, icon: Icon, enabled: bool, name: &str, size: Vec2, framed: bool) -> Response {
    let inner = ui.add_enabled_ui(enabled, |ui| {
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let visuals = ui.style().interact(&response);
        if framed || response.hovered() || response.has_focus() {
            ui.painter().rect(
                rect,
                visuals.corner_radius,
                visuals.weak_bg_fill,
                visuals.bg_stroke,
                egui::StrokeKind::Inside,
            );
        }
        draw(
            ui.painter(),
            icon,
            Rect::from_center_size(rect.center(), Vec2::splat(12.0)),
            visuals.text_color(),
        );
        response
    });
    let response = inner.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, name));
    response.on_hover_text(name).on_disabled_hover_text(name)
}

fn draw(painter: &Painter, icon: Icon, rect: Rect, color: Color32) {
    let at = |x: f32, y: f32| rect.min + Vec2::new(x, y) * rect.width() / 12.0;
    let fill = |points: Vec<Pos2>| {
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let bar = |x: f32, width: f32| {
        painter.rect_filled(Rect::from_min_max(at(x, 1.0), at(x + width, 11.0)), 0.5, color);
    };
    let stroke = Stroke::new(1.5, color);
    match icon {
        Icon::Play => fill(vec![at(2.5, 1.0), at(11.0, 6.0), at(2.5, 11.0)]),
        Icon::Pause => {
            bar(2.0, 3.0);
            bar(7.0, 3.0);
        }
        Icon::StepForward => {
            bar(1.5, 2.0);
            fill(vec![at(5.0, 1.5), at(11.5, 6.0), at(5.0, 10.5)]);
        }
        Icon::StepBack => {
            bar(8.5, 2.0);
            fill(vec![at(7.0, 1.5), at(0.5, 6.0), at(7.0, 10.5)]);
        }
        Icon::Restart => {
            painter.add(Shape::line(arc(at(6.0, 6.5), rect.width() * 0.38, -60.0, 220.0), stroke));
            fill(vec![at(5.2, 0.0), at(10.6, 2.6), at(5.8, 6.0)]);
        }
        Icon::Dice => {
            painter.rect_stroke(rect, 2.0, Stroke::new(1.2, color), egui::StrokeKind::Inside);
            for (x, y) in [(3.5, 3.5), (8.5, 3.5), (6.0, 6.0), (3.5, 8.5), (8.5, 8.5)] {
                painter.circle_filled(at(x, y), 1.1, color);
            }
        }
        Icon::Undo | Icon::Redo => {
            let mirror = |x: f32| if icon == Icon::Undo { x } else { 12.0 - x };
            let mut curve = arc(at(6.0, 8.0), rect.width() * 0.38, -180.0, 0.0);
            if icon == Icon::Undo {
                curve.reverse();
            }
            painter.add(Shape::line(curve, stroke));
            fill(vec![at(mirror(-1.5), 7.0), at(mirror(4.5), 7.0), at(mirror(1.5), 11.0)]);
        }
        Icon::Close => {
            painter.line_segment([at(2.5, 2.5), at(9.5, 9.5)], stroke);
            painter.line_segment([at(9.5, 2.5), at(2.5, 9.5)], stroke);
        }
        Icon::Picture => {
            let body = Rect::from_min_max(at(0.0, 2.5), at(12.0, 11.0));
            painter.rect_stroke(body, 1.5, Stroke::new(1.2, color), egui::StrokeKind::Inside);
            painter.circle_stroke(at(6.0, 6.8), 2.2, Stroke::new(1.2, color));
            painter.rect_filled(Rect::from_min_max(at(3.5, 0.8), at(8.5, 2.8)), 0.5, color);
        }
        Icon::Solo => {
            painter.circle_stroke(at(6.0, 6.0), 4.5, Stroke::new(1.2, color));
            painter.circle_filled(at(6.0, 6.0), 1.8, color);
        }
    }
}

/// Points on a circle between two angles in degrees, clockwise from the right.
fn arc(center: Pos2, radius: f32, from_deg: f32, to_deg: f32) -> Vec<Pos2> {
    let steps = 20;
    (0..=steps)
        .map(|step| {
            let angle = (from_deg + (to_deg - from_deg) * step as f32 / steps as f32).to_radians();
            center + radius * Vec2::angled(angle)
        })
        .collect()
}
