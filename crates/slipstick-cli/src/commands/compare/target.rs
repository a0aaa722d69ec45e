//! What is compared on: a model file with a reference of its own, or a suite of problems with known truths.

use crate::arguments::CompareArguments;
use crate::model_file::{ModelFile, suggestion};
use crate::talk::Trouble;
use slipstick::equations::System;
use slipstick::problems::{self, Case, MechanismProblem, Problem, Reference, mechanism_problems};
use slipstick::simulate::{Options, Overrides, Plan};
use std::path::Path;

/// What is compared on, with what the cases borrow from.
pub(super) struct Target {
    /// For the name of the folder.
    pub(super) stem: String,
    pub(super) title: String,
    /// What the errors are measured against.
    pub(super) truth: String,
    pub(super) reference: Option<Reference>,
    kind: Kind,
}

enum Kind {
    Model(Box<Plan>),
    Mechanisms(Vec<MechanismProblem>),
    Plain(Vec<(Problem, Options)>),
}

/// The suites whose problems are not tied to a method.
fn suites() -> impl Iterator<Item = &'static str> {
    problems::SUITES.iter().map(|(name, _)| *name).chain([problems::MECHANISMS.0])
}

impl Target {
    /// Finds out what the first argument means.
    pub(super) fn load(arguments: &CompareArguments) -> Result<Self, Trouble> {
        let name = arguments.target.as_str();
        let of_suite = |kind: Kind| Self {
            stem: name.to_owned(),
            title: format!("Suite {name}"),
            truth: "errors are those of the known state at the end".to_owned(),
            reference: None,
            kind,
        };
        if name == problems::MECHANISMS.0 {
            return Ok(of_suite(Kind::Mechanisms(mechanism_problems())));
        }
        if let Some(list) = problems::suite(name) {
            let list = list.into_iter().map(|problem| {
                let options = problem.options(1e-6);
                (problem, options)
            });
            return Ok(of_suite(Kind::Plain(list.collect())));
        }
        let path = Path::new(name);
        if !path.exists() && path.extension().is_none() {
            let message = format!("there is no suite and no model file `{name}`");
            return Err(Trouble::new("unknown-name", message, suggestion(name, suites())));
        }
        Self::load_model(path, &arguments.tolerances)
    }

    fn load_model(path: &Path, tolerances: &[f64]) -> Result<Self, Trouble> {
        let file = ModelFile::load(path)?;
        let plan = file.plan(path, &Overrides::default())?;
        let tightest = tolerances.iter().copied().fold(f64::INFINITY, f64::min);
        let reference = Reference::of(&plan, tightest).map_err(|reason| {
            let message = format!("`{}` has no reference to compare with: {reason}", path.display());
            let hint =
                "shorten `until`, or choose looser `--tolerances`: the reference is four digits tighter";
            Trouble::new("no-reference", message, hint)
        })?;
        let [first, second] = reference.methods.map(slipstick::step::Method::name);
        let truth = format!(
            "reference by {first} at {:.0e}, from which {second} is {:.1e} away",
            reference.tolerance, reference.apart
        );
        let (stem, title) = (file.stem.clone(), file.title().to_owned());
        Ok(Self { stem, title, truth, reference: Some(reference), kind: Kind::Model(Box::new(plan)) })
    }

    /// The methods if none are asked for.
    pub(super) fn usual_methods(&self) -> &'static [&'static str] {
        let is_mechanism = match &self.kind {
            Kind::Model(plan) => plan.system.layout().v > 0,
            Kind::Mechanisms(_) => true,
            Kind::Plain(_) => false,
        };
        if is_mechanism { &["hem5", "phem56", "mdop5"] } else { &["dopri5", "dop853", "radau5"] }
    }

    /// The problems, all of them or those that were asked for.
    pub(super) fn cases(&self, arguments: &CompareArguments) -> Result<Vec<Case<'_>>, Trouble> {
        let all: Vec<Case<'_>> = match &self.kind {
            Kind::Model(plan) => vec![self.case_of(plan)],
            Kind::Mechanisms(list) => list.iter().map(MechanismProblem::case).collect(),
            Kind::Plain(list) => list.iter().map(|(problem, options)| problem.case(options)).collect(),
        };
        let Some(word) = arguments.only.as_deref() else { return Ok(all) };
        let names: Vec<String> = all.iter().map(|case| case.name.clone()).collect();
        let chosen: Vec<Case<'_>> =
            all.into_iter().filter(|case| case.set == word || case.name.starts_with(word)).collect();
        if chosen.is_empty() {
            let message = format!("`--only {word}`: {} has no such problem", self.title);
            return Err(Trouble::new(
                "unknown-name",
                message,
                suggestion(word, names.iter().map(String::as_str)),
            ));
        }
        Ok(chosen)
    }

    fn case_of<'a>(&'a self, plan: &'a Plan) -> Case<'a> {
        let reference = self.reference.as_ref();
        Case {
            name: self.stem.clone(),
            set: "",
            system: &plan.system,
            start: &plan.start,
            options: &plan.options,
            absolute: 0.01,
            end: reference.map_or_else(Vec::new, |reference| reference.end.clone()),
            uncertainty: reference.map_or(0.0, |reference| reference.apart),
        }
    }
}
