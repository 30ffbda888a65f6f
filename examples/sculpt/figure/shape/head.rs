//! Neck, face and hair.

use super::super::maths::smoothstep;
use super::super::part::Part;
use super::super::volume::{blend, carve};
use glam::DVec3;

/// Neck and face: the left half and middle; the right is its mirror. Eyes closed.
pub fn face() -> Part {
    Part::new()
        // Neck, skull, face, cheek, mound of the mouth.
        .cord(0.030, [0.0, 1.420, -0.026], 0.0475, [0.0, 1.590, -0.010], 0.0400)
        .blob(0.030, [0.0, 1.664, -0.012], [0.0715, 0.084, 0.090])
        .blob(0.040, [0.0, 1.612, 0.028], [0.0555, 0.079, 0.0600])
        .blob(0.036, [0.035, 1.600, 0.050], [0.024, 0.028, 0.021])
        .blob(0.022, [0.0, 1.569, 0.073], [0.028, 0.021, 0.016])
        // Throat cord, jaw, chin, nose, brow.
        .cord(0.020, [0.046, 1.580, -0.022], 0.012, [0.013, 1.438, 0.016], 0.0095)
        .cord(0.030, [0.035, 1.582, 0.014], 0.0160, [0.006, 1.5420, 0.064], 0.0130)
        .cord(0.018, [0.004, 1.541, 0.069], 0.0125, [-0.004, 1.541, 0.069], 0.0125)
        .cord(0.014, [0.0, 1.646, 0.0835], 0.0060, [0.0, 1.608, 0.1010], 0.0078)
        .cord(0.020, [0.010, 1.656, 0.0785], 0.0070, [0.046, 1.655, 0.056], 0.0070)
        // Eye socket and eye.
        .hollow(0.020, [0.0315, 1.634, 0.0960], [0.0190, 0.0120, 0.0150], [0.0, 1.0, 0.0], [0.35, 0.0, 1.0])
        .leaning(0.003, [0.0315, 1.6325, 0.0690], [0.0155, 0.0120, 0.0130], [0.0, 1.0, 0.0], [0.3, 0.0, 1.0])
        // Upper and lower lip, ear, nostril.
        .leaning(0.005, [0.009, 1.5750, 0.0870], [0.0170, 0.0042, 0.0060], [0.16, 1.0, 0.0], [0.35, 0.0, 1.0])
        .leaning(
            0.005,
            [0.006, 1.5672, 0.0870],
            [0.0155, 0.0050, 0.0058],
            [-0.14, 1.0, 0.0],
            [0.35, 0.0, 1.0],
        )
        .leaning(
            0.007,
            [0.0735, 1.620, -0.014],
            [0.0075, 0.031, 0.0175],
            [0.12, 1.0, -0.22],
            [0.35, 0.0, 1.0],
        )
        .blob(0.008, [0.0080, 1.6020, 0.0915], [0.0062, 0.0052, 0.0075])
}

/// Hair drawn back into a knot, a little to one side.
pub struct Hair {
    cap: Part,
    knot: Part,
}

impl Hair {
    pub fn new() -> Self {
        Self {
            cap: Part::new().blob(0.01, [0.0015, 1.668, -0.018], [0.0775, 0.0885, 0.0945]),
            knot: Part::new().leaning(
                0.01,
                [0.003, 1.716, -0.112],
                [0.043, 0.036, 0.043],
                [0.06, 0.6, -0.8],
                [1.0, 0.0, 0.0],
            ),
        }
    }

    pub fn distance(&self, p: DVec3) -> f64 {
        let cap = carve(self.cap.distance(p), hairline(p), 0.006);
        blend(cap, self.knot.distance(p), 0.014)
    }
}

/// Positive inside the hairline, metres: behind a plane from the brow over the ear, above the nape.
pub fn hairline(p: DVec3) -> f64 {
    let plane = DVec3::new(0.0, -0.56, 0.83);
    let from = DVec3::new(0.0, 1.712, 0.066);
    // Further back at the temples and round the ear, further forward on one side of the parting.
    let temple = 0.022 * smoothstep(0.015, 0.075, p.x.abs()) + 0.026 * smoothstep(1.655, 1.630, p.y);
    let parting = 0.005 * smoothstep(-0.03, 0.03, p.x + 0.012);
    let front = (p - from).dot(plane) + temple - parting;
    let nape = p.y - 1.572 - 0.35 * p.x.abs();
    blend(-front, nape, 0.012)
}
