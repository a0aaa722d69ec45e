//! Guards along a form: their values, those of switched terms while the motion slides, their bands, series
//! and bounds.

use super::{FieldEnv, Sliding, WorkCounts};
use crate::equations::{Evaluator, Locked, MassKind, Reset, System};
use crate::equations::{UncertainPoint, UncertainPolynomial, gradient_by_differences};
use crate::expr::{Bounds, Inexact};
use crate::mode::Mode;

/// What guards and their resets are along a form.
pub struct GuardsView<'f> {
    pub(super) equations: GuardEquations<'f>,
    /// What the motion slides on, if it does.
    pub(super) sliding: &'f mut Option<Sliding>,
}

/// Guards in the mode that is locked.
pub(super) struct GuardEquations<'f> {
    pub(super) system: &'f dyn System,
    pub(super) eval: &'f mut (dyn Evaluator + 'f),
    pub(super) parameters: &'f [f64],
    pub(super) mode: &'f mut Mode,
    pub(super) counts: &'f mut WorkCounts,
}

impl GuardEquations<'_> {
    /// What evaluates guards, and what is locked.
    #[inline]
    fn ask(&mut self) -> (&mut dyn Evaluator, Locked<'_>) {
        (&mut *self.eval, self.mode.locked(self.parameters))
    }

    #[inline]
    fn value(&mut self, guard: usize, t: f64, y: &[f64]) -> f64 {
        self.counts.guards += 1;
        self.eval.guard(self.mode.locked(self.parameters), guard, t, y)
    }

    /// The value that a guard has while the motion slides, and how far rounding of the weights can have moved it: what
    /// uses a switched term has its equivalent value.
    fn equivalent_value(&mut self, sliding: &mut Sliding, guard: usize, t: f64, y: &[f64]) -> (f64, f64) {
        if !self.differs_by_side(sliding, guard, t, y) {
            return (self.value(guard, t, y), 0.0);
        }
        let held = self.mode.clone();
        let combined = self.combined_value(sliding, guard, t, y);
        *self.mode = held;
        combined
    }

    /// Whether a guard uses a switched term: it has other values on the sides of what is slid on.
    fn differs_by_side(&mut self, sliding: &Sliding, guard: usize, t: f64, y: &[f64]) -> bool {
        let held = self.mode.clone();
        let value = self.value(guard, t, y);
        let differs = (0..sliding.set.sides().count()).any(|side| {
            sliding.set.lock_side(side, self.mode);
            self.value(guard, t, y).to_bits() != value.to_bits()
        });
        *self.mode = held;
        differs
    }

    /// The combination of the values on all sides, and how far rounding of the weights can have moved it.
    fn combined_value(&mut self, sliding: &mut Sliding, guard: usize, t: f64, y: &[f64]) -> (f64, f64) {
        self.combine(sliding, t, y);
        let (mut sum, mut least, mut most) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        for (side, share) in sliding.combination.shares().iter().enumerate() {
            sliding.set.lock_side(side, self.mode);
            let value = self.value(guard, t, y);
            sum += share * value;
            (least, most) = (value.min(least), value.max(most));
        }
        let rates = &sliding.combination.rates;
        let of_weights: f64 = (0..sliding.set.len()).map(|surface| rates.band_of_weight(surface)).sum();
        (sum, (most - least) * of_weights)
    }

    fn combine(&mut self, sliding: &mut Sliding, t: f64, y: &[f64]) {
        let Self { eval, parameters, mode, counts, .. } = self;
        sliding.combine(&mut FieldEnv { eval: *eval, mode, parameters, t, counts }, y);
    }
}

impl<'f> GuardsView<'f> {
    /// What gives the equivalent value of a guard, if the motion slides on a switch that it uses.
    fn switched(
        &mut self,
        guard: usize,
        t: f64,
        y: &[f64],
    ) -> Option<(&mut GuardEquations<'f>, &mut Sliding)> {
        let Self { equations, sliding } = self;
        let sliding = sliding.as_mut().filter(|sliding| sliding.set.index_of(guard).is_none())?;
        equations.differs_by_side(sliding, guard, t, y).then_some((equations, sliding))
    }

    /// The value of one guard.
    ///
    /// A guard that the motion slides on is zero; its place is taken by how far the motion is from leaving:
    /// the product of the weights of both sides, which is zero where one side's field runs along the surface.
    pub fn value(&mut self, guard: usize, t: f64, y: &[f64]) -> f64 {
        let Some(sliding) = self.sliding else { return self.equations.value(guard, t, y) };
        let Some(surface) = sliding.set.index_of(guard) else { return self.equations.value(guard, t, y) };
        self.equations.combine(sliding, t, y);
        let weight = sliding.combination.exits()[surface];
        weight * (1.0 - weight)
    }

    /// The value of the surface of a guard. While the motion slides, what uses a switched term has its
    /// equivalent value (rule 20).
    pub fn along(&mut self, guard: usize, t: f64, y: &[f64]) -> f64 {
        self.along_banded(guard, t, y).0
    }

    /// The same, and how far rounding of the weights of sides can have moved it.
    pub fn along_banded(&mut self, guard: usize, t: f64, y: &[f64]) -> (f64, f64) {
        match self.sliding {
            Some(sliding) if sliding.set.index_of(guard).is_none() => {
                self.equations.equivalent_value(sliding, guard, t, y)
            }
            _ => (self.equations.value(guard, t, y), 0.0),
        }
    }

    /// The value of the surface of a guard with a bound of its rounding errors, where the system is made of
    /// formulas and no switched term is slid on.
    #[inline]
    pub fn banded(&mut self, guard: usize, point: UncertainPoint<'_>) -> Option<Inexact> {
        if !self.equations.system.has_formulas() {
            return None;
        }
        self.banded_anyway(guard, point)
    }

    /// The same of any system. The bound of a closure takes two values for time and for each state.
    pub fn banded_anyway(&mut self, guard: usize, point: UncertainPoint<'_>) -> Option<Inexact> {
        if self.sliding.is_some() {
            return None;
        }
        self.equations.counts.guards +=
            if self.equations.system.has_formulas() { 1 } else { 3 + 2 * point.y.len() as u64 };
        let (eval, locked) = self.equations.ask();
        Some(eval.guard_banded(locked, guard, point))
    }

    /// The Taylor coefficients of a guard along the motion, up to an order. False if they are not known so
    /// far; see [`ExpandGuards::guard_series`](crate::equations::ExpandGuards::guard_series).
    #[inline]
    pub fn series(
        &mut self,
        guard: usize,
        point: UncertainPoint<'_>,
        order: usize,
        out: &mut Vec<Inexact>,
    ) -> bool {
        if self.sliding.is_some() || self.equations.system.mass_kind() != MassKind::Identity {
            return false;
        }
        let (eval, locked) = self.equations.ask();
        eval.guard_series(locked, guard, point, order, out)
    }

    /// A guard over a step as a polynomial, with a remainder; none if nothing is known. While the motion
    /// slides, guards of switched terms are not what their formulas say.
    #[inline]
    pub fn polynomial<'p>(
        &mut self,
        guard: usize,
        input: &dyn Fn(usize) -> UncertainPolynomial<'p>,
        wanted: f64,
        out: &mut Vec<Inexact>,
    ) -> Option<f64> {
        if self.sliding.is_some() {
            return None;
        }
        self.equations.counts.guards += 1;
        let (eval, locked) = self.equations.ask();
        eval.guard_polynomial(locked, guard, input, wanted, out)
    }

    /// What is certain of a guard while time (0) and states (from 1 on) move within bounds; none if it is not
    /// a formula.
    #[inline]
    pub fn bounds(&mut self, guard: usize, input: &dyn Fn(usize) -> Bounds) -> Option<Bounds> {
        let (eval, locked) = self.equations.ask();
        let bounds = eval.guard_bounds(locked, guard, input)?;
        self.equations.counts.guards += 1;
        Some(bounds)
    }

    /// Whether the gradient of a guard at a point comes from differences.
    pub fn has_differences(&mut self, guard: usize, t: f64, y: &[f64]) -> bool {
        let by_side = self.switched(guard, t, y).is_some();
        let (eval, locked) = self.equations.ask();
        by_side || eval.differences_guard(locked, guard)
    }

    /// The gradient of the surface of a guard with respect to the state; gives its rate in time. `y` is as
    /// before afterwards. An equivalent value has no formula.
    pub fn gradient(&mut self, guard: usize, t: f64, y: &mut [f64], gradient: &mut [f64]) -> f64 {
        if let Some((equations, sliding)) = self.switched(guard, t, y) {
            let value = &mut |t: f64, y: &[f64]| equations.equivalent_value(sliding, guard, t, y).0;
            return gradient_by_differences(value, t, y, gradient);
        }
        // Without a formula it takes a difference for time and for each state.
        self.equations.counts.guards +=
            if self.equations.system.has_formulas() { 1 } else { 1 + y.len() as u64 };
        let (eval, locked) = self.equations.ask();
        eval.guard_gradient(locked, guard, t, y, gradient)
    }

    /// How much a guard can change when the state changes by as much as `widths`.
    pub fn spread(&mut self, guard: usize, t: f64, y: &mut [f64], widths: &[f64]) -> f64 {
        let mut gradient = vec![0.0; y.len()];
        let (eval, locked) = self.equations.ask();
        eval.guard_gradient(locked, guard, t, y, &mut gradient);
        gradient.iter().zip(widths).map(|(g, width)| (g * width).abs()).sum()
    }

    /// The times at which the scheduled guards fire.
    pub fn schedule(&mut self, times: &mut [f64]) {
        let (eval, locked) = self.equations.ask();
        eval.schedule(locked, times);
    }

    /// Which conditions of what changes only at events hold.
    pub fn conditions_that_hold(&mut self) -> Vec<bool> {
        let mut values = vec![0.0; self.equations.system.condition_number()];
        if !values.is_empty() {
            let (eval, locked) = self.equations.ask();
            eval.conditions(locked, &mut values);
        }
        values.into_iter().map(|value| value > 0.0).collect()
    }

    /// Applies the reset of one guard to `after`. While the motion slides, what depends on the side is combined as the
    /// fields are.
    pub fn reset(&mut self, guard: usize, t: f64, before: &[f64], after: Reset<'_>) {
        let Self { equations, sliding } = self;
        let Some(sliding) = sliding else {
            let (eval, locked) = equations.ask();
            return eval.reset(locked, guard, t, before, after);
        };
        equations.combine(sliding, t, before);
        let held = equations.mode.clone();
        let start = (after.state.to_vec(), after.discrete.to_vec());
        let (mut first, mut one) = (start.clone(), start.clone());
        for (side, share) in sliding.combination.shares().iter().enumerate() {
            sliding.set.lock_side(side, equations.mode);
            one.clone_from(&start);
            let (eval, locked) = equations.ask();
            eval.reset(locked, guard, t, before, Reset { state: &mut one.0, discrete: &mut one.1 });
            if side == 0 {
                first.clone_from(&one);
                after.state.copy_from_slice(&one.0);
                after.discrete.copy_from_slice(&one.1);
            }
            add_differences(after.state, (&first.0, &one.0), *share);
            add_differences(after.discrete, (&first.1, &one.1), *share);
        }
        *equations.mode = held;
    }

    /// Bounds of the errors of what a reset sets; false if they are not known.
    pub fn reset_bounds(&mut self, guard: usize, before: UncertainPoint<'_>, delta: &mut [f64]) -> bool {
        let (eval, locked) = self.equations.ask();
        eval.reset_bounds(locked, guard, before, delta)
    }
}

/// Adds a share of how much others differ from the first. The shares of all sum to one, so that what is the same in all
/// keeps every bit.
fn add_differences(sum: &mut [f64], (first, others): (&[f64], &[f64]), share: f64) {
    for ((sum, first), other) in sum.iter_mut().zip(first).zip(others) {
        *sum += share * (other - first);
    }
}
