//! The prefix sum equals the obvious loop, at every length where blocks begin, end or fold.

mod common;

use common::{compute, gpu, shaders};
use dryad::gpu::Buffer;
use dryad::gpu::buffer::STORAGE;
use dryad::gpu::scan::Scan;

fn exclusive(input: &[u32]) -> Vec<u32> {
    let mut sum = 0u32;
    input
        .iter()
        .map(|&value| {
            let before = sum;
            sum = sum.wrapping_add(value);
            before
        })
        .collect()
}

#[test]
fn equals_a_loop_at_every_awkward_length() {
    let scan = Scan::new(gpu(), shaders()).expect("the shader builds");
    // Around one thread, one block, one round of the middle dispatch (256 blocks) and beyond 2^20.
    for length in [1, 3, 4, 5, 1023, 1024, 1025, 4096, 262_143, 262_144, 262_145, 1_048_576, 1_100_003] {
        let input: Vec<u32> = (0..length).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 24).collect();
        let source = Buffer::from_slice(gpu(), "input", &input, STORAGE);
        let target = Buffer::<u32>::new(gpu(), "output", input.len(), STORAGE);
        let bound = scan.bind(gpu(), "test", &source, &target).expect("it binds");
        compute(|pass| scan.record(pass, &bound));
        assert!(target.read(gpu()) == exclusive(&input), "length {length}");
    }
}

#[test]
fn scans_no_more_than_it_is_told() {
    let scan = Scan::new(gpu(), shaders()).expect("the shader builds");
    let source = Buffer::from_slice(gpu(), "input", &[1u32; 3000], STORAGE);
    let target = Buffer::from_slice(gpu(), "output", &[7u32; 3000], STORAGE);
    let mut bound = scan.bind(gpu(), "test", &source, &target).expect("it binds");
    for length in [0, 1500, 9000] {
        bound.set_length(gpu(), length);
        target.write(gpu(), 0, &[7; 3000]);
        compute(|pass| scan.record(pass, &bound));
        let expected: Vec<u32> = (0..3000u32).map(|i| if (i as usize) < length { i } else { 7 }).collect();
        assert!(target.read(gpu()) == expected, "length {length}");
    }
}
