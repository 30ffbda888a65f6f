//! The built-in figure: the example still writes the shipped file, and the file keeps its promises.

#[path = "sculpt/bends.rs"]
mod bends;
#[path = "../examples/sculpt/figure/mod.rs"]
mod figure;
#[path = "sculpt/glb.rs"]
mod glb;
#[path = "sculpt/mesh.rs"]
mod mesh;
#[path = "sculpt/motion.rs"]
mod motion;
#[path = "sculpt/overlap.rs"]
mod overlap;
#[path = "sculpt/skin.rs"]
mod skin;

use glb::shipped;

#[test]
fn the_example_writes_the_shipped_file_byte_for_byte() {
    let (fresh, stored) = (figure::glb(), shipped());
    let first = fresh.iter().zip(&stored).position(|(a, b)| a != b);
    assert!(
        fresh == stored,
        "`cargo run --example sculpt` would change assets/dancer.glb: {} bytes for {}, first difference at {first:?}",
        fresh.len(),
        stored.len()
    );
    assert!(stored.len() < 4_000_000, "{} bytes", stored.len());
}
