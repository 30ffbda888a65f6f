// The body: metallic-roughness, folds and X-ray, and its data views. Vertices are pulled by index.
//!include "common/frame.wgsl"
//!include "common/light.wgsl"
//!include "common/reflectance.wgsl"
//!include "common/file_lights.wgsl"
//!include "common/key_shadow.wgsl"
//!include "common/material.wgsl"
//!include "common/coverage.wgsl"
//!include "common/srgb.wgsl"
//!include "common/folds.wgsl"
//!include "common/published_folds.wgsl"
//!include "common/paint_vertex.wgsl"
//!include "common/published_vertex.wgsl"
//!include "common/strain_vertex.wgsl"

// A vertex as it is drawn, and the one triangle that it leads: the corner that hands over flat values.
struct DrawVertex {
    source: u32,
    triangle: u32,
}

@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> normals: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> paint: array<PaintVertex>;
@group(0) @binding(4) var<storage, read> strain: array<StrainVertex>;
@group(0) @binding(5) var<storage, read> draw_vertices: array<DrawVertex>;
@group(0) @binding(6) var<storage, read> fold_triangles: array<FoldTriangle>;
// Posed tangents; read where the material has a normal map.
@group(0) @binding(7) var<storage, read> tangents: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read> published: array<PublishedVertex>;

// How a pipeline draws.
override has_folds: bool = false;
override has_published: bool = false;
override is_cutout: bool = false;
override is_shell: bool = false;
override is_blended: bool = false;

// Texels over which the edge of a shadow on the body is softened.
const BODY_SOFTNESS = 2.0;

struct Varying {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) relative: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec4<f32>,
    // Both sets.
    @location(3) uvs: vec4<f32>,
    @location(4) tangent: vec4<f32>,
    @location(5) @interpolate(flat, first) triangle: u32,
    // Direction and amount of the strain as published.
    @location(6) published: vec4<f32>,
}

struct ThinVarying {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) uvs: vec4<f32>,
    @location(1) color: vec4<f32>,
}

struct ColorVarying {
    @builtin(position) clip: vec4<f32>,
    // A linear colour, or a normal.
    @location(0) value: vec3<f32>,
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
    out.clip = drawn_at(out.relative);
    out.normal = normals[drawn.source].xyz;
    out.color = paint[drawn.source].color;
    out.uvs = paint[drawn.source].uvs;
    if has_normal || clearcoat_normal_slot >= 0 {
        out.tangent = tangents[min(drawn.source, arrayLength(&tangents) - 1u)];
    }
    out.triangle = drawn.triangle;
    if has_published {
        let strain = published[min(drawn.source, arrayLength(&published) - 1u)];
        out.published = vec4<f32>(strain.direction, strain.strain);
    }
    return out;
}

// Without what the cut-out needs.
@vertex
fn bare(@builtin(vertex_index) vertex: u32) -> @builtin(position) @invariant vec4<f32> {
    return drawn_at(positions[vertex].xyz - frame.eye);
}

@vertex
fn thin(@builtin(vertex_index) vertex: u32) -> ThinVarying {
    var out: ThinVarying;
    out.clip = drawn_at(positions[vertex].xyz - frame.eye);
    out.uvs = paint[vertex].uvs;
    out.color = paint[vertex].color;
    return out;
}

@vertex
fn strained(@builtin(vertex_index) vertex: u32) -> StrainVarying {
    var out: StrainVarying;
    out.clip = drawn_at(positions[vertex].xyz - frame.eye);
    if vertex < frame.strain_count {
        out.strain = vec2<f32>(strain[vertex].compression, strain[vertex].stretch);
    }
    return out;
}

@vertex
fn weighted(@builtin(vertex_index) vertex: u32) -> ColorVarying {
    let bits = paint[vertex].joint_color;
    let mixed = vec3<f32>(vec3<u32>(bits, bits >> 10u, bits >> 20u) & vec3<u32>(1023u)) / 1023.0;
    return ColorVarying(drawn_at(positions[vertex].xyz - frame.eye), mixed);
}

@vertex
fn turned(@builtin(vertex_index) vertex: u32) -> ColorVarying {
    return ColorVarying(drawn_at(positions[vertex].xyz - frame.eye), normals[vertex].xyz);
}

@fragment
fn weight_map(in: ColorVarying) -> @location(0) vec4<f32> {
    return vec4<f32>(in.value, 1.0);
}

// Parts from -1 to 1 as codes from 0 to 255.
@fragment
fn normal_map(in: ColorVarying) -> @location(0) vec4<f32> {
    return vec4<f32>(decode_srgb(0.5 + 0.5 * unit_or(in.value, vec3<f32>(0.0))), 1.0);
}

// How much of a pixel a cut-out covers there: its edge, where alpha passes the threshold, is a pixel wide. Where
// alpha is even it is all or nothing.
fn cutout_share(alpha: f32) -> f32 {
    let past = alpha - material.alpha_cutoff;
    let a_pixel = fwidth(alpha);
    if a_pixel < 1e-3 {
        return select(0.0, 1.0, past >= 0.0);
    }
    return clamp(past / a_pixel + 0.5, 0.0, 1.0);
}

fn is_cut_out(in: ThinVarying) -> bool {
    return base_color_at(in.uvs, in.color).a < material.alpha_cutoff;
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
fn depth_covered(in: ThinVarying) -> @builtin(sample_mask) u32 {
    return covered_samples(cutout_share(base_color_at(in.uvs, in.color).a));
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

fn shaded(in: Varying, front: bool) -> Shaded {
    let base = base_color_at(in.uvs, in.color);
    let to_eye = towards_eye(in.relative);
    let outward = select(-in.normal, in.normal, front);
    let smooth_normal = unit_or(outward, to_eye);
    let mapped = mapped_normal(in.uvs, smooth_normal, in.tangent, front);
    var fold = FLAT;
    if has_folds {
        fold = fold_at(fold_triangles[min(in.triangle, arrayLength(&fold_triangles) - 1u)], in.relative);
    }
    if has_published && in.clip.x >= frame.fold_divider_px {
        fold = published_fold_at(in.published.xyz, in.published.w, in.relative);
    }
    let normal = unit_or(mapped - fold.gradient, mapped);
    let facing = max(dot(normal, to_eye), 0.0);
    if is_unlit {
        return Shaded(base.rgb, vec3<f32>(0.0), base.a, facing);
    }
    let both = metallic_roughness_at(in.uvs);
    let open = occlusion_at(in.uvs) * fold.open;
    let emission = emission_at(in.uvs);
    var surface: Surface;
    surface.base = base.rgb;
    surface.metallic = both.x;
    surface.normal = normal;
    // Seen through, the body is glazed: the smoother, the clearer.
    surface.roughness = roughened(mix(both.y, min(both.y, 0.28), frame.xray), fold.lost);
    surface.to_eye = to_eye;
    surface.open = open;
    let specular = specular_at(in.uvs);
    surface.specular_color = specular.rgb;
    surface.specular = specular.a;
    if has_layers {
        let sheen = sheen_at(in.uvs);
        surface.sheen_color = sheen.rgb;
        surface.sheen_roughness = sheen.a;
        let coat = clearcoat_at(in.uvs);
        surface.clearcoat = coat.x;
        surface.clearcoat_roughness = coat.y;
        let coat_normal = clearcoat_normal(in.uvs, smooth_normal, in.tangent, front);
        surface.clearcoat_normal = unit_or(coat_normal - fold.gradient, coat_normal);
    }
    // Glass lets the light through as it lets the eye.
    surface.lit = mix(1.0, key_arrives(in.relative, smooth_normal, BODY_SOFTNESS), 1.0 - frame.xray);
    var light = light_surface(surface, has_layers);
    if has_file_lights {
        let seen = seen_surface(surface, has_layers);
        for (var i = 0u; i < min(frame.file_light_count, MAX_FILE_LIGHTS); i++) {
            let source = arriving_from(file_lights[i], in.relative);
            let from_it = light_from(surface, seen, source.to_light, source.light, has_layers);
            light.diffuse += from_it.diffuse;
            light.specular += from_it.specular;
        }
        light = Lit(min(light.diffuse, vec3<f32>(6e4)), min(light.specular, vec3<f32>(6e4)));
    }
    // What passes through is seen as what lies behind: it takes away from what is scattered.
    let through = transmission_at(in.uvs) * (1.0 - both.x);
    let alpha = select(base.a, 1.0 - through, through > 0.0 && !is_cutout);
    return Shaded(light.diffuse + emission, light.specular, alpha, facing);
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

// What a pass shows of the body.
fn seen_color(s: Shaded) -> vec4<f32> {
    if is_blended {
        let alpha = clamp(s.alpha, 0.0, 1.0);
        if material.transmission > 0.0 {
            // Glass thins what it scatters; what it mirrors stays.
            let seen = shell_color(Shaded(s.diffuse * alpha, s.specular, alpha, s.facing));
            return vec4<f32>(seen.rgb, seen.a * alpha);
        }
        return shell_color(s) * alpha;
    }
    if is_shell {
        return shell_color(s);
    }
    return solid_color(s);
}

@fragment
fn surface(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let s = shaded(in, front);
    if is_cutout && s.alpha < material.alpha_cutoff {
        discard;
    }
    return seen_color(s);
}

struct Covered {
    @location(0) color: vec4<f32>,
    @builtin(sample_mask) samples: u32,
}

// The same of a cut-out with four samples a pixel.
@fragment
fn surface_covered(in: Varying, @builtin(front_facing) front: bool) -> Covered {
    let s = shaded(in, front);
    return Covered(seen_color(s), covered_samples(cutout_share(s.alpha)));
}
