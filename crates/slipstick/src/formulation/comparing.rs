//! What guards compare along a motion: their values, those of switched terms while the motion slides, and the weights that say how far it is from
//! leaving a surface.

use super::{Flow, Sliding};
use crate::equations::{UncertainPoint, UncertainPolynomial};
use crate::expr::Inexact;
use crate::mode::Mode;

/// By how much the rounding of rates is multiplied in the band of a weight.
const CAUTION: f64 = 4.0;

impl Flow<'_> {
    /// The value of the surface of a guard. While the motion slides, what uses a switched term has its equivalent value (rule 20).
    pub fn guard_along(&mut self, guard: usize, t: f64, y: &[f64]) -> f64 {
        let Some(mut sliding) = self.sliding.take() else { return self.guard(guard, t, y) };
        let value = if sliding.index_of(guard).is_some() {
            self.surface_value(guard, t, y)
        } else {
            self.equivalent_value(&mut sliding, guard, t, y)
        };
        self.sliding = Some(sliding);
        value
    }

    fn surface_value(&mut self, guard: usize, t: f64, y: &[f64]) -> f64 {
        self.guard_count += 1;
        self.evaluator.guard(self.mode.locked(self.system.parameters()), guard, t, y)
    }

    fn equivalent_value(&mut self, sliding: &mut Sliding, guard: usize, t: f64, y: &[f64]) -> f64 {
        let held = self.mode.clone();
        let value = self.surface_value(guard, t, y);
        let differs = (0..sliding.sides()).any(|side| {
            sliding.set_side(side, &mut self.mode);
            self.surface_value(guard, t, y).to_bits() != value.to_bits()
        });
        let value = if differs { self.mixed_value(sliding, &held, (guard, t), y) } else { value };
        self.mode = held;
        value
    }

    fn mixed_value(
        &mut self,
        sliding: &mut Sliding,
        held: &Mode,
        (guard, t): (usize, f64),
        y: &[f64],
    ) -> f64 {
        self.mode.clone_from(held);
        sliding.evaluate(&mut *self.evaluator, &mut self.mode, t, y);
        sliding.find_free_weights();
        self.count(sliding.take_effort());
        let mut sum = 0.0;
        for side in 0..sliding.sides() {
            let share = sliding.set_side(side, &mut self.mode);
            sum += share * self.surface_value(guard, t, y);
        }
        sum
    }

    /// From here on a state that slides is put back along the jumps of the field as it was last evaluated: what no switch acts on keeps every bit
    /// (rule 21). They are the same for a whole step, so that a state between its ends does not depend on what was looked at before. A mechanism
    /// is moved as its constraints allow where it stands.
    pub fn move_along_jumps(&mut self) {
        if let Some(sliding) = self.sliding.as_mut().filter(|_| !self.is_mechanism) {
            sliding.keep_jumps();
        }
    }

    /// How far the motion is from leaving a surface, by its place among those slid on: the weight of the positive side, and its band. Below 0 it leaves
    /// to the negative side, above 1 to the positive one.
    pub fn exit_weight(&mut self, surface: usize, t: f64, y: &[f64]) -> (f64, f64) {
        if let Some(known) = self.visits.exit(surface, t, y) {
            return known;
        }
        let mut slope = std::mem::take(&mut self.slope);
        slope.resize(y.len(), 0.0);
        self.slide(t, y, &mut slope);
        self.slope = slope;
        let Some(sliding) = &self.sliding else { return (0.5, 0.0) };
        let bands = (0..sliding.surfaces.len()).map(|i| CAUTION * sliding.exit_band(i));
        self.visits.add_exits((t, y), sliding.exits(), bands);
        (sliding.exits()[surface], CAUTION * sliding.exit_band(surface))
    }

    /// The value of the surface of a guard with a bound of its rounding errors, where the system is made of formulas and no switched term is slid on.
    pub fn guard_banded(&mut self, guard: usize, point: UncertainPoint<'_>) -> Option<Inexact> {
        if !self.system.has_formulas() || self.sliding.is_some() {
            return None;
        }
        self.guard_count += 1;
        Some(self.evaluator.guard_banded(self.mode.locked(self.system.parameters()), guard, point))
    }

    /// The Taylor coefficients of a guard along the motion, up to an order. False if they are not known so far; see
    /// [`ExpandGuards::guard_series`](crate::equations::ExpandGuards::guard_series).
    pub fn guard_series(
        &mut self,
        guard: usize,
        point: UncertainPoint<'_>,
        order: usize,
        out: &mut Vec<Inexact>,
    ) -> bool {
        if self.sliding.is_some() || self.behind_mass.is_some() {
            return false;
        }
        let locked = self.mode.locked(self.system.parameters());
        self.evaluator.guard_series(locked, guard, point, order, out)
    }

    /// Whether the gradient of a guard comes from differences.
    pub fn differences_guard(&self, guard: usize) -> bool {
        self.evaluator.differences_guard(self.mode.locked(self.system.parameters()), guard)
    }

    /// A guard over a step as a polynomial, with a remainder; none if nothing is known. While the motion slides, guards of switched terms are not
    /// what their formulas say.
    pub fn guard_polynomial<'p>(
        &mut self,
        guard: usize,
        input: &dyn Fn(usize) -> UncertainPolynomial<'p>,
        wanted: f64,
        out: &mut Vec<Inexact>,
    ) -> Option<f64> {
        if self.sliding.is_some() {
            return None;
        }
        self.guard_count += 1;
        let locked = self.mode.locked(self.system.parameters());
        self.evaluator.guard_polynomial(locked, guard, input, wanted, out)
    }

    /// The inputs that a guard depends on, time first, if that is all that its value along the motion depends on: a state that is brought to constraints or
    /// surfaces moves as a whole.
    pub fn guard_reads(&self, guard: usize) -> Option<&[u32]> {
        if self.sliding.is_some() || self.is_mechanism {
            return None;
        }
        self.evaluator.guard_reads(self.mode.locked(self.system.parameters()), guard)
    }

    /// Bounds of the errors of what a reset sets; false if they are not known.
    pub fn reset_bounds(&mut self, guard: usize, before: UncertainPoint<'_>, delta: &mut [f64]) -> bool {
        let locked = self.mode.locked(self.system.parameters());
        self.evaluator.reset_bounds(locked, guard, before, delta)
    }

    /// Which conditions of what changes only at events hold.
    pub fn conditions_that_hold(&mut self) -> Vec<bool> {
        let mut values = vec![0.0; self.system.condition_number()];
        if !values.is_empty() {
            self.evaluator.conditions(self.mode.locked(self.system.parameters()), &mut values);
        }
        values.into_iter().map(|value| value > 0.0).collect()
    }

    /// The rate of a guard where the state changes at the rate `dy`.
    pub fn rate_of(&mut self, guard: usize, t: f64, y: &mut [f64], dy: &[f64]) -> f64 {
        let mut gradient = vec![0.0; y.len()];
        let rate = self.evaluator.guard_gradient(
            self.mode.locked(self.system.parameters()),
            guard,
            t,
            y,
            &mut gradient,
        );
        rate + gradient.iter().zip(dy).map(|(g, dy)| g * dy).sum::<f64>()
    }

    /// How much a guard can change when the state changes by as much as `widths`.
    pub fn spread_of(&mut self, guard: usize, t: f64, y: &mut [f64], widths: &[f64]) -> f64 {
        let mut gradient = vec![0.0; y.len()];
        self.evaluator.guard_gradient(self.mode.locked(self.system.parameters()), guard, t, y, &mut gradient);
        gradient.iter().zip(widths).map(|(g, width)| (g * width).abs()).sum()
    }

    /// The gradient of the surface of a guard with respect to the state; gives its rate in time. `y` is as before afterwards.
    pub fn gradient_at(&mut self, guard: usize, t: f64, y: &mut [f64], gradient: &mut [f64]) -> f64 {
        // Without a formula it takes a difference for time and for each state.
        self.guard_count += if self.system.has_formulas() { 1 } else { 1 + y.len() as u64 };
        let locked = self.mode.locked(self.system.parameters());
        self.evaluator.guard_gradient(locked, guard, t, y, gradient)
    }
}

impl Sliding {
    /// How large the rate of a surface can be by rounding alone.
    pub fn rounding(&self, surface: usize) -> f64 {
        CAUTION * self.noise[surface]
    }

    /// How far rounding of rates can have moved the weight of a surface.
    fn exit_band(&self, surface: usize) -> f64 {
        let sides = self.sides();
        let rates = &self.rates[surface * sides..(surface + 1) * sides];
        let (least, most) =
            rates.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), r| (a.min(*r), b.max(*r)));
        let spread = most - least;
        if spread > 0.0 { self.noise[surface] / spread } else { 0.0 }
    }
}
