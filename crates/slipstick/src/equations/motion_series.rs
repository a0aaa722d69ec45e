//! The Taylor series of the states along the motion: `y_(k+1) = f_k / (k + 1)`. In a mechanism f has
//! accelerations and multipliers in it.

use super::ActiveRows;
use super::expand::HIGHEST_ORDER;
use super::expand_formula::PointInputs;
use super::mechanism::MechanismTapes;
use super::mechanism_series::MechanismSeries;
use crate::expr::{Inexact, Series, Tape};
use std::ops::RangeFrom;

/// The forces of this many points are kept: guards on forces are sampled one after the other at the same
/// points.
const MOST_KEPT: usize = 34;

/// The coefficients of time and states, as far as somebody has asked for them.
pub(super) struct MotionSeries {
    rates: Series,
    mechanism: Option<MechanismSeries>,
    /// The first input of the rates that is an acceleration; multipliers and reactions follow.
    first_motion: usize,
    /// Of time, then of each state, by orders.
    coefficients: Vec<Inexact>,
    states: usize,
    /// The highest order that is known.
    known: usize,
    /// Changes whenever it is another motion.
    stamp: u64,
    /// What was found at order zero at the points that were last visited, and how many were.
    kept: Vec<KnownForces>,
    visits: usize,
    /// Whether the forces at the present point are among those.
    recalled: bool,
}

/// Accelerations and multipliers at a point.
struct KnownForces {
    /// Time and states.
    point: Vec<Inexact>,
    forces: Vec<Inexact>,
}

/// How many coefficients each series has.
const ORDERS: usize = HIGHEST_ORDER + 1;

impl MotionSeries {
    /// The motion with these right-hand sides and the rows of a mechanism, if any; none if it is too large.
    pub(super) fn of(
        rates: &Tape,
        states: usize,
        mechanism: Option<(&MechanismTapes, Option<&ActiveRows>)>,
    ) -> Option<Self> {
        let mechanism = match mechanism {
            Some((mechanism, rows)) => Some(mechanism.series(states, rows)?),
            None => None,
        };
        Some(Self::new(rates, states, mechanism))
    }

    fn new(rates: &Tape, states: usize, mechanism: Option<MechanismSeries>) -> Self {
        let mut coefficients = vec![Inexact::ZERO; (states + 1) * ORDERS];
        coefficients[1] = Inexact::exact(1.0);
        let motion = mechanism.as_ref().map_or(0, MechanismSeries::input_count);
        let first_motion = rates.input_count() - motion;
        let moves = |input: usize| input <= states || input >= first_motion;
        let rates = Series::new(rates, HIGHEST_ORDER - 1, &moves);
        let (kept, visits, recalled) = (Vec::new(), 0, false);
        Self {
            rates,
            mechanism,
            first_motion,
            coefficients,
            states,
            known: 0,
            stamp: 0,
            kept,
            visits,
            recalled,
        }
    }

    /// Begins at a point, unless that is the point at which it is. Gives a number that tells motions apart.
    pub(super) fn begin(&mut self, inputs: &PointInputs<'_>) -> u64 {
        let mut moved = self.stamp == 0;
        let places = self.coefficients.iter_mut().step_by(ORDERS);
        for (place, value) in places.zip(inputs.moving()) {
            moved |= std::mem::replace(place, value) != value;
        }
        let mut changed = false;
        let all = [Some(&mut self.rates), self.mechanism.as_mut().map(|mechanism| &mut mechanism.terms)];
        for series in all.into_iter().flatten() {
            for place in 0..series.inputs().len() {
                let input = series.inputs()[place];
                // Those that move are compared above or found later.
                changed |= (self.states + 1..self.first_motion).contains(&input)
                    && series.set_used(place, 0, inputs.value(input));
            }
        }
        if changed {
            self.visits = 0;
        }
        if changed || moved {
            self.known = 0;
            self.stamp += 1;
            self.recall();
        }
        self.stamp
    }

    /// Takes over the forces of the present point if they are kept.
    fn recall(&mut self) {
        self.recalled = false;
        let Some(mechanism) = &mut self.mechanism else { return };
        let point = || self.coefficients.iter().step_by(ORDERS);
        let mut kept = self.kept[..self.visits.min(MOST_KEPT)].iter();
        if let Some(known) = kept.find(|known| known.point.iter().eq(point())) {
            mechanism.recall(&known.forces);
            self.recalled = true;
        }
    }

    /// Finds the forces at the point, if somebody has not asked for them before.
    pub(super) fn find_forces(&mut self) {
        if self.known > 0 || self.recalled {
            return;
        }
        self.extend_to(1);
        let Some(mechanism) = &self.mechanism else { return };
        let place = self.visits % MOST_KEPT;
        if self.kept.len() == place {
            self.kept.push(KnownForces { point: Vec::new(), forces: Vec::new() });
        }
        let KnownForces { point, forces } = &mut self.kept[place];
        point.clear();
        point.extend(self.coefficients.iter().step_by(ORDERS));
        forces.clear();
        forces.extend(mechanism.forces());
        self.visits += 1;
    }

    /// Finds the coefficients of all states up to an order.
    pub(super) fn extend_to(&mut self, order: usize) {
        while self.known < order.min(HIGHEST_ORDER) {
            let k = self.known;
            if let Some(mut mechanism) = self.mechanism.take() {
                for place in 0..mechanism.terms.inputs().len() {
                    if let Some(c) = self.coefficient(mechanism.terms.inputs()[place], k) {
                        mechanism.terms.set_used(place, k, c);
                    }
                }
                mechanism.extend(k);
                self.mechanism = Some(mechanism);
            }
            for place in 0..self.rates.inputs().len() {
                let input = self.rates.inputs()[place];
                if let Some(c) = self.coefficient(input, k).or_else(|| self.motion(input, k)) {
                    self.rates.set_used(place, k, c);
                }
            }
            self.rates.extend(k);
            let divisor = Inexact::exact((k + 1) as f64);
            for state in 0..self.states {
                let rate = self.rates.output(state, k).unwrap_or(Inexact::UNDEFINED);
                self.coefficients[(state + 1) * ORDERS + k + 1] = if k == 0 { rate } else { rate / divisor };
            }
            self.known = k + 1;
        }
    }

    /// The inputs that are accelerations, multipliers and reactions.
    pub(super) fn motion_inputs(&self) -> RangeFrom<usize> {
        self.first_motion..
    }

    /// Whether an input is an acceleration, a multiplier or a reaction.
    pub(super) fn is_of_motion(&self, input: usize) -> bool {
        self.mechanism.is_some() && input >= self.first_motion
    }

    /// Whether an input changes along the motion.
    pub(super) fn moves(&self, input: usize) -> bool {
        input <= self.states || self.is_of_motion(input)
    }

    /// A coefficient of an acceleration, multiplier or reaction.
    pub(super) fn motion(&self, input: usize, order: usize) -> Option<Inexact> {
        let (mechanism, unknown) = (self.mechanism.as_ref()?, input.checked_sub(self.first_motion)?);
        Some(mechanism.input(unknown, order))
    }

    /// A coefficient of time (0) or of a state (from 1 on), if it is known; other inputs do not move.
    pub(super) fn coefficient(&self, input: usize, order: usize) -> Option<Inexact> {
        (input <= self.states && order <= self.known).then(|| self.coefficients[input * ORDERS + order])
    }
}
