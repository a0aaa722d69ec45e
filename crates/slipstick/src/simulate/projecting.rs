//! How an integrator brings the ends of its steps, and what lies between, back to the constraints of a
//! mechanism.

use super::contradiction::{MOST_APART, Open};
use super::integrator::Integrator;
use crate::formulation::Flow;
use crate::math::larger_or_nan;
use crate::step::{ConstraintPolicy, Fault, Step, Trial};

/// What is uncertain in a state by rounding, as a part of it or of one.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// How often a correction is made calm, and what is left of it to correct after each time at most.
const CALM_ROUNDS: usize = 8;
const CALMER: f64 = 0.2;

/// Corrects ends of steps without exciting what is stiff.
pub(super) struct CalmProjection {
    before: Vec<f64>,
    moved: Vec<f64>,
    /// The end of a step as corrections leave it that do not care for what is stiff.
    plain_end: Vec<f64>,
}

impl CalmProjection {
    pub(super) fn new(y: &[f64]) -> Self {
        Self { before: y.to_vec(), moved: y.to_vec(), plain_end: y.to_vec() }
    }

    /// Corrects the end of a step. The least change in the metric of the masses moves light bodies most; if
    /// one of them hangs on a stiff spring, that is excited in every step. What is stiff in a correction is
    /// taken off again, which leaves the constraints open by a small part of what they were, and the rest is
    /// corrected again.
    fn project_calmly(&mut self, flow: &mut Flow<'_>, step: &mut dyn Step, trial: &mut Trial) {
        let (t_end, positions) = (trial.t + trial.h, flow.system().layout().q);
        self.before.copy_from_slice(&trial.end);
        flow.projection().project_end(t_end, &mut trial.end);
        self.plain_end.copy_from_slice(&trial.end);
        let mut last = self.find_moved(&trial.end);
        for _ in 0..CALM_ROUNDS {
            let is_plain = last == 0.0 || flow.singular().is_near(true);
            if is_plain || !step.smooth(positions, &mut self.moved) {
                return;
            }
            self.before.iter_mut().zip(&self.moved).for_each(|(before, moved)| *before += moved);
            trial.end.copy_from_slice(&self.before);
            flow.projection().project_end(t_end, &mut trial.end);
            let left = self.find_moved(&trial.end);
            if left > CALMER * last || left.is_nan() {
                // Something else than a stiff spring is at work, as a motion that grows.
                return trial.end.copy_from_slice(&self.plain_end);
            }
            last = left;
        }
    }

    /// How far the last projection has moved each state; gives the farthest.
    fn find_moved(&mut self, end: &[f64]) -> f64 {
        for (moved, (end, before)) in self.moved.iter_mut().zip(end.iter().zip(&self.before)) {
            *moved = end - before;
        }
        self.moved.iter().fold(0.0, |most, moved| larger_or_nan(most, moved.abs()))
    }
}

impl Integrator<'_> {
    /// The error that a step is asked for in a state, or with steps of one size what it leaves uncertain.
    pub(super) fn step_error(&self, state: usize, value: f64) -> f64 {
        let bound = match self.options.steps.fixed {
            None => self.options.tolerances.scale(state, value.abs()),
            Some(h) => h.powf(f64::from(self.selector.method().facts().order) - 1.0),
        };
        bound.max(ROUNDING * (1.0 + value.abs()))
    }

    /// What a step leaves uncertain in a state: `h^(p-1)` for order `p` (paper 000). Under error control the
    /// error of a step, `h^(p+1)`, is the tolerance, in parts of the state; so it is the tolerance to the
    /// power of `(p-1)/(p+1)` there.
    pub(super) fn uncertainty_of(&self, state: usize, value: f64) -> f64 {
        let order = f64::from(self.selector.method().facts().order);
        let part = self.options.tolerances.relative.get(state).max(f64::EPSILON);
        let slack = if self.options.steps.fixed.is_some() { 1.0 } else { part.powf(-2.0 / (order + 1.0)) };
        slack * self.step_error(state, value)
    }

    /// Puts the end of a good step back to where the constraints of a mechanism are met; methods that solve
    /// for constraints have done so themselves.
    ///
    /// Where the derivative at the end is known, its factors are used, and it stays the first of the next
    /// step. It is that of the end before: the two differ by a multiple of the error of the step, and the
    /// step size times that is beyond the order (paper 003, (4.11) to (4.14)).
    pub(super) fn project_end(&mut self) {
        if !self.flow.has_constraints() || !self.is_acceptable() {
            return;
        }
        let t_end = self.trial.t + self.trial.h;
        let (facts, is_ggl) = (self.selector.method().facts(), self.selector.is_ggl());
        let knows_end = self.selector.knows_end();
        let (mut projection, end) = (self.flow.projection(), &mut self.trial.end);
        match facts.constraints {
            _ if is_ggl => {}
            ConstraintPolicy::ProjectsItself | ConstraintPolicy::KeepsPositions => {}
            ConstraintPolicy::ProjectedByStages => projection.project_half_explicit(t_end, end, knows_end),
            ConstraintPolicy::Projected if knows_end => projection.project_end_from_derivative(t_end, end),
            ConstraintPolicy::Projected => {
                self.projection.project_calmly(&mut self.flow, self.selector.at_work(), &mut self.trial);
            }
        }
        // Where some constraints follow from others, those that lead must fix the end of a step well for the
        // others to be met to rounding.
        let is_reaching = self.flow.is_reaching();
        let has_choice = facts.mechanisms_only && !is_reaching && self.flow.constraints().has_redundant();
        if has_choice && self.flow.constraints().choose_rows(t_end, &self.trial.end) {
            self.flow.projection().project_within(t_end, &mut self.trial.end, true);
        }
        if !is_reaching {
            self.check_projection(t_end);
        }
    }

    /// Whether the method keeps speeds on their constraints to rounding, so that surfaces must not lead away
    /// from there.
    pub(super) fn keeps_joints(&self) -> bool {
        self.selector.method().facts().mechanisms_only && !self.flow.is_reaching()
    }

    /// Brings a state within a step to the constraints, if the path of the method meets them.
    pub(super) fn project_within(&mut self, t: f64, y: &mut [f64]) {
        if self.flow.has_constraints() && !self.flow.is_reaching() {
            let keeps_speeds = self.selector.is_ggl() || self.keeps_joints();
            self.flow.projection().project_within(t, y, keeps_speeds);
        }
    }

    /// A step is not taken, whatever its error is, if corrections cannot close the mechanism after it, or if
    /// constraints have parted that followed from each other.
    fn check_projection(&mut self, t_end: f64) {
        let left_open = self.flow.projection().left_open(t_end, &self.trial.end);
        let first = left_open.or_else(|| self.open_redundant().0.first().copied());
        if let Some((constraint, left)) = first {
            self.trial.fail(Fault::LeftOpen { constraint, left });
        }
    }

    /// The constraints that followed from others and do so no longer at the end of the trial: no motion can
    /// meet these.
    pub(super) fn open_redundant(&mut self) -> Open {
        if self.redundant.is_empty() {
            return (Vec::new(), false);
        }
        let mut redundant = std::mem::take(&mut self.redundant);
        redundant.measure(&mut self.flow, self.trial.t + self.trial.h, &self.trial.end);
        let open = redundant.open(self.flow.system().layout(), &self.trial.end, |i| self.step_error(i, 0.0));
        self.redundant = redundant;
        open
    }

    /// Whether a coordinate would have to move further to where it must be than a step leaves uncertain.
    pub(super) fn is_apart(&self, coordinate: usize, must: f64) -> bool {
        let bound = MOST_APART * self.uncertainty_of(coordinate, must);
        (must - self.trial.start[coordinate]).abs() > bound
    }
}
