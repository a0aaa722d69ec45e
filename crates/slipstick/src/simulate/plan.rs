//! From a model to a run: the compiled system, where it starts, and what is asked of it.

use super::drawing::RunDrawing;
use super::{Error, OptionValue, Options, RUN_OPTIONS, Start, run_options, validate};
use crate::equations::{FormulaSystem, ParameterValues, System};
use crate::expr::nearest;
use crate::formulation::Stabilisation;
use crate::model::{Diagnostic, EventRule, Formula, Model, Sources, Trigger};
use crate::step::Method;

/// Dormand and Prince's method with projections onto positions and speeds, as paper 001 calls it (section
/// 3.3, equations (35) and (36)).
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
    /// The width of the layer in which signs and comparisons are straight lines; they switch exactly if not
    /// given.
    pub regularise: Option<f64>,
    /// The same machine with three coordinates for each body, if this one has those of joints.
    pub(super) drawing: Option<Box<RunDrawing>>,
}

impl Plan {
    /// Reads a model file with every check that needs no run. All errors that can be seen together are
    /// reported at once.
    pub fn read_model(text: &str) -> Result<Model, Vec<Diagnostic>> {
        Self::read_sources(&Sources::of(text))
    }

    /// The same of a model whose parts stand in files of their own.
    pub fn read_sources(sources: &Sources) -> Result<Model, Vec<Diagnostic>> {
        Model::from_sources_and(sources, |model| {
            let names: Vec<&str> = model.mechanism.constraints.iter().map(|c| c.name.as_str()).collect();
            run_options::apply(model, &names, &mut Options::until(0.0))
        })
    }

    /// Plans a run of a checked model.
    pub fn new(model: &Model, overrides: &Overrides) -> Result<Self, Vec<Diagnostic>> {
        let fixed = ParameterValues::evaluate(model, &overrides.parameters)?;
        let mut errors = Vec::new();
        let times = Times::evaluate(model, &fixed, overrides.until, &mut errors);
        errors.extend(model.all_events().filter_map(|(_, event)| too_fine(event, &fixed, &times)));
        let system = match FormulaSystem::compile(model, fixed) {
            Ok(system) if errors.is_empty() => system,
            Ok(_) => return Err(errors),
            Err(more) => return Err([more, errors].concat()),
        };
        let mut options = Options::until(times.until);
        let constraints: Vec<&str> =
            system.shape().mechanism.constraints.iter().map(|c| c.name.as_str()).collect();
        let errors = run_options::apply(model, &constraints, &mut options);
        if !errors.is_empty() {
            return Err(errors);
        }
        options.method = overrides.method.unwrap_or(options.method);
        check_options(model, &system, &options).map_err(|error| vec![placed(&error, model, overrides)])?;
        let mut start = Start { t: times.from, mode: model.start_mode(), ..Start::at(system.start()) };
        let drawing = match model.drawing.as_deref() {
            Some(drawing) => Some(Box::new(RunDrawing::new(drawing, Self::new(drawing, overrides)?))),
            None => None,
        };
        if let Some(found) =
            drawing.as_ref().and_then(|drawing| drawing.start_of(&system.shape().state_names))
        {
            start.y = found;
        }
        let (regularise, output_step) = (model.run.regularise, times.output_step);
        Ok(Self { system, start, options, output_step, regularise, drawing })
    }

    /// Whether bodies have the coordinates of their joints; nothing if not, or if there are no bodies.
    pub(super) fn coordinates(&self) -> OptionValue {
        if self.drawing.is_some() { "joint".into() } else { OptionValue::Nothing }
    }

    /// The name of the mode that the run begins in; none if the model has no modes.
    pub(super) fn start_mode(&self) -> Option<&str> {
        let names = &self.system.shape().mode_names;
        (names.len() > 1).then(|| names[self.start.mode].as_str())
    }

    /// The names of the coordinates that are not changed to make the start consistent.
    pub(super) fn pinned(&self) -> OptionValue {
        let names =
            self.options.constraints.pinned.iter().filter_map(|&i| self.system.shape().state_names.get(i));
        let list: Vec<OptionValue> = names.map(|name| name.as_str().into()).collect();
        if list.is_empty() { OptionValue::Nothing } else { OptionValue::List(list) }
    }
}

#[cfg(test)]
impl Plan {
    /// Of a model file that has nothing wrong with it.
    pub(super) fn of(text: &str) -> Self {
        let model = Self::read_model(text).unwrap_or_else(|errors| panic!("{errors:?}"));
        Self::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors:?}"))
    }
}

/// The options as a run would check them, and what the model says about corrections where none are made.
fn check_options(model: &Model, system: &FormulaSystem, options: &Options) -> Result<(), Error> {
    if model.run.place("stabilisation").is_some() && !options.constraints.stabilisation.changes_the_motion() {
        validate::check_idle_corrections(options)?;
    }
    let mut choosing =
        RUN_OPTIONS.iter().filter(|option| option.chooses_steps && options.steps.fixed.is_some());
    if let Some(said) = choosing.find(|option| model.run.setting(option.key).is_some()) {
        return Err(Error::BesideFixedStep { which: said.key });
    }
    validate::check_options(system, options)
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
    fn evaluate(
        model: &Model,
        fixed: &ParameterValues<'_>,
        wanted: Option<f64>,
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
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
fn too_fine(event: &EventRule, fixed: &ParameterValues<'_>, times: &Times) -> Option<Diagnostic> {
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
