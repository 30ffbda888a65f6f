// Directions on a square from 0 to 1: up in its middle, down in its corners. octahedron.rs says more.

fn octahedral(direction: vec3<f32>) -> vec2<f32> {
    let a = abs(direction);
    let on_faces = direction.xz / max(a.x + a.y + a.z, 1e-20);
    let fold = select(vec2<f32>(-1.0), vec2<f32>(1.0), on_faces >= vec2<f32>(0.0)) * (1.0 - abs(on_faces.yx));
    return 0.5 + 0.5 * select(on_faces, fold, direction.y < 0.0);
}

// The unit direction of a place.
fn from_octahedral(place: vec2<f32>) -> vec3<f32> {
    let p = 2.0 * place - 1.0;
    let up = 1.0 - abs(p.x) - abs(p.y);
    let fold = max(-up, 0.0);
    let on_faces = p - select(vec2<f32>(-fold), vec2<f32>(fold), p >= vec2<f32>(0.0));
    return normalize(vec3<f32>(on_faces.x, up, on_faces.y));
}
