//! What implicit methods share: the linearised field, and the monitor of Newton's iteration.

use super::matrix_age::MatrixAge;
use super::start_rates::{FieldHere, StartRates};
use super::{Fault, Tolerances};
use crate::formulation::{Field, MassKind};
use crate::math::{ComplexLu, ComponentCount, RealLu, rough_power};

/// The power of the last rate that a new iteration begins with: what was seen before counts less (Hairer,
/// Wanner II, section IV.8).
const LAST_RATE_POWER: f64 = 0.8;

/// The field at the start of a step: its derivative, and a Jacobian and mass from there or earlier.
#[derive(Clone, Debug)]
pub(super) struct Linearisation {
    n: usize,
    /// The derivative at the start.
    pub(super) slope: Vec<f64>,
    jacobian: Vec<f64>,
    mass: Vec<f64>,
    /// A mass matrix that varies, at the point of interest.
    mass_there: Vec<f64>,
    mass_kind: MassKind,
    rates: Option<Box<StartRates>>,
    /// The states of index 2 and more, in no algebraic equation: multipliers of velocity constraints, say.
    hidden: Vec<usize>,
    slope_is_known: bool,
    age: MatrixAge,
}

impl Linearisation {
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            slope: vec![0.0; n],
            jacobian: vec![0.0; n * n],
            mass: vec![0.0; n * n],
            mass_there: vec![0.0; n * n],
            mass_kind: MassKind::Identity,
            rates: None,
            hidden: Vec::with_capacity(n),
            slope_is_known: false,
            age: MatrixAge::default(),
        }
    }

    /// Makes sure that the derivative at the start is known.
    pub(super) fn find_slope(&mut self, field: &mut impl Field, t: f64, y: &[f64]) -> Result<(), Fault> {
        if !self.slope_is_known {
            field.derivative(t, y, &mut self.slope);
            check_finite(&self.slope, 1, t)?;
            self.slope_is_known = true;
        }
        Ok(())
    }

    /// Makes sure that there is a Jacobian and a mass matrix. Tells whether they are new.
    pub(super) fn find_matrices(&mut self, field: &mut impl Field, t: f64, y: &[f64]) -> Result<bool, Fault> {
        if self.age.is_known() {
            return Ok(false);
        }
        self.find_slope(field, t, y)?;
        field.jacobian(t, y, &self.slope, &mut self.jacobian);
        check_finite(&self.jacobian, self.n, t)?;
        self.mass_kind = field.mass_kind();
        if self.mass_kind != MassKind::Identity {
            field.mass(t, y, &mut self.mass);
            check_finite(&self.mass, self.n, t)?;
            self.find_hidden();
        }
        if self.mass_kind == MassKind::Varying {
            self.join_mass_slopes(field, t, y)?;
        }
        self.age.linearised();
        Ok(true)
    }

    /// Takes the slopes of the mass off the Jacobian: `∂f/∂y - ∂(M z)/∂y` at the rates z.
    fn join_mass_slopes(&mut self, field: &mut impl Field, t: f64, y: &[f64]) -> Result<(), Fault> {
        let n = self.n;
        let rates = self.rates.get_or_insert_with(|| Box::new(StartRates::new(n)));
        let here = FieldHere { slope: &self.slope, jacobian: &self.jacobian, mass: &self.mass };
        rates.find(field, (t, y), &here);
        check_finite(&rates.by_state, n, t)?;
        self.jacobian.iter_mut().zip(&rates.by_state).for_each(|(j, slope)| *j -= slope);
        Ok(())
    }

    /// Finds the states without a derivative that do not occur in any equation without one.
    fn find_hidden(&mut self) {
        let n = self.n;
        let is_algebraic = |i: usize| self.mass[i * n..(i + 1) * n].iter().all(|m| *m == 0.0);
        let has_rate = |j: usize| (0..n).any(|i| self.mass[i * n + j] != 0.0);
        let occurs = |j: usize| (0..n).any(|i| self.jacobian[i * n + j] != 0.0 && is_algebraic(i));
        self.hidden.clear();
        self.hidden.extend((0..n).filter(|&j| !has_rate(j) && !occurs(j)));
    }

    /// The states of index 2 and more: their errors are larger by one over the step, and do not feed back, so
    /// that they are weighed with the step (Hairer, Wanner II, section VII.3).
    pub(super) fn hidden(&self) -> &[usize] {
        &self.hidden
    }

    /// The Jacobian is to be evaluated anew. False if it was already the one at this start.
    pub(super) fn renew(&mut self) -> bool {
        self.age.renew()
    }

    /// Whether the Jacobian is the one at this start.
    pub(super) fn is_fresh(&self) -> bool {
        self.age.is_fresh()
    }

    /// The largest row sum of the Jacobian: no eigenvalue is larger.
    pub(super) fn jacobian_norm(&self) -> f64 {
        let row_sum = |row: &[f64]| row.iter().map(|x| x.abs()).sum::<f64>();
        self.jacobian.chunks(self.n.max(1)).map(row_sum).fold(0.0, f64::max)
    }

    /// The start has moved along the solution: the Jacobian may still serve.
    pub(super) fn advance(&mut self, keep_jacobian: bool) {
        self.slope_is_known = false;
        self.age.advance(keep_jacobian);
    }

    /// Nothing is known any more.
    pub(super) fn restart(&mut self) {
        self.advance(false);
    }

    /// The matrix `a M - J`.
    pub(super) fn fill_real<D: ComponentCount>(&self, a: f64, matrix: &mut RealLu<D>) {
        self.fill(a, true, matrix.entries_mut());
    }

    /// The matrix `(a + ib) M - J`.
    pub(super) fn fill_complex<D: ComponentCount>(&self, a: f64, b: f64, matrix: &mut ComplexLu<D>) {
        let (re, im) = matrix.entries_mut();
        self.fill(a, true, re);
        self.fill(b, false, im);
    }

    fn fill(&self, a: f64, with_jacobian: bool, out: &mut [f64]) {
        if self.mass_kind == MassKind::Identity {
            out.fill(0.0);
            out.iter_mut().step_by(self.n + 1).for_each(|x| *x = a);
        } else {
            out.iter_mut().zip(&self.mass).for_each(|(x, m)| *x = a * m);
        }
        if with_jacobian {
            out.iter_mut().zip(&self.jacobian).for_each(|(x, j)| *x -= j);
        }
    }

    /// The rates at the start and the slopes of the mass along them, behind a mass that varies.
    pub(super) fn rates(&self) -> Option<&StartRates> {
        self.rates.as_deref()
    }

    /// `out -= M x` with the mass at the start that the matrices were found at.
    #[inline]
    pub(super) fn subtract_first_mass_times(&self, x: &[f64], out: &mut [f64]) {
        if self.mass_kind == MassKind::Identity {
            out.iter_mut().zip(x).for_each(|(out, x)| *out -= x);
        } else {
            subtract_product(&self.mass, x, out);
        }
    }

    /// `out -= M(t, y) x`.
    #[inline]
    pub(super) fn subtract_mass_times(
        &mut self,
        field: &mut impl Field,
        (t, y): (f64, &[f64]),
        x: &[f64],
        out: &mut [f64],
    ) {
        if self.mass_kind == MassKind::Varying {
            self.subtract_mass_there(field, (t, y), x, out);
        } else {
            self.subtract_first_mass_times(x, out);
        }
    }

    /// The same for a matrix that varies. Kept apart, so that the short way stays short.
    #[inline(never)]
    fn subtract_mass_there(
        &mut self,
        field: &mut impl Field,
        (t, y): (f64, &[f64]),
        x: &[f64],
        out: &mut [f64],
    ) {
        field.mass(t, y, &mut self.mass_there);
        subtract_product(&self.mass_there, x, out);
    }
}

/// `out -= M x`.
#[inline]
fn subtract_product(mass: &[f64], x: &[f64], out: &mut [f64]) {
    for (out, row) in out.iter_mut().zip(mass.chunks_exact(x.len().max(1))) {
        *out -= row.iter().zip(x).map(|(m, x)| m * x).sum::<f64>();
    }
}

/// The first of the values that is not finite, as a fault; each component has `width` of them.
#[inline]
pub(super) fn check_finite(values: &[f64], width: usize, t: f64) -> Result<(), Fault> {
    // Zero times a number that is not finite is NaN.
    if values.iter().map(|x| 0.0 * x).sum::<f64>() == 0.0 {
        return Ok(());
    }
    let place = values.iter().position(|x| !x.is_finite()).unwrap_or(0);
    Err(Fault::NotFinite { component: place / width, t, value: values[place] })
}

/// What to do after an iterate of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convergence {
    /// Add the correction; it was the last.
    Done,
    /// Add the correction and go on.
    GoOn,
    /// It does not converge, or will not within the limit.
    Hopeless,
}

/// The watch over simplified Newton iterations: rate of convergence θ and stopping rule η ‖Δ‖ ≤ κ (Hairer,
/// Wanner II, section IV.8).
#[derive(Clone, Debug)]
pub(super) struct Newton {
    /// η = θ / (1 - θ), kept from step to step for the first iterate.
    eta: f64,
    /// The rate that was seen; below [`FAST`] if one iterate was enough.
    rate: Rate,
    /// The rate in a norm that weighs all of a kind alike.
    even: Rate,
    count: i32,
    limit: i32,
    /// The first correction is the motion in the step.
    is_from_rest: bool,
    /// Further iterations per factor of ten between the first correction and the tolerance.
    patience: i32,
}

/// How fast corrections become smaller.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    theta: f64,
    last_ratio: f64,
    last_norm: f64,
}

impl Rate {
    /// Takes the norm of the next correction; those below `rounding` tell nothing.
    fn record(&mut self, norm: f64, count: i32, rounding: f64) {
        if count > 1 {
            let ratio = norm / self.last_norm;
            self.theta = if count == 2 { ratio } else { (ratio * self.last_ratio).sqrt() };
            self.last_ratio = ratio;
        }
        self.last_norm = norm.max(rounding);
    }

    /// What is left of a correction of a norm of one, by the geometric series; NaN where the rate is.
    fn left(&self) -> f64 {
        if self.theta >= HARDLY { HARDLY / (1.0 - HARDLY) } else { self.theta / (1.0 - self.theta) }
    }
}

/// An iteration that is no faster does not converge.
const HARDLY: f64 = 0.99;
/// The most iterations.
const LIMIT: i32 = 10;
/// The patience with which an iteration goes on that takes off no more than a tenth each time.
pub(super) const AS_LONG_AS_IT_TAKES: i32 = 22;
/// A Jacobian with which Newton converges at this rate or faster is kept.
const FAST: f64 = 1e-3;
/// The largest part of the tolerance that may be left of a correction.
const ENOUGH: f64 = 0.03;

impl Newton {
    pub(super) fn new() -> Self {
        Self {
            eta: 1.0,
            rate: Rate::default(),
            even: Rate::default(),
            count: 0,
            limit: LIMIT,
            is_from_rest: false,
            patience: 0,
        }
    }

    /// From now on so many more iterations are allowed for each factor of ten by which the first correction
    /// is larger than the tolerance: two where steps are not chosen by an error, and can be so long that ten
    /// iterations are not enough at tight tolerances, however well they converge; [`AS_LONG_AS_IT_TAKES`]
    /// where no shorter step is tried.
    pub(super) fn allow_more(&mut self, patience: i32) {
        self.patience = self.patience.max(patience);
    }

    /// A new system is to be solved. The rate that was seen before is trusted only with a Jacobian of this
    /// start: one of an earlier start gets worse from step to step, and a component that hardly moved before
    /// may be the one that it is wrong for.
    pub(super) fn begin(&mut self, is_fresh: bool) {
        self.eta = if is_fresh { rough_power(self.eta.max(f64::EPSILON), LAST_RATE_POWER) } else { 1.0 };
        self.count = 0;
        self.is_from_rest = false;
        (self.rate.theta, self.even.theta) = (0.0, 0.0);
    }

    /// Nothing is known of the solution of the new system, and constraints are among its equations. The first
    /// correction is the motion in the step then, and constraints that are curved answer to it in the second:
    /// however small that is beside the first, it does not tell what is left.
    pub(super) fn mistrust_first(&mut self) {
        self.is_from_rest = true;
    }

    /// Judges the scaled norm of a correction; `kappa` is what may be left of it.
    #[inline]
    pub(super) fn judge(&mut self, norm: f64, kappa: f64) -> Convergence {
        self.judge_evenly(norm, norm, kappa)
    }

    /// Judges a correction by its norm, and by one that weighs all of a kind alike. A component that is small
    /// just now has a tight scale, and what a correction of its neighbours brings into it can be more than
    /// its own first correction, however fast all become smaller: it does not tell whether the iteration
    /// converges.
    #[inline]
    pub(super) fn judge_evenly(&mut self, norm: f64, even: f64, kappa: f64) -> Convergence {
        self.count += 1;
        if self.count == 1 && self.patience > 0 {
            let tens = (0..15).filter(|&k| norm > 10.0_f64.powi(k));
            self.limit = LIMIT + tens.map(|_| self.patience).sum::<i32>();
        }
        let rounding = f64::EPSILON * kappa;
        // How many corrections there are whose ratios tell the rate.
        let counted = if self.is_from_rest && self.count > 2 { self.count - 1 } else { self.count };
        self.rate.record(norm, counted, rounding);
        self.even.record(even, counted, rounding);
        if self.count > 1 {
            let least = if self.is_from_rest && self.count == 2 { 1.0 } else { 0.0 };
            self.eta = self.rate.left().max(least);
        }
        let left = self.limit - self.count;
        let expected = self.even.left() * norm * self.even.theta.powi(left);
        // A comparison with NaN is false, so that NaN is hopeless too.
        let may_converge =
            norm.is_finite() && self.even.theta < HARDLY && (self.count == 1 || expected < kappa);
        if !may_converge {
            self.eta = 1.0;
            // Corrections that no longer shrink, but are small against the tolerance, are rounding.
            return if norm <= ENOUGH { Convergence::Done } else { Convergence::Hopeless };
        }
        if self.eta * norm <= kappa { Convergence::Done } else { Convergence::GoOn }
    }

    /// The rate of convergence that was seen last; zero if one iterate was enough.
    pub(super) fn rate(&self) -> f64 {
        self.rate.theta
    }

    /// Whether the Jacobian is good enough for another step.
    pub(super) fn is_fast(&self) -> bool {
        self.rate.theta <= FAST
    }

    /// After an event nothing is known of the rate.
    pub(super) fn restart(&mut self) {
        self.eta = 1.0;
    }
}

/// The scaled norm that may be left of a correction: small against the step's error, above rounding.
pub(super) fn newton_tolerance(relative: f64) -> f64 {
    let rounding = 10.0 * f64::EPSILON / relative.max(f64::EPSILON);
    relative.sqrt().min(ENOUGH).max(rounding)
}

/// The least relative tolerance of a component for [`newton_tolerance`], or absolute if that is zero.
pub(crate) fn smallest_relative(n: usize, tolerances: &Tolerances) -> f64 {
    (0..n).map(|i| measure(i, tolerances)).fold(1.0, f64::min)
}

/// The relative tolerance of a component, or the absolute one where there is no relative one.
pub(super) fn measure(component: usize, tolerances: &Tolerances) -> f64 {
    let relative = tolerances.relative.get(component);
    if relative > 0.0 { relative } else { tolerances.absolute.get(component) }
}

/// `out += Σ_j w_j v_j` for vectors kept one after the other.
pub(super) fn add(weights: &[f64], vectors: &[f64], out: &mut [f64]) {
    let n = out.len().max(1);
    for (w, vector) in weights.iter().zip(vectors.chunks_exact(n)).filter(|(w, _)| **w != 0.0) {
        out.iter_mut().zip(vector).for_each(|(out, v)| *out += w * v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_iteration_ends_when_what_is_left_is_small() {
        let mut newton = Newton::new();
        newton.begin(true);
        assert_eq!(newton.judge(1.0, 1e-3), Convergence::GoOn);
        assert_eq!(newton.judge(1e-2, 1e-3), Convergence::Done);
        assert!(!newton.is_fast());
        newton.begin(true);
        assert_eq!(newton.judge(1e-3, 1e-3), Convergence::Done);
        assert!(newton.is_fast());
    }

    #[test]
    fn an_iteration_that_grows_or_would_take_too_long_is_hopeless() {
        let mut newton = Newton::new();
        newton.begin(true);
        newton.judge(1.0, 1e-3);
        assert_eq!(newton.judge(2.0, 1e-3), Convergence::Hopeless);
        newton.begin(true);
        newton.judge(1.0, 1e-3);
        assert_eq!(newton.judge(0.9, 1e-3), Convergence::Hopeless);
        newton.begin(true);
        assert_eq!(newton.judge(f64::NAN, 1e-3), Convergence::Hopeless);
    }

    #[test]
    fn a_component_with_a_tight_scale_does_not_stop_an_iteration_that_converges_evenly() {
        let mut newton = Newton::new();
        newton.begin(true);
        assert_eq!(newton.judge_evenly(1.0, 1.0, 1e-3), Convergence::GoOn);
        assert_eq!(newton.judge_evenly(2.0, 1e-2, 1e-3), Convergence::GoOn);
        assert_eq!(newton.judge_evenly(2e-2, 1e-4, 1e-3), Convergence::GoOn);
        assert_eq!(newton.judge_evenly(2e-4, 1e-6, 1e-3), Convergence::Done);
    }

    #[test]
    fn the_first_correction_of_a_start_from_rest_tells_no_rate() {
        let mut newton = Newton::new();
        newton.begin(true);
        newton.mistrust_first();
        assert_eq!(newton.judge(1e2, 1e-1), Convergence::GoOn);
        assert_eq!(newton.judge(1.0, 1e-1), Convergence::GoOn);
        assert_eq!(newton.judge(0.5, 1e-1), Convergence::GoOn);
        newton.begin(true);
        newton.mistrust_first();
        assert_eq!(newton.judge(1e-2, 1e-1), Convergence::Done);
        newton.begin(true);
        newton.mistrust_first();
        assert_eq!(newton.judge(f64::NAN, 1e-1), Convergence::Hopeless);
    }

    #[test]
    fn where_no_shorter_step_is_tried_a_slow_iteration_goes_on() {
        let end = |patience: i32| {
            let mut newton = Newton::new();
            newton.allow_more(patience);
            newton.begin(true);
            (0..200).map(|k| newton.judge(1e6 * 0.8_f64.powi(k), 1e-3)).find(|end| *end != Convergence::GoOn)
        };
        assert_eq!(end(AS_LONG_AS_IT_TAKES), Some(Convergence::Done));
        assert_eq!(end(2), Some(Convergence::Hopeless));
    }

    #[test]
    fn an_iteration_that_has_come_down_to_rounding_is_done() {
        let mut newton = Newton::new();
        newton.begin(true);
        assert_eq!(newton.judge(1.0, 1e-6), Convergence::GoOn);
        assert_eq!(newton.judge(1e-2, 1e-6), Convergence::GoOn);
        assert_eq!(newton.judge(1e-2, 1e-6), Convergence::GoOn);
        assert_eq!(newton.judge(1e-2, 1e-6), Convergence::Done);
    }

    #[test]
    fn a_value_that_is_not_finite_is_named_by_component() {
        let fault = check_finite(&[1.0, 2.0, 3.0, f64::INFINITY], 2, 0.5);
        assert_eq!(fault, Err(Fault::NotFinite { component: 1, t: 0.5, value: f64::INFINITY }));
    }
}
