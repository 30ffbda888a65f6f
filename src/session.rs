//! Everything reproducible, as TOML.
