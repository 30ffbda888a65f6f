//! Bakes the built-in studio's light.
//!
//! `cargo run --example studio [-- FILE]`; without FILE, the package's own `assets/studio.light`.

mod bake;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let path = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/studio.light"), PathBuf::from);
    let bytes = bake::studio();
    // Written beside and renamed, so that no half file is ever seen.
    let fresh = path.with_extension("light.part");
    std::fs::write(&fresh, &bytes)?;
    std::fs::rename(&fresh, &path)?;
    println!("{}: {} bytes", path.display(), bytes.len());
    Ok(())
}
