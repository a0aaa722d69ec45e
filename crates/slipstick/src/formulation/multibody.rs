//! The evaluator of a mechanism: its derivative has the accelerations in it.
//!
//! There is a form for each set of constraints that hold, made when such a set comes up and kept for when it
//! comes back. It has rows for those constraints that are independent where it is entered.

use super::consistent::ConsistentStart;
use super::constrained_form::ConstrainedForm;
use super::env::{Env, MotionCounts};
use super::known_motions::KnownMotions;
use super::projection::take_off;
use super::rank::Rank;
use super::{Refusal, Upkeep};
use crate::equations::{
    ActiveRows, At, Evaluator, ExpandGuards, FieldSlopes, GuardFunctions, Locked, MechanismTerms, Reset,
    System, UncertainPoint, UncertainPolynomial, gradient_by_differences,
};
use crate::expr::{Bounds, Inexact};

/// Forms are kept for this many sets of constraints beside the present one: joints shut and open again and
/// again.
const MOST_KEPT: usize = 7;

/// Where less than this part is left of what was left of the narrowest row when rows were chosen, others may
/// do better.
const NARROW: f64 = 0.5;

/// A mechanism with the form of its equations in which the constraints that hold have rows.
pub struct Multibody<'a> {
    pub(super) system: &'a dyn System,
    pub(super) inner: Box<dyn Evaluator + 'a>,
    upkeep: Upkeep,
    /// Whether a constraint can say nothing for a while, and what was locked when it was last looked which
    /// do.
    switches: bool,
    seen: Seen,
    active: Vec<bool>,
    /// The form with the constraints that hold, these, and those that it has rows for. Others that have held,
    /// the last one first.
    shape: EnteredForm,
    held: ActiveRows,
    rows: ActiveRows,
    others: Vec<EnteredForm>,
    /// The side on which the surface of each constraint is approached from, zero for those met; none at all
    /// once the constraints are met.
    reaching: Vec<f64>,
    pub(super) counts: MotionCounts,
    /// What makes states consistent, once there was one to be: at the start, and after events that set
    /// states.
    consistent: Option<Box<ConsistentStart>>,
    /// How far states are from the true ones, and behind them accelerations and forces.
    delta: Vec<f64>,
    known: KnownMotions,
}

/// A form for a set of constraints that hold.
struct EnteredForm {
    rank: Rank,
    form: ConstrainedForm,
    is_entered: bool,
    /// Whether some of the constraints that hold follow from others.
    has_redundant: bool,
    /// What was left of the narrowest row when rows were chosen.
    margin: f64,
}

impl EnteredForm {
    fn new(system: &dyn System, rows: &ActiveRows, upkeep: &Upkeep) -> Self {
        let form = ConstrainedForm::new(system, rows, upkeep);
        Self { rank: Rank::new(system, rows), form, is_entered: false, has_redundant: false, margin: 0.0 }
    }
}

/// What was locked.
#[derive(Default)]
struct Seen {
    mode: usize,
    stamp: u64,
    parameters: Vec<f64>,
    lists: [Vec<f64>; 3],
}

impl Seen {
    #[inline]
    fn is(&mut self, locked: Locked<'_>) -> bool {
        let same = self.mode == locked.mode && is_same(&self.parameters, locked.parameters);
        same && ((locked.stamp != 0 && self.stamp == locked.stamp) || self.is_by_lists(locked))
    }

    /// Another stamp may stand for the same numbers.
    #[inline(never)]
    fn is_by_lists(&mut self, locked: Locked<'_>) -> bool {
        let same = self.lists.iter().zip(lists(&locked)).all(|(seen, list)| is_same(seen, list));
        if same {
            self.stamp = locked.stamp;
        }
        same
    }

    fn see(&mut self, locked: Locked<'_>) {
        (self.mode, self.stamp) = (locked.mode, locked.stamp);
        self.parameters.clear();
        self.parameters.extend_from_slice(locked.parameters);
        for (seen, list) in self.lists.iter_mut().zip(lists(&locked)) {
            seen.clear();
            seen.extend_from_slice(list);
        }
    }
}

/// Whether two lists are the same to the bit. That is asked at each evaluation: all numbers are looked at, without branches.
fn is_same(a: &[f64], b: &[f64]) -> bool {
    let differ = |differ: u64, (a, b): (&f64, &f64)| differ | (a.to_bits() ^ b.to_bits());
    a.len() == b.len() && a.iter().zip(b).fold(0, differ) == 0
}

fn lists<'a>(locked: &Locked<'a>) -> [&'a [f64]; 3] {
    [locked.signs, locked.counts, locked.discrete]
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
            shape: EnteredForm::new(system, &rows, &upkeep),
            held: rows.clone(),
            rows,
            upkeep,
            others: Vec::new(),
            reaching: Vec::new(),
            counts: MotionCounts::default(),
            consistent: None,
            delta: Vec::new(),
            known: KnownMotions::default(),
        }
    }

    /// Becomes as new, for another run. Forms remember where they have been, so that they are made anew; the
    /// evaluator, which is most of the work, stays.
    pub(super) fn renew(&mut self) {
        let Self { system, inner, upkeep, switches: _, seen, active, shape, held, rows, others, .. } = self;
        let constraints = system.constraints();
        *rows = ActiveRows::of(constraints, |k| !constraints[k].switches);
        held.clone_from(rows);
        *shape = EnteredForm::new(*system, rows, upkeep);
        others.clear();
        *seen = Seen { mode: usize::MAX, ..Seen::default() };
        active.fill(true);
        inner.set_motion(shape.form.index1.published());
        self.reaching.clear();
        self.counts = MotionCounts::default();
        self.consistent = None;
        self.known.forget();
    }

    /// The form that was used last.
    #[inline]
    pub(super) fn form(&self) -> &ConstrainedForm {
        &self.shape.form
    }

    #[inline]
    pub(super) fn form_mut(&mut self) -> &mut ConstrainedForm {
        &mut self.shape.form
    }

    /// Factors the linear system of the terms as they are.
    pub(super) fn factor_terms(&mut self) -> bool {
        self.shape.form.index1.linear.factor_terms(&mut self.counts)
    }

    /// The form with the constraints that hold, and what it is lent, at a point. A form that is new is
    /// entered there.
    #[inline]
    pub(super) fn at<'b>(
        &'b mut self,
        locked: Locked<'b>,
        t: f64,
        y: &[f64],
    ) -> (&'b mut ConstrainedForm, Env<'b>) {
        if self.switches && !self.seen.is(locked) {
            self.find_active(locked);
        }
        if !self.shape.is_entered {
            self.enter(locked, t, y);
        }
        let locked = Locked { rows: Some(&self.rows), ..locked };
        (&mut self.shape.form, Env { eval: &mut *self.inner, locked, t, counts: &mut self.counts })
    }

    /// Chooses other rows at a point if those that were chosen have come to be narrow. Tells whether there
    /// are others.
    #[inline]
    pub(super) fn refresh(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> bool {
        let left = self.shape.form.index1.linear.saddle.narrowest.1;
        self.shape.margin = self.shape.margin.max(left);
        let is_narrow = self.shape.has_redundant && left < NARROW * self.shape.margin;
        is_narrow && self.choose_again(locked, t, y)
    }

    /// Whether some of the constraints that hold follow from others.
    pub(super) fn has_redundant(&self) -> bool {
        self.shape.has_redundant
    }

    /// All constraints that hold.
    pub(super) fn rank(&self) -> &Rank {
        &self.shape.rank
    }

    /// The same with what they are lent, at a point.
    pub(super) fn rank_at<'b>(
        &'b mut self,
        locked: Locked<'b>,
        t: f64,
        y: &[f64],
    ) -> (&'b mut Rank, Env<'b>) {
        self.at(locked, t, y);
        let locked = Locked { rows: Some(&self.held), ..locked };
        (&mut self.shape.rank, Env { eval: &mut *self.inner, locked, t, counts: &mut self.counts })
    }

    #[cold]
    fn find_active(&mut self, locked: Locked<'_>) {
        self.seen.see(locked);
        self.inner.joints(locked, &mut self.active);
        let rows = &self.shape.rank.rows;
        let is_same = |(k, active): (usize, &bool)| rows.row(k).is_some() == *active;
        if !self.active.iter().enumerate().all(is_same) {
            self.change_form();
        }
    }

    /// Other constraints hold.
    fn change_form(&mut self) {
        let rows = ActiveRows::of(self.system.constraints(), |k| self.active[k]);
        let known = self.others.iter().position(|shape| shape.rank.rows == rows);
        let shape = match known {
            Some(place) => self.others.remove(place),
            None => EnteredForm::new(self.system, &rows, &self.upkeep),
        };
        self.others.insert(0, std::mem::replace(&mut self.shape, shape));
        self.others.truncate(MOST_KEPT);
        self.use_form();
    }

    fn use_form(&mut self) {
        self.known.forget();
        (self.held, self.rows) = (self.shape.rank.rows.clone(), self.shape.form.rows().clone());
        self.shape.has_redundant = self.rows.len() < self.held.len();
        self.shape.form.reach(&self.reaching);
    }

    /// Finds out which of the constraints that hold are independent next to a point, at which all should be
    /// met: these have rows from now on.
    #[cold]
    pub(super) fn enter(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) {
        if self.switches && !self.seen.is(locked) {
            self.find_active(locked);
        }
        let rows = self.independent(locked, t, y);
        self.shape.is_entered = true;
        self.take_rows(&rows);
    }

    fn independent(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> ActiveRows {
        let locked = Locked { rows: Some(&self.held), ..locked };
        let mut env = Env { eval: &mut *self.inner, locked, t, counts: &mut self.counts };
        let rows = self.shape.rank.independent(&mut env, y);
        self.shape.margin = self.shape.rank.margin();
        rows
    }

    fn take_rows(&mut self, rows: &ActiveRows) {
        if rows != self.shape.form.rows() {
            self.shape.form = ConstrainedForm::new(self.system, rows, &self.upkeep);
        }
        self.use_form();
    }

    /// Chooses rows again where those that were chosen have come to be narrow. How many there are does not
    /// change.
    #[cold]
    fn choose_again(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> bool {
        let (rows, narrowest) =
            (self.independent(locked, t, y), self.shape.form.index1.linear.saddle.narrowest.1);
        let is_better = rows.len() == self.shape.form.rows().len() && self.shape.margin * NARROW > narrowest;
        if is_better {
            self.take_rows(&rows);
        } else {
            // Next to a singular configuration none do better.
            self.shape.margin = narrowest;
        }
        is_better
    }

    /// Moves a state to the nearest one at which all constraints that hold are met; pinned coordinates stay.
    pub(super) fn make_consistent(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &mut [f64],
        pinned: &[usize],
    ) -> Result<(), Refusal> {
        self.see(locked);
        let known = self.consistent.take().filter(|known| known.holds(&self.held, pinned));
        let new = || Box::new(ConsistentStart::new(self.system, &self.held, pinned));
        let consistent = self.consistent.insert(known.unwrap_or_else(new));
        let locked = Locked { rows: Some(&self.held), ..locked };
        let mut env = Env { eval: &mut *self.inner, locked, t, counts: &mut self.counts };
        consistent.make_consistent(&mut env, y)
    }

    /// Puts the start together: positions with these coordinates pinned, then velocities with those.
    pub(super) fn assemble(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &mut [f64],
        (positions, velocities): (&[usize], &[usize]),
    ) -> Result<(), Refusal> {
        self.see(locked);
        let locked = Locked { rows: Some(&self.held), ..locked };
        let mut env = Env { eval: &mut *self.inner, locked, t, counts: &mut self.counts };
        ConsistentStart::new(self.system, &self.held, positions).place(&mut env, y)?;
        ConsistentStart::new(self.system, &self.held, velocities).set_moving(&mut env, y)
    }

    /// Which constraints hold.
    fn see(&mut self, locked: Locked<'_>) {
        if self.switches && !self.seen.is(locked) {
            self.find_active(locked);
        }
    }

    /// The side on which the surface of each constraint is approached from, zero for those met; none at all
    /// once the constraints are met.
    pub(super) fn reach(&mut self, sides: &[f64]) {
        self.known.forget();
        self.reaching = sides.to_vec();
        self.shape.form.reach(sides);
    }

    /// Accelerations, and behind them the multipliers of all constraints and reactions, at a point.
    /// Constraints that follow from others share their forces.
    pub(super) fn motion_at(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> &[f64] {
        let (form, mut env) = self.at(locked, t, y);
        form.index1.solve(&mut env, y);
        if self.shape.has_redundant && self.shape.rank.shares_forces() {
            self.share(locked, t, y);
        }
        self.shape.form.index1.published()
    }

    /// Lets the formulas know the motion at a point.
    fn know_motion(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) {
        if let Some((motion, _)) = self.known.at(locked, t, y) {
            return self.inner.set_motion(motion);
        }
        self.motion_at(locked, t, y);
        let index1 = &self.shape.form.index1;
        self.known.keep(locked, (t, y), index1.published(), |rounding| index1.add_rounding(rounding));
        self.inner.set_motion(index1.published());
    }

    /// Whether a guard reads multipliers or reactions.
    fn reads_forces(&self, guard: usize) -> bool {
        !self.system.guards()[guard].multipliers.is_empty()
    }

    fn share(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) {
        let locked = Locked { rows: Some(&self.held), ..locked };
        let mut env = Env { eval: &mut *self.inner, locked, t, counts: &mut self.counts };
        let (multipliers, reactions) = self.shape.form.index1.forces_mut();
        let shared = self.shape.rank.share(&mut env, y, self.rows.len(), reactions);
        self.held.scatter(shared, multipliers);
    }
}

impl ExpandGuards for Multibody<'_> {
    fn guard_banded(&mut self, locked: Locked<'_>, guard: usize, point: UncertainPoint<'_>) -> Inexact {
        if !self.reads_forces(guard) {
            return self.inner.guard_banded(locked, guard, point);
        }
        let mut value = Vec::new();
        if self.guard_series(locked, guard, point, 0, &mut value) {
            return value[0];
        }
        self.know_motion(locked, point.t, point.y);
        self.delta.clear();
        self.delta.extend_from_slice(point.delta);
        match self.known.at(locked, point.t, point.y) {
            Some((_, rounding)) => self.delta.extend_from_slice(rounding),
            None => self.shape.form.index1.add_rounding(&mut self.delta),
        }
        self.inner.guard_banded(locked, guard, UncertainPoint { delta: &self.delta, ..point })
    }

    fn guard_series(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        point: UncertainPoint<'_>,
        order: usize,
        out: &mut Vec<Inexact>,
    ) -> bool {
        self.at(locked, point.t, point.y);
        // A series has the multipliers of independent rows, not those that joints share.
        if self.reads_forces(guard) && self.shape.has_redundant && self.shape.rank.shares_friction_of_joints()
        {
            out.clear();
            return false;
        }
        let locked = Locked { rows: Some(&self.rows), ..locked };
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

    fn guard_reads(&self, locked: Locked<'_>, guard: usize) -> Option<&[u32]> {
        self.inner.guard_reads(locked, guard)
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

impl Evaluator for Multibody<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        let (form, mut env) = self.at(locked, t, y);
        form.index1.solve(&mut env, y);
        env.eval.derivative(env.locked, t, y, dy);
        if let Some(drift) = &form.index1.drift {
            take_off(dy, drift.position_rates());
        }
    }

    fn mechanism(&mut self) -> Option<&mut dyn MechanismTerms> {
        self.inner.mechanism()
    }

    fn has_kinematics(&self) -> bool {
        self.inner.has_kinematics()
    }

    fn allow(&mut self, locked: Locked<'_>, t: f64, y: &[f64], direction: &mut [f64]) {
        let (form, mut env) = self.at(locked, t, y);
        form.allow_direction(&mut env, y, direction);
    }

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: Reset<'_>) {
        self.know_motion(locked, t, before);
        self.inner.reset(locked, guard, t, before, after);
    }
}

impl GuardFunctions for Multibody<'_> {
    fn guards(&mut self, locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]) {
        if self.system.guards().iter().any(|guard| !guard.multipliers.is_empty()) {
            self.know_motion(locked, t, y);
        }
        self.inner.guards(locked, t, y, values);
    }

    fn guard(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64 {
        if self.reads_forces(guard) {
            self.know_motion(locked, t, y);
        }
        self.inner.guard(locked, guard, t, y)
    }

    fn differences_guard(&self, locked: Locked<'_>, guard: usize) -> bool {
        self.reads_forces(guard) || self.inner.differences_guard(locked, guard)
    }

    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        if self.reads_forces(guard) {
            return gradient_by_differences(&mut |t, y| self.guard(locked, guard, t, y), t, y, gradient);
        }
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

    fn find_needed(&mut self, locked: Locked<'_>, needed: &mut [bool]) {
        self.inner.find_needed(locked, needed);
        let guards = self.system.guards();
        if guards.iter().all(|guard| guard.multipliers.is_empty()) {
            return;
        }
        // The multipliers of constraints that do not hold are zero: that is no force to be looked at.
        let mut holds = vec![true; self.active.len()];
        self.inner.joints(locked, &mut holds);
        for (needed, guard) in
            needed.iter_mut().zip(guards).filter(|(_, guard)| !guard.multipliers.is_empty())
        {
            *needed &= guard.multipliers.iter().any(|&constraint| holds[constraint]);
        }
    }

    fn conditions(&mut self, locked: Locked<'_>, values: &mut [f64]) {
        self.inner.conditions(locked, values);
    }

    fn schedule(&mut self, locked: Locked<'_>, times: &mut [f64]) {
        self.inner.schedule(locked, times);
    }
}

/// What the accelerations change by is left to differences.
impl FieldSlopes for Multibody<'_> {
    fn jacobian_entries(&mut self, _: At<'_>, _: &mut dyn FnMut(usize, f64)) -> bool {
        false
    }

    fn jacobian(&mut self, _: Locked<'_>, _: f64, _: &[f64], _: &mut [f64]) -> bool {
        false
    }

    fn time_derivative(&mut self, _: Locked<'_>, _: f64, _: &[f64], _: &mut [f64]) -> bool {
        false
    }

    fn hidden_peaks(&mut self, locked: Locked<'_>, between: (f64, f64), each: &mut dyn FnMut(f64)) {
        self.inner.hidden_peaks(locked, between, each);
    }

    fn mass(&mut self, _: Locked<'_>, _: f64, _: &[f64], _: &mut [f64]) {}

    fn mass_slopes(&mut self, _: At<'_>, _: &[f64], _: (&mut [f64], &mut [f64])) -> bool {
        false
    }
}
