//! Impulses that events give to a mechanism, as numbers at a point.

use super::contacts::{ContactsView, TouchPoint};
use crate::contact::LawNumbers;
use crate::equations::{LawsWanted, Locked, impulse_numbers};
use crate::expr::Inexact;

/// Rounding of a sum of a few terms, in units of the sum of their sizes.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The impulse of an event: what it acts along, and how large it is.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenRow {
    /// The guard of the event.
    pub guard: usize,
    /// The velocity that it acts along, and its gradient by the speeds.
    pub velocity: Inexact,
    /// That gradient.
    pub direction: Vec<f64>,
    /// Its size, or the part of the velocity that it gives back.
    pub amount: Amount,
    /// Minus one where velocity and direction are the other way round than in the model.
    pub sign: f64,
}

/// How large an impulse is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// This part of the velocity is given back.
    Restitution(f64),
    /// This much.
    Size(f64),
}

impl GivenRow {
    /// The same, turned so that the velocity is not positive: that of a gap that closes.
    #[must_use]
    pub fn closing(mut self) -> Self {
        if self.velocity.value > 0.0 {
            self.velocity.value = -self.velocity.value;
            self.direction.iter_mut().for_each(|g| *g = -*g);
            self.sign = -self.sign;
        }
        self
    }

    /// The law of a contact without friction that gives back as much.
    pub fn law(&self) -> LawNumbers {
        let restitution = if let Amount::Restitution(part) = self.amount { part } else { 0.0 };
        LawNumbers { restitution, ..LawNumbers::default() }
    }
}

impl ContactsView<'_, '_> {
    /// The impulse of this place among those of the system. How large it is follows from the values before anything
    /// was set.
    pub fn given(&mut self, which: usize, point: TouchPoint<'_>) -> Option<GivenRow> {
        let (system, locked) = (self.system, self.in_mode.locked);
        let mechanism = self.in_mode.mechanism.as_mut()?.inner.mechanism()?;
        let shape = system.impulses()[which];
        let guard = &system.guards()[shape.guard];
        let layout = system.layout();
        let count = impulse_numbers(layout.v);
        let own = which * count..(which + 1) * count;
        let mut all = vec![0.0; count * system.impulses().len()];
        let earlier = point.mode_before.locked(locked.parameters);
        let mut numbers = |locked: Locked<'_>, y: &[f64]| {
            mechanism.laws((locked.in_mode_of(guard), point.t, y), LawsWanted::Impulses, &mut all);
            all[own.clone()].to_vec()
        };
        let amount = numbers(earlier, point.before)[1];
        let now = numbers(locked, point.y);
        let (value, direction) = (now[0], now[2..].to_vec());
        let speeds = &point.y[layout.q..layout.q + layout.v];
        let size: f64 = direction.iter().zip(speeds).map(|(g, v)| (g * v).abs()).sum();
        let velocity = Inexact { value, bound: ROUNDING * (size + value.abs()) };
        let amount = if shape.has_size { Amount::Size(amount) } else { Amount::Restitution(amount) };
        Some(GivenRow { guard: shape.guard, velocity, direction, amount, sign: 1.0 })
    }
}
