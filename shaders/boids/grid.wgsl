// Sorts the flock into a uniform grid, the same way every time: the atomics of `histogram` only hand out places
// within a cell, and `rank` puts those back into the order of ids.
//!include "common/index.wgsl"
//!include "common/boids.wgsl"

@group(0) @binding(0) var<uniform> boids: BoidsUniform;
@group(0) @binding(1) var<storage, read> current: array<Boid>;
// Boids a cell, with one zero behind the last.
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
// Cell, and place within it, of every boid.
@group(0) @binding(3) var<storage, read_write> places: array<vec2<u32>>;
// First entry of each cell; behind the last, the number of boids.
@group(0) @binding(4) var<storage, read> starts: array<u32>;
// Id and cell, by cell.
@group(0) @binding(5) var<storage, read_write> members: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> candidates: array<Candidate>;

// Boids beyond the grid count for its outermost cells, which keeps neighbours in adjacent cells.
fn cell_coordinate(position: f32) -> u32 {
    let cell = floor((position - boids.grid_origin) * boids.cells_per_extent);
    return u32(clamp(cell, 0.0, f32(boids.grid_side) - 1.0));
}

fn cell_count() -> u32 {
    return boids.grid_side * boids.grid_side * boids.grid_side;
}

@compute @workgroup_size(64)
fn clear(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let cell = linear_index(global_id, 64u);
    if cell <= cell_count() {
        atomicStore(&counts[cell], 0u);
    }
}

@compute @workgroup_size(64)
fn histogram(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let id = linear_index(global_id, 64u);
    if id >= boids.boid_count {
        return;
    }
    let position = local_position(current[id], boids.center, boids.extent_m);
    let x = cell_coordinate(position.x);
    let y = cell_coordinate(position.y);
    let z = cell_coordinate(position.z);
    let cell = min((z * boids.grid_side + y) * boids.grid_side + x, cell_count() - 1u);
    places[id] = vec2<u32>(cell, atomicAdd(&counts[cell], 1u));
}

@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let id = linear_index(global_id, 64u);
    if id >= boids.boid_count {
        return;
    }
    let place = places[id];
    let entry = starts[place.x] + place.y;
    if entry < boids.boid_count {
        members[entry] = vec2<u32>(id, place.x);
    }
}

// A boid's rank is the number of lower ids in its cell; counting stops at the cap, behind which nobody looks.
@compute @workgroup_size(64)
fn rank(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let entry = linear_index(global_id, 64u);
    if entry >= boids.boid_count {
        return;
    }
    let member = members[entry];
    let first = starts[member.y];
    let end = min(starts[member.y + 1u], boids.boid_count);
    var rank = 0u;
    for (var k = first; k < end && rank < CELL_CAP; k++) {
        rank += select(0u, 1u, members[k].x < member.x);
    }
    if rank < CELL_CAP {
        let boid = current[member.x];
        candidates[first + rank] = Candidate(
            local_position(boid, boids.center, boids.extent_m),
            member.x,
            boid.velocity / boids.extent_m,
            end,
        );
    }
    if entry - first >= CELL_CAP {
        candidates[entry] = Candidate(vec3<f32>(), NO_BOID, vec3<f32>(), end);
    }
}
