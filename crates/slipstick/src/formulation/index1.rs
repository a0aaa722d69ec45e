//! The index-1 form of a mechanism: accelerations and multipliers from `[M Gᵀ; G 0] [a; λ] = [f; -γ]`.
//!
//! Differentiated to the level of accelerations, constraints are met only up to a drift. Terms against it in the equations are in `pull.rs`, corrections of the
//! ends of steps in `landing.rs`; which of them is chosen says [`Stabilisation`](super::Stabilisation).

use super::Upkeep;
use super::beside::Held;
use super::env::{Env, MotionCounts};
use super::feedback::Feedback;
use super::half_explicit::HalfExplicit;
use super::landing::Landing;
use super::pull::Pull;
use super::singular::Singular;
use crate::equations::{ActiveRows, System, Terms};
use crate::math::{Saddle, SaddleFault};

/// The index-1 form of a mechanism with the constraints that hold.
pub struct Index1 {
    pub(super) rows: ActiveRows,
    pub(super) upkeep: Upkeep,
    /// Coordinates, speeds, and constraints of positions.
    pub(super) positions: usize,
    pub(super) n: usize,
    pub(super) holonomic: usize,
    pub(super) terms: Terms,
    pub(super) saddle: Saddle,
    /// What pulls back to the constraints, and what corrects the ends of steps.
    pub(super) pull: Pull,
    pub(super) landing: Landing,
    pub(super) position: Vec<f64>,
    pub(super) velocity: Vec<f64>,
    /// Accelerations or corrections, and multipliers.
    pub(super) motion: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    pub(super) published: Vec<f64>,
    /// Multipliers that forces depend on.
    pub(super) feedback: Feedback,
    /// The scratch for stages of half-explicit methods, once there was one.
    pub(super) half_explicit: Option<Box<HalfExplicit>>,
    /// How near the motion has come to singular positions.
    pub(super) singular: Singular,
    /// Why the last linear system could not be solved, if it could not.
    pub(super) fault: Option<SaddleFault>,
    /// The point whose factors serve for places next to it.
    pub(super) held: Held,
}

impl Index1 {
    /// The form of a system that is a mechanism, with some of its constraints.
    pub(super) fn new(system: &dyn System, rows: &ActiveRows, upkeep: &Upkeep) -> Self {
        let (n, m, holonomic) = (system.layout().v, rows.len(), rows.holonomic());
        let terms = system.room_for_terms(rows);
        Self {
            rows: rows.clone(),
            positions: system.layout().q,
            n,
            holonomic,
            saddle: Saddle::new(&terms.mass, &terms.jacobian),
            pull: Pull::new(upkeep, &terms),
            landing: Landing::new(upkeep, &terms, (system.layout().q, holonomic)),
            feedback: Feedback::new(&terms.feedback),
            terms,
            upkeep: upkeep.clone(),
            position: vec![0.0; holonomic],
            velocity: vec![0.0; m],
            motion: vec![0.0; n],
            multipliers: vec![0.0; m],
            published: vec![0.0; 2 * n + system.constraints().len()],
            half_explicit: None,
            singular: Singular::new(m),
            fault: None,
            held: Held::default(),
        }
    }

    /// Evaluates the terms and factors the linear system; false if it has no solution.
    pub(super) fn factor(&mut self, env: &mut Env<'_>, y: &[f64]) -> bool {
        env.terms(y, &mut self.terms);
        self.factor_terms(env.counts)
    }

    /// Factors the linear system of the terms as they are; false if it has no solution.
    pub(super) fn factor_terms(&mut self, counts: &mut MotionCounts) -> bool {
        self.fault = self.saddle.factor(&self.terms.mass, &self.terms.jacobian).err();
        counts.factorisations += 1;
        self.look_at_factors();
        self.fault.is_none()
    }

    /// Finds accelerations and multipliers.
    pub(super) fn solve(&mut self, env: &mut Env<'_>, y: &[f64]) {
        if self.solve_beside(env, y) {
            return;
        }
        if !self.factor(env, y) {
            self.motion.fill(f64::NAN);
            self.multipliers.fill(f64::NAN);
            return self.publish(env);
        }
        self.motion.copy_from_slice(&self.terms.force);
        self.multipliers.copy_from_slice(&self.terms.level);
        self.pull_by_forces(env, y);
        self.saddle.solve(&mut self.motion, &mut self.multipliers);
        self.push_back();
        self.pull_beside(env, y);
        self.publish(env);
    }

    /// Takes in what multipliers push.
    fn push_back(&mut self) {
        let Self { feedback, terms, saddle, motion, multipliers, .. } = self;
        if !feedback.is_empty() && !feedback.push_back(&terms.feedback, saddle, motion, multipliers) {
            motion.fill(f64::NAN);
            multipliers.fill(f64::NAN);
        }
    }

    /// Tells the formulas accelerations, multipliers, and reactions, `-Gᵀ λ`.
    pub(super) fn publish(&mut self, env: &mut Env<'_>) {
        let (motion, rest) = self.published.split_at_mut(self.n);
        let (multipliers, reactions) = rest.split_at_mut(rest.len() - self.n);
        motion.copy_from_slice(&self.motion);
        // Without rows both stay zero.
        if !self.rows.is_empty() {
            self.rows.scatter(&self.multipliers, multipliers);
            reactions.fill(0.0);
            self.terms.jacobian.add_transposed(-1.0, &self.multipliers, reactions);
        }
        env.eval.set_motion(&self.published);
    }

    /// The multipliers of all constraints and the reactions that were published last.
    pub(super) fn forces_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        let forces = &mut self.published[self.n..];
        forces.split_at_mut(forces.len() - self.n)
    }
}
