//! What a run of a model is compared with: its end by two methods at a tolerance much tighter than any other.

use super::Known;
use crate::equations::{MassKind, System};
use crate::math::larger_or_nan;
use crate::simulate::{Failure, Monitor, Plan, simulate_watched};
use crate::step::{Method, Tolerances};
use crate::trajectory::Trajectory;

/// What is known of the end of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// When it is and how long the run takes until then, if an event can end it.
    pub time: Option<(f64, f64)>,
    /// The states there.
    pub states: Vec<Known>,
}

impl End {
    /// As a run has it. States are judged by the largest size that they have in it, or that tolerances are
    /// absolute up to.
    fn of(run: &Trajectory, tolerances: &Tolerances) -> Self {
        let smallest = |i: usize| tolerances.absolute.get(i) / tolerances.relative.get(i);
        let mut sizes: Vec<f64> = (0..run.end_state().len()).map(smallest).collect();
        for segment in &run.segments {
            let within = segment.steps().iter().map(|step| segment.state(step.t));
            for y in within.chain([segment.start.clone(), segment.end.clone()]) {
                sizes.iter_mut().zip(&y).for_each(|(size, y)| *size = size.max(y.abs()));
            }
        }
        let known = |(place, &value): (usize, &f64)| Known { place, value, size: sizes[place] };
        let time = Some((run.end_time(), run.end_time() - run.start_time()));
        Self { time, states: run.end_state().iter().enumerate().map(known).collect() }
    }

    /// The largest error of the end of a run, each by its size.
    pub fn error_of(&self, run: &Trajectory) -> f64 {
        let y = run.end_state();
        let of_state = |known: &Known| (y[known.place] - known.value).abs() / known.size;
        let of_time = self.time.map(|(t, duration)| match (run.end_time() - t).abs() {
            0.0 => 0.0,
            late => late / duration.abs(),
        });
        self.states.iter().map(of_state).chain(of_time).reduce(larger_or_nan).unwrap_or(f64::NAN)
    }
}

/// What a run of a model is compared with: its end by two methods at a tolerance much tighter than any other.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The methods.
    pub methods: [Method; 2],
    /// The tolerance.
    pub tolerance: f64,
    /// How far apart their ends are, each state by its size.
    pub apart: f64,
    /// The end by the first of them.
    pub end: End,
}

/// The code of runs that made too many steps.
const STEP_LIMIT: &str = "step-limit";

/// Why there is no reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoReference {
    /// In words.
    pub reason: String,
    /// How a run stopped early, by its code, if one did.
    pub outcome: Option<&'static str>,
    /// What to do about it.
    pub hint: Option<&'static str>,
}

impl Reference {
    /// Methods for a reference, the first two that come to the end.
    const METHODS: [Method; 5] = [
        Method::DormandPrince8,
        Method::Radau5,
        Method::HalfExplicit5,
        Method::DormandPrince5,
        Method::Rodas4,
    ];

    /// For a plan, four digits beyond the tightest tolerance that it is compared at, with no more than so
    /// many steps each.
    pub fn of(
        plan: &Plan,
        tightest: f64,
        most_steps: u64,
        monitor: &mut dyn Monitor,
    ) -> Result<Self, NoReference> {
        let tolerance = (1e-4 * tightest).clamp(1e-13, 1e-8);
        let tolerances = plan.options.tolerances.at(tolerance);
        let mut found: Option<(Method, End)> = None;
        let mut failure: Option<NoReference> = None;
        for method in Self::METHODS.into_iter().filter(|method| suits(*method, plan)) {
            let mut options = plan.options.clone().with_method(method);
            options.tolerances = tolerances.clone();
            (options.steps.fixed, options.limits.steps) = (None, most_steps);
            let result = simulate_watched(&plan.system, &plan.start, &options, monitor);
            let run = match NoReference::or_run(method, result) {
                Ok(run) => run,
                Err(own) if own.is_final() => return Err(own),
                Err(own) => {
                    failure = Some(own.or_more_telling(failure));
                    continue;
                }
            };
            match &found {
                None => found = Some((method, End::of(&run, &tolerances))),
                Some((first, end)) => {
                    let apart = end.error_of(&run);
                    return Ok(Self { methods: [*first, method], tolerance, apart, end: end.clone() });
                }
            }
        }
        Err(failure.unwrap_or_default())
    }
}

impl NoReference {
    /// A run that came to its end, or why it did not.
    fn or_run(method: Method, result: Result<Trajectory, Box<Failure>>) -> Result<Trajectory, Self> {
        let (why, outcome, hint) = match result {
            Ok(run) if run.outcome.is_complete() => return Ok(run),
            Ok(run) => (run.outcome.to_string(), Some(run.outcome.code()), run.outcome.hint()),
            Err(failed) => (failed.error.to_string(), None, Some(failed.error.hint())),
        };
        Err(Self { reason: format!("{}: {why}", method.name()), outcome, hint })
    }

    /// Whether other methods would stop as well. Only a limit on steps, and an error, say nothing about them.
    fn is_final(&self) -> bool {
        self.outcome.is_some_and(|code| code != STEP_LIMIT)
    }

    /// The first of both, unless that ran out of steps and the second says why.
    fn or_more_telling(self, first: Option<Self>) -> Self {
        match first {
            Some(first) if first.outcome.is_none() || self.outcome.is_some() => first,
            _ => self,
        }
    }
}

/// Whether a method can run a plan at all.
fn suits(method: Method, plan: &Plan) -> bool {
    let takes_terms =
        plan.system.shape().layout.v > 0 && !plan.options.constraints.stabilisation.changes_the_motion();
    let facts = method.facts();
    (!facts.mechanisms_only || takes_terms)
        && (facts.implicit || plan.system.shape().mass_kind == MassKind::Identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_more_than_a_limit_on_steps() {
        let limit =
            |name: &str| NoReference { reason: name.to_owned(), outcome: Some(STEP_LIMIT), hint: None };
        let error = |name: &str| NoReference { reason: name.to_owned(), outcome: None, hint: None };
        let first = limit("a").or_more_telling(None);
        assert_eq!(limit("b").or_more_telling(Some(first.clone())).reason, "a");
        assert_eq!(error("c").or_more_telling(Some(first)).reason, "c");
        assert_eq!(limit("d").or_more_telling(Some(error("c"))).reason, "c");
        assert_eq!(error("e").or_more_telling(Some(error("c"))).reason, "c");
        assert!(!limit("a").is_final() && !error("a").is_final());
    }
}
