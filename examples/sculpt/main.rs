//! Sculpts the dancer and writes it as binary glTF.
//!
//! `cargo run --example sculpt [-- FILE]`; without FILE, the package's own `assets/dancer.glb`.

mod figure;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let path = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/dancer.glb"), PathBuf::from);
    let bytes = figure::glb();
    // Written beside and renamed, so that no half file is ever seen.
    let fresh = path.with_extension("glb.part");
    std::fs::write(&fresh, &bytes)?;
    std::fs::rename(&fresh, &path)?;
    println!("{}: {} bytes", path.display(), bytes.len());
    Ok(())
}
