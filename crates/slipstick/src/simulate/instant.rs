//! Everything that happens at one instant: rounds of what fires, until nothing does (rules 9 to 16).
//!
//! One round has the order of rule 14. Then what is true by value fires, and only
//! when nothing does, what the motion decides.

use super::Error;
use super::accumulating::NOW;
use super::consistency::{Consistency, constraints_switch};
use super::guards::locks;
use super::integrator::Restart;
use super::invariants::is_continuous;
use super::run_loop::RunLoop;
use super::sizes::Beginning;
use crate::equations::UncertainPoint;
use crate::formulation::Stabilisation;
use crate::model::{ContactChange, Location};
use crate::trajectory::Outcome;
use crate::transition::{Contacts, Exits, Firing, MOST_ROUNDS, ModeChanges, Repeat, Rule, Switches, Tools};
use crate::watch::{NOTHING_LEFT, ZenoLimit};

/// Most names of guards in a message.
const MOST_NAMES: usize = 8;

impl RunLoop<'_> {
    /// The start of the run: switches are locked by what holds there; what fires there is a transition. Gives
    /// the outcome if that ends the run.
    pub(super) fn start(&mut self) -> Result<Option<Outcome>, Error> {
        if self.integrator.options.events.location == Some(Location::OneSided) {
            self.integrator.flow.stay_on_this_side();
        }
        if self.integrator.flow.system().layout().v > 0 {
            self.start_mechanism()?;
        }
        self.integrator.flow.algebraic(self.integrator.trial.t).look(&self.integrator.trial.start);
        self.activate_guards();
        self.locks().lock_all()?;
        let firing =
            if self.dense_events().is_time_stepping() { None } else { self.contacts().start_contacts()? };
        self.consistency().solve_start();
        self.surfaces().classify(&Firing::default())?;
        self.surfaces().classify_counts();
        // What happens here at once begins with the start as it was made consistent, to the bit.
        let (flow, trial) = (&self.integrator.flow, &self.integrator.trial);
        self.recorder.begin_segment(&flow.mode, trial.t, &trial.start);
        self.finish_instant(Restart::Initial, firing)
    }

    /// Makes the start of a mechanism consistent; under sliding-mode control it is left as it is.
    pub(super) fn start_mechanism(&mut self) -> Result<(), Error> {
        if constraints_switch(self.integrator.flow.system()) {
            self.activate_guards();
            self.locks().lock_all()?;
        }
        if self.integrator.options.constraints.stabilisation != Stabilisation::SlidingMode {
            return self.consistency().make_start_consistent();
        }
        let (t, y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        self.approach.begin(&mut self.integrator, t, &y)?;
        self.consistency().enter_form();
        Ok(())
    }

    /// Resolves what fired. Gives the outcome if that ends the run.
    pub(super) fn transition(&mut self, firing: Firing) -> Result<Option<Outcome>, Error> {
        self.guards.watch.begin_transition();
        self.guards.keep_known(&self.integrator);
        let trial = &self.integrator.trial;
        self.guards.calendar.keep_sides(&mut self.integrator.flow, trial.t, &trial.start);
        self.finish_instant(Restart::Continuous, Some(firing))
    }

    /// Rounds until nothing fires any more; then a new segment begins.
    pub(super) fn finish_instant(
        &mut self,
        mut restart: Restart,
        mut firing: Option<Firing>,
    ) -> Result<Option<Outcome>, Error> {
        let mut beginning = None;
        loop {
            if let Some(firing) = &firing {
                let first = self.first_guard(firing);
                let changed = self.round(firing)?;
                if changed && restart == Restart::Continuous {
                    restart = Restart::Discontinuous;
                }
                beginning = beginning.or_else(|| first.map(|guard| self.beginning(guard)));
                if let Some(outcome) = self.stops_run(firing) {
                    return Ok(Some(outcome));
                }
                if let Some((g, limit)) = self.record_firing(firing) {
                    if let Some(outcome) = self.end_accumulation(g, limit)? {
                        return Ok(Some(outcome));
                    }
                    // What was learnt after an event that has come to its end is of no use.
                    beginning = None;
                }
                self.check_cascade(firing, changed)?;
            }
            let next = self.fires_next(restart != Restart::Continuous)?;
            let halted = self.accumulating.take_halted();
            if next.is_empty() && halted.is_empty() {
                break;
            }
            for g in halted {
                if let Some(outcome) = self.end_accumulation(g, NOW)? {
                    return Ok(Some(outcome));
                }
            }
            firing = (!next.is_empty()).then_some(next);
        }
        self.note_sinking();
        if let Some(outcome) = self.dense_events().capture_if_dense() {
            return Ok(Some(outcome));
        }
        self.recorder.close_event(self.integrator.trial.t, &self.integrator.trial.start)?;
        if let Some(outcome) = self.at_limit() {
            return Ok(Some(outcome));
        }
        self.begin_segment(restart, beginning);
        Ok(None)
    }

    /// Takes note of what fired. Gives a guard whose events accumulate and their limit, if that ends them.
    fn record_firing(&mut self, firing: &Firing) -> Option<(usize, ZenoLimit)> {
        let guards = self.integrator.flow.system().guards();
        if self.transition.contacts.happened.is_empty() {
            return self.accumulating.record_firing(guards, firing);
        }
        let with_bystanders = self.transition.with_bystanders(guards);
        self.accumulating.count_dense(guards, &with_bystanders, &mut self.capturing.density);
        self.accumulating.record_firing(guards, &with_bystanders)
    }

    /// What has fired because it was true, and goes on to be so, although its reset has turned its motion
    /// (rule 16).
    fn note_sinking(&mut self) {
        let Self { integrator, guards, recorder, transition, .. } = self;
        for &g in &transition.firing.guards {
            if guards.sinks(g, integrator, transition) {
                recorder.note_passing(integrator.trial.t, &integrator.flow.system().guards()[g].name);
            }
        }
    }

    /// What follows what has happened; then what fires by the values where the motion stands, if they may have changed;
    /// if nothing does, what the motion decides.
    fn fires_next(&mut self, by_value: bool) -> Result<Firing, Error> {
        let (mode, guards) = (&self.integrator.flow.mode, self.integrator.flow.system().guards());
        let mut followers = std::mem::take(&mut self.transition.followers);
        followers.retain(|&g| mode.holds(guards, g));
        if !followers.is_empty() {
            followers.sort_unstable();
            followers.dedup();
            return Ok(Firing { guards: followers, ..Firing::default() });
        }
        if by_value {
            let firing = self.guards.fires_by_value(&mut self.integrator)?;
            if !firing.is_empty() {
                return Ok(firing);
            }
        }
        Ok(self.decide_by_motion())
    }

    pub(super) fn activate_guards(&mut self) {
        self.guards.activate(&mut self.integrator.flow, self.integrator.trial.t);
    }

    /// A new segment begins where the motion stands, after an event if there was one.
    pub(super) fn begin_segment(&mut self, restart: Restart, beginning: Option<Beginning>) {
        self.guards.contradictions = 0;
        self.integrator.selector.restart(restart);
        let slides = self.integrator.flow.sliding().is_some();
        let beginning = beginning.map(|beginning| Beginning { slides, ..beginning });
        let fired = beginning.map(|beginning| beginning.guard);
        self.guards.show_entered_sides(&mut self.integrator, fired);
        let estimated = self.integrator.choose_first_step(restart, beginning);
        self.recorder.statistics().starts.estimates += u64::from(estimated);
        let (flow, trial) = (&self.integrator.flow, &self.integrator.trial);
        self.recorder.begin_segment(&flow.mode, trial.t, &trial.start);
        self.guards.note_past(flow, trial.t, restart == Restart::Initial, &mut self.recorder);
    }

    /// The guard that an event is known by, for what was learnt of first steps after it: one that fires, or
    /// that of a surface that is left.
    fn first_guard(&self, firing: &Firing) -> Option<usize> {
        let left = || {
            let &(surface, _) = firing.exits.first()?;
            Some(self.integrator.flow.sliding()?.set.surfaces()[surface].guard)
        };
        firing.guards.first().copied().or_else(left)
    }

    /// The event that a segment begins with, and the side that the motion goes to.
    fn beginning(&self, guard: usize) -> Beginning {
        let flow = &self.integrator.flow;
        let switch = flow.system().guards()[guard].response.switch;
        let below = switch.is_some_and(|switch| flow.mode.values.signs[switch] < 0.0);
        Beginning { guard, below, slides: false }
    }

    /// One round: makes a new state and mode of what fired, and logs it. Gives whether anything has changed.
    ///
    /// A reset is made consistent with the constraints that hold after it: a joint that it shuts is shut
    /// there. Joints that shut without a reset, by a switch, are shut at the end.
    fn round(&mut self, firing: &Firing) -> Result<bool, Error> {
        let trial = &self.integrator.trial;
        let t = trial.t;
        self.transition.begin(firing, t, &trial.start, &self.integrator.flow.mode);
        self.apply_rules()?;
        let open = self.transition.after.clone();
        self.integrator.trial.restart(t, &open);
        self.make_reset_consistent()?;
        self.integrator.trial.restart(t, &self.transition.after);
        let changed = self.transition.changes(&self.integrator.flow.mode);
        if changed {
            self.activate_guards();
            self.locks().lock_all()?;
            self.surfaces().classify(firing)?;
            self.check_continuity(firing)?;
            let Self { integrator, recorder, transition, .. } = self;
            let mut consistency = Consistency { integrator, recorder };
            consistency.shut_joints(firing)?;
            consistency.note_shutting(transition, &open);
            consistency.solve_algebraic_states(transition);
            self.find_distance_to_constraints();
        } else {
            self.guards.calendar.read(&mut self.integrator.flow, t);
        }
        self.contacts().note_contacts();
        let flow = &self.integrator.flow;
        if !changed && self.transition.comes_to_nothing(flow.system().guards()) {
            return Ok(false);
        }
        let now = (&flow.mode, &self.integrator.trial.start[..]);
        self.recorder.log(&self.transition, flow.system().guards(), now);
        self.transition.note_followers(self.integrator.flow.system().guards());
        Ok(changed)
    }

    /// Where constraints have come to hold, the motion may lie beside them by what an event is located to.
    fn find_distance_to_constraints(&mut self) {
        let Self { integrator, guards, .. } = self;
        if integrator.flow.has_active_constraints() {
            let mut projected = integrator.trial.start.clone();
            integrator.project_within(integrator.trial.t, &mut projected);
            guards.uncertainty.lie_beside(&integrator.trial.start, &projected);
        }
    }

    /// Without a reset the state is what it was; where the motion slides it is put onto the surfaces, by no
    /// more than a step is uncertain by. Joints that shut and algebraic states come after this.
    fn check_continuity(&self, firing: &Firing) -> Result<(), Error> {
        let Self { integrator, transition, .. } = self;
        let (guards, now) = (integrator.flow.system().guards(), &integrator.trial.start);
        // Where hits end or a contact lifts, what is left of their velocities is taken off.
        let ends = |change: ContactChange| matches!(change, ContactChange::Rest | ContactChange::Lift);
        let is_end = |g: usize| guards[g].contact.is_some_and(|of| ends(of.change));
        let sets = firing.guards.iter().any(|&g| guards[g].response.reset || is_end(g));
        let jumps = sets
            || transition.contacts.happened.iter().any(|&g| is_end(g))
            || transition.contacts.has_impulses();
        let slides = !integrator.flow.mode.structure.sliding.is_empty();
        let most = |i: usize| match (jumps, slides) {
            (true, _) => f64::INFINITY,
            (false, true) => integrator.step_error(i, now[i]),
            (false, false) => 0.0,
        };
        let checked = is_continuous(&transition.before, now, most);
        checked.map_err(|broken| broken.at(transition.t, integrator.flow.system().state_names()))
    }

    /// The rules that need no more than the form and the sides of guards, in their order.
    fn apply_rules(&mut self) -> Result<(), Error> {
        let Self { integrator, recorder, guards, transition, resets, .. } = self;
        Consistency { integrator, recorder }.close_before_reset(transition);
        let system = integrator.flow.system();
        let mut contacts = Contacts::default();
        if !system.contacts().is_empty() || !system.impulses().is_empty() {
            contacts.delta = guards.uncertainty.of_rounding();
            contacts.widths = integrator.tolerance_widths();
            contacts.stops_at_painleve = integrator.options.events.stops_at_painleve;
            contacts.known = guards.knows_positions(transition.t, &transition.after[..system.layout().q]);
        }
        let rules: [&mut dyn Rule; 6] =
            [resets, &mut guards.uncertainty, &mut Switches, &mut Exits, &mut ModeChanges, &mut contacts];
        let mut tools = Tools { flow: &mut integrator.flow, watch: &guards.watch };
        for rule in rules {
            let applied = rule.apply(&mut tools, transition);
            applied.map_err(|impossible| Error::of_rule(impossible, transition.t, system))?;
        }
        Ok(())
    }

    /// Makes the state of a mechanism consistent that an event has set, with the branches of constraints that
    /// hold there.
    fn make_reset_consistent(&mut self) -> Result<(), Error> {
        let flow = &self.integrator.flow;
        if !flow.has_constraints() || self.transition.before == self.transition.after {
            return Ok(());
        }
        let t = self.transition.t;
        if flow.is_reaching() {
            return self.approach.begin(&mut self.integrator, t, &self.transition.after);
        }
        let mut left = Vec::new();
        if constraints_switch(flow.system()) {
            let Self { integrator, recorder, transition, .. } = self;
            left = Consistency { integrator, recorder }.left_of_positions(t, &transition.after);
            self.locks().lock_switches();
        }
        let Self { integrator, recorder, transition, .. } = self;
        Consistency { integrator, recorder }.make_reset_consistent(transition, &left)
    }

    /// Whether a guard that fired ends the run.
    fn stops_run(&self, firing: &Firing) -> Option<Outcome> {
        let guards = self.integrator.flow.system().guards();
        let stop = firing.guards.iter().find(|&&g| self.recorder.stops(guards, g));
        stop.map(|&g| Outcome::StoppedByEvent { guard: self.name(g).to_owned() })
    }

    /// Whether the event that is over is the last that the run may have.
    fn at_limit(&self) -> Option<Outcome> {
        let (limit, record) = (self.integrator.options.limits.events, &self.recorder.record);
        let guard = *record.events.last()?.guards.last()?;
        let reached = record.statistics.events >= limit;
        reached.then(|| Outcome::EventLimit { limit, guard: record.guard_names[guard].clone() })
    }

    /// Rounds that come back to where they were are a cycle (rule 11). Those that only record have not left.
    fn check_cascade(&mut self, firing: &Firing, changed: bool) -> Result<(), Error> {
        if !changed {
            let count = self.cascade.record_idle(self.integrator.trial.t);
            return if count > MOST_ROUNDS { Err(self.idle_cycle(firing, count)) } else { Ok(()) };
        }
        let (trial, mode) = (&self.integrator.trial, &self.integrator.flow.mode);
        let sides = self.guards.watch.snapshot();
        let rounds = match self.cascade.record(&firing.guards, trial.t, &trial.start, mode, sides) {
            Repeat::New => return Ok(()),
            Repeat::TooLong => return Err(self.event_cycle(MOST_NAMES)),
            Repeat::Cycle(rounds) => rounds,
        };
        let last = self.cascade.last(2).to_vec();
        if rounds == 2 && self.surfaces().slide_between(&last) {
            return Ok(());
        }
        let guards = self.integrator.flow.system().guards();
        match self.cascade.lone_guard(rounds).filter(|&guard| locks(&guards[guard])) {
            // Each of its sides sends the motion to the other, and there is nothing to slide on: its events
            // follow each other without any time between.
            Some(guard) => {
                self.accumulating.halt(guard);
                Ok(())
            }
            None => Err(self.event_cycle(rounds)),
        }
    }

    /// What fires again and again, and changes nothing.
    fn idle_cycle(&self, firing: &Firing, count: usize) -> Error {
        Error::EventCycle { t: self.integrator.trial.t, count, cycle: self.names_of(&firing.guards) }
    }

    fn names_of(&self, fired: &[usize]) -> String {
        let names: Vec<String> = fired.iter().map(|&g| format!("`{}`", self.name(g))).collect();
        names.join(" with ")
    }

    fn event_cycle(&self, rounds: usize) -> Error {
        let names = |fired: &Vec<usize>| self.names_of(fired);
        let cycle: Vec<String> = self.cascade.last(rounds.min(MOST_NAMES) + 1).iter().map(names).collect();
        let (t, count) = (self.integrator.trial.t, self.cascade.len());
        Error::EventCycle { t, count, cycle: cycle.join(" → ") }
    }

    /// The events of a guard accumulate: it comes to rest as the model says, or the motion stays where
    /// surfaces meet, or the run ends.
    fn end_accumulation(&mut self, g: usize, limit: ZenoLimit) -> Result<Option<Outcome>, Error> {
        let (t, system) = (self.integrator.trial.t, self.integrator.flow.system());
        let response = &system.guards()[g].response;
        let (at, name) = (t + limit.after, self.name(g));
        if response.switch.is_some() && self.stand_in_corner(limit.after)? {
            return Ok(None);
        }
        let ends = |switch| Ok(Some(Outcome::Accumulation { guard: name.to_owned(), switch, t: at }));
        if response.at_rest.is_none() {
            return ends(response.switch.is_some());
        }
        let (mut together, lasting) = match self.accumulating.record_rest(system.guards(), g) {
            Some(together) => (together, response.at_rest.unwrap_or(g)),
            None => (self.accumulating.rest_together(system.guards(), g), g),
        };
        let soon = self.accumulating.latest_block(lasting).unwrap_or(limit.after);
        together.retain(|&other| other == g || self.is_closed(other, soon));
        let rests = together.iter().filter_map(|&g| system.guards()[g].response.at_rest);
        if !self.round(&Firing { guards: rests.collect(), ..Firing::default() })? {
            // It is at rest already, and nothing holds it there. A contact that nothing presses together goes on.
            return if system.guards()[g].contact.is_some() { Ok(None) } else { ends(false) };
        }
        let text = format!("the events of `{name}` accumulate at t = {at}: it comes to rest");
        self.recorder.note(t, "came-to-rest", text);
        Ok(None)
    }

    /// Whether a guard is no gap of a contact, or that gap is zero as far as can be told, or will be so soon: one that is
    /// open does not rest with another, wherever its hits have seemed to lead.
    fn is_closed(&mut self, guard: usize, soon: f64) -> bool {
        let Self { integrator, guards, .. } = self;
        if integrator.flow.system().guards()[guard].contact.is_none() {
            return true;
        }
        let delta = guards.uncertainty.of_rounding();
        let point = UncertainPoint { t: integrator.trial.t, y: &integrator.trial.start, delta: &delta };
        let Some(gap) = integrator.flow.guards().banded_anyway(guard, point) else { return false };
        // The guard of a gap is positive below zero.
        let approach = guards.along(integrator).1.rate(guard).value;
        gap.value.abs() <= NOTHING_LEFT * gap.bound || gap.value <= approach * soon
    }

    /// Where the events of switches accumulate, the motion stands where their surfaces meet, or comes there
    /// in the time that is left. Gives whether it can stay there.
    fn stand_in_corner(&mut self, left: f64) -> Result<bool, Error> {
        let near = self.surfaces().switches_near(left);
        if near.len() < 2 {
            return Ok(false);
        }
        let Some(surfaces) = self.surfaces().can_stay_on(&near) else { return Ok(false) };
        self.stepper().let_time_pass(left)?;
        self.surfaces().stay_on(&surfaces, &near);
        Ok(true)
    }
}
