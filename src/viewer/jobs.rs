//! Work off the frame: loading a file, planning growth. One thread a job; the newest request wins.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};

use crate::character::load::{self, LoadError, Progress};
use crate::character::{Character, CharacterData, RestShape};
use crate::params::Params;
use crate::render::environment::{EnvironmentError, EnvironmentPicture};
use crate::sim::growth::{self, GrowthPlan};

use super::Source;

/// The built-in figure.
static DANCER: &[u8] = include_bytes!("../../assets/dancer.glb");

/// The file of the built-in figure.
pub(crate) fn built_in() -> &'static [u8] {
    DANCER
}

/// Work whose result is still to come.
#[derive(Debug)]
pub struct Job<T> {
    receiver: Receiver<T>,
    /// How far it has come, and the way to stop it.
    pub progress: Arc<Progress>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts work on a thread of its own.
    pub fn start(work: impl FnOnce(&Progress) -> T + Send + 'static) -> Self {
        let progress = Arc::new(Progress::new());
        let (sender, receiver) = mpsc::channel();
        let for_thread = Arc::clone(&progress);
        std::thread::spawn(move || {
            // Nobody listens any more when the job was dropped for a newer one.
            let _ = sender.send(work(&for_thread));
        });
        Self { receiver, progress }
    }

    /// The result, when it is there. `Err` says that the thread died.
    pub fn poll(&self) -> Option<Result<T, ()>> {
        match self.receiver.try_recv() {
            Ok(result) => Some(Ok(result)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(())),
        }
    }

    /// Waits for the result; for work without a window. `None` says that the thread died.
    #[must_use]
    pub fn wait(self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

/// Loads a character and derives what the simulations need of it.
pub fn load(source: Source) -> Job<Result<Character, LoadError>> {
    Job::start(move |progress| {
        let data = read(&source, progress)?;
        Ok(Character::new(data))
    })
}

/// Reads a character, on this thread.
///
/// # Errors
/// When its file cannot be read.
pub fn read(source: &Source, progress: &Progress) -> Result<CharacterData, LoadError> {
    match source {
        Source::BuiltIn => load::load_bytes(DANCER, "dancer", progress),
        Source::Shape(shape) => load::load_bytes(&shape.glb(), shape.name(), progress),
        Source::File(path) => load::load(path, progress),
    }
}

/// Reads and averages a picture of light.
pub fn load_light(path: PathBuf) -> Job<Result<EnvironmentPicture, EnvironmentError>> {
    Job::start(move |_| EnvironmentPicture::load(&path))
}

/// Plans growth: samples the body's volume and chooses roots.
pub fn plan(character: Arc<Character>, params: &Params, seed: u32) -> Job<Option<GrowthPlan>> {
    let params = params.growth.clone();
    Job::start(move |progress| {
        let rest: &RestShape = &character.rest;
        growth::plan(&character.data, rest, &params, seed, progress.cancel_flag())
    })
}
