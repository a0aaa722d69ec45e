//! From a model to a run: the compiled system, where it starts, and what is asked of it.

use super::{Error, Options, Start, initialise, upkeep};
use crate::equations::{Fixed, FormulaSystem, System};
use crate::event::Concurrency;
use crate::expr::nearest;
use crate::formulation::Stabilisation;
use crate::model::{Diagnostic, EventRule, Formula, Model, Reference, ToleranceRule, Trigger};
use crate::step::{Control, Method, PerComponent, Tolerances};

/// Dormand and Prince's method with projections onto positions and speeds, as paper 001 calls it (section 3.3, equations (35) and (36)).
pub const MDOP5: &str = "mdop5";

/// Wishes that go before what the model says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Other values for parameters.
    pub parameters: Vec<(String, f64)>,
    /// Another end time.
    pub until: Option<f64>,
    /// Another method.
    pub method: Option<Method>,
}

/// Everything that a run of a model needs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The equations.
    pub system: FormulaSystem,
    /// Where the run begins.
    pub start: Start,
    /// What is asked of it.
    pub options: Options,
    /// The interval of the rows in result files; every accepted step if not given.
    pub output_step: Option<f64>,
}

impl Plan {
    /// Reads a model file with every check that needs no run. All errors that can be seen together are reported at once.
    pub fn read_model(text: &str) -> Result<Model, Vec<Diagnostic>> {
        Model::from_toml_and(text, |model| method(model).err().into_iter().collect())
    }

    /// Plans a run of a checked model.
    pub fn new(model: &Model, overrides: &Overrides) -> Result<Self, Vec<Diagnostic>> {
        let fixed = Fixed::evaluate(model, &overrides.parameters)?;
        let mut errors = Vec::new();
        let times = Times::evaluate(model, &fixed, overrides.until, &mut errors);
        errors.extend(model.all_events().filter_map(|(_, event)| too_fine(event, &fixed, &times)));
        let method = method(model).unwrap_or_else(|error| {
            errors.push(error);
            Method::default()
        });
        let system = match FormulaSystem::compile(model, fixed) {
            Ok(system) if errors.is_empty() => system,
            Ok(_) => return Err(errors),
            Err(more) => return Err([more, errors].concat()),
        };
        let mut options = Options::until(times.until);
        options.method = overrides.method.unwrap_or(method);
        options.rho_infinity = model.run.rho_infinity;
        options.control = if model.run.pid { Control::Pid } else { Control::Standard };
        options.safety = model.run.safety.unwrap_or(options.safety);
        options.tolerances = tolerances(model);
        options.first_step = model.run.first_step;
        options.longest_step = model.run.longest_step;
        options.fixed_step = model.run.fixed_step;
        options.detection = model.run.detection;
        options.location = model.run.location;
        options.event_tolerance = model.run.event_tolerance;
        options.concurrency =
            model.run.concurrency.map(|rule| Concurrency { time: rule.time, amplitude: rule.amplitude });
        upkeep::take_over(&model.run, system.constraints(), &mut options);
        options.stabilisation_is_said = model.run.place("stabilisation").is_some();
        let place = |pinned: &Reference| model.coordinates().iter().position(|c| c.name == pinned.name);
        options.pinned = model.run.pinned.iter().filter_map(place).collect();
        options.limits.events = model.run.max_events.unwrap_or(options.limits.events);
        options.limits.steps = model.run.max_steps.unwrap_or(options.limits.steps);
        check_options(model, &system, &options).map_err(|error| vec![placed(&error, model, overrides)])?;
        let start = Start { t: times.from, y: system.start().to_vec(), mode: model.start_mode() };
        Ok(Self { system, start, options, output_step: times.output_step })
    }
}

/// The options as a run would check them, and what the model says about corrections where none are made.
fn check_options(model: &Model, system: &FormulaSystem, options: &Options) -> Result<(), Error> {
    if model.run.place("stabilisation").is_some() && !options.stabilisation.changes_the_motion() {
        initialise::check_idle_corrections(options)?;
    }
    let beside = ["first_step", "longest_step", "control", "safety"];
    let said = beside.into_iter().find(|key| model.run.place(key).is_some() && options.fixed_step.is_some());
    if let Some(which) = said {
        return Err(Error::BesideFixedStep { which });
    }
    initialise::check_options(system, options)
}

/// An error about an option, at its place in the file; a wish that goes before that has none there.
fn placed(error: &Error, model: &Model, overrides: &Overrides) -> Diagnostic {
    let in_file = |key: &&str| *key != "method" || overrides.method.is_none();
    let span = error.about().filter(in_file).and_then(|key| model.run.place(key));
    let error_at = |span| Diagnostic::new(error.code(), span, error.to_string()).hint(error.hint());
    Diagnostic { span: span.clone(), ..error_at(span.unwrap_or_default()) }
}

/// A name that is no method: what it may have meant.
pub fn method_hint(name: &str) -> String {
    let (method, stabilisation) = match name {
        MDOP5 => (Method::DormandPrince5.name(), Stabilisation::Project.name()),
        _ => name.split_once('+').unwrap_or((name, "")),
    };
    if !stabilisation.is_empty() && Method::from_name(method).is_some() {
        return format!(
            "choose `{method}`, with `stabilisation = \"{stabilisation}\"` in `[run]` of the model"
        );
    }
    let names = || Method::named().map(Method::name);
    match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there is {}", names().collect::<Vec<_>>().join(", ")),
    }
}

/// The times that a model states as formulas.
struct Times {
    from: f64,
    until: f64,
    output_step: Option<f64>,
}

impl Times {
    fn evaluate(model: &Model, fixed: &Fixed<'_>, wanted: Option<f64>, errors: &mut Vec<Diagnostic>) -> Self {
        let mut number = |formula: &Option<Formula>, what: &str| match formula {
            None => None,
            Some(formula) => fixed.formula(formula, what).map_err(|error| errors.push(error)).ok(),
        };
        let from = number(&model.run.from, "`from`").unwrap_or(0.0);
        let until = wanted.or_else(|| number(&model.run.until, "`until`")).unwrap_or(f64::INFINITY);
        let output_step = number(&model.run.output_step, "`output_step`");
        check_times(model, from, until, output_step, errors);
        Self { from, until, output_step }
    }
}

fn check_times(model: &Model, from: f64, until: f64, step: Option<f64>, errors: &mut Vec<Diagnostic>) {
    let span = |formula: &Option<Formula>| formula.as_ref().map_or(0..0, |f| f.place.span.clone());
    if until <= from {
        let message = format!("the run is to end at {until}, which is not after its start at {from}");
        let hint = "choose `until` later than `from`";
        errors.push(Diagnostic::new("end-before-start", span(&model.run.until), message).hint(hint));
    }
    if let Some(step) = step
        && (step <= 0.0 || (until - from) / step > 1e7)
    {
        let message = format!("`output_step` is {step}, which would write no rows or more than ten million");
        let hint = "choose a positive number, or leave it out to write every accepted step";
        errors.push(Diagnostic::new("bad-step", span(&model.run.output_step), message).hint(hint));
    }
}

/// A clock that strikes at times which doubles cannot tell apart.
fn too_fine(event: &EventRule, fixed: &Fixed<'_>, times: &Times) -> Option<Diagnostic> {
    let Trigger::Every { period, first } = &event.trigger else { return None };
    let value = |formula: &Formula| fixed.formula(formula, "").ok();
    let (every, first) = (value(period)?, first.as_ref().and_then(value).unwrap_or(times.from));
    let farthest = [times.from, times.until, first].into_iter().map(f64::abs).fold(0.0, f64::max);
    let finest = 16.0 * f64::EPSILON * farthest;
    if every <= 0.0 || every >= finest {
        return None;
    }
    let message = format!(
        "`every` of event `{}` is {every:?}: at t = {farthest:?} times that close cannot be told apart",
        event.name
    );
    let hint = format!("choose a period above {finest:.1e}");
    Some(Diagnostic::new("bad-period", period.place.span.clone(), message).hint(hint))
}

/// The method that the model names, or the default.
fn method(model: &Model) -> Result<Method, Diagnostic> {
    let Some(wanted) = &model.run.method else { return Ok(Method::default()) };
    Method::from_name(&wanted.name).ok_or_else(|| {
        let message = format!("unknown method `{}`", wanted.name);
        Diagnostic::new("unknown-method", wanted.span.clone(), message).hint(method_hint(&wanted.name))
    })
}

/// Where the model says nothing, the relative tolerance is 1e-8 and the absolute one a hundredth of the relative one.
fn tolerances(model: &Model) -> Tolerances {
    let relative = per_component(model, model.run.rtol.as_ref(), &PerComponent::Same(1e-8));
    let hundredth = match &relative {
        PerComponent::Same(value) => PerComponent::Same(value * 1e-2),
        PerComponent::Each(values) => PerComponent::Each(values.iter().map(|value| value * 1e-2).collect()),
    };
    let absolute = per_component(model, model.run.atol.as_ref(), &hundredth);
    Tolerances { relative, absolute, norm: model.run.norm }
}

fn per_component(model: &Model, rule: Option<&ToleranceRule>, default: &PerComponent) -> PerComponent {
    let given =
        |list: &[(Reference, f64)], name: &str| list.iter().find(|(r, _)| r.name == name).map(|(_, x)| *x);
    match rule {
        None => default.clone(),
        Some(ToleranceRule::Same(value)) => PerComponent::Same(*value),
        Some(ToleranceRule::ByName(list)) => {
            let states = model.states.iter().enumerate();
            PerComponent::Each(states.map(|(i, s)| given(list, &s.name).unwrap_or(default.get(i))).collect())
        }
    }
}
