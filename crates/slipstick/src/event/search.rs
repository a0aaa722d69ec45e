//! The first crossing of one guard within a piece of a step.
//!
//! On a piece, the guard is compared with the cubic that has its values and slopes at both ends, at three points in between: that tells the
//! error of the cubic. If its bounds, less the error, exclude a root, there is none; if its slope, less the error, keeps its sign, there is
//! one exactly where the ends say so. Else the piece is split, at the bottom of a dip if there is one (the *error-prone* case of
//! paper 000, section 5.2.1), until one of the two holds. So the guard itself has the last word: a root that only the cubic has is
//! dropped (case III of table 5.1).

use crate::math::{Cubic, Probe};

/// A point of a guard with its slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The place.
    pub x: f64,
    /// The value there.
    pub value: f64,
    /// The slope there.
    pub slope: f64,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// No crossing.
    Nothing,
    /// The guard is on the old side at `lo`, on the other at `hi`, and has crossed once in between.
    Crossing {
        /// The last point seen on the old side.
        lo: Probe,
        /// The first point seen on the new side.
        hi: Probe,
    },
    /// The value at this point is not a finite number.
    NotFinite(Probe),
}

/// Where the likeness is tested, as parts of a step. The error of a cubic is `θ² (1-θ)²` times something smooth, which cannot vanish at both
/// points unless it is next to nothing.
pub(super) const TESTS: [f64; 2] = [0.3, 0.65];
/// The same for pieces of a step that are searched.
const PIECE_TESTS: [f64; 3] = [0.22, 0.47, 0.76];

/// The bound of a cubic, the bound of it divided by θ, and the bound of its slope must exceed the largest difference seen at the tests by these
/// factors.
///
/// If the guard is a polynomial of degree five (two tests) or six (three tests) on the piece, 1.7, 7.2 and 10.9 would do, by the Lagrange
/// polynomials of the tests. Kinks ask for more: with ten times these numbers, guards with kinks next to close roots are missed, about one in a
/// thousand. With these factors and three tests, no root of 1.1 million random guards with kinks and close roots is missed
/// (`tests/no_root_is_missed_or_found_twice.rs`); with two tests it was two clusters of three roots in half a million.
const VALUE: f64 = 400.0;
const VALUE_BY_THETA: f64 = 4000.0;
const SLOPE: f64 = 2000.0;
/// Splits before a guard is taken as it looks, and splits among them that did not make the error much smaller: a kink or a jump is closed in on
/// with some dozens of those, noise would split for ever.
const MOST_SPLITS: u32 = 2000;
const MOST_FRUITLESS: u32 = 200;
/// Pieces below this part of the whole are not split.
const LEAST: f64 = 1e-11;
/// A turning point this near to zero, as a part of the guard's range, is a touch.
pub(super) const TOUCH: f64 = 1e-9;

/// The largest difference between a cubic and what was seen at tests.
fn difference(cubic: &Cubic, tests: &[f64], seen: &[f64]) -> f64 {
    tests.iter().zip(seen).map(|(&theta, value)| (value - cubic.at(theta)).abs()).fold(0.0, f64::max)
}

/// Whether a cubic that is positive at its start (or zero and rising) excludes a root up to its end, given what was seen.
fn excludes_roots(cubic: &Cubic, start: f64, difference: f64) -> bool {
    if start > 0.0 {
        cubic.lower_bound() > VALUE * difference
    } else {
        cubic.lower_bound_less_zero() > VALUE_BY_THETA * difference
    }
}

/// Whether the cubic of a whole step excludes a root, by what was seen at [`TESTS`].
pub(super) fn step_excludes_roots(cubic: &Cubic, start: f64, seen: [f64; 2]) -> bool {
    excludes_roots(cubic, start, difference(cubic, &TESTS, &seen))
}

/// A search for the first crossing of `f` from the side that it starts on.
pub struct Search<'f> {
    f: &'f mut dyn FnMut(f64) -> f64,
    /// +1 or -1; all values below are multiplied with it, so that crossing is becoming negative.
    side: f64,
    from: f64,
    to: f64,
    /// About the size of the values.
    scale: f64,
    splits: u32,
    fruitless: u32,
    touch: Option<Probe>,
    /// Touches up to here are not new.
    touches_from: f64,
    bad: Option<Probe>,
}

impl<'f> Search<'f> {
    /// A search between two points of `f`, which is on `side` (+1 or -1) right after the first one. The first touch before the crossing is
    /// told too.
    pub fn first(
        f: &'f mut dyn FnMut(f64) -> f64,
        side: f64,
        from: Sample,
        to: Sample,
    ) -> (Found, Option<Probe>) {
        Self::first_with_touches(f, side, (from, to), f64::NEG_INFINITY)
    }

    /// As [`first`](Self::first); touches up to `touches_from` are passed over.
    pub fn first_with_touches(
        f: &'f mut dyn FnMut(f64) -> f64,
        side: f64,
        (from, to): (Sample, Sample),
        touches_from: f64,
    ) -> (Found, Option<Probe>) {
        let scale = from.value.abs().max(to.value.abs());
        let mut search = Self {
            f,
            side,
            from: from.x,
            to: to.x,
            scale,
            splits: 0,
            fruitless: 0,
            touch: None,
            touches_from,
            bad: None,
        };
        let turn = |s: Sample| Sample { x: s.x, value: side * s.value, slope: side * s.slope };
        let crossing = search.piece(turn(from), turn(to), f64::INFINITY);
        let raw = |p: Probe| Probe { x: p.x, value: side * p.value };
        let found = match (search.bad, crossing) {
            (Some(bad), _) => Found::NotFinite(raw(bad)),
            (None, Some((lo, hi))) => Found::Crossing { lo: raw(lo), hi: raw(hi) },
            (None, None) => Found::Nothing,
        };
        (found, search.touch.map(raw))
    }

    fn probe(&mut self, x: f64) -> Probe {
        let probe = Probe { x, value: self.side * (self.f)(x) };
        if !probe.value.is_finite() {
            self.bad = self.bad.or(Some(probe));
        }
        self.scale = self.scale.max(probe.value.abs());
        probe
    }

    /// A point with its slope, from differences.
    fn sample(&mut self, x: f64) -> Sample {
        let reach = 1e-6 * (self.to - self.from);
        let (left, right) = ((x - reach).max(self.from), (x + reach).min(self.to));
        let (left, right) = (self.probe(left), self.probe(right));
        let slope = (right.value - left.value) / (right.x - left.x);
        Sample { x, value: self.probe(x).value, slope: if slope.is_finite() { slope } else { 0.0 } }
    }

    /// The first crossing in a piece, as the points before and after it. `coarse` is the error of the piece that it is a part of.
    fn piece(&mut self, u: Sample, v: Sample, coarse: f64) -> Option<(Probe, Probe)> {
        let width = v.x - u.x;
        let cubic = Cubic::new([u.value, v.value], [u.slope * width, v.slope * width]);
        let tests = PIECE_TESTS.map(|theta| self.probe(u.x + theta * width));
        if self.bad.is_some() {
            return None;
        }
        let seen = tests.map(|probe| probe.value);
        let error = difference(&cubic, &PIECE_TESTS, &seen);
        let positive = v.value > 0.0 && seen.iter().all(|&value| value > 0.0);
        if positive && excludes_roots(&cubic, u.value, error) {
            return None;
        }
        // Rounding is about as large as the values, or as terms that cancel in them; the latter are not known.
        let size = seen.iter().fold(u.value.abs().max(v.value.abs()), |a, b| a.max(b.abs()));
        let exact = error <= f64::EPSILON * size.max(1e-6 * self.scale);
        if exact || !self.may_split(width) {
            return self.follow(u, tests, v, &cubic);
        }
        let (least, greatest) = cubic.slope_bounds();
        let steady = SLOPE * error;
        if greatest < -steady {
            let points = [u.probe(), tests[0], tests[1], tests[2], v.probe()];
            let crossed = points.iter().position(|point| point.value < 0.0);
            return crossed.map(|k| (points[k.max(1) - 1], points[k.max(1)]));
        }
        if least > steady && v.value > 0.0 {
            return None;
        }
        self.fruitless += u32::from(error > 0.3 * coarse);
        self.split(u, v, u.x + split_at(&cubic) * width, error)
    }

    fn may_split(&self, width: f64) -> bool {
        self.splits < MOST_SPLITS && self.fruitless < MOST_FRUITLESS && width > LEAST * (self.to - self.from)
    }

    fn split(&mut self, u: Sample, v: Sample, x: f64, error: f64) -> Option<(Probe, Probe)> {
        self.splits += 1;
        let middle = self.sample(x);
        if self.bad.is_some() {
            return None;
        }
        let crossing = self.piece(u, middle, error);
        if crossing.is_some() {
            return crossing;
        }
        // The bottom of a dip that is no crossing may be a touch.
        if middle.value <= u.value.min(v.value) {
            self.consider_touch(middle.probe());
        }
        self.piece(middle, v, error)
    }

    /// Keeps the bottom of a dip if it is the first touch.
    fn consider_touch(&mut self, bottom: Probe) {
        let counts = bottom.value <= TOUCH * self.scale && bottom.x > self.touches_from;
        self.touch = self.touch.or(Some(bottom).filter(|_| counts));
    }

    /// Goes through a piece that is known as well as can be, from one turning point to the next.
    fn follow(&mut self, u: Sample, tests: [Probe; 3], v: Sample, cubic: &Cubic) -> Option<(Probe, Probe)> {
        let mut points = [u.probe(), tests[0], tests[1], tests[2], v.probe(), v.probe(), v.probe()];
        let mut count = 5;
        // Next to the ends nothing is learnt that the ends do not tell, and rounding could deceive.
        for theta in cubic.turning_points().into_iter().flatten().filter(|x| (1e-6..1.0 - 1e-6).contains(x)) {
            points[count] = self.probe(u.x + theta * (v.x - u.x));
            count += 1;
        }
        if self.bad.is_some() {
            return None;
        }
        let points = &mut points[..count];
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        for k in 1..count {
            if points[k].value < 0.0 {
                return Some((points[k - 1], points[k]));
            }
            if k + 1 < count && points[k].value <= points[k - 1].value.min(points[k + 1].value) {
                self.consider_touch(points[k]);
            }
        }
        None
    }
}

impl Sample {
    pub(super) fn probe(&self) -> Probe {
        Probe { x: self.x, value: self.value }
    }
}

/// Where to split a piece: at the bottom of a dip that is not too near to an end, else near the middle.
fn split_at(cubic: &Cubic) -> f64 {
    let is_bottom =
        |theta: &f64| (0.02..0.98).contains(theta) && cubic.at(*theta) < cubic.at(0.0).min(cubic.at(1.0));
    cubic.turning_points().into_iter().flatten().find(is_bottom).unwrap_or(0.53)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All crossings of `f` between 0 and 1, found one after the other.
    fn crossings(mut f: impl FnMut(f64) -> f64, slope: impl Fn(f64) -> f64) -> Vec<f64> {
        let sample = |x: f64, f: &mut dyn FnMut(f64) -> f64| Sample { x, value: f(x), slope: slope(x) };
        let (mut from, to) = (sample(0.0, &mut f), sample(1.0, &mut f));
        let mut side = if from.value == 0.0 { from.slope.signum() } else { from.value.signum() };
        let mut roots = Vec::new();
        while let (Found::Crossing { lo, hi }, _) = Search::first(&mut f, side, from, to) {
            let bracket = crate::math::narrow(lo, hi, side, 0.0, &mut f);
            assert!(f(bracket.lo) * side >= 0.0 && f(bracket.hi) * side < 0.0);
            roots.push(bracket.hi);
            side = -side;
            from = sample(bracket.hi, &mut f);
            assert!(roots.len() < 1000);
        }
        roots
    }

    #[test]
    fn every_zero_of_a_fast_sine_is_found() {
        let w = 97.3;
        let roots = crossings(|x| (w * x).sin(), |x| w * (w * x).cos());
        assert_eq!(roots.len(), 30);
        for (k, root) in roots.iter().enumerate() {
            assert!((root - (k + 1) as f64 * std::f64::consts::PI / w).abs() < 1e-14);
        }
    }

    #[test]
    fn a_shallow_dip_is_found_and_a_touch_is_told_apart() {
        for depth in [1e-3, 1e-6, 1e-9, 1e-12] {
            let roots = crossings(|x| (x - 0.4).powi(2) - depth, |x| 2.0 * (x - 0.4));
            assert_eq!(roots.len(), 2, "depth {depth}");
        }
        let mut f = |x: f64| (x - 0.4_f64).powi(2) * (1.0 + x);
        let slope = |x: f64| 2.0 * (x - 0.4) * (1.0 + x) + (x - 0.4).powi(2);
        let ends = [0.0, 1.0].map(|x| Sample { x, value: f(x), slope: slope(x) });
        let (found, touch) = Search::first(&mut f, 1.0, ends[0], ends[1]);
        assert_eq!(found, Found::Nothing);
        assert!((touch.unwrap().x - 0.4).abs() < 1e-4, "{touch:?}");
    }

    #[test]
    fn kinks_and_jumps_are_found_within_their_piece() {
        let roots = crossings(|x| (x - 0.61).abs() - 0.01, |x| (x - 0.61).signum());
        assert_eq!(roots.len(), 2, "{roots:?}");
        let roots = crossings(|x| if x < 0.77 { 1.0 } else { -2.0 }, |_| 0.0);
        assert!(roots.len() == 1 && (roots[0] - 0.77).abs() < 1e-14);
    }

    #[test]
    fn noise_does_not_hang_the_search() {
        let mut state = 1_u64;
        let mut count = 0;
        let mut noise = |_: f64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            count += 1;
            1e-16 * (1.0 + (state >> 11) as f64 / (1_u64 << 53) as f64)
        };
        let ends = [0.0, 1.0].map(|x| Sample { x, value: 1.2e-16, slope: 0.0 });
        assert_eq!(Search::first(&mut noise, 1.0, ends[0], ends[1]).0, Found::Nothing);
        assert!(count < 100_000, "{count}");
    }
}
