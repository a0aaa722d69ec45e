//! Generalized-α methods of order 2 for mechanisms (paper 001, section 3.1), with the constraints of
//! positions (index 3), of speeds (index 2), or both (Algorithm 1).
//!
//! With `u = (v, z)`, speeds and further states, and an acceleration `a` that belongs to the time
//! `t + (α_m - α_f) h`, equations (15) and (16) are
//!
//! `(1 - α_m) a₁ + α_m a₀ = (1 - α_f) u'₁ + α_f u'₀`, `u₁ = u₀ + h (1 - γ) a₀ + h γ a₁`,
//! `r = h v₀ + h² (1/2 - β) a₀ + h² β a₁`,
//!
//! where positions go from `q₀` to `q₁` along `q' = T(q) r` for time one: `q₀ + r` where `T` is one, and the
//! exponential map of rotations for Euler parameters (Brüls and Cardona, J. Comput. Nonlinear Dynam. 5,
//! 2010). The equations of motion and the constraints hold at the end of the step; `alpha_newton.rs` solves
//! them.
//!
//! A step of another size has its `a₀` elsewhere: `a₀ - u'₀` is the way from `t` to there and grows with the
//! step. So it is scaled, which keeps the order (Brüls and Arnold, J. Comput. Nonlinear Dynam. 3, 2008). At a
//! start, and where a step is much longer than the last, it is taken from the accelerations at both ends of
//! the step, and the step made again; with `a₀ = u'₀` the multipliers of the index-3 form would begin with an
//! error of order one. Along the constraints that form runs with speeds that are off by `-C h² v''`, in which
//! `C h³ v''` is the error that `r` makes; to begin with exact speeds, or with those of a step of another
//! size, gives multipliers an error of the size of the step that rings. So they are moved there (Arnold,
//! Brüls and Cardona, Numer. Math. 129, 2015). The end of a step has speeds on the constraints all the same;
//! what the method goes on with is kept beside them, and scaled with the square of the step.

use super::alpha_end::largest;
use super::alpha_newton::Solver;
use super::descriptor::Build;
use super::implicit::check_finite;
use super::{
    ConstraintPolicy, DenseDetail, Fault, MechanismForm, Memory, Method, MethodDescriptor, Restart, Step,
    StepReport, Tolerances, Trial,
};
use crate::equations::ActiveRows;
use crate::formulation::{Field, Flow};
use crate::math::Norm;

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "alpha",
    about: "generalized-α, implicit, positions and speeds on their constraints",
    form: MechanismForm::Ggl,
    constraints: ConstraintPolicy::KeepsPositions,
    ..with_level(true, |rho| build(Level::Both, rho))
};

pub(super) const DESCRIPTOR_2: MethodDescriptor = MethodDescriptor {
    name: "alpha2",
    about: "generalized-α, implicit, speeds on their constraints",
    form: MechanismForm::Index2,
    constraints: ConstraintPolicy::ProjectsItself,
    ..with_level(true, |rho| build(Level::Speeds, rho))
};

pub(super) const DESCRIPTOR_3: MethodDescriptor = MethodDescriptor {
    name: "alpha3",
    about: "generalized-α, implicit, positions on their constraints",
    form: MechanismForm::Index3,
    constraints: ConstraintPolicy::KeepsPositions,
    // With a `ρ∞` of one its multipliers would not be damped.
    ..with_level(false, |rho| build(Level::Positions, rho))
};

/// What the three have in common.
const fn with_level(allows_one: bool, build: fn(f64) -> Box<dyn Step>) -> MethodDescriptor {
    MethodDescriptor {
        order: 2,
        error_order: Some(2),
        dense_order: 2,
        implicit: true,
        keeps_factors: true,
        mechanisms_only: true,
        nodes: &[0.0, 1.0],
        build: Build::WithRho { build, allows_one },
        ..MethodDescriptor::UNNAMED
    }
}

fn build(level: Level, rho: f64) -> Box<dyn Step> {
    Box::new(GeneralizedAlpha::new(level, rho))
}

/// Beyond this growth a step begins anew: what is scaled contains rounding and damped oscillations.
const MOST_GROWTH: f64 = 2.0;

/// Rates of the index-3 form that are off by more than this part of the largest ring, and the next step
/// begins anew. Near a `ρ∞` of one they would do so ever more.
const RINGING: f64 = 0.1;

/// The largest error of a cubic with values and slopes at both ends is this times `h⁴` and the fourth
/// derivative; that of a parabola with values at both ends and the right mean this times `h³` and the third.
const WITHIN_POSITIONS: f64 = 1.0 / 384.0;
const WITHIN_SPEEDS: f64 = 0.008_018_753_738_744_802;

/// How often what is stiff in a correction of positions is taken off it.
const SOFT_ROUNDS: usize = 3;

/// Where the constraints of positions are met, at the end of each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Positions (index 3).
    Positions,
    /// Speeds (index 2).
    Speeds,
    /// Both (index 2, stabilised).
    Both,
}

/// The coefficients that follow from `ρ∞`, the part of an oscillation of infinite frequency that is left
/// after a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coefficients {
    pub(super) alpha_m: f64,
    pub(super) alpha_f: f64,
    pub(super) beta: f64,
    pub(super) gamma: f64,
}

impl Coefficients {
    /// Below (16).
    pub(super) fn new(rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        Self { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5).powi(2), gamma }
    }

    /// Where `a` is, in steps.
    fn shift(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    /// How `u'₁` changes with `a₁`.
    pub(super) fn inertia(&self) -> f64 {
        (1.0 - self.alpha_m) / (1.0 - self.alpha_f)
    }

    /// The error of the way of a step is this times `h³ v''`.
    fn error_of_way(&self) -> f64 {
        0.5 * self.shift() + self.beta - 1.0 / 6.0
    }

    /// The error of speeds in a step is this times `h³ u'''`: with `a = u' + shift h u'' + c h² u'''`, which
    /// (15) goes on with.
    pub(super) fn error_of_speeds(&self) -> f64 {
        let middle = 0.5 + self.shift();
        let c = 0.5 * (1.0 - self.alpha_f) - (1.0 - self.alpha_m) * middle;
        c + self.gamma * middle - 1.0 / 6.0
    }
}

/// What is known at a point: rates, the shifted acceleration, multipliers; and rates to judge the error by.
/// Multipliers of the index-3 form that ring would be seen in those, so they are of the index-1 form there,
/// and where friction brings what rings into all accelerations.
#[derive(Clone, Debug, Default)]
pub(super) struct Knot {
    pub(super) rates: Vec<f64>,
    pub(super) shifted: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    calm: Vec<f64>,
    /// What the speeds that the method goes on with are off by, from those of the state.
    off: Vec<f64>,
    rings: bool,
}

impl Knot {
    pub(super) fn new(size: usize, constraints: usize) -> Self {
        let room = || vec![0.0; size];
        Self {
            rates: room(),
            shifted: room(),
            multipliers: vec![0.0; constraints],
            calm: room(),
            off: room(),
            rings: false,
        }
    }
}

/// The method with what it carries on from step to step.
#[derive(Clone, Debug)]
pub(super) struct GeneralizedAlpha {
    level: Level,
    coefficients: Coefficients,
    /// Everything that needs to know the mechanism, once there was a step.
    room: Option<Box<Workspace>>,
    factorisations: u64,
    is_patient: bool,
}

#[derive(Clone, Debug)]
struct Workspace {
    /// The constraints that it is for.
    rows: ActiveRows,
    positions: usize,
    n: usize,
    solver: Solver,
    /// At the start of the last step, at the start, and at the end; with both step sizes, zero for none.
    before: Knot,
    start: Knot,
    before_h: f64,
    h: f64,
    start_is_known: bool,
    /// The slopes of positions at both ends, and a state or its rates.
    slopes: [Vec<f64>; 2],
    state: Vec<f64>,
    /// Second differences of the rates, then the errors of `u`; those of positions; those of the whole state.
    bend: Vec<f64>,
    of_positions: Vec<f64>,
    errors: Vec<f64>,
}

impl Workspace {
    fn new(field: &Flow<'_>, rows: ActiveRows, level: Level, coefficients: Coefficients) -> Self {
        let (layout, m) = (field.system().layout(), rows.len());
        let (size, dimension) = (layout.v + layout.z, layout.dimension());
        let state = || vec![0.0; dimension];
        Self {
            positions: layout.q,
            n: layout.v,
            solver: Solver::new(field, &rows, level, coefficients),
            rows,
            before: Knot::new(size, m),
            start: Knot::new(size, m),
            before_h: 0.0,
            h: 0.0,
            start_is_known: false,
            slopes: [state(), state()],
            state: state(),
            bend: vec![0.0; size],
            of_positions: vec![0.0; size],
            errors: state(),
        }
    }

    /// Rates and multipliers of the start, where no step has led to it.
    fn find_start(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        if self.start_is_known {
            return Ok(());
        }
        field.derivative(trial.t, &trial.start, &mut self.state);
        check_finite(&self.state, 1, trial.t)?;
        self.start.rates.copy_from_slice(&self.state[self.positions..]);
        self.start.shifted.copy_from_slice(&self.start.rates);
        self.start.calm.copy_from_slice(&self.start.rates);
        field.constraints().copy_multipliers(&mut self.start.multipliers);
        self.start.off.fill(0.0);
        self.start.rings = false;
        (self.before_h, self.start_is_known) = (0.0, true);
        Ok(())
    }

    fn make(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        trial.fault = None;
        if let Err(fault) = self.try_step(field, tolerances, trial) {
            trial.fail(fault);
        }
    }

    fn try_step(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &mut Trial,
    ) -> Result<(), Fault> {
        self.find_start(field, trial)?;
        self.h = trial.h;
        let (h, is_longer) = (trial.h, trial.h > MOST_GROWTH * self.before_h);
        let begins = self.before_h == 0.0 || is_longer || self.start.rings;
        self.carry_on(if begins { 0.0 } else { h / self.before_h });
        let known = (self.before_h > 0.0).then_some((&self.before, h / self.before_h));
        self.solver.solve(field, tolerances, trial, &self.start, known)?;
        if begins && self.solver.coefficients.shift() != 0.0 {
            self.begin_anew(field, trial)?;
            self.solver.solve(field, tolerances, trial, &self.start, None)?;
        }
        trial.end.copy_from_slice(&self.solver.step.state);
        self.estimate(field, tolerances, trial)
    }

    /// Keeps positions where the constraints of speeds are solved for, and closes speeds where Newton's
    /// iteration has come to stand before rounding.
    fn land(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        let t = trial.t + trial.h;
        if !field.has_terms() {
            return field.projection().project_end(t, &mut trial.end);
        }
        if self.solver.level == Level::Speeds {
            self.land_softly(field, trial);
            // Rates of constraints that follow from others are off by what positions are.
            if field.constraints().has_redundant() {
                field.projection().project_half_explicit(t, &mut trial.end, false);
            }
        }
        if self.solver.level != Level::Positions && !self.solver.is_closed() {
            field.projection().project_velocities(t, &mut trial.end);
        }
    }

    /// Corrects positions, and speeds behind that. The least change in the metric of the masses would press
    /// stiff springs by as much as positions were off, and multipliers would carry that force; so what is
    /// stiff in a correction is taken off it, and what that leaves open is corrected again.
    fn land_softly(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        let (t, n) = (trial.t + trial.h, self.n);
        let rounds = if self.positions == n { SOFT_ROUNDS } else { 0 };
        for _ in 0..rounds {
            self.state.copy_from_slice(&trial.end);
            field.projection().project_half_explicit(t, &mut trial.end, false);
            let moved = &mut self.errors[..n];
            moved.iter_mut().enumerate().for_each(|(i, moved)| *moved = trial.end[i] - self.state[i]);
            if !self.solver.soften(moved) {
                return;
            }
            trial.end.copy_from_slice(&self.state);
            trial.end.iter_mut().zip(&*moved).for_each(|(end, moved)| *end += moved);
        }
        field.projection().project_half_explicit(t, &mut trial.end, false);
    }

    /// What the last step has left beside the state, scaled to this one; nothing where a step begins anew.
    fn carry_on(&mut self, ratio: f64) {
        let start = &mut self.start;
        if ratio == 0.0 {
            // Rates of the method may ring, and to go by them would keep them at it.
            start.rates.copy_from_slice(&start.calm);
        }
        for (i, a) in self.solver.step.shifted.iter_mut().enumerate() {
            *a = start.rates[i] + ratio * (start.shifted[i] - start.rates[i]);
            self.solver.step.push[i] = ratio * ratio * start.off[i];
        }
    }

    /// The shifted acceleration of the start from the accelerations at both ends. Those of the end are of the
    /// index-1 form: there an error of `a₀` in the multipliers has no part in them.
    fn begin_anew(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let t = trial.t + trial.h;
        field.derivative(t, &self.solver.step.state, &mut self.state);
        check_finite(&self.state, 1, t)?;
        let (shift, rates) = (self.solver.coefficients.shift(), self.start.rates.iter());
        let both = rates.zip(&self.state[self.positions..]);
        self.solver
            .step
            .shifted
            .iter_mut()
            .zip(both)
            .for_each(|(a, (here, there))| *a = here + shift * (there - here));
        for (i, bend) in self.bend.iter_mut().enumerate() {
            *bend = (self.state[self.positions + i] - self.start.calm[i]) / trial.h;
        }
        let factor = -self.solver.coefficients.error_of_way() * trial.h * trial.h;
        self.solver.find_push(field, trial, &self.bend, factor);
        Ok(())
    }

    /// The error (29) of positions, and that of speeds and further states, both smoothed by the matrix of
    /// Newton's iteration: what oscillates much faster than the step is damped and not followed.
    fn estimate(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &mut Trial,
    ) -> Result<(), Fault> {
        self.find_calm(field, trial)?;
        self.find_bend(field, trial)?;
        let (h, n, c) = (self.h, self.n, self.solver.coefficients);
        for i in 0..n {
            let ends = self.start.rates[i] / 3.0 + self.solver.step.knot.rates[i] / 6.0;
            let moved =
                (0.5 - c.beta) * self.solver.step.shifted[i] + c.beta * self.solver.step.knot.shifted[i];
            self.of_positions[i] = h * h * (moved - ends) + self.solver.step.moved[i];
        }
        self.of_positions[n..].fill(0.0);
        self.smooth();
        self.errors.copy_from_slice(&trial.end);
        self.errors[self.positions..self.positions + n].copy_from_slice(&self.of_positions[..n]);
        field.second_order().evaluate_kinematics(trial.t + h, &self.errors, &mut self.state);
        self.errors[..self.positions].copy_from_slice(&self.state[..self.positions]);
        self.errors[self.positions..].copy_from_slice(&self.bend);
        trial.judge(&self.errors, tolerances, Norm::Worst);
        Ok(())
    }

    /// Damps what is stiff in both errors. Across constraints that are met at the end of the step there is no
    /// error, but there is one on the way there, of dense output; across those of speeds alone, that of
    /// positions is never taken back.
    fn smooth(&mut self) {
        let (h, m, solver) = (self.h, self.start.multipliers.len(), &mut self.solver);
        let kept = if solver.level == Level::Speeds { 0 } else { solver.holonomic };
        solver.keep_across(0..kept, WITHIN_POSITIONS * h * h, &self.bend);
        solver.keep_across(kept..m, 1.0, &self.of_positions);
        solver.smooth(&mut self.of_positions);
        solver.keep_across(0..m, WITHIN_SPEEDS * h, &self.bend);
        let factor = solver.coefficients.error_of_speeds() * h;
        self.bend.iter_mut().for_each(|bend| *bend *= factor);
        solver.smooth(&mut self.bend);
    }

    /// The rates at the end that the error is judged by.
    fn find_calm(&mut self, field: &mut Flow<'_>, trial: &mut Trial) -> Result<(), Fault> {
        let pushes_back = self.solver.pushes_back();
        let end = &mut self.solver.step.knot;
        if self.solver.level != Level::Positions && !pushes_back {
            end.calm.copy_from_slice(&end.rates);
            return Ok(());
        }
        let t = trial.t + trial.h;
        field.derivative(t, &trial.end, &mut self.state);
        check_finite(&self.state, 1, t)?;
        end.calm.copy_from_slice(&self.state[self.positions..]);
        if self.solver.level != Level::Positions {
            return Ok(());
        }
        let rings = |rates: &[f64]| {
            rates.iter().zip(&end.calm).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
        };
        end.rings = rings(&end.rates) > RINGING * largest(&end.calm);
        self.close_speeds(field, trial);
        Ok(())
    }

    /// Projects speeds that the method does not constrain. The method itself continues with its own.
    fn close_speeds(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        let (t, speeds) = (trial.t + trial.h, self.positions..self.positions + self.n);
        let off = &mut self.solver.step.knot.off[..self.n];
        off.copy_from_slice(&trial.end[speeds.clone()]);
        field.projection().project_velocities_from_derivative(t, &mut trial.end);
        off.iter_mut().zip(&trial.end[speeds.clone()]).for_each(|(off, v)| *off -= v);
    }

    /// `h² u'''`, from the rates at the ends of this step and of the one before; at a start from those in the
    /// middle of the step.
    fn find_bend(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let (h, before) = (self.h, self.before_h);
        if before > 0.0 {
            for (i, bend) in self.bend.iter_mut().enumerate() {
                let here = self.start.calm[i];
                let slopes =
                    (self.solver.step.knot.calm[i] - here) / h - (here - self.before.calm[i]) / before;
                *bend = 2.0 * h * h * slopes / (h + before);
            }
            return Ok(());
        }
        self.find_middle(field, trial);
        let t = trial.t + 0.5 * h;
        field.derivative(t, &self.errors, &mut self.state);
        check_finite(&self.state, 1, t)?;
        for (i, bend) in self.bend.iter_mut().enumerate() {
            let ends = self.start.calm[i] + self.solver.step.knot.calm[i];
            *bend = 4.0 * (ends - 2.0 * self.state[self.positions + i]);
        }
        Ok(())
    }

    /// The state in the middle of the step.
    fn find_middle(&mut self, field: &mut Flow<'_>, trial: &Trial) {
        let (h, q, n) = (self.h, self.positions, self.n);
        let (v0, v1) = (&trial.start[q..q + n], &trial.end[q..q + n]);
        for i in 0..n {
            self.bend[i] = 0.5 * self.solver.step.whole_way(i) + 0.125 * h * (v0[i] - v1[i]);
        }
        self.errors.copy_from_slice(&trial.start);
        field.second_order().move_positions(
            trial.t + 0.25 * h,
            &trial.start,
            &self.bend[..n],
            &mut self.errors,
        );
        for i in 0..self.bend.len() {
            let (start, end) = (trial.start[q + i], trial.end[q + i]);
            self.errors[q + i] = if i < n {
                1.5 * self.solver.step.whole_way(i) / h - 0.25 * (start + end)
            } else {
                0.5 * (start + end) + 0.125 * h * (self.start.rates[i] - self.solver.step.knot.rates[i])
            };
        }
    }
}

impl GeneralizedAlpha {
    pub(super) fn new(level: Level, rho: f64) -> Self {
        Self { level, coefficients: Coefficients::new(rho), room: None, factorisations: 0, is_patient: false }
    }

    /// A workspace for the constraints that hold now. From the last one it takes only sizes and counts.
    #[cold]
    fn make_room(&mut self, field: &Flow<'_>, rows: ActiveRows) {
        let mut room = Box::new(Workspace::new(field, rows, self.level, self.coefficients));
        if self.is_patient {
            room.solver.iterate_to_stall();
        }
        if let Some(before) = &self.room {
            room.solver.take_over(&before.solver);
        }
        self.room = Some(room);
    }
}

impl Memory for GeneralizedAlpha {
    fn advance(&mut self) {
        let Some(room) = &mut self.room else { return };
        std::mem::swap(&mut room.before, &mut room.start);
        std::mem::swap(&mut room.start, &mut room.solver.step.knot);
        room.before_h = room.h;
        room.solver.advance();
    }

    fn restart(&mut self, _restart: Restart) {
        let Some(room) = &mut self.room else { return };
        room.start_is_known = false;
        room.solver.restart();
    }

    fn renew(&mut self) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {
        self.is_patient = true;
    }

    fn report(&self) -> StepReport<'_> {
        let method = match self.level {
            Level::Positions => Method::GeneralizedAlpha3,
            Level::Speeds => Method::GeneralizedAlpha2,
            Level::Both => Method::GeneralizedAlpha,
        };
        let multipliers = self.room.as_ref().map_or(&[][..], |room| &room.solver.step.knot.multipliers);
        StepReport { multipliers, ..StepReport::plain(method) }
    }

    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    fn factorisations(&self) -> u64 {
        self.factorisations
    }
}

impl Step for GeneralizedAlpha {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let rows = field.constraints().active_rows(trial.t, &trial.start);
        if self.room.as_ref().is_none_or(|room| room.rows != rows) {
            self.make_room(field, rows);
        }
        let Some(room) = &mut self.room else { return };
        room.make(field, tolerances, trial);
        if trial.fault.is_none() {
            room.land(field, trial);
        }
        self.factorisations = room.solver.factorisations();
    }

    /// Positions: the cubic through both ends with the speeds there. Speeds: the parabola through both ends
    /// whose mean is the way of the step, without its error: over the step that would be of the order of what
    /// a guard changes by behind a surface that has just been left. Further states: the cubic through both
    /// ends with their rates.
    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, _detail: DenseDetail) {
        let Some(room) = &mut self.room else { return };
        let (q, n, h) = (room.positions, room.n, trial.h);
        let [first, last] = &mut room.slopes;
        field.second_order().evaluate_kinematics(trial.t, &trial.start, first);
        field.second_order().evaluate_kinematics(trial.t + h, &trial.end, last);
        first[q..].copy_from_slice(&room.start.rates);
        last[q..].copy_from_slice(&room.solver.step.knot.rates);
        trial.fill_cubic(first, last, 3);
        let dimension = trial.start.len();
        let c = trial.dense.coefficients_mut(3);
        for i in 0..n {
            let ends = trial.start[q + i] + trial.end[q + i];
            let way = room.solver.step.whole_way(i) - room.of_positions[i];
            c[2 * dimension + q + i] = 6.0 * way / h - 3.0 * ends;
            c[3 * dimension + q + i] = 0.0;
        }
    }

    fn smooth(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }
}
