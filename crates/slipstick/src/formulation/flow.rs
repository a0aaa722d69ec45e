//! The flow of a system whose mode is locked: first-order equations integrated as they stand. Work is counted here.

use super::{Field, MassKind};
use crate::equations::{Evaluator, Guard, GuardKind, GuardRates, PlainField, Point, System};
use crate::mode::Mode;

/// A system in a mode, with the scratch to evaluate it and the count of what was evaluated.
pub struct Flow<'a> {
    system: &'a dyn System,
    evaluator: Box<dyn Evaluator + 'a>,
    /// The right-hand side, where that is all there is to call.
    plain: Option<&'a PlainField>,
    /// The discrete state that holds now.
    pub mode: Mode,
    /// Right-hand sides evaluated so far.
    pub derivative_count: u64,
    /// Values of single guards so far.
    pub guard_count: u64,
    /// Jacobians evaluated so far, exactly or by differences.
    pub jacobian_count: u64,
    /// A state and a derivative next to the one of interest, for differences. There is room for them once they are needed.
    beside: Vec<f64>,
    slope: Vec<f64>,
    /// How many guards are watched in each mode.
    watched: Vec<u64>,
}

impl<'a> Flow<'a> {
    /// The flow of `system` in `mode`.
    pub fn new(system: &'a dyn System, mode: Mode) -> Self {
        let evaluator = system.evaluator();
        let (derivative_count, guard_count, jacobian_count) = (0, 0, 0);
        let watched_in = |mode: usize| {
            let own = system.guards().iter().filter(|guard| is_watched(guard, mode));
            own.count() as u64
        };
        Self {
            system,
            evaluator,
            plain: system.plain_field(),
            mode,
            derivative_count,
            guard_count,
            jacobian_count,
            beside: Vec::new(),
            slope: Vec::new(),
            watched: (0..system.mode_names().len()).map(watched_in).collect(),
        }
    }

    /// The equations.
    pub fn system(&self) -> &'a dyn System {
        self.system
    }

    /// Whether a guard is watched in the mode that holds.
    pub fn watches(&self, guard: usize) -> bool {
        is_watched(&self.system.guards()[guard], self.mode.index)
    }

    /// The values of the watched guards.
    pub fn guards(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.guard_count += self.watched[self.mode.index];
        self.evaluator.guards(self.mode.locked(), t, y, values);
    }

    /// The value of one guard.
    pub fn guard(&mut self, guard: usize, t: f64, y: &[f64]) -> f64 {
        self.guard_count += 1;
        self.evaluator.guard(self.mode.locked(), guard, t, y)
    }

    /// The rates of the watched guards at a point of a motion, where they have the given values.
    pub fn guard_slopes(&mut self, point: Point<'_>, reach: f64, values: &[f64], slopes: &mut [f64]) {
        self.guard_count += self.watched[self.mode.index];
        self.evaluator.guard_slopes(self.mode.locked(), point, reach, values, slopes);
    }

    /// The times at which the scheduled guards fire.
    pub fn schedule(&mut self, times: &mut [f64]) {
        self.evaluator.schedule(self.mode.locked(), times);
    }

    /// First and second derivative of each watched guard along the flow.
    pub fn guard_rates(&mut self, t: f64, y: &[f64], reach: f64, rates: GuardRates<'_>) {
        self.guard_count += self.watched[self.mode.index];
        self.derivative_count += self.evaluator.guard_rates(self.mode.locked(), t, y, reach, rates);
    }

    /// The right-hand side of a system that needs its evaluator. Kept apart, so that the short way stays short.
    #[cold]
    fn evaluated_derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.evaluator.derivative(self.mode.locked(), t, y, dy);
    }

    /// Applies the reset of one guard to `after`.
    pub fn reset(&mut self, guard: usize, t: f64, before: &[f64], after: &mut [f64]) {
        self.evaluator.reset(self.mode.locked(), guard, t, before, after);
    }
}

impl Field for Flow<'_> {
    fn dimension(&self) -> usize {
        self.system.layout().dimension()
    }

    #[inline]
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.derivative_count += 1;
        match self.plain {
            Some(field) => field(self.mode.locked(), t, y, dy),
            None => self.evaluated_derivative(t, y, dy),
        }
    }

    /// Exact where the system knows it, else by forward differences, column by column.
    fn jacobian(&mut self, t: f64, y: &[f64], f: &[f64], jacobian: &mut [f64]) {
        self.jacobian_count += 1;
        if self.evaluator.jacobian(self.mode.locked(), t, y, jacobian) {
            return;
        }
        let n = y.len();
        self.slope.resize(n, 0.0);
        self.beside.clear();
        self.beside.extend_from_slice(y);
        for j in 0..n {
            let h = difference(y[j]).copysign(f[j]);
            self.beside[j] = y[j] + h;
            self.derivative_count += 1;
            self.evaluator.derivative(self.mode.locked(), t, &self.beside, &mut self.slope);
            let exact_h = self.beside[j] - y[j];
            for i in 0..n {
                jacobian[i * n + j] = (self.slope[i] - f[i]) / exact_h;
            }
            self.beside[j] = y[j];
        }
    }

    fn time_derivative(&mut self, t: f64, y: &[f64], f: &[f64], out: &mut [f64]) {
        if self.evaluator.time_derivative(self.mode.locked(), t, y, out) {
            return;
        }
        let h = difference(t);
        self.slope.resize(y.len(), 0.0);
        self.derivative_count += 1;
        self.evaluator.derivative(self.mode.locked(), t + h, y, &mut self.slope);
        let exact_h = (t + h) - t;
        for ((out, slope), f) in out.iter_mut().zip(&self.slope).zip(f) {
            *out = (slope - f) / exact_h;
        }
    }

    fn mass_kind(&self) -> MassKind {
        self.system.mass_kind()
    }

    fn mass(&mut self, t: f64, y: &[f64], mass: &mut [f64]) {
        self.evaluator.mass(self.mode.locked(), t, y, mass);
    }
}

/// Whether a guard is watched in a mode. What happens at rest has no surface.
fn is_watched(guard: &Guard, mode: usize) -> bool {
    guard.kind != GuardKind::Rest && guard.mode.is_none_or(|own| own == mode)
}

/// The distance for a forward difference at `x`: half the digits for the step, half for the change (as in RADAU5).
fn difference(x: f64) -> f64 {
    (f64::EPSILON * x.abs().max(1e-5)).sqrt()
}
