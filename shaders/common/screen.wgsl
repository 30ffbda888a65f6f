// One triangle that covers the viewport, with texture coordinates that begin in its upper left corner.

struct ScreenCorner {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn screen(@builtin(vertex_index) vertex: u32) -> ScreenCorner {
    let uv = vec2<f32>(f32((vertex << 1u) & 2u), f32(vertex & 2u));
    return ScreenCorner(vec4<f32>(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}
