//! The suite `constrained`: mechanisms whose joints stay shut, each with the truth about where they go.
//!
//! A problem is a model file beside this one; its truth and its source stand in the Rust file that reads it.
//! A row promises an error at the end within a multiple of the tolerance, a drift that is rounding or no
//! larger than printed, and work no larger than printed where the source prints it. In a model that audits
//! something, the first of it is the energy.

mod andrews;
mod chain;
mod cranks;
mod examples;
mod manipulator;
mod measure;
mod others;
mod pendulum;
mod rolling;
mod suspension;
mod wheelset;

pub use chain::{chain, chain_energy, measure_chain};
pub use measure::MeasuredMechanism;
pub use others::mechanisms;

use crate::equations::{MassKind, System};
use crate::formulation::{Metric, Stabilisation};
use crate::math::Norm;
use crate::simulate::{Options, Overrides, Plan};
use crate::step::{MechanismForm, Method};

/// A mechanism, how it is run, and what is true of it.
#[derive(Clone)]
pub struct ConstrainedProblem {
    /// The name in benchmark rows.
    pub name: &'static str,
    /// The equations, where they begin and how they are run.
    pub plan: Plan,
    /// The relative tolerance, as the row states it; none with fixed steps.
    pub tolerance: Option<f64>,
    /// What is known of the state at the end.
    pub end: Vec<Known>,
    /// How large errors, drift and work may be.
    pub promise: Promise,
    /// What the source prints, and what else there is to say.
    pub remark: String,
    /// The number of right-hand sides that the source prints, where it is no promise.
    pub printed: Option<f64>,
    /// How many quantities the model audits.
    audited: usize,
}

/// A state at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Its place.
    pub place: usize,
    /// Its true value.
    pub value: f64,
    /// What its error is divided by.
    pub size: f64,
}

/// How large what is measured may be; infinite where nothing is promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// The error at the end.
    pub end: f64,
    /// The drift of positions.
    pub position: f64,
    /// The drift of speeds.
    pub velocity: f64,
    /// The change of the energy.
    pub energy: f64,
    /// The number of right-hand sides.
    pub derivatives: f64,
}

impl Promise {
    const NONE: Self = Self {
        end: f64::INFINITY,
        position: f64::INFINITY,
        velocity: f64::INFINITY,
        energy: f64::INFINITY,
        derivatives: f64::INFINITY,
    };
}

impl ConstrainedProblem {
    /// Reads a model, with other values for some of its parameters.
    ///
    /// # Panics
    /// If the text is no model, which the tests rule out.
    pub(super) fn read(name: &'static str, text: &str, parameters: &[(&str, f64)]) -> Self {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let model = Plan::read_model(text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let plan = Plan::new(&model, &Overrides { parameters, ..Overrides::default() })
            .unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        Self {
            name,
            plan,
            tolerance: None,
            end: Vec::new(),
            promise: Promise::NONE,
            remark: String::new(),
            printed: None,
            audited: model.audit.len(),
        }
    }

    /// The same, run with a method at a tolerance.
    fn at(&self, method: Method, relative: f64, absolute: f64) -> Self {
        let mut row = self.clone();
        row.plan.options = row.plan.options.tolerances(relative, absolute);
        (row.plan.options.method, row.tolerance) = (method, Some(relative));
        row
    }

    /// The same, its errors judged as the thesis does: by their mean, against the sum of both tolerances.
    fn in_the_mean(mut self) -> Self {
        self.plan.options.tolerances.norm = Some(Norm::Mean);
        self
    }

    /// The same, run with steps of one size.
    fn fixed(&self, method: Method, step: f64) -> Self {
        let mut row = self.clone();
        (row.plan.options.method, row.plan.options.steps.fixed) = (method, Some(step));
        row
    }

    fn stabilised(mut self, stabilisation: Stabilisation) -> Self {
        self.plan.options.constraints.stabilisation = stabilisation;
        self
    }

    fn measured_by(mut self, metric: Metric) -> Self {
        self.plan.options.constraints.metric = metric;
        self
    }

    fn promising(mut self, promise: Promise) -> Self {
        self.promise = promise;
        self
    }

    fn saying(mut self, remark: impl Into<String>) -> Self {
        self.remark = remark.into();
        self
    }

    /// States from a place on at the end, by their size where it is over one.
    fn ending(mut self, first: usize, values: &[f64]) -> Self {
        let known =
            |(i, &value): (usize, &f64)| Known { place: first + i, value, size: value.abs().max(1.0) };
        self.end.extend(values.iter().enumerate().map(known));
        self
    }

    /// What is integrated, as rows state it.
    pub fn formulation(&self) -> String {
        if self.plan.system.shape().mechanism.constraints.is_empty() {
            let plain = self.plan.system.shape().mass_kind == MassKind::Identity;
            return if plain { "ode".to_owned() } else { "dae".to_owned() };
        }
        formulation(&self.plan.options)
    }
}

/// In which form a mechanism is solved with some options, and how its constraints are kept, as in benchmark
/// rows.
pub fn formulation(options: &Options) -> String {
    let metric = if options.constraints.metric == Metric::Identity { "/identity" } else { "" };
    let index = match options.method.facts().form {
        _ if options.constraints.stabilisation == Stabilisation::Ggl => return "ggl".to_owned(),
        MechanismForm::Ggl => return "ggl".to_owned(),
        MechanismForm::Index3 => return "index3".to_owned(),
        MechanismForm::Index2 => 2,
        MechanismForm::Index1 => 1,
    };
    format!("index{index}/{}{metric}", options.constraints.stabilisation.name())
}

/// The rows of the suite `constrained`, in order.
pub fn constrained() -> Vec<ConstrainedProblem> {
    let mut all = quick_constrained();
    all.extend(andrews::long());
    all.extend(others::ten_thousand_periods());
    all.extend(wheelset::wheelset());
    all
}

/// Those that take no more than a moment.
pub fn quick_constrained() -> Vec<ConstrainedProblem> {
    let mut all = andrews::short();
    all.extend(manipulator::manipulator());
    all.extend(examples::examples());
    all.extend(pendulum::pendulum());
    all.extend(rolling::rolling());
    all.extend(cranks::cranks());
    all.extend(suspension::suspension());
    all.extend(others::others());
    all
}
