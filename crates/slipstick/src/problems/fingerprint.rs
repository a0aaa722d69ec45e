//! The runs of the fingerprint: problems of every suite with every method that can run them.
//!
//! Their results are stored. A change of the program that should not change results is compared with what is
//! stored. Three kinds of problems are left out, because they take minutes: long runs of `constrained`,
//! chains of `constrained`, and the larger members of each family of `mechanisms`. Large problems of `events`
//! and `mechanisms` run with a few methods only.

use super::{
    ConstrainedProblem, Entrant, EventProblem, MechanismProblem, Problem, Set, Solver, behind_mass_matrices,
    disode45, events, formulation, mechanism_problems, more_sliding, quick_constrained, smooth, stiff,
};
use crate::equations::{MassKind, System};
use crate::formulation::Stabilisation;
use crate::simulate::{Limits, Options, Plan, Start, check_options};
use crate::step::Method;

/// The tolerance of methods of order 3 and more, and that of methods of order 2, which need many more steps.
/// Problems with guards run at both.
const TOLERANCE: f64 = 1e-6;
const LOOSE: f64 = 1e-4;

/// Methods with fixed steps make this many of them.
const FIXED_STEPS: f64 = 1000.0;

/// What ends a run of a method that does not suit its problem, as an explicit one on a stiff problem.
const LIMITS: Limits = Limits { steps: 10_000, events: 2000 };

/// Problems with more states than this run with [`FEW`] methods only.
const MANY_STATES: usize = 24;
const FEW: [Method; 2] = [Method::Automatic, Method::DormandPrince5];

/// By how much tolerance and fixed step are changed to see how far results depend on them.
const OTHER_TOLERANCE: f64 = 0.9;
const OTHER_STEP: f64 = 0.99;

/// A problem with the runs of it that are in the fingerprint.
pub struct Fingerprinted {
    /// The suite that it is from.
    pub suite: &'static str,
    /// The name in rows.
    pub name: String,
    /// The equations.
    pub system: Box<dyn System>,
    /// Where it begins.
    pub start: Start,
    /// How it is run.
    pub runs: Vec<FingerprintRun>,
}

/// One way to run a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct FingerprintRun {
    /// What is integrated, as benchmark rows state it.
    pub form: String,
    /// The relative tolerance; for fixed steps that which results are compared to.
    pub tolerance: f64,
    /// What is asked of the run.
    pub options: Options,
}

impl FingerprintRun {
    fn new(system: &dyn System, options: Options, tolerance: f64) -> Self {
        let form = match system.mass_kind() {
            _ if !system.constraints().is_empty() => formulation(&options),
            MassKind::Identity => "ode".to_owned(),
            _ => "dae".to_owned(),
        };
        let fixed = if options.steps.fixed.is_some() { "/fixed" } else { "" };
        Self { form: form + fixed, tolerance, options }
    }

    /// The same with a slightly tighter tolerance and shorter fixed step: what changes then is not determined
    /// by the tolerance.
    #[must_use]
    pub fn nearby(&self) -> Self {
        let mut other = self.clone();
        other.options.tolerances = other.options.tolerances.scaled(OTHER_TOLERANCE);
        other.options.steps.fixed = other.options.steps.fixed.map(|h| h * OTHER_STEP);
        other
    }
}

impl Fingerprinted {
    /// A model with every method, in the place of what it says about the method.
    pub fn model(name: &str, plan: Plan) -> Self {
        let system = Box::new(plan.system);
        Self::with_methods("models", name, system, plan.start, &plan.options)
    }

    /// A machine of bodies as it says itself: their truths are tested apart, and the suites have every method.
    pub fn machine(name: &str, plan: Plan) -> Self {
        let tolerance =
            plan.options.tolerances.relative.values().iter().copied().fold(f64::INFINITY, f64::min);
        let options = Options { limits: LIMITS, ..plan.options };
        let system = Box::new(plan.system);
        let run = FingerprintRun::new(system.as_ref(), options, tolerance);
        Self { suite: "models", name: name.to_owned(), system, start: plan.start, runs: vec![run] }
    }

    fn with_methods(
        suite: &'static str,
        name: &str,
        system: Box<dyn System>,
        start: Start,
        options: &Options,
    ) -> Self {
        let mut runs = Vec::new();
        for entrant in entrants(system.as_ref()) {
            let adapted = adapt(options, &entrant, options.until - start.t);
            if check_options(system.as_ref(), &adapted).is_err() {
                continue;
            }
            for &tolerance in tolerances(system.as_ref(), entrant.method) {
                let tolerances = adapted.tolerances.at(tolerance);
                let options = Options { tolerances, ..adapted.clone() };
                runs.push(FingerprintRun::new(system.as_ref(), options, tolerance));
            }
        }
        Self { suite, name: name.to_owned(), system, start, runs }
    }

    fn smooth(suite: &'static str, problem: Problem) -> Self {
        let options = problem.options(TOLERANCE);
        Self::with_methods(suite, problem.name, problem.system, problem.start, &options)
    }

    fn events(suite: &'static str, problem: EventProblem) -> Self {
        Self::with_methods(suite, &problem.name, problem.system, problem.start, &problem.options)
    }

    fn mechanism(problem: MechanismProblem) -> Self {
        Self::with_methods("mechanisms", &problem.name, problem.system, problem.start, &problem.options)
    }

    /// As the row of the suite `constrained` says: its form, its way to keep constraints, its tolerance or
    /// step.
    fn constrained(problem: ConstrainedProblem) -> Self {
        let ConstrainedProblem { name, plan, tolerance, .. } = problem;
        let mut options = plan.options;
        options.limits = LIMITS;
        let system = Box::new(plan.system);
        let run = FingerprintRun::new(system.as_ref(), options, tolerance.unwrap_or(TOLERANCE));
        Self { suite: "constrained", name: name.to_owned(), system, start: plan.start, runs: vec![run] }
    }
}

/// Every method, and for mechanisms also every way to keep constraints with one explicit method, and the
/// stabilised index-2 form.
fn entrants(system: &dyn System) -> Vec<Entrant> {
    let is_large = system.layout().dimension() > MANY_STATES;
    let methods = Method::named().filter(|method| !is_large || FEW.contains(method));
    let mut all: Vec<String> = methods.map(|method| method.name().to_owned()).collect();
    if !system.constraints().is_empty() && !is_large {
        let explicit = Method::DormandPrince5.name();
        let usual = Stabilisation::Twice.name();
        let ways =
            Entrant::stabilisations().filter(|name| *name != usual && *name != Stabilisation::Ggl.name());
        all.extend(ways.map(|way| format!("{explicit}+{way}")));
        all.push(format!("{}+{}", Method::Radau5.name(), Stabilisation::Ggl.name()));
    }
    all.iter().filter_map(|name| Entrant::parse(name).ok()).collect()
}

/// What is asked of a run with an entrant.
fn adapt(options: &Options, entrant: &Entrant, span: f64) -> Options {
    let mut options = options.clone().with_method(entrant.method);
    options.constraints.stabilisation = entrant.stabilisation.unwrap_or(options.constraints.stabilisation);
    options.constraints.stabilisation_is_said |= entrant.stabilisation.is_some();
    options.steps.fixed = entrant.method.facts().error_order.is_none().then_some(span / FIXED_STEPS);
    options.limits = LIMITS;
    options.without_idle_corrections()
}

/// What a method runs at.
fn tolerances(system: &dyn System, method: Method) -> &'static [f64] {
    let facts = method.facts();
    match facts.error_order {
        _ if facts.order == 2 => &[LOOSE],
        Some(_) if !system.guards().is_empty() => &[TOLERANCE, LOOSE],
        _ => &[TOLERANCE],
    }
}

/// Every problem of the library with its runs. The program adds its models.
pub fn fingerprinted() -> Vec<Fingerprinted> {
    let mut all = Vec::new();
    all.extend(smooth().into_iter().map(|problem| Fingerprinted::smooth("smooth", problem)));
    all.extend(stiff().into_iter().map(|problem| Fingerprinted::smooth("stiff", problem)));
    all.extend(behind_mass_matrices().into_iter().map(|problem| Fingerprinted::smooth("mass", problem)));
    let of_events = events().into_iter().filter(|problem| problem.solver == Solver::Simulate);
    all.extend(first_of_name(of_events).map(|problem| Fingerprinted::events("events", problem)));
    let of_sliding = (1..=4).map(|number| disode45(number, TOLERANCE).problem).chain(more_sliding());
    all.extend(of_sliding.map(|problem| Fingerprinted::events("sliding", problem)));
    all.extend(quick_constrained().into_iter().map(Fingerprinted::constrained));
    all.extend(mechanism_problems().into_iter().filter(is_moderate).map(Fingerprinted::mechanism));
    all
}

/// Rows of one problem differ in their tolerance, and it runs at another one.
fn first_of_name(problems: impl Iterator<Item = EventProblem>) -> impl Iterator<Item = EventProblem> {
    let mut known: Vec<String> = Vec::new();
    problems.filter(move |problem| {
        let is_new = !known.contains(&problem.name);
        known.push(problem.name.clone());
        is_new
    })
}

/// The first two of each family of planar and stiff mechanisms, and all others.
fn is_moderate(problem: &MechanismProblem) -> bool {
    let number = problem.name.rsplit('-').next().and_then(|end| end.parse::<u32>().ok());
    matches!(problem.set, Set::Classic) || number.is_none_or(|number| number <= 2)
}
