//! Brackets around a sign change, narrowed to machine width.
//!
//! The method is regula falsi with Anderson and Björck's weights (BIT 13, 1973), kept at least half the
//! resolution away from both ends so that both close in, and replaced by bisection whenever three probes have
//! not halved the bracket.

/// A window `(lo, hi]` that holds a sign change: on `lo` the old side still holds, on `hi` it does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    /// The last point seen on the old side.
    pub lo: f64,
    /// The first point seen on the new side.
    pub hi: f64,
}

impl Bracket {
    /// The length of the window.
    pub fn width(&self) -> f64 {
        self.hi - self.lo
    }
}

/// A point and the function's value there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The point.
    pub x: f64,
    /// The value at the point.
    pub value: f64,
}

/// The most probes a search may take: with a bisection in every four it can close around any number.
const MOST_PROBES: usize = 4400;

/// Narrows a sign change of `f` between `lo` and `hi` until the two are neighbours to within `width`, or
/// to within rounding where `width` is smaller than that.
///
/// `old_side` is +1 or -1, the side that `f` is on at `lo`. Zero counts as the old side, so that a function
/// that comes to rest at zero has not crossed it. The values given for the two ends are only used to
/// aim: a value at `lo` that is zero or on the wrong side by rounding does no harm.
pub fn narrow(
    mut lo: Probe,
    mut hi: Probe,
    old_side: f64,
    width: f64,
    mut f: impl FnMut(f64) -> f64,
) -> Bracket {
    let mut goal = 0.5 * (hi.x - lo.x);
    let mut patience = 3;
    for _ in 0..MOST_PROBES {
        let resolution = width.max(2.0 * f64::EPSILON * hi.x.abs().max(lo.x.abs()));
        let x = aim(lo, hi, 0.5 * resolution, patience == 0);
        if hi.x - lo.x <= resolution || x <= lo.x || x >= hi.x {
            break;
        }
        let probe = Probe { x, value: f(x) };
        if probe.value * old_side < 0.0 {
            lo.value *= weight(probe.value, hi.value);
            hi = probe;
        } else {
            hi.value *= weight(probe.value, lo.value);
            lo = probe;
        }
        patience = if patience == 0 { 3 } else { patience - 1 };
        if hi.x - lo.x <= goal {
            goal = 0.5 * (hi.x - lo.x);
            patience = 3;
        }
    }
    Bracket { lo: lo.x, hi: hi.x }
}

/// The next probe: the middle or the root of the secant, at least `margin` away from both ends.
fn aim(lo: Probe, hi: Probe, margin: f64, bisect: bool) -> f64 {
    let middle = lo.x + 0.5 * (hi.x - lo.x);
    let share = lo.value / (lo.value - hi.value);
    if bisect || !(0.0..=1.0).contains(&share) || hi.x - lo.x <= 2.0 * margin {
        return middle;
    }
    (lo.x + share * (hi.x - lo.x)).clamp(lo.x + margin, hi.x - margin)
}

/// The weight for the end that stays, from the new value and the old value on the side that moves.
fn weight(new: f64, old: f64) -> f64 {
    let weight = 1.0 - new / old;
    if weight > 0.0 { weight } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(lo: f64, hi: f64, old_side: f64, f: impl Fn(f64) -> f64) -> (Bracket, usize) {
        let mut count = 0;
        let ends = (Probe { x: lo, value: f(lo) }, Probe { x: hi, value: f(hi) });
        let bracket = narrow(ends.0, ends.1, old_side, 0.0, |x| {
            count += 1;
            f(x)
        });
        (bracket, count)
    }

    #[test]
    fn bracket_closes_to_machine_width_around_a_simple_root() {
        let (bracket, count) = search(0.0, 2.0, -1.0, |x| x * x - 2.0);
        assert!(bracket.lo <= 2f64.sqrt() && 2f64.sqrt() <= bracket.hi);
        assert!(bracket.width() <= 8.0 * f64::EPSILON, "width {:e}", bracket.width());
        assert!(count < 15, "{count} probes");
    }

    #[test]
    fn low_end_is_never_crossed_and_high_end_always_is() {
        for k in 1..200 {
            let root = f64::from(k) / 201.0;
            let (bracket, _) = search(0.0, 1.0, 1.0, |x| (root - x) * (1.0 + x).powi(7));
            assert!(root - bracket.lo >= 0.0 && root - bracket.hi < 0.0);
        }
    }

    #[test]
    fn a_step_function_is_bisected_without_hanging() {
        let (bracket, count) = search(0.0, 1.0, 1.0, |x| if x < 0.3 { 1.0 } else { -1.0 });
        assert!(bracket.lo < 0.3 && bracket.hi >= 0.3 && count < 250, "{count} probes");
    }

    #[test]
    fn a_wrong_sign_at_the_low_end_still_finds_the_far_crossing() {
        let (bracket, _) = search(0.0, 1.0, 1.0, |x| (x + 1e-30) * (0.75 - x) - 1e-40);
        assert!((bracket.hi - 0.75).abs() < 1e-14);
    }

    #[test]
    fn nan_probes_end_the_search() {
        let (bracket, count) = search(0.0, 1.0, 1.0, |x| if x < 0.5 { 1.0 } else { f64::NAN });
        assert!(bracket.hi <= 1.0 && count <= MOST_PROBES);
    }
}
