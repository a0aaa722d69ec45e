//! The same problems with several methods at several tolerances: error, drift and work of each run.

use super::{Known, MechanismProblem, Problem, Work};
use crate::equations::{MassKind, System};
use crate::formulation::Stabilisation;
use crate::math::larger_or_nan;
use crate::simulate::{
    Error, Failure, MDOP5, Monitor, Options, Plan, Start, check_options, simulate_watched,
};
use crate::step::Method;
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
    /// From `METHOD` or `METHOD+STABILISATION`; `mdop5` is `dopri5+project` and takes no other. The error is the part that is unknown.
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
    /// The absolute tolerance for a relative one of one.
    pub absolute: f64,
    /// What is known of the state at the end.
    pub end: Vec<Known>,
    /// How far that may be from the truth.
    pub uncertainty: f64,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The largest error of a known state at the end, divided by its size; none if the run did not come to its end.
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
            absolute: 0.1,
            end: self.end.clone(),
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
            absolute: self.absolute,
            end: self.end.iter().enumerate().map(known).collect(),
            uncertainty: 0.0,
        }
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
    pub end: Vec<Known>,
}

/// Why there is no reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoReference {
    /// In words.
    pub reason: String,
    /// How a run stopped early, by its code, if one did.
    pub outcome: Option<&'static str>,
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

    /// For a plan, four digits beyond the tightest tolerance that it is compared at, with no more than so many steps each.
    pub fn of(
        plan: &Plan,
        tightest: f64,
        most_steps: u64,
        monitor: &mut dyn Monitor,
    ) -> Result<Self, NoReference> {
        let tolerance = (1e-4 * tightest).clamp(1e-13, 1e-8);
        let mut found: Vec<(Method, Vec<f64>)> = Vec::new();
        let mut failure = NoReference { reason: String::new(), outcome: None };
        for method in Self::METHODS.into_iter().filter(|method| suits(*method, plan)) {
            let mut options =
                plan.options.clone().with_method(method).tolerances(tolerance, 0.01 * tolerance);
            (options.fixed_step, options.limits.steps) = (None, most_steps);
            match simulate_watched(&plan.system, &plan.start, &options, monitor) {
                Ok(run) if run.outcome.is_complete() => found.push((method, run.end_state().to_vec())),
                Ok(run) => {
                    failure.reason = format!("{}: {}", method.name(), run.outcome);
                    failure.outcome = Some(run.outcome.code());
                }
                Err(_) if failure.outcome.is_some() => {}
                Err(failed) => failure.reason = format!("{}: {}", method.name(), failed.error),
            }
            // Only a limit on steps says nothing about other methods.
            if failure.outcome.is_some_and(|code| code != "step-limit") {
                return Err(failure);
            }
            if let [(first, a), (second, b)] = found.as_slice() {
                let known =
                    |(place, &value): (usize, &f64)| Known { place, value, size: value.abs().max(1.0) };
                let end: Vec<Known> = a.iter().enumerate().map(known).collect();
                return Ok(Self { methods: [*first, *second], tolerance, apart: error_of(&end, b), end });
            }
        }
        Err(failure)
    }
}

/// Whether a method can run a plan at all.
fn suits(method: Method, plan: &Plan) -> bool {
    let takes_terms = plan.system.layout().v > 0 && !plan.options.stabilisation.changes_the_motion();
    let facts = method.facts();
    (!facts.mechanisms_only || takes_terms)
        && (facts.implicit || plan.system.mass_kind() == MassKind::Identity)
}

fn error_of(end: &[Known], y: &[f64]) -> f64 {
    let error = |known: &Known| (y[known.place] - known.value).abs() / known.size;
    end.iter().map(error).reduce(larger_or_nan).unwrap_or(f64::NAN)
}

impl Case<'_> {
    /// What is asked of a run with an entrant at a tolerance. What the problem says for another method is left out, and so is a fixed step.
    pub fn options_for(&self, entrant: &Entrant, tolerance: f64) -> Options {
        let options = self.options.clone().with_method(entrant.method);
        let mut options = options.tolerances(tolerance, self.absolute * tolerance);
        options.stabilisation = entrant.stabilisation.unwrap_or(options.stabilisation);
        options.stabilisation_is_said |= entrant.stabilisation.is_some();
        options.fixed_step = None;
        options.without_idle_corrections()
    }

    /// Why no run with an entrant can begin, if none can.
    pub fn refusal(&self, entrant: &Entrant) -> Option<Error> {
        check_options(self.system, &self.options_for(entrant, 1e-6)).err()
    }

    /// What the problem says and a run with an entrant leaves out, by the words of the section `run` of a model file.
    pub fn left_out(&self, entrant: &Entrant) -> Vec<&'static str> {
        let (said, used) = (self.options, self.options_for(entrant, 1e-6));
        let replaced = entrant.stabilisation.is_none() && said.stabilisation != used.stabilisation;
        let parts = [
            ("fixed_step", said.fixed_step.is_some()),
            ("rho_infinity", said.rho_infinity != used.rho_infinity),
            ("stabilisation", replaced),
            ("metric", said.metric != used.metric),
            ("datol", said.drift_tolerance != used.drift_tolerance),
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
        let work = Work::on(self.system).of_all(&run.statistics.shares);
        let has_run = !run.segments.is_empty();
        let joints = if has_run { Joints::of(self.system, &options.upkeep(), &run) } else { None };
        let error = failure.is_none().then(|| error_of(&self.end, run.end_state()));
        Entry { error, joints, work, statistics: run.statistics, failure, hint }
    }
}
