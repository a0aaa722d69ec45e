//! What a run costs, counted: multiplications, from how often each thing was done and how many that takes. It
//! is the same on every machine, and fair to methods that spend their time on different things.
//!
//! With `n` speeds, `m` rows of constraints, `N` states and `z` entries in mass matrix and gradient,
//! multiplications are:
//!
//! - evaluating what a right-hand side is made of (masses, forces, gradients, rates): `20 (N + z)`;
//! - solving for accelerations, once for each: `n (n + 2 m)`, or `32 z` with few entries;
//! - factorising for that: `n² (n + 2 m)`, or what few entries take;
//! - correcting the end of a step: half an evaluation, and solving twice;
//! - factorising in an implicit method: `N³/3`; `radau5`: five times that, one real and one complex;
//!   generalized-α: as for accelerations with all entries of speeds and positions, twice for both levels;
//! - solving in one, for each right-hand side of an iteration: `N²`; `radau5`: 5/3 of that;
//!   generalized-α: as for accelerations;
//! - linearising the stabilised form (`ggl`): `m² n` and, for each of `d` free directions,
//!   `2 n (2 m + d)` and twice its entries; nothing with few entries;
//! - factorising in it: `5 d³/3`, or five times what few entries take;
//! - solving in it, for each right-hand side of an iteration: `2 n (2 m + d) + d²` and twice its entries,
//!   or five thirds of what few entries take.
//!
//! A sine, a load or a store is worth a few multiplications: that is the twenty. Right-hand sides for a
//! Jacobian by differences need no solving in an iteration.

use super::{MechanismForm, Method};
use crate::equations::{ActiveRows, System};
use crate::formulation::{Flow, Tangents};
use crate::math::{Linearised, Saddle, Stabilised};

/// What an entry or a state costs where it is evaluated.
const ENTRY: f64 = 20.0;
/// What an entry costs where few are solved with.
const SPARSE_ENTRY: f64 = 32.0;

/// How often each thing was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Right-hand sides.
    pub derivatives: u64,
    /// Jacobians, or linearisations, by implicit methods.
    pub jacobians: u64,
    /// Factorisations by implicit methods.
    pub factorisations: u64,
    /// Ends of steps that were corrected.
    pub corrected: u64,
    /// Factorisations for accelerations and corrections.
    pub motion_factorisations: u64,
}

impl Counts {
    /// So far, with so many factorisations of an implicit method.
    pub(crate) fn of(flow: &Flow<'_>, factorisations: u64) -> Self {
        Self {
            derivatives: flow.counts.derivatives,
            jacobians: flow.counts.jacobians,
            factorisations,
            corrected: flow.motion_counts().corrected,
            motion_factorisations: flow.motion_counts().factorisations,
        }
    }

    /// What has come since an earlier count. A landing that is forgotten can take a correction back.
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            derivatives: self.derivatives.saturating_sub(before.derivatives),
            jacobians: self.jacobians.saturating_sub(before.jacobians),
            factorisations: self.factorisations.saturating_sub(before.factorisations),
            corrected: self.corrected.saturating_sub(before.corrected),
            motion_factorisations: self.motion_factorisations.saturating_sub(before.motion_factorisations),
        }
    }

    fn add(&mut self, more: &Self) {
        self.derivatives += more.derivatives;
        self.jacobians += more.jacobians;
        self.factorisations += more.factorisations;
        self.corrected += more.corrected;
        self.motion_factorisations += more.motion_factorisations;
    }
}

/// What one method did of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The method.
    pub method: Method,
    /// Whether it solved the stabilised index-2 form of a mechanism.
    pub is_ggl: bool,
    /// Steps that were taken.
    pub accepted: u64,
    /// Steps that were tried and not taken.
    pub rejected: u64,
    /// What was done for them.
    pub counts: Counts,
}

impl Share {
    /// Its part among the others: what a method did at different times is added up.
    pub(crate) fn join(self, shares: &mut Vec<Self>) {
        let same = |share: &&mut Self| (share.method, share.is_ggl) == (self.method, self.is_ggl);
        match shares.iter_mut().find(same) {
            Some(share) => {
                share.accepted += self.accepted;
                share.rejected += self.rejected;
                share.counts.add(&self.counts);
            }
            None => shares.push(self),
        }
    }

    /// The name of the method, with the form that it solved.
    pub fn name(&self) -> String {
        if self.is_ggl { format!("{}+ggl", self.method.name()) } else { self.method.name().to_owned() }
    }
}

/// What each thing costs for one system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    dimension: u64,
    states: f64,
    speeds: f64,
    /// Evaluating what a right-hand side is made of.
    pub evaluation: f64,
    /// Solving for accelerations, and factorising for that.
    pub solving: f64,
    /// See [`solving`](Self::solving).
    pub factorisation: f64,
    /// The same for the matrices of a generalized-α method, and how many right-hand sides it takes to find
    /// them by differences.
    newton: (f64, f64, u64),
    /// Linearising, factorising and solving in the stabilised form.
    stabilised: [f64; 3],
}

impl Work {
    /// The costs for a system with some of its constraints.
    pub fn on(system: &dyn System, rows: &ActiveRows) -> Self {
        let (layout, m) = (system.layout(), rows.len());
        let (states, speeds) = (layout.dimension() as f64, layout.v as f64);
        if layout.v == 0 {
            return Self {
                dimension: layout.dimension() as u64,
                states,
                speeds,
                evaluation: ENTRY * states,
                solving: 0.0,
                factorisation: 0.0,
                newton: (0.0, 0.0, 0),
                stabilised: [0.0; 3],
            };
        }
        let terms = system.room_for_terms(rows);
        let entries = (terms.mass.values.len() + terms.jacobian.values.len()) as f64;
        let full = speeds * (speeds + 2.0 * m as f64);
        Self {
            dimension: layout.dimension() as u64,
            states,
            speeds,
            evaluation: ENTRY * (states + entries),
            solving: full.min(SPARSE_ENTRY * entries),
            factorisation: Saddle::new(&terms.mass, &terms.jacobian).work(),
            newton: newton(system, rows, full),
            stabilised: stabilised(system, rows),
        }
    }

    /// What all parts of a run cost.
    pub fn of_all(&self, shares: &[Share]) -> f64 {
        shares.iter().fold(0.0, |sum, share| sum + self.of(share.method, share.is_ggl, &share.counts))
    }

    /// What a method cost, on the stabilised index-2 form or as usual.
    pub fn of(&self, method: Method, is_ggl: bool, counts: &Counts) -> f64 {
        let corrections = (0.5 * self.evaluation + 2.0 * self.solving) * counts.corrected as f64;
        let factorisations = self.factorisation * counts.motion_factorisations as f64;
        let evaluations = self.evaluation * counts.derivatives as f64;
        evaluations + corrections + factorisations + self.of_solving(method, is_ggl, counts)
    }

    /// What a step of a method costs, about: of an implicit one with a new Jacobian and three iterations.
    pub(crate) fn of_step(&self, method: Method, is_ggl: bool) -> f64 {
        let (stages, is_implicit) = (method.nodes().len() as u64, method.facts().implicit);
        let in_iterations = if is_implicit { 3 * stages } else { stages };
        let by_differences = match is_implicit {
            true if is_ggl || method.has_rho() => self.newton.2,
            true => self.dimension,
            false => 0,
        };
        let counts = Counts {
            derivatives: in_iterations + by_differences,
            jacobians: u64::from(is_implicit),
            factorisations: u64::from(is_implicit),
            corrected: 1,
            motion_factorisations: if is_ggl || method.has_rho() { 0 } else { in_iterations },
        };
        self.of(method, is_ggl, &counts)
    }

    /// What is solved for each right-hand side, and what an implicit method factors beside.
    fn of_solving(&self, method: Method, is_ggl: bool, c: &Counts) -> f64 {
        let (derivatives, factorisations) = (c.derivatives as f64, c.factorisations as f64);
        let is_mechanism = self.speeds > 0.0;
        if method.has_rho() {
            let both = if method.facts().form == MechanismForm::Ggl { c.jacobians as f64 } else { 0.0 };
            let (solving, factorising, differences) = self.newton;
            let in_iterations = derivatives - (differences * c.jacobians) as f64;
            return solving * in_iterations.max(0.0) + factorising * (factorisations + both);
        }
        if is_ggl && is_mechanism {
            let ([linearising, factorising, solving], differences) = (self.stabilised, self.newton.2);
            let jacobians = c.jacobians as f64;
            let in_iterations = (derivatives - differences as f64 * jacobians).max(0.0);
            return linearising * jacobians + factorising * factorisations + solving / 3.0 * in_iterations;
        }
        let accelerations = self.solving * derivatives;
        if factorisations == 0.0 {
            return accelerations;
        }
        let (systems, each) = method.facts().linear_cost;
        let size = self.states;
        let differences = if is_mechanism { size * c.jacobians as f64 } else { 0.0 };
        let iterations = each * size.powi(2) * (derivatives - differences).max(0.0);
        accelerations + iterations + systems / 3.0 * size.powi(3) * factorisations
    }
}

/// What solving and factorising cost in a generalized-α method, where a full system takes `full` for solving,
/// and how many right-hand sides a linearisation takes.
fn newton(system: &dyn System, rows: &ActiveRows, full: f64) -> (f64, f64, u64) {
    let tangents = Tangents::new(system, rows, true);
    let differences = if system.has_formulas() { 0 } else { tangents.evaluations() as u64 };
    let (matrix, rows) = tangents.joined();
    let entries = (matrix.values.len() + rows.values.len()) as f64;
    (full.min(SPARSE_ENTRY * entries), Saddle::new(&matrix, &rows).work(), differences)
}

/// What linearising, factorising and solving cost in the stabilised form.
fn stabilised(system: &dyn System, rows: &ActiveRows) -> [f64; 3] {
    let tangents = Tangents::with_slopes(system, rows);
    let of = Linearised {
        mass: &tangents.mass,
        forces: &tangents.forces,
        gradients: &tangents.gradients,
        slopes: &tangents.slopes,
        feedback: &tangents.feedback,
        kinematics: &[],
        holonomic: rows.holonomic(),
    };
    Stabilised::new(&of).work()
}
