//! Light from all around: the built-in studio, pictures that are loaded, and what becomes of broken ones.

mod common;
mod stage;

#[path = "../examples/studio/bake.rs"]
mod bake;
#[path = "common/pictures_of_light.rs"]
mod pictures_of_light;

use std::path::Path;

use common::{gpu, shaders};
use dryad::character::CharacterData;
use dryad::gpu::buffer::{STORAGE, UNIFORM};
use dryad::gpu::{Buffer, ComputePass, Groups, ShaderLibrary};
use dryad::render::environment::baked::Baked;
use dryad::render::environment::picture::direction_of;
use dryad::render::environment::{EnvironmentError, EnvironmentPicture, octahedron};
use dryad::render::{Camera, Environment, Frame};
use dryad::viewer::{Command, LightSource, Notice, Viewer};
use glam::{DVec3, Vec3, Vec4};
use pictures_of_light::{exr, hdr};
use stage::{Stage, encoded, pixel};

fn loaded(bytes: &[u8]) -> EnvironmentPicture {
    EnvironmentPicture::from_bytes(bytes, Path::new("test")).expect("a picture of light")
}

fn lit_by(picture: &EnvironmentPicture) -> Environment {
    let mut environment = Environment::new(gpu());
    environment.use_picture(gpu(), shaders(), picture).expect("it is prefiltered");
    environment
}

/// An expression over `x: vec4<f32>` for each of `given`, in an environment turned by some degrees.
fn in_light(environment: &Environment, turned_deg: f32, expression: &str, given: &[Vec4]) -> Vec<Vec4> {
    let source = format!(
        "//!include \"common/frame.wgsl\"\n//!include \"common/light.wgsl\"\n\
         //!include \"common/reflectance.wgsl\"\n\
         @group(0) @binding(9) var<storage, read_write> values: array<vec4<f32>>;\n\
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
             let x = values[id.x];\n    values[id.x] = {expression};\n}}"
    );
    let library = ShaderLibrary::embedded().with("test/light", &source);
    let (sin, cos) = turned_deg.to_radians().sin_cos();
    let to_key = [0.48, 0.6, 0.64];
    let environment_turn = glam::Vec2::new(cos, sin);
    let frame = Frame { to_key, ambient: 1.0, environment_turn, ..Frame::default() };
    let uniform = Buffer::from_slice(gpu(), "test/frame", &[frame], UNIFORM);
    let values = Buffer::from_slice(gpu(), "test/values", given, STORAGE);
    let pass = ComputePass::new(gpu(), &library, "test/light", "main").expect("it builds");
    let [map, sampler] = environment.map();
    // What the expression does not read is not bound.
    let given_resources = [
        ("frame", uniform.raw().as_entire_binding()),
        ("values", values.raw().as_entire_binding()),
        environment.irradiance(),
        map,
        sampler,
    ];
    let used: Vec<_> = given_resources.into_iter().filter(|(name, _)| pass.reads(name)).collect();
    let bound = pass.bind_resources(gpu(), &used).expect("it binds");
    common::compute(|compute| pass.dispatch(compute, &bound, Groups::Items(given.len())));
    values.read(gpu())
}

/// Directions all over the sphere.
fn directions(count: usize) -> Vec<Vec4> {
    (0..count)
        .map(|i| {
            let y = 1.0 - (2.0 * i as f32 + 1.0) / count as f32;
            let (sin, cos) = (i as f32 * 2.399_963_2).sin_cos();
            let r = (1.0 - y * y).sqrt();
            Vec4::new(r * cos, y, r * sin, 0.0)
        })
        .collect()
}

/// A smooth light with a top, a side and a colour.
fn smooth_light(d: DVec3) -> DVec3 {
    let lamp = (6.0 * (d.dot(DVec3::new(0.6, 0.64, -0.48)) - 1.0)).exp();
    DVec3::new(0.3 + 0.2 * d.y + 4.0 * lamp, 0.4 + 0.3 * d.x + 3.0 * lamp, 0.5 - 0.2 * d.z + 2.0 * lamp)
}

fn smooth_picture() -> EnvironmentPicture {
    loaded(&exr([256, 128], |u, v| smooth_light(direction_of(u, v)).as_vec3()))
}

/// A sum over the sphere in f64, with a weight by the cosine to a normal, divided by the sum of weights.
fn weighted_mean(normal: DVec3, weight: impl Fn(f64) -> f64) -> DVec3 {
    let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
    for y in 0..180 {
        for x in 0..360 {
            let (u, v) = ((f64::from(x) + 0.5) / 360.0, (f64::from(y) + 0.5) / 180.0);
            let d = direction_of(u, v);
            let w = weight(normal.dot(d)) * (v * std::f64::consts::PI).sin();
            sum += smooth_light(d) * w;
            weights += w;
        }
    }
    sum / weights
}

#[test]
fn the_example_still_writes_the_shipped_studio() {
    let shipped = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/studio.light"));
    let shipped = shipped.expect("assets/studio.light");
    assert!(Baked::from_bytes(&shipped).is_some(), "the shipped studio cannot be read");
    let baked = bake::studio();
    let first = baked.iter().zip(&shipped).position(|(a, b)| a != b);
    assert!(baked == shipped, "`cargo run --example studio` would change it, first at {first:?}");
}

#[test]
fn a_broken_studio_is_refused() {
    let whole = bake::studio();
    assert!(Baked::from_bytes(&whole[..whole.len() - 1]).is_none());
    assert!(Baked::from_bytes(&[whole.as_slice(), &[0]].concat()).is_none());
    assert!(Baked::from_bytes(&[0xff; 64]).is_none());
    assert!(Baked::from_bytes(&[]).is_none());
    // One level of a side, dark: one of a texel has no neighbours to be mixed with, and none is no level.
    let of_side =
        |side: u8| [&[1, 0, 0, 0, side, 0, 0, 0][..], &vec![0; 108 + 6 * usize::from(side).pow(2)]].concat();
    assert!([0, 1].iter().all(|&side| Baked::from_bytes(&of_side(side)).is_none()));
    assert!(Baked::from_bytes(&of_side(2)).is_some());
    assert!(Baked::from_bytes(&[0; 112]).is_none(), "no level");
}

#[test]
fn shader_and_file_agree_on_where_directions_lie() {
    // A studio of one level whose light is its direction, 0.5 to 1.5.
    let side = 64;
    let at = |x, y| (octahedron::direction_at(x, y, side).0 * 0.5 + 1.0).as_vec3();
    let level: Vec<Vec3> = (0..side).flat_map(|y| (0..side).map(move |x| at(x, y))).collect();
    let baked = Baked { sides: vec![side], levels: vec![level], irradiance: [Vec3::ZERO; 9] };
    let mut environment = Environment::new(gpu());
    environment.use_baked(gpu(), &baked);
    let given = directions(200);
    let seen = in_light(&environment, 0.0, "vec4<f32>(environment_radiance(x.xyz, 0.5), 0.0)", &given);
    for (d, got) in given.iter().zip(seen) {
        let off = (got - (0.5 * *d + 1.0)).truncate().abs().max_element();
        // Half a texel across a fold of the octahedron, where the direction bends; one turned round is off by 0.1.
        assert!(off < 0.01, "{d}: {got}");
    }
}

#[test]
fn a_grey_picture_lights_a_chalk_ball_exactly_grey_and_nothing_is_lost() {
    for file in [
        exr([1, 1], |_, _| Vec3::splat(0.5)),
        hdr([64, 32], Vec3::splat(0.5)),
        exr([5, 3], |_, _| Vec3::splat(0.5)),
    ] {
        let environment = lit_by(&loaded(&file));
        let white = |base: &str, metal: &str, roughness: &str, f0: &str, f90: &str| {
            format!(
                "(vec4<f32>(light_surface(Surface(vec3<f32>({base}), {metal}, x.xyz, {roughness}, x.xyz, 1.0, \
                 vec3<f32>({f0}), {f90}, vec3<f32>(0.0), 0.0, 0.0, 0.0, x.xyz, 1.0), false).diffuse + \
                 light_surface(Surface(vec3<f32>({base}), {metal}, x.xyz, {roughness}, x.xyz, 1.0, \
                 vec3<f32>({f0}), {f90}, vec3<f32>(0.0), 0.0, 0.0, 0.0, x.xyz, 1.0), false).specular, 0.0))"
            )
        };
        for (what, expression) in [
            ("chalk", white("1.0", "0.0", "1.0", "0.0", "0.0")),
            ("snow", white("1.0", "0.0", "0.6", "0.04", "1.0")),
            ("silver", white("1.0", "1.0", "0.3", "0.04", "1.0")),
        ] {
            for got in in_light(&environment, 17.0, &expression, &directions(40)) {
                // Half floats hold 0.5; sums of f32, and harmonics of an even light that vanish to 1e-5.
                assert!((got.truncate() - 0.5).abs().max_element() < 2e-4, "{what}: {got}");
                assert!((got.x - got.y).abs() < 1e-6 && (got.y - got.z).abs() < 1e-6, "{what}: {got}");
            }
        }
    }
}

#[test]
fn a_prefiltered_picture_equals_its_twin() {
    let environment = lit_by(&smooth_picture());
    let given = directions(24);
    // The roughness of each level; between them the map is mixed.
    for roughness in [0.0, 0.25, 0.5, 0.75, 1.0f32] {
        let expression = format!("vec4<f32>(environment_radiance(x.xyz, {roughness:?}), 0.0)");
        for (d, got) in given.iter().zip(in_light(&environment, 0.0, &expression, &given)) {
            let n = d.truncate().as_dvec3();
            let a2 = f64::from(roughness).powi(4);
            let wanted = if roughness == 0.0 {
                smooth_light(n)
            } else {
                weighted_mean(n, |cosine| {
                    let h = 0.5 * (1.0 + cosine) * (a2 - 1.0) + 1.0;
                    if cosine > 0.0 { cosine * a2 / (h * h) } else { 0.0 }
                })
            };
            let off = (got.truncate().as_dvec3() - wanted).abs().max_element();
            // 128 samples, each a mean over a square of texels in place of a part of the lobe.
            assert!(
                off < 0.04 * wanted.max_element() + 0.01,
                "roughness {roughness}, {n}: {got}, not {wanted}"
            );
        }
    }
    let irradiance = in_light(&environment, 0.0, "vec4<f32>(environment_irradiance(x.xyz), 0.0)", &given);
    for (d, got) in given.iter().zip(irradiance) {
        let n = d.truncate().as_dvec3();
        let wanted = weighted_mean(n, |cosine| cosine.max(0.0));
        let off = (got.truncate().as_dvec3() - wanted).abs().max_element();
        // Harmonics of the second order hold irradiance within a few percent of its largest value (here 1.6).
        assert!(off < 0.06, "{n}: {got}, not {wanted}");
    }
}

/// A ball of radius 1 with exact normals.
fn ball() -> CharacterData {
    let (around, down) = (128u32, 64u32);
    let places = (0..=down).flat_map(|y| (0..=around).map(move |x| (x, y)));
    let at =
        |(x, y): (u32, u32)| direction_of(f64::from(x) / f64::from(around), f64::from(y) / f64::from(down));
    let positions: Vec<Vec3> = places.map(|place| at(place).as_vec3()).collect();
    let quads = (0..down).flat_map(|y| (0..around).map(move |x| y * (around + 1) + x));
    // Seen from outside, the left of the picture lies to the right.
    let indices =
        quads.flat_map(|a| [a, a + 1, a + around + 1, a + 1, a + around + 2, a + around + 1]).collect();
    let mut data = CharacterData::from_triangles("ball", positions.clone(), indices);
    data.vertices.normals = positions;
    data
}

/// Shares of even light by facets, by Karis's fit, in f64: straight on and at grazing angles.
fn facets_twin(n_v: f64, roughness: f64) -> [f64; 2] {
    let r =
        [1.0 - roughness, 0.0425 - 0.0275 * roughness, 1.04 - 0.572 * roughness, 0.022 * roughness - 0.04];
    let a = (r[0] * r[0]).min((-9.28 * n_v).exp2()) * r[0] + r[1];
    [r[2] - 1.04 * a, r[3] + 1.04 * a]
}

/// What a metallic-roughness surface shows of [`smooth_light`], from the integrals of its light.
fn seen_twin(base: DVec3, metallic: f64, roughness: f64, n: DVec3, v: DVec3) -> DVec3 {
    let [straight, grazing] = facets_twin(n.dot(v), roughness);
    let f0 = DVec3::splat(0.04).lerp(base, metallic);
    let once = f0 * straight + grazing;
    let lost = 1.0 - straight - grazing;
    let mean = f0 + (DVec3::ONE - f0) / 21.0;
    let again = once * mean / (DVec3::ONE - mean * lost) * lost;
    let irradiance = weighted_mean(n, |cosine| cosine.max(0.0));
    let mirrored = 2.0 * n.dot(v) * n - v;
    let a2 = roughness.powi(4);
    let radiance = weighted_mean(mirrored, |cosine| {
        let h = 0.5 * (1.0 + cosine) * (a2 - 1.0) + 1.0;
        if cosine > 0.0 { cosine * a2 / (h * h) } else { 0.0 }
    });
    let below = base * (1.0 - metallic) * (DVec3::ONE - once - again);
    once * radiance + (again + below) * irradiance
}

#[test]
fn a_ball_in_a_picture_of_light_equals_its_twin_in_every_pixel() {
    let (metallic, roughness) = ([0.0, 1.0, 0.4], [1.0f32, 0.5, 0.75]);
    let base = DVec3::new(0.8, 0.5, 0.2);
    let eye = DVec3::new(0.0, 0.0, 4.0);
    for (metallic, roughness) in metallic.into_iter().zip(roughness) {
        let mut data = ball();
        data.materials[0].base_color = base.as_vec3().extend(1.0);
        (data.materials[0].metallic, data.materials[0].roughness) = (metallic as f32, roughness);
        let mut stage = Stage::at_rest(&data);
        stage.renderer.environment = lit_by(&smooth_picture());
        stage.camera = Camera::new(eye, DVec3::ZERO, 32.0);
        stage.params.view.xray = 0.0;
        stage.params.light.tone_map = 3;
        (stage.params.light.key, stage.params.light.ambient) = (0.0, 1.0);
        (stage.params.light.exposure, stage.params.light.shadows) = (-1.5, 2);
        let picture = stage.picture();
        let (mut checked, mut worst) = (0, 0);
        for y in (0..64).step_by(3) {
            for x in (0..64).step_by(3) {
                let slope = |at: u32| (f64::from(at) + 0.5 - 32.0) / 32.0 * 16f64.to_radians().tan();
                let ray = DVec3::new(slope(x), -slope(y), -1.0).normalize_or_zero();
                // The nearer of two places on the ball; the rim, where a pixel holds all angles, is left out.
                let (b, c) = (eye.dot(ray), eye.length_squared() - 1.0);
                let inside = b * b - c;
                if inside < 0.06 {
                    continue;
                }
                let n = eye + ray * (-b - inside.sqrt());
                let seen = seen_twin(base, metallic, f64::from(roughness), n, -ray) * (-1.5f64).exp2();
                let wanted = seen.to_array().map(|part| encoded(part as f32));
                let shown = pixel(&picture, x, y);
                worst =
                    wanted.iter().zip(shown).map(|(a, b)| a.abs_diff(b)).max().max(Some(worst)).unwrap_or(0);
                checked += 1;
            }
        }
        assert!(checked > 200, "{checked} pixels");
        // The map's 4 % and the harmonics' 0.06 of 1.6, as above, in codes of sRGB.
        assert!(worst <= 4, "metal {metallic}, roughness {roughness}: off by {worst} codes");
    }
}

#[test]
fn a_turn_takes_the_light_along() {
    let environment = lit_by(&smooth_picture());
    let given = directions(30);
    let (sin, cos) = 40f32.to_radians().sin_cos();
    // Towards +X from +Z, as azimuths are counted.
    let turned: Vec<Vec4> =
        given.iter().map(|d| Vec4::new(cos * d.x + sin * d.z, d.y, cos * d.z - sin * d.x, 0.0)).collect();
    for expression in ["environment_radiance(x.xyz, 0.4)", "environment_irradiance(x.xyz)"] {
        let expression = format!("vec4<f32>({expression}, 0.0)");
        let still = in_light(&environment, 0.0, &expression, &given);
        for (a, b) in still.iter().zip(in_light(&environment, 40.0, &expression, &turned)) {
            // The same texels through rounded directions.
            assert!((*a - b).abs().max_element() < 2e-3, "{expression}: {a}, {b}");
        }
    }
}

#[test]
fn light_that_cannot_be_does_no_harm() {
    let wild = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -5.0, 1e30, 0.0];
    let picture = loaded(&exr([6, 4], |u, _| Vec3::splat(wild[((u * 6.0) as usize).min(5)])));
    assert!(picture.irradiance.iter().all(|k| k.is_finite()));
    let environment = lit_by(&picture);
    for roughness in ["0.0", "0.5", "1.0"] {
        let expression = format!("vec4<f32>(environment_radiance(x.xyz, {roughness}), 0.0)");
        for got in in_light(&environment, 0.0, &expression, &directions(60)) {
            assert!(got.is_finite() && got.min_element() >= 0.0, "{got}");
        }
    }
}

#[test]
fn broken_files_get_a_sentence() {
    let whole = exr([64, 32], |u, v| Vec3::new(u as f32, v as f32, 1.0));
    let radiance = hdr([64, 32], Vec3::new(0.2, 0.4, 0.6));
    let huge = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 16000 +X 16000\n".to_vec();
    let larger = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4000000000 +X 4000000000\n".to_vec();
    let wide = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 17000\n".to_vec();
    for too_large in [&huge, &wide] {
        let error =
            EnvironmentPicture::from_bytes(too_large, Path::new("sky.hdr")).expect_err("it is too large");
        // Before any of its pixels gets memory, and not for want of them.
        assert!(error.to_string().to_lowercase().contains("limit"), "{error}");
    }
    let mut broken = vec![huge, larger, b"#?RADIANCE\n".to_vec(), b"\x76\x2f\x31\x01".to_vec()];
    for cut in [9, 60, 300] {
        broken.push(whole[..whole.len().min(cut)].to_vec());
        broken.push(radiance[..radiance.len().min(cut / 2)].to_vec());
    }
    for file in broken {
        let error = EnvironmentPicture::from_bytes(&file, Path::new("sky.hdr")).expect_err("it is broken");
        let sentence = error.to_string();
        assert!(sentence.starts_with("sky.hdr is no environment") && !sentence.contains('\n'), "{sentence}");
    }
    for other in [&b""[..], b"\x89PNG\r\n\x1a\n", b"glTF"] {
        let error = EnvironmentPicture::from_bytes(other, Path::new("a")).expect_err("it is another kind");
        assert!(matches!(error, EnvironmentError::Kind { .. }), "{error}");
    }
    // Flipped bytes anywhere give light or a sentence.
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut file = whole.clone();
        file[at] ^= 0x5a;
        drop(EnvironmentPicture::from_bytes(&file, Path::new("sky.exr")));
    }
}

#[test]
fn a_viewer_takes_light_off_the_frame_and_keeps_it_when_the_next_is_broken() {
    let folder = tempfile::tempdir().expect("a folder");
    let [good, bad] = ["good.hdr", "bad.hdr"].map(|name| folder.path().join(name));
    std::fs::write(&good, hdr([8, 4], Vec3::splat(0.7))).expect("a file");
    std::fs::write(&bad, b"#?RADIANCE\n").expect("a file");
    let mut viewer = Viewer::new(gpu().clone()).expect("a viewer");
    let mut light = |source: LightSource| -> (Option<String>, Vec<Notice>) {
        viewer.send(Command::Light(source));
        viewer.update(0.0);
        let start = std::time::Instant::now();
        while viewer.status().light_loading.is_some() && start.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            viewer.update(0.0);
        }
        let [saved, in_picture] = [true, false].map(|with_model| viewer.session(with_model).environment);
        assert_eq!(saved.map(|path| path.display().to_string()), viewer.status().light);
        assert_eq!(in_picture, None, "a picture names no file");
        (viewer.status().light, viewer.take_notices())
    };
    let shown = good.display().to_string();
    assert_eq!(light(LightSource::File(good)), (Some(shown.clone()), vec![]));
    let (kept, told) = light(LightSource::File(bad));
    assert_eq!(kept, Some(shown));
    assert!(matches!(&told[..], [Notice::Error(sentence)] if sentence.contains("bad.hdr")), "{told:?}");
    assert_eq!(light(LightSource::Studio), (None, vec![]));
}
