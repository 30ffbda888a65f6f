//! Welding by rest position, fans and rings: which vertices are neighbours, and in which direction.
//!
//! Files split vertices where texture coordinates or normals jump. Here vertices at one rest place are one
//! again, and what is left is cut where more than two triangles meet at an edge or two disagree about its
//! direction, so that around every [`Fan`] the triangles lie in order, like a disc or a half-disc.

use std::collections::HashMap;
use std::f64::consts::TAU;

use glam::{DVec3, Vec3};

/// Vertices closer than this fraction of H are one. Seams repeat a place exactly or, through differently
/// stored weights, to a few parts in ten million; the finest detail of real models is fifty times larger.
pub const WELD_TOLERANCE: f64 = 1e-6;

/// "No fan": a vertex that no triangle uses.
pub const NO_FAN: u32 = u32::MAX;

/// "No spoke": a triangle that was left out.
pub const NO_SPOKE: u32 = u32::MAX;

/// "No half-edge": beyond it lies a border.
const NONE: u32 = u32::MAX;

/// Tangent frames turn their first axis towards this, so that those of neighbours agree. It is oblique to
/// the axes along which models are built, so that few surfaces are square to it.
const REFERENCE: DVec3 = DVec3::new(0.36, 0.8, 0.48);
/// Used where the surface is nearly square to [`REFERENCE`].
const OTHER_REFERENCE: DVec3 = DVec3::new(0.8, -0.6, 0.0);

/// A vertex with the triangles round it, joined through shared edges: a *field vertex*.
///
/// Nearly every welded vertex has one fan; where sheets touch in a point or an edge has three triangles, it has
/// several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fan {
    /// The surface vertex that stands for it: the lowest index at its place.
    pub surface: u32,
    /// First entry in [`Topology::spokes`].
    pub first_spoke: u32,
    /// Number of spokes: as many as triangles, and one more at a border.
    pub spoke_count: u32,
    /// Whether the triangles leave a gap.
    pub is_border: bool,
    /// What corner angles are multiplied with to make a full turn; 1 at a border.
    pub angle_scale: f64,
    /// Unit normal of the rest surface, weighted by area.
    pub normal: Vec3,
    /// Unit tangent of angle 0, near one direction all over the body.
    pub axis_x: Vec3,
    /// Unit tangent of a quarter turn, counter-clockwise seen from outside.
    pub axis_y: Vec3,
}

/// An edge of a fan seen from its middle; a fan's spokes lie counter-clockwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spoke {
    /// The surface vertex that stands for the far end.
    pub surface: u32,
    /// The fan at the far end that has the same triangle.
    pub fan: u32,
    /// The same edge among that fan's spokes.
    pub reverse: u32,
    /// Bearing in the fan's tangent frame (the log map), radians.
    pub angle: f64,
    /// Length at rest, metres.
    pub length: f64,
    /// True angle at rest of the triangle between this spoke and the next, radians; `None` at a border.
    pub corner: Option<f64>,
}

/// Who is whose neighbour on the rest surface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology {
    /// H, metres; finite and positive.
    pub extent: f32,
    /// For every surface vertex the lowest one at the same place.
    pub representative: Vec<u32>,
    /// For every surface vertex its fan, else [`NO_FAN`]; the same for all at one place.
    pub fan_of_surface: Vec<u32>,
    /// All fans.
    pub fans: Vec<Fan>,
    /// Spokes of all fans, one fan after another.
    pub spokes: Vec<Spoke>,
    /// For every triangle of the list, the spokes that lead from each of its corners to the next; [`NO_SPOKE`]
    /// where it was left out. A copy of a triangle has the spokes of the one that stays.
    pub triangle_spokes: Vec<[u32; 3]>,
    /// Triangles left out because two corners weld, a corner is not finite or not there, or another triangle
    /// has the same corners.
    pub dropped_triangles: usize,
}

impl Topology {
    /// Finds the neighbours of every vertex of a triangle list; `extent` is H in metres.
    ///
    /// Depends on nothing but its arguments, in time close to linear. Indices out of range and numbers that
    /// are not finite drop their triangles.
    #[must_use]
    pub fn new(rest_positions: &[Vec3], indices: &[u32], extent: f32) -> Self {
        let extent = if extent.is_finite() && extent > 0.0 { extent } else { 1.0 };
        let representative = weld(rest_positions, WELD_TOLERANCE * f64::from(extent));
        let Usable { corners, sources, copies } = usable_triangles(rest_positions, indices, &representative);
        let dropped_triangles = indices.len() / 3 - corners.len() / 3;
        let twins = pair_half_edges(&corners);
        let mut topology = Self { extent, representative, dropped_triangles, ..Self::default() };
        let spoke_of_corner = topology.gather_fans(&corners, &twins);
        topology.triangle_spokes = vec![[NO_SPOKE; 3]; indices.len() / 3];
        for (kept, &source) in sources.iter().enumerate() {
            topology.triangle_spokes[source] = [0, 1, 2].map(|k| spoke_of_corner[3 * kept + k]);
        }
        for (source, like) in copies {
            topology.triangle_spokes[source] = topology.spokes_of_copy(indices, source, like);
        }
        topology.measure(rest_positions);
        topology.assign_surface();
        topology
    }

    /// The spokes of a fan.
    #[must_use]
    pub fn ring(&self, fan: &Fan) -> &[Spoke] {
        &self.spokes[fan.first_spoke as usize..(fan.first_spoke + fan.spoke_count) as usize]
    }

    /// The spokes of a triangle with the same corners as `like`, in whatever order.
    fn spokes_of_copy(&self, indices: &[u32], source: usize, like: usize) -> [u32; 3] {
        let [corners, known] =
            [source, like].map(|t| [0, 1, 2].map(|k| self.representative[indices[3 * t + k] as usize]));
        [0, 1, 2].map(|k| {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            (0..3)
                .find_map(|n| {
                    let spoke = self.triangle_spokes[like][n];
                    match [known[n], known[(n + 1) % 3]] {
                        way if way == [from, to] => Some(spoke),
                        way if way == [to, from] => Some(self.spokes[spoke as usize].reverse),
                        _ => None,
                    }
                })
                .unwrap_or(NO_SPOKE)
        })
    }

    /// Walks round every vertex; frames, angles and lengths are left to [`Self::measure`]. Returns the spoke that
    /// leads from every corner to the next of its triangle.
    fn gather_fans(&mut self, corners: &[u32], twins: &[u32]) -> Vec<u32> {
        let count = corners.len() as u32;
        // Counter-clockwise and clockwise neighbours among the corners at one vertex.
        let left = |corner: u32| twins[before(corner) as usize];
        let right = |corner: u32| match twins[corner as usize] {
            NONE => NONE,
            twin => after(twin),
        };
        let mut fan_of_corner = vec![NO_FAN; corners.len()];
        let mut spoke_of_corner = vec![NONE; corners.len()];
        let mut ends = Vec::new();
        for seed in 0..count {
            if fan_of_corner[seed as usize] != NO_FAN {
                continue;
            }
            let mut first = seed;
            let mut is_border = true;
            while right(first) != NONE {
                first = right(first);
                if first == seed {
                    is_border = false;
                    break;
                }
            }
            let fan = self.fans.len() as u32;
            let first_spoke = ends.len() as u32;
            let mut corner = first;
            loop {
                fan_of_corner[corner as usize] = fan;
                spoke_of_corner[corner as usize] = ends.len() as u32;
                ends.push((corner, after(corner)));
                let next = left(corner);
                if next == NONE {
                    ends.push((corner, before(corner)));
                    break;
                }
                if next == first {
                    break;
                }
                corner = next;
            }
            self.fans.push(Fan {
                surface: corners[seed as usize],
                first_spoke,
                spoke_count: ends.len() as u32 - first_spoke,
                is_border,
                angle_scale: 1.0,
                normal: Vec3::Y,
                axis_x: Vec3::X,
                axis_y: Vec3::Z,
            });
        }
        self.spokes = ends
            .iter()
            .map(|&(corner, end)| {
                let fan = fan_of_corner[end as usize];
                // The edge back: through the triangle on its other side, else the last spoke of a border fan,
                // else (this being such a last spoke) the one that the shared triangle's corner there begins.
                let reverse = if end == before(corner) {
                    spoke_of_corner[end as usize]
                } else if twins[corner as usize] != NONE {
                    spoke_of_corner[twins[corner as usize] as usize]
                } else {
                    let far = &self.fans[fan as usize];
                    far.first_spoke + far.spoke_count - 1
                };
                Spoke { surface: corners[end as usize], fan, reverse, angle: 0.0, length: 0.0, corner: None }
            })
            .collect();
        spoke_of_corner
    }

    /// Lengths, corner angles, frames and bearings.
    fn measure(&mut self, rest_positions: &[Vec3]) {
        for fan in &mut self.fans {
            let range = fan.first_spoke as usize..(fan.first_spoke + fan.spoke_count) as usize;
            let ring = &mut self.spokes[range];
            let center = rest_positions[fan.surface as usize].as_dvec3();
            let arms: Vec<DVec3> =
                ring.iter().map(|s| rest_positions[s.surface as usize].as_dvec3() - center).collect();
            let triangles = if fan.is_border { ring.len() - 1 } else { ring.len() };
            let mut turn = 0.0;
            let mut normal = DVec3::ZERO;
            let mut doubled_area = 0.0;
            for k in 0..triangles {
                let (a, b) = (arms[k], arms[(k + 1) % arms.len()]);
                let cross = a.cross(b);
                let corner = cross.length().atan2(a.dot(b));
                normal += cross;
                doubled_area += cross.length();
                turn += corner;
                ring[k].corner = Some(corner);
            }
            // A ring of needles only has no angle to scale; its spokes are spread evenly.
            let even = if turn > 1e-9 || fan.is_border { None } else { Some(TAU / ring.len() as f64) };
            fan.angle_scale = if fan.is_border || even.is_some() { 1.0 } else { TAU / turn };
            let mut angle = 0.0;
            for (spoke, arm) in ring.iter_mut().zip(&arms) {
                spoke.length = arm.length();
                spoke.angle = angle;
                angle += even.unwrap_or(fan.angle_scale * spoke.corner.unwrap_or(0.0));
            }
            let normal = if normal.length() > 1e-9 * doubled_area && doubled_area > 0.0 {
                normal / normal.length()
            } else {
                let longest = arms
                    .iter()
                    .copied()
                    .fold(DVec3::ZERO, |a, b| if b.length() > a.length() { b } else { a });
                longest.try_normalize().map_or(DVec3::Y, DVec3::any_orthonormal_vector)
            };
            let (x, y) = tangent_axes(normal);
            // Turn the ring so that its spokes point where they do in space, in the least-squares sense.
            let (mut real, mut imaginary) = (0.0, 0.0);
            for (spoke, arm) in ring.iter().zip(&arms) {
                let (sin, cos) = spoke.angle.sin_cos();
                let (u, v) = (arm.dot(x), arm.dot(y));
                real += u * cos + v * sin;
                imaginary += v * cos - u * sin;
            }
            let offset = if real == 0.0 && imaginary == 0.0 { 0.0 } else { imaginary.atan2(real) };
            for spoke in ring.iter_mut() {
                spoke.angle += offset;
            }
            (fan.normal, fan.axis_x, fan.axis_y) = (normal.as_vec3(), x.as_vec3(), y.as_vec3());
        }
    }

    /// Gives all surface vertices at one place the same fan: the one with most triangles, then the lowest.
    fn assign_surface(&mut self) {
        let triangles = |fan: &Fan| fan.spoke_count - u32::from(fan.is_border);
        let mut best = vec![NO_FAN; self.representative.len()];
        for (id, fan) in self.fans.iter().enumerate() {
            let slot = &mut best[fan.surface as usize];
            if *slot == NO_FAN || triangles(fan) > triangles(&self.fans[*slot as usize]) {
                *slot = id as u32;
            }
        }
        self.fan_of_surface = self.representative.iter().map(|&r| best[r as usize]).collect();
    }
}

/// Two unit vectors square to a unit normal and to each other, right-handed with it, varying as little as
/// possible over a surface.
fn tangent_axes(normal: DVec3) -> (DVec3, DVec3) {
    let along = |reference: DVec3| reference - normal * normal.dot(reference);
    let mut x = along(REFERENCE);
    if x.length() < 0.1 {
        x = along(OTHER_REFERENCE);
    }
    let x = x.normalize_or(DVec3::X);
    (x, normal.cross(x))
}

/// The next corner of the same triangle.
fn after(corner: u32) -> u32 {
    if corner % 3 == 2 { corner - 2 } else { corner + 1 }
}

/// The corner before it in the same triangle.
fn before(corner: u32) -> u32 {
    if corner.is_multiple_of(3) { corner + 2 } else { corner - 1 }
}

/// For every position the lowest index within `tolerance` of which it lies, itself if none.
///
/// A place is compared with representatives only, so that chains of close points do not collapse into one.
fn weld(positions: &[Vec3], tolerance: f64) -> Vec<u32> {
    let cell_edge = 2.0 * tolerance;
    let mut newest_in_cell: HashMap<[i64; 3], u32> = HashMap::with_capacity(positions.len());
    let mut older_in_cell = vec![NONE; positions.len()];
    let mut representative: Vec<u32> = (0..positions.len() as u32).collect();
    for (index, &position) in positions.iter().enumerate() {
        // What is not finite is nowhere, hence at nobody's place.
        if !position.is_finite() {
            continue;
        }
        let place = position.as_dvec3();
        let scaled = place / cell_edge;
        let cell = scaled.floor();
        // The ball of half a cell's edge reaches into one neighbour along each axis at most.
        let side = DVec3::select((scaled - cell).cmplt(DVec3::splat(0.5)), DVec3::NEG_ONE, DVec3::ONE);
        let mut lowest = index as u32;
        for neighbor in 0..8 {
            let step =
                DVec3::new(f64::from(neighbor & 1), f64::from(neighbor >> 1 & 1), f64::from(neighbor >> 2));
            let mut other = newest_in_cell.get(&key(cell + step * side)).copied().unwrap_or(NONE);
            while other != NONE {
                if other < lowest
                    && positions[other as usize].as_dvec3().distance_squared(place) <= tolerance * tolerance
                {
                    lowest = other;
                }
                other = older_in_cell[other as usize];
            }
        }
        representative[index] = lowest;
        if lowest == index as u32
            && let Some(older) = newest_in_cell.insert(key(cell), index as u32)
        {
            older_in_cell[index] = older;
        }
    }
    representative
}

/// A cell as whole numbers; what does not fit saturates.
fn key(cell: DVec3) -> [i64; 3] {
    cell.to_array().map(|x| x as i64)
}

/// Triangles that can be used.
struct Usable {
    /// Their welded corners, three a triangle, in the file's order.
    corners: Vec<u32>,
    /// The number of each in the file.
    sources: Vec<usize>,
    /// Numbers in the file of triangles whose three corners another has, and of that other.
    copies: Vec<(usize, usize)>,
}

/// Finds the triangles that can be used.
fn usable_triangles(positions: &[Vec3], indices: &[u32], representative: &[u32]) -> Usable {
    let mut triangles: Vec<([u32; 3], usize)> = Vec::with_capacity(indices.len() / 3);
    for (order, triangle) in indices.chunks_exact(3).enumerate() {
        let place = |index: u32| {
            let welded = *representative.get(index as usize)?;
            positions[welded as usize].is_finite().then_some(welded)
        };
        let (Some(a), Some(b), Some(c)) = (place(triangle[0]), place(triangle[1]), place(triangle[2])) else {
            continue;
        };
        if a != b && b != c && c != a {
            triangles.push(([a, b, c], order));
        }
    }
    // A sheet given twice, once for each side, would have four triangles at every edge: the first of those
    // with the same three corners stays, whichever way it turns.
    let sorted = |mut corners: [u32; 3]| {
        corners.sort_unstable();
        corners
    };
    triangles.sort_unstable_by_key(|&(corners, order)| (sorted(corners), order));
    let mut copies = Vec::new();
    triangles.dedup_by(|copy, kept| {
        let same = sorted(copy.0) == sorted(kept.0);
        if same {
            copies.push((copy.1, kept.1));
        }
        same
    });
    triangles.sort_unstable_by_key(|&(_, order)| order);
    let (corners, sources): (Vec<_>, _) = triangles.into_iter().unzip();
    Usable { corners: corners.into_flattened(), sources, copies }
}

/// For every half-edge (named by the corner it leaves) the one back along the same edge, if the edge has
/// exactly one triangle on each side.
fn pair_half_edges(corners: &[u32]) -> Vec<u32> {
    let mut edges: Vec<(u32, u32, u32)> = (0..corners.len() as u32)
        .map(|corner| {
            let (from, to) = (corners[corner as usize], corners[after(corner) as usize]);
            (from.min(to), from.max(to), corner)
        })
        .collect();
    edges.sort_unstable();
    let mut twins = vec![NONE; corners.len()];
    for edge in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if let &[(_, _, one), (_, _, other)] = edge
            && corners[one as usize] != corners[other as usize]
        {
            twins[one as usize] = other;
            twins[other as usize] = one;
        }
    }
    twins
}
