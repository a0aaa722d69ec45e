//! The end of a step of a generalized-α method: Newton's iteration on equations of motion and constraints
//! together (paper 001, equations (17) to (24) and Algorithm 1).
//!
//! The unknowns are the shifted acceleration at the end, `a₁`, and the multipliers. In terms of a change `δ`
//! of `a₁` the iteration matrices (19) and (22) are one and the same, and stay regular however small the
//! step:
//!
//! `S δ + Aᵀ Δλ = -R` with `S = (1-α_m)/(1-α_f) M + h γ C_t + h² β K_t`, and `G δ = -g / (h² β)` for
//! constraints of positions, `(G + h β/γ ∂ġ/∂q) δ = -ġ / (h γ)` for those of speeds.
//!
//! Where both levels are met, positions are moved further by the least change in the metric of `M` that takes
//! them onto the constraints, in every round (24). Matrices and factors (`alpha_matrix.rs`) are kept while
//! the iteration is fast.

use super::alpha::{Coefficients, Knot, Level};
use super::alpha_end::{LargestStart, StepEnd, largest};
use super::alpha_matrix::IterationMatrix;
use super::implicit::{
    AS_LONG_AS_IT_TAKES, Convergence, Newton, check_finite, newton_tolerance, smallest_relative,
};
use super::matrix_age::{FactoredStep, MatrixAge};
use super::{Fault, Tolerances, Trial};
use crate::equations::ActiveRows;
use crate::formulation::{Flow, MotionPoint, MotionResidual};
use std::ops::Range;

/// Constraints are met to this many units of rounding, if they can be: in rounds behind the last that the
/// tolerance asks for. Where they come no nearer, this much will do; and next to a position in which one
/// fixes nothing, where positions that are met to rounding leave much open, the last, if what it would take
/// to meet them is small beside the tolerance.
const ROUNDING: f64 = 2.0 * f64::EPSILON;
const NEARLY: f64 = 32.0 * f64::EPSILON;
const STANDING: f64 = 1e-11;
/// Behind an iteration that has come to stand further off than this, speeds are corrected.
const CLOSED: f64 = 8.0 * f64::EPSILON;
const LOOSE: f64 = 1e-7;
const MOST_ROUNDS: usize = 12;
/// What is left of them after a round, as a part of what was, for the equations to be linearised anew, and
/// how often that is done.
const SLOW: f64 = 0.1;
const MOST_LINEARISED: usize = 3;
/// What is uncertain in positions by rounding, as a part of what they are summed from, times what Newton's
/// iteration divides tolerances by.
const UNCERTAIN: f64 = 64.0 * f64::EPSILON;
/// How far a correction of speeds may take them, beside what the constraints are off by.
const FURTHER: f64 = 10.0;
/// Matrices with which the iteration converges at this rate or faster are kept.
const KEPT: f64 = 0.02;

/// Everything that a step is solved with, and its solution.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    pub(super) level: Level,
    pub(super) coefficients: Coefficients,
    positions: usize,
    n: usize,
    pub(super) holonomic: usize,
    pub(super) step: StepEnd,
    /// Whether constraints of positions were met to rounding where the equations were evaluated last.
    is_met: bool,
    left: MotionResidual,
    newton: Newton,
    matrix: IterationMatrix,
    age: MatrixAge,
    factored: FactoredStep,
    largest: LargestStart,
    /// Right-hand sides, then changes of `a₁` and of the multipliers.
    change: Vec<f64>,
    level_change: Vec<f64>,
}

/// The watch over the rounds behind Newton's iteration.
#[derive(Debug, Default)]
struct Closing {
    is_on: bool,
    judged: usize,
    rounds: usize,
    stalled: usize,
    linearised: usize,
    open: f64,
    /// Whether the last changes were small beside the tolerance.
    fits: bool,
}

enum Iteration {
    Done,
    GoOn,
    Linearise,
    Hopeless,
}

impl Closing {
    /// Judges how far the constraints are from being met. Where they come nearer too slowly, the equations
    /// are linearised where they are now.
    fn look(&mut self, open: f64) -> Iteration {
        let before = std::mem::replace(&mut self.open, open);
        if !self.is_on {
            return Iteration::GoOn;
        }
        self.rounds += 1;
        self.stalled += usize::from(self.rounds > 1 && open > 0.5 * before);
        let will_do = open <= ROUNDING || self.stalled > 0 && open <= NEARLY;
        let standing = if self.fits { LOOSE } else { STANDING };
        if will_do || (self.stalled > 2 || self.rounds > MOST_ROUNDS) && open <= standing {
            return Iteration::Done;
        }
        if self.rounds > MOST_ROUNDS {
            return Iteration::Hopeless;
        }
        if open > SLOW * before && self.linearised < MOST_LINEARISED {
            self.linearised += 1;
            return Iteration::Linearise;
        }
        Iteration::GoOn
    }
}

impl Solver {
    pub(super) fn new(field: &Flow<'_>, rows: &ActiveRows, level: Level, coefficients: Coefficients) -> Self {
        let layout = field.system().layout();
        let (n, size, m, holonomic) = (layout.v, layout.v + layout.z, rows.len(), rows.holonomic());
        Self {
            level,
            coefficients,
            positions: layout.q,
            n,
            holonomic,
            step: StepEnd::new(layout, m),
            is_met: false,
            left: MotionResidual::new(field.system(), rows),
            newton: Newton::new(),
            matrix: IterationMatrix::new(field, rows, level),
            age: MatrixAge::default(),
            factored: FactoredStep::default(),
            largest: LargestStart::default(),
            change: vec![0.0; size],
            level_change: vec![0.0; m],
        }
    }

    /// Goes on from one for other constraints.
    pub(super) fn take_over(&mut self, before: &Self) {
        self.largest = before.largest;
        self.factored.continue_count(before.factored);
    }

    /// Solves for the end of the step. `before` is the last step's start, with the ratio of step sizes.
    pub(super) fn solve(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &Trial,
        start: &Knot,
        before: Option<(&Knot, f64)>,
    ) -> Result<(), Fault> {
        let kappa = newton_tolerance(smallest_relative(trial.start.len(), tolerances));
        let (positions, others) = trial.start.split_at(self.positions);
        self.largest.record(positions, &others[..self.n]);
        loop {
            self.predict(start, before);
            self.set_state(field, trial, start);
            self.factor(field, trial)?;
            if self.iterate(field, (tolerances, kappa), trial, start)? {
                return Ok(());
            }
            if !self.age.renew() {
                return Err(Fault::NoConvergence);
            }
        }
    }

    /// What is added to the speeds at the start, from how fast accelerations change there: see `alpha.rs`.
    pub(super) fn find_push(&mut self, field: &mut Flow<'_>, trial: &Trial, jerk: &[f64], factor: f64) {
        if self.level == Level::Positions {
            self.change.iter_mut().zip(jerk).for_each(|(change, jerk)| *change = factor * jerk);
            field.second_order().least_change(
                trial.t,
                &trial.start,
                &self.change[..self.n],
                &mut self.step.push[..self.n],
            );
        }
    }

    /// Whether forces depend on multipliers.
    pub(super) fn pushes_back(&self) -> bool {
        self.matrix.pushes_back()
    }

    /// How many factorisations there were.
    pub(super) fn factorisations(&self) -> u64 {
        self.factored.count()
    }

    /// Where a step fails, no shorter one is tried.
    pub(super) fn iterate_to_stall(&mut self) {
        self.newton.allow_more(AS_LONG_AS_IT_TAKES);
    }

    /// The start has moved along the solution: matrices are kept if they still serve.
    pub(super) fn advance(&mut self) {
        self.age.advance(self.newton.rate() <= KEPT);
    }

    pub(super) fn restart(&mut self) {
        self.age.advance(false);
        self.newton.restart();
    }

    /// Rates and multipliers go on as they have gone.
    fn predict(&mut self, start: &Knot, before: Option<(&Knot, f64)>) {
        self.step.predict(self.coefficients, start, before);
        self.matrix.mover.iter_mut().for_each(|mover| mover.multipliers.fill(0.0));
    }

    /// Equations (15) and (16).
    fn set_state(&mut self, field: &mut Flow<'_>, trial: &Trial, start: &Knot) {
        let (h, n) = (trial.h, self.n);
        self.step.combine(self.coefficients, trial, start);
        for i in 0..n {
            self.change[i] = self.step.whole_way(i);
        }
        field.second_order().move_positions(
            trial.t + 0.5 * h,
            &trial.start,
            &self.change[..n],
            &mut self.step.state,
        );
    }

    /// Updates the factors for this step size, with matrices from here or from an earlier step.
    fn factor(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        if self.age.is_known() && self.factored.holds_for(trial.h) {
            return Ok(());
        }
        if !self.factored.holds_for(trial.h) {
            // How fast the iteration was in steps of another size says nothing.
            self.newton.restart();
        }
        if !self.age.is_known() {
            self.linearise(field, trial)?;
            field.singular().note_evaluated();
        }
        self.factored.begin();
        if !self.matrix.factor(self.coefficients, trial.h) {
            return Err(Fault::SingularMatrix { component: self.positions });
        }
        self.factored.succeed(trial.h);
        Ok(())
    }

    fn linearise(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let t = trial.t + trial.h;
        let (rates, multipliers) = (&self.step.knot.rates[..], &self.step.knot.multipliers[..]);
        let at = MotionPoint { t, y: &self.step.state, rates, multipliers };
        self.matrix.linearise(field, at, &mut self.left)?;
        self.age.linearised();
        Ok(())
    }

    /// Newton's iteration, then rounds until constraints are met to rounding. False if it diverges.
    fn iterate(
        &mut self,
        field: &mut Flow<'_>,
        (tolerances, kappa): (&Tolerances, f64),
        trial: &Trial,
        start: &Knot,
    ) -> Result<bool, Fault> {
        self.newton.begin(self.age.is_fresh());
        self.is_met = false;
        let mut closing = Closing::default();
        loop {
            self.evaluate(field, trial)?;
            match closing.look(self.open()) {
                Iteration::Done => return Ok(true),
                Iteration::Hopeless => return Ok(false),
                Iteration::Linearise => {
                    self.age.renew();
                    self.factor(field, trial)?;
                    // The tangents by differences have left something else there.
                    self.evaluate(field, trial)?;
                }
                Iteration::GoOn => {}
            }
            self.find_changes(field, trial.h);
            let changes = self.size_of_changes(tolerances, trial);
            closing.fits = changes <= kappa || self.is_noise(trial.h);
            if !closing.is_on {
                match self.judge(changes, kappa, &mut closing) {
                    Convergence::Hopeless => return Ok(false),
                    Convergence::GoOn => {}
                    Convergence::Done => closing.is_on = true,
                }
            }
            self.apply_changes();
            self.set_state(field, trial, start);
        }
    }

    /// Whether speeds are changed by about as much as their constraints are off, and not by far more as next
    /// to a singular position: what does not shrink of that is noise of the constraints.
    fn is_noise(&self, h: f64) -> bool {
        h * self.coefficients.gamma * largest(&self.change[..self.n]) <= FURTHER * self.open_speed()
    }

    /// The first round moves positions, and only the second sees what that makes of the speeds: larger than
    /// the first, it does not mean that the iteration diverges.
    fn judge(&mut self, changes: f64, kappa: f64, closing: &mut Closing) -> Convergence {
        let progress = self.newton.judge(changes, kappa);
        closing.judged += 1;
        if progress == Convergence::Hopeless && closing.judged == 2 && self.matrix.mover.is_some() {
            self.newton.begin(false);
            return self.newton.judge(changes, kappa);
        }
        progress
    }

    fn evaluate(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let t = trial.t + trial.h;
        let (rates, multipliers) = (&self.step.knot.rates[..], &self.step.knot.multipliers[..]);
        field
            .second_order()
            .residual(MotionPoint { t, y: &self.step.state, rates, multipliers }, &mut self.left);
        for left in [&self.left.motion, &self.left.position, &self.left.velocity] {
            check_finite(left, usize::MAX, t).map_err(|fault| self.as_speed(fault))?;
        }
        self.leave_rounding();
        Ok(())
    }

    /// Constraints of positions that are met to rounding are taken to be met, once a round has taken off what
    /// it can of that: to move positions by rounding, again and again, moves speeds by that over the step.
    fn leave_rounding(&mut self) {
        let far = largest(&self.step.state[..self.positions]);
        let both = self.left.position.iter().zip(self.matrix.lengths());
        let is_met = both.into_iter().all(|(left, length)| left.abs() <= ROUNDING * length * far);
        if std::mem::replace(&mut self.is_met, is_met) && is_met {
            self.left.position.fill(0.0);
        }
    }

    /// A fault of a speed or of a constraint, in terms of states.
    fn as_speed(&self, fault: Fault) -> Fault {
        match fault {
            Fault::NotFinite { t, value, .. } => Fault::NotFinite { component: self.positions, t, value },
            other => other,
        }
    }

    /// Whether the last round has met the constraints of speeds as closely as promised.
    pub(super) fn is_closed(&self) -> bool {
        self.open_beside(self.fast()) <= CLOSED || self.open_speed() <= ROUNDING * self.largest.velocity
    }

    /// The largest speed at the end of the step.
    fn fast(&self) -> f64 {
        largest(&self.step.state[self.positions..self.positions + self.n])
    }

    /// How far speeds are from where their constraints are met.
    fn open_speed(&self) -> f64 {
        let open = |(left, length): (&f64, &f64)| if *length > 0.0 { left.abs() / length } else { 0.0 };
        self.left.velocity.iter().zip(self.matrix.lengths()).map(open).fold(0.0, f64::max)
    }

    /// How far the constraints are from being met, beside what they are made of.
    fn open(&self) -> f64 {
        self.open_beside(self.fast().max(self.largest.velocity))
    }

    fn open_beside(&self, fast: f64) -> f64 {
        let far = largest(&self.step.state[..self.positions]).max(self.largest.position);
        let part = |left: &[f64], first: usize, size: f64| {
            let of_row = |(k, left): (usize, &f64)| match self.matrix.lengths()[first + k] * size {
                0.0 => 0.0,
                size => left.abs() / size,
            };
            left.iter().enumerate().map(of_row).fold(0.0, f64::max)
        };
        let keeps_positions = self.level != Level::Speeds;
        let positions = if keeps_positions { part(&self.left.position, 0, far) } else { 0.0 };
        let first = if self.level == Level::Positions { self.holonomic } else { 0 };
        positions.max(part(&self.left.velocity[first..], first, fast))
    }

    /// The changes of `a₁` and of the multipliers, and of what positions are moved by.
    fn find_changes(&mut self, field: &mut Flow<'_>, h: f64) {
        let c = self.coefficients;
        self.change.iter_mut().zip(&self.left.motion).for_each(|(change, left)| *change = -left);
        for (k, level) in self.level_change.iter_mut().enumerate() {
            *level = if self.level == Level::Positions && k < self.holonomic {
                -self.left.position[k] / (h * h * c.beta)
            } else {
                -self.left.velocity[k] / (h * c.gamma)
            };
        }
        self.matrix.solve(&mut self.change, &mut self.level_change);
        self.find_move(field, h);
    }

    /// The change of what positions are moved by beside the way of the step.
    fn find_move(&mut self, field: &mut Flow<'_>, h: f64) {
        let reach = h * h * self.coefficients.beta;
        let Some(mover) = &mut self.matrix.mover else { return };
        let gradients = &self.matrix.tangents.gradients;
        for (k, residual) in mover.residual.iter_mut().enumerate() {
            *residual = match self.left.position.get(k) {
                Some(position) => -position - reach * gradients.row_times(k, &self.change),
                None => -gradients.row_times(k, &self.step.moved),
            };
        }
        field.second_order().weigh(&self.step.moved, &mover.multipliers, &mut mover.change);
        mover.change.iter_mut().for_each(|left| *left = -*left);
        mover.solve();
    }

    /// The scaled size of the changes, of positions where these are as many as speeds, and of speeds and
    /// further states. Where constraints or stiff forces hold positions, their rounding comes to speeds
    /// divided by the step: no more can be asked.
    fn size_of_changes(&self, tolerances: &Tolerances, trial: &Trial) -> f64 {
        let (c, h, q, n) = (self.coefficients, trial.h, self.positions, self.n);
        let mover = self.matrix.mover.as_ref();
        let rounding = UNCERTAIN * largest(&self.step.state[..q]).max(self.step.summed()) / h;
        let scale = |state: usize| tolerances.scale(state, trial.start[state].abs());
        let mut sum = 0.0;
        for (i, change) in self.change.iter().enumerate() {
            sum += (h * c.gamma * change / (scale(q + i) + rounding)).powi(2);
            if i < n && q == n {
                let moved = mover.map_or(0.0, |mover| mover.change[i]);
                sum += ((h * h * c.beta * change + moved) / (scale(i) + h * rounding)).powi(2);
            }
        }
        (sum / trial.start.len().max(1) as f64).sqrt()
    }

    fn apply_changes(&mut self) {
        add(&mut self.step.knot.shifted, &self.change);
        add(&mut self.step.knot.multipliers, &self.level_change);
        if let Some(mover) = &mut self.matrix.mover {
            add(&mut self.step.moved, &mover.change);
            add(&mut mover.multipliers, &mover.residual);
        }
    }

    /// What lies across the constraint of each row in a change of speeds, times a factor, is what
    /// [`smooth`](Self::smooth) leaves across it.
    pub(super) fn keep_across(&mut self, rows: Range<usize>, factor: f64, change: &[f64]) {
        for k in rows {
            self.level_change[k] = factor * self.matrix.tangents.gradients.row_times(k, change);
        }
    }

    /// Takes off a correction of positions what presses stiff springs: of all changes that do the same to the
    /// constraints, the least in the metric of the iteration matrix. False if nothing in it is stiff.
    pub(super) fn soften(&mut self, moved: &mut [f64]) -> bool {
        self.change.fill(0.0);
        self.change[..self.n].copy_from_slice(moved);
        if !self.matrix.resists(self.coefficients, &self.change) {
            return false;
        }
        self.level_change.fill(0.0);
        self.keep_across(0..self.holonomic, 1.0, moved);
        self.change.fill(0.0);
        self.matrix.solve_along_gradients(&mut self.change, &mut self.level_change);
        moved.copy_from_slice(&self.change[..self.n]);
        true
    }

    /// What is left of an error of speeds once what is stiff in it is damped:
    /// `S x + Gᵀ μ = (1-α_m)/(1-α_f) M error`, where `G x` is what is kept across.
    pub(super) fn smooth(&mut self, error: &mut [f64]) {
        for (i, out) in self.change.iter_mut().enumerate() {
            *out = self.coefficients.inertia() * self.matrix.tangents.mass.row_times(i, error);
        }
        self.matrix.solve_along_gradients(&mut self.change, &mut self.level_change);
        error.copy_from_slice(&self.change);
    }
}

/// `a ← a + b`.
fn add(a: &mut [f64], b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
}
