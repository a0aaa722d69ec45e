//! Corrections of the ends of steps, so that constraints stay met (paper 003, chapter 3; paper 000, section 3.4.1).
//!
//! With `F = M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹` (3.66), or `Gᵀ (G Gᵀ)⁻¹` (3.69), `q ← q - F g` and then `v ← v - F ġ`: once, twice, or until nothing is left. Both are
//! solutions of the linear system of the accelerations, or of one without masses. With `H` the gradients of `(g, ġ)` by `(q, v)`, S-full makes
//! one correction by `Hᵀ (H Hᵀ)⁻¹` (3.65).

use super::pull::identity;
use super::{Index1, Metric, Stabilisation, Upkeep};
use crate::equations::Locked;
use crate::math::Kkt;

/// The scratch for corrections.
pub(super) struct Landing {
    /// The linear system of corrections, where it is not that of the accelerations, and its mass matrix.
    pub(super) own: Option<Kkt>,
    mass: Vec<f64>,
    /// The gradients of `(g, ġ)`, by rows, and those of `ġ` by positions, for S-full.
    gradients: Vec<f64>,
    slopes: Vec<f64>,
    change: Vec<f64>,
    level: Vec<f64>,
    /// Positions and speeds before the correction, then how far each was moved.
    adjustment: Vec<f64>,
    /// How many steps were corrected.
    count: u64,
}

impl Landing {
    pub(super) fn new(upkeep: &Upkeep, n: usize, (m, holonomic): (usize, usize)) -> Self {
        let full = upkeep.stabilisation == Stabilisation::Full;
        let (columns, rows) = if full { (2 * n, m + holonomic) } else { (n, m) };
        let if_full = |length: usize| if full { length } else { 0 };
        Self {
            own: (full || upkeep.metric == Metric::Identity).then(|| Kkt::new(columns, rows)),
            mass: identity(columns),
            gradients: vec![0.0; if_full(rows * columns)],
            slopes: vec![0.0; if_full(m * n)],
            change: vec![0.0; if_full(columns)],
            level: vec![0.0; if_full(rows)],
            adjustment: vec![0.0; 2 * n],
            count: 0,
        }
    }
}

impl Index1<'_> {
    /// Moves the end of a step to where the constraints are met, or nearer to it.
    pub(super) fn land(&mut self, locked: Locked<'_>, t: f64, y: &mut [f64]) {
        let (rounds, n) = (self.upkeep.stabilisation.rounds(), self.n);
        if rounds == 0 {
            return;
        }
        self.landing.adjustment.fill(0.0);
        if self.upkeep.drift_tolerance > 0.0 && self.drift(locked, t, y) <= self.upkeep.drift_tolerance {
            return;
        }
        self.landing.adjustment.copy_from_slice(&y[..2 * n]);
        self.landing.count += 1;
        if rounds == 2 && self.pull.reaching.is_empty() {
            if self.factor_corrections(locked, t, y) {
                self.correct_twice(locked, t, y);
            }
        } else {
            self.correct_in_rounds(rounds, (locked, t), y);
        }
        for (moved, y) in self.landing.adjustment.iter_mut().zip(&*y) {
            *moved = (*moved - y).abs();
        }
    }

    fn correct_in_rounds(&mut self, rounds: usize, (locked, t): (Locked<'_>, f64), y: &mut [f64]) {
        for round in 0..rounds {
            let again = round == 0 || self.upkeep.stabilisation == Stabilisation::Project;
            if again && !self.factor_corrections(locked, t, y) {
                return;
            }
            if self.correct(locked, t, y) <= 4.0 * f64::EPSILON {
                return;
            }
        }
    }

    /// The largest residual of a constraint, as corrections see it.
    fn drift(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> f64 {
        self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
        let of_speeds = self.upkeep.stabilisation == Stabilisation::Speeds;
        let position = if of_speeds { &[] } else { self.position.as_slice() };
        position
            .iter()
            .chain(&self.velocity)
            .fold(0.0, |worst, x| if x.abs() <= worst { worst } else { x.abs() })
    }

    /// How far the last landing has moved each position and speed.
    pub(super) fn adjustment(&self) -> &[f64] {
        &self.landing.adjustment
    }

    /// How many steps were corrected.
    pub(super) fn corrected(&self) -> u64 {
        self.landing.count
    }

    fn factor_corrections(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> bool {
        if self.landing.own.is_none() {
            return self.factor(locked, t, y);
        }
        self.inner.terms(locked, t, y, &mut self.terms);
        self.factorisations += 1;
        if self.upkeep.stabilisation == Stabilisation::Full {
            self.fill_gradients(locked, t, y);
        }
        let gradients =
            if self.landing.gradients.is_empty() { &self.terms.jacobian } else { &self.landing.gradients };
        let own = self.landing.own.as_mut();
        own.is_some_and(|own| own.factor(&self.landing.mass, gradients).is_ok())
    }

    /// The gradients of `(g, ġ)` by `(q, v)`, and the masses of both: `[G 0; L G]`.
    fn fill_gradients(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) {
        let (n, holonomic) = (self.n, self.holonomic);
        let mut slopes = std::mem::take(&mut self.landing.slopes);
        self.rate_slopes((locked, t, y), &mut slopes);
        let rows = self.landing.gradients.chunks_exact_mut(2 * n);
        for (row, gradient) in rows.enumerate() {
            let (by_position, by_speed) = gradient.split_at_mut(n);
            let of = |matrix: &[f64], row: usize| matrix[row * n..(row + 1) * n].to_vec();
            if row < holonomic {
                by_position.copy_from_slice(&of(&self.terms.jacobian, row));
                by_speed.fill(0.0);
            } else {
                by_position.copy_from_slice(&of(&slopes, row - holonomic));
                by_speed.copy_from_slice(&of(&self.terms.jacobian, row - holonomic));
            }
        }
        self.landing.slopes = slopes;
        if self.upkeep.metric == Metric::Mass {
            for (k, mass) in self.terms.mass.iter().enumerate() {
                let (i, j) = (k / n, k % n);
                self.landing.mass[i * 2 * n + j] = *mass;
                self.landing.mass[(n + i) * 2 * n + n + j] = *mass;
            }
        }
    }

    /// Moves positions, and then speeds, towards where the constraints are met; the linear system has been factored. Gives how much the
    /// positions and speeds changed.
    fn correct(&mut self, locked: Locked<'_>, t: f64, y: &mut [f64]) -> f64 {
        self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
        if self.upkeep.stabilisation == Stabilisation::Full {
            return self.correct_together(y);
        }
        let mut moved = 0.0;
        if self.corrects_positions() {
            self.multipliers.fill(0.0);
            self.multipliers[..self.holonomic].copy_from_slice(&self.position);
            moved = self.shift(&mut y[..self.n]);
            self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
        }
        self.multipliers.copy_from_slice(&self.velocity);
        self.leave_what_is_reaching();
        self.shift(&mut y[self.n..2 * self.n]).max(moved)
    }

    /// Without constraints of positions, speeds are all there is to correct.
    pub(super) fn corrects_positions(&self) -> bool {
        let wanted = self.upkeep.stabilisation != Stabilisation::Speeds && self.pull.reaching.is_empty();
        wanted && self.holonomic > 0
    }

    /// While surfaces are reached (paper 000), speeds are corrected by the surfaces that have been, and not by others.
    fn leave_what_is_reaching(&mut self) {
        let speed = &self.upkeep.speed;
        for (k, side) in self.pull.reaching.iter().enumerate() {
            let position = self.position.get(k).map_or(0.0, |position| speed.get(k) * position);
            self.multipliers[k] = if *side == 0.0 { self.multipliers[k] + position } else { 0.0 };
        }
    }

    /// How far each coordinate would be moved to close the constraints of positions.
    pub(super) fn closing_distances(&mut self, locked: Locked<'_>, t: f64, y: &[f64]) -> Vec<f64> {
        let mut q = y[..self.n].to_vec();
        if self.holonomic > 0 && self.factor_corrections(locked, t, y) {
            self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
            self.multipliers.fill(0.0);
            self.multipliers[..self.holonomic].copy_from_slice(&self.position);
            self.shift(&mut q);
        }
        q.iter().zip(y).map(|(moved, y)| (moved - y).abs()).collect()
    }

    /// Takes `F` times the residuals in `multipliers` off a part of the state.
    fn shift(&mut self, part: &mut [f64]) -> f64 {
        self.motion.fill(0.0);
        let kkt = self.landing.own.as_mut().unwrap_or(&mut self.kkt);
        kkt.solve(&mut self.motion, &mut self.multipliers);
        take_off(part, &self.motion)
    }

    /// Takes `Hᵀ (H Hᵀ)⁻¹ (g, ġ)` off positions and speeds.
    fn correct_together(&mut self, y: &mut [f64]) -> f64 {
        let Some(own) = &mut self.landing.own else { return 0.0 };
        self.landing.level[..self.holonomic].copy_from_slice(&self.position);
        self.landing.level[self.holonomic..].copy_from_slice(&self.velocity);
        self.landing.change.fill(0.0);
        own.solve(&mut self.landing.change, &mut self.landing.level);
        take_off(&mut y[..2 * self.n], &self.landing.change)
    }
}

/// Takes a change off; gives how large it was, beside what it was taken off from.
pub(super) fn take_off(part: &mut [f64], change: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for (x, change) in part.iter_mut().zip(change) {
        *x -= change;
        most = most.max(change.abs() / (1.0 + x.abs()));
    }
    most
}
