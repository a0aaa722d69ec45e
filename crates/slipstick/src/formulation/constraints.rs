//! What the constraints of a mechanism say: which of them have rows, which are redundant, how far a state is
//! from meeting them.

use super::Refusal;
use super::constrained_form::FormAt;
use super::rank::contradicts;
use super::views::InMode;
use crate::equations::{ActiveRows, System};

/// The constraints of a mechanism in the mode that holds.
pub struct ConstraintsView<'f, 'a> {
    pub(super) system: &'a dyn System,
    pub(super) in_mode: InMode<'f, 'a>,
}

impl ConstraintsView<'_, '_> {
    /// The constraints that have rows from a point on: those that hold and are independent.
    pub fn active_rows(&mut self, t: f64, y: &[f64]) -> ActiveRows {
        self.in_mode.on_form(t, y, |form, _, _| form.rows().clone()).unwrap_or_default()
    }

    /// Whether some of the constraints that hold are redundant.
    pub fn has_redundant(&self) -> bool {
        self.in_mode.mechanism.as_ref().is_some_and(|mechanism| mechanism.has_redundant())
    }

    /// Chooses other rows at a point if those that were chosen are narrow there. Returns whether there are
    /// others.
    pub fn choose_rows(&mut self, t: f64, y: &[f64]) -> bool {
        self.in_mode.on_form(t, y, |form, env, y| form.index1.linear.factor(env, y));
        let InMode { mechanism, locked } = &mut self.in_mode;
        mechanism.as_mut().is_some_and(|mechanism| mechanism.refresh(*locked, t, y))
    }

    /// Finds out which of the constraints that hold are independent next to a point at which all are met:
    /// these have rows from now on.
    pub fn enter(&mut self, t: f64, y: &[f64]) {
        if let Some(mechanism) = &mut self.in_mode.mechanism {
            mechanism.enter(self.in_mode.locked, t, y);
        }
    }

    /// The constraints that were redundant where the form was entered, and whether they share their forces.
    /// One whose derivatives were all zero there follows from nothing: it has shrunk, unless it has a branch
    /// in which it says nothing.
    pub fn redundant(&mut self) -> (Vec<usize>, bool) {
        let Some(mechanism) = &mut self.in_mode.mechanism else { return (Vec::new(), true) };
        let constraints = self.system.constraints();
        let rank = mechanism.rank();
        let (redundant, share) = (rank.redundant().to_vec(), rank.shares_forces());
        if let Some(zero) = rank.zero().filter(|&k| !constraints[k].switches) {
            mechanism.form_mut().index1.linear.name_shrunk(zero);
        }
        (redundant, share)
    }

    /// The redundant constraints that ask for other accelerations at a point, each with its residual.
    pub fn contradicting(&mut self, t: f64, y: &[f64]) -> Vec<(usize, f64)> {
        let has_redundant = self.in_mode.on_rank(t, y, |rank, env, y| {
            rank.look(env, y);
            !rank.redundant().is_empty()
        });
        let mut open = Vec::new();
        if has_redundant == Some(true) {
            self.look_at_accelerations(t, y, |k, left, size| {
                if contradicts(left, size) {
                    open.push((k, left));
                }
            });
        }
        open
    }

    /// The constraint that no force can meet at a point, as the forces that depend on its multiplier take
    /// back what that pushes.
    pub fn powerless(&mut self, t: f64, y: &[f64]) -> Option<usize> {
        let powerless = self.in_mode.on_form(t, y, |form, env, y| {
            form.index1.solve(env, y);
            form.index1.powerless()
        });
        powerless.flatten()
    }

    /// The length of the row of each constraint at a point; zero for those that do not hold.
    pub fn row_lengths(&mut self, t: f64, y: &[f64], lengths: &mut [f64]) {
        lengths.fill(0.0);
        self.in_mode
            .on_rank(t, y, |rank, env, y| rank.lengths(env, y).for_each(|(k, length)| lengths[k] = length));
    }

    /// The residual of each constraint that holds at the level of accelerations, with the size of its terms.
    fn look_at_accelerations(&mut self, t: f64, y: &[f64], mut look: impl FnMut(usize, f64, f64)) {
        let motion = self.in_mode.on_form(t, y, |form, env, y| {
            form.index1.solve(env, y);
            form.index1.motion.clone()
        });
        let Some(motion) = motion else { return };
        self.in_mode.on_rank(t, y, |rank, env, y| {
            rank.left_of_accelerations(env, y, &motion).for_each(|(k, left, size)| look(k, left, size));
        });
    }

    /// The residual of each constraint at the level of accelerations; zero for those that do not hold.
    pub fn acceleration_residuals(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.look_at_accelerations(t, y, |k, left, _| out[k] = left);
    }

    /// The surfaces of the constraints that sliding-mode control approaches.
    pub fn surfaces(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        let mut surfaces = vec![0.0; self.system.constraints().len()];
        self.in_mode.on_form(t, y, |form, env, y| {
            let mut at = FormAt { linear: &mut form.index1.linear, env };
            form.projection.surfaces(&mut at, y, &mut surfaces);
        });
        surfaces
    }

    /// The residuals of all constraints: of positions, and of velocities.
    pub fn residuals(&mut self, t: f64, y: &[f64], position: &mut [f64], velocity: &mut [f64]) {
        if let Some(mechanism) = &mut self.in_mode.mechanism {
            mechanism.inner.residuals(self.in_mode.locked, t, y, position, velocity);
        }
    }

    /// The same of the constraints that have rows.
    pub fn active_residuals(&mut self, t: f64, y: &[f64], position: &mut [f64], velocity: &mut [f64]) {
        self.in_mode.on_form(t, y, |_, env, y| env.residuals(y, position, velocity));
    }

    /// The multipliers of the constraints that had rows where the right-hand side was last evaluated.
    pub fn multipliers(&self) -> &[f64] {
        self.in_mode.form().map_or(&[], |form| &form.index1.multipliers)
    }

    /// Copies them; where other constraints held there, as on the other side of a surface, they are zero.
    pub fn copy_multipliers(&self, to: &mut [f64]) {
        if self.multipliers().len() == to.len() {
            to.copy_from_slice(self.multipliers());
        } else {
            to.fill(0.0);
        }
    }

    /// The kinetic energy: half of `vᵀ M v`.
    pub fn kinetic_energy(&mut self, t: f64, y: &[f64]) -> f64 {
        let energy = self.in_mode.on_form(t, y, |form, env, y| {
            env.terms(y, &mut form.index1.linear.terms);
            form.index1.linear.kinetic_energy(y)
        });
        energy.unwrap_or(0.0)
    }

    /// Puts the start together: positions with these coordinates pinned, then velocities with those.
    pub fn assemble(&mut self, t: f64, y: &mut [f64], pins: (&[usize], &[usize])) -> Result<(), Refusal> {
        let Some(mechanism) = &mut self.in_mode.mechanism else { return Ok(()) };
        mechanism.assemble(self.in_mode.locked, t, y, pins)
    }

    /// Moves a state to the nearest one at which the constraints are met; pinned coordinates stay.
    pub fn make_consistent(&mut self, t: f64, y: &mut [f64], pinned: &[usize]) -> Result<(), Refusal> {
        let Some(mechanism) = &mut self.in_mode.mechanism else { return Ok(()) };
        mechanism.make_consistent(self.in_mode.locked, t, y, pinned)
    }
}
