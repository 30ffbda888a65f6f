//! Scripts that drive the window as a person would, for tests and for pictures of the program.
//!
//! One command a line; blank lines and lines that begin with `#` are skipped. The first line that fails ends
//! the program with exit code 1 and is named, and so does an error that the window shows and no
//! `wait_error` expects.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::keys;

/// One command of a script.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// `wait_loaded`: goes on when a character is there and nothing is being loaded.
    WaitLoaded,
    /// `wait_error`: goes on when the window shows an error, and takes it as expected.
    WaitError,
    /// `frames N`: goes on after N more frames.
    Frames(u32),
    /// `open PATH`: types the path into the path field and presses Enter.
    Open(String),
    /// `set PATH VALUE`: sets a parameter.
    Set(String, String),
    /// `expect PATH VALUE`: fails unless the parameter has this value.
    Expect(String, String),
    /// `key NAME`: what that key does, as the key list names it.
    Key(&'static keys::Binding),
    /// `root X Y`: adds a root at the skin that is seen at this pixel of the view.
    Root(u32, u32),
    /// `resize WIDTH HEIGHT`: asks for an inner size in physical pixels.
    Resize(u32, u32),
    /// `screenshot FILE`: saves the view without the interface.
    Screenshot(PathBuf),
    /// `window FILE`: saves the whole window.
    Window(PathBuf),
    /// `lose_device`: takes the graphics device away, as a driver that resets does.
    LoseDevice,
    /// `quit`: closes the window; so does the end of the script.
    Quit,
}

impl PartialEq for keys::Binding {
    fn eq(&self, other: &Self) -> bool {
        self.label() == other.label()
    }
}

/// Why a script is no script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the script, `{text}`: {fault}")]
pub struct ScriptError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
    /// What is wrong with it.
    pub fault: String,
}

/// A parsed script.
#[derive(Debug, Clone, PartialEq)]
pub struct Automation {
    steps: Vec<(usize, String, Step)>,
    at: usize,
    frames_left: Option<u32>,
    watchdog: Duration,
}

/// What waiting steps look at.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Whether a character is there and nothing is being loaded.
    pub loaded: bool,
    /// The first error that was shown and not expected so far.
    pub error: Option<&'a str>,
}

/// What is to be done in this frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Nothing but drawing.
    Draw,
    /// This step.
    Do(Step),
    /// The error was expected: forget it.
    ForgetErrors,
}

impl Automation {
    /// Reads a script.
    ///
    /// # Errors
    /// Names the first line that is no command.
    pub fn parse(script: &str) -> Result<Self, ScriptError> {
        let mut steps = Vec::new();
        let mut watchdog = Duration::from_secs(120);
        for (index, text) in script.lines().enumerate() {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let fault = |fault: String| ScriptError { line: index + 1, text: text.into(), fault };
            if let Some(seconds) = text.strip_prefix("watchdog ") {
                watchdog = Duration::from_secs(number(seconds).map_err(fault)?.into());
                continue;
            }
            steps.push((index + 1, text.to_owned(), parse_step(text).map_err(fault)?));
        }
        Ok(Self { steps, at: 0, frames_left: None, watchdog })
    }

    /// An error that names the line the script is at.
    #[must_use]
    pub fn failure(&self, fault: impl Into<String>) -> ScriptError {
        // The step that was handed out last is the one before `at`.
        let (line, text, _) =
            self.steps.get(self.at.saturating_sub(1)).cloned().unwrap_or((0, String::new(), Step::Quit));
        ScriptError { line, text, fault: fault.into() }
    }

    /// Called once a frame.
    ///
    /// # Errors
    /// When the window shows an error that no `wait_error` expects.
    pub fn advance(&mut self, seen: Seen<'_>) -> Result<Next, ScriptError> {
        let Some((line, text, step)) = self.steps.get(self.at) else { return Ok(Next::Do(Step::Quit)) };
        if let (Some(error), false) = (seen.error, *step == Step::WaitError) {
            return Err(ScriptError { line: *line, text: text.clone(), fault: error.into() });
        }
        match step {
            Step::WaitLoaded if !seen.loaded => return Ok(Next::Draw),
            Step::WaitError if seen.error.is_none() => return Ok(Next::Draw),
            Step::WaitError => {
                self.at += 1;
                return Ok(Next::ForgetErrors);
            }
            Step::Frames(count) => {
                let left = self.frames_left.get_or_insert(*count);
                if *left > 0 {
                    *left -= 1;
                    return Ok(Next::Draw);
                }
                self.frames_left = None;
            }
            _ => {}
        }
        let step = step.clone();
        self.at += 1;
        Ok(match step {
            Step::WaitLoaded | Step::Frames(_) => Next::Draw,
            step => Next::Do(step),
        })
    }

    /// Ends the program with exit code 1 when the returned end of the channel is not dropped in time: a window
    /// that hangs cannot watch itself.
    ///
    /// # Errors
    /// When no thread could be started.
    pub fn start_watchdog(&self) -> std::io::Result<Sender<()>> {
        let (alive, watched) = channel::<()>();
        let limit = self.watchdog;
        std::thread::Builder::new().name("watchdog".into()).spawn(move || {
            if watched.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!("error: the script did not end within {} s", limit.as_secs());
                std::process::exit(1);
            }
        })?;
        Ok(alive)
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("`{}` is not a whole number", text.trim()))
}

fn parse_step(text: &str) -> Result<Step, String> {
    let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let pair = || {
        rest.split_once(char::is_whitespace)
            .map(|(a, b)| (a.to_owned(), b.trim().to_owned()))
            .ok_or_else(|| format!("`{command}` takes two words"))
    };
    let step = match command {
        "wait_loaded" => Step::WaitLoaded,
        "wait_error" => Step::WaitError,
        "lose_device" => Step::LoseDevice,
        "quit" => Step::Quit,
        "frames" => return Ok(Step::Frames(number(rest)?)),
        "set" => return pair().map(|(path, value)| Step::Set(path, value)),
        "expect" => return pair().map(|(path, value)| Step::Expect(path, value)),
        "resize" | "root" => {
            let (first, second) = pair()?;
            let (first, second) = (number(&first)?, number(&second)?);
            let step = if command == "root" { Step::Root } else { Step::Resize };
            return Ok(step(first, second));
        }
        "key" => {
            return keys::by_label(rest).map(Step::Key).ok_or_else(|| format!("no key is called `{rest}`"));
        }
        "open" | "screenshot" | "window" if rest.is_empty() => {
            return Err(format!("`{command}` takes a path"));
        }
        "open" => return Ok(Step::Open(rest.into())),
        "screenshot" => return Ok(Step::Screenshot(rest.into())),
        "window" => return Ok(Step::Window(rest.into())),
        _ => return Err("there is no such command".into()),
    };
    if rest.is_empty() { Ok(step) } else { Err(format!("`{command}` takes nothing after it")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Seen<'static> = Seen { loaded: true, error: None };

    fn steps(script: &str) -> Vec<Step> {
        Automation::parse(script).expect("a script").steps.into_iter().map(|(_, _, step)| step).collect()
    }

    #[test]
    fn every_command_is_read() {
        let script = "# a comment\n\nwait_loaded\nframes 3\n open a b.glb \nset view.grid false\n\
                      expect view.grid false\nkey ctrl+z\nroot 10 20\nresize 640 400\nscreenshot s.png\nwindow w.png\n\
                      wait_error\nlose_device\nquit\nwatchdog 5";
        let key = keys::by_label("Ctrl+Z").expect("a key");
        assert_eq!(
            steps(script),
            [
                Step::WaitLoaded,
                Step::Frames(3),
                Step::Open("a b.glb".into()),
                Step::Set("view.grid".into(), "false".into()),
                Step::Expect("view.grid".into(), "false".into()),
                Step::Key(key),
                Step::Root(10, 20),
                Step::Resize(640, 400),
                Step::Screenshot("s.png".into()),
                Step::Window("w.png".into()),
                Step::WaitError,
                Step::LoseDevice,
                Step::Quit,
            ]
        );
        assert_eq!(Automation::parse(script).expect("a script").watchdog, Duration::from_secs(5));
    }

    #[test]
    fn what_is_no_command_is_named_with_its_line() {
        for (script, line) in [
            ("frames x", 1),
            ("\nfly", 2),
            ("quit now", 1),
            ("open", 1),
            ("set view.grid", 1),
            ("quit\nkey Hyper+Q", 2),
            ("resize 10", 1),
            ("root 10 -1", 1),
            ("watchdog soon", 1),
        ] {
            assert_eq!(Automation::parse(script).map_err(|error| error.line), Err(line), "{script}");
        }
    }

    #[test]
    fn waiting_steps_wait_and_the_end_quits() {
        let mut script = Automation::parse("wait_loaded\nframes 2\nset view.grid false").expect("a script");
        let loading = Seen { loaded: false, error: None };
        assert_eq!(script.advance(loading), Ok(Next::Draw));
        assert_eq!(script.advance(loading), Ok(Next::Draw));
        assert_eq!(script.advance(CALM), Ok(Next::Draw));
        // Two frames are drawn, a third call finds them done.
        for _ in 0..3 {
            assert_eq!(script.advance(CALM), Ok(Next::Draw));
        }
        let set = Step::Set("view.grid".into(), "false".into());
        assert_eq!(script.advance(CALM), Ok(Next::Do(set)));
        assert_eq!(script.failure("no").line, 3);
        assert_eq!(script.advance(CALM), Ok(Next::Do(Step::Quit)));
    }

    #[test]
    fn an_error_that_nobody_expects_fails_the_script() {
        let failed = Seen { loaded: true, error: Some("broken") };
        let mut script = Automation::parse("wait_error\nquit").expect("a script");
        assert_eq!(script.advance(CALM), Ok(Next::Draw));
        assert_eq!(script.advance(failed), Ok(Next::ForgetErrors));
        assert_eq!(
            script.advance(failed).map_err(|error| (error.line, error.fault)),
            Err((2, "broken".into()))
        );
    }
}
