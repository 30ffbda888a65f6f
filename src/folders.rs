//! Where Dryad keeps what belongs to the user and not to a file: the system's own places for that.

use std::path::PathBuf;

use directories::ProjectDirs;

/// What can be made again at any time: `~/.cache/dryad` on Linux, `Library/Caches` on macOS, `AppData\Local` on
/// Windows. None where the system names no home.
#[must_use]
pub fn cache() -> Option<PathBuf> {
    Some(ProjectDirs::from("", "", "dryad")?.cache_dir().to_owned())
}
