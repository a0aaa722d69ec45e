//! Consistent states, at the start and after events: the nearest positions and velocities at which all constraints are met, in the metric of
//! the mass matrix.
//!
//! Newton's method on `g(t, q) = 0` with the least change in every round, halved where it would overshoot;
//! then the same for the velocities. Pinned coordinates are further constraints: neither they nor their
//! velocities change.

use super::env::Env;
use super::residuals::largest;
use crate::equations::{ActiveRows, System, Terms};
use crate::math::{Matrix, Saddle, SaddleFault};

/// Rounds of Newton's method, and halvings in one of them.
const MOST_ROUNDS: usize = 60;
const MOST_HALVINGS: i32 = 8;

/// A pin that moves by no more than this part of its value stays where it is.
const PINNED: f64 = 1e-8;

/// Constraints are met if this is left of them, in coordinates; of coordinates larger than one, this part of the
/// largest.
const MET: f64 = 1e-9;

/// Why no consistent start was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// These constraints cannot be met together from this start; each with its residual.
    Open(Vec<(usize, f64)>),
    /// What was pinned could not stay: the states that moved, each with what it was and what it must be.
    Pinned(Vec<(usize, f64, f64)>),
    /// The linear system has no solution; with the velocity of the least mass, and that mass.
    Singular(SaddleFault, (usize, f64)),
}

/// The scratch to make a start consistent.
pub(super) struct ConsistentStart {
    active: ActiveRows,
    positions: usize,
    n: usize,
    pinned: Vec<usize>,
    terms: Terms,
    rows: Matrix,
    saddle: Saddle,
    change: Vec<f64>,
    /// How much more than others coordinates resist being moved.
    weights: Vec<(usize, f64)>,
    level: Vec<f64>,
    position: Vec<f64>,
    velocity: Vec<f64>,
}

/// Which half of the state is moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Positions,
    Velocities,
}

/// What is pinned does not move.
fn refuse(moved: Vec<(usize, f64, f64)>) -> Result<(), Refusal> {
    if moved.is_empty() { Ok(()) } else { Err(Refusal::Pinned(moved)) }
}

/// The rows of the constraints, and behind them one for each pinned coordinate.
fn with_pinned(jacobian: &Matrix, pinned: &[usize]) -> Matrix {
    let m = jacobian.rows();
    let further = pinned.iter().enumerate().map(|(k, &coordinate)| (m + k, coordinate));
    let places: Vec<(usize, usize)> = jacobian.places().chain(further).collect();
    Matrix::with_places(m + pinned.len(), jacobian.columns(), &places)
}

impl ConsistentStart {
    /// For some constraints of a mechanism, and pinned coordinates.
    pub(super) fn new(system: &dyn System, active: &ActiveRows, pinned: &[usize]) -> Self {
        let terms = system.room_for_terms(active);
        let n = terms.mass.rows();
        let rows = with_pinned(&terms.jacobian, pinned);
        Self {
            active: active.clone(),
            positions: system.layout().q,
            n,
            pinned: pinned.to_vec(),
            saddle: Saddle::new(&terms.mass, &rows),
            change: vec![0.0; n],
            weights: system.shape().mechanism.start.weights.clone(),
            level: vec![0.0; rows.rows()],
            rows,
            position: vec![0.0; active.holonomic()],
            velocity: vec![0.0; active.len()],
            terms,
        }
    }

    /// Whether it is for these constraints and coordinates, and no others.
    pub(super) fn holds(&self, active: &ActiveRows, pinned: &[usize]) -> bool {
        self.active == *active && self.pinned == pinned
    }

    /// Moves positions, then velocities.
    pub(super) fn make_consistent(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> Result<(), Refusal> {
        self.place(env, y)?;
        self.set_moving(env, y)
    }

    /// Moves positions only.
    pub(super) fn place(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> Result<(), Refusal> {
        let before = y.to_vec();
        self.close(env, y, Half::Positions)?;
        refuse(self.moved(env.has_kinematics(), (Half::Positions, &before), y))
    }

    /// Changes velocities only.
    pub(super) fn set_moving(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> Result<(), Refusal> {
        let before = y.to_vec();
        self.close(env, y, Half::Velocities)?;
        refuse(self.moved(env.has_kinematics(), (Half::Velocities, &before), y))
    }

    /// What was pinned and has moved all the same, because the constraints leave it no choice. Where
    /// velocities are not the rates of coordinates, only they are pinned.
    fn moved(
        &self,
        has_kinematics: bool,
        (half, before): (Half, &[f64]),
        y: &[f64],
    ) -> Vec<(usize, f64, f64)> {
        let first = if half == Half::Positions { 0 } else { self.positions };
        let is_pinned = half == Half::Velocities || !has_kinematics;
        let pinned = self.pinned.iter().filter(|_| is_pinned).map(|i| first + i);
        let moved = |i: &usize| (y[*i] - before[*i]).abs() > PINNED * (1.0 + before[*i].abs());
        pinned.filter(moved).map(|i| (i, before[i], y[i])).collect()
    }

    fn close(&mut self, env: &mut Env<'_>, y: &mut [f64], half: Half) -> Result<(), Refusal> {
        let mut size = self.residual(env, y, half);
        if !size.is_finite() {
            let rows = self.level.iter().enumerate().filter(|(_, left)| !left.is_finite());
            return Err(Refusal::Open(rows.map(|(k, left)| (self.active.constraint(k), *left)).collect()));
        }
        for _ in 0..MOST_ROUNDS {
            self.find_change(env, y, half)?;
            let far = self.distance(y, half);
            if far <= 4.0 * f64::EPSILON {
                break;
            }
            match self.step(env, y, (half, size)) {
                Some(smaller) => size = smaller,
                None => break,
            }
        }
        let open = self.open_rows(y, half);
        if open.is_empty() { Ok(()) } else { Err(Refusal::Open(open)) }
    }

    /// Evaluates what is left of the constraints, into `level`; gives its size.
    fn residual(&mut self, env: &mut Env<'_>, y: &[f64], half: Half) -> f64 {
        env.residuals(y, &mut self.position, &mut self.velocity);
        self.level.fill(0.0);
        match half {
            Half::Positions => self.level[..self.position.len()].copy_from_slice(&self.position),
            Half::Velocities => self.level[..self.velocity.len()].copy_from_slice(&self.velocity),
        }
        self.level.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// The least change that takes off `level`, to first order.
    fn find_change(&mut self, env: &mut Env<'_>, y: &[f64], half: Half) -> Result<(), Refusal> {
        env.terms(y, &mut self.terms);
        if half == Half::Positions && !self.weights.is_empty() {
            self.weigh();
        }
        let (own, pinned) = self.rows.values.split_at_mut(self.terms.jacobian.values.len());
        own.copy_from_slice(&self.terms.jacobian.values);
        pinned.fill(1.0);
        let factored = self.saddle.factor(&self.terms.mass, &self.rows);
        factored.map_err(|fault| Refusal::Singular(fault, self.lightest()))?;
        let mut level = self.level.clone();
        self.change.fill(0.0);
        self.saddle.solve(&mut self.change, &mut level);
        Ok(())
    }

    /// Masses with the weights of what resists being moved.
    fn weigh(&mut self) {
        let of =
            |place: usize| self.weights.iter().find(|(i, _)| *i == place).map_or(1.0, |(_, weight)| *weight);
        let places: Vec<(usize, usize)> = self.terms.mass.places().collect();
        for (value, (i, j)) in self.terms.mass.values.iter_mut().zip(places) {
            *value *= (of(i) * of(j)).sqrt();
        }
    }

    /// The velocity of the least mass, and that mass.
    fn lightest(&self) -> (usize, f64) {
        let of = |i: usize| self.terms.mass.row(i).find(|(j, _)| *j == i).map_or(0.0, |(_, mass)| mass);
        (0..self.n).map(|i| (i, of(i))).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }

    /// How large the change is, as a part of what is changed.
    fn distance(&self, y: &[f64], half: Half) -> f64 {
        let first = if half == Half::Positions { 0 } else { self.positions };
        let part = |(i, change): (usize, &f64)| change.abs() / (1.0 + y[first + i].abs());
        self.change.iter().enumerate().map(part).fold(0.0, f64::max)
    }

    /// Takes the change, or a part of it, if that makes the residual smaller; gives its new size.
    fn step(&mut self, env: &mut Env<'_>, y: &mut [f64], (half, size): (Half, f64)) -> Option<f64> {
        let before = y.to_vec();
        let (first, n) = (self.positions, self.n);
        for halvings in 0..=MOST_HALVINGS {
            let part = 0.5_f64.powi(halvings);
            let change: Vec<f64> = self.change.iter().map(|change| part * change).collect();
            y.copy_from_slice(&before);
            match half {
                Half::Positions => env.shift_positions(&mut y[..first], &change),
                Half::Velocities => {
                    y[first..first + n].iter_mut().zip(&change).for_each(|(v, change)| *v -= change);
                }
            }
            let smaller = self.residual(env, y, half);
            if smaller < size {
                return Some(smaller);
            }
        }
        y.copy_from_slice(&before);
        self.residual(env, y, half);
        None
    }

    /// The constraints that are not met: what is left of them is more than rounding, measured in coordinates.
    fn open_rows(&self, y: &[f64], half: Half) -> Vec<(usize, f64)> {
        let part =
            if half == Half::Positions { 0..self.positions } else { self.positions..self.positions + self.n };
        let met = MET * largest(&y[part]).max(1.0);
        let count = if half == Half::Positions { self.position.len() } else { self.velocity.len() };
        let steep = |k: usize| self.rows.row(k).map(|(_, x)| x * x).sum::<f64>().sqrt();
        let open = |&k: &usize| self.level[k].is_nan() || self.level[k].abs() > met * steep(k);
        (0..count).filter(open).map(|k| (self.active.constraint(k), self.level[k])).collect()
    }
}
