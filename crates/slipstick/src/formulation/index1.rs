//! The index-1 form of a mechanism: accelerations and multipliers from `[M Gᵀ; G 0] [a; λ] = [f; -γ]`, and what keeps the constraints met.
//!
//! Differentiated to the level of accelerations, constraints are met only up to a drift. Baumgarte adds it to the equations,
//! `G a = -γ - γ₁ ġ - γ₂ g` (paper 003, section 2.2). The others leave the equations alone and correct the end of each step: with
//! `F = M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹`, which is a solution of the same linear system, `q ← q - F g` and `v ← v - F ġ`, once (S-both), twice (`PStab`, equation (4.15)) or
//! until nothing is left to correct (projection).

use super::Refusal;
use super::assemble::Assembler;
use crate::equations::{Evaluator, GuardRates, Locked, Point, System, Terms};
use crate::expr::{Bounds, Interval};
use crate::math::{Kkt, KktFault};

/// What keeps constraints met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stabilisation {
    /// Nothing: they drift.
    None,
    /// Baumgarte's terms in the equations, with the factors of the rate and of the position.
    Baumgarte {
        /// Of the rate.
        rate: f64,
        /// Of the position.
        position: f64,
    },
    /// One correction after each step.
    Once,
    /// Two corrections after each step with the same matrices: the drift is that of the error of a step, squared.
    Twice,
    /// Corrections until the constraints are met to rounding.
    Project,
}

/// A row of constraints that is shorter than this part of what it can be has next to no direction left.
const NEXT_TO_NOTHING: f64 = 0.05;
/// Rounds of projection before it is given up.
const MOST_ROUNDS: usize = 10;

/// An evaluator of a mechanism whose derivative has the accelerations in it.
pub struct Index1<'a> {
    inner: Box<dyn Evaluator + 'a>,
    stabilisation: Stabilisation,
    /// Coordinates, and constraints of positions.
    n: usize,
    holonomic: usize,
    terms: Terms,
    kkt: Kkt,
    position: Vec<f64>,
    velocity: Vec<f64>,
    /// Accelerations or corrections, and multipliers.
    motion: Vec<f64>,
    multipliers: Vec<f64>,
    published: Vec<f64>,
    /// The least and the largest length that the row of each constraint has had, and the first one for which they are far apart.
    lengths: Vec<(f64, f64)>,
    shrunk: Option<usize>,
    /// Why the last linear system could not be solved, if it could not.
    fault: Option<KktFault>,
}

impl<'a> Index1<'a> {
    /// The evaluator of a system that is a mechanism.
    pub fn new(system: &'a dyn System, stabilisation: Stabilisation) -> Self {
        let (n, constraints) = (system.layout().v, system.constraints());
        let (m, holonomic) = (constraints.len(), constraints.iter().filter(|c| c.holonomic).count());
        Self {
            inner: system.evaluator(),
            stabilisation,
            n,
            holonomic,
            terms: Terms::new(n, m),
            kkt: Kkt::new(n, m),
            position: vec![0.0; holonomic],
            velocity: vec![0.0; m],
            motion: vec![0.0; n],
            multipliers: vec![0.0; m],
            published: vec![0.0; n + m],
            lengths: vec![(f64::INFINITY, 0.0); m],
            shrunk: None,
            fault: None,
        }
    }

    /// Evaluates the terms and factors the linear system; false if it has no solution.
    fn factor(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> bool {
        self.inner.terms(locked, t, y, &mut self.terms);
        self.fault = self.kkt.factor(&self.terms.mass, &self.terms.jacobian).err();
        for (k, (known, length)) in self.lengths.iter_mut().zip(self.kkt.lengths()).enumerate() {
            *known = (known.0.min(*length), known.1.max(*length));
            if known.0 < NEXT_TO_NOTHING * known.1 {
                self.shrunk = self.shrunk.or(Some(k));
            }
        }
        self.fault.is_none()
    }

    /// Finds accelerations and multipliers.
    fn solve(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) {
        if !self.factor(locked, t, y) {
            self.motion.fill(f64::NAN);
            self.multipliers.fill(f64::NAN);
            return self.publish();
        }
        self.motion.copy_from_slice(&self.terms.force);
        self.multipliers.copy_from_slice(&self.terms.level);
        if let Stabilisation::Baumgarte { rate, position } = self.stabilisation {
            self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
            for (level, velocity) in self.multipliers.iter_mut().zip(&self.velocity) {
                *level -= rate * velocity;
            }
            for (level, drift) in self.multipliers.iter_mut().zip(&self.position) {
                *level -= position * drift;
            }
        }
        self.kkt.solve(&mut self.motion, &mut self.multipliers);
        self.publish();
    }

    /// Tells the formulas accelerations and multipliers.
    fn publish(&mut self) {
        self.published[..self.n].copy_from_slice(&self.motion);
        self.published[self.n..].copy_from_slice(&self.multipliers);
        self.inner.set_motion(&self.published);
    }

    /// Accelerations, and behind them multipliers, at a point.
    pub(super) fn motion_at(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> &[f64] {
        self.solve(locked, t, y);
        &self.published
    }

    /// Moves positions, and then speeds, towards where the constraints are met; the linear system has been factored. Gives how much the
    /// positions and speeds changed.
    fn correct(&mut self, locked: Locked<'_>, t: f64, y: &mut [f64]) -> f64 {
        self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
        self.multipliers.fill(0.0);
        self.multipliers[..self.holonomic].copy_from_slice(&self.position);
        let moved = self.shift(&mut y[..self.n]);
        self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
        self.multipliers.copy_from_slice(&self.velocity);
        moved.max(self.shift(&mut y[self.n..2 * self.n]))
    }

    /// Moves the end of a step to where the constraints are met, or nearer to it.
    pub(super) fn land(&mut self, locked: Locked<'_>, t: f64, y: &mut [f64]) {
        let rounds = match self.stabilisation {
            Stabilisation::None | Stabilisation::Baumgarte { .. } => return,
            Stabilisation::Once => 1,
            Stabilisation::Twice => 2,
            Stabilisation::Project => MOST_ROUNDS,
        };
        for round in 0..rounds {
            let again = round == 0 || self.stabilisation == Stabilisation::Project;
            if again && !self.factor(locked, t, y) {
                return;
            }
            if self.correct(locked, t, y) <= 4.0 * f64::EPSILON {
                return;
            }
        }
    }

    /// Moves a state to the nearest one at which the constraints are met; pinned coordinates stay.
    pub(super) fn assemble(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &mut [f64],
        pinned: &[usize],
    ) -> Result<(), Refusal> {
        let m = self.velocity.len();
        Assembler::new(self.n, m, self.holonomic, pinned).assemble(&mut *self.inner, (locked, t), y)
    }

    /// The first constraint that has come next to a position in which it fixes nothing, if one has.
    pub(super) fn shrunk(&self) -> Option<usize> {
        self.shrunk
    }

    /// The constraints that follow from others at a point, ascending.
    pub(super) fn redundant(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> Vec<usize> {
        if !self.factor(locked, t, y) {
            return Vec::new();
        }
        let mut rows = self.kkt.redundant().to_vec();
        rows.sort_unstable();
        rows
    }

    /// Takes `F` times the residuals in `multipliers` off a part of the state.
    fn shift(&mut self, part: &mut [f64]) -> f64 {
        self.motion.fill(0.0);
        self.kkt.solve(&mut self.motion, &mut self.multipliers);
        let mut most = 0.0_f64;
        for (x, change) in part.iter_mut().zip(&self.motion) {
            *x -= change;
            most = most.max(change.abs() / (1.0 + x.abs()));
        }
        most
    }
}

impl Evaluator for Index1<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        self.solve(locked, t, y);
        self.inner.derivative(locked, t, y, dy);
    }

    fn terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        self.inner.terms(locked, t, y, terms);
    }

    fn residuals(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        self.inner.residuals(locked, t, y, position, velocity);
    }

    fn guards(&mut self, locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]) {
        self.inner.guards(locked, t, y, values);
    }

    fn guard(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64 {
        self.inner.guard(locked, guard, t, y)
    }

    fn guard_slopes(
        &mut self,
        locked: Locked<'_>,
        point: Point<'_>,
        reach: f64,
        values: &[f64],
        slopes: &mut [f64],
    ) {
        self.inner.guard_slopes(locked, point, reach, values, slopes);
    }

    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        self.inner.guard_gradient(locked, guard, t, y, gradient)
    }

    fn guard_bounds(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        input: &dyn Fn(usize) -> Bounds,
    ) -> Option<Bounds> {
        self.inner.guard_bounds(locked, guard, input)
    }

    fn guard_ranges(
        &mut self,
        locked: Locked<'_>,
        input: &dyn Fn(usize) -> Interval,
        ranges: &mut [Interval],
    ) {
        self.inner.guard_ranges(locked, input, ranges);
    }

    fn find_needed(&mut self, locked: Locked<'_>, needed: &mut [bool]) {
        self.inner.find_needed(locked, needed);
    }

    fn schedule(&mut self, locked: Locked<'_>, times: &mut [f64]) {
        self.inner.schedule(locked, times);
    }

    fn guard_rates(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        reach: f64,
        rates: GuardRates<'_>,
    ) -> u64 {
        self.solve(locked, t, y);
        1 + self.inner.guard_rates(locked, t, y, reach, rates)
    }

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: &mut [f64]) {
        self.inner.reset(locked, guard, t, before, after);
    }
}
