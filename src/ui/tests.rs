//! The interface without a window: laid out in memory, driven by made-up events.

use egui::{Event, Modifiers, PointerButton, Pos2, RawInput, Rect, Vec2};

use super::*;
use crate::viewer::Command;

struct Bench {
    context: egui::Context,
    interface: Interface,
    params: Params,
    defaults: Params,
    status: Status,
    speed: f64,
    loop_mode: LoopMode,
    size: Vec2,
    time: f64,
}

impl Bench {
    fn new(size: Vec2) -> Self {
        let context = egui::Context::default();
        style::apply(&context);
        let status = Status {
            adapter: "a rather long name of an adapter (Vulkan, driver 1.2.3)".into(),
            character: "A fox with a name that is longer than the panel is wide, as some are".into(),
            clips: vec![("Survey".into(), 3.4), (String::new(), 0.7)],
            clip: Some(0),
            variants: vec![
                "A set of materials whose name is longer than the panel is wide".into(),
                String::new(),
            ],
            cameras: vec!["Film".into()],
            camera: Some(0),
            warnings: vec!["a texture is missing".into()],
            growth: "a line about growth that is far too long for any panel to hold in its width".into(),
            ..Status::default()
        };
        Self {
            context,
            interface: Interface::default(),
            params: Params::default(),
            defaults: Params::default(),
            status,
            speed: 1.0,
            loop_mode: LoopMode::Loop,
            size,
            time: 0.0,
        }
    }

    fn frame(&mut self, events: Vec<Event>) -> (Rect, Vec<Action>) {
        self.time += 0.05;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, self.size)),
            time: Some(self.time),
            events,
            focused: true,
            ..RawInput::default()
        };
        let (mut actions, mut view) = (Vec::new(), Rect::NOTHING);
        let output = self.context.run_ui(input, |ui| {
            let model = Model {
                params: &mut self.params,
                defaults: &self.defaults,
                speed: &mut self.speed,
                loop_mode: &mut self.loop_mode,
                status: &self.status,
                frame_secs: Some(0.016),
                dialog_open: false,
            };
            view = self.interface.show(ui, model, &mut actions);
        });
        output.drop_without_applying_deltas();
        (view, actions)
    }

    fn click(&mut self, at: Pos2) -> Vec<Action> {
        let mut actions = self.frame(vec![Event::PointerMoved(at)]).1;
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            actions.extend(self.frame(vec![Event::PointerButton { pos: at, button, pressed, modifiers }]).1);
        }
        actions
    }
}

#[test]
fn the_view_keeps_room_at_every_scale() {
    // 1280 x 800 pixels at 100, 150 and 200 percent, and the smallest window.
    for size in [[1280.0, 800.0], [853.0, 533.0], [640.0, 400.0], [480.0, 320.0]] {
        let mut bench = Bench::new(size.into());
        let mut view = Rect::NOTHING;
        let first = bench.frame(vec![]).0;
        for _ in 0..30 {
            view = bench.frame(vec![]).0;
        }
        let panel = size[0] - view.width();
        assert!((250.0..=521.0).contains(&panel), "{size:?}: a panel of {panel}");
        assert!((view.width() - first.width()).abs() < 2.0, "the panel creeps: {first:?} to {view:?}");
        assert!(view.width() > 0.3 * size[0] && view.height() > 0.7 * size[1], "{size:?}: {view:?}");
        bench.interface.shown = false;
        assert_eq!(bench.frame(vec![]).0.size(), Vec2::from(size));
    }
}

#[test]
fn what_is_entered_as_a_path_is_opened_once() {
    let mut bench = Bench::new(Vec2::new(1280.0, 800.0));
    bench.frame(vec![]);
    bench.interface.enter_path("fox.glb".into());
    assert_eq!(bench.frame(vec![]).1, [Action::OpenPath("fox.glb".into())]);
    assert_eq!(bench.frame(vec![]).1, []);
    // The same with the interface hidden.
    bench.interface.shown = false;
    bench.interface.enter_path("fox.glb".into());
    assert_eq!(bench.frame(vec![]).1.len(), 1);
}

#[test]
fn typing_into_the_path_field_and_enter_opens_it() {
    let mut bench = Bench::new(Vec2::new(1280.0, 800.0));
    bench.frame(vec![]);
    bench.interface.focus_path_field();
    bench.frame(vec![]);
    bench.frame(vec![Event::Text("a.glb".into())]);
    assert!(bench.context.text_edit_focused());
    let enter = Event::Key {
        key: egui::Key::Enter,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    assert_eq!(bench.frame(vec![enter]).1, [Action::OpenPath("a.glb".into())]);
    bench.frame(vec![]);
    assert!(!bench.context.text_edit_focused());
}

#[test]
fn the_play_button_toggles_the_clip() {
    let mut bench = Bench::new(Vec2::new(1280.0, 800.0));
    bench.frame(vec![]);
    bench.frame(vec![]);
    // The second button of the upper row of the bar.
    let view_bottom = bench.frame(vec![]).0.bottom();
    let actions = bench.click(Pos2::new(10.0 + 24.0 + 6.0 + 12.0, view_bottom + 6.0 + 11.0));
    assert_eq!(actions, [Action::Send(Command::ToggleClip)]);
}

#[test]
fn a_section_resets_linked_values_too() {
    let mut params = Params::default();
    params.set_text("boids.max_speed", "4").expect("in range");
    params.set_text("boids.min_speed", "3").expect("in range");
    params.set_text("growth.growth", "0.1").expect("in range");
    let defaults = Params::default();
    rows::reset_section(&mut params.boids, &defaults.boids);
    rows::reset_section(&mut params.growth, &defaults.growth);
    assert_eq!(params, Params::default());
}

#[test]
fn a_text_is_taken_over_when_it_is_entered() {
    let context = egui::Context::default();
    style::apply(&context);
    let (mut params, defaults) = (Params::default(), Params::default());
    let infos = crate::params::Section::infos(&defaults.growth);
    let index = infos.iter().position(|info| info.name == "roots_at").expect("it is there");
    let mut frame = |event: Event| {
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, Vec2::new(800.0, 60.0)));
        let input = RawInput { screen_rect, events: vec![event], focused: true, ..RawInput::default() };
        let output = context.run_ui(input, |ui| rows::show(ui, &mut params.growth, &defaults.growth, index));
        output.drop_without_applying_deltas();
        (context.text_edit_focused(), params.growth.roots_at.to_string())
    };
    let (pos, modifiers) = (Pos2::new(600.0, 12.0), Modifiers::NONE);
    frame(Event::PointerMoved(pos));
    for pressed in [true, false] {
        frame(Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers });
    }
    for letters in ["Hip", "s, 3"] {
        assert_eq!(frame(Event::Text(letters.into())), (true, String::new()), "half a name is no name");
    }
    let key = egui::Key::Enter;
    let enter = Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
    assert_eq!(frame(enter).1, "Hips, 3");
    assert_eq!(frame(Event::PointerMoved(pos)), (false, "Hips, 3".into()));
}
