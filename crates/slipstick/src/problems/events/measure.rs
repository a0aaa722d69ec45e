//! Runs a problem and compares it with its truth.

use super::plain::run_plainly;
use super::{Against, EventProblem, Events, Expected, Solver};
use crate::math::{distance, larger_or_nan};
use crate::simulate::simulate;
use crate::trajectory::{Event, Statistics, Trajectory};

/// What came of a run, beside the truth.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The name of the problem.
    pub name: String,
    /// Its tolerance.
    pub tolerance: f64,
    /// How many events, or firings, or events of one guard were found.
    pub found: u64,
    /// How many there should be, if that is known.
    pub expected: Option<u64>,
    /// The largest error of an event's time.
    pub time_error: Option<f64>,
    /// The largest error of the state before an event.
    pub state_error: Option<f64>,
    /// The error of the state at the end.
    pub end_error: Option<f64>,
    /// The largest change of the quantity that should stay constant.
    pub drift: Option<f64>,
    /// The work.
    pub statistics: Statistics,
    /// The promises that do not hold; none if the row is ok.
    pub complaints: Vec<String>,
    /// How it compares with other rows.
    pub remarks: Vec<String>,
}

impl EventProblem {
    /// Runs the problem. `earlier` are the rows measured before, for a problem that is compared with one.
    pub fn measure(&self, earlier: &[Measured]) -> Measured {
        let (trajectory, drift, failure) = self.run();
        let mut measured = Measured {
            name: self.name.clone(),
            tolerance: self.tolerance,
            found: trajectory.statistics.events,
            expected: None,
            time_error: None,
            state_error: None,
            end_error: self.end.as_ref().map(|end| distance(trajectory.end_state(), end)),
            drift,
            statistics: trajectory.statistics.clone(),
            complaints: failure.into_iter().collect(),
            remarks: Vec::new(),
        };
        if !trajectory.outcome.is_complete() {
            measured.complaints.push(format!("{} at {}", trajectory.outcome, trajectory.end_time()));
        }
        measured.compare_events(&self.events, &trajectory);
        self.check_bounds(&mut measured);
        for against in &self.against {
            measured.compare_work(against, earlier);
        }
        measured
    }

    /// The trajectory, the largest change of what should stay constant, and why it failed if it did.
    fn run(&self) -> (Trajectory, Option<f64>, Option<String>) {
        let first = self.invariant.as_ref().map_or(0.0, |f| f(&self.start.y));
        let change = |y: &[f64]| self.invariant.as_ref().map_or(0.0, |f| (f(y) - first).abs());
        let mut worst = 0.0_f64;
        let mut failure = None;
        let trajectory = if self.solver == Solver::Plain {
            let mut watch = |y: &[f64]| worst = larger_or_nan(worst, change(y));
            run_plainly(self.system.as_ref(), &self.start, &self.options, &mut watch)
        } else {
            simulate(self.system.as_ref(), &self.start, &self.options).unwrap_or_else(|failed| {
                failure = Some(failed.error.to_string());
                failed.trajectory
            })
        };
        for segment in &trajectory.segments {
            let inner = segment.steps().iter().map(|step| change(&segment.state(step.t)));
            worst = inner.chain([change(&segment.end)]).fold(worst, larger_or_nan);
        }
        (trajectory, self.invariant.as_ref().map(|_| worst), failure)
    }

    fn check_bounds(&self, measured: &mut Measured) {
        let pairs = [
            ("the time of an event", measured.time_error, self.bounds.time),
            ("the state at an event", measured.state_error, self.bounds.state),
            ("the state at the end", measured.end_error, self.bounds.end),
            ("what should stay constant", measured.drift, self.bounds.invariant),
        ];
        for (what, error, bound) in pairs {
            // A comparison with NaN is not a promise that holds.
            if error.is_some_and(|e| e.is_nan() || e > bound) {
                measured.complaints.push(format!("{what} is off by more than {bound:e}"));
            }
        }
    }
}

impl Measured {
    /// Whether every promise holds.
    pub fn is_ok(&self) -> bool {
        self.complaints.is_empty()
    }

    fn compare_events(&mut self, truth: &Events, trajectory: &Trajectory) {
        match truth {
            Events::Unknown => {}
            Events::All(all) => {
                self.expected = Some(all.len() as u64);
                for (event, expected) in trajectory.events.iter().zip(all) {
                    self.compare_event(event, expected);
                }
            }
            Events::Of { guard, times } => {
                let of_guard = trajectory.events.iter().filter(|e| e.guards.contains(guard));
                self.found = of_guard.clone().count() as u64;
                self.expected = Some(times.len() as u64);
                for (event, t) in of_guard.zip(times) {
                    raise(&mut self.time_error, (event.t - t).abs());
                }
            }
            Events::Firings(count) => {
                self.found = trajectory.events.iter().map(|e| e.guards.len() as u64).sum();
                self.expected = Some(*count);
            }
        }
        if self.expected.is_some_and(|expected| expected != self.found) {
            let expected = self.expected.unwrap_or_default();
            self.complaints.push(format!("{} found where there are {expected}", self.found));
        }
    }

    fn compare_event(&mut self, event: &Event, expected: &Expected) {
        raise(&mut self.time_error, (event.t - expected.t).abs());
        if let Some(before) = &expected.before {
            raise(&mut self.state_error, distance(&event.before, before));
        }
        let same_kind = expected.kind.is_none_or(|kind| event.kinds == [kind]);
        self.complain_once(event.guards == expected.guards, "other guards fire than should", expected.t);
        self.complain_once(same_kind, "something else happens than should", expected.t);
    }

    /// One complaint of a kind is enough: after a missed event all others are shifted.
    fn complain_once(&mut self, holds: bool, complaint: &str, t: f64) {
        if !holds && !self.complaints.iter().any(|c| c.starts_with(complaint)) {
            self.complaints.push(format!("{complaint} at {t}"));
        }
    }

    fn compare_work(&mut self, against: &Against, earlier: &[Measured]) {
        let same = |row: &&Measured| row.name == against.name && row.tolerance == self.tolerance;
        let Some(other) = earlier.iter().find(same) else {
            return self.complaints.push(format!("`{}` was not run before", against.name));
        };
        let fewer = other.statistics.derivatives as f64 / self.statistics.derivatives as f64;
        self.remarks.push(format!(
            "{fewer:.1} times fewer right-hand sides than `{}` (promised {})",
            against.name, against.fewer
        ));
        if fewer < against.fewer {
            self.complaints.push(format!("not {} times fewer than `{}`", against.fewer, against.name));
        }
        if let (Some(mine), Some(its)) = (self.drift, other.drift)
            && against.steadier > 0.0
        {
            let steadier = its / mine;
            self.remarks.push(format!("energy {steadier:.0} times steadier (promised {})", against.steadier));
            if steadier < against.steadier {
                self.complaints.push(format!("energy not {} times steadier", against.steadier));
            }
        }
    }
}

/// Raises an error to a new one. NaN is the worst there is.
fn raise(so_far: &mut Option<f64>, new: f64) {
    if so_far.is_none_or(|old| new.is_nan() || new > old) {
        *so_far = Some(new);
    }
}
