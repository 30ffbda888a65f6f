//! The `dryad` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    dryad::cli::main()
}
