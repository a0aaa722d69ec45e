//! A method at work on a form: it tries steps, and brings their ends and what lies between back to where the
//! form holds.
//!
//! In: a state and the mode of the flow. Out: a [`Trial`] whose end lies on the constraints and on the
//! surfaces that the motion slides on.

use super::Options;
use super::contradiction::Redundant;
use super::projecting::CalmProjection;
use super::run_loop::Origin;
use super::selector::Selector;
use super::sizes::{Beginning, Sizes};
use crate::equations::System;
use crate::formulation::Flow;
use crate::model::Location;
pub(super) use crate::step::Restart;
use crate::step::{Counts, DenseDetail, Trial, first_step};
use crate::trajectory::Statistics;

/// A step shorter than this many spacings of doubles does not move the time: at the time itself, or at this
/// part of the end time where that is more.
const SPACINGS_OF_TIME: f64 = 64.0;
const PART_OF_END: f64 = 1e-6;

/// What comes of a step that is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// A shorter one will be tried.
    Shorter,
    /// No step can be shorter, and the motion is as near to the surface of this guard as can be told.
    Arrives(usize),
    /// No step can be shorter.
    Stuck,
}

/// A method on a form, with the step that it has tried last and the size of the next.
pub(super) struct Integrator<'a> {
    pub(super) flow: Flow<'a>,
    pub(super) selector: Selector,
    pub(super) trial: Trial,
    pub(super) sizes: Sizes<'a>,
    pub(super) options: &'a Options,
    /// The constraints of a mechanism that followed from others at the start.
    pub(super) redundant: Redundant,
    pub(super) projection: CalmProjection,
    /// The time at which the run began.
    pub(super) start_time: f64,
    /// Which dense output is at hand.
    pub(super) dense_number: u64,
    /// The guard whose surface the last step would have gone beyond, and when.
    pub(super) blocked_by: Option<(usize, f64)>,
}

impl<'a> Integrator<'a> {
    /// The tolerance of each state where the motion stands.
    pub(super) fn tolerance_widths(&self) -> Vec<f64> {
        let states = self.trial.start.iter().enumerate();
        states.map(|(i, y)| self.options.tolerances.scale(i, y.abs())).collect()
    }

    pub(super) fn new(system: &'a dyn System, origin: Origin<'_>, options: &'a Options) -> Self {
        let Origin { parameters, mode, t, y } = origin;
        let selector = Selector::new(system, options, t);
        Self {
            flow: Flow::stabilised(system, mode.clone(), options.upkeep()).with_parameters(parameters),
            sizes: Sizes::new(options, selector.method(), t, system.guards().len()),
            selector,
            trial: Trial::new(t, y),
            options,
            redundant: Redundant::default(),
            projection: CalmProjection::new(y),
            start_time: t,
            dense_number: 0,
            blocked_by: None,
        }
    }

    /// Becomes as new, before another run that begins there.
    pub(super) fn renew(&mut self, origin: Origin<'_>) {
        let Self { flow, selector, trial, sizes, options, redundant, projection: _, .. } = self;
        let Origin { parameters, mode, t, y } = origin;
        flow.renew(parameters, mode);
        selector.renew(options.until - t);
        trial.renew(t, y);
        sizes.renew(selector.method(), t);
        *redundant = Redundant::default();
        (self.start_time, self.dense_number, self.blocked_by) = (t, 0, None);
    }

    /// Tries a step of the given size from the trial's start.
    pub(super) fn attempt(&mut self, h: f64) {
        self.trial.h = h;
        self.flow.visits.begin_step(self.trial.t, &self.trial.start);
        self.flow.singular().begin_step(self.trial.t, &self.trial.start);
        self.selector.attempt(&mut self.flow, &self.options.tolerances, &mut self.trial);
        self.flow.visits.end_attempt();
        self.project_end();
        if self.flow.sliding().is_some() && self.trial.error.is_finite() {
            let keeps_joints = self.keeps_joints();
            self.flow.projection().project_onto_surfaces(self.trial.t + h, &mut self.trial.end, keeps_joints);
        }
        self.trial.refuse_if_not_finite();
    }

    /// Whether the step just tried may be taken: its error is within the tolerance, or its size is fixed and
    /// its end finite.
    pub(super) fn is_acceptable(&self) -> bool {
        let most = if self.options.steps.fixed.is_some() { f64::MAX } else { 1.0 };
        self.trial.error <= most
    }

    /// Fills in the dense output of the step just tried.
    pub(super) fn interpolate(&mut self) {
        self.dense_number += 1;
        self.selector.at_work().interpolate(&mut self.flow, &mut self.trial, DenseDetail::Usual);
    }

    /// Fills in the most accurate dense output that the method has. Gives the right-hand sides that it took.
    pub(super) fn interpolate_finely(&mut self) -> u64 {
        self.dense_number += 1;
        let before = self.flow.counts.derivatives;
        self.selector.at_work().interpolate(&mut self.flow, &mut self.trial, DenseDetail::Finest);
        self.flow.counts.derivatives - before
    }

    /// The state at an offset within the step just tried, where the form holds.
    pub(super) fn state_at(&mut self, offset: f64, y: &mut [f64]) {
        self.trial.state_at(offset, y);
        if offset > 0.0 && offset != self.trial.h {
            self.project_within(self.trial.t + offset, y);
            let keeps_joints = self.keeps_joints();
            self.flow.projection().project_onto_surfaces(self.trial.t + offset, y, keeps_joints);
        }
    }

    /// Chooses the first step of a segment that begins with an event. Gives whether the field was asked for
    /// it.
    pub(super) fn choose_first_step(&mut self, restart: Restart, beginning: Option<Beginning>) -> bool {
        let Self { flow, selector, trial, options, sizes, .. } = self;
        flow.visits.forget();
        sizes.restart(restart, trial.t, beginning, |longest| {
            first_step(flow, trial, longest, selector.method().facts().order, &options.tolerances)
        })
    }

    /// The step just tried is not good: a shorter one will be tried, if there is one.
    pub(super) fn reject(&mut self) -> Rejection {
        let may_shrink = match self.step_before_surface() {
            Some(shorter) => self.sizes.shrink_to(self.trial.t, shorter),
            None => self.sizes.reject(&self.trial),
        };
        if may_shrink {
            return Rejection::Shorter;
        }
        self.arrives().map_or(Rejection::Stuck, Rejection::Arrives)
    }

    /// A step that is shorter than this does not move the time.
    pub(super) fn smallest_step(&self) -> f64 {
        let scale = self.trial.t.abs().max(PART_OF_END * self.options.until.abs());
        SPACINGS_OF_TIME * f64::EPSILON * scale
    }

    /// How far each state may be off where its value is this.
    pub(super) fn widths(&self, y: &[f64]) -> Vec<f64> {
        y.iter().enumerate().map(|(i, y)| self.options.tolerances.scale(i, y.abs())).collect()
    }

    /// Where events are located: as asked, or on the dense output unless that would cost the method its
    /// order; and before what lies beyond them where the field is not defined there.
    pub(super) fn location(&self) -> Location {
        let poor = self.has_poor_dense_output() || self.flow.has_active_constraints();
        let default = if poor { Location::Integrate } else { Location::Dense };
        let asked = self.options.events.location.unwrap_or(default);
        if self.flow.one_sided.is_on() { Location::OneSided } else { asked }
    }

    /// Whether events are located once more, on a finer dense output.
    pub(super) fn has_finer_dense_output(&self) -> bool {
        let facts = self.selector.method().facts();
        let finer = !facts.implicit && facts.dense_order < facts.order && !self.has_poor_dense_output();
        finer && self.options.events.location != Some(Location::Dense)
    }

    /// Whether an event on dense output costs the method its order.
    pub(super) fn has_poor_dense_output(&self) -> bool {
        let facts = self.selector.method().facts();
        // The high orders have nothing finer than their dense output.
        facts.dense_order + 1 < facts.order || (facts.dense_order < facts.order && facts.order > 6)
    }

    /// What was done so far.
    pub(super) fn counts(&self) -> Counts {
        Counts::of(&self.flow, self.selector.factorisations())
    }

    /// Adds all that was done to the statistics of the run.
    pub(super) fn add_work(&self, statistics: &mut Statistics) {
        let (flow, counts) = (&self.flow, self.counts());
        statistics.derivatives = counts.derivatives;
        statistics.jacobians = counts.jacobians;
        statistics.factorisations = counts.factorisations;
        statistics.guards = flow.counts.guards;
        statistics.corrected = counts.corrected;
        statistics.motion_factorisations = counts.motion_factorisations;
        statistics.starts.settling += flow.counts.headings;
        statistics.starts.reused = flow.counts.reused;
    }

    /// The step just tried is good: the size of the next follows from it.
    pub(super) fn accept(&mut self) {
        self.sizes.accept(&self.trial, self.selector.proposed_step());
    }
}

#[cfg(test)]
impl<'a> Integrator<'a> {
    /// At the start of a plan.
    pub(super) fn of(plan: &'a super::Plan) -> Self {
        let system: &dyn System = &plan.system;
        let mode = crate::mode::Mode::start(system, plan.start.mode);
        let (parameters, t, y) = (system.parameters(), plan.start.t, &plan.start.y[..]);
        Self::new(system, Origin { parameters, mode: &mode, t, y }, &plan.options)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;

    const DECAY: &str = r#"
        states = { y = 1.0 }
        derivatives = { y = "-y" }
        run = { until = 3, method = "dopri5" }"#;

    #[test]
    fn a_step_has_an_end_and_a_state_everywhere_within() {
        let plan = Plan::of(DECAY);
        let mut integrator = Integrator::of(&plan);
        integrator.attempt(0.1);
        assert!(integrator.is_acceptable());
        integrator.interpolate();
        let mut y = [0.0];
        for (s, tolerance) in [(0.0, 0.0), (0.03, 1e-7), (0.1, 1e-9)] {
            integrator.state_at(s, &mut y);
            assert!((y[0] - (-s).exp()).abs() <= tolerance, "{s}: {}", y[0]);
        }
        assert_eq!((integrator.location(), integrator.counts().derivatives), (Location::Dense, 7));
    }

    #[test]
    fn a_step_that_is_not_good_is_followed_by_a_shorter_one() {
        let plan = Plan::of(DECAY);
        let mut integrator = Integrator::of(&plan);
        integrator.attempt(3.0);
        assert!(!integrator.is_acceptable());
        assert_eq!(integrator.reject(), Rejection::Shorter);
        assert!(integrator.sizes.h < 3.0);
        (integrator.trial.h, integrator.trial.error) = (1e-300, 2.0);
        assert_eq!(integrator.reject(), Rejection::Stuck);
    }
}
