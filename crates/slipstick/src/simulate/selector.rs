//! Which form of the equations and which method make the next step.
//!
//! A selector owns the candidates: pairs of a form and a method that solves it, which know nothing of each
//! other. Before a step it takes the pair that was asked for, or with `auto` the one that gets furthest for
//! its work (`automatic.rs`). Where the motion is more than the terms of one mode, the index-1 form takes the
//! place of the stabilised one; next to a singular configuration an explicit method stands in for an implicit
//! one (`singular_passage.rs`). A pair that has not made the last step begins anew.

use super::Options;
use super::automatic::{Automatic, Change};
use super::singular_passage::{SingularPassage, StandIn};
use crate::equations::System;
use crate::formulation::Flow;
use crate::step::{Method, Restart, Step, Tolerances, Trial, USUAL_RHO};

/// A method on a form of the equations, built when it is first needed.
struct Pair {
    method: Method,
    /// Whether it solves the stabilised index-2 form of a mechanism, and so needs no corrections.
    is_ggl: bool,
    step: Option<Box<dyn Step>>,
    /// The pair that takes its place where the motion is more than the terms of one mode.
    on_index1: Option<usize>,
    /// The pair that makes its steps next to singular configurations, and how that is.
    stand_in: Option<(StandIn, usize)>,
}

/// What pairs are built with.
#[derive(Clone, Copy)]
struct Sizing {
    dimension: usize,
    rho: f64,
    /// Whether all steps have the same size: no shorter one is tried after a failure.
    holds_steps: bool,
}

impl Pair {
    fn new((method, is_ggl): (Method, bool)) -> Self {
        Self { method, is_ggl, step: None, on_index1: None, stand_in: None }
    }

    fn step(&mut self, sizing: Sizing) -> &mut dyn Step {
        let build = || {
            let Sizing { dimension, rho, holds_steps } = sizing;
            let stabilised = if self.is_ggl { self.method.build_ggl(dimension) } else { None };
            let built = stabilised.or_else(|| self.method.build_alpha(rho));
            let mut step = built.unwrap_or_else(|| self.method.build(dimension));
            if holds_steps {
                step.iterate_to_stall();
            }
            step
        };
        &mut **self.step.get_or_insert_with(build)
    }

    /// Tries a step by an explicit method. If it is not good because the rank of constraints is about to
    /// change, its stages are brought to the constraints (`formulation/singular.rs`).
    #[inline]
    fn attempt_explicitly(
        &mut self,
        sizing: Sizing,
        flow: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &mut Trial,
    ) {
        let step = self.step(sizing);
        step.attempt(flow, tolerances, trial);
        if !trial.is_good() && flow.singular().rank_changes() {
            trial.closes_stages = true;
            step.attempt(flow, tolerances, trial);
            trial.closes_stages = false;
            trial.judge_closed();
        }
    }
}

/// The candidates, and which of them is at work.
pub(super) struct Selector {
    sizing: Sizing,
    /// Those asked for first, then those that take their places.
    pairs: Vec<Pair>,
    /// The pair whose turn it is, and the one that has made the step just tried.
    chosen: usize,
    at_work: usize,
    passage: SingularPassage,
    /// What chooses among those asked for, if there are several.
    automatic: Option<Box<Automatic>>,
}

impl Selector {
    /// For the runs of a system from a time on.
    pub(super) fn new(system: &dyn System, options: &Options, from: f64) -> Self {
        let sizing = Sizing {
            dimension: system.layout().dimension(),
            rho: options.rho_infinity.unwrap_or(USUAL_RHO),
            holds_steps: options.steps.fixed.is_some(),
        };
        let partners = options.partners(system, options.until - from);
        let automatic = (options.method == Method::Automatic)
            .then(|| Box::new(Automatic::new(sizing.dimension, &partners, sizing.holds_steps)));
        Self { automatic, ..Self::of(&partners.methods, sizing) }
    }

    /// Of pairs of which the first makes all steps.
    fn of(asked: &[(Method, bool)], sizing: Sizing) -> Self {
        let (pairs, passage) = (with_substitutes(asked), SingularPassage::default());
        Self { sizing, pairs, chosen: 0, at_work: 0, passage, automatic: None }
    }

    /// Becomes as new, for another run that takes this much time.
    pub(super) fn renew(&mut self, span: f64) {
        let Self { sizing: _, pairs, chosen, at_work, passage, automatic } = self;
        for pair in pairs {
            pair.step.take_if(|step| !step.renew());
        }
        (*chosen, *at_work, *passage) = (0, 0, SingularPassage::default());
        if let Some(automatic) = automatic {
            automatic.renew(span);
        }
    }

    /// The method whose turn it is. Another one that stands in for it goes by its name.
    pub(super) fn method(&self) -> Method {
        self.pairs[self.chosen].method
    }

    /// Whether its turn is on the stabilised index-2 form of a mechanism, which needs no corrections.
    pub(super) fn is_ggl(&self) -> bool {
        self.pairs[self.chosen].is_ggl
    }

    /// Whether the derivative at the end is the last that the step just tried has evaluated.
    pub(super) fn knows_end(&self) -> bool {
        let step = self.pairs[self.at_work].step.as_ref().filter(|_| self.at_work == self.chosen);
        step.is_some_and(|step| step.report().knows_end)
    }

    /// The length of the next step, if more is known than the error of the last.
    pub(super) fn proposed_step(&self) -> Option<f64> {
        self.passage.proposed_step()
    }

    /// Matrix factorisations so far.
    pub(super) fn factorisations(&self) -> u64 {
        factorisations(&self.pairs)
    }

    /// How near the step just tried is to the limit of stability; see [`Memory::stiffness`].
    ///
    /// [`Memory::stiffness`]: crate::step::Memory::stiffness
    pub(super) fn stiffness(&self, trial: &Trial) -> Option<f64> {
        self.pairs[self.chosen].step.as_ref().and_then(|step| step.stiffness(trial))
    }

    /// Tries a step.
    pub(super) fn attempt(&mut self, flow: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let mut asked = 0;
        if let Some(automatic) = &mut self.automatic {
            asked = automatic.choose(flow, trial, self.pairs.iter().map(|pair| (pair.method, pair.is_ggl)));
        }
        self.chosen = self.pairs[asked].on_index1.filter(|_| !flow.has_terms()).unwrap_or(asked);
        self.make(flow, tolerances, trial);
        let made_by = (self.method(), self.is_ggl());
        if let Some(automatic) = &mut self.automatic {
            automatic.count_work(flow, made_by, factorisations(&self.pairs));
        }
    }

    /// Tries a step by the pair whose turn it is, or by the one that stands in for it.
    #[inline]
    fn make(&mut self, flow: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        self.at_work = self.chosen;
        let pair = &mut self.pairs[self.chosen];
        let leaps = self.passage.begin_step(trial.h);
        let Some((stand_in, other)) = pair.stand_in else {
            return pair.attempt_explicitly(self.sizing, flow, tolerances, trial);
        };
        if !leaps {
            pair.step(self.sizing).attempt(flow, tolerances, trial);
        }
        if leaps || stand_in.is_needed(flow, trial) {
            self.stand_in((stand_in, other), flow, tolerances, trial);
        }
        if stand_in == StandIn::Leaps {
            self.passage.look_ahead(flow, tolerances, trial, self.at_work == other);
        }
    }

    /// Tries the step by the explicit method. If that is not good either, its error says how much shorter to
    /// try, unless the method whose turn it is solves for constraints: that can be good enough where motion
    /// is stiff.
    #[cold]
    fn stand_in(
        &mut self,
        (stand_in, other): (StandIn, usize),
        flow: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &mut Trial,
    ) {
        let fault = trial.fault;
        self.pairs[other].step(self.sizing).restart(Restart::Continuous);
        self.pairs[other].attempt_explicitly(self.sizing, flow, tolerances, trial);
        if trial.is_good() || stand_in == StandIn::NearBy {
            self.at_work = other;
            return stand_in.land(flow, trial);
        }
        if let (StandIn::AfterFault, Some(fault)) = (stand_in, fault) {
            return trial.fail(fault);
        }
        let error = trial.error;
        self.pairs[self.chosen].step(self.sizing).attempt(flow, tolerances, trial);
        if trial.fault.is_none() && !trial.is_good() {
            trial.error = error;
        }
    }

    /// What has made the step just tried, for its dense output and corrections of its end.
    pub(super) fn at_work(&mut self) -> &mut dyn Step {
        self.pairs[self.at_work].step(self.sizing)
    }

    /// The step just tried is taken as a whole.
    pub(super) fn advance(&mut self) {
        self.passage.advance();
        let (stood_in, step) = (self.at_work != self.chosen, self.pairs[self.chosen].step(self.sizing));
        if stood_in { step.restart(Restart::Continuous) } else { step.advance() }
    }

    /// What was known at the start no longer holds (an event, a projection): forgets it.
    pub(super) fn restart(&mut self, restart: Restart) {
        self.pairs.iter_mut().filter_map(|pair| pair.step.as_mut()).for_each(|step| step.restart(restart));
        self.passage.restart();
        if let Some(automatic) = self.automatic.as_mut().filter(|_| restart != Restart::Continuous) {
            automatic.expect_change();
        }
    }

    /// Judges the step just tried, after [`advance`](Self::advance) if it was taken, and decides which pair
    /// makes the next one. None if nothing changes.
    pub(super) fn reconsider(&mut self, trial: &Trial, is_taken: bool) -> Option<Change> {
        let stiffness = self.stiffness(trial);
        let (next, change) = self.automatic.as_mut()?.reconsider(trial, stiffness, is_taken)?;
        if change.h.is_some() {
            self.chosen = next;
            self.passage.restart();
            self.pairs[next].step(self.sizing).restart(Restart::Continuous);
        }
        Some(change)
    }
}

/// What all have factored.
fn factorisations(pairs: &[Pair]) -> u64 {
    pairs.iter().filter_map(|pair| pair.step.as_ref()).map(|step| step.factorisations()).sum()
}

/// The pairs asked for, and behind them those that take their places.
fn with_substitutes(asked: &[(Method, bool)]) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = asked.iter().copied().map(Pair::new).collect();
    for i in 0..asked.len() {
        if pairs[i].is_ggl {
            pairs[i].on_index1 = Some(pairs.len());
            pairs.push(Pair::new((pairs[i].method, false)));
        }
    }
    for i in 0..pairs.len() {
        let Some((stand_in, method)) = StandIn::of(pairs[i].method, pairs[i].is_ggl) else { continue };
        // One that may be asked for by itself keeps its own memory.
        let known = (asked.len()..pairs.len()).find(|k| pairs[*k].method == method);
        pairs[i].stand_in = Some((stand_in, known.unwrap_or(pairs.len())));
        if known.is_none() {
            pairs.push(Pair::new((method, false)));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::{DenseDetail, Memory, StepReport};
    use std::cell::RefCell;
    use std::rc::Rc;

    type Log = Rc<RefCell<Vec<&'static str>>>;

    /// Writes down what is asked of it.
    struct Fake(Log);

    impl Memory for Fake {
        fn advance(&mut self) {
            self.0.borrow_mut().push("advance");
        }
        fn restart(&mut self, _restart: Restart) {
            self.0.borrow_mut().push("restart");
        }
        fn renew(&mut self) -> bool {
            false
        }
        fn iterate_to_stall(&mut self) {}
        fn report(&self) -> StepReport<'_> {
            StepReport { knows_end: true, ..StepReport::plain(Method::Radau5) }
        }
        fn stiffness(&self, _trial: &Trial) -> Option<f64> {
            None
        }
        fn factorisations(&self) -> u64 {
            3
        }
    }

    impl Step for Fake {
        fn attempt(&mut self, _field: &mut Flow<'_>, _tolerances: &Tolerances, _trial: &mut Trial) {}
        fn interpolate(&mut self, _field: &mut Flow<'_>, _trial: &mut Trial, _detail: DenseDetail) {}
        fn smooth(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
            false
        }
    }

    /// A selector whose pairs write down what is asked of them.
    fn fake(asked: &[(Method, bool)]) -> (Selector, Vec<Log>) {
        let sizing = Sizing { dimension: 1, rho: USUAL_RHO, holds_steps: false };
        let mut selector = Selector::of(asked, sizing);
        let logs: Vec<Log> = selector.pairs.iter().map(|_| Log::default()).collect();
        for (pair, log) in selector.pairs.iter_mut().zip(&logs) {
            pair.step = Some(Box::new(Fake(log.clone())));
        }
        (selector, logs)
    }

    fn names(asked: &[(Method, bool)]) -> String {
        let pairs = with_substitutes(asked);
        let name = |pair: &Pair| format!("{}{}", pair.method.name(), if pair.is_ggl { "+ggl" } else { "" });
        pairs.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn substitutes_follow_those_asked_for() {
        assert_eq!(names(&[(Method::HalfExplicit5, false)]), "hem5");
        assert_eq!(names(&[(Method::Radau5, false)]), "radau5 dop853");
        let automatic = [(Method::DormandPrince8, false), (Method::Radau5, true)];
        assert_eq!(names(&automatic), "dop853 radau5+ggl radau5 dopri5 dop853");
        let pairs = with_substitutes(&automatic);
        assert_eq!((pairs[0].on_index1, pairs[1].on_index1), (None, Some(2)));
        let stand_ins = [0, 1, 2, 3, 4].map(|i: usize| pairs[i].stand_in.map(|(_, other)| other));
        assert_eq!(stand_ins, [None, Some(3), Some(4), None, None]);
    }

    #[test]
    fn a_method_begins_anew_behind_a_step_that_another_one_has_made() {
        let (mut selector, logs) = fake(&[(Method::Radau5, false)]);
        selector.advance();
        assert!(selector.knows_end());
        selector.at_work = 1;
        selector.advance();
        assert_eq!(*logs[0].borrow(), ["advance", "restart"]);
        assert!(logs[1].borrow().is_empty());
        assert_eq!((selector.method(), selector.knows_end()), (Method::Radau5, false));
    }

    #[test]
    fn all_forget_what_no_longer_holds_and_their_work_adds_up() {
        let (mut selector, logs) = fake(&[(Method::Radau5, true)]);
        selector.restart(Restart::Discontinuous);
        assert!(logs.iter().all(|log| *log.borrow() == ["restart"]));
        assert_eq!(selector.factorisations(), 3 * logs.len() as u64);
        (selector.chosen, selector.at_work) = (1, 2);
        selector.renew(1.0);
        assert!(selector.is_ggl() && selector.factorisations() == 0, "they are built again");
    }
}
