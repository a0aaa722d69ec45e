//! Terms in the equations of motion that pull back to the constraints (paper 003, chapter 2; paper 000, section 3.3).
//!
//! Those of Baumgarte and of sliding-mode control stand in the level that the constraints ask of the accelerations, so that the forces of the constraints do
//! the pulling. The improved forms leave the multipliers alone and are added to the accelerations, and one of them to the rates of the positions.

use super::env::Env;
use super::{Index1, Stabilisation, Upkeep};
use crate::equations::Terms;
use crate::math::{Matrix, Saddle};

/// The scratch for terms in the equations.
pub(super) struct Pull {
    /// The side on which each surface is that sliding-mode control still has to reach, and zero for one that is reached. Empty once the constraints
    /// are met.
    pub(super) reaching: Vec<f64>,
    /// The linear system without masses, for the shortest way back.
    plain: Option<Saddle>,
    identity: Matrix,
    /// The gradients of the rates of constraints by positions, and what is added to the rates of positions, for the reduced form.
    slopes: Vec<f64>,
    positions: Vec<f64>,
    level: Vec<f64>,
    /// A sum over the constraints, by coordinates.
    along: Vec<f64>,
}

impl Pull {
    pub(super) fn new(upkeep: &Upkeep, terms: &Terms) -> Self {
        let (n, m) = (terms.mass.rows(), terms.jacobian.rows());
        let identity = Matrix::identity(n);
        let normal = matches!(upkeep.stabilisation, Stabilisation::Normal { .. });
        let reduced = matches!(upkeep.stabilisation, Stabilisation::Reduced { .. });
        let if_reduced = |length: usize| if reduced { length } else { 0 };
        Self {
            reaching: Vec::new(),
            plain: normal.then(|| Saddle::new(&identity, &terms.jacobian)),
            identity,
            slopes: vec![0.0; if_reduced(m * n)],
            positions: vec![0.0; if_reduced(n)],
            level: vec![0.0; m],
            along: vec![0.0; n],
        }
    }
}

impl Index1 {
    /// Puts into the level what the forces of the constraints are to pull with.
    pub(super) fn pull_by_forces(&mut self, env: &mut Env<'_>, y: &[f64]) {
        use Stabilisation::{Baumgarte, Reduced, SlidingMode};
        if !matches!(self.upkeep.stabilisation, Baumgarte { .. } | Reduced { .. } | SlidingMode) {
            return;
        }
        env.residuals(y, &mut self.position, &mut self.velocity);
        for k in 0..self.velocity.len() {
            let (rate, position) = (self.velocity[k], self.position.get(k).copied());
            self.multipliers[k] -= match self.upkeep.stabilisation {
                Baumgarte { rate: by_rate, position: by_position } => {
                    by_rate * rate + by_position * position.unwrap_or(0.0)
                }
                // Equation (2.64c).
                Reduced { decay, .. } => position.map_or(0.0, |_| decay * rate),
                _ => self.approach(k, position.map_or(0.0, |_| rate)),
            };
        }
    }

    /// The equivalent control (3.24) of paper 000 keeps a surface where it is; `η` brings one that is not met yet nearer.
    fn approach(&self, k: usize, rate_of_position: f64) -> f64 {
        let (side, own) = (self.pull.reaching.get(k).copied().unwrap_or(0.0), self.rows.constraint(k));
        self.upkeep.speed.get(own) * rate_of_position + self.upkeep.reach.get(own) * side
    }

    /// The side on which the surface of each constraint is approached from, zero for those met; none at all once the constraints are met.
    pub(super) fn reach(&mut self, sides: &[f64]) {
        let own = self.rows.constraints().iter().filter_map(|&constraint| sides.get(constraint));
        self.pull.reaching = own.copied().collect();
    }

    /// The surfaces (3.21) of paper 000: `ġ + σ g`, and for constraints of speeds these themselves; zero for constraints that do not hold.
    pub(super) fn surfaces(&mut self, env: &mut Env<'_>, y: &[f64]) -> Vec<f64> {
        env.residuals(y, &mut self.position, &mut self.velocity);
        let mut surfaces = vec![0.0; self.published.len() - 2 * self.n];
        for (k, (&own, velocity)) in self.rows.constraints().iter().zip(&self.velocity).enumerate() {
            let position = self.position.get(k).map_or(0.0, |g| self.upkeep.speed.get(own) * g);
            surfaces[own] = velocity + position;
        }
        surfaces
    }

    /// Adds to the accelerations what pulls back beside the forces of the constraints.
    pub(super) fn pull_beside(&mut self, env: &mut Env<'_>, y: &[f64]) {
        match self.upkeep.stabilisation {
            Stabilisation::Normal { rate, position } => {
                self.weigh_residuals(env, y, rate, position);
                self.pull_shortest();
            }
            Stabilisation::Gradient { rate, position } => {
                self.weigh_residuals(env, y, 0.0, position);
                self.spread_level();
                for (row, level) in self.pull.level.iter_mut().enumerate() {
                    *level = self.terms.jacobian.row_times(row, &self.pull.along) + rate * self.velocity[row];
                }
                self.spread_level();
                self.take_off_motion(1.0);
            }
            Stabilisation::Reduced { decay, rate } => {
                self.weigh_residuals(env, y, 1.0, decay);
                self.pull_reduced(env, y, decay, rate);
            }
            _ => {}
        }
    }

    /// `rate ġ + position g`, into the level.
    fn weigh_residuals(&mut self, env: &mut Env<'_>, y: &[f64], rate: f64, position: f64) {
        env.residuals(y, &mut self.position, &mut self.velocity);
        for (level, velocity) in self.pull.level.iter_mut().zip(&self.velocity) {
            *level = rate * velocity;
        }
        for (level, drift) in self.pull.level.iter_mut().zip(&self.position) {
            *level += position * drift;
        }
    }

    /// `Gᵀ` times the level.
    fn spread_level(&mut self) {
        self.pull.along.fill(0.0);
        self.terms.jacobian.add_transposed(1.0, &self.pull.level, &mut self.pull.along);
    }

    fn take_off_motion(&mut self, factor: f64) {
        for (a, along) in self.motion.iter_mut().zip(&self.pull.along) {
            *a -= factor * along;
        }
    }

    /// Takes off `Gᵀ (G Gᵀ)⁻¹` times the level: the shortest change that has this effect.
    fn pull_shortest(&mut self) {
        let Some(plain) = &mut self.pull.plain else { return };
        if plain.factor(&self.pull.identity, &self.terms.jacobian).is_ok() {
            self.pull.along.fill(0.0);
            plain.solve(&mut self.pull.along, &mut self.pull.level);
            self.take_off_motion(1.0);
        }
    }

    /// Equations (2.64a) and (2.64b), with `μ = rate k` as in (2.53).
    fn pull_reduced(&mut self, env: &mut Env<'_>, y: &[f64], decay: f64, rate: f64) {
        self.spread_level();
        self.take_off_motion(rate);
        let mut slopes = std::mem::take(&mut self.pull.slopes);
        self.rate_slopes(env, y, &mut slopes);
        self.pull.positions.fill(0.0);
        for (row, level) in self.pull.level.iter().enumerate() {
            let decay = if row < self.holonomic { decay } else { 0.0 };
            for (position, slope) in self.pull.positions.iter_mut().zip(&slopes[row * self.n..]) {
                *position += rate * level * slope;
            }
            for (i, gradient) in self.terms.jacobian.row(row) {
                self.pull.positions[i] += rate * level * decay * gradient;
            }
        }
        self.pull.slopes = slopes;
    }

    /// What is taken off the rates of positions; nothing but for the reduced form.
    pub(super) fn pull_positions(&self, dy: &mut [f64]) {
        for (rate, pull) in dy.iter_mut().zip(&self.pull.positions) {
            *rate -= pull;
        }
    }

    /// The gradients of the rates of constraints by positions, by rows: exact where the system knows them, else by central differences.
    pub(super) fn rate_slopes(&mut self, env: &mut Env<'_>, y: &[f64], slopes: &mut [f64]) {
        if env.rate_slopes(y, slopes) {
            return;
        }
        let (mut beside, mut ahead) = (y.to_vec(), vec![0.0; self.velocity.len()]);
        let mut change = vec![0.0; self.n];
        for i in 0..self.n {
            let step = 6e-6 * y[..self.positions].iter().fold(1e-3, |size: f64, q| size.max(q.abs()));
            for (change_by, out) in [(-step, &mut ahead), (step, &mut self.velocity)] {
                beside.copy_from_slice(y);
                change[i] = change_by;
                env.shift_positions(&mut beside[..self.positions], &change);
                env.residuals(&beside, &mut self.position, out);
            }
            change[i] = 0.0;
            for (row, (ahead, behind)) in ahead.iter().zip(&self.velocity).enumerate() {
                slopes[row * self.n + i] = (ahead - behind) / (2.0 * step);
            }
        }
    }
}
