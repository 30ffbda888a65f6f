//! Parts of the body: volumes added to and carved from one another in the order of sculpting.

use super::maths::{mix, smoothstep, unit};
use super::volume::{Ellipsoid, Loft, RoundCone, blend, carve};
use glam::DVec3;

/// A place and three square axes in which volumes are given: local (x, y, z) lies at `origin + axes * (x, y, z)`.
#[derive(Clone, Copy)]
pub struct Frame {
    pub origin: DVec3,
    pub axes: [DVec3; 3],
}

impl Frame {
    /// The figure's own space: its left, up, and ahead.
    pub const WORLD: Self = Self::at(DVec3::ZERO);

    /// The figure's axes about a point.
    pub const fn at(origin: DVec3) -> Self {
        Self { origin, axes: [DVec3::X, DVec3::Y, DVec3::Z] }
    }

    /// About a point with y along `up` and z as near to `front` as is square to it.
    pub fn along(origin: DVec3, up: DVec3, front: DVec3) -> Self {
        let up = unit(up);
        let front = unit(front - up * front.dot(up));
        Self { origin, axes: [up.cross(front), up, front] }
    }

    /// A direction or offset in this frame, in the world.
    pub fn turn(&self, [x, y, z]: [f64; 3]) -> DVec3 {
        self.axes[0] * x + self.axes[1] * y + self.axes[2] * z
    }

    /// A point in this frame, in the world.
    pub fn place(&self, local: [f64; 3]) -> DVec3 {
        self.origin + self.turn(local)
    }
}

/// Two lofts of one limb. The first hands over to the second within `half` of the joint: no seam and no bulge.
pub struct Limb {
    pub lofts: [Loft; 2],
    pub joint: DVec3,
    pub along: DVec3,
    pub half: f64,
}

impl Limb {
    fn distance(&self, p: DVec3) -> f64 {
        let share = smoothstep(-self.half, self.half, (p - self.joint).dot(self.along));
        if share <= 0.0 {
            return self.lofts[0].distance(p);
        }
        if share >= 1.0 {
            return self.lofts[1].distance(p);
        }
        mix(self.lofts[0].distance(p), self.lofts[1].distance(p), share)
    }
}

enum Volume {
    Ellipsoid(Ellipsoid),
    Cord(RoundCone),
    Loft(Loft),
    Limb(Limb),
    Part(Part),
}

/// A part under the sculptor's hands. Each step blends a volume in, or carves one out, rounding over `k` metres.
pub struct Part {
    steps: Vec<(bool, f64, Volume)>,
    frame: Frame,
}

impl Part {
    pub fn new() -> Self {
        Self { steps: Vec::new(), frame: Frame::WORLD }
    }

    fn step(mut self, carved: bool, k: f64, volume: Volume) -> Self {
        self.steps.push((carved, k, volume));
        self
    }

    /// The steps that follow are given in this frame.
    pub fn within(mut self, frame: Frame) -> Self {
        self.frame = frame;
        self
    }

    pub fn loft(self, k: f64, loft: Loft) -> Self {
        self.step(false, k, Volume::Loft(loft))
    }

    pub fn limb(self, k: f64, limb: Limb) -> Self {
        self.step(false, k, Volume::Limb(limb))
    }

    pub fn part(self, k: f64, part: Part) -> Self {
        self.step(false, k, Volume::Part(part))
    }

    fn ellipsoid(&self, centre: [f64; 3], radius: [f64; 3], axes: [DVec3; 3]) -> Volume {
        Volume::Ellipsoid(Ellipsoid { centre: self.frame.place(centre), axes, radius: radius.into() })
    }

    fn leaning_axes(&self, up: [f64; 3], front: [f64; 3]) -> [DVec3; 3] {
        Frame::along(DVec3::ZERO, self.frame.turn(up), self.frame.turn(front)).axes
    }

    /// An ellipsoid along the frame's axes.
    pub fn blob(self, k: f64, centre: [f64; 3], radius: [f64; 3]) -> Self {
        let volume = self.ellipsoid(centre, radius, self.frame.axes);
        self.step(false, k, volume)
    }

    /// An ellipsoid whose second axis lies along `up` and whose third is near `front`.
    pub fn leaning(self, k: f64, centre: [f64; 3], radius: [f64; 3], up: [f64; 3], front: [f64; 3]) -> Self {
        let volume = self.ellipsoid(centre, radius, self.leaning_axes(up, front));
        self.step(false, k, volume)
    }

    /// As [`Self::leaning`], carved out.
    pub fn hollow(self, k: f64, centre: [f64; 3], radius: [f64; 3], up: [f64; 3], front: [f64; 3]) -> Self {
        let volume = self.ellipsoid(centre, radius, self.leaning_axes(up, front));
        self.step(true, k, volume)
    }

    /// A round cone from `a`, `r1` thick, to `b`, `r2` thick (radii).
    pub fn cord(self, k: f64, a: [f64; 3], r1: f64, b: [f64; 3], r2: f64) -> Self {
        let volume = Volume::Cord(RoundCone::new(self.frame.place(a), r1, self.frame.place(b), r2));
        self.step(false, k, volume)
    }

    /// A round cone given in the world.
    pub fn bone(self, k: f64, bone: RoundCone) -> Self {
        self.step(false, k, Volume::Cord(bone))
    }

    /// As [`Self::cord`], carved out.
    pub fn groove(self, k: f64, a: [f64; 3], r1: f64, b: [f64; 3], r2: f64) -> Self {
        let volume = Volume::Cord(RoundCone::new(self.frame.place(a), r1, self.frame.place(b), r2));
        self.step(true, k, volume)
    }

    /// Signed distance, metres, first-order near the surface.
    pub fn distance(&self, p: DVec3) -> f64 {
        // Far away from everything before the first step.
        let mut d = 9.0;
        for (carved, k, volume) in &self.steps {
            let own = match volume {
                Volume::Ellipsoid(v) => v.distance(p),
                Volume::Cord(v) => v.distance(p),
                Volume::Loft(v) => v.distance(p),
                Volume::Limb(v) => v.distance(p),
                Volume::Part(v) => v.distance(p),
            };
            d = if *carved { carve(d, own, *k) } else { blend(d, own, *k) };
        }
        d
    }
}
