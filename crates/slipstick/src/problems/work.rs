//! What a run costs, counted: multiplications, from how often each thing was done and how many that takes. It is the same on every machine, and fair to methods that
//! spend their time on different things.
//!
//! With `n` speeds, `m` rows of constraints, `N` states and `z` entries in mass matrix and gradient:
//!
//! | what | multiplications |
//! |---|---|
//! | evaluating what a right-hand side is made of: masses, forces, gradients, rates | `20 (N + z)` |
//! | solving for accelerations, once for each | `n (n + 2 m)`, or `32 z` with few entries |
//! | factorising for that | `n² (n + 2 m)`, or what few entries take |
//! | correcting the end of a step | half an evaluation, and solving twice |
//! | factorising in an implicit method | `N³/3`; `radau5`: five times that, one real and one complex; generalized-α: as for accelerations with all entries that speeds and positions bring, twice where both levels are met |
//! | solving in one, for each right-hand side of an iteration | `N²`; `radau5`: 5/3 of that; generalized-α: as for accelerations |
//! | linearising the stabilised form (`ggl`) | `m² n` and, for each of `d` directions that are left free, `2 n (2 m + d)` and twice its entries; nothing with few entries |
//! | factorising in it | `5 d³/3`, or five times what few entries take |
//! | solving in it, for each right-hand side of an iteration | `2 n (2 m + d) + d²` and twice its entries, or five thirds of what few entries take |
//!
//! A sine, a load or a store is worth a few multiplications: that is the twenty. Right-hand sides for a Jacobian by differences need no solving in an iteration.

use crate::equations::System;
use crate::formulation::{Stabilisation, Tangents};
use crate::math::{Kkt, Linearised, Pair, Stabilised};
use crate::simulate::Options;
use crate::step::Method;
use crate::trajectory::Statistics;

/// What an entry or a state costs where it is evaluated.
const ENTRY: f64 = 20.0;
/// What an entry costs where few are solved with.
const SPARSE_ENTRY: f64 = 32.0;

/// What each thing costs for one system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    states: f64,
    speeds: f64,
    /// Evaluating what a right-hand side is made of.
    pub evaluation: f64,
    /// Solving for accelerations, and factorising for that.
    pub solving: f64,
    /// See [`solving`](Self::solving).
    pub factorisation: f64,
    /// The same for the matrices of a generalized-α method, and how many right-hand sides it takes to find them by differences.
    newton: (f64, f64, f64),
    /// Linearising, factorising and solving in the stabilised form.
    stabilised: [f64; 3],
}

impl Work {
    /// The costs for a system.
    pub fn on(system: &dyn System) -> Self {
        let (layout, m) = (system.layout(), system.constraints().len());
        let (states, speeds) = (layout.dimension() as f64, layout.v as f64);
        if layout.v == 0 {
            return Self {
                states,
                speeds,
                evaluation: ENTRY * states,
                solving: 0.0,
                factorisation: 0.0,
                newton: (0.0, 0.0, 0.0),
                stabilised: [0.0; 3],
            };
        }
        let terms = system.room_for_terms();
        let entries = (terms.mass.values.len() + terms.jacobian.values.len()) as f64;
        let full = speeds * (speeds + 2.0 * m as f64);
        Self {
            states,
            speeds,
            evaluation: ENTRY * (states + entries),
            solving: full.min(SPARSE_ENTRY * entries),
            factorisation: Kkt::new(&terms.mass, &terms.jacobian).work(),
            newton: newton(system, full),
            stabilised: stabilised(system),
        }
    }

    /// What a run cost.
    pub fn of(&self, options: &Options, statistics: &Statistics) -> f64 {
        let s = statistics;
        let corrections = (0.5 * self.evaluation + 2.0 * self.solving) * s.corrected as f64;
        let factorisations = self.factorisation * s.motion_factorisations as f64;
        self.evaluation * s.derivatives as f64 + corrections + factorisations + self.of_solving(options, s)
    }

    /// What is solved for each right-hand side, and what an implicit method factors beside.
    fn of_solving(&self, options: &Options, s: &Statistics) -> f64 {
        let method = options.method;
        let (derivatives, factorisations) = (s.derivatives as f64, s.factorisations as f64);
        let is_mechanism = self.speeds > 0.0;
        if matches!(method, Method::GeneralizedAlpha | Method::GeneralizedAlpha2 | Method::GeneralizedAlpha3)
        {
            let both = if method == Method::GeneralizedAlpha { s.jacobians as f64 } else { 0.0 };
            let (solving, factorising, differences) = self.newton;
            let in_iterations = derivatives - differences * s.jacobians as f64;
            return solving * in_iterations.max(0.0) + factorising * (factorisations + both);
        }
        if options.stabilisation == Stabilisation::Ggl && is_mechanism {
            let ([linearising, factorising, solving], differences) = (self.stabilised, self.newton.2);
            let jacobians = s.jacobians as f64;
            let in_iterations = (derivatives - differences * jacobians).max(0.0);
            return linearising * jacobians + factorising * factorisations + solving / 3.0 * in_iterations;
        }
        let accelerations = self.solving * derivatives;
        if factorisations == 0.0 {
            return accelerations;
        }
        // A real system and a complex one, in which a multiplication is worth four, for three right-hand sides.
        let (systems, each) =
            if matches!(method, Method::Radau5 | Method::Automatic) { (5.0, 5.0 / 3.0) } else { (1.0, 1.0) };
        let size = self.states;
        let differences = if is_mechanism { size * s.jacobians as f64 } else { 0.0 };
        let iterations = each * size.powi(2) * (derivatives - differences).max(0.0);
        accelerations + iterations + systems / 3.0 * size.powi(3) * factorisations
    }
}

/// What solving and factorising cost in a generalized-α method, where a full system takes `full` for solving, and how many right-hand sides a linearisation takes.
fn newton(system: &dyn System, full: f64) -> (f64, f64, f64) {
    let tangents = Tangents::new(system, true);
    let differences = if system.has_formulas() { 0.0 } else { tangents.evaluations() as f64 };
    let (matrix, rows) = tangents.joined();
    let entries = (matrix.values.len() + rows.values.len()) as f64;
    (full.min(SPARSE_ENTRY * entries), Pair::new(&matrix, &rows).work(), differences)
}

/// What linearising, factorising and solving cost in the stabilised form.
fn stabilised(system: &dyn System) -> [f64; 3] {
    let tangents = Tangents::with_slopes(system);
    let of = Linearised {
        mass: &tangents.mass,
        forces: &tangents.forces,
        gradients: &tangents.gradients,
        slopes: &tangents.slopes,
        kinematics: &[],
        holonomic: system.constraints().iter().filter(|c| c.holonomic).count(),
    };
    Stabilised::new(&of, &[]).work()
}
