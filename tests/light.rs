//! Light: reflectance against its twin and in the white furnace, tone maps and the encoding of sRGB.

mod common;
mod stage;

use common::gpu;
use dryad::character::CharacterData;
use dryad::character::data::{Light, LightKind, LocalTransform, Node, Trs};
use dryad::gpu::buffer::{STORAGE, UNIFORM};
use dryad::gpu::{Buffer, ComputePass, Groups, ShaderLibrary};
use dryad::render::lights::{FileLight, FileLights, LightRig};
use dryad::render::{Environment, Frame};
use dryad::sim::boids::Boid;
use dryad::sim::growth::BranchNode;
use glam::{DQuat, DVec3, Vec3, Vec4};
use stage::{Stage, linear, pixel, square};

/// Applies an expression over `x: vec4<f32>` to each of `given`, on the GPU, with some files of `shaders/common`.
fn on_gpu(includes: &[&str], expression: &str, given: &[Vec4]) -> Vec<Vec4> {
    let includes: String =
        includes.iter().map(|name| format!("//!include \"common/{name}.wgsl\"\n")).collect();
    let source = format!(
        "{includes}@group(0) @binding(9) var<storage, read_write> values: array<vec4<f32>>;\n\
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
             let x = values[id.x];\n    values[id.x] = {expression};\n}}"
    );
    let library = ShaderLibrary::embedded().with("test/expression", &source);
    let values = Buffer::from_slice(gpu(), "test/values", given, STORAGE);
    let pass = ComputePass::new(gpu(), &library, "test/expression", "main").expect("it builds");
    let bound = pass.bind(gpu(), &[("values", values.raw())]).expect("it binds");
    common::compute(|compute| pass.dispatch(compute, &bound, Groups::Items(given.len())));
    values.read(gpu())
}

#[test]
fn neutral_tones_equal_the_published_formula() {
    // By hand from the formula (start 0.76, desaturation 0.15). Grey 0.5 loses 0.04. Grey 0.04 lies on the toe:
    // offset 0.04 - 6.25 * 0.0016 = 0.03. White 1 loses 0.04 to 0.96, whose new peak is
    // 1 - 0.0576 / 0.44 = 0.869091. Red 10, 1, 1 becomes 9.96, 0.96, 0.96: new peak 1 - 0.0576 / 9.44 =
    // 0.993898, grey share 1 - 1 / (0.15 * 8.966102 + 1) = 0.573545, green 0.095797 * 0.426455 + 0.570046.
    let cases = [
        (Vec3::splat(0.5), Vec3::splat(0.46)),
        (Vec3::splat(0.04), Vec3::splat(0.01)),
        (Vec3::splat(1.0), Vec3::splat(0.869_091)),
        (Vec3::new(10.0, 1.0, 1.0), Vec3::new(0.993_898, 0.610_899, 0.610_899)),
        (Vec3::ZERO, Vec3::ZERO),
    ];
    let given: Vec<Vec4> = cases.iter().map(|(light, _)| light.extend(0.0)).collect();
    let shown = on_gpu(&["tone_map"], "vec4<f32>(tone_map_neutral(x.rgb), 0.0)", &given);
    for (got, (light, wanted)) in shown.iter().zip(cases) {
        // The hand values have six digits.
        assert!((got.truncate() - wanted).abs().max_element() < 2e-6, "{light}: {got}, not {wanted}");
    }
}

#[test]
fn encoding_equals_srgb_in_every_byte() {
    let linear = |byte: u8| {
        let x = f32::from(byte) / 255.0;
        if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
    };
    let given: Vec<Vec4> = (0..=255).map(|byte| Vec4::splat(linear(byte))).collect();
    let shown = on_gpu(&["tone_map"], "vec4<f32>(encode_srgb(x.rgb), 0.0)", &given);
    for (byte, got) in shown.iter().enumerate() {
        // A fiftieth of a step: the fit's own error and f32.
        assert!((got.x * 255.0 - byte as f32).abs() < 0.02, "{byte} becomes {}", got.x * 255.0);
    }
}

#[test]
fn film_tones_keep_grey_grey_rise_with_the_light_and_stay_in_range() {
    let stops: Vec<Vec4> = (-40..=32).map(|step| Vec4::splat((step as f32 * 0.25).exp2())).collect();
    for (name, which, middle) in [("AgX", 1, 0.18), ("ACES", 2, 0.18)] {
        let shown = on_gpu(&["tone_map"], &format!("vec4<f32>(tone_map(x.rgb, {which}u), 0.0)"), &stops);
        let mut last = -1.0;
        for (light, got) in stops.iter().zip(&shown) {
            // The published matrices carry six digits, and ACES's rows sum to 1 within 1e-3.
            let spread = got.truncate().max_element() - got.truncate().min_element();
            assert!(spread < 3e-3, "{name}: {} is shown as {got}", light.x);
            // ACES overshoots white by a hair, which the picture clips.
            assert!((0.0..1.06).contains(&got.x), "{name}: {} is shown as {got}", light.x);
            // A flat toe and shoulder may step by rounding.
            assert!(got.x >= last - 2e-3, "{name} falls at {}", light.x);
            last = got.x;
        }
        // Middle grey stays a middle grey: within a stop.
        let grey = on_gpu(
            &["tone_map"],
            &format!("vec4<f32>(tone_map(x.rgb, {which}u), 0.0)"),
            &[Vec4::splat(middle)],
        )[0];
        assert!((0.09..0.36).contains(&grey.x), "{name} shows middle grey as {}", grey.x);
        assert!(last > 0.9, "{name} shows the brightest light as {last}");
    }
}

#[test]
fn a_white_surface_gives_back_all_of_an_even_light() {
    let mut given = Vec::new();
    for n_v in [0.01, 0.1, 0.3, 0.6, 1.0] {
        for roughness in [0.06, 0.3, 0.6, 1.0] {
            given.push(Vec4::new(n_v, roughness, 0.0, 0.0));
        }
    }
    let sum = |f0: &str, f90: &str, albedo: &str| {
        let shares = format!("environment_shares(vec3<f32>({f0}), {f90}, vec3<f32>({albedo}), x.x, x.y)");
        format!("vec4<f32>({shares}.once + {shares}.again + {shares}.below, 0.0)")
    };
    let includes = ["frame", "light", "reflectance"];
    for (what, f0, f90, albedo) in
        [("silver", "1.0", "1.0", "0.0"), ("snow", "0.04", "1.0", "1.0"), ("chalk", "0.0", "0.0", "1.0")]
    {
        for (at, got) in given.iter().zip(on_gpu(&includes, &sum(f0, f90, albedo), &given)) {
            // f32, and a fit whose shares sum to at most 1.
            assert!((got.x - 1.0).abs() < 1e-5, "{what} at cosine {}, roughness {}: {}", at.x, at.y, got.x);
        }
    }
    // What is not white keeps some: grey rock of albedo 0.5, straight on.
    let grey = on_gpu(&includes, &sum("0.04", "1.0", "0.5"), &[Vec4::new(1.0, 0.5, 0.0, 0.0)])[0];
    assert!((0.48..0.56).contains(&grey.x), "{grey}");
}

/// The key light on a metallic-roughness surface in f64, written from appendix B of the glTF 2.0 specification.
fn key_light_twin(base: DVec3, metallic: f64, roughness: f64, n: DVec3, v: DVec3, l: DVec3) -> DVec3 {
    let (n_l, n_v) = (n.dot(l).max(0.0), n.dot(v));
    let h = (v + l).normalize_or_zero();
    let a2 = roughness.powi(4);
    let d = a2 / (std::f64::consts::PI * ((n.dot(h) * n.dot(h)) * (a2 - 1.0) + 1.0).powi(2));
    let visible = |x: f64, y: f64| x * (y * y * (1.0 - a2) + a2).sqrt();
    let facets = d * 0.5 / (visible(n_l, n_v) + visible(n_v, n_l));
    let f0 = DVec3::splat(0.04).lerp(base, metallic);
    let fresnel = f0 + (DVec3::ONE - f0) * (1.0 - v.dot(h)).powi(5);
    let scattered = (DVec3::ONE - fresnel) * base * (1.0 - metallic) / std::f64::consts::PI;
    (scattered + fresnel * facets) * n_l
}

#[test]
fn the_key_light_on_a_sphere_equals_the_twin_in_every_pixel() {
    let (l, v) = (Vec3::new(0.48, 0.6, 0.64), Vec3::Z);
    let frame = Frame { to_key: l.to_array(), key: 1.0, ambient: 0.0, ..Default::default() };
    let (base, metallic, roughness) = (Vec3::new(0.9, 0.4, 0.1), [0.0, 1.0, 0.4], [0.1, 0.35, 0.8]);
    let normals: Vec<Vec4> = (0..24 * 24)
        .map(|i| Vec3::new((i % 24) as f32 / 12.0 - 0.96, (i / 24) as f32 / 12.0 - 0.96, 0.0))
        .filter(|p| p.length_squared() < 0.98)
        .map(|p| (p + Vec3::Z * (1.0 - p.length_squared()).sqrt()).normalize_or_zero().extend(0.0))
        .collect();
    let uniform = Buffer::from_slice(gpu(), "test/frame", &[frame], UNIFORM);
    let environment = Environment::new(gpu());
    for (metallic, roughness) in metallic.into_iter().zip(roughness) {
        let source = format!(
            "//!include \"common/frame.wgsl\"\n//!include \"common/light.wgsl\"\n\
             //!include \"common/reflectance.wgsl\"\n\
             @group(0) @binding(9) var<storage, read_write> values: array<vec4<f32>>;\n\
             @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
                 let base = vec3<f32>({}, {}, {});\n\
                 let normal = values[id.x].xyz;\n\
                 let nothing = vec3<f32>(0.0);\n\
                 let lit = light_surface(Surface(base, {metallic:?}, normal, {roughness:?}, vec3<f32>(0.0, 0.0, 1.0),\n\
                     1.0, vec3<f32>(0.04), 1.0, nothing, 0.0, 0.0, 0.0, normal, 1.0), false);\n\
                 values[id.x] = vec4<f32>((lit.diffuse + lit.specular) / KEY, 0.0);\n}}",
            base.x, base.y, base.z
        );
        let library = ShaderLibrary::embedded().with("test/sphere", &source);
        let values = Buffer::from_slice(gpu(), "test/values", &normals, STORAGE);
        let pass = ComputePass::new(gpu(), &library, "test/sphere", "main").expect("it builds");
        let [map, map_sampler] = environment.map();
        let given = [
            ("frame", uniform.raw().as_entire_binding()),
            ("values", values.raw().as_entire_binding()),
            environment.irradiance(),
            map,
            map_sampler,
        ];
        let bound = pass.bind_resources(gpu(), &given).expect("it binds");
        common::compute(|compute| pass.dispatch(compute, &bound, Groups::Items(normals.len())));
        for (normal, got) in normals.iter().zip(values.read(gpu())) {
            let n = normal.truncate().as_dvec3();
            let wanted = key_light_twin(base.as_dvec3(), metallic, roughness, n, v.as_dvec3(), l.as_dvec3());
            let off = (got.truncate().as_dvec3() - wanted).abs();
            // f32 loses digits where a sharp highlight subtracts nearly equal numbers.
            let allowed = 1e-5 + 2e-3 * wanted;
            assert!(
                off.cmple(allowed).all(),
                "metal {metallic}, roughness {roughness}, {n}: {got}, not {wanted}"
            );
        }
    }
}

/// What arrives of a light, in f64 and from the text of KHR_lights_punctual.
fn file_light_twin(light: &Light, position: DVec3, direction: DVec3, at: DVec3) -> (DVec3, f64) {
    if light.kind == LightKind::Directional {
        return (-direction, f64::from(light.intensity));
    }
    let away = position - at;
    let distance = away.length();
    let mut arriving = f64::from(light.intensity) / (distance * distance);
    if let Some(range) = light.range {
        arriving *= (1.0 - (distance / f64::from(range)).powi(4)).clamp(0.0, 1.0);
    }
    if let LightKind::Spot { inner_angle, outer_angle } = light.kind {
        let [inner, outer] = [inner_angle, outer_angle].map(|angle| f64::from(angle).cos());
        let scale = 1.0 / (inner - outer).max(0.001);
        let cosine = direction.dot(-away / distance);
        arriving *= (cosine * scale - outer * scale).clamp(0.0, 1.0).powi(2);
    }
    (away / distance, arriving)
}

#[test]
fn the_files_lights_equal_the_twin_everywhere() {
    let turn = DQuat::from_euler(glam::EulerRot::YXZ, 0.7, -0.4, 0.2);
    let position = DVec3::new(0.3, 1.2, -0.4);
    let spot = LightKind::Spot { inner_angle: 0.3, outer_angle: 0.6 };
    for (kind, range) in [
        (LightKind::Directional, None),
        (LightKind::Point, None),
        (LightKind::Point, Some(1.5)),
        (spot, None),
        (spot, Some(2.5)),
    ] {
        let light = Light {
            name: String::new(),
            node: 1,
            color: Vec3::new(1.0, 0.5, 0.25),
            intensity: 3.0,
            range,
            kind,
        };
        let mut data = CharacterData::from_triangles("t", vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2]);
        let trs = Trs { translation: position, rotation: turn, ..Trs::default() };
        data.nodes.push(Node { local: LocalTransform::Trs(trs), ..data.nodes[0].clone() });
        data.node_order.push(1);
        data.lights.push(light.clone());
        let eye = DVec3::new(2.0, 0.5, 3.0);
        let rig = LightRig::new(&data, Vec3::ZERO, Vec3::ONE);
        let pose = dryad::character::animate::rest_pose(&data);
        let placed = rig.placed(&data, &pose, eye, 1.0);
        let direction = turn * DVec3::NEG_Z;
        let places: Vec<DVec3> = (0..256)
            .map(|i| {
                DVec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64)) * 0.45
                    - DVec3::splat(1.6)
            })
            .collect();
        let given: Vec<Vec4> = places.iter().map(|place| (*place - eye).as_vec3().extend(0.0)).collect();
        let source = "//!include \"common/frame.wgsl\"\n//!include \"common/light.wgsl\"\n//!include \"common/file_lights.wgsl\"\n\
             @group(0) @binding(8) var<uniform> lights: array<FileLight, MAX_FILE_LIGHTS>;\n\
             @group(0) @binding(9) var<storage, read_write> values: array<vec4<f32>>;\n\
             @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
                 let got = arriving_from(lights[0], values[id.x].xyz);\n\
                 values[id.x] = vec4<f32>(got.to_light, got.light.g);\n}";
        let library = ShaderLibrary::embedded().with("test/lights", source);
        let frame = Frame { extent_m: 1.0, ..Default::default() };
        let frame = Buffer::from_slice(gpu(), "test/frame", &[frame], UNIFORM);
        let lights = Buffer::from_slice(gpu(), "test/lights", &placed.lights, UNIFORM);
        let values = Buffer::from_slice(gpu(), "test/values", &given, STORAGE);
        let pass = ComputePass::new(gpu(), &library, "test/lights", "main").expect("it builds");
        let bound = pass
            .bind(gpu(), &[("frame", frame.raw()), ("lights", lights.raw()), ("values", values.raw())])
            .expect("it binds");
        common::compute(|compute| pass.dispatch(compute, &bound, Groups::Items(given.len())));
        // One number brings the file's unit to the picture's: taken from the brightest place.
        let got = values.read(gpu());
        let twins: Vec<_> =
            places.iter().map(|at| file_light_twin(&light, position, direction, *at)).collect();
        let brightest = (0..places.len()).max_by(|&a, &b| twins[a].1.total_cmp(&twins[b].1)).expect("some");
        let unit = f64::from(got[brightest].w) / (0.5 * twins[brightest].1);
        assert!(unit > 0.0, "{kind:?} is dark where it is brightest");
        let (mut lit, mut dark) = (0, 0);
        for ((at, got), (to_light, arriving)) in places.iter().zip(&got).zip(&twins) {
            let wanted = 0.5 * arriving * unit;
            let off = (f64::from(got.w) - wanted).abs();
            // f32: a few digits go where the cone and the range end, relative to the brightest light there is.
            assert!(
                off <= 1e-5 * wanted + 2e-5 * 0.5 * unit * 3.0,
                "{kind:?} at {at}: {}, not {wanted}",
                got.w
            );
            assert!((got.truncate().as_dvec3() - *to_light).length() < 1e-5, "{kind:?} at {at}");
            lit += usize::from(wanted > 0.0);
            dark += usize::from(wanted == 0.0);
        }
        let bounded = range.is_some() || kind == spot;
        assert!(lit > 5 && (dark > 5) == bounded, "{kind:?}: {lit} lit, {dark} dark");
    }
}

#[test]
fn the_files_lights_reach_body_branches_and_boids_alike() {
    // A parallel red light from the eye, alone.
    let mut lights = FileLights { count: 1, ..Default::default() };
    lights.lights[0] = FileLight {
        direction: [0.0, 0.0, -1.0],
        light: [2.0, 0.0, 0.0],
        cone_offset: 1.0,
        is_parallel: 1,
        ..Default::default()
    };
    let node = |y: f32, parent: u32| BranchNode {
        position: [0.0, y, 0.5],
        radius: 0.3,
        color: [0.5; 3],
        parent,
        ..Default::default()
    };
    let boid = Boid { position: [0.0, 0.0, 0.5], velocity: [0.0, 1.0, 0.0], ..Default::default() };
    for what in ["body", "branches", "boids"] {
        let mut stage = Stage::at_rest(&square(1.0, 0.0));
        stage.params.light.tone_map = 3;
        (stage.params.light.key, stage.params.light.ambient) = (0.0, 0.0);
        stage.params.view.xray = 0.0;
        stage.params.boids.size = 0.6;
        match what {
            "branches" => stage.set_branches(&[node(-0.4, 0), node(0.4, 0)]),
            "boids" => stage.set_boids(&[boid]),
            _ => (),
        }
        let mut shown = |lights: Option<FileLights>| {
            stage.lights = lights;
            let [r, g, ..] = pixel(&stage.picture(), 32, 34);
            [linear(r), linear(g)]
        };
        let (dark, lit) = (shown(None), shown(Some(lights)));
        // All three reflect a good part of the 2 / pi that arrive.
        assert!(lit[0] > dark[0] + 0.1, "{what}: {dark:?} becomes {lit:?}");
        assert!((lit[1] - dark[1]).abs() < 0.01, "{what}: red light is not green: {dark:?}, {lit:?}");
    }
}
