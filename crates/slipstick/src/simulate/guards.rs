//! The guards of a run: which of them are watched, what they say where the motion stands, and what fires
//! there.

use super::Error;
use super::calendar::Calendar;
use super::integrator::Integrator;
use super::last_known::{LastKnown, Readers};
use super::pace::Pace;
use super::recorder::Recorder;
use super::signals::{Along, Comparisons, Meaning};
use super::uncertainty::Uncertainty;
use crate::equations::{EntryRule, Guard, GuardCondition as Joined, GuardKind, System};
use crate::formulation::{Flow, Surface};
use crate::model::{ContactChange, Direction, Side};
use crate::transition::{Firing, is_searched};
use crate::watch::{
    Banded, Condition, Decided, Fires, GuardSpec, NotFinite, OnEntry, Placement, SideState, Signals, Touches,
    Verdict, Watch, decide_by_motion,
};

/// The guards of a run, with the exits of surfaces that it slides on.
pub(super) struct Guards {
    pub(super) watch: Watch,
    pub(super) comparisons: Comparisons,
    pub(super) uncertainty: Uncertainty,
    pace: Pace,
    pub(super) calendar: Calendar,
    /// Where the sides of all guards were last known, who reads what in each mode, as soon as that was asked for, and what
    /// of it has changed.
    known: LastKnown,
    readers: Vec<Option<Readers>>,
    changed: Vec<bool>,
    /// The comparisons that are read by value, and their values.
    read: (Vec<usize>, Vec<Banded>),
    /// How often dense output has begun another way than the motion in this segment.
    pub(super) contradictions: u32,
    /// Where a step was tried again with a shorter one, as a guard turned too often in it.
    pub(super) crowded_at: f64,
}

impl Guards {
    /// The guards of the system that is integrated. None is watched yet.
    pub(super) fn new(integrator: &Integrator<'_>) -> Self {
        let system = integrator.flow.system();
        let comparisons = Comparisons::new(system);
        let mut guards = Self {
            watch: new_watch(system, &comparisons),
            comparisons,
            uncertainty: Uncertainty::new(&integrator.trial.start, system.guards().len()),
            pace: Pace::new(integrator.trial.start.len()),
            calendar: Calendar::new(&integrator.flow, integrator.options.until),
            known: LastKnown::default(),
            readers: Vec::new(),
            changed: Vec::new(),
            read: (Vec::new(), Vec::new()),
            contradictions: 0,
            crowded_at: f64::NAN,
        };
        guards.follow_method(integrator);
        guards
    }

    /// Becomes as new, where an integrator begins another run.
    pub(super) fn renew(&mut self, integrator: &Integrator<'_>) {
        // Who reads what is the same in every run.
        let Self { watch, uncertainty, pace, calendar, known, contradictions, crowded_at, .. } = self;
        pace.renew();
        (*contradictions, *crowded_at) = (0, f64::NAN);
        watch.reset();
        known.forget();
        uncertainty.renew(&integrator.trial.start);
        calendar.renew();
        self.follow_method(integrator);
    }

    /// Looks at the points of a step that suit the method at work.
    pub(super) fn follow_method(&mut self, integrator: &Integrator<'_>) {
        self.comparisons.look_at(integrator.options.events.detection, integrator.selector.method().nodes());
    }

    /// Comparisons along the step at hand, with the watch that asks for them.
    pub(super) fn along<'r, 'a>(
        &'r mut self,
        integrator: &'r mut Integrator<'a>,
    ) -> (&'r mut Watch, Along<'r, 'a>) {
        let Self { watch, comparisons, uncertainty, pace, .. } = self;
        (watch, Along { integrator, comparisons, uncertainty, pace })
    }

    /// How far time and states go in the step just tried. What holds constraints is put onto them
    /// within the step, by no more than the errors that are taken.
    pub(super) fn path_of_step(&mut self, integrator: &Integrator<'_>) -> f64 {
        let (tolerances, trial) = (&integrator.options.tolerances, &integrator.trial);
        let is_moved = integrator.flow.has_active_constraints();
        let beside = |i: usize| tolerances.scale(i, trial.start[i].abs());
        let beside: Option<&dyn Fn(usize) -> f64> = if is_moved { Some(&beside) } else { None };
        self.pace.path_of(trial, beside)
    }

    /// The value of a comparison at an offset of the step at hand.
    pub(super) fn signal(&mut self, integrator: &mut Integrator<'_>, comparison: usize, s: f64) -> Banded {
        let mut value = [Banded::default()];
        self.along(integrator).1.values(&[comparison], s, &mut value);
        value[0]
    }

    /// Where a step to a goal has to end for what drives the mechanism to be seen: forces of constraints are watched by
    /// samples of the step, and while nothing moves it may go far.
    pub(super) fn see_drives(&self, integrator: &mut Integrator<'_>, goal: f64) -> f64 {
        let guards = integrator.flow.system().guards();
        let watched = self.watch.watched().iter().filter_map(|&c| self.comparisons.meaning(c).guard());
        if !self.comparisons.looks_everywhere() || watched.clone().all(|g| guards[g].multipliers.is_empty()) {
            return goal;
        }
        let t = integrator.trial.t;
        let end = t + integrator.sizes.next(t, goal).0;
        let peak = integrator.flow.constraints().hidden_peak((t, end), &integrator.trial.start);
        peak.map_or(goal, |peak| goal.min(peak))
    }

    /// What is watched from here on: guards of the mode that holds, in branches that are taken. Those of a
    /// mode that is entered have no past.
    pub(super) fn activate(&mut self, flow: &mut Flow<'_>, t: f64) {
        flow.find_needed();
        self.set_fixed_conditions(flow);
        let guards = flow.system().guards();
        let is_watched = |g: &usize| is_searched(&guards[*g]) || guards[*g].kind == GuardKind::Compound;
        for g in (0..guards.len()).filter(is_watched) {
            // What joins conditions has no formula that a branch could leave out.
            let needed = if is_searched(&guards[g]) { flow.watches(g) } else { flow.mode.holds(guards, g) };
            let on = needed && !is_slid_on(flow, g);
            if on && !self.watch.is_on(g) {
                self.watch.enter(g);
            } else if !on && self.watch.is_on(g) {
                self.watch.leave(g);
            }
        }
        self.calendar.read(flow, t);
    }

    /// Tells the watch what changes in transitions only: the mode, and conditions of discrete variables.
    fn set_fixed_conditions(&mut self, flow: &mut Flow<'_>) {
        let (place, modes) = (flow.mode.values.place, flow.system().mode_names().len());
        (0..modes).for_each(|mode| self.watch.set_fixed(mode, mode == place));
        for (k, holds) in flow.guards().conditions_that_hold().into_iter().enumerate() {
            self.watch.set_fixed(modes + k, holds);
        }
    }

    /// Watches the exits of this many surfaces, and of no others.
    pub(super) fn watch_exits(&mut self, surfaces: usize) {
        for exit in self.comparisons.guards()..self.watch.guards().len() {
            if self.watch.is_on(exit) {
                self.watch.leave(exit);
            }
        }
        for i in 0..surfaces {
            for side in [-1.0, 1.0] {
                self.watch.enter(self.comparisons.exit(i, side));
            }
        }
    }

    /// What fires by the values where the motion stands. Switches come first, and alone: other guards are read with
    /// their new signs (rule 10).
    pub(super) fn fires_by_value(&mut self, integrator: &mut Integrator<'_>) -> Result<Firing, Error> {
        let (mut which, mut values) = std::mem::take(&mut self.read);
        let some = self.find_changed(integrator, &mut which);
        let switched = self.switches_by_value(integrator, &which, &mut values)?;
        if !switched.is_empty() {
            self.read = (which, values);
            return Ok(switched);
        }
        values.clear();
        values.resize(which.len(), Banded::default());
        self.along(integrator).1.values(&which, 0.0, &mut values);
        let fired = if some { self.watch.jump_some(&which, &values) } else { self.watch.jump(&values) };
        let fired = fired.map(|fired| self.comparisons.firing(fired));
        self.read = (which, values);
        let mut firing = match fired {
            Ok(firing) => firing,
            Err(bad) => return Err(self.not_finite(integrator, bad)),
        };
        self.keep_known(integrator);
        let trial = &integrator.trial;
        self.calendar.take_carried(&mut integrator.flow, trial.t, &trial.start, &mut firing.guards);
        Ok(firing)
    }

    /// The switches and whole numbers among comparisons that change by their values.
    fn switches_by_value(
        &mut self,
        integrator: &mut Integrator<'_>,
        which: &[usize],
        values: &mut Vec<Banded>,
    ) -> Result<Firing, Error> {
        let guards = integrator.flow.system().guards();
        let is_lock = |c: &&usize| self.comparisons.meaning(**c).guard().is_some_and(|g| locks(&guards[g]));
        let locking: Vec<usize> = which.iter().filter(is_lock).copied().collect();
        if locking.is_empty() || locking.len() == which.len() {
            return Ok(Firing::default());
        }
        values.clear();
        values.resize(locking.len(), Banded::default());
        self.along(integrator).1.values(&locking, 0.0, values);
        let fired = self.watch.jump_some(&locking, values).map(|fired| self.comparisons.firing(fired));
        fired.map_err(|bad| self.not_finite(integrator, bad))
    }

    /// The sides of all guards are known where the motion stands.
    pub(super) fn keep_known(&mut self, integrator: &Integrator<'_>) {
        let trial = &integrator.trial;
        self.known.keep((trial.t, &trial.start), &integrator.flow.mode);
    }

    /// The comparisons whose values transitions may have changed since they were last known, and those that
    /// are inside their bands; or all that are watched. Gives whether it is only some of them.
    fn find_changed(&mut self, integrator: &Integrator<'_>, which: &mut Vec<usize>) -> bool {
        let (flow, y) = (&integrator.flow, &integrator.trial.start);
        // Beside a surface that it slides on, a guard reads more than its formula does.
        let some = flow.sliding().is_none() && self.known.is_of((integrator.trial.t, y), &flow.mode);
        which.clear();
        if !some {
            which.extend(self.watch.watched());
            return false;
        }
        let Self { watch, comparisons, known, readers, changed, .. } = self;
        let place = flow.mode.values.place;
        readers.resize_with(readers.len().max(place + 1), || None);
        let count = watch.comparisons();
        let reads =
            |comparison: usize| comparisons.meaning(comparison).guard().and_then(|g| flow.guard_inputs(g));
        let readers = readers[place].get_or_insert_with(|| Readers::new((0..count).map(reads)));
        changed.clear();
        changed.resize(count, false);
        // What sleeps where it is now is on its side, unless something else than states has changed.
        let here = (integrator.trial.t, &y[..]);
        for comparison in readers.of(known.moved(y)) {
            changed[comparison] = changed[comparison] || !watch.sleeps_at(comparison, here);
        }
        let locked = readers.of(known.turned(&flow.mode, 1 + y.len() + flow.parameters().len()));
        locked.chain(readers.of_anything()).for_each(|comparison| changed[comparison] = true);
        let is_open = |comparison: usize| changed[comparison] || !watch.is_outside(comparison);
        which.extend(watch.watched().iter().filter(|&&comparison| is_open(comparison)));
        true
    }

    /// Whether the sides of guards of these positions are known.
    pub(super) fn knows_positions(&self, t: f64, positions: &[f64]) -> bool {
        self.known.has_positions(t, positions)
    }

    /// What fires here because the motion takes comparisons out of their bands (rule 6), and which of those
    /// go on to the true side that have just fired.
    pub(super) fn decide_by_motion(&mut self, integrator: &mut Integrator<'_>) -> (Firing, Vec<Decided>) {
        let Self { watch, comparisons, uncertainty, pace, .. } = self;
        let begun = watch.begin(&mut Along { integrator, comparisons, uncertainty, pace });
        let through = |decided: &&Decided| decided.before == SideState::Fired && decided.plus;
        let through = begun.decided.iter().filter(through).copied().collect();
        (comparisons.firing(begun.fired), through)
    }

    /// Gaps of open contacts never go on to their true side: those that no motion decides are watched as before a hit.
    pub(super) fn arm_gaps(&mut self, system: &dyn System) {
        let is_gap =
            |guard: usize| system.guards()[guard].contact.is_some_and(|of| of.change == ContactChange::Hit);
        let Self { watch, comparisons, .. } = self;
        watch.arm_held(&|comparison| comparisons.meaning(comparison).guard().is_some_and(is_gap));
    }

    /// The motion is put onto the surface that it has come to as near as can be told, and the guard fires
    /// there.
    pub(super) fn arrive(&mut self, integrator: &mut Integrator<'_>, guard: usize) -> Firing {
        let (t, mut y) = (integrator.trial.t, integrator.trial.start.clone());
        let flow = &mut integrator.flow;
        if let Some(surface) = Surface::of(flow.system().guards(), &flow.mode, guard) {
            let side = surface.sign(&flow.mode);
            flow.switching(t).step_aside(surface, side, &mut y);
            integrator.trial.restart(t, &y);
        }
        let distance = self.signal(integrator, guard, 0.0).value.abs();
        self.watch.fire(guard, distance);
        Firing::one(guard)
    }

    /// Adds guards that touch zero at the end of what was taken, if that counts: what comes after it is not
    /// seen yet.
    pub(super) fn add_touches(&mut self, integrator: &mut Integrator<'_>, firing: &mut Firing) {
        let guards = integrator.flow.system().guards();
        let known = &firing.guards;
        let counts = |g: usize| guards.get(g).is_some_and(|guard| guard.touches) && !known.contains(&g);
        let mut turning = Vec::new();
        let (watch, mut along) = self.along(integrator);
        watch.turning(&mut along, &counts, &mut turning);
        if turning.is_empty() {
            return;
        }
        for touch in &turning {
            watch.leave_touch(touch);
        }
        firing.guards.extend(turning.iter().map(|touch| touch.comparison));
        firing.guards.sort_unstable();
    }

    /// Takes back what crosses only because a switch in its own formula is locked, such as `abs(x - 1)` at 1:
    /// comparisons that change together change before guards are read (rule 1). It has touched zero, which is
    /// an event only if it says so. Gives what is none.
    pub(super) fn take_back_kinks(
        &mut self,
        integrator: &mut Integrator<'_>,
        firing: &mut Firing,
    ) -> Vec<usize> {
        let (guards, mut touched) = (integrator.flow.system().guards(), Vec::new());
        if firing.guards.iter().all(|&g| guards[g].response.switch.is_none()) {
            return touched;
        }
        let mut flipped = integrator.flow.mode.clone();
        for switch in firing.guards.iter().filter_map(|&g| guards[g].response.switch) {
            flipped.values.signs[switch] = -flipped.values.signs[switch];
        }
        let may_turn = |g: &&usize| guards[**g].response.switch.is_none() && is_searched(&guards[**g]);
        for g in firing.guards.iter().filter(may_turn).copied().collect::<Vec<usize>>() {
            let goes_on = self.heading_of(integrator, g);
            std::mem::swap(&mut integrator.flow.mode, &mut flipped);
            let turned = self.heading_of(integrator, g);
            std::mem::swap(&mut integrator.flow.mode, &mut flipped);
            if let (Some(on), Some(turned)) = (goes_on, turned)
                && on.plus != turned.plus
            {
                self.watch.place(g, turned.plus, false, 0.0);
                touched.extend((!guards[g].touches).then_some(g));
            }
        }
        firing.guards.retain(|g| !touched.contains(g));
        touched
    }

    /// Where the motion takes a comparison from here.
    fn heading_of(&mut self, integrator: &mut Integrator<'_>, g: usize) -> Option<Verdict> {
        let (_, mut along) = self.along(integrator);
        decide_by_motion(&mut along, g, &mut Vec::new())
    }

    /// The error of a guard that is not finite in the step at hand.
    pub(super) fn not_finite(&mut self, integrator: &mut Integrator<'_>, bad: NotFinite) -> Error {
        let t = integrator.trial.t + bad.s;
        let guard = bad.comparison.min(self.comparisons.guards().saturating_sub(1));
        let mut y = integrator.trial.start.clone();
        integrator.state_at(bad.s, &mut y);
        let value = integrator.flow.guards().value(guard, t, &y);
        Error::GuardNotFinite { name: integrator.flow.system().guards()[guard].name.clone(), value, t }
    }

    /// A guard that comes to zero and turns back is no event unless that is asked for: that is worth a
    /// note, once.
    pub(super) fn note_touches(&self, guards: &[Guard], t: f64, recorder: &mut Recorder) {
        for touch in self.watch.touches() {
            note_touch(guards, touch.comparison, t + touch.s, recorder);
        }
        for guard in self.watch.unproved().iter().filter_map(|&comparison| guards.get(comparison)) {
            recorder.note_once(t, ("roots-uncertain", &guard.name), || {
                format!(
                    "the guard of `{}` varies too wildly within a step to be sure of all its roots; it was looked at by samples",
                    guard.name
                )
            });
        }
    }

    /// A guard that is true when it begins to be watched has not happened: that is worth a note, once (rule
    /// 9), unless it was asked to wait. `begins` says that the run does.
    pub(super) fn note_past(&self, flow: &Flow<'_>, t: f64, begins: bool, recorder: &mut Recorder) {
        for (g, guard) in flow.system().guards().iter().enumerate() {
            if recorder.times_fired(g) > 0 {
                continue;
            }
            let name = &guard.name;
            if matches!(guard.kind, GuardKind::Scheduled { .. }) && !locks(guard) {
                let time = self.calendar.time(g);
                if begins && time < t && guard.on_entry == EntryRule::Fires && flow.watches(g) {
                    recorder.note_once(t, ("already-past", name), || {
                        format!(
                            "the event `{name}` is set for t = {time}, which is past when it begins to be watched; it does not happen \
                             unless that time is later, or the run begins earlier (`from`)"
                        )
                    });
                }
                continue;
            }
            let is_true = is_searched(guard) && self.watch.is_on(g) && self.watch.holds(g) == Some(true);
            let is_meant = guard.direction == Direction::Both || guard.on_entry == EntryRule::Waits;
            if is_true && !is_meant && guard.response.acts() {
                recorder.note_once(t, ("already-past", name), || {
                    format!(
                        "the guard of `{name}` is past its zero when it begins to be watched; the event happens only when the guard \
                         crosses zero again"
                    )
                });
            }
        }
    }
}

impl Comparisons {
    /// What guards of the watch stand for.
    pub(super) fn firing(&self, fired: &[usize]) -> Firing {
        let mut firing = Firing::default();
        for &guard in fired {
            match self.meaning(guard) {
                Meaning::Guard(g) => firing.guards.push(g),
                Meaning::Exit(surface, side) => firing.exits.push((surface, side)),
            }
        }
        firing
    }
}

/// Says that a guard has touched zero, once.
pub(super) fn note_touch(guards: &[Guard], comparison: usize, t: f64, recorder: &mut Recorder) {
    // What stands for a branch of a formula is no event of its own that could say how it takes touches.
    let is_silent = |guard: &&Guard| !guard.touches && !locks(guard);
    let Some(guard) = guards.get(comparison).filter(is_silent) else { return };
    recorder.note_once(t, ("touches-zero", &guard.name), || {
        format!(
            "the guard of `{}` touches zero at t = {t} and turns back; that is no event unless it says `touches = true`",
            guard.name
        )
    });
}

/// The guards of a system, and two exits for each surface that it may slide on.
fn new_watch(system: &dyn System, comparisons: &Comparisons) -> Watch {
    let guards = system.guards();
    let surfaces = guards.iter().filter(|guard| may_slide(guard)).count();
    let modes = system.mode_names().len();
    let specs = guards.iter().enumerate().map(|(g, guard)| specify(g, guard, modes));
    let exits = (0..2 * surfaces).map(|exit| GuardSpec {
        condition: Condition::Is(comparisons.guards() + exit),
        fires: Fires::WhenTrue,
        placement: Placement::After,
        on_entry: OnEntry::FiresByMotion,
        touches: Touches::Ignored,
        poles: true,
    });
    let fixed = modes + system.condition_number();
    Watch::new(comparisons.guards() + 2 * surfaces, fixed, specs.chain(exits).collect())
}

/// A guard of the system as the watch sees it. What changes in transitions only has a slot: modes first, then
/// conditions of discrete variables.
fn specify(g: usize, guard: &Guard, modes: usize) -> GuardSpec {
    let joined = guard.kind == GuardKind::Compound;
    GuardSpec {
        condition: if joined { condition_of(&guard.condition, modes) } else { Condition::Is(g) },
        fires: if guard.direction == Direction::Both && !joined { Fires::Both } else { Fires::WhenTrue },
        placement: if guard.side == Side::Before { Placement::Before } else { Placement::After },
        on_entry: match guard.on_entry {
            EntryRule::Waits => OnEntry::Waits,
            EntryRule::Fires if guard.mode.is_some() && !locks(guard) => OnEntry::Fires,
            EntryRule::Fires => OnEntry::FiresByMotion,
        },
        touches: if guard.touches { Touches::Count } else { Touches::Told },
        poles: locks(guard),
    }
}

fn condition_of(condition: &Joined, modes: usize) -> Condition {
    let all = |parts: &[Joined]| parts.iter().map(|part| condition_of(part, modes)).collect();
    match condition {
        // Only a guard with a surface of its own is a crossing.
        Joined::Crossing => Condition::Or(Vec::new()),
        Joined::Sign { comparison, positive: true } => Condition::Is(*comparison),
        Joined::Sign { comparison, positive: false } => Condition::Not(Box::new(Condition::Is(*comparison))),
        Joined::Mode(mode) => Condition::Fixed(*mode),
        Joined::Discrete(index) => Condition::Fixed(modes + index),
        Joined::Not(inner) => Condition::Not(Box::new(condition_of(inner, modes))),
        Joined::And(parts) => Condition::And(all(parts)),
        Joined::Or(parts) => Condition::Or(all(parts)),
    }
}

/// Whether a motion may slide on the surface of a guard. Two modes may share one, too.
fn may_slide(guard: &Guard) -> bool {
    is_searched(guard) && (locks(guard) || guard.response.mode.is_some())
}

/// Whether a guard locks something in the equations. The count of a clock is not used there.
pub(super) fn locks(guard: &Guard) -> bool {
    guard.response.switch.is_some() || guard.response.count.is_some_and(|count| !count.clock)
}

/// Whether the motion slides on the surface of a guard, or on the jump of a whole number that the guard would
/// count the other way: there it is between two whole numbers and does not come to the next.
fn is_slid_on(flow: &Flow<'_>, guard: usize) -> bool {
    let sliding = &flow.mode.structure.sliding;
    let is_one = |g: usize| sliding.contains(&g);
    !sliding.is_empty() && (is_one(guard) || other_jump(flow.system().guards(), guard).is_some_and(is_one))
}

/// The guard at which the whole number of a guard goes the other way.
pub(super) fn other_jump(guards: &[Guard], guard: usize) -> Option<usize> {
    let own = guards[guard].response.count?;
    let is_other = |count: crate::equations::Count| count.index == own.index && count.up != own.up;
    guards.iter().position(|guard| guard.response.count.is_some_and(is_other))
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;

    const BALL: &str = r#"
        states = { y = 1.0, v = -1.0 }
        derivatives = { y = "v", v = "0" }
        events.floor = { guard = "y < 0", reset = { v = "-v" } }
        events.half = { guard = "y < 0.5" }
        run = { until = 3 }"#;

    fn at<'r, 'a>(integrator: &'r mut Integrator<'a>, y: [f64; 2]) -> &'r mut Integrator<'a> {
        integrator.trial.restart(0.0, &y);
        integrator
    }

    #[test]
    fn a_guard_fires_by_value_where_a_transition_puts_it_and_by_motion_at_its_zero() {
        let plan = Plan::of(BALL);
        let mut integrator = Integrator::of(&plan);
        let mut guards = Guards::new(&integrator);
        guards.activate(&mut integrator.flow, 0.0);
        assert_eq!(guards.watch.watched(), [0, 1]);
        let fired = |guards: &mut Guards, integrator: &mut Integrator<'_>| {
            guards.fires_by_value(integrator).expect("finite values").guards
        };
        assert_eq!(fired(&mut guards, &mut integrator), []);
        assert_eq!(fired(&mut guards, at(&mut integrator, [0.25, -1.0])), [1]);
        assert_eq!(fired(&mut guards, at(&mut integrator, [0.0, -1.0])), []);
        let (firing, through) = guards.decide_by_motion(&mut integrator);
        assert_eq!((firing.guards, through), (vec![0], vec![]));
        assert_eq!(guards.signal(&mut integrator, 0, 0.0).value, 0.0);
    }

    #[test]
    fn values_that_are_no_numbers_are_named() {
        let plan = Plan::of(&BALL.replace("y < 0.5", "sqrt(y) < 0.5"));
        let mut integrator = Integrator::of(&plan);
        let mut guards = Guards::new(&integrator);
        guards.activate(&mut integrator.flow, 0.0);
        let error = guards.fires_by_value(at(&mut integrator, [-1.0, 0.0])).expect_err("a root of -1");
        assert!(matches!(error, Error::GuardNotFinite { ref name, t: 0.0, .. } if name == "half"), "{error}");
    }

    #[test]
    fn exits_are_watched_for_the_surfaces_that_are_slid_on() {
        let text = "states = { x = 1.0 }\nderivatives = { x = \"-sign(x)\" }\nrun = { until = 3 }";
        let plan = Plan::of(text);
        let mut guards = Guards::new(&Integrator::of(&plan));
        guards.watch_exits(1);
        assert_eq!(guards.watch.watched(), [1, 2]);
        assert_eq!(guards.comparisons.firing(&[0, 2]), Firing { exits: vec![(0, 1.0)], ..Firing::one(0) });
        guards.watch_exits(0);
        assert!(guards.watch.watched().is_empty());
    }
}
