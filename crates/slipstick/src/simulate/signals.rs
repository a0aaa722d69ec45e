//! What the watch compares, as functions of local time: the guards of the system, and the exits from
//! surfaces that the motion slides on.
//!
//! Every comparison has its true side made positive. Values come from the formulas at points of the dense
//! output, where the form holds.

use super::integrator::Integrator;
use super::pace::Pace;
use super::uncertainty::{CAUTION, Gradient, Powers, ROUNDING, Uncertainty};
use crate::equations::{System, UncertainPoint, UncertainPolynomial, rate_error};
use crate::expr::{Bounds, Inexact, Interval};
use crate::model::Detection;
use crate::step::{DENSE_DEGREE, Trial};
use crate::transition::orientation;
use crate::watch::{Banded, Described, Extent, MOST_ORDERS, Signals, SpeedBound, StepPolynomial};

/// Below this, numbers have fewer digits, and their rounding does not shrink with them.
const SMALLEST: f64 = f64::MIN_POSITIVE;
/// Values below this many bands, or below this part of what they were, are next to zero: gradients differ
/// by less in nearly all cases.
const NEXT_TO_ZERO: f64 = 256.0;
const SMALL: f64 = 1e-3;
/// How far beside a point its gradient is used next to zero, in steps.
const BESIDE: f64 = 1e-3;
/// A guard that comes nearer to zero than this part of its values may touch it, and is not proved away.
const NEAR: f64 = 1e-6;
/// Parts of a step that are shorter are sampled where intervals do not exclude zero.
const SHORT: f64 = 0.13;
/// Rounding of a right-hand side, in parts of the largest, where cancellation inside cannot be seen.
const FIELD_ROUNDING: f64 = 16.0 * ROUNDING;

/// Which comparison is what.
pub(super) struct Comparisons {
    /// +1 if the true side of a guard is where its surface is positive, -1 if it is where that is negative.
    orientations: Vec<f64>,
    /// Whether zero itself is true.
    closed: Vec<bool>,
    /// The only points of a step that are looked at, if not all of it is.
    points: Vec<f64>,
}

/// What a comparison stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    /// A guard of the system.
    Guard(usize),
    /// The motion leaves the surface of this index, of those that it slides on, to the side of this sign.
    Exit(usize, f64),
}

impl Meaning {
    /// The guard, if it is one.
    pub(super) fn guard(self) -> Option<usize> {
        match self {
            Self::Guard(guard) => Some(guard),
            Self::Exit(..) => None,
        }
    }
}

impl Comparisons {
    pub(super) fn new(system: &dyn System) -> Self {
        let guards = system.guards();
        Self {
            orientations: guards.iter().map(orientation).collect(),
            closed: guards.iter().map(|guard| guard.closed).collect(),
            points: Vec::new(),
        }
    }

    /// Takes over which points of a step are looked at, of a method with these nodes (paper 002, section
    /// 3.1).
    pub(super) fn look_at(&mut self, detection: Detection, nodes: &[f64]) {
        self.points = match detection {
            Detection::WholeStep => Vec::new(),
            Detection::Ends => vec![1.0],
            Detection::Samples(count) => {
                (1..=count.max(1)).map(|k| f64::from(k) / f64::from(count.max(1))).collect()
            }
            Detection::Stages => nodes.iter().copied().chain([1.0]).collect(),
        };
        self.points.sort_by(f64::total_cmp);
    }

    /// Whether all of a step is looked at, and not only some points of it.
    pub(super) fn looks_everywhere(&self) -> bool {
        self.points.is_empty()
    }

    /// How many guards of the system there are.
    pub(super) fn guards(&self) -> usize {
        self.orientations.len()
    }

    /// The comparison that says that the motion leaves a surface to a side.
    pub(super) fn exit(&self, surface: usize, side: f64) -> usize {
        self.guards() + 2 * surface + usize::from(side > 0.0)
    }

    pub(super) fn meaning(&self, comparison: usize) -> Meaning {
        match comparison.checked_sub(self.guards()) {
            None => Meaning::Guard(comparison),
            Some(exit) => Meaning::Exit(exit / 2, if exit % 2 == 1 { 1.0 } else { -1.0 }),
        }
    }

    /// The sign of the surface of a guard on the side of its comparison.
    pub(super) fn orientation(&self, guard: usize) -> f64 {
        self.orientations[guard]
    }
}

/// Comparisons along the step at hand.
pub(super) struct Along<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) comparisons: &'r Comparisons,
    pub(super) uncertainty: &'r mut Uncertainty,
    /// How fast states move.
    pub(super) pace: &'r Pace,
}

impl Along<'_, '_> {
    /// Finds the state at a point of the step, and how uncertain it is.
    pub(super) fn go_to(&mut self, s: f64) {
        let uncertainty = &mut *self.uncertainty;
        if s == 0.0 {
            uncertainty.state.copy_from_slice(&self.integrator.trial.start);
            uncertainty.at_point.copy_from_slice(&uncertainty.at_start);
            return;
        }
        uncertainty.begin_step(self.integrator);
        if uncertainty.recall(s) {
            return;
        }
        self.integrator.state_at(s, &mut uncertainty.state);
        let trial = &self.integrator.trial;
        // Every term of dense output has the part of the step as a factor.
        let part = (s / trial.h).min(1.0);
        for i in 0..uncertainty.state.len() {
            uncertainty.at_point[i] = uncertainty.moved(i, (trial.start[i], uncertainty.state[i]), part);
        }
        uncertainty.keep(s);
    }

    /// Finds as much of a point of the step as one comparison needs.
    fn go_to_for(&mut self, comparison: usize, s: f64) {
        let guard = self.comparisons.meaning(comparison).guard();
        let flow = &self.integrator.flow;
        let Some(reads) = guard.and_then(|guard| flow.guard_reads(guard)) else { return self.go_to(s) };
        let (uncertainty, trial) = (&mut *self.uncertainty, &self.integrator.trial);
        if s != 0.0 {
            uncertainty.begin_step(self.integrator);
        }
        let states = reads.iter().filter_map(|&input| (input as usize).checked_sub(1));
        // What comes after the states does not depend on the point.
        for i in states.filter(|&i| i < trial.start.len()) {
            let (y, delta) = if s == 0.0 {
                (trial.start[i], uncertainty.at_start[i])
            } else {
                let y = trial.component_at(i, s);
                (y, uncertainty.moved(i, (trial.start[i], y), (s / trial.h).min(1.0)))
            };
            (uncertainty.state[i], uncertainty.at_point[i]) = (y, delta);
        }
    }

    /// One comparison at the point that was gone to.
    pub(super) fn compare(&mut self, comparison: usize, s: f64) -> Banded {
        let t = self.integrator.trial.t + s;
        match self.comparisons.meaning(comparison) {
            Meaning::Exit(surface, side) => {
                let (weight, band) =
                    self.integrator.flow.switching(t).exit_weight(surface, &self.uncertainty.state);
                Banded::new(if side > 0.0 { weight - 1.0 } else { -weight }, band)
            }
            Meaning::Guard(guard) => {
                let (value, band) = self.value_and_band(guard, s);
                let is_zero = value == 0.0 && band == 0.0 && self.comparisons.closed[guard];
                if is_zero && (s > 0.0 || self.stays(comparison)) {
                    // Zero itself is true, and it is exactly there and stays there.
                    return Banded::new(f64::MIN_POSITIVE, 0.0);
                }
                Banded::new(self.comparisons.orientation(guard) * value, band + SMALLEST)
            }
        }
    }

    /// Whether no derivative of a comparison along the motion is known to differ from zero.
    fn stays(&mut self, comparison: usize) -> bool {
        let mut series = Vec::new();
        let is_zero = |c: &Banded| c.value.abs() <= c.band;
        (1..=MOST_ORDERS).all(|order| {
            self.series(comparison, order, &mut series) && series.get(order).is_some_and(is_zero)
        })
    }

    fn value_and_band(&mut self, guard: usize, s: f64) -> (f64, f64) {
        let t = self.integrator.trial.t + s;
        let Uncertainty { state: y, at_point: delta, .. } = &*self.uncertainty;
        if let Some(known) = self.integrator.flow.guards().banded(guard, UncertainPoint { t, y, delta }) {
            return (known.value, known.band());
        }
        let (value, of_weights) =
            self.integrator.flow.guards().along_banded(guard, t, &self.uncertainty.state);
        (value, self.band(guard, s, value) + of_weights)
    }

    /// How far rounding can have moved the value of a guard that is no formula. Far from zero any gradient
    /// will do; next to zero it has to be one from next to the point, as it costs a value for each state.
    fn band(&mut self, guard: usize, s: f64, value: f64) -> f64 {
        if let Some(band) = self.band_by_growth(guard, s, value) {
            return band;
        }
        let t = self.integrator.trial.t + s;
        if let Some(gradient) = &mut self.uncertainty.gradients[guard] {
            let here = (t - gradient.t).abs() <= gradient.lasts;
            gradient.size = gradient.size.max(value.abs());
            let far = value.abs() > SMALL * gradient.size;
            let band = self.uncertainty.band_by_gradient(guard, t, value);
            if here || (far && value.abs() > NEXT_TO_ZERO * band) {
                return band;
            }
        }
        self.find_gradient(guard, s, value);
        self.uncertainty.band_by_gradient(guard, t, value)
    }

    /// Finds the gradient of a guard at the point that was gone to.
    fn find_gradient(&mut self, guard: usize, s: f64, value: f64) {
        let trial = &self.integrator.trial;
        let (t, lasts) = (trial.t + s, BESIDE * trial.h);
        let uncertainty = &mut *self.uncertainty;
        let mut by_state = uncertainty.gradients[guard].take().map_or_else(Vec::new, |g| g.by_state);
        by_state.resize(uncertainty.state.len(), 0.0);
        let by_time = self.integrator.flow.guards().gradient(guard, t, &mut uncertainty.state, &mut by_state);
        uncertainty.gradients[guard] = Some(Gradient { t, lasts, by_state, by_time, size: value.abs() });
    }

    /// The same of a value far from zero, where the guard says how fast it can change.
    fn band_by_growth(&self, guard: usize, s: f64, value: f64) -> Option<f64> {
        let growth = *self.integrator.flow.system().guard_growth().get(guard)?;
        let by_time = ROUNDING * (self.integrator.trial.t + s).abs();
        let moved = self.uncertainty.at_point.iter().fold(by_time, |most, delta| most.max(*delta));
        let band = CAUTION * (growth * moved + ROUNDING * value.abs());
        (value.abs() > NEXT_TO_ZERO * band).then_some(band)
    }

    /// The rate of a comparison along the motion, with its band. For that the gradient has to be the one of
    /// this very point: beside it, on the other side of an extremum between two roots, it may point the other
    /// way.
    pub(super) fn rate(&mut self, guard: usize) -> Banded {
        self.go_to(0.0);
        self.find_gradient(guard, 0.0, 0.0);
        let t = self.integrator.trial.t;
        let uncertainty = &mut *self.uncertainty;
        self.integrator.flow.first_derivative(t, &uncertainty.state, &mut uncertainty.scratch);
        let Some(gradient) = &uncertainty.gradients[guard] else { return Banded::default() };
        let terms = gradient.by_state.iter().zip(&uncertainty.scratch).map(|(g, f)| g * f);
        let rate = gradient.by_time + terms.clone().sum::<f64>();
        let size = gradient.by_time.abs() + terms.map(f64::abs).sum::<f64>();
        let mut band = FIELD_ROUNDING * size;
        if self.integrator.flow.guards().has_differences(guard, t, &uncertainty.state) {
            let here = (t, &uncertainty.state[..]);
            let speed = |j: usize| uncertainty.scratch[j].abs();
            band += rate_error(&gradient.by_state, gradient.by_time, here, speed);
        }
        Banded::new(self.comparisons.orientation(guard) * rate, band)
    }
}

impl Signals for Along<'_, '_> {
    fn values(&mut self, which: &[usize], s: f64, out: &mut [Banded]) {
        for (out, &comparison) in out.iter_mut().zip(which) {
            self.go_to_for(comparison, s);
            *out = self.compare(comparison, s);
        }
    }

    fn series(&mut self, comparison: usize, order: usize, out: &mut Vec<Banded>) -> bool {
        let Meaning::Guard(guard) = self.comparisons.meaning(comparison) else { return false };
        let (t, orientation) = (self.integrator.trial.t, self.comparisons.orientation(guard));
        let Uncertainty { at_start: delta, coefficients, .. } = &mut *self.uncertainty;
        let point = UncertainPoint { t, y: &self.integrator.trial.start, delta };
        // What is inside its band is hardly ever decided by its value: its rate will be asked for, too.
        let flow = &mut self.integrator.flow;
        let known = order == 0 && flow.guards().series(guard, point, 1, coefficients);
        if !known && !flow.guards().series(guard, point, order, coefficients) {
            return false;
        }
        out.clear();
        out.extend(coefficients.iter().map(|c| Banded::new(orientation * c.value, c.band() + SMALLEST)));
        true
    }

    fn trial_series(&mut self, comparison: usize, attempt: usize, out: &mut Vec<Banded>) -> bool {
        let flow = &self.integrator.flow;
        let before = flow.counts.derivatives + flow.counts.reused;
        let tried = self.estimate_series(comparison, attempt, out);
        let flow = &mut self.integrator.flow;
        flow.counts.headings += flow.counts.derivatives + flow.counts.reused - before;
        tried
    }

    fn polynomial(&mut self, comparison: usize, part: (f64, f64), out: &mut StepPolynomial) -> Described {
        let guard = match self.comparisons.meaning(comparison) {
            Meaning::Guard(guard) => guard,
            Meaning::Exit(..) if self.exit_from_stages(comparison, part, out) => return Described::Here,
            Meaning::Exit(..) => return Described::Never,
        };
        if !self.is_formula() {
            return Described::Never;
        }
        // Dense output of a mechanism leaves the constraints between the ends of a step; values are taken
        // where they are met. What no constraint holds is where it is computed.
        let flow = &self.integrator.flow;
        if flow.has_active_constraints() && flow.guard_reads(guard).is_none() {
            return self.enclose(guard, part, out);
        }
        let orientation = self.comparisons.orientation(guard);
        self.uncertainty.begin_look(self.integrator, part);
        let trial = &self.integrator.trial;
        let Uncertainty { coefficients, powers, at_start, reaches, .. } = &mut *self.uncertainty;
        let (powers, at_start, reaches) = (&*powers, &*at_start, &*reaches);
        let input = |k: usize| {
            let (powers, degree) = powers[k].get_or_init(|| powers_of(trial, k, part));
            let bound = match k.checked_sub(1) {
                None => ROUNDING * (trial.t.abs() + trial.h),
                Some(i) => at_start[i].max(ROUNDING * (trial.start[i].abs() + reaches[i])),
            };
            UncertainPolynomial { coefficients: &powers[..=*degree], bound }
        };
        let remainder = self.integrator.flow.guards().polynomial(guard, &input, 0.0, coefficients);
        let Some(remainder) = remainder.filter(|_| coefficients.len() <= out.coefficients.len()) else {
            return Described::Shorter;
        };
        out.degree = coefficients.len().saturating_sub(1);
        for (out, c) in out.coefficients.iter_mut().zip(&*coefficients) {
            *out = orientation * c.value;
        }
        out.band = SMALLEST + coefficients.iter().map(Inexact::band).sum::<f64>();
        out.remainder = remainder;
        Described::Here
    }

    fn dense_error(&mut self, comparison: usize, s: f64) -> f64 {
        let Meaning::Guard(guard) = self.comparisons.meaning(comparison) else { return 0.0 };
        let t = self.integrator.trial.t + s;
        self.go_to(s);
        let tolerances = &self.integrator.options.tolerances;
        let Uncertainty { state, scratch, .. } = &mut *self.uncertainty;
        for (i, (width, y)) in scratch.iter_mut().zip(&*state).enumerate() {
            *width = tolerances.scale(i, y.abs());
        }
        self.integrator.flow.guards().spread(guard, t, state, scratch)
    }

    fn slope_error(&mut self, comparison: usize) -> f64 {
        let guard = self.comparisons.meaning(comparison).guard();
        // The gap of an open contact is held by nothing: it is as the motion has computed it.
        let is_gap = |g: usize| self.integrator.flow.system().guards()[g].contact.is_some();
        if self.begins_exactly() || guard.is_none_or(is_gap) {
            0.0
        } else {
            self.dense_error(comparison, 0.0)
        }
    }

    fn points(&self) -> &[f64] {
        &self.comparisons.points
    }

    fn travels(&mut self, which: &[usize], out: &mut [f64]) {
        self.uncertainty.begin_step(self.integrator);
        let (flow, h) = (&self.integrator.flow, self.integrator.trial.h);
        let (growths, reaches) = (flow.system().guard_growth(), &self.uncertainty.reaches);
        for (out, &comparison) in out.iter_mut().zip(which) {
            *out = f64::INFINITY;
            let guard = self.comparisons.meaning(comparison).guard();
            let growth = guard.and_then(|guard| growths.get(guard)).filter(|growth| growth.is_finite());
            let (Some(guard), Some(growth)) = (guard, growth) else { continue };
            let Some(reads) = flow.guard_reads(guard) else { continue };
            let goes = |&input: &u32| match (input as usize).checked_sub(1) {
                None => h,
                // What comes after the states does not move.
                Some(i) => reaches.get(i).copied().unwrap_or(0.0),
            };
            *out = growth * reads.iter().map(goes).fold(0.0, f64::max);
        }
    }

    fn extents(&mut self, out: &mut Vec<Extent>) {
        let trial = &self.integrator.trial;
        out.clear();
        out.push(Extent { start: trial.t, radius: trial.h });
        let states = trial.start.iter().enumerate();
        out.extend(states.map(|(i, &start)| Extent { start, radius: self.pace.reach(i) }));
    }

    fn reads(&self, comparison: usize) -> Option<&[u32]> {
        let guard = self.comparisons.meaning(comparison).guard()?;
        self.integrator.flow.guard_inputs(guard)
    }

    fn radius(&self, comparison: usize, input: usize, length: f64) -> f64 {
        let guard = self.comparisons.meaning(comparison).guard();
        match input.checked_sub(1) {
            // Where the growth is known, it is by how much all inputs go.
            Some(state) if guard.and_then(|guard| self.growth(guard)).is_none() => {
                self.pace.radius(state, length)
            }
            _ => length,
        }
    }

    fn fastest(&mut self, comparison: usize, length: f64) -> Option<SpeedBound> {
        let Meaning::Guard(guard) = self.comparisons.meaning(comparison) else { return None };
        if self.integrator.flow.sliding().is_some() {
            return None;
        }
        if let Some(speed) = self.growth(guard) {
            return Some(SpeedBound { speed, length: f64::INFINITY });
        }
        let flow = &mut self.integrator.flow;
        let (t, y) = (self.integrator.trial.t, &self.integrator.trial.start);
        let around = |input: usize| {
            let center = if input == 0 { t } else { y[input - 1] };
            let goes = input.checked_sub(1).map_or(length, |i| self.pace.radius(i, length));
            let (pace, radius) = (goes / length, goes + 8.0 * f64::EPSILON * (center.abs() + goes));
            Bounds::moving(Interval::new(center - radius, center + radius), Interval::new(-pace, pace))
        };
        let Bounds { value, slope, jumps } = flow.guards().bounds(guard, &around)?;
        let steady = !jumps && value.is_bounded() && slope.is_bounded();
        let speed = slope.lo.abs().max(slope.hi.abs());
        if excludes_zero(value) {
            return Some(SpeedBound { speed: 0.0, length });
        }
        steady.then_some(SpeedBound { speed, length })
    }
}

impl Along<'_, '_> {
    /// How fast a guard changes at most with all that moves, if that is known.
    fn growth(&self, guard: usize) -> Option<f64> {
        let growth = self.integrator.flow.system().guard_growth().get(guard).copied();
        growth.filter(|growth| growth.is_finite())
    }

    /// Whether guards are formulas of what moves: not those of closures, nor what has equivalent values.
    fn is_formula(&self) -> bool {
        let flow = &self.integrator.flow;
        flow.system().has_formulas() && flow.sliding().is_none()
    }

    /// A guard over a part of a step whose points are put onto constraints: a constant, with all that intervals allow
    /// beside it, if they exclude zero. What comes near to zero is sampled, in parts that are short.
    fn enclose(&mut self, guard: usize, part: (f64, f64), out: &mut StepPolynomial) -> Described {
        let trial = &self.integrator.trial;
        self.uncertainty.begin_look(self.integrator, part);
        let (powers, tolerances) = (&self.uncertainty.powers, &self.integrator.options.tolerances);
        let around = |input: usize| {
            let (powers, degree) = powers[input].get_or_init(|| powers_of(trial, input, part));
            let center = powers[0];
            let beside = input.checked_sub(1).map_or(0.0, |i| tolerances.scale(i, trial.start[i].abs()));
            let goes = powers[1..=*degree].iter().map(|c| c.abs()).sum::<f64>() + beside;
            let radius = goes + 8.0 * f64::EPSILON * (center.abs() + goes);
            Bounds::moving(Interval::new(center - radius, center + radius), Interval::new(-1.0, 1.0))
        };
        let range = self.integrator.flow.guards().bounds(guard, &around).map(|bounds| bounds.value);
        match range.filter(|range| excludes_zero(*range)) {
            Some(range) => {
                let middle = self.comparisons.orientation(guard) * (0.5 * range.lo + 0.5 * range.hi);
                *out = StepPolynomial { remainder: 0.5 * (range.hi - range.lo), ..StepPolynomial::default() };
                (out.coefficients[0], out.band) = (middle, SMALLEST);
                Described::Here
            }
            None if part.1 - part.0 > SHORT * trial.h && range.is_some() => Described::Shorter,
            None => Described::Never,
        }
    }

    /// Whether the dense output begins with the exact slope: that of implicit methods, and where constraints
    /// are met, does not.
    pub(super) fn begins_exactly(&self) -> bool {
        !self.integrator.selector.method().facts().implicit && !self.integrator.flow.has_active_constraints()
    }
}

/// Whether a guard with these values neither crosses zero nor touches it.
fn excludes_zero(range: Interval) -> bool {
    !range.nan && (range.lo > NEAR * range.hi.abs() || range.hi < -NEAR * range.lo.abs())
}

/// Time (0) or a state (from 1 on) over the step just tried, as powers of the part of what is looked at.
fn powers_of(trial: &Trial, input: usize, (from, to): (f64, f64)) -> Powers {
    let mut powers = [0.0; DENSE_DEGREE + 1];
    let Some(component) = input.checked_sub(1) else {
        (powers[0], powers[1]) = (trial.t + from, to - from);
        return (powers, 1);
    };
    let degree = trial.dense.powers_of(component, &mut powers);
    let (start, ratio) = (from / trial.h, (to - from) / trial.h);
    if start != 0.0 {
        for k in 0..degree {
            (k..degree).rev().for_each(|j| powers[j] += start * powers[j + 1]);
        }
    }
    if ratio != 1.0 {
        let mut factor = 1.0;
        for power in &mut powers[1..=degree] {
            factor *= ratio;
            *power *= factor;
        }
    }
    (powers, degree)
}
