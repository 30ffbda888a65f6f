//! The `dryad` program.

fn main() {}
