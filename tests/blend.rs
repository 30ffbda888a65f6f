//! Blended triangles are drawn from far to near, however they lie in the file and wherever the eye stands.

mod common;
mod stage;

use dryad::character::CharacterData;
use dryad::character::data::AlphaMode;
use glam::{DVec3, Vec3, Vec4};
use stage::{Stage, linear, pixel};

/// Squares across the z axis at these depths, each of its colour, in the order given; unlit, blended, two-sided.
fn panes(panes: &[(f32, Vec4)]) -> CharacterData {
    let (mut positions, mut indices, mut colors) = (Vec::new(), Vec::new(), Vec::new());
    for (number, &(z, color)) in panes.iter().enumerate() {
        let first = 4 * number as u32;
        positions
            .extend([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Vec3::new(x, y, z)));
        indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        colors.extend([color; 4]);
    }
    let mut data = CharacterData::from_triangles("panes", positions, indices);
    data.vertices.colors = colors;
    let material = &mut data.materials[0];
    (material.alpha, material.double_sided, material.unlit) = (AlphaMode::Blend, true, true);
    data
}

fn stage(data: &CharacterData, eye_z: f64) -> Stage {
    let mut stage = Stage::at_rest(data);
    stage.params.view.xray = 0.0;
    stage.params.light.tone_map = 3;
    stage.camera = dryad::render::Camera::new(DVec3::new(0.1, 0.2, eye_z), DVec3::ZERO, 60.0);
    (stage.params.light.background_top, stage.params.light.background_bottom) = ([0.0; 3], [0.0; 3]);
    stage
}

#[test]
fn the_nearer_pane_lies_over_the_farther_one_from_both_sides() {
    let [red, green] = [Vec4::new(1.0, 0.0, 0.0, 0.5), Vec4::new(0.0, 1.0, 0.0, 0.5)];
    for panes_given in [[(0.5, red), (-0.5, green)], [(-0.5, green), (0.5, red)]] {
        let data = panes(&panes_given);
        for (eye_z, near, far) in [(3.0, 0, 1), (-3.0, 1, 0)] {
            let shown = pixel(&stage(&data, eye_z).picture(), 32, 32);
            // Half of the near one, a quarter of the far one.
            let [near, far] = [near, far].map(|part| linear(shown[part]));
            assert!((near - 0.5).abs() < 0.01 && (far - 0.25).abs() < 0.01, "from {eye_z}: {shown:?}");
        }
    }
}

#[test]
fn many_panes_in_any_order_look_as_if_they_lay_in_order() {
    // More than one block of the sort holds, and no power of two.
    let count = 1500;
    let mut ordered: Vec<(f32, Vec4)> = (0..count)
        .map(|i| {
            let near = i as f32 / count as f32;
            (-1.0 + 2.0 * near, Vec4::new(near, 1.0 - near, (i % 3) as f32 / 3.0, 0.1))
        })
        .collect();
    let wanted = stage(&panes(&ordered), 3.0).picture();
    // Laid over each other in f64, far to near: red comes out on top.
    let over = |seen: DVec3, pane: &(f32, Vec4)| seen.lerp(pane.1.truncate().as_dvec3(), 0.1);
    let [r, g, b, _] = pixel(&wanted, 32, 32);
    let (twin, shown) = (ordered.iter().fold(DVec3::ZERO, over), [r, g, b].map(linear));
    // Half floats round at every pane.
    assert!((0..3).all(|part| (f64::from(shown[part]) - twin[part]).abs() < 0.02), "{shown:?}, not {twin}");
    // A fixed shuffle: a multiplication by a number prime to the count.
    let shuffled: Vec<_> = (0..count).map(|i| ordered[i * 677 % count]).collect();
    let shown = stage(&panes(&shuffled), 3.0).picture();
    assert_eq!(shown.rgba, wanted.rgba, "shuffled");
    assert_eq!(stage(&panes(&shuffled), 3.0).picture().rgba, wanted.rgba, "again");
    // From behind, the other way round.
    ordered.reverse();
    let wanted = stage(&panes(&ordered), -3.0).picture();
    assert_eq!(stage(&panes(&shuffled), -3.0).picture().rgba, wanted.rgba, "from behind");
}

#[test]
fn materials_are_ordered_as_wholes() {
    let [red, green] = [Vec4::new(1.0, 0.0, 0.0, 0.5), Vec4::new(0.0, 1.0, 0.0, 0.5)];
    let mut data = panes(&[(0.5, red), (-0.5, green)]);
    data.materials.push(data.materials[0].clone());
    let mut second = data.primitives[0].clone();
    (data.primitives[0].index_count, data.primitives[0].vertex_count) = (6, 4);
    (second.first_index, second.index_count, second.first_vertex, second.vertex_count) = (6, 6, 4, 4);
    second.material = 1;
    data.primitives.push(second);
    for (eye_z, near) in [(3.0, 0), (-3.0, 1)] {
        let shown = pixel(&stage(&data, eye_z).picture(), 32, 32);
        assert!((linear(shown[near]) - 0.5).abs() < 0.01, "from {eye_z}: {shown:?}");
    }
}
