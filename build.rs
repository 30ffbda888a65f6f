//! Embeds every file under `shaders/` by its path, so that no list of them has to be kept.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("shaders");
    println!("cargo::rerun-if-changed=shaders");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut out = String::from(
        "/// Name and text of every file under `shaders/`.\nstatic SHADERS: &[(&str, &str)] = &[\n",
    );
    for file in files {
        let relative = file.strip_prefix(&root).expect("found below it").with_extension("");
        let name = relative.to_string_lossy().replace('\\', "/");
        // Named from the package's root as it is when the text is compiled: a moved tree stays right.
        let below = format!("/shaders/{name}.wgsl");
        writeln!(out, "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {below:?}))),")
            .expect("to a string");
    }
    out.push_str("];\n");
    let target = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it")).join("shaders.rs");
    std::fs::write(target, out)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "wgsl") {
            files.push(path);
        }
    }
    Ok(())
}
