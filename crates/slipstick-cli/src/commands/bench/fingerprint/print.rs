//! What is stored of a run, and how two of them are compared.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use slipstick::math::larger_or_nan;
use slipstick::problems::FingerprintRun;
use slipstick::trajectory::{Event, Statistics, Trajectory};

/// Event times and end states may differ by this many times the tolerance, or by this many times what a
/// tolerance of nine tenths changes, whichever is larger. The second is about the error of the run itself.
const ALLOWED: f64 = 10.0;

/// Right-hand sides may be more by this part.
const MORE_WORK: f64 = 0.02;

/// So many events are stored one by one. The others are in the count, the digest of names and the mean time.
const STORED_EVENTS: usize = 6;

/// So many states are stored one by one. The others are in the norm.
const STORED_STATES: usize = 4;

/// Digits that are stored of times and states beyond those of the tolerance, and of spreads.
const MORE_DIGITS: usize = 3;
const FEW_DIGITS: usize = 2;

/// Digits of a tolerance are counted up to those that a double has; 1e-6 is not taken for less by rounding.
const MOST_DIGITS: usize = 15;
const ROUNDING: f64 = 1.001;

/// Which run it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RunKey {
    pub(super) suite: String,
    pub(super) problem: String,
    pub(super) method: String,
    pub(super) form: String,
    pub(super) tolerance: f64,
    /// Counts runs that are equal in everything above, from zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) number: usize,
}

impl RunKey {
    /// The same but for the number.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        *self == Self { number: self.number, ..other.clone() }
    }

    /// For people.
    pub(super) fn in_words(&self) -> String {
        let number = if self.number > 0 { format!(" #{}", self.number) } else { String::new() };
        let Self { suite, problem, method, form, tolerance, .. } = self;
        format!("{suite} {problem} {method} {form} {tolerance:e}{number}")
    }
}

/// The events of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EventsPrint {
    count: usize,
    /// The first bytes of a digest of all names and kinds, in order.
    names: String,
    mean_t: f64,
    /// Names, kinds and times of the first ones.
    first: Vec<(String, f64)>,
}

/// Where a run has come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EndPrint {
    from: f64,
    t: f64,
    y: Vec<f64>,
    norm: f64,
    /// States below this size are compared by it: the absolute over the relative tolerance.
    floor: f64,
}

/// What a run cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkPrint {
    pub(super) rhs: u64,
    jacobians: u64,
    accepted: u64,
    rejected: u64,
    guards: u64,
}

/// How much a slightly tighter tolerance changes, where that is more than the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Spread {
    /// Event times, by the length of the run, and end states, by their size.
    By(f64, f64),
    /// Other events happen, or the run ends otherwise: only the outcome is compared.
    Other,
}

/// What is stored of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Fingerprint {
    pub(super) run: RunKey,
    /// The code of the outcome, or of the error.
    pub(super) outcome: String,
    /// None if the run did not come to its end: then only the outcome is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<EventsPrint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<EndPrint>,
    pub(super) work: WorkPrint,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) spread: Option<Spread>,
}

/// In what two runs differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Difference {
    pub(super) what: &'static str,
    pub(super) text: String,
}

impl Fingerprint {
    /// Of what came of a run: the trajectory and the code of its end.
    pub(super) fn of(key: RunKey, run: &FingerprintRun, trajectory: &Trajectory, code: &str) -> Self {
        let is_complete = trajectory.outcome.is_complete();
        Self {
            run: key,
            outcome: code.to_owned(),
            events: is_complete.then(|| EventsPrint::of(trajectory, digits(run.tolerance))),
            end: is_complete.then(|| EndPrint::of(run, trajectory)),
            work: WorkPrint::of(&trajectory.statistics),
            spread: None,
        }
    }

    /// The same with what a run at a slightly tighter tolerance says of how far its results can be trusted.
    pub(super) fn with_spread(mut self, nearby: &Self) -> Self {
        self.spread = self.spread_to(nearby);
        self
    }

    fn spread_to(&self, nearby: &Self) -> Option<Spread> {
        let same_events = match (&self.events, &nearby.events) {
            (Some(a), Some(b)) => a.names == b.names,
            (a, b) => a.is_some() == b.is_some(),
        };
        if self.outcome != nearby.outcome || !same_events {
            return Some(Spread::Other);
        }
        let (time, state) = (self.apart_in_time(nearby), self.apart_in_state(nearby));
        let matters = time > self.run.tolerance || state > self.run.tolerance;
        matters.then(|| Spread::By(rounded(time, FEW_DIGITS), rounded(state, FEW_DIGITS)))
    }

    /// The largest difference of times of events and ends, by the length of the run.
    fn apart_in_time(&self, other: &Self) -> f64 {
        let (Some(a), Some(b), Some(end), Some(other_end)) =
            (&self.events, &other.events, &self.end, &other.end)
        else {
            return 0.0;
        };
        let pairs = a.first.iter().zip(&b.first).map(|((_, s), (_, t))| (*s, *t));
        let times = pairs.chain([(a.mean_t, b.mean_t), (end.t, other_end.t)]);
        let length = (end.t - end.from).abs().max(f64::MIN_POSITIVE);
        times.map(|(s, t)| (s - t).abs() / length).fold(0.0, larger_or_nan)
    }

    /// The largest difference of a state at the end, by its size.
    fn apart_in_state(&self, other: &Self) -> f64 {
        let (Some(a), Some(b)) = (&self.end, &other.end) else { return 0.0 };
        let pairs = a.y.iter().zip(&b.y).chain([(&a.norm, &b.norm)]);
        pairs
            .map(|(y, z)| (y - z).abs() / y.abs().max(a.floor).max(f64::MIN_POSITIVE))
            .fold(0.0, larger_or_nan)
    }

    /// In what a new run differs from this one by more than is allowed.
    pub(super) fn differences(&self, new: &Self) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut report = |what, text| found.push(Difference { what, text });
        if self.outcome != new.outcome {
            report("outcome", format!("{} -> {}", self.outcome, new.outcome));
            return found;
        }
        let (Some(before), Some(after)) = (&self.events, &new.events) else { return found };
        if self.spread == Some(Spread::Other) {
            return found;
        }
        if before.names == after.names {
            let (time, state) = self.allowed();
            let (late, off) = (self.apart_in_time(new), self.apart_in_state(new));
            // A comparison with NaN is not one that holds.
            if late.is_nan() || late > time {
                report("times", format!("{late:.1e} of the run apart, {time:.1e} allowed"));
            }
            if off.is_nan() || off > state {
                report("end", format!("{off:.1e} apart, {state:.1e} allowed"));
            }
        } else {
            report("events", before.in_words(after));
        }
        if new.work.rhs as f64 > (1.0 + MORE_WORK) * self.work.rhs as f64 {
            let more = 100.0 * (new.work.rhs as f64 / self.work.rhs as f64 - 1.0);
            report("rhs", format!("{} -> {} (+{more:.1} %)", self.work.rhs, new.work.rhs));
        }
        found
    }

    /// How far times and states may be apart.
    fn allowed(&self) -> (f64, f64) {
        let tolerance = self.run.tolerance;
        match self.spread {
            Some(Spread::By(time, state)) => (ALLOWED * time.max(tolerance), ALLOWED * state.max(tolerance)),
            _ => (ALLOWED * tolerance, ALLOWED * tolerance),
        }
    }
}

impl EventsPrint {
    fn of(run: &Trajectory, digits: usize) -> Self {
        let name = |event: &Event| {
            let name = |&g: &usize| run.guard_names[g].as_str();
            let rounds = event.rounds.iter().map(|round| round.guards.iter().map(name).collect::<Vec<_>>());
            let rounds: Vec<String> = rounds.map(|names| names.join("+")).collect();
            let kinds: Vec<&str> = event.kinds.iter().map(|kind| kind.name()).collect();
            format!("{}:{}", rounds.join(">"), kinds.join("+"))
        };
        let names: Vec<String> = run.events.iter().map(name).collect();
        let digest = Sha256::digest(names.join("\n"));
        let count = run.events.len();
        let sum: f64 = run.events.iter().map(|event| event.t).sum();
        let times = run.events.iter().map(|event| rounded(event.t, digits));
        Self {
            count,
            names: format!("{:08x}", u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])),
            mean_t: if count > 0 { rounded(sum / count as f64, digits) } else { 0.0 },
            first: names.iter().cloned().zip(times).take(STORED_EVENTS).collect(),
        }
    }

    /// Where other events begin.
    fn in_words(&self, new: &Self) -> String {
        let counts = format!("{} -> {} events", self.count, new.count);
        let differs = self.first.iter().zip(&new.first).find(|((a, _), (b, _))| a != b);
        let first = differs.map(|((a, t), (b, s))| format!("first `{a}` at {t} -> `{b}` at {s}"));
        let least = self.first.len().min(new.first.len());
        format!("{counts}, {}", first.unwrap_or_else(|| format!("the first {least} are the same")))
    }
}

impl EndPrint {
    fn of(run: &FingerprintRun, trajectory: &Trajectory) -> Self {
        let (y, tolerances) = (trajectory.end_state(), &run.options.tolerances);
        let digits = digits(run.tolerance);
        let floors = (0..y.len()).map(|i| tolerances.absolute.get(i) / tolerances.relative.get(i));
        Self {
            from: trajectory.start_time(),
            t: rounded(trajectory.end_time(), digits),
            y: y.iter().take(STORED_STATES).map(|y| rounded(*y, digits)).collect(),
            norm: rounded(y.iter().map(|y| y * y).sum::<f64>().sqrt(), digits),
            floor: rounded(floors.fold(0.0, f64::max), FEW_DIGITS),
        }
    }
}

impl WorkPrint {
    fn of(s: &Statistics) -> Self {
        Self {
            rhs: s.derivatives,
            jacobians: s.jacobians,
            accepted: s.accepted,
            rejected: s.rejected,
            guards: s.guards,
        }
    }
}

/// How many digits are stored where results hold to a tolerance.
fn digits(tolerance: f64) -> usize {
    let coarser =
        std::iter::successors(Some(0.1), |x| Some(0.1 * x)).take_while(|x| *x > ROUNDING * tolerance);
    coarser.take(MOST_DIGITS).count() + 1 + MORE_DIGITS
}

fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print() -> Fingerprint {
        let first = vec![("floor:reset".to_owned(), 0.5)];
        Fingerprint {
            run: RunKey {
                suite: "events".to_owned(),
                problem: "ball".to_owned(),
                method: "dopri5".to_owned(),
                form: "ode".to_owned(),
                tolerance: 1e-6,
                number: 0,
            },
            outcome: "reached-end".to_owned(),
            events: Some(EventsPrint { count: 1, names: "a".to_owned(), mean_t: 0.5, first }),
            end: Some(EndPrint { from: 0.0, t: 2.0, y: vec![1.0, 0.0], norm: 1.0, floor: 0.01 }),
            work: WorkPrint { rhs: 100, ..WorkPrint::default() },
            spread: None,
        }
    }

    fn what(old: &Fingerprint, new: &Fingerprint) -> Vec<&'static str> {
        old.differences(new).iter().map(|difference| difference.what).collect()
    }

    #[test]
    fn what_is_equal_but_for_the_tolerance_has_no_differences() {
        let mut new = print();
        assert!(what(&print(), &new).is_empty());
        new.end.as_mut().unwrap().y = vec![1.0 + 9e-6, 9e-8];
        new.events.as_mut().unwrap().first[0].1 = 0.5 + 1.9e-5;
        new.work.rhs = 102;
        assert!(what(&print(), &new).is_empty());
    }

    #[test]
    fn times_states_and_work_beyond_what_is_allowed_are_reported() {
        let mut new = print();
        new.end.as_mut().unwrap().y[1] = 1.1e-7;
        new.events.as_mut().unwrap().first[0].1 = 0.5 + 2.1e-5;
        new.work.rhs = 103;
        assert_eq!(what(&print(), &new), ["times", "end", "rhs"]);
        new.end.as_mut().unwrap().y[1] = f64::NAN;
        new.work.rhs = 50;
        assert_eq!(what(&print(), &new), ["times", "end"]);
    }

    #[test]
    fn other_events_and_another_outcome_are_reported_alone() {
        let mut new = print();
        new.events.as_mut().unwrap().names = "b".to_owned();
        new.end.as_mut().unwrap().y[0] = 7.0;
        assert_eq!(what(&print(), &new), ["events"]);
        new.outcome = "step-limit".to_owned();
        assert_eq!(what(&print(), &new), ["outcome"]);
    }

    #[test]
    fn what_a_nearby_run_changes_is_allowed_tenfold() {
        let mut nearby = print();
        nearby.end.as_mut().unwrap().y[0] = 1.001;
        let old = print().with_spread(&nearby);
        let mut new = print();
        new.end.as_mut().unwrap().y[0] = 1.0099;
        assert!(what(&old, &new).is_empty());
        new.end.as_mut().unwrap().y[0] = 1.011;
        assert_eq!(what(&old, &new), ["end"]);
        nearby.events.as_mut().unwrap().names = "b".to_owned();
        assert!(what(&print().with_spread(&nearby), &new).is_empty());
    }

    #[test]
    fn more_digits_are_stored_than_the_tolerance_has() {
        assert_eq!([digits(1e-6), digits(1e-4), digits(3e-9)], [9, 7, 12]);
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let old = print().with_spread(&print());
        let text = serde_json::to_string(&old).unwrap();
        assert_eq!(serde_json::from_str::<Fingerprint>(&text).unwrap(), old);
    }
}
