// The body: metallic-roughness, folds and X-ray, and its data views. Vertices are pulled by index.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/folds.wgsl"
//!include "common/paint_vertex.wgsl"
//!include "common/strain_vertex.wgsl"

// A vertex as it is drawn, and the one triangle that it leads: the corner that hands over flat values.
struct DrawVertex {
    source: u32,
    triangle: u32,
}

struct MaterialUniform {
    base_color: vec4<f32>,
    emissive: vec3<f32>,
    metallic: f32,
    roughness: f32,
    alpha_cutoff: f32,
    unlit: u32,
    pad0: u32,
}

@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> normals: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> paint: array<PaintVertex>;
@group(0) @binding(4) var<storage, read> strain: array<StrainVertex>;
@group(0) @binding(5) var<storage, read> draw_vertices: array<DrawVertex>;
@group(0) @binding(6) var<storage, read> fold_triangles: array<FoldTriangle>;
@group(1) @binding(0) var<uniform> material: MaterialUniform;
@group(1) @binding(1) var base_color_texture: texture_2d<f32>;
@group(1) @binding(2) var base_color_sampler: sampler;

struct Varying {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec4<f32>,
    @location(3) uv: vec2<f32>,
    @location(4) @interpolate(flat, first) triangle: u32,
}

struct ThinVarying {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) alpha: f32,
}

struct StrainVarying {
    @builtin(position) clip: vec4<f32>,
    // Compression and stretch.
    @location(0) strain: vec2<f32>,
}

@vertex
fn painted(@builtin(vertex_index) vertex: u32) -> Varying {
    let drawn = draw_vertices[vertex];
    var out: Varying;
    out.relative = positions[drawn.source].xyz - frame.eye;
    out.clip = frame.clip_from_relative * vec4<f32>(out.relative, 1.0);
    out.normal = normals[drawn.source].xyz;
    out.color = paint[drawn.source].color;
    out.uv = paint[drawn.source].uv;
    out.triangle = drawn.triangle;
    return out;
}

// Without what the cut-out needs.
@vertex
fn bare(@builtin(vertex_index) vertex: u32) -> @builtin(position) @invariant vec4<f32> {
    return frame.clip_from_relative * vec4<f32>(positions[vertex].xyz - frame.eye, 1.0);
}

@vertex
fn strained(@builtin(vertex_index) vertex: u32) -> StrainVarying {
    var out: StrainVarying;
    out.clip = frame.clip_from_relative * vec4<f32>(positions[vertex].xyz - frame.eye, 1.0);
    if vertex < frame.strain_count {
        out.strain = vec2<f32>(strain[vertex].compression, strain[vertex].stretch);
    }
    return out;
}

@vertex
fn thin(@builtin(vertex_index) vertex: u32) -> ThinVarying {
    var out: ThinVarying;
    out.clip = frame.clip_from_relative * vec4<f32>(positions[vertex].xyz - frame.eye, 1.0);
    out.uv = paint[vertex].uv;
    out.alpha = paint[vertex].color.a;
    return out;
}

fn is_cut_out(in: ThinVarying) -> bool {
    let sampled = textureSample(base_color_texture, base_color_sampler, in.uv);
    return material.base_color.a * in.alpha * sampled.a < material.alpha_cutoff;
}

// The prepass shares its render pass, and so its colour target, with passes that draw; it writes nothing there.
@fragment
fn depth() {
}

@fragment
fn depth_cutout(in: ThinVarying) {
    if is_cut_out(in) {
        discard;
    }
}

@fragment
fn mask() -> @location(0) vec4<f32> {
    return vec4<f32>(1.0);
}

@fragment
fn mask_cutout(in: ThinVarying) -> @location(0) vec4<f32> {
    if is_cut_out(in) {
        discard;
    }
    return vec4<f32>(1.0);
}

// Strain as colour: blue where compressed, orange where stretched, grey at rest; told apart by every kind of
// colour vision. Linear, and exact: no light, no exposure, no tone map.
@fragment
fn strain_map(in: StrainVarying) -> @location(0) vec4<f32> {
    let low = clamp(in.strain.x / frame.strain_legend, 0.0, 1.0);
    let high = clamp(in.strain.y / frame.strain_legend, 0.0, 1.0);
    let extreme = select(STRAIN_COMPRESSED, STRAIN_STRETCHED, high > low);
    return vec4<f32>(mix(STRAIN_NEUTRAL, extreme, max(low, high)), 1.0);
}

const STRAIN_NEUTRAL = vec3<f32>(0.42, 0.42, 0.42);
const STRAIN_COMPRESSED = vec3<f32>(0.010, 0.072, 0.52);
const STRAIN_STRETCHED = vec3<f32>(0.82, 0.16, 0.006);

struct Shaded {
    // Light scattered and given off by the surface, and light mirrored by it.
    diffuse: vec3<f32>,
    specular: vec3<f32>,
    alpha: f32,
    // Cosine between normal and eye.
    facing: f32,
}

fn shaded(in: Varying, front: bool, fold: Fold) -> Shaded {
    let sampled = textureSample(base_color_texture, base_color_sampler, in.uv);
    let base = material.base_color * in.color * sampled;
    let to_eye = unit_or(-in.relative, -frame.forward);
    let outward = select(-in.normal, in.normal, front);
    let smooth_normal = unit_or(outward, to_eye);
    let normal = unit_or(smooth_normal - fold.gradient, smooth_normal);
    let facing = max(dot(normal, to_eye), 0.0);
    if material.unlit != 0u {
        return Shaded(base.rgb, vec3<f32>(0.0), base.a, facing);
    }
    // Seen through, the body is glazed: the smoother, the clearer.
    let roughness = mix(material.roughness, min(material.roughness, 0.28), frame.xray);
    let lit = light_surface(Surface(base.rgb * fold.shade, material.metallic, normal, roughness, to_eye));
    return Shaded(lit.diffuse + material.emissive, lit.specular, base.a, facing);
}

// What the solid body shows.
fn solid_color(s: Shaded) -> vec4<f32> {
    return vec4<f32>(s.diffuse + s.specular, 1.0);
}

// What the X-ray body shows, premultiplied: clear where it faces the eye, closing towards its rim. What it
// scatters hides what lies behind as much as it adds; what it mirrors only adds, as on glass.
fn shell_color(s: Shaded) -> vec4<f32> {
    let edge = 1.0 - s.facing;
    let closing = edge * edge * (3.0 - 2.0 * edge);
    let clear = 1.0 - frame.xray;
    let veil = mix(clear * sqrt(clear), mix(1.0, 0.66, frame.xray), closing * closing);
    let rim = frame.xray * frame.ambient * closing * closing * edge * vec3<f32>(0.34, 0.46, 0.58);
    let added = s.specular + rim;
    let hidden = clamp(max(max(added.r, added.g), added.b), 0.0, 1.0);
    return vec4<f32>(s.diffuse * veil + added, veil + (1.0 - veil) * 0.6 * hidden);
}

fn fold(in: Varying) -> Fold {
    return fold_at(fold_triangles[min(in.triangle, arrayLength(&fold_triangles) - 1u)], in.relative);
}

@fragment
fn solid(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return solid_color(shaded(in, front, FLAT));
}

@fragment
fn solid_folded(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return solid_color(shaded(in, front, fold(in)));
}

@fragment
fn solid_cutout(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let s = shaded(in, front, fold(in));
    if s.alpha < material.alpha_cutoff {
        discard;
    }
    return solid_color(s);
}

@fragment
fn shell(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return shell_color(shaded(in, front, FLAT));
}

@fragment
fn shell_folded(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return shell_color(shaded(in, front, fold(in)));
}

@fragment
fn shell_cutout(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let s = shaded(in, front, fold(in));
    if s.alpha < material.alpha_cutoff {
        discard;
    }
    return shell_color(s);
}

// Blended materials, shell or not: their own alpha on top.
@fragment
fn blended(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let s = shaded(in, front, fold(in));
    return shell_color(s) * clamp(s.alpha, 0.0, 1.0);
}
