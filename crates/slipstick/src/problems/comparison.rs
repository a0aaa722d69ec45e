//! The same problems with several methods at several tolerances: error, drift and work of each run.

use super::{End, Known, MechanismProblem, Problem, Work};
use crate::equations::{ActiveRows, System};
use crate::formulation::Stabilisation;
use crate::simulate::{Error, Failure, Keep, MDOP5, Options, Start, check_options};
use crate::step::{Method, Tolerances};
use crate::trajectory::{Joints, Outcome, Statistics, Trajectory};

/// A method as it takes part: with what keeps constraints met, if that is not what the problem says.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// What it is called.
    pub name: String,
    /// The method.
    pub method: Method,
    /// What keeps the constraints of a mechanism met.
    pub stabilisation: Option<Stabilisation>,
}

/// What can stand behind the plus of an entrant.
const STABILISATIONS: [Stabilisation; 7] = [
    Stabilisation::None,
    Stabilisation::Once,
    Stabilisation::Twice,
    Stabilisation::Full,
    Stabilisation::Speeds,
    Stabilisation::Project,
    Stabilisation::Ggl,
];

impl Entrant {
    /// From `METHOD` or `METHOD+STABILISATION`; `mdop5` is `dopri5+project` and takes no other. The error is
    /// the part that is unknown.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (method, suffix) = text.split_once('+').map_or((text, None), |(m, s)| (m, Some(s)));
        if text == MDOP5 {
            let (method, stabilisation) = (Method::DormandPrince5, Some(Stabilisation::Project));
            return Ok(Self { name: text.to_owned(), method, stabilisation });
        }
        let method = Method::from_name(method).ok_or_else(|| method.to_owned())?;
        let known = |name: &str| STABILISATIONS.into_iter().find(|s| s.name() == name);
        let stabilisation = suffix.map(|name| known(name).ok_or_else(|| name.to_owned())).transpose()?;
        Ok(Self { name: text.to_owned(), method, stabilisation })
    }

    /// Every name that [`parse`](Self::parse) knows, without what can stand behind a plus.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let adaptive = Method::named().filter(|method| method.facts().error_order.is_some());
        adaptive.map(Method::name).chain([MDOP5])
    }

    /// What can stand behind a plus.
    pub fn stabilisations() -> impl Iterator<Item = &'static str> {
        STABILISATIONS.into_iter().map(Stabilisation::name)
    }
}

/// A problem for a comparison.
pub struct Case<'a> {
    /// The name in rows.
    pub name: String,
    /// The part of its suite, if that has parts.
    pub set: &'static str,
    /// The equations.
    pub system: &'a dyn System,
    /// Where it begins.
    pub start: &'a Start,
    /// What is asked of a run beside method and tolerance.
    pub options: &'a Options,
    /// The tolerances at a tolerance of one.
    pub tolerances: Tolerances,
    /// What is known of the end.
    pub end: End,
    /// How far that may be from the truth.
    pub uncertainty: f64,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The largest error of what is known of the end, divided by its size; none if the run did not come to
    /// its end.
    pub error: Option<f64>,
    /// How far joints were open at most.
    pub joints: Option<Joints>,
    /// The cost, in multiplications.
    pub work: f64,
    /// What was counted.
    pub statistics: Statistics,
    /// Why it did not come to its end, if it did not.
    pub failure: Option<String>,
    /// What to do about that.
    pub hint: Option<&'static str>,
}

impl Entry {
    /// Nothing came of it, for it was not made.
    pub fn not_run(why: impl Into<String>) -> Self {
        let (failure, statistics) = (Some(why.into()), Statistics::default());
        Self { error: None, joints: None, work: 0.0, statistics, failure, hint: None }
    }
}

impl MechanismProblem {
    /// For a comparison.
    pub fn case(&self) -> Case<'_> {
        Case {
            name: self.name.clone(),
            set: self.set.name(),
            system: self.system.as_ref(),
            start: &self.start,
            options: &self.options,
            tolerances: Tolerances::uniform(1.0, 0.1),
            end: End { time: None, states: self.end.clone() },
            uncertainty: self.uncertainty,
        }
    }
}

impl Problem {
    /// For a comparison, with its options at any tolerance.
    pub fn case<'a>(&'a self, options: &'a Options) -> Case<'a> {
        let size = |i: usize| self.scale.as_ref().map_or(1.0, |scale| scale[i]);
        let known = |(place, value): (usize, &f64)| Known { place, value: *value, size: size(place) };
        Case {
            name: self.name.to_owned(),
            set: "",
            system: self.system.as_ref(),
            start: &self.start,
            options,
            tolerances: Tolerances::uniform(1.0, self.absolute),
            end: End { time: None, states: self.end.iter().enumerate().map(known).collect() },
            uncertainty: 0.0,
        }
    }
}

impl Case<'_> {
    /// What is asked of a run with an entrant at a tolerance. What the problem says for another method is
    /// left out, and so is a fixed step.
    pub fn options_for(&self, entrant: &Entrant, tolerance: f64) -> Options {
        let mut options = self.options.clone().with_method(entrant.method);
        options.tolerances = self.tolerances.scaled(tolerance);
        options.constraints.stabilisation =
            entrant.stabilisation.unwrap_or(options.constraints.stabilisation);
        options.constraints.stabilisation_is_said |= entrant.stabilisation.is_some();
        options.steps.fixed = None;
        options.keep = Keep::Steps;
        options.without_idle_corrections()
    }

    /// Why no run with an entrant can begin, if none can.
    pub fn refusal(&self, entrant: &Entrant) -> Option<Error> {
        check_options(self.system, &self.options_for(entrant, 1e-6)).err()
    }

    /// What the problem says and a run with an entrant leaves out, by the words of the section `run` of a
    /// model file.
    pub fn left_out(&self, entrant: &Entrant) -> Vec<&'static str> {
        let (said, used) = (self.options, self.options_for(entrant, 1e-6));
        let replaced = entrant.stabilisation.is_none()
            && said.constraints.stabilisation != used.constraints.stabilisation;
        let parts = [
            ("fixed_step", said.steps.fixed.is_some()),
            ("rho_infinity", said.rho_infinity != used.rho_infinity),
            ("stabilisation", replaced),
            ("metric", said.constraints.metric != used.constraints.metric),
            ("datol", said.constraints.drift_tolerance != used.constraints.drift_tolerance),
        ];
        parts.into_iter().filter(|(_, is_left_out)| *is_left_out).map(|(word, _)| word).collect()
    }

    /// Measures what came of a run.
    pub fn measure(&self, options: &Options, result: Result<Trajectory, Box<Failure>>) -> Entry {
        let (run, failure, hint) = match result {
            Ok(run) if run.outcome.is_complete() => (run, None, None),
            Ok(run) => {
                let was_ended = matches!(run.outcome, Outcome::Interrupted { .. });
                let hint = run.outcome.hint().filter(|_| !was_ended);
                let failure = format!("{} at t = {}", run.outcome, run.end_time());
                (run, Some(failure), hint)
            }
            Err(failed) => (failed.trajectory, Some(failed.error.to_string()), Some(failed.error.hint())),
        };
        let rows = ActiveRows::all(self.system.constraints());
        let work = Work::on(self.system, &rows).of_all(&run.statistics.shares);
        let has_run = !run.segments.is_empty();
        let joints = if has_run { Joints::of(self.system, &options.upkeep(), &run) } else { None };
        let error = failure.is_none().then(|| self.end.error_of(&run));
        Entry { error, joints, work, statistics: run.statistics, failure, hint }
    }
}
