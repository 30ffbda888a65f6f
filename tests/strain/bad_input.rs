//! Meshes and poses that divide by zero where nobody guards.

use glam::Vec3;

use super::meshes::{self, Mesh};
use super::{Body, assert_sound, strain_of};

fn squeeze(p: Vec3) -> Vec3 {
    p * Vec3::new(0.8, 1.0, 1.0)
}

#[test]
fn bad_triangles_do_not_change_their_neighbours() {
    let sound = meshes::sheet(6, 6, 0.3, 1);
    let expected = strain_of(&sound, squeeze);
    let count = sound.positions.len() as u32;
    let mut bad = sound.clone();
    // The same vertices again, triangles of no area on them, repeated corners, repeated and reversed triangles.
    bad.positions.extend(sound.positions.clone());
    bad.indices.extend([8, 8, 9, 8, 9, 9, 10, 10 + count, 11, 8, 8, 8]);
    bad.indices.extend(sound.indices[0..9].iter().map(|i| i + count));
    bad.indices.extend(sound.indices[9..18].iter().rev());
    let strain = strain_of(&bad, squeeze);
    assert_sound(&strain);
    assert_eq!(strain[..count as usize], expected);
    assert_eq!(strain[count as usize..], expected);
}

#[test]
fn triangles_without_area_carry_no_weight() {
    // The border edge 0-1 of a sheet gets a vertex in its middle and a triangle without area to it.
    let mut mesh = meshes::sheet(5, 5, 0.3, 1);
    let middle = 0.5 * (mesh.positions[0] + mesh.positions[1]);
    mesh.positions.push(middle);
    mesh.indices.extend([1, 0, 36]);
    let strain = strain_of(&mesh, squeeze);
    assert_sound(&strain);
    for (i, v) in strain.iter().enumerate().take(36) {
        assert!((v.compression - 0.2).abs() < 1e-5, "vertex {i}: {v:?}");
    }
    assert_eq!(strain[36].compression, 0.0, "a vertex with nothing but lines measures nothing");
    // Slivers next to sound triangles: thin to the last bit, yet read like everything else.
    for height in [1e-1_f32, 1e-2, 1e-3, 1e-4, 1e-5] {
        mesh.positions[36] = middle - height * Vec3::Y;
        let strain = strain_of(&mesh, squeeze);
        assert_sound(&strain);
        for v in strain.iter().take(36) {
            assert!((v.compression - 0.2).abs() < 2e-3, "{v:?} beside a sliver of height {height}");
        }
    }
}

#[test]
fn cut_edges_read_in_each_of_their_sheets() {
    // A book of three pages, each its own plane, and a triangle that touches it in a point.
    let page = meshes::sheet(4, 4, 0.2, 3);
    let mut mesh = Mesh::default();
    for k in 0..3 {
        let turn = glam::Quat::from_rotation_y(k as f32 * 2.1);
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(page.positions.iter().map(|&p| turn * p));
        mesh.indices.extend(page.indices.iter().map(|i| first + i));
    }
    let first = mesh.positions.len() as u32;
    mesh.positions.extend([mesh.positions[24], Vec3::new(3.0, 1.0, 0.5), Vec3::new(2.0, 2.0, 2.0)]);
    mesh.indices.extend([first, first + 1, first + 2]);
    let mut body = Body::new(&mesh);
    let strain = body.pose(&mesh.map(|p| p * Vec3::new(1.0, 0.8, 1.0)));
    assert_sound(&strain);
    for (i, v) in strain.iter().enumerate().take(75) {
        assert!((v.compression - 0.2).abs() < 1e-5, "vertex {i}: {v:?}");
    }
    assert_eq!(body.report().seam_mismatch, 0);
}

#[test]
fn collapse_is_full_compression() {
    for mesh in [meshes::sheet(6, 6, 0.3, 1), meshes::sphere(4), meshes::cube(1)] {
        let mut body = Body::new(&mesh);
        let point = body.pose(&mesh.map(|_| Vec3::new(0.3, 0.2, 0.1)));
        assert_sound(&point);
        assert!(point.iter().all(|v| v.compression > 0.999 && v.stretch == 0.0), "{:?}", point[0]);
    }
}

#[test]
fn meshes_of_next_to_nothing() {
    let triangle = Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], indices: vec![0, 1, 2] };
    let strain = strain_of(&triangle, squeeze);
    assert_sound(&strain);
    assert!(strain.iter().all(|v| (v.compression - 0.2).abs() < 1e-6));
    for positions in [vec![], vec![Vec3::ONE], vec![Vec3::ZERO, Vec3::X, Vec3::Y]] {
        let mut body = Body::new(&Mesh { positions: positions.clone(), indices: vec![] });
        let strain = body.pose(&Mesh { positions: positions.clone(), indices: vec![] });
        assert_sound(&strain);
        let report = body.report();
        assert_eq!((report.vertices, report.max_compression), (positions.len(), 0.0));
    }
    // A body that is a point at rest welds into one vertex without triangles, whatever becomes of it.
    let strain = Body::new(&Mesh { positions: vec![Vec3::ONE; 3], indices: vec![0, 1, 2] }).pose(&triangle);
    assert_sound(&strain);
    assert!(strain.iter().all(|v| v.compression == 0.0 && v.stretch == 0.0));
}

#[test]
fn poison_in_a_pose_stays_where_it_is() {
    let mesh = meshes::sheet(8, 8, 0.3, 1);
    let mut body = Body::new(&mesh);
    for poison in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e20] {
        let mut posed = mesh.map(squeeze);
        posed.positions[40] = Vec3::new(poison, 0.0, poison);
        let strain = body.pose(&posed);
        assert_sound(&strain);
        assert_eq!(body.report().non_finite, 0);
        assert_eq!((strain[40].compression, strain[40].stretch), (0.0, 0.0), "{poison} strains nothing");
        // Two rings away nothing of it is left: one ring of edges, one of steadied directions.
        let far = |i: &usize| (i / 9).abs_diff(4) > 2 || (i % 9).abs_diff(4) > 2;
        for i in (0..81).filter(far) {
            assert!((strain[i].compression - 0.2).abs() < 2e-5, "{poison} reached {i}: {:?}", strain[i]);
        }
    }
    // Rest positions that overflowed while skinning have no triangles.
    let mut broken = mesh.clone();
    broken.positions[40] = Vec3::INFINITY;
    let strain = Body::new(&broken).pose(&mesh.map(squeeze));
    assert_sound(&strain);
}

#[test]
fn a_surface_of_another_size_is_refused() {
    let mesh = meshes::sheet(2, 2, 0.0, 1);
    let other = meshes::sheet(3, 3, 0.0, 1);
    let mut body = Body::new(&mesh);
    let rest = dryad::character::RestShape::new(other.positions.clone(), other.normals());
    let topology = dryad::character::topology::Topology::new(&rest.positions, &other.indices, rest.extent);
    body.wrinkles
        .install(super::gpu(), &body.surface, &rest, &topology, &mesh.indices)
        .expect("said in the log");
    assert!(body.wrinkles.strain().is_none());
}
