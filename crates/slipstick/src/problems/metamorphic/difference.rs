//! How two accounts of the same model differ, and how far they may.

use super::account::Account;
use super::growth::LARGE;
use crate::math::larger_or_nan;

/// How two accounts differ first.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// When.
    pub t: f64,
    /// In what.
    pub what: DifferenceKind,
    /// The guard or state that it is about; empty if it is about the whole run.
    pub name: String,
    /// In words.
    pub text: String,
    /// How far apart both are, as a part of the run's length or of the state's size; infinite where an event
    /// is missing or the ends are of different kinds.
    pub size: f64,
}

/// In what two accounts can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// An event of the first is not in the second.
    Missing,
    /// The second has an event that is not in the first.
    Extra,
    /// The same event is at another time.
    Time,
    /// The run ended for another reason, or failed.
    Outcome,
    /// The mode at the end is another.
    Mode,
    /// The state at the end is another.
    End,
    /// The second contradicts itself.
    Broken,
}

impl DifferenceKind {
    /// A stable word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing-event",
            Self::Extra => "extra-event",
            Self::Time => "event-time",
            Self::Outcome => "outcome",
            Self::Mode => "mode",
            Self::End => "end-state",
            Self::Broken => "broken-run",
        }
    }
}

/// How far two accounts may be apart.
pub(super) struct Allowance<'a> {
    /// In time, where nothing else is known.
    pub(super) time: f64,
    /// In each component of the end, as a part of its size.
    pub(super) end: f64,
    /// How far small changes of the model move it; none where that was not measured.
    pub(super) spread: Option<&'a Spread>,
}

/// How far small changes of a model move its events and its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spread {
    /// Of the events of each name, in order.
    pub(super) times: Vec<(String, Vec<f64>)>,
    /// Of each component of the end.
    pub(super) end: Vec<f64>,
    /// Of the time at the end, and of the estimate.
    pub(super) end_time: f64,
    /// How long the run is.
    pub(super) span: f64,
    /// The first time from which on events are others.
    pub(super) horizon: Option<f64>,
    /// How many changes leave the events as they are; the end is that of these.
    pub(super) alike: usize,
}

/// Two accounts may be this many times as far apart as small changes move them: few directions were tried.
const MORE: f64 = 10.0;

impl Allowance<'_> {
    fn of_event(&self, name: &str, number: usize) -> f64 {
        let of_name = |(own, times): &&(String, Vec<f64>)| own == name && number < times.len();
        let spread = self.spread.and_then(|spread| spread.times.iter().find(of_name));
        self.time.max(spread.map_or(0.0, |(_, times)| self.widest().min(MORE * times[number])))
    }

    fn of_end_time(&self) -> f64 {
        self.time.max(self.spread.map_or(0.0, |spread| self.widest().min(MORE * spread.end_time)))
    }

    /// However far changes move an event: further than this it is not the same.
    fn widest(&self) -> f64 {
        LARGE * self.spread.map_or(0.0, |spread| spread.span)
    }

    fn of_end(&self, component: usize, size: f64) -> f64 {
        let spread = self.spread.and_then(|spread| spread.end.get(component)).copied().unwrap_or_default();
        (self.end * size).max((MORE * spread).min(LARGE * size))
    }
}

/// How far apart the ends of two accounts are, as a part of the states' sizes.
pub(super) fn distance_of_ends(first: &Account, second: &Account) -> f64 {
    let pairs = first.end.iter().zip(&second.end).zip(&first.sizes);
    pairs.map(|((a, b), size)| (a - b).abs() / size).fold(0.0, larger_or_nan)
}

/// The first difference of two accounts that is larger than allowed.
pub(super) fn difference(first: &Account, second: &Account, allowed: &Allowance<'_>) -> Option<Difference> {
    if let Some(text) = &second.broken {
        return Some(whole(DifferenceKind::Broken, second.end_time, text.clone()));
    }
    let outcome = outcome_difference(first, second, allowed);
    let events = event_difference(first, second, allowed);
    let first_of = [events, outcome].into_iter().flatten().min_by(|a, b| a.t.total_cmp(&b.t));
    first_of
        .or_else(|| end_difference(first, second, allowed).filter(|_| comparable(first, second).is_none()))
}

/// Until when two accounts can be compared event by event, if not to their end: from where hits were stepped over on,
/// which only first order is claimed for.
fn comparable(first: &Account, second: &Account) -> Option<f64> {
    [first.captured, second.captured].into_iter().flatten().reduce(f64::min)
}

fn whole(what: DifferenceKind, t: f64, text: String) -> Difference {
    Difference { t, what, name: String::new(), text, size: f64::INFINITY }
}

pub(super) fn outcome_difference(
    first: &Account,
    second: &Account,
    allowed: &Allowance<'_>,
) -> Option<Difference> {
    let t = first.end_time.min(second.end_time);
    if first.outcome != second.outcome {
        let text = format!("{} at t = {}, not {}", second.outcome, second.end_time, first.outcome);
        return Some(whole(DifferenceKind::Outcome, t, text));
    }
    let estimates = first.estimate.zip(second.estimate).unwrap_or((first.end_time, second.end_time));
    let apart = (estimates.0 - estimates.1).abs();
    // Where both stop is a matter of resolution if events accumulate; the limit is not.
    (apart > allowed.of_end_time() && comparable(first, second).is_none()).then(|| {
        let text = format!("{} at t = {}, not {}", second.outcome, estimates.1, estimates.0);
        Difference { size: apart / first.span(), ..whole(DifferenceKind::Outcome, t, text) }
    })
}

fn end_difference(first: &Account, second: &Account, allowed: &Allowance<'_>) -> Option<Difference> {
    if first.mode != second.mode {
        let text = format!("the mode at the end is number {}, not {}", second.mode, first.mode);
        return Some(whole(DifferenceKind::Mode, first.end_time, text));
    }
    let apart = |i: usize| (first.end[i] - second.end[i]).abs();
    let too_far = |i: &usize| apart(*i) > allowed.of_end(*i, first.sizes[*i]) || apart(*i).is_nan();
    let count = first.end.len().min(second.end.len());
    (0..count).find(too_far).map(|i| Difference {
        t: first.end_time,
        what: DifferenceKind::End,
        name: first.state_names[i].clone(),
        text: format!("`{}` ends at {}, not at {}", first.state_names[i], second.end[i], first.end[i]),
        size: apart(i) / first.sizes[i],
    })
}

pub(super) fn event_difference(
    first: &Account,
    second: &Account,
    allowed: &Allowance<'_>,
) -> Option<Difference> {
    let mut names = [first.names(), second.names()].concat();
    names.sort_unstable();
    names.dedup();
    let of_name = |name: &&str| times_differ(first, second, name, allowed);
    names.iter().filter_map(of_name).min_by(|a, b| a.t.total_cmp(&b.t))
}

fn times_differ(
    first: &Account,
    second: &Account,
    name: &str,
    allowed: &Allowance<'_>,
) -> Option<Difference> {
    let spans = unresolved(first, name, allowed.time);
    let [a, b] = [first, second].map(|account| outside(&account.times(name), &spans));
    let last = first.end_time.min(second.end_time).min(comparable(first, second).unwrap_or(f64::INFINITY));
    for number in 0..a.len().max(b.len()) {
        let may = allowed.of_event(name, number);
        if a.get(number).into_iter().chain(b.get(number)).all(|t| *t >= last) {
            break;
        }
        let (t, what) = match (a.get(number), b.get(number)) {
            (Some(a), Some(b)) if (a - b).abs() <= may => continue,
            (Some(a), Some(b)) => {
                let (t, apart) = (a.min(*b), (a - b).abs());
                let text = format!("event {} of `{name}` is at t = {b}, not at {a}", number + 1);
                let size = apart / first.span();
                return Some(Difference { t, what: DifferenceKind::Time, name: name.to_owned(), text, size });
            }
            (Some(a), None) => (*a, DifferenceKind::Missing),
            (None, Some(b)) => (*b, DifferenceKind::Extra),
            (None, None) => break,
        };
        // What happens at the very end may come just too late.
        if t >= last - may {
            break;
        }
        let word = if what == DifferenceKind::Missing { "is missing" } else { "is one too many" };
        let text = format!("event {} of `{name}` at t = {t} {word}", number + 1);
        return Some(Difference { t, what, name: name.to_owned(), text, size: f64::INFINITY });
    }
    None
}

/// So many intervals in a row, each shorter than the one before, are an accumulation when they fall below
/// what can be resolved.
const SHRINKING: usize = 4;
/// Events nearer to each other than so many times what is allowed cannot be counted: half of it stays between
/// the last that can and the first that cannot.
const RESOLVED: f64 = 4.0;

/// When events accumulate and cannot be resolved: how many of them are found there is a matter of rounding.
pub(super) fn accumulations(times: &[f64], allowed: f64) -> Vec<[f64; 2]> {
    let mut spans: Vec<[f64; 2]> = Vec::new();
    let mut begin = 0;
    for end in 1..=times.len() {
        if spans.last().is_some_and(|span| times[end - 1] <= span[1]) {
            begin = end;
            continue;
        }
        if let Some((interval, ratio)) = shrinking(&times[begin..end]).filter(|s| s.0 < RESOLVED * allowed) {
            let t = times[end - 1];
            // A geometric sequence goes on for this long.
            let left = interval * ratio / (1.0 - ratio);
            spans.push([t - 0.5 * interval, t + 2.0 * left + allowed]);
        }
    }
    spans
}

/// The ends of the names of events that accumulate before a contact comes to rest.
const HITS: [&str; 2] = [".hit", ".lift"];
/// The beginning of the names of what happens to contacts.
const CONTACT: &str = "contact.";

/// When events of this name cannot be counted. Hits of one contact accumulate within those of another: what comes in
/// between two hits that cannot be told apart has as many outcomes.
fn unresolved(account: &Account, name: &str, allowed: f64) -> Vec<[f64; 2]> {
    let (times, is_hit) = (account.times(name), |name: &str| HITS.iter().any(|kind| name.ends_with(kind)));
    let with: Vec<&str> =
        account.names().into_iter().filter(|other| *other == name || is_hit(name) && is_hit(other)).collect();
    let mut spans: Vec<[f64; 2]> =
        with.iter().flat_map(|name| accumulations(&account.times(name), allowed)).collect();
    if name.starts_with(CONTACT) {
        spans.extend(account.rests.iter().map(|&t| before_rest(&times, t, RESOLVED * allowed)));
    }
    spans
}

/// When a contact has just come to rest, or is about to. It begins between two events.
fn before_rest(times: &[f64], rest: f64, width: f64) -> [f64; 2] {
    let within = times.partition_point(|t| *t < rest - width);
    let before = within.checked_sub(1).map_or(rest - 2.0 * width, |last| times[last]);
    [(rest - width).midpoint(before.max(rest - 2.0 * width)), rest + width]
}

fn outside(times: &[f64], spans: &[[f64; 2]]) -> Vec<f64> {
    let is_outside = |t: &f64| !spans.iter().any(|span| span[0] <= *t && *t <= span[1]);
    times.iter().copied().filter(is_outside).collect()
}

/// The last interval and the largest ratio of the last ones, if all are shorter than those before.
fn shrinking(times: &[f64]) -> Option<(f64, f64)> {
    let last = times.len().checked_sub(SHRINKING + 2).map(|first| &times[first..])?;
    let intervals: Vec<f64> = last.windows(2).map(|w| w[1] - w[0]).collect();
    let ratio = intervals.windows(2).map(|w| w[1] / w[0]).fold(0.0, f64::max);
    let shrinks = intervals.windows(2).all(|w| w[1] < w[0]);
    shrinks.then(|| (intervals[intervals.len() - 1], ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events that halve their intervals are kept while they can be told apart; what comes after the limit is
    /// kept too.
    #[test]
    fn an_accumulation_is_cut_where_it_cannot_be_resolved() {
        let mut times: Vec<f64> = (0..40).map(|k| 2.0 - 0.5_f64.powi(k)).collect();
        times.push(3.0);
        let spans = accumulations(&times, 1e-3);
        let kept = outside(&times, &spans);
        assert_eq!(spans.len(), 1);
        assert!((8..14).contains(&kept.len()), "{kept:?}");
        assert_eq!(kept.last(), Some(&3.0));
        let shifted: Vec<f64> = times.iter().map(|t| t + 1e-3).collect();
        assert_eq!(outside(&shifted, &spans).len(), kept.len());
    }

    /// An event that fires many times at once is not an accumulation.
    #[test]
    fn repetitions_are_kept() {
        let times = [0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0];
        assert_eq!(accumulations(&times, 1e-3), Vec::<[f64; 2]>::new());
    }
}
