//! How the posed skin carries points of the volume: by chords.
//!
//! A chord runs through a point from skin to skin, so that the point divides it in a known ratio. Wherever the skin
//! moves, each chord puts the point between its two ends; the mean of several, short ones first, is where it goes,
//! and what becomes of the chords' lengths and directions tells how its neighbourhood is turned and stretched. So
//! branches follow the skin they lie in, whatever poses it (joints, morph targets, a twist that wrings a limb to a
//! point), where blending joints for each branch point on its own leaves the body: on eight characters, through all
//! clips, chords left 0 to 0.5 % of the nodes outside, joints up to 3 %, dual quaternions up to 12 %.
//!
//! On the skin a chord's near end is the point itself, and it stays on its triangle to the bit. The chords are those
//! of one shell of the mesh, so that what lies in a sword stays in the sword. Mean value coordinates (Ju, Schaefer,
//! Warren 2005) average over all directions alike; a few directions and a steep weight do, since limbs are thin.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::{DMat3, DVec3, IVec3, UVec4, Vec3, Vec4};

use crate::character::volume::{Lattice, Part, Parts};
use crate::character::winding::{Closest, TriangleTree};

/// Chords a point.
pub const CHORDS: usize = 8;
/// The first end of a chord that is not there.
pub const NO_CHORD: u32 = u32::MAX;

/// Directions of chords, besides the one through the closest point of the skin: axes and diagonals.
const DIRECTIONS: [[f64; 3]; CHORDS - 1] = {
    const D: f64 = 0.577_350_269_189_625_8;
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [D, D, D], [-D, D, D], [D, -D, D], [D, D, -D]]
};
/// Lattice units within which a point counts as on the skin: it was rounded to the lattice.
const ON_SKIN: f64 = 2.0;
/// How far below the skin chords begin for a point on it, and what is added to lengths before they are compared.
const BELOW: f64 = 8.0;
/// Chords that span less of space than this do not tell how a neighbourhood is stretched.
const FLAT: f64 = 1e-6;
/// The most triangles looked at for all points but few for each; a body needs a few hundred a search.
const MAX_TRIANGLES: usize = 1 << 26;
/// The least number of triangles that a search may look at.
const LEAST_LIMIT: usize = 256;
/// About as many searches a point.
const SEARCHES: usize = 24;

crate::gpu_struct! {
    /// How a point hangs on its chords.
    pub struct GrowthAnchor {
        /// Lattice position that the chords place.
        pub origin: Vec3,
        /// Padding.
        pub pad0: u32,
        /// Metres a lattice unit along the normal of the first chord's first triangle, where the chords lie in that
        /// triangle's plane; else zero.
        pub normal: Vec3,
        /// Padding.
        pub pad1: u32,
        /// Shares of the first four chords in its place. All shares sum to one; zero leaves the point at rest.
        pub shares0: Vec4,
        /// Shares of the last four.
        pub shares1: Vec4,
    }
}

/// The chords of all points, [`CHORDS`] each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ties {
    /// How each point hangs on its chords.
    pub anchors: Vec<GrowthAnchor>,
    /// The triangle of each end, or [`NO_CHORD`], and the weights of its second and third corner, two 16-bit parts of
    /// one.
    pub ends: Vec<UVec4>,
    /// What a change of each chord adds to the map of its neighbourhood, in 1/lattice units, and where along it the
    /// point lies.
    pub pulls: Vec<Vec4>,
}

/// Where a chord meets the skin.
#[derive(Debug, Clone, Copy)]
struct End {
    triangle: u32,
    weights: [f64; 3],
    /// From the point, lattice units.
    distance: f64,
}

/// A chord from its first to its second end.
#[derive(Debug, Clone, Copy)]
struct Chord {
    ends: [End; 2],
    direction: DVec3,
}

/// The mesh at rest as chords are cast in it.
#[derive(Debug, Clone, Copy)]
pub struct Body<'a> {
    /// The lattice.
    pub lattice: &'a Lattice,
    /// Rest positions of the vertices on it.
    pub points: &'a [IVec3],
    /// Triangles.
    pub indices: &'a [u32],
    /// The tree over all of them.
    pub tree: &'a TriangleTree,
}

/// Ties points of the lattice to the skin, on several threads; `None` once `cancel` is set.
#[must_use]
pub fn ties(body: &Body<'_>, points: &[IVec3], cancel: &AtomicBool) -> Option<Ties> {
    let limit = (MAX_TRIANGLES / SEARCHES / points.len().max(1)).max(LEAST_LIMIT);
    let mut parts = Parts::new(body.points, body.indices);
    let some = points.iter().step_by(points.len() / 64 + 1).map(|p| p.as_dvec3());
    if parts.len() == 1 || body.tree.affordable_queries(some, MAX_TRIANGLES / SEARCHES) < points.len() {
        parts = Parts::default();
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16);
    let each = points.len().div_ceil(threads).max(256);
    let parts = &parts;
    let runs: Vec<Option<Ties>> = std::thread::scope(|scope| {
        let workers: Vec<_> = points
            .chunks(each)
            .map(|run| scope.spawn(move || tie_run(body, parts, run, limit, cancel)))
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_default()).collect()
    });
    let mut all = Ties::default();
    for run in runs {
        let run = run?;
        all.anchors.extend(run.anchors);
        all.ends.extend(run.ends);
        all.pulls.extend(run.pulls);
    }
    Some(all)
}

fn tie_run(
    body: &Body<'_>,
    parts: &Parts,
    points: &[IVec3],
    limit: usize,
    cancel: &AtomicBool,
) -> Option<Ties> {
    let mut ties = Ties::default();
    for (at, point) in points.iter().enumerate() {
        if at % 64 == 0 && cancel.load(Ordering::Relaxed) {
            return None;
        }
        ties.push(body, parts, point.as_dvec3(), limit);
    }
    Some(ties)
}

impl Ties {
    /// Points that stay where they are.
    #[must_use]
    pub fn fixed(count: usize) -> Self {
        let mut ties = Self::default();
        for _ in 0..count {
            ties.write(GrowthAnchor::default(), &[], |_| (Vec3::ZERO, 0.0));
        }
        ties
    }

    fn push(&mut self, body: &Body<'_>, parts: &Parts, point: DVec3, limit: usize) {
        let caster = Caster { body, part: parts.holding(point, limit), limit };
        let Some(closest) = caster.tree().closest_of(point, limit) else {
            self.write(GrowthAnchor::default(), &[], |_| (Vec3::ZERO, 0.0));
            return;
        };
        let on_skin = closest.distance_squared.sqrt() <= ON_SKIN;
        let skin = caster.end(closest.triangle, closest.weights, closest.distance_squared.sqrt());
        let chords = caster.chords(point, &closest, skin, on_skin);
        let weight = |chord: &Chord| (chord.length() + BELOW).powi(-2);
        let sum: f64 = chords.iter().map(weight).sum();
        let spread = chords.iter().fold(DMat3::ZERO, |spread, chord| {
            let d = chord.direction;
            spread + DMat3::from_cols(d * d.x, d * d.y, d * d.z) * weight(chord)
        });
        if chords.len() < 3 || spread.determinant() < FLAT * sum.powi(3) {
            self.push_flat(body, skin);
            return;
        }
        let inverse = spread.inverse();
        // On the skin the first chord's near end is the place; the others tell of its neighbourhood alone.
        let shares: Vec<f64> = chords
            .iter()
            .enumerate()
            .map(|(k, chord)| if on_skin { f64::from(u8::from(k == 0)) } else { weight(chord) / sum })
            .collect();
        let origin = if on_skin { body.at(skin) } else { point };
        let anchor = GrowthAnchor { origin: origin.as_vec3(), ..anchor_of(&shares) };
        self.write(anchor, &chords, |chord| {
            let length = chord.length().max(1.0);
            let pull = inverse * chord.direction * (weight(chord) / length);
            let along = if on_skin { 0.0 } else { chord.ends[0].distance / length };
            (pull.as_vec3(), along as f32)
        });
    }

    /// A sheet has no chords: its point follows the plane of the closest triangle and that plane's normal.
    fn push_flat(&mut self, body: &Body<'_>, skin: End) {
        let [a, b, c] = body.corners(skin.triangle);
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        let size = normal.length_squared();
        // A needle has no plane: everything near it is drawn to it.
        let dual = |axis: DVec3| if size > 0.0 { axis / size } else { DVec3::ZERO };
        let pulls = [DVec3::ZERO, dual(v.cross(normal)), dual(normal.cross(u))];
        let corner = |k: usize| {
            let mut weights = [0.0; 3];
            weights[k] = 1.0;
            End { weights, ..skin }
        };
        let chord = |ends| Chord { ends, direction: DVec3::ZERO };
        let chords = [chord([skin, skin]), chord([corner(0), corner(1)]), chord([corner(0), corner(2)])];
        let unit_m = body.lattice.unit_m;
        let anchor = GrowthAnchor {
            origin: body.at(skin).as_vec3(),
            normal: (normal.normalize_or_zero() * unit_m).as_vec3(),
            ..anchor_of(&[1.0])
        };
        let mut next = pulls.into_iter();
        self.write(anchor, &chords, |_| (next.next().unwrap_or_default().as_vec3(), 0.0));
    }

    fn write(&mut self, anchor: GrowthAnchor, chords: &[Chord], mut pull: impl FnMut(&Chord) -> (Vec3, f32)) {
        self.anchors.push(anchor);
        for chord in chords {
            let [a, b] = chord.ends.map(|end| (end.triangle, packed(end.weights)));
            self.ends.push(UVec4::new(a.0, a.1, b.0, b.1));
            let (pull, along) = pull(chord);
            self.pulls.push(pull.extend(along));
        }
        self.ends.resize(CHORDS * self.anchors.len(), UVec4::splat(NO_CHORD));
        self.pulls.resize(CHORDS * self.anchors.len(), Vec4::ZERO);
    }
}

impl Chord {
    fn length(&self) -> f64 {
        self.ends[0].distance + self.ends[1].distance
    }
}

impl Body<'_> {
    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        [0, 1, 2].map(|k| self.points[self.indices[3 * triangle as usize + k] as usize].as_dvec3())
    }

    fn at(&self, end: End) -> DVec3 {
        self.corners(end.triangle).into_iter().zip(end.weights).map(|(corner, weight)| corner * weight).sum()
    }
}

/// Casts chords within one shell.
struct Caster<'a> {
    body: &'a Body<'a>,
    part: Option<&'a Part>,
    limit: usize,
}

impl Caster<'_> {
    fn tree(&self) -> &TriangleTree {
        self.part.map_or(self.body.tree, |part| &part.tree)
    }

    fn end(&self, triangle: u32, weights: [f64; 3], distance: f64) -> End {
        let triangle = self.part.map_or(triangle, |part| part.triangles[triangle as usize]);
        End { triangle, weights, distance }
    }

    /// Where a ray leaves the shell; through a hole in it, where it meets anything.
    fn cast(&self, from: DVec3, direction: DVec3) -> Option<End> {
        let own = self.tree().first_hit(from, direction, self.limit);
        own.map(|hit| self.end(hit.triangle, hit.weights, hit.distance)).or_else(|| {
            let hit = self.part.and_then(|_| self.body.tree.first_hit(from, direction, self.limit))?;
            Some(End { triangle: hit.triangle, weights: hit.weights, distance: hit.distance })
        })
    }

    /// Chords through a point; the first one begins at the closest point of the skin.
    fn chords(&self, point: DVec3, closest: &Closest, skin: End, on_skin: bool) -> Vec<Chord> {
        let [a, b, c] = self.body.corners(skin.triangle);
        let mut inward = (point - self.body.at(skin)).normalize_or_zero();
        let mut from = point;
        if on_skin {
            inward = -(b - a).cross(c - a).normalize_or_zero();
            let at = self.body.at(skin);
            if !self.tree().contains(at + inward * BELOW) && self.tree().contains(at - inward * BELOW) {
                inward = -inward;
            }
            from = at + inward * BELOW;
        }
        let mut chords = Vec::with_capacity(CHORDS);
        if let Some(far) = self.cast(from, inward).filter(|_| inward != DVec3::ZERO) {
            let distance = if on_skin { BELOW } else { closest.distance_squared.sqrt() };
            chords.push(Chord { ends: [End { distance, ..skin }, far], direction: inward });
        } else if on_skin {
            return chords;
        }
        for direction in DIRECTIONS.map(DVec3::from_array) {
            if let (Some(back), Some(ahead)) = (self.cast(from, -direction), self.cast(from, direction)) {
                chords.push(Chord { ends: [back, ahead], direction });
            }
        }
        chords
    }
}

fn anchor_of(shares: &[f64]) -> GrowthAnchor {
    let share = |k: usize| shares.get(k).copied().unwrap_or_default() as f32;
    GrowthAnchor {
        shares0: Vec4::from_array([0, 1, 2, 3].map(share)),
        shares1: Vec4::from_array([4, 5, 6, 7].map(share)),
        ..Default::default()
    }
}

/// The weights of the second and the third corner as 16-bit parts of one.
fn packed(weights: [f64; 3]) -> u32 {
    let [_, second, third] = weights.map(|weight| (weight.clamp(0.0, 1.0) * 65_535.0).round() as u32);
    second | third << 16
}
