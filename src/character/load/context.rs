//! What every step of loading shares: the file's name, warnings, the memory allowance, progress, cancelling.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::error::LoadError;

/// Bytes of decoded data that any file may ask for, however small it is: instances and sparse accessors need
/// no bytes of their own.
const FREE_BYTES: u64 = 256 << 20;
/// Decoded bytes for each byte read. Plain geometry needs about 4, meshopt-compressed about 40.
const BYTES_PER_BYTE: u64 = 64;
/// Warnings kept; a file with more is told so in one more line.
const MAX_WARNINGS: usize = 100;

/// How far loading has come, and whether it shall stop. Shared between the loading and the watching thread.
#[derive(Debug, Default)]
pub struct Progress {
    fraction_bits: AtomicU32,
    cancelled: AtomicBool,
}

impl Progress {
    /// Nothing done yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The part done, 0 to 1.
    #[must_use]
    pub fn fraction(&self) -> f32 {
        f32::from_bits(self.fraction_bits.load(Ordering::Relaxed))
    }

    /// Says how much is done, 0 to 1.
    pub fn set(&self, fraction: f32) {
        self.fraction_bits.store(fraction.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
    }

    /// Asks the loader to stop; it answers soon with [`LoadError::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The flag that [`Progress::cancel`] sets, for work that knows nothing of loading.
    #[must_use]
    pub fn cancel_flag(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Whether [`Progress::cancel`] was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// A foreign text fit for one line of a message.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut line: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().count() > LONGEST {
        line.push('…');
    }
    line
}

/// Shared state of one load.
pub(super) struct Context<'a> {
    /// The file's name, as it stands in every message.
    pub file: String,
    progress: &'a Progress,
    warnings: RefCell<Vec<String>>,
    dropped_warnings: Cell<usize>,
    bytes_read: Cell<u64>,
    bytes_charged: Cell<u64>,
}

impl<'a> Context<'a> {
    pub fn new(file: &str, progress: &'a Progress) -> Self {
        Self {
            file: one_line(file),
            progress,
            warnings: RefCell::default(),
            dropped_warnings: Cell::new(0),
            bytes_read: Cell::new(0),
            bytes_charged: Cell::new(0),
        }
    }

    /// A contradiction in the file.
    pub fn broken(&self, place: impl Into<String>, fault: impl Into<String>) -> LoadError {
        let (place, fault) = (one_line(&place.into()), one_line(&fault.into()));
        LoadError::Broken { file: self.file.clone(), place, fault }
    }

    /// Notes a fault that was mended or set aside; equal sentences are kept once.
    pub fn warn(&self, sentence: impl Into<String>) {
        let sentence = one_line(&sentence.into());
        let mut warnings = self.warnings.borrow_mut();
        if warnings.contains(&sentence) {
            return;
        }
        if warnings.len() < MAX_WARNINGS {
            warnings.push(sentence);
        } else {
            self.dropped_warnings.set(self.dropped_warnings.get() + 1);
        }
    }

    /// All warnings so far, with a last line that counts those left out.
    pub fn take_warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.take();
        let dropped = self.dropped_warnings.get();
        if dropped > 0 {
            warnings.push(format!("{dropped} more warnings are not listed"));
        }
        warnings
    }

    /// Notes bytes read from storage: they raise the allowance of [`Context::charge`].
    pub fn add_bytes_read(&self, bytes: u64) {
        self.bytes_read.set(self.bytes_read.get().saturating_add(bytes));
    }

    /// Bytes read from storage so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    /// Bytes that [`Context::charge`] would still grant.
    pub fn allowance_left(&self) -> u64 {
        let allowance = FREE_BYTES.saturating_add(self.bytes_read.get().saturating_mul(BYTES_PER_BYTE));
        allowance.saturating_sub(self.bytes_charged.get())
    }

    /// Takes `bytes` from the allowance before they are allocated.
    ///
    /// # Errors
    /// [`LoadError::TooLarge`] when the bytes read do not justify that much.
    pub fn charge(&self, bytes: u64, place: &str) -> Result<(), LoadError> {
        if bytes > self.allowance_left() {
            return Err(LoadError::TooLarge { file: self.file.clone(), place: place.to_owned() });
        }
        self.bytes_charged.set(self.bytes_charged.get() + bytes);
        Ok(())
    }

    /// What other threads of this load may look at.
    pub fn progress(&self) -> &'a Progress {
        self.progress
    }

    /// Reports progress.
    ///
    /// # Errors
    /// [`LoadError::Cancelled`] when someone asked to stop.
    pub fn step(&self, fraction: f32) -> Result<(), LoadError> {
        if self.progress.is_cancelled() {
            return Err(LoadError::Cancelled);
        }
        self.progress.set(fraction);
        Ok(())
    }
}
