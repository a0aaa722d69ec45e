//! The same problems with several methods at several tolerances: error, drift and work of each run.

use super::{Known, MechanismProblem, Problem, Work};
use crate::equations::System;
use crate::formulation::Stabilisation;
use crate::math::larger_or_nan;
use crate::simulate::{Failure, Options, Plan, Start, simulate};
use crate::step::Method;
use crate::trajectory::{Joints, Statistics, Trajectory};

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

/// Dormand and Prince's method with projections onto positions and speeds, as paper 001 means it (section 3.3, equations (35) and (36)).
const MDOP5: &str = "mdop5";

/// What can stand behind the plus of an entrant.
const STABILISATIONS: [Stabilisation; 6] = [
    Stabilisation::None,
    Stabilisation::Once,
    Stabilisation::Twice,
    Stabilisation::Full,
    Stabilisation::Speeds,
    Stabilisation::Project,
];

impl Entrant {
    /// From `METHOD` or `METHOD+STABILISATION`; `mdop5` is `dopri5+project`. The error is the part that is unknown.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (method, suffix) = text.split_once('+').map_or((text, None), |(m, s)| (m, Some(s)));
        let (method, usual) = match method {
            MDOP5 => (Method::DormandPrince5, Some(Stabilisation::Project)),
            name => (Method::from_name(name).ok_or_else(|| name.to_owned())?, None),
        };
        let known = |name: &str| STABILISATIONS.into_iter().find(|s| s.name() == name);
        let stabilisation = match suffix {
            Some(name) => Some(known(name).ok_or_else(|| name.to_owned())?),
            None => usual,
        };
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

/// Runs for a reference go no further than so many steps.
const MOST_STEPS: u64 = 400_000;

impl Reference {
    /// Methods for a reference, the first two that come to the end.
    const METHODS: [Method; 5] = [
        Method::DormandPrince8,
        Method::Radau5,
        Method::HalfExplicit5,
        Method::DormandPrince5,
        Method::Rodas4,
    ];

    /// For a plan, four digits beyond the tightest tolerance that it is compared at. The error says why there is none.
    pub fn of(plan: &Plan, tightest: f64) -> Result<Self, String> {
        let tolerance = (1e-4 * tightest).clamp(1e-13, 1e-8);
        let (mut found, mut failure): (Vec<(Method, Vec<f64>)>, _) = (Vec::new(), String::new());
        for method in Self::METHODS {
            let mut options = plan.options.clone().tolerances(tolerance, 0.01 * tolerance);
            (options.method, options.limits.steps) = (method, MOST_STEPS);
            match simulate(&plan.system, &plan.start, &options) {
                Ok(run) if run.outcome.is_complete() => found.push((method, run.end_state().to_vec())),
                Ok(run) => failure = format!("{}: {}", method.name(), run.outcome),
                Err(failed) => failure = format!("{}: {}", method.name(), failed.error),
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

fn error_of(end: &[Known], y: &[f64]) -> f64 {
    let error = |known: &Known| (y[known.place] - known.value).abs() / known.size;
    end.iter().map(error).reduce(larger_or_nan).unwrap_or(f64::NAN)
}

impl Case<'_> {
    /// What is asked of a run with an entrant at a tolerance.
    pub fn options_for(&self, entrant: &Entrant, tolerance: f64) -> Options {
        let mut options = self.options.clone().tolerances(tolerance, self.absolute * tolerance);
        options.method = entrant.method;
        options.stabilisation = entrant.stabilisation.unwrap_or(options.stabilisation);
        options
    }

    /// Measures what came of a run.
    pub fn measure(&self, options: &Options, result: Result<Trajectory, Box<Failure>>) -> Entry {
        let (run, failure) = match result {
            Ok(run) if run.outcome.is_complete() => (run, None),
            Ok(run) => {
                let failure = format!("{} at t = {}", run.outcome, run.end_time());
                (run, Some(failure))
            }
            Err(failed) => (failed.trajectory, Some(failed.error.to_string())),
        };
        let work = Work::on(self.system).of(options.method, &run.statistics);
        let has_run = !run.segments.is_empty();
        let joints = if has_run { Joints::of(self.system, &options.upkeep(), &run) } else { None };
        let error = failure.is_none().then(|| error_of(&self.end, run.end_state()));
        Entry { error, joints, work, statistics: run.statistics, failure }
    }
}
