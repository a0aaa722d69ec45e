//! Guards with error bounds: values, Taylor series along the motion, polynomials over a step (rules 2, 4 and
//! 6 of the events).

use super::Locked;
use super::closure::ClosureEvaluator;
use crate::expr::{Inexact, UNIT_ROUNDOFF};

/// The highest order of a series along the motion: what is not decided by then stays undecided.
pub const HIGHEST_ORDER: usize = 12;

/// A closure is evaluated this many bounds away to see how it changes: far enough for its own rounding not to
/// matter, near enough for its slope.
const FURTHER: f64 = 1048576.0;

/// A point of a motion, and how well it is known.
#[derive(Clone, Copy, Debug)]
pub struct UncertainPoint<'a> {
    /// The time; it is known up to its last digit.
    pub t: f64,
    /// The state.
    pub y: &'a [f64],
    /// Each state is at most this far from the true one. Behind that may be how far accelerations, multipliers and reactions
    /// are; otherwise they are known up to their last digit.
    pub delta: &'a [f64],
}

/// Time or a state over a step, and how well it is known.
#[derive(Clone, Copy, Debug)]
pub struct UncertainPolynomial<'a> {
    /// The coefficients of powers of the part of the step.
    pub coefficients: &'a [f64],
    /// It is at most this far from the true one.
    pub bound: f64,
}

/// What is known of guards beyond their values.
pub trait ExpandGuards {
    /// The value of one watched guard with a bound of its error.
    fn guard_banded(&mut self, locked: Locked<'_>, guard: usize, point: UncertainPoint<'_>) -> Inexact;

    /// The Taylor coefficients of one watched guard along the motion, up to an order of at most
    /// [`HIGHEST_ORDER`]. False if one of them is not known: then `out` holds those before it.
    ///
    /// Asking for one order more at the same point costs that order only.
    fn guard_series(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        point: UncertainPoint<'_>,
        order: usize,
        out: &mut Vec<Inexact>,
    ) -> bool;

    /// One watched guard over a step as a polynomial of θ from 0 to 1, and a remainder: the guard is within
    /// `Σ band(c_k) θ^k + remainder θ^n` of it, where n is the number of coefficients. `input` gives the
    /// polynomials of time (0) and of states (from 1 on), with how uncertain they are, where the guard
    /// depends on them. Guards that are polynomials have no remainder; others are developed until it is below
    /// `wanted` or no zero is left. None if nothing is known.
    fn guard_polynomial<'p>(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        input: &dyn Fn(usize) -> UncertainPolynomial<'p>,
        wanted: f64,
        out: &mut Vec<Inexact>,
    ) -> Option<f64>;

    /// The inputs that one watched guard depends on: time (0), states (from 1 on) and what only changes at
    /// events. None if that is not known, or if it depends on accelerations or multipliers.
    fn guard_reads(&self, locked: Locked<'_>, guard: usize) -> Option<&[u32]>;

    /// Bounds of the errors of those states that a guard's reset sets; others are left as they are. False if
    /// they are not known: then a state that was set is taken as rounded once.
    fn reset_bounds(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        before: UncertainPoint<'_>,
        delta: &mut [f64],
    ) -> bool;
}

impl ExpandGuards for ClosureEvaluator<'_> {
    fn guard_banded(&mut self, locked: Locked<'_>, guard: usize, point: UncertainPoint<'_>) -> Inexact {
        let mut beside = std::mem::take(&mut self.beside);
        let known = bound_by_differences(&mut |t, y| self.surface(locked, guard, t, y), point, &mut beside);
        self.beside = beside;
        known
    }

    fn guard_series(
        &mut self,
        _locked: Locked<'_>,
        _guard: usize,
        _point: UncertainPoint<'_>,
        _order: usize,
        out: &mut Vec<Inexact>,
    ) -> bool {
        out.clear();
        false
    }

    fn guard_polynomial<'p>(
        &mut self,
        _locked: Locked<'_>,
        _guard: usize,
        _input: &dyn Fn(usize) -> UncertainPolynomial<'p>,
        _wanted: f64,
        _out: &mut Vec<Inexact>,
    ) -> Option<f64> {
        None
    }

    fn guard_reads(&self, _locked: Locked<'_>, _guard: usize) -> Option<&[u32]> {
        None
    }

    fn reset_bounds(
        &mut self,
        _locked: Locked<'_>,
        _guard: usize,
        _before: UncertainPoint<'_>,
        _delta: &mut [f64],
    ) -> bool {
        false
    }
}

/// The value of a function of time and state, and a bound of its error: what it rounds at its end, and how it
/// changes with what is uncertain. Cancellation inside it cannot be seen.
fn bound_by_differences(
    f: &mut dyn FnMut(f64, &[f64]) -> f64,
    point: UncertainPoint<'_>,
    scratch: &mut [f64],
) -> Inexact {
    let UncertainPoint { t, y, delta } = point;
    let value = f(t, y);
    let change = |further: f64, nearer: f64| {
        let sides = [further, nearer].map(|moved| (moved - value).abs() / FURTHER);
        // Behind an end of its domain a function has no value.
        sides.into_iter().find(|change| change.is_finite()).unwrap_or(f64::INFINITY)
    };
    let mut bound = UNIT_ROUNDOFF * value.abs();
    scratch.copy_from_slice(y);
    for (i, &delta) in delta[..y.len()].iter().enumerate().filter(|(_, delta)| **delta > 0.0) {
        let mut at = |offset: f64| {
            scratch[i] = y[i] + offset;
            f(t, scratch)
        };
        bound += change(at(FURTHER * delta), at(-FURTHER * delta));
        scratch[i] = y[i];
    }
    let offset = FURTHER * UNIT_ROUNDOFF * t.abs();
    if offset > 0.0 {
        bound += change(f(t + offset, y), f(t - offset, y));
    }
    Inexact { value, bound }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::{ClosureGuard, ClosureSystem, System};

    #[test]
    fn the_bound_of_a_closure_follows_its_slopes() {
        let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
            dy[0] = y[1];
            dy[1] = -9.81;
        })
        .guard(ClosureGuard::falling("floor", |t, y| 3.0 * y[0] - y[1] * y[1] - t))
        .guard(ClosureGuard::falling("root", |_, y| y[0].sqrt() - 2.0));
        let mut evaluator = system.evaluator();
        let point = UncertainPoint { t: 2.0, y: &[2.0, 2.0], delta: &[1e-15, 2e-15] };
        let floor = evaluator.guard_banded(Locked::default(), 0, point);
        let expected = 3.0 * 1e-15 + 4.0 * 2e-15 + UNIT_ROUNDOFF * (2.0 + 0.0);
        assert!(floor.value == 0.0 && (floor.bound / expected - 1.0).abs() < 1e-3, "{floor:?}");
        let edge = UncertainPoint { y: &[0.0, 0.0], ..point };
        assert!(evaluator.guard_banded(Locked::default(), 1, edge).is_finite());
        assert!(!evaluator.guard_series(Locked::default(), 0, point, 3, &mut Vec::new()));
    }
}
