//! Undo and redo over parameters and seed.

use crate::params::Params;

type State = (Params, u32);

/// The most states kept.
const CAPACITY: usize = 200;

/// Frames without a change after which a change counts as done: a drag is one step, not hundreds.
const SETTLED_FRAMES: u32 = 12;

/// States to go back and forth between.
#[derive(Debug)]
pub struct History {
    undo: Vec<State>,
    redo: Vec<State>,
    /// The last settled state.
    settled: State,
    /// The state seen last, and for how many frames it has not changed.
    seen: State,
    still_frames: u32,
}

impl History {
    pub fn new(params: &Params, seed: u32) -> Self {
        let state = (params.clone(), seed);
        Self { undo: Vec::new(), redo: Vec::new(), settled: state.clone(), seen: state, still_frames: 0 }
    }

    /// Looks at the present state, once a frame.
    pub fn record(&mut self, params: &Params, seed: u32) {
        if self.seen.0 == *params && self.seen.1 == seed {
            self.still_frames = self.still_frames.saturating_add(1);
            if self.still_frames == SETTLED_FRAMES {
                self.settle();
            }
        } else {
            self.seen = (params.clone(), seed);
            self.still_frames = 0;
        }
    }

    fn settle(&mut self) {
        if self.seen == self.settled {
            return;
        }
        if self.undo.len() == CAPACITY {
            self.undo.remove(0);
        }
        self.undo.push(std::mem::replace(&mut self.settled, self.seen.clone()));
        self.redo.clear();
    }

    /// One change back; a change still under way is taken back first.
    pub fn undo(&mut self, params: &Params, seed: u32) -> Option<State> {
        self.seen = (params.clone(), seed);
        self.settle();
        let earlier = self.undo.pop()?;
        self.redo.push(std::mem::replace(&mut self.settled, earlier));
        self.seen = self.settled.clone();
        Some(self.settled.clone())
    }

    /// One change forth.
    pub fn redo(&mut self) -> Option<State> {
        let later = self.redo.pop()?;
        self.undo.push(std::mem::replace(&mut self.settled, later));
        self.seen = self.settled.clone();
        Some(self.settled.clone())
    }

    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty() || self.seen != self.settled
    }

    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_is_one_step_and_redo_takes_it_back() {
        let mut params = Params::default();
        let mut history = History::new(&params, 1);
        for step in 1..=30 {
            params.view.xray = step as f32 / 100.0;
            history.record(&params, 1);
        }
        for _ in 0..=SETTLED_FRAMES {
            history.record(&params, 1);
        }
        let (back, _) = history.undo(&params, 1).expect("one change");
        assert_eq!(back, Params::default());
        assert!(history.undo(&back, 1).is_none());
        let (forth, _) = history.redo().expect("taken back");
        assert_eq!(forth, params);
    }

    #[test]
    fn a_seed_is_undone_at_once() {
        let params = Params::default();
        let mut history = History::new(&params, 1);
        history.record(&params, 7);
        assert!(history.can_undo());
        assert_eq!(history.undo(&params, 7).map(|state| state.1), Some(1));
    }
}
