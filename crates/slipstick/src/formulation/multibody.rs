//! The evaluator of a mechanism: its derivative has the accelerations in it.
//!
//! There is a form for each set of constraints that hold, made when such a set comes up and kept for when it comes back.

use super::env::{Env, MotionCounts};
use super::{Index1, Upkeep};
use crate::equations::{ActiveRows, Evaluator, GuardRates, Locked, Point, System, Terms};
use crate::expr::{Bounds, Interval};

/// Forms are kept for this many sets of constraints beside the present one: joints shut and open again and again.
const MOST_KEPT: usize = 7;

/// A mechanism with the form of its equations in which the constraints that hold have rows.
pub struct Multibody<'a> {
    pub(super) system: &'a dyn System,
    pub(super) inner: Box<dyn Evaluator + 'a>,
    upkeep: Upkeep,
    /// Whether a constraint can say nothing for a while, and what was locked when it was last looked which do.
    switches: bool,
    seen: Seen,
    active: Vec<bool>,
    /// The constraints that hold, and the form with these. Others that have held, the last one first.
    rows: ActiveRows,
    pub(super) form: Index1,
    others: Vec<Index1>,
    /// The side on which the surface of each constraint is approached from, zero for those met; none at all once the constraints are met.
    reaching: Vec<f64>,
    pub(super) counts: MotionCounts,
}

/// What was locked.
#[derive(Default)]
struct Seen {
    mode: usize,
    signs: Vec<f64>,
    counts: Vec<f64>,
}

impl Seen {
    fn is(&self, locked: Locked<'_>) -> bool {
        self.mode == locked.mode && self.signs == locked.signs && self.counts == locked.counts
    }

    fn see(&mut self, locked: Locked<'_>) {
        self.mode = locked.mode;
        self.signs.clear();
        self.signs.extend_from_slice(locked.signs);
        self.counts.clear();
        self.counts.extend_from_slice(locked.counts);
    }
}

impl<'a> Multibody<'a> {
    /// The evaluator of a system that is a mechanism.
    pub fn new(system: &'a dyn System, upkeep: impl Into<Upkeep>) -> Self {
        let (constraints, upkeep) = (system.constraints(), upkeep.into());
        let switches = constraints.iter().any(|constraint| constraint.switches);
        // Until it is known what is locked, joints are open.
        let rows = ActiveRows::of(constraints, |k| !constraints[k].switches);
        Self {
            system,
            inner: system.evaluator(),
            switches,
            seen: Seen { mode: usize::MAX, ..Seen::default() },
            active: vec![true; constraints.len()],
            form: Index1::new(system, &rows, &upkeep),
            rows,
            upkeep,
            others: Vec::new(),
            reaching: Vec::new(),
            counts: MotionCounts::default(),
        }
    }

    /// The form with the constraints that hold, and what it is lent, at a time.
    #[inline]
    pub(super) fn at<'b>(&'b mut self, locked: Locked<'b>, t: f64) -> (&'b mut Index1, Env<'b>) {
        if self.switches && !self.seen.is(locked) {
            self.find_active(locked);
        }
        let locked = Locked { rows: Some(&self.rows), ..locked };
        (&mut self.form, Env { eval: &mut *self.inner, locked, t, counts: &mut self.counts })
    }

    #[cold]
    fn find_active(&mut self, locked: Locked<'_>) {
        self.seen.see(locked);
        self.inner.find_active(locked, &mut self.active);
        let is_same = |(k, active): (usize, &bool)| self.rows.row(k).is_some() == *active;
        if !self.active.iter().enumerate().all(is_same) {
            self.change_form();
        }
    }

    /// Other constraints hold.
    fn change_form(&mut self) {
        self.rows = ActiveRows::of(self.system.constraints(), |k| self.active[k]);
        let known = self.others.iter().position(|form| form.rows == self.rows);
        let mut form = match known {
            Some(place) => self.others.remove(place),
            None => Index1::new(self.system, &self.rows, &self.upkeep),
        };
        form.reach(&self.reaching);
        self.others.insert(0, std::mem::replace(&mut self.form, form));
        self.others.truncate(MOST_KEPT);
    }

    /// The side on which the surface of each constraint is approached from, zero for those met; none at all once the constraints are met.
    pub(super) fn reach(&mut self, sides: &[f64]) {
        self.reaching = sides.to_vec();
        self.form.reach(sides);
    }

    /// Accelerations, and behind them the multipliers of all constraints and reactions, at a point.
    pub(super) fn motion_at(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> &[f64] {
        let (form, mut env) = self.at(locked, t);
        form.solve(&mut env, y);
        &self.form.published
    }
}

impl Evaluator for Multibody<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        let (form, mut env) = self.at(locked, t);
        form.solve(&mut env, y);
        env.derivative(y, dy);
        form.pull_positions(dy);
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

    fn find_active(&mut self, locked: Locked<'_>, active: &mut [bool]) {
        self.inner.find_active(locked, active);
    }

    fn has_kinematics(&self) -> bool {
        self.inner.has_kinematics()
    }

    fn shift_positions(&mut self, t: f64, q: &mut [f64], change: &[f64]) {
        self.inner.shift_positions(t, q, change);
    }

    fn allow(&mut self, locked: Locked<'_>, t: f64, y: &[f64], direction: &mut [f64]) {
        let (form, mut env) = self.at(locked, t);
        form.allow_direction(&mut env, y, direction);
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
        let (form, mut env) = self.at(locked, t);
        form.solve(&mut env, y);
        1 + self.inner.guard_rates(locked, t, y, reach, rates)
    }

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: &mut [f64]) {
        self.inner.reset(locked, guard, t, before, after);
    }
}
