//! Periodic curves through keys: smooth, and never past a key (Fritsch and Carlson, "Monotone piecewise cubic
//! interpolation", 1980), so that a planted foot stays planted and a held line holds.

/// The value at `time` of a curve with the given period through `(time, value)` keys in ascending order from 0 on.
pub fn curve(keys: &[(f64, f64)], period: f64, time: f64) -> f64 {
    let n = keys.len();
    if n < 2 {
        return keys.first().map_or(0.0, |k| k.1);
    }
    let time = time - (time / period).floor() * period;
    // Keys by any integer, each lap one period later.
    let key = |i: i64| {
        let lap = i.div_euclid(n as i64);
        let (t, v) = keys[i.rem_euclid(n as i64) as usize];
        (t + lap as f64 * period, v)
    };
    let mut i = keys.iter().rposition(|k| k.0 <= time).map_or(-1, |i| i as i64);
    if key(i + 1).0 <= time {
        i += 1;
    }
    let (a, b) = (key(i), key(i + 1));
    let slope = |i: i64| {
        let (p, q, r) = (key(i - 1), key(i), key(i + 1));
        let (h0, h1) = (q.0 - p.0, r.0 - q.0);
        let (d0, d1) = ((q.1 - p.1) / h0, (r.1 - q.1) / h1);
        if d0 * d1 <= 0.0 {
            return 0.0;
        }
        // The weighted harmonic mean keeps every piece monotone.
        let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
        (w0 + w1) / (w0 / d0 + w1 / d1)
    };
    let h = b.0 - a.0;
    let t = (time - a.0) / h;
    let (t2, t3) = (t * t, t * t * t);
    a.1 * (2.0 * t3 - 3.0 * t2 + 1.0)
        + b.1 * (3.0 * t2 - 2.0 * t3)
        + h * (slope(i) * (t3 - 2.0 * t2 + t) + slope(i + 1) * (t3 - t2))
}
