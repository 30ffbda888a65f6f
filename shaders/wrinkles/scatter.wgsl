// Hands every vertex of the surface its field vertex's strain, and gives the folds a phase.
//!include "common/index.wgsl"
//!include "wrinkles/tables.wgsl"
//!include "wrinkles/strain_vertex.wgsl"

@group(0) @binding(0) var<uniform> wrinkles: WrinklesUniform;
@group(0) @binding(1) var<storage, read> field: array<FieldVertex>;
@group(0) @binding(2) var<storage, read> anchors: array<AnchorLink>;
@group(0) @binding(3) var<storage, read> field_of_surface: array<u32>;
@group(0) @binding(4) var<storage, read> field_strain: array<StrainVertex>;
@group(0) @binding(5) var<storage, read_write> vertices: array<StrainVertex>;

// Each anchor sends a plane wave of its own direction, crest at the anchor; a vertex takes the phase of their
// sum (phasor noise, after Tricard et al. 2019). So the phase never depends on the distance from an origin,
// only on the way from anchors near by, and folds stand still on the body while it bends.
fn wave(vertex: FieldVertex, direction: vec3<f32>) -> vec2<f32> {
    var sum = vec2<f32>(0.0);
    for (var k = 0u; k < vertex.anchor_count; k++) {
        let link = anchors[vertex.first_anchor + k];
        let anchor = field_strain[link.field];
        // Directions are lines: the anchor's is turned to agree. Square ones have no sense and no weight.
        let agreement = dot(anchor.rest_direction, direction);
        let way = dot(anchor.rest_direction, vec3<f32>(link.offset[0], link.offset[1], link.offset[2]));
        let phase = wrinkles.wave_number * way * sign(agreement);
        let weight = link.weight * agreement * agreement * (anchor.compression + 0.001);
        sum += weight * vec2<f32>(cos(phase), sin(phase));
    }
    let size = length(sum);
    if size < 1e-12 {
        return vec2<f32>(1.0, 0.0);
    }
    return sum / size;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let index = linear_index(global_id, 64u);
    if index >= wrinkles.surface_count {
        return;
    }
    let id = field_of_surface[index];
    if id >= wrinkles.field_count {
        // No triangle has this vertex: nothing strains it.
        vertices[index] = StrainVertex(vec3<f32>(1.0, 0.0, 0.0), 0.0, vec3<f32>(1.0, 0.0, 0.0), 0.0, vec2<f32>(1.0, 0.0), 0.0, 0.0);
        return;
    }
    var strain = field_strain[id];
    strain.wave = wave(field[id], strain.rest_direction);
    vertices[index] = strain;
}
