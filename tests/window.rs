//! The real window under a virtual display, driven by scripts.
#![cfg(target_os = "linux")]

#[path = "common/fixtures.rs"]
mod fixtures;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use image::RgbaImage;

/// A virtual display, closed at the end.
struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// A display of its own, 960 x 600; the server chooses a free number and tells it.
    fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "960x600x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("this test needs Xvfb, which `./dev test` installs");
        let mut line = String::new();
        let stdout = server.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("Xvfb tells its display");
        let number: u32 = line.trim().parse().expect("Xvfb tells its display");
        Self { server, name: format!(":{number}") }
    }

    /// Runs the program on this display with a script and little to do.
    fn run(&self, folder: &Path, script: &str) -> Output {
        let file = folder.join("script.txt");
        std::fs::write(&file, script).expect("a script");
        program(folder)
            .env("DISPLAY", &self.name)
            .args(["--set", "boids.count=256", "--set", "growth.spacing=0.03", "--automate"])
            .arg(file)
            .output()
            .expect("the program starts")
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.server.kill().expect("Xvfb runs");
        self.server.wait().expect("Xvfb ends");
    }
}

/// The program without a display.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dryad"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command.env("XDG_RUNTIME_DIR", folder).current_dir(folder);
    command
}

fn picture(folder: &Path, name: &str) -> RgbaImage {
    image::open(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")).to_rgba8()
}

fn colours(picture: &RgbaImage) -> usize {
    picture.pixels().map(|pixel| pixel.0).collect::<BTreeSet<_>>().len()
}

/// Part of the pixels that differ by more than 8 of 255 in some channel: more than dithering.
fn difference(a: &RgbaImage, b: &RgbaImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let differs =
        |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 8);
    a.pixels().zip(b.pixels()).filter(differs).count() as f64 / f64::from(a.width() * a.height())
}

#[test]
fn the_window_opens_a_second_file_saves_pictures_and_closes() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("stick.glb"), fixtures::stick().to_glb()).expect("a file");
    std::fs::write(folder.join("broken.glb"), b"glTF, but not really").expect("a file");
    let script = "
        watchdog 300
        wait_loaded
        frames 5
        screenshot figure.png
        open stick.glb
        wait_loaded
        frames 3
        screenshot stick.png
        # A broken file changes nothing but the error strip.
        open broken.glb
        wait_error
        frames 2
        window window.png
        # Keys and parameters.
        set boids.enabled false
        key X
        expect view.xray 0
        key G
        expect view.grid false
        key Shift+F5
        expect wrinkles.enabled false
        key Tab
        frames 2
        window bare.png
        key H
        frames 2
        key Esc
        quit";
    let output = Display::start().run(folder, script);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");

    let figure = picture(folder, "figure.png");
    let stick = picture(folder, "stick.png");
    // A background alone has a few dozen shades.
    assert!(colours(&figure) > 1000, "the figure is not there: {} colours", colours(&figure));
    assert!(difference(&figure, &stick) > 0.02, "the second file looks like the first");

    let window = picture(folder, "window.png");
    assert_eq!(window.dimensions(), (960, 600));
    assert!(stick.width() < 960 && stick.height() < 600, "the panel covers the view");
    let panel = image::Rgba([24, 26, 30, 255]);
    let right = (stick.width() + 2..960).flat_map(|x| (0..600).map(move |y| (x, y)));
    let count = right.clone().count();
    let plain = right.filter(|&(x, y)| *window.get_pixel(x, y) == panel).count();
    assert!(plain * 4 > count && plain < count, "{plain} of {count} pixels look like a panel");
    let strip = image::Rgba([52, 32, 32, 255]);
    assert!(window.pixels().filter(|pixel| **pixel == strip).count() > 1000, "no error strip");
    let bare = picture(folder, "bare.png");
    assert!(bare.pixels().all(|pixel| *pixel != panel), "Tab hides the panel");
}

/// Sizes that are looked at after the walk.
const ENDS: [(u32, u32); 3] = [(1, 1), (3000, 5), (640, 400)];

#[test]
fn no_size_is_too_small_or_too_odd() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut script = String::from("watchdog 300\nwait_loaded\nset boids.enabled false\n");
    // Sizes of one pixel, slivers, and a walk over others without a pattern.
    let mut sizes = vec![(1, 1), (3000, 5), (5, 1200), (480, 320)];
    let mut state = 1_u32;
    for _ in 0..16 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        sizes.push(((state >> 8) % 1300 + 1, (state >> 20) % 900 + 1));
    }
    for (width, height) in sizes {
        script.push_str(&format!("resize {width} {height}\nframes 1\n"));
    }
    for (width, height) in ENDS {
        script.push_str(&format!("resize {width} {height}\nframes 3\nwindow {width}x{height}.png\n"));
    }
    let output = Display::start().run(folder.path(), &script);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    for (width, height) in ENDS {
        let window = picture(folder.path(), &format!("{width}x{height}.png"));
        assert_eq!(window.dimensions(), (width, height), "the window did not follow");
    }
}

#[test]
fn a_script_that_fails_names_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let display = Display::start();
    for (script, line) in [
        ("wait_loaded\nexpect view.grid false", "line 2 of the script, `expect view.grid false`: it is true"),
        ("set view.grid 5", "line 1 of the script, `set view.grid 5`"),
        ("open nowhere.glb\nframes 1000", "line 2 of the script, `frames 1000`: nowhere.glb"),
        ("screenshot nowhere/x.png", "line 1 of the script"),
    ] {
        let output = display.run(folder.path(), script);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{script}: {errors}");
        assert!(errors.contains(line), "{script}: {errors}");
    }
}

#[test]
fn a_lost_device_ends_the_program_with_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Display::start().run(folder.path(), "wait_loaded\nframes 2\nlose_device\nframes 100\nquit");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("the graphics device was lost"), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn without_a_display_the_program_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let silent = program(folder.path()).output().expect("the program starts");
    // A display that is named but not there.
    let absent = program(folder.path()).env("DISPLAY", ":59999").output().expect("the program starts");
    for output in [silent, absent] {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("no display") && errors.contains("dryad render"), "{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}
