//! Writes frames on a thread of its own: a bounded queue, so that memory stays flat when the disk is slow.

use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::image::{self, PictureError};
use crate::gpu::capture::Picture;

/// Frames that may wait to be written; the renderer waits when there are more.
const QUEUE: usize = 4;

/// A writer of numbered pictures.
#[derive(Debug)]
pub struct SequenceWriter {
    sender: Option<SyncSender<Item>>,
    thread: Option<JoinHandle<Result<u64, PictureError>>>,
}

#[derive(Debug)]
struct Item {
    path: PathBuf,
    picture: Picture,
    session: String,
}

impl SequenceWriter {
    /// Starts the thread.
    #[must_use]
    pub fn start() -> Self {
        let (sender, receiver) = sync_channel::<Item>(QUEUE);
        let thread = std::thread::spawn(move || {
            let mut written = 0;
            for item in receiver {
                image::save(&item.path, &item.picture, Some(&item.session))?;
                written += 1;
            }
            Ok(written)
        });
        Self { sender: Some(sender), thread: Some(thread) }
    }

    /// Queues a picture; waits while the queue is full. `false` says that the writer has stopped, and
    /// [`SequenceWriter::finish`] why.
    #[must_use]
    pub fn push(&self, path: PathBuf, picture: Picture, session: String) -> bool {
        self.sender.as_ref().is_some_and(|sender| sender.send(Item { path, picture, session }).is_ok())
    }

    /// Waits until everything is written; returns the number of pictures.
    ///
    /// # Errors
    /// The first picture that could not be written; those before it are whole.
    pub fn finish(mut self) -> Result<u64, PictureError> {
        self.sender = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            // A panic of the writer is ours to pass on.
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_written_and_the_first_failure_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let picture = Picture { width: 1, height: 1, rgba: vec![1, 2, 3, 255] };
        let writer = SequenceWriter::start();
        for n in 0..20 {
            assert!(writer.push(folder.path().join(format!("{n}.png")), picture.clone(), String::new()));
        }
        assert_eq!(writer.finish().expect("written"), 20);

        let writer = SequenceWriter::start();
        let _ = writer.push(folder.path().join("no/such/folder.png"), picture, String::new());
        let error = writer.finish().expect_err("no folder");
        assert!(error.to_string().contains("folder.png"));
    }
}
