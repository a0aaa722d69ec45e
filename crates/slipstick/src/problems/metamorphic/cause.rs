//! Why an event is not robust.

use super::account::Account;
use super::difference::{Difference, DifferenceKind};
use super::growth::ErrorGrowth;
use super::subject::Setup;
use crate::simulate::simulate;
use std::fmt;

/// Why an event is not robust.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Its guard comes near to zero and turns back, or goes just through it.
    Graze {
        /// How near to zero the guard turns.
        extreme: f64,
        /// How large the guard is in the run at most.
        range: f64,
        /// When it turns.
        t: f64,
    },
    /// Its events accumulate, and errors decide how many of them are found.
    Zeno {
        /// The last interval as a part of the one before.
        ratio: f64,
        /// When they accumulate, about.
        t: f64,
    },
    /// It happens together with another event, and errors decide which comes first.
    Order {
        /// The other event.
        other: String,
        /// How far apart they are.
        apart: f64,
    },
    /// Its guard is zero where the run begins.
    Start,
    /// Errors have grown to the size of the motion.
    Chaos,
    /// Small changes of the model do not make this difference: the variants contradict each other.
    Unexplained,
}

impl Cause {
    /// A stable word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Graze { .. } => "graze",
            Self::Zeno { .. } => "zeno",
            Self::Order { .. } => "order",
            Self::Start => "start",
            Self::Chaos => "chaos",
            Self::Unexplained => "unexplained",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graze { extreme, range, t } => write!(
                f,
                "it grazes: its guard turns at {extreme:.1e} from zero (t = {t:.6}), and is up to {range:.1e} in the run; \
                 errors within the tolerance decide whether it fires"
            ),
            Self::Zeno { ratio, t } => write!(
                f,
                "its events accumulate at about t = {t:.6} (Zeno; each interval is {ratio:.4} of the one before), and errors decide how many are found"
            ),
            Self::Order { other, apart } => {
                write!(
                    f,
                    "it happens within {apart:.1e} of `{other}`, and errors decide which of them comes first"
                )
            }
            Self::Start => write!(f, "its guard is zero where the run begins"),
            Self::Chaos => write!(f, "errors have grown to the size of the motion by then"),
            Self::Unexplained => {
                write!(
                    f,
                    "small changes of the model do not make this difference: the variants contradict each other"
                )
            }
        }
    }
}

/// What is near in time is nearer than this part of the run.
const NEAR: f64 = 1e-2;
/// What is together is nearer than this part of the run.
const TOGETHER: f64 = 1e-5;
/// A guard that grazes turns within this part of its range.
const GRAZES: f64 = 1e-3;
/// So many intervals, each shorter than the one before, are an accumulation.
const SHRINKING: usize = 5;
/// A guard is looked at so often about a time.
const LOOKS: u32 = 400;

/// Looks for the reason of a difference between two runs. `explained` says whether small changes of the model
/// make it as well.
pub(super) fn cause_of(
    difference: &Difference,
    runs: [(&Setup, &Account); 2],
    growth: Option<ErrorGrowth>,
    explained: bool,
) -> Cause {
    let accounts = runs.map(|(_, account)| account);
    let span = accounts[0].span();
    let has_grown =
        growth.and_then(|growth| growth.from).is_some_and(|from| difference.t >= from - NEAR * span);
    let is_event =
        !matches!(difference.what, DifferenceKind::End | DifferenceKind::Mode | DifferenceKind::Broken);
    let own = |account: &Account| zeno(&account.times(&difference.name), difference.t, span);
    let zeno = accounts.into_iter().find_map(own).filter(|_| is_event);
    let at_start = is_event && difference.t - accounts[0].from <= TOGETHER * span;
    let of_motion = || {
        let graze =
            runs.iter().find_map(|(setup, account)| graze(setup, account, difference)).filter(|_| is_event);
        graze.or_else(|| order(accounts, difference)).or(has_grown.then_some(Cause::Chaos))
    };
    let cause = zeno.or(at_start.then_some(Cause::Start)).or_else(of_motion);
    cause
        .filter(|cause| explained || matches!(cause, Cause::Zeno { .. } | Cause::Graze { .. }))
        .unwrap_or(Cause::Unexplained)
}

/// Intervals that shrink before a time, or about it.
pub(super) fn zeno(times: &[f64], t: f64, span: f64) -> Option<Cause> {
    let until = times.iter().filter(|own| **own <= t + NEAR * span).count();
    let last = until.checked_sub(SHRINKING + 1).map(|first| &times[first..until])?;
    let intervals: Vec<f64> = last.windows(2).map(|w| w[1] - w[0]).collect();
    let shrinks = intervals.windows(2).all(|w| w[1] < w[0]);
    let (last, before) = (intervals[intervals.len() - 1], intervals[intervals.len() - 2]);
    let ratio = last / before;
    (shrinks && last < NEAR * span)
        .then(|| Cause::Zeno { ratio, t: times[until - 1] + last * ratio / (1.0 - ratio) })
}

/// Another event at the same time.
fn order(accounts: [&Account; 2], difference: &Difference) -> Option<Cause> {
    let apart = |account: &Account| {
        let others = account.firings.iter().filter(|firing| firing.name != difference.name);
        let near = others.map(|firing| ((firing.t - difference.t).abs(), firing.name.clone()));
        near.filter(|(apart, _)| *apart <= TOGETHER * account.span()).min_by(|a, b| a.0.total_cmp(&b.0))
    };
    accounts.into_iter().find_map(apart).map(|(apart, other)| Cause::Order { other, apart })
}

/// A guard that turns near zero about a time.
fn graze(setup: &Setup, account: &Account, difference: &Difference) -> Option<Cause> {
    let guard = account.guard_names.iter().position(|name| *name == difference.name)?;
    let run = simulate(setup.system.as_ref(), &setup.start, &setup.options);
    let run = run.unwrap_or_else(|failure| failure.trajectory);
    let mut evaluator = setup.system.evaluator();
    let mut value = |t: f64| {
        let state = run.state_after(t)?;
        let value = evaluator.guard(state.mode.locked(setup.system.parameters()), guard, t, &state.y);
        value.is_finite().then_some(value)
    };
    let (from, span) = (run.start_time(), run.end_time() - run.start_time());
    let middle = from + (difference.t - account.from);
    let part = |low: f64, high: f64, k: u32| low + (high - low) * f64::from(k) / f64::from(LOOKS);
    let range =
        (0..=LOOKS).filter_map(|k| value(part(from, from + span, k))).fold(0.0, |a: f64, b| a.max(b.abs()));
    let about: Vec<(f64, f64)> = (0..=LOOKS)
        .map(|k| part(middle - NEAR * span, middle + NEAR * span, k))
        .filter_map(|t| Some((t, value(t)?)))
        .collect();
    let turns = |w: &&[(f64, f64)]| (w[1].1 - w[0].1) * (w[2].1 - w[1].1) < 0.0;
    let nearest =
        about.windows(3).filter(turns).map(|w| w[1]).min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let extreme = nearest.1.abs();
    // A guard that stays at zero does not graze.
    let moves = about.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max) > GRAZES * GRAZES * range;
    (moves && extreme <= GRAZES * range).then_some(Cause::Graze { extreme, range, t: nearest.0 })
}
