//! What a flow knows of constraints: which rows hold, which follow from others, how far a state is from meeting them.

use super::engine::Engine;
use super::env::{Env, MotionCounts};
use super::rank::{Rank, contradicts};
use super::{Flow, Index1, Refusal};
use crate::equations::ActiveRows;

impl Flow<'_> {
    /// Whether there are constraints that the end of a step must be put back to.
    #[inline]
    pub fn is_mechanism(&self) -> bool {
        self.is_mechanism
    }

    /// Whether constraints hold now: those of a mechanism may all be open.
    pub fn is_held(&self) -> bool {
        self.form().is_some_and(|form| !form.rows.is_empty())
    }

    /// Whether a mechanism does not meet its constraints yet, on purpose.
    #[inline]
    pub fn is_reaching(&self) -> bool {
        !self.mode.structure.reaching.is_empty()
    }

    /// The side on which the surface of each constraint is approached from, zero for those met; none at all once the constraints are met.
    pub fn reach(&mut self, sides: &[f64]) {
        self.mode.structure.reaching = sides.to_vec();
        if let Engine::Mechanism(mechanism) = &mut self.evaluator {
            mechanism.reach(sides);
        }
    }

    /// Does something with the form of a mechanism in the present mode at a point; none where there is no mechanism.
    #[inline]
    pub(super) fn on_form<Y: std::ops::Deref<Target = [f64]>, R>(
        &mut self,
        t: f64,
        y: Y,
        act: impl FnOnce(&mut Index1, &mut Env<'_>, Y) -> R,
    ) -> Option<R> {
        let Engine::Mechanism(mechanism) = &mut self.evaluator else { return None };
        let (form, mut env) = mechanism.at(self.mode.locked(self.system.parameters()), t, &y);
        Some(act(form, &mut env, y))
    }

    /// The same with all constraints that hold, those too that follow from others.
    fn on_rank<R>(
        &mut self,
        t: f64,
        y: &[f64],
        act: impl FnOnce(&mut Rank, &mut Env<'_>, &[f64]) -> R,
    ) -> Option<R> {
        let Engine::Mechanism(mechanism) = &mut self.evaluator else { return None };
        let (rank, mut env) = mechanism.rank_at(self.mode.locked(self.system.parameters()), t, y);
        Some(act(rank, &mut env, y))
    }

    /// The form of a mechanism that was used last.
    #[inline]
    pub(super) fn form(&self) -> Option<&Index1> {
        match &self.evaluator {
            Engine::Mechanism(mechanism) => Some(mechanism.form()),
            Engine::Plain(_) => None,
        }
    }

    #[inline]
    pub(super) fn form_mut(&mut self) -> Option<&mut Index1> {
        match &mut self.evaluator {
            Engine::Mechanism(mechanism) => Some(mechanism.form_mut()),
            Engine::Plain(_) => None,
        }
    }

    /// The constraints that have rows in the present mode from a point on: those that hold and are independent.
    pub fn active_rows(&mut self, t: f64, y: &[f64]) -> ActiveRows {
        match &mut self.evaluator {
            Engine::Mechanism(mechanism) => {
                mechanism.at(self.mode.locked(self.system.parameters()), t, y).0.rows.clone()
            }
            Engine::Plain(_) => ActiveRows::default(),
        }
    }

    /// Whether some of the constraints that hold follow from others.
    pub fn has_redundant_constraints(&self) -> bool {
        matches!(&self.evaluator, Engine::Mechanism(mechanism) if mechanism.has_redundant())
    }

    /// Chooses other rows at a point if those that were chosen are narrow there. Tells whether there are others.
    pub fn choose_rows(&mut self, t: f64, y: &[f64]) -> bool {
        self.on_form(t, y, Index1::factor);
        match &mut self.evaluator {
            Engine::Mechanism(mechanism) => {
                mechanism.refresh(self.mode.locked(self.system.parameters()), t, y)
            }
            Engine::Plain(_) => false,
        }
    }

    /// Finds out which of the constraints that hold are independent next to a point, at which all are met: these have rows from now on.
    pub fn enter_form(&mut self, t: f64, y: &[f64]) {
        if let Engine::Mechanism(mechanism) = &mut self.evaluator {
            mechanism.enter(self.mode.locked(self.system.parameters()), t, y);
        }
    }

    /// The constraints that followed from others where the form was entered, and whether they share their forces. One whose derivatives were all zero there follows from nothing: it is a constraint
    /// that has shrunk, unless it has a branch in which it says nothing.
    pub fn redundant_constraints(&mut self) -> (Vec<usize>, bool) {
        let Engine::Mechanism(mechanism) = &mut self.evaluator else { return (Vec::new(), true) };
        let constraints = self.system.constraints();
        let rank = mechanism.rank();
        let (redundant, share) = (rank.redundant().to_vec(), rank.shares_forces());
        if let Some(zero) = rank.zero().filter(|&k| !constraints[k].switches) {
            mechanism.form_mut().name_shrunk(zero);
        }
        (redundant, share)
    }

    /// The constraints that follow from others but ask for other accelerations at a point, each with what is left of it.
    pub fn contradicting_constraints(&mut self, t: f64, y: &[f64]) -> Vec<(usize, f64)> {
        let has_redundant = self.on_rank(t, y, |rank, env, y| {
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

    /// The length of the row of each constraint at a point; zero for those that do not hold.
    pub fn row_lengths(&mut self, t: f64, y: &[f64], lengths: &mut [f64]) {
        lengths.fill(0.0);
        self.on_rank(t, y, |rank, env, y| rank.lengths(env, y).for_each(|(k, length)| lengths[k] = length));
    }

    /// What is left of each constraint that holds at the level of accelerations, and the size of what that is made of.
    fn look_at_accelerations(&mut self, t: f64, y: &[f64], mut look: impl FnMut(usize, f64, f64)) {
        let motion = self.on_form(t, y, |form, env, y| {
            form.solve(env, y);
            form.motion.clone()
        });
        let Some(motion) = motion else { return };
        self.on_rank(t, y, |rank, env, y| {
            rank.left_of_accelerations(env, y, &motion).for_each(|(k, left, size)| look(k, left, size));
        });
    }

    /// What is left of each constraint of a mechanism at the level of accelerations; nothing of those that do not hold.
    pub fn acceleration_residuals(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.look_at_accelerations(t, y, |k, left, _| out[k] = left);
    }

    /// The surfaces of the constraints that sliding-mode control approaches.
    pub fn surfaces(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        self.on_form(t, y, Index1::surfaces).unwrap_or_default()
    }

    /// How far each coordinate would be moved to close the constraints of positions.
    pub fn closing_distances(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        self.on_form(t, y, Index1::closing_distances).unwrap_or_default()
    }

    /// How far the last landing has moved each position and speed of a mechanism.
    pub fn adjustment(&self) -> &[f64] {
        self.form().map_or(&[], Index1::adjustment)
    }

    /// How many steps of a mechanism were corrected.
    pub fn corrected(&self) -> u64 {
        self.motion_counts().corrected
    }

    /// How often a linear system of a mechanism was factored, for accelerations or for corrections.
    pub fn motion_factorisations(&self) -> u64 {
        self.motion_counts().factorisations
    }

    fn motion_counts(&self) -> MotionCounts {
        match &self.evaluator {
            Engine::Mechanism(mechanism) => mechanism.counts,
            Engine::Plain(_) => MotionCounts::default(),
        }
    }

    /// What is left of the constraints of positions of a mechanism, and of the rates of all.
    pub fn residuals(&mut self, t: f64, y: &[f64], position: &mut [f64], velocity: &mut [f64]) {
        self.evaluator.residuals(self.mode.locked(self.system.parameters()), t, y, position, velocity);
    }

    /// The same of the constraints that hold.
    pub fn active_residuals(&mut self, t: f64, y: &[f64], position: &mut [f64], velocity: &mut [f64]) {
        self.on_form(t, y, |_, env, y| env.residuals(y, position, velocity));
    }

    /// Moves a state of a mechanism to the nearest one at which the constraints are met; pinned coordinates stay.
    pub fn assemble(&mut self, t: f64, y: &mut [f64], pinned: &[usize]) -> Result<(), Refusal> {
        let Engine::Mechanism(mechanism) = &mut self.evaluator else { return Ok(()) };
        mechanism.assemble(self.mode.locked(self.system.parameters()), t, y, pinned)
    }
}
