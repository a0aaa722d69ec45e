//! Which of several methods goes on in a mechanism: the one that gets furthest in time for its work.
//!
//! The first is explicit. It measures how near its steps are to the limit of stability (Hairer, Wanner II,
//! section IV.2); where they stay there, or for long not far from it, the others are tried in turn, each for
//! some steps, and the one with the best efficiency, time gone for work spent, goes on. While an implicit one
//! is at work, the explicit one is tried again where its steps would be as long, and from time to time, if
//! with the longest step that is stable it could be ahead. A try that does not pay doubles the patience until
//! the next: so what tries cost stays a small part of a run.
//!
//! After an event a method begins anew, and what that costs is part of its work. Efficiencies of a few steps
//! mislead there: an implicit method lets die away what the event has excited, in many short steps, and is
//! far ahead then, while with the explicit one it would be there for ever. So one that was far ahead not long
//! ago is waited for, until much less is stiff.

mod candidate;

use super::stiffness::StiffnessCount;
use candidate::{Candidate, Efficiency, MEMORY};

/// After this many steps in a row that the explicit method could have made as well, it is tried again: their
/// stiffness, one at its limit of stability, is below this.
const EASY_STEPS: u32 = 25;
const EASY_STIFFNESS: f64 = 0.5;
/// Another method is tried again after this many steps, times how many times it was behind, which counts as
/// this much at most: while an implicit one is at work, or if stability alone means many steps of the
/// explicit one.
const AGAIN: f64 = 30.0;
const FARTHEST: f64 = 50.0;
/// How many steps a try has at least, and at most while they grow by this in [`LATELY`] steps; and after how
/// many it may end early, where it is this many times behind.
const TRY: u32 = 10;
const LONGEST_TRY: u32 = 40;
const GROWS: f64 = 1.3;
const LATELY: usize = 4;
const ENOUGH: u32 = 6;
const ENOUGH_EXPLICIT: u32 = 2;
const HOPELESS: f64 = 4.0;
/// This many attempts in a row that fail, and another method goes on; more, while the steps tried are still
/// much longer than those of others, or were not long ago.
const FAILURES: u32 = 8;
const MOST_FAILURES: u32 = 24;
/// How long a try can be of an implicit method that was far ahead not long ago: what it lets die away costs
/// it many short steps, and is there for ever with the explicit one.
const PATIENT_TRY: u32 = 250;
/// What is left of the best efficiency after each step.
const FADES: f64 = 0.998;
/// This many steps after a change of the equations, it is asked whether the explicit method could go on.
const SOON: f64 = 10.0;
/// Much less is stiff if steps of the explicit method can be this many times as long.
const EASIER: f64 = 2.0;
/// A method is not tried if a step of it costs as much as this many of the method that goes on otherwise.
const TOO_COSTLY: f64 = 100.0;
/// Steps of an explicit method beyond this part of the longest that is stable are limited by that.
const NEAR_LONGEST: f64 = 0.5;
/// If stability alone means that many steps of the explicit method, others are tried before it.
const MANY_STEPS: f64 = 60.0;

/// What the patience with stiff steps of the explicit method is multiplied by: it shrinks where stability is
/// known to mean many steps, and grows after others were found to be no better.
const EARLY_DOUBT: f64 = 0.5;
const AFTER_A_LOOK: f64 = 2.0;

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) candidate: usize,
    /// The step that it made last, if it was at work before.
    pub(super) h: Option<f64>,
    /// Whether it is more than a try.
    pub(super) is_final: bool,
}

/// Whether the longest stable step of the explicit method is asked for, and the answer, once there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum StabilityProbe {
    NotNow,
    Asked,
    Found(f64),
}

/// What decides which method goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Criterion {
    /// What each gets done for its work: methods are tried.
    Efficiency,
    /// How stiff the equations are, of which nobody knows what a right-hand side costs.
    Stiffness,
    /// The same, where all steps have the same size.
    FixedStep,
}

impl Criterion {
    /// What counts steps at the limit of stability.
    fn patience(self) -> StiffnessCount {
        match self {
            Self::Efficiency => StiffnessCount::suspicious(),
            Self::Stiffness => StiffnessCount::default(),
            Self::FixedStep => StiffnessCount::impatient(),
        }
    }

    /// Whether the longest stable step is asked for before the first.
    fn first_probe(self) -> StabilityProbe {
        if self == Self::FixedStep { StabilityProbe::Asked } else { StabilityProbe::NotNow }
    }
}

/// What the active method has shown since it became so.
#[derive(Clone, Copy, Debug, Default)]
struct ActivePeriod {
    efficiency: Efficiency,
    /// The last steps, one of [`LATELY`] after the other.
    lately: [f64; LATELY],
    /// Steps taken; attempts in a row that failed; steps in a row that the explicit method could have made.
    steps: u32,
    failures: u32,
    easy: u32,
}

impl ActivePeriod {
    /// A step was taken. Tells whether steps grow.
    fn take(&mut self, h: f64) -> bool {
        self.efficiency.go(h);
        self.failures = 0;
        self.steps += 1;
        let before = std::mem::replace(&mut self.lately[self.steps as usize % LATELY], h);
        h > GROWS * before
    }

    /// The last step.
    fn last(&self) -> f64 {
        self.lately[self.steps as usize % LATELY]
    }

    /// Whether the explicit method could have made the last steps as well.
    fn is_easy(&mut self, stiffness: Option<f64>) -> bool {
        let is_easy = stiffness.is_some_and(|stiffness| stiffness < EASY_STIFFNESS);
        self.easy = if is_easy { self.easy + 1 } else { 0 };
        self.easy >= EASY_STEPS
    }
}

/// The methods with what is known of them.
#[derive(Clone, Debug)]
pub(super) struct Contest {
    candidates: Vec<Candidate>,
    by: Criterion,
    active: usize,
    /// Those still to be tried, the next one last; and whether one is being tried.
    waiting: Vec<usize>,
    is_trying: bool,
    /// The cost of a step of the method that tries are compared with.
    usual_cost: f64,
    period: ActivePeriod,
    /// Changes without a step in between.
    idle_changes: usize,
    stiffness: StiffnessCount,
    /// Whether stability alone means many steps of the explicit method.
    expects_many: bool,
    look: StabilityProbe,
    /// The longest step that is stable with the explicit method, when it was last found.
    limit: f64,
}

impl Contest {
    /// Among methods: whether each is for stiff problems, and the weight of its efficiency. The first
    /// begins. If none are tried, there are two at most.
    pub(super) fn new(candidates: impl Iterator<Item = (bool, f64)>, tries: bool) -> Self {
        let candidate = |(is_stiff, weight)| Candidate::new(is_stiff, weight);
        let candidates: Vec<Candidate> = candidates.map(candidate).collect();
        let by = if tries { Criterion::Efficiency } else { Criterion::Stiffness };
        Self {
            waiting: Vec::with_capacity(candidates.len()),
            candidates,
            by,
            active: 0,
            is_trying: false,
            usual_cost: 0.0,
            period: ActivePeriod::default(),
            idle_changes: 0,
            stiffness: by.patience(),
            expects_many: false,
            look: by.first_probe(),
            limit: f64::INFINITY,
        }
    }

    /// Becomes as new, for another run by the same criterion.
    pub(super) fn renew(&mut self) {
        let (mut candidates, mut waiting) =
            (std::mem::take(&mut self.candidates), std::mem::take(&mut self.waiting));
        for candidate in &mut candidates {
            *candidate = Candidate::new(candidate.is_stiff, candidate.weight);
        }
        waiting.clear();
        let by = self.by;
        *self = Self {
            candidates,
            waiting,
            by,
            stiffness: by.patience(),
            look: by.first_probe(),
            ..Self::new(std::iter::empty(), false)
        };
    }

    pub(super) fn active(&self) -> usize {
        self.active
    }

    /// What an attempt has cost.
    pub(super) fn spend(&mut self, work: f64) {
        self.period.efficiency.spending += work;
    }

    /// What a step of each method is expected to cost.
    pub(super) fn expect(&mut self, works: impl Iterator<Item = f64>) {
        self.candidates.iter_mut().zip(works).for_each(|(candidate, work)| candidate.cost = work);
    }

    /// Whether it is to be found how long a step of the explicit method can be.
    pub(super) fn asks(&self) -> bool {
        self.look == StabilityProbe::Asked
    }

    /// The longest step that is stable with the explicit method around here.
    pub(super) fn know(&mut self, longest: f64) {
        self.look = StabilityProbe::Found(longest);
        // Where much less is stiff than was, what an implicit method was ahead by says nothing.
        let is_easier = longest > EASIER * std::mem::replace(&mut self.limit, longest);
        for (i, candidate) in self.candidates.iter_mut().enumerate() {
            if !candidate.is_stiff {
                candidate.best = longest / candidate.cost;
            } else if is_easier {
                candidate.best = if i == self.active { self.period.efficiency.value() } else { 0.0 };
            }
        }
    }

    /// Other equations hold from here on: what was stiff may not be any more.
    pub(super) fn expect_change(&mut self) {
        for candidate in self.candidates.iter_mut().filter(|candidate| !candidate.is_stiff) {
            candidate.since = candidate.since.max(AGAIN * candidate.behind - SOON);
        }
        if self.by == Criterion::FixedStep {
            self.look = StabilityProbe::Asked;
        }
    }

    /// All steps have the same size: one that is not stable cannot be shortened. Only the first implicit
    /// method is an alternative, and where equations begin, it is asked which one it takes.
    pub(super) fn hold_steps(&mut self) {
        self.candidates.truncate(2);
        self.by = Criterion::FixedStep;
        self.stiffness = self.by.patience();
        self.look = self.by.first_probe();
    }

    /// Lets an implicit method make a step of fixed size that is too long for the explicit one.
    pub(super) fn begin_fixed_step(&mut self, h: f64) {
        let StabilityProbe::Found(longest) = self.look else { return };
        self.look = StabilityProbe::NotNow;
        let stiff = self.candidates.iter().position(|candidate| candidate.is_stiff);
        if let Some(stiff) = stiff.filter(|_| self.by == Criterion::FixedStep && h > longest) {
            self.change_to(stiff, true);
        }
    }

    /// Before the first step: the longest step that is stable with the explicit method, and the time that
    /// there is to go. Others are tried first if that means many steps.
    pub(super) fn foresee(&mut self, longest: f64, span: f64) -> Option<Decision> {
        if span <= MANY_STEPS * longest {
            return None;
        }
        self.expects_many = true;
        self.limit = longest;
        self.usual_cost = self.candidates[self.active].cost;
        self.period.efficiency = Efficiency { gone: longest, spent: self.usual_cost, spending: 0.0 };
        // What the first steps say may not hold for long.
        self.stiffness.begin_anew(EARLY_DOUBT);
        self.candidates[self.active].h = Some(longest);
        self.candidates[self.active].best = self.period.efficiency.value();
        self.try_others(|candidate| candidate.is_stiff)
    }

    /// A step was taken.
    pub(super) fn take(&mut self, h: f64, stiffness: Option<f64>) -> Option<Decision> {
        let grows = self.period.take(h);
        self.idle_changes = 0;
        self.candidates[self.active].h = Some(h);
        if self.by == Criterion::Efficiency {
            self.remember();
        }
        if self.is_trying {
            return self.is_over(grows).then(|| self.end_try());
        }
        if self.candidates.len() == 1 {
            return None;
        }
        if self.by != Criterion::Efficiency {
            return self.go_by_stiffness(stiffness);
        }
        self.candidates.iter_mut().for_each(|candidate| candidate.since += 1.0);
        if self.candidates[self.active].is_stiff {
            return if self.period.is_easy(stiffness) {
                self.try_others(|r| !r.is_stiff)
            } else {
                self.try_again()
            };
        }
        if self.stiffness.record(stiffness) {
            return self.try_others(|r| r.is_stiff);
        }
        if self.expects_many { self.try_again() } else { None }
    }

    /// Keeps the best efficiencies; that of the first steps says nothing.
    fn remember(&mut self) {
        self.candidates.iter_mut().for_each(|candidate| candidate.best *= FADES);
        if self.period.steps >= TRY {
            let best = &mut self.candidates[self.active].best;
            *best = best.max(self.period.efficiency.value());
        }
    }

    /// Whether a try has shown enough, with steps that grow or not.
    fn is_over(&self, grows: bool) -> bool {
        if self.is_patient() && self.period.steps < PATIENT_TRY {
            return self.period.steps >= TRY && !grows && self.period.efficiency.value() > self.best_known();
        }
        let goes_on = grows && self.period.steps < LONGEST_TRY;
        self.period.steps >= TRY && !goes_on || self.is_hopeless() || self.is_far_ahead()
    }

    /// Whether an implicit method is at work that was so far ahead of all others, not long ago, that it is
    /// worth while to wait until it is so again.
    fn is_patient(&self) -> bool {
        let best = |candidate: &Candidate| candidate.best * candidate.weight;
        let others = self.candidates.iter().enumerate().filter(|(i, _)| *i != self.active);
        let of_others = others.map(|(_, candidate)| best(candidate)).fold(0.0, f64::max);
        let active = &self.candidates[self.active];
        active.is_stiff && of_others > 0.0 && best(active) > HOPELESS * of_others
    }

    /// The best efficiency in the tries so far.
    fn best_known(&self) -> f64 {
        self.candidates.iter().filter_map(|candidate| candidate.efficiency).fold(0.0, f64::max)
    }

    /// Steps at the limit of stability say how far apart fields are for their points. Where the states of an
    /// oscillation are of different size, that is far more than its rate: so it is asked for the rate itself.
    fn go_by_stiffness(&mut self, stiffness: Option<f64>) -> Option<Decision> {
        let changes = if self.candidates[self.active].is_stiff {
            self.period.is_easy(stiffness)
        } else if let StabilityProbe::Found(longest) =
            std::mem::replace(&mut self.look, StabilityProbe::NotNow)
        {
            let is_long = self.period.last() > NEAR_LONGEST * longest;
            if !is_long {
                self.stiffness.begin_anew(AFTER_A_LOOK);
            }
            is_long
        } else {
            if self.stiffness.record(stiffness) {
                self.look = StabilityProbe::Asked;
            }
            false
        };
        if !changes {
            return None;
        }
        self.stiffness = StiffnessCount::default();
        let next = (self.active + 1) % self.candidates.len();
        Some(Decision { h: None, ..self.change_to(next, true) })
    }

    /// Tries others whose time has come.
    fn try_again(&mut self) -> Option<Decision> {
        if self.candidates[self.active].is_stiff && self.is_time_for(|candidate| !candidate.is_stiff) {
            let StabilityProbe::Found(longest) = std::mem::replace(&mut self.look, StabilityProbe::NotNow)
            else {
                self.look = StabilityProbe::Asked;
                return None;
            };
            self.put_off(longest);
        }
        if self.is_time_for(|_| true) { self.try_others(Candidate::is_due) } else { None }
    }

    fn is_time_for(&self, suits: impl Fn(&Candidate) -> bool) -> bool {
        let is_due =
            |(i, candidate): (usize, &Candidate)| i != self.active && suits(candidate) && candidate.is_due();
        self.candidates.iter().enumerate().any(is_due)
    }

    /// Does not try the explicit method where it would be behind with the longest step that is stable. A try
    /// costs more than a look, and excites what an implicit method has let die away.
    fn put_off(&mut self, longest: f64) {
        let active = &self.candidates[self.active];
        let efficiency = self.period.efficiency.value().max(active.best) * active.weight;
        for candidate in self.candidates.iter_mut().filter(|candidate| !candidate.is_stiff) {
            let behind = efficiency * candidate.cost / longest;
            if behind > 1.0 {
                (candidate.behind, candidate.since) = (behind.min(FARTHEST), 0.0);
            }
        }
    }

    /// An attempt with a step failed.
    pub(super) fn reject(&mut self, h: f64) -> Option<Decision> {
        self.period.failures += 1;
        let others = self.candidates.iter().enumerate().filter(|(i, _)| *i != self.active);
        let longest = others.filter_map(|(_, candidate)| candidate.h).fold(0.0, f64::max);
        let is_long = longest > 0.0 && h > HOPELESS * longest;
        let enough = if is_long || self.is_patient() { MOST_FAILURES } else { FAILURES };
        if self.by != Criterion::Efficiency
            || self.period.failures < enough
            || self.idle_changes >= self.candidates.len()
        {
            return None;
        }
        self.period.efficiency.gone = 0.0;
        if self.is_trying {
            return Some(self.end_try());
        }
        self.candidates[self.active].efficiency = Some(0.0);
        Some(self.select_best())
    }

    fn is_hopeless(&self) -> bool {
        let enough = if self.candidates[self.active].is_stiff { ENOUGH } else { ENOUGH_EXPLICIT };
        self.period.steps >= enough && HOPELESS * self.period.efficiency.value() < self.best_known()
    }

    /// Whether the last one that is tried is so far ahead that there is nothing to wait for.
    fn is_far_ahead(&self) -> bool {
        let is_ahead = self.period.efficiency.value() > HOPELESS * self.best_known();
        self.waiting.is_empty() && self.period.steps >= ENOUGH && is_ahead
    }

    fn try_others(&mut self, suits: impl Fn(&Candidate) -> bool) -> Option<Decision> {
        if self.period.efficiency.spent > 0.0 && self.period.steps > 0 {
            self.usual_cost = self.period.efficiency.spent * (1.0 - MEMORY);
        }
        for i in 0..self.candidates.len() {
            self.candidates[i].efficiency = (i == self.active).then(|| self.period.efficiency.value());
        }
        let is_next = |i: &usize| {
            let candidate = &self.candidates[*i];
            *i != self.active && suits(candidate) && candidate.cost <= TOO_COSTLY * self.usual_cost
        };
        let others = (0..self.candidates.len()).rev().filter(is_next);
        self.waiting.clear();
        self.waiting.extend(others);
        let next = self.waiting.pop()?;
        self.is_trying = true;
        Some(self.change_to(next, false))
    }

    fn end_try(&mut self) -> Decision {
        self.candidates[self.active].efficiency = Some(self.period.efficiency.value());
        match self.waiting.pop() {
            Some(next) => self.change_to(next, false),
            None => self.select_best(),
        }
    }

    /// The one with the best efficiency goes on; if none is known, the next.
    fn select_best(&mut self) -> Decision {
        let mut best = (self.active + 1) % self.candidates.len();
        for (i, candidate) in self.candidates.iter().enumerate() {
            if candidate.value() > self.candidates[best].value() {
                best = i;
            }
        }
        self.is_trying = false;
        let most = self.candidates[best].value();
        for candidate in self.candidates.iter_mut().filter(|candidate| candidate.efficiency.is_some()) {
            // One that only failed here may do well elsewhere.
            let behind = if candidate.value() > 0.0 { (most / candidate.value()).min(FARTHEST) } else { 1.0 };
            (candidate.behind, candidate.since) = (behind, 0.0);
        }
        if !self.candidates[best].is_stiff {
            self.stiffness.begin_anew(AFTER_A_LOOK);
        }
        self.change_to(best, true)
    }

    fn change_to(&mut self, next: usize, is_final: bool) -> Decision {
        // A method that goes on keeps its efficiency, and shows anew what it can do.
        let efficiency = if next == self.active { self.period.efficiency } else { Efficiency::default() };
        self.idle_changes += usize::from(next != self.active);
        self.active = next;
        self.period = ActivePeriod { efficiency, ..ActivePeriod::default() };
        Decision { candidate: next, h: self.candidates[next].h, is_final }
    }
}

#[cfg(test)]
mod tests;
