//! Which of the constraints that hold are independent (paper 001, section 4.5): only these have rows in
//! linear systems. It is found where a form is entered, and stays until it is entered again.
//!
//! Rows follow from others where the constraints are met. Stages of methods are not quite there: a row that
//! follows from others where `g = 0` is off by the size of `g` elsewhere, and whoever takes what is left of
//! it for a direction of its own holds a motion that is free. What is left must be told from a row that is
//! independent but next to a singular configuration. So rows are looked at where constraints are met.
//!
//! A start may itself be singular. Then rows become independent in proportion to a displacement along what is
//! left free, `s`, while of those that always follow from others something of the size of `s²` is left. With
//! `s` between the part of a row that makes it independent and the root of that, one is seen and the other is
//! not. A row that is zero at the start is itself of the size of `s`: so that as little is left of it, the
//! displacement is brought to the constraints.

use super::cones::Cones;
use super::env::Env;
use super::residuals::largest;
use crate::equations::{ActiveRows, System, Terms};
use crate::math::{Matrix, RowSpace, Saddle, weights_by_masses};

/// The power of the part of a row that makes it independent by which rows are turned to look whether they
/// are: between a half and one.
const BETWEEN: f64 = 0.75;

/// Constraints contradict each other if more than this part of what they are made of is left.
const CONTRADICTS: f64 = 1e-6;

/// Up to this many constraints share their forces with others that follow from them; the work for that grows
/// with the cube.
const MOST_SHARING: usize = 400;

/// All constraints that hold, with the scratch to find out which of them are independent.
pub(super) struct Rank {
    pub(super) rows: ActiveRows,
    positions: usize,
    terms: Terms,
    saddle: Saddle,
    position: Vec<f64>,
    velocity: Vec<f64>,
    /// A motion, and multipliers or levels.
    motion: Vec<f64>,
    multipliers: Vec<f64>,
    /// What shares forces, once there are some to be shared.
    space: Option<RowSpace>,
    redundant: Vec<usize>,
    zero: Option<usize>,
    cones: Cones,
}

impl Rank {
    pub(super) fn new(system: &dyn System, rows: &ActiveRows) -> Self {
        let terms = system.room_for_terms(rows);
        Self {
            rows: rows.clone(),
            positions: system.layout().q,
            // Constraints of positions keep those of speeds that say the same, and not the other way round.
            saddle: Saddle::that_chooses(&terms.mass, &terms.jacobian, rows.holonomic()),
            position: vec![0.0; rows.holonomic()],
            velocity: vec![0.0; rows.len()],
            motion: vec![0.0; terms.mass.rows()],
            multipliers: vec![0.0; rows.len()],
            space: None,
            redundant: Vec::new(),
            zero: None,
            cones: Cones::new(system, rows),
            terms,
        }
    }

    /// The constraints that are independent next to a point at which all are met.
    pub(super) fn independent(&mut self, env: &mut Env<'_>, y: &[f64]) -> ActiveRows {
        self.look(env, y);
        if self.saddle.redundant().is_empty() {
            return self.rows.clone();
        }
        let start = self.terms.clone();
        let wanted = self.saddle.least_part().powf(BETWEEN);
        self.find_free_motion(wanted * largest(&y[..self.positions]).max(1.0));
        // How far rows are turned by that is seen when it is done.
        let turned = self.turn_gradients(env, y, &start);
        if turned > 0.0 && turned.is_finite() {
            self.motion.iter_mut().for_each(|x| *x *= wanted / turned);
            self.turn_gradients(env, y, &start);
        }
        let is_factored = self.saddle.factor(&start.mass, &self.terms.jacobian).is_ok();
        if is_factored { self.rows.without(&self.left_out()) } else { self.rows.clone() }
    }

    /// What was left of the narrowest row that was found to be independent.
    pub(super) fn margin(&self) -> f64 {
        self.saddle.narrowest.1
    }

    /// Finds out which constraints follow from others at a point itself.
    pub(super) fn look(&mut self, env: &mut Env<'_>, y: &[f64]) {
        env.terms(y, &mut self.terms);
        env.counts.factorisations += 1;
        let is_factored = self.saddle.factor(&self.terms.mass, &self.terms.jacobian).is_ok();
        let zero = self.saddle.lengths.iter().position(|length| *length == 0.0);
        self.zero = zero.map(|row| self.rows.constraint(row));
        let redundant = if is_factored { self.left_out() } else { Vec::new() };
        self.redundant = redundant.into_iter().map(|row| self.rows.constraint(row)).collect();
    }

    /// The constraints that followed from others where it was last looked, ascending.
    pub(super) fn redundant(&self) -> &[usize] {
        &self.redundant
    }

    /// The first constraint whose derivatives were all zero there.
    pub(super) fn zero(&self) -> Option<usize> {
        self.zero
    }

    /// The rows that follow from others in the last factors, ascending. One that is zero follows from
    /// nothing.
    fn left_out(&self) -> Vec<usize> {
        let (mut rows, lengths) = (self.saddle.redundant().to_vec(), &self.saddle.lengths);
        rows.retain(|&row| lengths[row] > 0.0);
        rows.sort_unstable();
        rows
    }

    /// Whether constraints share their forces with others that follow from them, because there are not too
    /// many.
    pub(super) fn shares_forces(&self) -> bool {
        self.rows.len() <= MOST_SHARING
    }

    /// Whether joints that stick are among those that share.
    pub(super) fn shares_friction_of_joints(&self) -> bool {
        self.shares_forces() && self.cones.has_joints()
    }

    /// The least multipliers of all constraints that hold which have the given reactions, `-Gᵀ λ`, at a
    /// point. Contacts that stick share friction as they share what presses on them: then all begin to slide together.
    pub(super) fn share(&mut self, env: &mut Env<'_>, y: &[f64], rank: usize, reactions: &[f64]) -> &[f64] {
        env.gradients(y, &mut self.terms);
        // Forces and moments of any size are told apart in the measure of masses. A part of next to no mass can hide others
        // there.
        let scales = weights_by_masses(&self.terms.mass, &self.terms.jacobian);
        let by_masses: Vec<f64> =
            scales.into_iter().map(|weight| if weight > 0.0 { weight.sqrt() } else { 1.0 }).collect();
        if self.reflect(&by_masses, rank) < rank {
            self.reflect(&vec![1.0; by_masses.len()], rank);
            self.motion.iter_mut().zip(reactions).for_each(|(force, reaction)| *force = -reaction);
        } else {
            let scaled = reactions.iter().zip(&by_masses).map(|(reaction, scale)| -reaction * scale);
            self.motion.iter_mut().zip(scaled).for_each(|(force, scaled)| *force = scaled);
        }
        if let Some(space) = &mut self.space {
            space.share(&mut self.motion, &mut self.multipliers);
        }
        self.cones.share(env, y, &self.terms, &mut self.multipliers);
        &self.multipliers
    }

    /// Splits the rows in these units of coordinates; gives how many are independent, of so many at most.
    fn reflect(&mut self, scales: &[f64], most: usize) -> usize {
        let (n, m) = (self.motion.len(), self.rows.len());
        let mut rows = vec![0.0; m * n];
        self.terms.jacobian.spread(&mut rows);
        for row in rows.chunks_exact_mut(n.max(1)) {
            row.iter_mut().zip(scales).for_each(|(entry, scale)| *entry *= scale);
        }
        let space = self.space.get_or_insert_with(|| RowSpace::new(n, m));
        // Off the constraints something is left of rows that follow from others.
        space.limit(most);
        space.reflect(&rows);
        space.rank()
    }

    /// The length of each row at a point.
    pub(super) fn lengths(&mut self, env: &mut Env<'_>, y: &[f64]) -> impl Iterator<Item = (usize, f64)> {
        env.gradients(y, &mut self.terms);
        let Self { rows, terms, .. } = &*self;
        let length = |row: usize| terms.jacobian.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt();
        (0..rows.len()).map(move |row| (rows.constraint(row), length(row)))
    }

    /// What is left of each constraint with some accelerations at a point, `G a + γ`, and the size of what
    /// that is made of.
    pub(super) fn left_of_accelerations(
        &mut self,
        env: &mut Env<'_>,
        y: &[f64],
        motion: &[f64],
    ) -> impl Iterator<Item = (usize, f64, f64)> {
        env.terms(y, &mut self.terms);
        let Self { rows, terms: Terms { jacobian, level, .. }, .. } = &*self;
        (0..rows.len()).map(move |row| {
            let terms = jacobian.row(row).map(|(j, g)| (g * motion[j]).abs()).sum::<f64>();
            let left = jacobian.row_times(row, motion) - level[row];
            (rows.constraint(row), left, terms + level[row].abs())
        })
    }

    /// A motion that the constraints leave free, of the given size.
    fn find_free_motion(&mut self, size: f64) {
        for (i, force) in self.motion.iter_mut().enumerate() {
            *force = 1.0 + (i as f64).sin();
        }
        self.multipliers.fill(0.0);
        self.saddle.solve(&mut self.motion, &mut self.multipliers);
        let factor = size / self.motion.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        self.motion.iter_mut().for_each(|x| *x *= factor);
    }

    /// The gradients where the motion leads from a point; gives how far rows are turned at most, as a part of
    /// their lengths.
    fn turn_gradients(&mut self, env: &mut Env<'_>, y: &[f64], start: &Terms) -> f64 {
        let mut moved = y.to_vec();
        env.shift_positions(&mut moved[..self.positions], &self.motion);
        if self.saddle.lengths.contains(&0.0) {
            self.bring_back(env, &mut moved);
        }
        env.gradients(&moved, &mut self.terms);
        (0..start.jacobian.rows())
            .map(|row| turn(&self.terms.jacobian, &start.jacobian, row))
            .fold(0.0, f64::max)
    }

    /// One correction of positions next to where the linear system was factored.
    fn bring_back(&mut self, env: &mut Env<'_>, moved: &mut [f64]) {
        env.residuals(moved, &mut self.position, &mut self.velocity);
        self.multipliers.fill(0.0);
        self.multipliers[..self.position.len()].copy_from_slice(&self.position);
        let mut change = vec![0.0; self.motion.len()];
        self.saddle.least_change(&mut self.multipliers, &mut change);
        env.shift_positions(&mut moved[..self.positions], &change);
    }
}

/// Whether so much is left of a constraint that others contradict it, where it is made of so much.
pub(super) fn contradicts(left: f64, size: f64) -> bool {
    left.abs() > CONTRADICTS * size
}

/// How far a row is turned from what it was, as a part of its length; a row that was zero does not count.
fn turn(now: &Matrix, before: &Matrix, row: usize) -> f64 {
    let entries = || now.row(row).zip(before.row(row));
    let length = before.row(row).map(|(_, x)| x * x).sum::<f64>().sqrt();
    let turned = entries().map(|((_, x), (_, y))| (x - y) * (x - y)).sum::<f64>().sqrt();
    if length > 0.0 { turned / length } else { 0.0 }
}
