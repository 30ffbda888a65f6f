//! Strain as first published, on cases known on paper: its amounts, and the faults that comparison is to show.

use dryad::character::{CharacterData, RestShape, SkinnedSurface};
use dryad::sim::wrinkles::{Published, PublishedVertex};
use glam::{Quat, Vec3, Vec4};

use super::common::{compute, gpu, shaders};
use super::meshes::{self, Mesh};
use super::off_line;

fn published(rest: &Mesh, f: impl Fn(Vec3) -> Vec3) -> Vec<PublishedVertex> {
    let data = CharacterData::from_triangles("test", rest.positions.clone(), rest.indices.clone());
    let surface = SkinnedSurface::new(gpu(), shaders(), &data).expect("it builds");
    let shape = RestShape::new(rest.positions.clone(), rest.normals());
    let mut published = Published::new(gpu(), shaders()).expect("it builds");
    published.install(gpu(), &surface, &shape, &rest.indices).expect("it binds");
    let posed: Vec<Vec4> = rest.positions.iter().map(|&p| f(p).extend(1.0)).collect();
    surface.positions.write(gpu(), 0, &posed);
    compute(|pass| published.show(pass, 1));
    published.vertices().expect("installed").read(gpu())
}

#[test]
fn a_squeeze_reads_as_greens_strain_along_it_at_every_scale() {
    // An edge of 1/14 in f32 is wrong by 1e-6 of its length, and Green's strain as much.
    for scale in [1e-3, 1.0, 1e3] {
        let sheet = meshes::sheet(10, 14, 0.35, 2).map(|p| p * scale);
        let turn = Quat::from_axis_angle(Vec3::new(0.48, 0.6, 0.64), 2.1);
        for vertex in published(&sheet, |p| turn * p) {
            assert!(vertex.strain.abs() < 1e-5, "turned: {vertex:?}");
        }
        for vertex in published(&sheet, |p| turn * (p * Vec3::new(0.8, 1.0, 1.0))) {
            assert!((vertex.strain - 0.5 * (0.64 - 1.0)).abs() < 1e-5, "{vertex:?}");
            assert!(off_line(vertex.direction, turn * Vec3::X) < 1e-3, "{vertex:?}");
        }
    }
}

#[test]
fn stretch_across_hides_a_squeeze_and_bends_read_as_compression() {
    let sheet = meshes::sheet(10, 14, 0.35, 2);
    // The greatest amount counts, whatever its sign.
    for vertex in published(&sheet, |p| p * Vec3::new(0.8, 1.5, 1.0)) {
        assert!((vertex.strain - 0.5 * (2.25 - 1.0)).abs() < 1e-5, "{vertex:?}");
    }
    // A mean of gradients over a bent fan is shorter than each of them.
    let tube = meshes::tube(12, 4);
    let unrolled_back = published(&tube, |p| p);
    assert!(unrolled_back.iter().all(|v| v.strain.abs() < 1e-5));
    let bent = published(&sheet, |p| Vec3::new(p.x.sin(), p.y, p.x.cos()));
    let least = bent.iter().map(|v| v.strain).fold(0.0, f32::min);
    assert!(least < -1e-3, "{least}");
}

#[test]
fn no_area_is_no_strain_and_collapse_stays_finite() {
    let mut sheet = meshes::sheet(6, 6, 0.3, 5);
    let lone = sheet.positions.len() as u32;
    sheet.positions.extend([Vec3::ZERO, Vec3::X, Vec3::X * 2.0]);
    sheet.indices.extend([lone, lone + 1, lone + 2, lone, lone, lone]);
    let squeezed = published(&sheet, |p| p * Vec3::new(0.8, 1.0, 1.0));
    for vertex in &squeezed[lone as usize..] {
        assert_eq!((vertex.strain, vertex.direction), (0.0, [0.0; 3]));
    }
    assert!((squeezed[0].strain + 0.18).abs() < 1e-5);
    for vertex in published(&sheet, |_| Vec3::ONE) {
        let numbers = vertex.direction.into_iter().chain([vertex.strain]);
        assert!(numbers.into_iter().all(f32::is_finite), "{vertex:?}");
    }
}
