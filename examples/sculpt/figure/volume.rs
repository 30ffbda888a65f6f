//! Signed distance volumes and their smooth blends, in metres. Distances are first-order near the surface, which is all
//! that the mesher asks of them. Formulas: Quilez, "Distance functions" (round cone, bound ellipsoid, polynomial blend).

use super::maths::unit;
use glam::DVec3;

/// Union of two distances, rounded where they differ by less than `k`.
pub fn blend(a: f64, b: f64, k: f64) -> f64 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k * 0.25
}

/// `a` with `b` taken away, rounded over `k`.
pub fn carve(a: f64, b: f64, k: f64) -> f64 {
    -blend(-a, b, k)
}

/// Ellipsoid with half axes `radius` along its own three axes.
pub struct Ellipsoid {
    pub centre: DVec3,
    /// Orthonormal.
    pub axes: [DVec3; 3],
    pub radius: DVec3,
}

impl Ellipsoid {
    pub fn distance(&self, p: DVec3) -> f64 {
        let o = p - self.centre;
        let q = DVec3::new(o.dot(self.axes[0]), o.dot(self.axes[1]), o.dot(self.axes[2])) / self.radius;
        let size = q.dot(q).sqrt();
        let g = q / self.radius;
        let slope = g.dot(g).sqrt();
        if slope < 1e-9 {
            return -self.radius.x.min(self.radius.y).min(self.radius.z);
        }
        size * (size - 1.0) / slope
    }
}

/// The hull of two spheres.
#[derive(Clone, Copy)]
pub struct RoundCone {
    a: DVec3,
    ba: DVec3,
    r1: f64,
    r2: f64,
}

impl RoundCone {
    pub fn new(a: DVec3, r1: f64, b: DVec3, r2: f64) -> Self {
        Self { a, ba: b - a, r1, r2 }
    }

    /// From the nearest point of the axis, produced beyond both ends, to `p`.
    pub fn off_axis(&self, p: DVec3) -> DVec3 {
        let pa = p - self.a;
        pa - self.ba * (pa.dot(self.ba) / self.ba.dot(self.ba))
    }

    pub fn distance(&self, p: DVec3) -> f64 {
        let (l2, rr) = (self.ba.dot(self.ba), self.r1 - self.r2);
        let a2 = l2 - rr * rr;
        let il2 = 1.0 / l2;
        let pa = p - self.a;
        let y = pa.dot(self.ba);
        let z = y - l2;
        let across = pa * l2 - self.ba * y;
        let x2 = across.dot(across);
        let (y2, z2) = (y * y * l2, z * z * l2);
        let k = if rr < 0.0 { -rr * rr * x2 } else { rr * rr * x2 };
        if z.signum() * a2 * z2 > k {
            return (x2 + z2).sqrt() * il2 - self.r2;
        }
        if y.signum() * a2 * y2 < k {
            return (x2 + y2).sqrt() * il2 - self.r1;
        }
        ((x2 * a2 * il2).sqrt() + y * rr) * il2 - self.r1
    }
}

/// One elliptical cross-section of a [`Loft`]: place along the axis, centre and half axes across it, in metres.
#[derive(Clone, Copy)]
pub struct Section {
    pub at: f64,
    pub side: f64,
    pub front: f64,
    pub half_side: f64,
    pub half_front: f64,
}

/// A body drawn through cross-sections along a straight axis, smooth between them, flat at both ends.
pub struct Loft {
    origin: DVec3,
    axis: DVec3,
    side: DVec3,
    front: DVec3,
    sections: Vec<Section>,
    slopes: Vec<[f64; 4]>,
}

fn values(s: &Section) -> [f64; 4] {
    [s.side, s.front, s.half_side, s.half_front]
}

impl Loft {
    /// From `origin` along `axis`; `front` is squared to the axis. Each row is `[at, side, front, half_side, half_front]`.
    pub fn new(origin: DVec3, axis: DVec3, front: DVec3, rows: &[[f64; 5]]) -> Self {
        let axis = unit(axis);
        let front = unit(front - axis * front.dot(axis));
        let sections: Vec<Section> = rows
            .iter()
            .map(|r| Section { at: r[0], side: r[1], front: r[2], half_side: r[3], half_front: r[4] })
            .collect();
        let last = sections.len() - 1;
        let slopes = (0..sections.len())
            .map(|i| {
                // Level at the ends, beyond which the section stays as it is: a kink there would show on the surface.
                if i == 0 || i == last {
                    return [0.0; 4];
                }
                let (a, b) = (&sections[i - 1], &sections[i + 1]);
                let (va, vb) = (values(a), values(b));
                std::array::from_fn(|c| (vb[c] - va[c]) / (b.at - a.at))
            })
            .collect();
        Self { origin, axis, side: axis.cross(front), front, sections, slopes }
    }

    /// The interpolated section at a place along the axis (Hermite; clamped to the ends).
    fn section(&self, at: f64) -> [f64; 4] {
        let last = self.sections.len() - 1;
        if at <= self.sections[0].at {
            return values(&self.sections[0]);
        }
        if at >= self.sections[last].at {
            return values(&self.sections[last]);
        }
        let mut i = 0;
        while self.sections[i + 1].at < at {
            i += 1;
        }
        let (a, b) = (&self.sections[i], &self.sections[i + 1]);
        let width = b.at - a.at;
        let t = (at - a.at) / width;
        let (t2, t3) = (t * t, t * t * t);
        let (va, vb) = (values(a), values(b));
        std::array::from_fn(|c| {
            va[c] * (2.0 * t3 - 3.0 * t2 + 1.0)
                + vb[c] * (3.0 * t2 - 2.0 * t3)
                + (self.slopes[i][c] * (t3 - 2.0 * t2 + t) + self.slopes[i + 1][c] * (t3 - t2)) * width
        })
    }

    pub fn distance(&self, p: DVec3) -> f64 {
        let o = p - self.origin;
        let at = o.dot(self.axis);
        let [side, front, half_side, half_front] = self.section(at);
        let (x, z) = ((o.dot(self.side) - side) / half_side, (o.dot(self.front) - front) / half_front);
        let size = (x * x + z * z).sqrt();
        let (gx, gz) = (x / half_side, z / half_front);
        let slope = (gx * gx + gz * gz).sqrt();
        let across = if slope < 1e-9 { -half_side.min(half_front) } else { size * (size - 1.0) / slope };
        let last = self.sections.len() - 1;
        let along = (self.sections[0].at - at).max(at - self.sections[last].at);
        if across > 0.0 && along > 0.0 { (across * across + along * along).sqrt() } else { across.max(along) }
    }
}
