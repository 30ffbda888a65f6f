//! The mouse: who owns a press, and how drags and the wheel move the camera.

use winit::event::{MouseButton, MouseScrollDelta};

/// A movement of the camera that the mouse asks for. Pixels are physical; x goes right, y down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CameraMove {
    /// Turn round the target by a drag of this many pixels.
    Orbit([f32; 2]),
    /// Shift the target with the cursor by this many pixels.
    Pan([f32; 2]),
    /// Come closer (positive) or go away by this many notches of the wheel.
    Zoom {
        /// Notches; fractions come from touchpads.
        notches: f32,
        /// What stays in place: pixels from the upper left corner of the view.
        at: [f32; 2],
    },
}

/// What the mouse does over the view, for the key list.
pub static GESTURES: [(&str, &str); 5] = [
    ("Left or middle drag", "Orbit"),
    ("Right or Shift+drag", "Pan"),
    ("Wheel", "Zoom to the cursor"),
    ("Ctrl or Cmd+click", "Put a root on the skin"),
    ("Double-click a label", "Reset a parameter"),
];

/// Pixels of smooth scrolling that count as one notch of a wheel.
const PIXELS_A_NOTCH: f64 = 50.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    /// The camera, until this button is released.
    View {
        button: MouseButton,
        pans: bool,
    },
    /// The panel, until this many buttons are released.
    Interface {
        buttons: u32,
    },
}

/// The mouse over the window. A drag belongs to whoever owned the press until it is released, wherever the
/// cursor goes meanwhile.
#[derive(Debug)]
pub struct Pointer {
    position: [f64; 2],
    owner: Owner,
}

impl Default for Pointer {
    fn default() -> Self {
        Self { position: [0.0; 2], owner: Owner::Nobody }
    }
}

impl Pointer {
    /// Where the cursor is, in physical pixels of the window.
    #[must_use]
    pub fn position(&self) -> [f64; 2] {
        self.position
    }

    /// Whether a drag moves the camera.
    #[must_use]
    pub fn drags_view(&self) -> bool {
        matches!(self.owner, Owner::View { .. })
    }

    /// A button went down; `over_view` says whether the cursor is over the view and nothing of the interface.
    pub fn press(&mut self, button: MouseButton, shift: bool, over_view: bool) {
        match &mut self.owner {
            Owner::View { .. } => {}
            Owner::Interface { buttons } => *buttons += 1,
            Owner::Nobody if !over_view => self.owner = Owner::Interface { buttons: 1 },
            Owner::Nobody => {
                let pans = match button {
                    MouseButton::Left | MouseButton::Middle => shift,
                    MouseButton::Right => true,
                    _ => return,
                };
                self.owner = Owner::View { button, pans };
            }
        }
    }

    /// A button came up.
    pub fn release(&mut self, button: MouseButton) {
        match &mut self.owner {
            Owner::View { button: held, .. } if *held == button => self.owner = Owner::Nobody,
            Owner::Interface { buttons } if *buttons > 1 => *buttons -= 1,
            Owner::Interface { .. } => self.owner = Owner::Nobody,
            _ => {}
        }
    }

    /// The window lost the keyboard or the mouse: nothing is held any more.
    pub fn let_go(&mut self) {
        self.owner = Owner::Nobody;
    }

    /// The cursor moved to a place in physical pixels of the window.
    pub fn moved(&mut self, to: [f64; 2]) -> Option<CameraMove> {
        let by = [(to[0] - self.position[0]) as f32, (to[1] - self.position[1]) as f32];
        self.position = to;
        match self.owner {
            Owner::View { pans: false, .. } => Some(CameraMove::Orbit(by)),
            Owner::View { pans: true, .. } => Some(CameraMove::Pan(by)),
            _ => None,
        }
    }

    /// The wheel turned over a view whose upper left corner is at `view_origin` in physical pixels.
    #[must_use]
    pub fn wheel(&self, delta: MouseScrollDelta, view_origin: [f64; 2]) -> CameraMove {
        let notches = match delta {
            MouseScrollDelta::LineDelta(_, y) => y,
            MouseScrollDelta::PixelDelta(by) => (by.y / PIXELS_A_NOTCH) as f32,
        };
        let at = [(self.position[0] - view_origin[0]) as f32, (self.position[1] - view_origin[1]) as f32];
        CameraMove::Zoom { notches, at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_from_the_panel_never_moves_the_camera() {
        let mut pointer = Pointer::default();
        pointer.moved([10.0, 10.0]);
        pointer.press(MouseButton::Left, false, false);
        assert_eq!(pointer.moved([500.0, 10.0]), None);
        // A second button over the view does not take over.
        pointer.press(MouseButton::Right, false, true);
        assert_eq!(pointer.moved([600.0, 10.0]), None);
        pointer.release(MouseButton::Left);
        assert_eq!(pointer.moved([700.0, 10.0]), None);
        pointer.release(MouseButton::Right);
        pointer.press(MouseButton::Right, false, true);
        assert_eq!(pointer.moved([701.0, 12.0]), Some(CameraMove::Pan([1.0, 2.0])));
    }

    #[test]
    fn a_drag_from_the_view_keeps_the_camera_over_the_panel() {
        let mut pointer = Pointer::default();
        pointer.press(MouseButton::Left, false, true);
        assert!(pointer.drags_view());
        assert_eq!(pointer.moved([5.0, -3.0]), Some(CameraMove::Orbit([5.0, -3.0])));
        pointer.press(MouseButton::Right, false, false);
        pointer.release(MouseButton::Right);
        assert_eq!(pointer.moved([6.0, -3.0]), Some(CameraMove::Orbit([1.0, 0.0])));
        pointer.release(MouseButton::Left);
        assert_eq!(pointer.moved([9.0, 9.0]), None);
    }

    #[test]
    fn shift_and_the_right_button_pan_and_other_buttons_do_nothing() {
        for (button, shift, pans) in [
            (MouseButton::Left, true, true),
            (MouseButton::Middle, false, false),
            (MouseButton::Middle, true, true),
            (MouseButton::Right, false, true),
        ] {
            let mut pointer = Pointer::default();
            pointer.press(button, shift, true);
            let moved = pointer.moved([1.0, 0.0]);
            assert_eq!(matches!(moved, Some(CameraMove::Pan(_))), pans);
            assert_eq!(matches!(moved, Some(CameraMove::Orbit(_))), !pans);
        }
        let mut pointer = Pointer::default();
        pointer.press(MouseButton::Back, false, true);
        assert_eq!(pointer.moved([1.0, 0.0]), None);
    }

    #[test]
    fn losing_the_window_ends_a_drag() {
        let mut pointer = Pointer::default();
        pointer.press(MouseButton::Left, false, true);
        pointer.let_go();
        assert_eq!(pointer.moved([1.0, 0.0]), None);
    }

    #[test]
    fn the_wheel_zooms_to_the_cursor() {
        let mut pointer = Pointer::default();
        pointer.moved([130.0, 60.0]);
        let zoom = pointer.wheel(MouseScrollDelta::LineDelta(0.0, 1.0), [100.0, 20.0]);
        assert_eq!(zoom, CameraMove::Zoom { notches: 1.0, at: [30.0, 40.0] });
    }
}
