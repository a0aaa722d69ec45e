//! Polynomials in Bernstein form on an interval: the coefficients bound the values.
//!
//! `p(t) = Σ c_j B_j(t)`, t from 0 to 1, `B_j = (n over j) t^j (1-t)^(n-j)`. The first and the last
//! coefficient are the values at the ends, the others are above the least and below the greatest value's
//! bounds: `min c ≤ p(t) ≤ max c`. Differences of coefficients bound the derivative in the same way (Farouki,
//! Computer Aided Geometric Design 29, 2012).

use super::signals::STEP_DEGREE;

/// Room for the coefficients.
const ROOM: usize = STEP_DEGREE + 1;
/// Iterations of Newton's method before a search inside an interval only bisects, and in all: bisection alone
/// needs 53.
const NEWTON_STEPS: usize = 12;
const MOST_STEPS: usize = 80;
/// Extrema are found to this part of the derivative's range: a maximum's height depends on its square.
const FLAT: f64 = 1e-15;
/// `(n over k)` and its inverse.
const BINOMIALS: [[f64; ROOM]; ROOM] = binomials(false);
const INVERSE_BINOMIALS: [[f64; ROOM]; ROOM] = binomials(true);

/// A polynomial in Bernstein form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bernstein {
    degree: usize,
    c: [f64; ROOM],
}

/// Extent of a polynomial between 0 and 1, and its value at 1: that is not finite if a coefficient is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) last: f64,
}

/// What the differences of coefficients prove about a polynomial between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Monotonicity {
    /// It does not fall.
    Rising,
    /// It does not rise.
    Falling,
    /// Its derivative rises from below to above zero: one minimum inside.
    Convex,
    /// Its derivative falls from above to below zero: one maximum inside.
    Concave,
    /// Nothing is proved.
    Mixed,
}

impl Bernstein {
    /// A polynomial given by its coefficients of powers of t, raised to a degree of at least `degree`.
    pub(super) fn from_powers(powers: &[f64], degree: usize) -> Self {
        let n = powers.len().max(degree + 1).clamp(1, ROOM) - 1;
        let mut c = [0.0; ROOM];
        for ((c, power), inverse) in c.iter_mut().zip(powers).zip(&INVERSE_BINOMIALS[n]) {
            *c = power * inverse;
        }
        let used = &mut c[..=n];
        for pass in 0..n {
            let mut below = used[pass];
            for c in &mut used[pass + 1..] {
                (*c, below) = (*c + below, *c);
            }
        }
        Self { degree: n, c }
    }

    /// A polynomial given by its Bernstein coefficients.
    pub(super) fn from_coefficients(coefficients: &[f64]) -> Self {
        let degree = coefficients.len().clamp(1, ROOM) - 1;
        let mut c = [0.0; ROOM];
        c.iter_mut().zip(coefficients).for_each(|(to, from)| *to = *from);
        Self { degree, c }
    }

    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    pub(super) fn coefficients(&self) -> &[f64] {
        &self.c[..=self.degree]
    }

    /// The value at t = 0.
    pub(super) fn first(&self) -> f64 {
        self.c[0]
    }

    /// The value at t = 1.
    pub(super) fn last(&self) -> f64 {
        self.c[self.degree]
    }

    /// Extent of the values.
    pub(super) fn range(&self) -> (f64, f64) {
        let (mut least, mut most) = (self.c[0], self.c[0]);
        for &c in &self.coefficients()[1..] {
            least = least.min(c);
            most = most.max(c);
        }
        (least, most)
    }

    /// A bound of the absolute values.
    pub(super) fn size(&self) -> f64 {
        let (least, most) = self.range();
        most.max(-least)
    }

    /// `factor · self - other`, for polynomials of equal degree.
    pub(super) fn combined(&self, factor: f64, other: &Self) -> Self {
        let mut result = *self;
        for (c, o) in result.c[..=self.degree].iter_mut().zip(&other.c) {
            *c = factor * *c - o;
        }
        result
    }

    /// Multiplies the polynomial by a factor.
    pub(super) fn scale(&mut self, factor: f64) {
        self.c[..=self.degree].iter_mut().for_each(|c| *c *= factor);
    }

    /// The same polynomial with a degree of at least `degree`.
    pub(super) fn raised(&self, degree: usize) -> Self {
        let mut result = *self;
        while result.degree < degree.min(STEP_DEGREE) {
            let n = result.degree + 1;
            result.c[n] = result.c[n - 1];
            for j in (1..n).rev() {
                let share = j as f64 / n as f64;
                result.c[j] = share * result.c[j - 1] + (1.0 - share) * result.c[j];
            }
            result.degree = n;
        }
        result
    }

    /// The value at t.
    pub(super) fn at(&self, t: f64) -> f64 {
        if t <= 0.0 {
            self.first()
        } else if t >= 1.0 {
            self.last()
        } else {
            self.value_and_slope(t).0
        }
    }

    /// The value and the derivative at t, by Horner's rule in t / (1 - t), or its inverse beyond the middle.
    pub(super) fn value_and_slope(&self, t: f64) -> (f64, f64) {
        let n = self.degree;
        if n == 0 {
            return (self.c[0], 0.0);
        }
        let (c, weights, slopes) = (&self.c[..=n], &BINOMIALS[n][..=n], &BINOMIALS[n - 1][..n]);
        let (mut value, mut slope, rest) = (0.0, 0.0, 1.0 - t);
        let (x, factor) = if t <= 0.5 { (t / rest, rest) } else { (rest / t, t) };
        if t <= 0.5 {
            value = weights[n] * c[n];
            for j in (0..n).rev() {
                value = value * x + weights[j] * c[j];
                slope = slope * x + slopes[j] * (c[j + 1] - c[j]);
            }
        } else {
            for j in 0..n {
                value = value * x + weights[j] * c[j];
                slope = slope * x + slopes[j] * (c[j + 1] - c[j]);
            }
            value = value * x + weights[n] * c[n];
        }
        let power = (1..n).fold(1.0, |power, _| power * factor);
        (value * power * factor, n as f64 * slope * power)
    }

    /// The parts before and after t, each again from 0 to 1.
    pub(super) fn split(&self, t: f64) -> (Self, Self) {
        let n = self.degree;
        let (mut left, mut right) = (*self, *self);
        let rest = 1.0 - t;
        for pass in 0..n {
            left.c[pass] = right.c[0];
            for j in 0..n - pass {
                right.c[j] = rest * right.c[j] + t * right.c[j + 1];
            }
        }
        left.c[n] = right.c[0];
        (left, right)
    }

    /// The part between two points, from 0 to 1.
    pub(super) fn part(&self, from: f64, to: f64) -> Self {
        let before = if to < 1.0 { self.split(to).0 } else { *self };
        if from > 0.0 { before.split((from / to.min(1.0)).min(1.0)).1 } else { before }
    }

    /// The derivative.
    fn derivative(&self) -> Self {
        let n = self.degree;
        let mut c = [0.0; ROOM];
        for (c, pair) in c.iter_mut().zip(self.coefficients().windows(2)) {
            *c = n as f64 * (pair[1] - pair[0]);
        }
        Self { degree: n.max(1) - 1, c }
    }

    /// What differences of coefficients prove.
    pub(super) fn shape(&self) -> Monotonicity {
        let signs = |differences: &dyn Fn(usize) -> f64, count: usize| {
            let (mut least, mut most) = (0.0_f64, 0.0_f64);
            for j in 0..count {
                least = least.min(differences(j));
                most = most.max(differences(j));
            }
            (least >= 0.0, most <= 0.0)
        };
        let (c, n) = (&self.c, self.degree);
        match signs(&|j| c[j + 1] - c[j], n) {
            (true, _) => return Monotonicity::Rising,
            (_, true) => return Monotonicity::Falling,
            _ => {}
        }
        match signs(&|j| (c[j + 2] - c[j + 1]) - (c[j + 1] - c[j]), n - 1) {
            (true, _) => Monotonicity::Convex,
            (_, true) => Monotonicity::Concave,
            _ => Monotonicity::Mixed,
        }
    }

    /// The second derivative at t.
    pub(super) fn curvature(&self, t: f64) -> f64 {
        self.derivative().value_and_slope(t).1
    }

    /// Where the derivative vanishes, for a shape with one extremum.
    pub(super) fn extremum(&self) -> f64 {
        let slope = self.derivative();
        slope.solve(0.0, (0.0, 1.0), f64::NAN, FLAT * slope.size())
    }

    /// A point between two ends where the value is `level`, up to `exact`, if the ends are on different sides
    /// of it; otherwise the end that is nearer to it. The search starts at `start`, or by a secant if that is
    /// not inside.
    pub(super) fn solve(&self, level: f64, (from, to): (f64, f64), start: f64, exact: f64) -> f64 {
        let (at_from, at_to) = (self.at(from) - level, self.at(to) - level);
        if at_from == 0.0 || at_to == 0.0 || (at_from > 0.0) == (at_to > 0.0) {
            return if at_from.abs() <= at_to.abs() { from } else { to };
        }
        let (mut lo, mut hi) = (from, to);
        let secant = lo + (hi - lo) * (at_from / (at_from - at_to));
        let mut t = if start > lo && start < hi { start } else { secant };
        for step in 0..MOST_STEPS {
            let (value, slope) = self.value_and_slope(t);
            let value = value - level;
            if value.abs() <= exact {
                return t;
            }
            if (value > 0.0) == (at_to > 0.0) {
                hi = t;
            } else {
                lo = t;
            }
            let newton = t - value / slope;
            let inside = newton > lo && newton < hi && step < NEWTON_STEPS;
            let next = if inside { newton } else { lo + 0.5 * (hi - lo) };
            if next <= lo || next >= hi {
                return next;
            }
            t = next;
        }
        t
    }
}

/// Extent of a polynomial given by its coefficients of powers of t, and its value at t = 1, without keeping
/// its Bernstein form.
pub(super) fn bounds(powers: &[f64]) -> Extent {
    match powers.len() {
        0 | 1 => bounds_of::<1>(powers),
        2 => bounds_of::<2>(powers),
        3 => bounds_of::<3>(powers),
        4 => bounds_of::<4>(powers),
        5 => bounds_of::<5>(powers),
        6 => bounds_of::<6>(powers),
        7 => bounds_of::<7>(powers),
        8 => bounds_of::<8>(powers),
        9 => bounds_of::<9>(powers),
        10 => bounds_of::<10>(powers),
        11 => bounds_of::<11>(powers),
        12 => bounds_of::<12>(powers),
        13 => bounds_of::<13>(powers),
        _ => bounds_of::<ROOM>(powers),
    }
}

/// The bounds of a polynomial with `M` coefficients, compiled for each: this is done for every guard in every
/// step.
#[inline(always)]
fn bounds_of<const M: usize>(powers: &[f64]) -> Extent {
    let mut c = [0.0; M];
    for ((c, power), inverse) in c.iter_mut().zip(powers).zip(&INVERSE_BINOMIALS[M - 1]) {
        *c = power * inverse;
    }
    for pass in 1..M {
        for j in (pass..M).rev() {
            c[j] += c[j - 1];
        }
    }
    let (mut least, mut most) = (c[0], c[0]);
    for &c in &c[1..] {
        least = if c < least { c } else { least };
        most = if c > most { c } else { most };
    }
    Extent { least, most, last: c[M - 1] }
}

const fn binomials(inverse: bool) -> [[f64; ROOM]; ROOM] {
    let mut all = [[0.0; ROOM]; ROOM];
    let mut n = 0;
    while n < ROOM {
        let mut binomial = 1.0;
        let mut k = 0;
        while k <= n {
            all[n][k] = if inverse { 1.0 / binomial } else { binomial };
            binomial = binomial * (n - k) as f64 / (k + 1) as f64;
            k += 1;
        }
        n += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn horner(powers: &[f64], t: f64) -> f64 {
        powers.iter().rev().fold(0.0, |sum, c| sum * t + c)
    }

    fn polynomial() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1.0..1.0, 1..=ROOM)
    }

    proptest! {
        #[test]
        fn values_slopes_and_parts_are_those_of_the_powers(
            powers in polynomial(), t in 0.0..1.0, ends in (0.0..0.5, 0.5..1.0), degree in 0..ROOM,
        ) {
            let p = Bernstein::from_powers(&powers, degree);
            let quick = bounds(&powers);
            prop_assert!((quick.last - powers.iter().sum::<f64>()).abs() < 1e-13);
            prop_assert!(quick.least <= horner(&powers, t) + 1e-13 && horner(&powers, t) <= quick.most + 1e-13);
            let derivative: Vec<f64> = powers.iter().enumerate().skip(1).map(|(k, c)| k as f64 * c).collect();
            let (value, slope) = p.value_and_slope(t);
            prop_assert!((value - horner(&powers, t)).abs() < 1e-13);
            prop_assert!((slope - horner(&derivative, t)).abs() < 1e-11);
            let (least, most) = p.range();
            prop_assert!(least <= value + 1e-13 && value <= most + 1e-13 && p.size() >= value.abs() - 1e-13);
            let part = p.part(ends.0, ends.1);
            prop_assert!((part.at(t) - p.at(ends.0 + t * (ends.1 - ends.0))).abs() < 1e-13);
        }

        #[test]
        fn a_shape_that_is_proved_holds(powers in polynomial(), a in 0.0..1.0, b in 0.0..1.0) {
            let p = Bernstein::from_powers(&powers, 0);
            let (a, b) = (f64::min(a, b), f64::max(a, b));
            let (low, high) = (p.at(a) - 1e-14, p.at(b) + 1e-14);
            match p.shape() {
                Monotonicity::Rising => prop_assert!(low <= high),
                Monotonicity::Falling => prop_assert!(p.at(b) <= p.at(a) + 2e-14),
                Monotonicity::Convex => prop_assert!(p.at(p.extremum()) <= p.at(a) + 1e-13),
                Monotonicity::Concave => prop_assert!(p.at(p.extremum()) >= p.at(a) - 1e-13),
                Monotonicity::Mixed => {}
            }
        }

        #[test]
        fn a_level_between_the_ends_is_met(powers in polynomial(), share in 0.0..1.0) {
            let p = Bernstein::from_powers(&powers, 0);
            let level = p.at(0.0) + share * (p.at(1.0) - p.at(0.0));
            prop_assert!((p.at(p.solve(level, (0.0, 1.0), f64::NAN, 1e-16)) - level).abs() < 1e-12);
        }
    }

    #[test]
    fn a_double_zero_at_an_end_needs_no_division() {
        let p = Bernstein::from_powers(&[0.0, 0.0, -1.0, 0.7, 0.1, -0.05], 0);
        assert_eq!(p.range().1, 0.0);
    }
}
