//! Everything that happens at one instant: rounds of what fires, until nothing does (rules 9 to 16).
//!
//! One round: resets, switches and counts, modes, consistency. Then what is true by value fires, and only when nothing does, what the
//! motion decides.

use super::integrator::Restart;
use super::signals::Meaning;
use super::simulator::{Firing, Simulator, locks};
use super::sizes::Beginning;
use super::{Error, signals::has_surface};
use crate::equations::{GuardKind, UncertainPoint};
use crate::math::Bracket;
use crate::mode::Mode;
use crate::model::{Direction, Location};
use crate::trajectory::{Event, EventKind, Outcome};
use crate::transition::{Repeat, Target};
use crate::watch::{Banded, Decided, SideState};

/// Most names of guards in a message.
const MOST_NAMES: usize = 8;

impl Simulator<'_> {
    /// The start of the run: switches are locked by what holds there; what fires there is a transition. Gives the outcome if that ends
    /// the run.
    pub(super) fn start(&mut self) -> Result<Option<Outcome>, Error> {
        if self.integrator.options.location == Some(Location::OneSided) {
            self.integrator.flow.stay_on_this_side();
        }
        self.assemble_start()?;
        let (t, y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        self.integrator.flow.look_at_mass(t, &y);
        self.activate_guards();
        self.lock_by_value()?;
        self.solve_start();
        self.classify_switches(&Firing::default())?;
        self.classify_counts();
        self.finish_instant(Restart::Initial, None)
    }

    /// Resolves what fired. Gives the outcome if that ends the run.
    pub(super) fn transition(&mut self, firing: Firing) -> Result<Option<Outcome>, Error> {
        self.watch.begin_transition();
        let (t, flow) = (self.integrator.trial.t, &mut self.integrator.flow);
        self.calendar.keep_sides(flow, t, &self.integrator.trial.start);
        self.finish_instant(Restart::Continuous, Some(firing))
    }

    /// Rounds until nothing fires any more; then a new segment begins.
    fn finish_instant(
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
                if let Some(outcome) = self.ends_run(firing) {
                    return Ok(Some(outcome));
                }
                if let Some(outcome) = self.look_for_accumulation(firing)? {
                    return Ok(Some(outcome));
                }
                if changed {
                    self.check_cascade(firing)?;
                }
            }
            let next =
                if restart == Restart::Continuous { Firing::default() } else { self.fires_by_value()? };
            let next = if next.is_empty() { self.decide_by_motion() } else { next };
            let halted = !self.accumulating.halted.is_empty();
            if let Some(outcome) = self.look_for_halt()? {
                return Ok(Some(outcome));
            }
            if next.is_empty() && !halted {
                break;
            }
            firing = (!next.is_empty()).then_some(next);
        }
        self.begin_segment(restart, beginning);
        Ok(None)
    }

    pub(super) fn begin_segment(&mut self, restart: Restart, beginning: Option<Beginning>) {
        let (t, y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        self.integrator.restart(t, &y, restart);
        let beginning = beginning.map(|beginning| {
            let slides = self.integrator.flow.sliding().is_some();
            Beginning { slides, ..beginning }
        });
        let fired: Vec<usize> = beginning.iter().map(|beginning| beginning.guard).collect();
        self.show_entered_sides(&fired);
        let estimated = self.integrator.choose_first_step(restart, beginning);
        self.recorder.statistics().estimates += u64::from(estimated);
        self.recorder.begin_segment(&self.integrator.flow.mode, t, &y);
        self.note_past_guards(restart == Restart::Initial);
    }

    /// The guard that an event is known by, for what was learnt of first steps after it: one that fires, or that of a surface that is left.
    fn first_guard(&self, firing: &Firing) -> Option<usize> {
        let left = || {
            let &(surface, _) = firing.exits.first()?;
            Some(self.integrator.flow.sliding()?.surfaces()[surface].guard)
        };
        firing.guards.first().copied().or_else(left)
    }

    /// The event that a segment begins with, and the side that the motion goes to.
    fn beginning(&self, guard: usize) -> Beginning {
        let signs = &self.integrator.flow.mode.values.signs;
        let below = self.guard(guard).response.switch.is_some_and(|switch| signs[switch] < 0.0);
        Beginning { guard, below, slides: false }
    }

    /// One round: makes a new state and mode of what fired, and logs it. Gives whether anything has changed.
    pub(super) fn round(&mut self, firing: &Firing) -> Result<bool, Error> {
        let t = self.integrator.trial.t;
        let old_mode = self.integrator.flow.mode.clone();
        self.before.copy_from_slice(&self.integrator.trial.start);
        self.close_before_reset(firing, t);
        self.after.copy_from_slice(&self.before);
        self.apply_resets(firing, t)?;
        self.bound_resets(firing, t);
        self.integrator.trial.restart(t, &self.after);
        self.flip(firing, t);
        self.leave_surfaces(firing);
        self.change_mode(firing, t)?;
        self.assemble_after_event(firing, t)?;
        self.integrator.trial.restart(t, &self.after);
        let moved = self.before.iter().zip(&self.after).any(|(a, b)| a.to_bits() != b.to_bits());
        let left = !firing.exits.is_empty();
        let changed = moved || left || old_mode != self.integrator.flow.mode;
        if changed {
            self.activate_guards();
            self.lock_by_value()?;
            self.classify_switches(firing)?;
            self.shut_joints(firing)?;
            self.solve_algebraic_states();
        } else {
            self.calendar.read(&mut self.integrator.flow, t);
        }
        self.log(firing, t, &old_mode);
        Ok(changed)
    }

    /// Resets read the values before; two different values for one state are a conflict.
    fn apply_resets(&mut self, firing: &Firing, t: f64) -> Result<(), Error> {
        let at = (t, &self.before[..]);
        let applied = self.resets.apply(&mut self.integrator.flow, &firing.guards, at, &mut self.after);
        if let Err(conflict) = applied {
            let name = |g: usize| self.guard(g).name.clone();
            return Err(Error::ConflictingResets {
                guards: (name(conflict.guards.0), name(conflict.guards.1)),
                target: match conflict.target {
                    Target::State(i) => self.system().state_names()[i].clone(),
                    Target::Discrete(i) => self.system().discrete_names()[i].clone(),
                },
                values: conflict.values,
                t,
            });
        }
        let Some(i) = self.after.iter().position(|y| !y.is_finite()) else { return Ok(()) };
        let guard = firing.guards.iter().find(|&&g| self.guard(g).response.reset);
        let guard = guard.map_or_else(String::new, |&g| self.guard(g).name.clone());
        let name = self.system().state_names()[i].clone();
        Err(Error::ResetNotFinite { guard, name, value: self.after[i], t })
    }

    /// How uncertain what was set is by rounding.
    fn bound_resets(&mut self, firing: &Firing, t: f64) {
        let old = self.uncertainty.at_start.clone();
        self.uncertainty.jump(&self.before, &self.after);
        let point = UncertainPoint { t, y: &self.before, delta: &old };
        for &g in &firing.guards {
            if self.guard(g).response.reset {
                self.integrator.flow.reset_bounds(g, point, &mut self.uncertainty.at_start);
            }
        }
    }

    /// Switches take the sign of the side that they go to, counts go up or down.
    fn flip(&mut self, firing: &Firing, t: f64) {
        for &g in &firing.guards {
            let guard = self.guard(g);
            if let Some(switch) = guard.response.switch {
                let side = self.watch.side(g);
                let mode = &mut self.integrator.flow.mode;
                mode.values.signs[switch] = match guard.kind {
                    GuardKind::Scheduled { rising } => {
                        if rising {
                            1.0
                        } else {
                            -1.0
                        }
                    }
                    // Put outside its band by a transition, it is on the side that it was put to.
                    _ if side == SideState::Plus => self.comparisons.orientation(g),
                    _ if side == SideState::Minus => -self.comparisons.orientation(g),
                    _ => -mode.values.signs[switch],
                };
            }
            if let Some(count) = guard.response.count {
                let by = self.count_by(g, t);
                self.integrator.flow.mode.values.counts[count.index] += if count.up { by } else { -by };
            }
        }
    }

    /// How many whole numbers a count has passed: one where it crosses, more where a transition has put it far beyond.
    fn count_by(&mut self, g: usize, t: f64) -> f64 {
        if !has_surface(self.guard(g).kind) || self.watch.side(g).is_inside() {
            return 1.0;
        }
        self.integrator.flow.guard(g, t, &self.after).abs().ceil().max(1.0)
    }

    /// The motion leaves surfaces to the sides that its exits tell; the others are slid on as before.
    fn leave_surfaces(&mut self, firing: &Firing) {
        if firing.exits.is_empty() {
            return;
        }
        let flow = &mut self.integrator.flow;
        // Of surfaces that depend on each other an exit only says that not all of them can be kept.
        let Some(sliding) = flow.sliding().filter(|sliding| !sliding.is_dependent()) else { return };
        let mut left = Vec::new();
        for &(i, side) in &firing.exits {
            left.push((sliding.surfaces()[i], side));
            let followers = sliding.followers().iter().filter(|follower| follower.leader == i);
            left.extend(followers.map(|follower| (follower.surface, follower.orientation * side)));
        }
        for (surface, side) in left {
            surface.lock(&mut flow.mode, side);
            flow.mode.structure.sliding.retain(|&g| g != surface.guard);
        }
    }

    /// The run goes on in the mode that a guard names; two different ones are a conflict.
    fn change_mode(&mut self, firing: &Firing, t: f64) -> Result<(), Error> {
        let all = firing.guards.iter().filter_map(|&g| Some((g, self.guard(g).response.mode?)));
        let highest = all.clone().map(|(g, _)| self.guard(g).priority).max();
        let mut targets = all.filter(|(g, _)| Some(self.guard(*g).priority) == highest);
        let Some((first, mode)) = targets.next() else { return Ok(()) };
        if let Some((second, other)) = targets.find(|&(_, other)| other != mode) {
            let names = self.system().mode_names();
            return Err(Error::ConflictingModes {
                guards: (self.guard(first).name.clone(), self.guard(second).name.clone()),
                modes: (names[mode].clone(), names[other].clone()),
                t,
            });
        }
        self.integrator.flow.mode.values.place = mode;
        Ok(())
    }

    /// What is watched from here on: guards of the mode that holds, in branches that are taken. Those of a mode that is entered have no past.
    pub(super) fn activate_guards(&mut self) {
        self.integrator.flow.find_needed();
        self.set_fixed_conditions();
        let guards = self.system().guards();
        let is_watched = |g: &usize| has_surface(guards[*g].kind) || guards[*g].kind == GuardKind::Compound;
        for g in (0..guards.len()).filter(is_watched) {
            let flow = &self.integrator.flow;
            // What joins conditions has no formula that a branch could leave out.
            let place = flow.mode.values.place;
            let own = || guards[g].mode.is_none_or(|own| own == place);
            let needed = if has_surface(guards[g].kind) { flow.watches(g) } else { own() };
            let on = needed && !self.is_slid_on(g);
            if on && !self.watch.is_on(g) {
                self.watch.enter(g);
            } else if !on && self.watch.is_on(g) {
                self.watch.leave(g);
            }
        }
        let t = self.integrator.trial.t;
        self.calendar.read(&mut self.integrator.flow, t);
    }

    /// Tells the watch what changes in transitions only: the mode, and conditions of discrete variables.
    fn set_fixed_conditions(&mut self) {
        let flow = &mut self.integrator.flow;
        let (place, modes) = (flow.mode.values.place, flow.system().mode_names().len());
        (0..modes).for_each(|mode| self.watch.set_fixed(mode, mode == place));
        for (k, holds) in flow.conditions_that_hold().into_iter().enumerate() {
            self.watch.set_fixed(modes + k, holds);
        }
    }

    /// Logs a round as one event.
    fn log(&mut self, firing: &Firing, t: f64, old_mode: &Mode) {
        self.recorder.count_firing(&firing.guards);
        let window = firing.window.unwrap_or(Bracket { lo: t, hi: t });
        let mode = &self.integrator.flow.mode;
        let left = old_mode.structure.sliding.iter().filter(|g| !mode.structure.sliding.contains(g));
        let mut guards: Vec<usize> = firing.guards.clone();
        guards.extend(left.filter(|_| !firing.exits.is_empty()));
        guards.sort_unstable();
        guards.dedup();
        let event = Event {
            t,
            bracket: window,
            width: window.width(),
            kinds: self.kinds(firing, old_mode),
            guards,
            before: self.before.clone(),
            after: self.integrator.trial.start.clone(),
            mode_before: old_mode.values.place,
            mode_after: mode.values.place,
        };
        let mode = mode.clone();
        self.recorder.add_event(event, &mode);
    }

    fn kinds(&self, firing: &Firing, old_mode: &Mode) -> Vec<EventKind> {
        let any = |f: &dyn Fn(usize) -> bool| firing.guards.iter().any(|&g| f(g));
        let now = &self.integrator.flow.mode.structure.sliding;
        let begins = now.iter().any(|g| !old_mode.structure.sliding.contains(g));
        let ends = old_mode.structure.sliding.iter().any(|g| !now.contains(g));
        let switches = any(&|g| locks(self.guard(g))) && !begins && !ends;
        let stops =
            any(&|g| self.guard(g).response.stop_after.is_some_and(|n| self.recorder.times_fired(g) >= n));
        let all = [
            (EventKind::Reset, any(&|g| self.guard(g).response.reset)),
            (EventKind::Switch, switches),
            (EventKind::Mode, any(&|g| self.guard(g).response.mode.is_some())),
            (EventKind::Rest, any(&|g| self.guard(g).kind == GuardKind::Rest)),
            (EventKind::Stop, stops),
            (EventKind::Slide, begins),
            (EventKind::Leave, ends),
        ];
        let kinds: Vec<EventKind> =
            all.into_iter().filter(|(_, holds)| *holds).map(|(kind, _)| kind).collect();
        if kinds.is_empty() { vec![EventKind::Record] } else { kinds }
    }

    /// Whether what fired ends the run: a guard that stops it, or the limit of events.
    fn ends_run(&self, firing: &Firing) -> Option<Outcome> {
        let stops = |g: &&usize| {
            self.guard(**g).response.stop_after.is_some_and(|n| self.recorder.times_fired(**g) >= n)
        };
        if let Some(&g) = firing.guards.iter().find(stops) {
            return Some(Outcome::StoppedByEvent { guard: self.guard(g).name.clone() });
        }
        let limit = self.integrator.options.limits.events;
        let last = *firing.guards.last()?;
        let reached = self.recorder.record.statistics.events >= limit;
        reached.then(|| Outcome::EventLimit { limit, guard: self.guard(last).name.clone() })
    }

    /// Rounds that come back to where they were are a cycle (rule 11).
    fn check_cascade(&mut self, firing: &Firing) -> Result<(), Error> {
        let repeat = self.cascade.record(
            &firing.guards,
            &self.integrator.trial.start,
            &self.integrator.flow.mode,
            self.watch.snapshot().clone(),
        );
        match repeat {
            Repeat::New => Ok(()),
            Repeat::Cycle(rounds) if self.slide_between(rounds) => Ok(()),
            Repeat::Cycle(rounds) => match self.lone_switch(rounds) {
                // Each of its sides sends the motion to the other, and there is nothing to slide on: its events follow each other without any time between.
                Some(guard) => {
                    self.accumulating.halted.push(guard);
                    Ok(())
                }
                None => Err(self.event_cycle(rounds)),
            },
            Repeat::TooLong => Err(self.event_cycle(MOST_NAMES)),
        }
    }

    /// The switch that a cycle consists of, if it is only one.
    fn lone_switch(&self, rounds: usize) -> Option<usize> {
        let all = self.cascade.last(rounds);
        let &[guard] = all.first()?.as_slice() else { return None };
        let alone = all.iter().all(|fired| fired.as_slice() == [guard]);
        (alone && locks(self.guard(guard))).then_some(guard)
    }

    fn event_cycle(&self, rounds: usize) -> Error {
        let names = |fired: &Vec<usize>| {
            let names: Vec<String> = fired.iter().map(|&g| format!("`{}`", self.guard(g).name)).collect();
            names.join(" with ")
        };
        let cycle: Vec<String> = self.cascade.last(rounds.min(MOST_NAMES) + 1).iter().map(names).collect();
        let (t, count) = (self.integrator.trial.t, self.cascade.len());
        Error::EventCycle { t, count, cycle: cycle.join(" → ") }
    }

    /// The guards that the values after a round make fire.
    fn fires_by_value(&mut self) -> Result<Firing, Error> {
        let which = self.watch.watched().to_vec();
        let mut values = vec![Banded::default(); which.len()];
        let (_, mut along) = self.along();
        crate::watch::Signals::values(&mut along, &which, 0.0, &mut values);
        let fired = match self.watch.jump(&values) {
            Ok(fired) => fired.to_vec(),
            Err(bad) => return Err(self.guard_not_finite(bad)),
        };
        let mut firing = self.firing(&fired);
        let (t, flow) = (self.integrator.trial.t, &mut self.integrator.flow);
        self.calendar.take_carried(flow, t, &self.integrator.trial.start, &mut firing.guards);
        Ok(firing)
    }

    /// The guards that fire here because the motion takes their comparisons out of their bands (rule 6).
    pub(super) fn decide_by_motion(&mut self) -> Firing {
        let (watch, mut along) = self.along();
        let begun = watch.begin(&mut along);
        let fired = begun.fired.to_vec();
        let through = |decided: &&Decided| decided.before == SideState::Fired && decided.plus;
        let through: Vec<Decided> = begun.decided.iter().filter(through).copied().collect();
        for Decided { comparison, order, .. } in through {
            self.look_at_passing(comparison, order);
        }
        self.firing(&fired)
    }

    /// What guards of the watch stand for.
    pub(super) fn firing(&self, fired: &[usize]) -> Firing {
        let mut firing = Firing::default();
        for &guard in fired {
            match self.comparisons.meaning(guard) {
                Meaning::Guard(g) => firing.guards.push(g),
                Meaning::Exit(surface, side) => firing.exits.push((surface, side)),
            }
        }
        firing
    }

    /// A guard that is true when it begins to be watched has not happened: that is worth a note, once (rule 9).
    fn note_past_guards(&mut self, begins: bool) {
        let t = self.integrator.trial.t;
        for (g, guard) in self.system().guards().iter().enumerate() {
            if self.recorder.times_fired(g) > 0 {
                continue;
            }
            let name = &guard.name;
            if matches!(guard.kind, GuardKind::Scheduled { .. }) && !locks(guard) {
                let time = self.calendar.time(g);
                if begins && time < t && self.integrator.flow.watches(g) {
                    self.recorder.note_once(t, ("already-past", name), || {
                        format!(
                            "the event `{name}` is set for t = {time}, which is past when it begins to be watched; it does not happen \
                             unless that time is later, or the run begins earlier (`from`)"
                        )
                    });
                }
                continue;
            }
            let is_true = has_surface(guard.kind) && self.watch.is_on(g) && self.watch.holds(g) == Some(true);
            if is_true && guard.direction != Direction::Both && guard.response.acts() {
                self.recorder.note_once(t, ("already-past", name), || {
                    format!(
                        "the guard of `{name}` is past its zero when it begins to be watched; the event happens only when the guard \
                         crosses zero again"
                    )
                });
            }
        }
    }

    /// After something has changed, algebraic states follow from the others.
    pub(super) fn solve_algebraic_states(&mut self) {
        if self.integrator.flow.is_mechanism() {
            return;
        }
        self.after.copy_from_slice(&self.integrator.trial.start);
        let t = self.integrator.trial.t;
        if self.integrator.flow.solve_algebraic(t, &mut self.after) {
            self.integrator.trial.restart(t, &self.after);
        }
    }
}
