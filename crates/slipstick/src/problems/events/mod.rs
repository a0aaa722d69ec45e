//! The suite `events`: problems with events, each with the truth about when they happen and what they do.
//!
//! A truth is a closed form, or the digits of one worked out piece by piece in 50 or more digits: the pieces
//! between events are linear equations with closed solutions, and the event times are roots of those. Where
//! neither exists (the marble jar) the energy is the check. A row is run with default options unless its
//! source states tolerances. It promises the number of events, which guards fire in each, and bounds on
//! errors; some rows also promise to need several times less work than another row.

mod balls;
mod circuits;
mod clocks;
mod corner_guards;
mod escapement;
mod friction;
mod marble_jar;
mod marked;
mod measure;
mod plain;

pub use balls::hundred_balls;
pub use marble_jar::{MarbleJar, marble_jar};
pub use measure::Measured;

use crate::equations::System;
use crate::simulate::{Options, Start};
use crate::trajectory::EventKind;

/// A problem with events and what is true of it.
pub struct EventProblem {
    /// The name in benchmark rows.
    pub name: String,
    /// Where it comes from, and where its truth does.
    pub source: &'static str,
    /// The equations.
    pub system: Box<dyn System>,
    /// Where it begins.
    pub start: Start,
    /// How it is run.
    pub options: Options,
    /// The tolerance, as the row states it.
    pub tolerance: f64,
    /// What it is run with.
    pub solver: Solver,
    /// What is known of the events.
    pub events: Events,
    /// The true state at the end, if it is known.
    pub end: Option<Vec<f64>>,
    /// How large errors may be.
    pub bounds: Bounds,
    /// A quantity that stays constant, if there is one.
    pub invariant: Option<Invariant>,
    /// The rows that this one is compared with; they come before it.
    pub against: Vec<Against>,
}

/// A quantity of the state that stays constant.
pub type Invariant = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// What a problem is run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// The loop of this library.
    Simulate,
    /// The solver of paper 000 without event handling: equations (5.7) and (5.8).
    Plain,
}

/// What is known of the events of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Events {
    /// Nothing.
    Unknown,
    /// Every one of them, in order.
    All(Vec<Expected>),
    /// The times of those in which one guard fires.
    Of {
        /// The index of the guard.
        guard: usize,
        /// The times.
        times: Vec<f64>,
    },
    /// How often guards fire in all, whether together or one by one.
    Firings(u64),
}

/// An event as it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// When it happens.
    pub t: f64,
    /// The guards that fire in it.
    pub guards: Vec<usize>,
    /// What happens in it, and nothing else, if that is stated.
    pub kind: Option<EventKind>,
    /// The state before it, if it is known.
    pub before: Option<Vec<f64>>,
}

impl Expected {
    /// One guard fires; the state is not compared.
    fn at(t: f64, guard: usize) -> Self {
        Self { t, guards: vec![guard], kind: None, before: None }
    }

    /// The same, with the state before it.
    fn with_state(t: f64, guard: usize, before: impl Into<Vec<f64>>) -> Self {
        Self { before: Some(before.into()), ..Self::at(t, guard) }
    }

    /// The same, with what happens.
    pub(super) fn of_kind(t: f64, guard: usize, kind: EventKind, before: impl Into<Vec<f64>>) -> Self {
        Self { kind: Some(kind), ..Self::with_state(t, guard, before) }
    }
}

/// How large errors may be; infinite where nothing is promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Of the time of an event.
    pub time: f64,
    /// Of the state before an event.
    pub state: f64,
    /// Of the state at the end.
    pub end: f64,
    /// Of the quantity that should stay constant.
    pub invariant: f64,
}

impl Bounds {
    /// The same bound for everything; what stays constant is not bounded.
    pub(super) fn all(bound: f64) -> Self {
        Self { time: bound, state: bound, end: bound, invariant: f64::INFINITY }
    }

    pub(super) fn none() -> Self {
        Self::all(f64::INFINITY)
    }
}

/// A promise about another row.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    /// The name of the other row, which has the same tolerance.
    pub name: String,
    /// How many times more right-hand sides the other row needs, at least.
    pub fewer: f64,
    /// How many times more the energy changes in the other row, at least.
    pub steadier: f64,
}

impl Against {
    /// A promise about work alone.
    fn fewer(name: &str, fewer: f64) -> Self {
        Self { name: name.to_owned(), fewer, steadier: 0.0 }
    }
}

impl EventProblem {
    /// A problem with default options about which nothing is known yet.
    pub(super) fn new(
        name: &str,
        source: &'static str,
        system: impl System + 'static,
        start: impl Into<Vec<f64>>,
        until: f64,
    ) -> Self {
        let options = Options::until(until);
        Self {
            name: name.to_owned(),
            source,
            system: Box::new(system),
            start: Start::at(start),
            tolerance: options.tolerances.relative.get(0),
            options,
            solver: Solver::Simulate,
            events: Events::Unknown,
            end: None,
            bounds: Bounds::none(),
            invariant: None,
            against: Vec::new(),
        }
    }

    /// The name of the method, as rows state it.
    pub fn method_name(&self) -> &'static str {
        match self.solver {
            Solver::Simulate => self.options.method.name(),
            Solver::Plain => "plain",
        }
    }

    /// Says what is true of every event, and of the end.
    pub(super) fn truth(mut self, events: Vec<Expected>, end: impl Into<Vec<f64>>, bounds: Bounds) -> Self {
        (self.events, self.end, self.bounds) = (Events::All(events), Some(end.into()), bounds);
        self
    }
}

/// The problems of the suite `events`, in the order of the rows: one that is compared with comes before the
/// one that is compared.
pub fn events() -> Vec<EventProblem> {
    let mut all = quick_events();
    all.extend(balls::hundred_balls());
    all.extend(marble_jar::all_jars());
    all
}

/// Those that take no more than a moment.
pub fn quick_events() -> Vec<EventProblem> {
    let mut all = balls::single_balls();
    all.extend(corner_guards::corner_guards());
    all.extend(friction::friction_and_relays());
    all.extend(circuits::circuits());
    all.push(clocks::doses());
    all.push(escapement::escapement());
    all
}
