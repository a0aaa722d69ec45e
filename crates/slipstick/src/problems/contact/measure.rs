//! Runs a problem with contacts and compares it with its truth.

use super::{ContactMethod, ContactProblem, Happens, Place};
use crate::equations::System;
use crate::formulation::Mixture;
use crate::mode::State;
use crate::problems::allowance;
use crate::simulate::simulate;
use crate::trajectory::{Event, EventKind, Statistics, Trajectory};

/// The note that gives the limit of hits that accumulate, and what stands before it in its text.
const LIMIT_NOTE: (&str, &str) = ("came-to-rest", "accumulate at t = ");

/// The code of a refusal.
const REFUSED: &str = "wrong-method";

/// How many times the tolerance errors may be: of times, of states and of forces.
const TIMES: f64 = 10.0;
const STATES: f64 = 30.0;
const FORCES: f64 = 100.0;

/// What came of a run, beside the truth.
#[derive(Clone, Debug, Default)]
pub struct MeasuredContact {
    /// How many events were found.
    pub found: u64,
    /// How many there should be, if that is known; further hits before a limit are not counted.
    pub expected: Option<u64>,
    /// The largest error of an event's time.
    pub time_error: Option<f64>,
    /// The largest error of a limit of hits.
    pub limit_error: Option<f64>,
    /// The largest error of a known state, divided by its size where that is over one.
    pub state_error: Option<f64>,
    /// The same of a known output, such as a force.
    pub force_error: Option<f64>,
    /// The work.
    pub statistics: Statistics,
    /// Why the method does not take the problem, if it does not.
    pub refusal: Option<String>,
    /// What does not hold; none if events are those that should be.
    pub complaints: Vec<String>,
}

impl MeasuredContact {
    /// Whether all that should happen does, and nothing else.
    pub fn is_ok(&self) -> bool {
        self.complaints.is_empty()
    }

    /// Complains where errors are over what is promised of a method at a tolerance.
    pub fn check(&mut self, with: &ContactMethod, tolerance: f64) {
        let allowed = tolerance * allowance(with.method, tolerance);
        let pairs = [
            ("the time of an event", self.time_error, TIMES),
            ("the limit of hits", self.limit_error, TIMES),
            ("a state", self.state_error, STATES),
            ("a force", self.force_error, FORCES),
        ];
        for (what, error, multiple) in pairs {
            let most = multiple * allowed;
            if let Some(error) = error.filter(|error| error.is_nan() || *error > most) {
                self.complaints.push(format!("{what} is off by {error:.1e}, over {most:.1e}"));
            }
        }
    }
}

impl ContactProblem {
    /// Runs the problem with a method at a tolerance.
    pub fn measure(&self, with: &ContactMethod, tolerance: f64) -> MeasuredContact {
        let mut measured = MeasuredContact::default();
        let run = simulate(&self.plan.system, &self.plan.start, &with.options(self, tolerance));
        let run = run.unwrap_or_else(|failure| {
            let why = failure.error.to_string();
            if failure.error.code() == REFUSED && with.may_refuse(self) {
                measured.refusal = Some(why);
            } else {
                measured.complaints.push(why);
            }
            failure.trajectory
        });
        if measured.refusal.is_some() {
            return measured;
        }
        if measured.is_ok() && !run.outcome.is_complete() {
            measured.complaints.push(format!("{} at {}", run.outcome, run.end_time()));
        }
        measured.statistics = run.statistics.clone();
        measured.found = run.statistics.events;
        let found = self.compare_events(&run, &mut measured);
        self.compare_quantities(&run, &found, &mut measured);
        measured
    }

    /// Compares events in order; gives those that were found, one for each that should be.
    fn compare_events<'r>(&self, run: &'r Trajectory, measured: &mut MeasuredContact) -> Vec<&'r Event> {
        let Some(events) = &self.events else { return Vec::new() };
        measured.expected = Some(events.len() as u64);
        let mut log = Log { run, next: 0 };
        let mut found = Vec::new();
        for (i, expected) in events.iter().enumerate() {
            let hits = i.checked_sub(1).map(|last| &events[last]);
            let Some(event) = log.next(expected, hits) else {
                let instead = run.events.get(log.next).map_or("nothing".to_owned(), |event| log.told(event));
                let (names, t) = (expected.names.join(" + "), expected.t);
                measured.complaints.push(format!("{instead} happens where {names} should, at {t}"));
                return found;
            };
            let (errors, t) = if expected.is_limit {
                (&mut measured.limit_error, log.limit(event).unwrap_or(f64::NAN))
            } else {
                (&mut measured.time_error, event.t)
            };
            raise(errors, (t - expected.t).abs());
            found.push(event);
        }
        if let Some(event) = run.events.get(log.next) {
            measured.complaints.push(format!("{} happens, too, at {}", log.told(event), event.t));
        }
        found
    }

    fn compare_quantities(&self, run: &Trajectory, found: &[&Event], measured: &mut MeasuredContact) {
        let (system, shape) = (&self.plan.system, self.plan.system.shape());
        let mut outputs = vec![0.0; self.outputs.len()];
        let mut observer = Mixture::new(system, system.outputs()).with_parameters(&run.parameters);
        for known in &self.known {
            let Some(State { t, y, mode }) = state_at(run, found, known.place) else { continue };
            let error = |value: f64| (value - known.value).abs() / known.value.abs().max(1.0);
            if let Some(i) = run.state_names.iter().position(|name| name == known.name) {
                raise(&mut measured.state_error, error(y[i]));
            } else if let Some(i) = self.outputs.iter().position(|name| name == known.name) {
                observer.observe(&mode, t, &y, &mut outputs);
                raise(&mut measured.force_error, error(outputs[i]));
            } else if let Some(i) = shape.discrete_names.iter().position(|name| name == known.name) {
                raise(&mut measured.state_error, error(mode.values.discrete[i]));
            } else {
                measured.complaints.push(format!("there is no `{}`", known.name));
            }
        }
    }
}

fn state_at(run: &Trajectory, found: &[&Event], place: Place) -> Option<State> {
    match place {
        Place::Start => run.state_after(run.start_time()),
        Place::Before(event) => run.state_before(found.get(event)?.t),
        Place::After(event) => run.state_after(found.get(event)?.t),
        Place::End => run.state_before(run.end_time()),
    }
}

/// The log of a run, read from its beginning.
struct Log<'r> {
    run: &'r Trajectory,
    next: usize,
}

impl<'r> Log<'r> {
    /// The next event, if it is the one that should be. Before the limit of hits there may be any number of
    /// them.
    fn next(&mut self, expected: &Happens, hits: Option<&Happens>) -> Option<&'r Event> {
        if let (true, Some(hits)) = (expected.is_limit, hits) {
            let are_more =
                |event: &Event| self.is_named(event, &hits.names) && !event.kinds.contains(&EventKind::Rest);
            let more = self.run.events[self.next..].iter().take_while(|event| are_more(event)).count();
            self.next += more;
        }
        let event = self.run.events.get(self.next)?;
        if !self.is_named(event, &expected.names) {
            return None;
        }
        self.next += 1;
        Some(event)
    }

    fn is_named(&self, event: &Event, names: &[&str]) -> bool {
        event.guards.iter().map(|&g| &self.run.guard_names[g]).eq(names)
    }

    /// The limit that hits up to an event accumulate at.
    fn limit(&self, event: &Event) -> Option<f64> {
        let note = self.run.notes.iter().find(|note| note.code == LIMIT_NOTE.0 && note.t == event.t)?;
        let (_, limit) = note.text.split_once(LIMIT_NOTE.1)?;
        limit.split(':').next()?.parse().ok()
    }

    fn told(&self, event: &Event) -> String {
        let names: Vec<&str> = event.guards.iter().map(|&g| &*self.run.guard_names[g]).collect();
        names.join(" + ")
    }
}

/// Raises an error to a new one. NaN is the worst there is.
fn raise(so_far: &mut Option<f64>, new: f64) {
    if so_far.is_none_or(|old| new.is_nan() || new > old) {
        *so_far = Some(new);
    }
}
