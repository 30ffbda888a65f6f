//! Wall time of work on the GPU, its medians, and comparisons in turns.

use std::time::Instant;

use serde::Serialize;

use crate::gpu::Gpu;

/// Milliseconds of one thing, measured several times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// Half of the runs took less.
    pub median_ms: f64,
    /// A tenth of the runs took less.
    pub p10_ms: f64,
    /// Nine tenths of the runs took less.
    pub p90_ms: f64,
    /// Runs that were measured.
    pub runs: usize,
}

impl Times {
    /// Sums up runs, in milliseconds; zeros without any.
    #[must_use]
    pub fn new(mut runs: Vec<f64>) -> Self {
        runs.sort_by(f64::total_cmp);
        let at = |part: f64| runs.get(((runs.len().max(1) - 1) as f64 * part).round() as usize).copied();
        let [median_ms, p10_ms, p90_ms] = [0.5, 0.1, 0.9].map(|part| at(part).unwrap_or(0.0));
        Self { median_ms, p10_ms, p90_ms, runs: runs.len() }
    }
}

/// Two things, measured in turns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pair {
    /// Dryad's.
    pub ours: Times,
    /// The original's.
    pub baseline: Times,
    /// Median of baseline by ours, pair for pair.
    pub ratio: f64,
}

/// Measures two things in turns, after one round that does not count. Each closure does its work and returns
/// milliseconds.
pub fn pair(rounds: usize, mut ours: impl FnMut() -> f64, mut baseline: impl FnMut() -> f64) -> Pair {
    ours();
    baseline();
    let runs: Vec<(f64, f64)> = (0..rounds).map(|_| (ours(), baseline())).collect();
    let ratios = runs.iter().map(|(a, b)| b / a.max(1e-9)).collect();
    Pair {
        ours: Times::new(runs.iter().map(|run| run.0).collect()),
        baseline: Times::new(runs.iter().map(|run| run.1).collect()),
        ratio: Times::new(ratios).median_ms,
    }
}

/// Milliseconds from the first submission of `work` until the GPU is idle again.
pub fn millis(gpu: &Gpu, work: impl FnOnce()) -> f64 {
    gpu.wait();
    let started = Instant::now();
    work();
    gpu.wait();
    1e3 * started.elapsed().as_secs_f64()
}

/// Submits one compute pass.
pub fn submit(gpu: &Gpu, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) {
    let mut encoder = gpu.encoder("bench");
    record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
    gpu.submit(encoder);
}

/// Slope of a straight line through the logarithms, by least squares; 1 is in proportion. 0 with fewer than two
/// points.
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |values: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(values).sum::<f64>() / count;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let spread: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    let together: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    if spread > 0.0 { together / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_slopes_are_what_they_say() {
        let times = Times::new((1..=11).map(f64::from).rev().collect());
        assert_eq!((times.median_ms, times.p10_ms, times.p90_ms, times.runs), (6.0, 2.0, 10.0, 11));
        assert_eq!(Times::new(Vec::new()).median_ms, 0.0);
        let squares: Vec<(f64, f64)> = (1..9).map(|n| (f64::from(n), 3.0 * f64::from(n * n))).collect();
        assert!((slope(&squares) - 2.0).abs() < 1e-12);
        assert_eq!(slope(&[(1.0, 1.0)]), 0.0);
        let mut calls = Vec::new();
        let calls = std::cell::RefCell::new(&mut calls);
        let pair = pair(
            3,
            || {
                calls.borrow_mut().push('a');
                2.0
            },
            || {
                calls.borrow_mut().push('b');
                6.0
            },
        );
        assert_eq!(pair.ratio, 3.0);
        assert_eq!(calls.borrow().iter().collect::<String>(), "abababab");
    }
}
