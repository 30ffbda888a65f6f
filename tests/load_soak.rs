//! Mutants of every file at hand, for as long as asked: `./dev soak [SECONDS]`.
//!
//! Each case is a corpus file and a seed, so that it can be made again; the case that is being loaded stands in a
//! file, so that it is known even when the process dies. A case fails when it panics, breaks what `CharacterData`
//! promises, takes too long, or holds more memory than its size justifies. What it finds is fixed and becomes a test
//! beside its like. `DRYAD_SOAK_SECS`, `DRYAD_SOAK_SEED` (the first one) and `DRYAD_SOAK_ONLY` (part of the names of
//! corpus files) say how long and what, `DRYAD_SOAK_DIR` where findings go.

#[path = "common/fixtures.rs"]
mod fixtures;
#[path = "common/invariants.rs"]
mod invariants;
#[path = "common/mutants.rs"]
mod mutants;
#[path = "common/pictures_of_light.rs"]
mod pictures_of_light;

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use dryad::character::load::{Progress, load_bytes};
use dryad::character::{CharacterData, info};
use dryad::render::environment::EnvironmentPicture;
use dryad::render::environment::picture::is_environment;
use fixtures::{ktx2, textured};
use glam::Vec3;
use mutants::{Random, mutate, mutate_json, rich_stick};
use pictures_of_light::{exr, hdr};
use serde_json::{Value, json};

/// Seconds when `DRYAD_SOAK_SECS` names none.
const DEFAULT_SECS: u64 = 60;
/// What any case may take.
const CASE_LIMIT: Duration = Duration::from_secs(5);
/// What a case may hold whatever its size: twice what the loader grants for geometry (vectors grow by copying) and
/// for images.
const FREE_BYTES: usize = 1 << 30;
/// And for each of its bytes.
const BYTES_PER_BYTE: usize = 3000;
/// No case gets more than this from the allocator, so that a runaway ends this process and not the machine.
const MOST_BYTES: usize = 6 << 30;
/// External files beyond this are left out of the corpus.
const LARGEST_SIDECAR: u64 = 512 << 10;

/// Counts live bytes and their peak.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code, reason = "an allocator is unsafe by nature; this one counts and passes on")]
// SAFETY: every call is passed to the system's allocator with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        if live > MOST_BYTES {
            LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
            return std::ptr::null_mut();
        }
        // SAFETY: see above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: see above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Replaces what a `.gltf` names by data URIs, so that it can be loaded from memory.
fn inline(path: &Path, bytes: Vec<u8>) -> Vec<u8> {
    let Ok(mut json) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
    let folder = path.parent().expect("a folder");
    for list in ["buffers", "images"] {
        for item in json[list].as_array_mut().into_iter().flatten() {
            let Some(uri) = item.get("uri").and_then(Value::as_str) else { continue };
            let file = folder.join(uri);
            let small = std::fs::metadata(&file).is_ok_and(|data| data.len() <= LARGEST_SIDECAR);
            if uri.starts_with("data:") || !small {
                continue;
            }
            let content = std::fs::read(&file).expect("readable");
            let content = base64::engine::general_purpose::STANDARD.encode(content);
            item["uri"] = json!(format!("data:application/octet-stream;base64,{content}"));
        }
    }
    serde_json::to_vec(&json).expect("serialisable")
}

fn corpus() -> Vec<(String, Vec<u8>)> {
    let mut corpus = vec![
        ("rich stick.glb".to_owned(), rich_stick().to_glb()),
        ("rich stick.gltf".to_owned(), rich_stick().to_gltf()),
        ("uastc.glb".to_owned(), textured(&ktx2(3, 4, [200, 100, 50, 255])).to_glb()),
        ("even.hdr".to_owned(), hdr([40, 20], Vec3::new(0.5, 2.0, 300.0))),
        ("slope.exr".to_owned(), exr([40, 20], |u, v| Vec3::new(u as f32, v as f32, 40.0))),
    ];
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models");
    let Ok(index) = std::fs::read(models.join("index.json")) else {
        println!("../shared/models is not here: only fixtures are mutated");
        return corpus;
    };
    let index: Value = serde_json::from_slice(&index).expect("a list");
    for entry in index.as_array().expect("a list") {
        let name = entry["file"].as_str().expect("a path");
        let bytes = std::fs::read(models.join(name)).expect("readable");
        corpus.push((name.to_owned(), inline(&models.join(name), bytes)));
    }
    // The only ETC1S file is small but draws nothing: its picture goes on a cube.
    let bytes = std::fs::read(models.join("extensions/image-basis.gltf")).expect("readable");
    let json: Value = serde_json::from_slice(&bytes).expect("JSON");
    let pictures = json["images"].as_array().into_iter().flatten().filter_map(|image| image["uri"].as_str());
    for (index, picture) in pictures.filter_map(|uri| uri.split_once(";base64,")).enumerate() {
        let bytes = base64::engine::general_purpose::STANDARD.decode(picture.1).expect("base64");
        corpus.push((format!("basis {index}.glb"), textured(&bytes).to_glb()));
    }
    corpus
}

/// What became of a file that was sound.
enum Opened {
    Character(Box<CharacterData>),
    Light(Box<EnvironmentPicture>),
}

impl Opened {
    fn from_bytes(bytes: &[u8], path: &Path) -> Option<Self> {
        if is_environment(path) {
            return EnvironmentPicture::from_bytes(bytes, path)
                .ok()
                .map(|picture| Self::Light(Box::new(picture)));
        }
        load_bytes(bytes, "mutant", &Progress::new()).ok().map(|data| Self::Character(Box::new(data)))
    }

    /// Panics where it breaks what it promises.
    fn check(&self) {
        match self {
            Self::Character(data) => {
                invariants::check_invariants(data, "mutant");
                assert!(!info::text(data).is_empty() && info::json(data).is_object());
            }
            Self::Light(picture) => {
                assert!(picture.irradiance.iter().all(|factor| factor.is_finite()));
                // Exponents of infinity and of no number have all five bits set.
                let finite = |half: &u16| half & 0x7c00 != 0x7c00;
                assert!(picture.levels.iter().flatten().all(finite));
            }
        }
    }
}

/// The parts of a GLB: JSON text and what follows it.
fn split_glb(bytes: &[u8]) -> Option<(Value, &[u8])> {
    if !bytes.starts_with(b"glTF") {
        return None;
    }
    let length = u32::from_le_bytes(bytes.get(12..16)?.try_into().ok()?) as usize;
    Some((serde_json::from_slice(bytes.get(20..20 + length)?).ok()?, bytes.get(20 + length..)?))
}

fn join_glb(json: &Value, rest: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).expect("serialisable");
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(((20 + text.len() + rest.len()) as u32).to_le_bytes());
    glb.extend((text.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend(rest);
    glb
}

/// A file under a seed: bytes anywhere, bytes behind the JSON text, or values within it.
fn mutant(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let parts = split_glb(bytes);
    let json = match &parts {
        Some((json, _)) => Some(json.clone()),
        None => serde_json::from_slice::<Value>(bytes).ok(),
    };
    match (random.below(10), json, parts) {
        (0..=4, Some(mut json), parts) => {
            for _ in 0..=random.below(2) {
                mutate_json(&mut json, &mut random);
            }
            match parts {
                Some((_, rest)) => join_glb(&json, rest),
                None => serde_json::to_vec(&json).expect("serialisable"),
            }
        }
        (5..=8, Some(json), Some((_, rest))) if rest.len() > 8 => {
            let mut changed = rest[..8].to_vec();
            changed.extend(mutate(&rest[8..], &mut random));
            // Lengths go with the bytes, or most mutants would end at the door.
            let length = (changed.len() - 8) as u32;
            changed[..4].copy_from_slice(&length.to_le_bytes());
            join_glb(&json, &changed)
        }
        _ => mutate(bytes, &mut random),
    }
}

#[test]
#[ignore = "runs for as long as it is given; ./dev soak"]
fn mutants_for_as_long_as_asked() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let lasts = Duration::from_secs(number("DRYAD_SOAK_SECS").unwrap_or(DEFAULT_SECS));
    let first_seed = number("DRYAD_SOAK_SEED").unwrap_or(1);
    let folder: PathBuf = std::env::var_os("DRYAD_SOAK_DIR").map_or_else(std::env::temp_dir, Into::into);
    std::fs::create_dir_all(&folder).expect("a folder for findings");
    let mut corpus = corpus();
    if let Ok(part) = std::env::var("DRYAD_SOAK_ONLY") {
        corpus.retain(|(name, _)| name.contains(&part));
    }

    // The watchdog cannot stop a case, only say which one hangs.
    static CASE: AtomicU64 = AtomicU64::new(0);
    static DONE: AtomicBool = AtomicBool::new(false);
    let current = folder.join("dryad-soak-current");
    let watchdog = std::thread::spawn(move || {
        let (mut last, mut since) = (0, Instant::now());
        while !DONE.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(200));
            let case = CASE.load(Ordering::Relaxed);
            if case != last {
                (last, since) = (case, Instant::now());
            } else if since.elapsed() > CASE_LIMIT * 60 {
                eprintln!("case {case} hangs");
                std::process::abort();
            }
        }
    });
    std::panic::set_hook(Box::new(|_| {}));

    let start = Instant::now();
    let (mut cases, mut loaded, mut found) = (0u64, 0u64, Vec::new());
    let mut slowest = (Duration::ZERO, String::new());
    let mut hungriest = (0usize, String::new());
    'soak: for seed in first_seed.. {
        for (name, bytes) in &corpus {
            if start.elapsed() > lasts {
                break 'soak;
            }
            let what = format!("{name} under seed {seed}");
            // Large files take longest and differ least.
            if bytes.len() > 1 << 20 && seed % 8 != 0 {
                continue;
            }
            std::fs::write(&current, &what).expect("writable");
            CASE.fetch_add(1, Ordering::Relaxed);
            let mutant = mutant(bytes, seed);
            let before = LIVE.load(Ordering::Relaxed);
            PEAK.store(before, Ordering::Relaxed);
            let began = Instant::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let opened = Opened::from_bytes(&mutant, Path::new(name));
                let peak = PEAK.load(Ordering::Relaxed) - before;
                opened.inspect(Opened::check).map(|_| peak)
            }));
            let mut took = began.elapsed();
            // Other work on the machine may have held it up: only what is slow every time is slow.
            for _ in 0..2 {
                if took > CASE_LIMIT {
                    let again = Instant::now();
                    CASE.fetch_add(1, Ordering::Relaxed);
                    let _ = Opened::from_bytes(&mutant, Path::new(name));
                    took = took.min(again.elapsed());
                }
            }
            cases += 1;
            let fault = match outcome {
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().cloned();
                    text.or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                }
                Ok(opened) => {
                    loaded += u64::from(opened.is_some());
                    let peak = opened.unwrap_or_else(|| PEAK.load(Ordering::Relaxed) - before);
                    if peak > hungriest.0 {
                        hungriest = (peak, what.clone());
                    }
                    (peak > FREE_BYTES + mutant.len() * BYTES_PER_BYTE)
                        .then(|| format!("holds {} MiB for {} bytes", peak >> 20, mutant.len()))
                }
            };
            let fault = fault.or_else(|| (took > CASE_LIMIT).then(|| format!("takes {took:?}")));
            if took > slowest.0 {
                slowest = (took, what.clone());
            }
            if let Some(fault) = fault {
                let file = folder.join(format!("dryad-finding-{cases}"));
                std::fs::write(&file, &mutant).expect("writable");
                eprintln!("{what}: {fault} ({})", file.display());
                found.push(what);
            }
        }
    }
    DONE.store(true, Ordering::Relaxed);
    watchdog.join().expect("the watchdog");
    let _ = std::panic::take_hook();
    println!("{cases} mutants in {:?}, of which {loaded} loaded", start.elapsed());
    println!(
        "slowest: {} ({:?}); hungriest: {} ({} MiB)",
        slowest.1,
        slowest.0,
        hungriest.1,
        hungriest.0 >> 20
    );
    assert!(loaded > 0, "no mutant got as far as posing");
    assert!(found.is_empty(), "{} findings: {found:?}", found.len());
}
