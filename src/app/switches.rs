//! What keys do to parameters.

use std::collections::HashMap;

use crate::params::{Kind, ParamError, Params, Value};

/// Flips a switch.
///
/// # Errors
/// When there is no such parameter.
pub fn toggle(params: &mut Params, path: &str) -> Result<(), ParamError> {
    if let Value::Switch(on) = params.get(path)? {
        params.set(path, Value::Switch(!on))?;
    }
    Ok(())
}

/// Goes to the next name of a choice, and from the last to the first.
///
/// # Errors
/// When there is no such parameter.
pub fn cycle(params: &mut Params, path: &str) -> Result<(), ParamError> {
    if let (Kind::Choice(names), Value::Int(at)) = (params.info(path)?.kind, params.get(path)?) {
        params.set(path, Value::Int((at + 1) % names.len().max(1) as u32))?;
    }
    Ok(())
}

/// Numbers that were turned to 0, and what they were.
#[derive(Debug, Default)]
pub struct Muted(HashMap<&'static str, f32>);

impl Muted {
    /// Turns a number to 0, or from 0 back to what it was, or to its default.
    ///
    /// # Errors
    /// When there is no such parameter.
    pub fn toggle(
        &mut self,
        params: &mut Params,
        defaults: &Params,
        path: &'static str,
    ) -> Result<(), ParamError> {
        let Value::Float(now) = params.get(path)? else { return Ok(()) };
        if now != 0.0 {
            self.0.insert(path, now);
            return params.set(path, Value::Float(0.0));
        }
        match self.0.remove(path) {
            Some(before) => params.set(path, Value::Float(before)),
            None => params.set(path, defaults.get(path)?),
        }
    }
}

/// Turns off every simulation but this one; when it is the only one on, turns all of them on.
///
/// # Errors
/// When there is no such section.
pub fn solo(params: &mut Params, section: &str) -> Result<(), ParamError> {
    params.get(&format!("{section}.enabled"))?;
    let switches: Vec<(String, bool)> = params
        .sections()
        .iter()
        .map(|section| section.path())
        .filter_map(|path| match params.get(&format!("{path}.enabled")) {
            Ok(Value::Switch(on)) => Some((path.to_owned(), on)),
            _ => None,
        })
        .collect();
    let alone = switches.iter().all(|(path, on)| *on == (path == section));
    for (path, _) in switches {
        params.set(&format!("{path}.enabled"), Value::Switch(alone || path == section))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_flip_and_choices_go_round() {
        let mut params = Params::default();
        toggle(&mut params, "view.grid").expect("a switch");
        assert!(!params.view.grid);
        for expected in [1, 2, 3, 4, 5, 0] {
            cycle(&mut params, "view.mode").expect("a choice");
            assert_eq!(params.view.mode, expected);
        }
        assert!(toggle(&mut params, "view.gird").is_err());
    }

    #[test]
    fn a_muted_number_comes_back() {
        let (mut params, mut muted) = (Params::default(), Muted::default());
        params.view.xray = 0.4;
        muted.toggle(&mut params, &Params::default(), "view.xray").expect("a number");
        assert_eq!(params.view.xray, 0.0);
        muted.toggle(&mut params, &Params::default(), "view.xray").expect("a number");
        assert_eq!(params.view.xray, 0.4);
        params.view.xray = 0.0;
        muted.toggle(&mut params, &Params::default(), "view.xray").expect("a number");
        assert_eq!(params.view.xray, Params::default().view.xray);
    }

    #[test]
    fn solo_leaves_one_and_gives_all_back() {
        let mut params = Params::default();
        let on = |p: &Params| [p.growth.enabled, p.boids.enabled, p.wrinkles.enabled];
        solo(&mut params, "boids").expect("a simulation");
        assert_eq!(on(&params), [false, true, false]);
        solo(&mut params, "growth").expect("a simulation");
        assert_eq!(on(&params), [true, false, false]);
        solo(&mut params, "growth").expect("a simulation");
        assert_eq!(on(&params), [true, true, true]);
        assert!(solo(&mut params, "light").is_err());
    }
}
