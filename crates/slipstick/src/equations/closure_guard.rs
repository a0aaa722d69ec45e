//! Guards written as Rust closures, built in the order in which one would say it.

use super::{ContactGuard, Direction, Guard, GuardCondition, GuardKind, Locked, Reset, Response, Side};
use crate::model::{ContactChange, contact_name};

type Function = Box<dyn Fn(Locked<'_>, f64, &[f64]) -> f64 + Send + Sync>;
pub(super) type ResetRule = Box<dyn Fn(Locked<'_>, f64, &[f64], Reset<'_>) + Send + Sync>;

/// When a guard fires.
pub(super) enum ClosureSurface {
    /// At the zeros of a function.
    Function(Function),
    /// At a time.
    At(f64),
    /// At `first + n period`; the count of this index is n.
    Every { first: f64, period: f64, count: usize },
    /// Where something happens to the contact of this index: its mechanism knows the value.
    OfContact(usize, ContactChange),
    /// After another guard.
    None,
}

impl ClosureSurface {
    /// The value of the surface; that of a clock is measured in strikes.
    pub(super) fn value(&self, locked: Locked<'_>, t: f64, y: &[f64]) -> f64 {
        match self {
            Self::Function(function) => function(locked, t, y),
            Self::At(time) => t - time,
            Self::Every { period, .. } => (t - self.time(locked).unwrap_or(f64::INFINITY)) / period,
            Self::OfContact(..) | Self::None => f64::NAN,
        }
    }

    /// The time at which it fires, if that is known.
    pub(super) fn time(&self, locked: Locked<'_>) -> Option<f64> {
        match self {
            Self::Function(_) | Self::OfContact(..) | Self::None => None,
            Self::At(time) => Some(*time),
            Self::Every { first, period, count } => Some(first + locked.counts[*count] * period),
        }
    }
}

/// A guard given by closures.
pub struct ClosureGuard {
    pub(super) guard: Guard,
    pub(super) surface: ClosureSurface,
    pub(super) growth: f64,
    pub(super) reset: Option<ResetRule>,
    pub(super) rest: Option<ClosureRest>,
    /// The name of the event that it fires after, if it has no surface of its own.
    pub(super) leader: Option<String>,
}

impl ClosureGuard {
    fn new(name: &str, direction: Direction, kind: GuardKind, surface: ClosureSurface) -> Self {
        let guard = Guard { kind, ..Guard::new(name, direction) };
        Self { guard, surface, growth: f64::INFINITY, reset: None, rest: None, leader: None }
    }

    fn crossing(
        name: &str,
        direction: Direction,
        surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::hybrid(name, direction, move |_locked, t, y| surface(t, y))
    }

    /// Fires when the surface crosses zero in the given direction. It receives all that is locked.
    pub fn hybrid(
        name: &str,
        direction: Direction,
        surface: impl Fn(Locked<'_>, f64, &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, direction, GuardKind::Surface, ClosureSurface::Function(Box::new(surface)))
    }

    /// Fires when the surface goes from negative to positive.
    pub fn rising(name: &str, surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::crossing(name, Direction::Rising, surface)
    }

    /// Fires when the surface goes from positive to negative.
    pub fn falling(name: &str, surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::crossing(name, Direction::Falling, surface)
    }

    /// Fires when the surface goes through zero either way.
    pub fn both(name: &str, surface: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::crossing(name, Direction::Both, surface)
    }

    /// Fires once, at a time.
    pub fn at(name: &str, time: f64) -> Self {
        Self::scheduled(name, ClosureSurface::At(time))
    }

    /// Fires exactly at `first + n period`. A run is refused unless the period is a positive number.
    pub fn every(name: &str, first: f64, period: f64) -> Self {
        // The count is known when the guard is added to a system.
        Self::scheduled(name, ClosureSurface::Every { first, period, count: 0 })
    }

    /// Fires after another event, at the same instant: `contact.floor.hit`, `.lift`, `.stick`, `.slip`, `.reverse` or
    /// `.rest` of a contact, or a guard that was added before this one.
    pub fn after(name: &str, leader: &str) -> Self {
        let guard = Self::new(name, Direction::Falling, GuardKind::Follows, ClosureSurface::None);
        Self { leader: Some(leader.to_owned()), ..guard }
    }

    fn scheduled(name: &str, surface: ClosureSurface) -> Self {
        Self::new(name, Direction::Rising, GuardKind::Scheduled { rising: true }, surface)
    }

    /// Changes the state (`reset(t, before, after)`), and places the event just before the root unless
    /// [`side`](Self::side) says otherwise: a thing that bounces is not to be found inside the wall.
    #[must_use]
    pub fn reset(self, reset: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        self.hybrid_reset(move |_locked, t, before, after| reset(t, before, after.state))
    }

    /// As [`reset`](Self::reset), for discrete variables too: `reset(locked, t, before, after)`, where
    /// `locked` has their values before.
    #[must_use]
    pub fn hybrid_reset(
        mut self,
        reset: impl Fn(Locked<'_>, f64, &[f64], Reset<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.reset = Some(Box::new(reset));
        self.guard.response.reset = true;
        if self.guard.kind == GuardKind::Surface {
            self.guard.side = Side::Before;
        }
        self
    }

    /// Chooses the side of the root on which the event is placed.
    #[must_use]
    pub fn side(mut self, side: Side) -> Self {
        self.guard.side = side;
        self
    }

    /// Goes to a mode of the system, by index.
    #[must_use]
    pub fn goto(mut self, mode: usize) -> Self {
        self.guard.response.mode = Some(mode);
        self
    }

    /// Is watched only in one mode.
    #[must_use]
    pub fn in_mode(mut self, mode: usize) -> Self {
        self.guard.mode = Some(mode);
        self
    }

    /// Fires also where the surface touches zero and turns back.
    #[must_use]
    pub fn touches(mut self) -> Self {
        self.guard.touches = true;
        self
    }

    /// Says what happens, once, in the place of events that would not end.
    #[must_use]
    pub fn at_rest(mut self, rest: ClosureRest) -> Self {
        self.rest = Some(rest);
        self
    }

    /// Declares that the surface changes by at most `bound` when time and all states change by at most one:
    /// for `y[0] - 3.0 * y[1]` it is 4. The guard is skipped until it can have reached zero, so it costs next
    /// to nothing far from there. Nothing checks the bound; with one that is too small, events are missed.
    #[must_use]
    pub fn growth(mut self, bound: f64) -> Self {
        // What is not a bound tells nothing.
        self.growth = if bound >= 0.0 { bound } else { f64::INFINITY };
        self
    }

    /// Stops the run when the guard has fired `n` times.
    #[must_use]
    pub fn stop_after(mut self, n: u64) -> Self {
        self.guard.response.stop_after = Some(n);
        self
    }
}

/// What happens when the events of a guard accumulate: a bouncing thing lies still.
#[derive(Default)]
pub struct ClosureRest {
    pub(super) reset: Option<ResetRule>,
    pub(super) mode: Option<usize>,
    /// Its name, if that is not made of the name of the guard.
    name: Option<String>,
}

impl ClosureRest {
    /// Goes to a mode of the system, by index.
    pub fn goto(mode: usize) -> Self {
        Self { mode: Some(mode), ..Self::default() }
    }

    /// The end of the hits of a contact.
    pub(super) fn of_contact(contact: &str) -> Self {
        let name = contact_name(contact, ContactChange::Rest.word());
        Self { name: Some(name), ..Self::default() }
    }

    /// Changes the state: `reset(t, before, after)`.
    #[must_use]
    pub fn reset(mut self, reset: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        self.reset = Some(Box::new(move |_locked, t, before, after| reset(t, before, after.state)));
        self
    }

    /// The guard that stands for it.
    pub(super) fn guard(&self, of: &Guard) -> Guard {
        let response = Response { reset: self.reset.is_some(), mode: self.mode, ..Response::default() };
        Guard {
            name: self.name.clone().unwrap_or_else(|| format!("{} at rest", of.name)),
            response,
            kind: GuardKind::Rest,
            contact: of.contact.map(|of| ContactGuard { change: ContactChange::Rest, ..of }),
            touches: false,
            closed: false,
            is_used: false,
            condition: GuardCondition::Crossing,
            ..of.clone()
        }
    }
}
