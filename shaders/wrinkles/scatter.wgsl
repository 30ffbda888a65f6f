// What every vertex of the surface shows of its field vertex.
//!include "common/index.wgsl"
//!include "common/finite.wgsl"
//!include "common/fold_field.wgsl"
//!include "wrinkles/tables.wgsl"
//!include "wrinkles/ratio.wgsl"
//!include "common/strain_vertex.wgsl"

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field_of_surface: array<u32>;
@group(0) @binding(2) var<storage, read> field: array<FieldVertex>;
@group(0) @binding(3) var<storage, read> posed: array<PosedFan>;
@group(0) @binding(4) var<storage, read> normals: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> masked: array<Heading>;
@group(0) @binding(6) var<storage, read> states: array<FoldState>;
@group(0) @binding(7) var<storage, read_write> vertices: array<StrainVertex>;

// A vector made square to the unit vector n and unit; zero when nothing is left of it.
fn tangent(v: vec3<f32>, n: vec3<f32>) -> vec3<f32> {
    let flat = v - n * dot(n, v);
    let squared = dot(flat, flat);
    if !is_finite(squared) || squared <= 1e-12 * dot(v, v) || squared < 1e-30 {
        return vec3<f32>(0.0);
    }
    return flat * inverseSqrt(squared);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.surface_count {
        return;
    }
    var out = StrainVertex();
    out.rest_direction = vec3<f32>(1.0, 0.0, 0.0);
    out.direction = out.rest_direction;
    let id = field_of_surface[index];
    if id >= wrinkles.field_count {
        // No triangle has this vertex: nothing strains it.
        vertices[index] = out;
        return;
    }
    let vertex = field[id];
    let fan = posed[id];
    let heading = masked[id];
    let d = heading.direction;
    out.rest_direction = normalize(d.x * vertex.axis_x + d.y * vertex.axis_y);
    let n = normals[vertex.surface].xyz;
    out.direction = tangent(d.x * fan.image_x + d.y * fan.image_y, n);
    if dot(out.direction, out.direction) == 0.0 {
        out.direction = tangent(out.rest_direction, n);
    }
    if dot(out.direction, out.direction) == 0.0 {
        out.direction = out.rest_direction;
    }
    out.compression = heading.compression;
    let greatest = 0.5 * (fan.xx + fan.yy) + 0.5 * length(vec2<f32>(fan.xx - fan.yy, 2.0 * fan.xy));
    out.stretch = max(ratio(greatest) - 1.0, 0.0);
    out.wave = states[id].wave;
    out.amplitude = heading.amplitude;
    vertices[index] = out;
}
