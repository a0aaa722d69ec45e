//! Refuses what cannot be run, before anything is computed.

use super::{Error, Options, RUN_OPTIONS, Start, StepOptions};
use crate::equations::{BadPlace, GuardKind, MassKind, MechanismStructure, System};
use crate::formulation::{Metric, Stabilisation};
use crate::step::PerComponent;

/// The shortest period of a clock, in spacings of doubles at the largest time.
const SPACINGS_OF_CLOCKS: f64 = 16.0;

/// The word for it in the section `run` of a model file.
const STABILISATION: &str = "stabilisation";

/// Checks what is different in every run: parameters, start, times.
pub(super) fn check_beginning(
    system: &dyn System,
    parameters: &[f64],
    start: &Start,
    options: &Options,
) -> Result<(), Error> {
    check_parameters(system, parameters)?;
    check_start(system, start)?;
    for (which, value) in [("start", start.t), ("end", options.until)] {
        if !value.is_finite() {
            return Err(Error::TimeNotFinite { which, value });
        }
    }
    if options.until <= start.t {
        return Err(Error::EndBeforeStart { start: start.t, until: options.until });
    }
    check_clocks(system, start, options)
}

/// Checks what is the same in all runs: options, places of entries.
pub(super) fn check_system(system: &dyn System, options: &Options) -> Result<(), Error> {
    check_options(system, options)?;
    check_followers(system)?;
    match system.mechanism().and_then(MechanismStructure::bad_place) {
        Some(BadPlace { matrix, place, size }) => Err(Error::BadPlace { matrix, place, size }),
        None => Ok(()),
    }
}

/// A guard that fires after another one has one to fire after; those of contacts follow from what happens to these.
fn check_followers(system: &dyn System) -> Result<(), Error> {
    let guards = system.guards();
    let follows = |g: &usize| guards[*g].kind == GuardKind::Follows && guards[*g].contact.is_none();
    for g in (0..guards.len()).filter(follows) {
        if !guards.iter().any(|guard| guard.response.followers.contains(&g)) {
            return Err(Error::NoLeader { guard: guards[g].name.clone() });
        }
    }
    Ok(())
}

/// Checks what closures say of a mechanism, at its start.
pub(super) fn check_mechanism_at(system: &dyn System, start: &Start) -> Result<(), Error> {
    let wrong = system.mechanism().and_then(|mechanism| mechanism.wrong_gradient(start.t, &start.y));
    if let Some(wrong) = wrong {
        let constraint = system.constraints()[wrong.constraint].name.clone();
        return Err(Error::WrongGradient { constraint, given: wrong.given, found: wrong.found, t: start.t });
    }
    let bad = system.mechanism().and_then(|mechanism| mechanism.bad_contact(start.t, &start.y));
    if let Some((contact, why)) = bad {
        return Err(Error::BadContact { contact: system.contacts()[contact].name.clone(), why });
    }
    check_mass(system, start)
}

/// Checks the options against the system: for this, nothing is evaluated.
pub(crate) fn check_options(system: &dyn System, options: &Options) -> Result<(), Error> {
    check_method(system, options)?;
    check_pins(system, options)?;
    check_terms(options)?;
    let n = system.layout().dimension();
    check_tolerance("relative", &options.tolerances.relative, n)?;
    check_tolerance("absolute", &options.tolerances.absolute, n)?;
    check_not_both_zero(options, n)?;
    check_tolerance("drift", &PerComponent::Same(options.constraints.drift_tolerance), n)?;
    check_reach(system, options)?;
    let StepOptions { first, longest, fixed, .. } = options.steps;
    let stepped = options.contacts.time_step;
    let steps = [("first", first), ("longest", longest), ("fixed", fixed), ("time-stepping", stepped)];
    for (which, step) in steps {
        match step {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                return Err(Error::BadStep { which, value });
            }
            _ => {}
        }
    }
    check_beside_fixed_step(options)
}

/// What says how steps are chosen is refused where they all have the same size.
fn check_beside_fixed_step(options: &Options) -> Result<(), Error> {
    let usual = Options::until(options.until);
    let mut choosing =
        RUN_OPTIONS.iter().filter(|option| option.chooses_steps && options.steps.fixed.is_some());
    match choosing.find(|option| option.differs(options, &usual)) {
        Some(said) => Err(Error::BesideFixedStep { which: said.key }),
        None => Ok(()),
    }
}

/// The halves of a mass matrix in closures are equal, but for rounding.
fn check_mass(system: &dyn System, start: &Start) -> Result<(), Error> {
    let uneven = system.mechanism().and_then(|mechanism| mechanism.uneven_mass(start.t, &start.y));
    let Some((row, column, given)) = uneven else { return Ok(()) };
    let name = |i: usize| system.state_names()[system.layout().q + i].clone();
    Err(Error::UnevenMass { row: name(row), column: name(column), given, t: start.t })
}

fn check_pins(system: &dyn System, options: &Options) -> Result<(), Error> {
    let count = system.layout().v;
    match options.constraints.pinned.iter().find(|pin| **pin >= count) {
        Some(&got) => Err(Error::BadPin { got, count }),
        None => Ok(()),
    }
}

fn check_terms(options: &Options) -> Result<(), Error> {
    let mut numbers = options.constraints.stabilisation.numbers().into_iter();
    match numbers.find(|(_, value)| !(*value >= 0.0 && value.is_finite())) {
        Some((which, value)) => Err(Error::BadTerm { which, value }),
        None => Ok(()),
    }
}

/// The periods of clocks are positive, and large enough for doubles to tell one strike from the next.
fn check_clocks(system: &dyn System, start: &Start, options: &Options) -> Result<(), Error> {
    let finest = SPACINGS_OF_CLOCKS * f64::EPSILON * start.t.abs().max(options.until.abs());
    for &(guard, value) in &system.shape().clocks {
        let name = system.guards()[guard].name.clone();
        if !(value > 0.0 && value.is_finite()) {
            let reason = "the event would never come, or never end";
            return Err(Error::BadPeriod { name, value, reason });
        }
        if value < finest {
            let reason = "times that close cannot be told apart";
            return Err(Error::BadPeriod { name, value, reason });
        }
    }
    Ok(())
}

fn check_method(system: &dyn System, options: &Options) -> Result<(), Error> {
    let (facts, method) = (options.method.facts(), options.method.name());
    if facts.error_order.is_none() && options.steps.fixed.is_none() {
        let reason = "has no error estimate and cannot choose its steps";
        let hint = "give it a `fixed_step`, or choose another method";
        return Err(Error::WrongMethod { method, about: "method", reason, hint });
    }
    if !facts.implicit && system.mass_kind() != MassKind::Identity {
        let reason = "cannot solve for derivatives behind a mass matrix";
        let hint = "choose `radau5`, which can";
        return Err(Error::WrongMethod { method, about: "method", reason, hint });
    }
    if options.constraints.stabilisation == Stabilisation::Ggl && !options.method.takes_ggl() {
        let reason = "cannot solve the stabilised index-2 form, `stabilisation = \"ggl\"`";
        let hint = "choose `radau5`, or another stabilisation";
        return Err(Error::WrongMethod { method, about: STABILISATION, reason, hint });
    }
    if facts.mechanisms_only {
        check_mechanism(system, options)?;
    }
    check_safety(options)?;
    check_rho(options)?;
    check_corrections(options)?;
    let layout = system.layout();
    if layout.q != layout.v && matches!(options.constraints.stabilisation, Stabilisation::Reduced { .. }) {
        let reason = "needs coordinates whose rates are the speeds";
        let hint = "choose another stabilisation";
        return Err(Error::WrongMethod { method: STABILISATION, about: STABILISATION, reason, hint });
    }
    Ok(())
}

/// What is said about corrections is refused where none are made.
fn check_corrections(options: &Options) -> Result<(), Error> {
    let says_metric = options.constraints.metric != Metric::Mass;
    if options.makes_corrections() || !says_metric && options.constraints.drift_tolerance == 0.0 {
        return Ok(());
    }
    let hint = if options.method.keeps_positions() {
        "leave them out, or choose `alpha2`, which makes corrections"
    } else {
        "leave them out, or choose a stabilisation that corrects the ends of steps, such as `\"pstab\"`"
    };
    let reason = "makes no corrections here that `datol` or `metric` could be about";
    let about = if says_metric { "metric" } else { "datol" };
    Err(Error::WrongMethod { method: options.method.name(), about, reason, hint })
}

/// A method that works on the constraints of a mechanism takes them as they are, and keeps some of them by
/// itself.
fn check_mechanism(system: &dyn System, options: &Options) -> Result<(), Error> {
    let method = options.method.name();
    if system.layout().v == 0 {
        let reason = "is for mechanisms, and there are no coordinates here";
        let stiff = options.method.facts().implicit;
        let hint = if stiff { "choose `radau5`" } else { "choose `auto`, or another explicit method" };
        return Err(Error::WrongMethod { method, about: "method", reason, hint });
    }
    if options.constraints.stabilisation.changes_the_motion() {
        let reason = "keeps constraints by itself and takes no terms that pull back";
        let hint = if options.method.keeps_positions() {
            "leave `stabilisation` out, or choose another method, such as `radau5`"
        } else {
            "choose a correction for `stabilisation`, such as `\"pstab\"`, or another method"
        };
        return Err(Error::WrongMethod { method, about: STABILISATION, reason, hint });
    }
    if options.constraints.stabilisation == Stabilisation::Twice {
        Ok(())
    } else {
        check_idle_corrections(options)
    }
}

/// Corrections that somebody asked for are refused where none are made; those that are usual may just be the
/// default.
pub(super) fn check_idle_corrections(options: &Options) -> Result<(), Error> {
    if !options.method.keeps_positions() || options.constraints.stabilisation == Stabilisation::None {
        return Ok(());
    }
    let reason = "keeps constraints of positions by itself and makes no corrections";
    let hint = "leave `stabilisation` out, or choose `alpha2`, which makes them";
    Err(Error::WrongMethod { method: options.method.name(), about: STABILISATION, reason, hint })
}

/// What is tried is a part of the step that would just be good enough.
fn check_safety(options: &Options) -> Result<(), Error> {
    let value = options.steps.safety;
    if value > 0.0 && value < 1.0 { Ok(()) } else { Err(Error::BadSafety { value }) }
}

/// `ρ∞` is a part, and there are methods that have none.
fn check_rho(options: &Options) -> Result<(), Error> {
    let (Some(value), method) = (options.rho_infinity, options.method.name()) else { return Ok(()) };
    if !options.method.has_rho() {
        let reason = "has no `rho_infinity`";
        let hint = "leave it out, or choose `alpha`, `alpha2` or `alpha3`";
        return Err(Error::WrongMethod { method, about: "rho_infinity", reason, hint });
    }
    if value == 1.0 && !options.method.allows_rho_of_one() {
        let reason = "would not damp its multipliers with a `rho_infinity` of 1";
        let hint = "choose less, or `alpha`";
        return Err(Error::WrongMethod { method, about: "rho_infinity", reason, hint });
    }
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(Error::BadRho { value }) }
}

fn check_parameters(system: &dyn System, parameters: &[f64]) -> Result<(), Error> {
    check_length("values of parameters", system.parameters().len(), parameters.len())?;
    if system.admits(parameters) { Ok(()) } else { Err(Error::OtherParameters) }
}

fn check_length(what: &'static str, expected: usize, got: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::ListLength { what, expected, got }) }
}

fn check_start(system: &dyn System, start: &Start) -> Result<(), Error> {
    let expected = system.layout().dimension();
    if start.y.len() != expected {
        return Err(Error::StateLength { expected, got: start.y.len() });
    }
    if let Some(discrete) = &start.discrete {
        check_length("values of discrete variables", system.discrete_names().len(), discrete.len())?;
    }
    let count = system.mode_names().len();
    if start.mode >= count {
        return Err(Error::NoSuchMode { got: start.mode, count });
    }
    match start.y.iter().position(|y| !y.is_finite()) {
        Some(i) => Err(Error::StartNotFinite { name: system.state_names()[i].clone(), value: start.y[i] }),
        None => Ok(()),
    }
}

fn check_tolerance(which: &'static str, tolerance: &PerComponent, expected: usize) -> Result<(), Error> {
    if let PerComponent::Each(values) = tolerance
        && values.len() != expected
    {
        return Err(Error::ToleranceLength { which, expected, got: values.len() });
    }
    for &value in tolerance.values() {
        let refuse = |reason| Err(Error::BadTolerance { which, value, reason });
        if !value.is_finite() || value < 0.0 {
            return refuse("it must be zero or a positive number");
        }
        if which == "relative" && value > 0.0 && value < 10.0 * f64::EPSILON {
            return refuse("that is below what double precision can hold (2.2e-15)");
        }
    }
    Ok(())
}

fn check_reach(system: &dyn System, options: &Options) -> Result<(), Error> {
    if options.constraints.stabilisation != Stabilisation::SlidingMode {
        return Ok(());
    }
    for (which, numbers) in [("reach", &options.constraints.reach), ("speed", &options.constraints.speed)] {
        for (k, constraint) in system.constraints().iter().enumerate() {
            let value = numbers.get(k);
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::BadReach { which, constraint: constraint.name.clone(), value });
            }
        }
    }
    Ok(())
}

fn check_not_both_zero(options: &Options, n: usize) -> Result<(), Error> {
    if (0..n).any(|i| options.tolerances.scale(i, 1.0) == 0.0) {
        let reason = "relative and absolute tolerance are both zero";
        return Err(Error::BadTolerance { which: "absolute", value: 0.0, reason });
    }
    Ok(())
}
