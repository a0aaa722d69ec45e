//! Formulas with error bounds, see [`ExpandGuards`].
//!
//! Most guards are never near zero, so the working memory of each is made when it is first asked for.

use super::expand::{ExpandGuards, HIGHEST_ORDER, UncertainPoint, UncertainPolynomial};
use super::formula::FormulaEvaluator;
use super::inputs::{locked_count, locked_input};
use super::motion_series::MotionSeries;
use super::tapes::ModeTapes;
use super::{ActiveRows, Locked, System};
use crate::expr::{Bands, Composition, Inexact, Series, Tape};
use std::ops::RangeFrom;

/// Working memory for guards of all modes, and for resets.
#[derive(Default)]
pub(super) struct Expansions {
    modes: Vec<ModeExpansions>,
    bands: Bands,
    values: Vec<Inexact>,
}

/// Working memory for the guards of one mode.
#[derive(Default)]
struct ModeExpansions {
    motion: Option<MotionSeries>,
    /// The rows that the motion has; none if all constraints have.
    rows: Option<ActiveRows>,
    guards: Vec<GuardExpansions>,
}

/// Working memory for one guard.
#[derive(Default)]
struct GuardExpansions {
    series: Option<GuardSeries>,
    composition: Option<Composition>,
}

/// The series of a guard along the motion.
struct GuardSeries {
    series: Series,
    /// The highest order that there is: multipliers are known to one less than states.
    orders: usize,
    /// How many orders are known, and of which motion.
    known: usize,
    motion: u64,
}

impl Expansions {
    fn mode(&mut self, mode: usize, tapes: &ModeTapes) -> &mut ModeExpansions {
        let modes = &mut self.modes;
        if modes.len() <= mode {
            modes.resize_with(mode + 1, ModeExpansions::default);
        }
        if modes[mode].guards.is_empty() {
            modes[mode].guards.resize_with(tapes.watched.len(), GuardExpansions::default);
        }
        &mut modes[mode]
    }
}

/// What the inputs of a tape are at a point, with their errors.
pub(super) struct PointInputs<'a> {
    locked: Locked<'a>,
    point: UncertainPoint<'a>,
    /// Accelerations, multipliers and reactions, behind all others.
    motion: &'a [f64],
}

impl PointInputs<'_> {
    /// Time, then the states.
    pub(super) fn moving(&self) -> impl Iterator<Item = Inexact> {
        let UncertainPoint { t, y, delta } = self.point;
        let states = y.iter().zip(delta).map(|(&value, &bound)| Inexact { value, bound });
        std::iter::once(Inexact::rounded(t)).chain(states)
    }

    pub(super) fn value(&self, input: usize) -> Inexact {
        let UncertainPoint { t, y, delta } = self.point;
        match input {
            0 => Inexact::rounded(t),
            k if k <= y.len() => Inexact { value: y[k - 1], bound: delta[k - 1] },
            k => {
                let (index, locks) = (k - y.len() - 1, locked_count(self.locked));
                match index.checked_sub(locks) {
                    Some(place) => {
                        let known = Inexact::rounded(self.motion.get(place).copied().unwrap_or(f64::NAN));
                        let bound =
                            delta.get(y.len() + place).map_or(known.bound, |bound| known.bound.max(*bound));
                        Inexact { bound, ..known }
                    }
                    None => outside(self.locked, index),
                }
            }
        }
    }
}

/// An input that comes from outside: a number as it is written.
fn outside(locked: Locked<'_>, index: usize) -> Inexact {
    Inexact::number(locked_input(locked, index).unwrap_or(f64::NAN))
}

/// Sets all inputs that a tape reads.
fn fill(bands: &mut Bands, tape: &Tape, inputs: &PointInputs<'_>) {
    let places = bands.inputs_of(tape);
    tape.reads().for_each(|input| places[input] = inputs.value(input));
}

impl GuardSeries {
    fn new(tape: &Tape, motion: &MotionSeries) -> Self {
        let orders = if tape.reads().any(|input| motion.is_of_motion(input)) {
            HIGHEST_ORDER - 1
        } else {
            HIGHEST_ORDER
        };
        let series = Series::new(tape, orders, &|input| motion.moves(input));
        Self { series, orders, known: 0, motion: 0 }
    }

    /// Begins anew unless motion and inputs are those that the known orders are of.
    fn begin(&mut self, motion: u64, motion_inputs: &RangeFrom<usize>, inputs: &PointInputs<'_>) {
        let mut changed = self.motion != motion;
        self.motion = motion;
        for place in 0..self.series.inputs().len() {
            let input = self.series.inputs()[place];
            // What follows from the motion changes with it.
            if !motion_inputs.contains(&input) {
                changed |= self.series.set_used(place, 0, inputs.value(input));
            }
        }
        self.known = if changed { 0 } else { self.known };
    }

    /// The coefficient of an order, all orders below being known.
    fn coefficient(&mut self, order: usize, motion: &mut MotionSeries) -> Option<Inexact> {
        if order > self.orders {
            return None;
        }
        if order >= self.known {
            match (self.orders < HIGHEST_ORDER, order) {
                (false, _) => motion.extend_to(order),
                (true, 0) => motion.find_forces(),
                (true, _) => motion.extend_to(order + 1),
            }
            for place in 0..self.series.inputs().len() {
                let input = self.series.inputs()[place];
                if let Some(c) = motion.coefficient(input, order).or_else(|| motion.motion(input, order)) {
                    self.series.set_used(place, order, c);
                }
            }
            self.series.extend(order);
            self.known = order + 1;
        }
        self.series.output(0, order)
    }
}

impl ExpandGuards for FormulaEvaluator<'_> {
    fn guard_banded(&mut self, locked: Locked<'_>, guard: usize, point: UncertainPoint<'_>) -> Inexact {
        let locked = locked.in_mode_of(&self.system.shape().guards[guard]);
        let tapes = self.system.modes.of(locked.mode);
        let Some(i) = tapes.place_of(guard) else { return Inexact::UNDEFINED };
        let tape = &tapes.singles[i];
        let bands = &mut self.expansions.bands;
        let motion = self.mechanism.as_ref().map_or(&[][..], |mechanism| &mechanism.scratch.motion);
        fill(bands, tape, &PointInputs { locked, point, motion });
        bands.run(tape)
    }

    fn guard_series(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        point: UncertainPoint<'_>,
        order: usize,
        out: &mut Vec<Inexact>,
    ) -> bool {
        let locked = locked.in_mode_of(&self.system.shape().guards[guard]);
        out.clear();
        // Behind a mass matrix formulas are not rates.
        if self.system.mass.is_some() {
            return false;
        }
        let tapes = self.system.modes.of(locked.mode);
        let Some(i) = tapes.place_of(guard) else { return false };
        let (inputs, n) = (PointInputs { locked, point, motion: &[] }, point.y.len());
        let ModeExpansions { motion, rows, guards } = self.expansions.mode(locked.mode, tapes);
        if motion.is_none() || rows.as_ref() != locked.rows {
            let mechanism = self.mechanism.as_mut().map(|own| (own.tapes(locked), locked.rows));
            *motion = MotionSeries::of(&tapes.derivative, n, mechanism);
            *rows = locked.rows.cloned();
            for guard in guards.iter_mut() {
                guard.series = None;
            }
        }
        let Some(motion) = motion else { return false };
        let guard = guards[i].series.get_or_insert_with(|| GuardSeries::new(&tapes.singles[i], motion));
        let stamp = motion.begin(&inputs);
        guard.begin(stamp, &motion.motion_inputs(), &inputs);
        for k in 0..=order.min(guard.orders) {
            let Some(c) = guard.coefficient(k, motion) else { return false };
            out.push(c);
        }
        // Reactions are not known as series.
        out.iter().all(|c| !c.value.is_nan()) || guard.orders == HIGHEST_ORDER
    }

    fn guard_polynomial<'p>(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        input: &dyn Fn(usize) -> UncertainPolynomial<'p>,
        wanted: f64,
        out: &mut Vec<Inexact>,
    ) -> Option<f64> {
        let locked = locked.in_mode_of(&self.system.shape().guards[guard]);
        let n = self.system.shape().state_names.len();
        let tapes = self.system.modes.of(locked.mode);
        let i = tapes.place_of(guard)?;
        if !self.system.shape().guards[guard].multipliers.is_empty() {
            return None;
        }
        let own = &mut self.expansions.mode(locked.mode, tapes).guards[i].composition;
        let composition = own.get_or_insert_with(|| Composition::new(&tapes.singles[i], &|input| input <= n));
        for place in 0..composition.inputs().len() {
            let taken = match composition.inputs()[place] {
                k if k <= n => {
                    let UncertainPolynomial { coefficients, bound } = input(k);
                    composition.set_used(place, coefficients, bound)
                }
                k => {
                    let Inexact { value, bound } = outside(locked, k - n - 1);
                    composition.set_used(place, &[value], bound)
                }
            };
            if !taken {
                return None;
            }
        }
        composition.compose(wanted, out)
    }

    fn guard_reads(&self, locked: Locked<'_>, guard: usize) -> Option<&[u32]> {
        let locked = locked.in_mode_of(&self.system.shape().guards[guard]);
        let tapes = self.system.modes.of(locked.mode);
        let i = tapes.place_of(guard)?;
        let of_motion = !self.system.shape().guards[guard].multipliers.is_empty();
        (!of_motion).then(|| tapes.singles[i].read_list())
    }

    fn reset_bounds(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        before: UncertainPoint<'_>,
        delta: &mut [f64],
    ) -> bool {
        let locked = locked.in_mode_of(&self.system.shape().guards[guard]);
        let Some(reset) = &self.system.resets[guard] else { return true };
        let Expansions { bands, values, .. } = &mut self.expansions;
        let motion = self.mechanism.as_ref().map_or(&[][..], |mechanism| &mechanism.scratch.motion);
        fill(bands, &reset.tape, &PointInputs { locked, point: before, motion });
        values.resize(reset.len(), Inexact::UNDEFINED);
        bands.run_all(&reset.tape, values);
        for (&target, value) in reset.targets.iter().zip(values) {
            delta[target] = value.bound;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::equations::{
        FormulaSystem, Locked, ParameterValues, System, UncertainPoint, UncertainPolynomial,
    };
    use crate::expr::Inexact;
    use crate::model::Model;

    fn system(text: &str) -> FormulaSystem {
        let model = Model::from_toml(text).unwrap();
        FormulaSystem::compile(&model, ParameterValues::evaluate(&model, &[]).unwrap()).unwrap()
    }

    fn locked<'a>(system: &'a FormulaSystem, signs: &'a [f64]) -> Locked<'a> {
        Locked { parameters: &system.shape().parameters, signs, ..Locked::default() }
    }

    fn values(series: &[Inexact]) -> Vec<f64> {
        series.iter().map(|c| c.value).collect()
    }

    const BALL: &str = "
        parameters = { g = 9.81, e = 0.5 }
        states = { h = 1, v = 0 }
        [derivatives]
        h = 'v'
        v = '-g'
        [events.bounce]
        guard = 'h < 0'
        reset = { v = '-e * v', h = '0.1 + h' }
        [run]
        until = 1
    ";

    #[test]
    fn a_ball_on_the_floor_is_decided_by_its_fall() {
        let ball = system(BALL);
        let (mut evaluator, mut out) = (ball.evaluator(), Vec::new());
        let delta = [1e-16, 1e-16];
        let rest = UncertainPoint { t: 3.0, y: &[1e-17, 0.0], delta: &delta };
        assert!(evaluator.guard_series(locked(&ball, &[]), 0, rest, 2, &mut out));
        assert!(!out[0].is_decided() && !out[1].is_decided() && out[2].is_decided());
        assert!((out[2].value + 9.81 / 2.0).abs() < 1e-15, "{out:?}");
        let thrown = UncertainPoint { y: &[0.0, 2.0], ..rest };
        assert!(evaluator.guard_series(locked(&ball, &[]), 0, thrown, 4, &mut out));
        assert_eq!(values(&out), [0.0, 2.0, -4.905, 0.0, 0.0]);
        let value = evaluator.guard_banded(locked(&ball, &[]), 0, thrown);
        assert_eq!(value, Inexact { value: 0.0, bound: 1e-16 });
    }

    #[test]
    fn a_reset_passes_its_errors_on() {
        let ball = system(BALL);
        let before = UncertainPoint { t: 3.0, y: &[0.0, -2.0], delta: &[1e-12, 4e-12] };
        let mut delta = [9.0, 9.0];
        assert!(ball.evaluator().reset_bounds(locked(&ball, &[]), 0, before, &mut delta));
        assert!((delta[0] - 1e-12).abs() < 1e-16 && (delta[1] - 2e-12).abs() < 1e-15, "{delta:?}");
    }

    #[test]
    fn motions_have_the_series_of_their_solutions() {
        let oscillator = system(
            "states = { x = 1, v = 0, z = 1 }
             [derivatives]
             x = 'v'
             v = '-x'
             z = 'z * cos(t)'
             [events.a]
             guard = 'x > 0'
             [events.b]
             guard = 'ln(z) - x * v + t^2 > 0'
             [run]
             until = 1",
        );
        let (mut evaluator, mut out) = (oscillator.evaluator(), Vec::new());
        let point = UncertainPoint { t: 0.0, y: &[1.0, 0.0, 1.0], delta: &[0.0; 3] };
        assert!(evaluator.guard_series(locked(&oscillator, &[]), 0, point, 12, &mut out));
        let mut factorial = 1.0;
        for (k, c) in out.iter().enumerate() {
            let exact = [1.0, 0.0, -1.0, 0.0][k % 4] / factorial;
            assert!((c.value - exact).abs() <= c.band() && c.bound < 1e-15, "{k}: {c:?} {exact}");
            factorial *= (k + 1) as f64;
        }
        // ln z = sin t and x v = -sin(2 t) / 2.
        assert!(evaluator.guard_series(locked(&oscillator, &[]), 1, point, 12, &mut out));
        let t = 0.1_f64;
        let sum = out.iter().rev().fold(0.0, |sum, c| sum * t + c.value);
        assert!((sum - (t.sin() + (2.0 * t).sin() / 2.0 + t * t)).abs() < 1e-14);
    }

    #[test]
    fn one_order_more_goes_on_where_the_last_has_ended() {
        let ball = system(BALL);
        let mut evaluator = ball.evaluator();
        let (mut grown, mut whole) = (Vec::new(), Vec::new());
        for (y, delta) in [([0.0, 1.0], [1e-16; 2]), ([0.5, 1.0], [1e-16; 2]), ([0.5, 1.0], [1e-15; 2])] {
            let point = UncertainPoint { t: 1.0, y: &y, delta: &delta };
            for order in 0..=4 {
                evaluator.guard_series(locked(&ball, &[]), 0, point, order, &mut grown);
            }
            ball.evaluator().guard_series(locked(&ball, &[]), 0, point, 4, &mut whole);
            assert_eq!(grown, whole);
        }
        let point = UncertainPoint { t: 1.0, y: &[0.5, 1.0], delta: &[1e-15; 2] };
        let other = Locked { parameters: &[3.0, 0.5], ..Locked::default() };
        evaluator.guard_series(other, 0, point, 4, &mut grown);
        assert_eq!(values(&grown), [0.5, 1.0, -1.5, 0.0, 0.0]);
    }

    #[test]
    fn a_field_without_a_series_has_none_from_there_on() {
        let tank = system(
            "states = { h = 1 }
             [derivatives]
             h = '-sqrt(h)'
             [events.empty]
             guard = 'h < 0'
             [run]
             until = 1",
        );
        let (mut evaluator, mut out) = (tank.evaluator(), Vec::new());
        let point = |y: &'static [f64]| UncertainPoint { t: 0.0, y, delta: &[1e-17] };
        assert!(!evaluator.guard_series(locked(&tank, &[]), 0, point(&[0.0]), 5, &mut out));
        assert_eq!(out.len(), 2);
        assert!(evaluator.guard_series(locked(&tank, &[]), 0, point(&[1.0]), 5, &mut out));
        // (1 - t/2)²
        assert_eq!(values(&out)[..3], [1.0, -1.0, 0.25]);
    }

    #[test]
    fn a_guard_over_a_step_is_a_polynomial() {
        let ball = system(BALL);
        let (mut evaluator, mut out) = (ball.evaluator(), Vec::new());
        let rows: [&[f64]; 3] = [&[0.0, 0.1], &[1.0, -0.5, 0.25], &[2.0]];
        let remainder = evaluator.guard_polynomial(
            locked(&ball, &[]),
            0,
            &|k| UncertainPolynomial { coefficients: rows[k], bound: 0.0 },
            0.0,
            &mut out,
        );
        assert_eq!((values(&out), remainder), (vec![1.0, -0.5, 0.25], Some(0.0)));
    }

    const PENDULUM: &str = "
        parameters = { g = 9.81, l = 1.3 }
        coordinates = { x = 0.5, y = -1.2 }
        speeds = { x = 1.2, y = 0.5 }
        kinetic = \"(x'^2 + y'^2) / 2\"
        potential = 'g * y'
        constraints = { rod = 'x^2 + y^2 - l^2', again = '3 * (x^2 + y^2 - l^2)' }
        [events.low]
        guard = 'y + 1.2 < 0'
        [events.across]
        guard = 'x > 0.5'
        [run]
        until = 1
    ";
    const ANGLE: &str = "
        parameters = { g = 9.81, l = 1.3 }
        states = { a = 0, w = 1 }
        [derivatives]
        a = 'w'
        w = '-g / l * sin(a)'
        [events.low]
        guard = '1.2 - l * cos(a) < 0'
        [events.across]
        guard = 'l * sin(a) > 0.5'
        [run]
        until = 1
    ";

    #[test]
    fn a_pendulum_on_a_rod_moves_as_one_of_an_angle() {
        let (rod, angle) = (system(PENDULUM), system(ANGLE));
        let (mut of_rod, mut of_angle) = (Vec::new(), Vec::new());
        let a = 0.5_f64.atan2(1.2);
        for guard in 0..2 {
            let point = UncertainPoint { t: 0.0, y: &[0.5, -1.2, 1.2, 0.5], delta: &[1e-16; 4] };
            assert!(rod.evaluator().guard_series(locked(&rod, &[]), guard, point, 8, &mut of_rod));
            let point = UncertainPoint { t: 0.0, y: &[a, 1.0], delta: &[1e-16; 2] };
            assert!(angle.evaluator().guard_series(locked(&angle, &[]), guard, point, 8, &mut of_angle));
            for (k, (c, exact)) in of_rod.iter().zip(&of_angle).enumerate() {
                let apart = (c.value - exact.value).abs();
                assert!(apart <= c.band() + exact.band(), "{guard}, {k}: {c:?} {exact:?}");
                assert!(c.bound < 1e-11 * (1.0 + c.value.abs()), "{guard}, {k}: {c:?}");
            }
        }
    }

    #[test]
    fn mass_matrices_are_left_to_others() {
        let heavy = system(
            "states = { x = 1, y = 0 }
             mass = { x = 2, y = '1 + x^2' }
             [derivatives]
             x = 'y'
             y = '-x'
             [events.a]
             guard = 'x > 0'
             [run]
             until = 1",
        );
        let point = UncertainPoint { t: 0.0, y: &[1.0, 0.0], delta: &[0.0; 2] };
        assert!(!heavy.evaluator().guard_series(locked(&heavy, &[]), 0, point, 2, &mut Vec::new()));
    }
}
