//! What a run costs, counted: multiplications, from how often each thing was done and how many that takes. It is the same on every machine, and fair to methods that
//! spend their time on different things.
//!
//! With `n` speeds, `m` rows of constraints, `N` states and `z` entries in mass matrix and gradient:
//!
//! | what | multiplications |
//! |---|---|
//! | a right-hand side: masses, forces, gradients and rates | `20 (N + z)` |
//! | and for a mechanism, solving for the accelerations | `n (n + 2 m)`, or `32 z` with few entries |
//! | a factorisation of the linear system of a mechanism | `n² (n + 2 m)`, or what the entries take |
//! | a corrected end of a step | a right-hand side |
//! | a factorisation of an implicit method | `N³/3`, for `radau5` five times that (one real, one complex) |
//! | solving with it, for each right-hand side of an iteration | `N²`, for `radau5` 5/3 of that |
//!
//! A sine or a load is worth twenty. Right-hand sides for a Jacobian by differences need no solving.

use crate::equations::System;
use crate::math::Kkt;
use crate::step::Method;
use crate::trajectory::Statistics;

/// What an entry or a state costs in a right-hand side.
const ENTRY: f64 = 20.0;
/// What an entry costs where few are solved with.
const SPARSE_ENTRY: f64 = 32.0;

/// What each thing costs for one system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    states: f64,
    is_mechanism: bool,
    /// A right-hand side without the factorisation of a mechanism.
    pub derivative: f64,
    /// A factorisation of the linear system of a mechanism.
    pub motion_factorisation: f64,
}

impl Work {
    /// The costs for a system.
    pub fn on(system: &dyn System) -> Self {
        let (layout, m) = (system.layout(), system.constraints().len());
        let states = layout.dimension() as f64;
        if layout.v == 0 {
            let derivative = ENTRY * states;
            return Self { states, is_mechanism: false, derivative, motion_factorisation: 0.0 };
        }
        let terms = system.room_for_terms();
        let motion_factorisation = Kkt::new(&terms.mass, &terms.jacobian).work();
        let entries = (terms.mass.values.len() + terms.jacobian.values.len()) as f64;
        let dense = (layout.v * (layout.v + 2 * m)) as f64;
        let solve = dense.min(SPARSE_ENTRY * entries);
        Self {
            states,
            is_mechanism: true,
            derivative: ENTRY * (states + entries) + solve,
            motion_factorisation,
        }
    }

    /// What a run with a method cost.
    pub fn of(&self, method: Method, statistics: &Statistics) -> f64 {
        let count = |n: u64| n as f64;
        let s = statistics;
        let plain = self.derivative * count(s.derivatives + s.corrected)
            + self.motion_factorisation * count(s.motion_factorisations);
        // The real system and the complex one, whose multiplications are four each.
        let systems = if method == Method::Radau5 || method == Method::Automatic { 5.0 } else { 1.0 };
        let differences = if self.is_mechanism { self.states * count(s.jacobians) } else { 0.0 };
        let solves = if s.factorisations == 0 { 0.0 } else { (count(s.derivatives) - differences).max(0.0) };
        let per_solve = if systems > 1.0 { systems / 3.0 } else { 1.0 };
        plain
            + systems / 3.0 * self.states.powi(3) * count(s.factorisations)
            + per_solve * self.states.powi(2) * solves
    }
}
