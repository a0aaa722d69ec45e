//! Where guards go along the motion of a form, by their series or by trial steps.

use super::integrator::Integrator;
use super::signals::Along;
use crate::formulation::{Flow, Sliding};
use crate::transition::{Heading, Motions};
use crate::watch::{Banded, MOST_ORDERS, Signals};

/// How soon it is looked whether rates of a surface come to depend on the side, in steps.
const SOON: f64 = 1e-3;
/// The part of a small motion that may lead across constraints by their curvature.
const ACROSS: f64 = 1e-3;

/// Headings of guards along the motion of a form.
pub(super) struct Headings<'r, 'a> {
    along: Along<'r, 'a>,
    out: Vec<Banded>,
}

impl<'r, 'a> Headings<'r, 'a> {
    pub(super) fn new(along: Along<'r, 'a>) -> Self {
        Self { along, out: Vec::new() }
    }
}

impl<'a> Motions<'a> for Headings<'_, 'a> {
    fn flow(&mut self) -> &mut Flow<'a> {
        &mut self.along.integrator.flow
    }

    fn heading(&mut self, guard: usize) -> Heading {
        let orientation = self.along.comparisons.orientation(guard);
        let decided = self.decided(guard);
        match decided.map(|(_, value)| value * orientation) {
            None => Heading::Stays,
            Some(value) if value > 0.0 => Heading::Up,
            Some(_) => Heading::Down,
        }
    }

    /// Where the rates of the surface depend on the side, here or soon, weights hold the motion there. Where
    /// they do not, as in `x'' = -sign(x)`, the combination in equal parts may do so by itself.
    fn can_slide(&mut self, sliding: &Sliding) -> bool {
        let Integrator { flow, trial, .. } = &mut *self.along.integrator;
        if flow.algebraic(trial.t).is_read_by(sliding.set.surfaces()[0].guard, &mut trial.start) {
            // What an algebraic state is there follows from the weights, and not the other way round.
            return false;
        }
        if !sliding.combination.rates.is_idle(0) {
            return true;
        }
        let (trial, h) = (&self.along.integrator.trial, SOON * self.along.integrator.sizes.h);
        let (t, mut y) = (trial.t + h, trial.start.clone());
        let mut soon = sliding.clone();
        soon.fields.go_between(h, &mut y);
        self.along.integrator.flow.switching(t).evaluate(&mut soon, &y);
        if !soon.combination.rates.is_idle(0) {
            return true;
        }
        let rates = &soon.combination.rates;
        let stays = (0..soon.set.sides().count()).all(|side| rates.rate(0, side).abs() <= rates.rounding(0));
        stays && self.keeps_constraints(sliding, h, &y)
    }
}

impl Headings<'_, '_> {
    /// Whether constraints do not take what a combination of sides makes of speeds as motion across them, on
    /// either side.
    fn keeps_constraints(&mut self, sliding: &Sliding, h: f64, y: &[f64]) -> bool {
        let flow = &mut self.along.integrator.flow;
        let (t, count) = (self.along.integrator.trial.t + h, flow.system().constraints().len());
        let (mut position, mut velocity) = (vec![0.0; count], vec![0.0; count]);
        let start = &self.along.integrator.trial.start;
        let moved = start.iter().zip(y).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        let held = flow.mode.clone();
        let kept = (0..sliding.set.sides().count()).all(|side| {
            sliding.set.lock_side(side, &mut flow.mode);
            flow.constraints().residuals(t, y, &mut position, &mut velocity);
            velocity.iter().all(|rate| rate.abs() <= ACROSS * moved)
        });
        flow.mode = held;
        kept
    }

    /// The first coefficient above order zero that is known to differ from zero, with its order.
    fn decided(&mut self, guard: usize) -> Option<(usize, f64)> {
        self.out.clear();
        for order in 1..=MOST_ORDERS {
            if !self.along.series(guard, order, &mut self.out) {
                return self.decided_by_trials(guard);
            }
            if let Some(c) = self.out.get(order).filter(|c| c.sign().is_some()) {
                return Some((order, c.value));
            }
        }
        None
    }

    fn decided_by_trials(&mut self, guard: usize) -> Option<(usize, f64)> {
        for attempt in 0..MOST_ORDERS {
            if !self.along.trial_series(guard, attempt, &mut self.out) {
                return None;
            }
            let mut orders = self.out.iter().enumerate().skip(1);
            if let Some((order, c)) = orders.find(|(_, c)| c.sign().is_some()) {
                return Some((order, c.value));
            }
        }
        None
    }
}
