//! How uncertain states are by rounding (rule 2), and what is known of the step at hand for that.

use super::integrator::Integrator;
use crate::equations::UncertainPoint;
use crate::expr::Inexact;
use crate::step::DENSE_DEGREE;
use crate::transition::{Impossible, Rule, Tools, Transition};
use std::cell::OnceCell;

/// The part of a number that rounding can change.
pub(super) const ROUNDING: f64 = 0.5 * f64::EPSILON;
/// By how much bounds of rounding errors are multiplied: what a closure does inside cannot be seen.
pub(super) const CAUTION: f64 = 4.0;
/// How many points of a step are kept, twice those of one polynomial through values; and with how many
/// states that is worth while.
const MOST_VISITED: usize = 34;
const WORTH_KEEPING: usize = 4;
/// No part of a step.
const NOTHING: (f64, f64) = (f64::NAN, f64::NAN);

/// How uncertain each state is by rounding (rule 2), and scratch for comparisons.
pub(super) struct Uncertainty {
    /// At the start of the step at hand.
    pub(super) at_start: Vec<f64>,
    pub(super) at_point: Vec<f64>,
    pub(super) state: Vec<f64>,
    /// The gradient of each guard that is no formula, with its rate in time, and the step that it was found
    /// in.
    pub(super) gradients: Vec<Option<Gradient>>,
    pub(super) scratch: Vec<f64>,
    /// Coefficients of the comparison that is looked at.
    pub(super) coefficients: Vec<Inexact>,
    /// The dense output of the step at hand as powers of its part, time first, as far as it was asked for.
    pub(super) powers: Vec<OnceCell<Powers>>,
    /// How far each state moves from its start within the step at hand, and how far rounding moves it when it
    /// is brought to the constraints.
    pub(super) reaches: Vec<f64>,
    pub(super) landing: Vec<f64>,
    /// Points of the step at hand that were gone to, and how many of them hold.
    visited: Vec<Visited>,
    visits: usize,
    /// The step that these belong to, and which part of it the powers are of.
    stamp: (u64, u64),
    looked: (f64, f64),
}

/// The coefficients of one state over a step.
pub(super) type Powers = ([f64; DENSE_DEGREE + 1], usize);

/// A point of the dense output, and how uncertain it is.
#[derive(Clone)]
struct Visited {
    s: f64,
    pub(super) state: Vec<f64>,
    delta: Vec<f64>,
}

#[derive(Clone)]
pub(super) struct Gradient {
    /// When it was found, and until how long before and after that it is used next to zero.
    pub(super) t: f64,
    pub(super) lasts: f64,
    pub(super) by_state: Vec<f64>,
    pub(super) by_time: f64,
    /// The largest value seen since.
    pub(super) size: f64,
}

impl Uncertainty {
    pub(super) fn new(y: &[f64], guards: usize) -> Self {
        Self {
            at_start: y.iter().map(|y| ROUNDING * y.abs()).collect(),
            at_point: vec![0.0; y.len()],
            state: y.to_vec(),
            gradients: vec![None; guards],
            scratch: vec![0.0; y.len()],
            coefficients: Vec::new(),
            powers: vec![OnceCell::new(); y.len() + 1],
            reaches: vec![0.0; y.len()],
            landing: vec![0.0; y.len()],
            stamp: (0, 0),
            looked: NOTHING,
            visited: Vec::new(),
            visits: 0,
        }
    }

    /// Becomes as new, for another run that begins at a state.
    pub(super) fn renew(&mut self, y: &[f64]) {
        let Self { at_start, at_point, state, gradients, scratch, coefficients: _, powers, .. } = self;
        at_start.iter_mut().zip(y).for_each(|(delta, y)| *delta = ROUNDING * y.abs());
        state.copy_from_slice(y);
        gradients.fill(None);
        powers.fill(OnceCell::new());
        for list in [at_point, scratch, &mut self.reaches, &mut self.landing] {
            list.fill(0.0);
        }
        (self.visits, self.stamp, self.looked) = (0, (0, 0), NOTHING);
    }

    /// The step just tried was taken up to a state. One that does not move keeps its uncertainty.
    pub(super) fn take_step(&mut self, integrator: &Integrator<'_>, s: f64, end: &[f64]) {
        if self.gradients.is_empty() {
            // Without guards nobody asks.
            return;
        }
        self.begin_step(integrator);
        let (start, part) = (&integrator.trial.start, (s / integrator.trial.h).min(1.0));
        let states = start.iter().zip(end).zip(self.reaches.iter().zip(&self.landing));
        for (delta, ((&start, &end), (&reach, landing))) in self.at_start.iter_mut().zip(states) {
            let moved = rounding_of(start, end, part * reach) + landing;
            let is_still = (part * reach == 0.0) & (start.to_bits() == end.to_bits());
            *delta = if is_still { *delta } else { moved };
        }
    }

    /// A state lies beside the constraints that hold from here on: it is uncertain by how far they move it as soon
    /// as a step begins.
    pub(super) fn lie_beside(&mut self, y: &[f64], projected: &[f64]) {
        for (delta, (y, projected)) in self.at_start.iter_mut().zip(y.iter().zip(projected)) {
            *delta = delta.max((projected - y).abs());
        }
    }

    /// How far rounding can have moved each state where the step begins, with caution.
    pub(super) fn of_rounding(&self) -> Vec<f64> {
        self.at_start.iter().map(|delta| CAUTION * delta).collect()
    }

    /// How far rounding of states and time moves a guard, by its gradient.
    pub(super) fn band_by_gradient(&self, guard: usize, t: f64, value: f64) -> f64 {
        let Some(gradient) = &self.gradients[guard] else { return 0.0 };
        let terms = gradient.by_state.iter().zip(&self.at_point).map(|(g, delta)| (g * delta).abs());
        let by_time = ROUNDING * (gradient.by_time * t).abs();
        let band = CAUTION * (terms.sum::<f64>() + by_time + ROUNDING * value.abs());
        if band.is_finite() { band } else { 0.0 }
    }

    /// A transition has set states. Whole numbers are exact.
    fn jump(&mut self, before: &[f64], after: &[f64]) {
        let moved = before.iter().zip(after).any(|(a, b)| a.to_bits() != b.to_bits());
        for gradient in self.gradients.iter_mut().flatten().filter(|_| moved) {
            gradient.lasts = -1.0;
        }
        for (i, delta) in self.at_start.iter_mut().enumerate() {
            if before[i].to_bits() != after[i].to_bits() {
                let exact = after[i].fract() == 0.0;
                let rounding = ROUNDING * after[i].abs().max(before[i].abs());
                *delta = if exact { 0.0 } else { rounding + self.landing[i] };
            }
        }
    }
}

/// How uncertain what resets have set is by rounding.
impl Rule for Uncertainty {
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible> {
        let Transition { t, firing, before, after, .. } = transition;
        self.at_point.copy_from_slice(&self.at_start);
        self.jump(before, after);
        let point = UncertainPoint { t: *t, y: before, delta: &self.at_point };
        let guards = tools.flow.system().guards();
        for &g in firing.guards.iter().filter(|&&g| guards[g].response.reset) {
            tools.flow.guards().reset_bounds(g, point, &mut self.at_start);
        }
        Ok(())
    }
}

impl Uncertainty {
    /// Goes to a point where it has been in this step. Comparisons are sampled one after the other at the
    /// same points.
    pub(super) fn recall(&mut self, s: f64) -> bool {
        let known = self.visits.min(MOST_VISITED);
        let Some(there) = self.visited[..known].iter().find(|there| there.s == s) else { return false };
        self.state.copy_from_slice(&there.state);
        self.at_point.copy_from_slice(&there.delta);
        true
    }

    /// Keeps the point that was gone to, in the place of the oldest.
    pub(super) fn keep(&mut self, s: f64) {
        if self.state.len() < WORTH_KEEPING {
            return;
        }
        if self.visited.is_empty() {
            let none = Visited { s: 0.0, state: self.state.clone(), delta: self.at_point.clone() };
            self.visited.resize(MOST_VISITED, none);
        }
        let place = &mut self.visited[self.visits % MOST_VISITED];
        place.s = s;
        place.state.copy_from_slice(&self.state);
        place.delta.copy_from_slice(&self.at_point);
        self.visits += 1;
    }

    /// How uncertain a state is that has moved from its start to its end in this part of the step.
    pub(super) fn moved(&self, i: usize, (start, end): (f64, f64), part: f64) -> f64 {
        let rounding = rounding_of(start, end, part * self.reaches[i]);
        self.at_start[i].max(if rounding > 0.0 { rounding + self.landing[i] } else { 0.0 })
    }

    /// Powers of another part of the dense output are forgotten.
    pub(super) fn begin_look(&mut self, integrator: &Integrator<'_>, part: (f64, f64)) {
        self.begin_step(integrator);
        if self.looked != part {
            self.powers.iter_mut().for_each(|powers| *powers = OnceCell::new());
            self.looked = part;
        }
    }

    /// What is known of the dense output of another step is forgotten.
    pub(super) fn begin_step(&mut self, integrator: &Integrator<'_>) {
        let trial = &integrator.trial;
        let stamp = (trial.t.to_bits() ^ trial.h.to_bits().rotate_left(17), integrator.dense_number);
        if self.stamp != stamp {
            (self.looked, self.visits) = (NOTHING, 0);
            trial.dense.terms(&mut self.reaches);
            integrator.flow.projected().rounding(&trial.start, &mut self.landing);
            self.stamp = stamp;
        }
    }
}

/// How far rounding within a step moves a state that does not go further than `reach` in it. One that does
/// not move is not rounded.
fn rounding_of(start: f64, y: f64, reach: f64) -> f64 {
    let rounding = ROUNDING * (y.abs() + start.abs() + reach.max((y - start).abs()));
    let is_still = (reach == 0.0) & (start.to_bits() == y.to_bits());
    if is_still { 0.0 } else { rounding }
}
