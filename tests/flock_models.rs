//! The flock round characters that move, at default settings: outside, through nothing, and still a flock.

mod common;

use dryad::character::winding::TriangleTree;
use dryad::gpu::Gpu;
use dryad::sim::boids::Boid;
use dryad::viewer::{Source, Take, Viewer, WarmUp, defaults_for};
use glam::{DVec3, Vec3};

/// Ticks of a flight, ten seconds; the first second is the flock's to find its way out.
const TICKS: u64 = 600;
/// How often the flock is looked at.
const LOOK: usize = 20;

/// What a flock looks like in numbers.
#[derive(Debug, Default)]
struct Shape {
    /// Mean distance to the nearest neighbour, H.
    apart: f64,
    /// Mean cosine between a boid's heading and those of its eight nearest.
    aligned: f64,
    /// Mean speed round the body's middle over mean speed: 1 if all circle, 0 if all fly to and fro.
    streaming: f64,
}

/// A character written by others, where present.
fn character(name: &str) -> Option<Source> {
    Some(Source::File(common::shared("models/characters")?.join(name)))
}

/// Boids that were seen where none should be.
#[derive(Debug, Default, PartialEq)]
struct Met {
    inside: usize,
    through: usize,
    looked_at: usize,
}

fn place(boid: &Boid) -> DVec3 {
    Vec3::from(boid.position).as_dvec3()
}

fn shape_of(flock: &[Boid], middle: DVec3, extent_m: f64) -> Shape {
    let headings: Vec<DVec3> =
        flock.iter().map(|b| Vec3::from(b.velocity).as_dvec3().normalize_or_zero()).collect();
    let places: Vec<DVec3> = flock.iter().map(place).collect();
    let mut shape = Shape::default();
    let mut round = DVec3::ZERO;
    // A part of a large flock tells as much.
    let asked = (0..flock.len()).step_by(flock.len().div_ceil(300));
    let count = asked.len() as f64;
    for i in asked {
        let mut others: Vec<(f64, usize)> = (0..flock.len())
            .filter(|&j| j != i)
            .map(|j| (places[i].distance_squared(places[j]), j))
            .collect();
        others.select_nth_unstable_by(7, |a, b| a.0.total_cmp(&b.0));
        let nearest = others[..8].iter().map(|(d, _)| *d).fold(f64::INFINITY, f64::min);
        shape.apart += nearest.sqrt() / extent_m / count;
        let mean: f64 = others[..8].iter().map(|&(_, j)| headings[i].dot(headings[j])).sum();
        shape.aligned += mean / 8.0 / count;
        round += (places[i] - middle).normalize_or_zero().cross(headings[i]) / count;
    }
    shape.streaming = round.length();
    shape
}

/// Flies round a clip and checks the flock every so many ticks.
fn fly(gpu: &Gpu, source: Source, clip: &str) -> Met {
    let mut viewer = Viewer::new(gpu.clone()).expect("it builds");
    viewer.params = defaults_for(gpu);
    // The field of the defaults for graphics cards, with as many points as a body of this size needs: those for
    // adapters that compute on the CPU are too coarse for the legs of a running fox.
    viewer.params.boids.field_resolution = 48;
    viewer.params.boids.field_points = 32_768;
    viewer.params.boids.count = 1024;
    viewer.params.growth.enabled = false;
    viewer.params.wrinkles.enabled = false;
    let name = source.describe();
    viewer.load_now(source).expect("it loads");
    let data = &viewer.character().expect("it is loaded").data;
    let clip = data.clips.iter().position(|c| c.name == clip).expect("the clip");
    let extent_m = f64::from(viewer.character().expect("it is loaded").rest.extent);
    let take = Take { clip: Some(clip), time_secs: 0.0, fps: 60.0, warm_up: WarmUp::Ticks(0) };
    let mut state = viewer.begin_take(take, &|_| ()).expect("it begins");
    let (mut mean, mut looks, mut met) = (Shape::default(), 0.0, Met::default());
    for tick in (60..=TICKS).step_by(LOOK) {
        viewer.simulate_frame(&mut state, tick).expect("it flies");
        viewer.gpu.wait();
        let (surface, boids) = (viewer.surface().expect("a body"), &viewer.simulations().boids);
        let flock = boids.flock().expect("it flies");
        let [before, now] =
            [flock.previous, flock.current].map(|state| state.read_range(gpu, 0..flock.count as usize));
        let positions: Vec<Vec3> = surface.positions.read(gpu).iter().map(|p| p.truncate()).collect();
        let body = TriangleTree::new(&positions, &surface.indices.read(gpu));
        let inside = now.iter().filter(|boid| body.contains(place(boid))).count();
        met.inside += inside;
        // A way that is outside at both ends and meets the skin led through a limb.
        for (before, now) in before.iter().zip(&now) {
            let (from, way) = (place(before), place(now) - place(before));
            let hit = body.first_hit(from, way, usize::MAX).is_some_and(|hit| hit.distance < 1.0);
            met.through += usize::from(hit && !body.contains(from) && !body.contains(place(now)));
        }
        met.looked_at += now.len();
        let middle = viewer.character().expect("it is loaded").rest.center().as_dvec3();
        let shape = shape_of(&now, middle, extent_m);
        mean.apart += shape.apart;
        mean.aligned += shape.aligned;
        mean.streaming += shape.streaming;
        looks += 1.0;
    }
    let (apart, aligned, streaming) = (mean.apart / looks, mean.aligned / looks, mean.streaming / looks);
    println!("{name}: {met:?}, apart {apart:.4} H, aligned {aligned:.3}, streaming {streaming:.3}");
    // Bands round what the default flock does: neighbours within the rules' reach (0.075 H) but not on each other,
    // headings of neighbours within some thirty degrees, and the crowd going round rather than to and fro.
    assert!((0.008..0.05).contains(&apart), "{name}: {apart} H apart");
    assert!(aligned > 0.8, "{name}: aligned by {aligned}");
    assert!(streaming > 0.2, "{name}: streaming by {streaming}");
    met
}

#[test]
fn round_the_dancers_dance() {
    let met = fly(common::gpu(), Source::BuiltIn, "dance");
    assert_eq!((met.inside, met.through), (0, 0));
}

#[test]
fn round_the_foxs_run() {
    if let Some(source) = character("Fox.glb") {
        let met = fly(common::gpu(), source, "Run");
        assert_eq!((met.inside, met.through), (0, 0));
    }
}

/// The blades that this knight swings cross several times their thickness in a tick.
#[test]
fn round_the_knights_attack() {
    if let Some(source) = character("KayKit_Knight.glb") {
        let met = fly(common::gpu(), source, "1H_Melee_Attack_Chop");
        // Of 94,208 boids looked at in a flock of 2,048, one was inside and twelve had been passed through.
        assert!(met.inside + met.through <= met.looked_at / 2000, "{met:?}");
    }
}
