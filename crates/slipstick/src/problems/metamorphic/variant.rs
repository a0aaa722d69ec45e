//! What must not matter: other ways to run the same model.

use super::pen::{ContactWriting, Rendering};
use crate::model::{Location, Model};
use crate::simulate::Options;
use crate::step::{Method, PerComponent};
use std::fmt;

/// One way to run a model that must give the same events and the same end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Variant {
    /// Another method.
    Method(Method),
    /// No step is longer than this part of the run.
    LongestStep(f64),
    /// Events are located another way.
    Located(Location),
    /// A clock records something now and then.
    Clock,
    /// The events are written in the opposite order.
    Order,
    /// There is one more state, which does not change.
    Still,
    /// The tolerances are multiplied by this.
    Tolerance(f64),
    /// Everything happens later by this time.
    Later(f64),
    /// All lengths are multiplied by ten to this power.
    Lengths(i32),
    /// Closures say the same as the formulas.
    Closures,
    /// The mechanism is moved and turned as a whole.
    Moved,
    /// The constraints are multiplied by this, and so are gaps, with friction as it has to be then.
    Multiplied(f64),
    /// The first step is so long, as a part of the run.
    FirstStep(f64),
    /// Left and right are turned round.
    Mirrored,
    /// The contacts are written in the opposite order.
    ContactOrder,
    /// A contact without friction is written twice.
    Doubled,
    /// A contact without friction is written twice, with two formulas of its gap.
    Rewritten,
}

/// By how much times are later: as many seconds as half of the digits of a double leave for the run.
pub(super) const LATER: f64 = 1e6;
/// The same for models with contacts.
pub(super) const LATER_WITH_CONTACTS: f64 = 1e3;
/// No step is longer than these parts of the run: about a dozen steps, and some hundred.
pub(super) const LONGEST: [f64; 2] = [0.077, 0.0071];
/// A clock that strikes a few times, at no time that a model is likely to have.
const STRIKES: f64 = 7.3;
/// The first step is so long, as a part of the run: longer and shorter than it would be.
pub(super) const FIRST: [f64; 2] = [0.031, 1.7e-5];
/// The names that are added to a model.
pub(super) const ADDED: &str = "verify_added";
/// What is behind the name of a contact that is written for a second time.
pub(super) const COPY: &str = "_verify_added";

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(method) => write!(f, "method {}", method.name()),
            Self::LongestStep(part) => write!(f, "longest step {part} of the run"),
            Self::Located(location) => write!(f, "location {}", location.name()),
            Self::Clock => write!(f, "an extra clock"),
            Self::Order => write!(f, "events in another order"),
            Self::Still => write!(f, "an extra state that is constant"),
            Self::Tolerance(factor) => write!(f, "tolerances times {factor}"),
            Self::Later(time) => write!(f, "later by {time}"),
            Self::Lengths(power) => write!(f, "lengths times 1e{power}"),
            Self::Closures => write!(f, "closures"),
            Self::Moved => write!(f, "moved and turned"),
            Self::Multiplied(factor) => write!(f, "constraints times {factor}"),
            Self::FirstStep(part) => write!(f, "first step {part} of the run"),
            Self::Mirrored => write!(f, "in a mirror"),
            Self::ContactOrder => write!(f, "contacts in another order"),
            Self::Doubled => write!(f, "a contact written twice"),
            Self::Rewritten => write!(f, "a contact written twice in different ways"),
        }
    }
}

impl Variant {
    /// How a drawn model is written for it.
    pub(super) fn rendering(self) -> Rendering {
        let plain = Rendering::default();
        match self {
            Self::Later(shift) => Rendering { shift, ..plain },
            Self::Lengths(length) => Rendering { length, ..plain },
            Self::Moved => Rendering { moved: true, ..plain },
            Self::Multiplied(factor) => Rendering { factor, ..plain },
            Self::Mirrored => Rendering { mirrored: true, ..plain },
            Self::ContactOrder => Rendering { contacts: ContactWriting::Reversed, ..plain },
            Self::Doubled => Rendering { contacts: ContactWriting::Doubled, ..plain },
            Self::Rewritten => Rendering { contacts: ContactWriting::Rewritten, ..plain },
            _ => plain,
        }
    }

    /// What it changes in a model that runs for a time.
    pub(super) fn change_model(self, model: &mut Model, span: f64) {
        match self {
            Self::Clock => model.events.extend(addition(span).events),
            Self::Order => {
                model.events.reverse();
                model.modes.iter_mut().for_each(|mode| mode.events.reverse());
            }
            Self::Still => {
                let addition = addition(span);
                model.states.extend(addition.states);
                model.derivatives.extend(addition.derivatives);
            }
            _ => {}
        }
    }

    /// What it changes in the options of a run from a time on.
    pub(super) fn change_options(self, options: &mut Options, from: f64) {
        match self {
            Self::Method(method) => *options = options.clone().with_method(method),
            Self::LongestStep(part) => {
                let step = part * (options.until - from);
                options.steps.longest = Some(options.steps.longest.map_or(step, |longest| longest.min(step)));
            }
            Self::FirstStep(part) => options.steps.first = Some(part * (options.until - from)),
            Self::Located(location) => options.events.location = Some(location),
            Self::Tolerance(factor) => {
                let tolerances = &mut options.tolerances;
                for tolerance in [&mut tolerances.relative, &mut tolerances.absolute] {
                    *tolerance = scaled(tolerance, factor);
                }
            }
            Self::Later(time) => options.until += time,
            _ => {}
        }
    }
}

fn scaled(tolerance: &PerComponent, factor: f64) -> PerComponent {
    match tolerance {
        PerComponent::Same(value) => PerComponent::Same(factor * value),
        PerComponent::Each(values) => PerComponent::Each(values.iter().map(|value| factor * value).collect()),
    }
}

/// A model whose only state does not change and whose only event is a clock; parts of it go into others.
fn addition(span: f64) -> Model {
    let period = span / STRIKES;
    let text = format!(
        "states.{ADDED} = 1\nderivatives.{ADDED} = 0\nevents.{ADDED}.every = {period:e}\nrun.until = {span:e}"
    );
    Model::from_toml(&text).unwrap_or_default()
}
