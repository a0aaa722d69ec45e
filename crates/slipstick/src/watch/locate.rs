//! Rule 7: where the value changes its sign, to neighbouring floats of local time or until both ends are
//! inside the band.
//!
//! The guess comes from the polynomial and is exact up to rounding in most cases: one value at the guess, one
//! a little further on the other side and one between them then close the bracket. Otherwise it is regula
//! falsi with the weights of Anderson and Björck (BIT 13, 1973) and a bisection whenever probes do not halve
//! the bracket.

use super::signals::{Banded, NotFinite};

/// Probes before a search ends as it stands. With a bisection in every third, a bracket of any two floats
/// closes.
const MOST_PROBES: usize = 3300;
/// How far beyond the root the next probe is aimed, as a part of the value: errors of the slope are smaller.
const BEYOND: f64 = 0.5;
/// The same as a part of the band, for values that are next to nothing. It is doubled when it was not enough.
const NUDGE: f64 = 1.0 / 64.0;
/// Probes inside the band after which the bracket is narrow enough. Bands are worst cases; values are often
/// good to a part of them.
const MOST_INSIDE: u32 = 2;
/// Probes that may pass without halving the bracket before it is bisected.
const PATIENCE: u32 = 2;

/// The last float seen before a sign change and the first seen after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Root {
    pub(super) before: f64,
    pub(super) after: f64,
    /// The largest band of the values that decided.
    pub(super) band: f64,
    /// Whether a positive value was seen.
    pub(super) seen: bool,
    /// The values at both ends, where they were computed.
    pub(super) values: [Option<Banded>; 2],
}

/// A bracket: at `lo` the value is not positive, at `hi` it is. `guess` is where the root is expected,
/// `slope` the derivative there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bracketed {
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) guess: f64,
    pub(super) slope: f64,
}

/// One end of the bracket: where, and the value there if it was computed.
#[derive(Clone, Copy)]
struct Probed {
    s: f64,
    /// The value, less what makes the other end move, and as it was.
    value: Option<f64>,
    raw: Option<Banded>,
    inside: bool,
}

/// Narrows a bracket by values.
pub(super) fn narrow(
    bracket: Bracketed,
    value: &mut dyn FnMut(f64) -> Result<Banded, NotFinite>,
) -> Result<Root, NotFinite> {
    let mut lo = Probed { s: bracket.lo, value: None, raw: None, inside: false };
    let mut hi = Probed { s: bracket.hi, ..lo };
    let (mut band, mut next, mut patience, mut nudge) = (0.0_f64, bracket.guess, PATIENCE, NUDGE);
    let (mut goal, mut insides) = (0.5 * (hi.s - lo.s), 0);
    for _ in 0..MOST_PROBES {
        if lo.inside && hi.inside && insides >= MOST_INSIDE || lo.s.next_up() >= hi.s {
            break;
        }
        let s = inside(lo.s, hi.s, next);
        let probe = value(s)?;
        band = band.max(probe.band);
        let inside_band = probe.value.abs() <= probe.band;
        let end = Probed { s, value: Some(probe.value), raw: Some(probe), inside: inside_band };
        insides += u32::from(end.inside);
        if probe.value > 0.0 {
            lo.value = lo.value.map(|old| old * weight(probe.value, hi.value));
            hi = end;
        } else {
            hi.value = hi.value.map(|old| old * weight(probe.value, lo.value));
            lo = end;
        }
        patience = if hi.s - lo.s <= goal { PATIENCE } else { patience.saturating_sub(1) };
        goal = goal.min(0.5 * (hi.s - lo.s));
        nudge *= 2.0;
        next = aim(lo, hi, bracket.slope, nudge * probe.band);
        if patience == 0 {
            (next, patience) = (lo.s + 0.5 * (hi.s - lo.s), PATIENCE);
        }
    }
    let values = [lo.raw, hi.raw];
    Ok(Root { before: lo.s, after: hi.s, band, seen: hi.value.is_some(), values })
}

/// The next probe: beyond the root as seen from the one end that has a value, or where the line through both
/// ends meets zero.
fn aim(lo: Probed, hi: Probed, slope: f64, nudge: f64) -> f64 {
    match (lo.value, hi.value) {
        (Some(at_lo), Some(at_hi)) => lo.s + (hi.s - lo.s) * (at_lo / (at_lo - at_hi)),
        (Some(at_lo), None) => lo.s + (nudge - (1.0 + BEYOND) * at_lo) / slope,
        (None, Some(at_hi)) => hi.s - (nudge + (1.0 + BEYOND) * at_hi) / slope,
        (None, None) => lo.s + 0.5 * (hi.s - lo.s),
    }
}

/// A float strictly between two that are not neighbours: the one asked for, the nearest to it, or the middle.
fn inside(lo: f64, hi: f64, s: f64) -> f64 {
    if s.is_finite() { s.clamp(lo.next_up(), hi.next_down()) } else { lo + 0.5 * (hi - lo) }
}

/// The weight for the end that stays, from the new value and the old value on the side that moves.
fn weight(new: f64, old: Option<f64>) -> f64 {
    let weight = old.map_or(1.0, |old| 1.0 - new / old);
    if weight > 0.0 { weight } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(bracket: Bracketed, band: f64, f: impl Fn(f64) -> f64) -> (Root, usize) {
        let mut count = 0;
        let root = narrow(bracket, &mut |s| {
            count += 1;
            Ok(Banded::new(f(s), band))
        });
        (root.unwrap(), count)
    }

    #[test]
    fn a_good_guess_needs_two_values() {
        let f = |s: f64| s * s - 2.0;
        let bracket = Bracketed { lo: 0.0, hi: 2.0, guess: 2f64.sqrt(), slope: 8f64.sqrt() };
        let (root, count) = search(bracket, 4.0 * f64::EPSILON, f);
        assert!(f(root.before) <= 0.0 && f(root.after) > 0.0 && root.after - root.before < 1e-15);
        assert!(count <= 3, "{count}");
    }

    #[test]
    fn without_a_band_the_ends_are_neighbours() {
        for guess in [0.1, 1.0, 1.414, 1.9] {
            let bracket = Bracketed { lo: 0.0, hi: 2.0, guess, slope: 2.0 * guess };
            let (root, count) = search(bracket, 0.0, |s| s * s - 2.0);
            assert!(root.after == root.before.next_up() && count < 35, "{root:?} {count}");
        }
    }

    #[test]
    fn steps_high_powers_and_wild_guesses_end() {
        for guess in [f64::NAN, 0.0, 1e300, 0.3] {
            let bracket = Bracketed { lo: 0.0, hi: 1.0, guess, slope: 0.0 };
            let (root, count) = search(bracket, 0.0, |s| if s < 0.3 { -1.0 } else { 1.0 });
            assert!(root.after == 0.3 && root.before == 0.3_f64.next_down() && count < 250, "{count}");
            let (root, count) = search(bracket, 0.0, |s| (s - 0.3).powi(9));
            assert!(root.before >= 0.29999 && root.after <= 0.30001 && count < 250, "{root:?} {count}");
        }
    }

    #[test]
    fn a_root_next_to_the_start_is_found_to_neighbours() {
        for r in [1e-300, 1e-30, 1e-12] {
            let bracket = Bracketed { lo: 0.0, hi: 1.0, guess: 0.5, slope: 1.0 };
            let (root, count) = search(bracket, 0.0, |s| s - r);
            assert!(root.before <= r && r <= root.after && count < 1100, "{root:?} {count}");
        }
    }

    #[test]
    fn a_value_that_is_not_finite_is_an_error() {
        let bracket = Bracketed { lo: 0.0, hi: 1.0, guess: 0.5, slope: 1.0 };
        assert!(narrow(bracket, &mut |s| Err(NotFinite { comparison: 3, s })).is_err());
    }
}
