//! What tests share: a device, where strangers' models lie, comparisons.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::PathBuf;
use std::sync::LazyLock;

use dryad::gpu::{Gpu, ShaderLibrary};

/// One headless device a test program. No adapter is a failure, never a skip.
pub fn gpu() -> &'static Gpu {
    static GPU: LazyLock<Gpu> = LazyLock::new(|| Gpu::headless().expect("tests need an adapter"));
    &GPU
}

/// The shaders of the program.
pub fn shaders() -> &'static ShaderLibrary {
    static SHADERS: LazyLock<ShaderLibrary> = LazyLock::new(ShaderLibrary::embedded);
    &SHADERS
}

/// A folder of files written by others beside the project, where present.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("../shared/{folder} is not here: this test read nothing and proved nothing");
    None
}

/// Runs a closure with a compute pass and waits for the GPU; fails on device errors.
pub fn compute(record: impl FnOnce(&mut wgpu::ComputePass<'_>)) {
    let gpu = gpu();
    let mut encoder = gpu.encoder("test");
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        record(&mut pass);
    }
    gpu.submit(encoder);
    gpu.wait();
    assert_eq!(gpu.take_errors(), Vec::<String>::new());
}
