//! The index-1 form of a mechanism: accelerations and multipliers from `[M Gᵀ; G 0] [a; λ] = [f; -γ]`.
//!
//! Differentiated to the level of accelerations, constraints are met only up to a drift. Terms against it in the equations are in `pull.rs`, corrections of the
//! ends of steps in `landing.rs`; which of them is chosen says [`Stabilisation`](super::Stabilisation).

use super::assemble::Assembler;
use super::beside::Held;
use super::half_explicit::HalfExplicit;
use super::landing::Landing;
use super::pull::Pull;
use super::singular::Singular;
use super::{Refusal, Upkeep};
use crate::equations::{
    Evaluator, ExpandGuards, GuardRates, Locked, Point, Reset, System, Terms, UncertainPoint,
    UncertainPolynomial,
};
use crate::expr::{Bounds, Inexact, Interval};
use crate::math::{Kkt, KktFault};

/// An evaluator of a mechanism whose derivative has the accelerations in it.
pub struct Index1<'a> {
    pub(super) inner: Box<dyn Evaluator + 'a>,
    pub(super) upkeep: Upkeep,
    /// Coordinates, speeds, and constraints of positions.
    pub(super) positions: usize,
    pub(super) n: usize,
    pub(super) holonomic: usize,
    pub(super) terms: Terms,
    pub(super) kkt: Kkt,
    /// What pulls back to the constraints, and what corrects the ends of steps.
    pub(super) pull: Pull,
    pub(super) landing: Landing,
    pub(super) position: Vec<f64>,
    pub(super) velocity: Vec<f64>,
    /// Accelerations or corrections, and multipliers.
    pub(super) motion: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    pub(super) published: Vec<f64>,
    /// What makes states consistent, once there was one to be: at the start, and behind events that set states.
    assembler: Option<Box<Assembler>>,
    /// The scratch for stages of half-explicit methods, once there was one.
    pub(super) half_explicit: Option<Box<HalfExplicit>>,
    /// How near the motion has come to singular positions.
    pub(super) singular: Singular,
    /// Why the last linear system could not be solved, if it could not.
    pub(super) fault: Option<KktFault>,
    pub(super) factorisations: u64,
    /// The point whose factors serve for places next to it.
    pub(super) held: Held,
}

impl<'a> Index1<'a> {
    /// The evaluator of a system that is a mechanism.
    pub fn new(system: &'a dyn System, upkeep: impl Into<Upkeep>) -> Self {
        let (n, constraints, upkeep) = (system.layout().v, system.constraints(), upkeep.into());
        let (m, holonomic) = (constraints.len(), constraints.iter().filter(|c| c.holonomic).count());
        let terms = system.room_for_terms();
        Self {
            inner: system.evaluator(),
            positions: system.layout().q,
            n,
            holonomic,
            kkt: Kkt::new(&terms.mass, &terms.jacobian),
            pull: Pull::new(&upkeep, &terms),
            landing: Landing::new(&upkeep, &terms, (system.layout().q, holonomic)),
            terms,
            upkeep,
            position: vec![0.0; holonomic],
            velocity: vec![0.0; m],
            motion: vec![0.0; n],
            multipliers: vec![0.0; m],
            published: vec![0.0; 2 * n + m],
            assembler: None,
            half_explicit: None,
            singular: Singular::new(m),
            fault: None,
            factorisations: 0,
            held: Held::default(),
        }
    }

    /// Evaluates the terms and factors the linear system; false if it has no solution.
    pub(super) fn factor(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> bool {
        self.inner.terms(locked, t, y, &mut self.terms);
        self.factor_terms()
    }

    /// Factors the linear system of the terms as they are; false if it has no solution.
    pub(super) fn factor_terms(&mut self) -> bool {
        self.fault = self.kkt.factor(&self.terms.mass, &self.terms.jacobian).err();
        self.factorisations += 1;
        self.look_at_factors();
        self.fault.is_none()
    }

    /// How often a linear system was factored, for accelerations or for corrections.
    pub(super) fn factorisations(&self) -> u64 {
        self.factorisations
    }

    /// Finds accelerations and multipliers.
    fn solve(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) {
        if self.solve_beside(locked, t, y) {
            return;
        }
        if !self.factor(locked, t, y) {
            self.motion.fill(f64::NAN);
            self.multipliers.fill(f64::NAN);
            return self.publish();
        }
        self.motion.copy_from_slice(&self.terms.force);
        self.multipliers.copy_from_slice(&self.terms.level);
        self.pull_by_forces(locked, t, y);
        self.kkt.solve(&mut self.motion, &mut self.multipliers);
        self.pull_beside(locked, t, y);
        self.publish();
    }

    /// Tells the formulas accelerations, multipliers, and reactions, `-Gᵀ λ`.
    pub(super) fn publish(&mut self) {
        self.published[..self.n].copy_from_slice(&self.motion);
        let (multipliers, reactions) = self.published[self.n..].split_at_mut(self.multipliers.len());
        multipliers.copy_from_slice(&self.multipliers);
        reactions.fill(0.0);
        self.terms.jacobian.add_transposed(-1.0, &self.multipliers, reactions);
        self.inner.set_motion(&self.published);
    }

    /// Accelerations, and behind them multipliers and reactions, at a point.
    pub(super) fn motion_at(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> &[f64] {
        self.solve(locked, t, y);
        &self.published
    }

    /// Moves a state to the nearest one at which the constraints are met; pinned coordinates stay.
    pub(super) fn assemble(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &mut [f64],
        pinned: &[usize],
    ) -> Result<(), Refusal> {
        let known = self.assembler.take().filter(|known| known.holds(pinned));
        let new = || Box::new(Assembler::new(&self.terms, (self.positions, self.holonomic), pinned));
        let assembler = self.assembler.insert(known.unwrap_or_else(new));
        assembler.assemble(&mut *self.inner, (locked, t), y)
    }

    /// What is left of each constraint at the level of accelerations, `G a + γ`: rounding, and the terms that pull back.
    pub(super) fn acceleration_residuals(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) {
        self.solve(locked, t, y);
        for (row, out) in out.iter_mut().enumerate() {
            *out = self.terms.jacobian.row_times(row, &self.motion) - self.terms.level[row];
        }
    }
}

impl ExpandGuards for Index1<'_> {
    fn guard_banded(&mut self, locked: Locked<'_>, guard: usize, point: UncertainPoint<'_>) -> Inexact {
        self.inner.guard_banded(locked, guard, point)
    }

    fn guard_series(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        point: UncertainPoint<'_>,
        order: usize,
        out: &mut Vec<Inexact>,
    ) -> bool {
        self.inner.guard_series(locked, guard, point, order, out)
    }

    fn guard_polynomial<'p>(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        input: &dyn Fn(usize) -> UncertainPolynomial<'p>,
        wanted: f64,
        out: &mut Vec<Inexact>,
    ) -> Option<f64> {
        self.inner.guard_polynomial(locked, guard, input, wanted, out)
    }

    fn reset_bounds(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        before: UncertainPoint<'_>,
        delta: &mut [f64],
    ) -> bool {
        self.inner.reset_bounds(locked, guard, before, delta)
    }
}

impl Evaluator for Index1<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        self.solve(locked, t, y);
        self.inner.derivative(locked, t, y, dy);
        self.pull_positions(dy);
    }

    fn terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        self.inner.terms(locked, t, y, terms);
    }

    fn gradients(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        self.inner.gradients(locked, t, y, terms);
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

    fn has_kinematics(&self) -> bool {
        self.inner.has_kinematics()
    }

    fn shift_positions(&mut self, t: f64, q: &mut [f64], change: &[f64]) {
        self.inner.shift_positions(t, q, change);
    }

    fn allow(&mut self, locked: Locked<'_>, t: f64, y: &[f64], direction: &mut [f64]) {
        self.allow_direction(locked, t, y, direction);
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

    fn joints(&mut self, locked: Locked<'_>, shut: &mut [bool]) {
        self.inner.joints(locked, shut);
    }

    fn conditions(&mut self, locked: Locked<'_>, values: &mut [f64]) {
        self.inner.conditions(locked, values);
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

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: Reset<'_>) {
        self.inner.reset(locked, guard, t, before, after);
    }
}
