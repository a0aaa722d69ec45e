//! The suite `contact`: mechanisms that hit, rest, stick, slip and lift, each with the truth about when they
//! do.
//!
//! A problem is a model file in `models/`; its truth stands in the Rust file that reads it: closed forms,
//! quadrature or extrapolation in 40 digits, as the nearest doubles. A row promises every event, in order and
//! by name, the states and forces beside events, and errors within a multiple of the tolerance.

mod balls;
mod bodies;
mod discs;
mod domes;
mod friction;
mod joints;
mod measure;
mod methods;
mod more;

pub use discs::discs_in_a_box;
pub use measure::MeasuredContact;
pub use methods::{ContactMethod, contact_methods};

use crate::simulate::{Overrides, Plan};

/// A model with contacts, and what is true of it.
#[derive(Clone)]
pub struct ContactProblem {
    /// The name in benchmark rows.
    pub name: &'static str,
    /// The equations, where they begin and how they are run.
    pub plan: Plan,
    /// Every event, in order; none if they are not known.
    pub events: Option<Vec<Happens>>,
    /// Quantities at the start and at the end.
    pub known: Vec<KnownQuantity>,
    /// Whether it has friction.
    pub has_friction: bool,
    /// The names of the outputs of the model, in their order.
    outputs: Vec<String>,
}

/// An event as it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Happens {
    /// The names of all that fires or happens, in the order of the log.
    pub names: Vec<&'static str>,
    /// When, for hits that accumulate their limit.
    pub t: f64,
    /// Whether hits accumulate here: those of the contacts of the event before, of which any number may come
    /// first.
    pub is_limit: bool,
}

/// Where a quantity is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the start, after what happens there.
    Start,
    /// Before an event, by its place in the list.
    Before(usize),
    /// After an event.
    After(usize),
    /// At the end.
    End,
}

/// A state or an output with its true value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownQuantity {
    /// Where.
    pub place: Place,
    /// Its name.
    pub name: &'static str,
    /// Its true value.
    pub value: f64,
}

/// Names and values at one place.
type Values<'a> = &'a [(&'static str, f64)];

impl ContactProblem {
    /// Reads a model, with other values for some of its parameters.
    ///
    /// # Panics
    /// If the text is no model, which the tests rule out.
    fn read(name: &'static str, text: &str, parameters: &[(&str, f64)]) -> Self {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let model = Plan::read_model(text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let plan = Plan::new(&model, &Overrides { parameters, ..Overrides::default() })
            .unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        Self {
            name,
            plan,
            events: None,
            known: Vec::new(),
            has_friction: model.mechanism.contacts.iter().any(|contact| contact.friction.is_some()),
            outputs: model.outputs.iter().map(|output| output.name.clone()).collect(),
        }
    }

    /// What is known at the start.
    fn starts(self, values: Values<'_>) -> Self {
        self.knows(Place::Start, values)
    }

    /// An event follows, of which this is known before and after it.
    fn then(mut self, names: &[&'static str], t: f64, [before, after]: [Values<'_>; 2]) -> Self {
        let events = self.events.get_or_insert_default();
        events.push(Happens { names: names.to_vec(), t, is_limit: false });
        let number = events.len() - 1;
        self.knows(Place::Before(number), before).knows(Place::After(number), after)
    }

    /// Events of the same names follow, of which only the times are known.
    fn times(mut self, names: &[&'static str], times: &[f64]) -> Self {
        for &t in times {
            self = self.then(names, t, [&[], &[]]);
        }
        self
    }

    /// The hits of the event before accumulate, at this time.
    fn rests(mut self, names: &[&'static str], limit: f64, after: Values<'_>) -> Self {
        self = self.then(names, limit, [&[], after]);
        if let Some(last) = self.events.as_mut().and_then(|events| events.last_mut()) {
            last.is_limit = true;
        }
        self
    }

    /// What is known at the end.
    fn ends(self, values: Values<'_>) -> Self {
        self.knows(Place::End, values)
    }

    fn knows(mut self, place: Place, values: Values<'_>) -> Self {
        self.known.extend(values.iter().map(|&(name, value)| KnownQuantity { place, name, value }));
        self
    }
}

/// The problems with a truth, in the order of the rows.
pub fn contact_problems() -> Vec<ContactProblem> {
    let mut all = balls::balls();
    all.extend(friction::friction());
    all.extend(domes::domes());
    all.extend(bodies::bodies());
    all.extend(joints::joints());
    all
}

/// Those without one: what is promised of them is that they come to their end.
pub fn more_contact_problems() -> Vec<ContactProblem> {
    more::more()
}

/// Those whose hits are too dense to be located one by one, for the usual method at the usual tolerance.
pub fn dense_contact_problems() -> Vec<ContactProblem> {
    vec![discs_in_a_box(20, None, 0.6)]
}
