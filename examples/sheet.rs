//! Joins pictures of one size into a contact sheet: `cargo run --example sheet -- COLUMNS OUT.png TILE.png...`

use anyhow::{Context, ensure};
use image::{GenericImage, RgbImage};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [columns, out, tiles @ ..] = &arguments[..] else {
        anyhow::bail!("use: sheet COLUMNS OUT.png TILE.png...");
    };
    let columns: u32 = columns.parse().context("the number of columns")?;
    ensure!(columns > 0 && !tiles.is_empty(), "a sheet has columns and tiles");
    let mut sheet = RgbImage::new(0, 0);
    let mut size = (0, 0);
    for (k, path) in (0..).zip(tiles) {
        let tile = image::open(path).with_context(|| path.clone())?.to_rgb8();
        if k == 0 {
            size = tile.dimensions();
            let rows = (tiles.len() as u32).div_ceil(columns);
            sheet = RgbImage::new(size.0 * columns, size.1 * rows);
        }
        ensure!(tile.dimensions() == size, "{path} is of another size than the first tile");
        sheet.copy_from(&tile, k % columns * size.0, k / columns * size.1)?;
    }
    sheet.save(out).with_context(|| out.clone())?;
    println!("{out}: {} tiles", tiles.len());
    Ok(())
}
