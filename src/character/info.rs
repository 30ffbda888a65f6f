//! What `dryad info` says about a file.
