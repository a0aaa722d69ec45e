//! The index-1 form of a mechanism: accelerations and multipliers from `[M Gᵀ; G 0] [a; λ] = [f; γ]`.
//!
//! Differentiated to the level of accelerations, constraints are met only up to a drift. Drift feedback puts
//! terms against it into these equations; `projection/` takes the ends of steps back. The list of
//! stabilisations (`stabilisation/mod.rs`) says which of both is done, and how.

use super::env::Env;
use super::held_factors::HeldFactors;
use super::linear_system::LinearSystem;
use super::stabilisation::DriftTerms;
use super::{MotionPoint, Upkeep};
use crate::equations::{ActiveRows, System, Terms};
use crate::math::Feedback;

/// Rounding of accelerations and forces, as a part of the terms that they come from.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Finds accelerations and multipliers.
pub(super) struct Index1 {
    pub(super) linear: LinearSystem,
    /// Accelerations, and multipliers of the constraints that have rows.
    pub(super) motion: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    /// Accelerations, multipliers of all constraints, and reactions, as formulas are given them.
    published: Vec<f64>,
    /// Multipliers that forces depend on, if some do.
    feedback: Option<Feedback>,
    /// The row whose multiplier takes back all that it pushes where accelerations were last found.
    powerless: Option<usize>,
    /// Terms against drift, if the stabilisation has such.
    pub(super) drift: Option<Box<dyn DriftTerms>>,
    /// The point whose factors serve for places next to it.
    held: HeldFactors,
}

impl Index1 {
    /// The form of a mechanism with some of its constraints.
    pub(super) fn new(system: &dyn System, rows: &ActiveRows, upkeep: &Upkeep) -> Self {
        let linear = LinearSystem::new(system, rows);
        let (n, m) = (linear.sizes.velocities, linear.sizes.rows);
        Self {
            feedback: Feedback::of_multipliers(&linear.terms.feedback),
            powerless: None,
            drift: upkeep.drift_terms(&linear),
            linear,
            motion: vec![0.0; n],
            multipliers: vec![0.0; m],
            published: vec![0.0; 2 * n + system.constraints().len()],
            held: HeldFactors::default(),
        }
    }

    /// Finds accelerations and multipliers at a point, and gives them to the formulas.
    pub(super) fn solve(&mut self, env: &mut Env<'_>, y: &[f64]) {
        if self.held.is_on {
            env.terms(y, &mut self.linear.terms);
        } else if !self.linear.factor(env, y) {
            self.motion.fill(f64::NAN);
            self.multipliers.fill(f64::NAN);
            return self.publish(env);
        }
        let Self { linear, motion, multipliers, held, .. } = self;
        multipliers.copy_from_slice(&linear.terms.level);
        if let Some(drift) = &mut self.drift {
            drift.pull_by_forces(linear, env, y, multipliers);
        }
        if held.is_on {
            held.fill_differences(&linear.terms, motion, multipliers);
        } else {
            motion.copy_from_slice(&linear.terms.force);
        }
        linear.saddle.solve(motion, multipliers);
        if held.is_on {
            held.add(motion, multipliers);
        }
        self.push_back();
        if let Some(drift) = &mut self.drift {
            drift.pull_motion(&self.linear, env, y, &mut self.motion);
        }
        self.publish(env);
    }

    /// Adds what multipliers push to the motion without it; not finite if there is no such motion. Factors
    /// are held only where no multipliers push back.
    fn push_back(&mut self) {
        let Self { linear, motion, multipliers, feedback: Some(feedback), .. } = self else { return };
        self.powerless = linear.factor_feedback(feedback).err();
        if self.powerless.is_some() {
            motion.fill(f64::NAN);
            return multipliers.fill(f64::NAN);
        }
        feedback.push_back([motion, multipliers]);
    }

    /// The constraint whose multiplier takes back all that it pushes where accelerations were last found.
    pub(super) fn powerless(&self) -> Option<usize> {
        self.powerless.map(|row| self.linear.rows.constraint(row))
    }

    /// The side from which the surface of each constraint is approached, zero for those met; none at all once
    /// the constraints are met.
    pub(super) fn reach(&mut self, sides: &[f64]) {
        if let Some(drift) = &mut self.drift {
            drift.reach(sides);
        }
    }

    /// From now on the factors of this point are used for places next to it.
    pub(super) fn hold_factors(&mut self, env: &mut Env<'_>, y: &[f64]) {
        self.held.let_go();
        self.solve(env, y);
        // Redundant rows are so in another way next to the point.
        let is_regular = self.linear.is_solvable && self.linear.saddle.redundant().is_empty();
        if is_regular && self.feedback.is_none() {
            self.held.hold(&self.motion, &self.multipliers);
        }
    }

    /// Accelerations have factors of their own again.
    pub(super) fn let_factors_go(&mut self) {
        self.held.let_go();
    }

    /// Gives the formulas a motion that a method has found.
    pub(super) fn set_motion(&mut self, env: &mut Env<'_>, at: MotionPoint<'_>) {
        let n = self.motion.len();
        self.motion.copy_from_slice(&at.rates[..n]);
        self.multipliers.copy_from_slice(at.multipliers);
        self.publish(env);
    }

    /// Gives the formulas accelerations, multipliers, and reactions, `-Gᵀ λ`.
    pub(super) fn publish(&mut self, env: &mut Env<'_>) {
        let n = self.motion.len();
        let (motion, rest) = self.published.split_at_mut(n);
        let (multipliers, reactions) = rest.split_at_mut(rest.len() - n);
        motion.copy_from_slice(&self.motion);
        // Without rows both stay zero.
        if !self.multipliers.is_empty() {
            self.linear.rows.scatter(&self.multipliers, multipliers);
            reactions.fill(0.0);
            self.linear.terms.jacobian.add_transposed(-1.0, &self.multipliers, reactions);
        }
        env.eval.set_motion(&self.published);
    }

    /// Accelerations, multipliers of all constraints, and reactions that were published last.
    pub(super) fn published(&self) -> &[f64] {
        &self.published
    }

    /// Adds how far rounding may have moved accelerations, multipliers of all constraints, and reactions, each by the sizes
    /// of its own terms: a force is not less exact because a moment of another unit is larger.
    pub(super) fn add_rounding(&self, bounds: &mut Vec<f64>) {
        let Self { linear, motion, multipliers, published, .. } = self;
        let Terms { mass, force, jacobian, level, .. } = &linear.terms;
        let (n, first) = (motion.len(), bounds.len());
        bounds.resize(first + published.len(), 0.0);
        let (of_motion, of_forces) = bounds[first..].split_at_mut(n);
        let (of_multipliers, of_reactions) = of_forces.split_at_mut(published.len() - 2 * n);
        for (k, multiplier) in multipliers.iter().enumerate() {
            jacobian.row(k).for_each(|(j, g)| of_reactions[j] += ROUNDING * (g * multiplier).abs());
        }
        let own_mass = |j: usize| mass.slot(j, j).map_or(0.0, |slot| mass.values[slot].abs());
        for j in 0..n {
            of_motion[j] =
                ROUNDING * (motion[j].abs() + force[j].abs() / own_mass(j)) + of_reactions[j] / own_mass(j);
        }
        for (k, multiplier) in multipliers.iter().enumerate() {
            let terms: f64 = jacobian.row(k).map(|(j, g)| g.abs() * of_motion[j]).sum();
            let response: f64 = jacobian.row(k).map(|(j, g)| g * g / own_mass(j)).sum();
            let bound = (terms + ROUNDING * level[k].abs()) / response;
            of_multipliers[linear.rows.constraint(k)] = bound.max(ROUNDING * multiplier.abs());
        }
        bounds[first..].iter_mut().filter(|bound| bound.is_nan()).for_each(|bound| *bound = 0.0);
    }

    /// The multipliers and the reactions among them.
    pub(super) fn forces_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        let n = self.motion.len();
        let forces = &mut self.published[n..];
        forces.split_at_mut(forces.len() - n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stabilisation;
    use super::super::testing::{lend, pendulum};
    use super::*;

    /// The pendulum level at the right, with its bob moving down.
    const LEVEL: [f64; 4] = [1.0, 0.0, 0.0, -2.0];

    fn index1(stabilisation: Stabilisation) -> Index1 {
        let system: &dyn System = &pendulum();
        let rows = ActiveRows::of(system.constraints(), |_| true);
        Index1::new(system, &rows, &stabilisation.into())
    }

    #[test]
    fn a_rod_pulls_its_bob_round() {
        lend(&pendulum(), |_, env| {
            let mut form = index1(Stabilisation::None);
            form.solve(env, &LEVEL);
            // Towards the centre v²/l, and down g. M a + Gᵀ λ = f gives λ = -M a / 2x.
            assert!((form.motion[0] + 4.0).abs() < 1e-14 && (form.motion[1] + 10.0).abs() < 1e-14);
            assert!((form.multipliers[0] - 4.0).abs() < 1e-14);
            let reactions = [form.published()[3], form.published()[4]];
            assert!((reactions[0] + 8.0).abs() < 1e-13 && reactions[1].abs() < 1e-14, "{reactions:?}");
        });
    }

    #[test]
    fn baumgarte_pulls_by_the_force_of_the_rod() {
        lend(&pendulum(), |_, env| {
            let [plain, pulled] =
                [Stabilisation::None, Stabilisation::Baumgarte { rate: 3.0, position: 5.0 }].map(|kind| {
                    let mut form = index1(kind);
                    form.solve(env, &[1.1, 0.0, 0.2, -2.0]);
                    form.motion[0]
                });
            // G a changes by 3 ġ + 5 g, with ġ = 2 x v and g = x² - 1.
            let change = (3.0 * 0.44 + 5.0 * 0.21) / 2.2;
            assert!((plain - pulled - change).abs() < 1e-13);
        });
    }

    #[test]
    fn held_factors_serve_for_places_next_to_a_point() {
        lend(&pendulum(), |_, env| {
            let (mut held, mut own) = (index1(Stabilisation::None), index1(Stabilisation::None));
            held.hold_factors(env, &LEVEL);
            let next = [1.0 + 1e-7, 0.0, 0.0, -2.0];
            let before = env.counts.factorisations;
            held.solve(env, &next);
            assert_eq!(env.counts.factorisations, before, "none of its own");
            own.solve(env, &next);
            assert!((held.motion[0] - own.motion[0]).abs() < 1e-12);
            held.let_factors_go();
            held.solve(env, &next);
            assert_eq!(held.motion, own.motion);
        });
    }
}
