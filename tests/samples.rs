//! Anti-aliasing: cut-outs and thin branches cover what they should of a pixel, and pictures drawn in parts are the
//! mean of them.

mod common;
mod stage;

use dryad::character::CharacterData;
use dryad::character::data::{AlphaMode, ColorSpace, Image, TextureSlot, Wrap};
use dryad::gpu::capture::Picture;
use dryad::sim::growth::BranchNode;
use glam::{DVec3, Vec2, Vec3, Vec4};
use stage::{Stage, pixel, square};

/// A square of 4 m, 64 pixels, of which `alphas` is the texture, from left to right.
fn cutout(alphas: &[u8], cutoff: f32) -> CharacterData {
    let mut data = square(2.0, 0.0);
    let texels = alphas.iter().flat_map(|&alpha| [255, 255, 255, alpha]).collect();
    data.images.push(Image::new(alphas.len() as u32, 1, texels, ColorSpace::Srgb));
    data.vertices.uvs = [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)].map(Vec2::from).to_vec();
    let mut slot = TextureSlot::new(0);
    slot.sampler.wrap = [Wrap::Clamp; 2];
    let material = &mut data.materials[0];
    material.base_color_texture = Some(slot);
    material.alpha = AlphaMode::Mask(cutoff);
    material.unlit = true;
    data
}

/// A stage without a glow, which would cover pixels of its own.
fn crisp(data: &CharacterData) -> Stage {
    let mut stage = Stage::at_rest(data);
    stage.params.light.bloom = 0.0;
    stage
}

fn row(picture: &Picture, y: u32) -> Vec<u8> {
    (0..picture.width).map(|x| pixel(picture, x, y)[3]).collect()
}

#[test]
fn the_edge_of_a_cut_out_covers_a_part_of_its_pixel() {
    // Alpha rises from 0 to 1 over half the square, 32 pixels; with these thresholds its edge lies so many pixels in.
    for (xray, threshold) in [(0.0, 0.5), (0.0, 0.508), (0.8, 0.508)] {
        let mut stage = crisp(&cutout(&[0, 255], threshold));
        stage.transparent = true;
        stage.params.view.xray = xray;
        let edge = 16.0 + 32.0 * f64::from(threshold);
        let hard = row(&stage.picture(), 32);
        stage.samples = 4;
        let soft = row(&stage.picture(), 32);
        if xray == 0.0 {
            assert!(hard.iter().all(|&alpha| alpha == 0 || alpha == 255), "one sample is in or out");
            let covered = soft.iter().map(|&alpha| f64::from(alpha) / 255.0).sum::<f64>();
            // A sample is a quarter; the filter's fraction has 8 bits.
            assert!(
                (64.0 - edge - covered).abs() <= 0.15,
                "threshold {threshold}: {covered} of {}",
                64.0 - edge
            );
        } else {
            // As a shell: depth and colour agree on what is covered, so no pixel beyond the edge shows anything.
            assert!(soft[..edge as usize - 1].iter().all(|&alpha| alpha == 0), "{soft:?}");
            assert!(soft[edge as usize + 1] > 0, "{soft:?}");
        }
    }
}

#[test]
fn a_cut_out_of_even_alpha_is_there_or_not() {
    for (alpha, whole) in [(128, true), (127, false)] {
        let mut stage = crisp(&cutout(&[alpha], 128.0 / 255.0));
        (stage.transparent, stage.samples) = (true, 4);
        stage.params.view.xray = 0.0;
        let shown = row(&stage.picture(), 32);
        assert!(
            shown.iter().all(|&alpha| (alpha == 255) == whole && (alpha == 0) != whole),
            "{alpha}: {shown:?}"
        );
    }
}

/// A branch across the picture through its middle, this many pixels thick; a pixel is 1/16 m.
fn branch(width_px: f32, tilt: f32) -> [BranchNode; 2] {
    let node = |x: f32| BranchNode {
        position: [x, tilt * x + 0.01, 0.0],
        radius: 0.5 * width_px / 16.0,
        color: Vec3::splat(0.5).to_array(),
        ..BranchNode::default()
    };
    [node(-1.9), BranchNode { parent: 0, ..node(1.9) }]
}

#[test]
fn thin_branches_keep_their_coverage_and_stay_whole() {
    let mut data = square(0.01, -1.5);
    data.materials[0].unlit = true;
    for (width_px, samples) in [(0.25, 4), (0.6, 4), (3.0, 4)] {
        for tilt in [0.0, 0.21] {
            let mut stage = crisp(&data);
            (stage.transparent, stage.samples, stage.parts) = (true, samples, 4);
            stage.params.view.body = false;
            stage.set_branches(&branch(width_px, tilt));
            let picture = stage.picture();
            let columns: Vec<f64> = (10..54)
                .map(|x| (0..64).map(|y| f64::from(pixel(&picture, x, y)[3]) / 255.0).sum())
                .collect();
            // A slanted line is longer within a column than it is thick.
            let wanted = f64::from(width_px) * f64::from(tilt).hypot(1.0);
            let mean = columns.iter().sum::<f64>() / columns.len() as f64;
            // Sixteen samples a pixel, and alpha in steps of 1/255 over a few pixels.
            assert!((mean - wanted).abs() < 0.06 * wanted + 0.02, "{width_px} px, tilt {tilt}: {mean}");
            let least = columns.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(least > 0.5 * wanted, "{width_px} px, tilt {tilt}: a column shows {least}");
        }
    }
}

#[test]
fn a_thin_branch_shines_through_nothing_that_stands_before_it() {
    // A wall nearer to the eye hides it; one behind it does not.
    for (z, hidden) in [(0.5, true), (-0.5, false)] {
        let mut data = square(3.0, z);
        data.materials[0].unlit = true;
        data.materials[0].base_color = Vec4::new(0.0, 0.0, 1.0, 1.0);
        let mut stage = crisp(&data);
        stage.samples = 4;
        stage.params.view.xray = 0.0;
        stage.params.light.tone_map = 3;
        stage.set_branches(&branch(0.5, 0.0));
        let picture = stage.picture();
        let reds = (20..44).filter(|&y| pixel(&picture, 32, y)[0] > 20).count();
        assert_eq!(reds == 0, hidden, "wall at {z}: {reds} rows show the branch");
    }
}

#[test]
fn parts_add_up_to_a_finer_picture_and_to_the_same_one_again() {
    // A half plane whose edge leans by one pixel in sixteen.
    let corners = [(-3.0, -3.0), (0.1875, -3.0), (-0.1875, 3.0), (-3.0, 3.0)];
    let corners = corners.map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec();
    let mut data = CharacterData::from_triangles("half", corners, vec![0, 1, 2, 0, 2, 3]);
    data.materials[0].unlit = true;
    let mut stage = crisp(&data);
    (stage.transparent, stage.samples) = (true, 4);
    stage.params.view.xray = 0.0;
    let mut levels = Vec::new();
    for parts in [1, 4, 16] {
        stage.parts = parts;
        let picture = stage.picture();
        let alphas: Vec<u8> = (0..64).flat_map(|y| row(&picture, y)).collect();
        let mut different = alphas.clone();
        different.sort_unstable();
        different.dedup();
        levels.push(different.len());
        // The edge runs through the middle: half of the picture is covered.
        let covered = alphas.iter().map(|&a| f64::from(a) / 255.0).sum::<f64>();
        assert!((covered - 2048.0).abs() < 64.0 * 0.05, "{parts} parts cover {covered}");
        assert_eq!(picture.rgba, stage.picture().rgba, "{parts} parts, again");
    }
    assert!(levels[0] <= 5 && levels[1] > 8 && levels[2] > 16, "levels of grey: {levels:?}");
}

#[test]
fn parts_are_averaged_in_linear_light() {
    // An edge between black and white, half a pixel in: half of the light, not of the code.
    let mut data = square(2.0, 0.0);
    data.materials[0].unlit = true;
    let mut stage = crisp(&data);
    (stage.samples, stage.parts) = (4, 16);
    stage.params.view.xray = 0.0;
    stage.params.light.tone_map = 3;
    (stage.params.light.background_top, stage.params.light.background_bottom) = ([0.0; 3], [0.0; 3]);
    stage.camera = dryad::render::Camera::new(DVec3::new(1.96, 0.0, 2.0), DVec3::new(1.96, 0.0, 0.0), 90.0);
    let edge = pixel(&stage.picture(), 32, 32)[0];
    // The square ends 0.04 m right of the middle, where pixel 32 begins: 0.64 pixels. Dither, and 64 samples, of
    // which those in one column count alike.
    assert!((stage::linear(edge) - 0.64).abs() < 0.05, "{edge}, not {}", stage::encoded(0.64));
}

#[test]
fn more_samples_change_edges_alone() {
    for alpha in [AlphaMode::Opaque, AlphaMode::Mask(0.5), AlphaMode::Blend] {
        let mut data = square(1.0, 0.0);
        let material = &mut data.materials[0];
        (material.unlit, material.alpha) = (true, alpha);
        material.base_color = Vec4::new(0.5, 0.25, 0.75, 0.6);
        let mut stage = crisp(&data);
        stage.params.view.xray = 0.0;
        stage.transparent = true;
        let once = stage.picture();
        (stage.samples, stage.parts) = (4, 4);
        let finer = stage.picture();
        for y in 0..64 {
            for x in 0..64 {
                // The square covers pixels 16 to 47 exactly; parts shift its edges by a quarter of a pixel.
                let inside = |v: u32| (17..47).contains(&v);
                let outside = |v: u32| !(15..49).contains(&v);
                if inside(x) && inside(y) || outside(x) || outside(y) {
                    let [a, b] = [&once, &finer].map(|picture| pixel(picture, x, y));
                    // Half floats summed in 32 bits: the last step.
                    assert!(
                        a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 1),
                        "{alpha:?} at {x}, {y}: {a:?}, {b:?}"
                    );
                }
            }
        }
    }
}
