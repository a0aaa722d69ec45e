//! What is compared on: a model file with a reference of its own, or a suite of problems with known truths.

use crate::arguments::CompareArguments;
use crate::model_file::{ModelFile, suggestion};
use crate::progress::RunMonitor;
use crate::talk::Trouble;
use slipstick::equations::System;
use slipstick::problems::{
    self, Case, End, MechanismProblem, NoReference, Problem, Reference, mechanism_problems,
};
use slipstick::simulate::{Options, Overrides, Plan};
use slipstick::step::Method;
use std::path::Path;

/// What is compared on, with what the cases borrow from.
pub(super) struct Benchmark {
    /// For the name of the folder.
    pub(super) stem: String,
    pub(super) title: String,
    /// What the errors are measured against.
    pub(super) truth: String,
    pub(super) reference: Option<Reference>,
    kind: Workload,
}

enum Workload {
    Model {
        plan: Box<Plan>,
        /// The method that the model names, and its limit on steps.
        own_method: Option<Method>,
        own_steps: Option<u64>,
        tightest: f64,
    },
    Mechanisms(Vec<MechanismProblem>),
    Plain(Vec<(Problem, Options)>),
}

/// The suites whose problems are not tied to a method.
fn suites() -> impl Iterator<Item = &'static str> {
    problems::SUITES.iter().map(|(name, _)| *name).chain([problems::MECHANISMS.0])
}

/// The most steps of a run where neither command nor model has a limit, and the factor for a reference.
const MOST_STEPS: u64 = 100_000;
const STEPS_FOR_REFERENCE: u64 = 4;

fn tightest(tolerances: &[f64]) -> f64 {
    tolerances.iter().copied().fold(f64::INFINITY, f64::min)
}

fn no_reference(model: &str, failure: &NoReference) -> Trouble {
    let message = format!("`{model}` has no reference to compare with: {}", failure.reason);
    let hint = match failure.outcome {
        Some("step-limit") => {
            "raise it with `--max-steps`, of which the reference has four times as many, shorten `until`, or choose looser `--tolerances`"
        }
        Some("wall-limit") => "raise it with `--max-wall`, shorten `until`, or choose looser `--tolerances`",
        Some("event-limit") => "raise `max_events` of the model, or shorten `until`",
        _ => failure.hint.unwrap_or(
            "shorten `until`, or choose looser `--tolerances`: the reference is four digits tighter",
        ),
    };
    Trouble::new("no-reference", message, hint)
}

impl Benchmark {
    /// Finds out what the first argument means; a model has no reference yet. None if a limit is reached
    /// first.
    pub(super) fn load(arguments: &CompareArguments, watch: &RunMonitor) -> Result<Option<Self>, Trouble> {
        let name = arguments.target.as_str();
        let of_suite = |kind: Workload| Self {
            stem: name.to_owned(),
            title: format!("Suite {name}"),
            truth: "errors are those of the known state at the end".to_owned(),
            reference: None,
            kind,
        };
        if name == problems::MECHANISMS.0 {
            return Ok(Some(of_suite(Workload::Mechanisms(mechanism_problems()))));
        }
        if let Some(list) = problems::suite(name) {
            let list = list.into_iter().map(|problem| {
                let options = problem.options(1e-6);
                (problem, options)
            });
            return Ok(Some(of_suite(Workload::Plain(list.collect()))));
        }
        let path = Path::new(name);
        if !path.exists() && path.extension().is_none() {
            let message = format!("there is no suite and no model file `{name}`");
            return Err(Trouble::new("unknown-name", message, suggestion(name, suites())));
        }
        Self::load_model(path, arguments, watch)
    }

    fn load_model(
        path: &Path,
        arguments: &CompareArguments,
        watch: &RunMonitor,
    ) -> Result<Option<Self>, Trouble> {
        let place = path.to_owned();
        let plan = move |file: &ModelFile| file.plan(&place, &Overrides::default());
        let Some((file, plan)) = ModelFile::prepare(path, watch, plan)? else { return Ok(None) };
        let plan = Box::new(plan);
        let (stem, title) = (file.stem.clone(), file.title().to_owned());
        let own_method = file.model.run.setting("method").map(|_| plan.options.method);
        let own_steps = file.model.run.setting("max_steps").map(|_| plan.options.limits.steps);
        let kind = Workload::Model { plan, own_method, own_steps, tightest: tightest(&arguments.tolerances) };
        Ok(Some(Self { stem, title, truth: String::new(), reference: None, kind }))
    }

    /// Finds what the errors of a model are measured against.
    pub(super) fn find_reference(
        &mut self,
        arguments: &CompareArguments,
        watch: &mut RunMonitor,
    ) -> Result<(), Trouble> {
        let most_steps = self.most_steps(arguments).saturating_mul(STEPS_FOR_REFERENCE);
        let Workload::Model { plan, tightest, .. } = &self.kind else { return Ok(()) };
        let reference = Reference::of(plan, *tightest, most_steps, watch);
        let reference = reference.map_err(|failure| no_reference(&arguments.target, &failure))?;
        let [first, second] = reference.methods.map(Method::name);
        self.truth = format!(
            "reference by {first} at {:.0e}, from which {second} is {:.1e} away",
            reference.tolerance, reference.apart
        );
        self.reference = Some(reference);
        Ok(())
    }

    /// How many steps a run may make.
    pub(super) fn most_steps(&self, arguments: &CompareArguments) -> u64 {
        let own = match &self.kind {
            Workload::Model { own_steps, .. } => *own_steps,
            _ => None,
        };
        arguments.max_steps.or(own).unwrap_or(MOST_STEPS)
    }

    /// Whether there are coordinates, with constraints to be kept met.
    pub(super) fn is_mechanism(&self) -> bool {
        match &self.kind {
            Workload::Model { plan, .. } => plan.system.shape().layout.v > 0,
            Workload::Mechanisms(_) => true,
            Workload::Plain(_) => false,
        }
    }

    /// The methods if none are asked for: those that suit, and that of the model.
    pub(super) fn usual_methods(&self) -> Vec<&'static str> {
        let has_terms = match &self.kind {
            Workload::Model { plan, .. } => plan.options.constraints.stabilisation.changes_the_motion(),
            _ => false,
        };
        // Those for mechanisms take no terms in the equations, and `mdop5` has a stabilisation of its own.
        let mut methods = if self.is_mechanism() && !has_terms {
            vec!["hem5", "phem56", "mdop5"]
        } else {
            vec!["dopri5", "dop853", "radau5"]
        };
        if let Workload::Model { own_method: Some(own), .. } = &self.kind
            && own.facts().error_order.is_some()
        {
            methods.push(own.name());
        }
        methods
    }

    /// Why errors would mean nothing: the two methods of the reference differ by more than what is measured.
    pub(super) fn unsure(&self) -> Option<String> {
        let (Some(reference), Workload::Model { tightest, .. }) = (&self.reference, &self.kind) else {
            return None;
        };
        let [first, second] = reference.methods.map(Method::name);
        // A distance that is no number is not below anything.
        let is_sure = reference.apart < *tightest;
        (!is_sure).then(|| {
            format!(
                "the end is not known well enough: {first} and {second} at {:.0e} end {:.1e} apart, further than the tightest tolerance, {tightest:e}; errors below that mean nothing",
                reference.tolerance, reference.apart
            )
        })
    }

    /// The problems, all of them or those that were asked for.
    pub(super) fn cases(&self, arguments: &CompareArguments) -> Result<Vec<Case<'_>>, Trouble> {
        let all: Vec<Case<'_>> = match &self.kind {
            Workload::Model { plan, .. } => vec![self.case_of(plan)],
            Workload::Mechanisms(list) => list.iter().map(MechanismProblem::case).collect(),
            Workload::Plain(list) => list.iter().map(|(problem, options)| problem.case(options)).collect(),
        };
        let Some(word) = arguments.only.as_deref() else { return Ok(all) };
        let mut sets: Vec<&str> = all.iter().map(|case| case.set).filter(|set| !set.is_empty()).collect();
        sets.dedup();
        let names: Vec<String> = all.iter().map(|case| case.name.clone()).collect();
        let chosen: Vec<Case<'_>> =
            all.into_iter().filter(|case| case.set == word || case.name.starts_with(word)).collect();
        if chosen.is_empty() {
            let message = format!("`--only {word}`: {} has no such problem", self.title);
            let known = sets.iter().copied().chain(names.iter().map(String::as_str));
            let hint = match slipstick::expr::nearest(word, known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if sets.is_empty() => format!("there is {}", names.join(", ")),
                None => format!(
                    "there are the parts {}, and problems such as {}; `slipstick bench {}` lists them",
                    sets.join(", "),
                    names.iter().step_by(12).take(8).cloned().collect::<Vec<_>>().join(", "),
                    self.stem
                ),
            };
            return Err(Trouble::new("unknown-name", message, hint));
        }
        Ok(chosen)
    }

    /// How far the end of a reference may be from the truth. Ends that differ in two digits say nothing.
    fn uncertainty(reference: &Reference) -> f64 {
        if reference.apart < 0.01 { reference.apart } else { f64::INFINITY }
    }

    fn case_of<'a>(&'a self, plan: &'a Plan) -> Case<'a> {
        let reference = self.reference.as_ref();
        Case {
            name: self.stem.clone(),
            set: "",
            system: &plan.system,
            start: &plan.start,
            options: &plan.options,
            tolerances: plan.options.tolerances.at(1.0),
            end: reference.map_or_else(End::default, |reference| reference.end.clone()),
            uncertainty: reference.map_or(0.0, Benchmark::uncertainty),
        }
    }
}
